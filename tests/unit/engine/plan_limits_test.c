/* SPDX-License-Identifier: Apache-2.0
 * BACKFILLPOLICY PLAN under limits on what may be active: who is over one has a place
 * behind those that use it, is promised that, and nobody takes it. */
#include "cmocka_all.h"
#include "engine/engine_private.h"
#include "engine/planning/planning.h"
#include "policy/reason.h"
#include "scenario.h"

#include <stdio.h>

#define PLAN                                                                           \
    "BACKFILLPOLICY PLAN\nPROMISEHORIZON SUBMIT\nPROMISESLACK 0\nPLANEVALUATIONS 0\n"  \
    "PROMISETIGHTEN FALSE\nDEFERTIME 0\nQUEUETIMEWEIGHT 1\n"

static int64_t promised(struct scenario *s, const char *id)
{
    return engine_promised_by(sc_engine(s), sc_find(s, id));
}

/* Example 6: c, d and e are of a user who may have four processors. By priority, with
 * no slack: a 100, b 0, c 150, d 190, e 190, f 150. */
static void add_example(struct scenario *s)
{
    static const struct sc_job jobs[] = {
        {.id = "busy", .procs = 6, .limit_s = 100, .priority = 900, .user = "other"},
        {.id = "a", .procs = 8, .limit_s = 50, .priority = 800, .user = "other"},
        {.id = "b", .procs = 4, .limit_s = 100, .priority = 700, .user = "other"},
        {.id = "c", .procs = 4, .limit_s = 40, .priority = 600, .user = "u"},
        {.id = "d", .procs = 2, .limit_s = 200, .priority = 500, .user = "u"},
        {.id = "e", .procs = 2, .limit_s = 60, .priority = 400, .user = "u"},
        {.id = "f", .procs = 6, .limit_s = 30, .priority = 300, .user = "other"}};

    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        sc_job(s, jobs[i]);
}

static void all_have_a_place_within_the_limit(void **state)
{
    (void)state;
    SC_BOTH_WAYS(s, PLAN "USERCFG[u] MAXPROC=4\n", 10)
    {
        add_example(s);
        sc_at(s, 0);
        assert_int_equal(sc_start(s, "b"), 0);
        assert_int_equal(sc_reserved(s, "a"), 100);
        assert_int_equal(sc_reserved(s, "c"), 150);
        assert_int_equal(sc_reserved(s, "d"), 190);
        assert_int_equal(sc_reserved(s, "e"), 190);
        assert_int_equal(sc_reserved(s, "f"), 150);
        assert_int_equal(promised(s, "e"), 190);
        sc_run(s);
        assert_int_equal(sc_start(s, "c"), 150);
        assert_int_equal(sc_start(s, "d"), 190);
        assert_int_equal(sc_start(s, "e"), 190);
        assert_int_equal(engine_stats(sc_engine(s))->broken_promises, 0);
    }
}

/* All that the limit allows is in use: who waits for it is in the plan all the same. */
static void who_is_over_a_limit_is_promised_a_start(void **state)
{
    (void)state;
    SC_BOTH_WAYS(s, PLAN "USERCFG[u] MAXJOB=1\nGROUPCFG[g] MAXNODE=3\n", 10)
    {
        sc_job(s, (struct sc_job){"r", .procs = 1, .limit_s = 100, .user = "u"});
        sc_job(s, (struct sc_job){"n", .procs = 2, .nodes = 2, .limit_s = 60,
                      .user = "v", .group = "g"});
        sc_at(s, 0);
        sc_job(s, (struct sc_job){"j", .procs = 1, .limit_s = 50, .user = "u"});
        sc_job(s, (struct sc_job){"k", .procs = 1, .limit_s = 50, .user = "u"});
        sc_job(s, (struct sc_job){"m", .procs = 2, .nodes = 2, .limit_s = 50,
                      .user = "w", .group = "g"});
        sc_at(s, 1);
        assert_int_equal(sc_start(s, "j"), -1);
        assert_int_equal(sc_reserved(s, "j"), 100);
        assert_int_equal(sc_reserved(s, "k"), 150);
        assert_int_equal(promised(s, "k"), 150);
        assert_int_equal(sc_reserved(s, "m"), 60);
        assert_true(engine_expected(sc_engine(s), sc_find(s, "k")).at >= 100);
        sc_run(s);
        assert_int_equal(sc_start(s, "m"), 60);
        assert_int_equal(sc_start(s, "j"), 100);
        assert_int_equal(sc_start(s, "k"), 150);
    }
}

/* It is not in the plan, there is room, and it is within the limit now: but not later,
 * when another is to have all of it. */
static void backfill_takes_nothing_of_a_planned_limit(void **state)
{
    (void)state;
    SC_BOTH_WAYS(s, PLAN "PLANDEPTH 1\nUSERCFG[u] MAXPROC=4\n", 10)
    {
        sc_job(s, (struct sc_job){"r", .procs = 2, .limit_s = 100, .user = "u"});
        sc_at(s, 0);
        sc_job(s, (struct sc_job){
                      "all", .procs = 4, .limit_s = 50, .user = "u", .priority = 900});
        sc_job(s, (struct sc_job){"long", .procs = 2, .limit_s = 500, .user = "u",
                      .priority = 800});
        sc_job(s, (struct sc_job){"short", .procs = 2, .limit_s = 90, .user = "u",
                      .priority = 700});
        sc_at(s, 1);
        assert_int_equal(sc_reserved(s, "all"), 100);
        assert_int_equal(sc_start(s, "long"), -1);
        assert_int_equal(sc_start(s, "short"), 0);
        sc_run(s);
        assert_int_equal(sc_start(s, "all"), 100);
        assert_int_equal(sc_start(s, "long"), 150);
    }
}

/* It has room now, and its user is below the limit: it is told for whom it waits. */
static void who_stays_behind_is_told(void **state)
{
    (void)state;
    SC_BOTH_WAYS(s, PLAN "PLANDEPTH 1\nUSERCFG[u] MAXPROC=4\n", 10)
    {
        sc_job(s, (struct sc_job){"r", .procs = 2, .limit_s = 100, .user = "u"});
        sc_at(s, 0);
        sc_job(s, (struct sc_job){
                      "all", .procs = 4, .limit_s = 50, .user = "u", .priority = 900});
        sc_job(s, (struct sc_job){"long", .procs = 2, .limit_s = 500, .user = "u",
                      .priority = 800});
        sc_at(s, 1);
        assert_int_equal(sc_reserved(s, "all"), 100);
        assert_string_equal(sc_why(s, "long"),
            "user u has 4 of MAXPROC 4 (hard) processors active from Thu Jan  1 "
            "00:01:40 UTC on, when job all is to start, and this job asks for 2");
        const struct reason *why = engine_why(sc_engine(s), sc_find(s, "long"));
        char text[200];
        assert_true(reason_is_planned(why));
        assert_int_equal(reason_format_classic(engine_cluster(sc_engine(s)),
                             sc_find(s, "long"), why, LEVEL_HARD, text, sizeof text),
            0); /* it violates nothing */
    }
}

/* All of it is in use by now, by order: it stays behind that, and not behind one that
 * is planned for a time when it has ended. */
static void who_is_planned_behind_its_end_is_not_named(void **state)
{
    (void)state;
    SC_BOTH_WAYS(s, PLAN "PLANDEPTH 1\nUSERCFG[u] MAXPROC=4\n", 10)
    {
        sc_job(s, (struct sc_job){"r", .procs = 2, .limit_s = 100, .user = "u"});
        sc_job(s, (struct sc_job){"most", .procs = 8, .limit_s = 1000, .user = "v"});
        sc_at(s, 0);
        sc_job(s, (struct sc_job){
                      "all", .procs = 4, .limit_s = 50, .user = "u", .priority = 900});
        sc_job(s, (struct sc_job){
                      "k", .procs = 2, .limit_s = 500, .user = "u", .priority = 800});
        sc_job(s, (struct sc_job){
                      "j", .procs = 2, .limit_s = 50, .user = "u", .priority = 700});
        sc_at(s, 1);
        assert_int_equal(sc_reserved(s, "all"), 1000);
        assert_int_equal(sc_why_code(s, "j"), WAIT_RESOURCES);
        sc_cancel(s, "most");
        struct event run = {
            .kind = EVENT_RUN, .u.run = {.id = "k", .flags = RUN_ANY_RESERVATION}};
        struct err err;
        assert_int_equal(sc_apply(s, run, &err), 0);
        assert_null(strstr(sc_why(s, "j"), "when job all is to start"));
    }
}

/* Pairs of credentials, what a QOS changes, and what the whole system may have. */
static void limits_of_all_kinds_are_planned(void **state)
{
    (void)state;
    SC_BOTH_WAYS(s,
        PLAN "CLASSCFG[c] MAXJOB[USER]=1\nSYSCFG[base] MAXPROC=8\n"
             "USERCFG[DEFAULT] MAXPROC=4\nQOSCFG[big] OMAXPROC=6\n"
             "USERCFG[w] QDEF=big QLIST=big\n",
        10)
    {
        sc_job(s,
            (struct sc_job){"p1", .procs = 1, .limit_s = 70, .user = "u", .cls = "c"});
        sc_job(s, (struct sc_job){"w1", .procs = 5, .limit_s = 90, .user = "w"});
        sc_at(s, 0);
        sc_job(s, (struct sc_job){"p2", .procs = 1, .limit_s = 10, .user = "u",
                      .cls = "c", .priority = 900});
        sc_job(s, (struct sc_job){
                      "w2", .procs = 2, .limit_s = 10, .user = "w", .priority = 800});
        sc_job(s, (struct sc_job){
                      "v1", .procs = 3, .limit_s = 80, .user = "v", .priority = 700});
        sc_at(s, 1);
        assert_int_equal(sc_start(s, "w1"), 0);
        assert_int_equal(sc_reserved(s, "p2"), 70);
        assert_int_equal(sc_reserved(s, "w2"), 90);
        assert_int_equal(sc_reserved(s, "v1"), 80);
        sc_run(s);
        assert_int_equal(engine_stats(sc_engine(s))->broken_promises, 0);
    }
}

/* What is in use by one whose QOS ignores the limit counts for others: once it runs,
 * and where it is planned. */
static void who_ignores_a_limit_is_planned_in_it(void **state)
{
    (void)state;
    SC_BOTH_WAYS(s,
        PLAN "GROUPCFG[g] MAXPROC=4\nQOSCFG[free] QFLAGS=IGNGROUP\n"
             "USERCFG[w] QDEF=free QLIST=free\n",
        10)
    {
        sc_job(s, (struct sc_job){"all", .procs = 10, .limit_s = 100, .user = "other"});
        sc_at(s, 0);
        sc_job(s, (struct sc_job){"free", .procs = 4, .limit_s = 200, .user = "w",
                      .group = "g", .priority = 900});
        sc_job(s, (struct sc_job){"j", .procs = 2, .limit_s = 50, .user = "u",
                      .group = "g", .priority = 800});
        sc_at(s, 1);
        assert_int_equal(sc_reserved(s, "free"), 100);
        assert_int_equal(sc_reserved(s, "j"), 300);
        sc_run(s);
        assert_int_equal(sc_start(s, "j"), 300);
        assert_int_equal(engine_stats(sc_engine(s))->broken_promises, 0);
    }
}

/* Under one limit, one may find more in use than another: in the plan or out of it, it
 * leaves what the other was promised. */
static void who_may_have_more_leaves_what_is_promised(void **state)
{
    static const char *const more[] = {"QOSCFG[more] OMAXPROC=8\n",
        "QOSCFG[more] QFLAGS=IGNUSER\n", "PLANDEPTH 1\nQOSCFG[more] OMAXPROC=8\n",
        "PLANDEPTH 1\nQOSCFG[more] QFLAGS=IGNUSER\n"};

    (void)state;
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        char cfg[400];
        snprintf(
            cfg, sizeof cfg, "%sUSERCFG[u] MAXPROC=4 QLIST=more\n%s", PLAN, more[i]);
        SC_BOTH_WAYS(s, cfg, 12)
        {
            sc_job(s, (struct sc_job){"r", .procs = 4, .limit_s = 100, .user = "u"});
            sc_at(s, 0);
            sc_job(s, (struct sc_job){"j", .procs = 4, .limit_s = 50, .user = "u",
                          .priority = 900});
            sc_at(s, 1);
            assert_int_equal(promised(s, "j"), 100);
            sc_job(s, (struct sc_job){"long", .procs = 4, .limit_s = 500, .user = "u",
                          .qos = "more", .priority = 800});
            sc_job(s, (struct sc_job){"short", .procs = 4, .limit_s = 90, .user = "u",
                          .qos = "more", .priority = 700});
            sc_at(s, 2);
            assert_int_equal(sc_start(s, "long"), -1);
            assert_int_equal(sc_start(s, "short"), 1);
            sc_run(s);
            assert_int_equal(sc_start(s, "j"), 100);
            assert_in_range(sc_start(s, "long"), 100, 101);
            assert_int_equal(engine_stats(sc_engine(s))->broken_promises, 0);
        }
    }
}

/* Its place is within the limit, too, and takes nothing that is promised. */
static void a_deadline_takes_nothing_of_a_planned_limit(void **state)
{
    (void)state;
    SC_BOTH_WAYS(s, PLAN "USERCFG[u] MAXPROC=4\n", 10)
    {
        sc_job(s, (struct sc_job){"r", .procs = 4, .limit_s = 100, .user = "u"});
        sc_job(s, (struct sc_job){"o", .procs = 6, .limit_s = 90, .user = "other"});
        sc_at(s, 0);
        sc_job(s, (struct sc_job){
                      "j", .procs = 4, .limit_s = 50, .user = "u", .priority = 800});
        sc_at(s, 1);
        assert_int_equal(promised(s, "j"), 100);
        sc_job(s, (struct sc_job){"dated", .procs = 2, .limit_s = 100, .user = "u",
                      .submit_at = 2, .deadline_at = 400});
        sc_at(s, 3);
        assert_int_equal(sc_reserved(s, "j"), 100);
        assert_int_equal(sc_reserved(s, "dated"), 150);
        sc_run(s);
        assert_int_equal(sc_start(s, "j"), 100);
        assert_int_equal(sc_start(s, "dated"), 150);
        assert_int_equal(engine_stats(sc_engine(s))->broken_promises, 0);
    }
}

/* What starts out of order counts for the next candidate of the same pass. */
static void a_start_counts_for_the_next_candidate(void **state)
{
    (void)state;
    SC_BOTH_WAYS(s, PLAN "PLANDEPTH 1\nUSERCFG[u] MAXPROC=6\n", 20)
    {
        sc_job(s, (struct sc_job){"r", .procs = 2, .limit_s = 100, .user = "u"});
        sc_at(s, 0);
        sc_job(s, (struct sc_job){
                      "most", .procs = 5, .limit_s = 50, .user = "u", .priority = 900});
        for (int i = 0; i < 3; i++)
            sc_job(s, (struct sc_job){(const char *[]){"a", "b", "c"}[i], .procs = 1,
                          .limit_s = 500, .user = "u", .priority = 800 - i});
        sc_at(s, 1);
        assert_int_equal(sc_reserved(s, "most"), 100);
        assert_int_equal(sc_start(s, "a"), 0);
        assert_int_equal(sc_start(s, "b"), -1);
        assert_int_equal(sc_start(s, "c"), -1);
        sc_run(s);
        assert_int_equal(sc_start(s, "most"), 100);
        assert_int_equal(engine_stats(sc_engine(s))->broken_promises, 0);
    }
}

/* Nobody is put off who was promised a start: not by a restart either. */
static void a_restart_keeps_it(void **state)
{
    (void)state;
    SC_BOTH_WAYS(s, PLAN "USERCFG[u] MAXJOB=1\n", 10)
    {
        sc_job(s, (struct sc_job){
                      "r", .submit_at = 10, .procs = 1, .limit_s = 100, .user = "u"});
        sc_at(s, 10);
        sc_job(s, (struct sc_job){"j", .procs = 1, .limit_s = 50, .user = "u"});
        sc_at(s, 20);
        assert_int_equal(promised(s, "j"), 110);
        sc_restart(s);
        sc_cycle(s);
        assert_int_equal(promised(s, "j"), 110);
        assert_int_equal(sc_reserved(s, "j"), 110);
        sc_run(s);
        assert_int_equal(sc_start(s, "j"), 110);
    }
}

/* An administrator lowers it: it is put off, and told so. */
static void a_lowered_limit_puts_off(void **state)
{
    (void)state;
    SC_BOTH_WAYS(s, PLAN "USERCFG[u] MAXPROC=4\n", 10)
    {
        sc_job(s, (struct sc_job){"r", .procs = 2, .limit_s = 100, .user = "u"});
        sc_job(s, (struct sc_job){"q", .procs = 2, .limit_s = 60, .user = "u"});
        sc_at(s, 0);
        sc_job(s, (struct sc_job){"j", .procs = 2, .limit_s = 50, .user = "u"});
        sc_at(s, 1);
        assert_int_equal(promised(s, "j"), 60);
        sc_configure(s, PLAN "USERCFG[u] MAXPROC=2\n");
        sc_cycle(s);
        assert_int_equal(sc_reserved(s, "j"), 100);
        assert_int_equal(promised(s, "j"), 100);
        sc_run(s);
        assert_int_equal(engine_stats(sc_engine(s))->broken_promises, 1);
    }
}

/* Nobody uses any of it, and all have their places: they are put off at once, in their
 * order, and told so. Who has it raised again is told nothing. */
static void a_lowered_limit_is_told_at_once(void **state)
{
    (void)state;
    SC_BOTH_WAYS(s, PLAN "USERCFG[u] MAXPROC=4\n", 10)
    {
        sc_job(s, (struct sc_job){"all", .procs = 10, .limit_s = 100, .user = "other"});
        sc_at(s, 0);
        sc_job(s, (struct sc_job){
                      "j", .procs = 2, .limit_s = 50, .user = "u", .priority = 900});
        sc_job(s, (struct sc_job){
                      "k", .procs = 2, .limit_s = 50, .user = "u", .priority = 800});
        sc_job(s, (struct sc_job){
                      "l", .procs = 2, .limit_s = 50, .user = "v", .priority = 700});
        sc_at(s, 1);
        assert_int_equal(promised(s, "j"), 100);
        assert_int_equal(promised(s, "k"), 100);
        sc_configure(s, PLAN "USERCFG[u] MAXPROC=2\n");
        sc_at(s, 2);
        assert_int_equal(promised(s, "j"), 100);
        assert_int_equal(promised(s, "k"), 150);
        assert_int_equal(sc_reserved(s, "k"), 150);
        assert_int_equal(promised(s, "l"), 100);
        struct promise row;
        assert_true(
            promises_of(sc_engine(s)->promises, sc_find(s, "k"), PROMISE_START, &row));
        assert_int_equal(row.cause, CAUSE_SETTINGS);
        assert_int_equal(row.was, 100);
        sc_run(s);
        assert_int_equal(sc_start(s, "j"), 100);
        assert_int_equal(sc_start(s, "k"), 150);
        assert_int_equal(engine_stats(sc_engine(s))->broken_promises, 1);
    }
}

/* A node is lost, and parameters are read that are the same: it was the node. */
static void a_lost_node_is_named_whatever_is_read(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++)
        SC_BOTH_WAYS(s, PLAN, 4)
        {
            sc_job(s, (struct sc_job){"r", .procs = 3, .limit_s = 100, .user = "u"});
            sc_at(s, 0);
            sc_job(s, (struct sc_job){
                          "j", .procs = 1, .limit_s = 500, .user = "u", .priority = 9});
            sc_job(s, (struct sc_job){
                          "k", .procs = 3, .limit_s = 50, .user = "u", .priority = 8});
            sc_at(s, 1);
            assert_int_equal(promised(s, "k"), 100);
            if (order)
                sc_configure(s, PLAN);
            sc_node_state(s, "n1", NODE_DOWN);
            if (!order)
                sc_configure(s, PLAN);
            sc_at(s, 2);
            struct promise row;
            assert_true(promises_of(
                sc_engine(s)->promises, sc_find(s, "k"), PROMISE_START, &row));
            assert_int_equal(row.cause, CAUSE_NODES);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_have_a_place_within_the_limit),
        cmocka_unit_test(who_is_over_a_limit_is_promised_a_start),
        cmocka_unit_test(backfill_takes_nothing_of_a_planned_limit),
        cmocka_unit_test(who_stays_behind_is_told),
        cmocka_unit_test(who_is_planned_behind_its_end_is_not_named),
        cmocka_unit_test(limits_of_all_kinds_are_planned),
        cmocka_unit_test(who_ignores_a_limit_is_planned_in_it),
        cmocka_unit_test(who_may_have_more_leaves_what_is_promised),
        cmocka_unit_test(a_deadline_takes_nothing_of_a_planned_limit),
        cmocka_unit_test(a_start_counts_for_the_next_candidate),
        cmocka_unit_test(a_restart_keeps_it),
        cmocka_unit_test(a_lowered_limit_puts_off),
        cmocka_unit_test(a_lowered_limit_is_told_at_once),
        cmocka_unit_test(a_lost_node_is_named_whatever_is_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
