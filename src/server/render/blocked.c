/* SPDX-License-Identifier: Apache-2.0
 * Nodes that are no part of a window, or not for ever, and why. */
#include "server/render/blocked.h"

#include "cluster/partition.h"
#include "server/render/render.h"
#include "server/server_private.h"

struct jobs VEC(const struct job *);

struct walk {
    const struct engine *e;
    const struct cluster *c;
    const struct identity *who;
    int64_t now;
    struct jobs reserved;        /* waiting jobs with a reservation */
    struct jobs *on;             /* by node; the record of a folded one has none */
    int64_t *free_for;           /* by node; 0 = not now */
    enum misfit *misfit;         /* by node */
    const char *const *features; /* asked for, as `class` */
    const char *class;
};

static void find_reserved(struct walk *w)
{
    for (size_t i = 0; i < w->c->queued.n; i++) {
        const struct job *j = queue_at(w->c, i);
        if (j && engine_reservation_of(w->e, j))
            vec_push(&w->reserved, j);
    }
}

static void find_active(struct walk *w)
{
    for (size_t i = 0; i < w->c->active.n; i++) {
        const struct job *j = w->c->jobs.v[w->c->active.v[i]];
        for (size_t k = 0; k < j->alloc.n; k++)
            for (uint32_t n = 0; n < j->alloc.v[k].count; n++) {
                struct jobs *on = &w->on[j->alloc.v[k].first + n];
                if (!on->n || on->v[on->n - 1] != j) /* a run for each request */
                    vec_push(on, j);
            }
    }
}

/* ---- what blocks ---- */

struct blocker {
    const char *name; /* NULL: not known which, or not to be told */
    int64_t end_at;   /* 0 = not known */
};

/* The reservation that begins on the node at that instant, or has begun. */
static struct blocker who_blocks(const struct walk *w, const struct node *n, int64_t at)
{
    const struct rsv_list *list = reservations_on(w->c, n->index);

    for (size_t i = 0; i < list->n; i++) {
        const struct reservation *r = w->c->reservations.v[list->v[i].rsv];
        if (r && reservation_is_live(r) && r->end_at > at
            && (r->start_at == at || (r->start_at < at && at == w->now)))
            return identity_sees(w->who, w->c, r) ? (struct blocker){r->name, r->end_at}
                                                  : (struct blocker){NULL, 0};
    }
    for (size_t i = 0; i < w->reserved.n; i++) {
        const struct job *j = w->reserved.v[i];
        const struct planned *planned = engine_reservation_of(w->e, j);
        if (planned->start_at == at && planned->partition == n->partition
            && identity_sees_job(w->who, w->c, j))
            return (struct blocker){j->id, engine_reserved_until(w->e, j)};
    }
    return (struct blocker){NULL, 0};
}

static bool has_reservation_now(const struct walk *w, const struct node *n)
{
    const struct rsv_list *list = reservations_on(w->c, n->index);

    for (size_t i = 0; i < list->n; i++) {
        const struct reservation *r = w->c->reservations.v[list->v[i].rsv];
        if (r && reservation_is_live(r) && r->start_at <= w->now && r->end_at > w->now)
            return true;
    }
    return false;
}

static void add_reservation(const struct walk *w, json_t *o, const struct node *n)
{
    int64_t free_for = w->free_for[n->index], at = w->now + free_for;
    struct blocker b = who_blocks(w, n, at);

    render_int(o, "in_s", free_for);
    render_text(o, "reservation", b.name);
    if (b.end_at && b.end_at < TIME_NEVER)
        render_int(o, "until", b.end_at);
}

/* Reservations of jobs are for all, and so are the jobs that are on a node, but for
 * what the resource manager keeps from the caller. */
static void add_jobs(const struct walk *w, json_t *o, const struct node *n)
{
    const struct jobs *on = &w->on[n->index];
    json_t *list = json_array();

    for (size_t i = 0; i < on->n; i++) {
        const struct job *j = on->v[i];
        if (!identity_sees_job(w->who, w->c, j))
            continue;
        json_t *one = json_pack("{s:s}", "job", j->id);
        if (j->end_at && j->end_at < TIME_NEVER)
            render_int(one, "until", j->end_at);
        json_array_append_new(list, one);
    }
    json_object_set_new(o, "jobs", list);
}

/* The first feature asked for that the node has not; NULL if it has all. */
static const char *feature_missing(const struct walk *w, const struct node *n)
{
    for (size_t i = 0; w->features && w->features[i]; i++) {
        uint32_t id = names_find(w->c->features, w->features[i]);
        bool has = false;
        for (size_t k = 0; k < n->features.n; k++)
            has |= n->features.v[k] == id;
        if (!has)
            return w->features[i];
    }
    return NULL;
}

static void add_misfit(const struct walk *w, json_t *o, const struct node *n)
{
    const char *feature = feature_missing(w, n), *class = w->class;
    enum misfit why = w->misfit[n->index];

    if (feature)
        json_object_set_new(
            o, "reason", json_sprintf("it lacks feature '%s'", feature));
    else if (class && why == MISFIT_CLASS)
        json_object_set_new(
            o, "reason", json_sprintf("it does not serve class '%s'", class));
    else
        json_object_set_new(o, "reason", json_sprintf("it %s", misfit_text(why)));
}

static bool is_full(const struct walk *w, const struct node *n)
{
    return n->state == NODE_BUSY || node_expected(w->c, n) == NODE_BUSY
           || node_dedicated(w->c, n).v[RES_PROCS] >= n->cfg.v[RES_PROCS];
}

static void add_blocked(struct walk *w, json_t *list, const struct node *n)
{
    bool runs =
        n->state == NODE_IDLE || n->state == NODE_RUNNING || n->state == NODE_BUSY;
    json_t *o = json_pack("{s:s}", "name", n->name);

    if (w->free_for[n->index] > 0) {
        add_reservation(w, o, n);
    } else if (!runs) {
        render_text(o, "state", node_state_name(n->state));
    } else if (w->misfit[n->index]) {
        add_misfit(w, o, n);
    } else if (is_full(w, n)) {
        render_text(o, "state", node_state_name(NODE_BUSY));
        add_jobs(w, o, n);
    } else if (has_reservation_now(w, n)) {
        add_reservation(w, o, n);
    } else if (w->on[n->index].n) {
        render_text(o, "reason", "what is on it leaves nothing to such a job");
        add_jobs(w, o, n);
    } else {
        render_text(o, "reason", "it has not what is asked for");
    }
    json_array_append_new(list, o);
}

/* ---- the nodes in question ---- */

static bool is_meant(
    const struct cluster *c, const struct query_ask *ask, const struct node *n)
{
    return !n->global
           && (!ask->partition
               || strcmp(c->partitions.v[n->partition]->name, ask->partition) == 0);
}

json_t *blocked_nodes(struct server *s, const struct query_ask *ask,
    const struct identity *who, struct err *err)
{
    struct walk w = {.e = s->engine,
        .c = engine_cluster(s->engine),
        .who = who,
        .now = world_now(s),
        .features = ask->features,
        .class = ask->cred[CRED_CLASS]};
    struct query_ask any_length = *ask;
    struct query_nodes nodes = {0};

    any_length.duration_s = 0;
    w.misfit = xcalloc(w.c->nodes.n + 1, sizeof *w.misfit);
    if (query_nodes(s->engine, &any_length, w.now, &nodes, err) < 0
        || query_misfits(s->engine, &any_length, w.misfit, err) < 0) {
        vec_fini(&nodes);
        free(w.misfit);
        return NULL;
    }
    w.free_for = xcalloc(w.c->nodes.n + 1, sizeof *w.free_for);
    for (size_t i = 0; i < nodes.n; i++)
        w.free_for[nodes.v[i].node] = nodes.v[i].duration_s;
    find_reserved(&w);
    w.on = xcalloc(w.c->nodes.n + 1, sizeof *w.on);
    find_active(&w);
    json_t *list = json_array();
    for (size_t i = 0; i < w.c->nodes.n; i++)
        if (is_meant(w.c, ask, node_at(w.c, i)) && w.free_for[i] < DURATION_UNLIMITED)
            add_blocked(&w, list, node_at(w.c, i));
    for (size_t i = 0; i < w.c->nodes.n; i++)
        vec_fini(&w.on[i]);
    free(w.on);
    free(w.free_for);
    free(w.misfit);
    vec_fini(&w.reserved);
    vec_fini(&nodes);
    return list;
}
