/* SPDX-License-Identifier: Apache-2.0
 * Maui resource traces: wrong records first. Reference traces-and-simulation, 3. */
#include "kit.h"
#include "sim/machine.h"
#include "trace/restrace.h"

#include <stdlib.h>

#define EXAMPLE                                                                        \
    "COMPUTENODE AVAILABLE 0 node01 base 16384 8192 40000 4 1 2 1 linux x86_64 "       \
    "[compute][ib] [batch:4][short:2] [ethernet] 1.5 [NONE] [NONE] [NONE]"

static void read_text(const char *text, struct restrace *t, struct heard *h)
{
    struct lines *in = lines_open_memory("t", text, strlen(text));
    struct err err;

    *t = (struct restrace){0};
    kit_listen(h);
    if (restrace_read(in, t, &h->diag, &err) < 0)
        fail_msg("%s", err.text);
    lines_close(in);
}

static void expect_bad(const char *record, const char *complaint)
{
    struct restrace t;
    struct heard h;
    char text[500];

    snprintf(text, sizeof text, "VERSION 230\n" EXAMPLE "\n%s\n", record);
    read_text(text, &t, &h);
    assert_int_equal(t.nodes.n, 1);
    assert_int_equal(h.diag.count, 1);
    assert_string_equal(h.last, complaint);
    restrace_fini(&t);
}

static void bad_records_are_told_with_line_and_field(void **state)
{
    (void)state;
    expect_bad("COMPUTENODE AVAILABLE 0 a",
        "t:3: 4 of 21 fields read; a resource record has 21");
    expect_bad("COMPUTENOD AVAILABLE 0 a b 1 1 1 4 1 2 1 l x [c] [d:1] [e] 1 [NONE] "
               "[NONE] [NONE]",
        "t:3: field 1 (Type): \"COMPUTENOD\" is not known; did you mean COMPUTENODE");
    expect_bad("COMPUTENODE UP 0 a b 1 1 1 4 1 2 1 l x [c] [d:1] [e] 1 [NONE] [NONE] "
               "[NONE]",
        "t:3: field 2 (Event): \"UP\" is not known; the first of those known is "
        "AVAILABLE");
    expect_bad("COMPUTENODE AVAILABLE 0 a b 1 1 1 -4 1 2 1 l x [c] [d:1] [e] 1 [NONE] "
               "[NONE] [NONE]",
        "t:3: field 9 (Processors): \"-4\" is not within 0 to 1000000000");
    expect_bad("COMPUTENODE AVAILABLE 0 a b 1 1 1 4 1 2 1 l x [c] [d:1] [e] 200 [NONE] "
               "[NONE] [NONE]",
        "t:3: field 18 (Relative speed): \"200\" is not within 0.01 to 100");
    expect_bad("COMPUTENODE AVAILABLE 0 a b 1 1 1 4 1 2 1 l x [c] [d:1] [e] gpu:x "
               "[NONE] [NONE] [NONE]",
        "t:3: field 18 (Generic resources): \"[gpu:x]\" is not classes with a count, "
        "as [batch:1][long:4]");
    expect_bad(EXAMPLE,
        "t:3: field 4 (Name): node \"node01\" is already there; each is given once");
}

static void the_example_becomes_a_node(void **state)
{
    struct restrace t;
    struct heard h;
    struct node_desc d;

    (void)state;
    read_text(EXAMPLE " # the first\n", &t, &h);
    assert_int_equal(t.nodes.n, 1);
    d = restrace_node_desc(&t.nodes.v[0]);
    assert_string_equal(d.name, "node01");
    assert_int_equal(d.state, NODE_IDLE);
    assert_int_equal(d.cfg.v[RES_SWAP], 16384);
    assert_int_equal(d.cfg.v[RES_MEM], 8192);
    assert_int_equal(d.cfg.v[RES_DISK], 40000);
    assert_int_equal(d.cfg.v[RES_PROCS], 4);
    assert_int_equal(d.frame, 1);
    assert_int_equal(d.slot, 2);
    assert_string_equal(d.os, "linux");
    assert_string_equal(d.arch, "x86_64");
    assert_string_equal(d.features[1], "ib");
    assert_string_equal(d.classes[1].name, "short");
    assert_int_equal(d.classes[1].count, 2);
    assert_string_equal(d.networks[0], "ethernet");
    assert_true(d.speed == 1.5);
    restrace_fini(&t);
}

static void events_are_states_and_other_types_are_skipped(void **state)
{
    struct restrace t;
    struct heard h;
    struct machine m;

    (void)state;
    read_text(
        "COMPUTENODE AVAILABLE 0 a b 1 1 1 4 1 2 1 l x [NONE] [NONE] [NONE] [NONE] "
        "[NONE] [NONE] [NONE]\n"
        "COMPUTENODE DEFINED 0 b b 1 1 1 4 -1 -1 -1 l x [NONE] [NONE] [NONE] [NONE] "
        "[NONE] [NONE] [NONE]\n"
        "NETWORK AVAILABLE 0 c b 1 1 1 4 1 2 1 l x [NONE] [NONE] [NONE] [NONE] "
        "[NONE] [NONE] [NONE]\n"
        "COMPUTENODE DRAINED 0 d b 1 1 1 4 1 2 1 l x [NONE] [NONE] [NONE] "
        "gpu:2,lic:1 [NONE] [NONE] [NONE]\n",
        &t, &h);
    assert_int_equal(h.diag.count, 0);
    assert_int_equal(t.nodes.n, 3);
    assert_int_equal(restrace_node_desc(&t.nodes.v[0]).state, NODE_IDLE);
    assert_null(restrace_node_desc(&t.nodes.v[0]).classes);
    assert_int_equal(restrace_node_desc(&t.nodes.v[1]).state, NODE_DOWN);
    assert_int_equal(restrace_node_desc(&t.nodes.v[1]).frame, 0);
    assert_int_equal(restrace_node_desc(&t.nodes.v[2]).state, NODE_DRAINED);
    assert_string_equal(restrace_node_desc(&t.nodes.v[2]).gres[1].name, "lic");
    m = (struct machine){.trace = &t};
    assert_int_equal(machine_procs(&m), 4); /* those of available nodes */
    assert_int_equal(machine_nodes(&m), 3);
    restrace_fini(&t);
}

static char *formatted(const struct restrace_node *n)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    restrace_format(n, out);
    fclose(out);
    return text;
}

static void what_is_written_reads_back_the_same(void **state)
{
    struct restrace t, again;
    struct heard h;
    char *once, *twice;

    (void)state;
    read_text(EXAMPLE, &t, &h);
    once = formatted(&t.nodes.v[0]);
    read_text(once, &again, &h);
    twice = formatted(&again.nodes.v[0]);
    assert_string_equal(once, twice);
    assert_non_null(strstr(once, "16384M 8192M 40000M 4 1 2 1 linux"));
    free(once);
    free(twice);
    restrace_fini(&t);
    restrace_fini(&again);
}

static void machines_are_given_as_nodes_times_processors(void **state)
{
    static const char *const wrong[] = {"", "x", "0", "4x", "4x0", "x4", "4x4x4", "-4",
        "4.5", "99999999", "10000000x999"};
    struct machine m;
    struct err err;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        if (machine_parse(wrong[i], &m, &err) == 0)
            fail_msg("%s was taken", wrong[i]);
    assert_int_equal(machine_parse("128", &m, &err), 0);
    assert_int_equal(m.nodes, 128);
    assert_int_equal(m.procs_per_node, 1);
    assert_int_equal(machine_parse("64x4", &m, &err), 0);
    assert_int_equal(machine_procs(&m), 256);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_records_are_told_with_line_and_field),
        cmocka_unit_test(the_example_becomes_a_node),
        cmocka_unit_test(events_are_states_and_other_types_are_skipped),
        cmocka_unit_test(what_is_written_reads_back_the_same),
        cmocka_unit_test(machines_are_given_as_nodes_times_processors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
