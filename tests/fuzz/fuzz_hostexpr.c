/* SPDX-License-Identifier: Apache-2.0
 * Any text as a host expression over some nodes: bounded effort, and each
 * node at most once. */
#include "base/hostexpr.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES 66 /* more than a word of bits */

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

/* Made once: all of them cost more than most inputs. */
static void make_names(char names[NODES][16])
{
    if (names[0][0] != '\0')
        return;
    for (uint32_t i = 0; i < NODES; i++) {
        if (i % 3 == 0)
            snprintf(names[i], 16, "node%u", i);
        else if (i % 3 == 1)
            snprintf(names[i], 16, "node%03u", i);
        else
            snprintf(names[i], 16, "rack1-n%u", i);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char names[NODES][16];
    struct hostexpr_nodes nodes = {
        .count = NODES, .name_at = name_at, .in_class = in_class, .ctx = names};
    struct hostexpr_hosts hosts = {0};
    char *text = xstrndup((const char *)data, size);
    struct err err;

    make_names(names);
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
