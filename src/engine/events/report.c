/* SPDX-License-Identifier: Apache-2.0
 * What the resource manager says of jobs: it is the truth about what runs where, also
 * when it is not what was decided. A job that it runs without our doing is taken over,
 * one that it put back is in the queue again. */
#include "cluster/memory.h"
#include "cluster/shape.h"
#include "config/settings.h"
#include "engine/engine_private.h"
#include "engine/events/events.h"
#include "engine/judge.h"
#include "engine/occupancy.h"
#include "engine/planning/planning.h"
#include "engine/start.h"
#include "engine/stop.h"
#include "policy/access.h"
#include "policy/accrual.h"
#include "policy/fsmemory.h"
#include "policy/holds.h"

#include <assert.h>
#include <stdlib.h>

#define START_DIFFERS_S 2 /* less is how long it takes to tell */

bool engine_start_differs(const struct job *j, int64_t start_at)
{
    return start_at > 0 && llabs(start_at - j->start_at) > START_DIFFERS_S;
}

static int add_piece(const struct cluster *c, const struct job *j,
    const struct job_place *piece, struct allocs *ret, struct err *err)
{
    const struct node *node = node_find(c, piece->node);

    if (!node)
        return err_set(err, ERR_NOT_FOUND,
            "job '%s' runs on node '%s', which is unknown", j->id, piece->node);
    vec_push(ret, ((struct alloc){node->index, 1, piece->tasks, piece->req}));
    return 0;
}

/* Not all resource managers tell of which request tasks are: then all are of the first.
 */
static bool tells_requests(
    const struct job_shape *s, const struct job_place *places, size_t n)
{
    uint64_t *tasks = xcalloc(s->nreqs, sizeof *tasks);
    bool tells = true;

    for (size_t i = 0; tells && i < n; i++) {
        tells = places[i].req < s->nreqs;
        if (tells)
            tasks[places[i].req] += places[i].tasks;
    }
    for (uint32_t r = 0; tells && r < s->nreqs; r++)
        tells = tasks[r] == s->reqs[r].tasks;
    free(tasks);
    return tells;
}

/* Where tasks are, as told. */
struct told_places {
    const struct job_place *v;
    size_t n;
};

/* Where it is, as an allocation. What is not told of those requests goes to them in
 * their order. */
static int placed_in(const struct cluster *c, const struct job *j,
    const struct job_shape *s, struct told_places places, struct allocs *ret,
    struct err *err)
{
    uint32_t req = 0, left = s->reqs[0].tasks;
    bool told = tells_requests(s, places.v, places.n);

    for (size_t i = 0; i < places.n; i++) {
        const struct job_place *p = &places.v[i];
        if (told && add_piece(c, j, p, ret, err) < 0)
            return -1;
        for (uint32_t tasks = told ? 0 : p->tasks; tasks;) {
            if (!left && ++req == s->nreqs)
                return err_set(err, ERR_CONFLICT,
                    "job '%s' runs more tasks than its %u", j->id, j->tasks);
            left = left ? left : s->reqs[req].tasks;
            uint32_t here = tasks < left ? tasks : left;
            if (add_piece(c, j, &(struct job_place){p->node, here, req}, ret, err) < 0)
                return -1;
            tasks -= here;
            left -= here;
        }
    }
    return 0;
}

/* In its own requests. */
static int take_places(const struct cluster *c, const struct job *j,
    const struct job_place *places, size_t n, struct allocs *ret, struct err *err)
{
    const struct job_shape own = {j->reqs, j->nreqs};

    return placed_in(c, j, &own, (struct told_places){places, n}, ret, err);
}

/* Active from `at` on, of which what comes after `counted` has not been counted yet. */
static int make_active(
    struct engine *e, struct job *j, int64_t at, int64_t counted, struct err *err)
{
    uint16_t starts = j->start_count;

    if (j->eff_wclimit_s <= 0)
        j->eff_wclimit_s = effective_limit(e, j);
    if (job_start(e->c, j, at, err) < 0)
        return -1;
    if (promises_had_start(e->promises, j))
        promise_fulfil(e, j); /* others started it, or it was thought to wait */
    promises_void(e->promises, j);
    if (j->state == JOB_STARTING)
        job_move(e->c, j, EV_STARTED, NULL);
    if (starts)
        j->start_count = starts; /* this start has been counted */
    j->flags &= ~(uint32_t)JOB_PARKED;
    if (hold_is_for_lost(j))
        hold_release(j, HOLD_SYSTEM, e->now); /* it is found */
    job_occupies(e, j, counted, OCCUPANCY_REPORTED);
    j->why.code = WAIT_NONE;
    return 0;
}

static int take_over(struct engine *e, struct job *j, int64_t start_at,
    const struct job_place *places, size_t nplaces, struct err *err)
{
    int64_t at = start_at > 0 && start_at < e->now ? start_at : e->now;
    struct allocs alloc = {0};

    if (take_places(e->c, j, places, nplaces, &alloc, err) < 0) {
        vec_fini(&alloc);
        return -1;
    }
    vec_fini(&j->alloc);
    j->alloc = alloc;
    return make_active(e, j, at, at, err);
}

/* As it was known before a restart, unless what is reported really differs. */
static int64_t known_start(const struct job_desc *d)
{
    int64_t known = d->memory ? d->memory->start_at : 0;

    return known > 0 && d->start_at > 0 && llabs(d->start_at - known) <= START_DIFFERS_S
               ? known
               : d->start_at;
}

/* It has left the processors of its nodes: others may run there by now, and nothing was
 * used since. */
static int take_over_suspended(struct engine *e, struct job *j,
    const struct job_desc *d, int64_t suspend_at, struct err *err)
{
    int64_t known = known_start(d);
    int64_t start_at = known > 0 && known < e->now ? known : e->now;
    uint16_t starts = j->start_count;
    struct allocs alloc = {0};

    if (take_places(e->c, j, d->places, d->nplaces, &alloc, err) < 0) {
        vec_fini(&alloc);
        return -1;
    }
    vec_fini(&j->alloc);
    j->alloc = alloc;
    if (job_adopt_suspended(e->c, j, start_at, suspend_at, err) < 0)
        return -1;
    if (starts)
        j->start_count = starts;
    j->why.code = WAIT_NONE;
    job_occupied(e, j, suspend_at, d->memory != NULL);
    job_changes(e, j, CHANGE_OF_STATE);
    return 0;
}

/* It was suspended when it was last seen, and runs: it was resumed meanwhile. */
static void end_suspension(struct engine *e, struct job *j)
{
    if (j->suspend_at && j->suspend_at < e->now)
        j->suspended_s += e->now - j->suspend_at;
    j->suspend_at = 0;
}

/* It runs where nobody knows: nothing is planned for it, and it is not lost. */
static void hold_lost(struct engine *e, struct job *j, const char *text)
{
    hold_set(j, HOLD_SYSTEM, REASON_RMFAILURE, text, e->now);
    decisions_add(e, ACTION_HOLD, j, e->now, job_extra(j)->hold_text);
}

void report_take_over(struct engine *e, struct job *j, const struct job_desc *d)
{
    int64_t suspend_at = d->memory ? d->memory->suspend_at : 0;
    bool ours = d->memory && suspend_at && !(j->flags & JOB_PARKED);
    struct err err;

    if (d->state == JOB_SUSPENDED) {
        if (take_over_suspended(e, j, d, suspend_at ? suspend_at : e->now, &err) < 0) {
            hold_lost(e, j, err.text);
            return;
        }
        if (!ours)
            j->flags |= JOB_PARKED;
        return;
    }
    end_suspension(e, j);
    if (take_over(e, j, known_start(d), d->places, d->nplaces, &err) < 0) {
        hold_lost(e, j, err.text);
        return;
    }
    if (d->memory)
        fsmemory_adopt(e->c, j, j->start_at, e->now);
}

/* ---- a job that ended while nobody looked ---- */

/* It ran in the past and takes nothing now, so it holds no nodes here. */
static void account_for(struct engine *e, struct job *j, const struct event *ev)
{
    int64_t end_at = ev->u.missed.end_at < e->now ? ev->u.missed.end_at : e->now;
    int64_t used_until = j->suspend_at ? j->suspend_at : end_at;
    int64_t run_s = used_until - j->start_at - j->suspended_s;
    bool in_time = j->wclimit_s <= 0 || run_s < j->wclimit_s;

    if (ev->u.missed.cpu_s > 0 && run_s > 0) { /* first: it may be charged by that */
        j->util_known = true;
        j->util_procs = ev->u.missed.cpu_s / (double)run_s;
    }
    job_occupied(e, j, used_until, true);
    job_ended(e, j, end_at, ev->u.missed.how == EV_COMPLETE || !in_time);
}

int report_missed(
    struct engine *e, const struct event *ev, struct event_result *ret, struct err *err)
{
    const struct job_desc *d = &ev->u.missed.job;
    struct job_desc waiting = *d;
    struct access_fault fault;
    struct job *j;

    waiting.state = JOB_IDLE;
    if (job_add(e->c, &waiting, e->now, &j, err) < 0)
        return -1;
    ret->job = j;
    if (d->memory)
        job_recall(e->c, j, d->memory);
    (void)access_resolve(e->c, j, &fault); /* its account and QOS */
    if (d->start_at > 0) {
        j->start_at = d->start_at;
        j->suspended_s = d->memory ? d->memory->suspended_s : 0;
        account_for(e, j, ev);
    }
    if (job_move(
            e->c, j, ev->u.missed.how == EV_COMPLETE ? EV_COMPLETE : EV_CANCEL, err)
        < 0)
        return -1; /* never: it is idle */
    j->failed = ev->u.missed.failed;
    decisions_ended(e, j);
    return 0;
}

/* ---- a job that is known ---- */

struct piece {
    uint32_t node, req, tasks;
};
struct pieces VEC(struct piece);

static int by_node(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;

    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return x->req < y->req ? -1 : x->req > y->req;
}

static struct pieces pieces_of(const struct allocs *alloc)
{
    struct pieces p = {0};

    for (size_t i = 0; i < alloc->n; i++) {
        const struct alloc *a = &alloc->v[i];
        for (uint32_t n = 0; n < a->count; n++)
            vec_push(&p, ((struct piece){a->first + n, a->req, a->tasks}));
    }
    if (p.n)
        qsort(p.v, p.n, sizeof *p.v, by_node);
    return p;
}

static bool same_places(const struct allocs *a, const struct allocs *b)
{
    struct pieces x = pieces_of(a), y = pieces_of(b);
    bool same = x.n == y.n;

    for (size_t i = 0; same && i < x.n; i++)
        same = x.v[i].node == y.v[i].node && x.v[i].req == y.v[i].req
               && x.v[i].tasks == y.v[i].tasks;
    vec_fini(&x);
    vec_fini(&y);
    return same;
}

static uint64_t tasks_of(const struct allocs *alloc)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < alloc->n; i++)
        sum += (uint64_t)alloc->v[i].count * alloc->v[i].tasks;
    return sum;
}

/* What a job has on its nodes: where, and in which requests. */
struct tenure {
    struct allocs alloc;
    struct job_shape shape; /* {0}: those that it has */
};

static void tenure_fini(struct tenure *t)
{
    vec_fini(&t->alloc);
    job_shape_fini(&t->shape);
}

static void swap_tenure(struct engine *e, struct job *j, struct tenure *io)
{
    struct allocs alloc = j->alloc;
    struct access_fault fault;

    j->alloc = io->alloc;
    io->alloc = alloc;
    if (io->shape.nreqs == 0)
        return;
    job_shape_swap(e->c, j, &io->shape);
    job_changes(e, j, CHANGE_OF_REQUEST);
    (void)access_resolve(e->c, j, &fault); /* it runs, whatever it may */
    job_changes(e, j, CHANGE_OF_RULES);
}

/* What it has as told, for tenure_fini() in any case; -1: it is what is known, or
 * cannot be. */
static int find_tenure(
    struct engine *e, const struct job *j, const struct event *ev, struct tenure *ret)
{
    const struct req_desc *reqs = ev->u.job_state.reqs;
    struct job_shape own = {j->reqs, j->nreqs};
    struct err err;

    if (reqs && !shape_is_known(e->c, j, reqs, ev->u.job_state.nreqs)
        && job_shape_make(e->c, j, reqs, ev->u.job_state.nreqs, &ret->shape, &err) < 0)
        return -1;
    if (placed_in(e->c, j, ret->shape.nreqs ? &ret->shape : &own,
            (struct told_places){ev->u.job_state.places, ev->u.job_state.nplaces},
            &ret->alloc, &err)
        < 0)
        return -1;
    if (!reqs && tasks_of(&ret->alloc) < j->reqs[0].tasks)
        job_shape_shrink(j, (uint32_t)tasks_of(&ret->alloc), &ret->shape);
    return ret->shape.nreqs == 0 && same_places(&ret->alloc, &j->alloc) ? -1 : 0;
}

/* It started where it was told to, but its tasks are spread over the nodes in another
 * way, or have more there than it asked for, as the resource manager likes; or it has
 * given some of them back since. What is free there is as that says. */
static void spread_anew(struct engine *e, struct job *j, const struct event *ev)
{
    int64_t start_at = j->start_at, suspended_s = j->suspended_s;
    int64_t wclimit_s = j->wclimit_s;
    struct tenure told = {0};
    struct err err;

    if (find_tenure(e, j, ev, &told) == 0) {
        stop_job(e, j, EV_REQUEUE);
        j->suspended_s = suspended_s;
        job_shorten(j, wclimit_s);
        swap_tenure(e, j, &told);
        if (make_active(e, j, start_at, e->now, &err) < 0) {
            swap_tenure(e, j, &told);
            if (make_active(e, j, start_at, e->now, &err) < 0)
                assert(!"what it has just left is free");
        }
    }
    tenure_fini(&told);
}

static int now_active(
    struct engine *e, struct job *j, const struct event *ev, struct err *err)
{
    if (ev->u.job_state.state == JOB_RUNNING)
        j->failed_starts = j->put_off = 0; /* this one went well */
    if (job_is_active(j)) {
        if (j->state == JOB_STARTING && ev->u.job_state.state == JOB_RUNNING
            && job_move(e->c, j, EV_STARTED, err) < 0)
            return -1;
        if (j->state == JOB_RUNNING && refusals_end(e, j))
            refusals_changed(e);
        if (ev->u.job_state.state == JOB_RUNNING && ev->u.job_state.nplaces
            && (j->nreqs == 1 || ev->u.job_state.reqs))
            spread_anew(e, j, ev);
        if (ev->u.job_state.state == JOB_RUNNING && ev->u.job_state.start_at <= e->now
            && engine_start_differs(j, ev->u.job_state.start_at))
            modify_start(e, j, ev->u.job_state.start_at);
        return 0;
    }
    if (j->state == JOB_SUSPENDED) {
        return make_active(e, j, e->now, e->now, err);
    }
    if (j->state != JOB_IDLE && job_move(e->c, j, EV_RM_RELEASE, err) < 0)
        return -1;
    return take_over(e, j, ev->u.job_state.start_at, ev->u.job_state.places,
        ev->u.job_state.nplaces, err);
}

static int now_suspended(struct engine *e, struct job *j, struct err *err)
{
    if (j->state == JOB_SUSPENDED)
        return 0;
    if (!job_is_active(j))
        return err_set(err, ERR_CONFLICT, "job '%s' is %s and cannot be suspended",
            j->id, job_state_name((enum job_state)j->state));
    if (j->state == JOB_STARTING && job_move(e->c, j, EV_STARTED, err) < 0)
        return -1;
    stop_job(e, j, EV_SUSPEND);
    j->flags |= JOB_PARKED; /* for good: it was not we who did it */
    return 0;
}

void report_requeued(struct engine *e, struct job *j)
{
    stop_job(e, j, EV_REQUEUE);
    j->flags &= ~(uint32_t)JOB_PARKED;
    judge_job(e, j); /* its QOS or the settings may have changed while it ran */
}

static int now_waiting(
    struct engine *e, struct job *j, const struct event *ev, struct err *err)
{
    bool held = ev->u.job_state.state == JOB_HOLD;

    if (job_has_begun((enum job_state)j->state)) {
        report_requeued(e, j);
        promises_break(e->promises, j, PROMISE_RETRY); /* that start went well */
    }
    if (held) {
        accrual_stop(&e->cfg->prio, j,
            ev->u.job_state.rm_hold ? ACCRUAL_HOLD : ACCRUAL_ACTIVE_LIMIT, e->now);
        return job_move(e->c, j, EV_RM_HOLD, err);
    }
    return j->state == JOB_IDLE ? 0 : job_move(e->c, j, EV_RM_RELEASE, err);
}

int report_left(
    struct engine *e, struct job *j, const struct event *ev, struct err *err)
{
    (void)err;
    charging_confirm(e, j, ev->u.left.displaced);
    return 0;
}

int report_state(
    struct engine *e, struct job *j, const struct event *ev, struct err *err)
{
    int result = -1;

    switch (ev->u.job_state.state) {
    case JOB_STARTING:
    case JOB_RUNNING:
        result = now_active(e, j, ev, err);
        break;
    case JOB_SUSPENDED:
        result = now_suspended(e, j, err);
        break;
    case JOB_IDLE:
    case JOB_HOLD:
        result = now_waiting(e, j, ev, err);
        break;
    case JOB_NOTQUEUED:
    case JOB_STAGING:
    case JOB_UNKNOWN:
    case JOB_COMPLETED:
    case JOB_REMOVED:
    case JOB_VACATED:
    case JOB_LOST:
    case JOB_STATES:
        return err_set(err, ERR_INVALID, "job '%s' cannot be reported as %s", j->id,
            job_state_name(ev->u.job_state.state));
    }
    if (result == 0)
        j->rm_hold = ev->u.job_state.rm_hold;
    return result;
}
