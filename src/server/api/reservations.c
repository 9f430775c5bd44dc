/* SPDX-License-Identifier: Apache-2.0
 * Reservations: seen by whom they concern, made and released. */
#include "engine/query.h"
#include "server/api/api.h"
#include "server/api/joborder.h"
#include "server/api/order.h"
#include "server/api/sharing.h"
#include "server/drafts/reservation.h"
#include "server/durable/rsvkeep.h"
#include "server/events/feed.h"
#include "server/http/stream.h"
#include "server/render/eligibility.h"
#include "server/render/render.h"
#include "server/render/rsvcheck.h"
#include "server/server_private.h"
#include "server/timeline/timeline.h"

#include <stdlib.h>
#include <string.h>

#define JOBS_TURN    5000 /* looks, a turn: less than a millisecond */
#define RECORDS_TURN 10   /* wide ones take 0.1 ms each */

/* A list, made in turns: which there are, where those that wait will be, then each. */
struct rsv_listing {
    struct identity who; /* the caller, who may be gone when the records are made */
    bool jobs, standing, made;
    uint32_t only; /* on this node; INDEX_NONE = on any */
    int64_t offset, limit;
    bool without_places;
    size_t looked; /* at so many jobs */
    bool collected, placed;
    struct VEC(struct listed) of_jobs;
    struct VEC(uint32_t) rsvs;
    struct query_places places; /* of waiting jobs */
    size_t next, end;           /* of all that there are */
};

/* ---- which ---- */

static bool on_node(const struct cluster *c, const struct reservation *r, uint32_t node)
{
    return node == INDEX_NONE || reservation_tasks_on(c, r, node) > 0;
}

static bool is_told(
    const struct cluster *c, const struct rsv_listing *l, const struct reservation *r)
{
    return r && reservation_is_live(r) && identity_sees(&l->who, c, r)
           && (r->kind == RSV_STANDING ? l->standing : l->made)
           && on_node(c, r, l->only);
}

static void collect_reservations(const struct cluster *c, struct rsv_listing *l)
{
    for (size_t i = 0; i < c->reservations.n; i++)
        if (is_told(c, l, c->reservations.v[i]))
            vec_push(&l->rsvs, (uint32_t)i);
}

/* Some more jobs; behind the last all that are of none. */
static void collect_some(struct server *s, struct rsv_listing *l)
{
    const struct cluster *c = engine_cluster(s->engine);
    size_t end = c->jobs.n > l->looked + JOBS_TURN ? l->looked + JOBS_TURN : c->jobs.n;

    for (; l->jobs && l->looked < end; l->looked++) {
        const struct job *j = c->jobs.v[l->looked];
        if (j && j->state < JOB_COMPLETED && identity_sees_job(&l->who, c, j)
            && (job_is_active(j) || engine_reservation_of(s->engine, j)))
            vec_push(&l->of_jobs, ((struct listed){j->index, j->submit_at}));
    }
    if (l->jobs && l->looked < c->jobs.n)
        return;
    collect_reservations(c, l);
    size_t all = l->of_jobs.n + l->rsvs.n;
    l->next = (uint64_t)l->offset < all ? (size_t)l->offset : all;
    l->end = (uint64_t)l->limit < all - l->next ? l->next + (size_t)l->limit : all;
    l->placed = l->without_places || l->next >= l->of_jobs.n;
    l->collected = true;
}

/* ---- where ---- */

static int by_job(const void *a, const void *b)
{
    const struct query_place *x = a, *y = b;

    if (x->job != y->job)
        return x->job < y->job ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* Of what the timeline foresees that which was promised; by job. */
static void place_some(struct server *s, struct rsv_listing *l)
{
    if (foresight_more(s, false))
        return;
    const struct foresight *f = foresight_get(s);
    for (size_t i = 0; i < f->on.n; i++) {
        const struct foreseen_on *on = &f->on.v[i];
        if (f->who.v[on->who].promised)
            vec_push(&l->places,
                ((struct query_place){f->who.v[on->who].job, on->node, on->tasks}));
    }
    if (l->places.n)
        qsort(l->places.v, l->places.n, sizeof *l->places.v, by_job);
    l->placed = true;
}

/* ---- told ---- */

/* NULL: it is gone, or another has its place. */
static json_t *record_job(
    struct server *s, const struct rsv_listing *l, const struct listed *of)
{
    const struct cluster *c = engine_cluster(s->engine);
    const struct job *j = of->index < c->jobs.n ? c->jobs.v[of->index] : NULL;

    return j && j->submit_at == of->submit_at && identity_sees_job(&l->who, c, j)
               ? render_job_reservation(s, j, &l->places)
               : NULL;
}

static json_t *record_reservation(
    struct server *s, const struct rsv_listing *l, uint32_t index)
{
    const struct cluster *c = engine_cluster(s->engine);
    const struct reservation *r =
        index < c->reservations.n ? c->reservations.v[index] : NULL;

    return is_told(c, l, r) ? render_reservation(s, r) : NULL;
}

static void tell_some(struct server *s, struct rsv_listing *l, struct strbuf *out)
{
    for (int n = 0; n < RECORDS_TURN && l->next < l->end; n++, l->next++) {
        json_t *o = l->next < l->of_jobs.n
                        ? record_job(s, l, &l->of_jobs.v[l->next])
                        : record_reservation(s, l, l->rsvs.v[l->next - l->of_jobs.n]);
        /* Where they are is most of wide ones, and lists show only how many nodes. */
        if (o && l->without_places)
            json_object_del(o, "places");
        if (o)
            stream_add(out, o);
    }
}

static bool list_some(struct server *s, void *ctx, struct strbuf *out)
{
    struct rsv_listing *l = ctx;

    if (!l->collected)
        collect_some(s, l);
    else if (!l->placed)
        place_some(s, l);
    else
        tell_some(s, l, out);
    return !l->collected || !l->placed || l->next < l->end;
}

static void free_list(void *ctx)
{
    struct rsv_listing *l = ctx;

    vec_fini(&l->of_jobs);
    vec_fini(&l->rsvs);
    vec_fini(&l->places);
    free(l);
}

/* ---- what is asked ---- */

/* limit= and offset= of all that would be told, places=0 and jobs=0. */
static int read_window(struct request *r, struct rsv_listing *l, struct err *err)
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
    l->jobs = jobs != 0;
    return 0;
}

static int read_node(
    struct request *r, const struct cluster *c, struct rsv_listing *l, struct err *err)
{
    const char *name = request_query(r, "node");
    const struct node *node = name ? node_find(c, name) : NULL;

    l->only = node ? node->index : INDEX_NONE;
    return name && !node ? node_missing(c, name, err) : 0;
}

/* Those of jobs are others with each plan; all others are what they and the nodes are.
 * What some of a minute ago may be told of is lists; who asks where they are, as
 * commands do, has them as of now. */
static void answer_list(struct server *s, struct request *r, struct rsv_listing *l)
{
    char of[REQUEST_STATE_MAX / 2], state[REQUEST_STATE_MAX];

    snprintf(of, sizeof of, "%lu.%lu", (unsigned long)feed_last(s, FEED_RESERVATION),
        (unsigned long)feed_last(s, FEED_NODE));
    char *key = sharing_key(s, r, of, state, sizeof state);
    const char *known_by = l->jobs || !l->without_places ? NULL : state;
    if (stream_join(s, r, key, known_by))
        free_list(l);
    else
        stream_make(s, r, key, "application/x-ndjson",
            &(struct stream_source){
                .more = list_some, .done = free_list, .ctx = l, .state = known_by});
    free(key);
}

void api_reservations(struct server *s, struct request *r)
{
    const char *type = request_query(r, "type"); /* NULL = all */
    struct rsv_listing *l = xcalloc(1, sizeof *l);
    struct err err;

    l->who = *request_who(r);
    if (read_node(r, engine_cluster(s->engine), l, &err) < 0
        || read_window(r, l, &err) < 0) {
        free_list(l);
        request_refuse(r, &err);
        return;
    }
    l->jobs = l->jobs && l->only == INDEX_NONE && (!type || strcmp(type, "Job") == 0);
    l->standing = !type || strcmp(type, "Standing") == 0;
    l->made = !type || strcmp(type, "User") == 0;
    answer_list(s, r, l);
}

/* user=, group= ...: may their jobs use it? */
static void add_verdict(
    struct server *s, struct request *r, struct reservation *v, json_t *o)
{
    const char *names[CRED_KINDS];
    bool asked = false;

    for (int k = 0; k < CRED_KINDS; k++) {
        names[k] = request_query(r, render_cred_key((enum cred_kind)k));
        asked |= names[k] != NULL;
    }
    if (asked)
        json_object_set_new(o, "verdict", eligibility_of_names(s, names, v));
}

void api_reservation(struct server *s, struct request *r)
{
    const struct cluster *c = engine_cluster(s->engine);
    const char *name = request_param(r, "name");
    struct reservation *v = reservation_find(c, name);
    const struct job *j = v ? NULL : job_find(c, name);
    struct query_places places = {0};
    json_t *o = NULL;
    struct err err;

    if (v && reservation_is_live(v) && identity_sees(request_who(r), c, v)) {
        o = render_reservation(s, v);
        add_verdict(s, r, v, o);
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

/* For `who`; what becomes of it in the store is for the caller. */
static int release_one(struct server *s, const struct identity *who, const char *name,
    char *ret_done, size_t size, struct err *err)
{
    const struct reservation *v = reservation_find(engine_cluster(s->engine), name);
    const char *kind = !v ? "Job" : v->kind == RSV_STANDING ? "Standing" : "User";
    struct event ev = {.kind = EVENT_UNRESERVE,
        .u.unreserve = {.name = name, .who = {who->user, who->level}}};

    if (!may_name(s, who, name))
        return rsvcheck_missing(engine_cluster(s->engine), who, name, err);
    snprintf(ret_done, size, "released %s reservation '%.200s'", kind, name);
    if (world_apply(s, &ev, NULL, err) < 0)
        return -1;
    log_line(s->log, LOG_ACTION, "%s by %s", ret_done, who->user);
    return 0;
}

void api_unreserve(struct server *s, struct request *r)
{
    char done[DONE_TEXT];
    struct err err = {0};

    if (release_one(
            s, request_who(r), request_param(r, "name"), done, sizeof done, &err)
        < 0) {
        request_refuse(r, &err);
        return;
    }
    rsvkeep_look(s);
    commit_then_reply(s, r, json_pack("{s:s}", "message", done));
}

static int act_unreserve(
    struct order *o, const char *name, char *done, size_t size, struct err *err)
{
    return release_one(o->s, request_who(o->r), name, done, size, err);
}

void api_unreserve_all(struct server *s, struct request *r)
{
    order_carry_out_named(&(struct order){
        .s = s, .r = r, .act_named = act_unreserve, .slice_done = rsvkeep_look});
}
