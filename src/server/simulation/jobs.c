/* SPDX-License-Identifier: Apache-2.0
 * The jobs of a simulation, as a resource manager has them: submitted, carried out as
 * ordered, ended when their time has come. Every order is answered at once. */
#define LOG_FACILITY FACILITY_RM
#include "server/simulation/private.h"
#include "sim/scaling.h"
#include "trace/jobtrace.h"

void simulated_report(struct simulation *m, struct rm_report *r)
{
    r->at = world_now(m->s);
    m->sink.report(m->sink.ctx, r);
}

static const struct settings *settings_of(const struct simulation *m)
{
    return engine_cluster(m->s->engine)->cfg;
}

static uint32_t index_of(const struct simulation *m, const struct simulated *j)
{
    return (uint32_t)(j - m->jobs);
}

/* ---- what is told ---- */

static bool waits(enum job_state state)
{
    return state == JOB_IDLE;
}

static bool is_active(enum job_state state)
{
    return state == JOB_RUNNING || state == JOB_SUSPENDED;
}

static void tell(struct simulation *m, const struct simulated *j)
{
    struct req_desc req;
    struct rm_job job = {.cpu_s = -1, .mem_mb = -1, .swap_mb = -1, .disk_mb = -1};
    struct rm_report r = {.kind = RM_JOB, .u.job = &job};
    bool ran = j->start_at > 0;

    workload_job_desc(&m->w, j->t, m->shift, &job.desc, &req);
    experiment_job(settings_of(m), &m->w, j->t, &job.desc, &req);
    job.desc.submit_at = j->submit_at;
    job.desc.state = waits(j->state) && j->holds ? JOB_HOLD : j->state;
    job.desc.rm_hold = j->holds;
    job.start_at = ran ? j->start_at : 0;
    job.end_at = j->state >= JOB_COMPLETED ? world_now(m->s) : 0;
    job.places = ran ? j->places : NULL;
    job.nplaces = ran ? j->nplaces : 0;
    if (j->state == JOB_REMOVED)
        job.exit_status = 1;
    simulated_report(m, &r);
}

static void count(struct simulation *m, const struct simulated *j, int by)
{
    double ps = (double)j->procs * (double)j->t->wclimit_s;

    if (waits(j->state)) {
        m->waiting += (size_t)by;
        m->waiting_ps += by * ps;
    }
    m->active += is_active(j->state) ? (size_t)by : 0;
}

static void turn(struct simulation *m, struct simulated *j, enum job_state state)
{
    count(m, j, -1);
    j->state = state;
    count(m, j, 1);
    m->happened_at = world_now(m->s);
    m->completed += state == JOB_COMPLETED;
    m->removed += state == JOB_REMOVED;
    tell(m, j);
}

/* ---- the life of a job ---- */

static void leave_nodes(struct simulated *j)
{
    for (size_t i = 0; i < j->nplaces; i++)
        free(j->nodes[i]);
    free(j->nodes);
    free(j->places);
    j->nodes = NULL;
    j->places = NULL;
    j->nplaces = 0;
    j->start_at = 0;
}

static void take_nodes(struct simulated *j, const struct rm_command *cmd)
{
    leave_nodes(j);
    j->nplaces = cmd->nplaces;
    j->places = xcalloc(cmd->nplaces + 1, sizeof *j->places);
    j->nodes = xcalloc(cmd->nplaces + 1, sizeof *j->nodes);
    for (size_t i = 0; i < cmd->nplaces; i++) {
        j->places[i] = cmd->places[i];
        j->places[i].node = j->nodes[i] = xstrdup(cmd->places[i].node);
    }
}

void simulated_submit(struct simulation *m)
{
    const struct trace_job *t = &m->w.jobs.v[m->next];
    struct simulated *j = &m->jobs[m->next++];

    *j = (struct simulated){.t = t,
        .procs = experiment_procs(settings_of(m), &m->w, t),
        .state = JOB_IDLE,
        .submit_at = m->submission.policy == SIM_SUBMIT_AT_TIMES
                         ? t->submit_at + m->shift
                         : world_now(m->s)};
    HASH_ADD_KEYPTR(hh, m->by_id, t->id, strlen(t->id), j);
    count(m, j, 1);
    m->happened_at = world_now(m->s);
    tell(m, j);
}

/* When it ends, by itself or at its limit: whichever is first. */
static void plan_end(struct simulation *m, struct simulated *j)
{
    int64_t end = time_add(world_now(m->s), j->run_s);
    int64_t limit = j->overrun_s < 0 || j->limit_s <= 0
                        ? TIME_NEVER
                        : time_add(j->start_at, time_add(j->limit_s, j->overrun_s));

    j->cut = limit < end;
    j->end_at = j->cut ? limit : end;
    j->seq = ++m->seq;
    evheap_push(&m->ends, (struct ev){j->end_at, j->seq, index_of(m, j)});
}

static void start(
    struct simulation *m, struct simulated *j, const struct rm_command *cmd)
{
    const struct cluster *c = engine_cluster(m->s->engine);
    const struct job *known = job_find(c, j->t->id);

    take_nodes(j, cmd);
    j->start_at = world_now(m->s);
    j->limit_s = cmd->wclimit_s;
    j->overrun_s = cmd->overrun_s;
    j->run_s = j->left_s > 0 ? j->left_s
               : known       ? scaling_run(settings_of(m), c, j->t, known)
                             : scaling_time(settings_of(m), j->t->run_s);
    j->left_s = 0;
    plan_end(m, j);
    turn(m, j, JOB_RUNNING);
}

/* What is left to run, when it stops now. */
static int64_t left_of(const struct simulation *m, const struct simulated *j)
{
    int64_t left = j->end_at - world_now(m->s);

    return left > 0 ? left : 1;
}

static void stop(
    struct simulation *m, struct simulated *j, enum job_state state, bool keeps_work)
{
    j->left_s = keeps_work && j->state == JOB_RUNNING ? left_of(m, j)
                : keeps_work                          ? j->left_s
                                                      : 0;
    j->seq = 0;
    if (state == JOB_IDLE)
        leave_nodes(j);
    turn(m, j, state);
    if (state == JOB_REMOVED)
        leave_nodes(j);
}

static void resume(struct simulation *m, struct simulated *j)
{
    int64_t away = world_now(m->s) - j->end_at + j->left_s;

    j->run_s = j->left_s;
    j->left_s = 0;
    if (j->limit_s > 0)
        j->limit_s = time_add(j->limit_s, away); /* it did not run meanwhile */
    plan_end(m, j);
    turn(m, j, JOB_RUNNING);
}

static void change_limit(struct simulation *m, struct simulated *j, int64_t limit_s)
{
    if (!is_active(j->state))
        return;
    j->limit_s = limit_s;
    if (j->state != JOB_RUNNING)
        return; /* it counts when it goes on */
    j->run_s = left_of(m, j);
    plan_end(m, j);
}

bool simulated_end(struct simulation *m)
{
    struct ev end = evheap_pop(&m->ends);
    struct simulated *j = &m->jobs[end.job];

    if (j->seq != end.seq)
        return false;
    j->seq = 0;
    turn(m, j, j->cut ? JOB_REMOVED : JOB_COMPLETED);
    leave_nodes(j);
    return true;
}

/* ---- orders ---- */

static const char *refusal(const struct simulated *j, enum rm_action action)
{
    switch (action) {
    case RM_START:
        return waits(j->state) ? NULL : "it does not wait";
    case RM_SUSPEND:
        return j->state == JOB_RUNNING ? NULL : "it does not run";
    case RM_RESUME:
        return j->state == JOB_SUSPENDED ? NULL : "it is not suspended";
    case RM_REQUEUE:
    case RM_CHECKPOINT:
        return is_active(j->state) ? NULL : "it does not run";
    case RM_CANCEL:
    case RM_HOLD:
    case RM_RELEASE:
    case RM_SIGNAL:
    case RM_MODIFY:
    case RM_ACTIONS:
        break;
    }
    return j->state < JOB_COMPLETED ? NULL : "it has ended";
}

static void carry_out(
    struct simulation *m, struct simulated *j, const struct rm_command *cmd)
{
    switch (cmd->action) {
    case RM_START:
        start(m, j, cmd);
        break;
    case RM_CANCEL:
        stop(m, j, JOB_REMOVED, false);
        break;
    case RM_SUSPEND:
        stop(m, j, JOB_SUSPENDED, true);
        break;
    case RM_RESUME:
        resume(m, j);
        break;
    case RM_REQUEUE:
        stop(m, j, JOB_IDLE, false);
        break;
    case RM_CHECKPOINT:
        stop(m, j, JOB_IDLE, true);
        break;
    case RM_HOLD:
        j->holds |= cmd->kinds;
        tell(m, j);
        break;
    case RM_RELEASE:
        j->holds &= ~cmd->kinds;
        tell(m, j);
        break;
    case RM_MODIFY:
        change_limit(m, j, cmd->wclimit_s);
        break;
    case RM_SIGNAL: /* no process hears it */
    case RM_ACTIONS:
        break;
    }
}

static int command(struct rm *rm, const struct rm_command *cmd, struct err *err)
{
    struct simulation *m = (struct simulation *)rm;
    struct rm_report r = {.kind = RM_DONE, .u.done = {.token = cmd->token}};
    struct simulated *j = NULL;

    (void)err;
    HASH_FIND_STR(m->by_id, cmd->job, j);
    char *id = xstrdup(cmd->job); /* the order may go while it is carried out */
    r.u.done.job = id;
    r.u.done.text = j ? refusal(j, cmd->action) : "there is no such job";
    r.u.done.outcome = r.u.done.text ? RM_REFUSED : RM_OK;
    if (!r.u.done.text)
        carry_out(m, j, cmd);
    simulated_report(m, &r);
    free(id);
    return 0;
}

static int submit(struct rm *rm, const struct rm_submission *sub, struct err *err)
{
    (void)rm;
    (void)sub;
    return err_set(err, ERR_INVALID,
        "a simulation takes its jobs from the trace (SIMWORKLOADTRACEFILE) alone");
}

static void look(struct rm *rm)
{
    (void)rm; /* all is told as it happens */
}

static void forget(struct rm *rm)
{
    (void)rm; /* simulation_free() */
}

double simulation_efficiency(const struct server *s, const char *job)
{
    struct simulated *j = NULL;

    HASH_FIND_STR(s->simulation->by_id, job, j);
    const struct jobtrace *told = j ? j->t->more : NULL;
    double dedicated = j ? (double)j->t->run_s * j->t->procs : 0;
    return told && told->procseconds > 0 && dedicated > 0
               ? told->procseconds / dedicated
               : 1;
}

void simulated_free(struct simulation *m)
{
    HASH_CLEAR(hh, m->by_id);
    for (size_t i = 0; m->jobs && i < m->w.jobs.n; i++)
        leave_nodes(&m->jobs[i]);
    free(m->jobs);
    evheap_fini(&m->ends);
}

const struct rm_driver simulated_driver = {.type = "SIMULATION",
    .close = forget,
    .command = command,
    .submit = submit,
    .poll = look};
