/* SPDX-License-Identifier: Apache-2.0
 * Who used how much: kept as the sums of each user's days, and told in turns. */
#include "base/names.h"
#include "base/turnsort.h"
#include "store/ledger.h"
#include "store/private.h"

#include <stdlib.h>
#include <string.h>

#define DAY_S    86400
#define LAST_DAY (INT64_MAX / DAY_S) /* its seconds still fit */

/* Is transaction `t` the first by which its run used something? */
#define FIRST_OF_RUN                                                                   \
    "NOT EXISTS (SELECT 1 FROM am_txn f CROSS JOIN am_leg g ON g.txn = f.id"           \
    " WHERE f.run <> '' AND f.run = t.run AND f.id < t.id AND +g.place = 'usage')"

/* The run of the transaction has its row already. `runs` counts it where this is the
 * first that it was charged. */
int usage_add(struct store *s, const struct ledger_leg *row, struct err *err)
{
    sqlite3_stmt *stmt = store_change(s, KEPT_LEDGER_USAGE,
        "INSERT INTO am_usage SELECT ?1, ?2, \"user\","
        " CASE kind WHEN 'refund' THEN 0 ELSE ?3 END,"
        " CASE kind WHEN 'refund' THEN -?3 ELSE 0 END,"
        " " FIRST_OF_RUN ", t.id"
        " FROM am_txn t JOIN am_run r ON r.run = t.run WHERE t.id = ?4"
        " ON CONFLICT(account, day, \"user\") DO UPDATE SET"
        " charged = charged + excluded.charged,"
        " refunded = refunded + excluded.refunded, runs = runs + excluded.runs,"
        " last = max(last, excluded.last)",
        err);

    if (!stmt)
        return -1;
    sqlite3_bind_int64(stmt, 1, row->account);
    sqlite3_bind_int64(stmt, 2, row->booked_at / DAY_S);
    sqlite3_bind_int64(stmt, 3, row->amount);
    sqlite3_bind_int64(stmt, 4, row->txn);
    return store_change_end(s, stmt, err);
}

/* ---- of an account, in turns ------------------------------------------------------
 */

/* Days as they are written down lie between two parts of days, which are of legs. */
enum stage { PART_BEFORE, DAYS, PART_BEHIND, GATHER, SORT, TOLD };

struct ledger_usage_walk {
    int64_t account, from, to;
    int64_t first, last; /* whole days; `last` is not one of them */
    char *only;          /* of one user; NULL = of all */
    enum stage stage;
    struct ledger_spot spot; /* of legs: told so far; `at` of days: the day */
    char *user;              /* of that day, told so far; NULL = none */
    int64_t booked;          /* the newest transaction then; -1 = nothing is told */
    struct names *names;
    struct VEC(struct ledger_usage) sums; /* by those */
    struct turnsort *sorted;
    size_t gathered;
};

struct ledger_usage_walk *ledger_usage_begin(
    const struct ledger_which *which, const char *user)
{
    struct ledger_usage_walk *w = xcalloc(1, sizeof *w);
    int64_t ever = LAST_DAY * DAY_S;

    w->account = which->account;
    w->only = user ? xstrdup(user) : NULL;
    w->from = which->from_at < ever ? which->from_at : ever;
    w->to = which->to_at ? which->to_at : ever;
    w->first = w->from / DAY_S + (w->from % DAY_S != 0);
    w->last = w->to / DAY_S;
    if (w->first > w->last) /* no whole day: all of it is before the first */
        w->last = w->first;
    w->spot.at = w->from;
    w->booked = -1;
    w->names = names_create();
    return w;
}

void ledger_usage_end(struct ledger_usage_walk *w)
{
    if (!w)
        return;
    names_destroy(w->names);
    turnsort_free(w->sorted);
    vec_fini(&w->sums);
    free(w->only);
    free(w->user);
    free(w);
}

static int add_whole(int64_t *sum, int64_t more, struct err *err)
{
    return __builtin_add_overflow(*sum, more, sum) ? err_set(err, ERR_CONFLICT,
               "what was used comes to more than can be told; ask for less time")
                                                   : 0;
}

static int add_up(
    struct ledger_usage_walk *w, const struct ledger_usage *row, struct err *err)
{
    uint32_t id;
    struct ledger_usage *sum;

    if (w->only && strcmp(row->user, w->only) != 0)
        return 0;
    id = names_intern(w->names, row->user);
    if (id == w->sums.n)
        vec_push(&w->sums,
            ((struct ledger_usage){.account = "", .user = names_text(w->names, id)}));
    sum = &w->sums.v[id];
    sum->runs += row->runs;
    sum->last = row->last > sum->last ? row->last : sum->last;
    return add_whole(&sum->charged, row->charged, err) != 0
                   || add_whole(&sum->refunded, row->refunded, err) != 0
               ? -1
               : 0;
}

static struct ledger_usage read_usage(sqlite3_stmt *stmt)
{
    return (struct ledger_usage){.account = sql_column(stmt, 0),
        .user = sql_column(stmt, 1),
        .charged = sqlite3_column_int64(stmt, 2),
        .refunded = sqlite3_column_int64(stmt, 3),
        .runs = sqlite3_column_int64(stmt, 4),
        .last = sqlite3_column_int64(stmt, 5)};
}

/* How legs are found comes behind it. */
#define USAGE_OF_LEGS                                                                  \
    "\"user\", CASE kind WHEN 'refund' THEN 0 ELSE l.amount END AS charged,"           \
    " CASE kind WHEN 'refund' THEN -l.amount ELSE 0 END AS refunded,"                  \
    " " FIRST_OF_RUN " AS runs,"                                                       \
    " t.id AS last, booked_at, l.n FROM am_leg l CROSS JOIN am_txn t ON t.id = l.txn"  \
    " CROSS JOIN am_run r ON r.run = t.run WHERE "

/* Of days n is nothing. */
static struct ledger_spot read_spot(sqlite3_stmt *stmt)
{
    return (struct ledger_spot){sqlite3_column_int64(stmt, 6),
        sqlite3_column_int64(stmt, 5), sqlite3_column_int64(stmt, 7)};
}

static bool is_behind(const struct ledger_spot *a, const struct ledger_spot *b)
{
    if (a->at != b->at)
        return a->at > b->at;
    return a->txn != b->txn ? a->txn > b->txn : a->n > b->n;
}

/* Is that leg part of what the walk has come past? */
static bool is_past(
    const struct ledger_usage_walk *w, const struct ledger_spot *leg, const char *user)
{
    int64_t day = leg->at / DAY_S;

    if (leg->at < w->first * DAY_S)
        return w->stage > PART_BEFORE || !is_behind(leg, &w->spot);
    if (day >= w->last)
        return w->stage == PART_BEHIND && !is_behind(leg, &w->spot);
    if (w->stage != DAYS)
        return w->stage > DAYS;
    return day < w->spot.at
           || (day == w->spot.at && w->user && strcmp(user, w->user) <= 0);
}

/* What was booked since the last turn, where the walk has been: in all parts it is as
 * of this turn. */
static int add_late(struct store *s, struct ledger_usage_walk *w, struct err *err)
{
    static const char legs[] =
        "SELECT '', " USAGE_OF_LEGS "+l.place = 'usage' AND l.txn > ?1"
        " AND +l.account = ?2 AND booked_at >= ?3 AND booked_at < ?4";
    sqlite3_stmt *stmt;
    int64_t newest;
    int rc = SQLITE_ROW, failed = 0;

    if (sql_number(s, "SELECT coalesce(max(id), 0) FROM am_txn", &newest, err) != 0)
        return -1;
    if (w->booked >= 0 && newest > w->booked) {
        stmt = sql_walk_kept(s, legs, err);
        if (!stmt)
            return -1;
        sqlite3_bind_int64(stmt, 1, w->booked);
        sqlite3_bind_int64(stmt, 2, w->account);
        sqlite3_bind_int64(stmt, 3, w->from);
        sqlite3_bind_int64(stmt, 4, w->to);
        while (failed == 0 && (rc = sql_step(stmt)) == SQLITE_ROW) {
            const struct ledger_usage row = read_usage(stmt);
            const struct ledger_spot leg = read_spot(stmt);
            if (is_past(w, &leg, row.user))
                failed = add_up(w, &row, err);
        }
        if (sql_walked(s, stmt, rc, failed != 0, err) != 0)
            return -1;
    }
    w->booked = newest;
    return 0;
}

static sqlite3_stmt *select_days(
    struct store *s, const struct ledger_usage_walk *w, int64_t rows, struct err *err)
{
    sqlite3_stmt *stmt = sql_walk_kept(s,
        "SELECT '', \"user\", charged, refunded, runs, last, day, 0 FROM am_usage"
        " WHERE account = ?1 AND day < ?2 AND (day, \"user\") > (?3, ?4)"
        " ORDER BY day, \"user\" LIMIT ?5",
        err);

    if (!stmt)
        return NULL;
    sqlite3_bind_int64(stmt, 1, w->account);
    sqlite3_bind_int64(stmt, 2, w->last);
    sqlite3_bind_int64(stmt, 3, w->spot.at);
    if (w->user)
        sql_text(stmt, 4, w->user);
    else
        sqlite3_bind_zeroblob(stmt, 4, 0); /* behind all texts */
    sqlite3_bind_int64(stmt, 5, rows);
    return stmt;
}

static sqlite3_stmt *select_part(
    struct store *s, const struct ledger_usage_walk *w, int64_t rows, struct err *err)
{
    static const char legs[] =
        "SELECT '', " USAGE_OF_LEGS "l.place = 'usage' AND l.account = ?1"
        " AND booked_at < ?2"
        " AND (booked_at, l.txn, l.n) > (?3, ?4, ?5)"
        " ORDER BY booked_at, l.txn, l.n LIMIT ?6";
    int64_t first = w->first * DAY_S;
    sqlite3_stmt *stmt = sql_walk_kept(s, legs, err);

    if (!stmt)
        return NULL;
    sqlite3_bind_int64(stmt, 1, w->account);
    sqlite3_bind_int64(
        stmt, 2, w->stage == PART_BEFORE && first < w->to ? first : w->to);
    sqlite3_bind_int64(stmt, 3, w->spot.at);
    sqlite3_bind_int64(stmt, 4, w->spot.txn);
    sqlite3_bind_int64(stmt, 5, w->spot.n);
    sqlite3_bind_int64(stmt, 6, rows);
    return stmt;
}

static void keep_spot(struct ledger_usage_walk *w, sqlite3_stmt *stmt, const char *user)
{
    bool same = w->user && strcmp(user, w->user) == 0;

    w->spot = read_spot(stmt);
    if (w->stage == DAYS && !same) {
        free(w->user);
        w->user = xstrdup(user);
    }
}

static int compare_users(const void *a, const void *b, void *ctx)
{
    const struct ledger_usage *x = a, *y = b;

    (void)ctx;
    return strcmp(x->user, y->user);
}

static void begin_stage(struct ledger_usage_walk *w)
{
    int64_t at = w->last * DAY_S;

    w->stage++;
    w->spot = (struct ledger_spot){0};
    if (w->stage == DAYS)
        w->spot.at = w->first - 1;
    if (w->stage == PART_BEHIND)
        w->spot.at = at > w->from ? at : w->from;
    if (w->stage == GATHER)
        w->sorted = turnsort_new(sizeof *w->sums.v, compare_users, NULL);
}

/* 1: there may be more of all parts. */
static int add_some(
    struct store *s, struct ledger_usage_walk *w, int64_t rows, struct err *err)
{
    sqlite3_stmt *stmt =
        w->stage == DAYS ? select_days(s, w, rows, err) : select_part(s, w, rows, err);
    int rc = SQLITE_ROW, failed = 0;
    int64_t n = 0;

    if (!stmt)
        return -1;
    while (failed == 0 && (rc = sql_step(stmt)) == SQLITE_ROW) {
        const struct ledger_usage row = read_usage(stmt);
        failed = add_up(w, &row, err);
        if (++n == rows)
            keep_spot(w, stmt, row.user);
    }
    if (sql_walked(s, stmt, rc, failed != 0, err) != 0)
        return -1;
    if (n < rows)
        begin_stage(w);
    return 1;
}

static void gather_some(struct ledger_usage_walk *w, int64_t rows)
{
    for (; rows > 0 && w->gathered < w->sums.n; rows--)
        turnsort_add(w->sorted, &w->sums.v[w->gathered++]);
    if (w->gathered == w->sums.n)
        w->stage = SORT;
}

int ledger_usage_some(
    struct store *s, struct ledger_usage_walk *w, int64_t rows, struct err *err)
{
    if (w->stage < GATHER)
        return add_late(s, w, err) != 0 ? -1 : add_some(s, w, rows, err);
    if (w->stage == GATHER)
        gather_some(w, rows);
    else if (w->stage == SORT && !turnsort_more(w->sorted, (size_t)rows))
        w->stage = TOLD;
    return w->stage < TOLD;
}

const struct ledger_usage *ledger_usage_rows(
    const struct ledger_usage_walk *w, size_t *ret_n)
{
    return turnsort_items(w->sorted, ret_n);
}

/* ---- of all accounts, behind a transaction ----------------------------------------
 */

#define USAGE_SUMS "\"user\", sum(charged), sum(refunded), sum(runs), max(last)"

/* "+": by the number, one walk for all accounts. */
static const char usage_since[] =
    "SELECT (SELECT name FROM am_account WHERE id = payer), " USAGE_SUMS
    " FROM (SELECT l.account AS payer, " USAGE_OF_LEGS "+l.place = 'usage'"
    "  AND l.txn > ?1 AND l.txn <= ?4 AND booked_at >= ?2 AND booked_at < ?3"
    ") GROUP BY payer, \"user\" ORDER BY payer, \"user\"";

static int each_usage(struct store *s, sqlite3_stmt *stmt, ledger_usage_fn *each,
    void *arg, struct err *err)
{
    int rc = SQLITE_ROW, stop = 0;

    while (stop == 0 && (rc = sql_step(stmt)) == SQLITE_ROW) {
        const struct ledger_usage row = read_usage(stmt);
        stop = each(arg, &row);
    }
    return sql_walked(s, stmt, rc, stop, err);
}

/* The transaction with which `most` legs are looked at; 0 = there are not as many. */
static int find_last(
    struct store *s, int64_t after, int64_t most, int64_t *ret, struct err *err)
{
    sqlite3_stmt *stmt = sql_walk_kept(s,
        "SELECT txn FROM am_leg WHERE txn > ?1 ORDER BY txn, n LIMIT 1 OFFSET ?2", err);

    if (!stmt)
        return -1;
    sqlite3_bind_int64(stmt, 1, after);
    sqlite3_bind_int64(stmt, 2, most - 1);
    return sql_first_number(s, stmt, ret, err);
}

int ledger_usage_since(struct store *s, const struct ledger_which *which, int64_t most,
    int64_t *ret_next, ledger_usage_fn *each, void *arg, struct err *err)
{
    int64_t last;
    sqlite3_stmt *stmt;

    if (find_last(s, which->txn, most, &last, err) != 0
        || (last && find_last(s, last, 1, ret_next, err) != 0))
        return -1;
    *ret_next = last && *ret_next ? last : 0;
    stmt = sql_walk_kept(s, usage_since, err);
    if (!stmt)
        return -1;
    sqlite3_bind_int64(stmt, 1, which->txn);
    sqlite3_bind_int64(stmt, 2, which->from_at);
    sqlite3_bind_int64(stmt, 3, which->to_at ? which->to_at : INT64_MAX);
    sqlite3_bind_int64(stmt, 4, *ret_next ? *ret_next : INT64_MAX);
    return each_usage(s, stmt, each, arg, err);
}
