/* SPDX-License-Identifier: Apache-2.0
 * See border.h. */
#include "server/managers/border.h"

#include "cluster/attribute.h"
#include "cluster/rmset.h"
#include "server/durable/nodekeep.h"
#include "server/managers/private.h"
#include "server/server_private.h"

/* A node that has another name here. */
struct renamed {
    char *own, *here; /* owned */
    UT_hash_handle by_own, by_here;
};

struct border {
    struct manager *m;
    struct renamed *by_own, *by_here;
    bool recalled;              /* those of a former life are among them */
    struct VEC(void *) scratch; /* owned: made since a begin */
};

struct border *border_new(struct manager *m)
{
    struct border *b = xcalloc(1, sizeof *b);

    b->m = m;
    return b;
}

void border_free(struct border *b)
{
    struct renamed *one, *next;

    if (!b)
        return;
    border_end(b, 0);
    vec_fini(&b->scratch);
    HASH_ITER(by_own, b->by_own, one, next)
    {
        HASH_DELETE(by_here, b->by_here, one);
        HASH_DELETE(by_own, b->by_own, one);
        free(one->own);
        free(one->here);
        free(one);
    }
    free(b);
}

size_t border_begin(struct border *b)
{
    return b->scratch.n;
}

void border_end(struct border *b, size_t mark)
{
    while (b->scratch.n > mark)
        free(b->scratch.v[--b->scratch.n]);
}

static void *take_scratch(struct border *b, size_t count, size_t size)
{
    void *room = xcalloc(count, size);

    vec_push(&b->scratch, room);
    return room;
}

static const char *join_name(struct border *b, const char *manager, const char *name)
{
    size_t n = strlen(manager), len = strlen(name);
    char *text = take_scratch(b, n + len + 2, 1);

    memcpy(text, manager, n);
    text[n] = '.';
    memcpy(text + n + 1, name, len + 1);
    return text;
}

/* ---- jobs ------------------------------------------------------------------------ */

/* Does the id begin with the name of one of the managers? Which, and *ret_rest. */
static const struct manager *named_in(
    const struct border *b, const char *id, const char **ret_rest)
{
    return managers_named(b->m->s, id, ret_rest);
}

/* A plain id that looks like one with a manager's name gets the plain one's own. */
static const char *id_here(struct border *b, const struct manager *m, const char *id)
{
    const char *rest;

    return m->known_as || named_in(b, id, &rest) ? join_name(b, m->name, id) : id;
}

const char *border_job_in(struct border *b, const char *id)
{
    return managers_several(b->m->s) || b->m->known_as ? id_here(b, b->m, id) : id;
}

const char *border_job_out(struct border *b, const char *id)
{
    const char *rest;

    if (!managers_several(b->m->s) && !b->m->known_as)
        return id;
    return named_in(b, id, &rest) == b->m ? rest : id;
}

/* A dependency: what begins with a manager's name is of that one's job. */
static const char *dep_in(struct border *b, const char *id)
{
    const char *rest;
    const struct manager *other = named_in(b, id, &rest);

    return other ? id_here(b, other, rest) : border_job_in(b, id);
}

/* One on another manager's job names that. */
static const char *dep_out(struct border *b, const char *id)
{
    const char *rest;
    const struct manager *whose = managers_of_id(b->m->s, id);

    if (whose == b->m || !whose || named_in(b, id, &rest))
        return border_job_out(b, id);
    return join_name(b, whose->name, id);
}

typedef const char *name_fn(struct border *b, const char *name);

static const struct dep *turn_deps(
    struct border *b, const struct dep *deps, name_fn *turn)
{
    size_t n = 0;

    if (!deps)
        return NULL;
    while (deps[n].job_id)
        n++;
    struct dep *turned = take_scratch(b, n + 1, sizeof *turned);
    for (size_t i = 0; i < n; i++)
        turned[i] =
            (struct dep){deps[i].type, (char *)(uintptr_t)turn(b, deps[i].job_id)};
    return turned;
}

/* What floats is of no node and nobody's: it is told of as of this one, of all. */
static bool is_global(const char *node)
{
    return strcmp(node, "GLOBAL") == 0;
}

/* ---- nodes ----------------------------------------------------------------------- */

static const char *remember_name(struct border *b, const char *own, const char *here)
{
    struct renamed *one = xcalloc(1, sizeof *one);

    one->own = xstrdup(own);
    one->here = xstrdup(here);
    HASH_ADD_KEYPTR(by_own, b->by_own, one->own, strlen(one->own), one);
    HASH_ADD_KEYPTR(by_here, b->by_here, one->here, strlen(one->here), one);
    return one->here;
}

static void recall_name(void *ctx, const char *own, const char *here)
{
    remember_name(ctx, own, here);
}

/* Names that were given in a former life. */
static void recall_names(struct border *b)
{
    if (!b->recalled)
        nodekeep_each_renamed(b->m->s, b->m->name, recall_name, b);
    b->recalled = true;
}

/* Has another manager a node of that name? */
static bool is_taken(const struct border *b, const char *name)
{
    const struct server *s = b->m->s;
    const struct cluster *c = engine_cluster(s->engine);
    const struct node *n = node_find(c, name);
    const char *kept = nodekeep_whose(s, name);

    if (kept)
        return strcmp(kept, b->m->name) != 0;
    return n && strcmp(rmset_name(c, n->rm), b->m->known_as ? b->m->known_as : "") != 0;
}

const char *border_node_in(struct border *b, const char *name)
{
    struct renamed *one;

    if (!name || !managers_several(b->m->s) || is_global(name))
        return name;
    recall_names(b);
    HASH_FIND(by_own, b->by_own, name, strlen(name), one);
    if (one)
        return one->here;
    return is_taken(b, name) ? remember_name(b, name, join_name(b, b->m->name, name))
                             : name;
}

const char *border_node_out(struct border *b, const char *name)
{
    struct renamed *one;

    HASH_FIND(by_here, b->by_here, name, strlen(name), one);
    return one ? one->own : name;
}

static const struct job_place *turn_places(
    struct border *b, const struct job_place *places, size_t n, name_fn *turn)
{
    if (!n)
        return places;
    struct job_place *turned = take_scratch(b, n, sizeof *turned);
    for (size_t i = 0; i < n; i++) {
        turned[i] = places[i];
        turned[i].node = turn(b, places[i].node);
    }
    return turned;
}

static const char *const *turn_names(
    struct border *b, const char *const *names, name_fn *turn)
{
    size_t n = 0;

    if (!names)
        return NULL;
    while (names[n])
        n++;
    const char **turned = take_scratch(b, n + 1, sizeof *turned);
    for (size_t i = 0; i < n; i++)
        turned[i] = turn(b, names[i]);
    return turned;
}

/* Nodes that the requests name. */
static const struct req_desc *turn_requests(
    struct border *b, const struct job_desc *d, name_fn *turn)
{
    const struct req_attribute *a;

    if (!d->nreqs)
        return d->reqs;
    struct req_desc *turned = take_scratch(b, d->nreqs, sizeof *turned);
    memcpy(turned, d->reqs, d->nreqs * sizeof *turned);
    for (uint32_t i = 0; i < d->nreqs; i++)
        for (size_t k = 0; (a = req_attribute_at(k)) != NULL; k++) {
            if (a->type != ATTRIBUTE_NODES)
                continue;
            const char *const **at = attribute_names(&turned[i], a->desc_at);
            *at = turn_names(b, *at, turn);
        }
    return turned;
}

/* ---- in -------------------------------------------------------------------------- */

static void job_in(struct border *b, const struct rm_job *j, struct rm_job *ret)
{
    *ret = *j;
    ret->desc.rm = b->m->known_as;
    ret->desc.id = border_job_in(b, j->desc.id);
    ret->desc.deps = turn_deps(b, j->desc.deps, dep_in);
    if (!managers_several(b->m->s))
        return;
    ret->desc.reqs = turn_requests(b, &j->desc, border_node_in);
    ret->desc.places = turn_places(b, j->desc.places, j->desc.nplaces, border_node_in);
    ret->places = turn_places(b, j->places, j->nplaces, border_node_in);
}

struct rm_report border_report_in(
    struct border *b, const struct rm_report *r, struct border_room *room)
{
    struct rm_report here = *r;

    if (!managers_several(b->m->s) && !b->m->known_as)
        return here;
    switch (r->kind) {
    case RM_NODE:
        here.u.node.rm = is_global(r->u.node.name) ? NULL : b->m->known_as;
        here.u.node.name = border_node_in(b, r->u.node.name);
        break;
    case RM_NODE_GONE:
        here.u.name = border_node_in(b, r->u.name);
        break;
    case RM_JOB:
        job_in(b, r->u.job, &room->job);
        here.u.job = &room->job;
        break;
    case RM_JOB_GONE:
    case RM_JOB_KEPT:
        here.u.name = border_job_in(b, r->u.name);
        break;
    case RM_RESERVATION:
        room->reservation = *r->u.reservation;
        room->reservation.nodes =
            turn_names(b, r->u.reservation->nodes, border_node_in);
        here.u.reservation = &room->reservation;
        break;
    case RM_QUOTAS:
        here.u.quotas.rm = b->m->known_as;
        break;
    case RM_DONE:
        if (r->u.done.job)
            here.u.done.job = border_job_in(b, r->u.done.job);
        break;
    case RM_RESERVATION_GONE:
    case RM_RIGHTS:
    case RM_SYNCED:
    case RM_HEALTH:
        break;
    }
    return here;
}

/* ---- out ------------------------------------------------------------------------- */

static bool has_renamed(struct border *b)
{
    if (managers_several(b->m->s))
        recall_names(b); /* it may have told nothing yet */
    return b->by_here != NULL;
}

struct rm_command border_command_out(struct border *b, const struct rm_command *cmd)
{
    struct rm_command own = *cmd;

    own.job = border_job_out(b, cmd->job);
    if (has_renamed(b))
        own.places = turn_places(b, cmd->places, cmd->nplaces, border_node_out);
    return own;
}

struct rm_submission border_submission_out(
    struct border *b, const struct rm_submission *sub)
{
    struct rm_submission own = *sub;

    if (managers_several(b->m->s) || b->m->known_as)
        own.job.desc.deps = turn_deps(b, sub->job.desc.deps, dep_out);
    if (has_renamed(b))
        own.job.desc.reqs = turn_requests(b, &sub->job.desc, border_node_out);
    return own;
}

const struct job_desc *border_submission_told(
    struct border *b, const struct rm_submission *sub, struct border_room *room)
{
    struct rm_submission own = border_submission_out(b, sub);

    room->job = own.job;
    if (managers_several(b->m->s) || b->m->known_as)
        job_in(b, &own.job, &room->job);
    else
        room->job.desc.rm = NULL;
    return &room->job.desc;
}

const char *border_nodes_out(struct border *b, const char *list)
{
    struct strbuf text = {0};

    if (!has_renamed(b))
        return list;
    for (const char *at = list; *at;) {
        size_t len = strcspn(at, ",");
        char *name = xstrndup(at, len);
        strbuf_printf(&text, "%s%s", text.len ? "," : "", border_node_out(b, name));
        free(name);
        at += len + (at[len] == ',');
    }
    strbuf_add(&text, "");
    char *made = strbuf_take(&text);
    vec_push(&b->scratch, (void *)made);
    return made;
}
