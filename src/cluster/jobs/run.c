/* SPDX-License-Identifier: Apache-2.0
 * Start and stop: an allocation dedicated to its job, and freed again. Runs of vacant
 * nodes are folded; no record but the first is looked at. */
#include "cluster/jobnodes.h"
#include "cluster/jobs/private.h"
#include "cluster/nodes/private.h"

#include <math.h>

/* ---- pieces ------------------------------------------------------------------ */

/* Free the first `count` nodes of a piece. */
static void piece_give(
    struct cluster *c, const struct job *j, const struct alloc *a, uint32_t count)
{
    uint32_t end = a->first + count, n;

    for (uint32_t i = a->first; i < end; i += n) {
        if (fold_begins(c, i)) {
            n = fold_give(c, j, a, i);
            continue;
        }
        node_use(c, node_at(c, i), j, a, -1);
        n = 1;
    }
}

/* Take nodes of a piece from `first` on: vacant ones in a row, as what the first of
 * them has room for, all have, or a single one. Returns how many, 0 = there is no room.
 */
static uint32_t nodes_take(struct cluster *c, const struct job *j,
    const struct alloc *a, uint32_t first, uint32_t end, struct err *err)
{
    if (node_is_folded(c, first) && fold_join(c, first, j, a))
        return 1;
    struct node *node = node_at(c, first);
    uint32_t n = fold_room(c, first, end);
    if (n == 0)
        node_unfold(c, node);
    if (node_check_room(c, node, j, a, err))
        return 0;
    if (n) {
        fold_take(c, j, a, first, n);
        return n;
    }
    node_use(c, node, j, a, +1);
    return 1;
}

/* Take all nodes of a piece, or none. */
static int piece_take(
    struct cluster *c, const struct job *j, const struct alloc *a, struct err *err)
{
    uint32_t end = a->first + a->count, n;

    for (uint32_t i = a->first; i < end; i += n) {
        n = nodes_take(c, j, a, i, end, err);
        if (n == 0) {
            piece_give(c, j, a, i - a->first);
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
    uint64_t tasks[UINT8_MAX];

    memset(tasks, 0, j->nreqs * sizeof *tasks);
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
    j->end_at = time_add(time_add(now, j->eff_wclimit_s), j->suspended_s);
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

int job_adopt_suspended(struct cluster *c, struct job *j, int64_t start_at,
    int64_t suspend_at, struct err *err)
{
    if (!job_state_waits(j->state))
        return err_set(err, ERR_CONFLICT, "job '%s' is %s, expected one that waits",
            j->id, job_state_name((enum job_state)j->state));
    if (alloc_check(c, j, err))
        return -1;
    note_start(j, start_at);
    j->suspend_at = suspend_at;
    job_set_state(c, j, JOB_SUSPENDED);
    return 0;
}

void job_shorten(struct job *j, int64_t wclimit_s)
{
    if (wclimit_s >= j->wclimit_s)
        return;
    job_extra(j)->full_wclimit_s = j->wclimit_s;
    j->wclimit_s = wclimit_s;
    j->prio_epoch = 0; /* which may depend on it */
}

void job_unshorten(struct job *j)
{
    if (!j->extra || !j->extra->full_wclimit_s)
        return;
    j->wclimit_s = j->extra->full_wclimit_s;
    j->extra->full_wclimit_s = 0;
    j->prio_epoch = 0;
}

/* Back in the queue: as if it had never started, but for the counts. */
static void note_requeue(struct job *j)
{
    job_unshorten(j);
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

double job_slowest_speed(const struct cluster *c, const struct job *j)
{
    double slowest = j->alloc.n ? HUGE_VAL : 1;

    for (size_t i = 0; i < j->alloc.n; i++) {
        uint32_t end = j->alloc.v[i].first + j->alloc.v[i].count;
        for (uint32_t n = j->alloc.v[i].first; n < end; n = node_kind_end(c, n))
            if (node_at(c, n)->speed < slowest)
                slowest = node_at(c, n)->speed;
    }
    return slowest;
}

static int compare_first(const void *a, const void *b)
{
    const struct alloc *x = a, *y = b;

    return (x->first > y->first) - (x->first < y->first);
}

uint32_t job_node_count(const struct job *j)
{
    struct allocs sorted = {0};
    uint32_t n = 0, counted = 0; /* nodes before that one are */

    if (j->nreqs == 1) {
        for (size_t i = 0; i < j->alloc.n; i++)
            n += j->alloc.v[i].count;
        return n;
    }
    for (size_t i = 0; i < j->alloc.n; i++)
        vec_push(&sorted, j->alloc.v[i]);
    if (sorted.n)
        qsort(sorted.v, sorted.n, sizeof *sorted.v, compare_first);
    for (size_t i = 0; i < sorted.n; i++) {
        uint32_t first = sorted.v[i].first, end = first + sorted.v[i].count;
        if (end <= counted)
            continue;
        n += end - (first > counted ? first : counted);
        counted = end;
    }
    vec_fini(&sorted);
    return n;
}

static int compare_nodes(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

uint32_t places_node_count(const struct job_place *places, size_t n)
{
    struct VEC(const char *) names = {0};
    uint32_t count = 0;

    for (size_t i = 0; i < n; i++)
        vec_push(&names, places[i].node);
    if (n)
        qsort(names.v, n, sizeof *names.v, compare_nodes);
    for (size_t i = 0; i < n; i++)
        count += i == 0 || strcmp(names.v[i], names.v[i - 1]) != 0;
    vec_fini(&names);
    return count;
}
