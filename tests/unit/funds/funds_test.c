/* SPDX-License-Identifier: Apache-2.0
 * The picture of the bank: what may be used, kept, charged (reference allocation
 * managers, section 9). */
#include "cmocka_all.h"
#include "funds/amount.h"
#include "funds/funds.h"

#define C(n) ((int64_t)(n)*AM_CREDIT)

static const struct am_use anybody = {.user = "ann"};

/* The accounts of the reference, section 9: chem draws on inst, bio does not. */
static struct funds *begin_example(void)
{
    static const struct funds_deposit chem[] = {
        {.id = 1, .to_at = 1000000, .balance = C(100000)},
        {.id = 2, .to_at = 2000000, .balance = C(50000)}};
    static const struct funds_deposit inst[] = {
        {.id = 3, .to_at = INT64_MAX, .balance = C(500000)}};
    static const struct funds_account accounts[] = {
        {.name = "chem", .parent = "inst", .overflow = true, .deposits = chem, .n = 2},
        {.name = "inst", .deposits = inst, .n = 1}, {.name = "bio", .parent = "inst"}};
    const struct funds_facts facts = {.accounts = accounts, .n = 3};
    struct funds *f = funds_create();

    funds_tell(f, &facts);
    return f;
}

static int64_t available(struct funds *f, const char *account, int64_t at)
{
    struct funds_left left;

    funds_ask(f, funds_account(f, account), &anybody, at, 0, &left);
    return left.available;
}

static uint32_t keep(struct funds *f, const char *job, const char *account,
    int64_t amount, int64_t at, bool expected)
{
    uint32_t run = funds_open(f, job, funds_account(f, account));
    const struct funds_use by = {&anybody, at};
    bool all;

    funds_keep(f, run, &by, amount, &all);
    assert_int_equal(all, expected);
    return run;
}

static void charge(struct funds *f, uint32_t run, int64_t total, int64_t at)
{
    const struct funds_use by = {&anybody, at};

    funds_charge(f, run, &by, total);
    funds_close(f, run);
}

static int64_t balance(struct funds *f, const char *account, size_t deposit)
{
    return funds_account_now(f, funds_account(f, account)).deposits[deposit].balance;
}

static void the_worked_example_comes_out(void **state)
{
    struct funds *f = begin_example();
    uint32_t j1, j2;

    (void)state;
    j1 = keep(f, "j1", "chem", C(120000), 10, true);
    assert_int_equal(available(f, "inst", 10), C(500000));
    assert_int_equal(available(f, "chem", 10), C(530000));
    charge(f, j1, C(72000), 2710);
    assert_int_equal(balance(f, "chem", 0), C(28000));
    assert_int_equal(balance(f, "chem", 1), C(50000));
    j2 = keep(f, "j2", "chem", C(100000), 3000, true);
    assert_int_equal(available(f, "inst", 3000), C(478000));
    charge(f, j2, C(110000), 9000);
    assert_int_equal(balance(f, "chem", 0), 0);
    assert_int_equal(balance(f, "chem", 1), 0);
    assert_int_equal(balance(f, "inst", 0), C(468000));
    funds_destroy(f);
}

static void what_cannot_be_used_is_told(void **state)
{
    struct funds *f = begin_example();
    struct funds_left left;
    struct funds_account closed = {.name = "chem", .closed = true},
                         others = {.name = "inst", .only = "user=bob"};
    struct funds_facts facts = {.accounts = &closed, .n = 1};
    uint32_t chem = funds_account(f, "chem"), bio = funds_account(f, "bio"),
             inst = funds_account(f, "inst");

    (void)state;
    assert_int_equal(funds_account(f, "nosuch"), FUNDS_NONE);
    assert_int_equal(funds_ask(f, bio, &anybody, 10, 1, &left), FUNDS_UNUSABLE);
    assert_int_equal(
        funds_ask(f, chem, &anybody, 10, C(650000) + 1, &left), FUNDS_SHORT);
    assert_int_equal(left.available, C(650000));
    assert_int_equal(funds_ask(f, chem, &anybody, 10, C(650000), &left), FUNDS_ENOUGH);
    funds_tell(f, &facts);
    assert_int_equal(funds_ask(f, chem, &anybody, 10, 1, &left), FUNDS_CLOSED);
    facts.accounts = &others;
    funds_tell(f, &facts);
    assert_int_equal(funds_ask(f, inst, &anybody, 10, 1, &left), FUNDS_FORBIDDEN);
    funds_destroy(f);
}

static void deposits_begin_and_end(void **state)
{
    struct funds *f = begin_example();

    (void)state;
    assert_int_equal(available(f, "chem", 999999), C(650000));
    assert_int_equal(available(f, "chem", 1000000), C(550000));
    assert_int_equal(funds_next_change(f, 10), 1000000);
    assert_int_equal(funds_next_change(f, 1000000), 2000000);
    funds_destroy(f);
}

static void a_charge_beyond_all_there_is_makes_the_first_deposit_owe(void **state)
{
    struct funds_deposit d = {
        .id = 1, .to_at = 99, .balance = C(1000), .credit_limit = C(500)};
    struct funds_account a = {.name = "x", .deposits = &d, .n = 1};
    struct funds_facts facts = {.accounts = &a, .n = 1};
    struct funds *f = funds_create();
    uint32_t run;

    (void)state;
    funds_tell(f, &facts);
    assert_int_equal(available(f, "x", 1), C(1500));
    run = keep(f, "j", "x", C(1500) + 1, 1, false);
    charge(f, run, C(1600), 2);
    assert_int_equal(balance(f, "x", 0), C(-600));
    assert_int_equal(available(f, "x", 2), C(-100));
    funds_destroy(f);
}

static void a_lien_grows_and_shrinks(void **state)
{
    struct funds *f = begin_example();
    uint32_t run = keep(f, "j", "chem", C(100), 1, true);
    const struct funds_use by = {&anybody, 2};
    bool all;

    (void)state;
    funds_keep(f, run, &by, C(120000), &all);
    assert_true(all);
    assert_int_equal(available(f, "chem", 2), C(530000));
    assert_int_equal(funds_runs_on(f, funds_account(f, "chem")), 1);
    funds_keep(f, run, &by, C(50), &all);
    assert_int_equal(available(f, "chem", 2), C(649950));
    funds_close(f, run);
    assert_int_equal(available(f, "chem", 2), C(650000));
    assert_int_equal(funds_runs_on(f, funds_account(f, "chem")), 0);
    funds_destroy(f);
}

static void runs_that_were_told_are_found_by_their_job(void **state)
{
    struct funds_deposit d = {.id = 4, .to_at = 99, .balance = 50, .held = 20};
    struct funds_account a = {.name = "x", .deposits = &d, .n = 1};
    struct funds_lien lien = {4, 20};
    struct funds_run run = {
        .run = "7.r5", .job = "7", .account = "x", .most = 20, .liens = &lien, .n = 1};
    struct funds_facts facts = {
        .accounts = &a, .n = 1, .runs = &run, .nruns = 1, .runs_ever = 5};
    struct funds *f = funds_create();
    uint32_t found, other;

    (void)state;
    funds_tell(f, &facts);
    assert_int_equal(funds_strange_run_of(f, "8", 0), FUNDS_NONE);
    found = funds_strange_run_of(f, "7", 0);
    assert_int_not_equal(found, FUNDS_NONE);
    assert_string_equal(funds_run_name(f, found), "7.r5");
    funds_adopt(f, found);
    assert_int_equal(funds_strange_run_of(f, "7", 0), FUNDS_NONE);
    other = funds_open(f, "8", 0);
    assert_string_equal(funds_run_name(f, other), "8.r6"); /* never a name again */
    charge(f, found, 15, 2);
    assert_int_equal(available(f, "x", 2), 35);
    funds_destroy(f);
}

/* Sent back to the queue at 50, and to start again at 60, of which nobody was told. */
static void of_two_runs_the_one_that_had_begun_is_meant(void **state)
{
    const struct funds_run runs[] = {
        {.run = "7.r2", .job = "7", .account = "x", .since_at = 60, .unsent = true},
        {.run = "7.r1",
            .job = "7",
            .account = "x",
            .since_at = 10,
            .leave = {.at = 50}}};
    struct funds *f = funds_create();

    (void)state;
    funds_tell(f, &(struct funds_facts){.runs = runs, .nruns = 2, .runs_ever = 2});
    assert_string_equal(funds_run_name(f, funds_strange_run_of(f, "7", 12)), "7.r1");
    assert_string_equal(funds_run_name(f, funds_strange_run_of(f, "7", 8)), "7.r1");
    assert_string_equal(funds_run_name(f, funds_strange_run_of(f, "7", 61)), "7.r2");
    assert_string_equal(funds_run_name(f, funds_unsent_run_of(f, "7")), "7.r2");
    assert_int_equal(funds_unsent_run_of(f, "8"), FUNDS_NONE);
    funds_destroy(f);
}

/* As above, but the second start was sent; the resource manager's clock is behind. */
static void a_run_that_was_sent_outdoes_one_that_was_to_leave(void **state)
{
    const struct funds_run runs[] = {{.run = "7.r1",
                                         .job = "7",
                                         .account = "x",
                                         .since_at = 10,
                                         .leave = {.at = 950}},
        {.run = "7.r2", .job = "7", .account = "x", .since_at = 960}};
    struct funds *f = funds_create();

    (void)state;
    funds_tell(f, &(struct funds_facts){.runs = runs, .nruns = 2, .runs_ever = 2});
    assert_string_equal(funds_run_name(f, funds_strange_run_of(f, "7", 940)), "7.r2");
    assert_string_equal(funds_run_name(f, funds_strange_run_of(f, "7", 12)), "7.r1");
    funds_destroy(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_two_runs_the_one_that_had_begun_is_meant),
        cmocka_unit_test(a_run_that_was_sent_outdoes_one_that_was_to_leave),
        cmocka_unit_test(the_worked_example_comes_out),
        cmocka_unit_test(what_cannot_be_used_is_told),
        cmocka_unit_test(deposits_begin_and_end),
        cmocka_unit_test(a_charge_beyond_all_there_is_makes_the_first_deposit_owe),
        cmocka_unit_test(a_lien_grows_and_shrinks),
        cmocka_unit_test(runs_that_were_told_are_found_by_their_job),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
