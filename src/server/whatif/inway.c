/* SPDX-License-Identifier: Apache-2.0
 * What is in the way of a reservation. */
#include "server/whatif/inway.h"

#include "base/bitset.h"
#include "engine/query.h"
#include "plan/rsvnodes.h"
#include "server/drafts/reservation.h"
#include "server/render/render.h"
#include "server/server_private.h"
#include "server/timeline/timeline.h"

struct inway {
    struct server *s;
    const struct cluster *c;
    const struct identity *who;
    const struct reservation *r; /* that is wanted */
    int64_t from_at, until_at;
    struct bitset nodes; /* on which */
    json_t *list;
    bool unseen_job, unseen_reservation; /* there is one, or are some */
};

static bool overlaps_window(const struct inway *w, int64_t from_at, int64_t until_at)
{
    return from_at < w->until_at && until_at > w->from_at;
}

/* Takes the record; `nodes` 0: it is on none of these. */
static void append_record(struct inway *w, json_t *o, int64_t nodes)
{
    if (nodes > 0 && json_array_size(w->list) < INWAY_MAX) {
        render_int(o, "nodes", nodes);
        json_array_append(w->list, o);
    }
    json_decref(o);
}

static json_t *make_record(const char *kind, const char *state)
{
    return json_pack("{s:s, s:s}", "kind", kind, "state", state);
}

static void put_window(json_t *o, int64_t from_at, int64_t until_at)
{
    render_instant(o, "from", from_at);
    render_instant(o, "until", until_at);
}

static void list_nodes(struct inway *w)
{
    for (uint32_t i = 0; i < w->c->nodes.n; i++) {
        const struct node *n = node_at(w->c, i);
        if (!bitset_test(&w->nodes, i) || rows_node_serves(n))
            continue;
        json_t *o = make_record("node", node_state_name(n->state));
        render_text(o, "name", n->name);
        append_record(w, o, 1);
    }
}

static void list_job(struct inway *w, const struct job *j, const char *state,
    int64_t from_at, int64_t until_at, int64_t nodes)
{
    json_t *o;

    if (!nodes || !overlaps_window(w, from_at, until_at))
        return;
    if (!identity_sees_job(w->who, w->c, j)) {
        w->unseen_job = true;
        return;
    }
    o = make_record("job", state);
    put_window(o, from_at, until_at);
    render_text(o, "name", j->id);
    render_text(o, "user", job_cred(w->c, j, CRED_USER)->name);
    append_record(w, o, nodes);
}

static void list_running(struct inway *w)
{
    for (size_t i = 0; i < w->c->active.n; i++) {
        const struct job *j = w->c->jobs.v[w->c->active.v[i]];
        int64_t nodes = 0;
        for (size_t k = 0; k < j->alloc.n; k++)
            for (uint32_t m = 0; m < j->alloc.v[k].count; m++)
                nodes += bitset_test(&w->nodes, j->alloc.v[k].first + m);
        list_job(w, j, "running", j->start_at, j->end_at, nodes);
    }
}

/* Places come in order of jobs. */
static void list_promised(struct inway *w)
{
    struct query_places places = {0};
    size_t i = 0;

    query_reserved_places(w->s->engine, &places);
    while (i < places.n) {
        uint32_t job = places.v[i].job;
        const struct job *j = w->c->jobs.v[job];
        const struct planned *p = j ? engine_reservation_of(w->s->engine, j) : NULL;
        int64_t nodes = 0;
        for (; i < places.n && places.v[i].job == job; i++)
            nodes += bitset_test(&w->nodes, places.v[i].node);
        if (p)
            list_job(w, j, "promised", p->start_at,
                engine_reserved_until(w->s->engine, j), nodes);
    }
    vec_fini(&places);
}

static void list_reservations(struct inway *w)
{
    for (size_t i = 0; i < w->c->reservations.n; i++) {
        const struct reservation *other = w->c->reservations.v[i];
        int64_t nodes = 0;
        if (!other || other == w->r || !reservation_is_live(other)
            || !overlaps_window(w, other->start_at, other->end_at)
            || !rsvnodes_conflict(w->r, other))
            continue;
        for (size_t k = 0; k < other->alloc.n; k++)
            for (uint32_t m = 0; m < other->alloc.v[k].count; m++)
                nodes += bitset_test(&w->nodes, other->alloc.v[k].first + m);
        if (!identity_sees(w->who, w->c, other)) {
            w->unseen_reservation |= nodes > 0;
            continue;
        }
        json_t *o = make_record("reservation", "reserved");
        put_window(o, other->start_at, other->end_at);
        render_text(o, "name", other->name);
        append_record(w, o, nodes);
    }
}

/* However many: where, when and how much they are is kept from the caller. */
static void append_unseen(struct inway *w)
{
    if (w->unseen_job)
        json_array_append_new(w->list, make_record("job", "unseen"));
    if (w->unseen_reservation)
        json_array_append_new(w->list, make_record("reservation", "unseen"));
}

/* Those of its list; else all of its partition. */
static void choose_nodes(struct inway *w)
{
    for (size_t i = 0; i < w->r->hosts.n; i++)
        bitset_set(&w->nodes, w->r->hosts.v[i]);
    for (uint32_t i = 0; !w->r->listed && i < w->c->nodes.n; i++) {
        const struct node *n = node_at(w->c, i);
        if (!n->global
            && (w->r->partition >= w->c->partitions.n
                || n->partition == w->r->partition))
            bitset_set(&w->nodes, i);
    }
}

/* What users are not shown of nodes is not told here either. */
static json_t *list_all(struct inway *w)
{
    w->list = json_array();
    if (!identity_is_kept_from(w->who, RM_HIDES_NODES))
        list_nodes(w);
    list_running(w);
    list_promised(w);
    list_reservations(w);
    append_unseen(w);
    bitset_fini(&w->nodes);
    return w->list;
}

json_t *inway_of_draft(struct server *s, const struct identity *who, json_t *draft)
{
    struct reservation r;
    struct err err;

    if (rsvasked_draft(s, draft, RSV_USER, &r, &err) < 0)
        return NULL;
    struct inway w = {.s = s,
        .c = engine_cluster(s->engine),
        .who = who,
        .r = &r,
        .from_at = r.start_at > world_now(s) ? r.start_at : world_now(s),
        .until_at = r.end_at};
    choose_nodes(&w);
    json_t *list = list_all(&w);
    reservation_fini(&r);
    return list;
}

static int64_t instant_of(const json_t *change, const char *key, int64_t otherwise)
{
    const json_t *value = json_object_get(change, key);

    return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

json_t *inway_of_change(struct server *s, const struct identity *who, const char *name,
    const json_t *change)
{
    const struct cluster *c = engine_cluster(s->engine);
    const struct reservation *r = reservation_find(c, name);
    struct inway w = {.s = s, .c = c, .who = who, .r = r};
    int64_t length;

    if (!r || !identity_sees(who, c, r))
        return NULL;
    length = r->end_at < TIME_NEVER ? r->end_at - r->start_at : DURATION_UNLIMITED;
    w.from_at = instant_of(change, "start_at", r->start_at);
    w.until_at = time_add(w.from_at, instant_of(change, "duration_s", length));
    w.until_at = instant_of(change, "end_at", w.until_at);
    for (size_t i = 0; i < r->alloc.n; i++)
        for (uint32_t k = 0; k < r->alloc.v[i].count; k++)
            bitset_set(&w.nodes, r->alloc.v[i].first + k);
    return list_all(&w);
}
