/* SPDX-License-Identifier: Apache-2.0
 * Nodes: what the resource manager tells of them, their state, and what jobs have of
 * them. The record is read only outside src/cluster. */
#ifndef MAUI_CLUSTER_NODE_H
#define MAUI_CLUSTER_NODE_H

#include "base/err.h"
#include "cluster/cluster.h"
#include "cluster/index.h"
#include "cluster/resources.h"
#include "config/kinds.h"

#include <stdbool.h>
#include <stdint.h>

struct job;
struct node_cfg;
struct node_told;

enum node_state {
    NODE_IDLE,
    NODE_RUNNING,
    NODE_BUSY,
    NODE_DRAINING,
    NODE_DRAINED,
    NODE_DOWN,
    NODE_FLUSH,
    NODE_UNKNOWN,
    NODE_NONE
};

/* Tasks of one job on one node. */
struct node_job {
    uint32_t job;
    uint32_t tasks;
};

/* A class that the node serves and its initiators; dedicated = in use. */
struct node_class {
    uint32_t cls;
    int32_t configured, dedicated;
    int32_t procs; /* most processors its jobs may have here; 0 = nothing told */
};

/* What changes with the jobs on it (expected state, ded, load, gres_ded, initiators,
 * jobs) is not kept in the record while the node is folded: see node_folded(). */
struct node {
    /* What starts and ends read and write stands first, close together. */
    uint32_t index;           /* also RM order */
    enum node_state state;    /* as reported */
    enum node_state expected; /* as it should be after our last action */
    uint32_t exclusive;       /* jobs on it that do not share it with everybody */
    bool global;              /* the pseudo node of floating generic resources: no
                                 processors, in no total, never chosen for tasks */
    bool shrunk;              /* less is configured than was dedicated before */
    bool gone;                /* not reported any more: Down until it is again */
    bool vacant;              /* nothing is on it by this record, which may be folded */
    bool procs_only; /* of what a job that asks for nothing but processors can take
                        here, nothing else decides */
    struct VEC(struct node_job) jobs; /* order of start */
    const struct par_settings *par;   /* of its partition; never NULL */
    double load;                      /* 1-minute load average; rises by the processors
                                         of each start until reported again */
    double load_raised; /* part of `load` that starts added since measured */
    struct res cfg;     /* configured */
    int64_t unshared;   /* processors of those that jobs which share none may have, in
                           all; 0 = every one */
    struct res ded;     /* dedicated to jobs */
    struct res util;    /* measured use, reported by the RM */
    double maxload;     /* <= 0 none */

    const char *name;
    int64_t state_at; /* when `state` last changed */
    uint32_t partition;
    uint32_t rm;       /* the resource manager whose it is: rmset.h */
    uint32_t os, arch; /* name ids or NAME_NONE */
    uint32_t nodetype;
    struct gres_amounts gres_cfg, gres_ded;
    struct VEC(uint32_t) features, networks; /* sorted name ids */
    struct VEC(struct node_class) classes; /* empty = every class, initiators = procs */
    double speed;                          /* relative, 1.0 */
    int64_t charge_rate;                   /* of the bank, in millionths */
    int64_t procspeed_mhz;                 /* 0 = unknown */
    int64_t frame, slot, slots;            /* -1 = unknown */
    /* limits: -1 = none */
    int64_t maxjob, maxjob_per_user, maxproc, maxproc_per_user;
    double maxpe_per_job; /* <= 0 none */
    int64_t priority;
    const struct nodeprio *priorityf;             /* NULL = default function */
    double usage_fraction;                        /* share of time it ran batch jobs */
    const struct node_cfg *section, *section_def; /* NODECFG: own (or an empty one) and
                                   DEFAULT; never NULL. MAXPROC[CLASS:c] is read here */
    struct node_told *told; /* what the RM reported; private to node.c */
};

/* What a resource manager or trace tells about a node. Amounts < 0: unknown. */
struct node_desc {
    const char *name;
    const char *rm; /* whose it is, of several resource managers; NULL = the first's */
    enum node_state state;
    struct res cfg;
    const char *partition;       /* NULL = not told */
    const char *const *features; /* NULL-terminated or NULL */
    const char *const *networks;
    const struct gres_cfg *gres;    /* name NULL ends */
    const struct gres_cfg *classes; /* name:initiators, name NULL ends; NULL = all */
    const struct gres_cfg *class_procs; /* of some of them: most processors; or NULL */
    int64_t unshared; /* of its processors, which jobs may share: most that are of jobs
                         which do not; 0 = every one */
    const char *os, *arch;
    double speed;               /* 0 = unknown */
    int64_t procspeed_mhz;      /* 0 = unknown */
    int64_t frame, slot, slots; /* 0 = unknown */
    int64_t weight; /* priority is less by so much where the configuration gives none */
    bool measured;  /* `load` and `util` below were measured */
    double load;
    struct res util;
    const char *said; /* why it takes no jobs, by its resource manager; NULL = nothing.
                         For people: the cluster does not keep it */
    uint32_t more;    /* so many further nodes are told the same; their names count on
                         from the number that `name` ends in: for engine_apply() */
};

/* Add the node, or update what the RM knows of it; NODECFG and feature headers
 * are applied here (RM > translated feature > NODECFG). What a later report leaves
 * unknown stays as it was told before. Fails, with nothing changed, on an unusable
 * name, an amount out of range or too many partitions. A report that tells nothing
 * new costs O(features) and does not raise node_epoch; nor do moves among Idle,
 * Running and Busy. */
int node_report(struct cluster *c, const struct node_desc *d, int64_t now,
    struct node **ret_node, struct err *err);
/* Does it tell nothing but what is known? Then node_report() changes nothing. What is
 * named in it and was not known by name may be by now. O(features). */
bool node_report_is_known(struct cluster *c, const struct node_desc *d);

struct node *node_find(const struct cluster *c, const char *name);
/* ERR_NOT_FOUND: "cannot locate node 'nod01'; did you mean 'node01'?". Returns -1. */
int node_missing(const struct cluster *c, const char *name, struct err *err);
/* The node of that index. One that node_repeat() added gets its record when somebody
 * asks for it first, so that a replay that only counts most of its nodes does not pay
 * for their memory. */
struct node *node_of_row(const struct cluster *c, uint32_t index); /* for node_at() */
static inline struct node *node_at(const struct cluster *c, uint32_t index)
{
    struct node *n = c->nodes.v[index];

    return n ? n : node_of_row(c, index);
}
void node_set_state(struct cluster *c, struct node *n, enum node_state s, int64_t now);
/* The RM does not know the node any more: Down until node_report() tells of it. */
void node_set_gone(struct cluster *c, struct node *n, int64_t now);
/* Recompute `expected` from what is dedicated (concepts.md 3). */
void node_refresh_expected(const struct cluster *c, struct node *n);
/* Expected state of any node, folded or not. */
enum node_state node_expected_folded(const struct cluster *c, const struct node *n);
static inline enum node_state node_expected(
    const struct cluster *c, const struct node *n)
{
    return n->vacant ? node_expected_folded(c, n) : n->expected;
}
/* The RM measured load and use: both replace what was assumed. */
void node_measure(
    const struct cluster *c, struct node *n, double load, const struct res *util);
bool node_is_up(const struct node *n); /* Idle, Running, Busy, Draining */
/* What jobs have of a node. These work for folded nodes too.
 *
 *     node n  | job 3: 4 tasks | job 7: 2 tasks, of two requests | free |
 *               node_job_at(0)   node_job_at(1)
 *
 * node_dedicated(): what all of them have. node_job_share(): what one of them has, by
 * its definition in force; a node that it takes whole in full. O(pieces of the job),
 * O(1) for jobs of one request. */
struct res node_dedicated(const struct cluster *c, const struct node *n);
uint32_t node_job_count(const struct cluster *c, const struct node *n);
bool node_folded_job_at(
    const struct cluster *c, const struct node *n, uint32_t i, struct node_job *ret);
/* The i-th job on the node, each once, in no order that matters. False: no more. */
static inline bool node_job_at(
    const struct cluster *c, const struct node *n, uint32_t i, struct node_job *ret)
{
    if (n->vacant)
        return node_folded_job_at(c, n, i, ret);
    if (i >= n->jobs.n)
        return false;
    *ret = n->jobs.v[i];
    return true;
}
struct res node_job_share(
    const struct cluster *c, const struct node *n, const struct node_job *on);
bool node_is_free(const struct cluster *c, const struct node *n); /* no job at all */
/* Memory and swap that suspended jobs (but for `but`, may be NULL) keep on the node,
 * which are not in `ded`. O(suspended jobs), O(1) when there are none. */
struct res node_held(
    const struct cluster *c, const struct node *n, const struct job *but);
/* Initiators of class index `cls` left on the node: INT32_MAX where the node limits
 * no class or `cls` is INDEX_NONE, 0 where it does not serve the class. */
int32_t node_class_free(const struct cluster *c, const struct node *n, uint32_t cls);
/* Can no request tell the nodes apart, whatever is on them? GLOBAL is like no other. */
bool node_same_kind(const struct node *a, const struct node *b);
/* From this node on, all before that one are of its kind. O(log kinds). */
uint32_t node_kind_end(const struct cluster *c, uint32_t node);
/* Amount of generic resource `id` configured on the node. */
int64_t node_gres(const struct node *n, uint32_t id);

/* Write into the node's record what is on it. To be called before `expected`, `ded`,
 * `load`, `gres_ded`, `jobs` or initiators are read directly. A cache is filled: for
 * all others nothing changes. O(1). */
void node_unfold_run(const struct cluster *c, const struct node *n); /* for it */
static inline void node_unfold(const struct cluster *c, const struct node *n)
{
    if (n->vacant)
        node_unfold_run(c, n);
}

/* Is `id` configured on GLOBAL and on no real node, so that jobs take it there? What
 * is left of it: node_gres() minus gres_ded of node_at(c, c->global_node). */
bool gres_is_floating(const struct cluster *c, uint32_t id);
/* Amount of a floating resource that no job has. */
int64_t gres_floating_free(const struct cluster *c, uint32_t id);

const char *node_state_name(enum node_state s);
int node_state_parse(const char *text, enum node_state *ret_state);

#endif
