/* SPDX-License-Identifier: Apache-2.0
 * Accounting rows: one table of columns makes the statements, stores and reads. */
#include "store/account.h"

#include "base/strbuf.h"
#include "store/columns.h"
#include "store/private.h"

#include <stdlib.h>

#define COLUMN(field, type) COLUMN_OF(struct store_account, field, type)

static const struct column list[] = {
    COLUMN(job, COL_TEXT),
    COLUMN(name, COL_TEXT),
    COLUMN(user, COL_TEXT),
    COLUMN(group, COL_TEXT),
    COLUMN(account, COL_TEXT),
    COLUMN(class, COL_TEXT),
    COLUMN(qos, COL_TEXT),
    COLUMN(partition, COL_TEXT),
    COLUMN(state, COL_TEXT),
    COLUMN(submit_at, COL_INT),
    COLUMN(queue_at, COL_INT),
    COLUMN(start_at, COL_INT),
    COLUMN(end_at, COL_INT),
    COLUMN(wclimit_s, COL_INT),
    COLUMN(procs, COL_INT),
    COLUMN(nodes, COL_INT),
    COLUMN(tasks, COL_INT),
    COLUMN(mem_mb, COL_INT),
    COLUMN(cpu_s, COL_REAL),
    COLUMN(exit_status, COL_INT),
    COLUMN(backfilled, COL_BOOL),
    COLUMN(priority, COL_INT),
    COLUMN(hosts, COL_TEXT),
    COLUMN(extra, COL_TEXT),
};

static const struct columns columns = {list, sizeof list / sizeof *list};

static sqlite3_stmt *adding(struct store *store, struct err *err)
{
    struct strbuf sql = {0};
    sqlite3_stmt *stmt;

    if (!store->kept[KEPT_ACCOUNT_ADD]) {
        strbuf_add(&sql, "INSERT INTO account(");
        columns_names(&columns, &sql);
        strbuf_add(&sql, ") VALUES(");
        columns_marks(&columns, &sql);
        strbuf_add(
            &sql, ") ON CONFLICT(job, submit_at) WHERE submit_at > 0 DO UPDATE SET ");
        columns_excluded(&columns, &sql);
        strbuf_add(&sql, " WHERE account.state = 'Vacated'");
    }
    stmt = store_change(store, KEPT_ACCOUNT_ADD, sql.text, err);
    free(sql.text);
    return stmt;
}

static void bind_text(sqlite3_stmt *stmt, int at, const char *text)
{
    sqlite3_bind_text(stmt, at, text != NULL ? text : "", -1, SQLITE_STATIC);
}

/* -1, or how many rows there were: none, where it was trimmed. */
static int put_later_end(
    struct store *store, const struct store_account *row, struct err *err)
{
    uint64_t before = store->batch_changes;
    sqlite3_stmt *stmt = store_change(store, KEPT_ACCOUNT_LATER,
        "UPDATE account SET state = ?1, end_at = ?2, mem_mb = ?3, cpu_s = ?4, "
        "exit_status = ?5 WHERE job = ?6 AND submit_at = ?7 AND submit_at > 0",
        err);

    if (!stmt)
        return -1;
    bind_text(stmt, 1, row->state);
    sqlite3_bind_int64(stmt, 2, row->end_at);
    sqlite3_bind_int64(stmt, 3, row->mem_mb);
    sqlite3_bind_double(stmt, 4, row->cpu_s);
    sqlite3_bind_int64(stmt, 5, row->exit_status);
    bind_text(stmt, 6, row->job);
    sqlite3_bind_int64(stmt, 7, row->submit_at);
    if (store_change_end(store, stmt, err) < 0)
        return -1;
    return store->batch_changes > before;
}

int store_account_add(
    struct store *store, const struct store_account *row, struct err *err)
{
    int known = row->later ? put_later_end(store, row, err) : 0;

    if (known)
        return known < 0 ? -1 : 0;
    sqlite3_stmt *stmt = adding(store, err);

    if (!stmt)
        return -1;
    columns_bind(&columns, stmt, row);
    return store_change_end(store, stmt, err);
}

struct credential {
    const char *column, *wanted; /* NULL = any */
};

/* The credentials a filter asks for, in the order of their parameters. */
#define FILTER_CREDENTIALS(filter)                                                     \
    {                                                                                  \
        {"user", (filter)->user}, {"group", (filter)->group},                          \
            {"account", (filter)->account}, {"class", (filter)->class},                \
            {"qos", (filter)->qos}, {"job", (filter)->job},                            \
    }

/* ?1 to ?3 are the span and the limit, ?4 and on what is wanted of the credentials. */
static void bind_filter(sqlite3_stmt *stmt, const struct store_account_filter *filter)
{
    const struct credential creds[] = FILTER_CREDENTIALS(filter);

    sqlite3_bind_int64(stmt, 1, filter->from_at);
    sqlite3_bind_int64(stmt, 2, filter->to_at ? filter->to_at : INT64_MAX);
    sqlite3_bind_int64(stmt, 3, filter->limit ? filter->limit : -1);
    for (int i = 0; i < (int)(sizeof creds / sizeof *creds); i++)
        if (creds[i].wanted)
            sql_text(stmt, i + 4, creds[i].wanted);
}

static sqlite3_stmt *filtered(
    struct store *store, const struct store_account_filter *filter, struct err *err)
{
    const struct credential creds[] = FILTER_CREDENTIALS(filter);
    const char *order = filter->newest_first ? " DESC" : "";
    struct strbuf sql = {0};
    sqlite3_stmt *stmt;

    strbuf_add(&sql, "SELECT ");
    columns_names(&columns, &sql);
    strbuf_add(&sql, " FROM account WHERE end_at >= ?1 AND end_at < ?2");
    for (int i = 0; i < (int)(sizeof creds / sizeof *creds); i++)
        if (creds[i].wanted)
            strbuf_printf(&sql, " AND \"%s\" = ?%d", creds[i].column, i + 4);
    if (filter->submitted)
        strbuf_add(&sql, " AND submit_at > 0");
    strbuf_printf(&sql, " ORDER BY end_at%s, id%s LIMIT ?3", order, order);
    stmt = sql_walk(store, sql.text, err);
    free(sql.text);
    if (!stmt)
        return NULL;
    bind_filter(stmt, filter);
    return stmt;
}

int store_account_each(struct store *store, const struct store_account_filter *filter,
    store_account_fn *each, void *arg, struct err *err)
{
    sqlite3_stmt *stmt = filtered(store, filter, err);
    int rc = SQLITE_ROW, stop = 0;

    if (!stmt)
        return -1;
    while (stop == 0 && (rc = sql_step(stmt)) == SQLITE_ROW) {
        struct store_account row;

        columns_read(&columns, stmt, &row);
        stop = each(arg, &row);
    }
    return sql_walked(store, stmt, rc, stop, err);
}

/* ---- spans ---- */

/* What ended in the second of the row that was told last, and what before: two
 * questions, as an index finds each, however many ended in one second. */
static const char *const behind[] = {
    "end_at = ?2 AND id < ?10", "end_at >= ?1 AND end_at < ?2"};

static sqlite3_stmt *select_spans(struct store *store,
    const struct store_account_filter *filter, const char *which, struct err *err)
{
    struct strbuf sql = {0};
    sqlite3_stmt *stmt;

    strbuf_printf(&sql,
        "SELECT submit_at, queue_at, start_at, end_at, wclimit_s, procs, id, passes "
        "FROM (SELECT *, 1%s%s%s%s AS passes FROM account WHERE %s AND id <= ?11%s "
        "ORDER BY end_at DESC, id DESC LIMIT ?3)",
        filter->group ? " AND \"group\" = ?5" : "",
        filter->account ? " AND \"account\" = ?6" : "",
        filter->class ? " AND \"class\" = ?7" : "",
        filter->qos ? " AND \"qos\" = ?8" : "", which,
        filter->user ? " AND \"user\" = ?4" : "");
    stmt = sql_walk_kept(store, sql.text, err);
    free(sql.text);
    return stmt;
}

static int begin_spans(struct store *store, const struct store_account_filter *filter,
    struct store_spans *walk, struct err *err)
{
    sqlite3_stmt *stmt = sql_walk_kept(store, "SELECT max(id) FROM account", err);
    int rc;

    if (!stmt)
        return -1;
    *walk = (struct store_spans){
        .end_at = filter->to_at ? filter->to_at : INT64_MAX, .begun = true};
    if ((rc = sql_step(stmt)) == SQLITE_ROW)
        walk->newest = sqlite3_column_int64(stmt, 0);
    return sql_walked(store, stmt, rc, 0, err);
}

static int tell_span(
    sqlite3_stmt *stmt, struct store_spans *walk, store_span_fn *each, void *arg)
{
    struct store_span span = {.submit_at = sqlite3_column_int64(stmt, 0),
        .queue_at = sqlite3_column_int64(stmt, 1),
        .start_at = sqlite3_column_int64(stmt, 2),
        .end_at = sqlite3_column_int64(stmt, 3),
        .wclimit_s = sqlite3_column_int64(stmt, 4),
        .procs = sqlite3_column_int64(stmt, 5)};

    walk->seen++;
    walk->end_at = span.end_at;
    walk->id = sqlite3_column_int64(stmt, 6);
    return sqlite3_column_int(stmt, 7) ? each(arg, &span) : 0;
}

/* Those of one of the questions, until so many have been seen. Returns as a walk does.
 */
static int tell_spans(struct store *store, const struct store_account_filter *part,
    struct store_spans *walk, const char *which, store_span_fn *each, void *arg,
    struct err *err)
{
    sqlite3_stmt *stmt = select_spans(store, part, which, err);
    int rc = SQLITE_ROW, stop = 0;

    if (!stmt)
        return -1;
    bind_filter(stmt, part);
    sqlite3_bind_int64(stmt, 10, walk->id);
    sqlite3_bind_int64(stmt, 11, walk->newest);
    while (stop == 0 && (rc = sql_step(stmt)) == SQLITE_ROW)
        stop = tell_span(stmt, walk, each, arg);
    return sql_walked(store, stmt, rc, stop, err);
}

int store_account_spans(struct store *store, const struct store_account_filter *filter,
    struct store_spans *walk, int64_t rows, store_span_fn *each, void *arg,
    struct err *err)
{
    struct store_account_filter part = *filter;
    int stop = 0;

    if (!walk->begun && begin_spans(store, filter, walk, err) < 0)
        return -1;
    int64_t until = walk->seen + rows;
    if (filter->limit && filter->limit < until)
        until = filter->limit;
    part.to_at = walk->end_at;
    for (int i = 0; i < 2 && stop == 0 && walk->seen < until; i++) {
        part.limit = until - walk->seen;
        stop = tell_spans(store, &part, walk, behind[i], each, arg, err);
    }
    if (stop)
        return stop < 0 ? -1 : 0;
    return walk->seen == until && until != filter->limit;
}
