/* SPDX-License-Identifier: Apache-2.0
 * Jobs whose accounts cannot pay: what follows besides waiting. Source: reference
 * credentials, section 8.3; where JFACTION is NONE they wait.
 *
 *     FALLBACKACCOUNT   its account is that one from the next cycle on
 *     JFACTION DEFER    deferred, in the end held
 *     JFACTION CANCEL   cancelled */
#ifndef MAUI_ENGINE_UNFUNDED_H
#define MAUI_ENGINE_UNFUNDED_H

#include <stdbool.h>
#include <stdint.h>

struct engine;
struct job;
struct unfunded;

struct unfunded *unfunded_create(void);
void unfunded_destroy(struct unfunded *u);

/* Other facts were told. */
void unfunded_changed(struct engine *e);

/* Of a cycle: deposits begin and end, credits come free: look at who waits for some. */
void unfunded_begin(struct engine *e);
/* After its passes: what is done about those that were refused. */
void unfunded_follow(struct engine *e);

/* A bank elsewhere does not let the job start, for what it says: it waits or is off its
 * nodes already. The same follows; where JFACTION is NONE, or what it lacks may be its
 * own (charging_awaits()), it is tried again in a minute. */
void unfunded_refused(struct engine *e, struct job *j, bool own, const char *text);

/* When deposits begin or end next, or jobs that run pay for what they used;
 * TIME_NEVER. */
int64_t unfunded_until(const struct engine *e);

#endif
