/* SPDX-License-Identifier: Apache-2.0
 * What must hold whatever the scheduler decides, counted anew from job descriptions
 * and decisions alone. Knows nothing of the engine; slow and plain on purpose. */
#ifndef MAUI_TESTS_MODEL_H
#define MAUI_TESTS_MODEL_H

#include "cluster/node.h"
#include "world.h"

enum m_state { M_FUTURE, M_WAITING, M_ACTIVE, M_ENDED };

struct m_job {
    enum m_state state;
    uint32_t cred[CRED_KINDS]; /* now: setqos changes it */
    unsigned holds;            /* HOLD_* bits */
    int64_t defer_until, deferred_at;
    int64_t start_at;
    uint32_t starts, stops; /* a stop puts it back into the queue */
    uint32_t tasks[2][W_NODES];
    enum access_policy access[2]; /* when it started */
    int64_t rsv_at;               /* as told, 0 = none */
    int64_t promise;              /* earliest start told to it as first of the queue */
    bool excused; /* an administrator took a deferral or batch hold from it: limits on
                     the size of a job of its class, which had put it there, no longer
                     count */
    bool had_rsv; /* when the cycle began */
};

/* Processors a job used, for fairshare. */
struct m_use {
    uint32_t cred[CRED_KINDS];
    int64_t procs, from, until; /* until TIME_NEVER = still */
    uint32_t job;
};

struct model {
    const struct world *w;
    const struct w_settings *s;
    int64_t now, changed_at; /* at the latter nodes or settings changed last */
    enum node_state node[W_NODES];
    struct m_job jobs[W_JOBS];
    struct VEC(struct m_use) uses;
    int64_t picked[CRED_KINDS + 1][W_OBJECTS][LIMIT_RES_COUNT]; /* started without a
                                                       reservation, this cycle */
    char fail[600]; /* what was broken first; empty = nothing */
};

void model_init(struct model *m, const struct world *w);
void model_fini(struct model *m);

/* Note what is broken; the first sentence stays. Returns false. */
bool model_fail(struct model *m, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

void model_begin_cycle(struct model *m);
/* The job starts where tasks[][] says: false and a sentence when it must not. */
bool model_start(struct model *m, uint32_t job);
/* It gives its nodes back: to end, or to wait again. */
void model_stop(struct model *m, uint32_t job, bool ended);
void model_set_qos(struct model *m, uint32_t job, uint32_t qos);

/* Does what active jobs have of the node agree with its amounts, its limits and their
 * access policies, seen from one of them? */
bool model_check_node(struct model *m, uint32_t job, uint32_t node);
/* Access policy of a request as it is resolved now. */
enum access_policy model_access(
    const struct model *m, uint32_t job, const struct w_req *q);
/* Tasks of a request that an empty node could hold. */
int64_t model_capacity(const struct model *m, const struct w_job *j,
    const struct w_req *q, const struct w_node *n);

/* Amounts that jobs have of a node. */
struct res model_used(const struct model *m, uint32_t node);

/* model_limits.c */
void model_consumption(const struct model *m, uint32_t job, int64_t *ret_v);
bool model_check_limits(struct model *m, uint32_t job);
bool model_check_fairshare(struct model *m, uint32_t job);

#endif
