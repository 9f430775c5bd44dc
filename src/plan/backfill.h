/* SPDX-License-Identifier: Apache-2.0
 * Backfill: which of the waiting jobs run out of order. The algorithms of
 * BACKFILLPOLICY over windows or in queue order. Source: reference backfill, sections 4
 * to 7.
 *
 *     candidate   4 processors, 600 s      2 processors, 900 s
 *     windows     {8, 500 s}, {3, -}       plan_windows() of its access class
 *     fits one    no: passed over          yes: placeable() asks plan_fits_now()
 *                                          start() places it: plan_place_now()
 *
 * Priority reservations are made before, so what is free of them delays none. */
#ifndef MAUI_PLAN_BACKFILL_H
#define MAUI_PLAN_BACKFILL_H

#include "base/vec.h"
#include "plan/plan.h"

#include <stdbool.h>

struct cluster;
struct job;
struct par_settings;

struct backfill {
    struct plan *plan; /* that is asked: in use, or plan_fork_unreserved() */
    const struct cluster *c;
    const struct par_settings *par;
    uint32_t partition;
    int64_t now;
    double speed; /* of the fastest nodes: plan_fastest() */
    /* chunking: 0 = off. Candidates smaller than this are skipped once a larger
     * one was looked at and did not start (FIRSTFIT only). */
    int64_t chunk_size;
    /* May the job start now (resources for its whole limit, limits)? Records why not.
     */
    bool (*placeable)(void *ctx, struct job *j);
    /* Start it now. False if it could not be after all. */
    bool (*start)(void *ctx, struct job *j);
    void *ctx;
};

/* A job to consider; its size and its limit (job_least_limit()) stand beside it, so
 * that the many that do not fit are passed over without looking at them. */
struct candidate {
    uint32_t job, procs;
    int64_t wclimit_s;
    uint32_t access; /* plan_access() */
};
struct candidates VEC(struct candidate);

/* Run the policy over the candidates, in priority order (entries of jobs that
 * started meanwhile are passed over). Returns how many jobs started.
 * FIRSTFIT costs O(candidates x windows), GREEDY at most BACKFILLMAXSCHEDULES sets. */
uint32_t backfill_run(struct backfill *b, const struct candidate *jobs, size_t n);

/* Value of a job under BACKFILLMETRIC. */
double backfill_metric(const struct backfill *b, const struct job *j);

#endif
