/* SPDX-License-Identifier: Apache-2.0
 * The worked numbers of our notes on allocation managers, section 9, in order. Prices
 * (1 to 3, 16) are in price_test.c. */
#include "kit.h"

/* 4: chem under inst with overflow, bio without; three deposits; j1 has its lien. */
static void begin_4(struct bank *b)
{
    account(b, "inst");
    open_account(
        b, (struct am_account){.name = "chem", .parent = "inst", .overflow = true});
    open_account(b, (struct am_account){.name = "bio", .parent = "inst"});
    assert_int_equal(deposit(b, "chem", CREDITS(100000), 1000000), 1);
    assert_int_equal(deposit(b, "chem", CREDITS(50000), 2000000), 2);
    assert_int_equal(deposit(b, "inst", CREDITS(500000), AM_EVER), 3);
    b->now = 10;
    lien(b, "j1", "chem", CREDITS(120000));
}

static void expect_free(struct bank *b, int64_t one, int64_t two, int64_t three)
{
    const int64_t expected[] = {one, two, three};

    for (int i = 0; i < 3; i++) {
        struct ledger_deposit d = deposit_row(b, i + 1);
        assert_int_equal(d.balance - d.held, expected[i]);
    }
}

static void begin_5(struct bank *b)
{
    begin_4(b);
    b->now = 2710;
    end_run(b, "j1", CREDITS(72000));
}

static void begin_6(struct bank *b)
{
    begin_5(b);
    b->now = 3000;
    lien(b, "j2", "chem", CREDITS(100000));
}

static void begin_8(struct bank *b)
{
    begin_6(b);
    b->now = 9000;
    end_run(b, "j2", CREDITS(110000));
}

static void begin_9(struct bank *b)
{
    begin_8(b);
    b->now = 9100;
    refund(b, "j2", CREDITS(50000));
}

static void liens_lie_on_what_ends_first_9_4(void **state)
{
    struct bank *b = *state;

    begin_4(b);
    expect_held(b, 1, CREDITS(100000));
    expect_held(b, 2, CREDITS(20000));
    expect_free(b, 0, CREDITS(30000), CREDITS(500000));
    assert_int_equal(available(b, "chem"), CREDITS(530000));
}

static void what_is_used_comes_from_the_first_part_of_the_lien_9_5(void **state)
{
    struct bank *b = *state;

    begin_5(b);
    expect_balance(b, 1, CREDITS(28000));
    expect_balance(b, 2, CREDITS(50000));
    expect_balance(b, 3, CREDITS(500000));
    expect_free(b, CREDITS(28000), CREDITS(50000), CREDITS(500000));
}

static void a_lien_overflows_into_the_parent_9_6(void **state)
{
    struct bank *b = *state;

    begin_6(b);
    expect_held(b, 1, CREDITS(28000));
    expect_held(b, 2, CREDITS(50000));
    expect_held(b, 3, CREDITS(22000));
}

static void without_deposit_and_overflow_nothing_is_kept_9_7(void **state)
{
    struct bank *b = *state;

    begin_6(b);
    refuse_lien(b, "j3", "bio", MILLI(1),
        "needs 0.001 credits; bio has no deposit that can be used now");
}

static void an_overrun_is_taken_from_the_next_in_order_9_8(void **state)
{
    struct bank *b = *state;

    begin_8(b);
    expect_balance(b, 1, 0);
    expect_balance(b, 2, 0);
    expect_balance(b, 3, CREDITS(468000));
    assert_int_equal(at_place(b, "usage", "chem"), CREDITS(182000));
}

static void a_refund_goes_back_last_taken_first_9_9(void **state)
{
    struct bank *b = *state;

    begin_9(b);
    expect_balance(b, 1, 0);
    expect_balance(b, 2, CREDITS(18000));
    expect_balance(b, 3, CREDITS(500000));
}

static struct am_statement statement(
    struct bank *b, const char *name, int64_t from_at, int64_t to_at)
{
    struct am_statement s;

    bank_expect(b,
        am_statement(
            &b->am, &(struct am_period){name, from_at, to_at}, &s, NULL, NULL, &b->err),
        0);
    assert_int_equal(s.opening + s.credits - s.debits, s.closing);
    return s;
}

static void a_statement_from_the_beginning_9_10(void **state)
{
    struct bank *b = *state;
    struct am_statement s;

    begin_9(b);
    s = statement(b, "chem", 0, 1000000);
    assert_int_equal(s.opening, 0);
    assert_int_equal(s.credits, CREDITS(168000));
    assert_int_equal(s.debits, CREDITS(150000));
    assert_int_equal(s.closing, CREDITS(18000));
}

static void a_statement_that_opens_with_something_9_11(void **state)
{
    struct bank *b = *state;
    struct am_statement s;

    begin_9(b);
    s = statement(b, "inst", 1, 1000000);
    assert_int_equal(s.opening, CREDITS(500000));
    assert_int_equal(s.credits, CREDITS(32000));
    assert_int_equal(s.debits, CREDITS(32000));
    assert_int_equal(s.closing, CREDITS(500000));
}

static void begin_12(struct bank *b)
{
    account(b, "chem");
    deposit(b, "chem", CREDITS(10000), 5000);
    b->now = 4000;
    lien(b, "j", "chem", CREDITS(8000));
    assert_int_equal(available(b, "chem"), CREDITS(2000));
    clock_to(b, 6000);
}

static void what_nobody_keeps_expires_9_12(void **state)
{
    struct bank *b = *state;

    begin_12(b);
    assert_int_equal(available(b, "chem"), 0);
    assert_int_equal(at_place(b, "expired", "chem"), CREDITS(2000));
    expect_balance(b, 1, CREDITS(8000));
}

static void what_is_left_of_a_lien_expires_at_its_end_9_13(void **state)
{
    struct bank *b = *state;

    begin_12(b);
    clock_to(b, 7000);
    end_run(b, "j", CREDITS(6000));
    assert_int_equal(at_place(b, "expired", "chem"), CREDITS(4000));
    expect_balance(b, 1, 0);
}

static void begin_14(struct bank *b)
{
    account(b, "chem");
    put_deposit(b,
        (struct am_deposit){
            .account = "chem", .amount = CREDITS(1000), .credit_limit = CREDITS(500)});
    assert_int_equal(available(b, "chem"), CREDITS(1500));
    refuse_lien(b, "j", "chem", CREDITS(1500) + 1,
        "needs 1,500.001 credits, 1,500 left in chem");
    lien(b, "j", "chem", CREDITS(1500));
}

static void a_lien_may_use_the_credit_limit_9_14(void **state)
{
    struct bank *b = *state;

    begin_14(b);
    assert_int_equal(available(b, "chem"), 0);
}

static void below_its_limit_an_account_waits_for_more_9_15(void **state)
{
    struct bank *b = *state;

    begin_14(b);
    end_run(b, "j", CREDITS(1600));
    expect_balance(b, 1, CREDITS(-600));
    assert_int_equal(available(b, "chem"), CREDITS(-100));
    deposit(b, "chem", CREDITS(100), AM_EVER);
    refuse_lien(b, "k", "chem", MILLI(1), "needs 0.001 credits, 0 left in chem");
    deposit(b, "chem", MILLI(1), AM_EVER);
    lien(b, "k", "chem", MILLI(1));
}

static void no_more_is_refunded_than_was_charged_9_17(void **state)
{
    struct bank *b = *state;

    begin_9(b);
    refund(b, "j2", CREDITS(50000) + 1);
    assert_int_equal(try_refund(b, "j2", CREDITS(10000), 0), AM_REFUSED);
    bank_says(b, "9,999.999 are left, not 10,000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BANK_TEST(liens_lie_on_what_ends_first_9_4),
        BANK_TEST(what_is_used_comes_from_the_first_part_of_the_lien_9_5),
        BANK_TEST(a_lien_overflows_into_the_parent_9_6),
        BANK_TEST(without_deposit_and_overflow_nothing_is_kept_9_7),
        BANK_TEST(an_overrun_is_taken_from_the_next_in_order_9_8),
        BANK_TEST(a_refund_goes_back_last_taken_first_9_9),
        BANK_TEST(a_statement_from_the_beginning_9_10),
        BANK_TEST(a_statement_that_opens_with_something_9_11),
        BANK_TEST(what_nobody_keeps_expires_9_12),
        BANK_TEST(what_is_left_of_a_lien_expires_at_its_end_9_13),
        BANK_TEST(a_lien_may_use_the_credit_limit_9_14),
        BANK_TEST(below_its_limit_an_account_waits_for_more_9_15),
        BANK_TEST(no_more_is_refunded_than_was_charged_9_17),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
