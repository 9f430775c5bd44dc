/* SPDX-License-Identifier: Apache-2.0
 * The sum of all merged pools of a kind is what they have. */
#include "plan/counted/merged_work.h"
#include "planned_fixture.h"

/* As small pools, and two nodes reserved for ever, so that there are several merged
 * pools. */
static struct plan *plan_with_merged(struct world **ret_w)
{
    struct world *w = world_of_small_pools();

    world_reserve(w, 30, 5000, TIME_NEVER);
    world_reserve(w, 31, 6000, TIME_NEVER);
    *ret_w = w;
    return world_plan(w);
}

static int64_t sum_at(struct plan *p, int64_t at)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < pools_merged_count(p->pools); i++)
        sum += count_least(p->counted, pools_merged(p->pools, i), at, at + 1, NULL);
    return sum;
}

static void assert_sum_is_right(struct plan *p)
{
    uint32_t kind = pools_merged(p->pools, 0)->kind;
    int64_t from = pools_merge_at(p->pools);

    for (int64_t at = from; at < from + 3000; at += 50)
        assert_int_equal(
            profile_min(merged_work(p->counted, kind), at, at + 1), sum_at(p, at));
}

static void it_is_the_sum_of_all(void **state)
{
    struct world *w;
    struct plan *p = plan_with_merged(&w);

    (void)state;
    plan_tasks(w, p, 1, 10);
    assert_true(pools_merged_count(p->pools) > 1);
    assert_sum_is_right(p);
    assert_int_equal(
        profile_min(merged_work(p->counted, 0), pools_merge_at(p->pools), TIME_NEVER),
        80);
    plan_destroy(p);
    world_close(w);
}

static void it_follows_reservations_and_what_is_made_anew(void **state)
{
    struct world *w;
    struct plan *p = plan_with_merged(&w);
    struct job *j = plan_tasks(w, p, 70, 500);

    (void)state;
    struct slot slot = {pools_merge_at(p->pools) + 100, 0};
    assert_sum_is_right(p);
    plan_reserve(p, j, &slot);
    assert_sum_is_right(p);
    assert_int_equal(
        profile_min(merged_work(p->counted, 0), slot.at, slot.at + 500), 10);
    count_forget(p->counted);
    assert_sum_is_right(p);
    plan_unreserve(p, j);
    assert_sum_is_right(p);
    assert_int_equal(
        profile_min(merged_work(p->counted, 0), slot.at, slot.at + 500), 80);
    plan_destroy(p);
    world_close(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_the_sum_of_all),
        cmocka_unit_test(it_follows_reservations_and_what_is_made_anew),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
