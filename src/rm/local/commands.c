/* SPDX-License-Identifier: Apache-2.0
 * What the scheduler commands. A job that is being started or written about is left
 * alone until that is over; its commands wait in their order. */
#include "rm/local/commands.h"

#include "rm/local/control.h"
#include "rm/local/folder.h"
#include "rm/local/larray.h"
#include "rm/local/ljob.h"
#include "rm/local/nodes.h"
#include "rm/local/private.h"
#include "rm/local/start.h"
#include "rm/local/writer.h"

#include <signal.h>
#include <stdio.h>

#define HOLDS_HERE (HOLD_USER | HOLD_SYSTEM) /* the others are the scheduler's own */

static void refuse(struct local_job *j, const struct rm_command *c, const char *text)
{
    local_done(j->local, c->token, RM_REFUSED, j->id, text);
}

/* ---- what is written in the folder ---- */

static struct local_job *written(struct write_task *t, const char *function)
{
    struct local_job *j = ljob_find(t->ctx, t->job);
    struct local *l = t->ctx;

    j->writing = false;
    local_health(l, function, t->err.code != ERR_NONE ? t->err.text : NULL);
    if (t->err.code == ERR_NONE)
        return j;
    local_done(l, t->token, RM_RETRY, j->id, t->err.text);
    ljob_next(j);
    return NULL;
}

static void write_record(struct local_job *j, const struct rm_command *c,
    const char *name, char *text, void (*done)(struct write_task *))
{
    struct write_task *t =
        j->array != NULL ? larray_line_task(j) : write_task_new(WRITE_FILE, j->id);

    write_task_add(t, name, text, strlen(text));
    t->done = done;
    t->ctx = j->local;
    t->token = c->token;
    t->number = c->action == RM_MODIFY ? c->wclimit_s : 0;
    j->writing = true;
    writer_add(j->local->writer, t);
}

static void state_written(struct write_task *t)
{
    struct local_job *j = written(t, "jobmodify");
    char limit[32];

    if (j == NULL)
        return;
    state_read(t->files[0].text, t->files[0].len, &j->state, NULL);
    ljob_report(j);
    snprintf(limit, sizeof limit, "%lld", (long long)t->number);
    if (t->number > 0 && j->phase == PHASE_RUNNING)
        control_tell(j, RM_MODIFY, t->token, "wclimit", limit);
    else
        local_done(j->local, t->token, RM_OK, j->id, NULL);
    ljob_next(j);
}

static void change_state(
    struct local_job *j, const struct rm_command *c, const struct state *to)
{
    write_record(j, c, "state.json", state_write(to), state_written);
}

static void end_written(struct write_task *t)
{
    struct local_job *j = written(t, "jobcancel");

    if (j == NULL)
        return;
    end_read(t->files[0].text, t->files[0].len, &j->end, NULL);
    j->phase = PHASE_ENDED;
    ljob_report(j);
    local_done(j->local, t->token, RM_OK, j->id, NULL);
    ljob_next(j);
}

/* The start that waits for it is the first command. */
static void folder_written(struct write_task *t)
{
    struct local *l = t->ctx;
    struct local_job *j = ljob_find(l, t->job);

    j->writing = false;
    if (t->err.code == ERR_NONE)
        larray_part(j, t, &t->err);
    local_health(l, "jobstart", t->err.code != ERR_NONE ? t->err.text : NULL);
    if (t->err.code != ERR_NONE) {
        struct command *start = j->later.v[0];
        vec_remove(&j->later, 0);
        local_done(l, start->cmd.token, RM_RETRY, j->id, t->err.text);
        command_free(start);
    }
    ljob_next(j);
}

bool commands_need_folder(struct local_job *j, const struct command *c)
{
    if (j->array == NULL || c->cmd.action != RM_START || j->phase != PHASE_WAITING
        || j->state.holds != 0)
        return false;
    struct write_task *t = larray_folder_task(j);
    t->done = folder_written;
    t->ctx = j->local;
    j->writing = true;
    writer_add(j->local->writer, t);
    return true;
}

/* ---- the commands ---- */

static void do_start(struct local_job *j, const struct command *full)
{
    const struct rm_command *c = &full->cmd;
    char text[300];
    struct err err;

    if (ljob_is_active(j) && j->found) { /* it had not told yet */
        ljob_report(j);
        local_done(j->local, c->token, RM_OK, j->id, NULL);
        return;
    }
    if (j->phase != PHASE_WAITING)
        return refuse(j, c, "the job does not wait to be started");
    if (j->state.holds != 0) {
        local_done(j->local, c->token, RM_RETRY, j->id, "the job is held");
        return;
    }
    if (c->nplaces == 0)
        return refuse(j, c, "no nodes were named to start it on");
    for (size_t i = 0; i < c->nplaces; i++)
        if (!nodes_have(j->local, c->places[i].node) || c->places[i].tasks == 0) {
            snprintf(text, sizeof text, "there is no node '%s' here to run tasks on",
                c->places[i].node);
            return refuse(j, c, text);
        }
    run_fini(&j->run);
    j->run = (struct run){.wclimit_s = c->wclimit_s,
        .overrun_s = c->overrun_s,
        .mem_mb =
            c->over_memory ? 0 : request_mem_mb(j->request, c->places, c->nplaces),
        .grace_ms = j->local->cfg.grace_ms,
        .start_ms = j->local->cfg.start_ms,
        .poll_ms = j->local->cfg.poll_ms};
    if (j->run.wclimit_s <= 0)
        j->run.wclimit_s = j->state.wclimit_s > 0 ? j->state.wclimit_s
                                                  : j->request->job.desc.wclimit_s;
    if (j->run.wclimit_s >= DURATION_UNLIMITED)
        j->run.wclimit_s = 0;
    if (j->local->cfg.cgroup != NULL)
        j->run.cgroup = xstrdup(j->local->cfg.cgroup);
    if (j->local->cfg.pam != NULL)
        j->run.pam = xstrdup(j->local->cfg.pam);
    run_set_places(&j->run, c->places, c->nplaces);
    j->news = j->found = false;
    j->cleanings = 0;
    if (start_keeper(j, c->token, &err) == 0) {
        j->phase = PHASE_STARTING;
        return;
    }
    local_health(j->local, "jobstart", err.text);
    local_done(j->local, c->token, RM_RETRY, j->id, err.text);
}

/* A job that waits ends here, by our own hand: no keeper is there to do it. */
static void cancel_waiting(struct local_job *j, const struct rm_command *c)
{
    struct end end = {.kind = END_CANCELLED,
        .end_at = local_now(),
        .exit_status = 128 + SIGTERM,
        .cpu_s = -1,
        .mem_mb = -1,
        .why = {ENDED_CANCELLED}};

    snprintf(end.said, sizeof end.said, "%s", c->text ? c->text : "");
    write_record(j, c, "end.json", end_write(&end), end_written);
}

static void do_cancel(struct local_job *j, const struct command *full)
{
    const struct rm_command *c = &full->cmd;

    if (j->phase == PHASE_WAITING)
        cancel_waiting(j, c);
    else if (j->phase == PHASE_RUNNING)
        control_tell(j, c->action, c->token, "cancel", c->text ? c->text : "");
    else /* it is being cleaned up, or has ended */
        local_done(j->local, c->token, RM_OK, j->id, NULL);
}

static void do_verb(struct local_job *j, const struct command *full)
{
    static const char *const verbs[] = {[RM_SUSPEND] = "suspend",
        [RM_RESUME] = "resume",
        [RM_REQUEUE] = "requeue",
        [RM_SIGNAL] = "signal"};
    const struct rm_command *c = &full->cmd;
    char argument[16] = "";

    if (j->phase == PHASE_CLEANING)
        return refuse(j, c, "the job is ending");
    if (j->phase == PHASE_WAITING && c->action == RM_REQUEUE) {
        local_done(j->local, c->token, RM_OK, j->id, NULL); /* it did not begin */
        return;
    }
    if (j->phase != PHASE_RUNNING)
        return refuse(j, c, "the job does not run");
    if (c->action == RM_SIGNAL)
        snprintf(argument, sizeof argument, "%d", c->signal);
    control_tell(j, c->action, c->token, verbs[c->action], argument);
}

static void do_hold(struct local_job *j, const struct command *full)
{
    const struct rm_command *c = &full->cmd;
    struct state to = j->state;

    if (j->phase == PHASE_ENDED)
        return refuse(j, c, "the job has ended");
    if ((c->kinds & ~(unsigned)HOLDS_HERE) != 0 || c->kinds == 0)
        return refuse(j, c, "only user and system holds are kept here");
    if (c->action == RM_HOLD)
        to.holds |= c->kinds;
    else
        to.holds &= ~c->kinds;
    change_state(j, c, &to);
}

static void do_modify(struct local_job *j, const struct command *full)
{
    const struct rm_command *c = &full->cmd;
    struct state to = j->state;

    if (j->phase == PHASE_ENDED)
        return refuse(j, c, "the job has ended");
    if (c->wclimit_s <= 0)
        return refuse(j, c, "a wall clock limit is more than 0 seconds");
    to.wclimit_s =
        c->wclimit_s < DURATION_UNLIMITED ? c->wclimit_s : DURATION_UNLIMITED;
    change_state(j, c, &to);
}

static void (*const handlers[])(struct local_job *, const struct command *) = {
    [RM_START] = do_start,
    [RM_CANCEL] = do_cancel,
    [RM_SUSPEND] = do_verb,
    [RM_RESUME] = do_verb,
    [RM_REQUEUE] = do_verb,
    [RM_CHECKPOINT] = NULL,
    [RM_HOLD] = do_hold,
    [RM_RELEASE] = do_hold,
    [RM_SIGNAL] = do_verb,
    [RM_MODIFY] = do_modify,
};
#define HANDLERS (sizeof handlers / sizeof handlers[0])

void commands_run(struct local_job *j, const struct command *c)
{
    handlers[c->cmd.action](j, c);
}

static struct command *command_copy(const struct rm_command *cmd)
{
    struct command *c = xcalloc(1, sizeof *c);

    c->cmd = *cmd;
    run_set_places(&c->places, cmd->places, cmd->nplaces);
    c->text = cmd->text != NULL ? xstrdup(cmd->text) : NULL;
    c->cmd.job = NULL;
    c->cmd.places = c->places.places;
    c->cmd.text = c->text;
    return c;
}

void command_free(struct command *c)
{
    run_fini(&c->places);
    free(c->text);
    free(c);
}

int local_command(struct rm *rm, const struct rm_command *cmd, struct err *err)
{
    struct local *l = (struct local *)rm;
    struct local_job *j;
    char text[200];

    if ((size_t)cmd->action >= HANDLERS || handlers[cmd->action] == NULL)
        return err_set(err, ERR_INVALID, "local jobs cannot be checkpointed");
    j = ljob_find(l, cmd->job);
    if (l->lost || !l->synced) {
        local_done(l, cmd->token, RM_RETRY, cmd->job,
            l->lost ? "the spool has gone" : "the spool is still being read");
    } else if (j == NULL || j->phase == PHASE_SUBMITTED) {
        snprintf(text, sizeof text, "there is no job '%s' here", cmd->job);
        local_done(l, cmd->token, RM_REFUSED, cmd->job, text);
    } else {
        vec_push(&j->later, command_copy(cmd));
        if (j->phase == PHASE_STARTING
            && (cmd->action == RM_CANCEL || cmd->action == RM_REQUEUE))
            start_give_up(j);
        ljob_next(j);
    }
    return 0;
}
