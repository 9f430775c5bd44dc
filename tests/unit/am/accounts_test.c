/* SPDX-License-Identifier: Apache-2.0
 * Accounts: who is above whom, who may charge them, the order of use. */
#include "kit.h"

static int try_account(struct bank *b, struct am_account a)
{
    int result = am_account_set(&b->am, &a, &b->err);

    bank_check(b);
    return result;
}

static void an_unknown_name_is_told_with_the_nearest(void **state)
{
    struct bank *b = *state;
    struct am_balance balance;

    account(b, "chemistry");
    assert_int_equal(try_lien(b, "j", "chemistri", 1), -1);
    bank_says(b, "no account 'chemistri'; did you mean 'chemistry'?");
    assert_int_equal(b->err.code, ERR_NOT_FOUND);
    assert_int_equal(am_balance(&b->am, "x", NULL, 0, &balance, &b->err), -1);
    assert_string_equal(b->err.text, "no account 'x'");
}

static void names_without_blanks_only(void **state)
{
    struct bank *b = *state;

    assert_int_equal(try_account(b, (struct am_account){.name = "a b"}), -1);
    assert_int_equal(try_account(b, (struct am_account){.name = ""}), -1);
    assert_int_equal(try_account(b, (struct am_account){.name = "a,b"}), -1);
    assert_int_equal(
        try_account(b, (struct am_account){.name = "a", .only = "usr=ann"}), -1);
}

static void no_account_is_above_itself(void **state)
{
    struct bank *b = *state;

    account(b, "a");
    open_account(b, (struct am_account){.name = "b", .parent = "a"});
    open_account(b, (struct am_account){.name = "c", .parent = "b"});
    assert_int_equal(
        try_account(b, (struct am_account){.name = "a", .parent = "c"}), -1);
    bank_says(b, "account a would be above itself");
    assert_int_equal(
        try_account(b, (struct am_account){.name = "a", .parent = "a"}), -1);
    assert_int_equal(
        try_account(b, (struct am_account){.name = "d", .parent = "d"}), -1);
    bank_says(b, "no account 'd'");
    open_account(b, (struct am_account){.name = "c", .parent = "a"});
    open_account(b, (struct am_account){.name = "b", .parent = "c"});
}

static void an_account_is_for_its_members(void **state)
{
    const struct am_use ann = {.user = "ann"}, bob = {.user = "bob", .class = "long"};
    struct am_lien l = {
        .run = "j", .account = "chem", .most = CREDITS(1), .use = bob, .until_at = 1};
    struct bank *b = *state;

    open_account(b, (struct am_account){.name = "chem", .only = "user=ann"});
    deposit(b, "chem", CREDITS(10), AM_EVER);
    bank_expect(b, am_lien(&b->am, &l, NULL, &b->err), -1);
    assert_string_equal(b->err.text, "account chem is not for user bob in class long");
    assert_int_equal(b->err.code, ERR_DENIED);
    l.use = ann;
    bank_expect(b, am_lien(&b->am, &l, NULL, &b->err), AM_DONE);
}

static void a_deposit_for_some_is_used_by_them_alone_and_first(void **state)
{
    const struct am_use ann = {.user = "ann"}, bob = {.user = "bob"};
    struct am_lien l = {.run = "bob.0",
        .account = "chem",
        .most = CREDITS(15),
        .use = bob,
        .until_at = 1};
    struct bank *b = *state;
    int64_t general, anns;

    account(b, "chem");
    general = deposit(b, "chem", CREDITS(10), AM_EVER);
    anns = put_deposit(
        b, (struct am_deposit){
               .account = "chem", .amount = CREDITS(10), .only = "user=ann"});
    assert_int_equal(balance_for(b, "chem", &ann).available, CREDITS(20));
    assert_int_equal(balance_for(b, "chem", &bob).available, CREDITS(10));
    assert_int_equal(available(b, "chem"), CREDITS(20));
    bank_expect(b, am_lien(&b->am, &l, NULL, &b->err), AM_REFUSED);
    l.run = "ann.0";
    l.use = ann;
    bank_expect(b, am_lien(&b->am, &l, NULL, &b->err), AM_DONE);
    expect_held(b, anns, CREDITS(10));
    expect_held(b, general, CREDITS(5));
}

static void the_nearer_account_is_used_before_one_that_ends_earlier(void **state)
{
    struct bank *b = *state;
    int64_t of_parent, own_late, own_early, own_second;

    account(b, "inst");
    open_account(
        b, (struct am_account){.name = "chem", .parent = "inst", .overflow = true});
    of_parent = deposit(b, "inst", CREDITS(10), 100);
    own_late = deposit(b, "chem", CREDITS(10), AM_EVER);
    own_early = deposit(b, "chem", CREDITS(10), 200);
    own_second = deposit(b, "chem", CREDITS(10), 200);
    lien(b, "j", "chem", CREDITS(12));
    expect_held(b, own_early, CREDITS(10));
    expect_held(b, own_second, CREDITS(2));
    lien(b, "k", "chem", CREDITS(20));
    expect_held(b, own_late, CREDITS(10));
    expect_held(b, of_parent, CREDITS(2));
}

static void three_levels_are_drawn_on_as_long_as_each_overflows(void **state)
{
    struct bank *b = *state;
    struct am_balance balance;

    account(b, "site");
    open_account(
        b, (struct am_account){.name = "inst", .parent = "site", .overflow = true});
    open_account(
        b, (struct am_account){.name = "chem", .parent = "inst", .overflow = true});
    deposit(b, "site", CREDITS(100), AM_EVER);
    deposit(b, "inst", CREDITS(10), AM_EVER);
    deposit(b, "chem", CREDITS(1), AM_EVER);
    balance = balance_for(b, "chem", NULL);
    assert_int_equal(balance.available, CREDITS(111));
    assert_int_equal(balance.own_available, CREDITS(1));
    open_account(b, (struct am_account){.name = "inst", .parent = "site"});
    assert_int_equal(available(b, "chem"), CREDITS(11));
    refuse_lien(b, "j", "chem", CREDITS(12), "needs 12 credits, 11 left in chem");
}

static void a_closed_account_keeps_what_is_open_and_takes_nothing_new(void **state)
{
    const struct am_deposit more = {.account = "chem", .amount = 1, .to_at = AM_EVER};
    struct bank *b = *state;
    struct am_request req;

    account(b, "chem");
    deposit(b, "chem", CREDITS(100), AM_EVER);
    lien(b, "j", "chem", CREDITS(10));
    open_account(b, (struct am_account){.name = "chem", .closed = true});
    assert_int_equal(try_lien(b, "k", "chem", CREDITS(1)), -1);
    bank_says(b, "account chem is closed");
    req = bank_request(b);
    bank_expect(b, am_deposit(&b->am, &req, &more, NULL, &b->err), -1);
    end_run(b, "j", CREDITS(7));
    expect_balance(b, 1, CREDITS(93));
    assert_int_equal(available(b, "chem"), 0);
    account(b, "chem");
    assert_int_equal(available(b, "chem"), CREDITS(93));
}

static void a_closed_parent_gives_nothing(void **state)
{
    struct bank *b = *state;

    account(b, "inst");
    open_account(
        b, (struct am_account){.name = "chem", .parent = "inst", .overflow = true});
    deposit(b, "inst", CREDITS(100), AM_EVER);
    assert_int_equal(available(b, "chem"), CREDITS(100));
    open_account(b, (struct am_account){.name = "inst", .closed = true});
    assert_int_equal(available(b, "chem"), 0);
}

static void children_get_their_share_of_each_deposit(void **state)
{
    struct bank *b = *state;

    account(b, "inst");
    open_account(
        b, (struct am_account){.name = "a", .parent = "inst", .share = 333333});
    open_account(
        b, (struct am_account){.name = "b", .parent = "inst", .share = 500000});
    open_account(b, (struct am_account){.name = "c", .parent = "b", .share = 1000000});
    open_account(b, (struct am_account){.name = "d", .parent = "inst"});
    put_deposit(b, (struct am_deposit){.account = "inst",
                       .amount = CREDITS(100) + 1,
                       .credit_limit = CREDITS(7),
                       .to_at = 1000});
    assert_int_equal(available(b, "a"), MILLI(33333)); /* of 100.001, rounded down */
    assert_int_equal(available(b, "b"), 0);
    assert_int_equal(available(b, "c"), MILLI(50000));
    assert_int_equal(available(b, "d"), 0);
    assert_int_equal(available(b, "inst"), MILLI(16668) + CREDITS(7));
    b->now = 1000;
    assert_int_equal(available(b, "c"), 0);
    assert_int_equal(transactions(b), 1);
}

static void shares_come_to_all_at_most(void **state)
{
    struct bank *b = *state;

    account(b, "inst");
    open_account(
        b, (struct am_account){.name = "a", .parent = "inst", .share = 600000});
    assert_int_equal(
        try_account(
            b, (struct am_account){.name = "b", .parent = "inst", .share = 400001}),
        -1);
    bank_says(b, "0.400000 of what inst gets is left");
    open_account(
        b, (struct am_account){.name = "a", .parent = "inst", .share = 700000});
    assert_int_equal(
        try_account(b, (struct am_account){.name = "b", .parent = "inst", .share = -1}),
        -1);
    assert_int_equal(
        try_account(b, (struct am_account){.name = "alone", .share = 1}), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BANK_TEST(an_unknown_name_is_told_with_the_nearest),
        BANK_TEST(names_without_blanks_only),
        BANK_TEST(no_account_is_above_itself),
        BANK_TEST(an_account_is_for_its_members),
        BANK_TEST(a_deposit_for_some_is_used_by_them_alone_and_first),
        BANK_TEST(the_nearer_account_is_used_before_one_that_ends_earlier),
        BANK_TEST(three_levels_are_drawn_on_as_long_as_each_overflows),
        BANK_TEST(a_closed_account_keeps_what_is_open_and_takes_nothing_new),
        BANK_TEST(a_closed_parent_gives_nothing),
        BANK_TEST(children_get_their_share_of_each_deposit),
        BANK_TEST(shares_come_to_all_at_most),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
