/* SPDX-License-Identifier: Apache-2.0
 * Small pools under reservations: which have something, as their profiles say. */
#include "plan/counted/free_intervals.h"
#include "plan/counted/set_memory.h"
#include "plan/counted/small_pools.h"
#include "planned_fixture.h"

struct smalls {
    struct world *w;
    struct plan *p;
    const struct fitset *set; /* of a job of one processor */
};

static struct smalls small_world(void)
{
    struct smalls s = {.w = world_of_small_pools()};

    s.p = world_plan(s.w);
    s.set = fits_for(s.p->fits, plan_tasks(s.w, s.p, 1, 10), 0);
    return s;
}

static void smalls_close(struct smalls *s)
{
    plan_destroy(s->p);
    world_close(s->w);
}

static const struct set_small *small_of(struct smalls *s)
{
    struct counted *ct = s->p->counted;

    return small_pools_of_set(ct, s->set, set_memory_of(ct, s->set));
}

static bool is_open(struct smalls *s, uint32_t node, int64_t start, int64_t end)
{
    return bitset_test(small_pools_open(s->p->counted, start, end),
        pools_of_node(s->p->pools, node)->index);
}

static void pools_of_one_node_among_forty_are_small(void **state)
{
    struct smalls s = small_world();

    (void)state;
    for (uint32_t i = 0; i < 30; i++)
        assert_true(small_pools_has(s.p->counted, pools_of_node(s.p->pools, i)));
    assert_false(small_pools_has(s.p->counted, pools_of_node(s.p->pools, 35)));
    assert_true(small_of(&s)->deep);
    assert_int_equal(small_of(&s)->large.n, 1);
    assert_int_equal(small_of(&s)->holders.n, 1);
    smalls_close(&s);
}

static void a_pool_is_open_where_no_reservation_closes_it(void **state)
{
    struct smalls s = small_world();

    (void)state;
    small_pools_settle(s.p->counted);
    assert_true(small_pools_settled(s.p->counted));
    assert_true(is_open(&s, 3, 200, 1030)); /* its reservation is [1030, 2015) */
    assert_false(is_open(&s, 3, 1200, 1300));
    assert_true(is_open(&s, 20, 1000, 1200));
    smalls_close(&s);
}

static void what_a_pool_has_follows_its_profile(void **state)
{
    struct smalls s = small_world();
    struct pool *pool = pools_of_node(s.p->pools, 3);
    const struct free_intervals *free =
        small_pools_intervals(s.p->counted, small_of(&s)->holders.v[0]);

    (void)state;
    small_pools_settle(s.p->counted);
    int64_t before = free_intervals_sum(free, 300, 400);
    assert_int_equal(before, 2 * 30);
    count_hold(s.p->counted, pool, 250);
    count_take(s.p->counted, pool, 250, 500, 2);
    assert_false(small_pools_settled(s.p->counted));
    small_pools_settle(s.p->counted);
    assert_int_equal(free_intervals_sum(free, 300, 400), before - 2);
    assert_int_equal(free_intervals_sum(free, 100, 200), before);
    assert_false(is_open(&s, 3, 300, 310));
    smalls_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pools_of_one_node_among_forty_are_small),
        cmocka_unit_test(a_pool_is_open_where_no_reservation_closes_it),
        cmocka_unit_test(what_a_pool_has_follows_its_profile),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
