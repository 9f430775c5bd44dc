/* SPDX-License-Identifier: Apache-2.0
 * Jobs whose accounts another bank keeps: which bank a move is for, also of runs that
 * nobody saw begin or end, and when maui.cfg names another bank than before. */
#include "cmocka_all.h"
#include "engine/engine_private.h"
#include "funds/amount.h"
#include "scenario.h"

#include <string.h>

#define C(n) ((int64_t)(n)*AM_CREDIT)

#define ELSEWHERE                                                                      \
    "AMCFG[bank] TYPE=NATIVE SERVER=exec:///bin/true CHARGEPOLICY=DEBITALLWC\n"
#define BUILTIN "AMCFG[bank] TYPE=BUILTIN CHARGEPOLICY=DEBITALLWC\n"

static void tell(struct scenario *s, struct funds_facts facts)
{
    assert_int_equal(
        sc_apply(s, (struct event){.kind = EVENT_FUNDS, .u.funds = facts}, NULL), 0);
}

static struct scenario *begin(const char *lines)
{
    struct scenario *s = sc_create_with(lines);

    sc_nodes(s, 4, 1);
    tell(s, (struct funds_facts){0});
    return s;
}

static void add(struct scenario *s, const char *id, int64_t limit_s)
{
    sc_job(s,
        (struct sc_job){.id = id, .procs = 1, .limit_s = limit_s, .account = "chem"});
}

/* The last. */
static const struct money_move *move(struct scenario *s)
{
    size_t n;
    const struct money_move *m = engine_money(sc_engine(s), &n);

    assert_true(n > 0);
    return &m[n - 1];
}

static void a_run_that_nobody_saw_begin_is_for_the_bank_elsewhere(void **state)
{
    struct event ev = {.kind = EVENT_MISSED,
        .u.missed = {.job = {.id = "j",
                         .cred = {[CRED_USER] = "ann", [CRED_ACCOUNT] = "chem"},
                         .wclimit_s = 100,
                         .reqs = &(struct req_desc){.tasks = 1, .per_task = {{1}}},
                         .nreqs = 1,
                         .start_at = 10},
            .end_at = 60,
            .how = EV_COMPLETE}};
    struct scenario *s = begin(ELSEWHERE);
    struct err err = {0};

    (void)state;
    sc_at(s, 100);
    assert_int_equal(sc_apply(s, ev, &err), 0);
    assert_true(move(s)->elsewhere && move(s)->kind == MONEY_CHARGE);
    assert_int_equal(move(s)->total, C(50));
    assert_int_equal(move(s)->seconds, 50);
    sc_destroy(s);
}

/* A run of a former life, of a job that nobody knows. */
static void tell_stranger(struct scenario *s, bool unsent)
{
    const struct funds_run run = {.run = "gone.r1",
        .job = "gone",
        .account = "chem",
        .most = C(600),
        .since_at = 100,
        .until_at = 700,
        .elsewhere = true,
        .unsent = unsent};

    tell(s, (struct funds_facts){.runs = &run, .nruns = 1, .runs_ever = 1});
}

static void a_start_that_was_never_sent_costs_nothing(void **state)
{
    const struct funds_end end = {"gone.r1", 250, true};

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct scenario *s = begin(ELSEWHERE);
        tell_stranger(s, i > 0);
        tell(s, (struct funds_facts){
                    .known = true, .seen_at = 400, .ends = &end, .nends = i == 2});
        assert_true(move(s)->elsewhere);
        assert_int_equal(move(s)->kind, i == 1 ? MONEY_RELEASE : MONEY_CHARGE);
        assert_int_equal(move(s)->total, i == 1 ? 0 : C(i ? 150 : 300));
        assert_int_equal(move(s)->seconds, i == 1 ? 0 : i ? 150 : 300);
        charging_check(sc_engine(s));
        sc_destroy(s);
    }
}

static void what_starts_now_is_not_the_start_that_was_never_sent(void **state)
{
    struct scenario *s = begin(ELSEWHERE);
    const struct money_move *m;
    size_t n;

    (void)state;
    tell_stranger(s, true);
    add(s, "gone", 100);
    sc_at(s, 50);
    m = engine_money(sc_engine(s), &n);
    assert_int_equal(n, 2);
    assert_int_equal(m[0].kind, MONEY_RELEASE);
    assert_string_equal(m[0].run, "gone.r1");
    assert_int_equal(m[1].kind, MONEY_LIEN);
    assert_string_equal(m[1].run, "gone.r2");
    charging_check(sc_engine(s));
    sc_destroy(s);
}

/* The bank has 400 of 500 kept for the run that is to leave, and refuses as much beside
 * it; or what it says comes after that is over. */
static void who_is_refused_for_what_its_own_run_keeps_is_asked_again(void **state)
{
    const struct event left = {.kind = EVENT_LEFT, .u.left.id = "j"};
    const struct event refused = {.kind = EVENT_START_FAILED,
        .u.failed = {
            .id = "j", .reason = REASON_NOALLOCATION, .text = "Insufficient balance"}};

    (void)state;
    for (int late = 0; late < 2; late++) {
        struct scenario *s = sc_create_with(
            "AMCFG[bank] TYPE=NATIVE SERVER=exec:///bin/true CHARGEPOLICY=DEBITALLWC "
            "JFACTION=CANCEL\n");
        struct actions acts = {0};
        sc_options(s)->stops_told = true;
        sc_nodes(s, 4, 1);
        tell(s, (struct funds_facts){0});
        add(s, "j", 400);
        sc_at(s, 0);
        sc_at(s, 50);
        assert_int_equal(sc_apply(s,
                             (struct event){.kind = EVENT_PREEMPT,
                                 .u.preempt = {.id = "j", .how = PREEMPT_REQUEUE}},
                             NULL),
            0);
        engine_cycle(sc_engine(s), 50, &acts);
        assert_true(job_is_active(sc_find(s, "j")));
        assert_int_equal(sc_apply(s, late ? left : refused, NULL), 0);
        assert_int_equal(sc_apply(s, late ? refused : left, NULL), 0);
        assert_int_equal(sc_find(s, "j")->state, JOB_IDLE);
        assert_int_equal(sc_find(s, "j")->holds, HOLD_DEFER); /* for a minute */
        assert_true(sc_find(s, "j")->retries);
        charging_check(sc_engine(s));
        vec_fini(&acts);
        sc_destroy(s);
    }
}

/* Runs stay with the bank that they began with, balances are those of the own one. */
static void another_bank_in_force_takes_new_runs_alone(void **state)
{
    const struct funds_deposit d = {.id = 1, .to_at = INT64_MAX, .balance = C(1000)};
    const struct funds_account a = {.name = "chem", .deposits = &d, .n = 1};
    struct scenario *s = begin(ELSEWHERE);
    const struct funds *f = sc_engine(s)->c->funds;
    struct funds_left left;

    (void)state;
    add(s, "old", 500);
    sc_at(s, 0);
    sc_configure(s, BUILTIN);
    sc_job(
        s, (struct sc_job){.id = "odd", .procs = 1, .limit_s = 50, .account = "bio"});
    add(s, "new", 100);
    sc_at(s, 10);
    assert_int_equal(sc_start(s, "odd"), -1); /* the own bank does not know bio */
    assert_int_equal(sc_start(s, "new"), -1); /* nor chem yet */
    tell(s, (struct funds_facts){.accounts = &a, .n = 1});
    sc_at(s, 20);
    assert_int_equal(sc_start(s, "new"), 20);
    assert_false(move(s)->elsewhere);
    sc_at(s, 130);
    sc_cancel(s, "old");
    assert_true(move(s)->elsewhere && move(s)->kind == MONEY_CHARGE);
    funds_ask(f, funds_account(f, "chem"), NULL, 200, 0, &left);
    assert_int_equal(left.available, C(900)); /* new alone */
    charging_check(sc_engine(s));
    sc_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_that_nobody_saw_begin_is_for_the_bank_elsewhere),
        cmocka_unit_test(a_start_that_was_never_sent_costs_nothing),
        cmocka_unit_test(what_starts_now_is_not_the_start_that_was_never_sent),
        cmocka_unit_test(who_is_refused_for_what_its_own_run_keeps_is_asked_again),
        cmocka_unit_test(another_bank_in_force_takes_new_runs_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
