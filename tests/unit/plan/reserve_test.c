/* SPDX-License-Identifier: Apache-2.0
 * Which pools reservations take their units of. Seen in what others may still have, and
 * in where reservations are foreseen. */
#include "config/acltext.h"
#include "planned_fixture.h"

static const char *const ib[] = {"ib", NULL};

/* n1 to n4 of one processor: n1 and n2 have the feature ib, which somebody asks for, so
 * that two requests can use these, and one n3 and n4. */
static struct world *world_of_kinds(void)
{
    static const char *const names[] = {"n1", "n2", "n3", "n4"};
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    for (int i = 0; i < 4; i++)
        world_node(
            w, (struct node_desc){
                   .name = names[i], .cfg = {{1}}, .features = i < 2 ? ib : NULL});
    world_job(
        w, "john", (struct req_desc){.tasks = 1, .per_task = {{1}}, .features = ib});
    return w;
}

static struct job *of_ib(
    struct world *w, struct plan *p, uint32_t tasks, int64_t limit_s)
{
    struct job *j = world_job(w, "john",
        (struct req_desc){.tasks = tasks, .per_task = {{1}}, .features = ib});

    j->wclimit_s = limit_s;
    plan_job_queued(p, j);
    return j;
}

static const char *reserve_at(
    struct world *w, struct plan *p, struct job *j, int64_t at)
{
    plan_reserve(p, j, &(struct slot){at, 0});
    return plan_where(w, p, j);
}

static int64_t first_fit(struct plan *p, const struct job *j)
{
    struct slot slot;

    return plan_first_fit(p, j, NOW, &slot) ? slot.at : TIME_NEVER;
}

static void close_both(struct plan *p, struct world *w)
{
    plan_check(p);
    plan_destroy(p);
    world_close(w);
}

static void units_are_taken_for_its_interval_alone(void **state)
{
    struct world *w = world_of_kinds();
    struct plan *p = world_plan(w);

    (void)state;
    reserve_at(w, p, plan_tasks(w, p, 3, 100), 500);
    assert_int_equal(first_fit(p, plan_tasks(w, p, 2, 400)), NOW);
    assert_int_equal(first_fit(p, plan_tasks(w, p, 2, 401)), 600);
    assert_int_equal(first_fit(p, plan_tasks(w, p, 1, 5000)), NOW);
    close_both(p, w);
}

static void what_comes_free_later_is_taken_before_what_is_free_now(void **state)
{
    struct world *w = world_of_kinds();
    struct plan *p = world_plan(w);

    (void)state;
    plan_run_on(w, p, "n1", 1, 400); /* of ib, which is asked for more often */
    assert_string_equal(reserve_at(w, p, plan_tasks(w, p, 1, 100), 500), "n1:1");
    assert_int_equal(first_fit(p, plan_tasks(w, p, 3, 5000)), NOW);
    close_both(p, w);
}

static void nodes_that_the_fewest_requests_can_use_are_taken_first(void **state)
{
    struct world *w = world_of_kinds();
    struct plan *p = world_plan(w);

    (void)state;
    assert_string_equal(reserve_at(w, p, plan_tasks(w, p, 1, 100), NOW), "n3:1");
    assert_string_equal(reserve_at(w, p, plan_tasks(w, p, 2, 100), NOW), "n1:1 n4:1");
    assert_int_equal(first_fit(p, of_ib(w, p, 1, 10)), NOW);
    assert_int_equal(first_fit(p, of_ib(w, p, 2, 10)), NOW + 100);
    close_both(p, w);
}

/* Which of several pools gives how much is found by what each has throughout. */
static void each_pool_gives_no_more_than_it_has_throughout(void **state)
{
    struct world *w = world_of_kinds();
    struct plan *p = world_plan(w);

    (void)state;
    reserve_at(w, p, of_ib(w, p, 1, 100), 300); /* one of n1, n2 from 300 to 400 */
    assert_string_equal(
        reserve_at(w, p, plan_tasks(w, p, 3, 300), 200), "n1:1 n3:1 n4:1");
    assert_int_equal(first_fit(p, of_ib(w, p, 1, 200)), NOW);
    assert_int_equal(first_fit(p, of_ib(w, p, 1, 201)), 400);
    close_both(p, w);
}

static void a_reservation_that_is_taken_back_leaves_nothing_behind(void **state)
{
    struct world *w = world_of_kinds();
    struct plan *p = world_plan(w);
    struct job *all = plan_tasks(w, p, 4, 1000), *j = plan_tasks(w, p, 4, 1000);

    (void)state;
    for (int i = 0; i < 3; i++) {
        reserve_at(w, p, all, NOW + i);
        assert_int_equal(first_fit(p, j), NOW + i + 1000);
        plan_unreserve(p, all);
        assert_int_equal(first_fit(p, j), NOW);
    }
    assert_int_equal(plan_reserved_at(p, all), NOW + 2); /* it is owed one */
    close_both(p, w);
}

static void those_forgotten_at_the_end_of_an_offering_leave_nothing_behind(void **state)
{
    struct world *w = world_of_kinds();
    struct plan *p = world_plan(w);
    struct job *one = plan_tasks(w, p, 1, 1000), *three = plan_tasks(w, p, 3, 1000);

    (void)state;
    reserve_at(w, p, one, 500);
    reserve_at(w, p, three, 500);
    plan_begin(p, NOW, RSV_REPLAN);
    assert_true(plan_confirm(p, one));
    plan_confirm_rest(p);
    assert_int_equal(first_fit(p, plan_tasks(w, p, 3, 1000)), NOW);
    assert_int_equal(first_fit(p, plan_tasks(w, p, 4, 1000)), 1500);
    close_both(p, w);
}

/* ---- a start that was reserved ---- */

static void one_that_makes_way_gives_its_units_to_its_start(void **state)
{
    struct world *w = world_of_kinds();
    struct plan *p = world_plan(w);
    struct job *j = plan_tasks(w, p, 2, 1000);

    (void)state;
    reserve_at(w, p, j, NOW);
    assert_int_equal(plan_free_now(p, plan_tasks(w, p, 1, 10), 0), 2);
    plan_make_way(p, j);
    assert_int_equal(plan_free_now(p, plan_tasks(w, p, 1, 10), 0), 4);
    assert_true(plan_start(w, p, j));
    assert_int_equal(plan_free_now(p, plan_tasks(w, p, 1, 10), 0), 2);
    assert_false(plan_is_reserved(p, j));
    close_both(p, w);
}

/* Planned on n3 or n4, it starts on that node. Who is reserved after it. */
static struct job *start_reserved(struct world *w, struct plan *p, const char *node)
{
    struct job *j = plan_tasks(w, p, 1, 1000), *later = of_ib(w, p, 1, 100);
    struct alloc one = {.first = world_find(w, node)->index, .count = 1, .tasks = 1};
    struct err err;

    assert_string_equal(reserve_at(w, p, j, NOW), "n3:1");
    reserve_at(w, p, later, 500);
    plan_make_way(p, j);
    vec_push(&j->alloc, one);
    assert_int_equal(job_start(w->c, j, NOW, &err), 0);
    plan_job_started(p, j);
    plan_begin(p, NOW + 1, RSV_REPLAN);
    return later;
}

static void a_start_where_it_was_planned_leaves_others_as_they_are(void **state)
{
    struct world *w = world_of_kinds();
    struct plan *p = world_plan(w);

    (void)state;
    assert_true(plan_confirm(p, start_reserved(w, p, "n4"))); /* of the same pool */
    close_both(p, w);
}

static void a_start_in_another_pool_has_others_planned_anew(void **state)
{
    struct world *w = world_of_kinds();
    struct plan *p = world_plan(w);

    (void)state;
    assert_false(plan_confirm(p, start_reserved(w, p, "n1")));
    close_both(p, w);
}

/* ---- nodes under reservations of other kinds ---- */

/* On n<first> ... of four nodes, for john, [0, 1000). */
static void reserve_for_john(
    struct world *w, const char *mark, uint32_t first, uint32_t count)
{
    struct reservation draft = reservation_draft(RSV_ADMIN), *r;
    struct allocs nodes = {0};
    struct err err;
    char list[16];

    snprintf(list, sizeof list, "john%s", mark);
    draft.base = xstrdup("r");
    draft.end_at = 1000;
    assert_int_equal(acltext_parse(ACL_USER, list, &draft.acl, &err), 0);
    assert_int_equal(reservation_add(w->c, &draft, 0, &r, &err), 0);
    vec_push(&nodes, ((struct alloc){first, count, 1, 0}));
    reservation_set_nodes(w->c, r, &nodes);
}

static struct world *world_for_john(const char *mark, uint32_t first, uint32_t count)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    world_nodes(w, 4, 1);
    reserve_for_john(w, mark, first, count);
    return w;
}

static void nodes_of_positive_affinity_come_first(void **state)
{
    struct world *w = world_for_john("+", 2, 2);
    struct plan *p = world_plan(w);

    (void)state;
    assert_string_equal(
        reserve_at(w, p, plan_tasks(w, p, 3, 10), NOW), "n1:1 n3:1 n4:1");
    close_both(p, w);
}

static void neutral_ones_come_before_those_without_a_grant(void **state)
{
    struct world *w = world_for_john("=", 3, 1);
    struct plan *p = world_plan(w);

    (void)state;
    assert_string_equal(reserve_at(w, p, plan_tasks(w, p, 2, 10), NOW), "n1:1 n4:1");
    close_both(p, w);
}

static void negative_ones_come_last(void **state)
{
    struct world *w = world_for_john("-", 0, 3);
    struct plan *p = world_plan(w);

    (void)state;
    assert_string_equal(reserve_at(w, p, plan_tasks(w, p, 2, 10), NOW), "n1:1 n4:1");
    close_both(p, w);
}

static void nodes_closed_meanwhile_give_nothing(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    (void)state;
    world_nodes(w, 4, 1);
    world_reserve(w, 0, 500, 900);
    struct plan *p = world_plan(w);
    struct job *j = plan_tasks(w, p, 2, 100);
    assert_string_equal(reserve_at(w, p, j, 400), "n1:1 n2:1");
    plan_unreserve(p, j);
    assert_string_equal(reserve_at(w, p, j, 401), "n2:1 n3:1");
    close_both(p, w);
}

/* n1 to n17 are closed in [500, 900) and pools of their own until then; from 900 on all
 * twenty nodes are one. Who begins before that and ends later has units of both. */
static void units_after_the_closures_are_of_all_nodes_together(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    (void)state;
    world_nodes(w, 20, 1);
    for (uint32_t i = 0; i < 17; i++)
        world_reserve(w, i, 500, 900);
    struct plan *p = world_plan(w);
    assert_string_equal(reserve_at(w, p, plan_tasks(w, p, 2, 600), 700), "n18:1 n19:1");
    assert_int_equal(first_fit(p, plan_tasks(w, p, 18, 500)), 900);
    assert_int_equal(first_fit(p, plan_tasks(w, p, 19, 500)), 1300);
    reserve_at(w, p, plan_tasks(w, p, 18, 400), 900);
    assert_int_equal(first_fit(p, plan_tasks(w, p, 1, 801)), 1300);
    assert_int_equal(first_fit(p, plan_tasks(w, p, 1, 800)), NOW); /* n20 until 900 */
    close_both(p, w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_are_taken_for_its_interval_alone),
        cmocka_unit_test(what_comes_free_later_is_taken_before_what_is_free_now),
        cmocka_unit_test(nodes_that_the_fewest_requests_can_use_are_taken_first),
        cmocka_unit_test(each_pool_gives_no_more_than_it_has_throughout),
        cmocka_unit_test(a_reservation_that_is_taken_back_leaves_nothing_behind),
        cmocka_unit_test(
            those_forgotten_at_the_end_of_an_offering_leave_nothing_behind),
        cmocka_unit_test(one_that_makes_way_gives_its_units_to_its_start),
        cmocka_unit_test(a_start_where_it_was_planned_leaves_others_as_they_are),
        cmocka_unit_test(a_start_in_another_pool_has_others_planned_anew),
        cmocka_unit_test(nodes_of_positive_affinity_come_first),
        cmocka_unit_test(neutral_ones_come_before_those_without_a_grant),
        cmocka_unit_test(negative_ones_come_last),
        cmocka_unit_test(nodes_closed_meanwhile_give_nothing),
        cmocka_unit_test(units_after_the_closures_are_of_all_nodes_together),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
