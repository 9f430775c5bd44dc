/* SPDX-License-Identifier: Apache-2.0
 * Who may see and do more than others, and how that is told by an adapter. */
#include "base/xalloc.h"
#include "rm/wire.h"
#include "server/api/rights.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const operators[] = {"olga", "slurm", NULL};
static const struct rm_coordinator coordinators[] = {
    {"carl", "chem"}, {"carl", "lab"}, {"cora", "bio"}};
static const struct rm_rights told = {.hides = RM_HIDES_JOBS | RM_HIDES_USERS,
    .operators = operators,
    .coordinators = coordinators,
    .n = 3};

static void nobody_has_any_before_they_are_told(void **state)
{
    struct rights *r = rights_new();

    (void)state;
    assert_int_equal(rights_hidden(r), 0);
    assert_false(rights_is_operator(r, "olga"));
    assert_false(rights_coordinates(r, "carl", "chem"));
    rights_free(r);
    assert_int_equal(rights_hidden(NULL), 0);
    assert_false(rights_is_operator(NULL, "olga"));
    assert_false(rights_coordinates(NULL, "carl", NULL));
    rights_free(NULL);
}

static void what_was_told_is_forgotten_and_all_hidden_where_more_is_to_come(
    void **state)
{
    struct rights *r = rights_new();

    (void)state;
    rights_take(r, NULL, &told);
    rights_forget(r, true);
    assert_int_equal(rights_hidden(r), RM_HIDES_ALL);
    assert_int_equal(rights_hidden_then(r), RM_HIDES_ALL);
    assert_false(rights_operate(r, "olga"));
    assert_false(rights_coordinates(r, "carl", NULL));
    assert_true(rights_cover(r, "far"));
    rights_forget(r, false);
    assert_int_equal(rights_hidden(r), 0);
    assert_int_equal(rights_hidden_then(r), 0);
    rights_take(r, NULL, &(struct rm_rights){.hides = 0});
    assert_int_equal(rights_hidden_then(r), RM_HIDES_ALL);
    rights_free(r);
    assert_int_equal(rights_hidden_then(NULL), 0);
}

static void a_coordinator_is_one_of_its_accounts_alone(void **state)
{
    struct rights *r = rights_new();

    (void)state;
    rights_take(r, NULL, &told);
    assert_int_equal(rights_hidden(r), RM_HIDES_JOBS | RM_HIDES_USERS);
    assert_true(rights_is_operator(r, "olga"));
    assert_false(rights_is_operator(r, "carl"));
    assert_true(rights_coordinates(r, "carl", "chem"));
    assert_true(rights_coordinates(r, "carl", "lab"));
    assert_true(rights_coordinates(r, "carl", NULL));
    assert_false(rights_coordinates(r, "carl", "bio"));
    assert_false(rights_coordinates(r, "cora", "chem"));
    assert_false(rights_coordinates(r, "olga", NULL));
    rights_free(r);
}

static void names_of_any_length_are_harmless(void **state)
{
    struct rights *r = rights_new();
    char *name = xcalloc(100001, 1);

    (void)state;
    memset(name, 'x', 100000);
    rights_take(r, NULL, &told);
    assert_false(rights_is_operator(r, name));
    assert_false(rights_coordinates(r, name, "chem"));
    assert_false(rights_coordinates(r, "carl", name));
    free(name);
    rights_free(r);
}

static void of_several_managers_they_are_about_its_own_jobs(void **state)
{
    struct rights *r = rights_new();

    (void)state;
    rights_take(r, "slurm", &told);
    assert_true(
        rights_cover(r, "slurm") && !rights_cover(r, "") && !rights_cover(r, "pbs"));
    assert_true(rights_operate(r, "olga"));
    assert_false(rights_is_operator(r, "olga"));
    rights_take(r, NULL, &told);
    assert_true(rights_cover(r, "pbs") && rights_is_operator(r, "olga"));
    assert_false(rights_cover(NULL, ""));
    rights_free(r);
}

static void what_is_told_later_is_all_there_is(void **state)
{
    struct rights *r = rights_new();

    (void)state;
    rights_take(r, NULL, &told);
    rights_take(r, NULL, &told);
    assert_true(rights_is_operator(r, "slurm"));
    rights_take(r, NULL, &(struct rm_rights){.hides = RM_HIDES_NODES});
    assert_int_equal(rights_hidden(r), RM_HIDES_NODES);
    assert_false(rights_is_operator(r, "slurm"));
    assert_false(rights_coordinates(r, "carl", "chem"));
    rights_free(r);
}

/* As the daemon reads the line; -1: it refuses it. */
static int read_line(const char *line, struct rights *ret)
{
    struct rm_report report;
    struct wire_room room;
    struct reader reader = {0};
    struct err err;
    int result = reader_open(&reader, "line", line, strlen(line), &err);

    if (result == 0)
        result = wire_read_report(&reader, &report, &room, &err);
    if (result == 0 && report.kind == RM_RIGHTS)
        rights_take(ret, NULL, &report.u.rights);
    reader_close(&reader);
    return result;
}

static void they_come_through_the_line_as_told(void **state)
{
    struct rm_report report = {.kind = RM_RIGHTS, .u.rights = told};
    struct rights *r = rights_new();
    char *line = wire_report(&report);

    (void)state;
    assert_int_equal(read_line(line, r), 0);
    assert_int_equal(rights_hidden(r), told.hides);
    assert_true(rights_is_operator(r, "olga"));
    assert_true(rights_coordinates(r, "cora", "bio"));
    free(line);
    rights_free(r);
}

static void a_damaged_line_gives_nobody_anything(void **state)
{
    static const char *const lines[] = {"{\"rights\":{\"operators\":\"olga\"}}",
        "{\"rights\":{\"operators\":[1]}}",
        "{\"rights\":{\"coordinators\":[{\"user\":\"carl\"}]}}",
        "{\"rights\":{\"coordinators\":[\"carl\"]}}", "{\"rights\":{\"hides\":7}}"};
    struct rights *r = rights_new();

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        assert_int_equal(read_line(lines[i], r), -1);
    assert_false(rights_is_operator(r, "olga"));
    assert_false(rights_coordinates(r, "carl", NULL));
    rights_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_has_any_before_they_are_told),
        cmocka_unit_test(
            what_was_told_is_forgotten_and_all_hidden_where_more_is_to_come),
        cmocka_unit_test(a_coordinator_is_one_of_its_accounts_alone),
        cmocka_unit_test(names_of_any_length_are_harmless),
        cmocka_unit_test(of_several_managers_they_are_about_its_own_jobs),
        cmocka_unit_test(what_is_told_later_is_all_there_is),
        cmocka_unit_test(they_come_through_the_line_as_told),
        cmocka_unit_test(a_damaged_line_gives_nobody_anything),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
