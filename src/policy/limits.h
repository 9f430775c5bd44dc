/* SPDX-License-Identifier: Apache-2.0
 * Throttling: how much a credential may have active or idle at one time, soft
 * and hard, and how large one job may be. Source: reference throttling. */
#ifndef MAUI_POLICY_LIMITS_H
#define MAUI_POLICY_LIMITS_H

#include "cluster/cluster.h"

/* Two-dimensional usage, and which limits exist at all (so that a site without
 * limits pays nothing). Rebuilt by limits_configure(). */
struct limits;

struct limits *limits_create(void);
void limits_destroy(struct limits *l);

/* Settings or the set of sections changed: find which limits are in force. Counted
 * active jobs stay counted, idle usage is forgotten. O(credentials + active). */
void limits_configure(struct limits *l, struct cluster *c);

/* Start of a cycle at `now`: recount active usage that shrinks with time (MAXPS,
 * MAXWC: remaining time), mark active jobs that exceed a soft limit with
 * JOB_SPVIOLATION. O(active), and only when active limits exist. */
void limits_begin_cycle(struct limits *l, struct cluster *c, int64_t now);

/* Forget idle usage: a selection walk begins. O(credentials with idle limits). */
void limits_begin_idle(struct limits *l, struct cluster *c);

/* Account for one job: active when it starts or resumes (+1) and ends or is suspended
 * (-1). What was counted is remembered, so +1 for a counted job counts it anew (its
 * credentials changed) and -1 for one that is not counted does nothing; -1 also
 * ends JOB_SPVIOLATION. Idle when it was selected. O(1). */
void limits_count_active(
    struct limits *l, struct cluster *c, struct job *j, int sign, int64_t now);
void limits_count_idle(struct limits *l, struct cluster *c, const struct job *j);

/* What one job asks for, taken once from the job: walks over a long queue compare
 * these, which lie side by side, instead of the jobs, which do not. */
struct limits_ask {
    int64_t v[LIMIT_RES_COUNT];
    uint32_t cred[CRED_KINDS];
    uint32_t job; /* index */
};
void limits_ask_of(
    const struct cluster *c, const struct job *j, struct limits_ask *ret);
/* The same for walks: only what is limited is filled in, and processors. */
void limits_ask_limited(const struct limits *l, const struct cluster *c,
    const struct job *j, struct limits_ask *ret);
void limits_ask_count_idle(
    struct limits *l, struct cluster *c, const struct limits_ask *ask);
/* limits_violated() for an ask; ret_why may be NULL. */
bool limits_ask_violated(const struct limits *l, const struct cluster *c,
    const struct limits_ask *ask, unsigned what, enum limit_level level,
    struct reason *ret_why);

/* A walk over the queue: active and idle checks of many asks at a level, counting those
 * that pass as idle. Begins a new idle count. Where the settings are plain (no QOS
 * overrides, no limits of one credential within another) what each credential has left
 * stands in dense rows during the walk, and limits_walk_end() puts the idle usage where
 * everybody finds it; then there may be a walk at either level at once, and the one
 * that ends last tells the usage. */
bool limits_walk_is_plain(const struct limits *l);
void limits_walk_begin(struct limits *l, struct cluster *c, enum limit_level level);
bool limits_walk_violated(struct limits *l, const struct cluster *c,
    const struct limits_ask *ask, enum limit_level level);
void limits_walk_count(struct limits *l, struct cluster *c,
    const struct limits_ask *ask, enum limit_level level);
void limits_walk_end(struct limits *l, struct cluster *c, enum limit_level level);

enum { CHECK_ACTIVE = 1, CHECK_IDLE = 2, CHECK_SYSTEM = 4 };

/* Does the job, added to present usage, break a limit? `what` = CHECK_* bits;
 * order of checks and override rules as in the reference, section 4 and 7. True =
 * it does, and *ret_why tells the first; sizes are compared with the global
 * SYSTEMMAX*. O(limits in force). */
bool limits_violated(const struct limits *l, const struct cluster *c,
    const struct job *j, unsigned what, enum limit_level level, struct reason *ret_why);

/* Is the job by itself larger than one may be in that partition? */
bool limits_size_violated(const struct limits *l, const struct cluster *c,
    const struct job *j, uint32_t partition, struct reason *ret_why);

/* Can the job never run because its own consumption exceeds a hard limit? */
bool limits_never(const struct limits *l, const struct cluster *c, const struct job *j,
    struct reason *ret_why);

/* Is any soft limit tighter than its hard one? When not, the soft and the hard
 * pass see the same jobs. And is there any active, idle or system limit at all? */
bool limits_soft_differs(const struct limits *l);
bool limits_any(const struct limits *l, unsigned what);

/* Class, user and group job-size limits (MAX.WCLIMIT, MIN.PROC, MAXPROCPERJOB,
 * MAXNODEPERJOB): true = violated, batch hold at load; *ret_text is a sentence. */
bool limits_class_violated(
    const struct cluster *c, const struct job *j, char *ret_text, size_t size);

/* The value in force for (credential object, limit), after override, own, DEFAULT;
 * 0 = none. `k` NULL = the system (SYSCFG), `qos` NULL = no override. The order of
 * throttling.md 4, with the first reading of 4.1. For displays. */
struct limit limits_value(const struct cluster *c, const struct cred *k,
    const struct cred *qos, enum limit_dim dim, enum limit_res r);

const char *limit_name(enum limit_dim dim, enum limit_res r); /* "MAXJOB", "MAXIPROC" */

#endif
