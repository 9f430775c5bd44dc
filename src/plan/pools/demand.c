/* SPDX-License-Identifier: Apache-2.0
 * What requests look at in a node: each test of plan/feasible.c and each condition of
 * counting in plan/pools/fits.c has its number here. */
#include "plan/pools/demand.h"

#include "config/policies.h"
#include "plan/nodes/nodelimit.h"

#include <string.h>

void demand_fini(struct demand *d)
{
    bitset_fini(&d->features);
    bitset_fini(&d->networks);
    bitset_fini(&d->oses);
    bitset_fini(&d->arches);
    bitset_fini(&d->gres);
    bitset_fini(&d->classes);
}

void demand_copy(struct demand *ret, const struct demand *d)
{
    const struct bitset none = {0};

    *ret = *d;
    ret->features = ret->networks = ret->oses = ret->arches = none;
    ret->gres = ret->classes = none;
    bitset_copy(&ret->features, &d->features);
    bitset_copy(&ret->networks, &d->networks);
    bitset_copy(&ret->oses, &d->oses);
    bitset_copy(&ret->arches, &d->arches);
    bitset_copy(&ret->gres, &d->gres);
    bitset_copy(&ret->classes, &d->classes);
}

/* ---- what is asked for ------------------------------------------------------- */

static bool add_id(struct bitset *set, uint32_t id)
{
    if (id == NAME_NONE || bitset_test(set, id))
        return false;
    bitset_set(set, id);
    return true;
}

static bool add_flag(bool *flag, bool asked)
{
    bool more = asked && !*flag;

    *flag |= asked;
    return more;
}

bool demand_add(struct demand *d, const struct taskdef *def)
{
    const struct cmp *const on[RES_DIMS] = {
        [RES_MEM] = &def->mem, [RES_SWAP] = &def->swap, [RES_DISK] = &def->disk};
    bool more = false;

    for (size_t i = 0; i < def->features.n; i++)
        more |= add_id(&d->features, def->features.v[i]);
    for (size_t i = 0; i < def->gres.n; i++)
        more |= add_id(&d->gres, def->gres.v[i].id);
    more |= add_id(&d->networks, def->network);
    more |= add_id(&d->oses, def->os);
    more |= add_id(&d->arches, def->arch);
    more |= def->cls > 0 && add_id(&d->classes, def->cls);
    for (int r = RES_PROCS + 1; r < RES_DIMS; r++)
        more |= add_flag(&d->amount[r], def->per_task.v[r] != 0
                                            || taskdef_by_node(def, r) != 0
                                            || (on[r] && on[r]->op != CMP_NONE));
    more |= add_flag(&d->without_procs, def->per_task.v[RES_PROCS] == 0);
    return more;
}

bool demand_exceeds(const struct demand *larger, const struct demand *d)
{
    for (int r = 0; r < RES_DIMS; r++)
        if (larger->amount[r] && !d->amount[r])
            return true;
    return (larger->without_procs && !d->without_procs)
           || !bitset_subset(&larger->features, &d->features)
           || !bitset_subset(&larger->networks, &d->networks)
           || !bitset_subset(&larger->oses, &d->oses)
           || !bitset_subset(&larger->arches, &d->arches)
           || !bitset_subset(&larger->gres, &d->gres)
           || !bitset_subset(&larger->classes, &d->classes);
}

/* ---- what a node is ---------------------------------------------------------- */

static int64_t bits_of(double x)
{
    int64_t i;

    memcpy(&i, &x, sizeof i);
    return i;
}

/* Those of the node's ids that are asked for. */
static void tell_ids(
    const struct bitset *asked, const uint32_t *ids, size_t n, struct demand_kind *ret)
{
    for (size_t i = 0; i < n; i++)
        if (bitset_test(asked, ids[i]))
            vec_push(ret, ids[i]);
    vec_push(ret, -1);
}

static void tell_id(const struct bitset *asked, uint32_t id, struct demand_kind *ret)
{
    vec_push(ret, id != NAME_NONE && bitset_test(asked, id) ? (int64_t)id : -1);
}

/* Tasks of the class that its initiators let on the node. As many as processors, and
 * as many as there are, are the same to whoever takes a processor. */
static int64_t initiators(const struct demand *d, const struct node *n, uint32_t cls)
{
    int64_t have = 0;

    if (n->classes.n == 0)
        return INT64_MAX;
    for (size_t i = 0; i < n->classes.n; i++)
        if (n->classes.v[i].cls == cls)
            have = n->classes.v[i].configured;
    return have >= n->cfg.v[RES_PROCS] && !d->without_procs ? INT64_MAX : have;
}

bool demand_has_gres(const struct demand *d, const struct node *n)
{
    for (size_t i = 0; i < n->gres_cfg.n; i++)
        if (bitset_test(&d->gres, n->gres_cfg.v[i].id))
            return true;
    return false;
}

static void tell_limits(const struct node *n, struct demand_kind *ret)
{
    vec_push(ret, n->maxjob);
    vec_push(ret, n->maxjob_per_user);
    vec_push(ret, n->maxproc);
    vec_push(ret, n->maxproc_per_user);
    vec_push(ret, n->unshared);
    vec_push(ret, bits_of(n->maxpe_per_job));
    vec_push(ret, bits_of(n->maxload));
    vec_push(ret, n->par->use_machine_speed ? bits_of(n->speed) : 0);
}

void demand_kind(const struct cluster *c, const struct demand *d, const struct node *n,
    struct demand_kind *ret)
{
    ret->n = 0;
    vec_push(ret, n->partition);
    for (int r = 0; r < RES_DIMS; r++)
        vec_push(ret, r == RES_PROCS || d->amount[r] ? n->cfg.v[r] : 0);
    tell_ids(&d->features, n->features.v, n->features.n, ret);
    tell_ids(&d->networks, n->networks.v, n->networks.n, ret);
    tell_id(&d->oses, n->os, ret);
    tell_id(&d->arches, n->arch, ret);
    for (uint32_t i = bitset_next(&d->gres, 0); i != BITSET_NONE;
         i = bitset_next(&d->gres, i + 1))
        vec_push(ret, node_gres(n, i));
    for (uint32_t i = bitset_next(&d->classes, 0); i != BITSET_NONE;
         i = bitset_next(&d->classes, i + 1)) {
        vec_push(ret, initiators(d, n, i));
        vec_push(ret, nodelimit_class_procs(c, n, i));
    }
    tell_limits(n, ret);
}
