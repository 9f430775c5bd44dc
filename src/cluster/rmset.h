/* SPDX-License-Identifier: Apache-2.0
 * The resource managers, as far as nodes and jobs of several are to be told apart. Each
 * node and each job is one's, by index; a partition is of one's nodes alone, so a job,
 * which runs within partitions of its own, never leaves its manager's nodes.
 *
 *     manager          its partitions      a node of it that names no partition
 *     0: the first     DEFAULT, fast       in DEFAULT
 *     1: pbs           pbs, pbs.fast       in pbs
 *
 * Where there is one all of this says nothing and costs nothing. */
#ifndef MAUI_CLUSTER_RMSET_H
#define MAUI_CLUSTER_RMSET_H

#include "cluster/cluster.h"

struct rm_known {
    char *name;   /* owned; "" of the first, which is not named in nodes and jobs */
    char *called; /* owned: of the first, what people call it; or NULL */
    bool away;    /* it does not answer: nothing is decided about its jobs */
    bool unseen;  /* its jobs are not seen: they may have ended */
    uint64_t partitions; /* bits */
    /* Of the first: was the job lately there that had this id? NULL: nobody knows. */
    bool (*was_there)(void *ctx, const char *job_id);
    void *ctx;
};

/* The index of the manager of that name, new if need be; NULL or "" is the first, 0. */
uint32_t rmset_get(struct cluster *c, const char *name);
/* "" of the first. */
const char *rmset_name(const struct cluster *c, uint32_t rm);

/* Whose job is it that is called so? That of whom the id begins with the name and a
 * '.', else the first's. O(managers). */
uint32_t rmset_of_id(const struct cluster *c, const char *job_id);

/* The first is called so by people: nothing is decided by that. */
void rmset_call_first(struct cluster *c, const char *name);

/* Who knows of jobs of the first that are over: so another's job is not taken for one.
 */
void rmset_ask_of_past(
    struct cluster *c, bool (*was_there)(void *ctx, const char *job_id), void *ctx);
bool rmset_was_there(const struct cluster *c, const char *job_id);

/* Partitions of others than that one; INDEX_NONE (a question that is nobody's job):
 * none. O(managers), O(1) where there is one. */
uint64_t rmset_foreign(const struct cluster *c, uint32_t rm);

/* That partition is its: jobs of others are kept out of it. O(jobs that wait), of a
 * partition that is its already O(1). */
void rmset_bind(struct cluster *c, uint32_t rm, uint32_t partition);
/* Whose it is, or INDEX_NONE. */
uint32_t rmset_of_partition(const struct cluster *c, uint32_t partition);

/* It does not answer any more, or does again. */
void rmset_set_away(struct cluster *c, uint32_t rm, bool away);
static inline bool rmset_is_away(const struct cluster *c, uint32_t rm)
{
    return c->rms_away && rm < c->rms.n && c->rms.v[rm].away;
}

void rmset_create(struct cluster *c);
void rmset_destroy(struct cluster *c);

#endif
