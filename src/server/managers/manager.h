/* SPDX-License-Identifier: Apache-2.0
 * The resource manager's side: reports in, commands out. Private to src/server. */
#ifndef MAUI_SERVER_MANAGER_H
#define MAUI_SERVER_MANAGER_H

#include "engine/engine.h"
#include "rm/rm.h"
#include "server/http/request.h"

struct server;

int manager_open(struct server *s, struct err *err);
void manager_close(struct server *s); /* jobs go on running */

/* A decision of the engine: to be carried out by manager_send(). */
void manager_decided(struct server *s, const struct action *a, const struct job *j);
/* Carry out what was decided. Starts need not wait for the commit, as long as commits
 * succeed: should the daemon die now, the resource manager tells of the running job and
 * it is taken over. Everything else is sent only when the decision is on the disk. */
void manager_send(struct server *s, bool committed);

/* After a commit: what is accounted for by now is not needed any more. */
void manager_settle(struct server *s);

/* Ask the resource manager to look again. */
void manager_poll(struct server *s);

/* Everything has been told at least once: before that no cycle makes sense. */
bool manager_synced(const struct server *s);
/* And it is within reach now: else what it last told may not be so any more. */
bool manager_ready(const struct server *s);

/* Nothing is asked of it that has not been answered, but for stops, which are recorded.
 */
bool manager_idle(const struct server *s);

/* A user or administrator cancels a job: it leaves the engine at once and its nodes
 * when the resource manager says so. */
int manager_cancel(
    struct server *s, const struct job *j, const struct job_end *why, struct err *err);

/* Can the resource manager do such a thing at all? Else -1 with a sentence. */
int manager_can(const struct server *s, enum rm_action action, struct err *err);

/* Can it checkpoint jobs? To be asked before it is opened. */
bool manager_can_checkpoint(const struct server *s);

/* Tell the resource manager something about a job that is no decision of the engine:
 * RM_SIGNAL (signal), RM_MODIFY (wclimit_s), RM_HOLD and RM_RELEASE (kinds), after the
 * next commit. */
int manager_tell(struct server *s, const struct job *j, const struct rm_command *what,
    struct err *err);

/* What one request submits, a job or an array of them. `next` hands on one more with
 * manager_submit() and returns false when that was the last. As many are under way as
 * the resource manager takes at a time, of all requests together and in turn by user;
 * the first of a user is handed on at once. The request is answered when all are on the
 * disk. `done` frees ctx in any case. */
struct manager_batch;
struct manager_feed {
    bool (*next)(struct server *s, struct manager_batch *b, void *ctx);
    void (*begins)(struct manager_batch *b, void *ctx); /* or NULL; it lives until: */
    void (*done)(void *ctx);
    void *ctx;
};
void manager_submit_all(
    struct server *s, struct request *request, const struct manager_feed *feed);
/* One of them; may be used from `next` only. */
void manager_submit(
    struct server *s, struct manager_batch *b, struct rm_submission *sub);
/* No more of it: what was made is cancelled, and the request refused so, at once or
 * when what is under way is answered. Not from `next`; the batch may be gone then. */
void manager_break_off(
    struct server *s, struct manager_batch *b, const struct err *why);
/* How many jobs of this user (NULL = of all) have been handed on and not answered. */
size_t manager_submitting(const struct server *s, const char *user);

/* A fresh number for the jobs of an array. */
int manager_take_id(struct server *s, char *ret_id, size_t size, struct err *err);

/* Holds of a job that waits have changed by these kinds: where the resource manager
 * takes holds it is told. It knows two: of the owner, and of an administrator, which a
 * system and a batch hold become there. Deferrals are ours alone. */
int manager_tell_hold(
    struct server *s, const struct job *j, unsigned released, struct err *err);

/* Does it answer, as far as we know? */
bool manager_up(const struct server *s);

/* What went wrong last; NULL when nothing did, or all is well again. Borrowed until the
 * next report. */
const char *manager_last_failure(const struct server *s);

/* For diagnose -R, as the API's Manager. A new reference. */
json_t *manager_describe(const struct server *s);

/* Why a job ended, of what the resource manager tells (managers/jobs.c). */
struct job_end rmjobs_end(const struct rm_job *r);

#endif
