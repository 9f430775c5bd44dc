/* SPDX-License-Identifier: Apache-2.0
 * Dependencies of a submission on jobs of other resource managers than its own. Of
 * those its own knows nothing (manager_keeps_dep()): so it gets the job without them,
 * held by its owner, and keeps beside the job what it waits for (rm_job.others). When
 * it tells of the job they are put on it here, as a change that is kept, and it is let
 * go: be that at once, or after a restart, when who submitted it was killed between. So
 * the job never starts too early, nor stays held. Private to src/server. */
#ifndef MAUI_SERVER_ELSEWHERE_H
#define MAUI_SERVER_ELSEWHERE_H

#include "rm/rm.h"

struct elsewhere;
struct manager;
struct server;

/* NULL: all of them can be handed on. Else to be freed. O(dependencies). */
struct elsewhere *elsewhere_new(
    struct server *s, const struct manager *m, const struct rm_submission *sub);
void elsewhere_free(struct elsewhere *e); /* NULL is allowed */

/* What goes to the resource manager. Borrows from `e`. */
void elsewhere_leave_out(const struct elsewhere *e, struct rm_submission *io);

/* A job is told that is new here, with `others` (NULL is usual). PUT: what it depends
 * on is now a change of it, which is recalled as others are (modify_recall()), and it
 * is to be let go; HELD: not that; NONE: it was so before, or there is nothing.
 * `known`: of a life before. */
enum elsewhere_found { ELSEWHERE_NONE, ELSEWHERE_HELD, ELSEWHERE_PUT };
enum elsewhere_found elsewhere_find(
    struct server *s, const char *job, bool known, const char *others);
void elsewhere_let_go(struct server *s, const struct job *j);

/* The job is there. -1 with a sentence: without its dependencies, so it cannot stay. */
int elsewhere_check(struct server *s, const char *job, struct err *err);

#endif
