/* SPDX-License-Identifier: Apache-2.0
 * What of the instances of standing reservations outlives a restart: which there are,
 * where they were placed, what has fired, what was released by hand and is not to come
 * back, what was used. Source: reference reservations 12. */
#ifndef MAUI_PLAN_RSVMEMORY_H
#define MAUI_PLAN_RSVMEMORY_H

#include "cluster/job.h"
#include "cluster/reservation.h"

/* Everything by name, so that indexes may come out differently. */
struct rsv_memory {
    const char *name;    /* in full: fast.0.3 */
    const char *section; /* of SRCFG[section] */
    int64_t period_at;
    uint32_t slot;
    int64_t start_at, end_at, created_at;
    bool released; /* and not to come back in its period */
    int64_t ended_at;
    double idle_ps, active_ps;
    const struct job_place *places; /* tasks it holds, by node */
    size_t nplaces;
    const struct trigger *triggers; /* with what fired */
    size_t ntriggers;
};

/* Is there something to remember of this one? */
bool rsvmemory_wanted(const struct reservation *r);

/* As of `now`. Texts are borrowed from the reservation; places are added to *ret_places
 * and borrowed from there. */
struct job_places VEC(struct job_place);
struct rsv_memory rsvmemory_of(const struct cluster *c, const struct reservation *r,
    int64_t now, struct job_places *ret_places);

/* Make the instance again, live or released as it was, on those of its nodes that are
 * known. Before the first cycle, which looks whether it is still wanted as it is and
 * completes what is missing. -1 when the section is gone or unusable, the instance is
 * over, or there is one of that name or period. */
int rsvmemory_recall(
    struct cluster *c, const struct rsv_memory *m, int64_t now, struct err *err);

#endif
