/* SPDX-License-Identifier: Apache-2.0
 * What lies idle in reservations, paid by the account that answers for them
 * (CHARGEACCOUNT, setres -c). Jobs inside pay for themselves: only processor seconds
 * that no job uses count (policy/rsvuse.h), at the rate of PROCS and by the factors of
 * the account, the nodes and the time of day at which they pass.
 *
 *     active ---- each hour ----> charge: so much more
 *            ---- its end, another account ----> the last charge; that run is over
 *
 * Nothing is kept beforehand: a reservation goes on without funds, and the account goes
 * below 0. An account that is closed, or for others, gets no new run. In the bank it is
 * a run like a job's, of "rsv:NAME". After a restart of the daemon it goes on with what
 * it had cost when that was last noted (rents_each()); what passes until then again is
 * not charged. */
#ifndef MAUI_ENGINE_RENT_H
#define MAUI_ENGINE_RENT_H

#include "cluster/reservation.h"

#include <stdbool.h>
#include <stdint.h>

struct engine;
struct rents;

struct rents *rents_create(void);
void rents_destroy(struct rents *t);

/* In a cycle, once reservations are as they are now. O(1) where nothing changed and
 * nothing is due, else O(reservations). */
void rents_look(struct engine *e);

/* All that there is has been told: at the next look runs whose reservations are gone
 * are over, with what was charged before. */
void rents_known(struct engine *e);

/* Accounts are other than before: one that nobody could charge may be there now. The
 * next look is at all reservations. O(1). */
void rents_accounts(struct engine *e);

/* The reservation is about to be forgotten. O(1). */
void rents_forget(struct engine *e, const struct reservation *r);

/* What each run has cost, charged or not, if it ended at `now`. O(reservations). */
typedef void rent_fn(
    void *arg, const char *run, const char *job, const char *account, int64_t cost);
void rents_each(const struct engine *e, int64_t now, rent_fn *each, void *arg);

/* When something is due next; TIME_NEVER. O(1). */
int64_t rents_due(const struct engine *e);

#endif
