/* SPDX-License-Identifier: Apache-2.0
 * Priority as it develops: the table of what queue time survives (reference priority,
 * section 4), system priorities (6), bypass counts (3), negative priorities (8.6). */
#include "cmocka_all.h"
#include "config/settings.h"
#include "example.h"
#include "policy/accrual.h"

#include <stdio.h>

static int64_t queued_s(struct scenario *s, const char *id)
{
    return accrual_queue_s(&sc_settings(s)->prio, sc_find(s, id), sc_now(s));
}

/* ---- the reset table ---- */

/* What the job under test, J, has earned at 300 and at 600, having been kept back from
 * 100 to 400. A cycle happens every minute, as a resource manager is polled. */
struct earned {
    const char *policy;
    int64_t at_300, at_600;
};

/* Keeps J back (true) or lets it go again. */
typedef void keep_back(struct scenario *s, bool back);

static void check_interval(const struct example *x, keep_back *keep, struct earned want)
{
    char cfg[500];
    struct example y = *x;

    snprintf(cfg, sizeof cfg, "%s%s\n", x->cfg ? x->cfg : "", want.policy);
    y.cfg = cfg;
    struct scenario *s = example_start(&y, false);
    for (int64_t t = 0; t <= 600; t += 50) {
        sc_at(s, t);
        if (t == 300)
            assert_int_equal(queued_s(s, "J"), want.at_300);
        if (t == 100 || t == 400) {
            keep(s, t == 100);
            sc_cycle(s);
        }
    }
    assert_int_equal(queued_s(s, "J"), want.at_600);
    sc_destroy(s);
}

#define QUEUEPOLICY "JOBPRIOACCRUALPOLICY QUEUEPOLICY"
#define FULLPOLICY  "JOBPRIOACCRUALPOLICY FULLPOLICY"
#define ALWAYS      "JOBPRIOACCRUALPOLICY ALWAYS"

static const struct example busy_and_j = {.nodes = 1,
    .jobs = {{"busy", 1, 9000, 900, 0}, {"J", 1, 100, 0, 9000, .user = "u"}}};

static void nothing_keeps(struct scenario *s, bool back)
{
    (void)s;
    (void)back;
}

static void an_eligible_job_earns_all_the_time(void **state)
{
    (void)state;
    check_interval(&busy_and_j, nothing_keeps, (struct earned){QUEUEPOLICY, 300, 600});
    check_interval(&busy_and_j, nothing_keeps, (struct earned){FULLPOLICY, 300, 600});
    check_interval(&busy_and_j, nothing_keeps, (struct earned){ALWAYS, 300, 600});
}

static void a_hold_keeps(struct scenario *s, bool back)
{
    if (back)
        sc_hold(s, "J", HOLD_USER, "u");
    else
        sc_release(s, "J", HOLD_USER, "u");
}

/* BUILD mark of reference holds, section 7: a hold pauses. */
static void time_on_hold_is_not_earned(void **state)
{
    (void)state;
    check_interval(&busy_and_j, a_hold_keeps, (struct earned){QUEUEPOLICY, 100, 300});
    check_interval(&busy_and_j, a_hold_keeps, (struct earned){FULLPOLICY, 0, 200});
    check_interval(&busy_and_j, a_hold_keeps, (struct earned){ALWAYS, 300, 600});
}

static void tell_waiting(struct scenario *s, bool back, uint8_t hold)
{
    struct event ev = {.kind = EVENT_JOB_STATE};
    struct err err;

    ev.u.job_state.id = "J";
    ev.u.job_state.state = back ? JOB_HOLD : JOB_IDLE;
    ev.u.job_state.rm_hold = back ? hold : 0;
    assert_int_equal(sc_apply(s, ev, &err), 0);
}

static void its_manager_holds(struct scenario *s, bool back)
{
    tell_waiting(s, back, HOLD_USER);
}

static void its_manager_lets_it_wait(struct scenario *s, bool back)
{
    tell_waiting(s, back, 0);
}

/* As many tasks of its array run as may. */
static void a_wait_for_others_of_its_array_is_no_hold(void **state)
{
    (void)state;
    check_interval(
        &busy_and_j, its_manager_holds, (struct earned){QUEUEPOLICY, 100, 300});
    check_interval(
        &busy_and_j, its_manager_lets_it_wait, (struct earned){QUEUEPOLICY, 300, 600});
    check_interval(
        &busy_and_j, its_manager_lets_it_wait, (struct earned){FULLPOLICY, 0, 200});
}

static void a_class_keeps(struct scenario *s, bool back)
{
    struct cluster *c = engine_cluster(sc_engine(s));

    class_enable(c, cred_get(c, CRED_CLASS, "c"), !back);
}

static void a_disabled_class_freezes(void **state)
{
    (void)state;
    struct example x = busy_and_j;
    x.jobs[1].cls = "c";
    check_interval(&x, a_class_keeps, (struct earned){QUEUEPOLICY, 100, 600});
    check_interval(&x, a_class_keeps, (struct earned){FULLPOLICY, 0, 200});
    check_interval(&x, a_class_keeps, (struct earned){ALWAYS, 300, 600});
}

static void a_negative_priority_keeps(struct scenario *s, bool back)
{
    struct event ev = {.kind = EVENT_PRIORITY};
    struct err err;

    ev.u.priority.id = "J";
    ev.u.priority.relative = true;
    ev.u.priority.n = back ? -5000 : 5000;
    assert_int_equal(sc_apply(s, ev, &err), 0);
}

static void a_rejected_negative_priority_freezes(void **state)
{
    (void)state;
    struct example x = busy_and_j;
    x.cfg = "ENABLENEGJOBPRIORITY TRUE\nREJECTNEGPRIOJOBS TRUE\n";
    check_interval(
        &x, a_negative_priority_keeps, (struct earned){QUEUEPOLICY, 100, 600});
    check_interval(&x, a_negative_priority_keeps, (struct earned){FULLPOLICY, 0, 200});
    check_interval(&x, a_negative_priority_keeps, (struct earned){ALWAYS, 300, 600});
}

/* Kept back from the start to 400 by the job it depends on. */
static void check_dependency(struct earned want)
{
    struct dep deps[] = {{DEP_COMPLETED, (char *)"D"}, {0}};
    char cfg[100];

    snprintf(cfg, sizeof cfg, "%s\n", want.policy);
    struct scenario *s = sc_create_with(cfg);
    sc_nodes(s, 2, 1);
    sc_job(
        s, (struct sc_job){.id = "busy", .procs = 1, .limit_s = 9000, .priority = 900});
    sc_job(s, (struct sc_job){.id = "D", .procs = 1, .limit_s = 400, .priority = 800});
    sc_job(s, (struct sc_job){.id = "J", .procs = 2, .limit_s = 100, .deps = deps});
    for (int64_t t = 0; t <= 600; t += 50) {
        sc_at(s, t);
        if (t == 300)
            assert_int_equal(queued_s(s, "J"), want.at_300);
    }
    assert_int_equal(queued_s(s, "J"), want.at_600);
    sc_destroy(s);
}

static void an_unmet_dependency_freezes(void **state)
{
    (void)state;
    check_dependency((struct earned){QUEUEPOLICY, 0, 600});
    check_dependency((struct earned){FULLPOLICY, 0, 200});
    check_dependency((struct earned){ALWAYS, 300, 600});
}

/* J is the second job of a user who may have one idle, until the first is gone. */
static void check_idle_limit(struct earned want)
{
    char cfg[200];
    struct example x = {.cfg = cfg,
        .nodes = 1,
        .jobs = {{"busy", 1, 9000, 900, 0}, {"first", 1, 100, 500, 0, .user = "u"},
            {"J", 1, 100, 0, 0, .user = "u"}}};

    snprintf(cfg, sizeof cfg, "USERCFG[u] MAXIJOB=1\n%s\n", want.policy);
    struct scenario *s = example_start(&x, false);
    for (int64_t t = 0; t <= 600; t += 50) {
        sc_at(s, t);
        if (t == 300)
            assert_int_equal(queued_s(s, "J"), want.at_300);
        if (t == 400) {
            sc_cancel(s, "first");
            sc_cycle(s);
        }
    }
    assert_int_equal(queued_s(s, "J"), want.at_600);
    sc_destroy(s);
}

static void failing_a_hard_limit_at_selection_takes_all(void **state)
{
    (void)state;
    check_idle_limit((struct earned){QUEUEPOLICY, 0, 200});
    check_idle_limit((struct earned){FULLPOLICY, 0, 200});
    check_idle_limit((struct earned){ALWAYS, 300, 600});
}

/* ann is at her cap when J comes, until the window closes at 400. */
static void check_cap(struct earned want)
{
    char cfg[300];
    struct example x = {.cfg = cfg,
        .nodes = 2,
        .jobs = {{"busy", 1, 9000, 900, 0, .user = "bob"},
            {"use", 1, 100, 800, 0, .user = "ann"},
            {"J", 1, 50, 0, 9000, .user = "ann", .submit = 100},
            {"more", 1, 8900, 700, 0, .user = "bob", .submit = 100}}};

    snprintf(cfg, sizeof cfg,
        "FSPOLICY DEDICATEDPS\nFSINTERVAL 400\nFSDEPTH 2\nFSDECAY 0.5\n"
        "USERCFG[ann] FSTARGET=120^\n%s\n",
        want.policy);
    struct scenario *s = example_start(&x, false);
    for (int64_t t = 0; t <= 600; t += 50) {
        sc_at(s, t);
        if (t == 300) {
            assert_int_equal(sc_why_code(s, "J"), WAIT_FS_CAP);
            assert_int_equal(queued_s(s, "J"), want.at_300);
        }
    }
    assert_int_not_equal(sc_why_code(s, "J"), WAIT_FS_CAP);
    assert_int_equal(queued_s(s, "J"), want.at_600);
    sc_destroy(s);
}

static void a_fairshare_cap_freezes(void **state)
{
    (void)state;
    check_cap((struct earned){QUEUEPOLICY, 0, 500});
    check_cap((struct earned){FULLPOLICY, 0, 200});
    check_cap((struct earned){ALWAYS, 200, 500});
}

/* Decision: the table does not name the release time; it is a prerequisite like a
 * dependency. */
static void a_release_time_freezes(void **state)
{
    (void)state;
    struct example x = busy_and_j;
    x.jobs[1].release_at = 400;
    check_interval(&x, nothing_keeps, (struct earned){QUEUEPOLICY, 0, 600});
    check_interval(&x, nothing_keeps, (struct earned){FULLPOLICY, 0, 200});
    check_interval(&x, nothing_keeps, (struct earned){ALWAYS, 300, 600});
}

static void check_deferral(const char *policy, int64_t deferred, int64_t after)
{
    char cfg[200];
    struct example x = busy_and_j;

    snprintf(cfg, sizeof cfg, "DEFERTIME 400\n%s\n", policy);
    x.cfg = cfg;
    x.jobs[1].qos = "gold";
    struct scenario *s = example_start(&x, false);
    sc_at(s, 300);
    assert_int_equal(queued_s(s, "J"), deferred);
    snprintf(cfg, sizeof cfg,
        "DEFERTIME 400\n%s\nUSERCFG[DEFAULT] QLIST=gold\n"
        "GROUPCFG[DEFAULT] QLIST=gold\nSYSCFG QLIST=gold\n",
        policy);
    sc_configure(s, cfg); /* or it would be deferred again */
    sc_at(s, 600);
    assert_int_equal(queued_s(s, "J"), after);
    sc_destroy(s);
}

static void queue_time_begins_anew_after_a_deferral(void **state)
{
    (void)state;
    check_deferral(QUEUEPOLICY, 0, 200);
    check_deferral(FULLPOLICY, 0, 200);
    check_deferral(ALWAYS, 300, 600);
}

static void check_requeue(const char *policy)
{
    char cfg[200];
    struct example x = {.cfg = cfg,
        .nodes = 1,
        .jobs = {
            {"J", 1, 100, 0, 0, .run = 5000}, {"K", 1, 1000, 500, 101, .submit = 50}}};

    snprintf(cfg, sizeof cfg, "WCVIOLATIONACTION PREEMPT\n%s\n", policy);
    struct scenario *s = example_start(&x, false);
    sc_run_until(s, 101);
    assert_string_equal(sc_log(s, "J"), "start@0 requeue@101 reserve(1101)@101");
    assert_int_equal(sc_start(s, "K"), 101);
    sc_at(s, 161);
    assert_int_equal(queued_s(s, "J"), 60);
    sc_destroy(s);
}

static void queue_time_begins_anew_after_a_requeue(void **state)
{
    (void)state;
    check_requeue(QUEUEPOLICY);
    check_requeue(FULLPOLICY);
    check_requeue(ALWAYS);
}

/* ---- priority grows ---- */

static void example_8_1_minutes_queued_are_the_default_priority(void **state)
{
    (void)state;
    struct scenario *s = example_start(&busy_and_j, false);
    sc_run_until(s, 0);
    sc_settings(s);
    sc_at(s, 7800);
    assert_int_equal(sc_priority(s, "J"), 130);
    sc_destroy(s);
    struct example x = {
        .nodes = 1, .jobs = {{"busy", 1, 20000, 900, 0}, {"J", 1, 100, 0, 20000}}};
    s = example_start(&x, false);
    sc_at(s, 4 * 3600 + 20 * 60);
    assert_int_equal(sc_priority(s, "J"), 260);
    sc_destroy(s);
}

static void example_8_4_a_qos_weight_lets_its_jobs_grow_faster(void **state)
{
    (void)state;
    struct example x = {.cfg = "QUEUETIMEWEIGHT 1\nQOSCFG[special] QTWEIGHT=5000\n"
                               "SYSCFG[base] QLIST=DEFAULT,special\n",
        .nodes = 1,
        .jobs = {{"busy", 1, 1200, 900, 0}, {"J", 1, 100, 0, 1300},
            {"K", 1, 100, 0, 1200, .qos = "special", .submit = 600}}};
    example_run(&x);
    BOTH_WAYS(s, x)
    {
        sc_at(s, 1199);
        sc_at(s, 1200);
        assert_int_equal(sc_priority(s, "K"), 50010);
        assert_int_equal(sc_priority(s, "J"), 20);
    }
}

/* ---- system priority (section 6) ---- */

static int setspri(struct scenario *s, const char *id, bool relative, int64_t n)
{
    struct event ev = {.kind = EVENT_PRIORITY};
    struct err err;

    ev.u.priority.id = id;
    ev.u.priority.relative = relative;
    ev.u.priority.n = n;
    return sc_apply(s, ev, &err);
}

static void an_absolute_system_priority_goes_first_the_larger_wins(void **state)
{
    (void)state;
    struct example x = {.cfg = "USERWEIGHT 1\nUSERCFG[vip] PRIORITY=1000000\n",
        .nodes = 1,
        .jobs = {{"busy", 1, 100, 900, 0}, {"a", 1, 100, 0, 300, .user = "vip"},
            {"b", 1, 100, 0, 200}, {"c", 1, 100, 0, 100}}};
    BOTH_WAYS(s, x)
    {
        sc_at(s, 50);
        assert_int_equal(setspri(s, "b", false, 5), 0);
        assert_int_equal(setspri(s, "c", false, 6), 0);
        assert_int_equal(setspri(s, "a", false, 1001), -1);
        assert_int_equal(setspri(s, "a", false, -1), -1);
        sc_cycle(s);
        assert_int_equal(sc_priority(s, "b"), 1000000005);
        assert_int_equal(sc_priority(s, "a"), 1000000);
        sc_run(s);
        assert_int_equal(sc_start(s, "c"), 100);
        assert_int_equal(sc_start(s, "b"), 200);
        assert_int_equal(sc_start(s, "a"), 300);
    }
}

static void a_relative_system_priority_is_added_and_zero_clears(void **state)
{
    (void)state;
    struct example x = {.cfg = "USERWEIGHT 1\nUSERCFG[vip] PRIORITY=500\n",
        .nodes = 1,
        .jobs = {{"busy", 1, 9000, 900, 0}, {"a", 1, 100, 0, 0, .user = "vip"}}};
    BOTH_WAYS(s, x)
    {
        sc_run_until(s, 0);
        assert_int_equal(setspri(s, "a", true, 100), 0);
        sc_cycle(s);
        assert_int_equal(sc_priority(s, "a"), 600);
        assert_int_equal(setspri(s, "a", true, -700), 0);
        sc_cycle(s);
        assert_int_equal(sc_priority(s, "a"), -200);
        assert_int_equal(setspri(s, "a", true, 1000000001), -1);
        assert_int_equal(setspri(s, "a", false, 0), 0);
        sc_cycle(s);
        assert_int_equal(sc_priority(s, "a"), 500);
        assert_int_equal(setspri(s, "nosuch", false, 1), -1);
    }
}

/* ---- bypass (section 3) ---- */

static const struct example passed_by = {.nodes = 4,
    .jobs = {{"R", 2, 100, 99, 0}, {"A", 4, 100, 50, 100}, {"K", 4, 10, 45, 200},
        {"X", 2, 50, 40, 0}, {"L", 3, 10, 30, 210}}};

static void each_backfilled_job_counts_once_for_everyone_it_passed(void **state)
{
    (void)state;
    struct example x = passed_by;
    BOTH_WAYS(s, x)
    {
        sc_run_until(s, 0);
        assert_string_equal(sc_log(s, "X"), "backfill@0");
        sc_at(s, 10);
        assert_int_equal(sc_bypass(s, "A"), 1);
        assert_int_equal(sc_bypass(s, "K"), 1);
        assert_int_equal(sc_bypass(s, "L"), 0);
        sc_job(s,
            (struct sc_job){
                .id = "Y", .submit_at = 60, .procs = 2, .limit_s = 40, .priority = 20});
        sc_at(s, 61);
        assert_int_equal(sc_start(s, "Y"), 60);
        assert_int_equal(sc_bypass(s, "A"), 2);
        assert_int_equal(sc_bypass(s, "K"), 2);
        assert_int_equal(sc_bypass(s, "L"), 1);
    }
}

/* Job indexes are used again. */
static void a_bypass_count_dies_with_its_job(void **state)
{
    (void)state;
    struct example x = passed_by;
    BOTH_WAYS(s, x)
    {
        sc_run_until(s, 0);
        uint32_t index = sc_find(s, "K")->index;
        sc_cancel(s, "K");
        sc_cycle(s);
        sc_job(s,
            (struct sc_job){
                .id = "N", .submit_at = 20, .procs = 4, .limit_s = 40, .priority = 45});
        sc_job(s,
            (struct sc_job){
                .id = "Y", .submit_at = 60, .procs = 2, .limit_s = 40, .priority = 20});
        sc_at(s, 61);
        assert_int_equal(sc_find(s, "N")->index, index);
        assert_int_equal(sc_start(s, "Y"), 60);
        assert_int_equal(sc_bypass(s, "N"), 1);
    }
}

static void tell(struct scenario *s, enum event_kind kind, int64_t at, const char *id,
    uint32_t procs, int64_t limit_s)
{
    struct req_desc req = {.tasks = procs, .per_task = {{1, 0, 0, 0}}};
    struct event ev = {.kind = kind, .at = at};
    struct err err;

    if (kind == EVENT_SUBMIT) {
        ev.u.job = (struct job_desc){
            .id = id, .submit_at = at, .wclimit_s = limit_s, .reqs = &req, .nreqs = 1};
    } else {
        ev.u.end.id = id;
        ev.u.end.how = EV_COMPLETE;
    }
    if (engine_apply(sc_engine(s), &ev, NULL, &err) < 0)
        fail_msg("%s", err.text);
}

/* A shell may keep what was decided in earlier cycles: a start in one of them says
 * nothing of the job that has the index now. */
static void actions_of_earlier_cycles_keep_no_bypass_from_counting(void **state)
{
    (void)state;
    struct scenario *s = sc_create_with("BACKFILLTYPE QUEUEORDER\n");
    struct actions acts = {0};

    sc_nodes(s, 4, 1);
    tell(s, EVENT_SUBMIT, 0, "busy", 3, 1000);
    tell(s, EVENT_SUBMIT, 0, "X", 1, 10);
    engine_cycle(sc_engine(s), 0, &acts);
    uint32_t index = sc_find(s, "X")->index;
    tell(s, EVENT_END, 10, "X", 0, 0);
    engine_cycle(sc_engine(s), 10, &acts);
    tell(s, EVENT_SUBMIT, 18, "wide", 4, 100);
    tell(s, EVENT_SUBMIT, 19, "too", 4, 100);
    tell(s, EVENT_SUBMIT, 20, "small", 1, 40);
    engine_cycle(sc_engine(s), 20, &acts);
    assert_int_equal(sc_find(s, "wide")->index, index);
    assert_int_equal(sc_find(s, "small")->state, JOB_RUNNING);
    assert_int_equal(sc_bypass(s, "wide"), 1);
    vec_fini(&acts);
    sc_destroy(s);
}

static void bypass_weight_lifts_the_jobs_passed(void **state)
{
    (void)state;
    struct example x = {.cfg = "BYPASSWEIGHT 100\nQUEUETIMEWEIGHT 0\nUSERWEIGHT 1\n"
                               "USERCFG[u] PRIORITY=50\nUSERCFG[v] PRIORITY=60\n",
        .nodes = 4,
        .jobs = {{"R", 2, 100, 99, 0}, {"A", 4, 100, 90, 100},
            {"K", 4, 10, 0, 200, .user = "u"}, {"X", 2, 50, 10, 0},
            {"V", 4, 10, 0, 210, .user = "v", .submit = 50}}};
    x.jobs[3].priority = 0;
    x.jobs[3].user = "x"; /* computed 0: below u */
    example_run(&x);
}

/* ---- negative priorities (section 8.6) ---- */

#define BOB "USERWEIGHT 1\nUSERCFG[bob] PRIORITY=-1000\n"

static void negative_priorities_are_one_by_default(void **state)
{
    (void)state;
    struct example x = {.cfg = BOB,
        .nodes = 1,
        .jobs = {{"busy", 1, 9000, 900, 0}, {"J", 1, 100, 0, 9000, .user = "bob"}}};
    example_run(&x);
    struct scenario *s = example_start(&x, false);
    sc_at(s, 1800);
    assert_int_equal(sc_priority(s, "J"), 1);
    sc_destroy(s);
}

static void kept_negative_priorities_go_last(void **state)
{
    (void)state;
    struct example x = {
        .cfg = BOB "ENABLENEGJOBPRIORITY TRUE\nREJECTNEGPRIOJOBS FALSE\n",
        .nodes = 1,
        .jobs = {{"busy", 1, 9000, 900, 0}, {"J", 1, 100, 0, 9100, .user = "bob"},
            {"K", 1, 100, 0, 9000, .submit = 8999}}};
    example_run(&x);
    struct scenario *s = example_start(&x, false);
    sc_at(s, 1800);
    assert_int_equal(sc_priority(s, "J"), -970);
    sc_destroy(s);
}

/* The example lets waiting lift a rejected job to 0 in 1000 minutes; the table of
 * section 4 freezes its queue time. Decision: the table, so waiting lifts it where
 * queue time grows always. */
static void a_rejected_job_starts_when_waiting_has_lifted_it(void **state)
{
    (void)state;
    const char *cfg =
        BOB "ENABLENEGJOBPRIORITY TRUE\nREJECTNEGPRIOJOBS TRUE\n" ALWAYS "\n";
    struct example x = {
        .cfg = cfg, .nodes = 1, .jobs = {{"J", 1, 100, 0, 0, .user = "bob"}}};
    BOTH_WAYS(s, x)
    {
        sc_at(s, 1800);
        assert_int_equal(sc_priority(s, "J"), -970);
        assert_int_equal(sc_why_code(s, "J"), WAIT_NEGATIVE_PRIORITY);
        sc_at(s, 59900);
        assert_int_equal(sc_start(s, "J"), -1);
        sc_at(s, 60000);
        assert_int_equal(sc_start(s, "J"), 60000);
    }
}

static void a_rejected_job_loses_its_reservation(void **state)
{
    (void)state;
    struct example x = {.cfg = "ENABLENEGJOBPRIORITY TRUE\nREJECTNEGPRIOJOBS TRUE\n",
        .nodes = 1,
        .jobs = {{"busy", 1, 9000, 900, 0}, {"J", 1, 100, 0, 9000}}};
    BOTH_WAYS(s, x)
    {
        sc_at(s, 60);
        assert_int_equal(sc_reserved(s, "J"), 9000);
        assert_int_equal(setspri(s, "J", true, -100), 0);
        sc_cycle(s);
        assert_int_equal(sc_reserved(s, "J"), -1);
        assert_string_equal(sc_log(s, "J"), "reserve(9000)@0 release@60");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_eligible_job_earns_all_the_time),
        cmocka_unit_test(time_on_hold_is_not_earned),
        cmocka_unit_test(a_wait_for_others_of_its_array_is_no_hold),
        cmocka_unit_test(a_disabled_class_freezes),
        cmocka_unit_test(a_rejected_negative_priority_freezes),
        cmocka_unit_test(an_unmet_dependency_freezes),
        cmocka_unit_test(failing_a_hard_limit_at_selection_takes_all),
        cmocka_unit_test(a_fairshare_cap_freezes),
        cmocka_unit_test(a_release_time_freezes),
        cmocka_unit_test(queue_time_begins_anew_after_a_deferral),
        cmocka_unit_test(queue_time_begins_anew_after_a_requeue),
        cmocka_unit_test(example_8_1_minutes_queued_are_the_default_priority),
        cmocka_unit_test(example_8_4_a_qos_weight_lets_its_jobs_grow_faster),
        cmocka_unit_test(an_absolute_system_priority_goes_first_the_larger_wins),
        cmocka_unit_test(a_relative_system_priority_is_added_and_zero_clears),
        cmocka_unit_test(each_backfilled_job_counts_once_for_everyone_it_passed),
        cmocka_unit_test(a_bypass_count_dies_with_its_job),
        cmocka_unit_test(actions_of_earlier_cycles_keep_no_bypass_from_counting),
        cmocka_unit_test(bypass_weight_lifts_the_jobs_passed),
        cmocka_unit_test(negative_priorities_are_one_by_default),
        cmocka_unit_test(kept_negative_priorities_go_last),
        cmocka_unit_test(a_rejected_job_starts_when_waiting_has_lifted_it),
        cmocka_unit_test(a_rejected_job_loses_its_reservation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
