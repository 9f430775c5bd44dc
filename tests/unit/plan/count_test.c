/* SPDX-License-Identifier: Apache-2.0
 * What is free of a pool over time, and which pools reservations take units of. */
#include "planned_fixture.h"

struct four {
    struct world *w;
    struct plan *p;
    struct pool *pool;
};

/* Four nodes of one processor. */
static struct four four_nodes(void)
{
    struct four f = {.w = world_open(NODEALLOC_FIRSTAVAILABLE)};

    world_nodes(f.w, 4, 1);
    f.p = world_plan(f.w);
    f.pool = pools_at(f.p->pools, 0);
    return f;
}

static void four_close(struct four *f)
{
    plan_destroy(f->p);
    world_close(f->w);
}

static void a_job_that_starts_has_units_until_its_limit(void **state)
{
    struct four f = four_nodes();
    int64_t more;

    (void)state;
    assert_true(plan_start(f.w, f.p, plan_tasks(f.w, f.p, 3, 1000)));
    assert_int_equal(count_least(f.p->counted, f.pool, NOW, 200, &more), 1);
    assert_int_equal(more, NOW + 1000);
    assert_int_equal(count_least(f.p->counted, f.pool, NOW + 1000, 9000, NULL), 4);
    four_close(&f);
}

static void an_overdue_job_has_them_one_poll_longer(void **state)
{
    struct four f = four_nodes();
    int64_t poll = f.w->cfg->rm_poll_interval_s;

    (void)state;
    assert_true(plan_start(f.w, f.p, plan_tasks(f.w, f.p, 3, 1000)));
    plan_begin(f.p, NOW + 1000, RSV_KEEP);
    assert_int_equal(
        count_least(f.p->counted, f.pool, NOW + 1000, NOW + 1000 + poll, NULL), 1);
    assert_int_equal(
        count_least(f.p->counted, f.pool, NOW + 1000 + poll, 90000, NULL), 4);
    four_close(&f);
}

/* Its end comes in the very second in which a cycle found it overdue. */
static void what_an_overdue_job_had_is_free_when_it_stops(void **state)
{
    struct four f = four_nodes();
    struct err err;

    (void)state;
    struct job *j = plan_tasks(f.w, f.p, 3, 1000);
    assert_true(plan_start(f.w, f.p, j));
    plan_begin(f.p, NOW + 1000, RSV_KEEP);
    assert_int_equal(count_least(f.p->counted, f.pool, NOW + 1000, 90000, NULL), 1);
    plan_job_stopping(f.p, j, NOW + 1000);
    assert_int_equal(job_stop(f.w->c, j, EV_COMPLETE, NOW + 1000, &err), 0);
    assert_int_equal(count_least(f.p->counted, f.pool, NOW + 1000, 90000, NULL), 4);
    four_close(&f);
}

static void what_is_taken_is_there_again_when_given_back(void **state)
{
    struct four f = four_nodes();

    (void)state;
    plan_tasks(f.w, f.p, 1, 10);
    count_hold(f.p->counted, f.pool, 300); /* as the reservation that takes them */
    count_take(f.p->counted, f.pool, 300, 400, 3);
    assert_int_equal(count_least(f.p->counted, f.pool, NOW, 300, NULL), 4);
    assert_int_equal(count_least(f.p->counted, f.pool, NOW, 301, NULL), 1);
    count_take(f.p->counted, f.pool, 300, 400, -3);
    assert_int_equal(count_least(f.p->counted, f.pool, NOW, 301, NULL), 4);
    four_close(&f);
}

static void what_is_free_from_now_on_sinks_at_a_reservation(void **state)
{
    struct four f = four_nodes();

    (void)state;
    assert_true(plan_start(f.w, f.p, plan_tasks(f.w, f.p, 3, 1000)));
    assert_int_equal(plan_reserve_first(f.p, plan_tasks(f.w, f.p, 4, 50)), NOW + 1000);
    const struct free_untils *list = count_free_until(f.p->counted, f.pool);
    assert_int_equal(list->n, 2);
    assert_int_equal(list->v[0].until, NOW + 1000);
    assert_int_equal(list->v[0].units, 1);
    assert_int_equal(list->v[1].units, 0);
    four_close(&f);
}

static void units_of_a_reservation_that_goes_are_free(void **state)
{
    struct four f = four_nodes();
    struct job *j = plan_tasks(f.w, f.p, 4, 50);

    (void)state;
    assert_int_equal(plan_reserve_first(f.p, j), NOW);
    assert_int_equal(count_least(f.p->counted, f.pool, NOW, NOW + 1, NULL), 0);
    assert_true(count_is_reserved(f.p->counted, f.pool));
    plan_unreserve(f.p, j);
    assert_int_equal(count_least(f.p->counted, f.pool, NOW, NOW + 1, NULL), 4);
    assert_false(count_is_reserved(f.p->counted, f.pool));
    four_close(&f);
}

static void a_reservation_that_made_way_knows_what_it_gave(void **state)
{
    struct four f = four_nodes();
    struct job *j = plan_tasks(f.w, f.p, 3, 50);

    (void)state;
    plan_reserve_first(f.p, j);
    struct rsv *r = rsvtable_of(f.p->reserved, j->index);
    reserve_hand_over(f.p->counted, r);
    reserve_hand_over(f.p->counted, r); /* again, at the start itself */
    assert_int_equal(r->parts.n, 0);
    assert_int_equal(r->handed.n, 1);
    assert_int_equal(r->handed.v[0].units, 3);
    assert_int_equal(count_least(f.p->counted, f.pool, NOW, NOW + 1, NULL), 4);
    four_close(&f);
}

/* n1 and n2 have the feature ib, which somebody asks for. Those are free now, n3 and n4
 * come free at 1100. */
static void a_reservation_takes_what_comes_free_later(void **state)
{
    static const char *const ib[] = {"ib", NULL};
    static const char *const names[] = {"n1", "n2", "n3", "n4"};
    struct world *w = world_open(NODEALLOC_LASTAVAILABLE);
    struct alloc last = {.first = 2, .count = 2, .tasks = 1};
    struct err err;

    (void)state;
    for (int i = 0; i < 4; i++)
        world_node(
            w, (struct node_desc){
                   .name = names[i], .cfg = {{1}}, .features = i < 2 ? ib : NULL});
    world_job(
        w, "john", (struct req_desc){.tasks = 1, .per_task = {{1}}, .features = ib});
    struct plan *p = world_plan(w);
    assert_int_equal(pools_count(p->pools), 2);
    struct job *running = plan_tasks(w, p, 2, 1000);
    vec_push(&running->alloc, last);
    assert_int_equal(job_start(w->c, running, NOW, &err), 0);
    plan_job_started(p, running);
    struct job *j = plan_tasks(w, p, 2, 50);
    struct slot slot = {NOW + 1000, 0};
    plan_reserve(p, j, &slot);
    const struct rsv *r = rsvtable_of(p->reserved, j->index);
    assert_int_equal(r->parts.n, 1);
    assert_int_equal(r->parts.v[0].pool, pools_of_node(p->pools, 2)->index);
    plan_destroy(p);
    world_close(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_that_starts_has_units_until_its_limit),
        cmocka_unit_test(an_overdue_job_has_them_one_poll_longer),
        cmocka_unit_test(what_an_overdue_job_had_is_free_when_it_stops),
        cmocka_unit_test(what_is_taken_is_there_again_when_given_back),
        cmocka_unit_test(what_is_free_from_now_on_sinks_at_a_reservation),
        cmocka_unit_test(units_of_a_reservation_that_goes_are_free),
        cmocka_unit_test(a_reservation_that_made_way_knows_what_it_gave),
        cmocka_unit_test(a_reservation_takes_what_comes_free_later),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
