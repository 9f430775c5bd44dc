/* SPDX-License-Identifier: Apache-2.0
 * Tests of cluster/resources. */
#include "cluster/resources.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static int64_t fit(struct res have, struct res cfg, struct res task)
{
    return res_tasks(&have, &cfg, &task);
}

static void the_scarcest_resource_decides(void **state)
{
    (void)state;
    struct res n1 = {{4, 1024, 0, 0}}, n2 = {{4, 4096, 0, 0}};
    struct res task = {{1, 512, 0, 0}};

    /* node-allocation.md N24 */
    assert_int_equal(fit(n1, n1, task), 2);
    assert_int_equal(fit(n2, n2, task), 4);
}

static void a_part_of_a_task_is_no_task(void **state)
{
    (void)state;
    struct res have = {{3, 0, 0, 0}}, cfg = {{4, 0, 0, 0}}, task = {{2, 0, 0, 0}};
    assert_int_equal(fit(have, cfg, task), 1);
}

static void asking_for_all_needs_all_of_it_free(void **state)
{
    (void)state;
    struct res cfg = {{4, 1024, 0, 0}}, part = {{3, 1024, 0, 0}};
    struct res whole = {{-1, 0, 0, 0}};

    assert_int_equal(fit(cfg, cfg, whole), 1);
    assert_int_equal(fit(part, cfg, whole), 0);
    assert_int_equal(fit((struct res){{0}}, (struct res){{0}}, whole), 0);
}

static void a_request_of_nothing_always_fits(void **state)
{
    (void)state;
    assert_int_equal(
        fit((struct res){{0}}, (struct res){{0}}, (struct res){{0}}), INT32_MAX);
}

static void less_than_nothing_left_holds_no_task(void **state)
{
    (void)state;
    struct res have = {{-2, 0, 0, 0}}, cfg = {{4, 0, 0, 0}};
    assert_int_equal(fit(have, cfg, (struct res){{1, 0, 0, 0}}), 0);
    assert_int_equal(fit(have, cfg, (struct res){{-1, 0, 0, 0}}), 0);
}

static void adding_scales_every_dimension(void **state)
{
    (void)state;
    struct res a = {{1, 2, 3, 4}}, b = {{1, 1, 2, 2}};
    res_add(&a, &b, -2);
    assert_int_equal(a.v[RES_PROCS], -1);
    assert_int_equal(a.v[RES_MEM], 0);
    assert_int_equal(a.v[RES_SWAP], -1);
    assert_int_equal(a.v[RES_DISK], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_scarcest_resource_decides),
        cmocka_unit_test(a_part_of_a_task_is_no_task),
        cmocka_unit_test(asking_for_all_needs_all_of_it_free),
        cmocka_unit_test(a_request_of_nothing_always_fits),
        cmocka_unit_test(less_than_nothing_left_holds_no_task),
        cmocka_unit_test(adding_scales_every_dimension),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
