/* SPDX-License-Identifier: Apache-2.0
 * What the files of the engine share. Private to src/engine. */
#ifndef MAUI_ENGINE_ENGINE_PRIVATE_H
#define MAUI_ENGINE_ENGINE_PRIVATE_H

#include "cluster/partition.h"
#include "engine/admission.h"
#include "engine/calendar.h"
#include "engine/engine.h"
#include "engine/groups.h"
#include "engine/leaving.h"
#include "engine/lost.h"
#include "engine/occupancy.h"
#include "engine/promises.h"
#include "engine/queue/queue.h"
#include "engine/told.h"
#include "engine/wakeups.h"
#include "plan/backfill.h"
#include "plan/plan.h"
#include "policy/access.h"
#include "policy/limits.h"
#include "policy/priority.h"
#include "policy/rsvuse.h"

struct engine {
    const struct settings *cfg;
    struct engine_options opt;
    struct cluster *c;
    struct plan *plan;
    struct limits *limits;
    struct promises *promises;
    int64_t now, last_cycle_at;
    int64_t origin;      /* first submit time seen */
    int64_t chunk_until; /* BFCHUNKDURATION after the last job end */
    uint64_t limits_epoch;
    struct admission_use admission;
    struct indexes ended;       /* removed from the cluster at the next cycle */
    struct indexes changed;     /* engine_changed() */
    struct candidates backfill; /* scratch */
    struct queue *queue;
    struct depth_groups *groups;
    struct rsv_calendar *calendar;
    struct losses *losses;
    struct preemption *preemption;
    struct leaving *leaving;
    struct told *told;
    struct wakeups *wakeups;
    struct indexes dated;        /* eligible jobs with a deadline */
    struct indexes out_of_order; /* started while a higher one waits */
    bool any_noqueue;
    uint64_t applied;    /* events so far */
    uint64_t world_seen; /* engine_world() of the last cycle */
    bool reordered;      /* reservations or settings changed by order since */
    bool any_classes;    /* some job may run in several classes */
    bool any_deps;       /* some job depended on another */
    bool look_again;     /* a start of this cycle may let others go in the next */
    bool any_limited;    /* somebody was kept back by a limit */
    bool any_left;       /* somebody waits no longer, but was not started */
    bool any_cap;        /* some fairshare target keeps jobs from running */
    bool keeps;          /* RESERVATIONPOLICY HIGHEST somewhere */
    struct par_state par[PARTITIONS_MAX + 1];
    struct reason why;      /* the last answer of engine_why() */
    struct actions *out;    /* of the running cycle, ... */
    size_t out_from;        /* ... from this one on */
    struct actions pending; /* decided between cycles */
    uint32_t starts;        /* in this cycle */
    struct engine_stats stats;
    struct statistics *statistics; /* NULL = not kept */
};

/* engine.c */
/* What the job's credentials allow; a fault becomes a hold or a deferral. */
void resolve_job(struct engine *e, struct job *j);

/* eligible.c */
/* A WAIT_TOO_LARGE, which counts tasks, for people: in processors. */
void why_in_procs(const struct job *j, struct reason *r);
/* Does it pass all that is asked before the queue is in order (admission.h)? A
 * deferral that is due ends; one that could never run is deferred. */
bool eligible_admit(struct engine *e, struct job *j);
/* The same for one of which it is known that no row of ADMIT_QUEUED refuses it. */
bool eligible_enqueue(struct engine *e, struct job *j);
/* What of a waiting job changes by itself, and a restart has to know. */
struct waiting {
    uint8_t holds, limited;
    bool accruing, paused;
};
struct waiting waiting_of(const struct job *j);
/* Told by engine_changed() if it is other than before. */
void waiting_changed(struct engine *e, const struct job *j, struct waiting before);
/* Raised with whatever may give a job its nodes other than what ends: nodes come back,
 * reservations and settings change. */
uint64_t engine_world(const struct engine *e);
#define WORLD_BEFORE UINT64_MAX /* of before a restart: taken to be that of now */
/* It was deferred as it could not have its nodes, and the world has changed since: to
 * be tried before its time. */
bool deferred_for_nodes(const struct engine *e, const struct job *j);
/* From the job itself, wherever it is. */
struct candidate candidate_of(const struct engine *e, uint32_t job);
/* The reason for which it waits, without numbers. */
void refuse(struct job *j, enum wait_code code, int64_t until);

/* check.c */
/* Assert that all running sums (limits, fairshare, use of reservations, statistics,
 * what is dedicated, the queue) equal those counted from nothing. For tests, between
 * events. O(all). */
void engine_check(struct engine *e);

/* start.c */
bool start_job(struct engine *e, struct job *j, uint32_t partition, bool backfill);
/* The same where another plan says, so that what is reserved may be in its way. */
bool start_job_by(struct engine *e, struct plan *plan, struct job *j,
    uint32_t partition, bool backfill);
/* In the first partition of the pass in which it can: its own default one, then the
 * others in order. */
bool start_if_possible(struct engine *e, struct job *j);
/* Nodes for a start now, into j->alloc, in that partition or as start_if_possible();
 * false, and why: there are none. *j may be a copy (job_copy()), whose nodes the job
 * takes when it starts (start_placed()). */
bool place_if_possible(struct engine *e, struct job *j, uint32_t partition);
bool place_anywhere(struct engine *e, struct job *j);
void start_take_nodes(struct job *j, const struct job *copy);
void stop_job(struct engine *e, struct job *j, enum job_event how);
void requeue_job(struct engine *e, struct job *j);
void defer_job(struct engine *e, struct job *j, enum hold_reason why, const char *text);
void after_deferral(
    struct engine *e, struct job *j, enum defer_result result, const char *text);
/* `text` NULL: that of the reason. */
void cancel_job(struct engine *e, struct job *j, enum end_reason why, const char *text);
/* Why the last action was decided. */
void act_because(struct engine *e, enum end_reason why);
void cancel_unqueued(struct engine *e, struct job *j); /* NOQUEUE */
void act(struct engine *e, enum action_kind kind, const struct job *j, int64_t at,
    const char *text);
void tell_pending(struct engine *e);
void wake_at(struct engine *e, int64_t at);
/* The job is deferred for longer: wake when that ends. */
void deferral_goes_on(struct engine *e, const struct job *j);
/* Does it pass what is asked before a start (admission.h), which starts of this cycle
 * may have changed? */
bool allowed_now(struct engine *e, struct job *j, enum limit_level level);
bool in_partition(const struct engine *e, const struct job *j, uint32_t partition);

int64_t effective_limit(const struct engine *e, const struct job *j);
/* The same with j->alloc chosen already. */
bool start_placed(struct engine *e, struct job *j, enum occupancy_by by, bool backfill);

/* cycle.c */
/* It ended and leaves the cluster; another may have its index. */
void forget_job(struct engine *e, struct job *j);
/* Limits and admission as the settings now are. */
void refresh_limits(struct engine *e);
/* RESERVATIONPOLICY HIGHEST somewhere. */
bool keeps_reservations(const struct engine *e);

#endif
