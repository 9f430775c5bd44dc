/* SPDX-License-Identifier: Apache-2.0
 * Growable arrays. */
#include "base/vec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void zeros_are_appended_without_copying_all_each_time(void **state)
{
    (void)state;
    struct VEC(uint32_t) a = {0};
    unsigned moved = 0;

    for (uint32_t i = 0; i < 100000; i++) {
        size_t cap = a.cap;
        vec_push_zeros(&a, 1);
        moved += cap != a.cap;
        assert_int_equal(a.v[i], 0);
        a.v[i] = i + 1;
    }
    assert_true(moved <= 20);
    assert_int_equal(a.n, 100000);
    assert_int_equal(a.v[99998], 99999);
    vec_fini(&a);
}

static void what_was_there_before_is_zero_again(void **state)
{
    (void)state;
    struct VEC(uint32_t) a = {0};

    for (uint32_t i = 0; i < 7; i++)
        vec_push(&a, 9);
    a.n = 2;
    vec_push_zeros(&a, 0);
    assert_int_equal(a.n, 2);
    vec_push_zeros(&a, 30);
    assert_int_equal(a.n, 32);
    assert_int_equal(a.v[1], 9);
    for (size_t i = 2; i < a.n; i++)
        assert_int_equal(a.v[i], 0);
    vec_fini(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zeros_are_appended_without_copying_all_each_time),
        cmocka_unit_test(what_was_there_before_is_zero_again)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
