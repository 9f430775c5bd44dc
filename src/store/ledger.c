/* SPDX-License-Identifier: Apache-2.0
 * Rows of the ledger, by their columns. */
#include "store/ledger.h"

#include "store/columns.h"
#include "store/private.h"

#include <stdlib.h>
#include <string.h>

#define DAY_S 86400
/* As the index of statements has it. */
#define OWN_PLACES "place IN ('deposit', 'over')"

#define ACCOUNT(field, type) COLUMN_OF(struct ledger_account, field, type)
static const struct column account_list[] = {ACCOUNT(id, COL_INT),
    ACCOUNT(name, COL_TEXT), ACCOUNT(parent, COL_INT), ACCOUNT(overflow, COL_BOOL),
    ACCOUNT(active, COL_BOOL), ACCOUNT(share, COL_INT), ACCOUNT(only, COL_TEXT)};

#define DEPOSIT(field, type) COLUMN_OF(struct ledger_deposit, field, type)
static const struct column deposit_list[] = {DEPOSIT(id, COL_INT),
    DEPOSIT(account, COL_INT), DEPOSIT(txn, COL_INT), DEPOSIT(amount, COL_INT),
    DEPOSIT(credit_limit, COL_INT), DEPOSIT(from_at, COL_INT), DEPOSIT(to_at, COL_INT),
    DEPOSIT(held, COL_INT), DEPOSIT(ended, COL_BOOL), DEPOSIT(label, COL_TEXT),
    DEPOSIT(only, COL_TEXT), DEPOSIT(balance, COL_INT)};

#define TXN(field, type) COLUMN_OF(struct ledger_txn, field, type)
static const struct column txn_list[] = {TXN(id, COL_INT), TXN(at, COL_INT),
    TXN(kind, COL_TEXT), TXN(run, COL_TEXT), TXN(request, COL_TEXT),
    TXN(asked, COL_TEXT), TXN(who, COL_TEXT), TXN(text, COL_TEXT)};

#define LEG(field, type) COLUMN_OF(struct ledger_leg, field, type)
static const struct column leg_list[] = {LEG(txn, COL_INT), LEG(n, COL_INT),
    LEG(place, COL_TEXT), LEG(of, COL_INT), LEG(account, COL_INT), LEG(amount, COL_INT),
    LEG(booked_at, COL_INT)};

#define RUN(field, type) COLUMN_OF(struct ledger_run, field, type)
static const struct column run_list[] = {RUN(run, COL_TEXT), RUN(account, COL_INT),
    RUN(since_at, COL_INT), RUN(until_at, COL_INT), RUN(open, COL_BOOL),
    RUN(most, COL_INT), RUN(rates, COL_TEXT), RUN(charged, COL_INT),
    RUN(refunded, COL_INT), RUN(text, COL_TEXT), RUN(user, COL_TEXT)};

#define LIEN(field, type) COLUMN_OF(struct ledger_lien, field, type)
static const struct column lien_list[] = {LIEN(run, COL_TEXT), LIEN(n, COL_INT),
    LIEN(deposit, COL_INT), LIEN(amount, COL_INT), LIEN(account, COL_INT)};

#define QUOTE(field, type) COLUMN_OF(struct ledger_quote, field, type)
static const struct column quote_list[] = {QUOTE(id, COL_INT), QUOTE(request, COL_TEXT),
    QUOTE(asked, COL_TEXT), QUOTE(account, COL_INT), QUOTE(rates, COL_TEXT),
    QUOTE(amount, COL_INT), QUOTE(until_at, COL_INT), QUOTE(uses, COL_INT),
    QUOTE(job, COL_TEXT), QUOTE(users, COL_TEXT)};

#define COLUMNS(name)                                                                  \
    static const struct columns name = {                                               \
        name##_list, sizeof name##_list / sizeof *name##_list}
COLUMNS(account);
COLUMNS(deposit);
COLUMNS(txn);
COLUMNS(leg);
COLUMNS(run);
COLUMNS(lien);
COLUMNS(quote);

/* Their own columns: a balance is a place's, a lien's account its deposit's, the users
 * of a quote have rows of their own. */
static const struct columns deposit_own = {
    deposit_list, sizeof deposit_list / sizeof *deposit_list - 1};
static const struct columns lien_own = {
    lien_list, sizeof lien_list / sizeof *lien_list - 1};
static const struct columns quote_own = {
    quote_list, sizeof quote_list / sizeof *quote_list - 1};

/* ---- writing -------------------------------------------------------------------- */

struct table {
    const char *name;
    const struct columns *columns;
    enum kept put;
    const char *key; /* a row with the same one is replaced; NULL = there is none */
};

static const struct table accounts = {
    "am_account", &account, KEPT_LEDGER_ACCOUNT, "id"};
static const struct table deposits = {"am_deposit", &deposit_own, KEPT_LEDGER_DEPOSIT};
static const struct table txns = {"am_txn", &txn, KEPT_LEDGER_TXN};
static const struct table legs = {"am_leg", &leg, KEPT_LEDGER_LEG};
static const struct table runs = {"am_run", &run, KEPT_LEDGER_RUN, "run"};
static const struct table quotes = {"am_quote", &quote_own, KEPT_LEDGER_QUOTE, "id"};

static sqlite3_stmt *putting(struct store *s, const struct table *t, struct err *err)
{
    struct strbuf sql = {0};
    sqlite3_stmt *stmt;

    if (!s->kept[t->put]) {
        strbuf_printf(&sql, "INSERT INTO %s(", t->name);
        columns_names(t->columns, &sql);
        strbuf_add(&sql, ") VALUES(");
        columns_marks(t->columns, &sql);
        strbuf_add(&sql, ")");
        if (t->key) {
            strbuf_printf(&sql, " ON CONFLICT(%s) DO UPDATE SET ", t->key);
            columns_excluded(t->columns, &sql);
        }
    }
    stmt = store_change(s, t->put, sql.text, err);
    free(sql.text);
    return stmt;
}

/* `id`: where the row has its number, which is given now if it is 0; NULL. */
static int put(struct store *s, const struct table *t, const void *row, int64_t *id,
    struct err *err)
{
    sqlite3_stmt *stmt = putting(s, t, err);

    if (!stmt)
        return -1;
    columns_bind(t->columns, stmt, row);
    if (id && *id == 0)
        sqlite3_bind_null(stmt, 1);
    if (store_change_end(s, stmt, err) != 0)
        return -1;
    if (id && *id == 0)
        *id = sqlite3_last_insert_rowid(s->db);
    return 0;
}

int ledger_put_account(struct store *s, struct ledger_account *row, struct err *err)
{
    return put(s, &accounts, row, &row->id, err);
}

int ledger_put_quote(struct store *s, struct ledger_quote *row, struct err *err)
{
    return put(s, &quotes, row, &row->id, err);
}

int ledger_put_run(struct store *s, const struct ledger_run *row, struct err *err)
{
    return put(s, &runs, row, NULL, err);
}

int ledger_add_deposit(struct store *s, struct ledger_deposit *row, struct err *err)
{
    return put(s, &deposits, row, &row->id, err);
}

int ledger_add_txn(struct store *s, struct ledger_txn *row, struct err *err)
{
    return put(s, &txns, row, &row->id, err);
}

static int add_to_place(struct store *s, const struct ledger_leg *row, struct err *err)
{
    sqlite3_stmt *stmt = store_change(s, KEPT_LEDGER_PLACE,
        "INSERT INTO am_place VALUES(?, ?, ?) ON CONFLICT(place, \"of\")"
        " DO UPDATE SET balance = balance + excluded.balance",
        err);

    if (!stmt)
        return -1;
    sql_text(stmt, 1, row->place);
    sqlite3_bind_int64(stmt, 2, row->of);
    sqlite3_bind_int64(stmt, 3, row->amount);
    return store_change_end(s, stmt, err);
}

static int add_to_day(struct store *s, const struct ledger_leg *row, struct err *err)
{
    sqlite3_stmt *stmt = store_change(s, KEPT_LEDGER_DAY,
        "INSERT INTO am_day VALUES(?, ?, ?, ?) ON CONFLICT(account, day) DO UPDATE"
        " SET credits = credits + excluded.credits, debits = debits + excluded.debits",
        err);

    if (!stmt)
        return -1;
    sqlite3_bind_int64(stmt, 1, row->account);
    sqlite3_bind_int64(stmt, 2, row->booked_at / DAY_S);
    sqlite3_bind_int64(stmt, 3, row->amount > 0 ? row->amount : 0);
    sqlite3_bind_int64(stmt, 4, row->amount < 0 ? -row->amount : 0);
    return store_change_end(s, stmt, err);
}

int ledger_add_leg(struct store *s, const struct ledger_leg *row, struct err *err)
{
    bool own = strcmp(row->place, "deposit") == 0 || strcmp(row->place, "over") == 0;
    bool used = strcmp(row->place, "usage") == 0;

    return put(s, &legs, row, NULL, err) != 0 || add_to_place(s, row, err) != 0
                   || (own && add_to_day(s, row, err) != 0)
                   || (used && usage_add(s, row, err) != 0)
               ? -1
               : 0;
}

/* A change of the lien of a run on a deposit, with these parameters: run, n, deposit,
 * amount; what a statement does not need it leaves out. */
static int change_lien(struct store *s, enum kept which, const char *sql,
    const struct ledger_lien *row, struct err *err)
{
    sqlite3_stmt *stmt = store_change(s, which, sql, err);

    if (!stmt)
        return -1;
    columns_bind(&lien_own, stmt, row);
    return store_change_end(s, stmt, err);
}

int ledger_hold(struct store *s, const struct ledger_lien *more, struct err *err)
{
    if (change_lien(s, KEPT_LEDGER_LIEN,
            "INSERT INTO am_lien VALUES(?1, ?2, ?3, ?4) ON CONFLICT(run, deposit)"
            " DO UPDATE SET amount = amount + excluded.amount",
            more, err)
            != 0
        || change_lien(s, KEPT_LEDGER_LIEN_GONE,
               "DELETE FROM am_lien WHERE run = ?1 AND deposit = ?3 AND amount = 0",
               more, err)
               != 0)
        return -1;
    return change_lien(s, KEPT_LEDGER_HELD,
        "UPDATE am_deposit SET held = held + ?4 WHERE id = ?3", more, err);
}

int ledger_end_deposit(struct store *s, int64_t id, struct err *err)
{
    sqlite3_stmt *stmt = store_change(
        s, KEPT_LEDGER_END, "UPDATE am_deposit SET ended = 1 WHERE id = ?", err);

    if (!stmt)
        return -1;
    sqlite3_bind_int64(stmt, 1, id);
    return store_change_end(s, stmt, err);
}

/* A change of a quote by two texts. */
static int change_quote(struct store *s, enum kept which, const char *sql,
    int64_t number, const char *job, const char *of_run, struct err *err)
{
    sqlite3_stmt *stmt = store_change(s, which, sql, err);

    if (!stmt)
        return -1;
    sqlite3_bind_int64(stmt, 1, number);
    sql_text(stmt, 2, job);
    sql_text(stmt, 3, of_run);
    return store_change_end(s, stmt, err);
}

int ledger_use_quote(struct store *s, int64_t number, const char *job,
    const char *of_run, struct err *err)
{
    return change_quote(s, KEPT_LEDGER_QUOTE_USE,
        "INSERT INTO am_quote_use VALUES(?1, ?2, ?3)", number,
        job && *job ? job : of_run, of_run, err);
}

int ledger_give_quote_back(struct store *s, const char *of_run, struct err *err)
{
    return change_quote(s, KEPT_LEDGER_QUOTE_BACK,
               "UPDATE am_quote SET uses = uses + 1 WHERE id IN"
               " (SELECT quote FROM am_quote_use WHERE run = ?3)",
               0, NULL, of_run,
               err) != 0
                   || change_quote(s, KEPT_LEDGER_QUOTE_FREE,
                          "DELETE FROM am_quote_use WHERE run = ?3", 0, NULL, of_run,
                          err)
                          != 0
               ? -1
               : 0;
}

/* ---- reading -------------------------------------------------------------------- */

/* One condition of a selection, with its parameter. */
struct condition {
    const char *sql;
    const char *text; /* NULL: the numbers */
    int64_t numbers[3];
    int n;
};
#define CONDITIONS_MAX 8

struct selection {
    struct strbuf sql;
    struct condition v[CONDITIONS_MAX];
    int n;
};

static void want_number(struct selection *q, const char *sql, int64_t number)
{
    if (number != 0)
        q->v[q->n++] = (struct condition){.sql = sql, .numbers = {number}, .n = 1};
}

/* Behind a place in an order of three columns. */
static void want_after(
    struct selection *q, const char *sql, const struct ledger_spot *spot)
{
    if (spot->txn != 0)
        q->v[q->n++] = (struct condition){
            .sql = sql, .numbers = {spot->at, spot->txn, spot->n}, .n = 3};
}

/* Behind the row of that number in an order of two columns, the second of which is the
 * number. */
static void want_behind(struct selection *q, const char *sql, int64_t number)
{
    if (number != 0)
        q->v[q->n++] =
            (struct condition){.sql = sql, .numbers = {number, number}, .n = 2};
}

static void want_text(struct selection *q, const char *sql, const char *text)
{
    if (text)
        q->v[q->n++] = (struct condition){.sql = sql, .text = text};
}

/* SELECT columns FROM `from` WHERE all conditions `order`; NULL on failure. */
static sqlite3_stmt *select_rows(struct store *s, struct selection *q, const char *from,
    const char *order, struct err *err)
{
    sqlite3_stmt *stmt;

    strbuf_printf(&q->sql, " FROM %s", from);
    for (int i = 0; i < q->n; i++)
        strbuf_printf(&q->sql, " %s %s", i ? "AND" : "WHERE", q->v[i].sql);
    strbuf_printf(&q->sql, " %s", order);
    stmt = sql_walk_kept(s, q->sql.text, err);
    for (int i = 0, at = 1; stmt && i < q->n; i++) {
        if (q->v[i].text)
            sql_text(stmt, at++, q->v[i].text);
        for (int k = 0; k < q->v[i].n; k++)
            sqlite3_bind_int64(stmt, at++, q->v[i].numbers[k]);
    }
    free(q->sql.text);
    return stmt;
}

static struct selection select_columns(const struct columns *c)
{
    struct selection q = {0};

    strbuf_add(&q.sql, "SELECT ");
    columns_names(c, &q.sql);
    return q;
}

/* The walk's loop, the same for every kind of row. */
#define EACH(s, stmt, columns, row, each, arg, err)                                    \
    do {                                                                               \
        int rc_ = SQLITE_ROW, stop_ = 0;                                               \
        if (!(stmt))                                                                   \
            return -1;                                                                 \
        while (stop_ == 0 && (rc_ = sql_step(stmt)) == SQLITE_ROW) {                   \
            columns_read((columns), (stmt), &(row));                                   \
            stop_ = (each)((arg), &(row));                                             \
        }                                                                              \
        return sql_walked((s), (stmt), rc_, stop_, (err));                             \
    } while (0)

int ledger_accounts(struct store *s, const struct ledger_which *which,
    ledger_account_fn *each, void *arg, struct err *err)
{
    struct selection q = select_columns(&account);
    struct ledger_account row;
    sqlite3_stmt *stmt;

    want_text(&q, "name = ?", which->name);
    want_number(&q, "id = ?", which->id);
    want_number(&q, "parent = ?", which->parent);
    want_number(&q, "id > ?", which->behind);
    stmt = select_rows(s, &q, "am_account", "ORDER BY id", err);
    EACH(s, stmt, &account, row, each, arg, err);
}

int ledger_deposits(struct store *s, const struct ledger_which *which,
    ledger_deposit_fn *each, void *arg, struct err *err)
{
    struct selection q = select_columns(&deposit);
    struct ledger_deposit row;
    sqlite3_stmt *stmt;

    want_number(&q, "id = ?", which->id);
    want_number(&q, "account = ?", which->account);
    want_number(&q, "txn = ?", which->txn);
    want_number(&q, "NOT ended AND to_at <= ?", which->due_at);
    want_number(&q, "(NOT ended OR held <> 0) AND ?", which->live);
    want_behind(&q,
        "(account, id) > ((SELECT account FROM am_deposit WHERE id = ?), ?)",
        which->behind);
    stmt = select_rows(s, &q,
        "am_deposit CROSS JOIN am_place ON place = 'deposit' AND \"of\" = id",
        which->due_at  ? "ORDER BY to_at, id"
        : which->paged ? "ORDER BY account, id"
                       : "ORDER BY id",
        err);
    EACH(s, stmt, &deposit, row, each, arg, err);
}

int ledger_txns(struct store *s, const struct ledger_which *which, ledger_txn_fn *each,
    void *arg, struct err *err)
{
    struct selection q = select_columns(&txn);
    struct ledger_txn row = {0};
    sqlite3_stmt *stmt;

    want_text(&q, "request <> '' AND request = ?", which->request);
    want_text(&q, "run <> '' AND run = ?", which->run);
    want_number(&q, "id = ?", which->txn);
    stmt = select_rows(s, &q, "am_txn", "ORDER BY id", err);
    EACH(s, stmt, &txn, row, each, arg, err);
}

/* A leg and its transaction are one row of this. */
struct booked {
    struct ledger_leg leg;
    struct ledger_txn txn;
};

static const struct column booked_list[] = {
    {"txn", COL_INT, offsetof(struct booked, leg.txn)},
    {"n", COL_INT, offsetof(struct booked, leg.n)},
    {"place", COL_TEXT, offsetof(struct booked, leg.place)},
    {"of", COL_INT, offsetof(struct booked, leg.of)},
    {"account", COL_INT, offsetof(struct booked, leg.account)},
    {"amount", COL_INT, offsetof(struct booked, leg.amount)},
    {"booked_at", COL_INT, offsetof(struct booked, leg.booked_at)},
    {"id", COL_INT, offsetof(struct booked, txn.id)},
    {"at", COL_INT, offsetof(struct booked, txn.at)},
    {"kind", COL_TEXT, offsetof(struct booked, txn.kind)},
    {"run", COL_TEXT, offsetof(struct booked, txn.run)},
    {"request", COL_TEXT, offsetof(struct booked, txn.request)},
    {"asked", COL_TEXT, offsetof(struct booked, txn.asked)},
    {"who", COL_TEXT, offsetof(struct booked, txn.who)},
    {"text", COL_TEXT, offsetof(struct booked, txn.text)},
    {"user", COL_TEXT, offsetof(struct booked, txn.whose)}};
COLUMNS(booked);

/* CROSS JOIN: by the legs in their order, whatever the planner thinks of sizes. */
#define BOOKED_LEGS(tables)                                                            \
    "am_leg l CROSS JOIN am_txn t ON l.txn = t.id" tables                              \
    " LEFT JOIN am_run r ON r.run = t.run"

/* `request`: what stands in place of that of the transaction. */
static struct selection select_booked(const char *request)
{
    struct selection q = {0};

    strbuf_printf(&q.sql,
        "SELECT l.txn, l.n, place, \"of\", l.account, l.amount, booked_at, t.id, at,"
        " kind, t.run, %s, asked, who, t.text, coalesce(r.\"user\", '')",
        request);
    return q;
}

struct leg_reader {
    ledger_leg_fn *each;
    void *arg;
};

static int on_booked(struct leg_reader *r, const struct booked *row)
{
    return r->each(r->arg, &row->leg, &row->txn);
}

int ledger_legs(struct store *s, const struct ledger_which *which, ledger_leg_fn *each,
    void *arg, struct err *err)
{
    struct leg_reader reader = {each, arg};
    struct selection q = select_booked("request");
    struct booked row;
    sqlite3_stmt *stmt;

    /* the other way round: a run has few transactions */
    want_text(&q, "t.run <> '' AND t.run = ?", which->run);
    stmt = select_rows(s, &q,
        "am_txn t CROSS JOIN am_leg l ON l.txn = t.id"
        " LEFT JOIN am_run r ON r.run = t.run",
        "ORDER BY t.id, l.n", err);
    EACH(s, stmt, &booked, row, on_booked, &reader, err);
}

int ledger_moves(struct store *s, const struct ledger_which *which, ledger_leg_fn *each,
    void *arg, struct err *err)
{
    struct leg_reader reader = {each, arg};
    struct selection q = select_booked("request");
    struct booked row;
    sqlite3_stmt *stmt;

    want_number(&q, OWN_PLACES " AND l.account = ?", which->account);
    want_number(&q, "booked_at >= ?", which->from_at);
    want_number(&q, "booked_at < ?", which->to_at);
    want_after(&q, "(booked_at, l.txn, l.n) > (?, ?, ?)", &which->after);
    stmt = select_rows(s, &q, BOOKED_LEGS(""), "ORDER BY booked_at, l.txn, l.n", err);
    EACH(s, stmt, &booked, row, on_booked, &reader, err);
}

int ledger_since(
    struct store *s, int64_t after, ledger_leg_fn *each, void *arg, struct err *err)
{
    struct leg_reader reader = {each, arg};
    struct selection q = select_booked("a.name");
    struct booked row;
    sqlite3_stmt *stmt;

    /* "+": by the number, not by the index of statements */
    want_number(&q, "+" OWN_PLACES " AND l.txn > ?", after > 0 ? after : -1);
    stmt =
        select_rows(s, &q, BOOKED_LEGS(" CROSS JOIN am_account a ON a.id = l.account"),
            "ORDER BY l.txn, l.n", err);
    EACH(s, stmt, &booked, row, on_booked, &reader, err);
}

/* One row of two sums more. `to` is not part of it. */
static int add_sums(struct store *s, const char *sql, int64_t of_account, int64_t from,
    int64_t to, struct ledger_sums *sum, struct err *err)
{
    sqlite3_stmt *stmt = from < to ? sql_walk_kept(s, sql, err) : NULL;
    int rc;

    if (from >= to)
        return 0;
    if (!stmt)
        return -1;
    sqlite3_bind_int64(stmt, 1, of_account);
    sqlite3_bind_int64(stmt, 2, from);
    sqlite3_bind_int64(stmt, 3, to);
    rc = sql_step(stmt);
    if (rc == SQLITE_ROW) {
        sum->credits += sqlite3_column_int64(stmt, 0);
        sum->debits += sqlite3_column_int64(stmt, 1);
    }
    return sql_walked(s, stmt, rc, 0, err);
}

int ledger_sum_moves(struct store *s, const struct ledger_which *which,
    struct ledger_sums *ret, struct err *err)
{
    static const char days[] =
        "SELECT coalesce(sum(credits), 0), coalesce(sum(debits), 0) FROM am_day"
        " WHERE account = ? AND day >= ? AND day < ?";
    static const char moves[] =
        "SELECT coalesce(sum(max(amount, 0)), 0), coalesce(sum(max(-amount, 0)), 0)"
        " FROM am_leg WHERE " OWN_PLACES " AND account = ? AND booked_at >= ?"
        " AND booked_at < ?";
    int64_t from = which->from_at, to = which->to_at, of = which->account;
    int64_t first = from / DAY_S + (from % DAY_S != 0), last = to / DAY_S;

    *ret = (struct ledger_sums){0};
    if (first >= last)
        return add_sums(s, moves, of, from, to, ret, err);
    return add_sums(s, moves, of, from, first * DAY_S, ret, err) != 0
                   || add_sums(s, days, of, first, last, ret, err) != 0
                   || add_sums(s, moves, of, last * DAY_S, to, ret, err) != 0
               ? -1
               : 0;
}

int ledger_runs(struct store *s, const struct ledger_which *which, ledger_run_fn *each,
    void *arg, struct err *err)
{
    struct selection q = select_columns(&run);
    struct ledger_run row;
    sqlite3_stmt *stmt;

    want_text(&q, "run = ?", which->run);
    want_text(&q, "run >= ? || '.r'", which->job);
    want_text(&q, "run < ? || '.s'", which->job);
    want_number(&q, "open AND ?", which->open);
    /* "+": those that are open are found by their own index, not in the order of all */
    stmt = select_rows(
        s, &q, "am_run", which->open ? "ORDER BY +run" : "ORDER BY run", err);
    EACH(s, stmt, &run, row, each, arg, err);
}

int ledger_liens(struct store *s, const char *of_run, ledger_lien_fn *each, void *arg,
    struct err *err)
{
    struct selection q = select_columns(&lien);
    struct ledger_lien row;
    sqlite3_stmt *stmt;

    want_text(&q, "run = ?", of_run);
    stmt = select_rows(s, &q,
        "am_lien JOIN (SELECT id, account FROM am_deposit) ON deposit = id",
        "ORDER BY run, n", err);
    EACH(s, stmt, &lien, row, each, arg, err);
}

int ledger_quotes(struct store *s, const struct ledger_which *which,
    ledger_quote_fn *each, void *arg, struct err *err)
{
    struct selection q = select_columns(&quote_own);
    struct ledger_quote row;
    sqlite3_stmt *stmt;

    strbuf_add(&q.sql, ", coalesce((SELECT group_concat(job, ' ') FROM"
                       " (SELECT u.job FROM am_quote_use u WHERE quote = id"
                       "  ORDER BY u.job)), '')");
    want_number(&q, "id = ?", which->id);
    want_text(&q, "request <> '' AND request = ?", which->request);
    want_number(&q, "uses > 0 AND until_at > ?", which->good_at);
    want_number(&q, "until_at > ?", which->kept_at);
    want_behind(&q,
        "(until_at, id) > ((SELECT until_at FROM am_quote WHERE id = ?), ?)",
        which->behind);
    /* "+": by their end, as deposits that are due */
    stmt = select_rows(s, &q, "am_quote",
        which->paged                       ? "ORDER BY until_at, id"
        : which->good_at || which->kept_at ? "ORDER BY +id"
                                           : "ORDER BY id",
        err);
    EACH(s, stmt, &quote, row, each, arg, err);
}

int ledger_balance(
    struct store *s, const char *place, int64_t of, int64_t *balance, struct err *err)
{
    sqlite3_stmt *stmt = sql_walk_kept(
        s, "SELECT balance FROM am_place WHERE place = ? AND \"of\" = ?", err);

    if (!stmt)
        return -1;
    sql_text(stmt, 1, place);
    sqlite3_bind_int64(stmt, 2, of);
    return sql_first_number(s, stmt, balance, err);
}

int ledger_day_most(
    struct store *s, const struct ledger_leg *row, int64_t *ret, struct err *err)
{
    bool used = strcmp(row->place, "usage") == 0;
    sqlite3_stmt *stmt;

    *ret = 0;
    if (!used && strcmp(row->place, "deposit") != 0 && strcmp(row->place, "over") != 0)
        return 0;
    stmt = sql_walk_kept(s,
        used ? "SELECT max(u.charged, u.refunded) FROM am_txn t"
               " CROSS JOIN am_run r ON r.run = t.run CROSS JOIN am_usage u"
               " ON u.account = ?1 AND u.day = ?2 AND u.\"user\" = r.\"user\""
               " WHERE t.id = ?3"
             : "SELECT max(credits, debits) FROM am_day"
               " WHERE account = ?1 AND day = ?2 AND ?3",
        err);
    if (!stmt)
        return -1;
    sqlite3_bind_int64(stmt, 1, row->account);
    sqlite3_bind_int64(stmt, 2, row->booked_at / DAY_S);
    sqlite3_bind_int64(stmt, 3, row->txn);
    return sql_first_number(s, stmt, ret, err);
}

int ledger_debts(struct store *s, int64_t of_account, int64_t *debts, struct err *err)
{
    sqlite3_stmt *stmt = sql_walk_kept(s,
        "SELECT coalesce(sum(balance), 0) FROM am_place CROSS JOIN am_deposit"
        " ON id = \"of\" WHERE place = 'deposit' AND balance < 0 AND ended"
        " AND account = ?",
        err);

    if (!stmt)
        return -1;
    sqlite3_bind_int64(stmt, 1, of_account);
    return sql_first_number(s, stmt, debts, err);
}

int ledger_runs_on(
    struct store *s, const int64_t *list, size_t n, int64_t *number, struct err *err)
{
    struct strbuf sql = {0};
    sqlite3_stmt *stmt;

    strbuf_add(&sql, "SELECT count(DISTINCT run) FROM am_lien WHERE deposit IN (");
    for (size_t i = 0; i < n; i++)
        strbuf_printf(&sql, "%s%lld", i ? "," : "", (long long)list[i]);
    strbuf_add(&sql, ")");
    stmt = sql_walk(s, sql.text, err);
    free(sql.text);
    return stmt ? sql_first_number(s, stmt, number, err) : -1;
}

int ledger_size(struct store *s, struct ledger_size *size, struct err *err)
{
    const struct {
        const char *sql;
        int64_t *number;
    } counts[] = {{"SELECT count(*) FROM am_account", &size->accounts},
        {"SELECT count(*) FROM am_deposit", &size->deposits},
        {"SELECT count(*) FROM am_txn", &size->transactions},
        {"SELECT count(*) FROM am_run WHERE open", &size->open_runs}};

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (sql_number(s, counts[i].sql, counts[i].number, err) != 0)
            return -1;
    return 0;
}
