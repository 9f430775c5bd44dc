/* SPDX-License-Identifier: Apache-2.0
 * Whether reservations of waiting jobs still hold: what is seen of the cluster, and
 * what a cycle then does with them. */
#include "plan/reservations/validity.h"
#include "planned_fixture.h"

/* ---- epochs ---- */

static struct world *world_seen(struct validity *v)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    world_nodes(w, 2, 1);
    *v = (struct validity){0};
    validity_begin(v, w->c);
    return w;
}

static void a_world_that_is_as_seen_has_not_changed(void **state)
{
    struct validity v;
    struct world *w = world_seen(&v);

    (void)state;
    assert_false(validity_world_changed(&v, w->c));
    world_close(w);
}

static void nodes_settings_and_moves_of_reservations_change_the_world(void **state)
{
    struct validity v;
    struct world *w = world_seen(&v);
    uint64_t *epochs[] = {&w->c->node_epoch, &w->c->config_epoch, &w->c->rsv_moves};

    (void)state;
    for (size_t i = 0; i < sizeof epochs / sizeof *epochs; i++) {
        ++*epochs[i];
        assert_true(validity_world_changed(&v, w->c));
        validity_begin(&v, w->c);
        assert_false(validity_world_changed(&v, w->c));
    }
    world_close(w);
}

static void a_node_that_is_less_busy_makes_them_distrusted_and_no_more(void **state)
{
    struct validity v;
    struct world *w = world_seen(&v);

    (void)state;
    validity_begin(&v, w->c);
    v.distrusted = false;
    w->c->relief_epoch++;
    assert_false(validity_world_changed(&v, w->c));
    validity_begin(&v, w->c);
    assert_true(v.distrusted);
    v.distrusted = false; /* as the cycle does that planned anew */
    validity_begin(&v, w->c);
    assert_false(v.distrusted);
    world_close(w);
}

static void distrust_lasts_until_somebody_ends_it(void **state)
{
    struct validity v;
    struct world *w = world_seen(&v);

    (void)state;
    v.distrusted = true;
    validity_begin(&v, w->c);
    assert_true(v.distrusted);
    world_close(w);
}

static void a_cycle_is_quiet_when_nothing_came_free_before_it(void **state)
{
    struct validity v;
    struct world *w = world_seen(&v);

    (void)state;
    validity_begin(&v, w->c);
    assert_true(v.quiet);
    v.released = true;
    validity_begin(&v, w->c);
    assert_false(v.quiet);
    assert_false(v.released);
    validity_begin(&v, w->c);
    assert_true(v.quiet);
    w->c->rsv_epoch++; /* one of another kind has ended, in due time */
    assert_false(validity_world_changed(&v, w->c));
    validity_begin(&v, w->c);
    assert_false(v.quiet);
    world_close(w);
}

static void none_are_confirmed_when_a_cycle_begins(void **state)
{
    struct validity v;
    struct world *w = world_seen(&v);

    (void)state;
    v.confirmed = 7;
    validity_begin(&v, w->c);
    assert_int_equal(v.confirmed, 0);
    world_close(w);
}

/* ---- what a cycle does with them ---- */

struct cycles {
    struct world *w;
    struct plan *p;
    struct job *runs, *first, *second;
};

/* On two nodes a job runs until 1100; two wait for both, and are reserved at 1100 and
 * 1200. */
static struct cycles two_reserved(void)
{
    struct cycles s = {.w = world_open(NODEALLOC_FIRSTAVAILABLE)};

    world_nodes(s.w, 2, 1);
    s.p = world_plan(s.w);
    s.runs = plan_tasks(s.w, s.p, 1, 1000);
    s.first = plan_tasks(s.w, s.p, 2, 100);
    s.second = plan_tasks(s.w, s.p, 2, 100);
    assert_true(plan_start(s.w, s.p, s.runs));
    assert_int_equal(plan_reserve_first(s.p, s.first), 1100);
    assert_int_equal(plan_reserve_first(s.p, s.second), 1200);
    return s;
}

static void end_at(struct cycles *s, int64_t at)
{
    struct err err;

    plan_job_stopping(s->p, s->runs, at);
    assert_int_equal(job_stop(s->w->c, s->runs, EV_COMPLETE, at, &err), 0);
}

static void cycles_close(struct cycles *s)
{
    plan_check(s->p);
    plan_destroy(s->p);
    world_close(s->w);
}

static void all_stand_while_nothing_but_time_passes(void **state)
{
    struct cycles s = two_reserved();

    (void)state;
    plan_begin(s.p, 150, RSV_REPLAN);
    assert_true(plan_confirm_all(s.p));
    plan_begin(s.p, 1099, RSV_REPLAN);
    assert_true(plan_confirm_all(s.p));
    plan_confirm_rest(s.p);
    assert_int_equal(plan_reserved_at(s.p, s.second), 1200);
    cycles_close(&s);
}

static void not_all_stand_once_one_is_due(void **state)
{
    struct cycles s = two_reserved();

    (void)state;
    plan_begin(s.p, 1100, RSV_REPLAN);
    assert_false(plan_confirm_all(s.p));
    cycles_close(&s);
}

static void after_an_end_at_the_limit_they_stand_in_order(void **state)
{
    struct cycles s = two_reserved();

    (void)state;
    end_at(&s, 1100);
    plan_begin(s.p, 1100, RSV_REPLAN);
    assert_false(plan_confirm_all(s.p));
    assert_true(plan_confirm(s.p, s.first));
    assert_true(plan_confirm(s.p, s.second));
    assert_int_equal(plan_reserved_at(s.p, s.second), 1200);
    cycles_close(&s);
}

static void another_order_of_jobs_forgets_from_there_on(void **state)
{
    struct cycles s = two_reserved();
    struct slot slot;

    (void)state;
    plan_begin(s.p, 150, RSV_REPLAN);
    assert_false(plan_confirm(s.p, s.second));
    assert_false(plan_is_reserved(s.p, s.first));
    assert_false(plan_is_reserved(s.p, s.second));
    assert_true(plan_first_fit(s.p, s.second, 150, &slot));
    assert_int_equal(slot.at, 1100);
    cycles_close(&s);
}

static void who_was_not_offered_loses_what_it_had(void **state)
{
    struct cycles s = two_reserved();

    (void)state;
    plan_begin(s.p, 150, RSV_REPLAN);
    assert_true(plan_confirm(s.p, s.first));
    plan_confirm_rest(s.p);
    assert_int_equal(plan_reserved_at(s.p, s.first), 1100);
    assert_false(plan_is_reserved(s.p, s.second));
    cycles_close(&s);
}

static void after_an_early_end_they_are_planned_anew(void **state)
{
    struct cycles s = two_reserved();
    struct slot slot;

    (void)state;
    end_at(&s, 500);
    plan_begin(s.p, 500, RSV_REPLAN);
    assert_false(plan_confirm(s.p, s.first));
    assert_true(plan_first_fit(s.p, s.first, 500, &slot));
    assert_int_equal(slot.at, 500);
    cycles_close(&s);
}

static void those_that_are_kept_stay_where_they_are_after_an_early_end(void **state)
{
    struct cycles s = two_reserved();

    (void)state;
    end_at(&s, 500);
    plan_begin(s.p, 500, RSV_KEEP);
    assert_int_equal(plan_reserved_at(s.p, s.first), 1100);
    assert_int_equal(plan_reserved_at(s.p, s.second), 1200);
    cycles_close(&s);
}

static void a_node_that_goes_leaves_kept_ones_owed(void **state)
{
    struct cycles s = two_reserved();

    (void)state;
    node_set_state(s.w->c, node_find(s.w->c, "n2"), NODE_DOWN, 200);
    plan_begin(s.p, 200, RSV_KEEP);
    assert_false(plan_is_reserved(s.p, s.first));
    assert_int_equal(plan_reserved_at(s.p, s.first), 1100); /* where it was */
    cycles_close(&s);
}

/* Between two cycles they are as soon after their instants as there is room. */
static void between_cycles_they_move_no_earlier(void **state)
{
    struct cycles s = two_reserved();

    (void)state;
    world_node(s.w, (struct node_desc){.name = "n3", .cfg = {{1}}});
    plan_begin(s.p, 200, RSV_STAY);
    assert_int_equal(plan_reserved_at(s.p, s.first), 1100); /* 200 would do */
    assert_int_equal(plan_reserved_at(s.p, s.second), 1200);
    cycles_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_world_that_is_as_seen_has_not_changed),
        cmocka_unit_test(nodes_settings_and_moves_of_reservations_change_the_world),
        cmocka_unit_test(a_node_that_is_less_busy_makes_them_distrusted_and_no_more),
        cmocka_unit_test(distrust_lasts_until_somebody_ends_it),
        cmocka_unit_test(a_cycle_is_quiet_when_nothing_came_free_before_it),
        cmocka_unit_test(none_are_confirmed_when_a_cycle_begins),
        cmocka_unit_test(all_stand_while_nothing_but_time_passes),
        cmocka_unit_test(not_all_stand_once_one_is_due),
        cmocka_unit_test(after_an_end_at_the_limit_they_stand_in_order),
        cmocka_unit_test(another_order_of_jobs_forgets_from_there_on),
        cmocka_unit_test(who_was_not_offered_loses_what_it_had),
        cmocka_unit_test(after_an_early_end_they_are_planned_anew),
        cmocka_unit_test(those_that_are_kept_stay_where_they_are_after_an_early_end),
        cmocka_unit_test(a_node_that_goes_leaves_kept_ones_owed),
        cmocka_unit_test(between_cycles_they_move_no_earlier),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
