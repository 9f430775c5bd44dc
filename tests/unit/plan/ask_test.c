/* SPDX-License-Identifier: Apache-2.0
 * What displays ask the plan about single nodes: how much of each is free, and how
 * long; in which unit pools are counted; what a node can give to a reservation, and
 * when that may be more. Four nodes of two processors. */
#include "planned_fixture.h"

#include <time.h>

static struct plan *plan_of_four(struct world **ret_w)
{
    *ret_w = world_open(NODEALLOC_FIRSTAVAILABLE);
    world_nodes(*ret_w, 4, 2);
    return world_plan(*ret_w);
}

static void close_both(struct plan *p, struct world *w)
{
    plan_check(p);
    plan_destroy(p);
    world_close(w);
}

static void note_free(void *ctx, const struct plan_free *f)
{
    struct world *w = ctx;
    size_t len = strlen(w->text);

    len += (size_t)snprintf(w->text + len, sizeof w->text - len, "%s%s:%u",
        len ? " " : "", f->node->name, f->tasks);
    if (f->until < TIME_NEVER)
        len += (size_t)snprintf(
            w->text + len, sizeof w->text - len, "<%lld", (long long)f->until);
    if (f->some_until < TIME_NEVER)
        snprintf(
            w->text + len, sizeof w->text - len, "/%lld", (long long)f->some_until);
}

/* "n1:2<300/400": two tasks until 300, one of them until 400. */
static const char *free_nodes(struct world *w, struct plan *p, const struct job *j)
{
    w->text[0] = '\0';
    plan_free_nodes(p, j, 0, w, note_free);
    return w->text;
}

static struct job *of_procs(struct world *w, struct plan *p, int64_t procs)
{
    struct job *j =
        world_job(w, "john", (struct req_desc){.tasks = 1, .per_task = {{procs}}});

    plan_job_queued(p, j);
    return j;
}

static void a_node_is_free_but_for_what_runs_on_it(void **state)
{
    struct world *w;
    struct plan *p = plan_of_four(&w);

    (void)state;
    struct job *j = plan_tasks(w, p, 1, 10);
    plan_run_on(w, p, "n2", 1, 500);
    plan_run_on(w, p, "n3", 2, 500);
    assert_string_equal(free_nodes(w, p, j), "n1:2 n2:1 n4:2");
    close_both(p, w);
}

/* Five of eight units are reserved from 300 on: the first node keeps both of its tasks,
 * the second one of them, the others none. */
static void units_of_a_reservation_are_missing_on_the_last_nodes(void **state)
{
    struct world *w;
    struct plan *p = plan_of_four(&w);

    (void)state;
    struct job *j = plan_tasks(w, p, 1, 10);
    plan_reserve(p, plan_tasks(w, p, 5, 100), &(struct slot){300, 0});
    assert_string_equal(free_nodes(w, p, j), "n1:2 n2:2<300 n3:2<300/300 n4:2<300/300");
    close_both(p, w);
}

static void what_is_pinned_is_missing_on_its_node_from_then_on(void **state)
{
    struct world *w;
    struct plan *p = plan_of_four(&w);

    (void)state;
    struct job *j = plan_tasks(w, p, 1, 10), *wide = of_procs(w, p, 2);
    assert_false(plan_counts(p, 0));
    plan_reserve(p, wide, &(struct slot){300, 0});
    assert_string_equal(plan_where(w, p, wide), "n1:1");
    assert_string_equal(free_nodes(w, p, j), "n1:2<300/300 n2:2 n3:2 n4:2");
    close_both(p, w);
}

static void nodes_that_are_reserved_now_are_not_shown(void **state)
{
    struct world *w;
    struct plan *p = plan_of_four(&w);

    (void)state;
    struct job *j = plan_tasks(w, p, 1, 10);
    plan_reserve(p, plan_tasks(w, p, 6, 100), &(struct slot){NOW, 0});
    assert_string_equal(free_nodes(w, p, j), "n1:2");
    close_both(p, w);
}

static void a_node_takes_what_is_there_for_the_whole_limit(void **state)
{
    struct world *w;
    struct plan *p = plan_of_four(&w);
    const struct node *n2 = world_find(w, "n2");

    (void)state;
    struct job *j = plan_tasks(w, p, 1, 1000), *wide = of_procs(w, p, 2);
    assert_int_equal(plan_tasks_on(p, j, 0, n2), 2);
    assert_int_equal(plan_tasks_on(p, wide, 0, n2), 1);
    plan_run_on(w, p, "n2", 1, 10); /* it will be over: now counts */
    assert_int_equal(plan_tasks_on(p, j, 0, n2), 1);
    assert_int_equal(plan_tasks_on(p, wide, 0, n2), 0);
    close_both(p, w);
}

static void what_waiting_jobs_have_reserved_is_looked_through(void **state)
{
    struct world *w;
    struct plan *p = plan_of_four(&w);

    (void)state;
    struct job *j = plan_tasks(w, p, 1, 1000), *wide = of_procs(w, p, 2);
    plan_reserve(p, wide, &(struct slot){300, 0});
    assert_int_equal(plan_tasks_on(p, j, 0, world_find(w, "n1")), 2);
    close_both(p, w);
}

/* A reservation of another kind begins at 600: too soon for a limit of 1000 s at speed
 * 1, not at speed 2.5. */
static void a_fast_node_is_asked_for_less_time(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    (void)state;
    w->par->use_machine_speed = true;
    world_nodes(w, 2, 2);
    world_find(w, "n2")->speed = 2.5;
    for (uint32_t i = 0; i < 2; i++)
        world_reserve(w, i, 600, 700);
    for (uint32_t i = 0; i < 2; i++) /* half of it, so that nodes are asked */
        w->c->reservations.v[i]->def.per_task = (struct res){{1}};
    struct plan *p = world_plan(w);
    struct job *j = plan_tasks(w, p, 1, 1000);
    assert_int_equal(plan_tasks_on(p, j, 0, world_find(w, "n1")), 1);
    assert_int_equal(plan_tasks_on(p, j, 0, world_find(w, "n2")), 2);
    close_both(p, w);
}

static void the_unit_is_that_of_the_largest_counted_pool(void **state)
{
    struct world *w;
    struct plan *p = plan_of_four(&w);

    (void)state;
    assert_int_equal(plan_unit(p, 0), 0);
    of_procs(w, p, 2);
    assert_int_equal(plan_unit(p, 0), 2);
    assert_int_equal(plan_unit(p, 1), 0); /* no such partition */
    plan_tasks(w, p, 1, 10);
    assert_int_equal(plan_unit(p, 0), 0); /* not counted any more */
    close_both(p, w);
}

static void there_may_be_more_when_the_next_thing_ends(void **state)
{
    struct world *w;
    struct plan *p = plan_of_four(&w);

    (void)state;
    assert_int_equal(plan_rsv_next(p, NOW), TIME_NEVER);
    plan_run_on(w, p, "n1", 1, 500);
    assert_int_equal(plan_rsv_next(p, NOW), NOW + 500);
    plan_reserve(p, plan_tasks(w, p, 1, 50), &(struct slot){300, 0});
    assert_int_equal(plan_rsv_next(p, NOW), 350);
    world_reserve(w, 3, 200, 320);
    assert_int_equal(plan_rsv_next(p, NOW), 320);
    assert_int_equal(plan_rsv_next(p, 320), 350);
    assert_int_equal(plan_rsv_next(p, 350), NOW + 500);
    assert_int_equal(plan_rsv_next(p, NOW + 500), TIME_NEVER);
    close_both(p, w);
}

/* ---- is it possible at all ---- */

#define MANY 1000

/* Of each of many nodes something else is reserved, so each is a pool. */
static struct plan *many_pools(struct world *w)
{
    char name[16];

    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "n%04d", i);
        world_node(w, (struct node_desc){.name = name, .cfg = {{4}}});
    }
    for (uint32_t i = 0; i < MANY; i++)
        world_reserve(w, i, NOW + 1000 + 10 * i, NOW + 1500 + 10 * i);
    return world_plan(w);
}

/* In ns of the processor, of the quickest of some turns. */
static int64_t time_to_ask(struct plan *p, const struct job *j)
{
    int64_t best = INT64_MAX;
    struct timespec begin, end;
    struct reason why;

    for (int turn = 0; turn < 20; turn++) {
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
        for (int i = 0; i < 1000; i++)
            assert_true(plan_possible(p, j, &why));
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
        int64_t ns = (end.tv_sec - begin.tv_sec) * INT64_C(1000000000) + end.tv_nsec
                     - begin.tv_nsec;
        best = ns < best ? ns : best;
    }
    return best;
}

/* A cycle behind a new reservation asks it of each job: with a thousand reservations
 * that was a thousand looks for each. */
static void whether_it_is_possible_is_not_asked_pool_by_pool(void **state)
{
    struct world *few = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct world *many = world_open(NODEALLOC_FIRSTAVAILABLE);

    (void)state;
    world_node(few, (struct node_desc){.name = "n1", .cfg = {{4}}});
    struct plan *one = world_plan(few), *all = many_pools(many);
    assert_int_equal(pools_count(one->pools), 1);
    assert_int_equal(pools_count(all->pools), MANY);
    int64_t base = time_to_ask(one, plan_tasks(few, one, 2, 100));
    assert_true(time_to_ask(all, plan_tasks(many, all, 2 * MANY, 100)) < 20 * base);
    plan_destroy(one);
    world_close(few);
    plan_destroy(all);
    world_close(many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_is_free_but_for_what_runs_on_it),
        cmocka_unit_test(whether_it_is_possible_is_not_asked_pool_by_pool),
        cmocka_unit_test(units_of_a_reservation_are_missing_on_the_last_nodes),
        cmocka_unit_test(what_is_pinned_is_missing_on_its_node_from_then_on),
        cmocka_unit_test(nodes_that_are_reserved_now_are_not_shown),
        cmocka_unit_test(a_node_takes_what_is_there_for_the_whole_limit),
        cmocka_unit_test(what_waiting_jobs_have_reserved_is_looked_through),
        cmocka_unit_test(a_fast_node_is_asked_for_less_time),
        cmocka_unit_test(the_unit_is_that_of_the_largest_counted_pool),
        cmocka_unit_test(there_may_be_more_when_the_next_thing_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
