/* SPDX-License-Identifier: Apache-2.0
 * Whatever is told twice is booked once; what was refused leaves nothing; the same
 * calls give the same ledger. */
#include "kit.h"

/* One of each call, by number; what it answered goes to `ret`. */
static int call(struct bank *b, int which, int64_t *ret)
{
    const struct am_request reqs[] = {{"d", 10, "root", ""}, {"w", 20, "root", ""},
        {"t", 30, "root", ""}, {"q", 40, "root", ""}, {"f", 70, "root", ""}};
    const struct am_deposit d = {
        .account = "chem", .amount = CREDITS(100), .to_at = 5000, .label = "spring"};
    const struct am_transfer t = {.from = "chem", .to = "bio", .amount = CREDITS(20)};
    const struct am_quote q = {.account = "chem",
        .rates = "PROCS:1",
        .amount = CREDITS(1),
        .until_at = 900,
        .uses = 2};
    const struct am_lien l = {.run = "7.0",
        .account = "chem",
        .most = CREDITS(50),
        .at = 50,
        .until_at = 60,
        .quote = 1};
    const struct am_charge so_far = {.run = "7.0", .total = CREDITS(30), .at = 55};
    const struct am_charge end = {
        .run = "7.0", .total = CREDITS(40), .at = 60, .over = true};

    switch (which) {
    case 0:
        return am_deposit(&b->am, &reqs[0], &d, ret, &b->err);
    case 1:
        return am_withdraw(&b->am, &reqs[1], "chem", 0, CREDITS(5), &b->err);
    case 2:
        return am_transfer(&b->am, &reqs[2], &t, &b->err);
    case 3:
        return am_quote(&b->am, &reqs[3], &q, ret, &b->err);
    case 4:
        return am_lien(&b->am, &l, NULL, &b->err);
    case 5:
        return am_charge(&b->am, &so_far, &b->err);
    case 6:
        return am_charge(&b->am, &end, &b->err);
    case 7:
        return am_refund(&b->am, &reqs[4], "7.0", CREDITS(15), 0, &b->err);
    case 8:
        return am_release(&b->am, "7.0", 80, &b->err);
    default:
        return am_tick(&b->am, 5000, &b->err);
    }
}
#define CALLS 10

static void begin(struct bank *b)
{
    account(b, "chem");
    account(b, "bio");
    b->am.ticked_at = 4000;
}

static void every_call_that_is_repeated_changes_nothing(void **state)
{
    struct bank *b = *state;

    begin(b);
    for (int i = 0; i < CALLS; i++) {
        int64_t first = 0, second = 0;
        char *before;

        bank_expect(b, call(b, i, &first), AM_DONE);
        before = dump_ledger(b->kit->store);
        for (int again = 0; again <= i; again++) {
            /* a debit on the way that comes late is a total of before, unless the run
             * is over */
            if (again == 4 && i == 5)
                continue;
            bank_expect(b, call(b, again, &second), AM_DONE);
        }
        if (i == 0 || i == 3)
            assert_int_equal(first, 1);
        char *after = dump_ledger(b->kit->store);
        assert_string_equal(before, after);
        free(before);
        free(after);
    }
}

static void the_same_request_for_something_else_is_refused(void **state)
{
    const struct am_request req = {"d", 10, "root", ""}, none = {"", 10, "root", ""};
    const struct am_deposit d = {
        .account = "chem", .amount = CREDITS(101), .to_at = 5000, .label = "spring"};
    struct bank *b = *state;

    begin(b);
    bank_expect(b, call(b, 0, NULL), AM_DONE);
    bank_expect(b, am_deposit(&b->am, &req, &d, NULL, &b->err), -1);
    assert_int_equal(b->err.code, ERR_CONFLICT);
    bank_says(b, "request 'd' was something else (transaction 1)");
    bank_expect(b, am_withdraw(&b->am, &req, "chem", 0, 1, &b->err), -1);
    bank_expect(b, am_deposit(&b->am, &none, &d, NULL, &b->err), -1);
    bank_says(b, "a request needs an id");
    assert_int_equal(transactions(b), 1);
}

static void a_refused_request_may_be_tried_again(void **state)
{
    struct bank *b = *state;

    begin(b);
    bank_expect(b, call(b, 1, NULL), AM_REFUSED);
    bank_expect(b, call(b, 0, NULL), AM_DONE);
    bank_expect(b, call(b, 1, NULL), AM_DONE);
    expect_balance(b, 1, CREDITS(95));
}

static void what_was_refused_leaves_nothing_in_the_batch(void **state)
{
    struct bank *b = *state;
    char *before, *after;

    begin(b);
    bank_expect(b, call(b, 0, NULL), AM_DONE);
    kit_put(b->kit, "7", "{}"); /* of the same batch */
    before = dump_ledger(b->kit->store);
    assert_int_equal(try_lien(b, "x", "chem", CREDITS(101)), AM_REFUSED);
    assert_int_equal(try_lien(b, "x", "nobody", 1), -1);
    assert_int_equal(try_refund(b, "x", 1, 0), -1);
    after = dump_ledger(b->kit->store);
    assert_string_equal(before, after);
    free(before);
    free(after);
    kit_commit(b->kit);
    assert_string_equal(kit_get(b->kit, "7"), "{}");
}

static void the_same_calls_give_the_same_ledger(void **state)
{
    struct bank *b = *state;
    char *texts[2];

    for (int round = 0; round < 2; round++) {
        begin(b);
        for (int i = 0; i < CALLS; i++)
            bank_expect(b, call(b, i, NULL), AM_DONE);
        texts[round] = dump_ledger(b->kit->store);
        store_rollback(b->kit->store);
    }
    assert_string_equal(texts[0], texts[1]);
    free(texts[0]);
    free(texts[1]);
}

static void a_batch_that_is_given_up_gives_up_its_bookings(void **state)
{
    struct bank *b = *state;
    char *before, *after;

    begin(b);
    bank_expect(b, call(b, 0, NULL), AM_DONE);
    kit_commit(b->kit);
    before = dump_ledger(b->kit->store);
    for (int i = 1; i < CALLS; i++)
        bank_expect(b, call(b, i, NULL), AM_DONE);
    store_rollback(b->kit->store);
    after = dump_ledger(b->kit->store);
    assert_string_equal(before, after);
    free(before);
    free(after);
}

static void a_spoiled_batch_books_nothing(void **state)
{
    struct bank *b = *state;
    struct store *store = b->kit->store;

    begin(b);
    kit_commit(b->kit);
    store->spoiled = true; /* as after a write that failed */
    assert_int_equal(call(b, 0, NULL), -1);
    assert_int_equal(call(b, 4, NULL), -1);
    assert_int_equal(store_commit(store, &b->err), -1);
    assert_int_equal(transactions(b), 0);
    bank_expect(b, call(b, 0, NULL), AM_DONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BANK_TEST(every_call_that_is_repeated_changes_nothing),
        BANK_TEST(the_same_request_for_something_else_is_refused),
        BANK_TEST(a_refused_request_may_be_tried_again),
        BANK_TEST(what_was_refused_leaves_nothing_in_the_batch),
        BANK_TEST(the_same_calls_give_the_same_ledger),
        BANK_TEST(a_batch_that_is_given_up_gives_up_its_bookings),
        BANK_TEST(a_spoiled_batch_books_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
