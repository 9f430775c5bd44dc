/* SPDX-License-Identifier: Apache-2.0
 * The batch of changes, from the first change to its commit. */
#include "store/store.h"

#include "base/strbuf.h"
#include "store/private.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static int64_t now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static bool batch_is_open(const struct store *store)
{
    return !sqlite3_get_autocommit(store->db);
}

static void leave_batch(struct store *store)
{
    sql_rollback(store);
    store->batch_changes = 0;
}

/* The sentence is in `why`; from now on the batch only waits for its end. */
static int spoil(struct store *store, struct err *err)
{
    leave_batch(store);
    store->spoiled = true;
    if (err)
        *err = store->why;
    return -1;
}

static int run_statement(struct store *store, sqlite3_stmt *stmt, const char *doing)
{
    int rc = sql_step(stmt);

    if (rc != SQLITE_DONE)
        sql_fail(store, rc, doing, &store->why);
    sqlite3_reset(stmt);
    return rc;
}

static int open_batch(struct store *store)
{
    sqlite3_stmt *begin;

    if (batch_is_open(store))
        return 0;
    if (store->read_only)
        return err_set(
            &store->why, ERR_DENIED, "%s: opened for reading only", store->path);
    begin = sql_kept(store, KEPT_BEGIN, "BEGIN IMMEDIATE", &store->why);
    return begin && run_statement(store, begin, "beginning to write") == SQLITE_DONE
               ? 0
               : -1;
}

sqlite3_stmt *store_change(
    struct store *store, enum kept which, const char *sql, struct err *err)
{
    sqlite3_stmt *stmt = NULL;

    assert(store->walks == 0);
    if (store->left) {
        err_set(err, ERR_IO, "%s: a copy of the process has left it", store->path);
        return NULL;
    }
    if (!store->spoiled && open_batch(store) == 0)
        stmt = sql_kept(store, which, sql, &store->why);
    if (!stmt)
        spoil(store, err);
    return stmt;
}

int store_change_end(struct store *store, sqlite3_stmt *stmt, struct err *err)
{
    int rc = run_statement(store, stmt, "writing");

    sqlite3_clear_bindings(stmt);
    if (rc != SQLITE_DONE)
        return spoil(store, err);
    store->batch_changes += (uint64_t)sqlite3_changes64(store->db);
    return 0;
}

static int fail_commit(struct store *store, struct err *err)
{
    spoil(store, err);
    store->spoiled = false;
    store->stats.failed_commits++;
    if (store->remnant)
        store->remnant = sql_overwrite(store) != 0;
    return -1;
}

/* Writing on into a file that was removed or replaced would lose everything. */
static bool file_has_gone(struct store *store)
{
    int moved = 0;

    sqlite3_file_control(store->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    if (moved)
        err_set(&store->why, ERR_IO,
            "%s: was moved, removed or replaced while in use; put it back, or restart "
            "the "
            "scheduler",
            store->path);
    return moved != 0;
}

int store_commit(struct store *store, struct err *err)
{
    int64_t begin = now_us(), took;
    sqlite3_stmt *commit;
    int rc;

    assert(store->walks == 0);
    if (store->left)
        return err_set(
            err, ERR_IO, "%s: a copy of the process has left it", store->path);
    if (store->spoiled)
        return fail_commit(store, err);
    if (!batch_is_open(store))
        return 0;
    commit = sql_kept(store, KEPT_COMMIT, "COMMIT", &store->why);
    if (!commit || file_has_gone(store))
        return fail_commit(store, err);
    rc = run_statement(store, commit, "committing");
    if (rc != SQLITE_DONE) {
        store->remnant |= (rc & 0xff) == SQLITE_IOERR;
        return fail_commit(store, err);
    }
    took = now_us() - begin;
    store->remnant = false;
    store->logged = true;
    store->stats.commits++;
    store->stats.changes += store->batch_changes;
    store->batch_changes = 0;
    store->stats.last_commit_us = took;
    if (took > store->stats.longest_commit_us)
        store->stats.longest_commit_us = took;
    return 0;
}

void store_leave(struct store *store)
{
    store->left = true;
}

void store_rollback(struct store *store)
{
    assert(store->walks == 0);
    leave_batch(store);
    store->spoiled = false;
}

bool store_is_spoiled(const struct store *store)
{
    return store->spoiled;
}

static int run_step(
    struct store *store, enum kept which, const char *sql, struct err *err)
{
    sqlite3_stmt *stmt = store_change(store, which, sql, err);

    if (!stmt)
        return -1;
    return run_statement(store, stmt, "writing") == SQLITE_DONE ? 0 : spoil(store, err);
}

int store_step_begin(struct store *store, struct err *err)
{
    return run_step(store, KEPT_STEP_BEGIN, "SAVEPOINT step", err);
}

int store_step_end(struct store *store, bool keep, struct err *err)
{
    if (!keep && run_step(store, KEPT_STEP_UNDO, "ROLLBACK TO step", err) != 0)
        return -1;
    return run_step(store, KEPT_STEP_END, "RELEASE step", err);
}

int store_idle(struct store *store, struct err *err)
{
    int frames = 0, carried = 0, rc;

    assert(store->walks == 0);
    if (batch_is_open(store))
        return 0;
    if (store->remnant)
        store->remnant = sql_overwrite(store) != 0;
    if (!store->logged || store->unproven)
        return 0;
    errno = 0;
    rc = sqlite3_wal_checkpoint_v2(
        store->db, NULL, SQLITE_CHECKPOINT_PASSIVE, &frames, &carried);
    if (rc != SQLITE_OK && rc != SQLITE_BUSY)
        return sql_fail(store, rc, "carrying the log over", err);
    store->logged =
        rc != SQLITE_OK || carried < frames; /* a reader may be in the way */
    return 0;
}

static int64_t file_bytes(const char *path, const char *end)
{
    struct strbuf name = {0};
    struct stat st;
    bool there;

    strbuf_printf(&name, "%s%s", path, end);
    there = stat(name.text, &st) == 0;
    free(name.text);
    return there ? (int64_t)st.st_size : 0;
}

struct store_stats store_stats(const struct store *store)
{
    struct store_stats stats = store->stats;

    stats.file_bytes = file_bytes(store->path, "");
    stats.log_bytes = file_bytes(store->path, "-wal");
    return stats;
}
