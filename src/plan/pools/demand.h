/* SPDX-License-Identifier: Apache-2.0
 * What the requests in the system ask of nodes. Nodes that differ in nothing of it are
 * interchangeable, whatever else they bear: features, class lists, memory or generic
 * resources that nobody asks for never keep them apart.
 *
 *     asked for     memory, feature ib
 *     node 1        64 GB, features ib and red      its kind: 64 GB, ib
 *     node 2        64 GB, feature ib               its kind: 64 GB, ib    the same
 *     node 3        64 GB, feature red              its kind: 64 GB
 *
 * pools.h divides the nodes by it. fork.c asks whether a job that nobody has submitted
 * asks for more. */
#ifndef MAUI_PLAN_POOLS_DEMAND_H
#define MAUI_PLAN_POOLS_DEMAND_H

#include "base/bitset.h"
#include "cluster/resources.h"

struct cluster;
struct node;
struct taskdef;

/* What is asked for; zeroed = nothing but processors. Owned. */
struct demand {
    struct bitset features, networks, oses, arches, gres; /* ids */
    struct bitset classes;                                /* indexes */
    bool amount[RES_DIMS]; /* of memory, swap, disk is something wanted */
    bool without_procs;    /* by a task that takes no processor */
};

void demand_fini(struct demand *d);
/* *ret is overwritten. */
void demand_copy(struct demand *ret, const struct demand *d);

/* Adds what the definition asks for. True when that is more than was asked before.
 * O(its lists). */
bool demand_add(struct demand *d, const struct taskdef *def);

/* Has the larger demand something that the other one lacks? */
bool demand_exceeds(const struct demand *larger, const struct demand *d);

/* What a node is to those who ask, as numbers: equal ones are interchangeable. Limits
 * of the node, and its speed where that counts, are part of it. Cleared first.
 * O(lists of the node + classes and generic resources asked for). */
struct demand_kind VEC(int64_t);
void demand_kind(const struct cluster *c, const struct demand *d, const struct node *n,
    struct demand_kind *ret);

/* Has the node a generic resource that somebody asks for? */
bool demand_has_gres(const struct demand *d, const struct node *n);

#endif
