/* SPDX-License-Identifier: Apache-2.0
 * Suspended jobs: the memory they keep, and whether they can come back to their nodes.
 * Four nodes of two processors and 1000 MB. */
#include "planned_fixture.h"

#define ALONE  true  /* what is reserved for waiting jobs does not matter */
#define BEHIND false /* it does */

static struct plan *plan_of_four(struct world **ret_w)
{
    *ret_w = world_open(NODEALLOC_FIRSTAVAILABLE);
    for (int i = 1; i <= 4; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%d", i);
        world_node(*ret_w, (struct node_desc){.name = name, .cfg = {{2, 1000}}});
    }
    return world_plan(*ret_w);
}

static void close_both(struct plan *p, struct world *w)
{
    plan_check(p);
    plan_destroy(p);
    world_close(w);
}

/* Ran from 100 on for `ran_s` of its limit. */
static struct job *suspended_on(struct world *w, struct plan *p, const char *node,
    uint32_t tasks, int64_t limit_s, int64_t ran_s)
{
    struct job *j = plan_run_on(w, p, node, tasks, limit_s);
    struct err err;

    assert_int_equal(job_move(w->c, j, EV_STARTED, &err), 0);
    plan_job_stopping(p, j, NOW + ran_s);
    assert_int_equal(job_stop(w->c, j, EV_SUSPEND, NOW + ran_s, &err), 0);
    plan_begin(p, NOW + ran_s, RSV_KEEP);
    return j;
}

static void a_job_comes_back_to_nodes_that_are_free(void **state)
{
    struct world *w;
    struct plan *p = plan_of_four(&w);
    struct job *j = suspended_on(w, p, "n2", 2, 500, 100);

    (void)state;
    assert_true(plan_can_resume(p, j, BEHIND));
    assert_true(plan_can_resume(p, j, ALONE));
    close_both(p, w);
}

/* Six processors are free elsewhere. */
static void its_own_nodes_must_have_room(void **state)
{
    struct world *w;
    struct plan *p = plan_of_four(&w);
    struct job *j = suspended_on(w, p, "n2", 2, 500, 100);
    struct job *other = plan_tasks(w, p, 1, 50);
    struct alloc one = {.first = 1, .count = 1, .tasks = 1};
    struct err err;

    (void)state;
    vec_push(&other->alloc, one);
    assert_int_equal(job_start(w->c, other, NOW + 100, &err), 0);
    plan_job_started(p, other);
    assert_false(plan_can_resume(p, j, BEHIND));
    assert_false(plan_can_resume(p, j, ALONE));
    close_both(p, w);
}

static void a_job_of_no_nodes_or_of_a_lost_one_does_not_come_back(void **state)
{
    struct world *w;
    struct plan *p = plan_of_four(&w);
    struct job *j = suspended_on(w, p, "n2", 2, 500, 100);

    (void)state;
    assert_false(plan_can_resume(p, plan_tasks(w, p, 1, 50), ALONE));
    node_set_state(w->c, world_find(w, "n2"), NODE_DOWN, 300);
    plan_begin(p, 300, RSV_KEEP);
    assert_false(plan_can_resume(p, j, ALONE));
    close_both(p, w);
}

/* It has 400 s left of 500. All nodes are reserved from 700 on; it was 200 when it was
 * suspended. */
static void it_must_end_before_what_is_reserved_begins(void **state)
{
    struct world *w;
    struct plan *p = plan_of_four(&w);
    struct job *j = suspended_on(w, p, "n2", 2, 500, 100);

    (void)state;
    plan_reserve(p, plan_tasks(w, p, 8, 50), &(struct slot){700, 0});
    plan_begin(p, 300, RSV_KEEP);
    assert_true(plan_can_resume(p, j, BEHIND));
    plan_begin(p, 301, RSV_KEEP);
    assert_false(plan_can_resume(p, j, BEHIND));
    assert_true(plan_can_resume(p, j, ALONE));
    close_both(p, w);
}

static void what_reservations_leave_of_its_pool_is_enough(void **state)
{
    struct world *w;
    struct plan *p = plan_of_four(&w);
    struct job *j = suspended_on(w, p, "n2", 2, 500, 100);

    (void)state;
    plan_reserve(p, plan_tasks(w, p, 6, 50), &(struct slot){250, 0});
    assert_true(plan_can_resume(p, j, BEHIND));
    plan_reserve(p, plan_tasks(w, p, 1, 50), &(struct slot){250, 0});
    assert_false(plan_can_resume(p, j, BEHIND));
    close_both(p, w);
}

static void past_its_limit_it_needs_its_nodes_for_a_second(void **state)
{
    struct world *w;
    struct plan *p = plan_of_four(&w);
    struct job *j = suspended_on(w, p, "n2", 2, 500, 550);

    (void)state;
    plan_reserve(p, plan_tasks(w, p, 8, 50), &(struct slot){NOW + 551, 0});
    assert_true(plan_can_resume(p, j, BEHIND));
    plan_begin(p, NOW + 551, RSV_KEEP);
    assert_false(plan_can_resume(p, j, BEHIND));
    close_both(p, w);
}

/* ---- what it keeps ---- */

static struct job *with_memory(struct world *w, struct plan *p, int64_t mem_mb)
{
    struct job *j =
        world_job(w, "john", (struct req_desc){.tasks = 1, .per_task = {{2, mem_mb}}});

    j->wclimit_s = 500;
    plan_job_queued(p, j);
    return j;
}

static void suspend_now(struct world *w, struct plan *p, struct job *j)
{
    struct err err;

    assert_int_equal(job_move(w->c, j, EV_STARTED, &err), 0);
    plan_job_stopping(p, j, NOW);
    assert_int_equal(job_stop(w->c, j, EV_SUSPEND, NOW, &err), 0);
    plan_begin(p, NOW, RSV_KEEP);
}

/* 600 of 1000 MB stay with it on n1. */
static void memory_of_a_suspended_job_stays_with_it(void **state)
{
    struct world *w;
    struct plan *p = plan_of_four(&w);
    struct job *j = with_memory(w, p, 600);

    (void)state;
    assert_true(plan_start(w, p, j));
    suspend_now(w, p, j);
    assert_false(plan_counts(p, 0));
    assert_int_equal(plan_free_now(p, with_memory(w, p, 400), 0), 4);
    assert_int_equal(plan_free_now(p, with_memory(w, p, 401), 0), 3);
    assert_true(plan_can_resume(p, j, BEHIND)); /* its own is not in its way */
    close_both(p, w);
}

/* Nothing ends and nothing is reserved: it has all its 500 s left, and its memory is in
 * the way of who needs 600 MB of each node until it could be over. */
static void who_needs_that_memory_fits_once_the_job_could_be_over(void **state)
{
    struct world *w;
    struct plan *p = plan_of_four(&w);
    struct job *j = with_memory(w, p, 600), *wide;
    struct slot slot;

    (void)state;
    assert_true(plan_start(w, p, j));
    suspend_now(w, p, j);
    wide = world_job(w, "john", (struct req_desc){.tasks = 4, .per_task = {{2, 600}}});
    plan_job_queued(p, wide);
    assert_true(plan_first_fit(p, wide, NOW, &slot));
    assert_int_equal(slot.at, NOW + 500);
    close_both(p, w);
}

/* The same, asked for in two requests. */
static void so_does_who_asks_in_two_requests(void **state)
{
    struct world *w;
    struct plan *p = plan_of_four(&w);
    struct req_desc reqs[2] = {{.tasks = 3,
                                   .per_task = {{2, 600}},
                                   .access = ACCESS_SHARED,
                                   .nodealloc = NODEALLOC_UNSET},
        {.tasks = 1,
            .per_task = {{2, 600}},
            .access = ACCESS_SHARED,
            .nodealloc = NODEALLOC_UNSET}};
    const struct job_desc d = {.id = "two", .wclimit_s = 50, .reqs = reqs, .nreqs = 2};
    struct job *j = with_memory(w, p, 600), *wide;
    struct slot slot;
    struct err err;

    (void)state;
    assert_true(plan_start(w, p, j));
    suspend_now(w, p, j);
    assert_int_equal(job_add(w->c, &d, 1, &wide, &err), 0);
    plan_job_queued(p, wide);
    assert_true(plan_first_fit(p, wide, NOW, &slot));
    assert_int_equal(slot.at, NOW + 500);
    close_both(p, w);
}

static void without_memory_to_keep_counting_goes_on(void **state)
{
    struct world *w;
    struct plan *p = plan_of_four(&w);

    (void)state;
    suspended_on(w, p, "n2", 2, 500, 100);
    assert_true(plan_counts(p, 0));
    assert_int_equal(plan_free_now(p, plan_tasks(w, p, 1, 10), 0), 8);
    close_both(p, w);
}

static void a_reservation_on_its_node_is_in_its_way_unless_it_may_cross(void **state)
{
    struct world *w;
    struct plan *p = plan_of_four(&w);
    struct job *j = with_memory(w, p, 600);

    (void)state;
    assert_true(plan_start(w, p, j));
    suspend_now(w, p, j);
    struct job *wide = plan_tasks(w, p, 8, 50);
    plan_reserve(p, wide, &(struct slot){NOW + 100, 0}); /* node by node */
    assert_false(plan_can_resume(p, j, BEHIND));
    assert_true(plan_can_resume(p, j, ALONE));
    close_both(p, w);
}

/* ---- licences, which it does not keep ---- */

static struct job *licensed(
    struct world *w, struct plan *p, int64_t licences, int64_t limit_s)
{
    const struct gres_cfg gres[] = {{(char *)"lic", licences}, {NULL, 0}};
    struct job *j = world_job(
        w, "john", (struct req_desc){.tasks = 1, .per_task = {{1}}, .job_gres = gres});

    j->wclimit_s = limit_s;
    plan_job_queued(p, j);
    return j;
}

/* Two of three, for 400 s more. Three are reserved from 500 on. */
static void its_licences_must_be_free_until_it_ends(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    (void)state;
    vec_push(
        &settings_node(w->cfg, "GLOBAL")->gres, ((struct gres_cfg){xstrdup("lic"), 3}));
    world_nodes(w, 4, 2);
    struct plan *p = world_plan(w);
    struct job *j = licensed(w, p, 2, 400), *waits = licensed(w, p, 3, 50);
    assert_true(plan_start(w, p, j));
    suspend_now(w, p, j);
    assert_true(plan_can_resume(p, j, BEHIND));
    plan_reserve(p, waits, &(struct slot){499, 0});
    assert_false(plan_can_resume(p, j, BEHIND));
    assert_true(plan_can_resume(p, j, ALONE));
    plan_unreserve(p, waits);
    plan_reserve(p, waits, &(struct slot){500, 0});
    assert_true(plan_can_resume(p, j, BEHIND));
    close_both(p, w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_comes_back_to_nodes_that_are_free),
        cmocka_unit_test(its_own_nodes_must_have_room),
        cmocka_unit_test(a_job_of_no_nodes_or_of_a_lost_one_does_not_come_back),
        cmocka_unit_test(it_must_end_before_what_is_reserved_begins),
        cmocka_unit_test(what_reservations_leave_of_its_pool_is_enough),
        cmocka_unit_test(past_its_limit_it_needs_its_nodes_for_a_second),
        cmocka_unit_test(memory_of_a_suspended_job_stays_with_it),
        cmocka_unit_test(who_needs_that_memory_fits_once_the_job_could_be_over),
        cmocka_unit_test(so_does_who_asks_in_two_requests),
        cmocka_unit_test(without_memory_to_keep_counting_goes_on),
        cmocka_unit_test(a_reservation_on_its_node_is_in_its_way_unless_it_may_cross),
        cmocka_unit_test(its_licences_must_be_free_until_it_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
