/* SPDX-License-Identifier: Apache-2.0
 * Which of the resource managers is plain, and the names of those that are not
 * configured any more.
 *
 * One of them is plain: its jobs bear their own ids (border.h). It is the first of
 * RMCFG when the daemon begins for the first time, and stays that, in whatever order
 * the lines stand later and whichever of them go: ids, and where a local one keeps its
 * jobs, are what everything is remembered by. A line that stands alone and takes the
 * place of another takes over its ids, but not where it has stood beside others before:
 * then its jobs bear its name already. Private to src/server/managers. */
#ifndef MAUI_SERVER_RMNAMES_H
#define MAUI_SERVER_RMNAMES_H

#include <stdbool.h>

struct managers;
struct rmlines;
struct rmnames;
struct server;

/* The name of the plain one by these lines, which may be of none of them; owned by the
 * caller. Nothing is remembered yet. O(1). */
char *rmnames_choose_plain(struct server *s, const struct rmlines *lines);

/* They are in force: what there is of names is written down, and those that were known
 * before and are not configured any more are read. Nothing here commits. */
struct rmnames *rmnames_open(struct managers *all, const char *plain);
void rmnames_close(struct rmnames *n);

/* Does the id begin with the name of one that is not configured any more? Such a job is
 * not taken for the plain one's. O(names). */
bool rmnames_has_left(const struct rmnames *n, const char *id);
/* Nothing is remembered of its jobs any more. */
void rmnames_forget(struct rmnames *n);

#endif
