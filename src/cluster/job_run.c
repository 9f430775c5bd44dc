/* SPDX-License-Identifier: Apache-2.0
 * Start and stop: an allocation dedicated to its job, and freed again. Runs of
 * simple nodes cost one word a node; no node record is touched. */
#include "cluster/private.h"

/* Nodes from `first` on, before `end`, that have the same form as `first`. */
static uint32_t same_form(const struct cluster *c, uint32_t first, uint32_t end)
{
    const uint8_t *simple = c->priv->simple.v;
    const uint8_t *other = memchr(simple + first, !simple[first], end - first);
    return other ? (uint32_t)(other - simple) - first : end - first;
}

/* ---- simple nodes ------------------------------------------------------------ */

/* Does one task of the request fit any simple node? */
static int simple_check(const struct cluster *c, const struct job *j,
    const struct alloc *a, const struct taskdef *d, struct err *err)
{
    if (a->tasks != 1 || d->per_task.v[RES_PROCS] > 1)
        return err_set(err, ERR_CONFLICT,
            "node '%s' has one processor, job '%s' was given %u tasks of %lld there",
            c->nodes.v[a->first]->name, j->id, a->tasks,
            (long long)d->per_task.v[RES_PROCS]);
    for (size_t i = 0; i < d->gres.n; i++)
        if (!gres_is_floating(c, d->gres.v[i].id))
            return err_set(err, ERR_CONFLICT,
                "node '%s' has no '%s', which job '%s' needs",
                c->nodes.v[a->first]->name, names_text(c->gres, d->gres.v[i].id),
                j->id);
    return 0;
}

/* Is it certain, without looking at them, that each simple node has what a task of
 * the request needs? */
static bool simple_suffices(const struct cluster *c, const struct taskdef *d)
{
    for (int i = 0; i < RES_DIMS; i++)
        if (d->per_task.v[i] > c->priv->simple_least.v[i])
            return false;
    return d->cls == INDEX_NONE || !c->priv->simple_classes;
}

static int simple_rooms(const struct cluster *c, const struct job *j,
    const struct alloc *a, uint32_t first, uint32_t count, struct err *err)
{
    const struct req *r = &j->reqs[a->req];

    if (!c->suspended && simple_suffices(c, req_def(r)))
        return 0;
    for (uint32_t i = first; i < first + count; i++)
        if (node_check_room(c, c->nodes.v[i], j, r, 1, err))
            return -1;
    return 0;
}

static int simple_take(struct cluster *c, const struct job *j, uint32_t first,
    uint32_t count, struct err *err)
{
    uint32_t *owner = c->owner + first;

    for (uint32_t i = 0; i < count; i++)
        if (owner[i] != INDEX_NONE)
            return err_set(err, ERR_CONFLICT,
                "node '%s' belongs to job '%s', job '%s' cannot have it",
                c->nodes.v[first + i]->name, c->jobs.v[owner[i]]->id, j->id);
    for (uint32_t i = 0; i < count; i++)
        owner[i] = j->index;
    return 0;
}

static void simple_give(
    struct cluster *c, const struct job *j, uint32_t first, uint32_t count)
{
    uint32_t *owner = c->owner + first;

    for (uint32_t i = 0; i < count; i++) {
        assert(owner[i] == j->index);
        owner[i] = INDEX_NONE;
    }
}

/* ---- pieces ------------------------------------------------------------------ */

/* Free the first `count` nodes of a piece. */
static void piece_give(
    struct cluster *c, const struct job *j, const struct alloc *a, uint32_t count)
{
    const struct req *r = &j->reqs[a->req];
    uint32_t end = a->first + count, n;

    for (uint32_t i = a->first; i < end; i += n) {
        n = same_form(c, i, end);
        if (c->priv->simple.v[i]) {
            simple_give(c, j, i, n);
            continue;
        }
        for (uint32_t k = i; k < i + n; k++) {
            node_use(c->nodes.v[k], j, r, a->tasks, -1);
            node_raise_load(c->nodes.v[k], r, a->tasks, -1);
        }
    }
}

/* Take nodes [first, first+count) of the full form: how many were taken, fewer than
 * asked with an error. */
static uint32_t full_take(struct cluster *c, const struct job *j, const struct alloc *a,
    uint32_t first, uint32_t count, struct err *err)
{
    const struct req *r = &j->reqs[a->req];
    uint32_t taken;

    for (taken = 0; taken < count; taken++) {
        struct node *n = c->nodes.v[first + taken];
        if (node_check_room(c, n, j, r, a->tasks, err))
            break;
        node_use(n, j, r, a->tasks, +1);
        node_raise_load(n, r, a->tasks, +1);
    }
    return taken;
}

/* Take all nodes of a piece, or none. */
static int piece_take(
    struct cluster *c, const struct job *j, const struct alloc *a, struct err *err)
{
    const struct taskdef *d = req_def(&j->reqs[a->req]);
    uint32_t end = a->first + a->count, n, taken = 0;

    for (uint32_t i = a->first; i < end; i += n) {
        int failed;
        n = same_form(c, i, end);
        if (c->priv->simple.v[i]) {
            failed = simple_check(c, j, a, d, err) || simple_rooms(c, j, a, i, n, err)
                     || simple_take(c, j, i, n, err);
            taken = 0;
        } else {
            taken = full_take(c, j, a, i, n, err);
            failed = taken < n;
        }
        if (failed) {
            piece_give(c, j, a, i - a->first + taken);
            return -1;
        }
    }
    return 0;
}

static void give_pieces(struct cluster *c, const struct job *j, size_t count)
{
    while (count-- > 0)
        piece_give(c, j, &j->alloc.v[count], j->alloc.v[count].count);
}

static int take_all(struct cluster *c, const struct job *j, struct err *err)
{
    for (size_t i = 0; i < j->alloc.n; i++) {
        if (piece_take(c, j, &j->alloc.v[i], err)) {
            give_pieces(c, j, i);
            return -1;
        }
    }
    if (gres_float_use(c, j, +1, err)) {
        give_pieces(c, j, j->alloc.n);
        return -1;
    }
    return 0;
}

/* ---- the allocation as a whole ------------------------------------------------ */

static int piece_check(const struct cluster *c, const struct job *j,
    const struct alloc *a, struct err *err)
{
    if (!a->count || a->first >= c->nodes.n || a->count > c->nodes.n - a->first)
        return err_set(err, ERR_INVALID,
            "job '%s' was given nodes %u to %llu, expected some of 0 to %zu", j->id,
            a->first, (unsigned long long)a->first + a->count - 1, c->nodes.n - 1);
    if (a->req >= j->nreqs || !a->tasks)
        return err_set(err, ERR_INVALID,
            "job '%s' was given %u tasks of request %u, it has %u requests", j->id,
            a->tasks, a->req, j->nreqs);
    if (c->global_node - a->first < a->count)
        return err_set(
            err, ERR_INVALID, "job '%s' was given tasks on node GLOBAL", j->id);
    return 0;
}

/* Every request must have exactly its tasks. */
static int alloc_check(const struct cluster *c, const struct job *j, struct err *err)
{
    uint64_t tasks[UINT8_MAX] = {0};

    for (size_t i = 0; i < j->alloc.n; i++) {
        const struct alloc *a = &j->alloc.v[i];
        if (piece_check(c, j, a, err))
            return -1;
        tasks[a->req] += (uint64_t)a->count * a->tasks;
    }
    for (uint32_t i = 0; i < j->nreqs; i++)
        if (tasks[i] != j->reqs[i].tasks)
            return err_set(err, ERR_INVALID,
                "job '%s' was given %llu tasks for request %u, expected %u", j->id,
                (unsigned long long)tasks[i], i, j->reqs[i].tasks);
    return 0;
}

static void hold_defs(struct job *j, bool hold)
{
    for (uint32_t i = 0; i < j->nreqs; i++)
        j->reqs[i].held = hold ? j->reqs[i].def : NULL;
}

static void note_start(struct job *j, int64_t now)
{
    if (!j->eff_wclimit_s)
        j->eff_wclimit_s = j->wclimit_s ? j->wclimit_s : DURATION_UNLIMITED;
    j->start_at = now;
    j->end_at = time_add(now, j->eff_wclimit_s);
    if (j->start_count < UINT16_MAX)
        j->start_count++;
}

static void note_resume(struct job *j, int64_t now)
{
    int64_t pause_s = now > j->suspend_at ? now - j->suspend_at : 0;

    j->suspended_s += pause_s;
    j->suspend_at = 0;
    j->end_at = time_add(j->end_at, pause_s);
}

int job_start(struct cluster *c, struct job *j, int64_t now, struct err *err)
{
    enum job_event e = j->state == JOB_SUSPENDED ? EV_RESUME : EV_START;
    enum job_state next;

    if (job_next_state(j, e, &next, err) || alloc_check(c, j, err))
        return -1;
    hold_defs(j, true);
    if (take_all(c, j, err)) {
        hold_defs(j, false);
        return -1;
    }
    if (e == EV_RESUME)
        note_resume(j, now);
    else
        note_start(j, now);
    job_set_state(c, j, next);
    return 0;
}

/* Back in the queue: as if it had never started, but for the counts. */
static void note_requeue(struct job *j)
{
    j->start_at = j->end_at = 0;
    j->eff_wclimit_s = 0;
    j->suspended_s = j->suspend_at = 0;
}

int job_stop(
    struct cluster *c, struct job *j, enum job_event e, int64_t now, struct err *err)
{
    enum job_state next;

    if (job_next_state(j, e, &next, err))
        return -1;
    if (!job_state_holds(j->state) && job_state_holds(next))
        return err_set(err, ERR_INVALID,
            "job '%s': this event takes nodes, expected job_start()", j->id);
    if (job_state_holds(j->state) && !job_state_holds(next)) {
        gres_float_use(c, j, -1, NULL);
        give_pieces(c, j, j->alloc.n);
        hold_defs(j, false);
    }
    if (next == JOB_SUSPENDED)
        j->suspend_at = now;
    else if (next == JOB_IDLE)
        note_requeue(j);
    else if (!job_state_waits(next) && !job_state_holds(next))
        j->end_at = now;
    job_set_state(c, j, next);
    return 0;
}
