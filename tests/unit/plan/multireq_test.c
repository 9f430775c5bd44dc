/* SPDX-License-Identifier: Apache-2.0
 * Jobs of several requests over time, what is left for other reservations, and windows,
 * on nodes that are asked one by one. */
#include "plan/bynode/multireq.h"
#include "plan/plan.h"
#include "rsv_kit.h"

/* Nodes of 4 processors and 100 MB, a plan of them at 100. */
struct trial {
    struct rk k;
    struct plan *p;
};

static struct trial trial_open(int nodes)
{
    struct trial t = {.k = rk_open("")};

    rk_nodes(&t.k, nodes, 4, 100);
    t.p = plan_create(t.k.c);
    plan_begin(t.p, 100, RSV_REPLAN);
    return t;
}

static void trial_close(struct trial *t)
{
    plan_destroy(t->p);
    rk_close(&t->k);
}

/* Of one or two requests, for 1000 s. */
static struct job *job_of(struct trial *t, const struct req_desc *reqs, uint32_t nreqs)
{
    char id[20];
    struct job_desc d = {.id = id, .wclimit_s = 1000, .reqs = reqs, .nreqs = nreqs};
    struct job *j;
    struct err err;

    snprintf(id, sizeof id, "job.%zu", t->k.c->jobs.n);
    if (job_add(t->k.c, &d, 0, &j, &err) < 0)
        fail_msg("%s", err.text);
    plan_job_queued(t->p, j);
    return j;
}

static struct req_desc tasks_of(uint32_t tasks, int64_t procs, int64_t mem)
{
    return (struct req_desc){.tasks = tasks,
        .per_task = {{procs, mem}},
        .access = ACCESS_SHARED,
        .nodealloc = NODEALLOC_UNSET};
}

static void start_on(struct trial *t, struct job *j, const char *node, int64_t limit_s)
{
    struct err err;

    vec_push(
        &j->alloc, ((struct alloc){node_find(t->k.c, node)->index, 1, j->tasks, 0}));
    j->eff_wclimit_s = limit_s;
    if (job_start(t->k.c, j, 100, &err) < 0)
        fail_msg("%s", err.text);
    plan_job_started(t->p, j);
}

/* Two sizes of tasks: nothing that is counted. */
static void make_odd(struct trial *t)
{
    struct req_desc one = tasks_of(1, 1, 0);

    job_of(t, &one, 1);
    plan_begin(t->p, 100, RSV_REPLAN);
    assert_false(plan_counts(t->p, 0));
}

static void end(struct trial *t, struct job *j)
{
    struct err err;

    plan_job_stopping(t->p, j, 150);
    assert_int_equal(job_stop(t->k.c, j, EV_CANCEL, 150, &err), 0);
}

static uint32_t tasks_in(const struct allocs *all, uint32_t req)
{
    uint32_t sum = 0;

    for (size_t i = 0; i < all->n; i++)
        sum += all->v[i].req == req ? all->v[i].count * all->v[i].tasks : 0;
    return sum;
}

static void requests_share_nodes_and_none_has_more_than_it_has(void **state)
{
    (void)state;
    struct trial t = trial_open(2);
    struct req_desc reqs[] = {tasks_of(2, 1, 80), tasks_of(6, 1, 1)};
    struct job *j = job_of(&t, reqs, 2);
    struct allocs got = {0};
    enum wait_code code;

    assert_true(plan_fits_now(t.p, j, 0));
    assert_int_equal(plan_place_now(t.p, j, 0, &got, &code), 0);
    assert_int_equal(tasks_in(&got, 0), 2);
    assert_int_equal(tasks_in(&got, 1), 6);
    got.n = 0;
    reqs[1].tasks = 7; /* nine processors in all */
    struct job *large = job_of(&t, reqs, 2);
    assert_false(plan_fits_now(t.p, large, 0));
    assert_true(plan_place_now(t.p, large, 0, &got, &code) < 0);
    assert_int_equal(code, WAIT_RESOURCES);
    assert_int_equal(got.n, 0);
    vec_fini(&got);
    trial_close(&t);
}

static void all_requests_begin_at_the_first_instant_that_has_room_for_all(void **state)
{
    (void)state;
    struct trial t = trial_open(2);
    struct req_desc one = tasks_of(1, 3, 10),
                    reqs[] = {tasks_of(2, 1, 80), tasks_of(4, 1, 1)};
    struct job *first = job_of(&t, &one, 1), *second = job_of(&t, &one, 1);
    struct job *j = job_of(&t, reqs, 2);
    struct slot slot;

    start_on(&t, first, "n1", 400);
    start_on(&t, second, "n2", 800);
    assert_true(plan_first_fit(t.p, j, 100, &slot));
    assert_int_equal(slot.at, 900); /* at 500 there are 5 processors of 6 */
    plan_reserve(t.p, j, &slot);
    struct job *later = job_of(&t, &one, 1);
    assert_true(plan_first_fit(t.p, later, 100, &slot));
    assert_int_equal(slot.at, 1900); /* 3 of a node: what it leaves is 1 on each */
    end(&t, first);
    end(&t, second);
    trial_close(&t);
}

/* Tasks of both requests are on the one node, where a job has one processor until 500:
 * each alone would fit beside it. */
static void a_place_with_two_requests_on_a_node_is_laid_back_where_both_fit(
    void **state)
{
    (void)state;
    struct trial t = trial_open(1);
    struct req_desc one = tasks_of(1, 1, 10),
                    reqs[] = {tasks_of(1, 2, 10), tasks_of(1, 2, 20)};
    struct job *runs = job_of(&t, &one, 1), *j = job_of(&t, reqs, 2);
    struct slot slot;

    start_on(&t, runs, "n1", 400);
    assert_true(plan_first_fit(t.p, j, 100, &slot));
    assert_int_equal(slot.at, 500);
    plan_reserve(t.p, j, &slot);
    struct lifted_rsv *l = plan_lift(t.p, j);
    assert_non_null(l);
    assert_false(plan_is_reserved(t.p, j));
    assert_true(plan_lay_back(t.p, j, l));
    assert_int_equal(plan_reserved_at(t.p, j), 500);
    plan_unreserve(t.p, j);
    assert_false(plan_lay_at(t.p, j, l, 499));
    assert_true(plan_lay_at(t.p, j, l, 500));
    lifted_rsv_free(l);
    plan_check(t.p);
    end(&t, runs);
    trial_close(&t);
}

static void a_reservation_may_have_what_jobs_leave_in_its_window(void **state)
{
    (void)state;
    struct trial t = trial_open(1);
    struct req_desc three = tasks_of(1, 3, 10);
    struct job *runs = job_of(&t, &three, 1), *waits = job_of(&t, &three, 1);
    struct reservation *r = rk_setres(&t.k, "r", ACL_USER, "john", 100, 5000);

    make_odd(&t);
    r->def.per_task = (struct res){{1}};
    start_on(&t, runs, "n1", 400);
    plan_reserve(t.p, waits, &(struct slot){700, 0});
    static const struct {
        int64_t from, to;
        uint32_t tasks;
    } rows[] = {
        {100, 200, 1}, {500, 700, 4}, {500, 701, 1}, {1699, 1700, 1}, {1700, 1800, 4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        r->start_at = rows[i].from;
        r->end_at = rows[i].to;
        plan_rsv_begin(t.p, r);
        assert_int_equal(
            plan_rsv_tasks(t.p, r, 0, rows[i].from, rows[i].to), rows[i].tasks);
    }
    assert_int_equal(plan_rsv_next(t.p, 100), 500);
    assert_int_equal(plan_rsv_next(t.p, 500), 1700);
    end(&t, runs);
    trial_close(&t);
}

static void windows_end_where_a_pin_begins(void **state)
{
    (void)state;
    struct trial t = trial_open(1);
    struct req_desc three = tasks_of(1, 3, 10);
    struct job *waits = job_of(&t, &three, 1);
    struct window w;

    make_odd(&t);
    plan_reserve(t.p, waits, &(struct slot){700, 0});
    assert_true(plan_window(t.p, 0, PLAN_ACCESS_ANY, 0, &w));
    assert_int_equal(w.procs, 4);
    assert_int_equal(w.duration_s, 600);
    assert_true(plan_window(t.p, 0, PLAN_ACCESS_ANY, w.duration_s, &w));
    assert_int_equal(w.procs, 1);
    assert_int_equal(w.duration_s, DURATION_UNLIMITED);
    assert_false(plan_window(t.p, 0, PLAN_ACCESS_ANY, w.duration_s, &w));
    trial_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_share_nodes_and_none_has_more_than_it_has),
        cmocka_unit_test(all_requests_begin_at_the_first_instant_that_has_room_for_all),
        cmocka_unit_test(
            a_place_with_two_requests_on_a_node_is_laid_back_where_both_fit),
        cmocka_unit_test(a_reservation_may_have_what_jobs_leave_in_its_window),
        cmocka_unit_test(windows_end_where_a_pin_begins),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
