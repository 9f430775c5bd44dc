/* SPDX-License-Identifier: Apache-2.0
 * Tests of cluster/job_run and cluster/node_use. */
#include "cluster/folded.h"
#include "cluster/jobnodes.h"
#include "config/settings.h"
#include "fixture.h"

static struct job *needing(struct fixture *f, const char *id, struct req_desc r)
{
    return job_of(f, id, 0, &r);
}

static void assert_dedicated(
    const struct fixture *f, const struct node *n, int64_t procs, int64_t mem_mb)
{
    struct res ded = node_dedicated(f->c, n);
    assert_int_equal(ded.v[RES_PROCS], procs);
    assert_int_equal(ded.v[RES_MEM], mem_mb);
}

/* ---- times ------------------------------------------------------------------- */

static void a_start_sets_start_and_end(void **state)
{
    struct fixture *f = *state;
    struct job *j = job(f, "a", 1);

    node(f, "n1", 1);
    give(j, 0, 1, 1);
    start(f, j, 100);
    assert_int_equal(j->state, JOB_STARTING);
    assert_int_equal(j->start_at, 100);
    assert_int_equal(j->eff_wclimit_s, 3600);
    assert_int_equal(j->end_at, 3700);
    assert_int_equal(j->start_count, 1);
    assert_int_equal(f->c->active.n, 1);
    stop(f, j, EV_COMPLETE, 250);
    assert_int_equal(j->state, JOB_COMPLETED);
    assert_int_equal(j->end_at, 250);
    assert_int_equal(j->start_at, 100);
    assert_int_equal(j->alloc.n, 1);
}

static void the_effective_limit_decides_the_end(void **state)
{
    struct fixture *f = *state;
    struct job *j = job(f, "a", 1);

    /* concepts.md 7: an hour on a node of speed 1.5 is 40 minutes */
    node(f, "n1", 1);
    give(j, 0, 1, 1);
    j->eff_wclimit_s = 2400;
    start(f, j, 100);
    assert_int_equal(j->end_at, 2500);
}

static void the_slowest_node_of_all_pieces_is_found(void **state)
{
    static const double speeds[] = {2, 2, 0.5, 3, 3, 1.5};
    struct fixture *f = *state;
    struct job *j = job(f, "a", 4);
    char name[] = "n0";

    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++) {
        name[1]++;
        report(f, &(struct node_desc){.name = name, .cfg = {{1}}, .speed = speeds[i]});
    }
    assert_true(job_slowest_speed(f->c, j) == 1);
    give(j, 0, 2, 1);
    assert_true(job_slowest_speed(f->c, j) == 2);
    give(j, 4, 2, 1);
    assert_true(job_slowest_speed(f->c, j) == 1.5);
    j->alloc.v[1] = (struct alloc){1, 3, 1, 0};
    assert_true(job_slowest_speed(f->c, j) == 0.5);
}

static void a_node_with_tasks_of_several_requests_is_one(void **state)
{
    struct fixture *f = *state;
    struct req_desc r[] = {{.tasks = 4}, {.tasks = 2}};
    struct job *one = job(f, "a", 4);
    struct job *j = add(f, &(struct job_desc){.id = "b", .reqs = r, .nreqs = 2});

    assert_int_equal(job_node_count(one), 0);
    give(one, 0, 2, 1);
    give(one, 4, 2, 1);
    assert_int_equal(job_node_count(one), 4);
    vec_push(&j->alloc, ((struct alloc){3, 1, 1, 1}));
    vec_push(&j->alloc, ((struct alloc){0, 4, 1, 0}));
    assert_int_equal(job_node_count(j), 4);
    vec_push(&j->alloc, ((struct alloc){3, 2, 1, 1}));
    assert_int_equal(job_node_count(j), 5);
}

static void without_any_limit_there_is_no_end(void **state)
{
    struct fixture *f = *state;
    struct req_desc r = {.tasks = 1};
    struct job *j = add(f, &(struct job_desc){.id = "a", .reqs = &r, .nreqs = 1});

    node(f, "n1", 1);
    give(j, 0, 1, 1);
    start(f, j, 100);
    assert_int_equal(j->end_at, TIME_NEVER);
}

static void a_requeued_job_may_start_afresh(void **state)
{
    struct fixture *f = *state;
    struct job *j = job(f, "a", 1);

    node(f, "n1", 1);
    give(j, 0, 1, 1);
    j->eff_wclimit_s = 10;
    start(f, j, 100);
    stop(f, j, EV_REQUEUE, 105);
    assert_int_equal(j->start_at, 0);
    assert_int_equal(j->eff_wclimit_s, 0);
    start(f, j, 200);
    assert_int_equal(j->end_at, 3800);
    assert_int_equal(j->start_count, 2);
}

static void time_in_suspension_is_added_to_the_end(void **state)
{
    struct fixture *f = *state;
    struct job *j = job(f, "a", 1), *other = job(f, "b", 1);

    struct node *n = node(f, "n1", 1);
    give(j, 0, 1, 1);
    give(other, 0, 1, 1);
    start(f, j, 0);
    assert_int_equal(job_move(f->c, j, EV_STARTED, &f->err), 0);
    stop(f, j, EV_SUSPEND, 600);
    assert_true(node_is_free(f->c, n));
    assert_int_equal(f->c->active.n, 1);
    start(f, other, 600);
    start_refused(f, j, "node 'n1' has 0 processors left");
    stop(f, other, EV_COMPLETE, 1000);
    start(f, j, 1000);
    assert_int_equal(j->state, JOB_RUNNING);
    assert_int_equal(j->start_at, 0);
    assert_int_equal(j->suspended_s, 400);
    assert_int_equal(j->end_at, 4000);
    assert_int_equal(j->start_count, 1);
}

/* ---- folded nodes ------------------------------------------------------------ */

/* The record, with what is on it written in. */
static const struct node *record(const struct fixture *f, uint32_t i)
{
    node_unfold(f->c, node_at(f->c, i));
    return node_at(f->c, i);
}

static void a_piece_tells_all_of_a_folded_node(void **state)
{
    struct fixture *f = *state;
    struct job *j =
        needing(f, "a", (struct req_desc){.per_task = {{1, 300}}, .tasks = 3});
    struct node_job on;

    nodes(f, 4, 1);
    give(j, 1, 3, 1);
    start(f, j, 0);
    struct node *n1 = node_at(f->c, 0), *n2 = node_at(f->c, 1);
    assert_int_equal(node_folded(f->c, 0, 4), 0);
    assert_int_equal(node_folded(f->c, 1, 4), 3);
    assert_true(node_is_free(f->c, n1));
    assert_false(node_is_free(f->c, n2));
    assert_dedicated(f, n2, 1, 300);
    assert_true(node_job_at(f->c, n2, 0, &on));
    assert_int_equal(on.job, j->index);
    assert_int_equal(on.tasks, 1);
    assert_false(node_job_at(f->c, n2, 1, &on));
    assert_false(node_job_at(f->c, n1, 0, &on));
    assert_int_equal(node_expected(f->c, n2), NODE_BUSY);
    assert_int_equal(node_expected(f->c, n1), NODE_IDLE);
    stop(f, j, EV_COMPLETE, 1);
    assert_dedicated(f, n2, 0, 0);
    assert_int_equal(node_expected(f->c, n2), NODE_IDLE);
}

static void a_run_is_folded_as_far_as_nodes_are_equal_and_vacant(void **state)
{
    struct fixture *f = *state;
    struct job *one = job(f, "one", 1), *j = job(f, "a", 16);

    nodes(f, 8, 2);
    for (int i = 9; i <= 12; i++) {
        char name[8];
        snprintf(name, sizeof name, "n%d", i);
        node(f, name, 4);
    }
    node_measure(f->c, node_at(f->c, 10), 0.2, &(struct res){{0}});
    give(one, 3, 1, 1);
    start(f, one, 0);
    give(j, 0, 3, 2);
    give(j, 3, 9, 1);
    give(j, 0, 0, 0);
    j->alloc.n--;
    vec_push(&j->alloc, ((struct alloc){11, 1, 1, 0}));
    start(f, j, 0);
    assert_int_equal(node_folded(f->c, 0, 12), 3);
    assert_int_equal(node_folded(f->c, 3, 12), 1); /* shared */
    assert_int_equal(node_folded(f->c, 4, 12), 4);
    assert_int_equal(node_folded(f->c, 8, 12), 2);
    assert_int_equal(node_folded(f->c, 10, 12), 0); /* measured */
    assert_int_equal(node_folded(f->c, 11, 12), 0); /* two pieces of the job */
    assert_int_equal(record(f, 11)->jobs.v[0].tasks, 2);
    stop(f, j, EV_COMPLETE, 1);
    stop(f, one, EV_COMPLETE, 1);
    assert_int_equal(rangeset_count(nodes_vacant(f->c)), 11); /* all but the measured */
}

static void a_folded_run_falls_apart_where_a_record_is_wanted(void **state)
{
    struct fixture *f = *state;
    struct job *j = job(f, "a", 12), *b = job(f, "b", 1);

    nodes(f, 6, 3);
    give(j, 0, 6, 2);
    start(f, j, 0);
    assert_int_equal(record(f, 3)->jobs.v[0].tasks, 2);
    assert_int_equal(node_folded(f->c, 0, 6), 3);
    assert_int_equal(node_folded(f->c, 4, 6), 2);
    assert_true(node_at(f->c, 3)->load == 2.0);
    assert_int_equal(record(f, 0)->expected, NODE_RUNNING);
    assert_int_equal(node_folded(f->c, 1, 6), 2);
    give(b, 5, 1, 1);
    start(f, b, 0); /* beside it */
    assert_int_equal(node_folded(f->c, 4, 6), 1);
    assert_dedicated(f, node_at(f->c, 5), 3, 0);
    node_set_state(f->c, node_at(f->c, 1), NODE_DRAINING, 1);
    cluster_check(f->c);
    assert_int_equal(node_at(f->c, 1)->jobs.n, 1);
    stop(f, j, EV_COMPLETE, 2);
    stop(f, b, EV_COMPLETE, 2);
    assert_int_equal(rangeset_count(nodes_vacant(f->c)), 5);
}

static void jobs_that_want_but_processors_join_on_folded_nodes(void **state)
{
    struct fixture *f = *state;
    struct job *a = job(f, "a", 18), *b = job(f, "b", 6), *c = job(f, "c", 1);
    struct node_job on[NODE_FOLDED_JOBS];

    nodes(f, 6, 4);
    give(a, 0, 4, 4);
    vec_push(&a->alloc, ((struct alloc){4, 1, 2, 0}));
    give(b, 4, 1, 2);
    vec_push(&b->alloc, ((struct alloc){5, 1, 4, 0}));
    start(f, a, 0);
    assert_int_equal(node_folded_left(f->c, 3), 0);
    assert_int_equal(node_folded_left(f->c, 4), 2);
    assert_true(bitset_test(nodes_partly(f->c), 4));
    start(f, b, 0);
    assert_int_equal(node_folded(f->c, 4, 6), 1);
    assert_int_equal(node_folded_left(f->c, 4), 0);
    assert_false(node_has_room(f->c, 4));
    assert_int_equal(node_job_count(f->c, node_at(f->c, 4)), 2);
    for (uint32_t i = 0; i < 2; i++)
        assert_true(node_job_at(f->c, node_at(f->c, 4), i, &on[i]));
    assert_int_equal(on[0].job, a->index);
    assert_int_equal(on[1].job, b->index);
    assert_int_equal(on[1].tasks, 2);
    assert_dedicated(f, node_at(f->c, 4), 4, 0);
    assert_int_equal(node_expected(f->c, node_at(f->c, 4)), NODE_BUSY);
    cluster_check(f->c);
    stop(f, a, EV_COMPLETE, 1);
    assert_int_equal(node_folded(f->c, 4, 6), 1);
    assert_int_equal(node_folded_left(f->c, 4), 2);
    assert_int_equal(node_expected(f->c, node_at(f->c, 4)), NODE_RUNNING);
    give(c, 4, 1, 1);
    start(f, c, 1);
    assert_int_equal(record(f, 4)->jobs.n, 2);
    assert_int_equal(record(f, 4)->jobs.v[0].job, b->index);
    cluster_check(f->c);
    stop(f, c, EV_COMPLETE, 2);
    stop(f, b, EV_COMPLETE, 2);
    assert_int_equal(rangeset_count(nodes_vacant(f->c)), 6);
}

static void a_run_falls_apart_where_others_join(void **state)
{
    static const char *const ids[] = {"a", "b", "c", "d", "e"};
    struct fixture *f = *state;
    struct job *j[5];

    nodes(f, 5, 8);
    for (uint32_t i = 0; i < 5; i++) {
        j[i] = job(f, ids[i], i ? 1 : 5);
        give(j[i], i ? 2 : 0, i ? 1 : 5, 1);
        start(f, j[i], 0);
        cluster_check(f->c);
        assert_int_equal(node_folded(f->c, 2, 5), i == 0 ? 3 : i < 4);
    }
    assert_int_equal(node_folded(f->c, 0, 5), 2); /* one job too many on the next */
    assert_int_equal(node_folded(f->c, 3, 5), 2);
    assert_int_equal(node_at(f->c, 2)->jobs.n, 5);
    for (uint32_t i = 0; i < 5; i++) {
        stop(f, j[i], EV_COMPLETE, 1);
        cluster_check(f->c);
    }
    assert_int_equal(rangeset_count(nodes_vacant(f->c)), 5);
}

static void who_wants_more_than_processors_does_not_join(void **state)
{
    struct fixture *f = *state;
    struct job *a = job(f, "a", 1),
               *m = needing(f, "m", (struct req_desc){.per_task = {{1, 100}}});
    struct job *twice = job(f, "t", 2);

    nodes(f, 2, 4);
    give(a, 0, 1, 1);
    give(m, 0, 1, 1);
    give(twice, 1, 1, 1);
    vec_push(&twice->alloc, ((struct alloc){1, 1, 1, 0}));
    start(f, a, 0);
    start(f, m, 0);
    start(f, twice, 0);
    assert_int_equal(node_folded(f->c, 0, 2), 0);
    assert_int_equal(node_folded(f->c, 1, 2), 0); /* both pieces are of one job */
    assert_int_equal(node_folded_left(f->c, 0), -1);
    assert_dedicated(f, node_at(f->c, 0), 2, 100);
    cluster_check(f->c);
}

static void folding_changes_no_answer(void **state)
{
    struct fixture *f = *state;
    uint64_t seed = 7;
    char id[16];

    /* the same questions before and after the records are written */
    nodes(f, 40, 4);
    for (int round = 0; round < 200; round++) {
        snprintf(id, sizeof id, "j%d", round);
        uint32_t first = (uint32_t)(seed = seed * 6364136223846793005u + 1) >> 20;
        uint32_t count = 1 + first / 64 % 12, each = 1 + first / 1024 % 3;
        int64_t mem_mb = round % 4 ? 0 : 10;
        struct job *j = needing(
            f, id, (struct req_desc){.per_task = {{1, mem_mb}}, .tasks = count * each});
        give(j, first % 28, count, each);
        if (job_start(f->c, j, round, &f->err) < 0)
            continue;
        for (uint32_t i = 0; i < 40; i++) {
            const struct node *n = node_at(f->c, i);
            struct res ded = node_dedicated(f->c, n);
            uint32_t jobs = node_job_count(f->c, n);
            enum node_state expected = node_expected(f->c, n);
            if ((i + (uint32_t)round) % 7)
                continue;
            record(f, i);
            assert_int_equal(n->ded.v[RES_PROCS], ded.v[RES_PROCS]);
            assert_int_equal(n->jobs.n, jobs);
            assert_int_equal(n->expected, expected);
        }
        cluster_check(f->c);
        if (f->c->active.n > 5)
            stop(f, f->c->jobs.v[f->c->active.v[first % 5]], EV_COMPLETE, round);
    }
}

static void a_whole_processor_is_dedicated_with_its_memory(void **state)
{
    struct fixture *f = *state;
    struct job *j = needing(f, "a", (struct req_desc){.access = ACCESS_SINGLEJOB});
    struct node *n = node(f, "n1", 1);

    give(j, 0, 1, 1);
    start(f, j, 0);
    assert_dedicated(f, n, 1, 1024);
}

static void a_folded_node_counts_its_class_initiator(void **state)
{
    struct fixture *f = *state;
    struct gres_cfg classes[] = {{"batch", 1}, {NULL, 0}};
    struct req_desc r = {.tasks = 1};
    struct node *n =
        report(f, &(struct node_desc){.name = "n1", .cfg = {{1}}, .classes = classes});
    struct job *j = add(
        f, &(struct job_desc){
               .id = "a", .cred = {[CRED_CLASS] = "batch"}, .reqs = &r, .nreqs = 1});

    give(j, 0, 1, 1);
    start(f, j, 0);
    assert_int_equal(node_class_free(f->c, n, j->cred[CRED_CLASS]), 0);
}

static void a_changed_node_takes_its_job_along(void **state)
{
    struct fixture *f = *state;
    struct job *j = job(f, "a", 1);
    struct node *n = node(f, "n1", 1);

    give(j, 0, 1, 1);
    start(f, j, 0);
    node(f, "n1", 4); /* checks the cluster itself */
    assert_int_equal(n->jobs.n, 1);
    assert_int_equal(n->expected, NODE_RUNNING);
    node(f, "n1", 1);
    assert_int_equal(n->expected, NODE_BUSY);
    settings_node(f->s, "n1")->maxjob = 3;
    configure(f);
    stop(f, j, EV_COMPLETE, 9);
    configure(f);
    assert_dedicated(f, n, 0, 0);
}

static void a_node_may_shrink_under_its_tasks(void **state)
{
    struct fixture *f = *state;
    struct job *j = job(f, "a", 2);
    struct node *n = node(f, "n1", 4);

    give(j, 0, 1, 2);
    start(f, j, 0);
    node(f, "n1", 1);
    assert_true(n->shrunk);
    stop(f, j, EV_COMPLETE, 1);
    assert_dedicated(f, n, 0, 0);
}

/* ---- full nodes -------------------------------------------------------------- */

static void amounts_states_and_load_follow_start_and_stop(void **state)
{
    struct fixture *f = *state;
    struct job *a =
        needing(f, "a", (struct req_desc){.per_task = {{1, 100}}, .tasks = 3});
    struct job *b = job(f, "b", 1);
    struct node *n = node(f, "n1", 4);

    give(a, 0, 1, 3);
    give(b, 0, 1, 1);
    assert_int_equal(n->expected, NODE_IDLE);
    start(f, a, 0);
    assert_dedicated(f, n, 3, 300);
    record(f, 0);
    assert_int_equal(n->expected, NODE_RUNNING);
    assert_true(n->load == 3.0);
    start(f, b, 0);
    assert_int_equal(n->expected, NODE_BUSY);
    assert_int_equal(n->jobs.v[0].job, a->index);
    stop(f, a, EV_COMPLETE, 1);
    assert_dedicated(f, n, 1, 0);
    assert_true(n->load == 1.0);
    stop(f, b, EV_COMPLETE, 1);
    assert_int_equal(n->expected, NODE_IDLE);
    assert_true(n->load == 0.0);
}

static void measured_load_is_not_lowered_by_a_stop(void **state)
{
    struct fixture *f = *state;
    struct job *a = job(f, "a", 2);
    struct node *n = node(f, "n1", 4);

    give(a, 0, 1, 2);
    start(f, a, 0);
    node_measure(f->c, n, 0.5, &(struct res){{0}});
    stop(f, a, EV_COMPLETE, 1);
    assert_true(n->load == 0.5);
}

static void node_policy_example_of_measured_use(void **state)
{
    struct fixture *f = *state;
    char id[16];

    /* node-allocation.md N21: eight jobs share four processors under UTILIZED */
    f->s->par.v[0].avail[AVAIL_PROCS] = AVAIL_UTILIZED;
    configure(f);
    struct node *n = node(f, "n1", 4);
    for (int i = 0; i < 8; i++) {
        snprintf(id, sizeof id, "j%d", i);
        struct job *j = job(f, id, 1);
        give(j, 0, 1, 1);
        start(f, j, 0);
        assert_int_equal(node_expected(f->c, n), i == 3 ? NODE_BUSY : NODE_RUNNING);
        if (i >= 3)
            node_measure(f->c, n, 0.4 * (i + 1), &(struct res){{0}});
    }
    assert_dedicated(f, n, 8, 0);
    configure(f);
}

static void a_node_alone_is_dedicated_whole(void **state)
{
    struct fixture *f = *state;
    struct job *a =
        needing(f, "a", (struct req_desc){.tasks = 2, .access = ACCESS_SINGLEJOB});
    struct job *b = job(f, "b", 1);
    struct node *n = node(f, "n1", 4);

    /* node-allocation.md N18 d */
    give(a, 0, 1, 2);
    give(b, 0, 1, 1);
    start(f, a, 0);
    assert_dedicated(f, n, 4, 1024);
    start_refused(f, b, "node 'n1' has 0 processors left, job 'b' needs 1 there");
    stop(f, a, EV_COMPLETE, 1);
    start(f, b, 1);
    start_refused(
        f, needing(f, "c", (struct req_desc){.access = ACCESS_SINGLETASK}), "0 tasks");
    stop(f, b, EV_COMPLETE, 2);
    assert_dedicated(f, n, 0, 0);
}

static void all_of_a_resource_is_what_the_node_has(void **state)
{
    struct fixture *f = *state;
    struct job *a = needing(f, "a", (struct req_desc){.per_task = {{1, -1}}});
    struct node *n = node(f, "n1", 4);

    give(a, 0, 1, 1);
    start(f, a, 0);
    assert_dedicated(f, n, 1, 1024);
    report(f, &(struct node_desc){.name = "n1", .cfg = {{4, 2048, 0, 0}}});
    assert_dedicated(f, n, 1, 2048);
    stop(f, a, EV_COMPLETE, 1);
    assert_dedicated(f, n, 0, 0);
}

static void a_job_holds_what_it_started_with(void **state)
{
    struct fixture *f = *state;
    struct job *a = needing(f, "a", (struct req_desc){.per_task = {{2, 100}}});
    struct job *b = needing(f, "b", (struct req_desc){.per_task = {{1, 7}}});
    struct node *n = node(f, "n1", 4);

    give(a, 0, 1, 1);
    start(f, a, 0);
    a->req.def = b->req.def; /* resolved anew by other settings */
    cluster_check(f->c);
    stop(f, a, EV_COMPLETE, 1);
    assert_dedicated(f, n, 0, 0);
}

static void initiators_and_generic_resources_are_dedicated(void **state)
{
    struct fixture *f = *state;
    struct gres_cfg tape4[] = {{"tape", 4}, {NULL, 0}},
                    tape2[] = {{"tape", 2}, {NULL, 0}};
    struct gres_cfg classes[] = {{"batch", 3}, {NULL, 0}};
    struct req_desc r = {.tasks = 2, .gres = tape2};
    struct req_desc plain = {.tasks = 1, .gres = tape2};
    struct node *n =
        report(f, &(struct node_desc){
                      .name = "n1", .cfg = {{8}}, .gres = tape4, .classes = classes});
    struct job *a = add(
        f, &(struct job_desc){
               .id = "a", .cred = {[CRED_CLASS] = "batch"}, .reqs = &r, .nreqs = 1});
    struct job *b = needing(f, "b", plain);
    struct req_desc two = {.tasks = 2};
    struct job *c = add(
        f, &(struct job_desc){
               .id = "c", .cred = {[CRED_CLASS] = "batch"}, .reqs = &two, .nreqs = 1});

    /* node-allocation.md N16: two tasks of two tapes each, then none is left */
    give(a, 0, 1, 2);
    give(b, 0, 1, 1);
    give(c, 0, 1, 2);
    start(f, a, 0);
    assert_int_equal(record(f, 0)->gres_ded.v[0].count, 4);
    assert_int_equal(node_class_free(f->c, n, a->cred[CRED_CLASS]), 1);
    start_refused(f, b, "0 tape left");
    start_refused(f, c, "1 class initiators left");
    stop(f, a, EV_COMPLETE, 1);
    assert_int_equal(n->gres_ded.v[0].count, 0);
    start(f, b, 1);
    start(f, c, 1);
}

static void requests_of_one_job_may_share_a_node(void **state)
{
    struct fixture *f = *state;
    struct req_desc r[2] = {
        {.per_task = {{1, 10}}, .tasks = 2}, {.per_task = {{2, 5}}, .tasks = 1}};
    struct node *n = node(f, "n1", 4);
    struct job *j = add(f, &(struct job_desc){.id = "a", .reqs = r, .nreqs = 2});

    vec_push(&j->alloc, ((struct alloc){0, 1, 2, 0}));
    vec_push(&j->alloc, ((struct alloc){0, 1, 1, 1}));
    start(f, j, 0);
    assert_dedicated(f, n, 4, 25);
    assert_int_equal(n->jobs.n, 1);
    assert_int_equal(n->jobs.v[0].tasks, 3);
    stop(f, j, EV_COMPLETE, 1);
    assert_true(node_is_free(f->c, n));
}

static void requests_alone_on_a_node_take_it_once(void **state)
{
    struct fixture *f = *state;
    struct req_desc r[2] = {{.tasks = 1, .access = ACCESS_SINGLEJOB}, {.tasks = 1}};
    struct node *n = node(f, "n1", 4);
    struct job *j = add(f, &(struct job_desc){.id = "a", .reqs = r, .nreqs = 2});

    vec_push(&j->alloc, ((struct alloc){0, 1, 1, 0}));
    vec_push(&j->alloc, ((struct alloc){0, 1, 1, 1}));
    start(f, j, 0);
    assert_dedicated(f, n, 4, 1024);
    stop(f, j, EV_COMPLETE, 1);
    assert_dedicated(f, n, 0, 0);
}

/* ---- refused starts ---------------------------------------------------------- */

static void an_allocation_must_add_up(void **state)
{
    struct fixture *f = *state;
    struct job *j = job(f, "a", 3);

    nodes(f, 3, 1);
    start_refused(f, j, "0 tasks for request 0, expected 3");
    give(j, 0, 2, 1);
    start_refused(f, j, "2 tasks for request 0, expected 3");
    j->alloc.n = 0;
    give(j, 1, 3, 1);
    start_refused(f, j, "nodes 1 to 3");
    j->alloc.n = 0;
    give(j, 7, 1, 1);
    start_refused(f, j, "nodes 7 to 7");
    j->alloc.n = 0;
    give(j, 0, UINT32_MAX, 1);
    start_refused(f, j, "expected some of 0 to 2");
    j->alloc.n = 0;
    vec_push(&j->alloc, ((struct alloc){0, 3, 1, 4}));
    start_refused(f, j, "request 4");
    j->alloc.n = 0;
    give(j, 0, 3, 0);
    start_refused(f, j, "0 tasks of request 0");
}

static void a_refused_start_takes_nothing(void **state)
{
    struct fixture *f = *state;
    struct job *first = job(f, "first", 1), *j = job(f, "a", 6);

    node(f, "n1", 1);
    node(f, "n2", 4);
    node(f, "n3", 1);
    node(f, "n4", 4);
    give(first, 3, 1, 1);
    give(j, 0, 1, 1);
    give(j, 1, 1, 1);
    give(j, 2, 1, 1);
    give(j, 3, 1, 3);
    start(f, first, 0);
    start(f, j, 0); /* fits beside it */
    stop(f, j, EV_REQUEUE, 1);
    stop(f, first, EV_COMPLETE, 1);
    struct job *wide = job(f, "wide", 2);
    give(wide, 3, 1, 2);
    start(f, wide, 2);
    start_refused(f, j, "node 'n4' has 2 processors left");
    assert_true(node_is_free(f->c, node_at(f->c, 0)));
    assert_true(node_is_free(f->c, node_at(f->c, 1)));
    assert_true(node_at(f->c, 1)->load == 0.0);
    assert_int_equal(j->start_at, 0);
    assert_null(j->req.held);
}

static void a_node_given_twice_is_refused(void **state)
{
    struct fixture *f = *state;
    struct job *j = job(f, "a", 2);

    node(f, "n1", 1);
    give(j, 0, 1, 1);
    give(j, 0, 1, 1);
    start_refused(f, j, "node 'n1' has 0 processors left");
}

static void a_wide_task_does_not_fit_one_processor(void **state)
{
    struct fixture *f = *state;
    struct job *j = needing(f, "a", (struct req_desc){.per_task = {{2}}});
    struct gres_cfg tape[] = {{"tape", 1}, {NULL, 0}};
    struct job *k = needing(f, "b", (struct req_desc){.gres = tape});

    node(f, "n1", 1);
    give(j, 0, 1, 1);
    give(k, 0, 1, 1);
    start_refused(f, j, "1 processors left");
    start_refused(f, k, "0 tape left");
}

static void a_run_is_refused_where_its_memory_ends(void **state)
{
    struct fixture *f = *state;
    struct job *j =
        needing(f, "a", (struct req_desc){.per_task = {{1, 2000}}, .tasks = 2});
    struct job *k =
        needing(f, "b", (struct req_desc){.per_task = {{1, 1000}}, .tasks = 2});

    report(f, &(struct node_desc){.name = "n1", .cfg = {{1, 4096}}});
    node(f, "n2", 1);
    give(j, 0, 2, 1);
    give(k, 0, 2, 1);
    start_refused(f, j, "node 'n2' has 1024 MB memory left, job 'a' needs 2000 there");
    start(f, k, 0);
}

static void a_node_that_does_not_serve_the_class_is_refused(void **state)
{
    struct fixture *f = *state;
    struct gres_cfg classes[] = {{"batch", 1}, {NULL, 0}};
    struct req_desc r = {.tasks = 1};

    report(f, &(struct node_desc){.name = "n1", .cfg = {{1}}, .classes = classes});
    struct job *j =
        add(f, &(struct job_desc){
                   .id = "a", .cred = {[CRED_CLASS] = "long"}, .reqs = &r, .nreqs = 1});
    give(j, 0, 1, 1);
    start_refused(f, j, "0 class initiators left");
}

static void a_piece_may_go_over_different_nodes(void **state)
{
    struct fixture *f = *state;
    struct job *j = job(f, "a", 5);

    node(f, "n1", 1);
    node(f, "n2", 1);
    node(f, "n3", 4);
    node(f, "n4", 2);
    node(f, "n5", 1);
    give(j, 0, 5, 1);
    start(f, j, 0);
    assert_dedicated(f, node_at(f->c, 2), 1, 0);
    assert_int_equal(node_folded(f->c, 0, 5), 2);
    assert_int_equal(node_folded(f->c, 4, 5), 1);
    stop(f, j, EV_VANISH, 1);
    assert_int_equal(j->state, JOB_LOST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_start_sets_start_and_end),
        T(the_effective_limit_decides_the_end),
        T(the_slowest_node_of_all_pieces_is_found),
        T(a_node_with_tasks_of_several_requests_is_one),
        T(without_any_limit_there_is_no_end),
        T(a_requeued_job_may_start_afresh),
        T(time_in_suspension_is_added_to_the_end),
        T(a_piece_tells_all_of_a_folded_node),
        T(a_run_is_folded_as_far_as_nodes_are_equal_and_vacant),
        T(a_folded_run_falls_apart_where_a_record_is_wanted),
        T(jobs_that_want_but_processors_join_on_folded_nodes),
        T(a_run_falls_apart_where_others_join),
        T(who_wants_more_than_processors_does_not_join),
        T(folding_changes_no_answer),
        T(a_whole_processor_is_dedicated_with_its_memory),
        T(a_folded_node_counts_its_class_initiator),
        T(a_changed_node_takes_its_job_along),
        T(a_node_may_shrink_under_its_tasks),
        T(amounts_states_and_load_follow_start_and_stop),
        T(measured_load_is_not_lowered_by_a_stop),
        T(node_policy_example_of_measured_use),
        T(a_node_alone_is_dedicated_whole),
        T(all_of_a_resource_is_what_the_node_has),
        T(a_job_holds_what_it_started_with),
        T(initiators_and_generic_resources_are_dedicated),
        T(requests_of_one_job_may_share_a_node),
        T(requests_alone_on_a_node_take_it_once),
        T(an_allocation_must_add_up),
        T(a_refused_start_takes_nothing),
        T(a_node_given_twice_is_refused),
        T(a_wide_task_does_not_fit_one_processor),
        T(a_run_is_refused_where_its_memory_ends),
        T(a_node_that_does_not_serve_the_class_is_refused),
        T(a_piece_may_go_over_different_nodes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
