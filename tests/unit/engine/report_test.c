/* SPDX-License-Identifier: Apache-2.0
 * What the resource manager says of jobs: engine/report. */
#include "cluster/memory.h"
#include "cmocka_all.h"
#include "engine/query.h"
#include "example.h"
#include "policy/fairshare.h"
#include "policy/holds.h"
#include "policy/reason.h"

static const struct req_desc four = {.tasks = 4};
static const struct job_place on_n2[] = {{"n2", 4}};
static const struct job_place on_n1[] = {{"n1", 4}};
static const struct job_place nowhere[] = {{"n9", 4}};

static struct job_desc running(const char *id, const struct job_place *places)
{
    return (struct job_desc){.id = id,
        .reqs = &four,
        .nreqs = 1,
        .wclimit_s = 100,
        .state = JOB_RUNNING,
        .start_at = 40,
        .places = places,
        .nplaces = 1,
        .cred = {[CRED_USER] = "ann"}};
}

static void submit(struct scenario *s, struct job_desc d)
{
    struct err err = {0};

    if (sc_apply(s, (struct event){.kind = EVENT_SUBMIT, .u.job = d}, &err) < 0)
        fail_msg("%s", err.text);
}

static int tell(struct scenario *s, const char *id, enum job_state state,
    const struct job_place *places)
{
    struct err err;

    return sc_apply(s,
        (struct event){.kind = EVENT_JOB_STATE,
            .u.job_state = {.id = id,
                .state = state,
                .places = places,
                .nplaces = places ? 1 : 0}},
        &err);
}

static struct scenario *two_nodes(void)
{
    struct scenario *s = sc_create();

    sc_begin_at(s, 50);
    sc_nodes(s, 2, 4);
    sc_cycle(s);
    return s;
}

static void a_running_job_is_taken_over_where_it_is(void **state)
{
    (void)state;
    struct scenario *s = two_nodes();

    submit(s, running("old", on_n2));
    sc_job(s, (struct sc_job){.id = "new", .procs = 8, .limit_s = 10, .submit_at = 50});
    sc_at(s, 60);
    const struct job *j = sc_find(s, "old");
    assert_int_equal(j->state, JOB_RUNNING);
    assert_int_equal(j->start_at, 40);
    assert_int_equal(j->end_at, 140);
    assert_int_equal(sc_reserved(s, "new"), 140); /* limits and nodes are counted */
    sc_destroy(s);
}

/* On n1 from 150 on is reserved for who needs 600 of the 1000 MB; then somebody is
 * found suspended there who keeps as much, until he is told to go on. */
static void a_suspended_job_that_is_taken_over_keeps_its_memory(void **state)
{
    static const struct req_desc small = {.tasks = 1, .per_task = {{1, 100}}};
    static const struct req_desc big = {.tasks = 1, .per_task = {{1, 600}}};
    static const struct job_place place[] = {{"n1", 1}};
    struct scenario *s = sc_create();
    struct job_desc old = running("old", place);

    (void)state;
    sc_force_by_node(s);
    sc_begin_at(s, 50);
    sc_node(s, &(struct node_desc){.name = "n1", .cfg = {{1, 1000}}});
    sc_node(s, &(struct node_desc){.name = "n2", .cfg = {{1, 1000}}});
    sc_job(s, (struct sc_job){.id = "a", .limit_s = 100, .req = &small});
    sc_job(s, (struct sc_job){.id = "b", .limit_s = 300, .req = &small});
    sc_job(s, (struct sc_job){.id = "w", .limit_s = 50, .req = &big});
    sc_at(s, 60);
    assert_string_equal(sc_where(s, "a"), "n1:1");
    assert_int_equal(sc_reserved(s, "w"), 150);
    old.reqs = &big;
    old.wclimit_s = 1000; /* so it could not be over by then */
    old.state = JOB_SUSPENDED;
    submit(s, old);
    sc_at(s, 70);
    assert_int_equal(sc_find(s, "old")->state, JOB_SUSPENDED);
    assert_int_equal(sc_reserved(s, "w"), 350);
    sc_destroy(s);
}

static void limits_count_a_job_that_was_taken_over(void **state)
{
    (void)state;
    struct scenario *s = sc_create_with("USERCFG[ann] MAXPROC=6");

    sc_begin_at(s, 50);
    sc_nodes(s, 2, 4);
    sc_cycle(s);
    submit(s, running("old", on_n2));
    sc_job(
        s, (struct sc_job){
               .id = "new", .procs = 4, .limit_s = 10, .submit_at = 50, .user = "ann"});
    sc_at(s, 60);
    assert_int_equal(sc_why_code(s, "new"), WAIT_LIMIT);
    sc_destroy(s);
}

static void one_on_an_unknown_node_is_kept_out_with_the_reason(void **state)
{
    (void)state;
    struct scenario *s = two_nodes();

    submit(s, running("odd", nowhere));
    sc_at(s, 60);
    const struct job *j = sc_find(s, "odd");
    assert_int_equal(j->state, JOB_IDLE);
    assert_true(j->holds & HOLD_SYSTEM);
    assert_non_null(strstr(j->extra->hold_text, "n9"));
    sc_destroy(s);
}

static uint32_t taken(struct scenario *s, const char *job, const char *node)
{
    const struct cluster *c = engine_cluster(sc_engine(s));
    const struct job *j = sc_find(s, job);
    uint32_t index = node_find(c, node)->index, tasks = 0;

    for (size_t i = 0; i < j->alloc.n; i++)
        if (index - j->alloc.v[i].first < j->alloc.v[i].count)
            tasks += j->alloc.v[i].tasks;
    return tasks;
}

/* As Slurm does: the nodes that were chosen, but filled up one after the other. */
static void tasks_spread_in_another_way_are_followed(void **state)
{
    (void)state;
    static const struct job_place as_it_is[] = {{"n1", 1}, {"n2", 4}};
    struct scenario *s = two_nodes();
    struct err err;

    sc_job(
        s, (struct sc_job){.id = "wide", .procs = 5, .limit_s = 100, .submit_at = 50});
    sc_at(s, 60);
    assert_int_equal(taken(s, "wide", "n2"), 1);
    assert_int_equal(sc_apply(s,
                         (struct event){.kind = EVENT_JOB_STATE,
                             .u.job_state = {.id = "wide",
                                 .state = JOB_RUNNING,
                                 .places = as_it_is,
                                 .nplaces = 2}},
                         &err),
        0);
    sc_at(s, 70);
    const struct job *j = sc_find(s, "wide");
    assert_int_equal(j->state, JOB_RUNNING);
    assert_int_equal(j->start_at, 50);
    assert_int_equal(j->end_at, 150);
    assert_int_equal(j->start_count, 1);
    assert_int_equal(taken(s, "wide", "n1"), 1);
    assert_int_equal(taken(s, "wide", "n2"), 4);
    sc_destroy(s);
}

/* Processors and memory of a node that jobs have. */
static void assert_has(struct scenario *s, const char *node, int64_t procs, int64_t mem)
{
    const struct cluster *c = engine_cluster(sc_engine(s));
    struct res ded = node_dedicated(c, node_find(c, node));

    assert_int_equal(ded.v[RES_PROCS], procs);
    assert_int_equal(ded.v[RES_MEM], mem);
}

static int tell_shape(struct scenario *s, const char *id,
    const struct job_place *places, size_t n, const struct req_desc *reqs,
    uint32_t nreqs)
{
    struct err err;

    return sc_apply(s,
        (struct event){.kind = EVENT_JOB_STATE,
            .u.job_state = {.id = id,
                .state = JOB_RUNNING,
                .places = places,
                .nplaces = n,
                .reqs = reqs,
                .nreqs = nreqs}},
        &err);
}

/* Of six tasks Slurm lays four on one node and two on the other, where memory is of
 * each node: while it runs it has that, and asks for six tasks again when it is back.
 */
static void a_job_has_on_its_nodes_what_is_told(void **state)
{
    (void)state;
    static const struct req_desc asked = {
        .per_task = {{[RES_PROCS] = 3, [RES_MEM] = 900}}, .tasks = 2, .nodes = 2};
    static const struct req_desc has[] = {
        {.per_task = {{[RES_PROCS] = 4, [RES_MEM] = 900}}, .tasks = 1},
        {.per_task = {{[RES_PROCS] = 2, [RES_MEM] = 900}}, .tasks = 1}};
    static const struct job_place on[] = {
        {.node = "n1", .tasks = 1, .req = 0}, {.node = "n2", .tasks = 1, .req = 1}};
    static const struct job_place planned[] = {{"n1", 1}, {"n2", 1}};
    struct scenario *s = two_nodes();
    struct job_desc d = {.id = "wide",
        .reqs = &asked,
        .nreqs = 1,
        .wclimit_s = 100,
        .cred = {[CRED_USER] = "ann"}};

    submit(s, d);
    sc_at(s, 60);
    assert_has(s, "n1", 3, 900);
    assert_int_equal(tell_shape(s, "wide", on, 2, has, 2), 0);
    assert_has(s, "n1", 4, 900);
    assert_has(s, "n2", 2, 900);
    const struct job *j = sc_find(s, "wide");
    assert_int_equal(j->state, JOB_RUNNING);
    assert_int_equal(j->start_at, 60);
    assert_int_equal(j->end_at, 160);
    assert_int_equal(j->start_count, 1);
    assert_int_equal(j->procs, 6);
    assert_int_equal(j->nreqs, 2);
    assert_int_equal(tell_shape(s, "wide", on, 2, has, 2), 0); /* the same again */
    assert_int_equal(tell_shape(s, "wide", planned, 2, &asked, 1), 0);
    assert_has(s, "n1", 3, 900);
    assert_int_equal(j->nreqs, 1);
    sc_cycle(s);
    sc_destroy(s);
}

/* What cannot be beside others stays as it was, all of it. */
static void a_shape_that_has_no_room_is_not_taken(void **state)
{
    (void)state;
    static const struct req_desc has[] = {
        {.per_task = {{[RES_PROCS] = 3}}, .tasks = 1}, {.tasks = 1}};
    static const struct job_place on[] = {
        {.node = "n2", .tasks = 1, .req = 0}, {.node = "n1", .tasks = 1, .req = 1}};
    struct scenario *s = two_nodes();
    struct job_desc beside = running("beside", on_n2);

    beside.reqs = &(struct req_desc){.tasks = 3};
    beside.places = &(struct job_place){"n2", 3};
    submit(s, beside);
    sc_job(
        s, (struct sc_job){.id = "wide", .procs = 4, .limit_s = 100, .submit_at = 50});
    sc_at(s, 60);
    assert_int_equal(sc_find(s, "wide")->state, JOB_RUNNING);
    (void)tell_shape(s, "wide", on, 2, has, 2);
    assert_int_equal(sc_find(s, "wide")->state, JOB_RUNNING);
    assert_int_equal(sc_find(s, "wide")->nreqs, 1);
    assert_int_equal(taken(s, "wide", "n1"), 4);
    sc_cycle(s);
    sc_destroy(s);
}

static void what_does_not_fit_beside_others_stays_as_planned(void **state)
{
    (void)state;
    static const struct job_place too_much[] = {{"n1", 1}, {"n2", 4}};
    struct scenario *s = two_nodes();
    struct job_desc beside = running("beside", on_n2);
    struct err err;

    beside.reqs = &(struct req_desc){.tasks = 3};
    beside.places = &(struct job_place){"n2", 3};
    submit(s, beside);
    sc_job(
        s, (struct sc_job){.id = "wide", .procs = 5, .limit_s = 100, .submit_at = 50});
    sc_at(s, 60);
    assert_int_equal(sc_find(s, "wide")->state, JOB_RUNNING);
    assert_int_equal(sc_apply(s,
                         (struct event){.kind = EVENT_JOB_STATE,
                             .u.job_state = {.id = "wide",
                                 .state = JOB_RUNNING,
                                 .places = too_much,
                                 .nplaces = 2}},
                         &err),
        0);
    assert_int_equal(sc_find(s, "wide")->state, JOB_RUNNING);
    assert_int_equal(taken(s, "wide", "n1"), 4);
    sc_destroy(s);
}

static void a_start_to_be_tried_again_is_not_counted(void **state)
{
    (void)state;
    struct scenario *s = two_nodes();
    struct err err;

    sc_job(s, (struct sc_job){.id = "j", .procs = 4, .limit_s = 100, .submit_at = 50});
    sc_at(s, 60);
    assert_int_equal(sc_apply(s,
                         (struct event){.kind = EVENT_START_FAILED,
                             .u.failed = {.id = "j",
                                 .reason = REASON_RMFAILURE,
                                 .text = "nodes are taken",
                                 .again_s = 2}},
                         &err),
        0);
    const struct job *j = sc_find(s, "j");
    assert_int_equal(j->defer_until, 62);
    assert_int_equal(j->defer_count, 0);
    assert_string_equal(j->extra->hold_text, "nodes are taken");
    sc_at(s, 63);
    assert_int_equal(sc_find(s, "j")->state, JOB_RUNNING);
    sc_destroy(s);
}

/* Nor is it shown as a deferral: a wait is a wait. One that an administrator orders is.
 */
static void a_start_to_be_tried_again_is_a_wait(void **state)
{
    (void)state;
    struct scenario *s = two_nodes();
    struct event failed = {.kind = EVENT_START_FAILED,
        .u.failed = {.id = "j",
            .reason = REASON_RMFAILURE,
            .text = "nodes are taken",
            .again_s = 20}};
    char text[200];
    struct err err;

    sc_job(s, (struct sc_job){.id = "j", .procs = 4, .limit_s = 100, .submit_at = 50});
    sc_at(s, 60);
    assert_int_equal(sc_apply(s, failed, &err), 0);
    struct job *j = sc_find(s, "j");
    assert_string_equal(hold_shown_state(j), "Idle");
    assert_int_equal(hold_shown(j), 0);
    assert_true(reason_format_deferral(
        j, engine_why(sc_engine(s), j), j->extra->hold_text, text, sizeof text));
    assert_non_null(strstr(text, "this job is tried again at "));
    assert_non_null(strstr(text, "nodes are taken"));
    hold_set(j, HOLD_USER, REASON_ADMIN, NULL, 61);
    assert_string_equal(hold_shown_state(j), "UserHold");
    hold_release(j, HOLD_USER, 62);
    hold_set(j, HOLD_DEFER, REASON_ADMIN, NULL, 63);
    assert_string_equal(hold_shown_state(j), "Deferred");
    hold_release(j, HOLD_DEFER, 64);
    assert_int_equal(sc_apply(s, failed, &err), -1); /* it is not starting */
    sc_at(s, 90);
    assert_int_equal(sc_find(s, "j")->state, JOB_RUNNING);
    assert_false(sc_find(s, "j")->retries);
    sc_destroy(s);
}

/* What says how often it is tried: failures since it last ran, and not those starts
 * that the resource manager put off. */
static void starts_that_fail_are_counted_until_one_goes_well(void **state)
{
    (void)state;
    struct scenario *s = two_nodes();
    struct event failed = {.kind = EVENT_START_FAILED,
        .u.failed = {.id = "j", .reason = REASON_RMFAILURE, .again_s = 1}};
    struct err err;

    sc_job(s, (struct sc_job){.id = "j", .procs = 4, .limit_s = 100, .submit_at = 50});
    for (int i = 0; i < 3; i++) {
        sc_at(s, 60 + 2 * i);
        failed.u.failed.waits = i == 2;
        assert_int_equal(sc_apply(s, failed, &err), 0);
    }
    const struct job *j = sc_find(s, "j");
    assert_int_equal(j->failed_starts, 2);
    assert_int_equal(j->put_off, 1);
    sc_at(s, 70);
    assert_int_equal(j->start_count, 4);
    assert_int_equal(
        sc_apply(s,
            (struct event){.kind = EVENT_JOB_STATE,
                .u.job_state = {.id = "j", .state = JOB_RUNNING, .start_at = 70}},
            &err),
        0);
    assert_int_equal(j->failed_starts, 0);
    assert_int_equal(j->put_off, 0);
    sc_destroy(s);
}

static void an_id_may_come_back_in_the_cycle_in_which_it_went(void **state)
{
    (void)state;
    struct scenario *s = two_nodes();
    struct job_desc d = {.id = "same",
        .reqs = &four,
        .nreqs = 1,
        .wclimit_s = 100,
        .cred = {[CRED_USER] = "ann"}};
    struct err err;

    submit(s, d);
    assert_int_equal(sc_apply(s,
                         (struct event){.kind = EVENT_CANCEL,
                             .u.end = {.id = "same", .how = EV_VANISH}},
                         &err),
        0);
    d.wclimit_s = 50;
    submit(s, d);
    sc_at(s, 60);
    assert_int_equal(sc_find(s, "same")->state, JOB_RUNNING);
    assert_int_equal(sc_find(s, "same")->wclimit_s, 50);
    sc_destroy(s);
}

static void two_jobs_on_the_same_processors_do_not_both_count(void **state)
{
    (void)state;
    struct scenario *s = two_nodes();

    submit(s, running("first", on_n2));
    submit(s, running("second", on_n2));
    sc_at(s, 60);
    assert_int_equal(sc_find(s, "first")->state, JOB_RUNNING);
    assert_true(sc_find(s, "second")->holds & HOLD_SYSTEM);
    sc_destroy(s);
}

static void memory_and_run_survive_a_restart_together(void **state)
{
    (void)state;
    struct scenario *s = two_nodes();
    struct job_memory m = {.start_count = 3, .queue_at = 7, .suspended_s = 5};
    struct job_desc d = running("old", on_n1);

    d.memory = &m;
    submit(s, d);
    const struct job *j = sc_find(s, "old");
    assert_int_equal(j->start_count, 3);
    assert_int_equal(j->end_at, 145);
    /* the plan knows when it was to end */
    struct event end = {.kind = EVENT_CANCEL, .at = 60, .u.end.id = "old"};
    struct err err;
    assert_int_equal(sc_apply(s, end, &err), 0);
    sc_at(s, 60);
    assert_true(node_is_free(
        engine_cluster(sc_engine(s)), node_at(engine_cluster(sc_engine(s)), 0)));
    sc_destroy(s);
}

/* It was resumed while nobody looked: the pause is not of its limit. */
static void a_pause_that_ended_unseen_counts_as_one(void **state)
{
    (void)state;
    struct scenario *s = two_nodes();
    struct job_memory m = {.start_count = 1, .suspended_s = 5, .suspend_at = 48};
    struct job_desc d = running("old", on_n1);

    d.memory = &m;
    submit(s, d);
    const struct job *j = sc_find(s, "old");
    assert_int_equal(j->suspend_at, 0);
    assert_int_equal(j->suspended_s, 5 + (sc_now(s) - 48));
    assert_int_equal(j->end_at, j->start_at + j->wclimit_s + j->suspended_s);
    sc_destroy(s);
}

static void a_job_started_by_somebody_else_is_taken_over(void **state)
{
    (void)state;
    struct scenario *s = two_nodes();

    sc_job(s, (struct sc_job){.id = "held",
                  .procs = 4,
                  .limit_s = 100,
                  .submit_at = 50,
                  .holds = HOLD_USER});
    sc_at(s, 60);
    assert_int_equal(tell(s, "held", JOB_RUNNING, on_n2), 0);
    assert_int_equal(sc_find(s, "held")->state, JOB_RUNNING);
    assert_int_equal(sc_find(s, "held")->start_at, 60);
    sc_destroy(s);
}

static void a_job_that_was_put_back_waits_again(void **state)
{
    (void)state;
    struct scenario *s = two_nodes();

    submit(s, running("old", on_n2));
    assert_int_equal(tell(s, "old", JOB_IDLE, NULL), 0);
    assert_int_equal(sc_find(s, "old")->state, JOB_IDLE);
    sc_at(s, 60); /* and is started again */
    assert_int_equal(sc_find(s, "old")->state, JOB_RUNNING);
    sc_destroy(s);
}

static void suspension_and_return_are_followed(void **state)
{
    (void)state;
    struct scenario *s = two_nodes();

    submit(s, running("old", on_n2));
    assert_int_equal(tell(s, "old", JOB_SUSPENDED, NULL), 0);
    assert_int_equal(sc_find(s, "old")->state, JOB_SUSPENDED);
    assert_int_equal(tell(s, "old", JOB_SUSPENDED, NULL), 0);
    assert_int_equal(tell(s, "old", JOB_RUNNING, NULL), 0);
    assert_int_equal(sc_find(s, "old")->state, JOB_RUNNING);
    sc_destroy(s);
}

static void holds_of_the_resource_manager_come_and_go(void **state)
{
    (void)state;
    struct scenario *s = two_nodes();

    sc_job(s,
        (struct sc_job){
            .id = "a", .procs = 8, .limit_s = 100, .submit_at = 50, .release_at = 70});
    sc_at(s, 60);
    assert_int_equal(tell(s, "a", JOB_HOLD, NULL), 0);
    assert_int_equal(sc_find(s, "a")->state, JOB_HOLD);
    sc_at(s, 80);
    assert_int_equal(sc_start(s, "a"), -1);
    assert_int_equal(tell(s, "a", JOB_IDLE, NULL), 0);
    sc_at(s, 90);
    assert_int_equal(sc_start(s, "a"), 90);
    sc_destroy(s);
}

static void what_cannot_be_is_refused_and_changes_nothing(void **state)
{
    (void)state;
    struct scenario *s = two_nodes();

    submit(s,
        (struct job_desc){
            .id = "a", .reqs = &four, .nreqs = 1, .release_at = 1000, .submit_at = 50});
    assert_int_equal(tell(s, "a", JOB_SUSPENDED, NULL), -1);
    assert_int_equal(tell(s, "a", JOB_COMPLETED, NULL), -1);
    assert_int_equal(tell(s, "a", JOB_RUNNING, nowhere), -1);
    assert_int_equal(tell(s, "b", JOB_IDLE, NULL), -1);
    assert_int_equal(sc_find(s, "a")->state, JOB_IDLE);
    sc_destroy(s);
}

static void a_job_that_ended_unseen_counts_as_if_somebody_had_looked(void **state)
{
    (void)state;
    struct scenario *s =
        sc_create_with("FSPOLICY DEDICATEDPS\nFSINTERVAL 1:00:00\nFSDEPTH 2");
    struct job_memory m = {.queue_at = 20, .wclimit_s = 100};
    struct event ev = {.kind = EVENT_MISSED,
        .u.missed = {.job = running("old", on_n1),
            .end_at = 90,
            .how = EV_COMPLETE,
            .cpu_s = 100}};
    struct err err;

    sc_begin_at(s, 200);
    sc_nodes(s, 1, 4);
    struct cluster *c = engine_cluster(sc_engine(s));
    ev.u.missed.job.memory = &m;
    assert_int_equal(sc_apply(s, ev, &err), 0);
    const struct job *j = job_find(c, "old");
    assert_int_equal(j->state, JOB_COMPLETED);
    cluster_check(c);
    const struct cred *ann = cred_find(c, CRED_USER, "ann");
    assert_true(fs_window(c, &ann->fs, 0) == 4 * 50);
    sc_job(
        s, (struct sc_job){.id = "new", .procs = 4, .limit_s = 10, .submit_at = 200});
    sc_at(s, 205);
    assert_int_equal(sc_find(s, "new")->state, JOB_RUNNING); /* it takes no nodes */
    assert_null(job_find(c, "old"));
    assert_true(fs_window(c, &ann->fs, 0) == 4 * 50);
    sc_destroy(s);
}

static void one_that_never_began_only_goes(void **state)
{
    (void)state;
    struct scenario *s = two_nodes();
    struct event ev = {.kind = EVENT_MISSED,
        .u.missed = {.job = running("old", on_n1), .end_at = 45, .how = EV_CANCEL}};
    struct err err;

    ev.u.missed.job.start_at = 0;
    assert_int_equal(sc_apply(s, ev, &err), 0);
    assert_int_equal(job_find(engine_cluster(sc_engine(s)), "old")->state, JOB_REMOVED);
    assert_int_equal(sc_apply(s, ev, &err), -1); /* it is known */
    sc_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_running_job_is_taken_over_where_it_is),
        cmocka_unit_test(a_suspended_job_that_is_taken_over_keeps_its_memory),
        cmocka_unit_test(limits_count_a_job_that_was_taken_over),
        cmocka_unit_test(one_on_an_unknown_node_is_kept_out_with_the_reason),
        cmocka_unit_test(tasks_spread_in_another_way_are_followed),
        cmocka_unit_test(a_job_has_on_its_nodes_what_is_told),
        cmocka_unit_test(a_shape_that_has_no_room_is_not_taken),
        cmocka_unit_test(what_does_not_fit_beside_others_stays_as_planned),
        cmocka_unit_test(a_start_to_be_tried_again_is_not_counted),
        cmocka_unit_test(a_start_to_be_tried_again_is_a_wait),
        cmocka_unit_test(starts_that_fail_are_counted_until_one_goes_well),
        cmocka_unit_test(an_id_may_come_back_in_the_cycle_in_which_it_went),
        cmocka_unit_test(two_jobs_on_the_same_processors_do_not_both_count),
        cmocka_unit_test(memory_and_run_survive_a_restart_together),
        cmocka_unit_test(a_pause_that_ended_unseen_counts_as_one),
        cmocka_unit_test(a_job_started_by_somebody_else_is_taken_over),
        cmocka_unit_test(a_job_that_was_put_back_waits_again),
        cmocka_unit_test(suspension_and_return_are_followed),
        cmocka_unit_test(holds_of_the_resource_manager_come_and_go),
        cmocka_unit_test(what_cannot_be_is_refused_and_changes_nothing),
        cmocka_unit_test(a_job_that_ended_unseen_counts_as_if_somebody_had_looked),
        cmocka_unit_test(one_that_never_began_only_goes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
