/* SPDX-License-Identifier: Apache-2.0
 * How the reservations on a node look to one job: what they keep from it, what they
 * offer to it alone, and how much it is drawn there. Source: reference reservations 3
 * and 4. */
#include "base/hash.h"
#include "plan/plan_private.h"
#include "policy/acl.h"

#include <string.h>

/* Signatures that survive a change of the reservations. */
#define SIGNATURES_KEPT 10000

static void view_of(struct plan *p, const struct job *j)
{
    if (p->view_version == p->version && p->view_job == j->index)
        return;
    p->view_version = p->version;
    p->view_job = j->index;
    p->view_stamp++;
    *p->view = acl_asker_of(p->c, j);
}

static struct acl_verdict verdict(struct plan *p, const struct job *j,
    struct reservation *r, int64_t start, int64_t end)
{
    view_of(p, j);
    if (acl_depends_on_overlap(r))
        return acl_decide(p->c, r, p->view, acl_overlap(r, start, end));
    while (p->verdicts.n <= r->index)
        vec_push(&p->verdicts, (struct view_verdict){0});
    struct view_verdict *v = &p->verdicts.v[r->index];
    if (v->stamp != p->view_stamp) {
        struct acl_verdict fresh =
            acl_decide(p->c, r, p->view, acl_overlap(r, start, end));
        *v = (struct view_verdict){p->view_stamp, fresh.granted, fresh.affinity};
    }
    return (struct acl_verdict){.granted = v->granted, .affinity = v->affinity};
}

static struct res amount_of_pin(
    const struct plan *p, const struct node *n, const struct pin *pin)
{
    const struct taskdef *def = p->c->jobs.v[pin->job]->reqs[pin->req].def;
    struct res amount;

    for (int i = 0; i < RES_DIMS; i++) {
        int64_t each = def->per_task.v[i];
        amount.v[i] =
            each < 0 || taskdef_whole_node(def) ? n->cfg.v[i] : each * pin->tasks;
    }
    return amount;
}

/* Who has something of the node at that instant: p->occupants. */
static void find_occupants(
    struct plan *p, const struct job *j, const struct node *n, int64_t at)
{
    const struct pins *pins = pins_of(p, n->index);
    struct node_job on;

    p->occupants.n = 0;
    for (uint32_t i = 0; node_job_at(p->c, n, i, &on); i++) {
        const struct job *other = p->c->jobs.v[on.job];
        if (plan_job_end(p, other) > at && other != j && !plan_is_gone(p, other))
            vec_push(&p->occupants,
                ((struct occupant){other, node_job_share(p->c, n, &on)}));
    }
    for (size_t i = 0; pins && i < pins->v.n; i++) {
        const struct pin *pin = &pins->v.v[i];
        const struct job *other = p->c->jobs.v[pin->job];
        if (pin->start_at <= at && at < pin->end_at && other != j)
            vec_push(
                &p->occupants, ((struct occupant){other, amount_of_pin(p, n, pin)}));
    }
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
    for (size_t k = 0; k < p->occupants.n; k++) {
        struct occupant *occ = &p->occupants.v[k];
        const struct job *o = occ->job;
        int64_t start = job_is_active(o) ? o->start_at : o->rsv_start_at;
        int64_t overlap = acl_overlap(r, start, time_add(start, plan_stay(p, o)));
        if (!acl_decide_job(p->c, r, o, overlap).granted)
            continue;
        for (int i = 0; i < RES_DIMS; i++) {
            int64_t take =
                occ->left.v[i] < io_amount->v[i] ? occ->left.v[i] : io_amount->v[i];
            io_amount->v[i] -= take;
            if (!in_full)
                occ->left.v[i] -= take;
        }
    }
}

void rsvview_reduce(struct plan *p, const struct job *j, const struct node *n,
    const struct span *span, int64_t at, struct res *io_have)
{
    const struct rsv_list *list = reservations_on(p->c, n->index);
    bool confined = rsvview_confined(j);
    struct res inside = {{0}};

    if (list->n == 0 && !confined)
        return;
    find_occupants(p, j, n, at);
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
        } else if (acl_confinement_allows(p->view, r)) {
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
    bool confined = list->n > 0 && rsvview_confined(j);
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

/* Instants after `from` at which a reservation begins or ends, into p->times. */
void rsvview_times(struct plan *p, int64_t from)
{
    for (size_t i = 0; i < p->c->reservations.n; i++) {
        const struct reservation *r = p->c->reservations.v[i];
        if (!r || !reservation_is_live(r))
            continue;
        if (r->start_at > from)
            vec_push(&p->times, r->start_at);
        if (r->end_at > from && r->end_at < TIME_NEVER)
            vec_push(&p->times, r->end_at);
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

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0x9E3779B97F4A7C15);
    return h ^ h >> 29;
}

uint32_t rsvview_types(struct plan *p)
{
    if (p->acl_epoch == p->c->rsv_epoch + 1)
        return p->acl_types;
    p->acl_epoch = p->c->rsv_epoch + 1;
    p->acl_types = 0;
    if (p->signatures.n > SIGNATURES_KEPT) { /* of jobs long gone, most of them */
        memset(p->signatures.v, 0, p->signatures.cap * sizeof *p->signatures.v);
        p->signatures.n = 0;
        p->views_epoch++;
    }
    for (size_t i = 0; i < p->c->reservations.n; i++) {
        const struct reservation *r = p->c->reservations.v[i];
        for (size_t k = 0; r && reservation_is_live(r) && k < r->acl.entries.n; k++)
            p->acl_types |= 1u << r->acl.entries.v[k].type;
    }
    return p->acl_types;
}

/* How the asker is confined, and to what. By name: a job's index is somebody else's
 * when the job has gone, and these numbers live longer. */
static uint64_t confined_to(const struct acl_asker *who)
{
    uint64_t h = mix(2, who->confined);

    if (who->advres)
        h = mix(h, hash_bytes(who->advres, strlen(who->advres)));
    for (size_t i = 0; who->use && i < who->use->n; i++)
        h = mix(h, hash_bytes(who->use->v[i], strlen(who->use->v[i])));
    return h;
}

/* All that these lists may look at. */
static uint64_t who_asks(struct plan *p, const struct job *j)
{
    static const struct {
        enum acl_type type;
        enum cred_kind kind;
    } creds[] = {{ACL_USER, CRED_USER}, {ACL_GROUP, CRED_GROUP},
        {ACL_ACCOUNT, CRED_ACCOUNT}, {ACL_CLASS, CRED_CLASS}, {ACL_QOS, CRED_QOS}};
    uint32_t types = rsvview_types(p);
    uint64_t h = mix(1, job_cred(p->c, j, CRED_QOS)->index + 1);

    for (size_t i = 0; i < sizeof creds / sizeof creds[0]; i++)
        if (types >> creds[i].type & 1)
            h = mix(h, j->cred[creds[i].kind]);
    if (types >> ACL_JOBATTR & 1)
        h = mix(h, j->flags);
    if (types >> ACL_PROCS & 1 || types >> ACL_TASKS & 1)
        h = mix(h, (uint64_t)j->procs << 32 | j->tasks);
    if (rsvview_confined(j)) {
        struct acl_asker who = acl_asker_of(p->c, j);
        h = mix(h, confined_to(&who));
    }
    return h ? h : 1;
}

static uint64_t verdicts_of(struct plan *p, const struct job *j)
{
    struct acl_asker who = acl_asker_of(p->c, j);
    uint64_t h = confined_to(&who);

    for (size_t i = 0; i < p->c->reservations.n; i++) {
        struct reservation *r = p->c->reservations.v[i];
        if (!r || !reservation_is_live(r))
            continue;
        bool brief = acl_decide(p->c, r, &who, 0).granted;
        bool ever = acl_decide(p->c, r, &who, DURATION_UNLIMITED).granted;
        h = mix(h, (uint64_t)i << 2 | (uint64_t)brief << 1 | ever);
    }
    return h;
}

static struct signature *slot_of(struct signatures *s, uint64_t who)
{
    uint32_t i = (uint32_t)(who >> 32) & (s->cap - 1);

    while (s->v[i].who && s->v[i].who != who)
        i = (i + 1) & (s->cap - 1);
    return &s->v[i];
}

static void grow(struct signatures *s)
{
    struct signatures old = *s;

    s->cap = old.cap ? old.cap * 2 : 256;
    s->v = xcalloc(s->cap, sizeof *s->v);
    for (uint32_t i = 0; i < old.cap; i++)
        if (old.v[i].who)
            *slot_of(s, old.v[i].who) = old.v[i];
    free(old.v);
}

struct signature *rsvview_signature_of(struct plan *p, const struct job *j)
{
    struct signatures *all = &p->signatures;
    uint64_t who = who_asks(p, j);

    if (all->n * 2 >= all->cap)
        grow(all);
    struct signature *s = slot_of(all, who);
    if (s->who != who) {
        *s = (struct signature){.who = who};
        all->n++;
    }
    return s;
}

/* Jobs with equal signatures and task definitions see the same: the user, where node
 * limits or access policies look at it, and which reservations let the job in. */
uint64_t rsvview_signature(struct plan *p, const struct job *j)
{
    if (p->c->reservations.n == 0)
        return p->user_matters ? j->cred[CRED_USER] : 0;
    struct signature *s = rsvview_signature_of(p, j);
    if (s->sum_epoch != p->c->rsv_epoch + 1) {
        s->sum_epoch = p->c->rsv_epoch + 1;
        s->sum = verdicts_of(p, j);
    }
    return p->user_matters ? mix(s->sum, j->cred[CRED_USER]) : s->sum;
}
