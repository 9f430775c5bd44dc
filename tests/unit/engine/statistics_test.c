/* SPDX-License-Identifier: Apache-2.0
 * Statistics of record: engine/statistics, every figure by hand. */
#include "cmocka_all.h"
#include "config/settings.h"
#include "engine/statistics/statistics.h"
#include "example.h"

#define NEAR(a, b) assert_float_equal(a, b, 1e-6)

static struct stat_figures figures(
    struct scenario *s, enum cred_kind kind, const char *name)
{
    struct engine *e = sc_engine(s);
    struct stat_figures f;
    uint32_t index = 0;

    if (name) {
        const struct cred *k = cred_find(engine_cluster(e), kind, name);
        assert_non_null(k);
        index = k->index;
    }
    statistics_of(engine_statistics(e), kind, index, sc_now(s), &f);
    return f;
}

static struct stat_figures all_jobs(struct scenario *s)
{
    return figures(s, CRED_KINDS, NULL);
}

static struct stat_machine machine(struct scenario *s)
{
    struct stat_machine m;

    statistics_machine(engine_statistics(sc_engine(s)), sc_now(s), &m);
    return m;
}

/* Four processors. `first` runs 60 of its 100 s on all of them; `second` waits for it,
 * then runs its 20 s to the limit on two. */
static const struct example two_jobs = {.nodes = 2,
    .procs = 2,
    .jobs = {{.id = "first", .procs = 4, .limit = 100, .run = 60, .user = "ann"},
        {.id = "second", .procs = 2, .limit = 20, .user = "ann", .account = "bio"}}};

static void an_ended_job_is_counted_with_all_its_figures(void **state)
{
    (void)state;
    BOTH_WAYS(s, two_jobs)
    {
        sc_at(s, 70);
        struct stat_figures f = figures(s, CRED_USER, "ann");
        assert_int_equal(f.sums.jobs, 1);
        assert_int_equal(f.sums.successful, 1);
        assert_int_equal(f.sums.procs, 4);
        assert_int_equal(f.sums.queue_s, 0);
        NEAR(f.sums.ps_requested, 400);
        NEAR(f.sums.ps_run, 240);
        NEAR(f.sums.xfactor, 0.6);
        NEAR(f.sums.accuracy, 0.6);
        NEAR(f.sums.accuracy_ps, 0.6 * 240);
        NEAR(f.sums.ps_dedicated, 240 + 2 * 10); /* the second has run for 10 s */
        assert_int_equal(f.active_jobs, 1);
        assert_int_equal(f.active_procs, 2);
        NEAR(f.active_ps, 20);
        NEAR(f.sums.ps_measured, 0);
    }
}

static void sums_and_maxima_run_over_several_jobs(void **state)
{
    (void)state;
    BOTH_WAYS(s, two_jobs)
    {
        sc_at(s, 100);
        struct stat_figures f = all_jobs(s);
        assert_int_equal(f.sums.jobs, 2);
        assert_int_equal(f.sums.procs, 6);
        assert_int_equal(f.sums.queue_s, 60);
        assert_int_equal(f.sums.max_queue_s, 60);
        NEAR(f.sums.ps_requested, 400 + 40);
        NEAR(f.sums.ps_run, 240 + 40);
        NEAR(f.sums.xfactor, 0.6 + (60 + 20) / 20.0);
        NEAR(f.sums.xfactor_procs, 0.6 * 4 + 4.0 * 2);
        NEAR(f.sums.xfactor_ps, 0.6 * 240 + 4.0 * 40);
        NEAR(f.sums.max_xfactor, 4);
        NEAR(f.sums.accuracy, 1.6);
        NEAR(f.sums.ps_dedicated, 280);
        NEAR(f.active_ps, 0);
        assert_int_equal(f.active_jobs, 0);
    }
}

static void each_credential_has_what_its_own_jobs_add(void **state)
{
    (void)state;
    struct scenario *s = example_start(&two_jobs, false);

    sc_at(s, 100);
    struct stat_figures f = figures(s, CRED_ACCOUNT, "bio");
    assert_int_equal(f.sums.jobs, 1);
    NEAR(f.sums.ps_run, 40);
    NEAR(f.sums.ps_dedicated, 40);
    sc_destroy(s);
}

static void available_and_backlog_are_taken_over_time(void **state)
{
    (void)state;
    struct scenario *s = example_start(&two_jobs, false);

    sc_at(s, 50);
    struct stat_machine m = machine(s);
    assert_int_equal(m.procs_up, 4);
    NEAR(m.ps_available, 200);
    NEAR(m.backlog_s, 10); /* 2 x 20 s on four processors */
    NEAR(m.backlog_average_s, 10);
    sc_node_state(s, "n2", NODE_DOWN);
    sc_at(s, 56);
    m = machine(s);
    NEAR(m.ps_available, 200 + 6 * 2);
    NEAR(m.backlog_s, 20);
    NEAR(m.backlog_average_s, (50 * 10 + 6 * 20) / 56.0);
    sc_destroy(s);
}

static void a_job_removed_at_its_limit_is_a_success_and_one_before_is_not(void **state)
{
    (void)state;
    struct scenario *s = sc_create();

    sc_nodes(s, 2, 1);
    sc_job(s, (struct sc_job){.id = "over", .procs = 1, .limit_s = 50, .run_s = 500});
    sc_job(s, (struct sc_job){.id = "early", .procs = 1, .limit_s = 50});
    sc_at(s, 20);
    sc_cancel(s, "early");
    sc_at(s, 100);
    struct stat_figures f = all_jobs(s);
    assert_int_equal(f.sums.jobs, 2);
    assert_int_equal(f.sums.successful, 1);
    NEAR(f.sums.accuracy, 1 + 0.4);
    sc_destroy(s);
}

static void a_job_that_never_ran_is_not_counted(void **state)
{
    (void)state;
    struct scenario *s = sc_create();

    sc_nodes(s, 1, 1);
    sc_job(s,
        (struct sc_job){.id = "held", .procs = 1, .limit_s = 50, .holds = HOLD_USER});
    sc_at(s, 10);
    NEAR(machine(s).backlog_s, 50);
    sc_cancel(s, "held");
    sc_at(s, 20);
    assert_int_equal(all_jobs(s).sums.jobs, 0);
    NEAR(machine(s).backlog_s, 0);
    sc_destroy(s);
}

static void backfilled_jobs_and_those_they_pass_are_told(void **state)
{
    (void)state;
    static const struct example x = {.nodes = 3,
        .jobs = {{.id = "run", .procs = 2, .limit = 100, .priority = 30},
            {.id = "wide", .procs = 3, .limit = 10, .priority = 20},
            {.id = "next", .procs = 3, .limit = 10, .priority = 19},
            {.id = "small", .procs = 1, .limit = 50, .priority = 10, .submit = 1}}};

    BOTH_WAYS(s, x)
    {
        sc_at(s, 60);
        struct stat_figures f = all_jobs(s);
        assert_int_equal(f.sums.jobs, 1);
        assert_int_equal(f.sums.backfilled, 1);
        NEAR(f.sums.ps_backfilled, 50);
        sc_at(s, 200);
        f = all_jobs(s);
        assert_int_equal(f.sums.bypass, 2);
        assert_int_equal(f.sums.max_bypass, 1);
        assert_int_equal(f.sums.backfilled, 1);
    }
}

static void qos_is_met_within_both_targets(void **state)
{
    (void)state;
    static const struct example x = {
        .cfg = "QOSCFG[fast] QTTARGET=10 XFTARGET=2\nUSERCFG[DEFAULT] QLIST=fast",
        .nodes = 1,
        .jobs = {{.id = "now", .procs = 1, .limit = 30, .qos = "fast"},
            {.id = "late", .procs = 1, .limit = 30, .qos = "fast"}}};
    struct scenario *s = example_start(&x, false);

    sc_at(s, 100); /* the second waits for 30 s: expansion factor 2, too long */
    struct stat_figures f = figures(s, CRED_QOS, "fast");
    assert_int_equal(f.sums.jobs, 2);
    assert_int_equal(f.sums.qos_met, 1);
    sc_destroy(s);
}

static void the_grid_counts_by_size_and_limit(void **state)
{
    (void)state;
    static const struct example x = {.cfg = "PLOTMINPROC 1\nPLOTMAXPROC 4\n"
                                            "PLOTPROCSCALE 2\nPLOTMINTIME 10\n"
                                            "PLOTMAXTIME 1000\nPLOTTIMESCALE 2",
        .nodes = 8,
        .jobs = {{.id = "edge", .procs = 2, .limit = 100},
            {.id = "next", .procs = 3, .limit = 101},
            {.id = "beyond", .procs = 8, .limit = 5000}}};
    struct scenario *s = example_start(&x, false);

    sc_at(s, 6000);
    const struct stat_grid *g = statistics_grid(engine_statistics(sc_engine(s)));
    assert_int_equal(g->rows, 3);
    assert_int_equal(g->columns, 3);
    assert_int_equal(g->procs[1], 2);
    assert_int_equal(g->times_s[1], 100);
    assert_int_equal(g->cells[1 * 3 + 1].jobs, 1); /* bounds are inclusive */
    assert_int_equal(g->cells[2 * 3 + 2].jobs, 2); /* the last takes what is above */
    NEAR(g->cells[2 * 3 + 2].ps_run, 3 * 101 + 8 * 5000);
    sc_destroy(s);
}

static void the_grid_is_that_of_the_reference_by_default(void **state)
{
    (void)state;
    struct scenario *s = sc_create();
    const struct stat_grid *g = statistics_grid(engine_statistics(sc_engine(s)));

    assert_int_equal(g->procs[0], 1);
    assert_int_equal(g->procs[1], 2);
    assert_int_equal(g->procs[g->rows - 1], 512);
    assert_int_equal(g->times_s[0], 120);
    assert_int_equal(g->times_s[1], 240);
    assert_int_equal(g->times_s[g->columns - 1], 245760);
    sc_destroy(s);
}

static int apply(struct scenario *s, struct event ev)
{
    struct err err = {0};

    if (sc_apply(s, ev, &err) < 0)
        fail_msg("%s", err.text);
    return 0;
}

static void preemption_loses_work_and_suspension_only_time(void **state)
{
    (void)state;
    struct scenario *s = sc_create();

    sc_nodes(s, 2, 1);
    sc_job(s, (struct sc_job){.id = "back", .procs = 1, .limit_s = 100, .user = "ann"});
    sc_job(s, (struct sc_job){.id = "wait", .procs = 1, .limit_s = 100, .user = "bob"});
    sc_at(s, 40);
    apply(s, (struct event){.kind = EVENT_PREEMPT,
                 .u.preempt = {.id = "back", .how = PREEMPT_REQUEUE}});
    apply(s, (struct event){.kind = EVENT_PREEMPT,
                 .u.preempt = {.id = "wait", .how = PREEMPT_SUSPEND}});
    struct stat_figures ann = figures(s, CRED_USER, "ann");
    struct stat_figures bob = figures(s, CRED_USER, "bob");
    assert_int_equal(ann.sums.preempted, 1);
    NEAR(ann.sums.ps_preempted, 40);
    NEAR(ann.sums.ps_dedicated, 40);
    assert_int_equal(ann.active_jobs, 0);
    NEAR(ann.active_ps, 0);
    assert_int_equal(bob.sums.preempted, 1);
    NEAR(bob.sums.ps_preempted, 0);
    NEAR(bob.sums.ps_dedicated, 40);
    assert_int_equal(bob.active_jobs, 0);
    sc_destroy(s);
}

static void another_qos_has_the_rest_of_the_run(void **state)
{
    (void)state;
    static const struct example x = {
        .cfg = "QOSCFG[a] PRIORITY=1\nQOSCFG[b] PRIORITY=1\nUSERCFG[DEFAULT] QLIST=a,b",
        .nodes = 1,
        .jobs = {{.id = "j", .procs = 1, .limit = 100, .qos = "a"}}};
    struct scenario *s = example_start(&x, false);

    sc_at(s, 30);
    apply(s, (struct event){
                 .kind = EVENT_QOS, .u.qos = {.id = "j", .qos = "b", .admin = true}});
    sc_at(s, 50);
    NEAR(figures(s, CRED_QOS, "a").sums.ps_dedicated, 30);
    assert_int_equal(figures(s, CRED_QOS, "a").active_jobs, 0);
    NEAR(figures(s, CRED_QOS, "b").sums.ps_dedicated, 20);
    assert_int_equal(figures(s, CRED_QOS, "b").active_jobs, 1);
    NEAR(all_jobs(s).sums.ps_dedicated, 50);
    sc_destroy(s);
}

static void processor_time_told_at_the_end_gives_the_efficiency(void **state)
{
    (void)state;
    struct scenario *s = sc_create();

    sc_nodes(s, 1, 2);
    sc_job(s, (struct sc_job){.id = "j", .procs = 2, .limit_s = 100});
    sc_at(s, 50);
    apply(s, (struct event){.kind = EVENT_END,
                 .u.end = {.id = "j", .how = EV_COMPLETE, .cpu_s = 80}});
    struct stat_figures f = all_jobs(s);
    NEAR(f.sums.ps_utilized, 80);
    NEAR(f.sums.ps_measured, 100);
    sc_destroy(s);
}

static void reset_forgets_all_but_what_is_active(void **state)
{
    (void)state;
    struct scenario *s = example_start(&two_jobs, false);

    sc_at(s, 70);
    apply(s, (struct event){.kind = EVENT_RESET_STATISTICS});
    sc_at(s, 75);
    struct stat_figures f = figures(s, CRED_USER, "ann");
    struct stat_machine m = machine(s);
    assert_int_equal(f.sums.jobs, 0);
    assert_int_equal(f.active_jobs, 1);
    NEAR(f.sums.ps_dedicated, 10);
    NEAR(f.active_ps, 30);
    assert_int_equal(m.since, 70);
    NEAR(m.ps_available, 20);
    const struct stat_grid *g = statistics_grid(engine_statistics(sc_engine(s)));
    for (size_t i = 0; i < (size_t)g->rows * g->columns; i++)
        assert_int_equal(g->cells[i].jobs, 0);
    sc_destroy(s);
}

/* ---- durable state ---- */

struct carried {
    struct scenario *to;
    int64_t now;
    uint32_t system, creds, cells;
};

static void carry(void *ctx, const struct stat_record *r)
{
    struct carried *c = ctx;
    struct engine *e = sc_engine(c->to);

    c->system += r->of == STAT_SYSTEM;
    c->creds += r->of == STAT_CRED;
    c->cells += r->of == STAT_CELL;
    statistics_load(engine_statistics(e), engine_cluster(e), r, c->now);
}

static void after_a_restart_the_gap_counts_for_what_ran_on(void **state)
{
    (void)state;
    static const struct req_desc two = {.tasks = 2};
    static const struct job_place places[] = {{"n1", 2}};
    struct scenario *old = example_start(&two_jobs, false), *new = sc_create();
    struct carried c = {.to = new, .now = 90};

    sc_begin_at(new, 90); /* 20 s without a scheduler */
    sc_at(old, 70);
    statistics_each(engine_statistics(sc_engine(old)), engine_cluster(sc_engine(old)),
        true, 70, &c, carry);
    assert_int_equal(c.system, 1);
    assert_int_equal(c.creds, 2); /* ann, bio */
    assert_int_equal(c.cells, 1);
    sc_nodes(new, 2, 2);
    apply(new, (struct event){.kind = EVENT_SUBMIT,
                   .u.job = {.id = "second",
                       .reqs = &two,
                       .nreqs = 1,
                       .wclimit_s = 100,
                       .state = JOB_RUNNING,
                       .start_at = 60,
                       .places = places,
                       .nplaces = 1,
                       .cred = {[CRED_USER] = "ann"}}});
    sc_at(new, 95);
    struct stat_figures f = figures(new, CRED_USER, "ann");
    assert_int_equal(f.sums.jobs, 1);
    NEAR(f.sums.xfactor, 0.6);
    NEAR(f.sums.ps_dedicated, 260 + 2 * 25);
    NEAR(f.active_ps, 2 * 35);
    struct stat_machine m = machine(new);
    assert_int_equal(m.since, 0);
    NEAR(m.ps_available, 95 * 4);
    sc_destroy(old);
    sc_destroy(new);
}

static struct stat_node node(struct scenario *s, uint32_t index)
{
    struct stat_node n;

    statistics_node(engine_statistics(sc_engine(s)), index, sc_now(s), &n);
    return n;
}

static void the_least_use_is_that_of_a_cycle_that_left_a_job_waiting(void **state)
{
    (void)state;
    static const struct example x = {.nodes = 4,
        .jobs = {{.id = "a", .procs = 3, .limit = 100, .run = 20},
            {.id = "b", .procs = 1, .limit = 100, .run = 30},
            {.id = "c", .procs = 4, .limit = 50, .run = 10}}};

    BOTH_WAYS(s, x)
    {
        sc_at(s, 10); /* all in use, c waits */
        NEAR(machine(s).least_use, 1);
        sc_at(s, 25); /* a is gone, one in use */
        NEAR(machine(s).least_use, 0.25);
        int64_t cycle = machine(s).least_use_cycle;
        assert_true(cycle > 0);
        sc_at(s, 90); /* nobody waits any more */
        NEAR(machine(s).least_use, 0.25);
        assert_int_equal(machine(s).least_use_cycle, cycle);
        apply(s, (struct event){.kind = EVENT_RESET_STATISTICS});
        assert_int_equal(machine(s).least_use_cycle, 0);
    }
}

static void a_node_has_clocks_for_being_known_up_and_with_jobs(void **state)
{
    (void)state;
    BOTH_WAYS(s, two_jobs)
    {
        sc_at(s, 90); /* first on both for 60 s, then second on one for 20 s */
        struct stat_node a = node(s, 0), b = node(s, 1);
        assert_int_equal(a.total_s, 90);
        assert_int_equal(a.up_s, 90);
        assert_int_equal(a.active_s + b.active_s, 60 + 60 + 20);
        apply(s, (struct event){
                     .kind = EVENT_NODE_STATE, .u.node_state = {"n1", NODE_DOWN}});
        sc_at(s, 95);
        apply(s, (struct event){
                     .kind = EVENT_NODE_STATE, .u.node_state = {"n1", NODE_DRAINED}});
        sc_at(s, 100);
        assert_int_equal(node(s, 0).total_s, 100);
        assert_int_equal(node(s, 0).up_s, 95); /* who is drained answers */
        assert_int_equal(node(s, 1).up_s, 100);
        apply(s, (struct event){.kind = EVENT_RESET_STATISTICS});
        sc_at(s, 103);
        assert_int_equal(node(s, 0).total_s, 3);
        assert_int_equal(node(s, 0).active_s, 0);
    }
}

static void several_jobs_at_once_count_a_node_once(void **state)
{
    (void)state;
    static const struct example x = {.nodes = 1,
        .procs = 3,
        .jobs = {{.id = "a", .procs = 1, .limit = 10},
            {.id = "b", .procs = 1, .limit = 30},
            {.id = "c", .procs = 1, .limit = 20}}};

    BOTH_WAYS(s, x)
    {
        sc_at(s, 25);
        assert_int_equal(node(s, 0).active_s, 25);
        sc_at(s, 60);
        assert_int_equal(node(s, 0).active_s, 30);
    }
}

/* From its start to its suspension, whenever it is taken over. */
static void a_node_is_not_active_for_a_job_taken_over_suspended(void **state)
{
    (void)state;
    struct scenario *s = sc_create();
    struct job_memory m = {.start_count = 1, .suspend_at = 50, .start_at = 30};

    sc_nodes(s, 2, 2);
    sc_at(s, 90);
    apply(s, (struct event){.kind = EVENT_SUBMIT,
                 .u.job = {.id = "paused",
                     .reqs = &(struct req_desc){.tasks = 1},
                     .nreqs = 1,
                     .wclimit_s = 100,
                     .state = JOB_SUSPENDED,
                     .start_at = 30,
                     .memory = &m,
                     .places = &(struct job_place){"n1", 1},
                     .nplaces = 1}});
    sc_at(s, 95);
    assert_int_equal(node(s, 0).active_s, 20);
    assert_int_equal(node(s, 1).active_s, 0);
    NEAR(all_jobs(s).sums.ps_dedicated, 20);
    sc_destroy(s);
}

/* Nothing is used for longer than it is there. */
static void a_node_is_not_active_for_longer_than_it_was_known(void **state)
{
    (void)state;
    struct scenario *s = sc_create();

    sc_at(s, 80);
    sc_nodes(s, 1, 2);
    apply(s, (struct event){.kind = EVENT_SUBMIT,
                 .u.job = {.id = "older",
                     .reqs = &(struct req_desc){.tasks = 1},
                     .nreqs = 1,
                     .wclimit_s = 100,
                     .state = JOB_RUNNING,
                     .start_at = 10,
                     .places = &(struct job_place){"n1", 1},
                     .nplaces = 1}});
    sc_at(s, 95);
    assert_int_equal(node(s, 0).total_s, 15);
    assert_int_equal(node(s, 0).active_s, 15);
    sc_destroy(s);
}

static void clocks_of_nodes_go_on_after_a_restart(void **state)
{
    (void)state;
    struct scenario *old = example_start(&two_jobs, false), *new = sc_create();
    struct carried c = {.to = new, .now = 90};

    sc_begin_at(new, 90);
    sc_at(old, 70); /* both had jobs for 60 s, one of them for 10 s more */
    int64_t before = node(old, 0).active_s;
    statistics_each(engine_statistics(sc_engine(old)), engine_cluster(sc_engine(old)),
        true, 70, &c, carry);
    /* what was written in former days is older */
    struct stat_record stale = {
        .of = STAT_NODE, .name = "n1", .at = 30, .node = {.total_s = 30}};
    statistics_load(
        engine_statistics(sc_engine(new)), engine_cluster(sc_engine(new)), &stale, 90);
    sc_nodes(new, 2, 2);
    for (int i = 0; i < 2; i++)
        apply(new, (struct event){.kind = EVENT_SUBMIT,
                       .u.job = {.id = i ? "long" : "short",
                           .reqs = &(struct req_desc){.tasks = 1},
                           .nreqs = 1,
                           .wclimit_s = 100,
                           .state = JOB_RUNNING,
                           .start_at = i ? 60 : 80,
                           .places = &(struct job_place){"n1", 1},
                           .nplaces = 1}});
    sc_at(new, 95);
    assert_int_equal(node(new, 0).total_s, 95);
    assert_int_equal(node(new, 0).up_s, 95);
    assert_int_equal(node(new, 0).active_s, before + 25); /* 70 to 95, counted once */
    assert_int_equal(node(new, 1).total_s, 95);
    sc_destroy(old);
    sc_destroy(new);
}

static void count_records(void *ctx, const struct stat_record *r)
{
    (void)r;
    (*(uint32_t *)ctx)++;
}

static void only_what_changed_is_written_again(void **state)
{
    (void)state;
    struct scenario *s = example_start(&two_jobs, false);
    struct statistics *t = engine_statistics(sc_engine(s));
    const struct cluster *c = engine_cluster(sc_engine(s));
    uint32_t n = 0;

    sc_at(s, 70);
    assert_true(statistics_changed(t));
    statistics_saved(t);
    assert_false(statistics_changed(t));
    statistics_each(t, c, false, 70, &n, count_records);
    assert_int_equal(n, 0);
    sc_at(s, 100); /* the second ended: all, ann, bio, one cell, the nodes */
    statistics_each(t, c, false, 100, &n, count_records);
    assert_int_equal(n, 4 + c->nodes.n);
    sc_destroy(s);
}

static void an_engine_without_statistics_has_none(void **state)
{
    (void)state;
    struct scenario *s = sc_create();
    struct engine *e =
        engine_create(sc_settings(s), &(struct engine_options){.statistics = false});
    struct event ev = {.kind = EVENT_RESET_STATISTICS, .at = 5};

    assert_null(engine_statistics(e));
    assert_int_equal(engine_apply(e, &ev, NULL, NULL), 0);
    engine_destroy(e);
    sc_destroy(s);
}

/* A start before a reset turns out to be none after it. */
static void what_was_counted_before_a_reset_is_not_taken_back(void **state)
{
    struct settings *cfg = settings_create();
    struct statistics *s = statistics_create(cfg);
    struct stat_machine m;

    (void)state;
    statistics_promise(s, STAT_KEPT, 0);
    statistics_promise(s, STAT_KEPT, 0);
    statistics_promise_back(s, STAT_KEPT, 0, 100);
    statistics_machine(s, 100, &m);
    assert_int_equal(m.promises.kept, 1);
    statistics_reset(s, 200);
    statistics_promise_back(s, STAT_KEPT, 0, 200);
    statistics_promise(s, STAT_KEPT, 0);
    statistics_promise_back(s, STAT_KEPT, 0, 100);
    statistics_machine(s, 300, &m);
    assert_int_equal(m.promises.kept, 1);
    statistics_destroy(s);
    settings_destroy(cfg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_counted_before_a_reset_is_not_taken_back),
        cmocka_unit_test(an_ended_job_is_counted_with_all_its_figures),
        cmocka_unit_test(sums_and_maxima_run_over_several_jobs),
        cmocka_unit_test(each_credential_has_what_its_own_jobs_add),
        cmocka_unit_test(available_and_backlog_are_taken_over_time),
        cmocka_unit_test(a_job_removed_at_its_limit_is_a_success_and_one_before_is_not),
        cmocka_unit_test(a_job_that_never_ran_is_not_counted),
        cmocka_unit_test(backfilled_jobs_and_those_they_pass_are_told),
        cmocka_unit_test(qos_is_met_within_both_targets),
        cmocka_unit_test(the_grid_counts_by_size_and_limit),
        cmocka_unit_test(the_grid_is_that_of_the_reference_by_default),
        cmocka_unit_test(preemption_loses_work_and_suspension_only_time),
        cmocka_unit_test(another_qos_has_the_rest_of_the_run),
        cmocka_unit_test(processor_time_told_at_the_end_gives_the_efficiency),
        cmocka_unit_test(reset_forgets_all_but_what_is_active),
        cmocka_unit_test(after_a_restart_the_gap_counts_for_what_ran_on),
        cmocka_unit_test(the_least_use_is_that_of_a_cycle_that_left_a_job_waiting),
        cmocka_unit_test(a_node_has_clocks_for_being_known_up_and_with_jobs),
        cmocka_unit_test(several_jobs_at_once_count_a_node_once),
        cmocka_unit_test(a_node_is_not_active_for_a_job_taken_over_suspended),
        cmocka_unit_test(a_node_is_not_active_for_longer_than_it_was_known),
        cmocka_unit_test(clocks_of_nodes_go_on_after_a_restart),
        cmocka_unit_test(only_what_changed_is_written_again),
        cmocka_unit_test(an_engine_without_statistics_has_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
