/* SPDX-License-Identifier: Apache-2.0
 * Nodes of counted pools for a job that starts now. */
#include "plan/counted/place.h"
#include "planned_fixture.h"

static const char *place(struct world *w, struct plan *p, uint32_t tasks, int64_t limit)
{
    struct job *j = plan_tasks(w, p, tasks, limit);
    struct allocs got = {0};
    enum wait_code code;

    if (plan_place_now(p, j, 0, &got, &code) == 0)
        world_text(w, &got);
    else
        w->text[0] = '\0';
    vec_fini(&got);
    return w->text;
}

static struct plan *plan_of_four(enum nodealloc_policy policy, struct world **ret_w)
{
    *ret_w = world_open(policy);
    world_nodes(*ret_w, 4, 2);
    return world_plan(*ret_w);
}

static void close_both(struct plan *p, struct world *w)
{
    plan_destroy(p);
    world_close(w);
}

static void nodes_are_taken_in_the_order_of_the_policy(void **state)
{
    struct world *w;
    struct plan *p = plan_of_four(NODEALLOC_FIRSTAVAILABLE, &w);

    (void)state;
    assert_string_equal(place(w, p, 3, 10), "n1:2 n2:1");
    assert_string_equal(place(w, p, 9, 10), "");
    close_both(p, w);
    p = plan_of_four(NODEALLOC_LASTAVAILABLE, &w);
    assert_string_equal(place(w, p, 3, 10), "n4:2 n3:1");
    close_both(p, w);
}

static void nodes_that_are_partly_taken_give_the_rest(void **state)
{
    struct world *w;
    struct plan *p = plan_of_four(NODEALLOC_FIRSTAVAILABLE, &w);

    (void)state;
    assert_true(plan_start(w, p, plan_tasks(w, p, 3, 1000)));
    assert_string_equal(place(w, p, 3, 10), "n2:1 n3:2");
    close_both(p, w);
}

static void what_a_reservation_needs_is_left_to_it(void **state)
{
    struct world *w;
    struct plan *p = plan_of_four(NODEALLOC_FIRSTAVAILABLE, &w);

    (void)state;
    assert_true(plan_start(w, p, plan_tasks(w, p, 3, 1000)));
    assert_int_equal(plan_reserve_first(p, plan_tasks(w, p, 7, 500)), NOW + 1000);
    assert_string_equal(place(w, p, 5, 1000), "n2:1 n3:2 n4:2");
    assert_string_equal(place(w, p, 2, 1001), "");
    assert_string_equal(place(w, p, 1, 1001), "n2:1");
    close_both(p, w);
}

/* n1 is reserved for nobody from 500 on. */
static void a_node_that_closes_too_soon_is_passed(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    (void)state;
    world_nodes(w, 4, 2);
    world_reserve(w, 0, 500, 900);
    struct plan *p = world_plan(w);
    assert_string_equal(place(w, p, 3, 400), "n1:2 n2:1");
    assert_string_equal(place(w, p, 3, 401), "n2:2 n3:1");
    assert_string_equal(place(w, p, 7, 401), "");
    close_both(p, w);
}

static void candidates_are_what_reservations_leave(void **state)
{
    struct world *w;
    struct plan *p = plan_of_four(NODEALLOC_FIRSTAVAILABLE, &w);
    struct cand_list cands = {0};

    (void)state;
    assert_true(plan_start(w, p, plan_tasks(w, p, 3, 1000)));
    struct job *j = plan_tasks(w, p, 2, 10);
    place_collect_counted(p->counted, j, fits_for(p->fits, j, 0), NOW + 10, &cands);
    assert_int_equal(cands.n, 3); /* n2 to n4 */
    assert_int_equal(cands.v[0].node, 1);
    assert_int_equal(cands.v[0].tasks, 1);
    assert_int_equal(cands.v[2].tasks, 2);
    vec_fini(&cands);
    close_both(p, w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_are_taken_in_the_order_of_the_policy),
        cmocka_unit_test(nodes_that_are_partly_taken_give_the_rest),
        cmocka_unit_test(what_a_reservation_needs_is_left_to_it),
        cmocka_unit_test(a_node_that_closes_too_soon_is_passed),
        cmocka_unit_test(candidates_are_what_reservations_leave),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
