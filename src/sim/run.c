/* SPDX-License-Identifier: Apache-2.0
 * The simulated clock: whichever comes first of the next arrival, the next end and the
 * next instant the engine asks for. */
#include "sim/run.h"

#include "config/settings.h"
#include "policy/reason.h"
#include "sim/ends.h"
#include "sim/experiment.h"
#include "sim/scaling.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Wakeups in a row with nothing running, nothing to come and nothing started, after
 * which the jobs left are given up: longer than any chain of deferrals. */
#define IDLE_WAKEUPS_MAX 10000
/* The calendar repeats itself every week: what did not start in five, though nothing
 * ran and nothing else was to come, never will; unless it is deferred for long times.
 */
#define IDLE_S_MAX       (INT64_C(35) * 86400)
#define IDLE_WAKEUPS_MIN 100

struct run {
    const struct workload *w;
    const struct run_options *opt;
    const struct settings *cfg;
    struct run_result *r;
    struct engine *e;
    struct cluster *c;
    struct ends ends;
    struct VEC(uint32_t) jobs; /* in the workload, by index of the engine's job */
    struct actions actions;
    struct VEC(struct ev) due; /* scratch: ends of an instant */
    int64_t shift;             /* engine time = trace time + shift */
    int64_t now;               /* engine time */
    size_t next;               /* arrival to come */
    size_t line;               /* of the scenario, to come */
    struct submission submission;
    int64_t begin;     /* engine time of the first instant */
    int64_t tick;      /* polling: of the coming cycle */
    size_t waiting;    /* submitted, neither running nor over */
    size_t suspended;  /* of these */
    double waiting_ps; /* of the others: processor seconds by their limits */
    size_t over;
    uint32_t idle_wakeups;
    struct occupancy before_idle; /* when nothing was left to happen by itself: should
                                     no job start any more, the replay ends there */
    bool idle;
    int64_t idle_until; /* if idle: when to give up */
};

const char *run_state_name(enum run_state s)
{
    static const char *const names[] = {[RUN_NOT_SUBMITTED] = "not submitted",
        [RUN_WAITING] = "waiting",
        [RUN_RUNNING] = "running",
        [RUN_COMPLETED] = "completed",
        [RUN_CANCELLED] = "cancelled",
        [RUN_REFUSED] = "refused"};

    return names[s];
}

void run_result_fini(struct run_result *r)
{
    free(r->jobs);
    for (size_t i = 0; i < r->accounts.n; i++)
        free(r->accounts.v[i].name);
    vec_fini(&r->accounts);
    *r = (struct run_result){0};
}

/* One more or one less that waits for a start. */
static void count_waiting(struct run *s, uint32_t job, int by)
{
    s->waiting += (size_t)by;
    s->waiting_ps +=
        by * (double)s->r->jobs[job].procs * (double)s->w->jobs.v[job].wclimit_s;
}

/* ---- events --------------------------------------------------------------------- */

static void submit(struct run *s)
{
    const struct trace_job *j = &s->w->jobs.v[s->next];
    struct run_job *out = &s->r->jobs[s->next];
    bool at_times = s->submission.policy == SIM_SUBMIT_AT_TIMES;
    struct event ev = {
        .kind = EVENT_SUBMIT, .at = at_times ? j->submit_at + s->shift : s->now};
    struct req_desc req;
    struct event_result made;
    struct err err;

    workload_job_desc(s->w, j, s->shift, &ev.u.job, &req);
    experiment_job(s->cfg, s->w, j, &ev.u.job, &req);
    ev.u.job.submit_at = ev.at;
    out->submit_at = ev.at - s->shift;
    out->procs = experiment_procs(s->cfg, s->w, j);
    if (engine_apply(s->e, &ev, &made, &err) < 0) {
        out->state = RUN_REFUSED;
        s->over++;
        diag_bad(s->opt->diag, s->w->files.n > 0 ? s->w->files.v[j->file] : "generated",
            j->line, "job %s is refused: %s", j->id, err.text);
    } else {
        uint32_t index = made.job->index;
        if (index >= s->jobs.n)
            vec_push_zeros(&s->jobs, index + 1 - s->jobs.n);
        s->jobs.v[index] = (uint32_t)s->next;
        ends_forget(&s->ends, index);
        out->state = RUN_WAITING;
        count_waiting(s, (uint32_t)s->next, 1);
    }
    s->next++;
}

/* False: nothing ended. */
static bool end_job(struct run *s, const struct ev *end)
{
    struct event event = {.kind = EVENT_END, .at = end->at};
    struct err err;

    if (!ends_in_force(&s->ends, end))
        return false;
    event.u.end.job = end->job;
    event.u.end.how = EV_COMPLETE;
    ends_ended(&s->ends, end->job);
    if (engine_apply(s->e, &event, NULL, &err) < 0)
        return false;
    s->r->jobs[s->jobs.v[end->job]].state = RUN_COMPLETED;
    s->over++;
    return true;
}

/* ---- decisions ------------------------------------------------------------------ */

/* The last instant that is known to let a job go: a release time, or the end of a
 * reservation that does not come again. */
static int64_t last_release(const struct run *s)
{
    int64_t last = s->now;

    cluster_compact_queue(s->c);
    for (size_t i = 0; i < s->c->queued.n; i++) {
        const struct job *j = s->c->jobs.v[s->c->queued.v[i]];

        last = j->release_at > last ? j->release_at : last;
    }
    for (size_t i = 0; i < s->c->reservations.n; i++) {
        const struct reservation *r = s->c->reservations.v[i];

        if (r != NULL && r->kind != RSV_STANDING && r->end_at < TIME_NEVER)
            last = r->end_at > last ? r->end_at : last;
    }
    return last;
}

/* From here on only the calendar may still bring a job to start. */
static void note_idle(struct run *s)
{
    if (s->idle)
        return;
    s->idle = true;
    s->idle_until = time_add(last_release(s), IDLE_S_MAX);
    if (s->opt->occupancy != NULL)
        s->before_idle = occupancy_copy(s->opt->occupancy);
}

static void note_busy(struct run *s)
{
    s->idle_wakeups = 0;
    if (s->idle)
        occupancy_fini(&s->before_idle);
    s->idle = false;
}

static void started(struct run *s, const struct action *a)
{
    uint32_t job = s->jobs.v[a->job];
    struct run_job *out = &s->r->jobs[job];
    int64_t run_s = scaling_run(s->cfg, s->c, &s->w->jobs.v[job], s->c->jobs.v[a->job]);
    int64_t end = ends_start(&s->ends, a->job, s->now, run_s);

    out->state = RUN_RUNNING;
    out->start_at = s->now - s->shift;
    out->end_at = end - s->shift;
    out->suspended_s = 0;
    count_waiting(s, job, -1);
    s->r->started++;
    s->r->backfilled += a->backfill;
    note_busy(s);
}

/* It runs in the eyes of the trace, but no end is in sight; the clock must go on. */
static void suspended(struct run *s, const struct action *a)
{
    ends_suspend(&s->ends, a->job, s->now);
    s->waiting++;
    s->suspended++;
    s->r->suspended++;
}

static void resumed(struct run *s, const struct action *a)
{
    struct run_job *out = &s->r->jobs[s->jobs.v[a->job]];

    out->suspended_s += s->now - ends_of(&s->ends, a->job)->suspended_at;
    out->end_at = ends_resume(&s->ends, a->job, s->now) - s->shift;
    s->waiting--;
    s->suspended--;
    note_busy(s);
}

static void stopped(struct run *s, const struct action *a, enum run_state state)
{
    uint32_t job = s->jobs.v[a->job];
    struct run_job *out = &s->r->jobs[job];
    bool was_suspended = ends_of(&s->ends, a->job)->suspended;
    bool was_running = out->state == RUN_RUNNING && !was_suspended;
    bool was_waiting = out->state == RUN_WAITING;

    if (was_suspended) {
        s->suspended--;
        s->waiting--;
    }
    ends_stop(&s->ends, a->job, s->now, a->kind == ACTION_CHECKPOINT);
    if (a->kind == ACTION_CHECKPOINT) {
        out->saved_s += s->now - s->shift - out->start_at - out->suspended_s;
    } else if (state == RUN_WAITING) {
        out->saved_s = 0;
    }
    out->state = state;
    if (state == RUN_WAITING) {
        count_waiting(s, job, 1);
        s->r->requeued++;
        out->start_at = out->end_at = -1;
    } else {
        s->over++;
        if (was_running)
            out->end_at = s->now - s->shift;
        if (was_waiting)
            count_waiting(s, job, -1);
    }
}

static void tell(const struct run *s, const struct action *a)
{
    bool of_job = a->job != INDEX_NONE;
    struct run_decision d = {
        .action = a,
        .job = of_job ? &s->w->jobs.v[s->jobs.v[a->job]] : NULL,
        .now = of_job ? s->c->jobs.v[a->job] : NULL,
        .cluster = s->c,
        .at = s->now - s->shift,
        .target_at = a->at >= TIME_NEVER ? TIME_NEVER : a->at - s->shift,
    };

    s->opt->decided(s->opt->ctx, &d);
}

static void say(
    struct run *s, const struct scenario_event *line, bool done, const char *text)
{
    struct run_told t = {
        .at = s->now - s->shift, .line = line, .done = done, .text = text};

    if (s->opt->told != NULL)
        s->opt->told(s->opt->ctx, &t);
}

/* The first node of the job that is down. */
static const char *node_down_of(const struct run *s, const struct job *j)
{
    for (size_t i = 0; i < j->alloc.n; i++)
        for (uint32_t k = 0; k < j->alloc.v[i].count; k++) {
            const struct node *n = node_at(s->c, j->alloc.v[i].first + k);
            if (n->state == NODE_DOWN)
                return n->name;
        }
    return "";
}

static void say_lost(struct run *s, const struct action *a)
{
    const struct job *j = s->c->jobs.v[a->job];
    char text[300];

    snprintf(text, sizeof text, "job %s is %s: node %s is down", j->id,
        a->kind == ACTION_CANCEL ? "cancelled" : "requeued", node_down_of(s, j));
    s->r->lost += a->kind == ACTION_CANCEL;
    say(s, NULL, true, text);
}

static void carry_out(struct run *s)
{
    for (size_t i = 0; i < s->actions.n; i++) {
        const struct action *a = &s->actions.v[i];

        if (s->opt->decided != NULL)
            tell(s, a);
        if (a->why == ENDED_NODE_DOWN)
            say_lost(s, a);
        switch (a->kind) {
        case ACTION_START:
            started(s, a);
            break;
        case ACTION_CANCEL:
            stopped(s, a, RUN_CANCELLED);
            break;
        case ACTION_SUSPEND:
            suspended(s, a);
            break;
        case ACTION_RESUME:
            resumed(s, a);
            break;
        case ACTION_REQUEUE:
        case ACTION_CHECKPOINT:
            stopped(s, a, RUN_WAITING);
            break;
        case ACTION_HOLD:
            s->r->held++;
            break;
        case ACTION_DEFER:
            s->r->deferred++;
            break;
        case ACTION_RESERVE:
        case ACTION_RELEASE:
        case ACTION_PUT_OFF:
            break;
        case ACTION_TRIGGER: /* told above; a simulation runs no programs */
            s->r->triggers++;
            break;
        }
    }
}

static void cycle(struct run *s)
{
    s->actions.n = 0;
    engine_cycle(s->e, s->now, &s->actions);
    s->r->cycles++;
    if (s->actions.n > 0)
        carry_out(s);
    if (s->opt->occupancy != NULL)
        occupancy_sample(s->opt->occupancy, s->c, s->now);
    if (s->opt->progress != NULL && s->r->cycles % 1024 == 0)
        s->opt->progress(s->opt->ctx, s->over, s->w->jobs.n);
}

/* ---- the scenario ---------------------------------------------------------------- */

static void job_cancelled(void *ctx, uint32_t workload_job)
{
    struct run *s = ctx;
    struct action a = {.kind = ACTION_CANCEL};

    a.job = job_find(s->c, s->w->jobs.v[workload_job].id)->index;
    stopped(s, &a, RUN_CANCELLED);
}

static void apply_line(struct run *s)
{
    const struct scenario_event *ev = &s->opt->scenario->events.v[s->line];
    const struct settings *changed = s->opt->settings->v[s->line];
    struct scenario_target target = {
        .e = s->e, .w = s->w, .now = s->now, .cancelled = job_cancelled, .ctx = s};
    char text[500];
    bool done;

    s->line++;
    done = scenario_apply(ev, changed, &target, text, sizeof text) == 0;
    if (changed != NULL && done)
        s->cfg = changed;
    s->r->told++;
    s->r->refused += !done;
    if (!done)
        diag_bad(s->opt->diag, s->opt->scenario->files.v[ev->file], ev->line, "%s: %s",
            scenario_command_name(ev->command), text);
    say(s, ev, done, text);
}

/* ---- the clock ------------------------------------------------------------------ */

static int64_t next_arrival(const struct run *s)
{
    int64_t at;

    if (s->next >= s->w->jobs.n)
        return TIME_NEVER;
    if (s->submission.policy != SIM_SUBMIT_AT_TIMES)
        return submission_wants(
                   &s->submission, s->waiting - s->suspended, s->waiting_ps)
                   ? (s->tick > s->now ? s->tick : s->now)
                   : TIME_NEVER;
    at = s->w->jobs.v[s->next].submit_at + s->shift;
    return at > s->begin ? at : s->begin; /* not so what SIMSTARTTIME leaves behind */
}

static bool anything_left(const struct run *s)
{
    return s->waiting > 0 || !evheap_empty(&s->ends.heap) || s->next < s->w->jobs.n;
}

static int64_t next_line(const struct run *s)
{
    const struct scenario *scenario = s->opt->scenario;

    if (scenario == NULL || s->line >= scenario->events.n)
        return TIME_NEVER;
    return scenario->events.v[s->line].at + s->shift;
}

static int64_t next_event(const struct run *s)
{
    int64_t end = ends_next(&s->ends);
    int64_t others[] = {next_arrival(s), next_line(s)};

    if (!anything_left(s))
        return TIME_NEVER;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        end = others[i] < end ? others[i] : end;
    return end;
}

static bool end_is_due(const struct run *s)
{
    return ends_next(&s->ends) <= s->now;
}

/* When the engine wants to be called though nothing happened; given up when that goes
 * on without any effect. */
static int64_t next_wakeup(struct run *s)
{
    int64_t at = engine_next_wakeup(s->e);

    if (at >= TIME_NEVER || !anything_left(s))
        return TIME_NEVER;
    if (next_event(s) == TIME_NEVER) {
        note_idle(s);
        if (++s->idle_wakeups > IDLE_WAKEUPS_MAX
            || (s->idle_wakeups > IDLE_WAKEUPS_MIN && at > s->idle_until))
            return TIME_NEVER;
    }
    return at > s->now ? at : s->now + 1;
}

/* All events up to now. True if there were any. */
static bool apply_due(struct run *s)
{
    bool changed = false;

    while (end_is_due(s)) {
        struct ev end = evheap_pop(&s->ends.heap);

        changed |= end_job(s, &end);
    }
    while (next_arrival(s) <= s->now) {
        submit(s);
        changed = true;
    }
    for (; next_line(s) <= s->now; changed = true)
        apply_line(s);
    return changed;
}

/* The same with a cycle after each. Jobs that used up their limit free their
 * processors before anything else, as the plan has them end now in any case; those that
 * end early, when their turn comes. */
static void step_events(struct run *s)
{
    size_t n = 0;

    s->due.n = 0;
    while (end_is_due(s))
        vec_push(&s->due, evheap_pop(&s->ends.heap));
    for (size_t i = 0; i < s->due.n; i++) {
        const struct job *j = s->c->jobs.v[s->due.v[i].job];

        if (!ends_in_force(&s->ends, &s->due.v[i]))
            continue;
        s->due.v[n] = s->due.v[i];
        if (j->end_at <= s->now) {
            end_job(s, &s->due.v[n]);
            s->due.v[n].job = INDEX_NONE;
        }
        n++;
    }
    while (next_arrival(s) <= s->now) {
        submit(s);
        cycle(s);
    }
    for (size_t i = 0; i < n; i++) {
        if (s->due.v[i].job != INDEX_NONE && !end_job(s, &s->due.v[i]))
            continue;
        cycle(s);
    }
    for (; next_line(s) <= s->now; cycle(s))
        apply_line(s);
}

/* In order of time, also when polling: ends and arrivals since the last cycle. */
static void apply_in_order(struct run *s, int64_t upto)
{
    s->tick = upto;
    for (;;) {
        int64_t at = next_event(s);

        if (at > upto)
            break;
        s->now = at;
        apply_due(s);
    }
    s->now = upto;
}

/* SIMEXITITERATION: so many cycles and no more. */
static bool cycles_left(const struct run *s)
{
    int64_t last = s->cfg->sim_exit_iteration;

    return last <= 0 || (int64_t)s->r->cycles < last;
}

static void replay(struct run *s, int64_t until)
{
    for (;;) {
        int64_t event = next_event(s), wakeup = next_wakeup(s);
        int64_t at = event < wakeup ? event : wakeup;

        if (at >= TIME_NEVER || at > until || !cycles_left(s))
            break;
        s->now = at;
        if (s->opt->cycle == CYCLE_EVENT && at == event)
            step_events(s);
        else if (apply_due(s) || at == wakeup)
            cycle(s);
    }
}

static int64_t next_tick(const struct run *s, int64_t first, int64_t at)
{
    int64_t poll = s->opt->poll_s;

    return first + (at - first + poll - 1) / poll * poll;
}

static void replay_polling(struct run *s, int64_t until)
{
    int64_t first = next_event(s);

    for (s->now = first;;) {
        int64_t event = next_event(s), loss = engine_next_loss(s->e), at;

        event = loss < event ? loss : event;
        if (event < TIME_NEVER && s->r->cycles > 0
            && (s->waiting > 0 || event <= s->now))
            at = s->now + s->opt->poll_s;
        else if (event < TIME_NEVER)
            at = next_tick(s, first, event);
        else if ((at = next_wakeup(s)) < TIME_NEVER)
            at = next_tick(s, first, at);
        if (at >= TIME_NEVER || at > until || !cycles_left(s))
            break;
        apply_in_order(s, at);
        cycle(s);
    }
}

/* ---- a run ---------------------------------------------------------------------- */

/* Why the jobs left wait, in order of submission. */
static void note_stuck(const struct run *s)
{
    cluster_compact_queue(s->c);
    size_t asked = s->c->queued.n < STUCK_ASKED ? s->c->queued.n : STUCK_ASKED;

    s->r->stuck_unasked = s->c->queued.n - asked;
    for (size_t i = 0; i < asked; i++) {
        const struct job *j = s->c->jobs.v[s->c->queued.v[i]];
        const struct reason *why = engine_why(s->e, j);
        struct run_stuck *stuck = &s->r->stuck[why->code];

        if (stuck->jobs++ > 0)
            continue;
        assert(j->index < s->jobs.n);
        stuck->example = s->jobs.v[j->index];
        reason_format(s->c, why, stuck->text, sizeof stuck->text);
    }
}

static void sum_up(struct run *s)
{
    for (size_t i = 0; i < s->w->jobs.n; i++)
        s->r->by_state[s->r->jobs[i].state]++;
    note_stuck(s);
    s->r->end_at = s->now - s->shift;
}

static void end_occupancy(struct run *s)
{
    if (s->idle) {
        occupancy_fini(s->opt->occupancy);
        *s->opt->occupancy = s->before_idle;
    } else {
        occupancy_end(s->opt->occupancy, s->now);
    }
}

/* When, and by which rule jobs come. */
static int begin(struct run *s, struct err *err)
{
    s->now = s->begin = s->shift;
    if (s->w->jobs.n == 0)
        return 0;
    if (experiment_start(s->cfg, s->w, s->shift, &s->begin, err) < 0
        || submission_of(s->cfg, s->w, SIM_SUBMIT_AT_TIMES, &s->submission, err) < 0)
        return -1;
    s->now = next_line(s) < s->begin ? next_line(s) : s->begin;
    return 0;
}

/* ---- the bank ---- */

static uint64_t count_poor(const struct run *s, const char *account)
{
    const struct cred *k = cred_find(s->c, CRED_ACCOUNT, account);
    uint64_t n = 0;

    for (size_t i = 0; k != NULL && i < s->c->jobs.n; i++) {
        const struct job *j = s->c->jobs.v[i];
        n += j != NULL && j->why.code == WAIT_FUNDS && job_waits(j)
             && job_cred(s->c, j, CRED_ACCOUNT) == k;
    }
    return n;
}

static void sum_up_bank(struct run *s)
{
    const struct funds *f = s->c->funds;

    for (uint32_t i = 0; f != NULL && i < funds_accounts(f); i++) {
        const char *name = funds_account_name(f, i);
        struct run_account a = {.name = xstrdup(name), .waiting = count_poor(s, name)};
        struct funds_left left;

        funds_ask(f, i, NULL, s->now, 0, &left);
        engine_account_life(s->e, i, &a.charged, &a.dry_at);
        a.dry_at = a.dry_at != 0 ? a.dry_at - s->shift : -1;
        a.available = left.available;
        a.held = left.held;
        vec_push(&s->r->accounts, a);
    }
}

int run_replay(const struct workload *w, const struct machine *m,
    const struct settings *cfg, const struct run_options *opt, struct run_result *ret,
    struct err *err)
{
    struct engine_options how = {
        .order = opt->order,
        .backfill_order = opt->backfill_order,
        .report_reservations = opt->decided != NULL,
        .down_grace_s = ENGINE_DOWN_GRACE_S,
    };
    struct run s = {
        .w = w, .opt = opt, .cfg = cfg, .r = ret, .shift = workload_shift(w)};
    int64_t until = time_add(opt->until, s.shift);
    int rc = -1;

    *ret = (struct run_result){.jobs = xmalloc(w->jobs.n * sizeof *ret->jobs)};
    for (size_t i = 0; i < w->jobs.n; i++)
        ret->jobs[i] = (struct run_job){.start_at = -1, .end_at = -1};
    s.e = engine_create(cfg, &how);
    s.c = engine_cluster(s.e);
    if (begin(&s, err) == 0 && machine_build(m, s.e, s.now, err) == 0) {
        if (opt->cycle == CYCLE_POLL)
            replay_polling(&s, until);
        else
            replay(&s, until);
        if (opt->occupancy != NULL)
            end_occupancy(&s);
        sum_up(&s);
        sum_up_bank(&s);
        rc = 0;
    } else {
        run_result_fini(ret);
    }
    ret->broken_promises = engine_stats(s.e)->broken_promises;
    ret->forecasts = misses_sum(engine_misses(s.e));
    ret->preempted = engine_stats(s.e)->preempted;
    ret->preempted_ps = engine_stats(s.e)->preempted_ps;
    engine_destroy(s.e);
    ends_fini(&s.ends);
    vec_fini(&s.jobs);
    vec_fini(&s.due);
    vec_fini(&s.actions);
    return rc;
}
