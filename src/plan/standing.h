/* SPDX-License-Identifier: Apache-2.0
 * Which instances of a standing reservation should exist, and when; rsvnodes.h has
 * which nodes they get. Pure. Source: reference reservations 6.2.
 *
 *     PERIOD=DAY DEPTH=2, 8:00 to 17:00     now: Monday 9:00
 *     slot 0, Monday       [now, 17:00)     has begun: from now on
 *     slot 1, Tuesday      [8:00, 17:00) */
#ifndef MAUI_PLAN_STANDING_H
#define MAUI_PLAN_STANDING_H

#include "base/zone.h"
#include "cluster/reservation.h"

/* One instance. period_at identifies it among the instances of its standing
 * reservation: there is never more than one for a period. */
struct standing_instance {
    int64_t period_at; /* midnight that begins the day or week; 0 = INFINITY */
    int64_t start_at, end_at;
    uint32_t slot; /* 0 = present period */
};
struct standing_instances VEC(struct standing_instance);

/* Append the instances wanted at `now`, by slot: those of the DEPTH periods from the
 * present one on, and of all that begin before `until`, that are not over, on days of
 * DAYS. One that has begun starts now (leave one that exists as it is). Nothing for an
 * unusable one. O(periods). */
void standing_wanted(const struct sr_cfg *sr, const struct zone *z, int64_t now,
    int64_t until, struct standing_instances *ret);

/* As far as that all that will ever be wanted is wanted at `now`. TIME_NEVER for an
 * unusable one and PERIOD=INFINITY. */
int64_t standing_horizon(
    const struct sr_cfg *sr, const struct zone *z, int64_t now, int64_t until);

/* When the next period begins: look again then. TIME_NEVER for PERIOD=INFINITY. */
int64_t standing_next_period(
    const struct sr_cfg *sr, const struct zone *z, int64_t now);

/* Start of the period that `now` is in; 0 for PERIOD=INFINITY. */
int64_t standing_period(const struct sr_cfg *sr, const struct zone *z, int64_t now);

/* The instance as a reservation to be added, owned by the caller: everything that the
 * configuration says, without nodes. `standing` = index into c->cfg->standing. An
 * unknown PARTITION is INDEX_NONE, in which nothing is found. *alert (may be NULL)
 * has a sentence, else ERR_NONE, when hosts of the list are unknown. */
struct reservation standing_draft(struct cluster *c, uint32_t standing,
    const struct standing_instance *i, struct err *alert);

/* The instance of that period, live or not; NULL = none. O(reservations). */
struct reservation *standing_find(
    const struct cluster *c, uint32_t standing, int64_t period_at);

/* All of one standing reservation, live or not, by their periods. O(reservations + n
 * log n) to list, O(log n) to find. */
struct standing_list VEC(struct reservation *);
void standing_list(
    const struct cluster *c, uint32_t standing, struct standing_list *ret);
struct reservation *standing_listed(const struct standing_list *l, int64_t period_at);

/* Add the instances that are wanted at `now` up to `until` and missing, of every
 * standing reservation, and set the slots of those that exist. The indexes of new ones
 * are appended to *ret_new; they hold no nodes yet. *alert (may be NULL) as above, of
 * the first that has one. O(standing reservations x (reservations + DEPTH log)). */
struct rsv_indexes VEC(uint32_t);
void standing_refresh(struct cluster *c, const struct zone *z, int64_t now,
    int64_t until, struct rsv_indexes *ret_new, struct err *alert);

/* May the record of an ended or released instance be removed? One that was released
 * and is not to come back before the next period stays until its end, so that
 * standing_refresh() leaves it alone: one on a list of hosts, or released by a trigger
 * of its own. (A floating one that somebody released comes back at once.) */
bool standing_may_forget(const struct reservation *r, int64_t now);

/* Other settings are in force: find the section of every instance again, by name. One
 * whose section is gone, or unusable, gets INDEX_NONE; the caller releases it. */
void standing_relink(struct cluster *c);

/* Let a live instance, linked again, follow its section: access list, owner, account,
 * priority, flags and triggers are taken over (what fired has fired, and an event that
 * is past does not fire any more). False, with nothing changed, when it has to be made
 * anew: the section is gone, has no instance in that period any more, or has another
 * window, task definition, host list or way of placing. O(attributes). */
bool standing_take_over(struct cluster *c, const struct zone *z, struct reservation *r,
    int64_t now, int64_t until);

#endif
