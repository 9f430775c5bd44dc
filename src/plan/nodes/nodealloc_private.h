/* SPDX-License-Identifier: Apache-2.0
 * What the files behind nodealloc.h share. Private to src/plan. */
#ifndef MAUI_PLAN_NODES_NODEALLOC_PRIVATE_H
#define MAUI_PLAN_NODES_NODEALLOC_PRIVATE_H

#include "cluster/node.h"
#include "plan/feasible.h"
#include "plan/nodes/nodealloc.h"
#include "plan/nodes/nodeprio.h"
#include "plan/nodes/nodeset.h"

/* ---- nodealloc_want.c ------------------------------------------------------- */

/* What a request wants, in units of TPN tasks (1 without TPN). */
struct nodealloc_want {
    uint32_t unit;     /* tasks in a unit */
    uint32_t units;    /* wanted in all */
    uint32_t nodes;    /* exact number of nodes, 0 = any */
    uint32_t node_min; /* units a node must be able to hold to be of use */
    uint32_t node_max; /* units a node may carry */
};

/* False if no number of nodes can satisfy it. */
bool nodealloc_want_of(const struct nodealloc *a, struct nodealloc_want *ret);

/* Units a candidate can carry, 0 = of no use. */
static inline uint32_t nodealloc_cap(
    const struct nodealloc_want *w, const struct cand *cand)
{
    uint32_t cap = w->unit == 1 ? cand->tasks : cand->tasks / w->unit;

    if (cap > w->node_max)
        cap = w->node_max;
    return cap >= w->node_min ? cap : 0;
}

/* Units that all of them can carry. */
uint64_t nodealloc_sum_of(
    const struct nodealloc_want *w, const struct cand *cands, size_t n);

/* A place in the order of candidates, and what it holds. */
struct nodealloc_place {
    uint32_t cap;
    size_t at;
};
/* The w->nodes roomiest places, the first `pinned` among them in any case, by place;
 * NULL when even they do not hold everything. Owned by the caller. O(n log n). */
struct nodealloc_place *nodealloc_roomiest(
    const struct nodealloc_want *w, const struct cand *cands, size_t n, size_t pinned);

/* Can these candidates satisfy the want, whatever the policy? */
bool nodealloc_suffices(
    const struct nodealloc_want *w, const struct cand *cands, size_t n);

/* The host list to obey; NULL = none. */
const struct taskdef *nodealloc_hosts(const struct nodealloc *a);

/* The policy in force: of the task definition, else of the partition; CPULOAD turns
 * into MINRESOURCE for anything but an immediate start. */
enum nodealloc_policy nodealloc_policy_of(const struct nodealloc *a);

/* Processors nobody uses, by CPULOAD. */
double nodealloc_idle_procs(const struct cluster *c, const struct node *n);

/* The pieces of one choice: neighbours used up in one direction are one piece. */
struct nodealloc_pieces {
    struct allocs *ret;
    size_t first; /* the first piece of this choice */
    int dir;      /* in which the last piece grew, 0 = not yet */
};

/* Append `tasks` tasks of request `req` on a node. */
void nodealloc_emit(
    struct nodealloc_pieces *p, uint32_t node, uint32_t tasks, uint32_t req);

/* ---- nodealloc_joint.c ------------------------------------------------------ */

/* The state of a choice for several requests together. */
struct joint {
    const struct nodealloc_multi *m;
    double *share;          /* per candidate: part of it not promised yet, 0..1 */
    struct node_room *room; /* per candidate, as m->room; NULL = not known */
    struct nodealloc_pieces pieces;
};

/* Nothing is promised yet, and nothing chosen; pieces go to *ret. */
void joint_init(struct joint *g, const struct nodealloc_multi *m, struct allocs *ret);
void joint_fini(struct joint *g);
void joint_reset(struct joint *g);

/* Tasks of request r that candidate i can still take, and the promise of some. */
uint32_t joint_left(const struct joint *g, uint32_t r, size_t i);
void joint_promise(struct joint *g, uint32_t r, size_t i, uint32_t tasks);

/* ---- nodealloc_search.c ----------------------------------------------------- */

/* Find a placement of all requests if there is one, whatever order the policy wants.
 * Only for requests that may take any nodes, and few tasks on few nodes; otherwise
 * false. */
bool joint_search(struct joint *g);

/* ---- nodealloc_order.c ------------------------------------------------------ */

/* Put the candidates into the order in which the policy uses them up, affinity levels
 * first; CONTIGUOUS also drops all but its run (*n shrinks). Returns the direction in
 * which to walk the array, +1 or -1, or 0 when the policy finds nothing. */
int nodealloc_order(const struct nodealloc *a, const struct nodealloc_want *w,
    struct cand *cands, size_t *n);

void nodealloc_reverse(struct cand *v, size_t n);

#endif
