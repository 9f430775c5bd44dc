/* SPDX-License-Identifier: Apache-2.0
 * The daemon was killed after it was decided that a job leaves its nodes, or starts,
 * and before whoever has to carry it out has said so: its runs are charged once. */
#include "cmocka_all.h"
#include "engine/engine_private.h"
#include "funds/amount.h"
#include "scenario.h"

#include <stdio.h>
#include <string.h>

#define C(n) ((int64_t)(n)*AM_CREDIT)

#define ALL     "AMCFG[bank] TYPE=BUILTIN CHARGEPOLICY=DEBITALLWC "
#define SUCCESS "AMCFG[bank] TYPE=BUILTIN CHARGEPOLICY=DEBITSUCCESSFULWC "
#define REFUND  "REFUNDONREQUEUE=TRUE"

/* chem has 1000; 400 are kept for run j.r1 of job j, on one processor since 100. */
static const struct funds_deposit deposit = {
    .id = 1, .to_at = INT64_MAX, .balance = C(1000), .held = C(400)};
static const struct funds_account chem = {.name = "chem", .deposits = &deposit, .n = 1};
static const struct funds_lien lien = {1, C(400)};
static const struct funds_run run = {.run = "j.r1",
    .job = "j",
    .account = "chem",
    .most = C(400),
    .since_at = 100,
    .until_at = 500,
    .liens = &lien,
    .n = 1};
static const struct funds_leave at_160 = {
    .at = 160, .cost = C(60), .seconds = 60, .text = "60 s"};

static void apply(struct scenario *s, struct event ev)
{
    struct err err;

    ev.at = ev.at ? ev.at : sc_now(s);
    if (engine_apply(sc_engine(s), &ev, NULL, &err) < 0)
        fail_msg("%s", err.text);
    charging_check(sc_engine(s));
}

static void tell_funds(struct scenario *s, struct funds_facts facts)
{
    apply(s, (struct event){.kind = EVENT_FUNDS, .u.funds = facts});
}

/* A life that begins at 300 and is told of these runs. */
static struct scenario *begin_with(const char *lines, const struct funds_account *a,
    const struct funds_run *runs, size_t n)
{
    struct scenario *s = sc_create_with(lines);

    sc_options(s)->stops_told = true;
    sc_begin_at(s, 300);
    sc_nodes(s, 4, 1);
    tell_funds(s, (struct funds_facts){
                      .accounts = a, .n = 1, .runs = runs, .nruns = n, .runs_ever = n});
    return s;
}

static struct scenario *begin_again(const char *lines, const struct funds_run *was)
{
    return begin_with(lines, &chem, was, 1);
}

/* As its resource manager tells: it waits, or (start_at) runs. */
static void tell_job(struct scenario *s, int64_t start_at)
{
    static const struct req_desc one = {.tasks = 1, .per_task.v[RES_PROCS] = 1};
    static const struct job_place place = {.node = "n1", .tasks = 1};

    apply(s, (struct event){.kind = EVENT_SUBMIT,
                 .u.job = {.id = "j",
                     .reqs = &one,
                     .nreqs = 1,
                     .wclimit_s = 400,
                     .state = start_at ? JOB_RUNNING : JOB_IDLE,
                     .start_at = start_at,
                     .places = &place,
                     .nplaces = start_at ? 1 : 0,
                     .cred = {[CRED_USER] = "ann", [CRED_ACCOUNT] = "chem"}}});
}

static void know_all(struct scenario *s)
{
    tell_funds(s, (struct funds_facts){.known = true, .seen_at = 220});
}

static struct funds_deposit now(struct scenario *s)
{
    const struct funds *f = sc_engine(s)->c->funds;

    return funds_account_now(f, funds_account(f, "chem")).deposits[0];
}

/* The last that was told of the run. */
static const struct money_move *last_move(struct scenario *s, const char *name)
{
    size_t n;
    const struct money_move *m = engine_money(sc_engine(s), &n);

    while (n > 0 && strcmp(m[n - 1].run, name) != 0)
        n--;
    return n ? &m[n - 1] : NULL;
}

static void what_it_had_come_to_is_noted_until_it_is_over_or_stays(void **state)
{
    const struct event requeue = {
        .kind = EVENT_PREEMPT, .u.preempt = {.id = "j", .how = PREEMPT_REQUEUE}};
    const struct job_place place = {.node = "n1", .tasks = 1};

    (void)state;
    for (int stays = 0; stays < 2; stays++) {
        struct scenario *s = begin_again(ALL "\n", &run);
        tell_job(s, 100);
        know_all(s);
        apply(s, requeue);
        const struct money_move *m = last_move(s, "j.r1");
        assert_int_equal(m->kind, MONEY_LEAVES);
        assert_false(m->goes_on);
        assert_int_equal(m->total, C(200));
        assert_int_equal(m->seconds, 200);
        if (stays)
            apply(s, (struct event){.kind = EVENT_JOB_STATE,
                         .u.job_state = {.id = "j",
                             .state = JOB_RUNNING,
                             .places = &place,
                             .nplaces = 1}});
        else
            apply(s, (struct event){.kind = EVENT_LEFT, .u.left.id = "j"});
        m = last_move(s, "j.r1");
        assert_int_equal(m->kind, stays ? MONEY_LEAVES : MONEY_CHARGE);
        assert_true(stays ? m->goes_on : m->noted);
        sc_destroy(s);
    }
}

static void who_has_left_pays_for_what_was_noted(void **state)
{
    static const struct {
        const char *lines;
        bool noted, displaced;
        int64_t left;
    } rows[] = {{ALL, true, false, 940}, {SUCCESS, true, false, 1000},
        {ALL REFUND, true, false, 940}, {ALL REFUND, true, true, 1000},
        {ALL, true, true, 940}, {ALL REFUND, false, true, 1000},
        {ALL, false, false, 880}}; /* up to when it was seen */

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char lines[200];
        struct funds_run was = run;
        was.leave = rows[i].noted ? at_160 : (struct funds_leave){0};
        was.leave.displaced = rows[i].displaced;
        snprintf(lines, sizeof lines, "%s\n", rows[i].lines);
        struct scenario *s = begin_again(lines, &was);
        tell_job(s, 0);
        know_all(s);
        assert_int_equal(now(s).balance, C(rows[i].left));
        assert_int_equal(now(s).held, 0);
        assert_int_equal(last_move(s, "j.r1")->noted, rows[i].noted);
        assert_int_equal(last_move(s, "j.r1")->unseen, !rows[i].noted);
        sc_destroy(s);
    }
}

static void who_has_not_left_yet_is_charged_once(void **state)
{
    const struct event waits = {
        .kind = EVENT_JOB_STATE, .u.job_state = {.id = "j", .state = JOB_IDLE}};

    (void)state;
    for (int gives = 0; gives < 2; gives++) {
        struct funds_run was = run;
        was.leave = at_160;
        was.leave.displaced = true;
        struct scenario *s = begin_again(gives ? ALL REFUND "\n" : ALL "\n", &was);
        tell_job(s, 100);
        know_all(s);
        assert_int_equal(now(s).held, C(400));
        assert_true(last_move(s, "j.r1")->goes_on); /* what was noted is of no use */
        apply(s, (struct event){.kind = EVENT_LEFT,
                     .at = 310,
                     .u.left = {.id = "j", .displaced = true}});
        apply(s, waits);
        assert_int_equal(now(s).held, 0);
        assert_int_equal(now(s).balance, C(gives ? 1000 : 790));
        sc_destroy(s);
    }
}

static void who_has_begun_again_meanwhile_pays_for_both_runs(void **state)
{
    struct funds_run was = run;
    struct scenario *s;

    (void)state;
    was.leave = at_160;
    s = begin_again(ALL "\n", &was);
    tell_job(s, 250); /* by whatever its resource manager did */
    know_all(s);
    assert_int_equal(now(s).balance, C(940));
    assert_int_equal(now(s).held, C(400));
    apply(
        s, (struct event){.kind = EVENT_END, .u.end = {.id = "j", .how = EV_COMPLETE}});
    assert_int_equal(now(s).balance, C(940 - 50));
    assert_int_equal(now(s).held, 0);
    sc_destroy(s);
}

/* One of several resource managers is away: not all jobs are known. */
static void who_is_started_before_all_are_known_begins_another_run(void **state)
{
    struct scenario *s = begin_again(ALL "\n", &run);

    (void)state;
    sc_job(s, (struct sc_job){.id = "j",
                  .procs = 1,
                  .limit_s = 100,
                  .run_s = 50,
                  .submit_at = 300,
                  .account = "chem"});
    sc_at(s, 301);
    assert_true(job_is_active(sc_find(s, "j")));
    assert_int_equal(now(s).held, C(500));
    know_all(s);
    assert_int_equal(now(s).balance, C(880));
    assert_int_equal(now(s).held, C(100));
    sc_run(s);
    assert_int_equal(now(s).balance, C(830));
    assert_int_equal(now(s).held, 0);
    sc_destroy(s);
}

static void a_start_behind_it_that_nobody_was_told_of_costs_nothing(void **state)
{
    static const struct funds_deposit both = {
        .id = 1, .to_at = INT64_MAX, .balance = C(1000), .held = C(800)};
    static const struct funds_account account = {
        .name = "chem", .deposits = &both, .n = 1};

    (void)state;
    for (int left = 0; left < 2; left++) {
        struct funds_run runs[] = {run, run};
        runs[0].leave = at_160;
        runs[1].run = "j.r2";
        runs[1].since_at = 170;
        runs[1].until_at = 570;
        runs[1].unsent = true;
        struct scenario *s = begin_with(ALL "\n", &account, runs, 2);
        tell_job(s, left ? 0 : 100);
        know_all(s);
        assert_int_equal(now(s).balance, C(left ? 940 : 1000));
        assert_int_equal(now(s).held, C(left ? 0 : 400));
        assert_int_equal(last_move(s, "j.r2")->kind, MONEY_RELEASE);
        sc_destroy(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_it_had_come_to_is_noted_until_it_is_over_or_stays),
        cmocka_unit_test(who_has_left_pays_for_what_was_noted),
        cmocka_unit_test(who_has_not_left_yet_is_charged_once),
        cmocka_unit_test(who_has_begun_again_meanwhile_pays_for_both_runs),
        cmocka_unit_test(who_is_started_before_all_are_known_begins_another_run),
        cmocka_unit_test(a_start_behind_it_that_nobody_was_told_of_costs_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
