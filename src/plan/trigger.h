/* SPDX-License-Identifier: Apache-2.0
 * When triggers of a reservation fire. Each fires once. Pure; the caller acts, and
 * tells with trigger_fired(). Source: reference reservations 10. */
#ifndef MAUI_PLAN_TRIGGER_H
#define MAUI_PLAN_TRIGGER_H

#include "cluster/reservation.h"

/* The instant from which the trigger may fire: for minload the one from which the
 * load is looked at. TIME_NEVER when it cannot any more: fired before, or the
 * reservation was released before its event. Triggers on the end count from the
 * release as well. */
int64_t trigger_due_at(const struct reservation *r, const struct trigger *t);

/* Should it fire now? `load` is the average load per reserved processor of r's nodes
 * (see trigger_load()); < 0 = not known: minload does not fire. */
bool trigger_is_due(
    const struct reservation *r, const struct trigger *t, int64_t now, double load);

/* The first due trigger of r (index), or INDEX_NONE. Fire, trigger_fired(), ask
 * again: what one does (cancel) decides about the others. */
uint32_t trigger_next_due(const struct reservation *r, int64_t now, double load);
void trigger_fired(struct reservation *r, uint32_t index, int64_t now);

/* The next instant after `now` at which one becomes due; TIME_NEVER = none. Minload is
 * a question of every cycle, and not counted once it is being looked at. */
int64_t trigger_next_at(const struct reservation *r, int64_t now);

/* Does one wait for something after the reservation's end? Then keep the ended
 * reservation until it has fired. */
bool trigger_outlives(const struct reservation *r);

/* Load averages of the held nodes over the processors held there; -1 when none are. */
double trigger_load(const struct cluster *c, const struct reservation *r);

#endif
