/* SPDX-License-Identifier: Apache-2.0
 * Who goes first: start priority and run priority of jobs.
 * Source: reference priority. P = sum W[c] * cap(sum w[s] * cap(v[s])). */
#ifndef MAUI_POLICY_PRIORITY_H
#define MAUI_POLICY_PRIORITY_H

#include "cluster/cluster.h"
#include "cluster/job.h"
#include "config/priocfg.h"

#define PRIORITY_MAX INT64_C(1000000000) /* ceiling, and base of system priorities */
#define PRIORITY_TIER                                                                  \
    INT64_C(10000000000) /* a job's tier is worth more than all else */

/* Set the start priority of the `n` jobs with the given indexes, at `now`. Parts that
 * do not change with time are cached in the job and redone when settings, the cluster's
 * totals or the job change: job_change_apply(), access_resolve() and access_set_qos(),
 * which change credentials and requests, set its prio_epoch to 0. O(n), about ten
 * nanoseconds a job: it runs over every queued job in every cycle. */
void prio_update(struct cluster *c, const uint32_t *jobs, size_t n, int64_t now);

/* The same in pieces, for callers that do more with each job while it is at hand:
 * begin once, then set any of them. Fairshare is as it was when the first job with the
 * credential was met. What is in force in the pass is
 * decided at its begin, so that the loop asks little; nothing of it is public. */
struct prio_pass {
    const struct prio_settings *s;
    struct cluster *c;
    int64_t now;
    uint64_t epoch;  /* of the cached parts */
    uint64_t number; /* of the pass: what was worked out in another does not hold */
    bool user;       /* RES looks at the user's active jobs: not cached whole */
    bool fs, serv, targ;
    bool qos;     /* some QOS has weights of its own */
    bool xfactor; /* XFACTOR is needed, for itself or a target */
    bool counts;  /* BYPASS or SPVIOLATION */
};
void prio_begin(struct cluster *c, int64_t now, struct prio_pass *ret);
/* Another pass at a later instant, where nothing has changed that the last was made
 * from: settings, the cluster's totals, which QOS and classes there are. */
void prio_go_on(struct prio_pass *pass, int64_t now);
void prio_set(const struct prio_pass *pass, const uint32_t *jobs, size_t n);

/* What a priority is made of in a pass: what is the job's own, which stays as it is
 * while nothing happens to the job, the settings or the cluster's totals (`epoch`), and
 * what its credentials give to all who have the same. For callers that keep these side
 * by side, because the jobs themselves lie all over the memory. */
struct prio_own {
    double fixed;    /* CRED, and RES where that is whole */
    double res;      /* RES sum without UPROC, UJOB */
    int64_t queue_s; /* accrual_grows() */
    int64_t wclimit_s;
    uint32_t bypass;
    uint16_t tier; /* up to JOB_TIER_MAX */
    bool grows, over_soft;
};
struct prio_creds {
    double fs; /* the component */
    double user_procs, user_jobs;
    double qt_weight, xf_weight; /* with the QOS's own */
    double xf_target;
    int64_t qt_target_s;
};
void prio_own_of(const struct prio_pass *pass, struct job *j, struct prio_own *ret);
/* Assert that what is remembered of the parts of waiting jobs that do not change with
 * time is what they come out as anew. For tests. O(jobs). */
void prio_check(struct cluster *c, int64_t now);
void prio_creds_of(const struct prio_pass *pass, const uint32_t cred[CRED_KINDS],
    struct prio_creds *ret);
/* The priority of both, without what JOB_OWNPRIO and setspri gave the job:
 * for jobs that have none. */
int64_t prio_from(const struct prio_pass *pass, const struct prio_own *own,
    const struct prio_creds *of);

/* Do the priorities of all jobs grow at one rate while nothing but time passes? That
 * is, depend on their queue time alone, equally weighted and without bounds.
 * *ret_rate: points a second, never negative. O(1). */
bool prio_grows_alike(const struct prio_pass *pass, double *ret_rate);
/* The instant from which queue time of a job counts that accrues it. */
int64_t prio_queued_since(const struct prio_pass *pass, const struct job *j);
/* Will its queue time, once it accrues, go on from what it is now? */
bool prio_queue_is_plain(const struct prio_pass *pass, const struct job *j);

/* Everything diagnose -p prints about one job. */
struct prio_parts {
    double value[PRIO_SUBS];     /* v, capped */
    double weight[PRIO_SUBS];    /* w of this job (QOS and group weights included) */
    double comp[PRIO_COMPS];     /* capped sum of w * v, before the component weight */
    double weighted[PRIO_COMPS]; /* W * comp */
    int64_t user;                /* what its user priority adds behind those */
    int64_t tier;                /* what its tier adds */
    int64_t priority;            /* after floor, ceiling, user and system priority */
};
void prio_explain(
    struct cluster *c, const struct job *j, int64_t now, struct prio_parts *ret_parts);

/* What fairshare of this credential alone adds to the priority of its jobs, in points.
 * O(1). */
double prio_fs_of(const struct cluster *c, const struct cred *k);

/* Component a subcomponent belongs to, and names as displayed ("QTime" ...). */
enum prio_comp prio_comp_of(enum prio_sub s);
const char *prio_sub_name(enum prio_sub s);
const char *prio_comp_name(enum prio_comp c);

/* What the priority that its user gave it adds to a job's: weighted, and 0 where it may
 * not count: above 0 without ENABLEPOSUSERPRIORITY, unless the resource manager has
 * admitted the job, which then has seen to that. */
int64_t prio_of_user(const struct prio_settings *s, const struct job *j);

/* Run priority of an active job (choice of preemption victims). */
int64_t prio_run(struct cluster *c, const struct job *j, int64_t now);

/* setspri: absolute (1..1000, 0 clears) or relative (+-1e9). ERR_INVALID when out
 * of range, and nothing changes. */
int prio_set_system(struct job *j, bool relative, int64_t n, struct err *err);

#endif
