/* SPDX-License-Identifier: Apache-2.0
 * What reservations on a node keep from a job at one instant. Source: reference
 * reservations 3 and 4. */
#include "plan/bynode/kept.h"

#include "plan/bynode/bynode_private.h"

static bool holds_at(const struct reservation *r, int64_t at)
{
    return reservation_is_live(r) && r->start_at <= at && at < r->end_at;
}

/* More is reserved than the node has: reservations lie on one another. A job inside
 * several of them counts in full in each that lets the asker in, but once in those that
 * do not: they overlap no more than they must, so that it cannot fill two of them and
 * leave to outsiders what is kept from them. */
static bool is_stacked(const struct bynode *b, const struct node *n,
    const struct rsv_list *list, int64_t at)
{
    int64_t procs = 0;

    for (size_t i = 0; i < list->n; i++) {
        const struct reservation *r = b->c->reservations.v[list->v[i].rsv];
        if (holds_at(r, at))
            procs += reservation_amount(r, n, list->v[i].tasks).v[RES_PROCS];
    }
    return procs > n->cfg.v[RES_PROCS];
}

/* Take what jobs with access to `r` use of it off its amount. */
static void charge_occupants(
    struct bynode *b, struct reservation *r, bool in_full, struct res *io_amount)
{
    for (size_t k = 0; k < b->charged.n; k++) {
        struct occupant *occ = &b->charged.v[k];
        const struct job *o = occ->job;
        int64_t overlap = acl_overlap(r, occupant_start(b, o), occupant_end(b, o));
        if (!acl_decide_job(b->c, r, o, overlap).granted)
            continue;
        for (int i = 0; i < RES_DIMS; i++) {
            int64_t take =
                occ->amount.v[i] < io_amount->v[i] ? occ->amount.v[i] : io_amount->v[i];
            io_amount->v[i] -= take;
            if (!in_full)
                occ->amount.v[i] -= take;
        }
    }
}

void kept_take_off(const struct asker *a, const struct node *n, const struct span *span,
    int64_t at, struct res *io_have)
{
    struct bynode *b = a->b;
    const struct job *j = a->j;
    const struct rsv_list *list = reservations_on(b->c, n->index);
    bool confined = job_is_confined(j) && !rsvview_confinement_allows(b->view, j, NULL);
    struct res inside = {{0}};

    if (list->n == 0 && !confined)
        return;
    occupants_at(a, n, at, &b->charged);
    bool on_one_another = is_stacked(b, n, list, at);
    for (size_t i = 0; i < list->n; i++) {
        struct reservation *r = b->c->reservations.v[list->v[i].rsv];
        if (!holds_at(r, at))
            continue;
        struct res amount = reservation_amount(r, n, list->v[i].tasks);
        bool granted = rsvview_verdict(b->view, j, r, span->start, span->end).granted;
        charge_occupants(b, r, on_one_another && granted, &amount);
        if (!granted) {
            for (int d = 0; d < RES_DIMS; d++)
                io_have->v[d] -= amount.v[d];
        } else if (rsvview_confinement_allows(b->view, j, r)) {
            res_add(&inside, &amount, 1);
        }
    }
    for (int d = 0; d < RES_DIMS; d++) {
        bool bound = confined && (d == RES_PROCS || inside.v[d] > 0);
        if (bound && io_have->v[d] > inside.v[d])
            io_have->v[d] = inside.v[d];
        if (io_have->v[d] < 0)
            io_have->v[d] = 0;
    }
}
