/* SPDX-License-Identifier: Apache-2.0
 * Looking after the file: backup and check. */
#include "base/strbuf.h"
#include "store/private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGES_TOLD 4096

/* All at once, unless somebody waits for a sign of life. */
static int copy_pages(sqlite3_backup *backup, struct progress *p)
{
    int rc, finished;

    do
        rc = store_busy(p) ? sqlite3_backup_step(backup, p->tell ? PAGES_TOLD : -1)
                           : SQLITE_INTERRUPT;
    while (rc == SQLITE_OK);
    finished =
        sqlite3_backup_finish(backup); /* SQLITE_OK where a lock was in the way */
    return finished != SQLITE_OK || rc == SQLITE_DONE ? finished : rc;
}

/* Copy what is committed in `from` to the empty file `to`. The source is a connection
 * of its own, so that an open batch is not in the copy. */
static int copy_file(
    const char *from, const char *to, struct progress *p, struct err *err)
{
    struct store source = {.path = (char *)from, .lock_fd = -1};
    struct store target = {.path = (char *)to, .lock_fd = -1};
    sqlite3_backup *backup = NULL;
    int result = 0, rc;

    errno = 0;
    rc = sqlite3_open_v2(from, &source.db, SQLITE_OPEN_READONLY, NULL);
    if (rc != SQLITE_OK)
        result = sql_fail(&source, rc, "opening", err);
    errno = 0;
    rc = sqlite3_open_v2(to, &target.db, SQLITE_OPEN_READWRITE, NULL);
    if (result == 0 && rc != SQLITE_OK)
        result = sql_fail(&target, rc, "opening", err);
    if (result == 0) {
        errno = 0;
        backup = sqlite3_backup_init(target.db, "main", source.db, "main");
        rc = backup ? copy_pages(backup, p) : sqlite3_errcode(target.db);
        if (rc != SQLITE_OK)
            result = sql_fail(&target, rc, "copying", err);
    }
    sqlite3_close(source.db);
    sqlite3_close(target.db);
    return result;
}

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;

    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev
           && x.st_ino == y.st_ino;
}

static int backup_by_way_of(
    struct store *store, const char *part, const char *path, struct err *err)
{
    int result = 0;

    unlink(part); /* of a backup that was interrupted */
    if (store_create_file(part) != 0)
        return err_set(err, ERR_IO, "%s: cannot be created: %s", part, strerror(errno));
    result = copy_file(store->path, part, &store->progress, err);
    if (result == 0 && rename(part, path) != 0)
        result = err_set(
            err, ERR_IO, "%s: cannot be put in place: %s", path, strerror(errno));
    if (result != 0)
        unlink(part);
    return result != 0 ? -1 : store_sync_folder(path, err);
}

int store_backup(struct store *store, const char *path, struct err *err)
{
    struct strbuf part = {0};
    int result;

    if (same_file(store->path, path))
        return err_set(err, ERR_INVALID,
            "%s: is the state file itself; name another file for the backup", path);
    strbuf_printf(&part, "%s.part", path);
    result = backup_by_way_of(store, part.text, path, err);
    free(part.text);
    return result;
}

/* Each yields one problem a row. */
static const char *const questions[] = {
    "SELECT 'file: '||integrity_check FROM pragma_integrity_check"
    " WHERE integrity_check <> 'ok'",
    "SELECT kind||' '||key||': its value is not JSON' FROM record"
    " WHERE NOT json_valid(value)",
    "SELECT 'journal: event '||seq||' is not JSON' FROM journal"
    " WHERE NOT json_valid(text)",
    "SELECT 'journal: '||(max(seq) - min(seq) + 1 - count(*))||' events are missing'"
    " ||' between '||min(seq)||' and '||max(seq) FROM journal"
    " HAVING count(*) <> max(seq) - min(seq) + 1",
    "SELECT 'account of job '||job||': it ended before it started' FROM account"
    " WHERE start_at > end_at",
    "SELECT 'account of job '||job||': its extra text is not JSON' FROM account"
    " WHERE extra <> '' AND NOT json_valid(extra)",
};

static void tell_line(
    void (*tell)(void *arg, const char *problem), void *arg, const char *text)
{
    char line[400];

    snprintf(line, sizeof line, "%s", text);
    for (char *c = line; *c; c++)
        if (*c == '\n')
            *c = ' ';
    tell(arg, line);
}

int care_ask(struct store *store, const char *const *list, size_t count,
    void (*tell)(void *arg, const char *problem), void *arg, struct err *err)
{
    int problems = 0;

    for (size_t i = 0; i < count; i++) {
        sqlite3_stmt *stmt = sql_walk(store, list[i], err);
        int rc;

        if (!stmt)
            return -1;
        for (; (rc = sql_step(stmt)) == SQLITE_ROW; problems++)
            tell_line(tell, arg, sql_column(stmt, 0));
        if ((rc & 0xff) == SQLITE_CORRUPT) { /* to be told, not a failure to look */
            tell_line(tell, arg, "file: parts of it cannot be read");
            problems++;
            rc = SQLITE_DONE;
        }
        if (sql_walked(store, stmt, rc, 0, err) != 0)
            return -1;
    }
    return problems;
}

int store_check(struct store *store, void (*tell)(void *arg, const char *problem),
    void *arg, struct err *err)
{
    return care_ask(
        store, questions, sizeof questions / sizeof *questions, tell, arg, err);
}
