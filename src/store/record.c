/* SPDX-License-Identifier: Apache-2.0
 * Records by kind and key, and the journal. */
#include "base/xalloc.h"
#include "store/private.h"

#include <assert.h>
#include <string.h>

int store_put(struct store *store, const char *kind, const char *key, const char *value,
    struct err *err)
{
    sqlite3_stmt *stmt;

    assert(*kind && key && value);
    stmt = store_change(store, KEPT_PUT,
        "INSERT INTO record VALUES(?, ?, ?)"
        " ON CONFLICT DO UPDATE SET value = excluded.value",
        err);
    if (!stmt)
        return -1;
    sql_text(stmt, 1, kind);
    sql_text(stmt, 2, key);
    sql_text(stmt, 3, value);
    return store_change_end(store, stmt, err);
}

int store_delete(
    struct store *store, const char *kind, const char *key, struct err *err)
{
    sqlite3_stmt *stmt = store_change(
        store, KEPT_DELETE, "DELETE FROM record WHERE kind = ? AND key = ?", err);

    if (!stmt)
        return -1;
    sql_text(stmt, 1, kind);
    sql_text(stmt, 2, key);
    return store_change_end(store, stmt, err);
}

int store_get(struct store *store, const char *kind, const char *key, char **value,
    struct err *err)
{
    sqlite3_stmt *stmt = sql_kept(
        store, KEPT_GET, "SELECT value FROM record WHERE kind = ? AND key = ?", err);
    int rc, result = 0;

    *value = NULL;
    if (!stmt)
        return -1;
    sql_text(stmt, 1, kind);
    sql_text(stmt, 2, key);
    rc = sql_step(stmt);
    if (rc == SQLITE_ROW)
        *value = xstrdup(sql_column(stmt, 0));
    else if (rc != SQLITE_DONE)
        result = sql_fail(store, rc, "reading", err);
    sqlite3_reset(stmt);
    sqlite3_clear_bindings(stmt);
    return result;
}

int store_each(struct store *store, const char *kind, store_record_fn *each, void *arg,
    struct err *err)
{
    sqlite3_stmt *stmt = sql_walk(
        store, "SELECT key, value FROM record WHERE kind = ? ORDER BY key", err);
    int rc = SQLITE_ROW, stop = 0;

    if (!stmt)
        return -1;
    sql_text(stmt, 1, kind);
    while (stop == 0 && (rc = sql_step(stmt)) == SQLITE_ROW)
        stop = each(arg, sql_column(stmt, 0), sql_column(stmt, 1));
    return sql_walked(store, stmt, rc, stop, err);
}

int store_journal_add(
    struct store *store, int64_t at, const char *text, int64_t *seq, struct err *err)
{
    sqlite3_stmt *stmt = store_change(
        store, KEPT_JOURNAL_ADD, "INSERT INTO journal(at, text) VALUES(?, ?)", err);

    if (!stmt)
        return -1;
    sqlite3_bind_int64(stmt, 1, at);
    sql_text(stmt, 2, text);
    if (store_change_end(store, stmt, err) != 0)
        return -1;
    if (seq)
        *seq = sqlite3_last_insert_rowid(store->db);
    return 0;
}

int store_journal_each(struct store *store, int64_t first, int64_t last,
    store_event_fn *each, void *arg, struct err *err)
{
    sqlite3_stmt *stmt = sql_walk(store,
        "SELECT seq, at, text FROM journal WHERE seq BETWEEN ? AND ? ORDER BY seq",
        err);
    int rc = SQLITE_ROW, stop = 0;

    if (!stmt)
        return -1;
    sqlite3_bind_int64(stmt, 1, first);
    sqlite3_bind_int64(stmt, 2, last);
    while (stop == 0 && (rc = sql_step(stmt)) == SQLITE_ROW)
        stop = each(arg, sqlite3_column_int64(stmt, 0), sqlite3_column_int64(stmt, 1),
            sql_column(stmt, 2));
    return sql_walked(store, stmt, rc, stop, err);
}

int store_journal_trim(struct store *store, int64_t seq, struct err *err)
{
    sqlite3_stmt *stmt = store_change(
        store, KEPT_JOURNAL_TRIM, "DELETE FROM journal WHERE seq < ?", err);

    if (!stmt)
        return -1;
    sqlite3_bind_int64(stmt, 1, seq);
    return store_change_end(store, stmt, err);
}

int store_journal_size(
    struct store *store, int64_t first, int64_t *bytes, struct err *err)
{
    sqlite3_stmt *stmt = sql_walk(store,
        "SELECT sum(length(CAST(text AS BLOB))) FROM journal WHERE seq >= ?", err);
    int rc;

    *bytes = 0;
    if (!stmt)
        return -1;
    sqlite3_bind_int64(stmt, 1, first);
    rc = sql_step(stmt);
    if (rc == SQLITE_ROW)
        *bytes = sqlite3_column_int64(stmt, 0); /* NULL, where there is none, is 0 */
    return sql_walked(store, stmt, rc == SQLITE_ROW ? SQLITE_DONE : rc, 0, err);
}

int store_journal_last(struct store *store, int64_t *seq, struct err *err)
{
    sqlite3_stmt *stmt = sql_kept(store, KEPT_JOURNAL_LAST,
        "SELECT max(seq) FROM sqlite_sequence WHERE name = 'journal'", err);
    int rc, result = 0;

    if (!stmt)
        return -1;
    rc = sql_step(stmt);
    if (rc == SQLITE_ROW)
        *seq = sqlite3_column_int64(stmt, 0); /* NULL, where there is none, is 0 */
    else
        result = sql_fail(store, rc, "reading", err);
    sqlite3_reset(stmt);
    return result;
}
