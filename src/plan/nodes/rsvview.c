/* SPDX-License-Identifier: Apache-2.0
 * How the reservations on a node look to one job: what they keep from it, what they
 * offer to it alone, and how much it is drawn there. Source: reference reservations 3
 * and 4. */
#include "plan/nodes/rsvview.h"

#include "base/xalloc.h"
#include "cluster/reservation.h"
#include "plan/closures/signatures.h"

/* A verdict of an access list on the job last looked at. */
struct verdict {
    uint64_t stamp;
    bool granted;
    uint8_t affinity;
};

struct rsvview {
    struct cluster *c;
    const int64_t *now;
    const uint64_t *version;
    struct acl_asker asker; /* the job last looked at, in that version of the plan */
    uint32_t job;
    uint64_t looked, stamp;
    struct VEC(struct verdict) verdicts; /* by reservation index */
};

struct rsvview *rsvview_create(
    struct cluster *c, const int64_t *now, const uint64_t *version)
{
    struct rsvview *v = xcalloc(1, sizeof *v);

    v->c = c;
    v->now = now;
    v->version = version;
    return v;
}

void rsvview_destroy(struct rsvview *v)
{
    if (!v)
        return;
    vec_fini(&v->verdicts);
    free(v);
}

static void look_as(struct rsvview *v, const struct job *j)
{
    if (v->looked == *v->version && v->job == j->index)
        return;
    v->looked = *v->version;
    v->job = j->index;
    v->stamp++;
    v->asker = acl_asker_of(v->c, j);
}

struct acl_verdict rsvview_verdict(struct rsvview *v, const struct job *j,
    struct reservation *r, int64_t start, int64_t end)
{
    look_as(v, j);
    if (acl_depends_on_overlap(r))
        return acl_decide(v->c, r, &v->asker, acl_overlap(r, start, end));
    while (v->verdicts.n <= r->index)
        vec_push(&v->verdicts, (struct verdict){0});
    struct verdict *known = &v->verdicts.v[r->index];
    if (known->stamp != v->stamp) {
        struct acl_verdict fresh =
            acl_decide(v->c, r, &v->asker, acl_overlap(r, start, end));
        *known = (struct verdict){v->stamp, fresh.granted, fresh.affinity};
    }
    return (struct acl_verdict){.granted = known->granted, .affinity = known->affinity};
}

bool rsvview_confinement_allows(
    struct rsvview *v, const struct job *j, const struct reservation *r)
{
    look_as(v, j);
    return acl_confinement_allows(&v->asker, r);
}

enum affinity rsvview_affinity(struct rsvview *v, const struct job *j,
    const struct node *n, int64_t start, int64_t end)
{
    static const enum affinity level[] = {[ACL_POSITIVE] = AFFINITY_POSITIVE,
        [ACL_NEUTRAL] = AFFINITY_NEUTRAL,
        [ACL_NEGATIVE] = AFFINITY_NEGATIVE};
    const struct rsv_list *list = reservations_on(v->c, n->index);
    enum acl_affinity worst = ACL_POSITIVE;
    bool any = false;

    for (size_t i = 0; i < list->n; i++) {
        struct reservation *r = v->c->reservations.v[list->v[i].rsv];
        if (!reservation_is_live(r) || acl_overlap(r, start, end) <= 0)
            continue;
        struct acl_verdict x = rsvview_verdict(v, j, r, start, end);
        if (!x.granted)
            continue;
        worst = any ? acl_worse(worst, (enum acl_affinity)x.affinity)
                    : (enum acl_affinity)x.affinity;
        any = true;
    }
    return any ? level[worst] : AFFINITY_NONE;
}

/* The next instant after `after` at which a reservation on the node begins, or ends
 * (which matters to confined jobs only). */
int64_t rsvview_next(
    const struct rsvview *v, const struct job *j, const struct node *n, int64_t after)
{
    const struct rsv_list *list = reservations_on(v->c, n->index);
    bool confined = list->n > 0 && job_is_confined(j);
    int64_t next = TIME_NEVER;

    for (size_t i = 0; i < list->n; i++) {
        const struct reservation *r = v->c->reservations.v[list->v[i].rsv];
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
    const struct rsvview *v, const struct job *j, const struct node *n, int64_t after)
{
    const struct rsv_list *list = reservations_on(v->c, n->index);
    int64_t next = rsvview_next(v, j, n, after);

    for (size_t i = 0; i < list->n; i++) {
        const struct reservation *r = v->c->reservations.v[list->v[i].rsv];
        if (!reservation_is_live(r) || !acl_depends_on_overlap(r))
            continue;
        int64_t begin = r->start_at > *v->now ? r->start_at : *v->now;
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
void rsvview_times(const struct rsvview *v, int64_t from, struct instants *io)
{
    for (size_t i = 0; i < v->c->reservations.n; i++) {
        const struct reservation *r = v->c->reservations.v[i];
        if (!r || !reservation_is_live(r))
            continue;
        if (r->start_at > from)
            vec_push(io, r->start_at);
        if (r->end_at > from && r->end_at < TIME_NEVER)
            vec_push(io, r->end_at);
    }
}

bool rsvview_depends_on_overlap(const struct rsvview *v, uint32_t node)
{
    const struct rsv_list *list = reservations_on(v->c, node);

    for (size_t i = 0; i < list->n; i++) {
        const struct reservation *r = v->c->reservations.v[list->v[i].rsv];
        if (reservation_is_live(r) && acl_depends_on_overlap(r))
            return true;
    }
    return false;
}
