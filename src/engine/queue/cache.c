/* SPDX-License-Identifier: Apache-2.0
 * The order of the queue, kept from cycle to cycle.
 *
 *     highest                                            lowest
 *     | started (front) | decided: refused before | not decided | <- arrivals
 *     keys:   by these the neighbours stay in order while all gain alike
 *
 * Where priorities of all queued jobs grow at one rate, nobody overtakes anybody by
 * waiting. Then nothing about a job that was admitted has to be looked at again until
 * something else happens to it. Those that come are put into their place, those that
 * start are taken out, and priorities are computed when they are asked for.
 *
 * Priorities are whole numbers, so two jobs whose exact values differ by less than one
 * may change places although both grow alike. The order is kept only while each
 * neighbour either goes first by everything that counts (the part that does not grow,
 * queue time, submission), or is ahead by GAP at least. Both hold for jobs further
 * apart if they do for neighbours, and go on to hold when one in between leaves.
 *
 * What may change the order, or admission, by anything else than a submission, the end
 * of a running job and a start makes the cache dirty (queue_touch_order): the next
 * cycle looks at everybody. */
#include "config/settings.h"
#include "engine/classes.h"
#include "engine/preempt.h"
#include "engine/queue/queue.h"
#include "engine/queue/queue_private.h"

#include <string.h>

/* Points that rounding and the step from one whole number to the next cannot bridge. */
#define GAP 2.0

/* Points beyond which rounding might, and the ceiling is near. */
#define TOP_MAX 100000000

void cache_fini(struct cache *k)
{
    vec_fini(&k->keys);
    vec_fini(&k->arrived);
    vec_fini(&k->started);
    vec_fini(&k->refused);
    vec_fini(&k->touched);
}

void cache_set_aside(struct queue *q, const struct job *j)
{
    struct kept_back back = {j->index, admission_stop_of(q->e, j)};

    vec_push(&q->cache.refused, back);
}

/* ---- may the order be kept? ---- */

static bool order_keeps(struct queue *q)
{
    if (q->e->opt.order != ORDER_PRIORITY)
        return order_is_static(q->e->opt.order);
    return prio_grows_alike(&q->pass, &q->cache.rate);
}

/* Does nothing in force depend on more than what comes, ends and starts? */
static bool may_keep_order(struct queue *q)
{
    const struct engine *e = q->e;

    return !preempt_any(e) && !e->c->any_deadline && !e->c->suspended
           && !(admission_depends(e) & (ON_JOBS | ON_USAGE)) && order_keeps(q);
}

/* ---- the order ---- */

static struct cache_key key_of(const struct queue *q, const struct job *j)
{
    struct engine *e = q->e;
    struct cache_key key;

    if (e->opt.order != ORDER_PRIORITY) {
        key.fixed = key.points = -queue_key(e, j, e->opt.order);
        key.since = 0;
        return key;
    }
    key.fixed = j->prio_static;
    key.since = prio_queued_since(&q->pass, j);
    key.points = (double)(j->tier * PRIORITY_TIER) + key.fixed
                 - q->cache.rate * (double)(key.since - q->cache.origin);
    return key;
}

/* Of a higher tier than that one, which no points make good. */
static bool is_above(
    const struct queue *q, const struct job *j, const struct job *lower)
{
    return q->e->opt.order == ORDER_PRIORITY && j->tier > lower->tier;
}

/* Its priority of this cycle, among those of its tier. */
static int64_t within_tier(const struct queue *q, const struct job *j)
{
    return job_priority(q->e->c, j) - j->tier * PRIORITY_TIER;
}

static void note_top(struct queue *q, const struct job *j, const struct cache_key *key)
{
    double points = key->points - (double)(j->tier * PRIORITY_TIER);

    q->cache.top = points > q->cache.top ? points : q->cache.top;
}

/* Does the one before go first for ever, if it was submitted first? */
static bool is_ahead(const struct cache_key *a, const struct cache_key *b)
{
    return a->fixed >= b->fixed && a->since <= b->since;
}

/* Is it ahead for ever, whoever was submitted first? `lower` has the second key, and
 * its priority is that of this cycle. */
static bool is_far_ahead(struct queue *q, const struct cache_key *a,
    const struct cache_key *b, const struct job *lower)
{
    if (q->e->opt.order != ORDER_PRIORITY)
        return a->points > b->points;
    q->cache.by_distance = true;
    return a->points - b->points >= GAP && (double)within_tier(q, lower) >= GAP;
}

/* Nothing about the job that the order could not be kept with. */
static bool is_plain(const struct job *j)
{
    return !(j->flags & (JOB_SYSPRIO_SET | JOB_SYSPRIO_REL | JOB_OWNPRIO | JOB_NOQUEUE))
           && !j->limited && !classes_several(j);
}

void cache_capture(struct queue *q)
{
    struct cache *k = &q->cache;
    const struct engine *e = q->e;
    size_t n = q->order.n;

    k->arrived.n = k->started.n = k->touched.n = k->keys.n = 0;
    k->clean = k->by_distance = false;
    k->top = 0;
    if (!k->able)
        return;
    k->origin = e->now;
    vec_reserve(&k->keys, n);
    for (size_t i = 0; i < n; i++) {
        const struct job *j = e->c->jobs.v[q->order.v[i]];
        k->keys.v[i] = key_of(q, j);
        if (!is_plain(j) || k->keys.v[i].since > e->now)
            return;
        note_top(q, j, &k->keys.v[i]);
        if (i == 0)
            continue;
        const struct job *before = e->c->jobs.v[q->order.v[i - 1]];
        if (!is_above(q, before, j)
            && !(is_ahead(&k->keys.v[i - 1], &k->keys.v[i])
                 && before->idle_slot < j->idle_slot)
            && !is_far_ahead(q, &k->keys.v[i - 1], &k->keys.v[i], j))
            return;
    }
    k->keys.n = n;
    k->epoch = q->pass.epoch;
    k->layout = plan_layout(e->plan);
    k->world = admission_world_of(e);
    k->clean = true;
}

/* ---- a cycle with the order that was kept ---- */

/* Whoever was not admitted is not now either: nothing that this depends on changed. */
static bool refused_stay(struct queue *q)
{
    struct engine *e = q->e;
    struct admission_world now = admission_world_of(e);
    unsigned changed = admission_changed(&q->cache.world, &now);

    for (size_t i = 0; i < q->cache.refused.n; i++) {
        const struct kept_back *back = &q->cache.refused.v[i];
        if (back->stop.on & changed)
            return false;
        if (!(back->stop.on & ON_CLOCK))
            continue;
        if (back->stop.until <= e->now)
            return false;
        eligible_follow(e, e->c->jobs.v[back->job], back->stop.check, back->stop.until);
    }
    return true;
}

/* Does it stand at the end of the queue, as number `i` of `n` that came? */
static bool came_last(const struct cluster *c, const struct job *j, size_t i, size_t n)
{
    size_t place = c->queued.n - n + i;

    if (n > c->queued.n || j->idle_slot != place)
        return false;
    while (place-- > 0)
        if (c->queued.v[place] != INDEX_NONE)
            return job_compare(c->jobs.v[c->queued.v[place]], j) < 0;
    return true;
}

static bool is_admissible(const struct queue *q, const struct job *j)
{
    const struct engine *e = q->e;
    struct reason why;

    return !admission_refusal(e, j, ADMIT_QUEUED, &why) && is_plain(j)
           && (e->opt.order != ORDER_PRIORITY
               || (within_tier(q, j) < TOP_MAX && prio_queue_is_plain(&q->pass, j)));
}

static void put_in(struct queue *q, size_t at, uint32_t job, struct cache_key key)
{
    struct cache *k = &q->cache;
    struct candidate candidate = candidate_of(q->e, job);
    size_t n = k->keys.n;

    vec_push(&k->keys, key);
    vec_push(&q->order, job);
    vec_push(&q->hard, candidate);
    if (at == n)
        return;
    if (at < k->decided)
        k->decided = 0; /* what it takes, others below had reserved */
    memmove(k->keys.v + at + 1, k->keys.v + at, (n - at) * sizeof key);
    memmove(q->order.v + at + 1, q->order.v + at, (n - at) * sizeof job);
    memmove(q->hard.v + at + 1, q->hard.v + at, (n - at) * sizeof candidate);
    k->keys.v[at] = key;
    q->order.v[at] = job;
    q->hard.v[at] = candidate;
}

/* Drop those at the front that started. */
static void drop_front(struct queue *q)
{
    struct cache *k = &q->cache;
    size_t n = q->hard.n - q->front;

    memmove(k->keys.v, k->keys.v + q->front, n * sizeof *k->keys.v);
    memmove(q->order.v, q->order.v + q->front, n * sizeof *q->order.v);
    memmove(q->hard.v, q->hard.v + q->front, n * sizeof *q->hard.v);
    k->keys.n = q->order.n = q->hard.n = n;
    k->decided -= k->decided < q->front ? k->decided : q->front;
    q->front = 0;
}

/* Who starts is mostly the first: that moves nobody. */
static void take_out(struct queue *q, size_t at)
{
    if (at > q->front) {
        vec_remove(&q->cache.keys, at);
        vec_remove(&q->order, at);
        vec_remove(&q->hard, at);
    } else if (++q->front > 64 && 2 * q->front > q->hard.n) {
        drop_front(q);
    }
}

static size_t place_of(const struct queue *q, uint32_t job)
{
    size_t i = q->front;

    while (i < q->hard.n && q->hard.v[i].job != job)
        i++;
    return i;
}

/* The job that came last of all takes its place. False when that could not be kept. */
static bool take_in(struct queue *q, const struct job *j)
{
    struct cache *k = &q->cache;
    struct cache_key key = key_of(q, j);
    size_t at = k->keys.n;

    while (at > q->front && k->keys.v[at - 1].points < key.points)
        at--;
    if (at > q->front && !is_above(q, q->e->c->jobs.v[q->order.v[at - 1]], j)
        && !is_ahead(&k->keys.v[at - 1], &key)
        && !is_far_ahead(q, &k->keys.v[at - 1], &key, j))
        return false;
    if (at < k->keys.n) {
        if (q->e->opt.order == ORDER_PRIORITY)
            prio_set(&q->pass, &q->order.v[at], 1);
        const struct job *behind = q->e->c->jobs.v[q->order.v[at]];
        if (!is_above(q, j, behind) && !is_far_ahead(q, &key, &k->keys.v[at], behind))
            return false;
    }
    note_top(q, j, &key);
    put_in(q, at, j->index, key);
    return true;
}

/* Those that came since the last cycle: first all that changes nothing about them, so
 * that everybody can still be looked at, then their admission. */
static bool take_arrivals(struct queue *q)
{
    struct indexes *came = &q->cache.arrived;
    struct job *const *jobs = q->e->c->jobs.v;

    if (came->n && q->e->opt.order == ORDER_PRIORITY)
        prio_set(&q->pass, came->v, came->n);
    for (size_t i = 0; i < came->n; i++) {
        const struct job *j = jobs[came->v[i]];
        if (!is_admissible(q, j) || !came_last(q->e->c, j, i, came->n)
            || !take_in(q, j))
            return false;
    }
    for (size_t i = 0; i < came->n; i++) {
        struct job *j = jobs[came->v[i]];
        if (eligible_enqueue(q->e, j))
            continue;
        take_out(q, place_of(q, j->index));
        if (j->idle_slot != INDEX_NONE)
            cache_set_aside(q, j);
    }
    came->n = 0;
    return true;
}

/* Is the highest priority of any tier far from the ceiling, where all would be equal?
 */
static bool is_below_ceiling(const struct queue *q)
{
    const struct cache *k = &q->cache;

    return !k->by_distance || q->e->opt.order != ORDER_PRIORITY
           || k->top + k->rate * (double)(q->e->now - k->origin) < TOP_MAX;
}

bool cache_rank(struct queue *q)
{
    struct cache *k = &q->cache;

    k->in_use = false;
    k->able = may_keep_order(q);
    if (!k->clean || !k->able || k->epoch != q->pass.epoch
        || k->layout != plan_layout(q->e->plan) || !refused_stay(q)
        || !is_below_ceiling(q) || !take_arrivals(q)) {
        k->refused.n = 0;
        return false;
    }
    /* a deferral at admission is news to nobody who waits already */
    k->clean = k->in_use = true;
    return true;
}

/* ---- who was refused in the last cycle ---- */

/* Was it written down by the last pass, about a job that had been admitted? */
static bool is_reason_of_pass(const struct job *j)
{
    static const bool of_pass[WAIT_CODES] = {[WAIT_NODESET] = true,
        [WAIT_BACKFILL_DEPTH] = true,
        [WAIT_BACKFILL_WINDOW] = true,
        [WAIT_NOBF] = true,
        [WAIT_FEASIBLE] = true};

    return job_waits(j) && !j->impossible && of_pass[j->why.code];
}

/* What a pass finds is true of that pass. */
static void forget_reasons(struct queue *q)
{
    struct indexes *touched = &q->cache.touched;

    for (size_t i = 0; i < touched->n; i++) {
        struct job *j = q->e->c->jobs.v[touched->v[i]];
        if (j && is_reason_of_pass(j))
            refuse(j, WAIT_RESOURCES, 0);
    }
    touched->n = 0;
}

/* Who is reserved for, and who is not, changes with time alone. */
static bool any_threshold(const struct engine *e)
{
    for (size_t i = 0; i < e->c->partitions.n; i++)
        if (e->c->partitions.v[i]->par->rsv_threshold != RSVTHRESHOLD_NONE)
            return true;
    return false;
}

void queue_skip_refused(struct queue *q, struct par_state *io_par)
{
    const struct cache *k = &q->cache;
    struct engine *e = q->e;

    if (!k->in_use)
        return;
    if (!k->decided || e->uses.keeps || e->cfg->bf_chunk_duration_s > 0
        || any_threshold(e) || !plan_confirm_all(e->plan)) {
        forget_reasons(q);
        return;
    }
    q->skip = k->decided > q->front ? k->decided : q->front;
    memcpy(io_par, k->par, (e->c->partitions.n + 1) * sizeof *io_par);
}

void queue_forget_pass(struct queue *q)
{
    forget_reasons(q);
}

void queue_note_pass(struct queue *q, const struct par_state *par)
{
    if (q->cache.clean)
        memcpy(q->cache.par, par, (q->e->c->partitions.n + 1) * sizeof *par);
}

void queue_end_cycle(struct queue *q)
{
    struct cache *k = &q->cache;

    for (size_t i = 0; k->clean && i < k->started.n; i++) {
        size_t at = place_of(q, k->started.v[i]);
        if (at < q->hard.n)
            take_out(q, at);
        else
            queue_touch_order(q);
    }
    k->started.n = 0;
    k->decided = k->clean ? q->hard.n : 0;
}

/* ---- priorities that nobody needed ---- */

void queue_set_priorities(struct queue *q)
{
    const struct cluster *c = q->e->c;

    if (!q->cache.in_use || q->priced || q->e->opt.order != ORDER_PRIORITY)
        return;
    /* who asks may be walking that list: it stays as it is */
    for (size_t i = 0; i < c->queued.n; i++)
        if (c->queued.v[i] != INDEX_NONE)
            prio_set(&q->pass, &c->queued.v[i], 1);
    q->priced = true;
}
