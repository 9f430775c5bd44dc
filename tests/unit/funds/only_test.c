/* SPDX-License-Identifier: Apache-2.0
 * Whom an account is for. */
#include "cmocka_all.h"
#include "funds/only.h"

#include <stdio.h>
#include <string.h>

static const struct am_use ann = {.user = "ann", .group = "chem", .class = "long"};

static void the_empty_list_is_for_all(void **state)
{
    const struct am_use nobody = {0};

    (void)state;
    assert_true(only_admits("", &ann));
    assert_true(only_admits("", &nobody));
}

static void one_of_the_users_or_groups(void **state)
{
    (void)state;
    assert_true(only_admits("user=bob,ann", &ann));
    assert_true(only_admits("user=bob group=chem", &ann));
    assert_true(only_admits("group=bio user=ann", &ann));
    assert_false(only_admits("user=bob group=bio", &ann));
    assert_false(only_admits("user=anna,an", &ann));
}

static void one_of_each_other_kind(void **state)
{
    (void)state;
    assert_true(only_admits("class=short,long", &ann));
    assert_true(only_admits("user=ann class=long", &ann));
    assert_false(only_admits("user=ann class=short", &ann));
    assert_false(only_admits("class=long qos=high", &ann));
    assert_false(only_admits("partition=p1", &ann));
    assert_true(only_admits("  group=chem   class=long ", &ann));
}

static void what_is_wrong_is_named(void **state)
{
    static const char *const texts[] = {"usr=ann", "ann", "user=", "user", "user=,ann",
        "user=ann,", "=ann", "user=ann colour=red", "user=ann,user=bob",
        "user=ann,group=chem"};
    struct err err;

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (only_valid(texts[i], &err) == 0)
            fail_msg("'%s' is taken", texts[i]);
        assert_non_null(strstr(err.text, "expected"));
    }
    assert_int_equal(only_valid("usr=ann", &err), -1);
    assert_non_null(strstr(err.text, "did you mean 'user'?"));
}

static void what_is_right_is_taken(void **state)
{
    static const char *const texts[] = {"", " ", "user=ann",
        "user=ann,bob group=chem  class=long qos=high partition=p"};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_int_equal(only_valid(texts[i], NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_empty_list_is_for_all),
        cmocka_unit_test(one_of_the_users_or_groups),
        cmocka_unit_test(one_of_each_other_kind),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(what_is_right_is_taken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
