/* SPDX-License-Identifier: Apache-2.0
 * Statements, and SQLite's result codes as sentences for an administrator. */
#include "store/private.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <time.h>

struct advice {
    int rc; /* primary result code */
    enum err_code code;
    const char *what, *advice;
    bool doubt; /* the next one looks at the file before it is used */
    bool damage;
};

#define WRITABLE                                                                       \
    "the file and its folder must be writable by the user the scheduler runs as"
#define DAMAGED                                                                        \
    "it was left as it is: move it away with its -wal and -shm, then put a backup in " \
    "its place, or save what can be read: sqlite3 MOVED .recover | sqlite3 NEW"

static const struct advice advices[] = {
    {SQLITE_FULL, ERR_IO, "the disk is full",
        "nothing of this batch was kept; make room on its file system"},
    {SQLITE_BUSY, ERR_CONFLICT, "another program has it locked",
        "end that program (an open sqlite3 shell?) and try again"},
    {SQLITE_IOERR, ERR_IO, "the disk or file system failed",
        "nothing of this batch was kept; see the kernel's log and check the disk",
        true},
    {SQLITE_CORRUPT, ERR_IO, "it is damaged", DAMAGED, true, true},
    {SQLITE_NOTADB, ERR_IO, "it is damaged or not a state file", DAMAGED, true, true},
    {SQLITE_READONLY, ERR_DENIED, "it may not be written", WRITABLE},
    {SQLITE_PERM, ERR_DENIED, "it may not be opened", WRITABLE},
    {SQLITE_CANTOPEN, ERR_IO, "it cannot be opened", WRITABLE},
    {SQLITE_INTERRUPT, ERR_CONFLICT, "it was told to stop",
        "the file is as it was; the next start does it"},
    {SQLITE_TOOBIG, ERR_INVALID, "a text is too long", "one gigabyte is the most"},
};

static const struct advice *advice_of(int rc)
{
    for (size_t i = 0; i < sizeof advices / sizeof *advices; i++)
        if (advices[i].rc == (rc & 0xff))
            return &advices[i];
    return NULL;
}

int sql_fail(struct store *store, int rc, const char *doing, struct err *err)
{
    const struct advice *advice = advice_of(rc);
    const char *detail = sqlite3_errstr(rc);
    int no = errno; /* set to 0 before each call; SQLite notes it for some only */

    if (advice && advice->doubt)
        lockfile_doubt(store);
    if (advice && advice->damage)
        store->damaged = true;
    if (no == 0 && store->db)
        no = sqlite3_system_errno(store->db);
    if (store->db && sqlite3_errcode(store->db) != SQLITE_OK)
        detail = sqlite3_errmsg(store->db);
    if (no != 0 && ((rc & 0xff) == SQLITE_IOERR || (rc & 0xff) == SQLITE_CANTOPEN))
        detail = strerror(no);
    if (!advice)
        return err_set(err, ERR_IO, "%s: %s failed: %s", store->path, doing, detail);
    return err_set(err, advice->code, "%s: %s (%s: %s); %s", store->path, advice->what,
        doing, detail, advice->advice);
}

int sql_step(sqlite3_stmt *stmt)
{
    errno = 0;
    return sqlite3_step(stmt);
}

int sql_exec(struct store *store, const char *sql, const char *doing, struct err *err)
{
    int rc;

    errno = 0;
    rc = sqlite3_exec(store->db, sql, NULL, NULL, NULL);
    return rc == SQLITE_OK ? 0 : sql_fail(store, rc, doing, err);
}

int sql_number(struct store *store, const char *sql, int64_t *number, struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc, result = 0;

    errno = 0;
    rc = sqlite3_prepare_v2(store->db, sql, -1, &stmt, NULL);
    if (rc == SQLITE_OK)
        rc = sql_step(stmt);
    if (rc == SQLITE_ROW)
        *number = sqlite3_column_int64(stmt, 0);
    else
        result = sql_fail(store, rc, "reading", err);
    sqlite3_finalize(stmt);
    return result;
}

void sql_rollback(const struct store *store)
{
    if (!sqlite3_get_autocommit(store->db)) /* SQLite itself leaves it on some errors */
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
}

static int commit_nothing(struct store *store)
{
    int64_t version;
    char sql[80];
    int rc;

    if (sql_number(store, "PRAGMA user_version", &version, NULL) != 0)
        return -1;
    sqlite3_snprintf(sizeof sql, sql,
        "BEGIN IMMEDIATE; PRAGMA user_version=%lld; COMMIT", (long long)version);
    rc = sqlite3_exec(store->db, sql, NULL, NULL, NULL);
    sql_rollback(store);
    return rc == SQLITE_OK ? 0 : -1;
}

int sql_overwrite(struct store *store)
{
    if (commit_nothing(store) == 0)
        return 0;
    /* A flush of the log's head can be in the way of writing anything behind it. */
    sqlite3_exec(store->db, "PRAGMA synchronous=OFF", NULL, NULL, NULL);
    commit_nothing(store);
    sqlite3_exec(store->db, "PRAGMA synchronous=FULL", NULL, NULL, NULL);
    return -1;
}

static void refuse_copy(const struct store *store, struct err *err)
{
    err_set(err, ERR_IO, "%s: a copy of the process has left it", store->path);
}

sqlite3_stmt *sql_kept(
    struct store *store, enum kept which, const char *sql, struct err *err)
{
    int rc;

    if (store->left) {
        refuse_copy(store, err);
        return NULL;
    }
    if (store->kept[which])
        return store->kept[which];
    errno = 0;
    rc = sqlite3_prepare_v3(
        store->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &store->kept[which], NULL);
    if (rc != SQLITE_OK)
        sql_fail(store, rc, "preparing", err);
    return store->kept[which];
}

sqlite3_stmt *sql_walk(struct store *store, const char *sql, struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc;

    if (store->left) {
        refuse_copy(store, err);
        return NULL;
    }
    errno = 0;
    rc = sqlite3_prepare_v2(store->db, sql, -1, &stmt, NULL);
    if (rc != SQLITE_OK) {
        sql_fail(store, rc, "reading", err);
        return NULL;
    }
    store->walks++;
    return stmt;
}

static struct kept_walk *find_idle(struct store *store, const char *sql)
{
    for (size_t i = 0; i < store->kept_walks.n; i++)
        if (!store->kept_walks.v[i].busy
            && strcmp(store->kept_walks.v[i].sql, sql) == 0)
            return &store->kept_walks.v[i];
    return NULL;
}

sqlite3_stmt *sql_walk_kept(struct store *store, const char *sql, struct err *err)
{
    struct kept_walk *walk = store->left ? NULL : find_idle(store, sql);
    sqlite3_stmt *stmt;

    if (walk) {
        store->walks++;
        walk->busy = true;
        return walk->stmt;
    }
    stmt = sql_walk(store, sql, err);
    if (stmt)
        vec_push(&store->kept_walks, ((struct kept_walk){xstrdup(sql), stmt, true}));
    return stmt;
}

/* Let go of a statement: the next walk may have it, or nobody. */
static void end_walk(struct store *store, sqlite3_stmt *stmt)
{
    for (size_t i = 0; i < store->kept_walks.n; i++)
        if (store->kept_walks.v[i].stmt == stmt) {
            sqlite3_reset(stmt);
            sqlite3_clear_bindings(stmt);
            store->kept_walks.v[i].busy = false;
            return;
        }
    sqlite3_finalize(stmt);
}

int sql_walked(
    struct store *store, sqlite3_stmt *stmt, int rc, int stop, struct err *err)
{
    int result = stop;

    assert(stop >= 0 && store->walks > 0);
    store->walks--;
    if (rc != SQLITE_ROW && rc != SQLITE_DONE)
        result = sql_fail(store, rc, "reading", err);
    end_walk(store, stmt);
    return result;
}

const char *sql_column(sqlite3_stmt *stmt, int number)
{
    const char *text = (const char *)sqlite3_column_text(stmt, number);

    return text ? text : "";
}

void sql_text(sqlite3_stmt *stmt, int number, const char *text)
{
    /* What cannot be bound (too long) stays NULL, which no column accepts. */
    sqlite3_bind_text(stmt, number, text ? text : "", -1, SQLITE_STATIC);
}

bool store_busy(struct progress *p)
{
    int64_t now = (int64_t)time(NULL);

    if (p->tell && now != p->told_at) {
        p->told_at = now;
        p->given_up = !p->tell(p->arg, p->doing) || p->given_up;
    }
    return !p->given_up;
}

int sql_first_number(
    struct store *s, sqlite3_stmt *stmt, int64_t *number, struct err *err)
{
    int rc = sql_step(stmt);

    *number = rc == SQLITE_ROW ? sqlite3_column_int64(stmt, 0) : 0;
    return sql_walked(s, stmt, rc, 0, err);
}
