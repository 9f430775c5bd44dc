/* SPDX-License-Identifier: Apache-2.0
 * Throttling: how much a credential may have active or idle at one time, soft
 * and hard, and how large one job may be. Source: reference throttling. */
#ifndef MAUI_POLICY_LIMITS_H
#define MAUI_POLICY_LIMITS_H

#include "policy/access.h"

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

/* Jobs that got or lost that mark in this cycle: *ret_n indexes, borrowed. */
const uint32_t *limits_remarked(const struct limits *l, size_t *ret_n);

/* Assert that what is counted as active equals the sum over the active jobs, counted
 * from nothing, of credentials, of the system and of pairs. For tests. O(all). */
void limits_check(const struct limits *l, const struct cluster *c, int64_t now);

/* Forget idle usage: a selection walk begins. O(credentials with idle limits). */
void limits_begin_idle(struct limits *l, struct cluster *c);

/* Account for one job: active when it starts or resumes (+1) and ends or is suspended
 * (-1). What was counted is remembered, so +1 for a counted job counts it anew (its
 * credentials changed) and -1 for one that is not counted does nothing; -1 also
 * ends JOB_SPVIOLATION. Idle when it was selected. O(1). */
void limits_count_active(
    struct limits *l, struct cluster *c, struct job *j, int sign, int64_t now);
void limits_count_idle(struct limits *l, struct cluster *c, const struct job *j);

enum { CHECK_ACTIVE = 1, CHECK_IDLE = 2, CHECK_SYSTEM = 4 };

/* Does the job, added to present usage, break a limit? `what` = CHECK_* bits;
 * order of checks and override rules as in the reference, section 4 and 7. True =
 * it does, and *ret_why tells the first; sizes are compared with the global
 * SYSTEMMAX*. The resource manager's quotas are active limits. O(limits in force). */
bool limits_violated(const struct limits *l, const struct cluster *c,
    const struct job *j, unsigned what, enum limit_level level, struct reason *ret_why);

/* The same for whoever has these credentials and would use that much from an instant
 * on: active jobs whose limits end by then do not count. ret_why may be NULL. O(limits
 * in force x active jobs). */
struct limits_use {
    const uint32_t *cred; /* by kind */
    const int64_t *v;     /* by resource: limits_use_of() of a job */
    int64_t from;         /* 0 = now: all that are active count */
    bool reserves; /* it is no job: the resource manager's quotas are not asked */
};
bool limits_use_violated(const struct limits *l, const struct cluster *c,
    struct limits_use use, unsigned what, enum limit_level level,
    struct reason *ret_why);

/* Of the resource manager's quotas alone: is one of them broken? O(of them). */
bool limits_quotas_violated(
    const struct limits *l, const struct cluster *c, const struct job *j);

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
/* Is there one in the configuration, beside those of the resource manager? */
bool limits_configured(const struct limits *l);

/* Class, user and group job-size limits (MAX.WCLIMIT, MIN.PROC, MAXPROCPERJOB,
 * MAXNODEPERJOB): true = violated, batch hold at load; *ret tells, but for the reason.
 */
bool limits_class_violated(
    const struct cluster *c, const struct job *j, struct access_fault *ret);

/* The value in force for (credential object, limit), after override, own, DEFAULT;
 * 0 = none. `k` NULL = the system (SYSCFG), `qos` NULL = no override. The order of
 * throttling.md 4, with the first reading of 4.1. For displays. */
struct limit limits_value(const struct cluster *c, const struct cred *k,
    const struct cred *qos, enum limit_dim dim, enum limit_res r);

const char *limit_name(enum limit_dim dim, enum limit_res r); /* "MAXJOB", "MAXIPROC" */

#endif
