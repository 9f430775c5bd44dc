/* SPDX-License-Identifier: Apache-2.0
 * Windows for backfill: so many processors for so long. Four nodes of two processors.
 */
#include "planned_fixture.h"

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

/* "6 for 200, 4 for ever". */
static const char *windows(
    struct world *w, struct plan *p, uint32_t partition, uint32_t access)
{
    const struct windows *all = plan_windows(p, partition, access);
    size_t len = 0;

    w->text[0] = '\0';
    for (size_t i = 0; i < all->n; i++) {
        const struct window *x = &all->v[i];
        len += (size_t)snprintf(w->text + len, sizeof w->text - len, "%s%lld for ",
            len ? ", " : "", (long long)x->procs);
        if (x->duration_s >= DURATION_UNLIMITED)
            len += (size_t)snprintf(w->text + len, sizeof w->text - len, "ever");
        else
            len += (size_t)snprintf(
                w->text + len, sizeof w->text - len, "%lld", (long long)x->duration_s);
    }
    return w->text;
}

static const char *windows_of_all(struct world *w, struct plan *p)
{
    return windows(w, p, world_find(w, "n1")->partition, PLAN_ACCESS_ANY);
}

static void an_idle_machine_is_one_window_for_ever(void **state)
{
    struct world *w;
    struct plan *p = plan_of_four(&w);

    (void)state;
    assert_string_equal(windows_of_all(w, p), "8 for ever"); /* no unit is known */
    plan_tasks(w, p, 1, 10);
    plan_changed(p);
    assert_string_equal(windows_of_all(w, p), "8 for ever");
    close_both(p, w);
}

/* Two processors are in use until 200; four of eight are reserved from 300 on. What
 * comes free later is in no window: they begin now. */
static void windows_end_where_what_is_reserved_begins(void **state)
{
    (void)state;
    for (int by_node = 0; by_node < 2; by_node++) {
        struct world *w;
        struct plan *p = plan_of_four(&w);
        plan_tasks(w, p, 1, 10);
        if (by_node)
            plan_job_queued(p,
                world_job(w, "john", (struct req_desc){.tasks = 1, .per_task = {{2}}}));
        assert_int_equal(plan_counts(p, 0), !by_node);
        plan_run_on(w, p, "n1", 2, 100);
        assert_string_equal(windows_of_all(w, p), "6 for ever");
        plan_reserve(p, plan_tasks(w, p, 4, 50), &(struct slot){300, 0});
        assert_string_equal(windows_of_all(w, p), "6 for 200, 4 for ever");
        plan_reserve(p, plan_tasks(w, p, 8, 50), &(struct slot){400, 0});
        assert_string_equal(windows_of_all(w, p), "6 for 200, 4 for 300, 0 for ever");
        close_both(p, w);
    }
}

static void the_next_window_is_longer_than_the_last(void **state)
{
    struct world *w;
    struct plan *p = plan_of_four(&w);
    struct window x = {0};

    (void)state;
    plan_reserve(p, plan_tasks(w, p, 3, 50), &(struct slot){300, 0});
    assert_true(plan_window(p, 0, PLAN_ACCESS_ANY, 0, &x));
    assert_int_equal(x.duration_s, 200);
    assert_int_equal(x.procs, 8);
    assert_true(plan_window(p, 0, PLAN_ACCESS_ANY, 199, &x));
    assert_int_equal(x.duration_s, 200);
    assert_true(plan_window(p, 0, PLAN_ACCESS_ANY, 200, &x));
    assert_true(x.duration_s >= DURATION_UNLIMITED);
    assert_int_equal(x.procs, 5);
    assert_false(plan_window(p, 0, PLAN_ACCESS_ANY, DURATION_UNLIMITED, &x));
    close_both(p, w);
}

/* n1 is reserved for nobody in [500, 900). */
static void what_is_closed_counts_for_who_is_not_let_in(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    (void)state;
    world_nodes(w, 4, 2);
    world_reserve(w, 0, 500, 900);
    struct plan *p = world_plan(w);
    struct job *j = plan_tasks(w, p, 1, 10);
    plan_changed(p);
    assert_string_equal(windows(w, p, 0, plan_access(p, j)), "8 for 400, 6 for ever");
    assert_string_equal(windows_of_all(w, p), "8 for ever");
    close_both(p, w);
}

static void partitions_have_windows_of_their_own(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    (void)state;
    world_node(w, (struct node_desc){.name = "n1", .cfg = {{1}}, .partition = "a"});
    world_node(w, (struct node_desc){.name = "n2", .cfg = {{3}}, .partition = "b"});
    struct plan *p = world_plan(w);
    uint32_t a = world_find(w, "n1")->partition, b = world_find(w, "n2")->partition;
    struct job *j = plan_tasks(w, p, 1, 50);
    plan_reserve(p, j, &(struct slot){300, b});
    assert_string_equal(windows(w, p, a, PLAN_ACCESS_ANY), "1 for ever");
    assert_string_equal(windows(w, p, b, PLAN_ACCESS_ANY), "3 for 200, 2 for ever");
    assert_string_equal(windows(w, p, a, PLAN_ACCESS_ANY), "1 for ever");
    close_both(p, w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_idle_machine_is_one_window_for_ever),
        cmocka_unit_test(windows_end_where_what_is_reserved_begins),
        cmocka_unit_test(the_next_window_is_longer_than_the_last),
        cmocka_unit_test(what_is_closed_counts_for_who_is_not_let_in),
        cmocka_unit_test(partitions_have_windows_of_their_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
