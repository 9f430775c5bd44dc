/* SPDX-License-Identifier: Apache-2.0
 * What the files about nodes share: records and what was told of them, folded runs,
 * what is dedicated. */
#ifndef MAUI_CLUSTER_NODES_PRIVATE_H
#define MAUI_CLUSTER_NODES_PRIVATE_H

#include "base/bitset.h"
#include "base/rangeset.h"
#include "cluster/folded.h"
#include "cluster/private.h"

struct node_chunk {
    struct node *nodes;
    size_t room;
};

/* Where records live, and what was told of them. */
struct node_store {
    struct VEC(struct node_told *) told; /* each once, in no order */
    struct node_told *told_last;         /* shared by the next node told the same */
    struct node row; /* what nodes without a record are like, but for their names */
    struct bitset
        listed; /* nodes whose lists may have memory: few, where all are alike */
    struct node *chunk_next; /* the next new nodes go here: `chunk_left` of them */
    size_t chunk_left;
    struct VEC(struct node_chunk) chunks;
    struct VEC(uint32_t) gres_nodes; /* per gres id: real nodes that have it */
};

/* A folded run of `count` nodes, and the `n` pieces of allocations that are on each of
 * them: several only on a run of one node. */
struct fold {
    uint32_t count, n;
    int32_t left; /* processors of each that others can join on; -1: nobody can */
    struct fold_piece {
        uint32_t job, piece;
    } of[NODE_FOLDED_JOBS];
};

struct folds {
    struct rangeset vacant;     /* nodes_vacant() */
    struct bitset partly;       /* nodes_partly() */
    struct VEC(uint32_t) kinds; /* where nodes of another kind begin */
    struct bitset first;        /* the first node of each folded run */
    struct VEC(struct fold) of; /* per node; valid at first nodes of runs */
};

/* Take so many nodes like this one, as it is now, into the totals of its partition and
 * of the cluster, or out of them (< 0). */
void partition_count_node(struct cluster *c, const struct node *n, int times);

/* ---- node.c, build.c ----------------------------------------------------------- */

/* Set the amount of a resource in the list, by name or by id. */
void gres_set(struct gres_amounts *l, uint32_t id, int64_t count);

/* What the RM said of a node, kept so that other settings can be applied to it. */
struct node_told {
    uint32_t users;     /* equal nodes told one after the other share it */
    size_t place;       /* in the list of all */
    struct res cfg;     /* < 0 unknown */
    uint32_t partition; /* INDEX_NONE = not told */
    struct VEC(uint32_t) features, networks;
    struct gres_amounts gres;
    struct VEC(struct node_class) classes; /* initiators 0 = as many as processors */
    bool classes_told;
    uint32_t os, arch;
    double speed;
    int64_t procspeed_mhz, frame, slot, slots; /* 0 = unknown */
    int64_t weight, unshared;
};

/* Find the node's sections of the settings. */
void node_link_sections(const struct cluster *c, struct node *n);
/* The partition that a node told so belongs to, created if need be; NULL when there
 * are too many. */
struct partition *node_choose_partition(
    struct cluster *c, const struct node *n, const struct node_told *t);
/* Make the node's attributes anew from n->told and the settings, with all totals. */
void node_build(struct cluster *c, struct node *n, uint32_t partition);

/* ---- use.c ------------------------------------------------------------- */

/* Dedicate (+1) or free (-1) what a node of the piece of the job's allocation has, on a
 * node that is not folded: amounts, generic resources, initiators, job list, load,
 * expected state. No check. */
void node_use(const struct cluster *c, struct node *n, const struct job *j,
    const struct alloc *piece, int sign);
/* Would node_use(+1) take more than is configured? Then -1 with a sentence. */
int node_check_room(const struct cluster *c, const struct node *n, const struct job *j,
    const struct alloc *piece, struct err *err);
/* Processors that it would take of a vacant node; and does nothing else count, neither
 * to the job nor on the node? */
int64_t node_procs_needed(
    const struct node *n, const struct job *j, const struct alloc *piece);
bool node_counts_procs_only(
    const struct node *n, const struct job *j, const struct alloc *piece);
/* Count again what is dedicated, from the jobs on the node. */
void node_recount(struct cluster *c, struct node *n);

/* ---- state.c ------------------------------------------------------------ */

/* Raise (+1) the load by started processors, or lower (-1) it by what of them was
 * not measured since. */
void node_raise_load(
    struct node *n, const struct taskdef *def, uint32_t tasks, int sign);
/* What is on a node that is not folded has changed: its expected state, and whether it
 * is vacant or partly in use, follow. */
void node_note_use(const struct cluster *c, struct node *n);
/* The expected state that follows from the record. */
enum node_state node_state_due(const struct node *n);

/* ---- fold.c ------------------------------------------------------------------ */

void folds_create(struct cluster *c);
void folds_destroy(struct cluster *c);
/* There are new nodes: make room for them. */
void folds_reserve(struct cluster *c);
/* A node was added, or its configuration has changed. */
void fold_compare(struct cluster *c, const struct node *n);
/* The last `count` nodes are new and copies of `n`, which is before them. */
void fold_repeat(struct cluster *c, const struct node *n, uint32_t count);
/* Is the node the first one of a folded run? */
static inline bool fold_begins(const struct cluster *c, uint32_t node)
{
    return bitset_test(&c->folds->first, node);
}
/* A record that tells of nothing, of a node that is not vacant: a piece has it. Records
 * lie far from each other: that of a run's first node is not read. */
static inline bool node_is_folded(const struct cluster *c, uint32_t node)
{
    if (fold_begins(c, node))
        return true;
    const struct node *n = c->nodes.v[node];
    return (n ? n->vacant : c->node_store->row.vacant)
           && !rangeset_test(&c->folds->vacant, node);
}
/* So many nodes from `first` on, before `end`, are vacant and have equal room. */
uint32_t fold_room(const struct cluster *c, uint32_t first, uint32_t end);
/* Fold nodes that fold_room() told of for a piece of the job; give back the run that
 * begins at `first`, or what the piece has of it, and return how many nodes that are.
 */
void fold_take(struct cluster *c, const struct job *j, const struct alloc *piece,
    uint32_t first, uint32_t count);
uint32_t fold_give(
    struct cluster *c, const struct job *j, const struct alloc *piece, uint32_t first);
/* Put the piece onto a folded node, which stays so, beside what is there. False: that
 * cannot be, or there is no room. */
bool fold_join(
    struct cluster *c, uint32_t node, const struct job *j, const struct alloc *piece);
/* The run that a folded node belongs to, NULL = it is not folded; and what is on it. */
const struct fold *fold_of(const struct cluster *c, uint32_t node);
static inline const struct job *fold_job(
    const struct cluster *c, const struct fold *f, uint32_t k)
{
    return c->jobs.v[f->of[k].job];
}
static inline const struct alloc *fold_alloc(
    const struct cluster *c, const struct fold *f, uint32_t k)
{
    return &fold_job(c, f, k)->alloc.v[f->of[k].piece];
}

/* ---- gres.c ----------------------------------------------------------------- */

/* Count the node's generic resources in (+1) or out (-1). True when one of them
 * became or ceased to be configured on any real node. */
bool gres_count_node(struct cluster *c, const struct node *n, int sign);
/* What floats has changed: count again what is dedicated everywhere. */
void gres_recount(struct cluster *c);
/* Take (+1) or free (-1) the floating resources of a job. -1 when too few are left,
 * with nothing taken. */
int gres_float_use(struct cluster *c, const struct job *j, int sign, struct err *err);

#endif
