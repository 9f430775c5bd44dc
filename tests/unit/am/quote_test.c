/* SPDX-License-Identifier: Apache-2.0
 * Quotes: what was promised holds, for as long and as often as it was promised. */
#include "kit.h"

static int try_quote(struct bank *b, struct am_quote q, int64_t *number)
{
    struct am_request req = bank_request(b);
    int result = am_quote(&b->am, &req, &q, number, &b->err);

    bank_check(b);
    return result;
}

static int64_t quote(struct bank *b, int64_t uses, const char *job)
{
    int64_t number = 0;

    bank_expect(b,
        try_quote(b,
            (struct am_quote){.account = "chem",
                .rates = "PROCS:0.5",
                .amount = CREDITS(10),
                .until_at = 1000,
                .uses = uses,
                .job = job},
            &number),
        AM_DONE);
    return number;
}

static void begin(struct bank *b)
{
    account(b, "chem");
    deposit(b, "chem", CREDITS(100), AM_EVER);
}

static int see_rates(void *arg, const struct ledger_run *row)
{
    snprintf(arg, 40, "%s", row->rates);
    return 1;
}

/* The rates that the run has got. */
static const char *rates_of(
    struct bank *b, const char *run, int64_t number, const char *job, bool is_void)
{
    static _Thread_local char rates[40];
    const struct am_lien l = {.run = run,
        .account = "chem",
        .most = CREDITS(10),
        .at = b->now,
        .until_at = b->now + 60,
        .rates = "PROCS:1",
        .quote = number,
        .job = job};
    const struct ledger_which which = {.run = run};
    struct am_lien_answer answer;

    bank_expect(b, am_lien(&b->am, &l, &answer, &b->err), AM_DONE);
    assert_int_equal(answer.quote_void, is_void);
    assert_int_equal(answer.kept, CREDITS(10));
    assert_int_equal(ledger_runs(b->kit->store, &which, see_rates, rates, NULL), 1);
    return rates;
}

static void the_rates_of_a_quote_hold_as_often_as_it_says(void **state)
{
    struct bank *b = *state;
    int64_t number;

    begin(b);
    number = quote(b, 2, NULL);
    assert_string_equal(rates_of(b, "1.0", number, "1", false), "PROCS:0.5");
    assert_string_equal(rates_of(b, "2.0", number, "2", false), "PROCS:0.5");
    assert_string_equal(rates_of(b, "3.0", number, "3", true), "PROCS:1");
    assert_string_equal(rates_of(b, "4.0", 0, "4", false), "PROCS:1");
}

static void a_quote_is_used_once_by_a_lien_that_is_told_again(void **state)
{
    struct bank *b = *state;
    int64_t number;

    begin(b);
    number = quote(b, 2, NULL);
    for (int i = 0; i < 3; i++)
        assert_string_equal(rates_of(b, "1.0", number, "1", false), "PROCS:0.5");
    assert_string_equal(rates_of(b, "2.0", number, "2", false), "PROCS:0.5");
}

static void all_runs_of_a_job_are_one_use(void **state)
{
    struct bank *b = *state;
    int64_t number;

    begin(b);
    number = quote(b, 1, NULL);
    assert_string_equal(rates_of(b, "1.0", number, "1", false), "PROCS:0.5");
    end_run(b, "1.0", CREDITS(1));
    assert_string_equal(rates_of(b, "2.0", number, "2", true), "PROCS:1");
    assert_string_equal(rates_of(b, "1.1", number, "1", false), "PROCS:0.5");
    assert_string_equal(rates_of(b, "11.0", number, "11", true), "PROCS:1");
    /* it was not the first run that came to nothing */
    bank_expect(b, am_release(&b->am, "1.1", 0, &b->err), AM_DONE);
    assert_string_equal(rates_of(b, "2.1", number, "2", true), "PROCS:1");
}

static void a_start_that_fails_uses_no_quote(void **state)
{
    struct bank *b = *state;
    int64_t number;

    begin(b);
    number = quote(b, 1, NULL);
    for (int i = 0; i < 2; i++) {
        const char *run = i ? "1.1" : "1.0";
        assert_string_equal(rates_of(b, run, number, "1", false), "PROCS:0.5");
        bank_expect(b, am_release(&b->am, run, 0, &b->err), AM_DONE);
        bank_expect(b, am_release(&b->am, run, 0, &b->err), AM_DONE);
    }
    assert_string_equal(rates_of(b, "2.0", number, "2", false), "PROCS:0.5");
    assert_string_equal(rates_of(b, "3.0", number, "3", true), "PROCS:1");
}

static void an_invalid_quote_is_told_and_of_no_effect(void **state)
{
    struct bank *b = *state;
    int64_t pinned, other;

    begin(b);
    account(b, "bio");
    deposit(b, "bio", CREDITS(100), AM_EVER);
    pinned = quote(b, 9, "7");
    bank_expect(b,
        try_quote(b,
            (struct am_quote){
                .account = "bio", .amount = 1, .until_at = 1000, .uses = 9},
            &other),
        AM_DONE);
    assert_string_equal(rates_of(b, "7.0", pinned, "7", false), "PROCS:0.5");
    assert_string_equal(rates_of(b, "8.0", pinned, "8", true), "PROCS:1");
    assert_string_equal(rates_of(b, "9.0", pinned, NULL, true), "PROCS:1");
    assert_string_equal(rates_of(b, "10.0", other, "10", true), "PROCS:1");
    assert_string_equal(rates_of(b, "11.0", 99, "11", true), "PROCS:1");
    b->now = 1000;
    assert_string_equal(rates_of(b, "7.1", pinned, "7", true), "PROCS:1");
}

static void a_refused_lien_uses_no_quote(void **state)
{
    struct bank *b = *state;
    struct am_lien l = {
        .run = "1.0", .account = "chem", .most = CREDITS(101), .until_at = 60};

    begin(b);
    l.quote = quote(b, 1, NULL);
    bank_expect(b, am_lien(&b->am, &l, NULL, &b->err), AM_REFUSED);
    assert_string_equal(rates_of(b, "1.0", l.quote, "1", false), "PROCS:0.5");
}

static void a_quote_needs_credits_an_end_and_a_use(void **state)
{
    struct bank *b = *state;
    struct am_quote q = {
        .account = "chem", .amount = CREDITS(101), .until_at = 9, .uses = 1};
    int64_t number = -7;

    begin(b);
    assert_int_equal(try_quote(b, q, &number), AM_REFUSED);
    bank_says(b, "needs 101 credits, 100 left in chem");
    q.amount = CREDITS(100);
    q.uses = 0;
    assert_int_equal(try_quote(b, q, &number), -1);
    q.uses = 1;
    q.until_at = 0;
    assert_int_equal(try_quote(b, q, &number), -1);
    q.until_at = 9;
    q.amount = -1;
    assert_int_equal(try_quote(b, q, &number), -1);
    q.amount = 0;
    q.account = "cehm";
    assert_int_equal(try_quote(b, q, &number), -1);
    assert_int_equal(number, -7);
}

static void a_quote_keeps_nothing(void **state)
{
    struct bank *b = *state;

    begin(b);
    quote(b, 1, NULL);
    quote(b, 1, NULL);
    assert_int_equal(available(b, "chem"), CREDITS(100));
    assert_int_equal(transactions(b), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BANK_TEST(the_rates_of_a_quote_hold_as_often_as_it_says),
        BANK_TEST(a_quote_is_used_once_by_a_lien_that_is_told_again),
        BANK_TEST(all_runs_of_a_job_are_one_use),
        BANK_TEST(a_start_that_fails_uses_no_quote),
        BANK_TEST(an_invalid_quote_is_told_and_of_no_effect),
        BANK_TEST(a_refused_lien_uses_no_quote),
        BANK_TEST(a_quote_needs_credits_an_end_and_a_use),
        BANK_TEST(a_quote_keeps_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
