/* SPDX-License-Identifier: Apache-2.0
 * Liens, charges, refunds: rules 1 to 4 of the notes, one by one. */
#include "kit.h"

static void one(struct bank *b, int64_t amount)
{
    account(b, "chem");
    deposit(b, "chem", amount, AM_EVER);
}

static void a_lien_is_all_or_nothing(void **state)
{
    struct bank *b = *state;

    one(b, CREDITS(40));
    deposit(b, "chem", CREDITS(20), AM_EVER);
    lien(b, "i", "chem", CREDITS(12));
    refuse_lien(b, "j", "chem", CREDITS(57600),
        "needs 57,600 credits, 60 left in chem, 12 of them kept for 1 running job");
    expect_held(b, 1, CREDITS(12));
    expect_held(b, 2, 0);
    lien(b, "j", "chem", CREDITS(48));
    assert_int_equal(available(b, "chem"), 0);
    expect_balance(b, 1, CREDITS(40)); /* liens change no balance */
}

static void what_is_kept_above_counts_in_what_is_missing(void **state)
{
    struct bank *b = *state;

    account(b, "inst");
    open_account(
        b, (struct am_account){.name = "chem", .parent = "inst", .overflow = true});
    deposit(b, "inst", CREDITS(50), AM_EVER);
    deposit(b, "chem", CREDITS(10), AM_EVER);
    lien(b, "i", "inst", CREDITS(12));
    lien(b, "j", "chem", CREDITS(11));
    refuse_lien(b, "k", "chem", CREDITS(40),
        "needs 40 credits, 60 left in chem, 23 of them kept for 2 running jobs");
}

static void a_lien_of_nothing_needs_no_deposit(void **state)
{
    struct bank *b = *state;

    account(b, "chem");
    lien(b, "j", "chem", 0);
    end_run(b, "j", 0);
    assert_int_equal(transactions(b), 0);
}

static void a_lien_grows_all_or_nothing(void **state)
{
    struct bank *b = *state;

    one(b, CREDITS(40));
    deposit(b, "chem", CREDITS(20), AM_EVER);
    lien(b, "j", "chem", CREDITS(30));
    lien(b, "j", "chem", CREDITS(50));
    expect_held(b, 1, CREDITS(40));
    expect_held(b, 2, CREDITS(10));
    refuse_lien(b, "j", "chem", CREDITS(61), "needs 11 credits, 60 left in chem");
    assert_int_equal(run_row(b, "j").most, CREDITS(50));
    lien(b, "j", "chem", CREDITS(60));
    assert_int_equal(available(b, "chem"), 0);
}

static void a_lien_shrinks_from_its_end(void **state)
{
    struct bank *b = *state;

    one(b, CREDITS(40));
    deposit(b, "chem", CREDITS(20), AM_EVER);
    lien(b, "j", "chem", CREDITS(50));
    lien(b, "j", "chem", CREDITS(45));
    expect_held(b, 2, CREDITS(5));
    lien(b, "j", "chem", CREDITS(5));
    expect_held(b, 1, CREDITS(5));
    expect_held(b, 2, 0);
}

static void a_lien_that_grows_counts_what_was_charged(void **state)
{
    struct bank *b = *state;

    one(b, CREDITS(100));
    lien(b, "j", "chem", CREDITS(30));
    charge_so_far(b, "j", NULL, CREDITS(20), false);
    expect_held(b, 1, CREDITS(10));
    lien(b, "j", "chem", CREDITS(50));
    expect_held(b, 1, CREDITS(30));
    charge_so_far(b, "j", NULL, CREDITS(60), false); /* beyond it */
    expect_held(b, 1, 0);
    lien(b, "j", "chem", CREDITS(70));
    expect_held(b, 1, CREDITS(10));
}

static void a_running_job_stays_with_its_account(void **state)
{
    struct bank *b = *state;

    one(b, CREDITS(100));
    account(b, "bio");
    deposit(b, "bio", CREDITS(100), AM_EVER);
    lien(b, "j", "chem", CREDITS(30));
    assert_int_equal(try_lien(b, "j", "bio", CREDITS(40)), -1);
    bank_says(b, "run j is charged to another account than bio since its start");
}

static void a_lien_lies_on_deposits_valid_at_the_start_alone(void **state)
{
    struct bank *b = *state;

    account(b, "chem");
    put_deposit(b,
        (struct am_deposit){.account = "chem", .amount = CREDITS(10), .from_at = 100});
    refuse_lien(b, "j", "chem", CREDITS(10), "no deposit that can be used now");
    b->now = 100;
    lien(b, "j", "chem", CREDITS(10));
}

static void a_lien_is_spent_after_the_end_of_its_deposit(void **state)
{
    struct bank *b = *state;

    account(b, "chem");
    deposit(b, "chem", CREDITS(10), 5000);
    deposit(b, "chem", CREDITS(10), AM_EVER);
    lien(b, "j", "chem", CREDITS(10));
    clock_to(b, 6000);
    charge_so_far(b, "j", NULL, CREDITS(4), false);
    expect_balance(b, 1, CREDITS(6));
    end_run(b, "j", CREDITS(7));
    expect_balance(b, 1, 0);
    expect_balance(b, 2, CREDITS(10));
    assert_int_equal(at_place(b, "expired", "chem"), CREDITS(3));
}

static void a_lien_that_shrinks_after_the_end_of_its_deposit_expires(void **state)
{
    struct bank *b = *state;

    account(b, "chem");
    deposit(b, "chem", CREDITS(10), 5000);
    lien(b, "j", "chem", CREDITS(10));
    clock_to(b, 6000);
    lien(b, "j", "chem", CREDITS(4));
    assert_int_equal(at_place(b, "expired", "chem"), CREDITS(6));
}

static void beyond_its_lien_a_run_takes_what_others_left(void **state)
{
    struct bank *b = *state;

    one(b, CREDITS(20));
    deposit(b, "chem", CREDITS(20), AM_EVER);
    lien(b, "j", "chem", CREDITS(10));
    lien(b, "k", "chem", CREDITS(15));
    end_run(b, "j", CREDITS(18)); /* 10, then 8 of the 15 that are free on 2 */
    expect_balance(b, 1, CREDITS(10));
    expect_balance(b, 2, CREDITS(12));
    expect_held(b, 1, CREDITS(10));
}

static void beyond_everything_the_first_in_order_goes_below_0(void **state)
{
    struct bank *b = *state;

    one(b, CREDITS(20));
    deposit(b, "chem", CREDITS(20), 90000);
    lien(b, "j", "chem", CREDITS(10));
    end_run(b, "j", CREDITS(47));
    expect_balance(b, 2, CREDITS(-7));
    expect_balance(b, 1, 0);
    assert_int_equal(available(b, "chem"), CREDITS(-7));
}

static void with_no_valid_deposit_the_last_of_the_lien_goes_below_0(void **state)
{
    struct bank *b = *state;

    account(b, "chem");
    deposit(b, "chem", CREDITS(5), 4000);
    deposit(b, "chem", CREDITS(5), 5000);
    lien(b, "j", "chem", CREDITS(8));
    clock_to(b, 6000);
    end_run(b, "j", CREDITS(20));
    expect_balance(b, 1, 0);
    /* 5 + 3 from the lien; 2 of deposit 2 expired at its end, so that -12 are left. */
    expect_balance(b, 2, CREDITS(-12));
    assert_int_equal(at_place(b, "expired", "chem"), CREDITS(2));
}

static void the_last_of_the_lien_is_known_when_it_is_used_up(void **state)
{
    struct bank *b = *state;

    account(b, "chem");
    deposit(b, "chem", CREDITS(5), 4000);
    lien(b, "j", "chem", CREDITS(5));
    clock_to(b, 6000);
    charge_so_far(b, "j", NULL, CREDITS(5), false);
    end_run(b, "j", CREDITS(6));
    expect_balance(b, 1, CREDITS(-1));
    assert_int_equal(at_place(b, "over", "chem"), 0);
}

static void with_neither_it_is_owed_without_a_deposit(void **state)
{
    struct bank *b = *state;

    account(b, "chem");
    charge_so_far(b, "j", "chem", CREDITS(3), true);
    assert_int_equal(at_place(b, "over", "chem"), CREDITS(-3));
    assert_int_equal(at_place(b, "usage", "chem"), CREDITS(3));
    refund(b, "j", CREDITS(2));
    assert_int_equal(at_place(b, "over", "chem"), CREDITS(-1));
}

static void a_run_without_a_lien_is_charged_in_order(void **state)
{
    struct bank *b = *state;

    one(b, CREDITS(20));
    charge_so_far(b, "j", "chem", CREDITS(3), false);
    charge_so_far(b, "j", "chem", CREDITS(5), true);
    expect_balance(b, 1, CREDITS(15));
    assert_int_equal(run_row(b, "j").charged, CREDITS(5));
}

static void each_debit_is_the_difference_to_the_last(void **state)
{
    struct bank *b = *state;

    one(b, CREDITS(100));
    lien(b, "j", "chem", CREDITS(30));
    for (int i = 1; i <= 10; i++) {
        charge_so_far(b, "j", NULL, CREDITS(2 * i), false);
        expect_held(b, 1, CREDITS(30 - 2 * i));
        assert_int_equal(available(b, "chem"), CREDITS(70));
    }
    end_run(b, "j", CREDITS(23));
    expect_balance(b, 1, CREDITS(77));
    expect_held(b, 1, 0);
    assert_int_equal(at_place(b, "usage", "chem"), CREDITS(23));
    assert_int_equal(transactions(b), 12);
}

static void a_total_that_shrank_is_given_back_and_kept_again(void **state)
{
    struct bank *b = *state;

    one(b, CREDITS(100));
    lien(b, "j", "chem", CREDITS(30));
    charge_so_far(b, "j", NULL, CREDITS(20), false);
    charge_so_far(b, "j", NULL, CREDITS(12), false);
    expect_balance(b, 1, CREDITS(88));
    expect_held(b, 1, CREDITS(18));
    end_run(b, "j", CREDITS(10));
    expect_balance(b, 1, CREDITS(90));
    expect_held(b, 1, 0);
}

static void a_total_that_shrank_within_an_overrun_keeps_no_more_than_the_lien(
    void **state)
{
    struct bank *b = *state;

    one(b, CREDITS(100));
    lien(b, "j", "chem", CREDITS(30));
    charge_so_far(b, "j", NULL, CREDITS(50), false);
    charge_so_far(b, "j", NULL, CREDITS(40), false);
    expect_held(b, 1, 0);
    charge_so_far(b, "j", NULL, CREDITS(25), false);
    expect_held(b, 1, CREDITS(5));
    expect_balance(b, 1, CREDITS(75));
}

static void what_was_refunded_is_not_given_back_twice(void **state)
{
    struct bank *b = *state;

    one(b, CREDITS(100));
    lien(b, "j", "chem", CREDITS(60));
    charge_so_far(b, "j", NULL, CREDITS(50), false);
    refund(b, "j", CREDITS(40));
    expect_balance(b, 1, CREDITS(90));
    end_run(b, "j", CREDITS(30)); /* it paid 10 */
    expect_balance(b, 1, CREDITS(100));
    assert_int_equal(run_row(b, "j").charged, CREDITS(30));
    assert_int_equal(run_row(b, "j").refunded, CREDITS(30));
}

static void a_refund_may_go_elsewhere(void **state)
{
    struct bank *b = *state;

    one(b, CREDITS(10));
    account(b, "bio");
    deposit(b, "bio", CREDITS(1), AM_EVER);
    deposit(b, "chem", CREDITS(10), AM_EVER);
    charge_so_far(b, "j", "chem", CREDITS(15), true);
    assert_int_equal(try_refund(b, "j", CREDITS(3), 2), AM_DONE);
    expect_balance(b, 2, CREDITS(4));
    refund(b, "j", CREDITS(4)); /* 2 of what 3 gave are left, then 1 */
    expect_balance(b, 3, CREDITS(7));
    expect_balance(b, 1, CREDITS(2));
    assert_int_equal(try_refund(b, "j", CREDITS(1), 9), -1);
    bank_says(b, "no deposit 9");
}

static void a_refund_into_what_has_ended_expires_again(void **state)
{
    struct bank *b = *state;

    account(b, "chem");
    deposit(b, "chem", CREDITS(10), 5000);
    charge_so_far(b, "j", "chem", CREDITS(7), true);
    charge_so_far(b, "k", "chem", CREDITS(5), true); /* to -2 */
    clock_to(b, 6000);
    refund(b, "j", CREDITS(3)); /* pays the debt of 2, 1 is over */
    expect_balance(b, 1, 0);
    assert_int_equal(at_place(b, "expired", "chem"), CREDITS(1));
    assert_int_equal(at_place(b, "usage", "chem"), CREDITS(9));
}

static void what_is_left_of_many_runs_is_given_back_once(void **state)
{
    struct bank *b = *state;
    const char *const names[] = {"j", "k", "open", "nosuch"};
    const struct am_runs runs = {names, 4};
    struct am_request req = {.id = "x", .at = b->now, .who = "root"};
    int64_t amount;

    one(b, CREDITS(100));
    charge_so_far(b, "j", "chem", CREDITS(7), true);
    charge_so_far(b, "k", "chem", CREDITS(5), true);
    refund(b, "k", CREDITS(2));
    lien(b, "open", "chem", CREDITS(30));
    charge_so_far(b, "open", NULL, CREDITS(10), false);
    bank_expect(b, am_refund_rest(&b->am, &req, &runs, &amount, &b->err), AM_DONE);
    assert_int_equal(amount, CREDITS(10));
    expect_balance(b, 1, CREDITS(90));
    for (const char *const *id = (const char *const[]){"x", "y", NULL}; *id; id++) {
        req.id = *id;
        bank_expect(b, am_refund_rest(&b->am, &req, &runs, &amount, &b->err), AM_DONE);
        assert_int_equal(amount, 0);
    }
    expect_balance(b, 1, CREDITS(90));
    assert_int_equal(run_row(b, "k").refunded, CREDITS(5));
}

static void refunds_of_nothing_and_of_nobody_are_refused(void **state)
{
    struct bank *b = *state;

    one(b, CREDITS(10));
    charge_so_far(b, "j", "chem", CREDITS(7), true);
    assert_int_equal(try_refund(b, "j", 0, 0), -1);
    assert_int_equal(try_refund(b, "j", -5, 0), -1);
    assert_int_equal(try_refund(b, "k", 1, 0), -1);
    bank_says(b, "no run 'k' was ever charged");
    assert_int_equal(try_refund(b, "j", CREDITS(7) + 1, 0), AM_REFUSED);
    bank_says(b, "was charged 7 credits, 0 of them given back: 7 are left, not 7.001");
}

static void a_charge_without_a_number_is_refused(void **state)
{
    struct am_charge c = {.run = "j", .account = "chem", .total = -1};
    struct bank *b = *state;

    one(b, CREDITS(10));
    bank_expect(b, am_charge(&b->am, &c, &b->err), -1);
    c.total = AM_LARGEST + 1;
    bank_expect(b, am_charge(&b->am, &c, &b->err), -1);
    c.total = 1;
    c.run = "";
    bank_expect(b, am_charge(&b->am, &c, &b->err), -1);
    c.run = "j";
    c.account = "nobody";
    bank_expect(b, am_charge(&b->am, &c, &b->err), -1);
    assert_int_equal(b->err.code, ERR_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BANK_TEST(a_lien_is_all_or_nothing),
        BANK_TEST(what_is_kept_above_counts_in_what_is_missing),
        BANK_TEST(a_lien_of_nothing_needs_no_deposit),
        BANK_TEST(a_lien_grows_all_or_nothing),
        BANK_TEST(a_lien_shrinks_from_its_end),
        BANK_TEST(a_lien_that_grows_counts_what_was_charged),
        BANK_TEST(a_running_job_stays_with_its_account),
        BANK_TEST(a_lien_lies_on_deposits_valid_at_the_start_alone),
        BANK_TEST(a_lien_is_spent_after_the_end_of_its_deposit),
        BANK_TEST(a_lien_that_shrinks_after_the_end_of_its_deposit_expires),
        BANK_TEST(beyond_its_lien_a_run_takes_what_others_left),
        BANK_TEST(beyond_everything_the_first_in_order_goes_below_0),
        BANK_TEST(with_no_valid_deposit_the_last_of_the_lien_goes_below_0),
        BANK_TEST(the_last_of_the_lien_is_known_when_it_is_used_up),
        BANK_TEST(with_neither_it_is_owed_without_a_deposit),
        BANK_TEST(a_run_without_a_lien_is_charged_in_order),
        BANK_TEST(each_debit_is_the_difference_to_the_last),
        BANK_TEST(a_total_that_shrank_is_given_back_and_kept_again),
        BANK_TEST(a_total_that_shrank_within_an_overrun_keeps_no_more_than_the_lien),
        BANK_TEST(what_was_refunded_is_not_given_back_twice),
        BANK_TEST(a_refund_may_go_elsewhere),
        BANK_TEST(a_refund_into_what_has_ended_expires_again),
        BANK_TEST(what_is_left_of_many_runs_is_given_back_once),
        BANK_TEST(refunds_of_nothing_and_of_nobody_are_refused),
        BANK_TEST(a_charge_without_a_number_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
