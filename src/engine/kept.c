/* SPDX-License-Identifier: Apache-2.0
 * The order of the queue, kept from cycle to cycle.
 *
 * Where priorities of all queued jobs grow at one rate, nobody overtakes anybody by
 * waiting. Then nothing about a job that was admitted has to be looked at again until
 * something else happens to it: those that come are put into their place, those that
 * start are taken out, and priorities are computed when they are asked for.
 *
 * Priorities are whole numbers, so two jobs whose exact values differ by less than one
 * may change places although both grow alike. The order is kept only while each
 * neighbour either goes first by everything that counts (the part that does not grow,
 * queue time, submission), or is ahead by GAP at least; both hold for jobs further
 * apart if they do for neighbours, and go on to hold when one in between leaves.
 *
 * What may change the order, or admission, by anything else than a submission, the end
 * of a running job and a start makes the next cycle look at everybody (kept_touch). */
#include "engine/engine_private.h"

#include <string.h>

/* Points that rounding and the step from one whole number to the next cannot bridge. */
#define GAP 2.0

/* Points beyond which rounding might, and the ceiling is near. */
#define TOP_MAX 100000000

void kept_fini(struct engine *e)
{
    vec_fini(&e->kept.keys);
    vec_fini(&e->kept.fresh);
    vec_fini(&e->kept.gone);
    vec_fini(&e->kept.aside);
}

void kept_touch(struct engine *e)
{
    e->kept.valid = false;
}

void kept_submitted(struct engine *e, const struct job *j)
{
    if (e->opt.keep_order)
        vec_push(&e->kept.fresh, j->index);
}

void kept_started(struct engine *e, struct job *j)
{
    if (e->kept.in_use && e->opt.order == ORDER_PRIORITY)
        prio_set(&e->kept.pass, &j->index, 1);
    if (e->kept.valid)
        vec_push(&e->kept.gone, j->index);
}

void kept_set_aside(struct engine *e, const struct job *j)
{
    if (e->opt.keep_order)
        vec_push(&e->kept.aside, j->index);
}

/* ---- may the order be kept? ---- */

static bool order_keeps(struct engine *e)
{
    if (e->opt.order != ORDER_PRIORITY)
        return order_is_static(e->opt.order);
    return prio_grows_alike(&e->kept.pass, &e->kept.rate);
}

static bool able(struct engine *e)
{
    return !e->opt.report_reservations && !e->preempts && !e->any_deps && !e->any_cap
           && !e->c->any_deadline && !e->c->suspended
           && !limits_any(e->limits, CHECK_ACTIVE | CHECK_IDLE)
           && !limits_soft_differs(e->limits) && order_keeps(e);
}

/* ---- the order ---- */

static struct kept_key key_of(const struct engine *e, const struct job *j)
{
    struct kept_key key;

    if (e->opt.order != ORDER_PRIORITY) {
        key.fixed = key.points = -order_key(e->opt.order, j, e->now, e->origin);
        key.since = 0;
        return key;
    }
    key.fixed = j->prio_static;
    key.since = prio_queued_since(&e->kept.pass, j);
    key.points = key.fixed - e->kept.rate * (double)(key.since - e->kept.origin);
    return key;
}

/* Does the one before go first for ever, if it was submitted first? */
static bool leads(const struct kept_key *a, const struct kept_key *b)
{
    return a->fixed >= b->fixed && a->since <= b->since;
}

/* Is it ahead for ever, whoever was submitted first? `lower` has the second key, and
 * its priority is that of this cycle. */
static bool far_ahead(struct engine *e, const struct kept_key *a,
    const struct kept_key *b, const struct job *lower)
{
    if (e->opt.order != ORDER_PRIORITY)
        return a->points > b->points;
    e->kept.gaps = true;
    return a->points - b->points >= GAP && job_priority(e->c, lower) >= GAP;
}

/* Nothing about the job that the order could not be kept with. */
static bool plain(const struct job *j)
{
    return !(j->flags & (JOB_SYSPRIO_SET | JOB_SYSPRIO_REL | JOB_NOQUEUE))
           && !j->limited && !classes_several(j);
}

/* The order just found becomes the one that is kept, if it can be. */
void kept_capture(struct engine *e)
{
    struct kept *k = &e->kept;
    size_t n = e->order.n;

    k->fresh.n = k->gone.n = k->keys.n = 0;
    k->valid = k->gaps = false;
    if (!e->opt.keep_order || !k->able)
        return;
    k->origin = e->now;
    vec_reserve(&k->keys, n);
    for (size_t i = 0; i < n; i++) {
        const struct job *j = e->c->jobs.v[e->order.v[i]];
        k->keys.v[i] = key_of(e, j);
        if (!plain(j) || k->keys.v[i].since > e->now)
            return;
        if (i == 0)
            continue;
        const struct job *before = e->c->jobs.v[e->order.v[i - 1]];
        if (!(leads(&k->keys.v[i - 1], &k->keys.v[i])
                && before->idle_slot < j->idle_slot)
            && !far_ahead(e, &k->keys.v[i - 1], &k->keys.v[i], j))
            return;
    }
    k->keys.n = n;
    k->epoch = k->pass.epoch;
    k->layout = plan_layout(e->plan);
    k->valid = true;
}

/* ---- a cycle with the order that was kept ---- */

/* Whoever was not admitted is not now either, for all that can be told at a glance. */
static bool aside_stay(struct engine *e)
{
    for (size_t i = 0; i < e->kept.aside.n; i++) {
        const struct job *j = e->c->jobs.v[e->kept.aside.v[i]];
        if (j->holds & HOLD_DEFER) {
            if (j->defer_until <= e->now || deferred_for_nodes(e, j))
                return false;
            deferral_goes_on(e, j);
        } else if (!j->holds && j->release_at > e->now) {
            wake_at(e, j->release_at);
        } else if (!j->holds && (!j->impossible || e->cfg->defer_time_s > 0)) {
            return false;
        }
    }
    return true;
}

/* Does it stand at the end of the queue, as number `i` of `n` that came? */
static bool came_last(const struct engine *e, const struct job *j, size_t i, size_t n)
{
    const struct cluster *c = e->c;
    size_t place = c->queued.n - n + i;

    if (n > c->queued.n || j->idle_slot != place)
        return false;
    while (place-- > 0)
        if (c->queued.v[place] != INDEX_NONE)
            return job_compare(c->jobs.v[c->queued.v[place]], j) < 0;
    return true;
}

static bool admissible(const struct engine *e, const struct job *j)
{
    return !j->holds && j->state == JOB_IDLE && j->release_at <= e->now
           && job_cred(e->c, j, CRED_CLASS)->enabled && plain(j)
           && (e->opt.order != ORDER_PRIORITY
               || (job_priority(e->c, j) < TOP_MAX
                   && prio_queue_is_plain(&e->kept.pass, j)));
}

static void put_in(struct engine *e, size_t at, uint32_t job, struct kept_key key)
{
    struct kept *k = &e->kept;
    size_t n = k->keys.n;

    vec_push(&k->keys, key);
    vec_push(&e->order, job);
    vec_push(&e->hard, candidate_of(e, job));
    if (at == n)
        return;
    if (at < k->settled)
        k->settled = 0; /* what it takes, others below had reserved */
    memmove(k->keys.v + at + 1, k->keys.v + at, (n - at) * sizeof key);
    memmove(e->order.v + at + 1, e->order.v + at, (n - at) * sizeof job);
    memmove(e->hard.v + at + 1, e->hard.v + at, (n - at) * sizeof *e->hard.v);
    k->keys.v[at] = key;
    e->order.v[at] = job;
    e->hard.v[at] = candidate_of(e, job);
}

/* Drop those at the front that are gone already. */
static void close_up(struct engine *e)
{
    struct kept *k = &e->kept;
    size_t n = e->hard.n - e->front;

    memmove(k->keys.v, k->keys.v + e->front, n * sizeof *k->keys.v);
    memmove(e->order.v, e->order.v + e->front, n * sizeof *e->order.v);
    memmove(e->hard.v, e->hard.v + e->front, n * sizeof *e->hard.v);
    k->keys.n = e->order.n = e->hard.n = n;
    k->settled -= k->settled < e->front ? k->settled : e->front;
    e->front = 0;
}

/* Who starts is mostly the first: that moves nobody. */
static void take_out(struct engine *e, size_t at)
{
    if (at > e->front) {
        vec_remove(&e->kept.keys, at);
        vec_remove(&e->order, at);
        vec_remove(&e->hard, at);
    } else if (++e->front > 64 && 2 * e->front > e->hard.n) {
        close_up(e);
    }
}

static size_t place_of(const struct engine *e, uint32_t job)
{
    size_t i = e->front;

    while (i < e->hard.n && e->hard.v[i].job != job)
        i++;
    return i;
}

/* The job that came last of all takes its place. False when that could not be kept. */
static bool take_in(struct engine *e, const struct job *j)
{
    struct kept *k = &e->kept;
    struct kept_key key = key_of(e, j);
    size_t at = k->keys.n;

    while (at > e->front && k->keys.v[at - 1].points < key.points)
        at--;
    if (at > e->front && !leads(&k->keys.v[at - 1], &key)
        && !far_ahead(e, &k->keys.v[at - 1], &key, j))
        return false;
    if (at < k->keys.n) {
        if (e->opt.order == ORDER_PRIORITY)
            prio_set(&k->pass, &e->order.v[at], 1);
        if (!far_ahead(e, &key, &k->keys.v[at], e->c->jobs.v[e->order.v[at]]))
            return false;
    }
    put_in(e, at, j->index, key);
    return true;
}

/* Those that came since the last cycle: first all that changes nothing about them, so
 * that the usual way can still be taken, then their admission. */
static bool take_fresh(struct engine *e)
{
    struct indexes *fresh = &e->kept.fresh;

    if (fresh->n && e->opt.order == ORDER_PRIORITY)
        prio_set(&e->kept.pass, fresh->v, fresh->n);
    for (size_t i = 0; i < fresh->n; i++) {
        const struct job *j = e->c->jobs.v[fresh->v[i]];
        if (!admissible(e, j) || !came_last(e, j, i, fresh->n) || !take_in(e, j))
            return false;
    }
    for (size_t i = 0; i < fresh->n; i++) {
        struct job *j = e->c->jobs.v[fresh->v[i]];
        if (eligible_admit(e, j))
            continue;
        take_out(e, place_of(e, j->index));
        if (j->idle_slot != INDEX_NONE)
            kept_set_aside(e, j);
    }
    fresh->n = 0;
    return true;
}

static bool below_top(struct engine *e)
{
    if (!e->kept.gaps || e->order.n == e->front || e->opt.order != ORDER_PRIORITY)
        return true;
    prio_set(&e->kept.pass, &e->order.v[e->front], 1);
    return e->c->priorities.v[e->order.v[e->front]] < TOP_MAX;
}

/* How priorities are computed: the same as in the last cycle, unless something happened
 * that makes all be looked at, or that the stamp tells of. */
static void begin_pass(struct engine *e)
{
    struct kept *k = &e->kept;
    uint64_t stamp = e->c->config_epoch + e->c->node_epoch + e->c->creds[CRED_CLASS].n
                     + e->c->creds[CRED_QOS].n; /* none of which ever falls */

    if (!k->valid || k->pass_stamp != stamp)
        prio_begin(e->c, NULL, 0, e->now, &k->pass);
    k->pass.now = e->now;
    k->pass_stamp = stamp;
}

bool kept_rank(struct engine *e)
{
    struct kept *k = &e->kept;

    k->in_use = false;
    if (!e->opt.keep_order)
        return false;
    begin_pass(e);
    k->able = able(e);
    if (!k->valid || !k->able || k->epoch != k->pass.epoch
        || k->layout != plan_layout(e->plan) || !aside_stay(e) || !below_top(e)
        || !take_fresh(e)) {
        k->aside.n = 0;
        return false;
    }
    /* a deferral at admission is news to nobody who waits already */
    k->valid = k->in_use = true;
    return true;
}

/* Who is reserved for, and who is not, changes with time alone. */
static bool any_threshold(const struct engine *e)
{
    for (size_t i = 0; i < e->c->partitions.n; i++)
        if (e->c->partitions.v[i]->par->rsv_threshold != RSVTHRESHOLD_NONE)
            return true;
    return false;
}

void kept_settle(struct engine *e)
{
    const struct kept *k = &e->kept;

    e->settled = e->front;
    if (!k->in_use || !k->settled || e->keeps || e->cfg->bf_chunk_duration_s > 0
        || any_threshold(e) || !plan_confirm_all(e->plan))
        return;
    e->settled = k->settled;
    memcpy(e->par, k->par, (e->c->partitions.n + 1) * sizeof *e->par);
}

void kept_note_pass(struct engine *e)
{
    if (e->kept.valid)
        memcpy(e->kept.par, e->par, (e->c->partitions.n + 1) * sizeof *e->par);
}

void kept_end(struct engine *e)
{
    struct kept *k = &e->kept;

    for (size_t i = 0; k->valid && i < k->gone.n; i++) {
        size_t at = place_of(e, k->gone.v[i]);
        if (at < e->hard.n)
            take_out(e, at);
        else
            kept_touch(e);
    }
    k->gone.n = 0;
    k->settled = k->valid ? e->hard.n : 0;
}
