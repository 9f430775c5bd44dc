/* SPDX-License-Identifier: Apache-2.0
 * Jobs: their record, how they are told, their life (jobs/state.c has the table of it),
 * and the nodes they take and leave. The record is read only outside src/cluster. */
#ifndef MAUI_CLUSTER_JOB_H
#define MAUI_CLUSTER_JOB_H

#include "base/err.h"
#include "base/timeval.h"
#include "base/vec.h"
#include "cluster/cluster.h"
#include "cluster/cred.h"
#include "cluster/reason.h"
#include "cluster/request.h"
#include "config/kinds.h"

#include <stdbool.h>
#include <stdint.h>

struct job_memory;

enum job_state {
    JOB_IDLE,
    JOB_HOLD, /* held in the RM; which kind is in rm_hold, none: it lets the job wait */
    JOB_STARTING,
    JOB_RUNNING,
    JOB_SUSPENDED,
    JOB_NOTQUEUED,
    JOB_STAGING,
    JOB_UNKNOWN,
    JOB_COMPLETED,
    JOB_REMOVED,
    JOB_VACATED,
    JOB_LOST,
    JOB_STATES
};

enum hold_kind { HOLD_USER = 1, HOLD_SYSTEM = 2, HOLD_BATCH = 4, HOLD_DEFER = 8 };

/* Why a job is held or deferred; the name shown is hold_reason_name(). */
enum hold_reason {
    REASON_NONE,
    REASON_NORESOURCES,
    REASON_SYSTEMLIMITS,
    REASON_BANKFAILURE,
    REASON_NOALLOCATION, /* shown CannotDebitAccount */
    REASON_RMREJECT,
    REASON_RMFAILURE,
    REASON_POLICY,
    REASON_QOSACCESS,
    REASON_CREDACCESS,
    REASON_ADMIN,
    REASON_DEPENDENCY /* numbers are kept in stores: new ones come last */
};

enum dep_type {
    DEP_STARTED,
    DEP_COMPLETED,
    DEP_SUCCESS,
    DEP_FAILED,
    DEP_NEVER_SUCCESS, /* set by the scheduler: the other job failed or was cancelled,
                        */
    DEP_NEVER_FAILED   /* it succeeded */
};
static inline bool dep_never(enum dep_type type)
{
    return type >= DEP_NEVER_SUCCESS;
}
struct dep {
    enum dep_type type;
    char *job_id; /* owned */
};

/* Which hard limit keeps a job back; of both, the idle one. */
enum limited_by { LIMITED_NOT, LIMITED_ACTIVE, LIMITED_IDLE };

/* What a deferral that is tried before its time has to leave as it was. */
struct job_deferral {
    int64_t until, hold_at;
    int64_t queue_at, eff_queue_s, paused_at;
    bool accruing, paused;
};

/* Rarely needed parts of a job; NULL for most. */
struct job_extra {
    struct VEC(struct dep) deps;
    bool given_up;   /* what the site wants was done: a dep can never hold */
    char *advres;    /* owned; ADVRES:name */
    char *hold_text; /* owned: message of the last hold or deferral */
    char *refused;   /* owned: why the resource manager refused to start it */
    char *let_pass;  /* owned: code of the fault an administrator let it pass with */
    uint64_t deferred_in; /* state of the world in which it could not have its nodes */
    struct job_deferral
        deferral;              /* before it was tried as the world had changed, ... */
    int64_t tried_at;          /* ... then */
    char *command, *comment;   /* owned */
    char *mail, *mail_when;    /* owned */
    int64_t deadline_at;       /* 0 = none */
    int64_t rests_until;       /* suspended until then at least */
    int64_t min_wclimit_s;     /* it may be started with so short a limit; 0 = no */
    int64_t full_wclimit_s;    /* of which it was shortened; 0 = it was not */
    int64_t learned_wclimit_s; /* it asked for no limit, and was given that when it was
                                  submitted (WCLIMITDEFAULT HISTORY); 0 = it was not */
    int64_t overtime_s;        /* for so long its resource manager lets it run on */
    int64_t quote;             /* of the bank: whose rates it is to have; 0 = none */
    int64_t
        array_limit; /* so many of its array may be on nodes at once; 0 = any number */
    struct VEC(char *) partitions_asked; /* owned */
    struct VEC(uint32_t) classes; /* it may run in any of them, liked best first; none
                                     or one: in cred[CRED_CLASS] alone */
};

struct job {
    /* What a cycle reads for every queued job, and computes, stands in the first two
     * cache lines: in the first one all but instants. */
    _Alignas(64) uint32_t index;
    uint8_t state;   /* enum job_state */
    uint8_t holds;   /* enum hold_kind bits */
    uint8_t rm_hold; /* hold kinds reported by the RM */
    uint8_t nreqs;
    uint32_t flags; /* enum job_flag, request | credentials | QOS | scheduler */
    uint32_t cred[CRED_VECTOR]; /* indexes; 0 = DEFAULT = none named; CRED_RM */
    uint32_t procs;             /* total processors over all requests */
    uint32_t tasks;             /* total */
    bool accruing;              /* queue time grows: it is now - queue_at; else it is
                                   frozen at eff_queue_s (policy/accrual) */
    bool paused;                /* a hold keeps the queue time from counting */
    bool impossible;            /* no empty machine could run it */
    bool retries;    /* deferred, as its start is tried again when that ends: a wait */
    bool failed;     /* it ended by itself, with an exit status that is not 0 */
    uint8_t limited; /* enum limited_by: in the last cycle; `why` tells */
    bool util_known; /* util_procs is measured */
    bool qos_forced; /* an administrator chose it: access is not asked */
    bool admitted;   /* by its resource manager, with the credentials that it names */
    bool cancelled; /* and told to be on its nodes yet: nothing is decided about it, and
                       it was counted when it was cancelled */
    bool wclimit_learned; /* the limit in force is learned_wclimit_s */
    int64_t wclimit_s;

    int64_t release_at;      /* earliest start, 0 = none */
    struct job_extra *extra; /* owned or NULL */
    int64_t queue_at;        /* SystemQueueTime: start of the accruing period */
    double prio_static;      /* part that does not change with time; policy/ owns it */
    uint64_t prio_epoch;     /* epoch of prio_static */
    struct reason why;       /* why it waits, as of the last cycle: see engine_why() */

    int64_t submit_at;   /* as reported */
    int64_t eff_queue_s; /* EffQueueDuration while not accruing */
    double prio_res;     /* RES sum without UPROC, UJOB; same owner and epoch */
    uint64_t partitions; /* accessible partitions, bit mask; bits of partitions that
                            do not exist yet may be set ("all") */
    double pe;           /* processor equivalents */
    int64_t mem_mb;      /* total dedicated memory */
    struct req *reqs;    /* &req, or an owned array of nreqs */
    uint32_t nodes;      /* total explicit node count, 0 = none asked */
    const char *id;      /* owned */

    struct req req;           /* the first request */
    uint32_t flags_asked;     /* of the request alone */
    uint32_t pdef;            /* default partition or INDEX_NONE */
    uint32_t qos_asked;       /* requested QOS index, 0 = none */
    uint32_t account_asked;   /* requested account index, 0 = none */
    int64_t wclimit_asked_s;  /* requested limit, 0 = none */
    int64_t start_at, end_at; /* end_at = start_at + effective limit while active */
    int64_t eff_wclimit_s;    /* wclimit_s scaled by machine speed, set at start */
    int64_t suspended_s, suspend_at;
    int64_t saved_s;   /* of the limit, used up before checkpoints it restarts from */
    int64_t paused_at; /* if paused: since when (policy/accrual) */
    double util_procs; /* processors really used, as told by the RM */
    double fs_rate;    /* what policy/fairshare charges a second now, 0 = not */
    int64_t user_priority, sys_priority;
    int64_t fixed_priority; /* in place of what the formula says; 0 = none */
    int64_t tier;           /* goes before all of lower ones, whatever priorities say */
    /* holds */
    uint8_t hold_reason; /* enum hold_reason */
    uint16_t defer_count, start_count, preempt_count;
    uint16_t failed_starts, put_off; /* since it last ran: starts that failed, and those
                                        that the RM put off */
    int64_t hold_at, defer_until;
    struct allocs alloc;             /* while active, and where it last ran */
    uint32_t active_slot, idle_slot; /* places in the cluster's lists */
};

/* Tasks of a job on a node, by name, and of which of its requests they are. */
struct job_place {
    const char *node;
    uint32_t tasks;
    uint32_t req;
};

#define JOB_TIER_MAX 65535

struct job_desc {
    const char *id; /* required, unique */
    const char *rm; /* whose it is, of several resource managers; NULL = the first's */
    const char *cred[CRED_KINDS];   /* NULL = none */
    int64_t submit_at, eligible_at; /* eligible_at 0 = submit_at */
    int64_t wclimit_s;              /* 0 = none asked, DURATION_UNLIMITED = unlimited */
    int64_t min_wclimit_s; /* it may be started with less than that, but not with less
                              than this; 0 = no */
    int64_t overtime_s;    /* so much longer than its limit its resource manager lets it
                              run; 0 = no longer */
    int64_t release_at, deadline_at; /* 0 = none */
    int64_t quote;                   /* of the bank, by its number; 0 = none */
    int64_t
        array_limit; /* so many of its array may be on nodes at once; 0 = any number */
    enum job_state state; /* JOB_IDLE usually */
    uint8_t rm_hold;
    uint32_t flags; /* enum job_flag */
    bool admitted;  /* its resource manager has checked that its user may use the
                       account,  class and QOS that it names */
    bool cancelled; /* before: its resource manager does not end it */
    int64_t user_priority;
    int64_t fixed_priority; /* given by an administrator of the resource manager, in
                               place of what the formula says; 0 = none */
    int64_t tier; /* by its resource manager, 0 to JOB_TIER_MAX: jobs of a higher one go
                     before all others */
    const struct req_desc *reqs;
    uint32_t nreqs;                /* >= 1 */
    const char *const *partitions; /* asked; NULL-terminated or NULL */
    const char *const *classes;    /* it may run in any of them, cred[CRED_CLASS] first;
                                      NULL-terminated or NULL */
    const struct dep *deps;        /* job_id NULL ends; or NULL */
    const char *advres, *command;
    const char *comment;          /* of the user, for people */
    const char *mail, *mail_when; /* to whom, and when: config/mailtext.h */
    /* of a job that is active already when it is told for the first time: the engine
     * takes it over where it is. Else 0. */
    int64_t start_at;
    const struct job_place *places;
    size_t nplaces;
    const struct job_memory *memory; /* of before a restart, or NULL */
};

/* Add a job: interns its task definitions, creates its credentials, fills the
 * totals (procs, PE, memory). Access, defaults and limits that need policy are
 * applied by the engine afterwards. Fails when the id is empty or taken, or a
 * number is out of range. Unknown hosts are an error. O(1) amortised. */
int job_add(struct cluster *c, const struct job_desc *d, int64_t now,
    struct job **ret_job, struct err *err);
/* Would job_add() take it, whatever its id? 0, or -1 with its sentence. */
int job_check(const struct cluster *c, const struct job_desc *d, struct err *err);
/* A job to ask about, which stands in no table or queue and has no index: nobody who
 * goes through the jobs meets it. Owned by the caller, to be freed before the cluster.
 */
int job_draft(
    struct cluster *c, const struct job_desc *d, struct job **ret_job, struct err *err);
void job_draft_destroy(struct job *j); /* NULL does nothing */
/* A copy to ask about, of a job that waits, as it would be otherwise: with requests of
 * its own and without nodes; all else that it points to is the job's. Nobody who goes
 * through the jobs meets it. *ret is overwritten; job_copy_fini() ends it. */
void job_copy(const struct job *j, struct job *ret);
void job_copy_fini(struct job *copy);
struct job *job_find(const struct cluster *c, const char *id);
/* Forget an ended or waiting job and free it. An active one must be ended first. */
void job_remove(struct cluster *c, struct job *j);

/* Fill procs, tasks, mem_mb and pe from the job's requests. Procs -1 counts as the
 * largest node's. O(requests). */
void job_refresh_totals(const struct cluster *c, struct job *j);

/* ---- another shape: as its resource manager has it run ---- */

/* Requests that a job can have in place of its own. {0}: none. */
struct job_shape {
    struct req *reqs; /* owned */
    uint8_t nreqs;
};
/* Has it so many requests, with as many tasks of the same amounts as asked? What else
 * they say is of no account where it runs. O(requests). */
bool job_has_shape(const struct job *j, const struct req_desc *reqs, uint32_t n);
/* Of requests as told: -1 with an error where they are not usable. */
int job_shape_make(struct cluster *c, const struct job *j, const struct req_desc *reqs,
    uint32_t n, struct job_shape *ret, struct err *err);
/* As it is, with fewer tasks in the first request. */
void job_shape_shrink(const struct job *j, uint32_t tasks, struct job_shape *ret);
/* The job has these, and what it had is in their place. Only while it is not active;
 * what follows from its credentials is found anew after that. {0}: nothing happens. */
void job_shape_swap(const struct cluster *c, struct job *j, struct job_shape *io);
void job_shape_fini(struct job_shape *s);

/* Processor equivalents with the totals of this moment (priority.md 2.1). */
double job_pe(const struct cluster *c, const struct job *j);
/* Queue order: (submit_at, id in natural order); a total order. */
int job_compare(const struct job *a, const struct job *b);

/* State moves by the transition table in jobs/state.c; an unlisted one is an error
 * and changes nothing. Only for moves that neither take nor free nodes: those are
 * job_start() and job_stop(). */
enum job_event {
    EV_START,
    EV_STARTED,
    EV_START_LOST,
    EV_COMPLETE,
    EV_CANCEL,
    EV_REQUEUE,
    EV_SUSPEND,
    EV_RESUME,
    EV_RM_HOLD,
    EV_RM_RELEASE,
    EV_VANISH,
    JOB_EVENTS
};
int job_move(struct cluster *c, struct job *j, enum job_event e, struct err *err);

/* Dedicate the allocation in j->alloc to the job at `now` (EV_START, or EV_RESUME of
 * a suspended job): node amounts, initiators, job lists, expected states, loads,
 * floating resources. The caller has filled j->alloc and may have set eff_wclimit_s
 * (0: wclimit_s; no limit at all: no end). The job is Starting afterwards (Running
 * when resumed). Fails, with nothing changed, when the allocation does not add up or
 * needs what others have. O(pieces), and where a piece takes vacant nodes a bit a node,
 * on others O(1) a node. */
int job_start(struct cluster *c, struct job *j, int64_t now, struct err *err);

/* A waiting job that is found suspended on the nodes of j->alloc, where it began at
 * `start_at`: as after job_start() and job_stop() with EV_SUSPEND, whoever has its
 * processors by now. Fails, with nothing changed, when the allocation does not add up.
 */
int job_adopt_suspended(struct cluster *c, struct job *j, int64_t start_at,
    int64_t suspend_at, struct err *err);
/* Free what the job holds, if anything, and move it by `e`. An ended job keeps its
 * start, its allocation and gets end_at = now; a requeued one keeps the allocation;
 * a suspended one (EV_SUSPEND) keeps everything but its processors: node_held(). */
int job_stop(
    struct cluster *c, struct job *j, enum job_event e, int64_t now, struct err *err);

/* Relative speed of the slowest node in j->alloc, 1 where that is empty. A step for
 * each run of nodes of one kind. */
double job_slowest_speed(const struct cluster *c, const struct job *j);

/* The strictest access policy among a job's requests: nodes it shares with others must
 * satisfy that one. */
/* What the job has of one node: the pieces of its allocation that cover it. Begin with
 * *io_next = 0; NULL = no more. O(pieces).
 *
 *     pieces    nodes 4-7, request 0: 2 tasks each    nodes 6-6, request 1: 1 task
 *     node 6    the first, then the second */
static inline const struct alloc *job_piece_on(
    const struct job *j, uint32_t node, size_t *io_next)
{
    while (*io_next < j->alloc.n) {
        const struct alloc *a = &j->alloc.v[(*io_next)++];
        if (node - a->first < a->count)
            return a;
    }
    return NULL;
}

static inline enum access_policy job_access(const struct job *j)
{
    enum access_policy worst = req_def(&j->reqs[0])->access;

    for (uint32_t i = 1; i < j->nreqs; i++)
        if (req_def(&j->reqs[i])->access > worst)
            worst = req_def(&j->reqs[i])->access;
    return worst;
}

/* That of its first request: all are of one class. */
static inline enum sharing job_sharing(const struct job *j)
{
    return req_def(&j->reqs[0])->sharing;
}

/* Does it not share its nodes with everybody? */
static inline bool job_keeps_apart(const struct job *j)
{
    return job_access(j) > ACCESS_SHARED || job_sharing(j) != SHARING_NONE;
}

/* The resource manager whose job it is: rmset.h. INDEX_NONE: a question, nobody's. */
static inline uint32_t job_rm(const struct job *j)
{
    return j->cred[CRED_RM];
}

static inline bool job_is_active(const struct job *j)
{
    return j->state == JOB_STARTING || j->state == JOB_RUNNING;
}
/* It has begun and not ended: Starting, Running or Suspended. */
static inline bool job_has_begun(enum job_state s)
{
    return s == JOB_STARTING || s == JOB_RUNNING || s == JOB_SUSPENDED;
}
/* Seconds for which a suspended job needs its nodes when it goes on: those of its limit
 * that it has not run, at least one. */
static inline int64_t job_left_s(const struct job *j)
{
    int64_t left_s = j->end_at - j->suspend_at;

    return left_s > 0 ? left_s : 1;
}
/* It waits for nodes, and nothing holds it. */
static inline bool job_waits(const struct job *j)
{
    return j->state == JOB_IDLE && !j->holds;
}

/* Did anybody ask for its limit? An active one whose limit was learned may be told with
 * that by its resource manager. */
static inline bool job_asked_limit(const struct job *j)
{
    return j->wclimit_asked_s > 0 && !j->wclimit_learned;
}

/* The shortest limit with which it may be started: mostly its own. */
static inline int64_t job_least_limit(const struct job *j)
{
    int64_t least = j->extra ? j->extra->min_wclimit_s : 0;

    return least > 0 && least < j->wclimit_s ? least : j->wclimit_s;
}
/* It is to be started with a shorter limit than its own, which it has again when it is
 * back in the queue (job_stop()), or when nothing comes of the start. O(1). */
void job_shorten(struct job *j, int64_t wclimit_s);
void job_unshorten(struct job *j);

struct job_extra *job_extra(struct job *j); /* created when first asked for */
/* Why the user priority of an admitted job does not change here. */
#define JOB_PRIORITY_ELSEWHERE                                                         \
    "its user priority is that of its resource manager: there `scontrol update "       \
    "jobid=JOB nice=N` changes it"
/* Its user priority, its fixed one or its tier has been set: JOB_OWNPRIO follows of the
 * first two; the tier is no exception, and a part of the formula. */
void job_note_priority(struct cluster *c, struct job *j);
const char *job_state_name(enum job_state s);
const char *hold_reason_name(enum hold_reason r);

/* Amount of resource `id` that the job's requests as they are in force add up to. */
int64_t gres_of_job(const struct job *j, uint32_t id);

static inline struct cred *job_cred(
    const struct cluster *c, const struct job *j, enum cred_kind kind)
{
    return c->creds[kind].v[j->cred[kind]];
}

/* Start priority as of the last cycle, or when the job started. */
static inline int64_t job_priority(const struct cluster *c, const struct job *j)
{
    return c->priorities.v[j->index];
}
/* How many jobs passed it by backfill. */
static inline uint32_t job_bypass(const struct cluster *c, const struct job *j)
{
    return c->bypasses.v[j->index];
}

#endif
