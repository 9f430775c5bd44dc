/* SPDX-License-Identifier: Apache-2.0
 * Texts of others on a terminal. */
#include "base/steering.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void plain_text_stays_what_it_is(void **state)
{
    static const char *const texts[] = {"", "job 7", "M\xc3\xbcll \xe2\x82\xac",
        "\xff\xfe", "\xe2", "\xe2\x80", "\xc2"};
    char copy[40];

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_null(steering_find(texts[i]));
        strcpy(copy, texts[i]);
        steering_replace(copy);
        assert_string_equal(copy, texts[i]);
    }
}

static void what_steers_a_terminal_is_replaced_byte_by_byte(void **state)
{
    static const struct {
        const char *text, *seen;
    } cases[] = {{"\x1b]0;owned\a!", "?]0;owned?!"},
        {"a\nState: x\r\t", "a?State: x??"}, {"\x7f", "?"},
        {"\xc2\x9b"
         "2J",
            "??2J"},
        {"\xe2\x80\xae"
         "x",
            "???x"},
        {"\xe2\x81\xa6", "???"}, {"\xe2\x80\xa8", "???"}};
    char copy[40];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        strcpy(copy, cases[i].text);
        assert_non_null(steering_find(copy));
        steering_replace(copy);
        assert_string_equal(copy, cases[i].seen);
        assert_null(steering_find(copy));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_text_stays_what_it_is),
        cmocka_unit_test(what_steers_a_terminal_is_replaced_byte_by_byte),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
