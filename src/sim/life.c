/* SPDX-License-Identifier: Apache-2.0
 * See life.h. */
#include "sim/life.h"

#include "cluster/node.h"
#include "plan/endings.h"
#include "sim/ends.h"

#include <stdlib.h>

struct living {
    struct engine *e;
    struct cluster *c;
    const struct life_options *opt;
    struct life *life;
    struct ends ends;
    struct VEC(size_t) open;   /* by job: its run that goes on, from 1; 0 = none */
    struct VEC(uint32_t) left; /* scratch: nodes of a job that leaves them */
    struct actions actions;
    int64_t now;
};

/* ---- how long ---- */

void life_foresee(struct engine *e, struct life_lengths *ret)
{
    const struct cluster *c = engine_cluster(e);

    vec_reserve(ret, c->jobs.n);
    for (size_t i = 0; i < c->jobs.n; i++) {
        const struct job *j = c->jobs.v[i];
        int64_t run_s = 0;
        if (j && job_is_active(j))
            run_s = predictions_end(e, j) - j->start_at - j->suspended_s;
        else if (j && j->state < JOB_COMPLETED)
            run_s = (int64_t)predictions_run(e, j).run_s;
        vec_push(ret, j && run_s < 1 && j->state < JOB_COMPLETED ? 1 : run_s);
    }
}

/* Of an active job, after now. */
static int64_t foresee_end(const struct living *l, const struct job *j)
{
    const struct life_lengths *lengths = l->opt->lengths;
    int64_t end = endings_of(l->c, j, l->now);
    int64_t run_s = lengths && j->index < lengths->n ? lengths->v[j->index] : 0;
    int64_t usual = time_add(time_add(j->start_at, j->suspended_s), run_s);

    return run_s > 0 && usual < end ? usual > l->now ? usual : l->now + 1 : end;
}

/* ---- what is noted ---- */

static size_t *find_open(struct living *l, uint32_t job)
{
    if (job >= l->open.n)
        vec_push_zeros(&l->open, job + 1 - l->open.n);
    return &l->open.v[job];
}

static struct life_run *begin_run(
    struct living *l, const struct job *j, int64_t from_at)
{
    struct life_runs *runs = &l->life->runs;

    vec_push(runs, ((struct life_run){.job = j->index,
                       .procs = j->procs,
                       .from_at = from_at,
                       .until_at = TIME_NEVER}));
    *find_open(l, j->index) = runs->n;
    return &runs->v[runs->n - 1];
}

static void end_run(struct living *l, uint32_t job, bool stopped)
{
    size_t *open = find_open(l, job);

    if (!*open)
        return;
    l->life->runs.v[*open - 1].until_at = l->now;
    l->life->runs.v[*open - 1].stopped = stopped;
    *open = 0;
}

/* ---- what comes about ---- */

static void apply_event(struct living *l, struct event ev)
{
    struct err err;

    ev.at = l->now;
    (void)engine_apply(l->e, &ev, NULL, &err); /* what it refuses is as it was */
}

void life_leave_node(struct engine *e, int64_t now, uint32_t node)
{
    struct cluster *c = engine_cluster(e);
    struct node *n = node_at(c, node);
    double dedicated = (double)node_dedicated(c, n).v[RES_PROCS];
    struct res none = {0}, util = n->jobs.n ? n->util : none;
    struct event ev = {.kind = EVENT_NODE_STATE,
        .at = now,
        .u.node_state = {
            .name = n->name, .state = n->jobs.n ? NODE_RUNNING : NODE_IDLE}};
    struct err err;

    if (n->load > dedicated || n->util.v[RES_PROCS] || n->state == NODE_BUSY)
        node_measure(c, n, n->load > dedicated ? dedicated : n->load, &util);
    if (n->state == NODE_BUSY && dedicated < (double)n->cfg.v[RES_PROCS])
        (void)engine_apply(e, &ev, NULL, &err);
}

/* Before it leaves them. */
static void note_nodes(struct living *l, const struct job *j)
{
    l->left.n = 0;
    for (size_t i = 0; i < j->alloc.n; i++)
        for (uint32_t k = 0; k < j->alloc.v[i].count; k++)
            vec_push(&l->left, j->alloc.v[i].first + k);
}

static void leave_nodes(struct living *l)
{
    for (size_t i = 0; i < l->left.n; i++)
        life_leave_node(l->e, l->now, l->left.v[i]);
}

/* The resource manager says that it runs. */
static void confirm_start(struct living *l, const struct job *j)
{
    if (j->state == JOB_STARTING)
        apply_event(l, (struct event){.kind = EVENT_JOB_STATE,
                           .u.job_state = {.id = j->id, .state = JOB_RUNNING}});
}

static void start_job(struct living *l, const struct job *j)
{
    begin_run(l, j, l->now);
    ends_start(&l->ends, j->index, l->now, foresee_end(l, j) - l->now);
    confirm_start(l, j);
}

static void resume_job(struct living *l, const struct job *j)
{
    begin_run(l, j, l->now)->again = true;
    ends_resume(&l->ends, j->index, l->now);
}

/* It leaves its nodes, if it was on any. */
static void stop_job(struct living *l, const struct job *j, const struct action *a)
{
    bool keeps = a->kind == ACTION_CHECKPOINT;

    if (a->kind == ACTION_SUSPEND)
        ends_suspend(&l->ends, j->index, l->now);
    else
        ends_stop(&l->ends, j->index, l->now, keeps);
    if (a->kind == ACTION_CANCEL && !a->start_at)
        vec_push(&l->life->denied, j->index);
    end_run(l, j->index, true);
    if (keeps || a->kind == ACTION_REQUEUE)
        apply_event(l, (struct event){.kind = EVENT_LEFT, .u.left.id = j->id});
    note_nodes(l, j);
    leave_nodes(l);
}

static void take_action(struct living *l, const struct action *a)
{
    const struct job *j = a->job < l->c->jobs.n ? l->c->jobs.v[a->job] : NULL;

    if (!j)
        return;
    switch (a->kind) {
    case ACTION_START:
        start_job(l, j);
        break;
    case ACTION_RESUME:
        resume_job(l, j);
        break;
    case ACTION_CANCEL:
    case ACTION_SUSPEND:
    case ACTION_REQUEUE:
    case ACTION_CHECKPOINT:
        stop_job(l, j, a);
        break;
    case ACTION_HOLD:
    case ACTION_DEFER:
    case ACTION_RESERVE:
    case ACTION_RELEASE:
    case ACTION_PUT_OFF:
    case ACTION_TRIGGER:
        break;
    }
}

static void run_cycle(struct living *l)
{
    l->actions.n = 0;
    engine_cycle(l->e, l->now, &l->actions);
    l->life->cycles++;
    for (size_t i = 0; i < l->actions.n; i++)
        take_action(l, &l->actions.v[i]);
}

/* False: it goes on for longer than was thought, as its limit is another now. */
static bool end_job(struct living *l, const struct ev *end)
{
    const struct job *j = l->c->jobs.v[end->job];

    if (!ends_in_force(&l->ends, end) || !job_is_active(j))
        return false;
    if (!l->opt->lengths && j->end_at > l->now) {
        ends_set(&l->ends, end->job, j->end_at);
        return false;
    }
    ends_ended(&l->ends, end->job);
    end_run(l, end->job, false);
    note_nodes(l, j);
    apply_event(l, (struct event){.kind = EVENT_END,
                       .u.end = {.job = end->job, .how = EV_COMPLETE}});
    leave_nodes(l);
    return true;
}

/* ---- the clock ---- */

static int compare_starts(const void *a, const void *b)
{
    const struct life_run *x = a, *y = b;

    if (x->from_at != y->from_at)
        return x->from_at < y->from_at ? -1 : 1;
    return x->job < y->job ? -1 : x->job > y->job;
}

/* Who has begun, in order of the starts. */
static void begin_runs(struct living *l)
{
    struct life_runs *runs = &l->life->runs;

    for (size_t i = 0; i < l->c->jobs.n; i++) {
        const struct job *j = l->c->jobs.v[i];
        if (!j || !job_has_begun((enum job_state)j->state))
            continue;
        begin_run(l, j, j->start_at)->began = true;
    }
    if (runs->n)
        qsort(runs->v, runs->n, sizeof *runs->v, compare_starts);
    for (size_t i = 0; i < runs->n; i++) {
        const struct job *j = l->c->jobs.v[runs->v[i].job];
        *find_open(l, j->index) = i + 1;
        if (j->state == JOB_SUSPENDED) {
            ends_start(&l->ends, j->index, l->now, job_left_s(j));
            ends_suspend(&l->ends, j->index, l->now);
            end_run(l, j->index, false);
            continue;
        }
        ends_start(&l->ends, j->index, l->now, foresee_end(l, j) - l->now);
        confirm_start(l, j);
    }
}

/* Ends of the instant. True: there were any. */
static bool apply_ends(struct living *l)
{
    bool any = false;

    while (ends_next(&l->ends) <= l->now) {
        struct ev end = evheap_pop(&l->ends.heap);
        any |= end_job(l, &end);
    }
    return any;
}

static int64_t find_wakeup(const struct living *l)
{
    int64_t at = engine_next_wakeup(l->e), loss = engine_next_loss(l->e);

    at = loss < at ? loss : at;
    return at > l->now ? at : l->now + 1;
}

static bool has_time(const struct living *l, int64_t at)
{
    return !l->opt->goes_on || l->opt->goes_on(l->opt->ctx, at);
}

void life_on(
    struct engine *e, int64_t now, const struct life_options *opt, struct life *ret)
{
    struct living l = {
        .e = e, .c = engine_cluster(e), .opt = opt, .life = ret, .now = now};

    *ret = (struct life){.until = now};
    begin_runs(&l);
    run_cycle(&l);
    for (;;) {
        int64_t wakeup = find_wakeup(&l), end = ends_next(&l.ends);
        int64_t at = end < wakeup ? end : wakeup;
        if (at > opt->until || at >= TIME_NEVER) {
            ret->until = opt->until;
            ret->whole = true;
            break;
        }
        ret->until = at - 1;
        if (!has_time(&l, at))
            break;
        l.now = at;
        if (apply_ends(&l) || at == wakeup)
            run_cycle(&l);
    }
    ends_fini(&l.ends);
    vec_fini(&l.open);
    vec_fini(&l.left);
    vec_fini(&l.actions);
}

void life_fini(struct life *l)
{
    vec_fini(&l->runs);
    vec_fini(&l->denied);
    *l = (struct life){0};
}
