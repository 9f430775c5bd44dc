/* SPDX-License-Identifier: Apache-2.0
 * The check of the ledger finds what is put wrong, each in its own words. */
#include "kit.h"

struct found {
    int n;
    char text[2000];
};

static void note(void *arg, const char *problem)
{
    struct found *f = arg;

    f->n++;
    strncat(f->text, problem, sizeof f->text - strlen(f->text) - 2);
    strcat(f->text, "\n");
}

static void begin(struct bank *b)
{
    account(b, "chem");
    open_account(b, (struct am_account){.name = "bio", .parent = "chem"});
    deposit(b, "chem", CREDITS(100), 5000);
    deposit(b, "chem", CREDITS(10), AM_EVER);
    lien(b, "7.0", "chem", CREDITS(60));
    lien(b, "8.0", "chem", CREDITS(20));
    end_run(b, "8.0", CREDITS(11));
    refund(b, "8.0", CREDITS(1));
    clock_to(b, 6000);
}

#define UNLOCKED                                                                       \
    "DROP TRIGGER am_txn_stays; DROP TRIGGER am_txn_is_kept;"                          \
    "DROP TRIGGER am_leg_stays; DROP TRIGGER am_leg_is_kept;"

static const struct {
    const char *sql, *words;
} rows[] = {
    {"UPDATE am_leg SET amount = amount + 1 WHERE txn = 1 AND place = 'grant'",
        "transaction 1: its legs come to 0.001 instead of 0"},
    {"DELETE FROM am_leg WHERE txn = 1", "transaction 1: has no legs"},
    {"DELETE FROM am_txn WHERE id = 2", "transaction 2: has legs but no record"},
    {"UPDATE am_place SET balance = balance + 5 WHERE place = 'usage'",
        "all places together come to 0.005 instead of 0"},
    {"UPDATE am_place SET balance = balance + 5 WHERE place = 'usage'",
        "usage 1: its balance is 10.005, its legs come to 10.000"},
    {"DELETE FROM am_place WHERE place = 'usage'", "usage 1: has legs but no balance"},
    {"UPDATE am_deposit SET account = 2 WHERE id = 2",
        "is at deposit 2, which is not of account 1"},
    {"UPDATE am_leg SET booked_at = 7 WHERE txn = 1 AND n = 0",
        "leg 0 of transaction 1: is dated 7, its transaction"},
    {"UPDATE am_day SET credits = credits + 1000",
        "its moves come to 70.000, the day is written down with 71.000"},
    {"UPDATE am_deposit SET amount = 7 WHERE id = 1",
        "deposit 1: was made with 0.007, its transaction 1 brought 100.000"},
    {"UPDATE am_deposit SET held = held + 1000 WHERE id = 2",
        "deposit 2: keeps 1.000 for liens, which come to 0.000"},
    {"UPDATE am_deposit SET ended = 1 WHERE id = 2",
        "deposit 2: has ended with 10.000 that nobody keeps"},
    {"UPDATE am_lien SET amount = -1", "lien of run 7.0: on deposit 1, of -0.001"},
    {"UPDATE am_run SET open = 0", "lien of run 7.0: on deposit 1, the run is over"},
    {"UPDATE am_run SET charged = 5000 WHERE run = '8.0'",
        "run 8.0: was charged 5.000 less 1.000 given back, its transactions come to "
        "10"},
    {"DELETE FROM am_run WHERE run = '8.0'",
        "account chem: used 10.000, its runs were charged 0.000"},
    {"UPDATE am_account SET parent = 9 WHERE id = 2",
        "account bio: its parent 9 is not there"},
    {"UPDATE am_account SET parent = 2 WHERE id = 1", "account chem: is above itself"},
};

static void what_was_put_wrong_is_found_and_named(void **state)
{
    struct bank *b = *state;

    begin(b);
    kit_commit(b->kit);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct found found = {0};
        sqlite3 *db = b->kit->store->db;

        assert_int_equal(
            sqlite3_exec(db, "BEGIN;" UNLOCKED, NULL, NULL, NULL), SQLITE_OK);
        assert_int_equal(sqlite3_exec(db, rows[i].sql, NULL, NULL, NULL), SQLITE_OK);
        assert_true(ledger_check(b->kit->store, note, &found, &b->err) > 0);
        if (!strstr(found.text, rows[i].words))
            fail_msg("'%s' is not in: %s", rows[i].words, found.text);
        sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
        bank_check(b);
    }
}

static void the_file_refuses_to_change_what_was_booked(void **state)
{
    static const char *const changes[] = {"UPDATE am_txn SET at = 0",
        "DELETE FROM am_txn", "UPDATE am_leg SET amount = 0", "DELETE FROM am_leg",
        "UPDATE am_place SET balance = 0.5"};
    struct bank *b = *state;

    begin(b);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        assert_int_equal(
            sqlite3_exec(b->kit->store->db, changes[i], NULL, NULL, NULL) & 0xff,
            SQLITE_CONSTRAINT);
    bank_check(b);
}

static void a_damaged_ledger_gives_nothing_back_that_it_cannot_find(void **state)
{
    struct am_request req = {.id = "r", .at = 9000};
    struct bank *b = *state;

    begin(b);
    assert_int_equal(
        sqlite3_exec(b->kit->store->db,
            "UPDATE am_run SET charged = 500000 WHERE run = '8.0'", NULL, NULL, NULL),
        SQLITE_OK);
    assert_int_equal(am_refund(&b->am, &req, "8.0", CREDITS(400), 0, &b->err), -1);
    bank_says(
        b, "its transactions come to less than it was charged; see `maui am check`");
}

static void sums_that_do_not_fit_are_refused_by_the_file(void **state)
{
    struct bank *b = *state;

    begin(b);
    assert_int_not_equal(
        sqlite3_exec(b->kit->store->db,
            "UPDATE am_place SET balance = balance + 9223372036854775807"
            " WHERE place = 'usage'",
            NULL, NULL, NULL),
        SQLITE_OK);
    bank_check(b);
}

static int count_steps(void *arg)
{
    ++*(int64_t *)arg;
    return 0;
}

/* What a check and a refund cost with so many runs of one account, in steps of SQLite's
 * machine. */
static void cost(struct bank *b, int *runs, int up_to, int64_t *check, int64_t *back)
{
    sqlite3 *db = b->kit->store->db;
    struct am_request req = bank_request(b);
    char run[20];

    for (; *runs < up_to; ++*runs) {
        const struct am_charge c = {
            .run = run, .account = "chem", .total = CREDITS(1), .over = true};
        snprintf(run, sizeof run, "%d.0", *runs);
        assert_int_equal(am_charge(&b->am, &c, &b->err), AM_DONE);
    }
    *check = *back = 0;
    sqlite3_progress_handler(db, 10, count_steps, check);
    bank_check(b);
    sqlite3_progress_handler(db, 10, count_steps, back);
    assert_int_equal(am_refund(&b->am, &req, run, 1, 0, &b->err), AM_DONE);
    sqlite3_progress_handler(db, 0, NULL, NULL);
}

static void a_check_goes_once_through_the_ledger_and_a_refund_does_not(void **state)
{
    int64_t check, back, later_check, later_back;
    struct bank *b = *state;
    int runs = 0;

    account(b, "chem");
    cost(b, &runs, 200, &check, &back);
    cost(b, &runs, 1600, &later_check, &later_back);
    assert_true(later_check < 10 * check); /* 8 times as much */
    assert_true(later_back < 2 * back + 10);
}

static void an_empty_ledger_is_whole(void **state)
{
    struct ledger_size size;
    struct bank *b = *state;

    bank_check(b);
    assert_int_equal(ledger_size(b->kit->store, &size, &b->err), 0);
    assert_int_equal(
        size.accounts + size.deposits + size.transactions + size.open_runs, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BANK_TEST(what_was_put_wrong_is_found_and_named),
        BANK_TEST(the_file_refuses_to_change_what_was_booked),
        BANK_TEST(a_damaged_ledger_gives_nothing_back_that_it_cannot_find),
        BANK_TEST(sums_that_do_not_fit_are_refused_by_the_file),
        BANK_TEST(a_check_goes_once_through_the_ledger_and_a_refund_does_not),
        BANK_TEST(an_empty_ledger_is_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
