/* SPDX-License-Identifier: Apache-2.0
 * The edge cases of our notes on allocation managers, section 10, as far as they are
 * the ledger's. */
#include "kit.h"

static void one(struct bank *b, int64_t to_at)
{
    account(b, "chem");
    deposit(b, "chem", CREDITS(100), to_at);
}

static void a_requeued_job_is_charged_and_its_next_run_is_another_10(void **state)
{
    struct bank *b = *state;

    one(b, AM_EVER);
    lien(b, "7.0", "chem", CREDITS(60));
    end_run(b, "7.0", CREDITS(10));
    lien(b, "7.1", "chem", CREDITS(60));
    expect_held(b, 1, CREDITS(60));
    end_run(b, "7.1", CREDITS(0)); /* SUCCESSFUL: what did not complete costs nothing */
    expect_balance(b, 1, CREDITS(90));
    expect_held(b, 1, 0);
}

static void a_suspended_job_keeps_its_lien_10(void **state)
{
    struct bank *b = *state;

    one(b, 5000);
    lien(b, "7.0", "chem", CREDITS(60));
    clock_to(b, 400000);
    expect_held(b, 1, CREDITS(60));
    expect_balance(b, 1, CREDITS(60));
    end_run(b, "7.0", CREDITS(60));
    expect_balance(b, 1, 0);
}

static void a_start_that_failed_is_not_a_run_10(void **state)
{
    struct bank *b = *state;

    one(b, AM_EVER);
    lien(b, "7.0", "chem", CREDITS(60));
    bank_expect(b, am_release(&b->am, "7.0", 5, &b->err), AM_DONE);
    expect_held(b, 1, 0);
    assert_int_equal(transactions(b), 1);
    lien(b, "7.0", "chem", CREDITS(60)); /* the order comes late: it is over */
    expect_held(b, 1, 0);
    bank_expect(b, am_release(&b->am, "8.0", 5, &b->err), AM_DONE); /* never heard of */
}

static void a_failed_node_is_refunded_by_one_command_10(void **state)
{
    struct bank *b = *state;

    one(b, AM_EVER);
    lien(b, "7.0", "chem", CREDITS(60));
    end_run(b, "7.0", CREDITS(31));
    refund(b, "7.0", CREDITS(31));
    expect_balance(b, 1, CREDITS(100));
    assert_int_equal(at_place(b, "usage", "chem"), 0);
}

static void members_of_an_array_have_liens_of_their_own_10(void **state)
{
    struct bank *b = *state;

    one(b, AM_EVER);
    lien(b, "7[1].0", "chem", CREDITS(40));
    lien(b, "7[2].0", "chem", CREDITS(40));
    refuse_lien(b, "7[3].0", "chem", CREDITS(40), "80 of them kept for 2 running jobs");
    end_run(b, "7[1].0", CREDITS(5));
    lien(b, "7[3].0", "chem", CREDITS(40));
}

static void what_expired_stays_expired_when_the_clock_goes_back_10(void **state)
{
    struct bank *b = *state;

    one(b, 5000);
    clock_to(b, 6000);
    assert_int_equal(at_place(b, "expired", "chem"), CREDITS(100));
    b->now = 1000;
    bank_expect(b, am_tick(&b->am, 1000, &b->err), 0);
    bank_expect(b, am_tick(&b->am, 1060, &b->err), 0);
    assert_int_equal(available(b, "chem"), 0);
    assert_int_equal(at_place(b, "expired", "chem"), CREDITS(100));
}

static void a_clock_far_ahead_for_a_moment_burns_nothing_10(void **state)
{
    struct bank *b = *state;

    one(b, 5000);
    lien(b, "7.0", "chem", CREDITS(10));
    clock_to(b, 1000);
    bank_expect(b, am_tick(&b->am, 1000 + 3601, &b->err), 0); /* and no end yet */
    for (int64_t ahead = 90000; ahead < 90000 + 3600; ahead += 60)
        bank_expect(b, am_tick(&b->am, ahead, &b->err), 0);
    charge_so_far(b, "7.0", NULL, CREDITS(3), true);
    bank_expect(b, am_tick(&b->am, 1060, &b->err), 0);
    bank_expect(b, am_tick(&b->am, 1120, &b->err), 0);
    b->now = 1120;
    assert_int_equal(at_place(b, "expired", "chem"), 0);
    assert_int_equal(available(b, "chem"), CREDITS(97));
}

static void a_clock_that_stays_ahead_is_believed_after_an_hour_10(void **state)
{
    struct bank *b = *state;

    one(b, 5000);
    clock_to(b, 1000);
    for (int64_t ahead = 90000; ahead <= 90000 + 3600; ahead += 60) {
        assert_int_equal(at_place(b, "expired", "chem"), 0);
        bank_expect(b, am_tick(&b->am, ahead, &b->err), 0);
    }
    assert_int_equal(at_place(b, "expired", "chem"), CREDITS(100));
}

static void liens_are_in_the_store_with_the_runs_10(void **state)
{
    struct bank *b = *state;

    one(b, AM_EVER);
    lien(b, "7.0", "chem", CREDITS(60));
    kit_commit(b->kit);
    kit_reopen(b->kit);
    am_init(&b->am, b->kit->store);
    expect_held(b, 1, CREDITS(60));
    lien(b, "7.0", "chem", CREDITS(60));
    expect_held(b, 1, CREDITS(60));
    end_run(b, "7.0", CREDITS(1));
    expect_balance(b, 1, CREDITS(99));
}

static void a_run_found_without_a_lien_gets_what_there_is_10(void **state)
{
    struct am_lien l = {.run = "7.0",
        .account = "chem",
        .most = CREDITS(150),
        .until_at = 60,
        .force = true};
    struct am_lien_answer answer;
    struct bank *b = *state;

    one(b, AM_EVER);
    bank_expect(b, am_lien(&b->am, &l, &answer, &b->err), AM_DONE);
    assert_int_equal(answer.kept, CREDITS(100));
    assert_int_equal(available(b, "chem"), 0);
    l.run = "8.0";
    bank_expect(b, am_lien(&b->am, &l, &answer, &b->err), AM_DONE);
    assert_int_equal(answer.kept, 0);
    end_run(b, "8.0", CREDITS(30)); /* nothing covers it */
    expect_balance(b, 1, CREDITS(70));
    end_run(b, "7.0", CREDITS(100));
    expect_balance(b, 1, CREDITS(-30));
}

static void a_lost_manager_is_corrected_at_the_end_10(void **state)
{
    struct bank *b = *state;

    one(b, AM_EVER);
    lien(b, "7.0", "chem", CREDITS(60));
    charge_so_far(b, "7.0", NULL, CREDITS(30), false); /* as planned */
    charge_so_far(b, "7.0", NULL, CREDITS(50), false);
    end_run(b, "7.0", CREDITS(12)); /* as it was */
    expect_balance(b, 1, CREDITS(88));
    assert_int_equal(at_place(b, "usage", "chem"), CREDITS(12));
    assert_int_equal(run_row(b, "7.0").charged, CREDITS(12));
}

static void a_correction_into_what_has_ended_expires_10(void **state)
{
    struct bank *b = *state;

    one(b, 5000);
    lien(b, "7.0", "chem", CREDITS(60));
    charge_so_far(b, "7.0", NULL, CREDITS(50), false);
    clock_to(b, 6000);
    charge_so_far(b, "7.0", NULL, CREDITS(40), false); /* kept for it again */
    expect_balance(b, 1, CREDITS(20));
    expect_held(b, 1, CREDITS(20));
    end_run(b, "7.0", CREDITS(10));
    expect_balance(b, 1, 0);
    assert_int_equal(at_place(b, "expired", "chem"), CREDITS(90));
}

static void a_debit_that_comes_after_the_end_is_none_10(void **state)
{
    struct bank *b = *state;

    one(b, AM_EVER);
    lien(b, "7.0", "chem", CREDITS(60));
    end_run(b, "7.0", CREDITS(12));
    charge_so_far(b, "7.0", NULL, CREDITS(11), false);
    charge_so_far(b, "7.0", NULL, CREDITS(13), true);
    expect_balance(b, 1, CREDITS(88));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BANK_TEST(a_requeued_job_is_charged_and_its_next_run_is_another_10),
        BANK_TEST(a_suspended_job_keeps_its_lien_10),
        BANK_TEST(a_start_that_failed_is_not_a_run_10),
        BANK_TEST(a_failed_node_is_refunded_by_one_command_10),
        BANK_TEST(members_of_an_array_have_liens_of_their_own_10),
        BANK_TEST(what_expired_stays_expired_when_the_clock_goes_back_10),
        BANK_TEST(a_clock_far_ahead_for_a_moment_burns_nothing_10),
        BANK_TEST(a_clock_that_stays_ahead_is_believed_after_an_hour_10),
        BANK_TEST(liens_are_in_the_store_with_the_runs_10),
        BANK_TEST(a_run_found_without_a_lien_gets_what_there_is_10),
        BANK_TEST(a_lost_manager_is_corrected_at_the_end_10),
        BANK_TEST(a_correction_into_what_has_ended_expires_10),
        BANK_TEST(a_debit_that_comes_after_the_end_is_none_10),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
