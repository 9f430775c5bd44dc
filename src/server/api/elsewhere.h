/* SPDX-License-Identifier: Apache-2.0
 * Dependencies of a submission on jobs of other resource managers than its own. Of
 * those its own knows nothing (manager_keeps_dep()): so it gets the job without them,
 * held by its owner; when the job has its name they are put on it here, as a change
 * that is kept, and it is let go. Whoever is killed between leaves a job that is held,
 * never one that starts too early. Private to src/server/api. */
#ifndef MAUI_SERVER_ELSEWHERE_H
#define MAUI_SERVER_ELSEWHERE_H

#include "rm/rm.h"
#include "server/api/identity.h"

struct elsewhere;
struct manager;
struct server;

/* NULL: all of them can be handed on. Else to be freed. O(dependencies). */
struct elsewhere *elsewhere_new(
    struct server *s, const struct manager *m, const struct rm_submission *sub);
void elsewhere_free(struct elsewhere *e); /* NULL is allowed */

/* What goes to the resource manager. Borrows from `e`. */
void elsewhere_leave_out(const struct elsewhere *e, struct rm_submission *io);

/* The job is there. -1 with a sentence: it cannot stay as it is. */
int elsewhere_put(const struct elsewhere *e, struct server *s, const char *job,
    const struct identity *who, struct err *err);

#endif
