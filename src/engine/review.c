/* SPDX-License-Identifier: Apache-2.0
 * Reservations that are not of jobs, when the world around them changes: other
 * settings, other nodes, and those that may move. Source: reference reservations 5.2,
 * 5.4, 6.1, 7. */
#include "engine/calendar_private.h"
#include "engine/engine_private.h"
#include "plan/rsvnodes.h"
#include "plan/standing.h"

/* ---- settings ---- */

/* Release it, and let the next roll make it anew if it is still wanted: as one of no
 * section it does not stand in the way of its successor. */
static void retire(struct engine *e, struct reservation *r)
{
    r->standing = INDEX_NONE;
    reservation_move(e->c, r, RSV_EV_RELEASE, e->now, NULL);
}

void review_settings(struct engine *e)
{
    standing_relink(e->c);
    for (size_t i = 0; i < e->c->reservations.n; i++) {
        struct reservation *r = e->c->reservations.v[i];
        if (r && r->kind == RSV_STANDING && reservation_is_live(r)
            && !standing_take_over(
                e->c, &e->calendar->zone, r, e->now, e->calendar->until))
            retire(e, r);
    }
}

/* ---- nodes ---- */

/* Hosts that appeared since may be meant as well. */
static void resolve_hosts(struct engine *e, struct reservation *r)
{
    struct node_list hosts = {0};

    reservation_match_hosts(e->c, r->host_expr, &hosts, NULL);
    r->hosts.n = 0;
    for (size_t i = 0; i < hosts.n; i++)
        vec_push(&r->hosts, hosts.v[i]);
    vec_fini(&hosts);
}

void review_nodes(struct engine *e)
{
    bool more = e->calendar->hosts_nodes != e->c->nodes.n;

    if (e->calendar->hosts_epoch == e->c->node_epoch && !more)
        return;
    e->calendar->hosts_epoch = e->c->node_epoch;
    e->calendar->hosts_nodes = e->c->nodes.n;
    for (size_t i = 0; i < e->c->reservations.n; i++) {
        struct reservation *r = e->c->reservations.v[i];
        if (!r || !reservation_is_live(r))
            continue;
        if (more && r->host_expr)
            resolve_hosts(e, r);
        r->all_hosts = rsvnodes_asks_for_all(e->c, r);
        if (rsvnodes_is_fixed(r))
            calendar_place(e, r);
    }
}

/* ---- those that may move ---- */

/* SPACEFLEX: to the nodes that the allocation policy would choose now, as long as no
 * task is lost. */
static void move_in_space(struct engine *e, struct reservation *r)
{
    struct allocs alloc = {0};

    if (calendar_choose(e, r, &alloc) >= r->held_tasks)
        reservation_set_nodes(e->c, r, &alloc);
    vec_fini(&alloc);
}

/* Instants tried for an earlier start. */
#define TRIES 64

/* TIMEFLEX: to the earliest start at which all its tasks can be had. False when there
 * was more to try. */
static bool move_in_time(struct engine *e, struct reservation *r)
{
    struct reservation moved = *r; /* borrows all it points to */
    int64_t at = e->now;

    moved.alloc = (struct allocs){0};
    for (int i = 0; i < TRIES && at < r->start_at; i++) {
        struct allocs alloc = {0};
        moved.start_at = at;
        moved.end_at = time_add(at, r->end_at - r->start_at);
        if (calendar_choose(e, &moved, &alloc) >= r->tasks) {
            r->start_at = moved.start_at;
            r->end_at = moved.end_at;
            reservation_set_nodes(e->c, r, &alloc);
            reservation_changed(e->c, r, e->now);
            vec_fini(&alloc);
            return true;
        }
        vec_fini(&alloc);
        at = plan_rsv_next(e->plan, at);
    }
    return at >= r->start_at;
}

static bool may_move_in_time(const struct reservation *r)
{
    return (r->flags & RSV_TIMEFLEX) && r->kind != RSV_STANDING
           && r->state == RSV_PLANNED;
}

/* What the last search saw. While only time passes, nothing comes free but what ends
 * when it was to end, which the search has tried; a job past its limit does not. */
static uint64_t flex_stamp(const struct engine *e)
{
    if (plan_first_end(e->plan) <= e->now)
        return 0;
    return 1 + e->world.applied + e->c->rsv_epoch + e->c->node_epoch
           + e->c->config_epoch + plan_changes(e->plan); /* none of which ever falls */
}

void review_flexible(struct engine *e)
{
    uint64_t stamp = flex_stamp(e), epoch = e->c->rsv_epoch;
    bool all = true;

    if (stamp && stamp == e->calendar->flex_stamp)
        return;
    for (size_t i = 0; i < e->c->reservations.n; i++) {
        struct reservation *r = e->c->reservations.v[i];
        if (!r || !reservation_is_live(r) || rsvnodes_is_fixed(r) || r->tasks == 0)
            continue;
        if (may_move_in_time(r))
            all &= move_in_time(e, r);
        if (r->flags & RSV_SPACEFLEX)
            move_in_space(e, r);
    }
    e->calendar->flex_stamp = all && epoch == e->c->rsv_epoch ? stamp : 0;
    reservations_advance(e->c, e->now);
}
