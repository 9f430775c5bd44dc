/* SPDX-License-Identifier: Apache-2.0
 * Reservations: seen by whom they concern, made and released. */
#include "cluster/rsvdraft.h"
#include "server/api.h"
#include "server/render.h"
#include "server/server_private.h"
#include "server/stream.h"

#include <time.h>

/* Those of jobs are for all to see; others for administrators, for whom they charge,
 * and for users their access lists name. */
static bool may_see(
    struct server *s, const struct identity *who, const struct reservation *r)
{
    const struct cluster *c = engine_cluster(s->engine);

    if (identity_is(who, WHO_ADMIN2))
        return true;
    if (r->charge[CRED_USER]
        && identity_owns(who, c->creds[CRED_USER].v[r->charge[CRED_USER]]->name))
        return true;
    for (size_t i = 0; i < r->acl.entries.n; i++) {
        const struct acl_entry *e = &r->acl.entries.v[i];
        if (e->type == ACL_USER && !e->negated
            && (e->any || (e->name && identity_owns(who, e->name))))
            return true;
    }
    return false;
}

struct rsv_list_ctx {
    struct VEC(uint32_t) jobs, rsvs;
};

static json_t *rsv_record(struct server *s, void *ctx, size_t i)
{
    struct rsv_list_ctx *l = ctx;
    const struct cluster *c = engine_cluster(s->engine);

    if (i < l->jobs.n) {
        const struct job *j = c->jobs.v[l->jobs.v[i]];
        return j ? render_job_reservation(s, j) : NULL;
    }
    uint32_t index = l->rsvs.v[i - l->jobs.n];
    const struct reservation *r =
        index < c->reservations.n ? c->reservations.v[index] : NULL;
    return r && reservation_is_live(r) ? render_reservation(s, r) : NULL;
}

static void rsv_list_free(void *ctx)
{
    struct rsv_list_ctx *l = ctx;

    vec_fini(&l->jobs);
    vec_fini(&l->rsvs);
    free(l);
}

static bool on_node(
    const struct cluster *c, const struct reservation *r, const struct node *n)
{
    return !n || reservation_tasks_on(c, r, n->index) > 0;
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
        err_set(&err, ERR_NOT_FOUND, "cannot locate node '%.80s'", node);
        request_refuse(r, &err);
        return;
    }
    bool jobs = !type || strcmp(type, "Job") == 0;
    for (size_t i = 0; jobs && !only && i < c->jobs.n; i++) {
        const struct job *j = c->jobs.v[i];
        if (j && j->state < JOB_COMPLETED && (job_is_active(j) || j->rsv_start_at))
            vec_push(&l->jobs, (uint32_t)i);
    }
    for (size_t i = 0; i < c->reservations.n; i++) {
        const struct reservation *v = c->reservations.v[i];
        if (v && reservation_is_live(v) && may_see(s, request_who(r), v)
            && on_node(c, v, only))
            vec_push(&l->rsvs, (uint32_t)i);
    }
    stream_records(s, r, l->jobs.n + l->rsvs.n, rsv_record, l, rsv_list_free);
}

void api_reservation(struct server *s, struct request *r)
{
    const struct cluster *c = engine_cluster(s->engine);
    const char *name = request_param(r, "name");
    const struct reservation *v = reservation_find(c, name);
    const struct job *j = v ? NULL : job_find(c, name);
    json_t *o = NULL;
    struct err err;

    if (v && may_see(s, request_who(r), v))
        o = render_reservation(s, v);
    else if (j && j->state < JOB_COMPLETED)
        o = render_job_reservation(s, j);
    if (!o) {
        err_set(&err, ERR_NOT_FOUND, "cannot locate reservation '%.80s'", name);
        request_refuse(r, &err);
        return;
    }
    request_reply_json(r, o);
}

/* ---- making and releasing ---- */

/* Words of setres from the members of a ReservationDraft. */
static const struct member {
    const char *name;
    const char *option;
} members[] = {{"users", "-u"}, {"groups", "-g"}, {"accounts", "-a"}, {"classes", "-q"},
    {"qos", "-Q"}, {"job_attributes", "-j"}, {"name", "-n"}, {"start", "-s"},
    {"end", "-e"}, {"duration", "-d"}, {"resources", "-r"}, {"features", "-f"},
    {"partition", "-p"}, {"flags", "-x"}, {"owner", "-o"}, {"charge", "-c"},
    {"trigger", "-T"}};

struct words {
    struct VEC(const char *) list;
    struct VEC(char *) owned;
};

static void add_owned(struct words *w, char *text)
{
    vec_push(&w->owned, text);
    vec_push(&w->list, text);
}

static void add_member(struct words *w, const char *option, json_t *value)
{
    struct strbuf text = {0};
    json_t *entry;
    size_t i;

    if (json_is_string(value)) {
        strbuf_add(&text, json_string_value(value));
    } else if (json_is_integer(value)) {
        strbuf_printf(&text, "%lld", (long long)json_integer_value(value));
    } else {
        json_array_foreach(value, i, entry) strbuf_printf(&text, "%s%s", i ? ":" : "",
            json_is_string(entry) ? json_string_value(entry) : "");
    }
    if (text.len) {
        vec_push(&w->list, option);
        add_owned(w, strbuf_take(&text));
    }
    free(strbuf_take(&text));
}

static void words_of(json_t *o, struct words *w)
{
    json_t *tasks = json_object_get(o, "tasks"), *hosts = json_object_get(o, "hosts");
    struct strbuf text = {0};

    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        add_member(w, members[i].option, json_object_get(o, members[i].name));
    if (json_is_true(json_object_get(o, "exclusive")))
        vec_push(&w->list, "-E");
    if (json_is_string(hosts) && json_is_integer(tasks))
        add_member(w, "-t", tasks);
    if (json_is_string(hosts))
        vec_push(&w->list, json_string_value(hosts));
    else if (json_is_integer(tasks)) {
        strbuf_printf(&text, "TASKS==%lld", (long long)json_integer_value(tasks));
        add_owned(w, strbuf_take(&text));
    }
}

static void words_fini(struct words *w)
{
    for (size_t i = 0; i < w->owned.n; i++)
        free(w->owned.v[i]);
    vec_fini(&w->owned);
    vec_fini(&w->list);
}

static int to_instant(void *ctx, const struct civil *when, int64_t *ret_at)
{
    struct tm tm = {.tm_year = when->year - 1900,
        .tm_mon = when->month - 1,
        .tm_mday = when->day,
        .tm_hour = when->hour,
        .tm_min = when->minute,
        .tm_sec = when->second,
        .tm_isdst = -1};
    time_t at = mktime(&tm);

    (void)ctx;
    *ret_at = (int64_t)at;
    return at == (time_t)-1 ? -1 : 0;
}

static struct calendar calendar_now(struct server *s)
{
    int64_t now = world_now(s);
    time_t at = (time_t)now;
    struct tm tm;

    localtime_r(&at, &tm);
    return (struct calendar){.now = now,
        .today = {tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min,
            tm.tm_sec},
        .to_instant = to_instant};
}

static int may_reserve(struct server *s, const struct identity *who, struct err *err)
{
    const char *policy = cfg_get(s->config, "RESCTLPOLICY", NULL);

    if (identity_is(who, WHO_ADMIN2) || (policy && strcasecmp(policy, "ANY") == 0))
        return 0;
    return err_set(
        err, ERR_DENIED, "user %s is not authorized create reservation", who->user);
}

static int reserve(struct server *s, json_t *o, const struct identity *who,
    const struct reservation **ret, struct err *err)
{
    struct calendar cal = calendar_now(s);
    struct setres_clock clock = {.cal = &cal};
    struct cluster *c = engine_cluster(s->engine);
    struct reservation draft;
    struct setres asked;
    struct words w = {0};

    words_of(o, &w);
    int result = setres_parse(w.list.v, w.list.n, &clock, &asked, err);
    words_fini(&w);
    if (result < 0)
        return -1;
    enum rsv_kind kind = identity_is(who, WHO_ADMIN2) ? RSV_ADMIN : RSV_USER;
    result = rsvdraft_of_setres(c, &asked, kind, &draft, err);
    setres_fini(&asked);
    if (result < 0)
        return -1;
    if (kind == RSV_USER)
        draft.charge[CRED_USER] = cred_get(c, CRED_USER, who->user)->index;
    uint64_t serial = c->rsv_serial;
    struct event ev = {.kind = EVENT_RESERVE, .u.reserve = {.draft = &draft}};
    if (world_apply(s, &ev, NULL, err) < 0) {
        reservation_fini(&draft);
        return -1;
    }
    for (size_t i = 0; i < c->reservations.n; i++)
        if (c->reservations.v[i] && c->reservations.v[i]->serial >= serial
            && c->reservations.v[i]->kind == kind)
            *ret = c->reservations.v[i];
    return 0;
}

void api_reserve(struct server *s, struct request *r)
{
    const struct identity *who = request_who(r);
    const struct reservation *made = NULL;
    struct err err = {0};
    json_t *o = request_json(r, &err);

    if (!o || may_reserve(s, who, &err) < 0 || reserve(s, o, who, &made, &err) < 0
        || (!made && err_set(&err, ERR_NOT_FOUND, "the reservation is gone already"))) {
        request_refuse(r, &err);
        return;
    }
    log_line(s->log, LOG_ACTION, "reservation '%s' made by %s", made->name, who->user);
    commit_then_reply(s, r, render_reservation(s, made));
}

void api_unreserve(struct server *s, struct request *r)
{
    const struct cluster *c = engine_cluster(s->engine);
    const struct identity *who = request_who(r);
    const char *name = request_param(r, "name");
    const struct reservation *v = reservation_find(c, name);
    struct event ev = {.kind = EVENT_UNRESERVE, .u.unreserve = {.name = name}};
    char done[300];
    struct err err = {0};

    if (!v || !may_see(s, who, v))
        err_set(&err, ERR_NOT_FOUND, "cannot locate reservation '%.80s'", name);
    else if (!identity_is(who, WHO_ADMIN2) && v->kind != RSV_USER)
        err_set(&err, ERR_DENIED,
            "user %s is not authorized to release reservation '%s'", who->user,
            v->name);
    if (v && !err.code)
        snprintf(done, sizeof done, "released User reservation '%s'", v->name);
    if (err.code || world_apply(s, &ev, NULL, &err) < 0) {
        request_refuse(r, &err);
        return;
    }
    log_line(s->log, LOG_ACTION, "%s by %s", done, who->user);
    commit_then_reply(s, r, json_pack("{s:s}", "message", done));
}
