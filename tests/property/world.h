/* SPDX-License-Identifier: Apache-2.0
 * A small random world: cluster, settings, jobs and what happens to them, all from
 * one number. It is plain data, so that a model that knows nothing of the scheduler
 * can read the same numbers the scheduler is told. */
#ifndef MAUI_TESTS_WORLD_H
#define MAUI_TESTS_WORLD_H

#include "base/strbuf.h"
#include "cluster/job.h"

#define W_NODES    12
#define W_JOBS     48
#define W_FEATURES 3 /* f0, f1, f2 */
#define W_CLASSES  2 /* c1, c2 */
#define W_LABELS   4 /* features, classes ... of each kind that no job asks for */
#define W_OBJECTS  5 /* objects of a credential kind, 0 = DEFAULT */
#define W_PARTS    3 /* DEFAULT, p1, p2 */
#define W_EVENTS   160
#define W_SYSTEM   CRED_KINDS /* SYSCFG, in tables of limits */

/* What is made: everything at once, or a world calm enough for a promise. */
enum w_profile {
    W_WILD,        /* anything goes */
    W_TOP,         /* CURRENTHIGHEST; nothing outranks a job once it waits */
    W_KEPT,        /* HIGHEST of any depth, nothing takes a reservation away */
    W_CONSERVATIVE /* HIGHEST, every job reserved, a cycle after each event */
};

struct w_node {
    char name[12];
    int64_t cfg[RES_DIMS];
    double speed;      /* 0 = not set */
    unsigned features; /* bits */
    bool limits_classes;
    int initiators[W_CLASSES + 1]; /* by class, when limits_classes; 0 = not served */
    int gpus;
    uint32_t partition;
    /* NODECFG, -1 = not set */
    int maxjob, maxjob_user, maxproc, maxproc_user, maxproc_class, maxpe;
    uint32_t maxproc_of; /* the class of maxproc_class */
};

struct w_limit {
    int64_t soft, hard; /* 0 = not set, -1 = unlimited */
};

/* MAXJOB[USER:u1]=3 on a class. */
struct w_within {
    bool idle;
    uint32_t kind, object, kind2, object2; /* object2 0 = every one */
    enum limit_res res;
    int64_t hard;
};

struct w_settings {
    const char *bf_policy, *bf_metric, *bf_type;
    int64_t bf_depth, bf_schedules, chunk_size, chunk_s;
    const char *rsv_policy;
    int64_t rsv_depth, rsv_depth1; /* stack 0; stack 1 for q1 and q2 when not 0 */
    const char *nodealloc, *avail;
    enum access_policy access, class_access[W_CLASSES + 1];
    bool exactnode, exactproc, single_node;
    int64_t defer_s, defer_count, defer_starts;
    bool requeue; /* at the wallclock limit, instead of cancel */
    /* fairshare caps */
    bool fs;
    int64_t fs_interval_s, fs_depth;
    double fs_decay;
    char fs_cap[CRED_KINDS][W_OBJECTS]; /* ^ or %, 0 = none */
    int64_t fs_target[CRED_KINDS][W_OBJECTS];
    /* limits; [W_SYSTEM][0] is SYSCFG */
    struct w_limit active[CRED_KINDS + 1][W_OBJECTS][LIMIT_RES_COUNT];
    struct w_limit idle[CRED_KINDS + 1][W_OBJECTS][LIMIT_RES_COUNT];
    struct w_within within[4];
    uint32_t nwithin;
    int64_t class_procs_per_node[W_CLASSES + 1], class_procs_per_job[W_CLASSES + 1];
    int64_t sys_procs, sys_wclimit_s;         /* SYSTEMMAX*, 0 = none */
    const char *qos_flags[W_OBJECTS];         /* "" = none */
    int64_t over[W_OBJECTS][LIMIT_RES_COUNT]; /* OMAX<R>, 0 = none */
    int64_t queue_weight, xf_weight;
};

struct w_req {
    uint32_t tasks, nodes, tpn;
    int64_t per_task[RES_DIMS];
    int64_t mem_per_node; /* besides, of each node */
    unsigned features;
    uint8_t hosts[W_NODES], nhosts; /* in list order */
    unsigned exclude;               /* bits */
    int gpus, licences;             /* per task; gpu is on nodes, lic floats */
    enum access_policy access;
};

struct w_job {
    char id[12];
    int64_t submit_at, limit_s, run_s;
    int64_t release_at;        /* 0 = none */
    uint32_t cred[CRED_KINDS]; /* object, 0 = none */
    unsigned partitions;       /* asked, bits; 0 = any */
    uint32_t flags;            /* JOB_NOQUEUE, JOB_DEDICATED, JOB_SPAN */
    int64_t priority;          /* setspri at submission, 0 = computed */
    int dep;                   /* job it depends on, -1 = none */
    enum dep_type dep_type;
    unsigned holds; /* at submission */
    uint32_t fails; /* that many starts fail, fail_s after them */
    int64_t fail_s;
    uint32_t nreqs;
    struct w_req reqs[2];
};

enum w_kind {
    W_SUBMIT,
    W_HOLD,
    W_RELEASE,
    W_NODE_DOWN,
    W_NODE_DRAIN,
    W_NODE_UP,
    W_SETSPRI,
    W_SETQOS,
    W_CANCEL,
    W_RELOAD
};

struct w_event {
    int64_t at;
    enum w_kind kind;
    uint32_t job, node;
    int64_t arg; /* holds, priority, QOS object, settings number */
};

struct world {
    uint64_t seed;
    enum w_profile profile;
    struct w_node nodes[W_NODES];
    uint32_t nnodes, nparts;
    int64_t licences; /* NODECFG[GLOBAL], 0 = none */
    struct w_settings settings[2];
    uint32_t nsettings;
    struct w_job jobs[W_JOBS];
    uint32_t njobs;
    struct w_event events[W_EVENTS]; /* by time */
    uint32_t nevents;
    bool by_node;    /* a held job with a host list makes the plan go node by node */
    bool labelled;   /* nodes bear labels that no job asks for */
    bool event_wise; /* a cycle after each event, not one an instant */
};

void world_make(struct world *w, enum w_profile profile, uint64_t seed);
/* Another world of the same seed: one processor a task, nothing that keeps the plan
 * from counting. */
/* Give the nodes speeds that limits depend on; none over 1, so that no job runs longer
 * than its limit. */
void world_add_speeds(struct world *w, uint64_t seed);
void world_make_plain(struct world *w, uint64_t seed);

/* world_jobs.c: the jobs, and what happens to them */
struct rng;
void world_add_jobs(struct world *w, struct rng *r, bool plain);

/* maui.cfg of one of the settings. */
void world_config(const struct world *w, uint32_t which, struct strbuf *ret);
/* All of it, for a person. */
void world_print(const struct world *w, struct strbuf *ret);

/* Names: "u1", "g2", "a1", "c2", "q3"; NULL for object 0. */
const char *world_cred_name(enum cred_kind kind, uint32_t object);
const char *world_part_name(uint32_t partition);

#endif
