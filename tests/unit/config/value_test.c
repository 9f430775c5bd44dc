/* SPDX-License-Identifier: Apache-2.0
 * Values by type, wrong ones first (reference parameters.md 2, throttling.md 2,
 * fairshare.md 5). */
#include "config/value.h"
#include "kit.h"

static void what_is_not_a_number_is_refused(void **state)
{
    static const char *const wrong[] = {"", "-", "+", "1.5", "1x", "x1", "0x10", "1 2",
        "--1", "99999999999999999999", "1e3"};
    static const char *const no_number[] = {"", "-", ".", "1..2", "1x", "nan", "inf",
        "0x1p3", "1,5", "1e", "1 2", "1e400", "30%"};
    int64_t value;
    double number;
    bool flag;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(value_int(wrong[i], 0, 0, &value, NULL), -1);
    for (size_t i = 0; i < sizeof no_number / sizeof *no_number; i++)
        if (value_number(no_number[i], 0, 0, &number, NULL) == 0)
            fail_msg("'%s' was taken", no_number[i]);
    assert_int_equal(value_int("65", 1, 64, &value, NULL), -1);
    assert_int_equal(value_int("0", 1, 64, &value, NULL), -1);
    assert_int_equal(value_number("1.01", 0, 1, &number, NULL), -1);
    assert_int_equal(value_bool("2", &flag, NULL), -1);
    assert_int_equal(value_bool("", &flag, NULL), -1);
    assert_int_equal(value_bool("TRUEE", &flag, NULL), -1);
}

static void numbers_are_decimal(void **state)
{
    int64_t value;
    double number;

    (void)state;
    assert_int_equal(value_int("010", 0, 0, &value, NULL), 0);
    assert_int_equal(value, 10);
    assert_int_equal(value_int("-7", 0, 0, &value, NULL), 0);
    assert_int_equal(value, -7);
    assert_int_equal(value_int("+64", 1, 64, &value, NULL), 0);
    assert_int_equal(value, 64);
    assert_int_equal(value_number("-.5", 0, 0, &number, NULL), 0);
    assert_true(number == -0.5);
    assert_int_equal(value_number("1e3", 0, 0, &number, NULL), 0);
    assert_true(number == 1000);
}

static void booleans_have_eight_spellings(void **state)
{
    static const char *const yes[] = {"TRUE", "on", "Yes", "1"}, *const no[] = {"false",
                                                                     "OFF", "no", "0"};
    bool flag;

    (void)state;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(value_bool(yes[i], &flag, NULL), 0);
        assert_true(flag);
        assert_int_equal(value_bool(no[i], &flag, NULL), 0);
        assert_false(flag);
    }
}

static void a_wrong_keyword_is_told_with_the_right_ones(void **state)
{
    static const struct cfg_keyword words[] = {
        {"FIRSTFIT", 1}, {"BESTFIT", 2}, {"LAZY", 3, "is old"}, {NULL}};
    const struct cfg_keyword *found = NULL;
    struct err err;

    (void)state;
    assert_int_equal(value_keyword("FIRSTFTI", words, &found, &err), -1);
    assert_string_equal(
        err.text, "'FIRSTFTI' is not one of FIRSTFIT BESTFIT; did you mean FIRSTFIT?");
    assert_null(found);
    assert_int_equal(value_keyword("bestfit", words, &found, &err), 0);
    assert_int_equal(found->value, 2);
}

static void limits_are_soft_and_hard(void **state)
{
    static const struct {
        const char *text;
        bool is_time;
        struct limit limit;
    } rows[] = {{"8", false, {8, 8}}, {"2,8", false, {2, 8}}, {"9,8", false, {8, 8}},
        {"0", false, {0, 0}}, {"0,8", false, {8, 8}}, {"-1", false, {-1, -1}},
        {"-5", false, {-1, -1}}, {"3,-1", false, {3, -1}}, {"-1,8", false, {8, 8}},
        {"3,0", false, {3, -1}}, {"1:00:00", true, {3600, 3600}},
        {"60,2:00:00", true, {60, 7200}}, {"-1", true, {-1, -1}}};
    static const char *const wrong[] = {
        "", ",", "8,", ",8", "1,2,3", "x", "1.5", "1:00"};
    struct limit limit;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (value_limit(wrong[i], false, &limit, NULL) == 0)
            fail_msg("'%s' was taken", wrong[i]);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(value_limit(rows[i].text, rows[i].is_time, &limit, NULL), 0);
        assert_int_equal(limit.soft, rows[i].limit.soft);
        assert_int_equal(limit.hard, rows[i].limit.hard);
    }
}

static void fairshare_targets_have_a_type(void **state)
{
    static const struct {
        const char *text;
        enum fs_target_type type;
        double value;
    } rows[] = {{"25", FS_TARGET_PLAIN, 25}, {"10+", FS_TARGET_FLOOR, 10},
        {"25.5-", FS_TARGET_CEILING, 25.5}, {"1000^", FS_TARGET_ABS_CAP, 1000},
        {"32%", FS_TARGET_REL_CAP, 32}, {"0", FS_TARGET_NONE, 0},
        {"0%", FS_TARGET_NONE, 0}};
    static const char *const wrong[] = {"", "+", "-5", "25*", "25+-", "x", "%"};
    struct fs_target target;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (value_fstarget(wrong[i], &target, NULL) == 0)
            fail_msg("'%s' was taken", wrong[i]);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(value_fstarget(rows[i].text, &target, NULL), 0);
        assert_int_equal(target.type, rows[i].type);
        assert_true(target.value == rows[i].value);
    }
}

static void sizes_are_mb_or_have_a_unit(void **state)
{
    static const struct {
        const char *text;
        int64_t mb;
    } rows[] = {{"512", 512}, {"1g", 1024}, {"1.5GB", 1536}, {"2t", 2097152},
        {"100k", 1}, {"1025kb", 2}, {"16m", 16}, {"0", 0}};
    static const char *const wrong[] = {"", "g", "1x", "-1", "1 g", "1gg", "1.2.3"};
    int64_t mb;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (value_size_mb(wrong[i], &mb, NULL) == 0)
            fail_msg("'%s' was taken", wrong[i]);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(value_size_mb(rows[i].text, &mb, NULL), 0);
        assert_int_equal(mb, rows[i].mb);
    }
}

static void lists_of_names_carry_an_operator(void **state)
{
    static const struct {
        const char *text;
        size_t n;
        enum list_mode mode;
        const char *last;
    } rows[] = {{"geo,chem,staff", 3, LIST_OR, "staff"},
        {"general:test", 2, LIST_OR, "test"}, {"general,test&", 2, LIST_AND, "test"},
        {"&a,b", 2, LIST_AND, "b"}, {"a^", 1, LIST_ONLY, "a"}, {"", 0, LIST_OR, NULL},
        {"&", 0, LIST_AND, NULL}, {"4-8", 5, LIST_OR, "8"}, {"a,1-3", 4, LIST_OR, "3"},
        {"a-b", 1, LIST_OR, "a-b"}, {"1-", 1, LIST_OR, "1-"}, {"-1", 1, LIST_OR, "-1"},
        {"007-9", 3, LIST_OR, "9"}};
    struct name_list list = {0};

    (void)state;
    assert_int_equal(value_creds("8-4", &list, NULL), -1);
    assert_int_equal(value_creds("1-100000", &list, NULL), -1);
    assert_false(list.set);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(value_creds(rows[i].text, &list, NULL), 0);
        assert_true(list.set);
        assert_int_equal(list.names.n, rows[i].n);
        assert_int_equal(list.mode, rows[i].mode);
        if (rows[i].last != NULL)
            assert_string_equal(list.names.v[rows[i].n - 1], rows[i].last);
    }
    text_list_fini(&list.names);
}

static void generic_resources_have_counts(void **state)
{
    struct gres_list list = {0};

    (void)state;
    assert_int_equal(value_gres("4", 9999, &list, NULL), -1);
    assert_int_equal(value_gres("tape:99999999999999999999", 9999, &list, NULL), -1);
    assert_int_equal(value_gres("matlab:2,prime:4", 9999, &list, NULL), 0);
    assert_int_equal(list.n, 2);
    assert_string_equal(list.v[1].name, "prime");
    assert_int_equal(list.v[1].count, 4);
    assert_int_equal(value_gres("matlab:2:prime", 9999, &list, NULL), 0);
    assert_int_equal(list.n, 2);
    assert_int_equal(list.v[1].count, 9999);
    assert_int_equal(value_gres("[batch:1][long]", -1, &list, NULL), 0);
    assert_int_equal(list.n, 2);
    assert_string_equal(list.v[0].name, "batch");
    assert_int_equal(list.v[0].count, 1);
    assert_int_equal(list.v[1].count, -1);
    gres_list_fini(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_a_number_is_refused),
        cmocka_unit_test(numbers_are_decimal),
        cmocka_unit_test(booleans_have_eight_spellings),
        cmocka_unit_test(a_wrong_keyword_is_told_with_the_right_ones),
        cmocka_unit_test(limits_are_soft_and_hard),
        cmocka_unit_test(fairshare_targets_have_a_type),
        cmocka_unit_test(sizes_are_mb_or_have_a_unit),
        cmocka_unit_test(lists_of_names_carry_an_operator),
        cmocka_unit_test(generic_resources_have_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
