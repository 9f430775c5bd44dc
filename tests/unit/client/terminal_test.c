/* SPDX-License-Identifier: Apache-2.0
 * Lines on a terminal: broken where they do not fit, coloured. */
#include "client/kit/terminal.h"
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void assert_written(
    unsigned width, bool colour, const char *line, const char *want)
{
    const struct terminal t = {width, colour};
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);

    assert_non_null(out);
    assert_int_equal(terminal_line(&t, line, out), 0);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, want);
    free(text);
}

static void a_line_that_fits_stays_as_it_is(void **state)
{
    (void)state;
    assert_written(20, false, "", "");
    assert_written(20, false, "12345678901234567890", "12345678901234567890");
    assert_written(20, false, "  a      b  ", "  a      b  ");
    assert_written(0, false, "a line of a terminal without a width",
        "a line of a terminal without a width");
    assert_written(
        19, false, "too narrow to break anything", "too narrow to break anything");
}

static void a_longer_one_goes_on_set_in(void **state)
{
    (void)state;
    assert_written(20, false, "one two three four five six seven",
        "one two three four\n    five six seven");
    assert_written(
        20, false, "  NAME     VALUE     REST", "  NAME     VALUE\n      REST");
    assert_written(20, false,
        "                    deep inside of it", /* all of it is behind the middle */
        "                    deep\n    inside of it");
    assert_written(20, false, "blanks at its end                ", "blanks at its end");
}

static void words_are_never_cut(void **state)
{
    (void)state;
    assert_written(20, false, "see http://localhost:1234/a/long/address now",
        "see\n    http://localhost:1234/a/long/address\n    now");
    assert_written(
        20, false, "abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwxyz");
}

/* Each part looks at its own line alone; 4 MB took minutes when it looked at all. */
static void a_line_of_megabytes_takes_a_moment(void **state)
{
    const size_t words = 800 * 1000;
    const struct terminal t = {40, false};
    char *line = malloc(words * 5 + 1), *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);

    (void)state;
    assert_non_null(line);
    assert_non_null(out);
    for (size_t i = 0; i <= words * 5; i++)
        line[i] = i == words * 5 ? '\0' : i % 5 == 4 ? ' ' : 'x';
    clock_t begin = clock();
    assert_int_equal(terminal_line(&t, line, out), 0);
    assert_int_equal(fclose(out), 0);
    assert_true(clock() - begin < 20 * CLOCKS_PER_SEC);
    assert_true(n > words * 5);
    free(text);
    free(line);
}

static void a_character_is_one_column(void **state)
{
    (void)state;
    assert_written(20, false, "ÄÖÜäöüßÄÖÜäöüßÄÖÜäöü", "ÄÖÜäöüßÄÖÜäöüßÄÖÜäöü");
    assert_written(20, false, "ÄÖÜäöüßÄÖÜ äöüßÄÖÜäöü", "ÄÖÜäöüßÄÖÜ\n    äöüßÄÖÜäöü");
}

static void states_headings_and_reasons_are_coloured(void **state)
{
    (void)state;
    assert_written(0, true, "State: Running", "State: \033[32mRunning\033[m");
    assert_written(0, true, "node1 Down, Running",
        "node1 \033[31mDown\033[m, \033[32mRunning\033[m");
    assert_written(0, true, "Downtown is no state", "Downtown is no state");
    assert_written(0, true, "IDLE JOBS-----", "\033[1mIDLE JOBS-----\033[m");
    assert_written(20, true, "cannot select job 2 (it has a hold)",
        "\033[33mcannot select job 2\033[m\n    \033[33m(it has a hold)\033[m");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_that_fits_stays_as_it_is),
        cmocka_unit_test(a_longer_one_goes_on_set_in),
        cmocka_unit_test(words_are_never_cut),
        cmocka_unit_test(a_line_of_megabytes_takes_a_moment),
        cmocka_unit_test(a_character_is_one_column),
        cmocka_unit_test(states_headings_and_reasons_are_coloured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
