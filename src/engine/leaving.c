/* SPDX-License-Identifier: Apache-2.0
 * See leaving.h. */
#include "engine/leaving.h"

#include "cluster/cluster.h"
#include "cluster/folded.h"
#include "cluster/job.h"
#include "cluster/node.h"

/* So long after a job ended, what is measured on its nodes may be of it. */
#define LEAVING_S 300

/* A system's own work: no job. */
#define LOAD_OF_ITS_OWN 0.5

/* Nodes in a row that a job left, and when. */
struct left {
    uint32_t first, count;
    int64_t at;
};

struct leaving {
    struct VEC(struct left) v;
    bool measures, any;
};

struct leaving *leaving_create(void)
{
    return xcalloc(1, sizeof(struct leaving));
}

void leaving_destroy(struct leaving *l)
{
    if (!l)
        return;
    vec_fini(&l->v);
    free(l);
}

void leaving_measures(struct leaving *l)
{
    l->measures = true;
}

void leaving_note(struct leaving *l, const struct job *j, int64_t now)
{
    for (size_t i = 0; l->measures && i < j->alloc.n; i++)
        vec_push(&l->v, ((struct left){j->alloc.v[i].first, j->alloc.v[i].count, now}));
}

/* Is more measured on the node than its jobs explain? */
static bool is_measured_more(const struct cluster *c, const struct node *n)
{
    int64_t dedicated = node_dedicated(c, n).v[RES_PROCS];

    return dedicated < n->cfg.v[RES_PROCS]
           && (n->state == NODE_BUSY || n->load > (double)dedicated + LOAD_OF_ITS_OWN);
}

static bool is_being_left(const struct cluster *c, const struct left *l)
{
    uint32_t end = l->first + l->count;

    end = end < c->nodes.n ? end : (uint32_t)c->nodes.n;
    for (uint32_t i = rangeset_gap_within(nodes_vacant(c), l->first, end); i < end;
         i = rangeset_gap_within(nodes_vacant(c), i + 1, end))
        if (is_measured_more(c, node_at(c, i)))
            return true;
    return false;
}

void leaving_look(
    struct leaving *l, const struct cluster *c, int64_t now, int64_t late_s)
{
    size_t kept = 0;

    l->any = false;
    for (size_t i = 0; i < l->v.n; i++) {
        const struct left *left = &l->v.v[i];
        bool seen = left->at >= now - LEAVING_S && is_being_left(c, left);
        l->any |= seen;
        if (seen || left->at >= now - late_s)
            l->v.v[kept++] = *left;
    }
    l->v.n = kept;
}

bool leaving_any(const struct leaving *l)
{
    return l->any;
}
