/* SPDX-License-Identifier: Apache-2.0
 * Node priority (PRIORITYF). Source: reference node-allocation 4. */
#include "plan/nodes/nodeprio.h"

#include "config/nodecfg.h"
#include "plan/nodes/nodealloc_private.h"

/* Terms that describe the node at this moment: meaningless for a later start. */
#define MOMENTARY                                                                      \
    (1u << NP_APROCS | 1u << NP_AMEM | 1u << NP_ASWAP | 1u << NP_ADISK                 \
        | 1u << NP_JOBCOUNT | 1u << NP_LOAD | 1u << NP_USAGE)

/* In force where the configuration names no function. */
static const struct nodeprio default_function = {.set = true,
    .coef = {[NP_PRIORITY] = 1, [NP_PREF] = 100, [NP_RESAFFINITY] = 100},
    .present = 1u << NP_PRIORITY | 1u << NP_PREF | 1u << NP_RESAFFINITY};

static const struct nodeprio *function_of(const struct node *n)
{
    return n->priorityf ? n->priorityf : &default_function;
}

bool nodeprio_weighs_affinity(const struct node *n)
{
    return function_of(n)->present >> NP_RESAFFINITY & 1;
}

static double is_preferred(const struct taskdef *def, const struct node *n)
{
    for (size_t i = 0; i < def->prefs.n; i++)
        for (size_t k = 0; k < n->features.n; k++)
            if (n->features.v[k] == def->prefs.v[i])
                return 1;
    return 0;
}

static double affinity_value(enum affinity a)
{
    if (a == AFFINITY_POSITIVE || a == AFFINITY_REQUIRED)
        return 1;
    return a == AFFINITY_NEGATIVE ? -1 : 0;
}

static double available(const struct cluster *c, const struct node *n, enum res_dim d)
{
    struct res ded = node_dedicated(c, n);
    int64_t used = ded.v[d];

    if (d != RES_PROCS && n->util.v[d] > used)
        used = n->util.v[d];
    return (double)(n->cfg.v[d] - used);
}

static double term_value(
    enum nodeprio_term t, const struct nodealloc *a, const struct cand *cand)
{
    const struct node *n = node_at(a->c, cand->node);

    switch (t) {
    case NP_CPROCS:
        return (double)n->cfg.v[RES_PROCS];
    case NP_CMEM:
        return (double)n->cfg.v[RES_MEM];
    case NP_CSWAP:
        return (double)n->cfg.v[RES_SWAP];
    case NP_CDISK:
        return (double)n->cfg.v[RES_DISK];
    case NP_APROCS:
        return available(a->c, n, RES_PROCS);
    case NP_AMEM:
        return available(a->c, n, RES_MEM);
    case NP_ASWAP:
        return available(a->c, n, RES_SWAP);
    case NP_ADISK:
        return available(a->c, n, RES_DISK);
    case NP_JOBCOUNT:
        return node_job_count(a->c, n);
    case NP_LOAD:
        node_unfold(a->c, n);
        return n->load;
    case NP_USAGE:
        return n->usage_fraction;
    case NP_PREF:
        return is_preferred(a->req->def, n);
    case NP_PRIORITY:
        return (double)n->priority;
    case NP_RESAFFINITY:
        return affinity_value(cand->affinity);
    case NP_SPEED:
        return n->procspeed_mhz > 0 ? (double)n->procspeed_mhz : n->speed;
    case NP_TERMS:
        break;
    }
    return 0;
}

double nodeprio_value(const struct nodealloc *a, const struct cand *cand)
{
    const struct nodeprio *f = function_of(node_at(a->c, cand->node));
    uint32_t terms = a->immediate ? f->present : f->present & ~MOMENTARY;
    double value = 0;

    for (int t = 0; t < NP_TERMS; t++)
        if (terms >> t & 1)
            value += f->coef[t] * term_value((enum nodeprio_term)t, a, cand);
    return value;
}
