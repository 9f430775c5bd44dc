/* SPDX-License-Identifier: Apache-2.0
 * Names as numbers, natural order, error sentences, growing text, near names. */
#include "base/err.h"
#include "base/names.h"
#include "base/nearest.h"
#include "base/strbuf.h"
#include "base/xalloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void a_name_keeps_its_number_and_its_text_stays_put(void **state)
{
    struct names *n = names_create();
    const char *first;
    char text[24];

    (void)state;
    assert_int_equal(names_find(n, "node0"), NAME_NONE);
    assert_int_equal(names_intern(n, "node0"), 0);
    first = names_text(n, 0);
    for (unsigned i = 0; i < 20000; i++) {
        snprintf(text, sizeof text, "node%u", i);
        assert_int_equal(names_intern(n, text), i);
    }
    assert_int_equal(names_count(n), 20000);
    assert_int_equal(names_intern(n, "node123"), 123);
    assert_int_equal(names_find(n, "node19999"), 19999);
    assert_ptr_equal(names_text(n, 0), first);
    assert_string_equal(names_text(n, 4711), "node4711");
    names_destroy(n);
}

static void names_of_a_row_count_on_like_any_others(void **state)
{
    static const char *const begins[] = {"node0", "n098", "7", "r1n99999999998"};
    char text[32];

    (void)state;
    for (size_t k = 0; k < sizeof begins / sizeof *begins; k++) {
        struct names *n = names_create();
        assert_int_equal(names_intern(n, begins[k]), 0);
        names_append_row(n, begins[k], 1000);
        assert_int_equal(names_count(n), 1001);
        strcpy(text, begins[k]);
        for (uint32_t i = 1; i <= 500; i++) {
            assert_true(name_next(text, sizeof text));
            assert_string_equal(names_row_text(n, i), text);
        }
        assert_string_equal(names_row_text(n, 0), begins[k]);
        assert_int_equal(names_intern(n, "last"), 1001);
        for (uint32_t i = 501; i <= 1000; i++) {
            assert_true(name_next(text, sizeof text));
            assert_int_equal(names_find(n, text), i);
            assert_string_equal(names_text(n, i), text);
        }
        assert_true(name_next(text, sizeof text));
        assert_int_equal(names_find(n, text), NAME_NONE);
        assert_int_equal(names_intern(n, text), 1002);
        names_destroy(n);
    }
}

static void names_count_on_from_the_number_they_end_in(void **state)
{
    static const char *const pairs[][2] = {{"n1", "n2"}, {"n9", "n10"}, {"n09", "n10"},
        {"r1n099", "r1n100"}, {"99", "100"}, {"n1999", "n2000"}};
    char name[8] = "rack", full[4] = "n99";

    (void)state;
    assert_false(name_next(name, sizeof name));
    assert_string_equal(name, "rack");
    assert_false(name_next(full, sizeof full));
    assert_string_equal(full, "n99");
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        strcpy(name, pairs[i][0]);
        assert_true(name_next(name, sizeof name));
        assert_string_equal(name, pairs[i][1]);
    }
}

static void names_tell_upper_from_lower_case(void **state)
{
    struct names *n = names_create();

    (void)state;
    assert_int_equal(names_intern(n, "Ann"), 0);
    assert_int_equal(names_intern(n, "ann"), 1);
    assert_int_equal(names_intern(n, ""), 2);
    assert_int_equal(names_find(n, "ANN"), NAME_NONE);
    names_destroy(n);
    names_destroy(NULL);
}

static void runs_of_digits_compare_as_numbers(void **state)
{
    /* in rising order */
    static const char *const sorted[] = {"", "7", "007.a", "7.b", "job", "job1",
        "job01", "job2", "job9", "job10", "job10.a", "job10a",
        "job99999999999999999999", "job100000000000000000000", "jobs", "zeta"};
    size_t n = sizeof sorted / sizeof *sorted;

    (void)state;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            int order = name_compare(sorted[i], sorted[j]);

            if (strcmp(sorted[i], "job1") == 0 && strcmp(sorted[j], "job01") == 0)
                continue; /* either, but see below */
            if (strcmp(sorted[i], "job01") == 0 && strcmp(sorted[j], "job1") == 0)
                continue;
            if ((order < 0) != (i < j) || (order == 0) != (i == j))
                fail_msg("'%s' and '%s': %d", sorted[i], sorted[j], order);
        }
}

static void natural_order_is_total(void **state)
{
    (void)state;
    assert_true(name_compare("job01", "job1") < 0);
    assert_true(name_compare("job1", "job01") > 0);
    assert_true(name_compare("job01x", "job1x") < 0);
    assert_int_equal(name_compare("job01", "job01"), 0);
}

static void near_names_are_found_and_far_ones_are_not(void **state)
{
    static const char *const names[] = {
        "BACKFILLPOLICY", "BACKFILLDEPTH", "FSDEPTH", "ON"};
    static const struct {
        const char *text, *best;
    } rows[] = {{"", NULL}, {"X", NULL}, {"GIBBERISH", NULL}, {"QQQQQQQQQQ", NULL},
        {"BACKFILLPOLCY", "BACKFILLPOLICY"}, {"backfilldetph", "BACKFILLDEPTH"},
        {"FSDEPT", "FSDEPTH"}, {"FSDPETH", "FSDEPTH"}, {"OM", "ON"},
        {"DEPTH", "FSDEPTH"}, {"fill", "BACKFILLDEPTH"}, {"PTH", NULL}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct nearest near;

        nearest_init(&near, rows[i].text);
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            nearest_offer(&near, names[k]);
        if (rows[i].best == NULL)
            assert_null(nearest_best(&near));
        else
            assert_string_equal(nearest_best(&near), rows[i].best);
    }
}

static void distance_counts_changes_and_swaps(void **state)
{
    char longer[80];

    (void)state;
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_int_equal(nearest_distance(longer, "a"), UINT32_MAX);
    longer[63] = '\0';
    assert_int_equal(nearest_distance(longer, "a"), 62);
    assert_int_equal(nearest_distance("b", longer), 63);
    assert_int_equal(nearest_distance("", ""), 0);
    assert_int_equal(nearest_distance("", "abc"), 3);
    assert_int_equal(nearest_distance("ABC", "abc"), 0);
    assert_int_equal(nearest_distance("kitten", "sitting"), 3);
    assert_int_equal(nearest_distance("abcd", "abdc"), 1);
    assert_int_equal(nearest_distance("ca", "abc"), 3); /* swapped, then left alone */
    assert_int_equal(nearest_distance("abcdef", "badcfe"), 3);
}

static void an_error_is_one_sentence_with_context(void **state)
{
    struct err err;
    char longer[1000];

    (void)state;
    assert_int_equal(err_set(&err, ERR_INVALID, "'%s' is not a number", "x"), -1);
    assert_int_equal(err_prefix(&err, "maui.cfg:%d: ", 12), -1);
    assert_string_equal(err.text, "maui.cfg:12: 'x' is not a number");
    assert_int_equal(err.code, ERR_INVALID);
    assert_int_equal(err_set(NULL, ERR_IO, "nobody listens"), -1);
    assert_int_equal(err_prefix(NULL, "nobody"), -1);
    memset(longer, 'y', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    err_set(&err, ERR_IO, "%s", longer);
    err_prefix(&err, "%s", longer);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
}

static void text_grows(void **state)
{
    struct strbuf b = {0};
    char *text;

    (void)state;
    text = strbuf_take(&b);
    assert_string_equal(text, "");
    free(text);
    for (int i = 0; i < 1000; i++) {
        strbuf_add(&b, "ab");
        strbuf_printf(&b, "%0200d", i);
    }
    assert_int_equal(b.len, 202 * 1000);
    text = strbuf_take(&b);
    assert_int_equal(strlen(text), 202 * 1000);
    assert_int_equal(b.len, 0);
    free(text);
}

static void memory_of_no_size_is_still_memory(void **state)
{
    void *a = xmalloc(0), *b = xcalloc(0, 8), *c = xrealloc(NULL, 0, 4);
    char *d = xstrndup("abc", 2), *e = xstrndup("abc", 99);

    (void)state;
    assert_non_null(a);
    assert_non_null(b);
    assert_non_null(c);
    assert_string_equal(d, "ab");
    assert_string_equal(e, "abc");
    free(a);
    free(b);
    free(c);
    free(d);
    free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_keeps_its_number_and_its_text_stays_put),
        cmocka_unit_test(names_of_a_row_count_on_like_any_others),
        cmocka_unit_test(names_count_on_from_the_number_they_end_in),
        cmocka_unit_test(names_tell_upper_from_lower_case),
        cmocka_unit_test(runs_of_digits_compare_as_numbers),
        cmocka_unit_test(natural_order_is_total),
        cmocka_unit_test(near_names_are_found_and_far_ones_are_not),
        cmocka_unit_test(distance_counts_changes_and_swaps),
        cmocka_unit_test(an_error_is_one_sentence_with_context),
        cmocka_unit_test(text_grows),
        cmocka_unit_test(memory_of_no_size_is_still_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
