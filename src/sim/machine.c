/* SPDX-License-Identifier: Apache-2.0
 * Machines for the simulator. */
#include "sim/machine.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define NODES_MAX 10000000
#define PROCS_MAX 1000000
#define TOTAL_MAX INT32_MAX

/* A count from 1 to `max` at `p`; what follows it, or NULL. */
static const char *scan_count(const char *p, int64_t max, int64_t *ret)
{
    char *end;
    long long n;

    if (!isdigit((unsigned char)*p))
        return NULL;
    errno = 0;
    n = strtoll(p, &end, 10);
    if (errno != 0 || n < 1 || n > max)
        return NULL;
    *ret = n;
    return end;
}

int machine_parse(const char *text, struct machine *ret, struct err *err)
{
    struct machine m = {.procs_per_node = 1};
    const char *p = scan_count(text, NODES_MAX, &m.nodes);

    if (p != NULL && (*p == 'x' || *p == 'X'))
        p = scan_count(p + 1, PROCS_MAX, &m.procs_per_node);
    if (p == NULL || *p != '\0')
        return err_set(err, ERR_INVALID,
            "\"%s\" is not a machine; N or NxP is expected, as 64x4 for 64 nodes of 4 "
            "processors",
            text);
    if (m.nodes * m.procs_per_node > TOTAL_MAX)
        return err_set(
            err, ERR_INVALID, "\"%s\" has more than %d processors", text, TOTAL_MAX);
    *ret = m;
    return 0;
}

int64_t machine_procs(const struct machine *m)
{
    int64_t procs = 0;

    if (m->trace == NULL)
        return m->nodes * m->procs_per_node;
    for (size_t i = 0; i < m->trace->nodes.n; i++) {
        struct node_desc d = restrace_node_desc(&m->trace->nodes.v[i]);

        if (d.state == NODE_IDLE)
            procs += d.cfg.v[RES_PROCS];
    }
    return procs;
}

int64_t machine_nodes(const struct machine *m)
{
    return m->trace != NULL ? (int64_t)m->trace->nodes.n : m->nodes;
}

/* "n" and the number, written backwards from `end`; where it begins. */
static const char *node_name(char *end, int64_t number)
{
    *end = '\0';
    for (; number > 0; number /= 10)
        *--end = (char)('0' + number % 10);
    *--end = 'n';
    return end;
}

struct node_desc machine_node(
    const struct machine *m, int64_t i, char name[MACHINE_NODE_NAME])
{
    if (m->trace != NULL) {
        struct node_desc d = restrace_node_desc(&m->trace->nodes.v[i]);
        if (m->no_frames)
            d.frame = d.slot = 0;
        return d;
    }
    return (struct node_desc){
        .name = node_name(name + MACHINE_NODE_NAME - 1, i + 1),
        .state = NODE_IDLE,
        .cfg = {.v = {[RES_PROCS] = m->procs_per_node,
                    [RES_MEM] = m->mem_mb > 0 ? m->mem_mb : -1,
                    [RES_SWAP] = -1,
                    [RES_DISK] = -1}},
    };
}

int machine_build(
    const struct machine *m, struct engine *e, int64_t now, struct err *err)
{
    char name[MACHINE_NODE_NAME];
    struct event ev = {.kind = EVENT_NODE, .at = now};
    uint32_t more = m->trace != NULL ? 0 : (uint32_t)m->nodes - 1; /* all alike */

    for (int64_t i = 0; i < machine_nodes(m); i += 1 + more) {
        ev.u.node = machine_node(m, i, name);
        ev.u.node.more = more;
        if (engine_apply(e, &ev, NULL, err) < 0)
            return -1;
    }
    return 0;
}

const char *machine_text(const struct machine *m, char *buf, size_t size)
{
    if (m->trace != NULL)
        snprintf(buf, size, "%zu nodes with %" PRId64 " processors available",
            m->trace->nodes.n, machine_procs(m));
    else
        snprintf(buf, size, "%" PRId64 " nodes of %" PRId64 " processor%s", m->nodes,
            m->procs_per_node, m->procs_per_node == 1 ? "" : "s");
    return buf;
}
