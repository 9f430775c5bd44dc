/* SPDX-License-Identifier: Apache-2.0
 * What the files of the engine share. Private to src/engine. */
#ifndef MAUI_ENGINE_ENGINE_PRIVATE_H
#define MAUI_ENGINE_ENGINE_PRIVATE_H

#include "base/bitset.h"
#include "engine/engine.h"
#include "engine/ranking.h"
#include "plan/backfill.h"
#include "plan/plan.h"
#include "policy/limits_walk.h"
#include "policy/priority.h"
#include "policy/rsvuse.h"

/* What a cycle needs to know of a waiting job, besides its priority. */
struct entry {
    int64_t wclimit_s;
    uint32_t procs;
    uint32_t access;  /* plan_access() */
    uint32_t credset; /* in entries.credsets */
    uint8_t limited;  /* job.limited */
    bool quiet;       /* true of the job, which would be admitted as it is */
};

/* What entries are made from, besides the jobs. */
struct entries_stamp {
    uint64_t priority, config, access;
    uint32_t layout;
    bool able; /* there may be quiet ones */
};

/* The waiting jobs side by side, kept from cycle to cycle: entries.c. */
struct entries {
    /* by job index: what is read in order of priority, what in order of submission, and
     * what limits look at besides jobs and processors, if they do */
    struct VEC(struct entry) v;
    struct VEC(struct prio_own) own;
    struct VEC(struct usage) uses;
    bool more;
    struct credsets credsets;
    struct VEC(struct prio_creds) creds; /* by credset, in the pass */
    struct bitset reserved; /* jobs with reservations, when others are selected */
    struct prio_pass pass;
    struct entries_stamp stamp;
};

/* State of one partition within a cycle. */
struct par_state {
    uint32_t reserved[RSV_GROUPS_MAX]; /* per depth group */
    bool blocked; /* a job found neither a start nor a reservation */
    bool passed;  /* such a one has no place in the order of reservations at all */
};

/* Processors that preempting all jobs up to this priority would free. */
struct hope {
    int64_t priority, procs;
};

/* What decides the place of a job in an order that is kept. */
struct kept_key {
    double points; /* exact priority, up to the same number for all */
    double fixed;  /* the part of it that does not grow */
    int64_t since; /* queue time counts from here */
};

/* The order of the queue kept from cycle to cycle: kept.c. */
struct kept {
    struct VEC(struct kept_key) keys; /* of engine.order and .hard, side by side */
    struct indexes fresh;             /* submitted since the last cycle */
    struct indexes gone;              /* started in this one */
    struct indexes aside;             /* queued, but not admitted */
    struct prio_pass pass;            /* of the running cycle */
    uint64_t pass_stamp;              /* what the pass was made from */
    double rate;                      /* points that all gain in a second */
    int64_t origin;                   /* of the points */
    uint64_t epoch;                   /* of the parts that do not grow */
    uint32_t layout;                  /* that admission was decided in */
    bool able;                        /* in this cycle: the order may be kept */
    bool valid;                       /* keys, order and candidates are right */
    bool in_use;                      /* in this cycle: nobody was looked at */
    bool gaps;                        /* some order is by distance alone */
    size_t settled; /* so many candidates from the top were refused in the last cycle,
                       or have reservations; nothing else has happened to them */
    struct par_state par[PARTITIONS_MAX + 1]; /* as they left it */
};

/* Nodes in a row that a job left, and when. */
struct left {
    uint32_t first, count;
    int64_t at;
};

/* Which kinds of reservations there are. */
struct rsv_kinds {
    uint64_t epoch; /* 1 + cluster.rsv_epoch */
    bool ended, floating, flexible, triggers;
};

struct engine {
    const struct settings *cfg;
    struct engine_options opt;
    struct cluster *c;
    struct plan *plan;
    struct limits *limits;
    int64_t now, last_cycle_at;
    int64_t origin; /* first submit time seen */
    int64_t wakeup;
    int64_t next_expiry; /* of a deferral */
    int64_t released_at; /* the last cycle in which a deferral ended by itself */
    int64_t chunk_until; /* BFCHUNKDURATION after the last job end */
    uint64_t limits_epoch, group_epoch;
    bool many_groups; /* more than one depth group, or a RESERVEALWAYS QOS */
    bool any_group;   /* at least one */
    struct VEC(int8_t) group_of_qos; /* depth group, -1 none */
    struct indexes ended;            /* removed from the cluster at the next cycle */
    struct indexes changed;          /* engine_changed() */
    struct indexes all;              /* queued jobs by submit time */
    struct indexes order;            /* the same by priority */
    struct candidates hard, soft;    /* eligible at that level, by priority */
    struct candidates backfill;      /* scratch */
    struct entries entries;
    struct indexes dated;        /* eligible jobs with a deadline */
    uint64_t promises;           /* deadline reservations made so far */
    struct indexes out_of_order; /* started while a higher one waits */
    bool any_noqueue;
    struct kept kept;
    struct zone zone;
    struct VEC(int64_t) roll_at; /* by standing reservation: its next period */
    int64_t roll_next;           /* the first of those */
    uint64_t standing_epoch;     /* settings the standing ones were made by */
    struct rsv_kinds rsv_kinds;
    uint64_t applied;     /* events so far */
    uint64_t world_seen;  /* engine_world() of the last cycle */
    bool reordered;       /* reservations or settings changed by order since */
    uint64_t flex_stamp;  /* what was when no reservation could move; 0 = unknown */
    uint64_t hosts_epoch; /* of the nodes that lists of hosts were resolved in */
    size_t hosts_nodes;
    bool retries;        /* some failed start may be tried again */
    uint64_t down_epoch; /* 1 + that of the nodes when those down were looked for */
    int64_t down_next;   /* when jobs of the first of them are lost */
    bool any_classes;    /* some job may run in several classes */
    bool any_deps;       /* some job depended on another */
    bool look_again;     /* a start of this cycle may let others go in the next */
    bool any_limited;    /* somebody was kept back by a limit */
    bool any_left;       /* somebody waits no longer, but was not started */
    bool any_cap;        /* some fairshare target keeps jobs from running */
    bool keeps;          /* RESERVATIONPOLICY HIGHEST somewhere */
    bool preempts;       /* somebody may preempt somebody */
    bool any_preemptor, hopes_known;
    bool optimistic;               /* BACKFILLPOLICY PREEMPT somewhere */
    struct bitset preemptors;      /* jobs with the right to preempt by their flags */
    struct indexes owned;          /* reservations with OWNERPREEMPT ... */
    uint64_t owned_epoch;          /* ... at this epoch */
    struct VEC(struct hope) hopes; /* by priority: what preempting may bring */
    int64_t idle_procs;            /* when hopes were summed */
    uint32_t optimists;            /* running jobs of BACKFILLPOLICY PREEMPT */
    struct ranking ranking;        /* the queue being ordered */
    struct par_state par[PARTITIONS_MAX + 1];
    struct indexes told;          /* jobs whose reservations were told ... */
    struct VEC(int64_t) told_at;  /* ... by index: their starts; 0 = it was not */
    struct VEC(int64_t) saved_at; /* by index: as the job was when last it was saved */
    struct reason why;            /* the last answer of engine_why() */
    struct actions *out;          /* of the running cycle, ... */
    size_t out_from;              /* ... from this one on */
    struct actions pending;       /* decided between cycles */
    uint32_t starts;              /* in this cycle */
    struct VEC(struct left) left; /* not long ago */
    bool being_left;              /* some of those nodes: jobs are measured there yet */
    bool measures;                /* somebody tells what is in use */
    size_t front; /* so many at the top of `order` and `hard` are gone: they started */
    size_t settled; /* so many candidates, those included, need no look in this cycle */
    struct engine_stats stats;
    struct statistics *statistics; /* NULL = not kept */
};

/* engine.c */
/* What the job's credentials allow; a fault becomes a hold or a deferral. */
void resolve_job(struct engine *e, struct job *j);

/* report.c: what the resource manager says of jobs */
bool report_is_active(enum job_state s);
/* It runs where nobody knows, and is held for that. */
bool report_is_lost(const struct job *j);
/* A job that has just been added runs already: make it so here. Where that does not add
 * up it stays out of the queue, in state Unknown. */
void report_take_over(struct engine *e, struct job *j, const struct job_desc *d);
/* One that ran and ended while nobody looked: it counts as if somebody had. */
int report_missed(
    struct engine *e, const struct event *ev, struct job **ret, struct err *err);
int report_state(
    struct engine *e, struct job *j, const struct event *ev, struct err *err);

/* kept.c: the order kept from cycle to cycle */
void kept_fini(struct engine *e);
/* Something happened that may change order or admission: look at everybody again. */
void kept_touch(struct engine *e);
void kept_submitted(struct engine *e, const struct job *j);
void kept_started(struct engine *e, struct job *j);
void kept_set_aside(struct engine *e, const struct job *j);
/* Bring engine.order and .hard up to date without looking at everybody. False when that
 * cannot be done: nothing has happened then. O(arrivals). */
bool kept_rank(struct engine *e);
/* engine.order was made anew; .hard will be in this cycle. O(queued jobs). */
void kept_capture(struct engine *e);
/* Where nothing came free since the last cycle, those refused then would be again, and
 * what is reserved stands: sets engine.settled and what those left in engine.par. */
void kept_settle(struct engine *e);
/* The pass by priority is over. */
void kept_note_pass(struct engine *e);
void kept_end(struct engine *e); /* of the cycle */

/* eligible.c */
/* What depends on jobs that ended: met for good, or never to be. */
void settle_dependents(struct engine *e);
/* Do all its dependencies hold? If not j->why says which. */
bool deps_hold(struct engine *e, struct job *j);
struct candidate candidate_of(const struct engine *e, uint32_t job);
/* Do system limits keep the job out of all its partitions? If only out of some,
 * those are no longer the job's. */
bool over_system_limits(const struct engine *e, struct job *j);

/* A WAIT_TOO_LARGE, which counts tasks, for people: in processors. */
void why_in_procs(const struct job *j, struct reason *r);
/* The tests that do not depend on other queued jobs. */
bool eligible_admit(struct engine *e, struct job *j);
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
/* engine.all: the queued jobs by submit time. */
void eligible_all(struct engine *e);
/* From the job itself, wherever it is. */
struct candidate candidate_of(const struct engine *e, uint32_t job);
/* The reason for which it waits, without numbers. */
void refuse(struct job *j, enum wait_code code, int64_t until);

/* entries.c */
void entries_fini(struct engine *e);
/* Something happened to the job, or the reason told for it is not to last: the next
 * cycle looks at it. */
void entry_touch(struct engine *e, const struct job *j);
void entries_touch(struct engine *e); /* all of them */
/* Make its entry, in a cycle. */
void entry_note(struct engine *e, struct job *j);
/* engine.order: of engine.all those admitted, by priority. O(queued), and O(1) but more
 * for each that was touched. */
void entries_queue(struct engine *e);
/* What puts the job into its place in that order. */
uint64_t rank_key(const struct engine *e, uint32_t job, enum queue_order order);
/* engine.hard and, if asked, .soft: who is within the limits, by priority. */
void entries_select(struct engine *e, bool soft);
/* Assert that quiet entries are as their jobs. For tests. O(queued). */
void entries_check(struct engine *e);

/* check.c */
/* Assert that all running sums (limits, fairshare, use of reservations, statistics,
 * what is dedicated, the queue) equal those counted from nothing. For tests, between
 * events. O(all). */
void engine_check(struct engine *e);

/* start.c */
bool start_job(struct engine *e, struct job *j, uint32_t partition, bool backfill);
bool start_if_possible(struct engine *e, struct job *j, bool backfill);
/* engine.being_left: is a job measured yet on nodes that one left not long ago? */
void look_who_leaves(struct engine *e);
void stop_job(struct engine *e, struct job *j, enum job_event how);
void requeue_job(struct engine *e, struct job *j);
void drop_reservation(struct engine *e, struct job *j);
void defer_job(struct engine *e, struct job *j, enum hold_reason why, const char *text);
void after_deferral(
    struct engine *e, struct job *j, enum defer_result result, const char *text);
void cancel_job(struct engine *e, struct job *j, const char *text);
void cancel_unqueued(struct engine *e, struct job *j); /* NOQUEUE */
void act(struct engine *e, enum action_kind kind, const struct job *j, int64_t at,
    const char *text);
void tell_pending(struct engine *e);
void wake_at(struct engine *e, int64_t at);
/* The job is deferred for longer: wake when that ends. */
void deferral_goes_on(struct engine *e, const struct job *j);
/* A deferral ends at `at`: wakes are for many of them together, see engine_cycle(). */
void note_expiry(struct engine *e, int64_t at);
/* Active limits, which starts of this cycle may have used up. */
bool allowed_now(struct engine *e, struct job *j, enum limit_level level);
bool in_partition(const struct engine *e, const struct job *j, uint32_t partition);

int64_t effective_limit(const struct engine *e, const struct job *j);
/* The same with j->alloc chosen already. */
bool start_placed(struct engine *e, struct job *j, bool backfill);

/* modify.c: EVENT_MODIFY */
/* The resource manager says that the active job began then: when its processes did, or
 * on a clock that was set since. */
void modify_start(struct engine *e, struct job *j, int64_t start_at);
int modify_job(
    struct engine *e, struct job *j, const struct job_change *ch, struct err *err);

/* classes.c: jobs that may run in any of several classes */
static inline bool classes_several(const struct job *j)
{
    return j->extra && j->extra->classes.n > 1;
}
/* What follows from its credentials, for each of its classes; it is in the first then
 * that lets it in. The answer is of that class, as that of access_resolve(). */
enum hold_reason classes_resolve(
    struct engine *e, struct job *j, char *ret_text, size_t size);
/* Before its priority is computed: out of a class in which it cannot start at all. */
void classes_settle(struct engine *e, struct job *j);
/* Its class is at a limit: into the next for which `fits` is true, else it stays. */
bool classes_move(struct engine *e, struct job *j, void *ctx,
    bool (*fits)(struct engine *e, const struct job *j, void *ctx));
/* Start it in the first class in which it can. */
bool classes_start(struct engine *e, struct job *j, enum limit_level level);
/* As reserve_job(), in the class in which it starts soonest. One search a class. */
bool classes_reserve(struct engine *e, struct job *j, enum limit_level level);
/* Start it out of order, in whichever class. */
bool classes_backfill(struct engine *e, struct job *j, enum limit_level level);

/* run.c: EVENT_RUN */
int run_job(struct engine *e, struct job *j, const struct event *ev, struct err *err);

/* orders.c: small things that are asked for a job */
int orders_deadline(struct engine *e, struct job *j, int64_t at, struct err *err);
int orders_user_priority(struct job *j, int64_t n, struct err *err);

/* lost.c: jobs of nodes that stay down. O(nodes) when some node changed, and O(active
 * jobs) for each that is down too long. */
void lost_jobs(struct engine *e);

/* preempt.c */
void preempt_notice_job(struct engine *e, const struct job *j);
void preempt_begin(struct engine *e); /* before plan_begin() */
/* Has the job the right to preempt, and would all that may go perhaps be enough? Never
 * false when preempt_start() would be true. O(log active jobs), once a cycle
 * O(active jobs). */
bool preempt_hopes(struct engine *e, const struct job *j);
/* Start the job at the cost of others, if it has the right and that is enough. */
bool preempt_start(struct engine *e, struct job *j, bool backfill);
bool preempt_in(struct engine *e, struct job *j, uint32_t partition, bool backfill);
/* Stop an active job as the policy says, on behalf of `by` (may be NULL). */
void preempt_job(struct engine *e, struct job *j, enum preempt_policy policy,
    const struct job *by, const char *text);
/* It waits again, from the beginning of the queue time that it is given then. */
void preempt_to_queue(struct engine *e, struct job *j);
/* By order: EVENT_PREEMPT, EVENT_RESUME. */
int preempt_on_event(
    struct engine *e, struct job *j, const struct event *ev, struct err *err);
int preempt_resume_on_event(struct engine *e, struct job *j, struct err *err);
void preempt_resume(struct engine *e);
/* Until when a suspended job is not resumed in any case, 0 = that is over. */
int64_t preempt_rests_until(const struct engine *e, const struct job *j);
void preempt_settle_optimists(struct engine *e); /* the queue is in order */
/* Think running jobs away that are there on approval, as far as `j` is concerned. */
void preempt_plan_without_optimists(struct engine *e, const struct job *j);
void preempt_plan_with_all(struct engine *e);

/* retry.c: RESERVATIONRETRYTIME */
/* Its start failed: is it to be tried again, in `again_s` seconds (0 = at the next
 * poll)? It waits in the queue then. */
bool retry_claim(struct engine *e, struct job *j, int64_t again_s);
/* Before anything else is planned. O(candidates) while there are claims. */
void retry_keep(struct engine *e);
bool retry_stands(const struct engine *e, const struct job *j); /* in this cycle */

/* reserve.c */
/* What was kept for the waiting job before a restart is kept for it. */
void reserve_recall(struct engine *e, struct job *j, const struct job_memory *m);
void reserve_kept(struct engine *e);
bool reserve_job(struct engine *e, struct job *j);
/* Where no reservations are made at all: could the job ever run? If not it is deferred
 * and false returned (reference reservations, section 8.3). */
bool reserve_test(struct engine *e, struct job *j);
/* It has one now: that is why it waits. */
void reserve_note(struct engine *e, struct job *j);
bool reserve_may(const struct engine *e, const struct job *j);
/* Is the job, as it is, none that could be reserved for, however deep that goes? */
bool reserve_never(const struct engine *e, const struct job *j);
void reserve_configure(struct engine *e);

/* deadline.c: reservations of jobs with a deadline */
/* Before anything else is planned: what was promised is kept or moves forward. */
void deadline_keep(struct engine *e);
/* The promise of before a restart. */
void deadline_recall(struct engine *e, struct job *j, const struct job_memory *m);
/* After the pass by priority: new promises. O(jobs with a deadline) searches. */
void deadline_reserve(struct engine *e);
/* Has it a deadline reservation; does it stand in this cycle? */
bool deadline_promised(const struct job *j);
bool deadline_stands(const struct job *j);
/* The earliest slot that keeps the promise, if there is one. */
bool deadline_fit(
    struct engine *e, const struct job *j, int64_t from, struct slot *ret_slot);

/* calendar.c: reservations that are not of jobs */
void calendar_refresh(struct engine *e);
/* Choose nodes for one, or complete what it holds; the tasks it then has. */
uint32_t calendar_choose(
    struct engine *e, const struct reservation *r, struct allocs *ret);
void calendar_job_ended(struct engine *e, const struct job *j);

/* Give it the nodes chosen. */
void calendar_place(struct engine *e, struct reservation *r);

/* review.c: reservations in a world that changed */
void review_settings(struct engine *e); /* standing ones follow their sections */
void review_nodes(struct engine *e);    /* lists of hosts are resolved again */
void review_flexible(struct engine *e); /* SPACEFLEX, TIMEFLEX */

/* setres.c: what people ask for */
int setres(struct engine *e, const struct event *ev, struct err *err);
/* An instance of a standing reservation comes back after a restart. */
int setres_instance(struct engine *e, const struct rsv_memory *m, struct err *err);
/* May the reservation hold these nodes: -E, RESLIMITPOLICY? It may be a draft, or a
 * live one that holds something else at present. */
int setres_check(struct engine *e, const struct reservation *r,
    const struct allocs *alloc, struct err *err);
/* rsvchange.c */
int change_reservation(struct engine *e, const struct event *ev, struct err *err);
int releaseres(struct engine *e, const struct event *ev, struct err *err);

/* cycle.c */
/* It ended and leaves the cluster; another may have its index. */
void forget_job(struct engine *e, struct job *j);
/* Limits as the settings now are. */
void refresh_limits(struct engine *e);
/* RESERVATIONPOLICY HIGHEST somewhere. */
bool keeps_reservations(const struct engine *e);

/* passes.c: by priority without the first engine.settled candidates; backfill leaves
 * them out where it goes by the order of the queue. */
void pass_priority(
    struct engine *e, const struct candidates *jobs, enum limit_level level);
void pass_backfill(
    struct engine *e, const struct candidates *jobs, enum limit_level level);

#endif
