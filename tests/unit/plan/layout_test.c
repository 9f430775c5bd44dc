/* SPDX-License-Identifier: Apache-2.0
 * The layout of a plan made anew: what runs is counted again, shapes in the system
 * decide how each pool is planned, and a fork that makes its own leaves the original
 * alone. */
#include "plan/layout.h"
#include "planned_fixture.h"

static const char *const ib[] = {"ib", NULL};

/* Four nodes of two processors; n1 and n2 have the feature ib. */
static struct world *four_nodes(void)
{
    static const char *const names[] = {"n1", "n2", "n3", "n4"};
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    for (int i = 0; i < 4; i++)
        world_node(
            w, (struct node_desc){
                   .name = names[i], .cfg = {{2}}, .features = i < 2 ? ib : NULL});
    return w;
}

static void close_both(struct plan *p, struct world *w)
{
    plan_check(p);
    plan_destroy(p);
    world_close(w);
}

static struct job *of_two_procs(struct world *w)
{
    return world_job(w, "john", (struct req_desc){.tasks = 1, .per_task = {{2}}});
}

static int64_t free_now(const struct plan *p)
{
    return count_free_now(p->counted, pools_at(p->pools, 0));
}

static void what_runs_is_counted_again(void **state)
{
    struct world *w = four_nodes();
    struct plan *p = world_plan(w);

    (void)state;
    assert_true(plan_start(w, p, plan_tasks(w, p, 3, 500)));
    layout_make(p, NULL);
    assert_int_equal(free_now(p), 5);
    assert_int_equal(
        count_least(p->counted, pools_at(p->pools, 0), NOW, NOW + 1, NULL), 5);
    assert_int_equal(
        count_least(p->counted, pools_at(p->pools, 0), NOW + 500, NOW + 501, NULL), 8);
    close_both(p, w);
}

static void what_is_remembered_of_the_pools_before_is_void(void **state)
{
    struct world *w = four_nodes();
    struct plan *p = world_plan(w);
    uint64_t version = p->version, layout = pools_layout(p->pools);

    (void)state;
    plan_tasks(w, p, 1, 10);
    layout_make(p, NULL);
    assert_true(p->version > version);
    assert_true(pools_layout(p->pools) > layout);
    close_both(p, w);
}

static void the_shape_of_who_asks_ends_no_counting(void **state)
{
    struct world *w = four_nodes();
    struct plan *p = world_plan(w);

    (void)state;
    plan_tasks(w, p, 1, 10);
    struct job *asker = of_two_procs(w);
    layout_make(p, asker);
    assert_true(plan_counts(p, 0));
    layout_make(p, NULL);
    assert_false(plan_counts(p, 0));
    close_both(p, w);
}

static void what_who_asks_asks_for_divides_pools(void **state)
{
    struct world *w = four_nodes();
    struct plan *p = world_plan(w);

    (void)state;
    plan_tasks(w, p, 1, 10);
    struct job *asker =
        world_job(w, "john", (struct req_desc){.tasks = 1, .features = ib});
    assert_int_equal(pools_count(p->pools), 1);
    layout_make(p, asker);
    assert_int_equal(pools_count(p->pools), 2);
    close_both(p, w);
}

static void a_job_that_is_over_decides_nothing(void **state)
{
    struct world *w = four_nodes();
    struct plan *p = world_plan(w);
    struct err err;

    (void)state;
    plan_tasks(w, p, 1, 10);
    struct job *odd = of_two_procs(w);
    assert_int_equal(job_move(w->c, odd, EV_CANCEL, &err), 0);
    layout_make(p, NULL);
    assert_true(plan_counts(p, 0));
    close_both(p, w);
}

/* The feature is taken from n1 while a job that asked for it runs there. */
static void where_a_job_runs_that_may_not_nothing_is_counted(void **state)
{
    static const char *const none[] = {NULL};
    struct world *w = four_nodes();
    struct plan *p;

    (void)state;
    struct job *runs =
        world_job(w, "john", (struct req_desc){.tasks = 1, .features = ib});
    p = world_plan(w);
    assert_true(plan_start(w, p, runs));
    assert_true(plan_counts(p, 0));
    uint32_t node = runs->alloc.v[0].first;
    world_node(
        w, (struct node_desc){
               .name = node_at(w->c, node)->name, .cfg = {{2}}, .features = none});
    layout_make(p, NULL);
    assert_true(pools_of_node(p->pools, node)->by_node);
    assert_false(pools_of_node(p->pools, node == 0 ? 1 : 0)->by_node);
    close_both(p, w);
}

static void before_the_first_layout_nothing_is_learned(void **state)
{
    struct world *w = four_nodes();
    struct plan *p = plan_create(w->c);

    (void)state;
    struct job *j = world_tasks(w, 1);
    layout_learn(p, j);
    assert_false(fits_knows(p->fits, j->reqs[0].def));
    plan_begin(p, NOW, RSV_KEEP);
    assert_true(fits_knows(p->fits, j->reqs[0].def));
    close_both(p, w);
}

static void a_fork_gets_pools_of_its_own(void **state)
{
    struct world *w = four_nodes();
    struct plan *p = world_plan(w);

    (void)state;
    assert_true(plan_start(w, p, plan_tasks(w, p, 3, 500)));
    struct plan *fork = plan_fork(p);
    struct job *asker =
        world_job(w, "john", (struct req_desc){.tasks = 1, .features = ib});
    assert_true(fork->borrows_layout);
    layout_make(fork, asker);
    assert_false(fork->borrows_layout);
    assert_int_equal(pools_count(fork->pools), 2);
    assert_int_equal(count_free_now(fork->counted, pools_at(fork->pools, 0))
                         + count_free_now(fork->counted, pools_at(fork->pools, 1)),
        5);
    assert_int_equal(pools_count(p->pools), 1);
    assert_int_equal(free_now(p), 5);
    plan_check(fork);
    plan_destroy(fork);
    close_both(p, w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_runs_is_counted_again),
        cmocka_unit_test(what_is_remembered_of_the_pools_before_is_void),
        cmocka_unit_test(the_shape_of_who_asks_ends_no_counting),
        cmocka_unit_test(what_who_asks_asks_for_divides_pools),
        cmocka_unit_test(a_job_that_is_over_decides_nothing),
        cmocka_unit_test(where_a_job_runs_that_may_not_nothing_is_counted),
        cmocka_unit_test(before_the_first_layout_nothing_is_learned),
        cmocka_unit_test(a_fork_gets_pools_of_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
