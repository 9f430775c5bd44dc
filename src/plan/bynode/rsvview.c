/* SPDX-License-Identifier: Apache-2.0
 * How the reservations on a node look to one job: what they keep from it, what they
 * offer to it alone, and how much it is drawn there. Source: reference reservations 3
 * and 4. */
#include "plan/bynode/rsvview.h"

#include "base/hash.h"
#include "plan/bynode/occupants.h"
#include "plan/bynode/sweep.h"
#include "plan/plan_private.h"
#include "policy/acl.h"

/* A verdict of an access list on the job last looked at. */
struct verdict {
    uint64_t stamp;
    bool granted;
    uint8_t affinity;
};

struct rsvview {
    struct acl_asker asker; /* the job last looked at, in that version of the plan */
    uint32_t job;
    uint64_t version, stamp;
    struct VEC(struct verdict) verdicts; /* by reservation index */
    struct occupants occupants; /* of the node looked at: what of theirs is not yet
                                   charged to a reservation */
};

struct rsvview *rsvview_create(void)
{
    return xcalloc(1, sizeof(struct rsvview));
}

void rsvview_destroy(struct rsvview *v)
{
    if (!v)
        return;
    vec_fini(&v->verdicts);
    vec_fini(&v->occupants);
    free(v);
}

static void look_as(struct plan *p, const struct job *j)
{
    if (p->rsvview->version == p->version && p->rsvview->job == j->index)
        return;
    p->rsvview->version = p->version;
    p->rsvview->job = j->index;
    p->rsvview->stamp++;
    p->rsvview->asker = acl_asker_of(p->c, j);
}

static struct acl_verdict verdict(struct plan *p, const struct job *j,
    struct reservation *r, int64_t start, int64_t end)
{
    look_as(p, j);
    if (acl_depends_on_overlap(r))
        return acl_decide(p->c, r, &p->rsvview->asker, acl_overlap(r, start, end));
    while (p->rsvview->verdicts.n <= r->index)
        vec_push(&p->rsvview->verdicts, (struct verdict){0});
    struct verdict *v = &p->rsvview->verdicts.v[r->index];
    if (v->stamp != p->rsvview->stamp) {
        struct acl_verdict fresh =
            acl_decide(p->c, r, &p->rsvview->asker, acl_overlap(r, start, end));
        *v = (struct verdict){p->rsvview->stamp, fresh.granted, fresh.affinity};
    }
    return (struct acl_verdict){.granted = v->granted, .affinity = v->affinity};
}

static bool holds_at(const struct reservation *r, int64_t at)
{
    return reservation_is_live(r) && r->start_at <= at && at < r->end_at;
}

/* More is reserved than the node has: reservations lie on one another. A job inside
 * several of them counts in full in each that lets the asker in, but once in those that
 * do not: they overlap no more than they must, so that it cannot fill two of them and
 * leave to outsiders what is kept from them. */
static bool stacked(
    const struct plan *p, const struct node *n, const struct rsv_list *list, int64_t at)
{
    int64_t procs = 0;

    for (size_t i = 0; i < list->n; i++) {
        const struct reservation *r = p->c->reservations.v[list->v[i].rsv];
        if (holds_at(r, at))
            procs += reservation_amount(r, n, list->v[i].tasks).v[RES_PROCS];
    }
    return procs > n->cfg.v[RES_PROCS];
}

/* Take what jobs with access to `r` use of it off its amount. */
static void charge_occupants(
    struct plan *p, struct reservation *r, bool in_full, struct res *io_amount)
{
    for (size_t k = 0; k < p->rsvview->occupants.n; k++) {
        struct occupant *occ = &p->rsvview->occupants.v[k];
        const struct job *o = occ->job;
        int64_t overlap = acl_overlap(r, occupant_start(p, o), occupant_end(p, o));
        if (!acl_decide_job(p->c, r, o, overlap).granted)
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

void rsvview_reduce(const struct asker *a, const struct node *n,
    const struct span *span, int64_t at, struct res *io_have)
{
    struct plan *p = a->p;
    const struct job *j = a->j;
    const struct rsv_list *list = reservations_on(p->c, n->index);
    bool confined = job_is_confined(j);
    struct res inside = {{0}};

    if (list->n == 0 && !confined)
        return;
    occupants_at(a, n, at, &p->rsvview->occupants);
    bool on_one_another = stacked(p, n, list, at);
    for (size_t i = 0; i < list->n; i++) {
        struct reservation *r = p->c->reservations.v[list->v[i].rsv];
        if (!holds_at(r, at))
            continue;
        struct res amount = reservation_amount(r, n, list->v[i].tasks);
        bool granted = verdict(p, j, r, span->start, span->end).granted;
        charge_occupants(p, r, on_one_another && granted, &amount);
        if (!granted) {
            for (int d = 0; d < RES_DIMS; d++)
                io_have->v[d] -= amount.v[d];
        } else if (acl_confinement_allows(&p->rsvview->asker, r)) {
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

enum affinity rsvview_affinity(struct plan *p, const struct job *j,
    const struct node *n, int64_t start, int64_t end)
{
    static const enum affinity level[] = {[ACL_POSITIVE] = AFFINITY_POSITIVE,
        [ACL_NEUTRAL] = AFFINITY_NEUTRAL,
        [ACL_NEGATIVE] = AFFINITY_NEGATIVE};
    const struct rsv_list *list = reservations_on(p->c, n->index);
    enum acl_affinity worst = ACL_POSITIVE;
    bool any = false;

    for (size_t i = 0; i < list->n; i++) {
        struct reservation *r = p->c->reservations.v[list->v[i].rsv];
        if (!reservation_is_live(r) || acl_overlap(r, start, end) <= 0)
            continue;
        struct acl_verdict v = verdict(p, j, r, start, end);
        if (!v.granted)
            continue;
        worst = any ? acl_worse(worst, (enum acl_affinity)v.affinity)
                    : (enum acl_affinity)v.affinity;
        any = true;
    }
    return any ? level[worst] : AFFINITY_NONE;
}

/* The next instant after `after` at which a reservation on the node begins, or ends
 * (which matters to confined jobs only). */
int64_t rsvview_next(
    struct plan *p, const struct job *j, const struct node *n, int64_t after)
{
    const struct rsv_list *list = reservations_on(p->c, n->index);
    bool confined = list->n > 0 && job_is_confined(j);
    int64_t next = TIME_NEVER;

    for (size_t i = 0; i < list->n; i++) {
        const struct reservation *r = p->c->reservations.v[list->v[i].rsv];
        if (!reservation_is_live(r))
            continue;
        if (r->start_at > after && r->start_at < next)
            next = r->start_at;
        if (confined && r->end_at > after && r->end_at < next)
            next = r->end_at;
    }
    return next;
}

/* The next instant after `after` beyond which a job that begins now may get less: a
 * reservation begins, one that confines it ends, or a time limit is passed. */
int64_t rsvview_drop(
    struct plan *p, const struct job *j, const struct node *n, int64_t after)
{
    const struct rsv_list *list = reservations_on(p->c, n->index);
    int64_t next = rsvview_next(p, j, n, after);

    for (size_t i = 0; i < list->n; i++) {
        const struct reservation *r = p->c->reservations.v[list->v[i].rsv];
        if (!reservation_is_live(r) || !acl_depends_on_overlap(r))
            continue;
        int64_t begin = r->start_at > p->now ? r->start_at : p->now;
        for (int64_t s = acl_same_until(r, 0); s < DURATION_UNLIMITED;
             s = acl_same_until(r, s + 1)) {
            int64_t at = time_add(begin, s);
            if (at > after && at < next)
                next = at;
        }
    }
    return next;
}

/* Instants after `from` at which a reservation begins or ends, added to *io. */
void rsvview_times(const struct plan *p, int64_t from, struct instants *io)
{
    for (size_t i = 0; i < p->c->reservations.n; i++) {
        const struct reservation *r = p->c->reservations.v[i];
        if (!r || !reservation_is_live(r))
            continue;
        if (r->start_at > from)
            vec_push(io, r->start_at);
        if (r->end_at > from && r->end_at < TIME_NEVER)
            vec_push(io, r->end_at);
    }
}

void rsvview_watch(struct plan *p, struct sweep *w, uint32_t node)
{
    const struct rsv_list *list = reservations_on(p->c, node);

    for (size_t i = 0; i < list->n; i++) {
        const struct reservation *r = p->c->reservations.v[list->v[i].rsv];
        if (reservation_is_live(r))
            sweep_watch(w, node, r->start_at, r->end_at);
    }
}

bool rsvview_depends_on_overlap(const struct plan *p, uint32_t node)
{
    const struct rsv_list *list = reservations_on(p->c, node);

    for (size_t i = 0; i < list->n; i++) {
        const struct reservation *r = p->c->reservations.v[list->v[i].rsv];
        if (reservation_is_live(r) && acl_depends_on_overlap(r))
            return true;
    }
    return false;
}

/* Jobs with equal signatures and task definitions see the same: the user, where node
 * limits or access policies look at it, and which reservations let the job in. */
uint64_t rsvview_signature(struct plan *p, const struct job *j)
{
    if (p->c->reservations.n == 0)
        return pools_user_matters(p->pools) ? j->cred[CRED_USER] : 0;
    uint64_t sum = signatures_sum(closures_signatures(p->closures), j);
    return pools_user_matters(p->pools) ? hash_mix(sum, j->cred[CRED_USER]) : sum;
}
