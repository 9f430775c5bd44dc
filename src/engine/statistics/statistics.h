/* SPDX-License-Identifier: Apache-2.0
 * Statistics of record: what was asked for, used and waited for, of each credential, of
 * the whole system and by size and length of jobs. Source: reference
 * traces-and-simulation, section 5.
 *
 * Kept by an engine with engine_options.statistics, as things happen. Sums over time
 * grow linearly between two events, so an event costs O(1) whatever is active.
 *
 * A job counts as ended once, when it ended after having run. Its run is the time on
 * processors, at most its limit; a job without a limit is measured by its run (so its
 * accuracy is 1 and its expansion factor (wait + run) / run, of 1 s at least). */
#ifndef MAUI_ENGINE_STATISTICS_H
#define MAUI_ENGINE_STATISTICS_H

#include "config/kinds.h"

#include <stdbool.h>

struct cluster;
struct job;
struct node;
struct settings;

struct stat_sums {
    /* jobs that ended */
    int64_t jobs, successful; /* completed, or removed at the limit */
    int64_t procs;
    int64_t queue_s, max_queue_s;
    int64_t bypass, max_bypass;
    int64_t qos_met; /* expansion factor and queue time within the targets of its QOS */
    int64_t backfilled;
    double ps_requested, ps_run; /* processor seconds: limit, run */
    double ps_utilized;          /* really used, as told by the resource manager ... */
    double ps_measured;   /* ... by jobs that ran for so many (ps_run of those) */
    double ps_backfilled; /* ps_run of jobs that backfill started */
    double xfactor, xfactor_procs, xfactor_ps; /* sums: plain, times procs, times run */
    double max_xfactor;
    double accuracy, accuracy_ps; /* sums of run / limit: plain, times run */
    /* as it happens, those that still run included */
    double ps_dedicated, mem_dedicated; /* processor seconds, MB seconds */
    int64_t preempted;                  /* each time */
    double ps_preempted;                /* work that was lost by it */
};

struct stat_figures {
    struct stat_sums sums;
    int64_t active_jobs, active_procs;
    double active_ps; /* what the active jobs have had since they started */
};

/* Latest starts of BACKFILLPOLICY PLAN: given; then the job started by then, or not, by
 * what broke it (enum promise_cause); or it could not start meanwhile. */
#define STAT_CAUSES 8
enum stat_promise { STAT_PROMISED, STAT_KEPT, STAT_LAPSED, STAT_BROKEN };
struct stat_promises {
    int64_t made, kept, lapsed, broken[STAT_CAUSES];
};

struct stat_machine {
    int64_t since; /* when counting began */
    int64_t procs_up, mem_up;
    double ps_available, mem_available; /* of what was up */
    double backlog_s;                   /* work queued / processors up: now */
    double backlog_average_s;           /* over time */
    double least_use; /* smallest share of procs_up that jobs had after a cycle */
    int64_t least_use_cycle; /* ... and left a job waiting: which; 0 = none did */
    struct stat_promises promises;
};

/* Of a node, since counting began or it was first seen. */
struct stat_node {
    int64_t total_s, up_s, active_s; /* known, up (answering), up with jobs */
    int64_t changed_at; /* a job came or went, or it went up or down; no sum */
};

#define STAT_BOUNDS_MAX 33

/* A job is in the first row and column whose bounds are not below its processors and
 * its limit; larger ones are in the last. */
struct stat_grid {
    uint32_t rows, columns;
    int64_t procs[STAT_BOUNDS_MAX], times_s[STAT_BOUNDS_MAX];
    struct stat_sums *cells; /* [row * columns + column]; sums of ended jobs alone */
};

struct statistics;

/* ---- looking; nothing changes ---- */

/* Of a credential by index, or of all jobs (kind CRED_KINDS), up to `now`. O(1). */
void statistics_of(const struct statistics *s, enum cred_kind kind, uint32_t index,
    int64_t now, struct stat_figures *ret);
void statistics_machine(
    const struct statistics *s, int64_t now, struct stat_machine *ret);
const struct stat_grid *statistics_grid(const struct statistics *s);
void statistics_node(
    const struct statistics *s, uint32_t node, int64_t now, struct stat_node *ret);

/* ---- durable state ---- */

enum stat_kind { STAT_SYSTEM, STAT_CRED, STAT_CELL, STAT_NODE };

/* Nodes are told a whole block at a time, in the order of their indexes. */
#define STAT_NODE_BLOCK 256

struct stat_record {
    enum stat_kind of;
    enum cred_kind kind; /* of a credential */
    const char *name;
    int64_t procs, time_s; /* of a cell: its bounds */
    int64_t at;            /* sums over time reach up to here */
    struct stat_sums sums;
    /* of the system */
    int64_t since, procs_up, mem_up, watched_s;
    double ps_available, mem_available, backlog_ps, backlog_area, least_use;
    int64_t least_use_cycle;
    struct stat_promises promises;
    /* of a node */
    uint32_t block;
    struct stat_node node;
    bool up;
};

/* Assert that what is active and what is queued equals what is counted from nothing.
 * For tests. O(jobs x credentials). */
void statistics_check(const struct statistics *s, const struct cluster *c);

/* What changed since statistics_saved(), or everything, as of `now`. */
void statistics_each(const struct statistics *s, const struct cluster *c, bool all,
    int64_t now, void *ctx, void (*each)(void *ctx, const struct stat_record *r));
bool statistics_changed(const struct statistics *s);
void statistics_saved(struct statistics *s);

/* Put a record back, before anything happens. Time since `r->at` counts: for what is up
 * as it was then, for jobs when they are taken over. A cell whose bounds are not in the
 * grid any more is left out. */
void statistics_load(
    struct statistics *s, struct cluster *c, const struct stat_record *r, int64_t now);

/* ---- for the engine; all do nothing when `s` is NULL ---- */

struct statistics *statistics_create(const struct settings *cfg);
void statistics_destroy(struct statistics *s);
/* Other settings: a grid of other bounds begins empty. */
void statistics_configure(struct statistics *s, const struct settings *cfg);
void statistics_reset(struct statistics *s, int64_t now);
/* On nodes since `from`: `now`, but for a job that is taken over. */
void statistics_started(struct statistics *s, const struct cluster *c,
    const struct job *j, int64_t from, int64_t now);
void statistics_stopped(
    struct statistics *s, const struct cluster *c, const struct job *j, int64_t at);
/* It was on nodes from its start to `until` and is not now: a job that is taken over
 * suspended, or ended unseen. */
void statistics_passed(struct statistics *s, const struct cluster *c,
    const struct job *j, int64_t until, int64_t now);
/* After it was stopped. */
void statistics_ended(struct statistics *s, const struct cluster *c,
    const struct job *j, bool success, int64_t at);
void statistics_preempted(
    struct statistics *s, const struct cluster *c, const struct job *j, int64_t lost_s);
/* The job came to the queue or left it, or asks for another amount of work. */
void statistics_queued(struct statistics *s, const struct job *j, int64_t now);
void statistics_promise(struct statistics *s, enum stat_promise what, unsigned cause);
/* One that was counted at `counted_at` is none. What was counted before a reset is
 * forgotten already. */
void statistics_promise_back(
    struct statistics *s, enum stat_promise what, unsigned cause, int64_t counted_at);
/* A cycle is over after which a job waits for resources. O(1). */
void statistics_cycle(struct statistics *s, int64_t cycle);
/* A node came, went or changed. O(partitions). */
void statistics_nodes(struct statistics *s, const struct cluster *c, int64_t now);
void statistics_node_changed(
    struct statistics *s, const struct cluster *c, const struct node *n, int64_t now);

#endif
