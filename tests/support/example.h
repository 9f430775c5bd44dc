/* SPDX-License-Identifier: Apache-2.0
 * Worked examples as tables: maui.cfg lines, a cluster of equal nodes, jobs, and when
 * each of them starts. Each table is run twice, planned by count and node by node. */
#ifndef MAUI_TESTS_EXAMPLE_H
#define MAUI_TESTS_EXAMPLE_H

#include "scenario.h"

#define NEVER (-1)

struct example_job {
    const char *id;
    uint32_t procs;
    int64_t limit, priority; /* priority 0 = computed */
    int64_t start;           /* expected: NEVER = not within the example */
    const char *where;       /* expected: "n1:2 n3:1"; NULL = do not care */
    const char *user, *group, *account, *cls, *qos;
    int64_t submit, run; /* 0 = at once; as long as the limit */
    uint32_t nodes;      /* nodes asked for, 0 = none */
    uint32_t flags;
    int64_t release_at;
    unsigned holds;
    int64_t tier;
};

struct example {
    const char *cfg; /* lines of maui.cfg, NULL = none */
    uint32_t nodes;
    int64_t procs; /* of each node, 0 = 1 */
    int64_t until; /* 0 = to the end */
    struct example_job jobs[16];
};

void example_run(const struct example *x);

/* Nodes and jobs of the example put into a new scenario, for tests that go on by
 * hand. The caller destroys it. */
struct scenario *example_start(const struct example *x, bool by_node);

/* The statement that follows, once by count and once node by node, with `s` the
 * scenario just begun; it is destroyed after it. */
#define BOTH_WAYS(s, x)                                                                \
    for (int by_node_ = 0; by_node_ < 2; by_node_++)                                   \
        for (struct scenario *s = example_start(&(x), by_node_); s;                    \
             sc_destroy(s), (s) = NULL)

#endif
