/* SPDX-License-Identifier: Apache-2.0
 * Reservations that were kept as counts get nodes when a new shape of request ends the
 * counting, and units of the parts when pools are divided: none of them moves. */
#include "planned_fixture.h"

static const char *const ib[] = {"ib", NULL};

/* n1 and n2 have the feature ib, which nobody asks for yet: one pool of four nodes. */
static struct plan *plan_of_four(struct world **ret_w)
{
    static const char *const names[] = {"n1", "n2", "n3", "n4"};
    struct plan *p;

    *ret_w = world_open(NODEALLOC_FIRSTAVAILABLE);
    for (int i = 0; i < 4; i++)
        world_node(
            *ret_w, (struct node_desc){
                        .name = names[i], .cfg = {{2}}, .features = i < 2 ? ib : NULL});
    p = world_plan(*ret_w);
    return p;
}

static struct job *reserved(
    struct world *w, struct plan *p, uint32_t tasks, int64_t limit_s, int64_t at)
{
    struct job *j = plan_tasks(w, p, tasks, limit_s);

    plan_reserve(p, j, &(struct slot){at, 0});
    return j;
}

/* Tasks of two processors, where all others are of one. */
static void ask_for_another_shape(struct world *w, struct plan *p)
{
    plan_job_queued(
        p, world_job(w, "john", (struct req_desc){.tasks = 1, .per_task = {{2}}}));
    assert_false(plan_counts(p, 0));
}

static struct job *ask_for_ib(
    struct world *w, struct plan *p, uint32_t tasks, int64_t limit_s)
{
    struct job *j = world_job(w, "john",
        (struct req_desc){.tasks = tasks, .per_task = {{1}}, .features = ib});

    j->wclimit_s = limit_s;
    plan_job_queued(p, j);
    return j;
}

static int64_t first_fit(struct plan *p, const struct job *j, int64_t from)
{
    struct slot slot;

    return plan_first_fit(p, j, from, &slot) ? slot.at : TIME_NEVER;
}

static void close_both(struct plan *p, struct world *w)
{
    plan_check(p);
    plan_destroy(p);
    world_close(w);
}

/* ---- from counts to nodes ---- */

/* The example of the header. */
static void counts_become_nodes_at_the_same_instants(void **state)
{
    struct world *w;
    struct plan *p = plan_of_four(&w);
    struct job *seven = reserved(w, p, 6, 500, 400),
               *nine = reserved(w, p, 1, 100, 500);

    (void)state;
    ask_for_another_shape(w, p);
    plan_begin(p, NOW + 1, RSV_KEEP);
    assert_int_equal(plan_reserved_at(p, seven), 400);
    assert_int_equal(plan_reserved_at(p, nine), 500);
    assert_string_equal(plan_where(w, p, seven), "n1:2 n2:2 n3:2");
    assert_string_equal(plan_where(w, p, nine), "n4:1");
    assert_int_equal(first_fit(p, plan_tasks(w, p, 3, 400), NOW + 1), 900);
    close_both(p, w);
}

/* The later one was made first: bound first, it would take what the earlier needs. */
static void they_are_bound_in_order_of_their_starts(void **state)
{
    struct world *w;
    struct plan *p = plan_of_four(&w);
    struct job *late = reserved(w, p, 4, 100, 600),
               *early = reserved(w, p, 4, 400, 300);

    (void)state;
    ask_for_another_shape(w, p);
    plan_begin(p, NOW + 1, RSV_KEEP);
    assert_string_equal(plan_where(w, p, early), "n1:2 n2:2");
    assert_string_equal(plan_where(w, p, late), "n3:2 n4:2");
    assert_int_equal(plan_reserved_job(p, 0), late->index); /* in order of making */
    close_both(p, w);
}

static void nodes_of_running_jobs_are_had_once_these_end(void **state)
{
    struct world *w;
    struct plan *p = plan_of_four(&w);

    (void)state;
    plan_run_on(w, p, "n1", 2, 300);
    plan_run_on(w, p, "n2", 1, 500);
    struct job *j = reserved(w, p, 5, 100, 400);
    ask_for_another_shape(w, p);
    plan_begin(p, NOW + 1, RSV_KEEP);
    assert_int_equal(plan_reserved_at(p, j), 400);
    assert_string_equal(plan_where(w, p, j), "n1:2 n2:1 n3:2");
    close_both(p, w);
}

/* It still has its nodes when the reservation is to begin. */
static void what_a_job_past_its_limit_has_is_owed(void **state)
{
    struct world *w;
    struct plan *p = plan_of_four(&w);

    (void)state;
    plan_run_on(w, p, "n1", 2, 100);
    struct job *all = reserved(w, p, 8, 100, 200), *one = reserved(w, p, 1, 100, 300);
    ask_for_another_shape(w, p);
    plan_begin(p, 200, RSV_KEEP);
    assert_false(plan_is_reserved(p, all));
    assert_int_equal(plan_reserved_at(p, all), 200);
    assert_int_equal(plan_reserved_at(p, one), 300);
    assert_true(plan_is_reserved(p, one));
    close_both(p, w);
}

/* ---- divided pools ---- */

static void in_divided_pools_they_have_units_at_the_same_instants(void **state)
{
    struct world *w;
    struct plan *p = plan_of_four(&w);
    struct job *wide = reserved(w, p, 6, 500, 400), *one = reserved(w, p, 1, 100, 450);

    (void)state;
    struct job *j = ask_for_ib(w, p, 1, 50);
    plan_begin(p, NOW + 1, RSV_KEEP);
    assert_true(plan_counts(p, 0));
    assert_int_equal(plan_reserved_at(p, wide), 400);
    assert_int_equal(plan_reserved_at(p, one), 450);
    assert_true(plan_is_reserved(p, wide) && plan_is_reserved(p, one));
    assert_int_equal(first_fit(p, j, NOW + 1), NOW + 1);
    assert_int_equal(first_fit(p, plan_tasks(w, p, 2, 50), 401), 550);
    assert_int_equal(first_fit(p, plan_tasks(w, p, 8, 1), 401), 900);
    close_both(p, w);
}

static void a_reservation_for_who_asks_of_the_new_part_stays_in_it(void **state)
{
    struct world *w;
    struct plan *p = plan_of_four(&w);
    struct job *j = reserved(w, p, 4, 500, 400);

    (void)state;
    ask_for_ib(w, p, 1, 50);
    plan_begin(p, NOW + 1, RSV_KEEP);
    assert_string_equal(plan_where(w, p, j), "n3:2 n4:2"); /* asked for by fewer */
    assert_int_equal(first_fit(p, ask_for_ib(w, p, 4, 400), 300), 300);
    close_both(p, w);
}

static void units_that_a_job_past_its_limit_has_are_owed(void **state)
{
    struct world *w;
    struct plan *p = plan_of_four(&w);

    (void)state;
    plan_run_on(w, p, "n1", 2, 100);
    struct job *all = reserved(w, p, 8, 100, 200), *one = reserved(w, p, 1, 100, 300);
    ask_for_ib(w, p, 1, 50);
    plan_begin(p, 200, RSV_KEEP);
    assert_false(plan_is_reserved(p, all));
    assert_int_equal(plan_reserved_at(p, all), 200);
    assert_true(plan_is_reserved(p, one));
    assert_int_equal(first_fit(p, plan_tasks(w, p, 6, 50), 200), 200);
    close_both(p, w);
}

/* Pinned to nodes: those of the part that is planned one by one stay what they are. */
static void pinned_ones_stay_on_their_nodes(void **state)
{
    struct world *w;
    struct plan *p = plan_of_four(&w);

    (void)state;
    plan_tasks(w, p, 1, 10);
    ask_for_another_shape(w, p);
    plan_begin(p, NOW, RSV_KEEP);
    struct job *j = reserved(w, p, 6, 500, 400);
    assert_string_equal(plan_where(w, p, j), "n1:2 n2:2 n3:2");
    ask_for_ib(w, p, 1, 50);
    plan_begin(p, NOW + 1, RSV_KEEP);
    assert_int_equal(plan_reserved_at(p, j), 400);
    assert_string_equal(plan_where(w, p, j), "n1:2 n2:2 n3:2");
    close_both(p, w);
}

/* Who may have what of nodes under reservations of other kinds is not told by counts.
 */
static void among_reservations_of_other_kinds_all_are_owed(void **state)
{
    struct world *w;

    (void)state;
    struct plan *p = plan_of_four(&w);
    world_reserve(w, 3, 5000, 6000);
    plan_begin(p, NOW, RSV_KEEP);
    struct job *j = reserved(w, p, 3, 500, 400);
    ask_for_ib(w, p, 1, 50);
    plan_begin(p, NOW + 1, RSV_KEEP);
    assert_false(plan_is_reserved(p, j));
    assert_int_equal(plan_reserved_at(p, j), 400);
    close_both(p, w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_become_nodes_at_the_same_instants),
        cmocka_unit_test(they_are_bound_in_order_of_their_starts),
        cmocka_unit_test(nodes_of_running_jobs_are_had_once_these_end),
        cmocka_unit_test(what_a_job_past_its_limit_has_is_owed),
        cmocka_unit_test(in_divided_pools_they_have_units_at_the_same_instants),
        cmocka_unit_test(a_reservation_for_who_asks_of_the_new_part_stays_in_it),
        cmocka_unit_test(units_that_a_job_past_its_limit_has_are_owed),
        cmocka_unit_test(pinned_ones_stay_on_their_nodes),
        cmocka_unit_test(among_reservations_of_other_kinds_all_are_owed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
