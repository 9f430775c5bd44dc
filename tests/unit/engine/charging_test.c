/* SPDX-License-Identifier: Apache-2.0
 * Jobs and their accounts' credits: who waits for what, what is kept, what is charged,
 * and what the bank is told to write. */
#include "../../property/rng.h"
#include "cmocka_all.h"
#include "engine/engine_private.h"
#include "funds/amount.h"
#include "policy/bank.h"
#include "policy/reason.h"
#include "scenario.h"

#include <stdio.h>
#include <string.h>

#define C(n) ((int64_t)(n)*AM_CREDIT)

#define BANK "AMCFG[bank] TYPE=BUILTIN CHARGEPOLICY=DEBITALLWC "

static void tell_balance(struct scenario *s, const char *account, int64_t balance)
{
    struct funds_deposit d = {.id = *account, .to_at = INT64_MAX, .balance = balance};
    struct funds_account a = {.name = account, .deposits = &d, .n = 1};
    struct err err = {0};

    assert_int_equal(
        sc_apply(s,
            (struct event){.kind = EVENT_FUNDS, .u.funds = {.accounts = &a, .n = 1}},
            &err),
        0);
}

/* Four processors; account chem with so many credits. */
static struct scenario *begin(const char *lines, int64_t credits)
{
    struct scenario *s = sc_create_with(lines);

    sc_nodes(s, 4, 1);
    tell_balance(s, "chem", C(credits));
    return s;
}

static int64_t balance(struct scenario *s)
{
    const struct funds *f = sc_engine(s)->c->funds;

    return funds_account_now(f, funds_account(f, "chem")).deposits[0].balance;
}

static int64_t held(struct scenario *s)
{
    const struct funds *f = sc_engine(s)->c->funds;

    return funds_account_now(f, funds_account(f, "chem")).deposits[0].held;
}

static void add(struct scenario *s, const char *id, uint32_t procs, int64_t limit_s,
    int64_t run_s, const char *account)
{
    sc_job(s, (struct sc_job){.id = id,
                  .procs = procs,
                  .limit_s = limit_s,
                  .run_s = run_s,
                  .account = account});
}

static void check_why(struct scenario *s, const char *id, const char *expected)
{
    char text[300];
    const struct reason *why = engine_why(sc_engine(s), sc_find(s, id));

    reason_format(sc_engine(s)->c, why, text, sizeof text);
    assert_string_equal(text, expected);
}

static void what_a_limit_can_come_to_is_kept_and_what_was_used_is_charged(void **state)
{
    struct scenario *s = begin(BANK "\n", 1000);

    (void)state;
    add(s, "j", 2, 100, 60, "chem");
    sc_at(s, 0);
    assert_int_equal(held(s), C(200));
    assert_int_equal(balance(s), C(1000));
    sc_run(s);
    assert_int_equal(held(s), 0);
    assert_int_equal(balance(s), C(880));
    sc_destroy(s);
}

static void check_blocks_nobody(const char *lines)
{
    struct scenario *s = begin(lines, 150);

    tell_balance(s, "bio", C(1000));
    add(s, "a", 1, 100, 100, "chem");
    add(s, "poor", 3, 100, 100, "chem");
    add(s, "rich", 3, 100, 100, "bio");
    sc_at(s, 0);
    assert_int_equal(sc_start(s, "a"), 0);
    assert_int_equal(sc_start(s, "rich"), 0);
    check_why(s, "poor",
        "needs 300 credits, 150 left in chem, 100 of them kept for 1 running job");
    sc_run(s);
    assert_int_equal(sc_start(s, "poor"), -1);
    check_why(s, "poor", "needs 300 credits, 50 left in chem");
    tell_balance(s, "chem", C(300));
    sc_at(s, 500);
    assert_int_equal(sc_start(s, "poor"), 500);
    sc_destroy(s);
}

static void a_job_without_funds_waits_with_numbers_and_blocks_nobody(void **state)
{
    (void)state;
    check_blocks_nobody(BANK "\n");
    check_blocks_nobody(BANK "\nBACKFILLPOLICY PLAN\nPROMISEHORIZON SUBMIT\n");
}

static void what_starts_in_the_same_cycle_counts(void **state)
{
    struct scenario *s = begin(BANK "\n", 250);

    (void)state;
    add(s, "a", 1, 100, 50, "chem");
    add(s, "b", 1, 100, 50, "chem");
    add(s, "c", 1, 100, 50, "chem");
    sc_at(s, 0);
    assert_int_equal(sc_start(s, "a"), 0);
    assert_int_equal(sc_start(s, "b"), 0);
    assert_int_equal(sc_start(s, "c"), -1);
    sc_run(s);
    assert_int_equal(sc_start(s, "c"), 50); /* 150 are left by then */
    assert_int_equal(balance(s), C(100));
    sc_destroy(s);
}

static void accounts_that_cannot_pay_are_told_apart(void **state)
{
    struct scenario *s = begin(BANK "\n", 250);

    (void)state;
    add(s, "none", 1, 100, 50, NULL);
    add(s, "unknown", 1, 100, 50, "nosuch");
    sc_at(s, 0);
    check_why(s, "none",
        "needs 100 credits, and this job has no account that could pay (msub -A, or "
        "ADEF of its user)");
    check_why(s, "unknown", "needs 100 credits, and the bank knows no account nosuch");
    sc_destroy(s);
}

static void a_requeued_job_pays_for_what_it_used_and_begins_anew(void **state)
{
    struct scenario *s = begin(BANK "\n", 1000);

    (void)state;
    add(s, "j", 1, 100, 80, "chem");
    sc_at(s, 30);
    assert_int_equal(sc_report(s, "j", JOB_IDLE, NULL, NULL), 0);
    assert_int_equal(balance(s), C(970));
    assert_int_equal(held(s), 0);
    sc_run(s);
    assert_int_equal(held(s), 0);
    assert_true(balance(s) <= C(970 - 50));
    sc_destroy(s);
}

static void who_is_cancelled_pays_by_policy(void **state)
{
    static const struct {
        const char *policy;
        int64_t left;
    } rows[] = {
        {"DEBITALLWC", 970}, {"DEBITSUCCESSFULWC", 1000}, {"DEBITREQUESTEDWC", 900}};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        char lines[100];
        snprintf(lines, sizeof lines, "AMCFG[x] TYPE=BUILTIN CHARGEPOLICY=%s\n",
            rows[i].policy);
        struct scenario *s = begin(lines, 1000);
        add(s, "j", 1, 100, 80, "chem");
        sc_at(s, 30);
        sc_cancel(s, "j");
        assert_int_equal(balance(s), C(rows[i].left));
        assert_int_equal(held(s), 0);
        sc_destroy(s);
    }
}

static void memory_costs_what_its_rate_says(void **state)
{
    struct scenario *s = sc_create_with(BANK "RATES=PROCS:1,MEM:0.001\n");
    struct req_desc req = {.per_task.v[RES_PROCS] = 1, .tasks = 2};

    (void)state;
    req.per_task.v[RES_MEM] = 500;
    sc_node(s,
        &(struct node_desc){.name = "m", .cfg.v = {[RES_PROCS] = 4, [RES_MEM] = 4000}});
    tell_balance(s, "chem", C(1000));
    sc_job(
        s, (struct sc_job){.id = "j", .limit_s = 100, .account = "chem", .req = &req});
    sc_at(s, 0);
    assert_int_equal(held(s), C(300)); /* (2 + 1000 x 0.001) x 100 */
    sc_destroy(s);
}

static void a_class_and_a_qos_multiply_the_price(void **state)
{
    struct scenario *s =
        begin(BANK "\nCLASSCFG[fast] CHARGERATE=1.5\n"
                   "QOSCFG[hi] CHARGERATE=2\nCLASSCFG[free] CHARGERATE=0\n"
                   "USERCFG[ann] QLIST=hi\n",
            1000);

    (void)state;
    sc_job(s, (struct sc_job){.id = "j",
                  .procs = 1,
                  .limit_s = 100,
                  .account = "chem",
                  .user = "ann",
                  .cls = "fast",
                  .qos = "hi"});
    sc_at(s, 0);
    assert_int_equal(held(s), C(300));
    sc_run(s);
    sc_job(s,
        (struct sc_job){
            .id = "k", .procs = 1, .limit_s = 100, .account = "chem", .cls = "free"});
    sc_at(s, sc_now(s));
    assert_int_equal(held(s), 0);
    assert_int_equal(balance(s), C(700));
    sc_destroy(s);
}

static int set_qos(struct scenario *s, const char *qos, bool admin)
{
    struct event ev = {.kind = EVENT_QOS};
    struct err err;

    ev.u.qos.id = "j";
    ev.u.qos.qos = qos;
    ev.u.qos.admin = admin;
    return sc_apply(s, ev, &err);
}

static void nobody_takes_a_cheaper_qos_just_before_the_end(void **state)
{
    struct scenario *s = begin(BANK "\nQOSCFG[hi] CHARGERATE=2\nQOSCFG[lo] PRIORITY=1\n"
                                    "USERCFG[ann] QLIST=hi,lo\n",
        1000);

    (void)state;
    sc_job(s, (struct sc_job){.id = "j",
                  .procs = 1,
                  .limit_s = 100,
                  .account = "chem",
                  .user = "ann",
                  .qos = "hi"});
    sc_at(s, 0);
    sc_at(s, 50);
    assert_int_equal(set_qos(s, "lo", false), -1);
    assert_int_equal(set_qos(s, "hi", false), 0);
    assert_int_equal(held(s), C(200));
    assert_int_equal(set_qos(s, "lo", true), 0);
    assert_int_equal(set_qos(s, "hi", false), 0); /* it may cost more */
    sc_destroy(s);
}

static void a_fallback_account_pays_for_who_cannot(void **state)
{
    struct scenario *s = begin(BANK "FALLBACKACCOUNT=spare\n", 50);

    (void)state;
    tell_balance(s, "spare", C(1000));
    add(s, "j", 1, 100, 80, "chem");
    sc_at(s, 0);
    assert_string_equal(
        job_cred(sc_engine(s)->c, sc_find(s, "j"), CRED_ACCOUNT)->name, "spare");
    sc_run(s);
    assert_true(sc_start(s, "j") >= 0);
    assert_int_equal(balance(s), C(50));
    sc_destroy(s);
}

static void who_has_no_funds_is_deferred_or_cancelled_where_the_site_says_so(
    void **state)
{
    (void)state;
    struct scenario *s = begin(BANK "JFACTION=DEFER\n", 50);
    add(s, "j", 1, 100, 80, "chem");
    sc_at(s, 0);
    assert_int_equal(sc_find(s, "j")->holds, HOLD_DEFER);
    assert_int_equal(sc_find(s, "j")->hold_reason, REASON_NOALLOCATION);
    assert_string_equal(sc_said(s, "j"), "needs 100 credits, more than chem has left");
    sc_destroy(s);
    s = begin(BANK "JFACTION=CANCEL\n", 50);
    add(s, "j", 1, 100, 80, "chem");
    sc_at(s, 0);
    assert_true(!sc_find(s, "j") || sc_find(s, "j")->state >= JOB_COMPLETED);
    assert_string_equal(sc_said(s, "j"), "needs 100 credits, more than chem has left");
    sc_destroy(s);
}

static void without_a_bank_nothing_is_asked(void **state)
{
    struct scenario *s = begin("AMCFG[bank] TYPE=NONE\n", 0);

    (void)state;
    add(s, "j", 1, 100, 80, "chem");
    sc_run(s);
    assert_int_equal(sc_start(s, "j"), 0);
    assert_int_equal(balance(s), 0);
    sc_destroy(s);
}

static void a_deposit_that_begins_lets_jobs_start(void **state)
{
    struct scenario *s = begin(BANK "\n", 0);
    struct funds_deposit d = {
        .id = 2, .from_at = 500, .to_at = INT64_MAX, .balance = C(100)};
    struct funds_account a = {.name = "chem", .deposits = &d, .n = 1};

    (void)state;
    assert_int_equal(
        sc_apply(s,
            (struct event){.kind = EVENT_FUNDS, .u.funds = {.accounts = &a, .n = 1}},
            NULL),
        0);
    add(s, "j", 1, 100, 80, "chem");
    sc_run(s);
    assert_int_equal(sc_start(s, "j"), 500);
    sc_destroy(s);
}

static void tell_funds(struct scenario *s, struct funds_facts facts)
{
    assert_int_equal(
        sc_apply(s, (struct event){.kind = EVENT_FUNDS, .u.funds = facts}, NULL), 0);
}

static void who_runs_when_the_bank_opens_gets_a_lien_and_pays(void **state)
{
    struct scenario *s = sc_create_with("AMCFG[bank] TYPE=NONE\n");

    (void)state;
    sc_nodes(s, 4, 1);
    add(s, "j", 1, 100, 80, "chem");
    add(s, "k", 1, 100, 80, NULL);
    sc_at(s, 10);
    sc_configure(s, BANK "\n");
    tell_balance(s, "chem", C(1000));
    tell_funds(s, (struct funds_facts){.known = true});
    assert_int_equal(held(s), C(100));
    tell_funds(s, (struct funds_facts){.known = true});
    assert_int_equal(held(s), C(100)); /* once */
    sc_run(s);
    assert_int_equal(held(s), 0);
    assert_int_equal(balance(s), C(920));
    sc_destroy(s);
}

/* chem has 1000, 600 of them kept for a run from 100 to 700 of a job nobody knows. */
static void tell_stranger(struct scenario *s)
{
    static const struct funds_deposit d = {
        .id = 1, .to_at = INT64_MAX, .balance = C(1000), .held = C(600)};
    static const struct funds_account a = {.name = "chem", .deposits = &d, .n = 1};
    static const struct funds_lien lien = {1, C(600)};
    static const struct funds_run run = {.run = "gone.r1",
        .job = "gone",
        .account = "chem",
        .most = C(600),
        .since_at = 100,
        .until_at = 700,
        .liens = &lien,
        .n = 1};

    tell_funds(
        s, (struct funds_facts){
               .accounts = &a, .n = 1, .runs = &run, .nruns = 1, .runs_ever = 1});
}

static void a_run_whose_end_nobody_saw_pays_up_to_when_it_was_seen_last(void **state)
{
    static const struct {
        const char *policy;
        int64_t seen_at, left;
    } rows[] = {{"DEBITALLWC", 400, 700}, {"DEBITALLWC", 9000, 400},
        {"DEBITALLWC", 0, 1000}, {"DEBITSUCCESSFULWC", 400, 1000}};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        char lines[100];
        size_t n;
        snprintf(lines, sizeof lines, "AMCFG[x] TYPE=BUILTIN CHARGEPOLICY=%s\n",
            rows[i].policy);
        struct scenario *s = sc_create_with(lines);
        sc_nodes(s, 4, 1);
        tell_stranger(s);
        tell_funds(s, (struct funds_facts){.known = true, .seen_at = rows[i].seen_at});
        assert_int_equal(balance(s), C(rows[i].left));
        assert_int_equal(held(s), 0);
        const struct money_move *m = engine_money(sc_engine(s), &n);
        assert_int_equal(n, 1);
        assert_true(m->unseen && m->kind == MONEY_CHARGE);
        assert_string_equal(m->job, "gone");
        assert_int_equal(m->total, C(1000 - rows[i].left));
        sc_destroy(s);
    }
}

static void who_waits_and_goes_has_no_part_in_a_run_of_a_former_life(void **state)
{
    const struct event ends[] = {
        {.kind = EVENT_CANCEL,
            .u.end = {.id = "gone", .how = EV_VANISH, .left_at = 450}},
        {.kind = EVENT_CANCEL,
            .u.end = {.id = "gone", .how = EV_VANISH, .unbegun = true}}};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct scenario *s = sc_create_with(BANK "\n");
        sc_nodes(s, 4, 1);
        tell_stranger(s);
        sc_job(s, (struct sc_job){.id = "gone",
                      .procs = 1,
                      .limit_s = 100,
                      .account = "chem",
                      .release_at = 9000});
        sc_at(s, 450);
        assert_int_equal(sc_apply(s, ends[i], &(struct err){0}), 0);
        charging_check(sc_engine(s));
        tell_funds(s, (struct funds_facts){.known = true, .seen_at = 400});
        assert_int_equal(balance(s), C(700));
        assert_int_equal(held(s), 0);
        sc_destroy(s);
    }
}

static void a_run_whose_end_the_accounting_has_pays_until_then(void **state)
{
    const struct funds_end ends[] = {{"other.r9", 150, true}, {"gone.r1", 250, true}};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct scenario *s = sc_create_with("AMCFG[x] TYPE=BUILTIN\n");
        sc_nodes(s, 4, 1);
        tell_stranger(s);
        tell_funds(s, (struct funds_facts){
                          .known = true, .seen_at = 600, .ends = ends, .nends = 1 + i});
        assert_int_equal(balance(s), C(i ? 850 : 1000)); /* successful ones pay */
        sc_destroy(s);
    }
}

static void what_a_job_may_run_over_is_kept_too(void **state)
{
    struct scenario *s = begin("JOBMAXOVERRUN 50\n" BANK "\n", 149);

    (void)state;
    add(s, "j", 1, 100, 80, "chem");
    sc_at(s, 0);
    check_why(s, "j", "needs 150 credits, 149 left in chem");
    tell_balance(s, "chem", C(150));
    sc_at(s, 10);
    assert_int_equal(held(s), C(150));
    sc_destroy(s);
}

static void a_long_job_pays_on_its_way(void **state)
{
    struct scenario *s = begin(BANK "FLUSHINTERVAL=1:00:00\n", 100000);

    (void)state;
    add(s, "j", 2, 20000, 9000, "chem");
    sc_at(s, 0);
    assert_int_equal(held(s), C(40000));
    sc_at(s, 3599);
    assert_int_equal(balance(s), C(100000));
    sc_at(s, 3600);
    assert_int_equal(balance(s), C(100000 - 7200));
    assert_int_equal(held(s), C(40000 - 7200));
    sc_at(s, 8000);
    assert_int_equal(balance(s), C(100000 - 14400)); /* up to 7200 */
    sc_run(s);
    assert_int_equal(balance(s), C(100000 - 18000)); /* no more than at once */
    assert_int_equal(held(s), 0);
    sc_destroy(s);
}

/* A start may wait for nodes that others are to leave: what is paid meanwhile would
 * stay paid if the daemon is killed before it comes about. */
static void who_has_not_begun_pays_nothing_on_its_way(void **state)
{
    struct scenario *s = sc_create_with(BANK "FLUSHINTERVAL=1:00:00\n");
    struct err err = {0};

    (void)state;
    struct engine_options *options = sc_options(s);
    options->starts_told = true;
    sc_nodes(s, 4, 1);
    options->starts_told = false; /* by this test */
    tell_balance(s, "chem", C(100000));
    add(s, "j", 2, 20000, 9000, "chem");
    sc_at(s, 0);
    assert_int_equal(sc_find(s, "j")->state, JOB_STARTING);
    sc_at(s, 4000);
    assert_int_equal(balance(s), C(100000));
    assert_int_equal(held(s), C(40000));
    assert_int_equal(sc_report(s, "j", JOB_RUNNING, NULL, &err), 0);
    sc_at(s, 7200);
    assert_int_equal(balance(s), C(100000 - 14400)); /* since the start */
    sc_destroy(s);
}

static void who_was_gone_before_it_was_told_pays_until_then(void **state)
{
    struct scenario *s = begin(BANK "\n", 1000);
    struct err err = {0};

    (void)state;
    add(s, "j", 2, 400, 390, "chem");
    sc_at(s, 0);
    sc_at(s, 300);
    assert_int_equal(sc_apply(s,
                         (struct event){.kind = EVENT_CANCEL,
                             .u.end = {.id = "j", .how = EV_VANISH, .left_at = 40}},
                         &err),
        0);
    assert_int_equal(balance(s), C(920));
    assert_int_equal(held(s), 0);
    sc_destroy(s);
}

static void who_was_to_leave_and_stayed_is_charged_once(void **state)
{
    struct event requeue = {
        .kind = EVENT_PREEMPT, .u.preempt = {.id = "j", .how = PREEMPT_REQUEUE}};

    (void)state;
    for (int stays = 0; stays < 2; stays++) {
        struct scenario *s = sc_create_with(BANK "\n");
        sc_options(s)->stops_told = true;
        sc_nodes(s, 4, 1);
        tell_balance(s, "chem", C(1000));
        sc_at(s, 10);
        add(s, "j", 2, 400, 100, "chem");
        sc_cycle(s);
        sc_at(s, 11);
        sc_at(s, 70);
        if (stays)
            sc_refuse_stop(s, "j");
        assert_int_equal(sc_apply(s, requeue, &(struct err){0}), 0);
        assert_int_equal(balance(s), C(1000)); /* nobody has said that it left */
        assert_int_equal(held(s), C(800));
        sc_hold(s, "j", HOLD_USER, "root"); /* it does not begin at once again */
        sc_cycle(s);
        assert_int_equal(balance(s), C(stays ? 1000 : 880));
        assert_int_equal(held(s), stays ? C(800) : 0);
        sc_release(s, "j", HOLD_USER, "root");
        sc_run(s);
        assert_int_equal(balance(s), C(stays ? 800 : 680));
        assert_int_equal(held(s), 0);
        sc_destroy(s);
    }
}

/* Job j on two processors since 10, with 800 credits kept of 1000; at 70 it is to wait
 * again, and nobody has said that it does. */
static struct scenario *begin_requeue(const char *lines)
{
    struct event requeue = {
        .kind = EVENT_PREEMPT, .u.preempt = {.id = "j", .how = PREEMPT_REQUEUE}};
    struct scenario *s = sc_create_with(lines);

    sc_options(s)->stops_told = true;
    sc_nodes(s, 4, 1);
    tell_balance(s, "chem", C(1000));
    tell_balance(s, "spare", C(5000));
    sc_at(s, 10);
    add(s, "j", 2, 400, 100, "chem");
    sc_cycle(s);
    sc_at(s, 70);
    assert_int_equal(sc_apply(s, requeue, &(struct err){0}), 0);
    return s;
}

static void who_lacks_what_its_own_run_keeps_just_waits(void **state)
{
    static const char *const lines[] = {BANK "JFACTION=CANCEL\n",
        BANK "JFACTION=DEFER\n", BANK "FALLBACKACCOUNT=spare\n"};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct scenario *s = begin_requeue(lines[i]);
        sc_cycle(s); /* its turn comes; then it is told that it left */
        assert_non_null(sc_find(s, "j"));
        assert_int_equal(sc_find(s, "j")->state, JOB_IDLE);
        assert_int_equal(sc_find(s, "j")->holds, 0);
        assert_int_equal(balance(s), C(880));
        sc_cycle(s);
        sc_run(s);
        assert_int_equal(balance(s), C(680));
        assert_int_equal(held(s), 0);
        sc_destroy(s);
    }
}

/* The shell tells it then, and no cycle comes before. */
static void happen_at(struct scenario *s, int64_t at, struct event ev)
{
    ev.at = at;
    assert_int_equal(engine_apply(sc_engine(s), &ev, NULL, &(struct err){0}), 0);
}

static void a_bank_that_is_switched_off_charges_who_leaves_after_that(void **state)
{
    const struct event waits = {
        .kind = EVENT_JOB_STATE, .u.job_state = {.id = "j", .state = JOB_IDLE}};
    const struct event left = {.kind = EVENT_LEFT, .u.left.id = "j"};
    struct scenario *s = begin_requeue(BANK "\n");
    struct actions acts = {0};

    (void)state;
    sc_configure(s, "AMCFG[bank] TYPE=NONE CHARGEPOLICY=DEBITALLWC\n");
    engine_cycle(sc_engine(s), 90, &acts);
    assert_true(job_is_active(sc_find(s, "j"))); /* another start waits behind that */
    happen_at(s, 95, waits);                     /* and is taken back */
    happen_at(s, 96, left);
    assert_int_equal(balance(s), C(880));
    assert_int_equal(held(s), 0);
    charging_check(sc_engine(s));
    vec_fini(&acts);
    sc_destroy(s);
}

static void a_run_is_charged_at_the_rates_of_its_start(void **state)
{
    static const struct {
        const char *word;
        int64_t left;
    } rows[] = {{"", 920}, {"RATESAT=START", 920}, {"RATESAT=USE", 840}};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        char lines[200], later[240];
        snprintf(lines, sizeof lines, BANK "%s\n", rows[i].word);
        snprintf(later, sizeof later, BANK "%s RATES=PROCS:2\n", rows[i].word);
        struct scenario *s = begin(lines, 1000);
        add(s, "j", 1, 100, 80, "chem");
        sc_at(s, 10);
        sc_configure(s, later);
        sc_run(s);
        assert_int_equal(balance(s), C(rows[i].left));
        sc_destroy(s);
    }
}

static void a_node_may_cost_more_than_another(void **state)
{
    struct scenario *s = begin(BANK "\nNODECFG[n1] CHARGERATE=3\n", 500);

    (void)state;
    add(s, "dear", 2, 100, 100, "chem"); /* one on n1, one on n2: it may cost 600 */
    sc_at(s, 0);
    check_why(s, "dear", "needs 600 credits, 500 left in chem");
    tell_balance(s, "chem", C(600));
    sc_at(s, 1);
    assert_int_equal(held(s), C(400));
    sc_run(s);
    assert_int_equal(balance(s), C(200));
    sc_destroy(s);
}

static void a_run_of_another_life_keeps_its_rates(void **state)
{
    static const struct funds_deposit d = {
        .id = 1, .to_at = INT64_MAX, .balance = C(1000)};
    static const struct funds_account a = {.name = "chem", .deposits = &d, .n = 1};
    static const struct funds_run run = {.run = "j.r1",
        .job = "j",
        .account = "chem",
        .rates = "PROCS:2;class:fast=1.500000",
        .most = C(300)};
    static const struct req_desc one = {.tasks = 1, .per_task.v[RES_PROCS] = 1};
    static const struct job_place place = {.node = "n1", .tasks = 1};
    struct scenario *s = sc_create_with(BANK "\n");

    (void)state;
    sc_begin_at(s, 10);
    sc_nodes(s, 4, 1);
    tell_funds(
        s, (struct funds_facts){
               .accounts = &a, .n = 1, .runs = &run, .nruns = 1, .runs_ever = 1});
    assert_int_equal(
        sc_apply(s,
            (struct event){.kind = EVENT_SUBMIT,
                .u.job = {.id = "j",
                    .reqs = &one,
                    .nreqs = 1,
                    .wclimit_s = 100,
                    .state = JOB_RUNNING,
                    .start_at = 10,
                    .places = &place,
                    .nplaces = 1,
                    .cred = {[CRED_USER] = "ann", [CRED_ACCOUNT] = "chem"}}},
            NULL),
        0);
    sc_at(s, 90);
    assert_int_equal(
        sc_apply(s,
            (struct event){.kind = EVENT_END, .u.end = {.id = "j", .how = EV_COMPLETE}},
            NULL),
        0);
    assert_int_equal(balance(s), C(1000 - 80 * 3));
    sc_destroy(s);
}

/* ---- by time of day ---------------------------------------------------------------
 */

#define DAY "TIMERATES=00:00-01:00*2" /* 1970-01-01 00:00 to 01:00 */

static void a_run_over_two_rates_is_charged_piece_by_piece_or_as_it_began(void **state)
{
    static const struct {
        const char *at;
        int64_t held, paid;
    } rows[] = {{"START", 800, 400}, {"USE", 500, 300}};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char lines[200];
        snprintf(lines, sizeof lines, BANK DAY " RATESAT=%s\n", rows[i].at);
        struct scenario *s = begin(lines, 1000);
        sc_at(s, 3500);
        add(s, "j", 1, 400, 200,
            "chem"); /* 100 s at 2, 100 s at 1; limit: 300 s at 1 */
        sc_at(s, 3500);
        assert_int_equal(held(s), C(rows[i].held));
        sc_run(s);
        assert_int_equal(sc_start(s, "j"), 3500);
        assert_int_equal(balance(s), C(1000 - rows[i].paid));
        assert_int_equal(held(s), 0);
        sc_destroy(s);
    }
}

static void who_cannot_pay_by_day_starts_when_it_is_cheaper(void **state)
{
    static const char *const words[] = {"START", "USE"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char lines[200];
        snprintf(lines, sizeof lines, BANK DAY " RATESAT=%s\n", words[i]);
        struct scenario *s = begin(lines, 150);
        add(s, "j", 1, 100, 100, "chem");
        sc_at(s, 0);
        check_why(s, "j", "needs 200 credits, 150 left in chem");
        sc_run(s);
        assert_in_range(sc_start(s, "j"), i ? 3550 : 3600, 3600);
        sc_destroy(s);
    }
}

static void it_may_start_before_the_cheap_hours_where_most_of_it_lies_in_them(
    void **state)
{
    struct scenario *s = begin(BANK DAY " RATESAT=USE\n", 2150);

    (void)state;
    add(s, "j", 1, 1800, 1800, "chem"); /* enough from 3250 on: 350 x 2 + 1450 */
    sc_run(s);
    assert_in_range(sc_start(s, "j"), 3250, 3599);
    assert_true(balance(s) >= 0 && balance(s) < C(200));
    sc_destroy(s);
}

static void a_limit_beyond_what_can_be_weighed_is_no_bargain(void **state)
{
    struct scenario *s = begin(BANK DAY " RATESAT=USE\n", 10000);

    (void)state;
    add(s, "j", 1, 1000, 1000, "chem");
    sc_at(s, 10);
    struct job j = *sc_find(s, "j");
    assert_int_equal(j.state, JOB_RUNNING);
    j.wclimit_s = j.eff_wclimit_s = INT64_C(1000000000000000);
    assert_true(charging_most(sc_engine(s), &j, 10) > C(1000000));
    sc_destroy(s);
}

static void order(struct scenario *s, struct event ev)
{
    struct err err;

    if (sc_apply(s, ev, &err) < 0)
        fail_msg("%s", err.text);
}

static void time_that_it_is_suspended_costs_nothing_by_day_or_night(void **state)
{
    struct scenario *s = begin(BANK DAY " RATESAT=USE\n", 10000);

    (void)state;
    sc_at(s, 3000);
    add(s, "j", 1, 2000, 700, "chem");
    sc_at(s, 3000);
    sc_at(s, 3100);
    order(s, (struct event){.kind = EVENT_PREEMPT,
                 .u.preempt = {.id = "j", .how = PREEMPT_SUSPEND}});
    sc_cycle(s);
    sc_at(s, 3400);
    order(s, (struct event){.kind = EVENT_RESUME, .u.preempt.id = "j"});
    sc_at(s, 3400);
    sc_run(s);
    /* 3000-3100 and 3400-3600 at 2, 3600-4000 at 1 */
    assert_int_equal(balance(s), C(10000 - 600 - 400));
    sc_destroy(s);
}

static void time_that_it_did_not_leave_costs_what_it_does_by_day_or_night(void **state)
{
    const struct job_place place = {.node = "n1", .tasks = 1};
    const struct event stays = {.kind = EVENT_JOB_STATE,
        .u.job_state = {.id = "j",
            .state = JOB_RUNNING,
            .start_at = 3000,
            .places = &place,
            .nplaces = 1}};
    const struct event end = {
        .kind = EVENT_END, .u.end = {.id = "j", .how = EV_COMPLETE}};
    struct scenario *s = sc_create_with(BANK DAY " RATESAT=USE\n");

    (void)state;
    sc_options(s)->stops_told = true;
    sc_nodes(s, 1, 1);
    tell_balance(s, "chem", C(10000));
    sc_at(s, 3000);
    add(s, "j", 1, 2000, 1000, "chem");
    sc_at(s, 3000);
    sc_at(s, 3100);
    order(s, (struct event){.kind = EVENT_PREEMPT,
                 .u.preempt = {.id = "j", .how = PREEMPT_REQUEUE}});
    happen_at(s, 3400, stays);
    happen_at(s, 3600, end);
    assert_int_equal(balance(s), C(10000 - 2 * 600));
    sc_destroy(s);
}

/* A job of four processors that pays each 30 seconds makes room at 50 for one of higher
 * priority, and begins anew at 100. */
static void who_makes_room_for_another_pays_nothing_where_the_site_says_so(void **state)
{
    static const char *const lines =
        "RESERVATIONPOLICY NEVER\nQUEUETIMEWEIGHT 0\nCREDWEIGHT 1\nUSERWEIGHT 1\n"
        "USERCFG[low] PRIORITY=1\nUSERCFG[high] PRIORITY=100\n";
    static const struct {
        const char *bank;
        int64_t at_50, in_all;
    } c[] = {{BANK "FLUSHINTERVAL=30\n", 200, 600},
        {BANK "FLUSHINTERVAL=0\n", 200, 600},
        {BANK "FLUSHINTERVAL=30 REFUNDONREQUEUE=TRUE\n", 0, 400},
        {BANK "FLUSHINTERVAL=0 REFUNDONREQUEUE=TRUE\n", 0, 400}};

    (void)state;
    for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
        char text[1000];
        snprintf(text, sizeof text, "%s%s", lines, c[i].bank);
        struct scenario *s = begin(text, 10000);
        tell_balance(s, "bio", C(10000));
        sc_job(s, (struct sc_job){.id = "low",
                      .procs = 4,
                      .limit_s = 1000,
                      .run_s = 100,
                      .user = "low",
                      .account = "chem",
                      .flags = JOB_PREEMPTEE});
        sc_job(s, (struct sc_job){.id = "high",
                      .procs = 4,
                      .limit_s = 60,
                      .run_s = 50,
                      .submit_at = 50,
                      .user = "high",
                      .account = "bio",
                      .flags = JOB_PREEMPTOR});
        sc_at(s, 50);
        assert_int_equal(sc_start(s, "high"), 50);
        assert_int_equal(balance(s), C(10000 - c[i].at_50));
        assert_int_equal(held(s), 0);
        sc_run(s);
        assert_int_equal(sc_start(s, "low"), 100);
        assert_int_equal(balance(s), C(10000 - c[i].in_all));
        assert_int_equal(held(s), 0);
        sc_destroy(s);
    }
}

/* Whoever is to stop it comes too late. */
static void who_was_to_make_room_and_ended_by_itself_pays(void **state)
{
    static const struct {
        const char *bank;
        enum job_event how;
        int64_t left;
    } rows[] = {{"CHARGEPOLICY=DEBITALLWC REFUNDONREQUEUE=TRUE\n", EV_COMPLETE, 880},
        {"CHARGEPOLICY=DEBITSUCCESSFULWC REFUNDONREQUEUE=TRUE\n", EV_COMPLETE, 880},
        {"CHARGEPOLICY=DEBITSUCCESSFULWC\n", EV_COMPLETE, 880},
        {"CHARGEPOLICY=DEBITALLWC REFUNDONREQUEUE=TRUE\n", EV_CANCEL, 1000},
        {"CHARGEPOLICY=DEBITSUCCESSFULWC\n", EV_CANCEL, 1000},
        {"CHARGEPOLICY=DEBITALLWC\n", EV_CANCEL, 880}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char lines[200];
        snprintf(lines, sizeof lines, "AMCFG[bank] TYPE=BUILTIN %s", rows[i].bank);
        struct scenario *s = begin_requeue(lines);
        charging_displace(sc_engine(s), sc_find(s, "j"));
        happen_at(s, 75,
            (struct event){.kind = rows[i].how == EV_CANCEL ? EVENT_CANCEL : EVENT_END,
                .u.end = {.id = "j", .how = rows[i].how}});
        assert_int_equal(balance(s), C(rows[i].left));
        assert_int_equal(held(s), 0);
        charging_check(sc_engine(s));
        sc_destroy(s);
    }
}

/* What the charge of a job says. */
static bool was_lost(struct scenario *s, const char *id)
{
    size_t n;
    const struct money_move *m = engine_money(sc_engine(s), &n);

    while (n > 0 && (m[n - 1].kind != MONEY_CHARGE || strcmp(m[n - 1].job, id) != 0))
        n--;
    assert_true(n > 0);
    return m[n - 1].lost;
}

static void a_run_that_leaves_a_node_that_is_down_is_told_apart(void **state)
{
    static const char *const downs[] = {"well", "cancelled", "again", NULL};
    struct scenario *s = begin(BANK "\n", 10000);

    (void)state;
    add(s, "well", 1, 100, 50, "chem");
    add(s, "cancelled", 1, 100, 90, "chem");
    add(s, "again", 1, 100, 90, "chem");
    add(s, "elsewhere", 1, 100, 90, "chem");
    sc_at(s, 0);
    for (const char *const *n = downs; *n; n++) {
        char node[16];
        snprintf(node, sizeof node, "%.2s", sc_where(s, *n)); /* "n1:1" */
        sc_node_state(s, node, NODE_DOWN);
    }
    sc_at(s, 50);
    assert_false(was_lost(s, "well")); /* it was done, whatever became of its node */
    sc_cancel(s, "cancelled");
    assert_true(was_lost(s, "cancelled"));
    assert_int_equal(sc_report(s, "again", JOB_IDLE, NULL, NULL), 0);
    assert_true(was_lost(s, "again"));
    sc_cancel(s, "elsewhere");
    assert_false(was_lost(s, "elsewhere"));
    sc_destroy(s);
}

static void suspend_for(struct scenario *s, const char *id, int64_t rests_s)
{
    order(s, (struct event){.kind = EVENT_PREEMPT,
                 .u.preempt = {.id = id, .how = PREEMPT_SUSPEND, .rests_s = rests_s}});
    sc_cycle(s);
}

static void a_suspended_run_whose_node_goes_down_is_told_apart(void **state)
{
    static const char *const ids[] = {"cancelled", "again", "elsewhere"};
    struct scenario *s = begin(BANK "\n", 10000);

    (void)state;
    for (size_t i = 0; i < 3; i++)
        add(s, ids[i], 1, 100, 90, "chem");
    sc_at(s, 0);
    sc_at(s, 10);
    for (size_t i = 0; i < 3; i++)
        suspend_for(s, ids[i], 1000);
    for (size_t i = 0; i < 2; i++) {
        char node[16];
        snprintf(node, sizeof node, "%.2s", sc_where(s, ids[i])); /* "n1:1" */
        sc_node_state(s, node, NODE_DOWN);
    }
    sc_cancel(s, "cancelled");
    assert_true(was_lost(s, "cancelled"));
    assert_int_equal(sc_report(s, "again", JOB_IDLE, NULL, NULL), 0);
    assert_true(was_lost(s, "again"));
    sc_cancel(s, "elsewhere");
    assert_false(was_lost(s, "elsewhere"));
    sc_destroy(s);
}

/* Two processors for 1000 s, suspended from 100 to 400. */
static void who_is_suspended_for_long_keeps_no_more_than_it_has_used(void **state)
{
    static const struct {
        const char *bank;
        int64_t charged, held, in_all;
    } c[] = {{"CHARGEPOLICY=DEBITALLWC LIENMAXSUSPEND=100\n", 200, 0, 1400},
        {"CHARGEPOLICY=DEBITSUCCESSFULWC LIENMAXSUSPEND=100\n", 0, 200, 1400},
        {"CHARGEPOLICY=DEBITREQUESTEDWC LIENMAXSUSPEND=100\n", 0, 2000, 2000},
        {"CHARGEPOLICY=DEBITALLWC\n", 0, 2000, 1400}};

    (void)state;
    for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
        char text[300];
        snprintf(text, sizeof text, "AMCFG[bank] TYPE=BUILTIN FLUSHINTERVAL=0 %s",
            c[i].bank);
        struct scenario *s = begin(text, 10000);
        add(s, "j", 2, 1000, 700, "chem");
        sc_at(s, 0);
        sc_at(s, 100);
        suspend_for(s, "j", 300);
        sc_at(s, 199);
        assert_int_equal(held(s), C(2000));
        sc_at(s, 200);
        assert_int_equal(balance(s), C(10000 - c[i].charged));
        assert_int_equal(held(s), C(c[i].held));
        sc_at(s, 400);
        assert_int_equal(held(s), C(2000 - c[i].charged));
        sc_run(s);
        assert_int_equal(balance(s), C(10000 - c[i].in_all));
        assert_int_equal(held(s), 0);
        sc_destroy(s);
    }
}

static void who_was_suspended_for_long_goes_on_when_it_can_pay(void **state)
{
    struct scenario *s = begin(BANK "LIENMAXSUSPEND=100\n", 2500);

    (void)state;
    add(s, "j", 2, 1000, 700, "chem");
    sc_at(s, 0);
    add(s, "k", 1, 2000, 300, "chem");
    sc_at(s, 100);
    assert_int_equal(sc_start(s, "k"), -1);
    suspend_for(s, "j", 300);
    sc_at(s, 200);
    assert_int_equal(sc_start(s, "k"), 200);
    sc_at(s, 400);
    assert_int_equal(sc_find(s, "j")->state, JOB_SUSPENDED);
    check_why(s, "j",
        "needs 1,800 credits, 2,300 left in chem, 2,000 of them kept for 1 running "
        "job");
    sc_at(s, 500);
    assert_int_equal(sc_find(s, "j")->state, JOB_RUNNING);
    assert_int_equal(held(s), C(1800));
    sc_run(s);
    assert_int_equal(balance(s), C(2500 - 1400 - 300));
    sc_destroy(s);
}

/* It sleeps for twice its limit. */
static void nobody_has_to_pay_for_sleep_to_go_on(void **state)
{
    struct scenario *s = begin(BANK DAY " RATESAT=USE LIENMAXSUSPEND=100\n", 1000);

    (void)state;
    add(s, "j", 1, 500, 400, "chem");
    sc_at(s, 0);
    sc_at(s, 100);
    suspend_for(s, "j", 1000);
    sc_at(s, 200);
    assert_int_equal(balance(s), C(800));
    assert_int_equal(held(s), 0);
    sc_at(s, 1100);
    assert_int_equal(sc_find(s, "j")->state, JOB_RUNNING);
    assert_int_equal(held(s), C(800)); /* 400 s more at 2 */
    sc_run(s);
    assert_int_equal(balance(s), C(1000 - 400 * 2));
    assert_int_equal(held(s), 0);
    sc_destroy(s);
}

/* The daemon was away: the first thing that is decided is not that it goes on. */
static void who_was_suspended_for_long_before_a_restart_goes_on_when_it_can_pay(
    void **state)
{
    static const struct funds_deposit d = {
        .id = 'c', .to_at = INT64_MAX, .balance = C(500)};
    static const struct funds_account a = {.name = "chem", .deposits = &d, .n = 1};
    static const struct funds_run run = {.run = "j.r1",
        .job = "j",
        .account = "chem",
        .charged = C(200),
        .most = C(200),
        .since_at = 10};
    static const struct req_desc two = {.tasks = 2, .per_task.v[RES_PROCS] = 1};
    static const struct job_place place = {.node = "n1", .tasks = 2};
    const struct job_memory memory = {
        .start_count = 1, .start_at = 10, .suspend_at = 110};
    struct scenario *s = sc_create_with(BANK "LIENMAXSUSPEND=100\n");

    (void)state;
    sc_begin_at(s, 400);
    sc_nodes(s, 1, 2);
    tell_funds(
        s, (struct funds_facts){
               .accounts = &a, .n = 1, .runs = &run, .nruns = 1, .runs_ever = 1});
    order(s, (struct event){.kind = EVENT_SUBMIT,
                 .u.job = {.id = "j",
                     .reqs = &two,
                     .nreqs = 1,
                     .wclimit_s = 1000,
                     .state = JOB_SUSPENDED,
                     .start_at = 10,
                     .places = &place,
                     .nplaces = 1,
                     .memory = &memory,
                     .cred = {[CRED_USER] = "ann", [CRED_ACCOUNT] = "chem"}}});
    tell_funds(s, (struct funds_facts){.known = true, .seen_at = 390});
    sc_cycle(s);
    assert_int_equal(sc_find(s, "j")->state, JOB_SUSPENDED);
    assert_int_equal(held(s), 0);
    tell_balance(s, "chem", C(1800));
    sc_cycle(s);
    assert_int_equal(sc_find(s, "j")->state, JOB_RUNNING);
    assert_int_equal(held(s), C(1800));
    sc_destroy(s);
}

/* ---- quotes -----------------------------------------------------------------------
 */

static void tell_quote(
    struct scenario *s, const char *rates, int64_t until, int64_t uses)
{
    const struct funds_quote q = {.number = 7,
        .account = "chem",
        .rates = rates,
        .until_at = until,
        .uses = uses};

    tell_funds(s, (struct funds_facts){.quotes = &q, .nquotes = 1});
}

static void name_quote(struct scenario *s, const char *id)
{
    struct job_change ch = {.what = CHANGE_QUOTE, .job.quote = 7};

    order(s, (struct event){.kind = EVENT_MODIFY, .u.modify = {id, ch}});
}

#define QUOTED "PROCS:1;QOS:DEFAULT=1;class:DEFAULT=1;account:chem=1;user:ann=1"

static void a_quote_holds_its_price_until_it_expires(void **state)
{
    static const struct {
        int64_t until, uses, paid;
        const char *rates;
    } rows[] = {
        {1000, 1, 50, QUOTED},
        {20, 1, 100, QUOTED},   /* it is over when the job starts */
        {1000, 0, 100, QUOTED}, /* used up */
        {1000, 1, 100, "PROCS:1;user:bob=1"},
        {1000, 1, 100, "PROCS:1;QOS:high=1"},
        {1000, 1, 100, "PROCS:1;account:bio=1"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scenario *s = begin(BANK "RATES=PROCS:2\n", 1000);
        tell_quote(s, rows[i].rates, rows[i].until, rows[i].uses);
        sc_job(s, (struct sc_job){.id = "j",
                      .procs = 1,
                      .limit_s = 100,
                      .run_s = 50,
                      .user = "ann",
                      .account = "chem",
                      .release_at = 30});
        sc_at(s, 0);
        name_quote(s, "j");
        sc_run(s);
        assert_int_equal(sc_start(s, "j"), 30);
        assert_int_equal(balance(s), C(1000 - rows[i].paid));
        sc_destroy(s);
    }
}

static void a_quote_is_used_as_often_as_it_says_and_counts_before_the_start(
    void **state)
{
    struct scenario *s = begin(BANK "RATES=PROCS:2\n", 240);
    size_t n = 0, named = 0;

    (void)state;
    tell_quote(s, QUOTED, 1000, 1);
    for (int i = 0; i < 2; i++) {
        const char *id = i ? "second" : "first";
        sc_job(s, (struct sc_job){.id = id,
                      .procs = 1,
                      .limit_s = 100,
                      .user = "ann",
                      .account = "chem",
                      .release_at = 10});
        sc_at(s, 0);
        name_quote(s, id);
    }
    sc_at(s, 10);
    assert_int_equal(sc_start(s, "first"), 10); /* 100 are kept for it */
    assert_int_equal(held(s), C(100));
    check_why(s, "second",
        "needs 200 credits, 240 left in chem, 100 of them kept for 1 running job");
    const struct money_move *m = charging_moves(sc_engine(s), &n);
    for (size_t i = 0; i < n; i++)
        named += m[i].kind == MONEY_LIEN && m[i].quote == 7;
    assert_int_equal(named, 1);
    sc_destroy(s);
}

/* It begins at 10, with the one use of its quote. */
static struct scenario *begin_quoted(const char *rates)
{
    struct scenario *s = begin(BANK "RATES=PROCS:2\n", 1000);

    tell_quote(s, rates, 1000, 1);
    for (int i = 0; i < 2; i++) {
        sc_job(s, (struct sc_job){.id = i ? "later" : "j",
                      .procs = 1,
                      .limit_s = 100,
                      .user = "ann",
                      .account = "chem",
                      .release_at = i ? 500 : 10});
        sc_at(s, 0);
        name_quote(s, i ? "later" : "j");
    }
    sc_at(s, 10);
    return s;
}

static void a_requeued_job_keeps_its_quote(void **state)
{
    struct scenario *s = begin_quoted(QUOTED);

    (void)state;
    sc_at(s, 40);
    assert_int_equal(sc_report(s, "j", JOB_IDLE, NULL, NULL), 0);
    assert_int_equal(balance(s), C(970));
    sc_at(s, 41);
    assert_int_equal(held(s), C(100));
    sc_run(s);
    assert_int_equal(balance(s), C(970 - 100 - 200)); /* the other one has none */
    sc_destroy(s);
}

static void a_start_that_failed_used_no_quote(void **state)
{
    struct scenario *s = begin_quoted(QUOTED);
    struct event ev = {.kind = EVENT_START_FAILED};

    (void)state;
    ev.u.failed.id = "j";
    order(s, ev);
    assert_int_equal(funds_quote(sc_engine(s)->c->funds, 7)->uses, 1);
    sc_cancel(s, "j");
    sc_run(s);
    assert_int_equal(balance(s), C(1000 - 100));
    sc_destroy(s);
}

static void quotes_that_expired_long_ago_are_not_known_any_more(void **state)
{
    struct funds_quote q = {
        .number = 7, .account = "chem", .rates = "PROCS:1", .until_at = 100, .uses = 1};
    struct scenario *s = begin(BANK "\n", 1000);

    (void)state;
    tell_funds(s, (struct funds_facts){.quotes = &q, .nquotes = 1});
    q.number = 8;
    q.until_at = 1000000;
    sc_at(s, 86400);
    tell_funds(s, (struct funds_facts){.quotes = &q, .nquotes = 1});
    assert_non_null(funds_quote(sc_engine(s)->c->funds, 7)); /* of late */
    sc_at(s, 86500);
    tell_funds(s, (struct funds_facts){.quotes = &q, .nquotes = 1});
    assert_null(funds_quote(sc_engine(s)->c->funds, 7));
    assert_non_null(funds_quote(sc_engine(s)->c->funds, 8));
    sc_destroy(s);
}

static void a_quote_that_costs_nothing_is_used_up_too(void **state)
{
    struct scenario *s = begin_quoted("PROCS:0;QOS:DEFAULT=1");
    const struct money_move *m;
    size_t n, named = 0;

    (void)state;
    m = charging_moves(sc_engine(s), &n);
    for (size_t i = 0; i < n; i++)
        named += m[i].kind == MONEY_LIEN && m[i].quote == 7;
    assert_int_equal(named, 1);
    assert_int_equal(funds_quote(sc_engine(s)->c->funds, 7)->uses, 0);
    sc_run(s);
    assert_int_equal(balance(s), C(1000 - 200));
    sc_destroy(s);
}

/* It was promised by the dearest node; on others the job pays for those. */
static void a_quote_is_no_more_than_the_nodes_cost(void **state)
{
    struct scenario *s = begin(BANK "\nNODECFG[n1] CHARGERATE=3\n", 2000);

    (void)state;
    tell_quote(s, QUOTED ";nodes=3", 1000, 1);
    sc_job(s, (struct sc_job){.id = "j",
                  .procs = 4,
                  .limit_s = 100,
                  .user = "ann",
                  .account = "chem",
                  .release_at = 10});
    sc_at(s, 0);
    name_quote(s, "j");
    sc_at(s, 10);
    assert_int_equal(held(s), C(600)); /* 3 + 1 + 1 + 1 */
    sc_run(s);
    assert_int_equal(balance(s), C(2000 - 600));
    sc_destroy(s);
}

/* ---- what lies idle in reservations ------------------------------------------------
 */

#define RESERVED                                                                       \
    "SRCFG[own] HOSTLIST=n1,n2 PERIOD=DAY STARTTIME=0:00:00 ENDTIME=2:00:00 "          \
    "USERLIST=ann CHARGEACCOUNT=chem\n"

static void idle_time_of_a_reservation_is_paid_and_jobs_inside_pay_once(void **state)
{
    struct scenario *s = begin(BANK "\n" RESERVED, 100000);

    (void)state;
    tell_balance(s, "lab", C(100000));
    sc_job(s, (struct sc_job){.id = "in",
                  .procs = 2,
                  .limit_s = 600,
                  .user = "ann",
                  .account = "lab",
                  .release_at = 1000});
    sc_at(s, 3600);
    assert_int_equal(sc_start(s, "in"), 1000);
    sc_at(s, 3601);
    assert_int_equal(balance(s), C(100000 - 2 * (3600 - 600)));
    sc_at(s, 7200);
    sc_at(s, 7201);
    assert_int_equal(balance(s), C(100000 - 2 * (7200 - 600)));
    assert_int_equal(funds_open_runs(sc_engine(s)->c->funds), 0);
    sc_at(s, 9000);
    assert_int_equal(balance(s), C(100000 - 2 * (7200 - 600)));
    sc_destroy(s);
}

static void idle_time_is_charged_by_the_time_of_day_and_the_account(void **state)
{
    struct scenario *s =
        begin(BANK DAY "\nACCOUNTCFG[chem] CHARGERATE=3\n" RESERVED, 1000000);

    (void)state;
    sc_at(s, 0);
    sc_at(s, 5400);
    sc_at(s, 7201);
    assert_int_equal(balance(s), C(1000000 - 3 * (2 * 3600 * 2 + 2 * 3600)));
    sc_destroy(s);
}

static void a_reservation_without_funds_goes_on_and_owes(void **state)
{
    struct scenario *s = begin(BANK "\n" RESERVED, 100);

    (void)state;
    sc_at(s, 0);
    sc_at(s, 7201);
    assert_int_equal(balance(s), C(100 - 2 * 7200));
    sc_destroy(s);
}

static void a_released_reservation_pays_until_then(void **state)
{
    struct scenario *s = begin(BANK "\n", 100000);
    const struct sc_rsv r = {
        .base = "mine", .hosts = "n1", .account = "chem", .end_at = 90000};
    struct err err = {0};

    (void)state;
    assert_int_equal(sc_setres(s, &r, &err), 0);
    sc_at(s, 500);
    assert_int_equal(sc_releaseres(s, "mine.0", &err), 0);
    sc_at(s, 700);
    assert_int_equal(balance(s), C(100000 - 500));
    assert_int_equal(funds_open_runs(sc_engine(s)->c->funds), 0);
    sc_destroy(s);
}

static void another_account_pays_from_the_change_on(void **state)
{
    struct scenario *s = begin(BANK "\n" RESERVED, 100000);
    const struct funds *f;

    (void)state;
    tell_balance(s, "lab", C(100000));
    sc_at(s, 0);
    sc_at(s, 1000);
    sc_configure(s, BANK "\nSRCFG[own] HOSTLIST=n1,n2 PERIOD=DAY STARTTIME=0:00:00 "
                         "ENDTIME=2:00:00 USERLIST=ann CHARGEACCOUNT=lab\n");
    sc_cycle(s);
    sc_at(s, 7201);
    f = sc_engine(s)->c->funds;
    assert_int_equal(balance(s), C(100000 - 2 * 1000));
    assert_int_equal(funds_account_now(f, funds_account(f, "lab")).deposits[0].balance,
        C(100000 - 2 * 6200));
    sc_destroy(s);
}

static void a_reservation_of_another_life_goes_on_paying(void **state)
{
    static const struct funds_deposit d = {
        .id = 1, .to_at = INT64_MAX, .balance = C(1000)};
    static const struct funds_account a = {.name = "chem", .deposits = &d, .n = 1};
    static const struct funds_run run = {.run = "rsv:own.0.0.r4",
        .job = "rsv:own.0.0",
        .account = "chem",
        .charged = C(200),
        .noted = C(300)}; /* not charged yet */
    struct scenario *s = sc_create_with(BANK "\n" RESERVED);
    size_t n;

    (void)state;
    sc_nodes(s, 4, 1);
    tell_funds(
        s, (struct funds_facts){
               .accounts = &a, .n = 1, .runs = &run, .nruns = 1, .runs_ever = 4});
    sc_at(s, 0);
    tell_funds(s, (struct funds_facts){.known = true, .seen_at = 0});
    sc_at(s, 3600);
    const struct money_move *m = charging_moves(sc_engine(s), &n);
    assert_true(n > 0);
    assert_string_equal(m[n - 1].run, "rsv:own.0.0.r4");
    assert_int_equal(m[n - 1].total, C(300 + 7200));
    assert_true(m[n - 1].goes_on);
    sc_destroy(s);
}

/* In a former life account bio answered for it: what chem pays is a run of its own,
 * from now on. */
static void a_run_of_another_account_is_not_gone_on_with(void **state)
{
    static const struct funds_deposit d = {
        .id = 1, .to_at = INT64_MAX, .balance = C(10000)};
    static const struct funds_account a[] = {
        {.name = "chem", .deposits = &d, .n = 1}, {.name = "bio"}};
    static const struct funds_run run = {.run = "rsv:own.0.0.r4",
        .job = "rsv:own.0.0",
        .account = "bio",
        .charged = C(300)};
    struct scenario *s = sc_create_with(BANK "\n" RESERVED);
    int64_t of_bio = 0, of_chem = 0;
    size_t n;

    (void)state;
    sc_nodes(s, 4, 1);
    tell_funds(s, (struct funds_facts){
                      .accounts = a, .n = 2, .runs = &run, .nruns = 1, .runs_ever = 4});
    sc_at(s, 600);
    tell_funds(s, (struct funds_facts){.known = true, .seen_at = 0});
    sc_at(s, 4200);
    const struct money_move *m = charging_moves(sc_engine(s), &n);
    for (size_t i = 0; i < n; i++) {
        bool bio = strcmp(m[i].account, "bio") == 0;
        assert_int_equal(strcmp(m[i].run, "rsv:own.0.0.r4") == 0, bio);
        *(bio ? &of_bio : &of_chem) = m[i].total;
        assert_int_equal(m[i].goes_on, !bio);
    }
    assert_int_equal(of_bio, C(300));
    assert_int_equal(of_chem, C(2 * 3600));
    sc_destroy(s);
}

/* Somebody else may have answered for it, and was charged until then. */
static void nobody_pays_for_what_was_idle_in_a_former_life(void **state)
{
    struct scenario *s = sc_create_with(BANK "\n" RESERVED);

    (void)state;
    sc_nodes(s, 4, 1);
    sc_at(s, 0);
    sc_at(s, 600);
    tell_balance(s, "chem", C(10000));
    tell_funds(s, (struct funds_facts){.known = true, .seen_at = 0});
    sc_cycle(s);
    sc_at(s, 4200);
    assert_int_equal(balance(s), C(10000 - 2 * 3600));
    sc_destroy(s);
}

static void an_account_that_the_bank_gets_to_know_pays_from_then_on(void **state)
{
    struct scenario *s = sc_create_with(BANK "\n" RESERVED);

    (void)state;
    sc_nodes(s, 4, 1);
    tell_balance(s, "lab", C(1));
    sc_at(s, 0);
    sc_at(s, 5400);
    tell_balance(s, "chem", C(100000));
    sc_at(s, 5400);
    sc_at(s, 7201);
    assert_int_equal(balance(s), C(100000 - 2 * 1800));
    sc_destroy(s);
}

static void who_is_closed_or_for_others_pays_for_no_reservation(void **state)
{
    struct funds_deposit d = {.id = 1, .to_at = INT64_MAX, .balance = C(1000)};
    struct funds_account a[] = {
        {.name = "chem", .closed = true, .deposits = &d, .n = 1},
        {.name = "chem", .only = "user=bob", .deposits = &d, .n = 1}};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct scenario *s = sc_create_with(BANK "\n" RESERVED);
        sc_nodes(s, 4, 1);
        tell_funds(s, (struct funds_facts){.accounts = &a[i], .n = 1});
        sc_at(s, 0);
        sc_at(s, 7201);
        assert_int_equal(balance(s), C(1000));
        sc_destroy(s);
    }
}

static void a_price_that_cannot_be_counted_is_owed_by_nobody(void **state)
{
    struct scenario *s = begin(BANK
        "RATES=PROCS:1000000000\nACCOUNTCFG[chem] CHARGERATE=1000000000\n" RESERVED,
        1000);

    (void)state;
    sc_at(s, 0);
    sc_at(s, 7201);
    assert_int_equal(balance(s), C(1000));
    sc_destroy(s);
}

/* Accounts answer for it by turns, at any instant; "none" is not in the bank. Second by
 * second each pays what passes while it does, by its rate and the hour. */
static void whoever_answers_pays_second_by_second(void **state)
{
    static const char *const names[] = {"chem", "lab", "none"};
    static const int64_t rates[] = {1, 3, 0};
    struct rng rng = {7};

    (void)state;
    for (int world = 0; world < 20; world++) {
        struct scenario *s =
            begin(BANK DAY "\nACCOUNTCFG[lab] CHARGERATE=3\n" RESERVED, 1000000);
        int64_t paid[3] = {0}, at = 0;
        uint32_t who = 0;
        tell_balance(s, "lab", C(1000000));
        sc_at(s, 0);
        while (at < 7200) {
            int64_t next = at + rng_range(&rng, 1, 900);
            char lines[400];
            for (; at < next && at < 7200; at++)
                paid[who] += 2 * rates[who] * (at < 3600 ? 2 : 1);
            if (at == 7200)
                break;
            sc_at(s, at);
            who = rng_below(&rng, 3);
            snprintf(lines, sizeof lines,
                BANK DAY "\nACCOUNTCFG[lab] CHARGERATE=3\nSRCFG[own] HOSTLIST=n1,n2 "
                         "PERIOD=DAY STARTTIME=0:00:00 ENDTIME=2:00:00 USERLIST=ann "
                         "CHARGEACCOUNT=%s\n",
                names[who]);
            sc_configure(s, lines);
            sc_cycle(s);
        }
        sc_at(s, 7201);
        const struct funds *f = sc_engine(s)->c->funds;
        for (int i = 0; i < 2; i++)
            assert_int_equal(
                funds_account_now(f, funds_account(f, names[i])).deposits[0].balance,
                C(1000000 - paid[i]));
        assert_int_equal(funds_open_runs(f), 0);
        sc_destroy(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_limit_can_come_to_is_kept_and_what_was_used_is_charged),
        cmocka_unit_test(a_job_without_funds_waits_with_numbers_and_blocks_nobody),
        cmocka_unit_test(what_starts_in_the_same_cycle_counts),
        cmocka_unit_test(accounts_that_cannot_pay_are_told_apart),
        cmocka_unit_test(a_requeued_job_pays_for_what_it_used_and_begins_anew),
        cmocka_unit_test(who_is_cancelled_pays_by_policy),
        cmocka_unit_test(memory_costs_what_its_rate_says),
        cmocka_unit_test(a_class_and_a_qos_multiply_the_price),
        cmocka_unit_test(nobody_takes_a_cheaper_qos_just_before_the_end),
        cmocka_unit_test(a_fallback_account_pays_for_who_cannot),
        cmocka_unit_test(
            who_has_no_funds_is_deferred_or_cancelled_where_the_site_says_so),
        cmocka_unit_test(without_a_bank_nothing_is_asked),
        cmocka_unit_test(a_deposit_that_begins_lets_jobs_start),
        cmocka_unit_test(who_runs_when_the_bank_opens_gets_a_lien_and_pays),
        cmocka_unit_test(a_run_whose_end_nobody_saw_pays_up_to_when_it_was_seen_last),
        cmocka_unit_test(a_run_whose_end_the_accounting_has_pays_until_then),
        cmocka_unit_test(a_long_job_pays_on_its_way),
        cmocka_unit_test(who_has_not_begun_pays_nothing_on_its_way),
        cmocka_unit_test(who_was_gone_before_it_was_told_pays_until_then),
        cmocka_unit_test(who_was_to_leave_and_stayed_is_charged_once),
        cmocka_unit_test(who_lacks_what_its_own_run_keeps_just_waits),
        cmocka_unit_test(a_bank_that_is_switched_off_charges_who_leaves_after_that),
        cmocka_unit_test(who_waits_and_goes_has_no_part_in_a_run_of_a_former_life),
        cmocka_unit_test(a_run_is_charged_at_the_rates_of_its_start),
        cmocka_unit_test(a_node_may_cost_more_than_another),
        cmocka_unit_test(a_run_of_another_life_keeps_its_rates),
        cmocka_unit_test(a_run_over_two_rates_is_charged_piece_by_piece_or_as_it_began),
        cmocka_unit_test(who_cannot_pay_by_day_starts_when_it_is_cheaper),
        cmocka_unit_test(
            it_may_start_before_the_cheap_hours_where_most_of_it_lies_in_them),
        cmocka_unit_test(a_limit_beyond_what_can_be_weighed_is_no_bargain),
        cmocka_unit_test(time_that_it_is_suspended_costs_nothing_by_day_or_night),
        cmocka_unit_test(time_that_it_did_not_leave_costs_what_it_does_by_day_or_night),
        cmocka_unit_test(
            who_makes_room_for_another_pays_nothing_where_the_site_says_so),
        cmocka_unit_test(a_run_that_leaves_a_node_that_is_down_is_told_apart),
        cmocka_unit_test(who_is_suspended_for_long_keeps_no_more_than_it_has_used),
        cmocka_unit_test(who_was_suspended_for_long_goes_on_when_it_can_pay),
        cmocka_unit_test(nobody_has_to_pay_for_sleep_to_go_on),
        cmocka_unit_test(
            who_was_suspended_for_long_before_a_restart_goes_on_when_it_can_pay),
        cmocka_unit_test(who_was_to_make_room_and_ended_by_itself_pays),
        cmocka_unit_test(a_suspended_run_whose_node_goes_down_is_told_apart),
        cmocka_unit_test(a_quote_holds_its_price_until_it_expires),
        cmocka_unit_test(idle_time_of_a_reservation_is_paid_and_jobs_inside_pay_once),
        cmocka_unit_test(idle_time_is_charged_by_the_time_of_day_and_the_account),
        cmocka_unit_test(a_reservation_without_funds_goes_on_and_owes),
        cmocka_unit_test(a_released_reservation_pays_until_then),
        cmocka_unit_test(another_account_pays_from_the_change_on),
        cmocka_unit_test(a_reservation_of_another_life_goes_on_paying),
        cmocka_unit_test(a_run_of_another_account_is_not_gone_on_with),
        cmocka_unit_test(nobody_pays_for_what_was_idle_in_a_former_life),
        cmocka_unit_test(an_account_that_the_bank_gets_to_know_pays_from_then_on),
        cmocka_unit_test(who_is_closed_or_for_others_pays_for_no_reservation),
        cmocka_unit_test(whoever_answers_pays_second_by_second),
        cmocka_unit_test(a_price_that_cannot_be_counted_is_owed_by_nobody),
        cmocka_unit_test(
            a_quote_is_used_as_often_as_it_says_and_counts_before_the_start),
        cmocka_unit_test(a_requeued_job_keeps_its_quote),
        cmocka_unit_test(a_start_that_failed_used_no_quote),
        cmocka_unit_test(a_quote_that_costs_nothing_is_used_up_too),
        cmocka_unit_test(quotes_that_expired_long_ago_are_not_known_any_more),
        cmocka_unit_test(a_quote_is_no_more_than_the_nodes_cost),
        cmocka_unit_test(what_a_job_may_run_over_is_kept_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
