/* SPDX-License-Identifier: Apache-2.0
 * Reservations: seen by whom they concern, made and released. */
#include "engine/query.h"
#include "server/api/api.h"
#include "server/drafts/reservation.h"
#include "server/durable/rsvkeep.h"
#include "server/http/stream.h"
#include "server/render/render.h"
#include "server/render/rsvcheck.h"
#include "server/server_private.h"

struct rsv_list_ctx {
    struct VEC(uint32_t) jobs, rsvs;
    struct query_places places; /* of waiting jobs */
    int64_t offset, limit;
    bool without_places, without_jobs;
};

/* Where they are is most of wide ones, and lists show only how many nodes that is. */
static json_t *drop_places(const struct rsv_list_ctx *l, json_t *o)
{
    if (l->without_places)
        json_object_del(o, "places");
    return o;
}

static json_t *rsv_record(struct server *s, void *ctx, size_t i)
{
    struct rsv_list_ctx *l = ctx;
    const struct cluster *c = engine_cluster(s->engine);

    i += (size_t)l->offset;
    if (i < l->jobs.n) {
        uint32_t of = l->jobs.v[i];
        const struct job *j = of < c->jobs.n ? c->jobs.v[of] : NULL;
        return j ? drop_places(l, render_job_reservation(s, j, &l->places)) : NULL;
    }
    uint32_t index = l->rsvs.v[i - l->jobs.n];
    const struct reservation *r =
        index < c->reservations.n ? c->reservations.v[index] : NULL;
    return r && reservation_is_live(r) ? drop_places(l, render_reservation(s, r))
                                       : NULL;
}

static void rsv_list_free(void *ctx)
{
    struct rsv_list_ctx *l = ctx;

    vec_fini(&l->jobs);
    vec_fini(&l->rsvs);
    vec_fini(&l->places);
    free(l);
}

static bool on_node(
    const struct cluster *c, const struct reservation *r, const struct node *n)
{
    return !n || reservation_tasks_on(c, r, n->index) > 0;
}

/* "Job", "User", "Standing"; NULL = all. */
static bool is_of(const struct reservation *r, const char *type)
{
    return !type || strcmp(type, r->kind == RSV_STANDING ? "Standing" : "User") == 0;
}

/* limit= and offset= of all that would be told, places=0 and jobs=0. */
static int read_window(struct request *r, struct rsv_list_ctx *l, struct err *err)
{
    int64_t places, jobs;

    if (request_query_int(r, "limit", INT64_MAX, &l->limit, err) < 0
        || request_query_int(r, "offset", 0, &l->offset, err) < 0
        || request_query_int(r, "places", 1, &places, err) < 0
        || request_query_int(r, "jobs", 1, &jobs, err) < 0)
        return -1;
    if (l->limit < 0 || l->offset < 0)
        return err_set(err, ERR_INVALID, "%s: expected 0 or more",
            l->limit < 0 ? "limit" : "offset");
    l->without_places = places == 0;
    l->without_jobs = jobs == 0;
    return 0;
}

/* How many of them are in the window. */
static size_t count_told(const struct rsv_list_ctx *l)
{
    size_t all = l->jobs.n + l->rsvs.n;
    size_t left = (size_t)l->offset < all ? all - (size_t)l->offset : 0;

    return (uint64_t)l->limit < left ? (size_t)l->limit : left;
}

void api_reservations(struct server *s, struct request *r)
{
    const struct cluster *c = engine_cluster(s->engine);
    const char *type = request_query(r, "type"), *node = request_query(r, "node");
    const struct node *only = node ? node_find(c, node) : NULL;
    struct rsv_list_ctx *l = xcalloc(1, sizeof *l);
    struct err err;

    if (node && !only) {
        rsv_list_free(l);
        node_missing(c, node, &err);
        request_refuse(r, &err);
        return;
    }
    if (read_window(r, l, &err) < 0) {
        rsv_list_free(l);
        request_refuse(r, &err);
        return;
    }
    bool jobs = !l->without_jobs && (!type || strcmp(type, "Job") == 0);
    for (size_t i = 0; jobs && !only && i < c->jobs.n; i++) {
        const struct job *j = c->jobs.v[i];
        if (j && j->state < JOB_COMPLETED && identity_sees_job(request_who(r), c, j)
            && (job_is_active(j) || engine_reservation_of(s->engine, j)))
            vec_push(&l->jobs, (uint32_t)i);
    }
    if ((size_t)l->offset < l->jobs.n && !l->without_places)
        query_reserved_places(s->engine, &l->places);
    for (size_t i = 0; i < c->reservations.n; i++) {
        const struct reservation *v = c->reservations.v[i];
        if (v && reservation_is_live(v) && identity_sees(request_who(r), c, v)
            && on_node(c, v, only) && is_of(v, type))
            vec_push(&l->rsvs, (uint32_t)i);
    }
    stream_records(s, r, count_told(l), rsv_record, l, rsv_list_free);
}

void api_reservation(struct server *s, struct request *r)
{
    const struct cluster *c = engine_cluster(s->engine);
    const char *name = request_param(r, "name");
    const struct reservation *v = reservation_find(c, name);
    const struct job *j = v ? NULL : job_find(c, name);
    struct query_places places = {0};
    json_t *o = NULL;
    struct err err;

    if (v && identity_sees(request_who(r), c, v)) {
        o = render_reservation(s, v);
    } else if (j && j->state < JOB_COMPLETED
               && identity_sees_job(request_who(r), c, j)) {
        query_reserved_places(s->engine, &places);
        o = render_job_reservation(s, j, &places);
        vec_fini(&places);
    }
    if (!o) {
        rsvcheck_missing(c, request_who(r), name, &err);
        request_refuse(r, &err);
        return;
    }
    request_reply_json(r, o);
}

/* ---- making and releasing ---- */

/* Whom its access list names and nobody knows: they may come, or be misspelt. */
static json_t *list_unknown(const struct identity *who, const struct cluster *c,
    const struct reservation *draft)
{
    static const enum cred_kind kinds[ACL_TYPES] = {[ACL_USER] = CRED_USER,
        [ACL_GROUP] = CRED_GROUP,
        [ACL_ACCOUNT] = CRED_ACCOUNT,
        [ACL_CLASS] = CRED_CLASS,
        [ACL_QOS] = CRED_QOS};
    json_t *list = json_array();
    struct err err;

    for (size_t i = 0; i < draft->acl.entries.n; i++) {
        const struct acl_entry *e = &draft->acl.entries.v[i];
        if (e->type <= ACL_QOS && !e->any && e->name
            && identity_known(who, c, kinds[e->type], e->name, &err) < 0)
            json_array_append_new(list, json_string(err.text));
    }
    return list;
}

static int reserve(struct server *s, json_t *o, const struct identity *who,
    const struct reservation **ret, json_t **ret_strangers, struct err *err)
{
    enum rsv_kind kind = identity_is(who, WHO_ADMIN2) ? RSV_ADMIN : RSV_USER;
    struct cluster *c = engine_cluster(s->engine);
    struct reservation draft;

    if (rsvasked_draft(s, o, kind, &draft, err) < 0)
        return -1;
    *ret_strangers = list_unknown(who, c, &draft);
    struct event ev = {.kind = EVENT_RESERVE,
        .u.reserve = {
            .draft = &draft, .who = {who->user, who->level}, .group = who->group}};
    struct event_result made;
    if (world_apply(s, &ev, &made, err) < 0) {
        reservation_fini(&draft);
        return -1;
    }
    *ret = made.reservation;
    return 0;
}

void api_reserve(struct server *s, struct request *r)
{
    const struct identity *who = request_who(r);
    const struct reservation *made = NULL;
    struct err err = {0};
    json_t *o = request_json(r, &err), *unknown = NULL;

    if (!o || reserve(s, o, who, &made, &unknown, &err) < 0) {
        json_decref(unknown);
        request_refuse(r, &err);
        return;
    }
    rsvkeep_add(s, made, o);
    log_line(s->log, LOG_ACTION, "reservation '%s' made by %s", made->name, who->user);
    json_t *answer = render_reservation(s, made);
    if (json_array_size(unknown))
        json_object_set(answer, "notes", unknown);
    json_decref(unknown);
    commit_then_reply(s, r, answer);
}

static bool may_name(struct server *s, const struct identity *who, const char *name)
{
    const struct cluster *c = engine_cluster(s->engine);
    const struct reservation *v = reservation_find(c, name);

    const struct job *j = v ? NULL : job_find(c, name);

    return v ? identity_sees(who, c, v) : j && identity_sees_job(who, c, j);
}

void api_unreserve(struct server *s, struct request *r)
{
    const struct identity *who = request_who(r);
    const char *name = request_param(r, "name");
    bool of_job = !reservation_find(engine_cluster(s->engine), name);
    struct event ev = {.kind = EVENT_UNRESERVE,
        .u.unreserve = {.name = name, .who = {who->user, who->level}}};
    char done[300];
    struct err err = {0};

    if (!may_name(s, who, name))
        rsvcheck_missing(engine_cluster(s->engine), who, name, &err);
    snprintf(done, sizeof done, "released %s reservation '%.200s'",
        of_job ? "Job" : "User", name);
    if (err.code || world_apply(s, &ev, NULL, &err) < 0) {
        request_refuse(r, &err);
        return;
    }
    rsvkeep_look(s);
    log_line(s->log, LOG_ACTION, "%s by %s", done, who->user);
    commit_then_reply(s, r, json_pack("{s:s}", "message", done));
}
