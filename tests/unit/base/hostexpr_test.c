/* SPDX-License-Identifier: Apache-2.0
 * Host expressions and ranges (reference reservations.md 5.4, R41). */
#include "base/hostexpr.h"
#include "base/hostrange.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct cluster {
    const char *const *names;
    uint32_t count;
};

static const char *name_at(void *ctx, uint32_t index)
{
    return ((const struct cluster *)ctx)->names[index];
}

/* The class "odd" has every other node. */
static int in_class(void *ctx, const char *name, struct bitset *into)
{
    const struct cluster *c = ctx;

    if (strcmp(name, "odd") != 0)
        return -1;
    for (uint32_t i = 1; i < c->count; i += 2)
        bitset_set(into, i);
    return 0;
}

/* The nodes found, by name and blank; "!" in front when a complaint was made. */
static const char *find(
    const char *text, const char *const *names, uint32_t count, struct err *err)
{
    static char out[4096];
    struct cluster c = {names, count};
    struct hostexpr_nodes nodes = {
        .count = count, .name_at = name_at, .in_class = in_class, .ctx = &c};
    struct hostexpr_hosts hosts = {0};

    strcpy(out, hostexpr_match(text, &nodes, &hosts, err) < 0 ? "!" : "");
    for (size_t i = 0; i < hosts.order.n; i++) {
        strcat(out, i > 0 ? " " : "");
        strcat(out, names[hosts.order.v[i]]);
    }
    assert_int_equal(bitset_count(&hosts.set), hosts.order.n);
    hostexpr_hosts_fini(&hosts);
    return out;
}

#define FIND(text, names)                                                              \
    find(text, names, (uint32_t)(sizeof(names) / sizeof *(names)), &err)

static void malformed_expressions_are_refused(void **state)
{
    static const char *const names[] = {"node1", "node2"};
    static const char *const wrong[] = {
        "node(", "node[1", "*", "node{2,1}", "(?", "a\\"};
    struct err err;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(*FIND(wrong[i], names), '!');
        assert_int_equal(err.code, ERR_INVALID);
        assert_int_equal(hostexpr_check(wrong[i], &err), -1);
    }
}

static void an_element_that_matches_nothing_is_told_and_the_others_count(void **state)
{
    static const char *const names[] = {"node1", "node2"};
    struct err err;

    (void)state;
    assert_string_equal(FIND("node1,gpu", names), "!node1");
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_non_null(strstr(err.text, "gpu"));
    assert_string_equal(FIND("+node", names), "!");
    assert_string_equal(FIND("class:none", names), "!");
    assert_string_equal(FIND("node[03-20]", names), "!");
}

static void r41_regular_expressions(void **state)
{
    static const char *const names[] = {"node1", "node2", "node10", "node11"};
    struct err err;

    (void)state;
    assert_string_equal(FIND("node[1-2]", names), "node1 node2 node10 node11");
    assert_string_equal(FIND("^node1$", names), "node1");
    assert_string_equal(FIND("node1[01]", names), "node10 node11");
    assert_string_equal(FIND("node1", names), "node1");
    assert_string_equal(FIND("NODE1.", names), "node10 node11");
}

static void ranges_and_classes_of_characters_name_the_same_nodes(void **state)
{
    static const char *const names[] = {
        "node01", "node02", "node03", "node04", "node05"};
    struct err err;

    (void)state;
    assert_string_equal(FIND("node0[1-4]", names), "node01 node02 node03 node04");
    assert_string_equal(FIND("node[01-04]", names), "node01 node02 node03 node04");
}

static void a_range_of_several_digits_is_counted(void **state)
{
    static const char *const names[] = {"node1", "node9", "node10", "node19", "node20",
        "node21", "node100", "node010", "xnode10"};
    struct err err;

    (void)state;
    assert_string_equal(FIND("node[1-20]", names), "node1 node9 node10 node19 node20");
    assert_string_equal(FIND("node[9-10,100]", names), "node9 node10 node100");
    assert_string_equal(FIND("node[001-010]", names), "node010");
    assert_string_equal(FIND("node[19,21],node1", names), "node19 node21 node1");
}

static void ranges_match_whole_names(void **state)
{
    static const struct {
        const char *range, *name;
        bool match;
    } rows[] = {{"n[1-20]", "n0", false}, {"n[1-20]", "n21", false},
        {"n[1-20]", "n01", false}, {"n[01-20]", "n1", false}, {"n[1-20]", "n", false},
        {"n[1-20]", "n5x", false}, {"n[1-20]x", "n5x", true}, {"n[08-12]", "n08", true},
        {"n[08-12]", "n12", true}, {"n[1-20]0", "n10", true},
        {"n[1-20]0", "n200", true}, {"r[1-4]n[01-16]", "r3n08", true},
        {"r[1-4]n[01-16]", "r5n08", false}, {"r[1-4]n[01-16]-ib", "r3n08-ib", true},
        {"n[1-999999999]", "n123456789", true}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(hostrange_is(rows[i].range));
        if (hostrange_match(rows[i].range, rows[i].name) != rows[i].match)
            fail_msg("%s and %s", rows[i].range, rows[i].name);
    }
}

static void what_is_no_range_is_a_regular_expression(void **state)
{
    static const char *const rows[] = {"", "node", "node[1-4]", "node[01]", "node[1-4",
        "node[a-c]", "node[20-1]", "node.*[1-20]", "node[1-2000000000000]",
        "n[1-20][1-20]", "n[1-20]5[1-20]", "n[]", "n[1-]", "n[-10]", "n[1,,20]"};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (hostrange_is(rows[i]))
            fail_msg("'%s' was taken for a range", rows[i]);
}

static void elements_keep_their_order_and_nodes_come_once(void **state)
{
    static const char *const names[] = {"a1", "a2", "b1", "b2"};
    struct err err;

    (void)state;
    assert_string_equal(FIND("b2, a1 ,,b", names), "b2 a1 b1");
    assert_string_equal(FIND("ALL", names), "a1 a2 b1 b2");
    assert_string_equal(FIND("b,[ALL]", names), "b1 b2 a1 a2");
    assert_string_equal(FIND("class:odd", names), "a2 b2");
    assert_string_equal(FIND("+b1", names), "b1");
    assert_string_equal(FIND("", names), "");
    assert_string_equal(FIND("[ab]{1,2}1", names), "a1 b1");
}

static void costly_patterns_are_stopped(void **state)
{
    static const char *const names[] = {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"};
    char longer[2 * HOSTEXPR_ELEMENT_MAX];
    struct err err;

    (void)state;
    assert_int_equal(*FIND("(a+)+(a+)+(a+)+$", names), '!');
    assert_int_equal(err.code, ERR_INVALID);
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_int_equal(*FIND(longer, names), '!');
    assert_int_equal(err.code, ERR_INVALID);
    memset(longer, '(', 100);
    memset(longer + 100, ')', 100);
    longer[200] = '\0';
    assert_int_equal(*FIND(longer, names), '!');
}

/* Each of them would be looked for to the end if it were worth it: minutes. */
static void a_million_open_brackets_are_stepped_over(void **state)
{
    const size_t len = 1000000;
    char *text = malloc(len + 1);
    struct err err;

    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < len; i++)
        text[i] = "[,{x"[i % 4];
    text[len] = '\0';
    assert_int_equal(hostexpr_check(text, &err), -1);
    assert_int_equal(err.code, ERR_INVALID);
    memset(text, '{', len);
    text[1] = '}';
    assert_int_equal(hostexpr_check(text, &err), -1);
    free(text);
}

static void an_open_bracket_hides_no_comma(void **state)
{
    static const char *const names[] = {"n1", "n2", "n[3"};
    struct err err;

    (void)state;
    assert_string_equal(FIND("+n[3,n1", names), "n[3 n1");
    assert_string_equal(FIND("n[1-2],+n[3", names), "n1 n2 n[3");
}

static void well_formed_expressions_pass_the_check(void **state)
{
    static const char *const rows[] = {"", "ALL", "n1,n2", "^node0[1-4]$",
        "class:batch", "+n(", "node[1-20]", "rack[0-9]+"};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(hostexpr_check(rows[i], NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(malformed_expressions_are_refused),
        cmocka_unit_test(an_element_that_matches_nothing_is_told_and_the_others_count),
        cmocka_unit_test(r41_regular_expressions),
        cmocka_unit_test(ranges_and_classes_of_characters_name_the_same_nodes),
        cmocka_unit_test(a_range_of_several_digits_is_counted),
        cmocka_unit_test(ranges_match_whole_names),
        cmocka_unit_test(what_is_no_range_is_a_regular_expression),
        cmocka_unit_test(elements_keep_their_order_and_nodes_come_once),
        cmocka_unit_test(costly_patterns_are_stopped),
        cmocka_unit_test(a_million_open_brackets_are_stepped_over),
        cmocka_unit_test(an_open_bracket_hides_no_comma),
        cmocka_unit_test(well_formed_expressions_pass_the_check),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
