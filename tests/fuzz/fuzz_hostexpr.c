/* SPDX-License-Identifier: Apache-2.0
 * Any text as a host expression over a few hundred nodes: bounded effort, and each
 * node at most once. */
#include "base/hostexpr.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES 300

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *name_at(void *ctx, uint32_t index)
{
    return ((char(*)[16])ctx)[index];
}

static int in_class(void *ctx, const char *name, struct bitset *into)
{
    (void)ctx;
    if (*name != 'b')
        return -1;
    bitset_set_range(into, 10, NODES + 10); /* more than there are */
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char names[NODES][16];
    struct hostexpr_nodes nodes = {
        .count = NODES, .name_at = name_at, .in_class = in_class, .ctx = names};
    struct hostexpr_hosts hosts = {0};
    char *text = xstrndup((const char *)data, size);
    struct err err;

    for (uint32_t i = 0; i < NODES; i++) {
        if (i % 3 == 0)
            snprintf(names[i], sizeof names[i], "node%u", i);
        else if (i % 3 == 1)
            snprintf(names[i], sizeof names[i], "node%03u", i);
        else
            snprintf(names[i], sizeof names[i], "rack1-n%u", i);
    }
    if (hostexpr_match(text, &nodes, &hosts, &err) < 0)
        assert(err.text[0] != '\0');
    assert(bitset_count(&hosts.set) == hosts.order.n);
    for (size_t i = 0; i < hosts.order.n; i++)
        assert(hosts.order.v[i] < NODES);
    hostexpr_hosts_fini(&hosts);
    hostexpr_check(text, &err);
    free(text);
    return 0;
}
