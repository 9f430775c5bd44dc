/* SPDX-License-Identifier: Apache-2.0
 * Which pools a definition can use, and how what it asks for decides their planning. */
#include "pools_fixture.h"

/* Two nodes of 4 processors with the feature ib, two without. Somebody asks for ib, so
 * there are two pools. */
static struct sorted two_pools(void)
{
    static const char *const ib[] = {"ib", NULL};
    static const char *const names[] = {"n1", "n2", "n3", "n4"};
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    for (int i = 0; i < 4; i++)
        world_node(
            w, (struct node_desc){
                   .name = names[i], .cfg = {{4}}, .features = i < 2 ? ib : NULL});
    world_job(w, "john", (struct req_desc){.tasks = 1, .features = ib});
    return sort_world(w);
}

static const struct fitset *fit_of(struct sorted *s, struct req_desc req)
{
    struct job *j = world_job(s->w, "john", req);

    return fits_in_partition(s->fits, j->reqs[0].def, 0);
}

static const struct fitset *fit_procs(struct sorted *s, int procs)
{
    return fit_of(s, (struct req_desc){.tasks = 1, .per_task = {{procs}}});
}

static void a_definition_can_use_the_pools_that_have_what_it_asks_for(void **state)
{
    static const char *const ib[] = {"ib", NULL};
    struct sorted s = two_pools();

    (void)state;
    assert_int_equal(fit_procs(&s, 1)->pools.n, 2);
    assert_int_equal(fit_procs(&s, 1)->tasks_max, 16);
    assert_int_equal(fit_procs(&s, 1)->nodes, 4);
    const struct fitset *with =
        fit_of(&s, (struct req_desc){.tasks = 1, .per_task = {{1}}, .features = ib});
    assert_int_equal(with->pools.n, 1);
    assert_int_equal(with->nodes, 2);
    assert_int_equal(with->pools.v[0].pool, pools_of_node(s.pools, 0)->index);
    assert_null(fit_procs(&s, 5));
    sorted_close(&s);
}

static void definitions_with_equal_lists_share_a_set(void **state)
{
    static const char *const ib[] = {"ib", NULL};
    struct sorted s = two_pools();

    (void)state;
    uint32_t plain = fit_procs(&s, 1)->number;
    const struct fitset *memory =
        fit_of(&s, (struct req_desc){.tasks = 1, .per_task = {{1, 1}}});
    assert_int_equal(memory->number, plain);
    const struct fitset *with =
        fit_of(&s, (struct req_desc){.tasks = 1, .per_task = {{1}}, .features = ib});
    assert_int_not_equal(with->number, plain);
    assert_int_equal(fits_sets(s.fits), 2);
    sorted_close(&s);
}

static void the_first_shape_fixes_the_unit_and_another_one_ends_counting(void **state)
{
    struct sorted s = two_pools();

    (void)state;
    fit_procs(&s, 2);
    assert_int_equal(pools_at(s.pools, 0)->unit, 2);
    assert_int_equal(pools_at(s.pools, 0)->per_node, 2);
    assert_int_equal(pools_at(s.pools, 0)->total, 4);
    assert_false(fitset_has_by_node(s.pools, fit_procs(&s, 2)));
    const struct fitset *other = fit_procs(&s, 3);
    assert_true(fitset_has_by_node(s.pools, other));
    assert_false(fitset_has_counted(s.pools, other));
    sorted_close(&s);
}

/* Four of them, each of another job, have to find it on a node. */
static void memory_of_a_node_ends_counting_where_not_each_processor_has_it(void **state)
{
    static const bool counted[] = {true, false};
    static const int64_t of_node[] = {100, 101};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
        world_node(w, (struct node_desc){.name = "n1", .cfg = {{4, 400}}});
        struct sorted s = sort_world(w);
        const struct fitset *fit =
            fit_of(&s, (struct req_desc){.tasks = 1, .mem_per_node_mb = of_node[i]});
        assert_int_equal(fit->tasks_max, 4);
        assert_int_equal(fitset_has_counted(s.pools, fit), counted[i]);
        sorted_close(&s);
    }
}

static void a_supposed_definition_changes_no_pool_that_others_use(void **state)
{
    struct sorted s = two_pools();

    (void)state;
    fit_procs(&s, 1);
    const struct job *j =
        world_job(s.w, "john", (struct req_desc){.tasks = 1, .per_task = {{3}}});
    assert_false(fits_knows(s.fits, j->reqs[0].def));
    fits_suppose(s.fits, j->reqs[0].def);
    assert_true(fits_knows(s.fits, j->reqs[0].def));
    assert_null(fits_in_partition(s.fits, j->reqs[0].def, 0));
    assert_int_equal(pools_at(s.pools, 0)->unit, 1);
    assert_false(pools_any_by_node(s.pools));
    sorted_close(&s);
}

static void a_supposed_definition_may_be_the_first(void **state)
{
    struct sorted s = two_pools();

    (void)state;
    const struct job *j =
        world_job(s.w, "john", (struct req_desc){.tasks = 1, .per_task = {{2}}});
    fits_suppose(s.fits, j->reqs[0].def);
    assert_int_equal(fits_in_partition(s.fits, j->reqs[0].def, 0)->tasks_max, 8);
    assert_int_equal(pools_at(s.pools, 0)->unit, 2);
    sorted_close(&s);
}

static void all_counted_pools_of_a_partition_are_a_set(void **state)
{
    static const char *const ib[] = {"ib", NULL};
    struct sorted s = two_pools();

    (void)state;
    fit_of(&s, (struct req_desc){.tasks = 1, .per_task = {{1}}, .features = ib});
    struct fitset all = fits_counted(s.fits, 0); /* the other one has no unit yet */
    assert_int_equal(all.pools.n, 1);
    fitset_fini(&all);
    fit_procs(&s, 1);
    all = fits_counted(s.fits, 0);
    assert_int_equal(all.pools.n, 2);
    fitset_fini(&all);
    sorted_close(&s);
}

static void a_copy_learns_by_itself(void **state)
{
    struct sorted s = two_pools();

    (void)state;
    fit_procs(&s, 1);
    struct pools *pools = pools_copy(s.pools, s.closures);
    struct fits *copy = fits_copy(s.fits, pools);
    const struct job *j =
        world_job(s.w, "john", (struct req_desc){.tasks = 1, .per_task = {{3}}});
    fits_learn(copy, j->reqs[0].def);
    assert_true(pools_any_by_node(pools));
    assert_false(fits_knows(s.fits, j->reqs[0].def));
    assert_false(pools_any_by_node(s.pools));
    fits_destroy(copy);
    pools_destroy(pools);
    sorted_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_definition_can_use_the_pools_that_have_what_it_asks_for),
        cmocka_unit_test(definitions_with_equal_lists_share_a_set),
        cmocka_unit_test(the_first_shape_fixes_the_unit_and_another_one_ends_counting),
        cmocka_unit_test(
            memory_of_a_node_ends_counting_where_not_each_processor_has_it),
        cmocka_unit_test(a_supposed_definition_changes_no_pool_that_others_use),
        cmocka_unit_test(a_supposed_definition_may_be_the_first),
        cmocka_unit_test(all_counted_pools_of_a_partition_are_a_set),
        cmocka_unit_test(a_copy_learns_by_itself),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
