/* SPDX-License-Identifier: Apache-2.0
 * See queue.h: the way of waiting jobs through a cycle. */
#include "engine/queue/queue.h"

#include "engine/classes.h"
#include "engine/queue/queue_private.h"

struct queue *queue_create(struct engine *e)
{
    struct queue *q = xcalloc(1, sizeof *q);

    q->e = e;
    return q;
}

void queue_destroy(struct queue *q)
{
    if (!q)
        return;
    vec_fini(&q->waiting);
    vec_fini(&q->order);
    vec_fini(&q->hard);
    vec_fini(&q->soft);
    bitset_fini(&q->reserved);
    notes_fini(&q->notes);
    cache_fini(&q->cache);
    ranking_fini(&q->ranking);
    free(q);
}

/* ---- in order of priority ---- */

/* queue.waiting: the queued jobs by submit time. */
static void collect_waiting(struct queue *q)
{
    const struct cluster *c = q->e->c;

    cluster_tidy_queue(q->e->c);
    q->waiting.n = 0;
    vec_reserve(&q->waiting, c->queued.n);
    for (size_t i = 0; i < c->queued.n; i++)
        if (c->queued.v[i] != INDEX_NONE)
            q->waiting.v[q->waiting.n++] = c->queued.v[i];
}

static uint64_t key_in_order(
    const struct queue *q, uint32_t job, enum queue_order order)
{
    struct engine *e = q->e;

    if (order == ORDER_PRIORITY)
        return ranking_key_of_priority(e->c->priorities.v[job]);
    return ranking_key_of(queue_key(e, e->c->jobs.v[job], order));
}

/* Is the job admitted, by itself and not by its note? */
static bool look_at_job(struct queue *q, struct job *j)
{
    struct engine *e = q->e;

    q->notes.v.v[j->index].clean = false;
    if (e->uses.classes && classes_several(j))
        classes_settle(e, j);
    if (e->opt.order == ORDER_PRIORITY)
        prio_set(&q->pass, &j->index, 1);
    if (eligible_admit(e, j)) {
        notes_take(q, j);
        return true;
    }
    if (j->idle_slot != INDEX_NONE)
        cache_set_aside(q, j);
    return false;
}

/* Jobs to be looked at come from memory: ask for them some jobs ahead. */
#define AHEAD 16

static void fetch_job(const struct engine *e, uint32_t job)
{
    const struct job *j = e->c->jobs.v[job];

    __builtin_prefetch(&j->index);
    __builtin_prefetch(&j->queue_at);
}

static void rank_all(struct queue *q)
{
    struct engine *e = q->e;

    collect_waiting(q);
    e->uses.noqueue = false;
    notes_begin(q);

    const struct note *notes = q->notes.v.v;
    const uint32_t *jobs = q->waiting.v;
    size_t n = q->waiting.n;
    ranking_begin(&q->ranking, n);
    for (size_t i = 0; i < n; i++) {
        if (i + AHEAD < n && !notes[jobs[i + AHEAD]].clean)
            fetch_job(e, jobs[i + AHEAD]);
        if ((notes[jobs[i]].clean && notes_give_priority(q, jobs[i]))
            || look_at_job(q, e->c->jobs.v[jobs[i]]))
            ranking_add(&q->ranking, jobs[i], key_in_order(q, jobs[i], e->opt.order));
    }
    ranking_end(&q->ranking, &q->order);
}

/* How priorities are computed: as in the last cycle, unless something happened that
 * makes all be looked at, or that the stamp knows of. */
static void begin_pass(struct queue *q)
{
    struct cluster *c = q->e->c;
    uint64_t stamp = c->config_epoch + c->node_epoch + c->creds[CRED_CLASS].n
                     + c->creds[CRED_QOS].n; /* none of which ever falls */

    if (!q->cache.clean || q->pass_stamp != stamp)
        prio_begin(c, q->e->now, &q->pass);
    else
        prio_go_on(&q->pass, q->e->now);
    q->pass_stamp = stamp;
    q->priced = false;
}

void queue_rank(struct queue *q)
{
    begin_pass(q);
    if (cache_rank(q))
        return;
    q->front = 0;
    rank_all(q);
    cache_capture(q);
}

void queue_select(struct queue *q)
{
    q->skip = q->front;
    if (!q->cache.in_use)
        select_candidates(q, limits_soft_differs(q->e->limits));
}

struct queue_view queue_candidates(const struct queue *q, enum limit_level level)
{
    if (level == LEVEL_SOFT && limits_soft_differs(q->e->limits))
        return (struct queue_view){q->soft.v, q->soft.n, 0};
    return (struct queue_view){q->front ? q->hard.v + q->front : q->hard.v,
        q->hard.n - q->front, q->skip - q->front};
}

const uint32_t *queue_admitted(const struct queue *q, size_t *ret_n)
{
    *ret_n = q->order.n - q->front;
    return q->front ? q->order.v + q->front : q->order.v;
}

void queue_reorder(struct queue *q, const struct queue_view *view,
    enum queue_order order, struct candidates *ret)
{
    struct indexes sorted = {0};

    ranking_begin(&q->ranking, view->n);
    for (size_t i = 0; i < view->n; i++)
        ranking_add(
            &q->ranking, view->v[i].job, key_in_order(q, view->v[i].job, order));
    ranking_end(&q->ranking, &sorted);
    ret->n = 0;
    for (size_t i = 0; i < sorted.n; i++)
        vec_push(ret, candidate_of(q->e, sorted.v[i]));
    vec_fini(&sorted);
}
