/* SPDX-License-Identifier: Apache-2.0
 * What is used of reservations, and what lies idle in them. */
#include "policy/rsvuse.h"

#include "policy/acl.h"
#include "policy/fairshare.h"

/* ---- one node -------------------------------------------------------------------- */

/* Processors that a reservation on a node holds, and what jobs leave of them. */
struct part {
    struct reservation *r;
    int64_t held, idle;
};
struct parts VEC(struct part);

static void find_parts(
    const struct cluster *c, const struct node *n, int64_t now, struct parts *ret)
{
    const struct rsv_list *list = reservations_on(c, n->index);

    ret->n = 0;
    for (size_t i = 0; i < list->n; i++) {
        struct reservation *r = c->reservations.v[list->v[i].rsv];
        struct res amount = reservation_amount(r, n, list->v[i].tasks);
        struct part part = {r, amount.v[RES_PROCS], amount.v[RES_PROCS]};

        if (reservation_is_live(r) && r->start_at <= now && now < r->end_at)
            vec_push(ret, part);
    }
}

/* A job inside several reservations counts in one after the other, in order of their
 * creation, but in full in each of them where they lie on one another. */
static void use_parts(struct cluster *c, const struct node *n,
    const struct node_job *on, bool stacked, struct parts *io)
{
    int64_t left = node_job_share(c, n, on).v[RES_PROCS];
    const struct job *j = c->jobs.v[on->job];

    for (size_t i = 0; i < io->n && left > 0; i++) {
        struct part *part = &io->v[i];
        int64_t overlap = acl_overlap(part->r, j->start_at, j->end_at);
        int64_t take = left < part->idle ? left : part->idle;

        if (take <= 0 || !acl_decide_job(c, part->r, j, overlap).granted)
            continue;
        part->idle -= take;
        left -= stacked ? 0 : take;
    }
}

/* What all reservations on the node have, with or without one of the jobs there. */
static void look_at(struct cluster *c, const struct node *n, const struct job *but,
    int64_t now, struct parts *ret)
{
    struct node_job on;
    int64_t held = 0;

    find_parts(c, n, now, ret);
    for (size_t i = 0; i < ret->n; i++)
        held += ret->v[i].held;
    bool stacked = held > n->cfg.v[RES_PROCS];
    for (uint32_t i = 0; ret->n > 0 && node_job_at(c, n, i, &on); i++)
        if (c->jobs.v[on.job] != but)
            use_parts(c, n, &on, stacked, ret);
}

/* ---- one reservation ---- */

/* Time goes on for it until then. */
static int64_t until(const struct reservation *r, int64_t now)
{
    int64_t end = reservation_is_live(r) ? r->end_at : r->ended_at;

    return now < end ? now : end;
}

struct rsv_use rsvuse_of(const struct reservation *r, int64_t now)
{
    int64_t idle = r->held_procs - r->active_procs;
    int64_t passed = r->use_open ? until(r, now) - r->use_at : 0;
    double s = passed > 0 ? (double)passed : 0;

    return (struct rsv_use){r->idle_ps + (double)idle * s,
        r->active_ps + (double)r->active_procs * s, idle, r->active_procs};
}

static void settle(struct reservation *r, int64_t now)
{
    struct rsv_use use = rsvuse_of(r, now);

    r->idle_ps = use.idle_ps;
    r->active_ps = use.active_ps;
    r->use_at = until(r, now);
}

static void recharge(struct cluster *c, struct reservation *r, int64_t now)
{
    double idle = r->use_open ? (double)(r->held_procs - r->active_procs) : 0;

    fs_reservation(c, r, idle, until(r, now));
}

static void recount(struct cluster *c, struct reservation *r, int64_t now)
{
    struct parts parts = {0};

    r->held_procs = r->active_procs = 0;
    for (size_t i = 0; i < r->alloc.n; i++)
        for (uint32_t k = 0; k < r->alloc.v[i].count; k++) {
            look_at(c, node_at(c, r->alloc.v[i].first + k), NULL, now, &parts);
            for (size_t p = 0; p < parts.n; p++) {
                const struct part *part = &parts.v[p];

                r->held_procs += part->r == r ? part->held : 0;
                r->active_procs += part->r == r ? part->held - part->idle : 0;
            }
        }
    vec_fini(&parts);
}

static void sync_one(struct cluster *c, struct reservation *r, int64_t now)
{
    settle(r, now);
    r->use_open = r->state == RSV_ACTIVE;
    if (r->use_at < r->start_at)
        r->use_at = r->start_at;
    recount(c, r, now);
    recharge(c, r, now);
    r->use_changed = r->changed;
}

void rsvuse_sync(struct cluster *c, int64_t now)
{
    if (c->rsv_use_epoch == c->rsv_epoch)
        return;
    c->rsv_use_epoch = c->rsv_epoch;
    fs_roll(c, now);
    for (size_t i = 0; i < c->reservations.n; i++) {
        struct reservation *r = c->reservations.v[i];

        if (r && r->changed != r->use_changed)
            sync_one(c, r, now);
    }
}

/* ---- jobs ---- */

/* `more` is what there is with the job, `less` without it: the same parts. */
static void shift(struct cluster *c, const struct parts *more, const struct parts *less,
    int sign, int64_t now)
{
    for (size_t i = 0; i < more->n; i++) {
        struct reservation *r = more->v[i].r;
        int64_t used = less->v[i].idle - more->v[i].idle;

        if (used == 0 || !r->use_open || r->changed != r->use_changed)
            continue;
        settle(r, now);
        r->active_procs += sign * used;
        recharge(c, r, now);
    }
}

void rsvuse_job(struct cluster *c, const struct job *j, int sign, int64_t now)
{
    struct parts more = {0}, less = {0};

    if (c->reservations.n == 0)
        return;
    fs_roll(c, now);
    for (size_t i = 0; i < j->alloc.n; i++)
        for (uint32_t k = 0; k < j->alloc.v[i].count; k++) {
            const struct node *n = node_at(c, j->alloc.v[i].first + k);

            if (reservations_on(c, n->index)->n == 0)
                continue;
            look_at(c, n, NULL, now, &more);
            look_at(c, n, j, now, &less);
            shift(c, &more, &less, sign, now);
        }
    vec_fini(&more);
    vec_fini(&less);
}
