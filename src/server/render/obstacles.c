/* SPDX-License-Identifier: Apache-2.0
 * What is in the way of a job. */
#include "server/render/obstacles.h"

#include "plan/feasible.h"
#include "policy/acl.h"
#include "server/managers/manager.h"
#include "server/render/render.h"
#include "server/server_private.h"

/* Those of one kind that are told: a site may have thousands. */
#define TOLD_MAX 5

/* ---- reservations ---- */

static bool is_listed(const struct taskdef *def, const struct node *n)
{
    for (size_t i = 0; i < def->hosts.n; i++)
        if (def->hosts.v[i] == n->index)
            return true;
    return false;
}

/* Could a request of the job use the node? */
static bool is_usable(const struct cluster *c, const struct job *j,
    const struct node *n, const bool *listed_only)
{
    for (uint32_t i = 0; i < j->nreqs; i++) {
        const struct req *r = &j->reqs[i];
        if (feasible_node(c, r->def, n, NULL)
            && (!listed_only[i] || is_listed(r->def, n)))
            return true;
    }
    return false;
}

/* Nodes that the job could use and the reservation holds. Those of hidden reservations
 * are marked in `hidden`, and counted once. */
static int64_t nodes_kept(const struct cluster *c, const struct reservation *r,
    const struct job *j, uint32_t partition, bool *hidden)
{
    int64_t kept = 0;
    bool *listed_only = xcalloc(j->nreqs, sizeof *listed_only);

    for (uint32_t i = 0; i < j->nreqs; i++)
        listed_only[i] = feasible_hosts_only(c, &j->reqs[i]);
    for (size_t i = 0; i < r->alloc.n; i++)
        for (uint32_t k = 0; k < r->alloc.v[i].count; k++) {
            const struct node *n = node_at(c, r->alloc.v[i].first + k);
            if (n->partition != partition || !is_usable(c, j, n, listed_only)
                || (hidden && hidden[n->index]))
                continue;
            kept++;
            if (hidden)
                hidden[n->index] = true;
        }
    free(listed_only);
    return kept;
}

static bool keeps_out(const struct cluster *c, struct reservation *r,
    const struct job *j, const struct obstacle_time *when)
{
    if (!r || !reservation_is_live(r))
        return false;
    int64_t overlap = acl_overlap(r, when->from_at, when->until_at);
    return overlap > 0 && !acl_decide_job(c, r, j, overlap).granted;
}

/* All that the caller may not see are one record, of which only the number of nodes is
 * told; nothing where the resource manager hides them. */
static void add_reservations(json_t *list, struct server *s, const struct job *j,
    uint32_t partition, const struct obstacle_time *when, const struct identity *who)
{
    const struct cluster *c = engine_cluster(s->engine);
    bool *hidden = xcalloc(c->nodes.n + 1, sizeof *hidden);
    int64_t unseen = 0, kept;
    int told = 0;

    for (size_t i = 0; i < c->reservations.n; i++) {
        struct reservation *r = c->reservations.v[i];
        if (!keeps_out(c, r, j, when))
            continue;
        bool seen = identity_sees(who, c, r);
        if (!seen)
            unseen += nodes_kept(c, r, j, partition, hidden);
        if (!seen || told == TOLD_MAX || !(kept = nodes_kept(c, r, j, partition, NULL)))
            continue;
        json_t *o = json_pack("{s:s, s:I, s:I, s:s}", "kind", "reservation", "nodes",
            (json_int_t)kept, "start_at", (json_int_t)r->start_at, "name", r->name);
        render_instant(o, "until", r->end_at);
        json_array_append_new(list, o);
        told++;
    }
    if (unseen && !identity_is_kept_from(who, RM_HIDES_RESERVATIONS))
        json_array_append_new(list, json_pack("{s:s, s:I}", "kind", "reservation",
                                        "nodes", (json_int_t)unseen));
    free(hidden);
}

/* Of the reservation that a job asks for by name. */
enum asked { ASKED_NONE, ASKED_GRANTED, ASKED_CLOSED, ASKED_MISSING };

static enum asked find_asked(
    const struct cluster *c, const struct job *j, const char **ret_name)
{
    enum asked is = ASKED_MISSING;

    *ret_name = acl_asker_of(c, j).advres;
    if (!*ret_name)
        return ASKED_NONE;
    for (size_t i = 0; i < c->reservations.n; i++) {
        struct reservation *r = c->reservations.v[i];
        if (!r || !reservation_is_live(r) || !reservation_is_named(r, *ret_name))
            continue;
        if (acl_decide_job(c, r, j, 0).granted)
            return ASKED_GRANTED;
        is = ASKED_CLOSED;
    }
    return is;
}

bool obstacles_say_asked(
    const struct cluster *c, const struct job *j, char *ret_text, size_t size)
{
    const char *name;
    enum asked is = find_asked(c, j, &name);

    if (is != ASKED_CLOSED && is != ASKED_MISSING)
        return false;
    snprintf(ret_text, size, "this job asks for reservation '%.80s', which %s", name,
        is == ASKED_CLOSED ? "does not let it in" : "is not there");
    return true;
}

/* A job that may only run in a reservation that is not there waits until it is. */
static void add_missing(json_t *list, const struct cluster *c, const struct job *j)
{
    const char *name;

    if (find_asked(c, j, &name) == ASKED_MISSING)
        json_array_append_new(
            list, json_pack("{s:s, s:s}", "kind", "no_reservation", "name", name));
}

/* ---- features and generic resources ---- */

static bool has_feature(const struct node *n, uint32_t feature)
{
    for (size_t i = 0; i < n->features.n; i++)
        if (n->features.v[i] == feature)
            return true;
    return false;
}

static int64_t count_nodes(
    const struct cluster *c, uint32_t partition, bool gres, uint32_t id, int64_t least)
{
    int64_t nodes = 0;

    for (size_t i = 0; i < c->nodes.n; i++) {
        const struct node *n = node_at(c, i);
        if (!n->global && n->partition == partition)
            nodes += gres ? node_gres(n, id) >= least : has_feature(n, id);
    }
    return nodes;
}

static void add_features(json_t *list, const struct cluster *c,
    const struct taskdef *def, uint32_t partition)
{
    for (size_t i = 0; i < def->features.n; i++) {
        int64_t nodes = count_nodes(c, partition, false, def->features.v[i], 0);
        if (nodes == 0)
            json_array_append_new(
                list, json_pack("{s:s, s:s, s:I}", "kind", "feature", "name",
                          names_text(c->features, def->features.v[i]), "nodes",
                          (json_int_t)nodes));
    }
}

static void add_resources(json_t *list, const struct cluster *c, const struct job *j,
    const struct gres_amounts *asked, uint32_t partition)
{
    for (size_t i = 0; i < asked->n; i++) {
        uint32_t id = asked->v[i].id;
        bool floats = gres_is_floating(c, id);
        int64_t need = floats ? gres_of_job(j, id) : asked->v[i].count;
        int64_t left = floats ? gres_floating_free(c, id)
                              : count_nodes(c, partition, true, id, need);
        if (floats ? left >= need : left > 0)
            continue;
        json_t *o = json_pack("{s:s, s:s, s:I}", "kind", "resource", "name",
            names_text(c->gres, id), "asked", (json_int_t)need);
        render_int(o, floats ? "free" : "nodes", left);
        json_array_append_new(list, o);
    }
}

/* ---- states of nodes ---- */

/* Nodes whose state keeps them from everybody, for one reason. */
struct closed {
    const char *state, *said; /* said: by the resource manager, or NULL */
    int64_t nodes;
};

static const char *closed_state(const struct server *s, const struct node *n)
{
    enum node_state state = render_node_state(s, n);

    if (node_is_up(n) && state != NODE_DRAINING && state != NODE_BUSY)
        return NULL;
    /* what its jobs leave nothing of needs no words */
    if (state == NODE_BUSY && node_job_count(engine_cluster(s->engine), n) > 0)
        return NULL;
    return node_state_name(state);
}

static bool is_same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static void add_states(
    json_t *list, struct server *s, const struct job *j, uint32_t partition)
{
    const struct cluster *c = engine_cluster(s->engine);
    struct VEC(struct closed) all = {0};
    bool *listed_only = xcalloc(j->nreqs, sizeof *listed_only);

    for (uint32_t i = 0; i < j->nreqs; i++)
        listed_only[i] = feasible_hosts_only(c, &j->reqs[i]);
    for (size_t i = 0; i < c->nodes.n; i++) {
        const struct node *n = node_at(c, (uint32_t)i);
        const char *state =
            n->global || n->partition != partition ? NULL : closed_state(s, n);
        size_t k = 0;

        if (state == NULL || !is_usable(c, j, n, listed_only))
            continue;
        while (k < all.n
               && !(all.v[k].state == state
                    && is_same_text(all.v[k].said, managers_said(s, n))))
            k++;
        if (k == all.n && all.n < TOLD_MAX)
            vec_push(&all, ((struct closed){state, managers_said(s, n), 0}));
        if (k < all.n)
            all.v[k].nodes++;
    }
    for (size_t k = 0; k < all.n; k++) {
        json_t *o = json_pack("{s:s, s:s, s:I}", "kind", "state", "name",
            all.v[k].state, "nodes", (json_int_t)all.v[k].nodes);
        render_text(o, "text", all.v[k].said);
        json_array_append_new(list, o);
    }
    free(listed_only);
    vec_fini(&all);
}

json_t *obstacles_list(struct server *s, const struct job *j, uint32_t partition,
    const struct obstacle_time *when, const struct identity *who)
{
    const struct cluster *c = engine_cluster(s->engine);
    json_t *list = json_array();

    for (unsigned i = 0; i < j->nreqs; i++) {
        add_features(list, c, j->reqs[i].def, partition);
        add_resources(list, c, j, &j->reqs[i].def->gres, partition);
        add_resources(list, c, j, &j->reqs[i].def->job_gres, partition);
    }
    add_missing(list, c, j);
    add_states(list, s, j, partition);
    add_reservations(list, s, j, partition, when, who);
    return list;
}
