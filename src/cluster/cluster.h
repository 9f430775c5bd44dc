/* SPDX-License-Identifier: Apache-2.0
 * The nouns: nodes, partitions, jobs, credentials, and the cluster that owns
 * them all. Records are plain and visible; outside their room they are read
 * only, and changed through the functions here so that the indexes, the usage
 * counters and the epochs stay true.
 *
 * Everything is found by a small index (uint32_t) that never changes or is
 * reused while the cluster lives, except job indexes, which are reused after
 * job_remove(). Iteration is always by index, so equal input gives equal
 * schedules. */
#ifndef MAUI_CLUSTER_CLUSTER_H
#define MAUI_CLUSTER_CLUSTER_H

#include "base/err.h"
#include "base/names.h"
#include "base/rangeset.h"
#include "base/timeval.h"
#include "base/vec.h"
#include "cluster/resources.h"
#include "config/settings.h"

#include <stdbool.h>
#include <stdint.h>

#define INDEX_NONE     UINT32_MAX
#define PARTITIONS_MAX 63 /* a job's partitions are one 64-bit mask */

/* ---- credentials ------------------------------------------------------------ */

/* What a credential has in use, per limit (see policy/throttling.md units). */
struct usage {
    int64_t v[LIMIT_RES_COUNT];
};

/* Recorded delivered usage in windows of FSINTERVAL; [0] is the current one.
 * Use grows linearly while nothing starts or ends, so a rate is kept and window
 * [0] holds what must be added to rate * (fs_at - fs_window_at): read and write
 * windows by fs_window() and fs_set_window() (policy/fairshare). */
struct fs_usage {
    double window[FS_DEPTH_MAX];
    double old;  /* decayed sum of windows 1..FSDEPTH-1 */
    double rate; /* consumption of the active jobs, per second */
    /* policy/fsmemory */
    int64_t loaded_at; /* use of before a restart is known up to here; 0 = all is */
    bool changed;      /* in cluster.fs_changed */
};

/* Whose usage: of a credential, or all (kind CRED_KINDS). */
struct fs_key {
    enum cred_kind kind;
    uint32_t index;
};

struct cred {
    enum cred_kind kind;
    uint32_t index;             /* within its kind; 0 is DEFAULT */
    const char *name;           /* borrowed from the cluster */
    const struct cred_cfg *cfg; /* own section, or an empty one; never NULL */
    const struct cred_cfg *def; /* the DEFAULT section of the kind */
    int64_t rm_priority;        /* class: priority told by the RM */
    bool enabled;               /* class: RM queue enabled and started */
    struct usage active, idle;  /* policy/limits keeps them */
    struct fs_usage fs;         /* policy/fairshare keeps it */
    double prio_fs;             /* policy/priority: weighted FS value in the pass ... */
    uint64_t prio_fs_pass;      /* ... of this number */
};

/* ---- nodes ------------------------------------------------------------------ */

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

struct gres_amounts VEC(struct gres);

/* A class that the node serves and its initiators; dedicated = in use. */
struct node_class {
    uint32_t cls;
    int32_t configured, dedicated;
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
    struct res ded;     /* dedicated to jobs */
    struct res util;    /* measured use, reported by the RM */
    double maxload;     /* <= 0 none */

    const char *name;
    int64_t state_at; /* when `state` last changed */
    uint32_t partition;
    uint32_t os, arch; /* name ids or NAME_NONE */
    uint32_t nodetype;
    struct gres_amounts gres_cfg, gres_ded;
    struct VEC(uint32_t) features, networks; /* sorted name ids */
    struct VEC(struct node_class) classes; /* empty = every class, initiators = procs */
    double speed;                          /* relative, 1.0 */
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

struct partition {
    uint32_t index;
    const char *name;
    const struct par_settings *par; /* own set, else the global one */
    struct res cfg;                 /* configured on its nodes */
    struct res up;                  /* configured on nodes that are up */
    uint32_t node_count, up_nodes;
};

/* ---- jobs ------------------------------------------------------------------- */

enum job_state {
    JOB_IDLE,
    JOB_HOLD, /* held in the RM; which kind is in rm_hold */
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

enum cmp_op { CMP_NONE, CMP_LT, CMP_LE, CMP_EQ, CMP_GE, CMP_GT };
struct cmp {
    enum cmp_op op;
    int64_t value;
};

/* A task definition: what one task needs, and where it may run. Interned: equal
 * requests share one record, so "can this run there" is answered once. */
struct taskdef {
    uint32_t index;
    struct res per_task;           /* dedicated per task; -1 = all of the node */
    struct gres_amounts gres;      /* per task, sorted by id */
    struct gres_amounts job_gres;  /* floating ones needed once, however many tasks
                                      there are; sorted by id */
    uint32_t tpn;                  /* tasks per node, 0 = any */
    uint32_t cls;                  /* job class, for initiators; INDEX_NONE = none */
    struct VEC(uint32_t) features; /* all needed; sorted name ids */
    struct VEC(uint32_t) prefs;    /* preferred features; sorted */
    struct VEC(uint32_t) hosts;    /* node indexes in list order; empty = any */
    struct VEC(uint32_t) exclude;  /* node indexes, sorted */
    uint32_t os, arch, network;    /* name ids or NAME_NONE */
    struct cmp procs, mem, swap, disk;  /* on configured amounts */
    enum access_policy access;          /* never UNSET: resolved at load */
    enum nodealloc_policy nodealloc;    /* NODEALLOC_UNSET = the partition's */
    const struct nodeset_spec *nodeset; /* of the job, or NULL = the partition's; owned
                                           by the taskdef */
    bool exactnode, exactproc;
    bool exact;      /* asked for exactnode itself, whatever JOBNODEMATCHPOLICY says */
    bool procs_only; /* a task takes a number of processors and nothing else of a node,
                        which the job shares with any others */
    const struct taskdef *in_force; /* the last answer of taskdef_with_access() */
};

struct req {
    const struct taskdef *def;   /* in force: request + class, QOS, policies */
    const struct taskdef *asked; /* as requested (access may be UNSET here);
                                    policy/access starts from it */
    const struct taskdef *held;  /* what the job's nodes are dedicated by while it is
                                    active; else NULL */
    uint32_t tasks;              /* >= 1 */
    uint32_t nodes;              /* explicit node count, 0 = none */
};

/* One piece of an allocation: `tasks` tasks of request `req` on each of `count`
 * nodes with consecutive indexes from `first`. Runs keep wide jobs small. */
struct alloc {
    uint32_t first, count;
    uint32_t tasks;
    uint32_t req;
};

struct allocs VEC(struct alloc);

/* Why a job waits. Produced where the decision is made; printed elsewhere. */
enum wait_code {
    WAIT_NONE,
    WAIT_STATE, /* RM state is not Idle */
    WAIT_HOLD,
    WAIT_CLASS_DISABLED,
    WAIT_NEGATIVE_PRIORITY,
    WAIT_RELEASE_TIME, /* until */
    WAIT_DEPENDENCY,   /* object = job; limit 1: of this job one can never hold */
    WAIT_LIMIT,        /* level, dim, res, kind, object, limit, used, asked */
    WAIT_FS_CAP,       /* kind, object, limit, used, asked */
    WAIT_PARTITION,    /* no accessible partition */
    WAIT_TOO_LARGE,    /* more than the partition has: limit, asked */
    WAIT_FEASIBLE,     /* no node satisfies the request's constraints */
    WAIT_RESOURCES,    /* not enough free now: used = free, asked */
    WAIT_RESERVATION,  /* has a reservation: until = its start */
    WAIT_NODESET,
    WAIT_PRIORITY, /* a higher job waits and BACKFILLPOLICY is NONE */
    WAIT_BACKFILL_DEPTH,
    WAIT_BACKFILL_WINDOW, /* would delay a reservation: limit = window seconds */
    WAIT_NOBF,
    WAIT_CHUNK,
    WAIT_SUSPENDED, /* preempted: its own nodes do not carry it yet; until. limit 1:
                       it waits for somebody to resume it */
    WAIT_PREEMPTED, /* as WAIT_RESOURCES, after `limit` preemptions */
    WAIT_DEADLINE,  /* too late for its deadline, limit; until = its reservation */
    WAIT_CODES
};

enum limit_dim { DIM_ACTIVE, DIM_IDLE, DIM_SYSTEM };
enum limit_level { LEVEL_SOFT, LEVEL_HARD };

struct reason {
    uint8_t code;  /* enum wait_code */
    uint8_t level; /* enum limit_level */
    uint8_t dim;   /* enum limit_dim */
    uint8_t res;   /* enum limit_res */
    uint8_t kind;  /* enum cred_kind, CRED_KINDS = system */
    uint8_t kind2; /* second credential of a limit within, CRED_KINDS = none */
    uint8_t same;  /* of a hard limit: the soft one is the same */
    uint32_t object, object2; /* credential index, job index ... */
    int64_t limit, used, asked;
    int64_t until; /* instant at which it could change, 0 = unknown */
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

/* Rarely needed parts of a job; NULL for most. */
/* What a deferral that is tried before its time has to leave as it was. */
struct job_deferral {
    int64_t until, hold_at;
    int64_t queue_at, eff_queue_s, paused_at;
    bool accruing, paused;
};

struct job_extra {
    struct VEC(struct dep) deps;
    bool given_up;   /* what the site wants was done: a dep can never hold */
    char *advres;    /* owned; ADVRES:name */
    char *hold_text; /* owned: message of the last hold or deferral */
    char *let_pass;  /* owned: code of the fault an administrator let it pass with */
    uint64_t deferred_in; /* state of the world in which it could not have its nodes */
    struct job_deferral
        deferral;            /* before it was tried as the world had changed, ... */
    int64_t tried_at;        /* ... then */
    char *command, *comment; /* owned */
    int64_t deadline_at;     /* 0 = none */
    int64_t rests_until;     /* suspended until then at least */
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
    uint32_t cred[CRED_KINDS]; /* indexes; 0 = DEFAULT = none named */
    uint32_t procs;            /* total processors over all requests */
    uint32_t tasks;            /* total */
    bool accruing;             /* queue time grows: it is now - queue_at; else it is
                                  frozen at eff_queue_s (policy/accrual) */
    bool paused;               /* a hold keeps the queue time from counting */
    bool impossible;           /* no empty machine could run it */
    bool failed;     /* it ended by itself, with an exit status that is not 0 */
    uint8_t limited; /* enum limited_by: in the last cycle; `why` tells */
    bool util_known; /* util_procs is measured */
    bool qos_forced; /* an administrator chose it: access is not asked */
    uint32_t possible_layout; /* of the plan for which `impossible` was found out */
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
    /* holds */
    uint8_t hold_reason; /* enum hold_reason */
    uint16_t defer_count, start_count, preempt_count;
    int64_t hold_at, defer_until;
    struct allocs alloc;             /* while active, and where it last ran */
    uint32_t active_slot, idle_slot; /* places in the cluster's lists */
};

/* ---- the cluster ------------------------------------------------------------ */

struct reservation;
struct rsv_list;

struct cluster {
    const struct settings *cfg; /* borrowed; replaced by cluster_configure() */
    struct names *features, *networks, *oses, *arches, *nodetypes, *gres;
    struct VEC(struct cred *) creds[CRED_KINDS]; /* [0] = DEFAULT */
    struct usage sys_active, sys_idle;           /* sums over all jobs */
    struct fs_usage fs_total;
    int64_t fs_window_at;                 /* start of the current fairshare window */
    int64_t fs_at;                        /* usage is recorded up to here */
    bool fs_open;                         /* the first window has been opened */
    struct VEC(struct fs_key) fs_changed; /* since fsmemory_saved() */
    struct VEC(struct node *) nodes; /* only for node_at(), and how many there are */
    struct VEC(struct partition *) partitions; /* [0] = DEFAULT */
    struct VEC(struct job *) jobs;             /* by index; NULL = free slot */
    /* What nearly every cycle changes of nearly every waiting job, beside the jobs. By
     * index, as long as `jobs`: job_priority(), job_bypass(). */
    struct VEC(int64_t) priorities;
    struct VEC(uint32_t) bypasses;
    uint64_t bypass_epoch;       /* +1 when somebody was passed */
    uint64_t prio_passes;        /* begun so far: policy/priority */
    struct VEC(uint32_t) active; /* indexes of Starting/Running/Suspended jobs */
    uint32_t suspended;          /* how many of those are Suspended */
    struct VEC(uint32_t) queued; /* every other job not ended, by (submit_at, id in
                                    natural order); INDEX_NONE marks a hole */
    struct VEC(struct taskdef *) taskdefs; /* by index */
    uint32_t global_node; /* index of the pseudo node GLOBAL, or INDEX_NONE */
    bool any_deadline;    /* some job has or had a deadline */
    struct res cfg_total; /* configured on all nodes */
    /* reservations that are not of a job; see cluster/reservation.h */
    struct VEC(struct reservation *) reservations; /* by index; NULL = free slot */
    struct VEC(struct rsv_list) rsv_nodes;         /* by node index; may be shorter */
    struct allocs rsv_left; /* nodes that reservations left; policy/rsvuse empties it */
    uint64_t rsv_epoch;     /* +1 at every change of a reservation */
    uint64_t rsv_moves;     /* the same, but for begins and ends in due time */
    uint64_t rsv_use_epoch; /* changes that policy/rsvuse has noticed */
    uint64_t rsv_serial;    /* reservations there ever were */
    uint64_t config_epoch;  /* +1 when settings or credentials' settings changed */
    uint64_t node_epoch;    /* +1 when a node's static attributes or state changed */
    uint64_t relief_epoch;  /* +1 when a node is told to be less busy than before */
    struct cluster_private *priv; /* indexes by name */
    struct access_cache *access;  /* policy/access owns it; access_cache_destroy() */
};

struct cluster *cluster_create(const struct settings *cfg);
void cluster_destroy(struct cluster *c);

/* Put other settings in force. `cfg` is borrowed until the next call. Relinks
 * credentials and nodes to their sections; jobs keep their credentials. */
void cluster_configure(struct cluster *c, const struct settings *cfg);

/* Take the holes out of `queued` and put late arrivals in their places: a job that
 * was added far out of order stands at the end until then. O(queued) when there is
 * something to do, else O(1). cluster_tidy_queue() does so only when it is worth it:
 * when there are late arrivals or many holes. */
void cluster_tidy_queue(struct cluster *c);
void cluster_compact_queue(struct cluster *c);
/* The job at that place of `queued`; NULL = a hole. */
static inline struct job *queue_at(const struct cluster *c, size_t place)
{
    uint32_t job = c->queued.v[place];

    return job == INDEX_NONE ? NULL : c->jobs.v[job];
}

/* Assert everything the cluster promises about itself: totals, what is dedicated,
 * owners, lists, counts. For tests. O(all). */
void cluster_check(const struct cluster *c);

/* The credential of that name, created (with the settings of its section, or of
 * DEFAULT) if it is new. NULL, "", "DEFAULT" give index 0. O(1). */
struct cred *cred_get(struct cluster *c, enum cred_kind kind, const char *name);
/* The same without creating: NULL if unknown. */
struct cred *cred_find(const struct cluster *c, enum cred_kind kind, const char *name);
/* ERR_NOT_FOUND: "there is no class 'bach'; did you mean 'batch'?". Returns -1. */
int cred_missing(
    const struct cluster *c, enum cred_kind kind, const char *name, struct err *err);
/* Jobs of a class that is not enabled stay queued. */
void class_enable(struct cluster *c, struct cred *cls, bool enabled);
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

/* The partition of that name, created if new; NULL when there are
 * PARTITIONS_MAX already. NULL name = DEFAULT. */
struct partition *partition_get(struct cluster *c, const char *name);
uint32_t partition_find(const struct cluster *c, const char *name); /* or INDEX_NONE */
/* The same sentence of a partition. Returns -1. */
int partition_missing(const struct cluster *c, const char *name, struct err *err);

/* What a resource manager or trace tells about a node. Amounts < 0: unknown. */
struct node_desc {
    const char *name;
    enum node_state state;
    struct res cfg;
    const char *partition;       /* NULL = not told */
    const char *const *features; /* NULL-terminated or NULL */
    const char *const *networks;
    const struct gres_cfg *gres;    /* name NULL ends */
    const struct gres_cfg *classes; /* name:initiators, name NULL ends; NULL = all */
    const char *os, *arch;
    double speed;               /* 0 = unknown */
    int64_t procspeed_mhz;      /* 0 = unknown */
    int64_t frame, slot, slots; /* 0 = unknown */
    bool measured;              /* `load` and `util` below were measured */
    double load;
    struct res util;
    uint32_t more; /* so many further nodes are told the same; their names count on
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
/* Add so many nodes told the same as `n`, as node_report() would one by one; names as
 * for node_desc.more. Only where that is simple: no node but `n`, which has no NODECFG
 * of its own, no lists, and never had a job. False: they have to be reported. */
bool node_repeat(struct cluster *c, const struct node *n, uint32_t count);
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
 * which are not in `ded`: now, or for `ahead_s` > 0 what those keep that could not be
 * over by then if they were resumed now. O(suspended jobs), O(1) when there are none.
 */
struct res node_held(const struct cluster *c, const struct node *n,
    const struct job *but, int64_t ahead_s);
/* Initiators of class index `cls` left on the node: INT32_MAX where the node limits
 * no class or `cls` is INDEX_NONE, 0 where it does not serve the class. */
int32_t node_class_free(const struct cluster *c, const struct node *n, uint32_t cls);
/* Can no request tell the nodes apart, whatever is on them? GLOBAL is like no other. */
bool node_same_kind(const struct node *a, const struct node *b);
/* From this node on, all before that one are of its kind. O(log kinds). */
uint32_t node_kind_end(const struct cluster *c, uint32_t node);
/* Amount of generic resource `id` configured on the node. */
int64_t node_gres(const struct node *n, uint32_t id);
/* Is `id` configured on GLOBAL and on no real node, so that jobs take it there? What
 * is left of it: node_gres() minus gres_ded of node_at(c, c->global_node). */
bool gres_is_floating(const struct cluster *c, uint32_t id);
/* Amount of resource `id` that the job's requests as they are in force add up to. */
int64_t gres_of_job(const struct job *j, uint32_t id);
/* Amount of a floating resource that no job has. */
int64_t gres_floating_free(const struct cluster *c, uint32_t id);
/* Nodes that a piece of an allocation takes vacant stay folded: what is on them follows
 * from the piece, and nobody touches their records, so that wide jobs start and end at
 * the cost of some bits. Where nothing but processors counts further jobs may join on
 * the nodes at its ends. So many nodes from `first` on, before `end`, are folded in one
 * run; they are equal in configuration and use. 0 = `first` is not folded. */
#define NODE_FOLDED_JOBS 4 /* at most so many are on a folded node */
uint32_t node_folded(const struct cluster *c, uint32_t first, uint32_t end);
/* Processors of a folded node that a job can have that asks for nothing else; -1 = that
 * is not known, or it is not folded. */
int64_t node_folded_left(const struct cluster *c, uint32_t node);
/* Write into the node's record what is on it. To be called before `expected`, `ded`,
 * `load`, `gres_ded`, `jobs` or initiators are read directly. A cache is filled: for
 * all others nothing changes. O(1). */
void node_unfold_run(const struct cluster *c, const struct node *n); /* for it */
static inline void node_unfold(const struct cluster *c, const struct node *n)
{
    if (n->vacant)
        node_unfold_run(c, n);
}
/* Nodes with nothing on their processors: reported Idle or Running, no job, no load and
 * no use measured. And those of which a processor can be dedicated all the same. */
const struct rangeset *nodes_vacant(const struct cluster *c);
const struct bitset *nodes_partly(const struct cluster *c);
static inline bool node_has_room(const struct cluster *c, uint32_t node)
{
    return rangeset_test(nodes_vacant(c), node) || bitset_test(nodes_partly(c), node);
}
const char *node_state_name(enum node_state s);
int node_state_parse(const char *text, enum node_state *ret_state);

/* One request of a job as told by the RM, a trace or msub. */
struct req_desc {
    struct res per_task; /* procs 0 = 1 */
    uint32_t tasks;      /* 0 = 1 */
    uint32_t nodes, tpn;
    bool exact; /* neither more nor fewer nodes, whatever JOBNODEMATCHPOLICY says */
    const char *const *features, *const *prefs; /* NULL-terminated or NULL */
    const char *const *hosts, *const *exclude;
    const struct gres_cfg *gres;     /* name NULL ends; or NULL */
    const struct gres_cfg *job_gres; /* floating, once for all tasks; as gres */
    const char *os, *arch, *network;
    struct cmp procs, mem, swap, disk;
    enum access_policy access;          /* ACCESS_UNSET = class, QOS, global */
    enum nodealloc_policy nodealloc;    /* NODEALLOC_UNSET = the partition's */
    const struct nodeset_spec *nodeset; /* copied; NULL = the partition's */
};

struct job_memory;

/* Tasks of a job on a node, by name, and of which of its requests they are. */
struct job_place {
    const char *node;
    uint32_t tasks;
    uint32_t req;
};

struct job_desc {
    const char *id;                 /* required, unique */
    const char *cred[CRED_KINDS];   /* NULL = none */
    int64_t submit_at, eligible_at; /* eligible_at 0 = submit_at */
    int64_t wclimit_s;              /* 0 = none asked, DURATION_UNLIMITED = unlimited */
    int64_t release_at, deadline_at; /* 0 = none */
    enum job_state state;            /* JOB_IDLE usually */
    uint8_t rm_hold;
    uint32_t flags; /* enum job_flag */
    int64_t user_priority;
    const struct req_desc *reqs;
    uint32_t nreqs;                /* >= 1 */
    const char *const *partitions; /* asked; NULL-terminated or NULL */
    const char *const *classes;    /* it may run in any of them, cred[CRED_CLASS] first;
                                      NULL-terminated or NULL */
    const struct dep *deps;        /* job_id NULL ends; or NULL */
    const char *advres, *command;
    const char *comment; /* of the user, for people */
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
struct job *job_find(const struct cluster *c, const char *id);
/* Forget an ended or waiting job and free it. An active one must be ended first. */
void job_remove(struct cluster *c, struct job *j);

/* The one shared record equal to the draft, made if it is new; lives as long as the
 * cluster. The draft is borrowed (its lists get sorted); the caller frees it. To
 * change a request: taskdef_copy(), edit, taskdef_intern(), taskdef_fini(). */
const struct taskdef *taskdef_intern(struct cluster *c, struct taskdef *draft);
struct taskdef taskdef_copy(const struct taskdef *def); /* owned: taskdef_fini() */
void taskdef_fini(struct taskdef *draft);
static inline bool taskdef_whole_node(const struct taskdef *def)
{
    return def->access >= ACCESS_SINGLEJOB;
}

/* Fill procs, tasks, mem_mb and pe from the job's requests. Procs -1 counts as the
 * largest node's. O(requests). */
void job_refresh_totals(const struct cluster *c, struct job *j);
/* Processor equivalents with the totals of this moment (priority.md 2.1). */
double job_pe(const struct cluster *c, const struct job *j);
/* Queue order: (submit_at, id in natural order); a total order. */
int job_compare(const struct job *a, const struct job *b);

/* State moves by the transition table in job_state.c; an unlisted one is an error
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

/* What a request is or will be dedicated by: as it was when the job started, if it has.
 */
static inline const struct taskdef *req_def(const struct req *r)
{
    return r->held ? r->held : r->def;
}
/* The strictest access policy among a job's requests: nodes it shares with others must
 * satisfy that one. */
static inline enum access_policy job_access(const struct job *j)
{
    enum access_policy worst = req_def(&j->reqs[0])->access;

    for (uint32_t i = 1; i < j->nreqs; i++)
        if (req_def(&j->reqs[i])->access > worst)
            worst = req_def(&j->reqs[i])->access;
    return worst;
}
static inline bool job_is_active(const struct job *j)
{
    return j->state == JOB_STARTING || j->state == JOB_RUNNING;
}
/* It waits for nodes, and nothing holds it. */
static inline bool job_waits(const struct job *j)
{
    return j->state == JOB_IDLE && !j->holds;
}
struct job_extra *job_extra(struct job *j); /* created when first asked for */
const char *job_state_name(enum job_state s);
const char *hold_reason_name(enum hold_reason r);
const char *cred_kind_name(enum cred_kind k);

#endif
