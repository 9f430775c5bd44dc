/* SPDX-License-Identifier: Apache-2.0
 * The resource managers' side: reports in, commands out. There is one, or several with
 * nodes and jobs of their own: what is about a job goes to its own, what is about all
 * to each. Private to src/server.
 *
 *     RMCFG[slurm] --> manager: border, outbox, submissions, notes, health
 *     RMCFG[pbs]   --> manager: the same of its own                --> one engine */
#ifndef MAUI_SERVER_MANAGER_H
#define MAUI_SERVER_MANAGER_H

#include "engine/engine.h"
#include "rm/rm.h"
#include "server/http/request.h"

struct manager;
struct rmlines;
struct server;

int manager_open(struct server *s, struct err *err);
void manager_close(struct server *s); /* jobs go on running */

/* Another engine is about to be told: they are closed, but for those that tell again
 * what they know, where RMCFG says the same as before. That goes to: */
struct rmleft;
struct rmleft *manager_leave(struct server *s);
/* They are opened by what RMCFG says now. Where a line that is new or changed cannot be
 * opened, all of RMCFG stays as it was, and administrators are told what is wrong and
 * where. It never fails: one that cannot be opened as before is away until it can. */
void manager_open_again(struct server *s, struct rmleft *before);

/* A decision of the engine: to be carried out by manager_send(). */
void manager_decided(struct server *s, const struct action *a, const struct job *j);
/* Carry out what was decided. Starts need not wait for the commit, as long as commits
 * succeed: should the daemon die now, the resource manager tells of the running job and
 * it is taken over. Everything else is sent only when the decision is on the disk. */
void manager_send(struct server *s, bool committed);

/* After a commit: what is accounted for by now is not needed any more. */
void manager_settle(struct server *s);

/* Ask the resource managers to look again. */
void manager_poll(struct server *s);

/* Everything has been told at least once: before that no cycle makes sense. Of several,
 * one that is out of reach is not waited for, nor one that stays silent for long: its
 * nodes are there as they were remembered, and down. */
bool manager_synced(const struct server *s);
/* And it is within reach now, one of several at least: else what was last told may not
 * be so any more. Of those out of reach the engine knows that. */
bool manager_ready(const struct server *s);
/* Before each cycle: is there still somebody to wait for? */
void manager_wait(struct server *s);
/* Has each of them told everything? Of one that is not waited for that may be later. */
bool managers_all_synced(const struct server *s);
/* And is each within reach now? What is not seen then is not there. */
bool managers_all_answer(const struct server *s);
/* Has the one of that name in the engine (NULL = the plain one) told everything? */
bool manager_knows(const struct server *s, const char *known_as);

/* Why the node takes no jobs, as its resource manager says it; NULL: nothing is said.
 * Borrowed until its next report. */
const char *managers_said(const struct server *s, const struct node *n);

/* Nothing is asked of any that has not been answered, but for what is recorded. Those
 * out of reach, or that fail, have to come back first if that is `all`; else it is
 * enough that one is there, and where RMCFG has changed that is not asked either: a
 * line that is wrong could never be mended. */
bool manager_idle(const struct server *s, bool all);

/* ---- several ---- */

bool managers_several(const struct server *s);
/* Whose job it is. */
const struct manager *manager_of_job(const struct server *s, const struct job *j);
/* May a job of `m` that depends on the one of that id be refused where nobody has such
 * a job? Not where that can be left to `m`, nor where it cannot be asked now. */
bool manager_is_checked(
    const struct server *s, const struct manager *m, const char *job_id);
/* Is that the name of one of them, in RMCFG? */
bool managers_has(const struct server *s, const char *name);
/* Other settings are in force. */
void manager_configure(struct server *s);
/* Is what RMCFG says other than when they began? Then another engine is told by those
 * that there are now, in a quiet moment (journal/anew.h). */
bool managers_changed(const struct server *s);
/* What is said of a node's or a job's manager in records and lists: its name where
 * there are several, else its type. */
const char *manager_label(const struct server *s, uint32_t rm);
const char *manager_label_of(const struct server *s, const char *job);
/* The name of the job's manager in RMCFG, whatever others there are; "" = it has none.
 */
const char *manager_name_of(const struct server *s, const char *job);
/* Does the job of that id run on this machine, by us? */
bool manager_is_local(const struct server *s, const char *job);
/* Are the numbers of its manager's jobs ours to give, by the id of a job? */
bool manager_numbers(const struct server *s, const char *id);

/* Is its start decided, and nobody told of it yet? O(its orders). */
bool manager_start_waits(const struct server *s, const char *id);
/* The bank does not let the job start that was decided, for what it says: `failure`, it
 * does not answer, and the job is tried again after so many seconds; else it refuses.
 * False: it is not about to start (any more). */
bool manager_refuse_start(
    struct server *s, const char *id, bool failure, int64_t again, const char *text);

/* A user or administrator cancels a job: it leaves the engine at once and its nodes
 * when the resource manager says so. */
int manager_cancel(
    struct server *s, const struct job *j, const struct job_end *why, struct err *err);

/* Is a cancel of that job on its way? O(its orders). */
bool manager_cancels(const struct server *s, const char *id);
/* Why the resource manager does not cancel that job, which it was told to, and which
 * runs on; NULL: there is nothing of the kind. Borrowed. O(its orders). */
const char *manager_refused_cancel(const struct server *s, const char *id);

/* Can the job's resource manager do such a thing at all? Else -1 with a sentence. */
int manager_can(const struct server *s, const struct job *j, enum rm_action action,
    struct err *err);

/* Can it, can all of them, checkpoint jobs? To be asked before it is opened. */
bool manager_can_checkpoint(const struct server *s);

/* Tell the resource manager something about a job that is no decision of the engine:
 * RM_SIGNAL (signal), RM_MODIFY (wclimit_s), RM_HOLD and RM_RELEASE (kinds), after the
 * next commit. */
int manager_tell(struct server *s, const struct job *j, const struct rm_command *what,
    struct err *err);

/* What of the job stands with its resource manager; NULL = nothing. */
const struct rm_keeping *manager_keeping(const struct server *s, const struct job *j);
/* The limit as that can have it: what it counts in may be minutes. */
int64_t manager_whole_limit(
    const struct server *s, const struct job *j, int64_t limit_s);
/* Can the job be given that limit, where its resource manager has to take it? To be
 * asked before anything is changed. -1 with a sentence. */
int manager_check_limit(
    const struct server *s, const struct job *j, int64_t limit_s, struct err *err);
/* The job has another limit: its resource manager is told, where it has to know. */
int manager_tell_limit(struct server *s, const struct job *j, struct err *err);
/* A reply about jobs that were given limits, some of which may be on their way: when
 * they are answered, or after some seconds, in which case the message of that one's
 * result says so. One that was refused is no success in it. Takes the reference of the
 * body. */
struct manager_told {
    const char *job;
    json_t *result; /* in the body: "ok", "message" */
};
void manager_reply_told(struct server *s, struct request *r, json_t *body,
    const struct manager_told *told, size_t n);

/* What one request submits, a job or an array of them: `hand_on` does so, by
 * manager_submit(). As many are under way as the resource manager takes at a time, in
 * turn by user, and one array of a user; a user's first is handed on at once. The
 * request is answered when all is on the disk. `done` frees ctx in any case. */
struct manager_batch;
struct manager_feed {
    void (*hand_on)(struct server *s, struct manager_batch *b, void *ctx);
    void (*begins)(struct manager_batch *b, void *ctx); /* or NULL; it lives until: */
    /* One has been made, and is called so; or NULL. -1: it cannot stay. */
    int (*made)(struct server *s, const char *job, void *ctx, struct err *err);
    void (*done)(void *ctx);
    bool array;
    void *ctx;
};
void manager_submit_all(
    struct manager *m, struct request *request, const struct manager_feed *feed);
/* To which one a job goes that asks for that: whose partition, or nodes, it names; else
 * the first of RMCFG. NULL with a sentence: it asks for two of them. */
struct manager *manager_pick(
    const struct server *s, const struct job_desc *d, struct err *err);
/* Can a dependency on that job be handed on to it? What it does not know, another's,
 * most refuse or forget. */
bool manager_keeps_dep(
    const struct server *s, const struct manager *m, const char *job_id);
/* May be used from `hand_on` only. What `sub` has of an array lives as long as ctx. */
void manager_submit(
    struct server *s, struct manager_batch *b, struct rm_submission *sub);
/* No more of it: who calls cancels what is there, and the request is refused so, at
 * once or when it is answered. Not from `hand_on`; the batch may be gone then. */
void manager_break_off(
    struct server *s, struct manager_batch *b, const struct err *why);

/* A fresh number for the jobs of an array. */
int manager_take_id(struct manager *m, char *ret_id, size_t size, struct err *err);
/* In a copy (server.tries): one that no other submission of it has. */
void manager_number_tried(struct manager *m, char *ret_id, size_t size);
/* As the job will be called here: the same, of several the manager's name before it. */
void manager_id_here(
    const struct manager *m, const char *id, char *ret_id, size_t size);

/* Holds of a job that waits have changed by these kinds: where the resource manager
 * takes holds it is told. It knows two: of the owner, and of an administrator, which a
 * system and a batch hold become there. Deferrals are ours alone. */
int manager_tell_hold(
    struct server *s, const struct job *j, unsigned released, struct err *err);

/* The i-th: its label, and does it answer, as far as we know? NULL: there are no more.
 */
const char *manager_at(const struct server *s, size_t i, bool *ret_up);

/* Who is waited for, and what went wrong there last; NULL when nothing did, or all is
 * well again. Borrowed until the next report. */
const char *manager_waited_for(const struct server *s, const char **ret_failure);

/* For diagnose -R, as a list of the API's Manager. A new reference. */
json_t *manager_describe(const struct server *s);

/* Why a job ended, of what the resource manager tells (managers/jobs.c). */
struct job_end rmjobs_end(const struct rm_job *r);

#endif
