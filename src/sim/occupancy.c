/* SPDX-License-Identifier: Apache-2.0
 * What the processors did: rates from one cycle to the next, added up. */
#include "sim/occupancy.h"

#include "cluster/job.h"
#include "cluster/partition.h"
#include "policy/acl.h"

#include <math.h>
#include <string.h>

#define SLOTS_MAX 4000000 /* a hundred years */

void occupancy_fini(struct occupancy *o)
{
    for (size_t i = 0; i < o->rsvs.n; i++)
        free(o->rsvs.v[i].name);
    vec_fini(&o->rsvs);
    vec_fini(&o->slots);
    vec_fini(&o->seen);
}

struct occupancy occupancy_copy(const struct occupancy *o)
{
    struct occupancy copy = *o;

    memset(&copy.slots, 0, sizeof copy.slots);
    memset(&copy.rsvs, 0, sizeof copy.rsvs);
    memset(&copy.seen, 0, sizeof copy.seen);
    for (size_t i = 0; i < o->slots.n; i++)
        vec_push(&copy.slots, o->slots.v[i]);
    for (size_t i = 0; i < o->rsvs.n; i++) {
        vec_push(&copy.rsvs, o->rsvs.v[i]);
        copy.rsvs.v[i].name = xstrdup(o->rsvs.v[i].name);
    }
    return copy;
}

/* ---- adding up ---- */

static void add(struct occupancy_use *to, const struct occupancy_use *rate, double s)
{
    to->jobs += rate->jobs * s;
    to->reserved += rate->reserved * s;
    to->idle += rate->idle * s;
    to->down += rate->down * s;
}

/* The slot that `at` is in; NULL beyond the last there can be. */
static struct occupancy_use *slot_of(struct occupancy *o, int64_t at)
{
    int64_t number = at / OCCUPANCY_SLOT_S - o->first_slot;

    if (number >= SLOTS_MAX)
        return NULL;
    while ((int64_t)o->slots.n <= number)
        vec_push(&o->slots, (struct occupancy_use){0});
    return &o->slots.v[number];
}

void occupancy_end(struct occupancy *o, int64_t now)
{
    int64_t at = o->end_at;
    double s = (double)(now - at);

    for (size_t i = 0; i < o->rsvs.n; i++) {
        o->rsvs.v[i].held_ps += o->rsvs.v[i].held_now * s;
        o->rsvs.v[i].used_ps += o->rsvs.v[i].used_now * s;
    }
    while (at < now) {
        int64_t next = (at / OCCUPANCY_SLOT_S + 1) * OCCUPANCY_SLOT_S;
        struct occupancy_use *slot = slot_of(o, at);

        if (next > now)
            next = now;
        if (slot == NULL)
            break;
        add(slot, &o->now, (double)(next - at));
        at = next;
    }
    o->end_at = now;
}

struct occupancy_use occupancy_sum(const struct occupancy *o, int64_t from, int64_t to)
{
    struct occupancy_use sum = {0};
    int64_t first = from / OCCUPANCY_SLOT_S - o->first_slot;
    int64_t last = (to + OCCUPANCY_SLOT_S - 1) / OCCUPANCY_SLOT_S - o->first_slot;

    for (int64_t i = first < 0 ? 0 : first; i < last && i < (int64_t)o->slots.n; i++)
        add(&sum, &o->slots.v[i], 1);
    return sum;
}

/* ---- reservations ---- */

static struct occupancy_rsv *named(struct occupancy *o, const struct reservation *r)
{
    const char *name = r->base != NULL ? r->base : r->name;
    struct occupancy_rsv fresh = {.kind = r->kind};

    for (size_t i = 0; i < o->rsvs.n; i++)
        if (o->rsvs.v[i].kind == r->kind && strcmp(o->rsvs.v[i].name, name) == 0)
            return &o->rsvs.v[i];
    fresh.name = xstrdup(name);
    vec_push(&o->rsvs, fresh);
    return &o->rsvs.v[o->rsvs.n - 1];
}

/* What the reservation adds to; a window is counted when it is seen first. */
static struct occupancy_rsv *rsv_of(struct occupancy *o, const struct reservation *r)
{
    struct occupancy_rsv *found;

    while (o->seen.n <= r->index) {
        vec_reserve(&o->seen, 1);
        o->seen.v[o->seen.n].serial = 0;
        o->seen.v[o->seen.n++].rsv = 0;
    }
    if (o->seen.v[r->index].serial == r->serial)
        return &o->rsvs.v[o->seen.v[r->index].rsv];
    found = named(o, r);
    found->windows++;
    o->seen.v[r->index].serial = r->serial;
    o->seen.v[r->index].rsv = (uint32_t)(found - o->rsvs.v);
    return found;
}

/* ---- nodes ---- */

static bool may_use(struct cluster *c, struct reservation *r, const struct job *j)
{
    return acl_decide_job(c, r, j, acl_overlap(r, j->start_at, j->end_at)).granted;
}

/* What this node adds: `now` gets what is reserved there, each of the reservations in
 * force its own use. */
static void sample_node(struct occupancy *o, struct cluster *c, const struct node *n)
{
    const struct rsv_list *list = reservations_on(c, n->index);
    double procs = (double)n->cfg.v[RES_PROCS], held = 0, inside = 0, all = 0;
    struct node_job on;

    for (size_t i = 0; i < list->n; i++) {
        struct reservation *r = c->reservations.v[list->v[i].rsv];

        if (r->state == RSV_ACTIVE)
            held += (double)reservation_amount(r, n, list->v[i].tasks).v[RES_PROCS];
    }
    held = fmin(held, procs);
    for (uint32_t k = 0; node_job_at(c, n, k, &on); k++) {
        const struct job *j = c->jobs.v[on.job];
        double uses = (double)node_job_share(c, n, &on).v[RES_PROCS];
        bool any = false;

        for (size_t i = 0; i < list->n; i++) {
            struct reservation *r = c->reservations.v[list->v[i].rsv];

            if (r->state != RSV_ACTIVE || !may_use(c, r, j))
                continue;
            rsv_of(o, r)->used_now += fmin(
                uses, (double)reservation_amount(r, n, list->v[i].tasks).v[RES_PROCS]);
            any = true;
        }
        all += uses;
        inside += any ? uses : 0;
    }
    inside = fmin(inside, held);
    o->now.reserved += inside;
    o->now.jobs -= inside;
    o->now.idle += fmax(0, fmin(held - inside, procs - all));
}

/* Each node once: when its first reservation in force is met. */
static bool is_first(
    const struct cluster *c, const struct reservation *r, uint32_t node)
{
    const struct rsv_list *list = reservations_on(c, node);

    for (size_t i = 0; i < list->n; i++) {
        const struct reservation *other = c->reservations.v[list->v[i].rsv];

        if (other->state == RSV_ACTIVE)
            return other == r;
    }
    return false;
}

static void sample_reservation(
    struct occupancy *o, struct cluster *c, struct reservation *r)
{
    rsv_of(o, r); /* a window, even without nodes */
    for (size_t i = 0; i < r->alloc.n; i++) {
        const struct alloc *a = &r->alloc.v[i];

        for (uint32_t k = 0; k < a->count; k++) {
            const struct node *n = node_at(c, a->first + k);

            rsv_of(o, r)->held_now +=
                (double)reservation_amount(r, n, a->tasks).v[RES_PROCS];
            if (node_is_up(n) && is_first(c, r, n->index))
                sample_node(o, c, n);
        }
    }
}

/* ---- samples ---- */

static void begin(struct occupancy *o, const struct cluster *c, int64_t now)
{
    o->begin_at = o->end_at = now;
    o->first_slot = now / OCCUPANCY_SLOT_S;
    for (size_t i = 0; i < c->nodes.n; i++)
        o->procs += (double)node_at(c, i)->cfg.v[RES_PROCS];
}

void occupancy_sample(struct occupancy *o, struct cluster *c, int64_t now)
{
    if (o->procs <= 0)
        begin(o, c, now);
    else
        occupancy_end(o, now);
    o->now = (struct occupancy_use){0};
    for (size_t i = 0; i < o->rsvs.n; i++)
        o->rsvs.v[i].held_now = o->rsvs.v[i].used_now = 0;
    for (size_t i = 0; i < c->active.n; i++) {
        const struct job *j = c->jobs.v[c->active.v[i]];

        if (job_is_active(j))
            o->now.jobs += (double)j->procs;
    }
    for (size_t i = 0; i < c->partitions.n; i++)
        o->now.down += (double)(c->partitions.v[i]->cfg.v[RES_PROCS]
                                - c->partitions.v[i]->up.v[RES_PROCS]);
    for (size_t i = 0; i < c->reservations.n; i++) {
        struct reservation *r = c->reservations.v[i];

        if (r != NULL && r->state == RSV_ACTIVE)
            sample_reservation(o, c, r);
    }
}
