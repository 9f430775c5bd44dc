/* SPDX-License-Identifier: Apache-2.0
 * Who used how much: by days as they are written down, by charges, and in a file that
 * an older release has written. */
#include "kit.h"

#define DAY 86400

struct sums {
    char text[600];
};

static int add_user(void *arg, const struct ledger_usage *row)
{
    struct sums *s = arg;
    size_t n = strlen(s->text);

    snprintf(s->text + n, sizeof s->text - n, "%s:%lld-%lld in %lld until %lld;",
        row->user, (long long)row->charged, (long long)row->refunded,
        (long long)row->runs, (long long)row->last);
    return 0;
}

static struct sums usage(struct bank *b, int64_t from, int64_t to)
{
    const struct ledger_which which = {.account = 1, .from_at = from, .to_at = to};
    struct sums s = {""};

    bank_usage_in_turns(b, &which, 3, NULL, add_user, &s);
    return s;
}

static int add_payer(void *arg, const struct ledger_usage *row)
{
    struct sums *s = arg;
    size_t n = strlen(s->text);

    snprintf(s->text + n, sizeof s->text - n, "%s/", row->account);
    return add_user(arg, row);
}

/* Of so many legs behind a transaction. */
static struct sums used_since(
    struct bank *b, int64_t txn, int64_t most, int64_t *ret_next)
{
    const struct ledger_which which = {.txn = txn};
    struct sums s = {""};

    assert_int_equal(ledger_usage_since(
                         b->kit->store, &which, most, ret_next, add_payer, &s, &b->err),
        0);
    return s;
}

static void begin_of(struct bank *b, const char *run, const char *user, int64_t most)
{
    const struct am_lien l = {.run = run,
        .account = "chem",
        .use = {.user = user},
        .most = most,
        .at = b->now,
        .until_at = b->now + 60};

    bank_expect(b, am_lien(&b->am, &l, NULL, &b->err), AM_DONE);
}

/* Of whoever: a run that was told with its user stays that one's. */
static void charged(
    struct bank *b, const char *run, int64_t at, int64_t total, bool over)
{
    const struct am_charge c = {.run = run, .total = total, .at = at, .over = over};

    b->now = at;
    bank_expect(b, am_charge(&b->am, &c, &b->err), AM_DONE);
}

/* Runs of two users over some days, one in several debits, one given back. */
static void begin(struct bank *b)
{
    account(b, "chem");
    deposit(b, "chem", CREDITS(1000), AM_EVER);
    b->now = DAY - 100;
    begin_of(b, "1.0", "ann", 500);
    begin_of(b, "2.0", "bob", 500);
    charged(b, "1.0", DAY - 10, 100, false);
    charged(b, "1.0", DAY + 10, 150, false);
    charged(b, "2.0", DAY + 20, 40, true);
    charged(b, "1.0", 3 * DAY + 5, 120, true); /* corrected downwards */
    b->now = 3 * DAY + 50;
    refund(b, "2.0", 15);
}

static void sums_of_days_are_those_of_charges(void **state)
{
    struct bank *b = *state;
    static const struct {
        int64_t from, to;
        const char *told;
    } rows[] = {
        {0, 0, "ann:120-0 in 1 until 5;bob:40-15 in 1 until 6;"},
        {0, DAY, "ann:100-0 in 1 until 2;"},
        {DAY, 3 * DAY, "ann:50-0 in 0 until 3;bob:40-0 in 1 until 4;"},
        {DAY + 10, DAY + 11, "ann:50-0 in 0 until 3;"},
        {DAY - 10, 3 * DAY + 6, "ann:120-0 in 1 until 5;bob:40-0 in 1 until 4;"},
        {DAY - 9, 3 * DAY + 5, "ann:50-0 in 0 until 3;bob:40-0 in 1 until 4;"},
        {3 * DAY + 6, INT64_MAX, "bob:0-15 in 0 until 6;"},
        {4 * DAY, 0, ""},
        {DAY + 5, DAY + 5, ""},
    };

    begin(b);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(usage(b, rows[i].from, rows[i].to).text, rows[i].told);
}

/* All accounts at once, in pages that end with a whole transaction. */
static void what_was_used_since_is_told_in_pages(void **state)
{
    struct bank *b = *state;
    int64_t next = 99;

    begin(b);
    account(b, "bio");
    charge_so_far(b, "9.0", "bio", 7, true);
    assert_string_equal(used_since(b, 3, 100, &next).text,
        "chem/ann:-30-0 in 0 until 5;chem/bob:40-15 in 1 until 6;"
        "bio/:7-0 in 1 until 7;");
    assert_int_equal(next, 0);
    assert_string_equal(used_since(b, 3, 3, &next).text,
        "chem/ann:-30-0 in 0 until 5;chem/bob:40-0 in 1 until 4;");
    assert_int_equal(next, 5);
    assert_string_equal(used_since(b, next, 3, &next).text,
        "chem/bob:0-15 in 0 until 6;bio/:7-0 in 1 until 7;");
    assert_int_equal(next, 0);
    assert_string_equal(used_since(b, 99, 1, &next).text, "");
    assert_int_equal(next, 0);
}

static void a_file_of_schema_5_gets_the_same_days(void **state)
{
    static const char back[] =
        "DROP TABLE am_usage; DROP TABLE am_quote_use; DROP INDEX am_quote_until;"
        "CREATE INDEX am_quote_good ON am_quote(until_at) WHERE uses > 0;"
        "ALTER TABLE am_run DROP COLUMN \"user\"; PRAGMA user_version = 5";
    const struct store_options fleeting = {.fleeting = true};
    struct bank *b = *state;
    struct sums before;

    begin(b);
    /* who was charged told whose run it is, then */
    assert_int_equal(sql_exec(b->kit->store,
                         "DROP TRIGGER am_txn_stays; UPDATE am_txn SET who ="
                         " (SELECT \"user\" FROM am_run r WHERE r.run = am_txn.run)"
                         " WHERE kind = 'charge';"
                         "CREATE TRIGGER am_txn_stays BEFORE UPDATE ON am_txn"
                         " BEGIN SELECT raise(ABORT, 'a transaction is never changed');"
                         " END;",
                         "", &b->err),
        0);
    before = usage(b, 0, 0);
    assert_int_equal(store_commit(b->kit->store, &b->err), 0);
    assert_int_equal(sql_exec(b->kit->store, back, "", &b->err), 0);
    store_close(b->kit->store);
    if (store_open(b->kit->path, &fleeting, &b->kit->store, &b->err) != 0)
        fail_msg("%s", b->err.text);
    am_init(&b->am, b->kit->store);
    bank_check(b);
    assert_string_equal(usage(b, 0, 0).text, before.text);
    assert_string_equal(usage(b, 0, DAY).text, "ann:100-0 in 1 until 2;");
}

/* It ran when a release that knew no users wrote it. */
static void a_run_without_a_user_is_of_who_is_charged_first(void **state)
{
    struct bank *b = *state;
    struct am_charge c = {
        .run = "1.0", .use = {.user = "ann"}, .total = 10, .at = 50, .over = false};

    account(b, "chem");
    deposit(b, "chem", CREDITS(1000), AM_EVER);
    begin_of(b, "1.0", NULL, 500);
    bank_expect(b, am_charge(&b->am, &c, &b->err), AM_DONE);
    c.use.user = "bob";
    c.total = 20;
    bank_expect(b, am_charge(&b->am, &c, &b->err), AM_DONE);
    assert_string_equal(usage(b, 0, 0).text, "ann:20-0 in 1 until 3;");
}

static int count_steps(void *arg)
{
    ++*(int64_t *)arg;
    return 0;
}

static int count_some(
    void *arg, const struct ledger_leg *leg, const struct ledger_txn *of)
{
    (void)leg;
    (void)of;
    return ++*(int *)arg == 5;
}

/* In steps of SQLite's machine, with so many runs in the ledger. */
static void cost(
    struct bank *b, int *runs, int up_to, int64_t *ret_usage, int64_t *ret_since)
{
    const struct ledger_which all = {.account = 1}, since = {.txn = 10};
    sqlite3 *db = b->kit->store->db;
    struct sums s = {""};
    int64_t next;
    int moves = 0;
    char run[20];

    for (; *runs < up_to; ++*runs) {
        const struct am_charge c = {.run = run,
            .account = "chem",
            .use = {.user = "ann"},
            .total = 1,
            .at = b->now,
            .over = true};
        snprintf(run, sizeof run, "%d.0", *runs);
        assert_int_equal(am_charge(&b->am, &c, &b->err), AM_DONE);
    }
    *ret_usage = *ret_since = 0;
    sqlite3_progress_handler(db, 1, count_steps, ret_usage);
    bank_usage_in_turns(b, &all, 100, NULL, add_user, &s);
    sqlite3_progress_handler(db, 1, count_steps, ret_since);
    assert_int_equal(ledger_since(b->kit->store, 10, count_some, &moves, &b->err), 1);
    assert_int_equal(
        ledger_usage_since(b->kit->store, &since, 8, &next, add_user, &s, &b->err), 0);
    assert_true(next > 10);
    sqlite3_progress_handler(db, 0, NULL, NULL);
}

static void usage_and_moves_cost_what_is_told_not_what_there_is(void **state)
{
    int64_t usage_few, since_few, usage_many, since_many;
    struct bank *b = *state;
    int runs = 0;

    account(b, "chem");
    cost(b, &runs, 100, &usage_few, &since_few);
    cost(b, &runs, 1600, &usage_many, &since_many);
    assert_true(usage_many < usage_few + 20);
    assert_true(since_many < since_few + 20);
}

/* ---- in turns ---------------------------------------------------------------------
 */

/* What is booked between turns, one a turn, and what there was at the end of each. */
static int late;
static struct sums stood[100];
static const struct ledger_which *asked;

static void book_late(struct bank *b)
{
    static const char *const runs[] = {"1.0", "2.0", "3.0", "4.0", "5.0", "6.0"};
    static const int64_t at[] = {4 * DAY + 20, DAY + 9, 20, 2 * DAY, 3 * DAY + 7, 5};
    size_t i = (size_t)late % 6;
    struct am_charge c = {.run = runs[i],
        .account = "chem",
        .use = {.user = i % 2 ? "bob" : "ann"},
        .total = 200 + late,
        .at = at[i]};

    stood[late++] = usage(b, asked->from_at, asked->to_at);
    bank_expect(b, am_charge(&b->am, &c, &b->err), AM_DONE);
}

/* However it is cut, and whatever is booked meanwhile in days that it has come past or
 * not: all of it is as of one turn. */
static void what_is_booked_between_turns_is_counted_once(void **state)
{
    static const struct {
        int64_t from, to;
    } times[] = {{0, 0}, {10, 4 * DAY + 30}, {DAY + 10, 4 * DAY}, {15, 25}};
    struct bank *b = *state;

    begin(b);
    for (int64_t rows = 1; rows <= 4; rows++)
        for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
            const struct ledger_which which = {
                .account = 1, .from_at = times[i].from, .to_at = times[i].to};
            struct sums s = {""};
            int turn;
            late = 0;
            asked = &which;
            bank_usage_in_turns(b, &which, rows, book_late, add_user, &s);
            for (turn = 0; turn < late && strcmp(s.text, stood[turn].text) != 0;)
                turn++;
            if (turn == late)
                fail_msg("%d rows a turn, time %zu: '%s' stood at no time", (int)rows,
                    i, s.text);
        }
}

static void one_user_is_told_alone(void **state)
{
    const struct ledger_which which = {.account = 1};
    struct bank *b = *state;
    struct ledger_usage_walk *w = ledger_usage_begin(&which, "bob");
    const struct ledger_usage *rows;
    size_t n;

    begin(b);
    while (ledger_usage_some(b->kit->store, w, 1, &b->err) > 0)
        ;
    rows = ledger_usage_rows(w, &n);
    assert_int_equal(n, 1);
    assert_string_equal(rows->user, "bob");
    assert_int_equal(rows->charged, 40);
    ledger_usage_end(w);
}

/* What the ledger holds at once is bounded, what was used in all time is not. */
static void more_than_can_be_told_is_said(void **state)
{
    static const char *const days[] = {
        "INSERT INTO am_usage VALUES(1, 1000, 'bob', 9000000000000000000, 0, 1, 1),"
        " (1, 1001, 'bob', 9000000000000000000, 0, 1, 1)",
        "DELETE FROM am_usage"};
    const struct ledger_which which = {.account = 1};
    struct bank *b = *state;
    struct ledger_usage_walk *w;
    int more;

    account(b, "chem");
    assert_int_equal(store_commit(b->kit->store, &b->err), 0);
    for (int64_t rows = 1; rows < 4; rows++) {
        assert_int_equal(sql_exec(b->kit->store, days[0], "", &b->err), 0);
        w = ledger_usage_begin(&which, NULL);
        while ((more = ledger_usage_some(b->kit->store, w, rows, &b->err)) > 0)
            ;
        assert_int_equal(more, -1);
        bank_says(b, "more than can be told");
        ledger_usage_end(w);
        assert_int_equal(sql_exec(b->kit->store, days[1], "", &b->err), 0);
    }
    assert_string_equal(usage(b, 0, 0).text, "");
}

/* The most of a turn in steps of SQLite's machine, with so many days of some users. */
static int64_t longest_turn(struct bank *b, int days)
{
    const struct ledger_which all = {.account = 1, .from_at = 10};
    struct ledger_usage_walk *w;
    int64_t steps = 0, most = 0;
    char sql[500];
    int more = 1;

    snprintf(sql, sizeof sql,
        "INSERT OR REPLACE INTO am_usage WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL"
        " SELECT i + 1 FROM n WHERE i < %d) SELECT 1, i / 30 + 1, 'u' || (i %% 30), 5, "
        "0,"
        " 1, 1 FROM n",
        days * 30 - 1);
    assert_int_equal(sql_exec(b->kit->store, sql, "", &b->err), 0);
    w = ledger_usage_begin(&all, NULL);
    sqlite3_progress_handler(b->kit->store->db, 1, count_steps, &steps);
    for (; more > 0; most = steps > most ? steps : most) {
        steps = 0;
        more = ledger_usage_some(b->kit->store, w, 40, &b->err);
    }
    sqlite3_progress_handler(b->kit->store->db, 0, NULL, NULL);
    assert_int_equal(more, 0);
    ledger_usage_end(w);
    return most;
}

static void a_turn_is_as_long_of_ten_years_as_of_some_days(void **state)
{
    struct bank *b = *state;

    account(b, "chem");
    assert_int_equal(store_commit(b->kit->store, &b->err), 0);
    int64_t few = longest_turn(b, 10), many = longest_turn(b, 3650);
    assert_true(few > 0);
    assert_true(many < few + 50);
    assert_int_equal(sql_exec(b->kit->store, "DELETE FROM am_usage", "", &b->err), 0);
}

static void days_that_are_wrong_are_found(void **state)
{
    struct bank *b = *state;
    int found;

    begin(b);
    assert_int_equal(sql_exec(b->kit->store,
                         "UPDATE am_usage SET charged = charged + 1 WHERE day = 1 AND "
                         "\"user\" = 'bob'",
                         "", &b->err),
        0);
    found = ledger_check(b->kit->store, print_problem, NULL, &b->err);
    assert_int_equal(found, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BANK_TEST(sums_of_days_are_those_of_charges),
        BANK_TEST(what_was_used_since_is_told_in_pages),
        BANK_TEST(a_file_of_schema_5_gets_the_same_days),
        BANK_TEST(a_run_without_a_user_is_of_who_is_charged_first),
        BANK_TEST(usage_and_moves_cost_what_is_told_not_what_there_is),
        BANK_TEST(what_is_booked_between_turns_is_counted_once),
        BANK_TEST(one_user_is_told_alone),
        BANK_TEST(more_than_can_be_told_is_said),
        BANK_TEST(a_turn_is_as_long_of_ten_years_as_of_some_days),
        BANK_TEST(days_that_are_wrong_are_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
