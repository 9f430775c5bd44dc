/* SPDX-License-Identifier: Apache-2.0
 * Pools: the nodes, sorted by what no request in the system can tell apart.
 *
 *     nodes        0    1    2    3    4    5    6
 *     kind         a    a    a    b    b    a    a     demand.h: features, memory ...
 *     reservation                 R    R         R     closures.h: reservation sets
 *     pool         0    0    0    1    1    0    2
 *     merged pool  0    0    0    1    1    0    0     once R is over
 *
 * Nodes of a pool are interchangeable, so a pool can be planned by count. Reservations
 * that are not of jobs may make thousands of pools, which are slow to search one by
 * one. At pools_merge_at() those reservations are over, but for a few that end much
 * later and those that never end. From that instant on counted pools of one kind that
 * are then under the same reservations are one *merged pool*. It has a profile of its
 * own, and what is left of the reservations may close it.
 *
 * layout.c makes pools, and fits.h gives them their units. All of the plan asks them;
 * what others know of a pool they keep by its number. A request that asks for something
 * new (pools_demand()) divides pools at the next pools_sort(). Pools and their numbers
 * are valid until then. */
#ifndef MAUI_PLAN_POOLS_POOLS_H
#define MAUI_PLAN_POOLS_POOLS_H

#include "base/bitset.h"
#include "base/vec.h"
#include "plan/closures/closures.h"
#include "plan/pools/demand.h"

/* A pool, or a merged pool. What is free of it is counted/count.h's to tell: of a pool
 * for [from, to), which ends at pools_merge_at(), of a merged pool from then on.
 * Outside of that all its units are free. */
struct pool {
    uint32_t index; /* among pools, or among merged pools */
    uint32_t part;  /* among both: pools_part() */
    uint32_t partition;
    uint32_t rsvset;            /* closures_set(): 0 = none, INDEX_NONE = by node */
    uint32_t merged;            /* the merged pool that it is a part of; INDEX_NONE */
    uint32_t kind;              /* of a merged pool: the first one of equal nodes */
    int64_t from, to;           /* see above */
    struct VEC(uint32_t) nodes; /* indexes, ascending; of a merged pool: one of them */
    uint32_t nodes_kind;        /* equal numbers, equal nodes; see pools_kinds() */
    bool by_node;               /* planned node by node, not by count */
    bool has_gres;              /* such as somebody asks for */
    int64_t unit;               /* processors of one unit, 0 = none known yet */
    uint32_t per_node;          /* units on an empty node */
    int32_t total;              /* units when all is empty; 0 when planned by node */
};

/* Indexes, ascending. */
struct pool_list VEC(uint32_t);

struct pools;

/* Both are borrowed. Without pools until pools_sort(). */
struct pools *pools_create(struct cluster *c, struct closures *closures);
void pools_destroy(struct pools *ps);
/* The same pools for a fork, with its own closures. Borrows of `from` which nodes are
 * in which pool, until `from` is sorted again; is never sorted itself. O(pools). */
struct pools *pools_copy(const struct pools *from, struct closures *closures);

/* Sort all nodes into pools, by what live jobs ask for (and `asker`, who is in the
 * cluster but not in the system; NULL = nobody). All units are unknown. O(nodes +
 * jobs). */
void pools_sort(struct pools *ps, int64_t now, const struct job *asker);

/* ---- the pools ---- */

uint32_t pools_count(const struct pools *ps);
struct pool *pools_at(const struct pools *ps, uint32_t i);
/* NULL: the node is not to be planned on. */
struct pool *pools_of_node(const struct pools *ps, uint32_t node);
/* The pool that all nodes are in; NULL = there are several, or nodes in none. */
struct pool *pools_only(const struct pools *ps);
/* Those of nodes under that reservation set. Valid until pools_sort(). */
const struct pool_list *pools_under(const struct pools *ps, uint32_t rsvset);

uint32_t pools_merged_count(const struct pools *ps);
struct pool *pools_merged(const struct pools *ps, uint32_t i);
/* When they begin; TIME_NEVER = there are none. */
int64_t pools_merge_at(const struct pools *ps);
/* The merged pool of a pool, NULL = it has none. */
struct pool *pools_merged_of(const struct pools *ps, const struct pool *pool);

/* All pools, then all merged pools, under one number (struct part of
 * reservations/table.h has it). */
uint32_t pools_parts(const struct pools *ps);
struct pool *pools_part(const struct pools *ps, uint32_t part);

/* So many nodes of one pool are in a row from `from`, which is in one, on, before
 * `end`. The lowest node from `low` on that is in a row with it. O(1). */
uint32_t pools_run(const struct pools *ps, uint32_t from, uint32_t end);
uint32_t pools_run_down(const struct pools *ps, uint32_t from, uint32_t low);
/* How many nodes in [from, end) are of the pool. O(log nodes). */
uint32_t pool_nodes_in(const struct pool *pool, uint32_t from, uint32_t end);

/* Units of the pool that the job has. O(pieces of its allocation x log nodes). */
int32_t pool_units_of(const struct job *j, const struct pool *pool);

/* Nodes of one kind look the same to everybody who asks. Numbers of kinds are below
 * that, and valid while *ret_epoch is the same; 0 = kinds are not known, since somebody
 * asked for something new. */
uint32_t pools_kinds(const struct pools *ps, uint64_t *ret_epoch);

/* ---- what divides them ---- */

/* Somebody asks for that. O(its lists). */
void pools_demand(struct pools *ps, const struct taskdef *def);
/* What they are divided by. */
const struct demand *pools_demanded(const struct pools *ps);
/* Does what is asked for tell nodes of one pool apart, so that pools are to be made
 * anew? O(nodes) when somebody asks for something new. */
bool pools_divide(struct pools *ps);
/* Are pools divided by what nobody asks for any more? O(1), O(jobs) now and then. */
bool pools_outlived(struct pools *ps, int64_t now);
/* Is pools_merge_at() a poll interval off, or less? Then pools are to be made anew. */
bool pools_merge_now(const struct pools *ps, int64_t now);
/* Are nodes of some pool not equal in all that a policy may look at? */
bool pools_mixed(const struct pools *ps);
/* Does a limit of nodes or an access policy look at the user? */
bool pools_user_matters(const struct pools *ps);

/* ---- how they are planned ---- */

/* From now on by count, in units of so many processors. Nothing of it may be in use. */
void pools_set_unit(
    struct pools *ps, struct pool *pool, int64_t unit, uint32_t per_node);
/* From now on node by node: its units are void. */
void pools_end_counting(struct pools *ps, struct pool *pool);
/* The same of one that nobody has asked anything of. */
void pools_begin_by_node(struct pools *ps, struct pool *pool);
/* Is any planned node by node? */
bool pools_any_by_node(const struct pools *ps);
/* Grows when pools are made, or one is no longer counted; the second also when one has
 * got its unit. */
uint64_t pools_layout(const struct pools *ps);
uint64_t pools_stamp(const struct pools *ps);

#endif
