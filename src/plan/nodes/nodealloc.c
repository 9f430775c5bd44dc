/* SPDX-License-Identifier: Apache-2.0
 * From candidates to an allocation: host list, node sets, the order of the policy,
 * and how the tasks spread over the nodes. Source: reference node-allocation 1-3,
 * concepts 8. */
#include "cluster/job.h"
#include "config/policies.h"
#include "plan/nodes/nodealloc_private.h"
#include "policy/acl.h"

#include <assert.h>

/* ---- spreading the tasks ---------------------------------------------------- */

/* Take from each node what it offers until nothing is wanted any more. */
static bool fill_from(const struct nodealloc *a, const struct nodealloc_want *w,
    const struct cand *cands, size_t n, int dir, struct allocs *ret)
{
    struct nodealloc_pieces pieces = {ret, ret->n, 0};
    uint32_t left = w->units;

    for (size_t i = 0; i < n && left; i++) {
        const struct cand *k = &cands[dir > 0 ? i : n - 1 - i];
        uint32_t units = nodealloc_cap(w, k);
        if (units > left)
            units = left;
        left -= units;
        nodealloc_emit(&pieces, k->node, units * w->unit, a->req_index);
    }
    return left == 0;
}

/* Equal parts; what is left over goes to the earliest nodes that can take more, one
 * each. False when some node cannot hold its part. */
static bool share_evenly(
    const struct nodealloc_want *w, const struct cand *cands, uint32_t *ret_units)
{
    uint32_t part = w->units / w->nodes, left = w->units % w->nodes;

    for (uint32_t i = 0; i < w->nodes; i++) {
        if (nodealloc_cap(w, &cands[i]) < part)
            return false;
        ret_units[i] = part;
    }
    while (left)
        for (uint32_t i = 0; i < w->nodes && left; i++)
            if (nodealloc_cap(w, &cands[i]) > ret_units[i]) {
                ret_units[i]++;
                left--;
            }
    return true;
}

/* Each node takes all it can, but leaves one unit for each node after it. */
static void share_in_order(
    const struct nodealloc_want *w, const struct cand *cands, uint32_t *ret_units)
{
    uint32_t left = w->units;

    for (uint32_t i = 0; i < w->nodes; i++) {
        uint32_t most = 1 + left - (w->nodes - i), cap = nodealloc_cap(w, &cands[i]);
        ret_units[i] = cap < most ? cap : most;
        left -= ret_units[i];
    }
    assert(left == 0);
}

static void share(const struct nodealloc *a, const struct nodealloc_want *w,
    const struct cand *cands, struct allocs *ret)
{
    uint32_t *units = xmalloc(w->nodes * sizeof *units);
    struct nodealloc_pieces pieces = {ret, ret->n, 0};

    if (!share_evenly(w, cands, units))
        share_in_order(w, cands, units);
    for (uint32_t i = 0; i < w->nodes; i++)
        nodealloc_emit(&pieces, cands[i].node, units[i] * w->unit, a->req_index);
    free(units);
}

/* ---- an exact number of nodes ----------------------------------------------- */

/* Bring w->nodes candidates that hold everything to the front, in order: the first
 * ones if they do, else the roomiest ones. */
static bool pick_nodes(
    const struct nodealloc_want *w, struct cand *cands, size_t n, size_t pinned)
{
    if (n < w->nodes || pinned > w->nodes)
        return false;
    if (nodealloc_sum_of(w, cands, w->nodes) >= w->units)
        return true;
    struct nodealloc_place *p = nodealloc_roomiest(w, cands, n, pinned);
    if (!p)
        return false;
    for (size_t i = 0; i < w->nodes; i++)
        cands[i] = cands[p[i].at]; /* p[i].at >= i */
    free(p);
    return true;
}

/* ---- candidates ------------------------------------------------------------- */

static bool is_of_use(const struct nodealloc *a, const struct nodealloc_want *w,
    const struct cand *cand, bool by_load, bool confined)
{
    if (nodealloc_cap(w, cand) == 0)
        return false;
    if (confined
        && (cand->affinity == AFFINITY_NONE || cand->affinity == AFFINITY_PREEMPTIBLE))
        return false;
    return !by_load || nodealloc_idle_procs(a->c, node_at(a->c, cand->node)) > 0;
}

static size_t drop_useless(const struct nodealloc *a, const struct nodealloc_want *w,
    struct cand *cands, size_t n)
{
    bool by_load = nodealloc_policy_of(a) == NODEALLOC_CPULOAD;
    bool confined = (a->j->flags & JOB_ADVRES) && acl_is_confined(a->c, a->j);
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        if (is_of_use(a, w, &cands[i], by_load, confined)) {
            if (kept != i)
                cands[kept] = cands[i];
            kept++;
        }
    return kept;
}

/* The candidate of that node; candidates are in RM order. */
static struct cand *cand_of(struct cand *cands, size_t n, uint32_t node)
{
    size_t lo = 0, hi = n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (cands[mid].node < node)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < n && cands[lo].node == node ? &cands[lo] : NULL;
}

/* Put the listed hosts first, in the order of the list; *ret_pinned of them. A list
 * that can hold the request is all there is to choose from; one that cannot must be
 * used whole: then *ret_must is their number too, else 0. False when a host of such a
 * list is missing. */
static bool pin_hosts(const struct nodealloc *a, struct cand *cands, size_t *n,
    size_t *ret_pinned, size_t *ret_must)
{
    const struct taskdef *def = nodealloc_hosts(a);
    struct cand *pinned = xmalloc(def->hosts.n * sizeof *pinned);
    size_t np = 0, rest = 0, missing = 0;

    for (size_t i = 0; i < def->hosts.n; i++) {
        struct cand *k = cand_of(cands, *n, def->hosts.v[i]);
        if (k && k->tasks) {
            pinned[np] = *k;
            pinned[np++].affinity = AFFINITY_REQUIRED;
            k->tasks = 0; /* taken; a host may be listed twice */
        }
        missing += k == NULL;
    }
    bool only = feasible_hosts_only(a->c, a->req);
    for (size_t i = 0; i < *n && !only; i++)
        if (cands[i].tasks)
            cands[rest++] = cands[i];
    memmove(cands + np, cands, rest * sizeof *cands);
    memcpy(cands, pinned, np * sizeof *cands);
    free(pinned);
    *n = np + rest;
    *ret_pinned = np;
    *ret_must = only ? 0 : np;
    return only || missing == 0;
}

/* What is still wanted after the first `pinned` candidates gave all they have. */
static struct nodealloc_want want_after(
    const struct nodealloc_want *w, const struct cand *cands, size_t pinned)
{
    struct nodealloc_want rest = *w;
    uint64_t sum = nodealloc_sum_of(w, cands, pinned);

    rest.units = sum < w->units ? w->units - (uint32_t)sum : 0;
    rest.nodes = w->nodes > pinned ? w->nodes - (uint32_t)pinned : 0;
    return rest;
}

/* Choose among useful candidates, node sets done with. */
static int choose(const struct nodealloc *a, const struct nodealloc_want *w,
    struct cand *cands, size_t n, struct allocs *ret)
{
    size_t pinned = 0, must = 0, before = ret->n;
    int dir = 1;

    if (nodealloc_hosts(a) && !pin_hosts(a, cands, &n, &pinned, &must))
        return -1;
    struct nodealloc_want rest = want_after(w, cands, pinned);
    if (rest.units || rest.nodes) {
        size_t m = n - pinned;
        dir = nodealloc_order(a, &rest, cands + pinned, &m);
        n = pinned + m;
    }
    if (dir == 0 || n == 0)
        return -1;
    if (dir < 0 && (pinned || w->nodes)) {
        nodealloc_reverse(cands + pinned, n - pinned);
        dir = 1;
    }
    if (w->nodes) {
        if (!pick_nodes(w, cands, n, must))
            return -1;
        share(a, w, cands, ret);
    } else if (!fill_from(a, w, cands, n, dir, ret)) {
        ret->n = before;
        return -1;
    }
    return 0;
}

/* With a node set in force: inside a set if possible; outside only if the set is a
 * wish. */
static int choose_in_set(const struct nodealloc *a, const struct nodealloc_want *w,
    struct cand *cands, size_t n, struct allocs *ret, enum wait_code *ret_code)
{
    bool mandatory = a->par->nodeset_delay_s != 0 || nodeset_of(a)->always;
    bool enough = nodealloc_suffices(w, cands, n);
    struct cand *all = NULL;

    if (!mandatory) {
        all = xmalloc(n * sizeof *all);
        memcpy(all, cands, n * sizeof *all);
    }
    size_t left = nodeset_filter(a, cands, n, mandatory);
    int rc = left ? choose(a, w, cands, left, ret) : -1;
    if (rc && !mandatory && left < n)
        rc = choose(a, w, all, n, ret);
    free(all);
    if (rc && mandatory && enough)
        *ret_code = WAIT_NODESET;
    return rc;
}

int nodealloc_choose(const struct nodealloc *a, struct cand *cands, size_t n,
    struct allocs *ret, enum wait_code *ret_code)
{
    struct nodealloc_want w;

    *ret_code = WAIT_RESOURCES;
    if (!nodealloc_want_of(a, &w))
        return -1;
    n = drop_useless(a, &w, cands, n);
    if (n == 0)
        return -1;
    int rc = nodeset_of(a) ? choose_in_set(a, &w, cands, n, ret, ret_code)
                           : choose(a, &w, cands, n, ret);
    if (rc == 0)
        *ret_code = WAIT_NONE;
    return rc;
}
