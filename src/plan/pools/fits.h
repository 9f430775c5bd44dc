/* SPDX-License-Identifier: Apache-2.0
 * Where task definitions fit: the sets of pools that each of them can use.
 *
 *     definition                 partition 0       partition 1
 *     1 processor                set 0 {0, 1, 2}   set 1 {5}
 *     1 processor, feature ib    set 2 {1}         fits nowhere
 *     2 processors               set 0 {0, 1, 2}   set 1 {5}     equal lists, one set
 *
 * A definition is learned once for each layout of the pools. The first definition that
 * can be counted on a pool fixes its unit: one task is one unit. A definition that
 * cannot be counted, or whose tasks have another number of processors, ends the
 * counting of the pool.
 *
 * *Set* is a set of pools here. A reservation set is in closures/closures.h, a node set
 * in nodes/nodeset.h. */
#ifndef MAUI_PLAN_POOLS_FITS_H
#define MAUI_PLAN_POOLS_FITS_H

#include "plan/pools/pools.h"

/* One pool in which a task definition may run, and tasks on an empty node there. */
struct fitpool {
    uint32_t pool, per_node;
};

/* Pools [first, first + n) of a set, which are one merged pool from pools_merge_at()
 * on. */
struct group {
    uint32_t first, n;
    uint32_t merged; /* INDEX_NONE: one pool for itself */
};

/* A set of pools of one partition (or of several, for SPAN) that a task definition
 * can use together. Pools that are merged later stand together. What is remembered of
 * answers about a set is kept by its number (counted/set_memory.h). */
struct fitset {
    uint32_t number;    /* fits_set(); of one that is not kept there: INDEX_NONE */
    bool borrows_lists; /* of the set that this is a copy of */
    uint32_t partition; /* INDEX_NONE = several */
    uint32_t biggest;   /* pool with the most nodes */
    uint64_t mask;      /* partitions */
    int64_t tasks_max;  /* on empty nodes */
    int64_t nodes;      /* of its pools */
    double slowest;     /* speed of its slowest pool, 1 where speed does not count */
    double slowest_all; /* the same of all pools of the partitions */
    struct VEC(struct fitpool) pools;
    struct VEC(struct group) groups;
};
void fitset_fini(struct fitset *s);
/* Which kinds of pools a set has. */
bool fitset_has_by_node(const struct pools *ps, const struct fitset *s);
bool fitset_has_counted(const struct pools *ps, const struct fitset *s);

/* How long the job stays in the plan, wherever in the set it goes: for its limit on the
 * slowest nodes, so never too short. Several requests may go to other sets. */
static inline int64_t plan_duration(const struct fitset *s, const struct job *j)
{
    double slowest = j->nreqs > 1 ? s->slowest_all : s->slowest;

    return plan_scaled(j->wclimit_s > 0 ? j->wclimit_s : 1, slowest);
}

struct fits;

/* All are borrowed. */
struct fits *fits_create(struct cluster *c, struct pools *pools);
void fits_destroy(struct fits *f);
/* The same for a fork. Borrows the lists of the sets of `from`, until that forgets
 * them. */
struct fits *fits_copy(const struct fits *from, struct pools *pools);
/* The pools are made anew: nothing is known. */
void fits_forget(struct fits *f);

/* Learn where the definition fits, and how its pools are planned. O(pools) once. */
void fits_learn(struct fits *f, const struct taskdef *def);
/* The same of a request of a job: some cannot be planned by count. */
void fits_learn_request(struct fits *f, const struct job *j, const struct req *r);
/* Learn where the definition fits for a question, in a fork. Pools that are counted in
 * another unit, or hold another number of tasks on a node, are left out. A pool that
 * nobody has asked anything of is planned for the definition from now on; if it has a
 * merged pool, it is left out. O(pools) once. */
void fits_suppose(struct fits *f, const struct taskdef *def);
bool fits_knows(const struct fits *f, const struct taskdef *def);

/* The set of pools for a definition, or for the first request of a job (SPAN: of all
 * its partitions); NULL = none. Valid until another definition is learned. */
const struct fitset *fits_in_partition(
    struct fits *f, const struct taskdef *def, uint32_t partition);
const struct fitset *fits_for(struct fits *f, const struct job *j, uint32_t partition);
/* Is the definition feasible on the nodes of the pool? */
bool fits_has_pool(struct fits *f, const struct taskdef *def, const struct pool *pool);
/* All pools of the partition that are planned by count in a known unit. Owned. */
struct fitset fits_counted(const struct fits *f, uint32_t partition);
/* Partitions the job may be tried in, one call per partition: its bits, or for a
 * SPAN job just the lowest bit (which then stands for all). */
uint64_t fits_partitions(const struct fits *f, const struct job *j);

/* Sets by number. */
uint32_t fits_sets(const struct fits *f);
const struct fitset *fits_set(const struct fits *f, uint32_t i);

/* The pool's shapes are too different for counting; then so are those of pools that
 * are one with it later. */
void fits_end_counting(struct fits *f, struct pool *pool);

#endif
