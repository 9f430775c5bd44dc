/* SPDX-License-Identifier: Apache-2.0
 * Deposits, withdrawals, transfers, expiry, statements. */
#include "kit.h"

static int try_deposit(struct bank *b, struct am_deposit d)
{
    struct am_request req = bank_request(b);
    int result = am_deposit(&b->am, &req, &d, NULL, &b->err);

    bank_check(b);
    return result;
}

static int try_withdraw(
    struct bank *b, const char *name, int64_t number, int64_t amount)
{
    struct am_request req = bank_request(b);
    int result = am_withdraw(&b->am, &req, name, number, amount, &b->err);

    bank_check(b);
    return result;
}

static int try_transfer(struct bank *b, struct am_transfer t)
{
    struct am_request req = bank_request(b);
    int result = am_transfer(&b->am, &req, &t, &b->err);

    bank_check(b);
    return result;
}

static void a_deposit_is_valid_from_its_beginning_up_to_its_end(void **state)
{
    struct bank *b = *state;

    account(b, "chem");
    put_deposit(
        b, (struct am_deposit){
               .account = "chem", .amount = CREDITS(5), .from_at = 10, .to_at = 20});
    b->now = 9;
    assert_int_equal(available(b, "chem"), 0);
    refuse_lien(b, "j", "chem", 1, "chem has no deposit that can be used now");
    b->now = 10;
    assert_int_equal(available(b, "chem"), CREDITS(5));
    b->now = 19;
    assert_int_equal(available(b, "chem"), CREDITS(5));
    b->now = 20;
    assert_int_equal(available(b, "chem"), 0);
}

static void wrong_deposits_are_refused_with_what_is_wrong(void **state)
{
    struct bank *b = *state;
    struct am_deposit d = {.account = "chem", .amount = CREDITS(1), .to_at = AM_EVER};

    account(b, "chem");
    b->now = 100;
    d.to_at = 100;
    assert_int_equal(try_deposit(b, d), -1);
    bank_says(b, "ended 00:00:00 (days:hours:minutes:seconds) ago");
    d.from_at = 300;
    d.to_at = 200;
    assert_int_equal(try_deposit(b, d), -1);
    bank_says(b, "has to end after its beginning");
    d.from_at = INT64_MAX / 4; /* as INFINITY is told */
    d.to_at = AM_EVER;
    assert_int_equal(try_deposit(b, d), -1);
    bank_says(b, "expected dates up to");
    d.from_at = 0;
    d.to_at = AM_EVER - 1;
    assert_int_equal(try_deposit(b, d), -1);
    bank_says(b, "expected dates up to");
    d.to_at = AM_EVER;
    d.amount = 0;
    assert_int_equal(try_deposit(b, d), -1);
    bank_says(b, "0 credits: expected from 0.001 to");
    d.amount = -1;
    assert_int_equal(try_deposit(b, d), -1);
    d.amount = AM_LARGEST + 1;
    assert_int_equal(try_deposit(b, d), -1);
    d.amount = 1;
    d.credit_limit = -1;
    assert_int_equal(try_deposit(b, d), -1);
    d.credit_limit = 0;
    d.only = "who=ann";
    assert_int_equal(try_deposit(b, d), -1);
    d.only = NULL;
    d.account = "bio";
    assert_int_equal(try_deposit(b, d), -1);
    assert_int_equal(transactions(b), 0);
}

static void no_more_is_granted_than_can_be_counted(void **state)
{
    struct bank *b = *state;
    struct am_deposit d = {.account = "chem", .amount = AM_LARGEST, .to_at = AM_EVER};

    account(b, "chem");
    for (int i = 0; i < 40; i++)
        put_deposit(b, d);
    assert_int_equal(try_deposit(b, d), -1);
    bank_says(b, "beyond what is counted");
    assert_int_equal(transactions(b), 40);
    lien(b, "j", "chem", AM_LARGEST);
}

/* What is moved to and fro adds up in a day, though no balance does. */
static void no_more_is_moved_in_a_day_than_can_be_counted(void **state)
{
    struct bank *b = *state;
    static const char *const names[] = {"chem", "inst"};
    struct am_transfer t = {.amount = AM_LARGEST};
    int result = AM_DONE, i;

    account(b, "chem");
    account(b, "inst");
    deposit(b, "chem", AM_LARGEST, AM_EVER);
    for (i = 0; result == AM_DONE && i < 200; i++) {
        struct am_request req = bank_request(b);
        t.from = names[i % 2];
        t.to = names[1 - i % 2];
        result = am_transfer(&b->am, &req, &t, &b->err);
    }
    assert_int_equal(result, -1);
    bank_says(b, "beyond what is counted");
    assert_true(i > 40);
    assert_int_equal(store_commit(b->kit->store, &b->err), 0);
    b->now += 86400;
    struct am_request req = bank_request(b);
    assert_int_equal(am_transfer(&b->am, &req, &t, &b->err), AM_DONE);
}

static void limits_of_many_deposits_do_not_wrap(void **state)
{
    struct bank *b = *state;
    const struct am_deposit d = {
        .account = "chem", .amount = 1, .credit_limit = AM_LARGEST, .to_at = AM_EVER};
    struct am_balance has = {0};

    account(b, "chem");
    for (int i = 0; i < 100; i++)
        put_deposit(b, d);
    assert_int_equal(am_balance(&b->am, "chem", NULL, b->now, &has, &b->err), 0);
    assert_int_equal(has.balance, 100);
    assert_true(has.credit_limit == INT64_MAX && has.available == INT64_MAX);
    assert_true(has.own_available == INT64_MAX && has.held == 0);
}

static void only_what_is_available_is_withdrawn(void **state)
{
    struct bank *b = *state;

    account(b, "inst");
    open_account(
        b, (struct am_account){.name = "chem", .parent = "inst", .overflow = true});
    deposit(b, "inst", CREDITS(1000), AM_EVER);
    deposit(b, "chem", CREDITS(60), 5000);
    deposit(b, "chem", CREDITS(40), AM_EVER);
    lien(b, "j", "chem", CREDITS(70));
    assert_int_equal(try_withdraw(b, "chem", 0, CREDITS(30) + 1), AM_REFUSED);
    bank_says(
        b, "needs 30.001 credits, 100 left in chem, 70 of them kept for 1 running");
    assert_int_equal(try_withdraw(b, "chem", 2, 1), AM_REFUSED);
    assert_int_equal(try_withdraw(b, "chem", 1, 1), -1); /* of another account */
    bank_says(b, "account chem has no deposit 1 that can be used now");
    assert_int_equal(try_withdraw(b, "chem", 0, CREDITS(10)), AM_DONE);
    expect_balance(b, 3, CREDITS(30));
    assert_int_equal(try_withdraw(b, "chem", 3, CREDITS(20)), AM_DONE);
    expect_balance(b, 3, CREDITS(10));
    assert_int_equal(try_withdraw(b, "chem", 0, 0), -1);
}

static void a_closed_account_can_be_emptied(void **state)
{
    struct bank *b = *state;

    account(b, "chem");
    deposit(b, "chem", CREDITS(60), AM_EVER);
    open_account(b, (struct am_account){.name = "chem", .closed = true});
    assert_int_equal(try_withdraw(b, "chem", 0, CREDITS(60)), AM_DONE);
    expect_balance(b, 1, 0);
}

static void a_transfer_keeps_the_dates_of_each_deposit(void **state)
{
    struct bank *b = *state;
    struct ledger_deposit d;

    account(b, "chem");
    account(b, "bio");
    deposit(b, "chem", CREDITS(10), 5000);
    put_deposit(
        b, (struct am_deposit){
               .account = "chem", .amount = CREDITS(10), .from_at = 0, .to_at = 9000});
    b->now = 100;
    assert_int_equal(
        try_transfer(b,
            (struct am_transfer){.from = "chem", .to = "bio", .amount = CREDITS(15)}),
        AM_DONE);
    d = deposit_row(b, 3);
    assert_int_equal(d.balance, CREDITS(10));
    assert_int_equal(d.to_at, 5000);
    d = deposit_row(b, 4);
    assert_int_equal(d.balance, CREDITS(5));
    assert_int_equal(d.to_at, 9000);
    assert_int_equal(available(b, "chem"), CREDITS(5));
    assert_int_equal(available(b, "bio"), CREDITS(15));
}

static void a_transfer_may_have_dates_of_its_own(void **state)
{
    struct bank *b = *state;

    account(b, "chem");
    account(b, "bio");
    deposit(b, "chem", CREDITS(10), 5000);
    assert_int_equal(try_transfer(b, (struct am_transfer){.from = "chem",
                                         .to = "bio",
                                         .amount = CREDITS(10),
                                         .dated = true,
                                         .from_at = 7000,
                                         .to_at = 8000}),
        AM_DONE);
    assert_int_equal(deposit_row(b, 2).from_at, 7000);
    assert_int_equal(deposit_row(b, 2).to_at, 8000);
}

static void wrong_transfers_move_nothing(void **state)
{
    struct bank *b = *state;
    struct am_transfer t = {.from = "chem", .to = "bio", .amount = CREDITS(11)};

    account(b, "chem");
    account(b, "bio");
    deposit(b, "chem", CREDITS(10), AM_EVER);
    assert_int_equal(try_transfer(b, t), AM_REFUSED);
    t.amount = 0;
    assert_int_equal(try_transfer(b, t), -1);
    t.amount = 1;
    t.to = "chem";
    assert_int_equal(try_transfer(b, t), -1);
    bank_says(b, "from chem to itself nothing moves");
    t.to = "boi";
    assert_int_equal(try_transfer(b, t), -1);
    t.to = "bio";
    t.dated = true;
    assert_int_equal(try_transfer(b, t), -1);
    open_account(b, (struct am_account){.name = "bio", .closed = true});
    t.dated = false;
    assert_int_equal(try_transfer(b, t), -1);
    assert_int_equal(transactions(b), 1);
}

static int see_expiry(
    void *arg, const struct ledger_leg *leg, const struct ledger_txn *of)
{
    if (strcmp(of->kind, "expire") == 0) {
        assert_int_equal(of->at, *(int64_t *)arg);
        assert_int_equal(leg->amount, CREDITS(-10));
        return 1;
    }
    return 0;
}

static void expiry_is_dated_by_the_end_however_late_it_is_seen(void **state)
{
    struct bank *b = *state;
    struct am_statement s;
    int64_t end = 5000;

    account(b, "chem");
    deposit(b, "chem", CREDITS(10), end);
    am_init(&b->am, b->kit->store); /* the daemon was away */
    b->now = 900000;
    clock_to(b, 900060);
    assert_int_equal(am_statement(&b->am, &(struct am_period){"chem", 0, AM_EVER}, &s,
                         see_expiry, &end, NULL),
        1);
    assert_int_equal(at_place(b, "expired", "chem"), CREDITS(10));
}

static void nothing_expires_before_its_end(void **state)
{
    struct bank *b = *state;

    account(b, "chem");
    deposit(b, "chem", CREDITS(10), 5000);
    clock_to(b, 4999);
    assert_int_equal(at_place(b, "expired", "chem"), 0);
    clock_to(b, 5000);
    assert_int_equal(at_place(b, "expired", "chem"), CREDITS(10));
    assert_int_equal(transactions(b), 2);
    clock_to(b, 9000);
    assert_int_equal(transactions(b), 2);
}

static void a_debt_stays_and_is_paid_only_if_wanted(void **state)
{
    struct bank *b = *state;
    struct am_deposit more = {.account = "chem", .amount = CREDITS(10)};

    account(b, "chem");
    deposit(b, "chem", CREDITS(10), 5000);
    charge_so_far(b, "j", "chem", CREDITS(14), true); /* 1 at -4 */
    clock_to(b, 6000);
    expect_balance(b, 1, CREDITS(-4));
    charge_so_far(b, "k", "chem", CREDITS(3), true); /* no deposit is valid */
    assert_int_equal(balance_for(b, "chem", NULL).owed, CREDITS(-7));
    put_deposit(b, more);
    assert_int_equal(available(b, "chem"), CREDITS(10));
    more.carry_debt = true;
    put_deposit(b, more);
    expect_balance(b, 1, 0);
    assert_int_equal(at_place(b, "over", "chem"), 0);
    assert_int_equal(balance_for(b, "chem", NULL).owed, 0);
    assert_int_equal(available(b, "chem"), CREDITS(13));
}

static void a_deposit_smaller_than_the_debt_goes_into_it(void **state)
{
    struct bank *b = *state;

    account(b, "chem");
    charge_so_far(b, "j", "chem", CREDITS(14), true);
    put_deposit(b, (struct am_deposit){
                       .account = "chem", .amount = CREDITS(5), .carry_debt = true});
    assert_int_equal(at_place(b, "over", "chem"), CREDITS(-9));
    assert_int_equal(available(b, "chem"), 0);
}

static struct am_statement statement(struct bank *b, int64_t from_at, int64_t to_at)
{
    struct am_statement s;

    bank_expect(b,
        am_statement(&b->am, &(struct am_period){"chem", from_at, to_at}, &s, NULL,
            NULL, &b->err),
        0);
    assert_int_equal(s.opening + s.credits - s.debits, s.closing);
    return s;
}

static void statements_follow_on_each_other(void **state)
{
    static const int64_t at[] = {0, 1, 50, 100, 101, 4000, 5000, 5001, 9000};
    struct bank *b = *state;
    int64_t closing = 0;

    account(b, "chem");
    deposit(b, "chem", CREDITS(10), 5000);
    b->now = 100;
    charge_so_far(b, "j", "chem", CREDITS(3), true);
    clock_to(b, 4000);
    refund(b, "j", CREDITS(1));
    clock_to(b, 6000);
    for (size_t i = 1; i < sizeof at / sizeof *at; i++) {
        assert_int_equal(statement(b, at[i - 1], at[i]).opening, closing);
        closing = statement(b, at[i - 1], at[i]).closing;
    }
    assert_int_equal(statement(b, 100, 101).debits, CREDITS(3));
    assert_int_equal(statement(b, 5000, 5001).debits, CREDITS(8));
    assert_int_equal(statement(b, 0, 0).closing, 0);
    assert_int_equal(am_statement(&b->am, &(struct am_period){"chem", 2, 1},
                         &(struct am_statement){0}, NULL, NULL, NULL),
        -1);
}

struct told {
    int64_t amounts[20];
    int n;
};

static int note_amount(
    void *arg, const struct ledger_leg *leg, const struct ledger_txn *of)
{
    struct told *t = arg;

    (void)of;
    t->amounts[t->n++] = leg->amount;
    return 0;
}

static void a_statement_comes_in_pages_with_the_sums_of_all(void **state)
{
    struct bank *b = *state;
    struct am_period of = {.account = "chem", .from_at = 100, .to_at = 200, .most = 3};
    struct told told = {.n = 0};
    struct am_statement s = {.more = true};
    int pages = 0;

    account(b, "chem");
    b->now = 50;
    deposit(b, "chem", CREDITS(1000), AM_EVER);
    for (int i = 0; i < 7; i++) {
        b->now = 100 + i / 2; /* some at the same instant */
        deposit(b, "chem", CREDITS(i + 1), AM_EVER);
    }
    for (; s.more; pages++) {
        bank_expect(b, am_statement(&b->am, &of, &s, note_amount, &told, &b->err), 0);
        assert_int_equal(s.opening, CREDITS(1000));
        assert_int_equal(s.credits, CREDITS(28));
        of.after = s.last;
    }
    assert_int_equal(pages, 3);
    assert_int_equal(told.n, 7);
    for (int i = 0; i < 7; i++)
        assert_int_equal(told.amounts[i], CREDITS(i + 1));
}

static void a_transfer_is_for_whom_the_credits_were(void **state)
{
    struct bank *b = *state;
    const struct am_use ann = {.user = "ann"}, bob = {.user = "bob"};
    const struct am_transfer t = {.from = "chem",
        .to = "bio",
        .amount = CREDITS(15),
        .dated = true,
        .to_at = 9000};
    struct am_request req;

    account(b, "chem");
    account(b, "bio");
    put_deposit(b, (struct am_deposit){
                       .account = "chem", .amount = CREDITS(10), .only = "user=ann"});
    put_deposit(b, (struct am_deposit){.account = "chem", .amount = CREDITS(20)});
    req = bank_request(b);
    bank_expect(b, am_transfer(&b->am, &req, &t, &b->err), AM_DONE);
    assert_int_equal(balance_for(b, "bio", &ann).available, CREDITS(15));
    assert_int_equal(balance_for(b, "bio", &bob).available, CREDITS(5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BANK_TEST(a_deposit_is_valid_from_its_beginning_up_to_its_end),
        BANK_TEST(wrong_deposits_are_refused_with_what_is_wrong),
        BANK_TEST(no_more_is_granted_than_can_be_counted),
        BANK_TEST(no_more_is_moved_in_a_day_than_can_be_counted),
        BANK_TEST(limits_of_many_deposits_do_not_wrap),
        BANK_TEST(only_what_is_available_is_withdrawn),
        BANK_TEST(a_closed_account_can_be_emptied),
        BANK_TEST(a_transfer_keeps_the_dates_of_each_deposit),
        BANK_TEST(a_transfer_may_have_dates_of_its_own),
        BANK_TEST(wrong_transfers_move_nothing),
        BANK_TEST(expiry_is_dated_by_the_end_however_late_it_is_seen),
        BANK_TEST(nothing_expires_before_its_end),
        BANK_TEST(a_debt_stays_and_is_paid_only_if_wanted),
        BANK_TEST(a_deposit_smaller_than_the_debt_goes_into_it),
        BANK_TEST(statements_follow_on_each_other),
        BANK_TEST(a_statement_comes_in_pages_with_the_sums_of_all),
        BANK_TEST(a_transfer_is_for_whom_the_credits_were),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
