/* SPDX-License-Identifier: Apache-2.0
 * Opening and closing. Nothing is written before the file is known to be ours and
 * sound. */
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "store/private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUSY_TIMEOUT_MS 2000

int store_create_file(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (fd < 0)
        return -1;
    if (fchmod(fd, 0600) != 0) { /* a umask may have taken bits away */
        close(fd);
        unlink(path);
        return -1;
    }
    return close(fd);
}

/* `path` up to its last slash, without it; "." if there is none. Owned. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!slash)
        return xstrdup(".");
    return slash == path ? xstrdup("/") : xstrndup(path, (size_t)(slash - path));
}

int store_sync_folder(const char *path, struct err *err)
{
    char *folder = folder_of(path);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), result = 0;

    if (fd < 0 || fsync(fd) != 0)
        result = err_set(err, ERR_IO,
            "%s: its folder cannot be flushed to the disk: %s", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    free(folder);
    return result;
}

/* One name for one file, or two writers could get past each other's lock. The last
 * part need not exist. Owned; NULL: see errno. */
static char *full_name(const char *path)
{
    char *full = realpath(path, NULL);
    const char *slash = strrchr(path, '/');
    struct strbuf name = {0};
    char *folder;

    if (full || errno != ENOENT)
        return full;
    folder = folder_of(path);
    full = realpath(folder, NULL);
    free(folder);
    if (!full)
        return NULL;
    strbuf_printf(&name, "%s/%s", full, slash ? slash + 1 : path);
    free(full);
    return strbuf_take(&name);
}

/* There is a file now, and it is a file. */
static int ensure_file(struct store *store, struct err *err)
{
    struct stat st;

    if (stat(store->path, &st) == 0) {
        if (!S_ISREG(st.st_mode))
            return err_set(err, ERR_INVALID, "%s: not a file", store->path);
        return 0;
    }
    if (errno != ENOENT || store->read_only)
        return err_set(err, errno == ENOENT ? ERR_NOT_FOUND : ERR_IO, "%s: %s",
            store->path, strerror(errno));
    if (store_create_file(store->path) != 0)
        return err_set(
            err, ERR_IO, "%s: cannot be created: %s", store->path, strerror(errno));
    store->created = true;
    return 0;
}

static int connect_file(struct store *store, int busy_timeout_ms, struct err *err)
{
    int flags = store->read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    int rc;

    errno = 0;
    rc = sqlite3_open_v2(store->path, &store->db, flags | SQLITE_OPEN_NOMUTEX, NULL);
    if (rc != SQLITE_OK)
        return sql_fail(store, rc, "opening", err);
    sqlite3_extended_result_codes(store->db, 1);
    sqlite3_busy_timeout(
        store->db, busy_timeout_ms ? busy_timeout_ms : BUSY_TIMEOUT_MS);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    /* Until the file is known to be sound, closing it must not carry over its log. */
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    return 0;
}

/* Is it written through a log? Only then is who looks at it beside in nobody's way:
 * to begin with one takes the file alone. Asked before SQLite has it open here, whose
 * locks the closing would drop. */
static bool has_log(const struct store *store)
{
    int fd = open(store->path, O_RDONLY | O_CLOEXEC);
    char head[20];
    bool result = fd >= 0 && pread(fd, head, sizeof head, 0) == sizeof head
                  && head[18] == 2 && head[19] == 2; /* to be written, to be read */

    if (fd >= 0)
        close(fd);
    return result;
}

/* ---- how far it is -------------------------------------------------------------- */

#define STEPS_TOLD 10000 /* of SQLite's machine, between looks at the clock */

static int on_steps(void *arg)
{
    return !store_busy(arg);
}

static void begin_long(struct store *store, const char *doing)
{
    store->progress.doing = doing;
    store->progress.told_at = 0;
    (void)store_busy(&store->progress); /* whoever asks next gives up */
    if (store->progress.tell)
        sqlite3_progress_handler(store->db, STEPS_TOLD, on_steps, &store->progress);
}

static void end_long(struct store *store)
{
    sqlite3_progress_handler(store->db, 0, NULL, NULL);
    store->progress = (struct progress){0};
}

/* ---- before it is used ---------------------------------------------------------- */

/* Is it known to be sound, or looked at beside? What is to be converted, has no log,
 * or was doubted by a life before, is looked at first. */
static int settle_doubt(struct store *store, size_t count, int version, struct err *err)
{
    if (!store->in_doubt)
        return 0;
    if (store->check_fd >= 0
        && version == (int)count) /* odd cells are told as errors */
        return sql_exec(store, "PRAGMA cell_size_check=ON", "opening", err);
    soundness_end(store);
    if (!store->created)
        begin_long(store, "checking the state after a crash");
    return check_structure(store, err);
}

static int use_log(struct store *store, struct err *err)
{
    sqlite3_stmt *stmt = sql_walk(store, "PRAGMA journal_mode=WAL", err);
    int rc, result = 0;

    if (!stmt)
        return -1;
    rc = sql_step(stmt);
    if (rc == SQLITE_ROW && strcmp(sql_column(stmt, 0), "wal") != 0)
        result = err_set(err, ERR_IO,
            "%s: its file system cannot share memory between programs, which the log "
            "needs; keep the file on a local disk",
            store->path);
    return sql_walked(store, stmt, rc, 0, err) != 0 ? -1 : result;
}

/* A file that is about to be converted is kept as FILE.before-VERSION: for who goes
 * back to the release before. Each time that it is tried: the release before may have
 * gone on with it meanwhile. */
static int keep_older(struct store *store, size_t count, int version, struct err *err)
{
    struct strbuf copy = {0};
    int64_t pages, page_bytes;
    int result = 0;

    if (version == 0 || version >= (int)count || store->fleeting)
        return 0;
    if (sql_number(store, "PRAGMA page_count", &pages, err) != 0
        || sql_number(store, "PRAGMA page_size", &page_bytes, err) != 0)
        return -1;
    begin_long(store, "copying the state of an older release");
    strbuf_printf(&copy, "%s.before-%zu", store->path, count);
    if (store_backup(store, copy.text, err) != 0)
        result = err_prefix(err,
            "the state is of an older release (schema %d); before it is converted a "
            "copy of %lld MB is kept beside it: ",
            version, (long long)(pages * page_bytes / 1000000 + 1));
    free(copy.text);
    return result;
}

static int convert_file(struct store *store, const struct migration *list, size_t count,
    int version, struct err *err)
{
    if (keep_older(store, count, version, err) != 0)
        return -1;
    if (version > 0 && version < (int)count)
        begin_long(store, "converting the state to the form of this release");
    return schema_migrate(store, list, count, version, err);
}

static int make_writable(struct store *store, const struct migration *list,
    size_t count, int version, struct err *err)
{
    if (settle_doubt(store, count, version, err) != 0 || use_log(store, err) != 0
        || sql_exec(store, "PRAGMA synchronous=FULL", "opening", err) != 0
        || (store->fleeting
            && sql_exec(store, "PRAGMA synchronous=OFF", "opening", err) != 0)
        || convert_file(store, list, count, version, err) != 0
        || (store->created && store_sync_folder(store->path, err) != 0))
        return -1;
    store->unproven = store->check_fd >= 0;
    return store->unproven ? sql_exec(store, LOG_ALONE, "opening", err)
                           : soundness_trust(store, err);
}

static int disconnect(struct store *store)
{
    for (int i = 0; i < KEPT_COUNT; i++)
        sqlite3_finalize(store->kept[i]);
    for (size_t i = 0; i < store->kept_walks.n; i++) {
        sqlite3_finalize(store->kept_walks.v[i].stmt);
        free(store->kept_walks.v[i].sql);
    }
    vec_fini(&store->kept_walks);
    return sqlite3_close(store->db);
}

static void remove_created(const struct store *store)
{
    static const char *const ends[] = {"", "-wal", "-shm", "-journal"};

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct strbuf name = {0};

        strbuf_printf(&name, "%s%s", store->path, ends[i]);
        unlink(name.text);
        free(name.text);
    }
}

static void abandon(struct store *store)
{
    disconnect(store);
    soundness_end(store);
    if (store->created)
        remove_created(store);
    lockfile_release(store, store->was_closed); /* only as it was before */
    free(store->path);
    free(store);
}

int store_open_schema(const char *path, const struct store_options *options,
    const struct migration *list, size_t count, struct store **store, struct err *err)
{
    const struct store_options usual = {0};
    const struct store_options *use = options ? options : &usual;
    struct store *s;
    char *full = full_name(path);
    int version;

    if (!full)
        return err_set(err, ERR_NOT_FOUND, "%s: %s", path, strerror(errno));
    s = xcalloc(1, sizeof *s);
    *s = (struct store){.path = full,
        .lock_fd = -1,
        .check_fd = -1,
        .read_only = use->read_only,
        .fleeting = use->fleeting,
        .progress = {.tell = use->progress, .arg = use->progress_arg}};
    if ((!s->read_only && lockfile_take(s, err) != 0) || ensure_file(s, err) != 0) {
        abandon(s);
        return -1;
    }
    if (use->check_beside && s->in_doubt && !s->doubted_before && !s->created
        && has_log(s))
        soundness_begin(s);
    if (connect_file(s, use->busy_timeout_ms, err) != 0
        || schema_identify(s, count, &version, err) != 0
        || (!s->read_only && make_writable(s, list, count, version, err) != 0)) {
        abandon(s);
        return -1;
    }
    end_long(s);
    *store = s;
    return 0;
}

int store_open(const char *path, const struct store_options *options,
    struct store **store, struct err *err)
{
    size_t count;
    const struct migration *list = schema_migrations(&count);

    return store_open_schema(path, options, list, count, store, err);
}

void store_close(struct store *store)
{
    bool clean;

    if (!store)
        return;
    store_rollback(store);
    store_idle(store, NULL);
    soundness_end(store);
    clean = disconnect(store) == SQLITE_OK && !store->unproven;
    lockfile_release(store, clean);
    free(store->path);
    free(store);
}
