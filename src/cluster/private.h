/* SPDX-License-Identifier: Apache-2.0
 * What the files of this room share with each other and with nobody else. */
#ifndef MAUI_CLUSTER_PRIVATE_H
#define MAUI_CLUSTER_PRIVATE_H

#include "base/bitset.h"
#include "base/hash.h"
#include "base/xalloc.h"
#include "cluster/cluster.h"

#include <assert.h>

/* Largest amount accepted from outside, and longest name. */
#define AMOUNT_MAX     INT64_C(1099511627776)
#define NAME_MAX_BYTES 255

/* Make `a` a copy of the elements of `b`. */
#define vec_assign(a, b)                                                               \
    do {                                                                               \
        (a)->n = 0;                                                                    \
        vec_reserve((a), (b)->n);                                                      \
        if ((b)->n)                                                                    \
            memcpy((a)->v, (b)->v, (b)->n * sizeof *(a)->v);                           \
        (a)->n = (b)->n;                                                               \
    } while (0)

/* Jobs and nodes live in chunks, so that neighbours in time are neighbours in memory.
 */
#define JOB_CHUNK        1024
#define NODE_CHUNK_FIRST 256
#define NODE_CHUNK       16384

struct job_slot {
    struct job job; /* first: a job's address is its slot's */
    UT_hash_handle hh;
    char id[8]; /* job.id if that is short enough: there is room up to the next line */
};

/* Task definitions by their contents: open addressing, at most half full. */
struct taskdef_place {
    uint32_t hash;
    uint32_t index; /* in cluster.taskdefs; INDEX_NONE = free */
};
struct taskdef_table {
    struct taskdef_place *places; /* NULL before the first */
    uint32_t mask;                /* places - 1, a power of two */
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

struct node_chunk {
    struct node *nodes;
    size_t room;
};

struct cluster_private {
    /* Each table's ids are the indexes of the objects themselves. */
    struct names *cred_names[CRED_KINDS];
    struct names *node_names, *partition_names;
    struct VEC(struct node_told *) told; /* each once, in no order */
    struct node_told *told_last;         /* shared by the next node told the same */
    struct node row; /* what nodes without a record are like, but for their names */
    struct bitset
        listed; /* nodes whose lists may have memory: few, where all are alike */
    struct node *chunk_next; /* the next new nodes go here: `chunk_left` of them */
    size_t chunk_left;
    struct VEC(struct node_chunk) node_chunks;
    struct rangeset vacant;          /* nodes_vacant() */
    struct bitset partly;            /* nodes_partly() */
    struct VEC(uint32_t) kinds;      /* where nodes of another kind begin */
    struct bitset fold_first;        /* the first node of each folded run */
    struct VEC(struct fold) folds;   /* per node; valid at first nodes of runs */
    struct VEC(uint32_t) gres_nodes; /* per gres id: real nodes that have it */
    struct res largest;              /* per dimension, of any one node */

    struct job_slot *jobs_by_id;
    struct VEC(struct job_slot *) chunks;
    struct VEC(uint32_t) free_jobs; /* indexes to use again, last one first */
    size_t holes;                   /* INDEX_NONE entries in cluster.queued */
    size_t sorted;                  /* so many entries of it are in order; then come
                                       late arrivals in order of arrival */

    struct rsv_name *rsv_names; /* reservations by name; reservation.c */
    /* nothing of them begins or ends in (since, due_at), and what was due at `since` is
     * done if `done`; as long as rsv_epoch is `epoch` */
    struct {
        uint64_t epoch;
        int64_t since, due_at;
        bool done;
    } rsv_due;

    struct taskdef_table taskdefs;
};

/* ---- cred.c, partition.c ---------------------------------------------------- */

void creds_create(struct cluster *c);
void creds_destroy(struct cluster *c);
void creds_configure(struct cluster *c);
void partitions_create(struct cluster *c);
void partitions_destroy(struct cluster *c);
void partitions_configure(struct cluster *c);
/* Take so many nodes like this one, as it is now, into the totals of its partition and
 * of the cluster, or out of them (< 0). */
void partition_count_node(struct cluster *c, const struct node *n, int times);

/* ---- node.c, node_build.c --------------------------------------------------- */

/* Generic resources, sorted by id. */
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
};

void nodes_create(struct cluster *c);
void nodes_destroy(struct cluster *c);
void nodes_configure(struct cluster *c);
/* Find the node's sections of the settings. */
void node_link_sections(const struct cluster *c, struct node *n);
/* The partition that a node told so belongs to, created if need be; NULL when there
 * are too many. */
struct partition *node_choose_partition(
    struct cluster *c, const struct node *n, const struct node_told *t);
/* Make the node's attributes anew from n->told and the settings, with all totals. */
void node_build(struct cluster *c, struct node *n, uint32_t partition);
void ids_sort(uint32_t *ids, size_t *n); /* and drop repetitions */

/* ---- node_use.c ------------------------------------------------------------- */

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

/* ---- node_state.c ------------------------------------------------------------ */

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
    return bitset_test(&c->priv->fold_first, node);
}
/* A record that tells of nothing, of a node that is not vacant: a piece has it. Records
 * lie far from each other: that of a run's first node is not read. */
static inline bool node_is_folded(const struct cluster *c, uint32_t node)
{
    if (fold_begins(c, node))
        return true;
    const struct node *n = c->nodes.v[node];
    return (n ? n->vacant : c->priv->row.vacant)
           && !rangeset_test(&c->priv->vacant, node);
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

/* ---- job.c, job_queue.c, job_state.c, taskdef.c ------------------------------ */

void jobs_destroy(struct cluster *c);
void queue_insert(struct cluster *c, struct job *j);
void queue_remove(struct cluster *c, struct job *j); /* moves no other job */
/* Does a job in this state have its allocation dedicated? */
bool job_state_holds(enum job_state s);
bool job_state_waits(enum job_state s); /* in cluster.queued */
/* The state an event leads to: 0, or -1 with a sentence for an unlisted pair. */
int job_next_state(
    const struct job *j, enum job_event e, enum job_state *ret_state, struct err *err);
/* Set the state and keep the lists true. */
void job_set_state(struct cluster *c, struct job *j, enum job_state s);
/* Put a job into the list of its state, or take it out of it. */
void job_list(struct cluster *c, struct job *j);
void job_unlist(struct cluster *c, struct job *j);
/* Is the request usable? Changes nothing. *ret_tasks = its task count. */
int req_check(const struct cluster *c, const struct req_desc *d, uint32_t *ret_tasks,
    struct err *err);
/* Make a checked request. `cls` = index of the job's class, 0 = none. */
struct req req_make(
    struct cluster *c, const struct req_desc *d, uint32_t tasks, uint32_t cls);
void taskdefs_destroy(struct cluster *c);
/* The definition that differs from `asked` in its access policy only: `draft` is that.
 */
const struct taskdef *taskdef_with_access(
    struct cluster *c, const struct taskdef *asked, struct taskdef *draft);

/* ---- reservation.c ----------------------------------------------------------- */

void reservations_destroy(struct cluster *c);
/* Assert what reservation.h promises. */
void reservations_check(const struct cluster *c);

/* ---- valid.c ---------------------------------------------------------------- */

/* Is `name` usable as a name of ours (not empty, no blanks or control characters,
 * not too long)? `what` names it in the sentence. */
int name_check(const char *what, const char *name, struct err *err);
int amount_check(
    const char *what, int64_t amount, int64_t min, int64_t max, struct err *err);
/* The known name closest to an unknown one, or NULL. */
const char *names_nearest(const struct names *n, const char *name);

/* "there is no WHAT 'name'", with the nearest of the names. Returns -1. */
int name_missing(
    const char *what, const struct names *n, const char *name, struct err *err);

#endif
