/* SPDX-License-Identifier: Apache-2.0
 * What administrators and owners order: start now, other requests, deadlines. */
#include "cmocka_all.h"
#include "engine/engine_private.h"
#include "example.h"

#define STARTED NULL

/* Apply it; `says` is the sentence of the refusal, NULL = it is accepted. */
static void order(struct scenario *s, struct event ev, const char *says)
{
    struct err err = {0};

    if (sc_apply(s, ev, &err) == 0) {
        if (says)
            fail_msg("accepted, expected '%s'", says);
    } else if (!says) {
        fail_msg("%s", err.text);
    } else {
        assert_string_equal(err.text, says);
    }
}

static struct event run(const char *id, unsigned flags)
{
    return (struct event){.kind = EVENT_RUN, .u.run = {.id = id, .flags = flags}};
}

static struct event modify(const char *id, struct job_change ch)
{
    return (struct event){.kind = EVENT_MODIFY, .u.modify = {id, ch}};
}

/* ---- runjob -------------------------------------------------------------------- */

static void run_starts_a_job_of_low_priority_now(void **state)
{
    (void)state;
    struct example x = {.cfg = "BACKFILLPOLICY NONE",
        .nodes = 4,
        .jobs = {{"busy", 2, 1000, 500, 0}, {"wide", 4, 100, 400, 0},
            {"small", 1, 5000, 1, 0}}};
    BOTH_WAYS(s, x)
    {
        sc_at(s, 10);
        assert_int_equal(sc_start(s, "small"), -1);
        order(s, run("small", 0), STARTED);
        assert_int_equal(sc_find(s, "small")->state, JOB_RUNNING);
        sc_cycle(s);
        assert_int_equal(sc_start(s, "small"), 10);
        sc_run(s);
        assert_int_equal(sc_start(s, "wide"), 5010);
    }
}

static void run_tells_what_is_missing(void **state)
{
    (void)state;
    struct example x = {
        .nodes = 4, .jobs = {{"busy", 3, 1000, 500, 0}, {"wide", 4, 100, 400, 0}}};
    BOTH_WAYS(s, x)
    {
        sc_at(s, 10);
        order(s, run("wide", 0),
            "job cannot run  (insufficient idle procs:  4 needed  1 available)");
        order(s, run("busy", 0),
            "job 'busy' is in state 'Running'  (state must be idle)");
        order(s, run("nobody", 0), "job 'nobody' is not in the queue");
        sc_run(s);
        assert_int_equal(sc_start(s, "wide"), 1000);
    }
}

static void run_wants_holds_released_first(void **state)
{
    (void)state;
    struct example x = {
        .nodes = 1, .jobs = {{"held", 1, 100, 0, 0, .holds = HOLD_USER}}};
    BOTH_WAYS(s, x)
    {
        sc_at(s, 10);
        order(s, run("held", RUN_ANY_POLICY | RUN_ANY_RESERVATION),
            "job 'held' is in state 'UserHold'  (state must be idle): release it "
            "first");
    }
}

static void run_obeys_hard_limits_unless_forced(void **state)
{
    (void)state;
    struct example x = {.cfg = "USERCFG[ann] MAXJOB=1",
        .nodes = 4,
        .jobs = {{"a", 1, 1000, 0, 0, .user = "ann"},
            {"b", 1, 1000, 0, 0, .user = "ann", .submit = 1}}};
    for (int by_node = 0; by_node < 2; by_node++)
        for (unsigned flag = RUN_ANY_LIMIT; flag <= RUN_ANY_POLICY; flag <<= 1) {
            struct scenario *s = example_start(&x, by_node);
            struct err err;
            sc_at(s, 10);
            assert_int_equal(sc_apply(s, run("b", 0), &err), -1);
            assert_memory_equal(
                err.text, "job cannot run (rejected by policy MAXJOB)", 42);
            order(s, run("b", flag), STARTED);
            sc_cycle(s);
            assert_int_equal(sc_start(s, "b"), 10);
            sc_destroy(s);
        }
}

static void run_obeys_dates_and_dependencies_unless_forced(void **state)
{
    (void)state;
    struct example x = {
        .nodes = 4, .jobs = {{"later", 1, 100, 0, 0, .release_at = 500}}};
    BOTH_WAYS(s, x)
    {
        struct err err;
        const struct dep deps[] = {{DEP_COMPLETED, (char *)"later"}, {0, NULL}};
        sc_job(
            s, (struct sc_job){.id = "after", .procs = 1, .limit_s = 10, .deps = deps});
        sc_at(s, 10);
        assert_int_equal(sc_apply(s, run("later", RUN_ANY_LIMIT), &err), -1);
        assert_non_null(strstr(err.text, "rejected by policy STARTDATE"));
        assert_int_equal(sc_apply(s, run("after", 0), &err), -1);
        assert_non_null(strstr(err.text, "rejected by policy DEPENDENCY"));
        order(s, run("later", RUN_ANY_POLICY), STARTED);
        order(s, run("after", RUN_ANY_POLICY), STARTED);
    }
}

static void run_goes_exactly_to_the_nodes_named(void **state)
{
    (void)state;
    struct example x = {.nodes = 4,
        .procs = 2,
        .jobs = {{"busy", 8, 100, 500, 0}, {"j", 4, 100, 10, 0, .submit = 1}}};
    const char *const two[] = {"n4", "n2", NULL}, *const one[] = {"n3", NULL},
                      *const odd[] = {"n9", NULL};
    BOTH_WAYS(s, x)
    {
        sc_at(s, 10);
        order(s, (struct event){.kind = EVENT_CANCEL, .u.end = {.id = "busy"}}, NULL);
        struct event ev = run("j", 0);
        ev.u.run.nodes = odd;
        order(s, ev, "no node is named 'n9'");
        ev.u.run.nodes = one;
        order(s, ev,
            "job cannot run (available nodes do not meet requirements in any "
            "partition): node n3 can take 2 of 4 tasks at most");
        ev.u.run.nodes = two;
        order(s, ev, STARTED);
        sc_cycle(s);
        assert_string_equal(sc_where(s, "j"), "n2:2 n4:2");
    }
}

static void run_keeps_out_of_reservations_unless_forced(void **state)
{
    (void)state;
    struct example x = {.nodes = 2, .jobs = {{"j", 2, 1000, 0, 0}}};
    BOTH_WAYS(s, x)
    {
        struct err err;
        struct sc_rsv r = {.hosts = "n1", .start_at = 0, .end_at = 5000};
        assert_int_equal(sc_setres(s, &r, &err), 0);
        sc_at(s, 10);
        assert_int_equal(sc_start(s, "j"), -1);
        order(s, run("j", RUN_ANY_POLICY),
            "job cannot run  (insufficient idle procs:  2 needed  1 available)");
        order(s, run("j", RUN_ANY_POLICY | RUN_ANY_RESERVATION), STARTED);
        sc_cycle(s);
        assert_string_equal(sc_where(s, "j"), "n1:1 n2:1");
    }
}

static void a_forced_start_moves_the_reservations_in_its_way(void **state)
{
    (void)state;
    struct example x = {.nodes = 4,
        .jobs = {{"busy", 2, 1000, 500, 0}, {"wide", 4, 100, 400, 0},
            {"long", 2, 5000, 1, 0}}};
    BOTH_WAYS(s, x)
    {
        sc_at(s, 10);
        assert_int_equal(sc_reserved(s, "wide"), 1000);
        order(s, run("long", 0),
            "job cannot run  (insufficient idle procs:  2 needed  0 available)");
        order(s, run("long", RUN_ANY_RESERVATION), STARTED);
        sc_cycle(s);
        assert_int_equal(sc_start(s, "long"), 10);
        assert_int_equal(sc_reserved(s, "wide"), 5010);
    }
}

/* A refused order is one that nobody gave: for the job, for the plan, and for how that
 * is counted. */
static void a_refused_run_changes_nothing(void **state)
{
    static const char *const n4[] = {"n4", NULL};

    (void)state;
    struct example x = {.nodes = 4,
        .jobs = {{"busy", 4, 1000, 500, 0}, {"wide", 4, 100, 400, 0},
            {"long", 2, 5000, 1, 0}}};
    BOTH_WAYS(s, x)
    {
        sc_at(s, 10);
        const struct engine *e = sc_engine(s);
        struct job before = *sc_find(s, "wide");
        uint64_t changes = plan_changes(e->plan);
        bool counts = plan_counts(e->plan, 0);
        struct event there = run("wide", 0), forced = run("wide", RUN_ANY_RESERVATION);
        there.u.run.nodes = forced.u.run.nodes = n4;
        order(s, run("wide", 0),
            "job cannot run  (insufficient idle procs:  4 needed  0 available)");
        order(s, there,
            "job cannot run (available nodes do not meet requirements in any "
            "partition): node n4 has nothing free for a task");
        order(s, forced,
            "job cannot run (available nodes do not meet requirements in any "
            "partition): node n4 has nothing free for a task");
        before.prio_epoch = sc_find(s, "wide")->prio_epoch; /* of a memory */
        assert_memory_equal(&before, sc_find(s, "wide"), sizeof before);
        assert_true(plan_changes(e->plan) == changes);
        assert_true(plan_counts(e->plan, 0) == counts);
        assert_int_equal(sc_reserved(s, "wide"), 1000);
        plan_check(e->plan);
    }
}

/* It is planned as it asks for itself, not as it was placed. */
static void nodes_that_an_order_names_are_not_what_the_job_asks_for(void **state)
{
    static const char *const n3[] = {"n3", NULL};

    (void)state;
    struct example x = {.nodes = 4,
        .jobs = {{"j", 1, 1000, 0, 0, .submit = 5}, {"busy", 4, 20, 500, 0}}};
    BOTH_WAYS(s, x)
    {
        sc_at(s, 10);
        const struct engine *e = sc_engine(s);
        bool counts = plan_counts(e->plan, 0);
        sc_cancel(s, "busy");
        struct event there = run("j", 0);
        there.u.run.nodes = n3;
        order(s, there, STARTED);
        assert_true(plan_counts(e->plan, 0) == counts);
        assert_int_equal(sc_find(s, "j")->reqs[0].held->hosts.n, 0);
        sc_cycle(s);
        assert_string_equal(sc_where(s, "j"), "n3:1");
        plan_check(e->plan);
    }
}

static void run_may_use_nodes_that_drain(void **state)
{
    (void)state;
    struct example x = {
        .cfg = "DEFERTIME 0", .nodes = 1, .jobs = {{"j", 1, 100, 0, 0, .submit = 5}}};
    BOTH_WAYS(s, x)
    {
        sc_node_state(s, "n1", NODE_DRAINED);
        sc_at(s, 10);
        order(s, run("j", 0),
            "job cannot run (available nodes do not meet requirements in any "
            "partition): node n1 is not up");
        order(s, run("j", RUN_ANY_STATE), STARTED);
        sc_cycle(s);
        assert_int_equal(sc_start(s, "j"), 10);
    }
}

static void what_an_order_decides_is_told_when_asked_for(void **state)
{
    (void)state;
    struct example x = {.cfg = "BACKFILLPOLICY NONE",
        .nodes = 2,
        .jobs = {{"busy", 1, 1000, 500, 0}, {"wide", 2, 100, 400, 0},
            {"small", 1, 5000, 1, 0}}};
    BOTH_WAYS(s, x)
    {
        struct actions told = {0};
        sc_at(s, 10);
        order(s, run("small", 0), STARTED);
        engine_decided(sc_engine(s), &told);
        assert_int_equal(told.n, 1);
        assert_int_equal(told.v[0].kind, ACTION_START);
        engine_decided(sc_engine(s), &told);
        assert_int_equal(told.n, 1);
        vec_fini(&told);
    }
}

/* ---- mjobctl -m ---------------------------------------------------------------- */

static void a_shorter_limit_lets_a_job_pass(void **state)
{
    (void)state;
    struct example x = {.nodes = 2,
        .jobs = {
            {"busy", 1, 1000, 500, 0}, {"wide", 2, 100, 400, 0}, {"j", 1, 2000, 1, 0}}};
    BOTH_WAYS(s, x)
    {
        sc_at(s, 10);
        assert_int_equal(sc_start(s, "j"), -1);
        order(s,
            modify(
                "j", (struct job_change){.what = CHANGE_WCLIMIT, .job.wclimit_s = 500}),
            NULL);
        sc_cycle(s);
        assert_int_equal(sc_start(s, "j"), 10);
        assert_int_equal(sc_find(s, "j")->end_at, 510);
    }
}

static void the_end_of_a_running_job_moves_with_its_limit(void **state)
{
    (void)state;
    struct example x = {.nodes = 1,
        .jobs = {{"run", 1, 1000, 500, 0, .run = 5000}, {"next", 1, 100, 400, 0}}};
    BOTH_WAYS(s, x)
    {
        sc_at(s, 10);
        assert_int_equal(sc_reserved(s, "next"), 1000);
        order(s,
            modify("run",
                (struct job_change){.what = CHANGE_WCLIMIT, .job.wclimit_s = 3000}),
            NULL);
        sc_cycle(s);
        assert_int_equal(sc_find(s, "run")->end_at, 3000);
        assert_int_equal(sc_reserved(s, "next"), 3000);
        order(s,
            modify("run",
                (struct job_change){.what = CHANGE_WCLIMIT, .job.wclimit_s = 200}),
            NULL);
        sc_cycle(s);
        assert_int_equal(sc_reserved(s, "next"), 200);
        sc_run(s);
        assert_string_equal(sc_log(s, "run"), "start@0 cancel@201");
        assert_int_equal(sc_start(s, "next"), 201);
    }
}

static void a_job_started_this_instant_may_get_longer_over_reservations(void **state)
{
    (void)state;
    struct example x = {.nodes = 2,
        .jobs = {
            {"busy", 1, 1000, 500, 0}, {"wide", 2, 100, 400, 0}, {"j", 1, 900, 1, 0}}};
    BOTH_WAYS(s, x)
    {
        sc_at(s, 0);
        assert_int_equal(sc_find(s, "j")->state, JOB_RUNNING);
        order(s,
            modify("j",
                (struct job_change){.what = CHANGE_WCLIMIT, .job.wclimit_s = 4000}),
            NULL);
        sc_cycle(s);
        assert_int_equal(sc_reserved(s, "wide"), 4000);
    }
}

static void requests_change_while_the_job_waits(void **state)
{
    (void)state;
    struct example x = {.nodes = 4,
        .procs = 2,
        .jobs = {{"busy", 6, 1000, 500, 0}, {"j", 8, 100, 10, 0}}};
    const char *const hosts[] = {"n4", NULL};
    BOTH_WAYS(s, x)
    {
        sc_at(s, 10);
        order(s,
            modify("j", (struct job_change){.what = CHANGE_TASKS | CHANGE_HOSTS,
                            .to = {.tasks = 2, .hosts = hosts}}),
            NULL);
        assert_int_equal(sc_find(s, "j")->procs, 2);
        sc_cycle(s);
        assert_int_equal(sc_start(s, "j"), 10);
        assert_string_equal(sc_where(s, "j"), "n4:2");
    }
}

static void credentials_dates_and_dependencies_change_too(void **state)
{
    (void)state;
    struct example x = {.cfg = "CLASSCFG[short] MAX.WCLIMIT=50",
        .nodes = 1,
        .jobs = {{"busy", 1, 1000, 500, 0}, {"j", 1, 100, 10, 0}}};
    const struct dep after[] = {{DEP_SUCCESS, (char *)"busy"}, {0, NULL}};
    BOTH_WAYS(s, x)
    {
        sc_at(s, 10);
        order(s,
            modify(
                "j", (struct job_change){.what = CHANGE_RELEASE | CHANGE_DEPS
                                                 | CHANGE_ACCOUNT | CHANGE_USER_PRIORITY
                                                 | CHANGE_DEADLINE,
                         .job.release_at = 1500,
                         .job.deadline_at = 9000,
                         .job.user_priority = 3,
                         .job.cred[CRED_ACCOUNT] = "physics",
                         .job.deps = after}),
            NULL);
        const struct job *j = sc_find(s, "j");
        assert_string_equal(
            job_cred(engine_cluster(sc_engine(s)), j, CRED_ACCOUNT)->name, "physics");
        assert_int_equal(j->user_priority, 3);
        assert_int_equal(j->extra->deadline_at, 9000);
        sc_cycle(s);
        assert_int_equal(sc_why_code(s, "j"), WAIT_RELEASE_TIME);
        order(s,
            modify("j", (struct job_change){.what = CHANGE_CLASS,
                            .job.cred[CRED_CLASS] = "short"}),
            NULL);
        assert_true(sc_find(s, "j")->holds & HOLD_DEFER); /* too long for its class */
    }
}

static void partitions_may_be_chosen_later(void **state)
{
    (void)state;
    const char *const west[] = {"west", NULL};
    struct scenario *s = sc_create_with("NODECFG[n2] PARTITION=west");

    sc_nodes(s, 2, 1);
    sc_job(s, (struct sc_job){.id = "busy", .procs = 1, .limit_s = 100});
    sc_job(s, (struct sc_job){.id = "j", .procs = 1, .limit_s = 10, .release_at = 20});
    sc_at(s, 10);
    order(s,
        modify("j",
            (struct job_change){.what = CHANGE_PARTITIONS, .job.partitions = west}),
        NULL);
    sc_run(s);
    assert_string_equal(sc_where(s, "j"), "n2:1");
    sc_destroy(s);
}

static void flags_group_and_reservation_change_too(void **state)
{
    (void)state;
    struct scenario *s = sc_create();
    const struct sc_rsv rsv = {
        .base = "for", .hosts = "n2", .lists = {[ACL_GROUP] = "bio"}, .end_at = 500};
    struct err err;

    sc_nodes(s, 2, 1);
    sc_job(s, (struct sc_job){.id = "busy", .procs = 1, .limit_s = 1000});
    sc_job(s, (struct sc_job){.id = "j", .procs = 1, .limit_s = 100, .group = "chem"});
    assert_int_equal(sc_setres(s, &rsv, &err), 0);
    sc_at(s, 10);
    order(s,
        modify("j", (struct job_change){.what = CHANGE_FLAGS | CHANGE_ADVRES,
                        .job.flags = JOB_RESTARTABLE | JOB_PREEMPTEE,
                        .job.advres = "for.0"}),
        NULL);
    const struct job *j = sc_find(s, "j");
    assert_int_equal(
        j->flags & (JOB_ADVRES | JOB_RESTARTABLE | JOB_PREEMPTEE | JOB_HOSTLIST),
        JOB_ADVRES | JOB_RESTARTABLE | JOB_PREEMPTEE);
    assert_string_equal(j->extra->advres, "for.0");
    sc_at(s, 20);
    assert_int_equal(sc_start(s, "j"), -1);
    order(s,
        modify("j", (struct job_change){.what = CHANGE_GROUP | CHANGE_FLAGS,
                        .job.cred[CRED_GROUP] = "bio"}),
        NULL);
    sc_at(s, 30);
    assert_int_equal(sc_start(s, "j"), 30);
    assert_string_equal(sc_where(s, "j"), "n2:1");
    assert_int_equal(
        sc_find(s, "j")->flags & (JOB_ADVRES | JOB_RESTARTABLE), JOB_ADVRES);
    sc_destroy(s);
}

static void a_change_ends_a_deferral(void **state)
{
    (void)state;
    struct gres_cfg none[] = {{(char *)"matlab", 1}, {NULL, 0}};
    struct example x = {.nodes = 1, .jobs = {{"j", 3, 100, 0, 0}}};
    BOTH_WAYS(s, x)
    {
        sc_at(s, 10);
        assert_true(sc_find(s, "j")->holds & HOLD_DEFER);
        order(s, modify("j", (struct job_change){.what = CHANGE_GRES, .to.gres = none}),
            NULL);
        assert_int_equal(sc_find(s, "j")->holds, 0);
        sc_at(s, 20);
        assert_true(sc_find(s, "j")->holds & HOLD_DEFER);
        order(s,
            modify("j", (struct job_change){.what = CHANGE_GRES | CHANGE_TASKS,
                            .to = {.tasks = 1}}),
            NULL);
        sc_at(s, 30);
        assert_int_equal(sc_start(s, "j"), 30);
    }
}

static void changes_that_cannot_be_are_refused_whole(void **state)
{
    (void)state;
    const char *const odd[] = {"n9", NULL};
    const struct dep itself[] = {{DEP_SUCCESS, (char *)"j"}, {0, NULL}};
    struct example x = {
        .nodes = 1, .jobs = {{"busy", 1, 1000, 500, 0}, {"j", 1, 100, 10, 0}}};
    const struct {
        struct job_change ch;
        const char *says;
    } cases[] = {
        {{.what = CHANGE_WCLIMIT, .job.wclimit_s = -1}, "wallclock limit is -1"},
        {{.what = CHANGE_WCLIMIT | CHANGE_HOSTS,
             .job.wclimit_s = 5,
             .to = {.hosts = odd}},
            "no node is named 'n9'"},
        {{.what = CHANGE_TASKS, .req = 1}, "there is no request 1"},
        {{.what = CHANGE_PROCS, .to = {.per_task = {{-2}}}}, "processors per task"},
        {{.what = CHANGE_DEPS, .job.deps = itself}, "cannot depend on itself"},
        {{.what = CHANGE_CLASS, .job.cred[CRED_CLASS] = "a b"}, "a b"},
        {{.what = CHANGE_RELEASE, .job.release_at = -1}, "release time"},
        {{.what = CHANGE_USER_PRIORITY, .job.user_priority = 99999}, "user priority"},
    };
    BOTH_WAYS(s, x)
    {
        struct err err;
        sc_at(s, 10);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            assert_int_equal(sc_apply(s, modify("j", cases[i].ch), &err), -1);
            assert_non_null(strstr(err.text, cases[i].says));
        }
        assert_int_equal(sc_find(s, "j")->wclimit_s, 100);
        order(s,
            modify("busy",
                (struct job_change){.what = CHANGE_CLASS, .job.cred[CRED_CLASS] = "x"}),
            "job 'busy' is Running: only its wallclock limit, QOS, priority, "
            "deadline, comment and mail can be changed");
    }
}

/* ---- the others ---------------------------------------------------------------- */

static void deadlines_and_user_priorities_are_set_within_bounds(void **state)
{
    (void)state;
    struct example x = {.nodes = 1, .jobs = {{"j", 1, 100, 0, 0}}};
    BOTH_WAYS(s, x)
    {
        sc_at(s, 10);
        struct event ev = {.kind = EVENT_DEADLINE, .u.deadline = {"j", 500}};
        order(s, ev, NULL);
        assert_int_equal(sc_find(s, "j")->extra->deadline_at, 500);
        ev.u.deadline.at = 10;
        order(s, ev, "job 'j': the deadline has passed already");
        ev.u.deadline.at = 0;
        order(s, ev, NULL);
        assert_int_equal(sc_find(s, "j")->extra->deadline_at, 0);
        ev = (struct event){.kind = EVENT_USER_PRIORITY, .u.user_priority = {"j", 100}};
        order(s, ev, NULL);
        assert_int_equal(sc_find(s, "j")->user_priority, 100);
        ev.u.user_priority.n = 101;
        order(s, ev, "user priority must be in the range 0 - 100, not 101");
        assert_int_equal(sc_find(s, "j")->user_priority, 100);
    }
}

static void a_node_that_went_is_down_until_it_is_reported_again(void **state)
{
    (void)state;
    struct scenario *s = sc_create();
    struct event gone = {.kind = EVENT_NODE_GONE, .u.node_state = {.name = "n1"}};
    struct event up = {
        .kind = EVENT_NODE_STATE, .u.node_state = {.name = "n1", .state = NODE_IDLE}};

    sc_nodes(s, 1, 2);
    sc_cycle(s);
    order(s, gone, NULL);
    order(s, up, "node 'n1' is no longer known to the resource manager");
    sc_job(s, (struct sc_job){.id = "j", .procs = 2, .limit_s = 10});
    sc_at(s, 10);
    assert_int_equal(sc_start(s, "j"), -1);
    order(s,
        (struct event){.kind = EVENT_NODE,
            .u.node = {.name = "n1", .state = NODE_IDLE, .cfg = {{2, 0, 0, 0}}}},
        NULL);
    sc_release(s, "j", HOLD_DEFER, "root");
    sc_at(s, 20);
    assert_int_equal(sc_start(s, "j"), 20);
    gone.u.node_state.name = "n7";
    order(s, gone, "node 'n7' is unknown");
    sc_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_starts_a_job_of_low_priority_now),
        cmocka_unit_test(run_tells_what_is_missing),
        cmocka_unit_test(run_wants_holds_released_first),
        cmocka_unit_test(run_obeys_hard_limits_unless_forced),
        cmocka_unit_test(run_obeys_dates_and_dependencies_unless_forced),
        cmocka_unit_test(run_goes_exactly_to_the_nodes_named),
        cmocka_unit_test(run_keeps_out_of_reservations_unless_forced),
        cmocka_unit_test(a_forced_start_moves_the_reservations_in_its_way),
        cmocka_unit_test(a_refused_run_changes_nothing),
        cmocka_unit_test(nodes_that_an_order_names_are_not_what_the_job_asks_for),
        cmocka_unit_test(run_may_use_nodes_that_drain),
        cmocka_unit_test(what_an_order_decides_is_told_when_asked_for),
        cmocka_unit_test(a_shorter_limit_lets_a_job_pass),
        cmocka_unit_test(the_end_of_a_running_job_moves_with_its_limit),
        cmocka_unit_test(a_job_started_this_instant_may_get_longer_over_reservations),
        cmocka_unit_test(requests_change_while_the_job_waits),
        cmocka_unit_test(credentials_dates_and_dependencies_change_too),
        cmocka_unit_test(partitions_may_be_chosen_later),
        cmocka_unit_test(flags_group_and_reservation_change_too),
        cmocka_unit_test(a_change_ends_a_deferral),
        cmocka_unit_test(changes_that_cannot_be_are_refused_whole),
        cmocka_unit_test(deadlines_and_user_priorities_are_set_within_bounds),
        cmocka_unit_test(a_node_that_went_is_down_until_it_is_reported_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
