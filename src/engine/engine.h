/* SPDX-License-Identifier: Apache-2.0
 * The scheduler: events in, decisions and reasons out. Owns the cluster and the
 * plan; has no clock, file, thread or random source of its own.
 *
 *     engine_apply(e, &event, &err)    the world changed
 *     engine_cycle(e, now, &actions)   decide
 *
 * A decided start takes effect inside the engine at once (the job is Running, its
 * processors are dedicated); the shell carries it out and tells with
 * EVENT_START_FAILED if it could not. */
#ifndef MAUI_ENGINE_ENGINE_H
#define MAUI_ENGINE_ENGINE_H

#include "base/zone.h"
#include "cluster/change.h"
#include "cluster/jobend.h"
#include "cluster/memory.h"
#include "cluster/quota.h"
#include "cluster/reservation.h"
#include "config/policies.h"
#include "engine/charging/charging.h"
#include "engine/prediction/predictions.h"
#include "engine/statistics/statistics.h"
#include "funds/funds.h"
#include "plan/planned.h"
#include "plan/rsvmemory.h"
#include "policy/fsmemory.h"
#include "policy/holds.h"
#include "policy/order.h"

struct engine;

/* A job that ran, and what is learned from it. */
struct past_run {
    const char *user;
    struct job_run run;
};

enum event_kind {
    EVENT_NODE,          /* u.node: reported for the first time or again */
    EVENT_NODE_STATE,    /* u.node_state */
    EVENT_NODE_GONE,     /* u.node_state.name: reported no longer; Down until it is */
    EVENT_SUBMIT,        /* u.job; one that is active is taken over as it is */
    EVENT_JOB_STATE,     /* u.job_state: what the resource manager says of it now */
    EVENT_END,           /* u.end: an active job ended */
    EVENT_CANCEL,        /* u.end.id: a job, waiting or active, was cancelled */
    EVENT_PREEMPT,       /* u.preempt: an active job is to be stopped for now */
    EVENT_RESUME,        /* u.preempt.id: a suspended job is to go on */
    EVENT_RUN,           /* u.run: start it now (runjob), or refuse with the reason */
    EVENT_MODIFY,        /* u.modify: it asks for something else now */
    EVENT_DEADLINE,      /* u.deadline: setdeadline, releasedeadline */
    EVENT_USER_PRIORITY, /* u.user_priority: setupri */
    EVENT_START_FAILED,  /* u.failed */
    EVENT_LEFT,          /* u.left: it has left its nodes, as was decided before */
    EVENT_HOLD,          /* u.hold */
    EVENT_RELEASE_HOLD,  /* u.hold */
    EVENT_PRIORITY,      /* u.priority: setspri */
    EVENT_QOS,           /* u.qos: setqos */
    EVENT_RESERVE,       /* u.reserve: setres */
    EVENT_CHANGE_RESERVATION, /* u.change_reservation: mrsvctl -m */
    EVENT_UNRESERVE,          /* u.unreserve: releaseres */
    EVENT_SETTINGS,           /* u.settings: other settings in force */
    EVENT_QUOTAS,             /* u.quotas: all limits of the resource manager */
    EVENT_FUNDS,              /* u.funds: what accounts have, of all or of some */
    EVENT_MANAGER,            /* u.manager: one of several goes away or comes back, or
                                 has a partition; jobs of one are not seen, or again */
    EVENT_RESET_STATISTICS,
    EVENT_RESET_FAIRSHARE,
    /* after a restart, in this order; nodes come before instances */
    EVENT_FAIRSHARE, /* u.fairshare: usage of before */
    EVENT_HISTORY,   /* u.history: runs of jobs that have ended, from the first on */
    EVENT_INSTANCE,  /* u.instance: a standing reservation's, as it was */
    EVENT_MISSED     /* u.missed: a job that ended while nobody looked */
};

/* "submit", "node-state" ...; NULL: there is no such kind. They are counted from 0. */
const char *event_kind_name(enum event_kind k);

/* What EVENT_RUN may leave out of account. */
enum run_flag {
    RUN_ANY_LIMIT = 1,       /* throttling (runjob -f) */
    RUN_ANY_POLICY = 2,      /* that, dependencies, dates, closed classes, caps */
    RUN_ANY_RESERVATION = 4, /* of others (runjob -x: with RUN_ANY_POLICY) */
    RUN_ANY_STATE = 8        /* of the nodes */
};

struct event {
    enum event_kind kind;
    int64_t at;
    union {
        struct node_desc node;
        struct {
            const char *name;
            enum node_state state;
        } node_state;
        struct job_desc job;
        struct {
            const char *id;
            enum job_state state; /* none of the ended ones */
            uint8_t rm_hold;      /* enum hold_kind bits, of JOB_HOLD */
            int64_t start_at;     /* if it is on nodes: since when, and where */
            const struct job_place *places;
            size_t nplaces;
            const struct req_desc *reqs; /* of a running one: in these requests; NULL =
                                            in those that it has */
            uint32_t nreqs;
        } job_state;
        struct {
            const char *id; /* NULL: by index */
            uint32_t job;
            enum job_event how; /* EV_COMPLETE, EV_CANCEL, EV_VANISH */
            double cpu_s;       /* processor time it used; 0 = not known */
            int64_t left_at;    /* it left its nodes then, before now; 0 = now */
            bool failed;  /* its exit status was not 0: no success to those after */
            bool unbegun; /* it was to start, and has not: that was no run */
        } end;
        struct {
            const char *id;
            bool displaced; /* to make room for another job */
        } left;
        struct {
            const char *id;
            enum preempt_policy how; /* not OVERCOMMIT */
            int64_t rests_s; /* SUSPEND: it goes on after that, when there is room;
                                0 = when it is resumed by order */
        } preempt;
        struct {
            const char *id;
            enum hold_reason reason;
            const char *text;
            int64_t again_s; /* > 0: to be tried again so soon; not counted */
            bool waits;      /* the resource manager lets it wait: no failed start */
            bool limit;      /* a limit of the resource manager: it waits for that */
        } failed;
        struct {
            const char *id;
            unsigned kinds; /* HOLD_* bits */
            struct actor who;
            enum hold_reason reason;
            const char *text;
        } hold;
        struct {
            const char *id;
            bool relative;
            int64_t n;
        } priority;
        struct {
            const char *id;
            const char *const *nodes; /* on these only; NULL-terminated or NULL */
            const char *partition;    /* in this one only; or NULL */
            unsigned flags;           /* enum run_flag */
        } run;
        struct {
            const char *id;
            struct job_change change;
        } modify;
        struct {
            const char *id;
            int64_t at; /* 0 = none */
        } deadline;
        struct {
            const char *id;
            int64_t n; /* 0 to 100 */
        } user_priority;
        struct {
            const char *id, *qos;
            bool admin;
        } qos;
        struct {
            struct reservation *draft; /* moved on success. created_at not 0: it comes
                                          back after a restart, as old as it is, to
                                          where it was (alloc) */
            struct actor who;          /* name NULL: the shell itself */
            const char *group;         /* of a user, NULL = not known */
        } reserve;
        struct {
            const char *name;
            unsigned what;             /* enum rsv_change */
            struct reservation *draft; /* as it is to be, of `what`; afterwards it
                                          holds what was there before */
            struct actor who;
        } change_reservation;
        struct {
            const char *name; /* of a reservation, or a job that has one */
            struct actor who;
        } unreserve;
        const struct settings *settings; /* borrowed until replaced */
        struct quota_list quotas;
        struct funds_facts funds;
        struct {
            const char *name; /* NULL = the first */
            bool away;
            const char *partition; /* it has, or had, one of that name, and none goes
                                      away or comes; or NULL */
            bool unseen;           /* it answers, or not, and its jobs cannot be seen */
        } manager;
        struct {
            const struct fs_memory *rows;
            size_t n;
        } fairshare;
        struct {
            const struct past_run *rows;
            size_t n;
        } history;
        const struct rsv_memory *instance;
        struct {
            struct job_desc job; /* with memory and start_at */
            int64_t end_at;
            enum job_event how; /* EV_COMPLETE, EV_CANCEL */
            double cpu_s;       /* 0 = not known */
            bool failed;
        } missed;
    } u;
};

enum action_kind {
    ACTION_START,  /* where: job->alloc */
    ACTION_CANCEL, /* wallclock limit, NOQUEUE ...: why in `text` */
    ACTION_REQUEUE,
    ACTION_HOLD, /* batch hold set by the scheduler */
    ACTION_DEFER,
    ACTION_RESERVE,    /* priority reservation made or moved: at */
    ACTION_RELEASE,    /* priority reservation gone without a start */
    ACTION_SUSPEND,    /* it keeps its nodes' memory */
    ACTION_RESUME,     /* a suspended job, where it was */
    ACTION_CHECKPOINT, /* save its state, then as ACTION_REQUEUE */
    ACTION_PUT_OFF,    /* what it was promised cannot be kept: at is the latest start
                          now; 0 = none, while it may not start */
    ACTION_TRIGGER     /* trigger `trigger` of reservation `rsv` fired: carry it out */
};

/* How long a node may be down until its jobs are lost. */
#define ENGINE_DOWN_GRACE_S 300

/* "start", "cancel", "requeue" ... */
const char *action_kind_name(enum action_kind k);

struct action {
    enum action_kind kind;
    uint32_t job;
    int64_t at;            /* RESERVE: its start; DEFER: its end; PUT_OFF: the latest
                              start; else now */
    int64_t was;           /* PUT_OFF: the latest start that it was promised */
    const char *cause;     /* PUT_OFF: what broke that, as a name; NULL: nothing did */
    int64_t start_at;      /* of the job when that was decided, 0 = it waited */
    bool backfill;         /* START: out of order */
    uint32_t by;           /* SUSPEND, REQUEUE, CHECKPOINT: the job that preempts, or
                              INDEX_NONE */
    uint32_t rsv, trigger; /* TRIGGER: indexes; the job is INDEX_NONE */
    enum end_reason why;   /* CANCEL, and what is done with a job in place of that */
    const char *text;      /* for people, of `why` too; borrowed until the next call
                              with an empty list, may be NULL */
};
struct actions VEC(struct action);

struct engine_options {
    enum queue_order order;          /* ORDER_PRIORITY unless studying */
    enum queue_order backfill_order; /* order of candidates; ORDER_PRIORITY = same */
    struct zone zone;         /* local days of standing reservations; all zero = UTC */
    bool report_reservations; /* emit ACTION_RESERVE and ACTION_RELEASE */
    bool statistics;          /* keep statistics of record */
    int64_t down_grace_s;     /* > 0: a job on a node that is down for so long is
                                 requeued if RESTARTABLE, else cancelled: for a
                                 shell whose resource manager does not do that */
    bool starts_told;         /* what is started is Starting, its limit not yet counted,
                                 until the shell reports that it runs */
    bool stops_told;          /* what is sent back to the queue has left its nodes when
                                 the shell says so (EVENT_LEFT), or has not: then it
                                 reports that it runs. Until then its run, which is paid
                                 for, is not over */
    bool no_checkpoints;      /* the shell's resource manager cannot checkpoint: whom
                                 PREEMPTPOLICY CHECKPOINT means is requeued */
    int64_t (*monotonic_ms)(void); /* for PLANTIME; NULL: the search is not bounded by
                                      time, so that it can be repeated */
};

/* `cfg` is borrowed. */
struct engine *engine_create(
    const struct settings *cfg, const struct engine_options *opt);
void engine_destroy(struct engine *e);

/* Whom an event was about, or what it made; NULL = none. Borrowed until the next cycle.
 */
struct event_result {
    struct job *job;
    struct reservation *reservation; /* EVENT_RESERVE, EVENT_CHANGE_RESERVATION */
};

/* From now on jobs that end stay in the cluster, as ended, where each cycle removes
 * them at its beginning else: so nobody gets their numbers. */
void engine_keep_ended(struct engine *e);

/* Apply one event. On failure nothing has changed and the sentence says why; *ret (may
 * be NULL) is written on success. EVENT_SUBMIT and EVENT_END cost O(1) plus the width
 * of the allocation. */
int engine_apply(struct engine *e, const struct event *ev, struct event_result *ret,
    struct err *err);

/* One scheduling cycle at `now`, which never goes backwards. Appends to *ret; what an
 * event decided by itself (a hold at submission, a deferral after a failed start)
 * comes first. */
void engine_cycle(struct engine *e, int64_t now, struct actions *ret);

/* What events decided by themselves since the last cycle, told now instead of by the
 * next one: a shell that must carry it out at once. Appends to *ret. */
void engine_decided(struct engine *e, struct actions *ret);

/* Jobs of which the last cycle changed without an action what is to outlive a restart
 * (cluster/memory.h): from when queue time counts, a deferral that is over. Their
 * indexes, *ret_n of them, borrowed until the next cycle. */
const uint32_t *engine_changed(const struct engine *e, size_t *ret_n);

/* Nodes, reservations or settings changed since the last cycle, so jobs that were
 * deferred for want of nodes are tried in the next. A restart has to know, by
 * job_memory.world_changed. */
bool engine_restless(const struct engine *e);

/* Write down the priorities that waiting jobs had in the last cycle, which computes
 * only those it needs. For displays. O(waiting jobs), O(1) when that has been done
 * since. */
void engine_set_priorities(struct engine *e);

/* For tests: the next cycle looks at everybody, and decides the same. */
void engine_doubt_queue(struct engine *e);

/* The next instant at which something changes by itself (a deferral or release
 * time expires, a kept reservation begins, a wallclock limit is reached), or
 * TIME_NEVER. A shell without polling calls engine_cycle() then. */
int64_t engine_next_wakeup(const struct engine *e);

/* When jobs of a node that is down are lost, should it stay so, or TIME_NEVER. */
int64_t engine_next_loss(const struct engine *e);

struct cluster *engine_cluster(struct engine *e);

/* The reservation that a waiting or suspended job has, or is owed; NULL = neither.
 * Borrowed until the next event or cycle. O(1). */
const struct planned *engine_reservation_of(
    const struct engine *e, const struct job *j);

/* Its end, of one that has it: of what a suspended job has yet to run. O(1). */
int64_t engine_reserved_until(const struct engine *e, const struct job *j);

/* By when it was promised to start (BACKFILLPOLICY PLAN); 0 = it was not. O(1). */
int64_t engine_promised_by(const struct engine *e, const struct job *j);
/* Is it in the queue and promised nothing yet, where jobs are promised starts
 * (BACKFILLPOLICY PLAN)? Then so many waiting jobs are ahead of it. O(jobs). */
bool engine_unpromised(
    const struct engine *e, const struct job *j, uint32_t *ret_ahead);
/* What it was promised before that, be it that nothing is promised now, and why it is
 * not any more, in words and as a name; 0: it was promised nothing else. */
int64_t engine_promised_before(const struct engine *e, const struct job *j,
    const char **ret_why, const char **ret_cause);

/* When it is expected to start (planning_expected()), which changes nothing. */
struct expected_start engine_expected(struct engine *e, const struct job *j);

/* How far off such starts were. To be changed by misses_load() and misses_saved()
 * alone. */
struct misses *engine_misses(struct engine *e);

/* What of the job is to outlive a restart. Texts are borrowed from the job. */
struct job_memory engine_memory_of(const struct engine *e, const struct job *j);

/* Is that another start of the running job than the one known, by more than it takes to
 * tell of it? Then a report of its state with that start corrects it. */
bool engine_start_differs(const struct job *j, int64_t start_at);

/* Seconds of grace beyond its wallclock limit: the largest of its credentials', else
 * JOBMAXOVERRUN; negative: without end, or until its resource manager ends it. */
/* What became of an account of the bank (engine/charging/charging.h): credits of 1/1000
 * charged so far, and when a job of it first could not pay; 0 = never. */
void engine_account_life(const struct engine *e, uint32_t account, int64_t *ret_charged,
    int64_t *ret_dry_at);

int64_t engine_overrun(const struct engine *e, const struct job *j);

/* Why the job waits, as of now: a cycle records verdicts only when they change, so
 * numbers are taken afresh. Borrowed until the next call. */
const struct reason *engine_why(struct engine *e, const struct job *j);

/* All of them that hold now: that of engine_why() first, then what else would keep it,
 * in the order of the checks; each kind about each object once. Returns how many, at
 * most `max`. O(checks). */
size_t engine_reasons(
    struct engine *e, const struct job *j, struct reason *ret, size_t max);

/* What the bank has to write since engine_money_told(): engine/charging/charging.h. */
const struct money_move *engine_money(const struct engine *e, size_t *ret_n);
void engine_money_told(struct engine *e);

struct engine_stats {
    uint64_t cycles, started, backfilled, reserved, deferred, cancelled;
    uint64_t broken_promises; /* starts later than promised: BACKFILLPOLICY PLAN */
    /* of the search, where the nodes are asked: better plans that they took or not */
    uint64_t plans_adopted, plans_refused;
    uint64_t preempted;    /* jobs, each time */
    uint64_t preempted_ps; /* processor seconds of work lost by that */
};
const struct engine_stats *engine_stats(const struct engine *e);

/* With engine_options.statistics, else NULL. To be changed by statistics_load() and
 * statistics_saved() alone. */
struct statistics *engine_statistics(struct engine *e);

#endif
