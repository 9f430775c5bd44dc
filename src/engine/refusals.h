/* SPDX-License-Identifier: Apache-2.0
 * Starts that the resource manager refused for a limit of its own, one that is not told
 * as a quota. The job waits with the manager's words and is tried again, at growing
 * intervals; those like it (same credentials, same task definition, no fewer tasks)
 * wait for it, so that a thousand of them are not refused one by one.
 *
 *     start refused --> job 12: again in 15, 30, 60, 120, 120 ... s
 *                       those like it: when it runs, or RUSH_S after it was due
 *
 * All are tried at once when other quotas or settings are told, and where any job
 * ended, which may have made room, but not within BREATH_S of the last refusal. */
#ifndef MAUI_ENGINE_REFUSALS_H
#define MAUI_ENGINE_REFUSALS_H

#include "cluster/cluster.h"

struct engine;
struct reason;
struct refusals;

struct refusals *refusals_create(void);
void refusals_destroy(struct refusals *r);

/* The start of the job, which waits again, was refused with these words. After this, or
 * one of those below that is true, what waits has to be looked at (refusals_changed()
 * in events/events.h). */
void refusals_add(struct engine *e, struct job *j, const char *text);
/* It runs, or is over. */
bool refusals_end(struct engine *e, const struct job *j);
/* A job ended. */
bool refusals_make_room(struct engine *e);
/* All may be tried again. */
bool refusals_forget(struct engine *e);

bool refusals_any(const struct refusals *r);
/* Does one keep the job back? *ret: until when, and in `object` whose start it was.
 * O(refusals). */
bool refusals_keep(const struct engine *e, const struct job *j, struct reason *ret);

#endif
