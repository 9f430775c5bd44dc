/* SPDX-License-Identifier: Apache-2.0
 * What is used of reservations, and what lies idle in them. */
#include "policy/rsvuse.h"

#include "cluster/job.h"
#include "policy/acl.h"
#include "policy/fairshare.h"

#include <assert.h>

/* ---- one node -------------------------------------------------------------------- */

/* Processors that an active reservation on a node holds, and what jobs leave of them.
 */
struct part {
    struct reservation *r;
    size_t place; /* in the node's list */
    int64_t held, idle;
};
struct parts VEC(struct part);

static void find_parts(const struct cluster *c, const struct node *n, struct parts *ret)
{
    const struct rsv_list *list = reservations_on(c, n->index);

    for (size_t i = 0; i < list->n; i++) {
        struct reservation *r = c->reservations.v[list->v[i].rsv];
        int64_t procs = reservation_amount(r, n, list->v[i].tasks).v[RES_PROCS];

        if (r->state == RSV_ACTIVE)
            vec_push(ret, ((struct part){r, i, procs, procs}));
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

struct node_jobs VEC(struct node_job);

/* Who came first has the first choice; the node's own list is in no order. */
static void find_jobs(const struct cluster *c, const struct node *n,
    const struct job *but, struct node_jobs *ret)
{
    struct node_job on;

    for (uint32_t i = 0; node_job_at(c, n, i, &on); i++) {
        const struct job *j = c->jobs.v[on.job];
        size_t k;

        if (j == but)
            continue;
        vec_push(ret, on);
        for (k = ret->n - 1; k > 0; k--) {
            const struct job *before = c->jobs.v[ret->v[k - 1].job];
            if (before->start_at < j->start_at
                || (before->start_at == j->start_at && before->index < j->index))
                break;
            ret->v[k] = ret->v[k - 1];
        }
        ret->v[k] = on;
    }
}

/* What all active reservations on the node have, without one of the jobs there. */
static void look_at(
    struct cluster *c, const struct node *n, const struct job *but, struct parts *ret)
{
    struct node_jobs jobs = {0};
    int64_t held = 0;

    ret->n = 0;
    find_parts(c, n, ret);
    for (size_t i = 0; i < ret->n; i++)
        held += ret->v[i].held;
    if (ret->n > 0)
        find_jobs(c, n, but, &jobs);
    for (size_t i = 0; i < jobs.n; i++)
        use_parts(c, n, &jobs.v[i], held > n->cfg.v[RES_PROCS], ret);
    vec_fini(&jobs);
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

/* Its processors and those in use on a node are so many from now on. */
static void count_part(
    struct cluster *c, uint32_t node, const struct part *part, int64_t now)
{
    struct rsv_on_node *on = &c->rsv_nodes.v[node].v[part->place];
    struct reservation *r = part->r;
    int64_t active = part->held - part->idle;

    if (r->changed != r->use_changed
        || (on->held == part->held && on->active == active))
        return;
    settle(r, now);
    r->held_procs += part->held - on->held;
    r->active_procs += active - on->active;
    on->held = (uint32_t)part->held;
    on->active = (uint32_t)active;
    recharge(c, r, now);
}

/* Count all reservations on a node, as if one of the jobs (or NULL) were not there. */
static void count_node(
    struct cluster *c, uint32_t node, const struct job *but, int64_t now)
{
    struct parts parts = {0};

    if (reservations_on(c, node)->n == 0)
        return;
    look_at(c, node_at(c, node), but, &parts);
    for (size_t i = 0; i < parts.n; i++)
        count_part(c, node, &parts.v[i], now);
    vec_fini(&parts);
}

static void count_nodes(struct cluster *c, const struct allocs *nodes, int64_t now)
{
    for (size_t i = 0; i < nodes->n; i++)
        for (uint32_t k = 0; k < nodes->v[i].count; k++)
            count_node(c, nodes->v[i].first + k, NULL, now);
}

/* ---- reservations that changed ---- */

static void clear_entry(struct cluster *c, const struct reservation *r, uint32_t node)
{
    struct rsv_list *list = &c->rsv_nodes.v[node];

    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].rsv == r->index)
            list->v[i].held = list->v[i].active = 0;
}

/* What was counted is over; it begins with nothing. */
static void begin_anew(struct cluster *c, struct reservation *r, int64_t now)
{
    settle(r, now);
    r->use_open = r->state == RSV_ACTIVE;
    if (r->use_at < r->start_at)
        r->use_at = r->start_at;
    r->held_procs = r->active_procs = 0;
    r->use_changed = r->changed;
    for (size_t i = 0; i < r->alloc.n; i++)
        for (uint32_t k = 0; k < r->alloc.v[i].count; k++)
            clear_entry(c, r, r->alloc.v[i].first + k);
    recharge(c, r, now);
}

/* Others on the nodes that it has, or had, get or lose the jobs that it counts. */
void rsvuse_sync(struct cluster *c, int64_t now)
{
    struct VEC(struct reservation *) changed = {0};

    if (c->rsv_use_epoch == c->rsv_epoch)
        return;
    c->rsv_use_epoch = c->rsv_epoch;
    fs_roll(c, now);
    for (size_t i = 0; i < c->reservations.n; i++) {
        struct reservation *r = c->reservations.v[i];

        if (!r || r->changed == r->use_changed)
            continue;
        begin_anew(c, r, now);
        vec_push(&changed, r);
    }
    for (size_t i = 0; i < changed.n; i++)
        count_nodes(c, &changed.v[i]->alloc, now);
    count_nodes(c, &c->rsv_left, now);
    c->rsv_left.n = 0;
    vec_fini(&changed);
}

void rsvuse_node(struct cluster *c, uint32_t node, int64_t now)
{
    fs_roll(c, now);
    count_node(c, node, NULL, now);
}

/* ---- jobs ---- */

void rsvuse_job(struct cluster *c, const struct job *j, int sign, int64_t now)
{
    if (c->reservations.n == 0)
        return;
    fs_roll(c, now);
    for (size_t i = 0; i < j->alloc.n; i++)
        for (uint32_t k = 0; k < j->alloc.v[i].count; k++)
            count_node(c, j->alloc.v[i].first + k, sign < 0 ? j : NULL, now);
}

/* ---- counted again ---- */

static void check_node(struct cluster *c, uint32_t node)
{
    const struct rsv_list *list = reservations_on(c, node);
    struct parts parts = {0};

    look_at(c, node_at(c, node), NULL, &parts);
    for (size_t i = 0; i < parts.n; i++) {
        const struct part *part = &parts.v[i];
        const struct rsv_on_node *on = &list->v[part->place];

        if (part->r->changed != part->r->use_changed)
            continue;
        assert(on->held == part->held && on->active == part->held - part->idle);
    }
    vec_fini(&parts);
}

static void check_sums(const struct cluster *c, const struct reservation *r)
{
    int64_t held = 0, active = 0;

    for (size_t i = 0; i < c->rsv_nodes.n; i++)
        for (size_t k = 0; k < c->rsv_nodes.v[i].n; k++) {
            const struct rsv_on_node *on = &c->rsv_nodes.v[i].v[k];
            held += on->rsv == r->index ? on->held : 0;
            active += on->rsv == r->index ? on->active : 0;
        }
    assert(held == r->held_procs && active == r->active_procs);
}

void rsvuse_check(struct cluster *c)
{
    for (uint32_t i = 0; i < c->rsv_nodes.n; i++)
        check_node(c, i);
    for (size_t i = 0; i < c->reservations.n; i++) {
        const struct reservation *r = c->reservations.v[i];
        if (r && r->changed == r->use_changed)
            check_sums(c, r);
    }
}
