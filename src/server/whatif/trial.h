/* SPDX-License-Identifier: Apache-2.0
 * A question tried, in a copy of the process: the plan as it is, the changes made by
 * the very operations that make them in earnest, and the plan after them. Private to
 * src/server. */
#ifndef MAUI_SERVER_TRIAL_H
#define MAUI_SERVER_TRIAL_H

#include "server/api/identity.h"

#include <jansson.h>

struct server;

/* Can the WhatIfRequest be asked at all? 0, or -1 with a sentence; the member concerned
 * goes to `ret_field`. Before there is a copy. O(changes, jobs of their arrays). */
#define TRIAL_CHANGES_MAX 100
#define TRIAL_WATCH_MAX   1000
#define TRIAL_ARRAYS_MAX  100000 /* jobs of all arrays together */
int trial_check(const json_t *body, char *ret_field, size_t size, struct err *err);

/* Is it method run, which may take ten seconds? */
bool trial_lives(const json_t *body);

/* "order hold, submit": the kinds of its changes, for the log. Cut at `size`. */
void trial_describe(const json_t *body, char *ret, size_t size);

/* The WhatIf, a new reference. Only in the copy (server.tries, asserted): the engine is
 * changed. A cycle, the changes in order until one is refused, a cycle; each picture
 * has seconds of processor time. */
json_t *trial_answer(struct server *s, const struct identity *who, const json_t *body);

#endif
