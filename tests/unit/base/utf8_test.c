/* SPDX-License-Identifier: Apache-2.0
 * Where characters end, and lines of whole ones. */
#include "base/utf8.h"
#include "cmocka_all.h"

#include <stdlib.h>

static void characters_have_their_lengths(void **state)
{
    (void)state;
    assert_int_equal(utf8_length("a", 1), 1);
    assert_int_equal(utf8_length("\xc3\xa4", 2), 2);
    assert_int_equal(utf8_length("\xe2\x82\xac", 3), 3);
    assert_int_equal(utf8_length("\xf0\x9f\x98\x80", 4), 4);
    assert_int_equal(utf8_length("\xe2\x82\xac", 2), 0);     /* cut */
    assert_int_equal(utf8_length("\x80", 1), 0);             /* amid one */
    assert_int_equal(utf8_length("\xc0\x80", 2), 0);         /* longer than need be */
    assert_int_equal(utf8_length("\xed\xa0\x80", 3), 0);     /* half of a pair */
    assert_int_equal(utf8_length("\xf4\x90\x80\x80", 4), 0); /* beyond the last */
}

static void check_line(const char *text, size_t most, const char *line)
{
    struct strbuf b = {0};

    strbuf_add(&b, "n=");
    utf8_add_line(&b, text, most, "=,");
    assert_string_equal(b.text, line);
    free(b.text);
}

static void a_line_ends_with_a_whole_character(void **state)
{
    (void)state;
    check_line("K\xc3\xb6ln", 20, "n=K\xc3\xb6ln");
    check_line("K\xc3\xb6ln", 4, "n=K");
    check_line("K\xc3\xb6ln", 5, "n=K\xc3\xb6");
    check_line("abc", 2, "n=");
}

static void what_would_be_no_line_is_replaced(void **state)
{
    (void)state;
    check_line("a=b,c\nd\x7f", 20, "n=a b c d ");
    check_line("\xff\xc3", 20, "n=?\?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters_have_their_lengths),
        cmocka_unit_test(a_line_ends_with_a_whole_character),
        cmocka_unit_test(what_would_be_no_line_is_replaced),
    };

    return cmocka_run_group_tests_name("utf8", tests, NULL, NULL);
}
