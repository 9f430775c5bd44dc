/* SPDX-License-Identifier: Apache-2.0
 * Reservations that are not of jobs, in the cycle: standing ones roll, incomplete ones
 * grow, all begin and end, triggers fire. Source: reference reservations 5, 6, 10. */
#include "config/settings.h"
#include "engine/calendar_private.h"
#include "engine/engine_private.h"
#include "engine/query.h"
#include "plan/rsvnodes.h"
#include "plan/standing.h"
#include "plan/trigger.h"
#include "policy/acl.h"
#include "policy/rsvuse.h"

#include <string.h>

struct rsv_calendar *calendar_create(struct zone zone)
{
    struct rsv_calendar *k = xcalloc(1, sizeof *k);

    k->zone = zone.day_of ? zone : zone_utc();
    k->settings_epoch = UINT64_MAX;
    return k;
}

void calendar_destroy(struct rsv_calendar *k)
{
    if (!k)
        return;
    vec_fini(&k->roll_at);
    free(k);
}

/* ---- nodes ---- */

/* Reservations of jobs that no other one displaces: those that QOS or job ask for, and
 * those that end by a deadline. */
static bool stays(const struct engine *e, const struct job *j)
{
    return !job_waits(j)
           || (job_cred(e->c, j, CRED_QOS)->cfg->qos_flags & QOS_RESERVEALWAYS)
           || (j->extra && j->extra->advres)
           || promises_has(e->promises, j, PROMISE_DEADLINE)
           || promises_has(e->promises, j, PROMISE_RETRY);
}

/* The reserved job of lowest priority below that of the reservation, or NULL. */
static struct job *displaceable(struct engine *e, const struct reservation *r)
{
    struct job *lowest = NULL;

    for (uint32_t i = 0; i < plan_reservations(e->plan); i++) {
        uint32_t index = plan_reserved_job(e->plan, i);
        struct job *j = index == INDEX_NONE ? NULL : e->c->jobs.v[index];
        if (j && job_priority(e->c, j) < r->priority && !stays(e, j)
            && (!lowest || job_priority(e->c, j) < job_priority(e->c, lowest)))
            lowest = j;
    }
    return lowest;
}

/* The reservation of lowest priority below that of `r` that lets itself be displaced
 * (PREEMPTEE) and holds something at the time of `r`, or NULL. */
static struct reservation *preemptee(
    const struct engine *e, const struct reservation *r)
{
    struct reservation *lowest = NULL;

    for (size_t i = 0; i < e->c->reservations.n; i++) {
        struct reservation *other = e->c->reservations.v[i];
        if (other && (other->flags & RSV_PREEMPTEE) && other->held_tasks > 0
            && rsvnodes_conflict(r, other) && other->priority < r->priority
            && acl_overlap(r, other->start_at, other->end_at) > 0
            && (!lowest || other->priority < lowest->priority))
            lowest = other;
    }
    return lowest;
}

/* It gives way with all its nodes and takes what is left then; one on a list of hosts
 * has no choice and is gone until it rolls. */
static void displace(
    struct engine *e, struct reservation *other, struct reservation *by)
{
    struct allocs none = {0};

    if (rsvnodes_is_fixed(other)) {
        reservation_move(e->c, other, RSV_EV_RELEASE, e->now, NULL);
        calendar_place(e, by);
        return;
    }
    reservation_set_nodes(e->c, other, &none);
    calendar_place(e, by);
    calendar_place(e, other);
}

/* Complete what is missing; a standing reservation with a PRIORITY may take the place
 * of priority reservations of lower jobs and of lower PREEMPTEE reservations, one at a
 * time. */
static void grow(struct engine *e, struct reservation *r)
{
    calendar_place(e, r);
    while (r->priority > 0 && rsvnodes_incomplete(e->c, r)) {
        struct job *j = displaceable(e, r);
        if (!j)
            break;
        promises_void(e->promises, j);
        calendar_place(e, r);
    }
    for (size_t i = 0; i < e->c->reservations.n && rsvnodes_incomplete(e->c, r); i++) {
        struct reservation *other = preemptee(e, r);
        if (!other)
            break;
        displace(e, other, r);
    }
}

/* ---- standing reservations ---- */

/* After a restart those that were made for promises are there. */
static void keep_reach(struct engine *e)
{
    struct rsv_calendar *k = e->calendar;

    for (size_t i = 0; i < e->c->reservations.n && settings_plan_together(e->cfg);
         i++) {
        const struct reservation *r = e->c->reservations.v[i];
        if (r && r->kind == RSV_STANDING && reservation_is_live(r)
            && r->period_at >= k->until)
            k->until = r->period_at + 1;
    }
}

/* Has a period ended, or are other settings in force? */
static bool time_to_roll(struct engine *e)
{
    bool roll = e->calendar->settings_epoch != e->c->config_epoch;

    if (!roll && !e->calendar->extend && e->calendar->roll_at.n == e->cfg->standing.n
        && e->now < e->calendar->roll_next) {
        wake_at(e, e->calendar->roll_next);
        return false;
    }
    e->calendar->roll_next = TIME_NEVER;
    if (e->calendar->settings_epoch == UINT64_MAX)
        keep_reach(e);
    if (roll) {
        review_settings(e);
        e->calendar->roll_at.n = 0;
    }
    e->calendar->settings_epoch = e->c->config_epoch;
    roll |= e->calendar->extend;
    e->calendar->extend = false;
    while (e->calendar->roll_at.n < e->cfg->standing.n)
        vec_push(&e->calendar->roll_at, INT64_MIN);
    for (uint32_t i = 0; i < e->cfg->standing.n; i++) {
        const struct sr_cfg *sr = &e->cfg->standing.v[i];
        if (sr->usable && e->now >= e->calendar->roll_at.v[i]) {
            e->calendar->roll_at.v[i] =
                standing_next_period(sr, &e->calendar->zone, e->now);
            roll = true;
        }
        if (sr->usable && e->calendar->roll_at.v[i] < e->calendar->roll_next)
            e->calendar->roll_next = e->calendar->roll_at.v[i];
    }
    wake_at(e, e->calendar->roll_next);
    return roll;
}

void query_standing(const struct engine *e, uint32_t standing, int64_t now,
    struct standing_instances *ret)
{
    standing_wanted(&e->cfg->standing.v[standing], &e->calendar->zone, now,
        e->calendar->until, ret);
}

#define REACH_S (100 * 86400LL) /* no more are made for promises */

bool calendar_reach(struct engine *e, int64_t until)
{
    struct rsv_calendar *k = e->calendar;
    int64_t most = time_add(e->now, REACH_S);
    bool reached = true;

    until = until < most ? until : most;
    for (size_t i = 0; i < e->cfg->standing.n && reached; i++)
        reached = standing_horizon(&e->cfg->standing.v[i], &k->zone, e->now, k->until)
                      >= until
                  && !k->extend;
    if (reached)
        return true;
    until = time_add(until, (until - e->now) / 2); /* the next ones come soon */
    k->until = k->until > until ? k->until : until;
    k->extend = true;
    wake_at(e, e->now + 1);
    return false;
}

static int by_priority(const void *a, const void *b)
{
    const struct reservation *x = *(struct reservation *const *)a;
    const struct reservation *y = *(struct reservation *const *)b;

    if (x->priority != y->priority)
        return x->priority > y->priority ? -1 : 1;
    return (x->serial > y->serial) - (x->serial < y->serial);
}

/* Those in need of nodes: the one of higher PRIORITY first, then the older one. */
struct in_need VEC(struct reservation *);
static void grow_in_turn(struct engine *e, struct in_need *all)
{
    if (all->n > 1)
        qsort(all->v, all->n, sizeof *all->v, by_priority);
    for (size_t i = 0; i < all->n; i++)
        if (reservation_is_live(all->v[i])) /* none of before has put it aside */
            grow(e, all->v[i]);
    vec_fini(all);
}

/* Make the instances of the present periods that do not exist yet. */
static void roll(struct engine *e)
{
    struct rsv_indexes fresh = {0};
    struct in_need need = {0};

    standing_refresh(
        e->c, &e->calendar->zone, e->now, e->calendar->until, &fresh, NULL);
    for (size_t i = 0; i < fresh.n; i++)
        vec_push(&need, e->c->reservations.v[fresh.v[i]]);
    grow_in_turn(e, &need);
    vec_fini(&fresh);
}

/* ---- triggers ---- */

static void fire(struct engine *e, struct reservation *r, uint32_t index)
{
    const struct trigger *t = &r->triggers.v[index];

    trigger_fired(r, index, e->now);
    decisions_add_trigger(e, r, index);
    if (t->action == TRIGGER_CANCEL && reservation_is_live(r))
        reservation_move(e->c, r, RSV_EV_RELEASE, e->now, NULL);
}

static void fire_due(struct engine *e)
{
    for (size_t i = 0; i < e->c->reservations.n; i++) {
        struct reservation *r = e->c->reservations.v[i];
        if (!r || r->triggers.n == 0)
            continue;
        uint32_t index;
        while (
            (index = trigger_next_due(r, e->now, trigger_load(e->c, r))) != INDEX_NONE)
            fire(e, r, index);
        wake_at(e, trigger_next_at(r, e->now));
    }
}

/* ---- the cycle ---- */

/* Looked at again only when some reservation has changed. */
static const struct rsv_kinds *kinds(struct engine *e)
{
    struct rsv_kinds *k = &e->calendar->kinds;

    if (k->epoch == e->c->rsv_epoch + 1)
        return k;
    *k = (struct rsv_kinds){.epoch = e->c->rsv_epoch + 1};
    for (size_t i = 0; i < e->c->reservations.n; i++) {
        const struct reservation *r = e->c->reservations.v[i];
        if (!r)
            continue;
        k->triggers |= r->triggers.n > 0;
        k->ended |= !reservation_is_live(r);
        if (reservation_is_live(r) && !rsvnodes_is_fixed(r)) {
            k->floating = true;
            k->flexible |= (r->flags & (RSV_TIMEFLEX | RSV_SPACEFLEX)) && r->tasks > 0;
        }
    }
    return k;
}

/* A fixed instance that was released comes back when its standing reservation rolls. */
static bool may_forget(const struct engine *e, const struct reservation *r)
{
    if (reservation_is_live(r) || trigger_outlives(r))
        return false;
    return r->kind != RSV_STANDING || standing_may_forget(r, e->now)
           || (r->standing < e->calendar->roll_at.n
               && e->now >= e->calendar->roll_at.v[r->standing]);
}

/* What was told in earlier cycles. True when a standing one has to be made anew. */
static bool forget_ended(struct engine *e)
{
    bool released = false;

    if (!kinds(e)->ended)
        return false;
    for (size_t i = 0; i < e->c->reservations.n; i++) {
        struct reservation *r = e->c->reservations.v[i];
        if (!r || !may_forget(e, r))
            continue;
        released |= r->kind == RSV_STANDING && r->state == RSV_RELEASED;
        rents_forget(e, r);
        reservation_remove(e->c, r);
    }
    return released;
}

static void grow_incomplete(struct engine *e)
{
    struct in_need need = {0};

    if (!kinds(e)->floating)
        return;
    for (size_t i = 0; i < e->c->reservations.n; i++) {
        struct reservation *r = e->c->reservations.v[i];
        if (r && reservation_is_live(r) && rsvnodes_incomplete(e->c, r))
            vec_push(&need, r);
    }
    grow_in_turn(e, &need);
}

void calendar_refresh(struct engine *e)
{
    if (e->c->reservations.n == 0 && e->cfg->standing.n == 0)
        return;
    rsvuse_sync(e->c, e->now);
    bool released = forget_ended(e);
    reservations_advance(e->c, e->now);
    if (time_to_roll(e) || released)
        roll(e);
    review_nodes(e);
    grow_incomplete(e);
    if (kinds(e)->flexible)
        review_flexible(e);
    if (kinds(e)->triggers)
        fire_due(e);
    rsvuse_sync(e->c, e->now);
    wake_at(e, reservations_next(e->c, e->now));
}

/* SINGLEUSE: the reservation goes with the job that named it. */
void calendar_job_ended(struct engine *e, const struct job *j)
{
    if (e->c->reservations.n == 0)
        return;
    struct acl_asker who = acl_asker_of(e->c, j);
    for (size_t i = 0; i < e->c->reservations.n; i++) {
        struct reservation *r = e->c->reservations.v[i];
        if (r && r->state == RSV_ACTIVE && (r->flags & RSV_SINGLEUSE)
            && acl_names(&who, r))
            reservation_move(e->c, r, RSV_EV_RELEASE, e->now, NULL);
    }
}
