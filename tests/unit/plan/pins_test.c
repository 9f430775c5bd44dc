/* SPDX-License-Identifier: Apache-2.0
 * Reservations on single nodes, and active jobs by when they end. */
#include "base/timeval.h"
#include "cmocka_all.h"
#include "plan/endings.h"
#include "plan/reservations/pins.h"

static struct rsv reservation(
    uint32_t job, int64_t from, uint32_t first, uint32_t count)
{
    struct rsv r = {.job = job, .start_at = from, .end_at = from + 10};

    vec_push(&r.alloc, ((struct alloc){first, count, 2, 0}));
    return r;
}

static void pins_are_found_by_node(void **state)
{
    (void)state;
    struct pintable *t = pintable_create();
    struct rsv a = reservation(7, 100, 4, 2), b = reservation(9, 200, 5, 1);

    pintable_add(t, &a);
    pintable_add(t, &b);
    assert_null(pintable_on(t, 3));
    assert_int_equal(pintable_on(t, 4)->v.n, 1);
    assert_int_equal(pintable_on(t, 5)->v.n, 2);
    assert_int_equal(pintable_on(t, 5)->v.v[1].start_at, 200);
    assert_int_equal(pintable_on(t, 5)->v.v[1].tasks, 2);
    pintable_remove(t, &a);
    assert_null(pintable_on(t, 4));
    assert_int_equal(pintable_on(t, 5)->v.v[0].job, 9);
    vec_fini(&a.alloc);
    vec_fini(&b.alloc);
    pintable_destroy(t);
}

static void pins_are_forgotten_at_once(void **state)
{
    (void)state;
    struct pintable *t = pintable_create();
    struct rsv a = reservation(7, 100, 0, 3);

    pintable_add(t, &a);
    pintable_forget(t);
    assert_null(pintable_on(t, 1));
    pintable_remove(t, &a); /* nothing to take back */
    pintable_add(t, &a);
    assert_int_equal(pintable_on(t, 1)->v.n, 1);
    vec_fini(&a.alloc);
    pintable_destroy(t);
}

static void a_copy_of_pins_goes_its_own_way(void **state)
{
    (void)state;
    struct pintable *t = pintable_create();
    struct rsv a = reservation(7, 100, 0, 3);

    pintable_add(t, &a);
    struct pintable *copy = pintable_copy(t);
    pintable_remove(copy, &a);
    assert_null(pintable_on(copy, 1));
    assert_int_equal(pintable_on(t, 1)->v.n, 1);
    vec_fini(&a.alloc);
    pintable_destroy(copy);
    pintable_destroy(t);
}

static void endings_are_in_order_of_time_then_of_jobs(void **state)
{
    (void)state;
    struct endings e = {0};

    assert_true(endings_first(&e) == TIME_NEVER);
    endings_add(&e, 300, 1);
    endings_add(&e, 100, 9);
    endings_add(&e, 100, 4);
    assert_int_equal(endings_first(&e), 100);
    assert_int_equal(e.v[0].job, 4);
    assert_int_equal(e.v[1].job, 9);
    endings_remove(&e, 100, 4);
    endings_remove(&e, 100, 9);
    assert_int_equal(endings_first(&e), 300);
    vec_fini(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pins_are_found_by_node),
        cmocka_unit_test(pins_are_forgotten_at_once),
        cmocka_unit_test(a_copy_of_pins_goes_its_own_way),
        cmocka_unit_test(endings_are_in_order_of_time_then_of_jobs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
