/* SPDX-License-Identifier: Apache-2.0
 * Nodes are sorted into pools by what requests tell apart, and by reservations. */
#include "pools_fixture.h"

#define HOUR 3600

/* n1 and n2 have the feature ib, n3 and n4 have none. */
static struct world *four_nodes(void)
{
    static const char *const ib[] = {"ib", NULL};
    static const char *const names[] = {"n1", "n2", "n3", "n4"};
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    for (int i = 0; i < 4; i++)
        world_node(
            w, (struct node_desc){
                   .name = names[i], .cfg = {{2}}, .features = i < 2 ? ib : NULL});
    return w;
}

static struct job *job_for_ib(struct world *w)
{
    static const char *const ib[] = {"ib", NULL};

    return world_job(w, "john", (struct req_desc){.tasks = 1, .features = ib});
}

static void nodes_that_nobody_tells_apart_are_one_pool(void **state)
{
    struct sorted s = sort_world(four_nodes());

    (void)state;
    assert_int_equal(pools_count(s.pools), 1);
    assert_int_equal(pools_at(s.pools, 0)->nodes.n, 4);
    assert_ptr_equal(pools_only(s.pools), pools_at(s.pools, 0));
    assert_null(pools_of_node(s.pools, 4));
    sorted_close(&s);
}

static void a_node_that_is_down_is_in_no_pool(void **state)
{
    struct world *w = four_nodes();

    (void)state;
    node_set_state(w->c, world_find(w, "n2"), NODE_DOWN, 0);
    struct sorted s = sort_world(w);
    assert_null(pools_of_node(s.pools, 1));
    assert_non_null(pools_of_node(s.pools, 2));
    assert_null(pools_only(s.pools));
    sorted_close(&s);
}

static void a_feature_divides_them_when_somebody_asks_for_it(void **state)
{
    struct sorted s = sort_world(four_nodes());

    (void)state;
    assert_false(pools_divide(s.pools));
    pools_demand(s.pools, job_for_ib(s.w)->reqs[0].def);
    assert_true(pools_divide(s.pools));
    sort_again(&s, 0);
    assert_int_equal(pools_count(s.pools), 2);
    assert_ptr_equal(pools_of_node(s.pools, 0), pools_of_node(s.pools, 1));
    assert_ptr_not_equal(pools_of_node(s.pools, 1), pools_of_node(s.pools, 2));
    sorted_close(&s);
}

static void they_come_together_an_hour_after_nobody_asks_any_more(void **state)
{
    struct world *w = four_nodes();
    struct job *j = job_for_ib(w);
    struct sorted s = sort_world(w);

    (void)state;
    assert_int_equal(pools_count(s.pools), 2);
    assert_false(pools_outlived(s.pools, HOUR));
    j->state = JOB_COMPLETED;
    assert_false(pools_outlived(s.pools, 2 * HOUR - 1));
    assert_true(pools_outlived(s.pools, 2 * HOUR));
    sort_again(&s, 2 * HOUR);
    assert_int_equal(pools_count(s.pools), 1);
    sorted_close(&s);
}

static void nodes_under_a_reservation_are_a_pool_of_their_own(void **state)
{
    struct world *w = four_nodes();

    (void)state;
    world_reserve(w, 2, 100, 200);
    struct sorted s = sort_world(w);
    assert_int_equal(pools_count(s.pools), 2);
    const struct pool *reserved = pools_of_node(s.pools, 2);
    assert_int_equal(reserved->nodes.n, 1);
    const struct pool_list *under = pools_under(s.pools, reserved->rsvset);
    assert_int_equal(under->n, 1);
    assert_int_equal(under->v[0], reserved->index);
    assert_int_equal(pools_merge_at(s.pools), TIME_NEVER); /* two are no trouble */
    sorted_close(&s);
}

/* A reservation on each of the nodes but the last two; the last ends at 1000 + n. */
static struct sorted many_pools(uint32_t n)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    world_nodes(w, (int)n + 2, 2);
    for (uint32_t i = 0; i < n; i++)
        world_reserve(w, i, 100, 1001 + i);
    return sort_world(w);
}

static void many_pools_are_one_when_their_reservations_are_over(void **state)
{
    struct sorted s = many_pools(20);

    (void)state;
    assert_int_equal(pools_count(s.pools), 21);
    assert_int_equal(pools_merge_at(s.pools), 1020);
    assert_int_equal(pools_merged_count(s.pools), 1);
    for (uint32_t i = 0; i < pools_count(s.pools); i++) {
        const struct pool *pool = pools_at(s.pools, i);
        assert_ptr_equal(pools_merged_of(s.pools, pool), pools_merged(s.pools, 0));
        assert_int_equal(pool->to, 1020);
    }
    assert_int_equal(pools_merged(s.pools, 0)->from, 1020);
    assert_ptr_equal(pools_part(s.pools, 21), pools_merged(s.pools, 0));
    assert_false(pools_merge_now(s.pools, 1));
    assert_true(pools_merge_now(s.pools, 1020));
    sorted_close(&s);
}

static void a_unit_is_counted_in_the_merged_pool_as_well(void **state)
{
    struct sorted s = many_pools(20);
    uint64_t layout = pools_layout(s.pools), stamp = pools_stamp(s.pools);

    (void)state;
    pools_set_unit(s.pools, pools_at(s.pools, 0), 1, 2);
    assert_int_equal(pools_at(s.pools, 0)->total, 2);
    assert_int_equal(pools_merged(s.pools, 0)->total, 2);
    assert_int_equal(pools_layout(s.pools), layout);
    assert_true(pools_stamp(s.pools) > stamp);
    assert_false(pools_any_by_node(s.pools));
    pools_end_counting(s.pools, pools_at(s.pools, 0));
    assert_true(pools_layout(s.pools) > layout);
    assert_true(pools_any_by_node(s.pools));
    assert_int_equal(pools_at(s.pools, 0)->total, 0);
    sorted_close(&s);
}

static void a_run_ends_where_nodes_of_another_pool_come(void **state)
{
    struct world *w = four_nodes();

    (void)state;
    world_reserve(w, 2, 100, 200);
    struct sorted s = sort_world(w);
    assert_int_equal(pools_run(s.pools, 0, 4), 2);
    assert_int_equal(pools_run(s.pools, 0, 1), 1);
    assert_int_equal(pools_run(s.pools, 3, 4), 1);
    assert_int_equal(pools_run_down(s.pools, 1, 0), 0);
    assert_int_equal(pools_run_down(s.pools, 1, 1), 1);
    assert_int_equal(pools_run_down(s.pools, 3, 0), 3);
    assert_int_equal(pool_nodes_in(pools_of_node(s.pools, 0), 1, 4), 2);
    assert_int_equal(pool_nodes_in(pools_of_node(s.pools, 2), 0, 2), 0);
    sorted_close(&s);
}

/* The last two nodes are reserved, and differ from the others in that alone until
 * somebody asks for ib: no pool is divided by it, but the kinds are two. */
static void pools_of_equal_nodes_are_of_one_kind(void **state)
{
    struct world *w = four_nodes();
    uint64_t epoch, later;

    (void)state;
    world_reserve(w, 2, 100, 200);
    world_reserve(w, 3, 100, 200);
    struct sorted s = sort_world(w);
    const struct pool *a = pools_of_node(s.pools, 0), *b = pools_of_node(s.pools, 2);
    assert_ptr_not_equal(a, b);
    assert_int_equal(a->nodes_kind, b->nodes_kind);
    assert_int_equal(pools_kinds(s.pools, &epoch), 1);
    pools_demand(s.pools, job_for_ib(w)->reqs[0].def);
    assert_int_equal(pools_kinds(s.pools, &epoch), 0);
    assert_false(pools_divide(s.pools));
    assert_int_equal(pools_kinds(s.pools, &later), 2);
    assert_true(later > epoch);
    assert_int_not_equal(a->nodes_kind, b->nodes_kind);
    sorted_close(&s);
}

static void a_copy_goes_its_own_way(void **state)
{
    struct sorted s = sort_world(four_nodes());

    (void)state;
    pools_set_unit(s.pools, pools_at(s.pools, 0), 1, 2);
    struct pools *copy = pools_copy(s.pools, s.closures);
    assert_int_equal(pools_at(copy, 0)->total, 8);
    pools_end_counting(copy, pools_at(copy, 0));
    assert_int_equal(pools_at(s.pools, 0)->total, 8);
    assert_false(pools_any_by_node(s.pools));
    pools_destroy(copy);
    assert_int_equal(pools_at(s.pools, 0)->nodes.n, 4);
    sorted_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_that_nobody_tells_apart_are_one_pool),
        cmocka_unit_test(a_node_that_is_down_is_in_no_pool),
        cmocka_unit_test(a_feature_divides_them_when_somebody_asks_for_it),
        cmocka_unit_test(they_come_together_an_hour_after_nobody_asks_any_more),
        cmocka_unit_test(nodes_under_a_reservation_are_a_pool_of_their_own),
        cmocka_unit_test(many_pools_are_one_when_their_reservations_are_over),
        cmocka_unit_test(a_unit_is_counted_in_the_merged_pool_as_well),
        cmocka_unit_test(a_run_ends_where_nodes_of_another_pool_come),
        cmocka_unit_test(pools_of_equal_nodes_are_of_one_kind),
        cmocka_unit_test(a_copy_goes_its_own_way),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
