/* SPDX-License-Identifier: Apache-2.0
 * Whose turn it is among users with several requests each. */
#include "server/http/turns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void served(struct turns *t, const char *expected)
{
    char text[80] = "";

    for (size_t i = 0; expected[i]; i++) {
        struct turn *next = turns_next(t);
        text[i] = next ? *(const char *)next->of : '-';
    }
    assert_string_equal(text, expected);
}

static void users_go_in_turn_and_so_do_their_requests(void **state)
{
    struct turn a1 = {.of = "1"}, a2 = {.of = "2"}, a3 = {.of = "3"}, b = {.of = "b"};
    struct turns t;

    (void)state;
    turns_init(&t);
    assert_true(turns_empty(&t));
    served(&t, "-");
    assert_true(turns_add(&t, "ann", &a1));
    assert_false(turns_add(&t, "ann", &a2));
    assert_false(turns_add(&t, "ann", &a3));
    served(&t, "123123");
    assert_true(turns_add(&t, "bob", &b));
    served(&t, "1b2b3b1b");
    turns_remove(&t, &a2);
    turns_remove(&t, &a2);
    served(&t, "3b1b3b");
    turns_remove(&t, &b);
    served(&t, "13");
    turns_remove(&t, &a1);
    turns_remove(&t, &a3);
    assert_true(turns_empty(&t));
    assert_true(turns_add(&t, "ann", &a1));
    turns_remove(&t, &a1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(users_go_in_turn_and_so_do_their_requests),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
