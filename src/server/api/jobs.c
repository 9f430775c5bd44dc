/* SPDX-License-Identifier: Apache-2.0
 * Lists of jobs and one job. A list is made in pieces: first which jobs are in it, then
 * their records. */
#include "cluster/partition.h"
#include "config/settings.h"
#include "policy/priority.h"
#include "server/api/api.h"
#include "server/api/jobevents.h"
#include "server/api/jobfilter.h"
#include "server/api/joborder.h"
#include "server/api/sharing.h"
#include "server/drafts/jobname.h"
#include "server/drafts/rmname.h"
#include "server/http/stream.h"
#include "server/render/eligibility.h"
#include "server/render/render.h"
#include "server/server_private.h"

#include <math.h>

/* ---- which jobs ---- */

#define IDS_LENGTH 4000

struct wanted {
    unsigned sections;      /* bits */
    char *cred[CRED_KINDS]; /* owned, as all texts are */
    uint32_t partition;     /* INDEX_NONE = any */
    bool held, deadline;
    char *rsv, *rsv_base;     /* jobs that ask for it by either; NULL = any */
    struct jobfilter *filter; /* q=; NULL = any */
    char *ids;                /* ids=, between commas; NULL = any */
};

enum shape { SHAPE_BRIEF, SHAPE_TABLE, SHAPE_FULL, SHAPE_PRIORITY };

struct list {
    struct wanted wanted;
    enum shape shape;
    uint64_t members;    /* of brief ones and tables */
    struct identity who; /* the caller, who may be gone when the records are made */
    bool collected;
    struct jobwindow window;
    char *order_key;        /* owned; what such lists have in common */
    struct joborder *order; /* held; NULL until it is begun or found */
    size_t told;
};

static int wanted_sections(struct request *r, struct wanted *w, struct err *err)
{
    const char *text = request_query(r, "section");

    w->sections = 1u << SECTION_ACTIVE | 1u << SECTION_ELIGIBLE | 1u << SECTION_BLOCKED;
    if (!text || !*text)
        return 0;
    w->sections = 0;
    for (const char *p = text; *p;) {
        size_t len = strcspn(p, ",");
        int found = -1;
        for (int i = SECTION_ACTIVE; i <= SECTION_COMPLETED; i++) {
            const char *name = render_section_name((enum section)i);
            if (strlen(name) == len && strncmp(name, p, len) == 0)
                found = i;
        }
        if (found < 0)
            return err_set(err, ERR_INVALID,
                "section: '%.*s' is not one of active, eligible, blocked, completed",
                (int)len, p);
        w->sections |= 1u << found;
        p += len + (p[len] == ',');
    }
    return 0;
}

static int wanted_of(
    struct server *s, struct request *r, struct wanted *w, struct err *err)
{
    const char *partition = request_query(r, "partition");
    const char *rsv = request_query(r, "reservation");

    for (int kind = 0; kind < CRED_KINDS; kind++) {
        const char *name = request_query(r, render_cred_key((enum cred_kind)kind));
        w->cred[kind] = name && *name ? xstrdup(name) : NULL;
        if (w->cred[kind]
            && identity_known(request_who(r), engine_cluster(s->engine),
                   (enum cred_kind)kind, name, err)
                   < 0)
            return -1;
    }
    w->partition = INDEX_NONE;
    if (partition && *partition && strcmp(partition, "ALL") != 0) {
        w->partition = partition_find(engine_cluster(s->engine), partition);
        if (w->partition == INDEX_NONE)
            return partition_missing(engine_cluster(s->engine), partition, err);
    }
    if (rsv) {
        const struct reservation *v = reservation_find(engine_cluster(s->engine), rsv);
        w->rsv = xstrdup(rsv);
        w->rsv_base = v && v->base ? xstrdup(v->base) : NULL;
    }
    const char *ids = request_query(r, "ids");
    if (ids && strlen(ids) > IDS_LENGTH)
        return err_set(err, ERR_INVALID, "ids: expected %d characters at most, got %zu",
            IDS_LENGTH, strlen(ids));
    if (ids && asprintf(&w->ids, ",%s,", ids) < 0)
        w->ids = NULL;
    const char *words = request_query(r, "q");
    if (words && jobfilter_parse(words, &w->filter, err) < 0)
        return -1;
    w->held = request_query(r, "held") != NULL;
    w->deadline = request_query(r, "deadline") != NULL;
    return wanted_sections(r, w, err);
}

static bool asks_for(const struct wanted *w, const struct job *j)
{
    const char *advres = j->extra ? j->extra->advres : NULL;

    return advres
           && (strcmp(advres, w->rsv) == 0
               || (w->rsv_base && strcmp(advres, w->rsv_base) == 0));
}

/* A job that has nodes is where they are, any other where it may go. */
static bool in_partition(
    const struct cluster *c, const struct job *j, uint32_t partition)
{
    if (!job_is_active(j) && j->state != JOB_SUSPENDED)
        return j->partitions >> partition & 1;
    for (size_t i = 0; i < j->alloc.n; i++)
        if (node_at(c, j->alloc.v[i].first)->partition == partition)
            return true;
    return false;
}

/* Is it one of ",17,18,"? */
static bool is_listed(const char *ids, const char *id)
{
    size_t n = strlen(id);

    for (const char *p = ids; (p = strstr(p, id)) != NULL; p++)
        if (p[-1] == ',' && p[n] == ',')
            return true;
    return false;
}

/* Others' deadlines are not for everybody: such a job is one without. */
static bool shows_deadline(
    const struct cluster *c, const struct job *j, const struct identity *who)
{
    return j->extra && j->extra->deadline_at
           && !(render_hidden("deadline_at") && render_hides(c, j, who));
}

static bool match_job(const struct cluster *c, const struct wanted *w,
    const struct job *j, const struct identity *who)
{
    if (!(w->sections & 1u << render_section(j)))
        return false;
    for (int kind = 0; kind < CRED_KINDS; kind++)
        if (w->cred[kind]
            && strcmp(job_cred(c, j, (enum cred_kind)kind)->name, w->cred[kind]) != 0)
            return false;
    if (w->partition != INDEX_NONE && !in_partition(c, j, w->partition))
        return false;
    if (w->rsv && !asks_for(w, j))
        return false;
    if (w->ids && !is_listed(w->ids, j->id))
        return false;
    return (!w->held || j->holds || j->rm_hold)
           && (!w->deadline || shows_deadline(c, j, who));
}

/* Of nodes, where these may be known. */
static void add_nodes(struct server *s, const struct wanted *w, json_t *o)
{
    const struct cluster *c = engine_cluster(s->engine);
    int64_t procs = 0, up = 0, nodes = 0, nodes_up = 0, nodes_active = 0, active = 0;

    for (size_t i = 0; i < c->nodes.n; i++) {
        const struct node *n = node_at(c, i);
        if (n->global || (w->partition != INDEX_NONE && n->partition != w->partition))
            continue;
        int64_t used = node_dedicated(c, n).v[RES_PROCS];
        nodes++;
        procs += n->cfg.v[RES_PROCS];
        nodes_up += node_is_up(n);
        up += node_is_up(n) ? n->cfg.v[RES_PROCS] : 0;
        nodes_active += used > 0;
        active += used;
    }
    render_int(o, "procs", procs);
    render_int(o, "procs_up", up);
    render_int(o, "procs_active", active);
    render_int(o, "nodes", nodes);
    render_int(o, "nodes_up", nodes_up);
    render_int(o, "nodes_active", nodes_active);
    render_int(o, "nodes_idle", nodes_up - nodes_active);
}

static json_t *make_summary(
    struct server *s, const struct list *l, const struct wanted *w)
{
    const struct cluster *c = engine_cluster(s->engine);
    const struct joborder *order = l->order;
    json_t *o = json_pack("{s:I}", "at", (json_int_t)world_now(s));

    if (!identity_is_kept_from(&l->who, RM_HIDES_NODES))
        add_nodes(s, w, o);
    for (int i = SECTION_ACTIVE; i <= SECTION_COMPLETED; i++)
        render_int(o, render_section_name((enum section)i), order->count[i]);
    if (s->mode != MODE_SIMULATION) /* there nobody does anything meanwhile */
        render_paused(s, o);
    render_int(o, "backlog_ps", order->backlog_ps);
    render_int(o, "total", (int64_t)order->total);
    render_int(o, "revision", (int64_t)(world_revision(s) & INT32_MAX));
    if (order->counts)
        json_object_set_new(o, "counts", jobcounts_render(order->counts, c));
    return json_pack("{s:o}", "summary", o);
}

/* ---- diagnose -p ---- */

/* What users gave their jobs, and tiers, stand behind all components, where they are in
 * use. */
static json_t *component_alone(
    const char *name, double weight, double points, double total)
{
    double percent = total > 0 ? 100 * points / total : 0.0;

    return json_pack("{s:s, s:f, s:f, s:f, s:[{s:s, s:f, s:f, s:f}]}", "name", name,
        "weight", 1.0, "value", points, "percent", percent, "parts", "name", name,
        "weight", weight, "value", points, "percent", percent);
}

/* How much others have used shows in the single parts of fairshare. */
static bool hides_parts(const struct identity *who, int comp)
{
    return comp == PRIO_FS && identity_is_kept_from(who, RM_HIDES_USAGE);
}

static json_t *priority_record(
    struct server *s, const struct job *j, const struct identity *who)
{
    struct cluster *c = engine_cluster(s->engine);
    json_t *components = json_array(), *parts[PRIO_COMPS];
    struct prio_parts p;
    double total = 0;

    prio_explain(c, j, world_now(s), &p);
    for (int i = 0; i < PRIO_COMPS; i++) {
        parts[i] = json_array();
        total += fabs(p.weighted[i]);
    }
    total += fabs((double)p.user) + fabs((double)p.tier);
    for (int i = 0; i < PRIO_SUBS; i++) {
        enum prio_comp comp = prio_comp_of((enum prio_sub)i);
        double value = p.weight[i] * p.value[i];
        if (p.weight[i] != 0)
            json_array_append_new(parts[comp],
                json_pack("{s:s, s:f, s:f, s:f}", "name",
                    prio_sub_name((enum prio_sub)i), "weight", p.weight[i], "value",
                    value, "percent",
                    total > 0 ? 100 * s->config->settings->prio.comp_weight[comp]
                                    * value / total
                              : 0.0));
    }
    for (int i = 0; i < PRIO_COMPS; i++) {
        if (json_array_size(parts[i]))
            json_array_append_new(components,
                json_pack("{s:s, s:f, s:f, s:f, s:O}", "name",
                    prio_comp_name((enum prio_comp)i), "weight",
                    s->config->settings->prio.comp_weight[i], "value", p.weighted[i],
                    "percent", total > 0 ? 100 * p.weighted[i] / total : 0.0, "parts",
                    parts[i]));
        if (hides_parts(who, i))
            json_array_clear(parts[i]);
        json_decref(parts[i]);
    }
    const struct prio_settings *settings = &s->config->settings->prio;
    if (c->any_user_priority && settings->user_weight != 0)
        json_array_append_new(components,
            component_alone("UPrio", settings->user_weight, (double)p.user, total));
    if (c->any_tier)
        json_array_append_new(
            components, component_alone("Tier", PRIORITY_TIER, (double)p.tier, total));
    return json_pack("{s:s, s:I, s:b, s:o}", "id", j->id, "priority",
        (json_int_t)p.priority, "system", j->sys_priority != 0 || j->fixed_priority,
        "components", components);
}

/* ---- in pieces that take a millisecond at most ---- */

#define LOOKS       2000 /* at jobs, whether they are in it */
#define ACTIVE_TURN (4 * LOOKS)
#define BRIEFS      50
#define ROWS        1000

static void list_free(void *ctx)
{
    struct list *l = ctx;

    for (int kind = 0; kind < CRED_KINDS; kind++)
        free(l->wanted.cred[kind]);
    free(l->wanted.rsv);
    free(l->wanted.rsv_base);
    jobfilter_free(l->wanted.filter);
    free(l->wanted.ids);
    joborder_release(l->order);
    free(l->order_key);
    free(l);
}

/* It is in the list, if it is wanted and may be seen. */
static void consider_job(struct server *s, struct list *l, const struct job *j)
{
    const struct cluster *c = engine_cluster(s->engine);

    if (!j || !match_job(c, &l->wanted, j, &l->who)
        || !identity_sees_job(&l->who, c, j))
        return;
    if (l->shape == SHAPE_PRIORITY && render_hides(c, j, &l->who))
        return;
    if (l->wanted.filter && !jobfilter_matches(l->wanted.filter, s, j, &l->who))
        return;
    joborder_add(l->order, j);
}

/* Those that are named: nobody else is looked at. */
static void collect_named(struct server *s, struct list *l)
{
    const struct cluster *c = engine_cluster(s->engine);
    struct VEC(const struct job *) seen = {0};
    char *ids = xstrdup(l->wanted.ids);

    for (char *save = NULL, *id = strtok_r(ids, ",", &save); id;
         id = strtok_r(NULL, ",", &save)) {
        const struct job *j = job_find(c, id);
        bool again = false;
        for (size_t i = 0; i < seen.n; i++)
            again |= seen.v[i] == j;
        if (!j || again)
            continue;
        vec_push(&seen, j);
        consider_job(s, l, j);
    }
    vec_fini(&seen);
    free(ids);
}

/* Those that have begun, where no others are wanted and they are few enough for a
 * turn. */
static void collect_active(struct server *s, struct list *l)
{
    const struct cluster *c = engine_cluster(s->engine);

    for (size_t i = 0; i < c->active.n; i++)
        consider_job(s, l, c->jobs.v[c->active.v[i]]);
}

static bool wants_active(struct server *s, const struct wanted *w)
{
    return w->sections == 1u << SECTION_ACTIVE
           && engine_cluster(s->engine)->active.n <= ACTIVE_TURN;
}

/* False: all that may be in the list have been looked at. */
static bool look_at_some(struct server *s, struct list *l)
{
    const struct job *j;

    if (l->wanted.ids && joborder_end_walk(l->order))
        collect_named(s, l);
    else if (wants_active(s, &l->wanted) && joborder_is_new(l->order)
             && joborder_end_walk(l->order))
        collect_active(s, l);
    for (size_t n = 0; n < LOOKS; n++) {
        if (!joborder_walk(l->order, &j))
            return false;
        consider_job(s, l, j);
    }
    return true;
}

static void collect_some(struct server *s, struct list *l)
{
    if (!l->order && (l->order = joborder_find(s, l->order_key, &l->window)) != NULL) {
        l->collected = true;
        return;
    }
    engine_set_priorities(s->engine);
    if (!l->order)
        l->order = joborder_new(s, l->order_key, &l->window);
    joborder_begin_turn(l->order);
    if (look_at_some(s, l) || joborder_more(l->order))
        return;
    l->collected = joborder_shows(l->order, &l->window);
    if (l->collected)
        return;
    l->order = joborder_widen(l->order);
}

static void tell_one(
    struct server *s, const struct list *l, const struct job *j, struct strbuf *out)
{
    const struct cluster *c = engine_cluster(s->engine);
    json_t *o;

    if (l->shape == SHAPE_TABLE) {
        render_job_row(s, j, l->members, &l->who, out);
        return;
    }
    o = l->shape == SHAPE_FULL       ? render_job(s, j, &l->who)
        : l->shape == SHAPE_PRIORITY ? priority_record(s, j, &l->who)
                                     : render_job_brief(s, j, l->members, &l->who);
    render_job_hide(c, j, &l->who, o);
    stream_add(out, o);
}

static bool list_more(struct server *s, void *ctx, struct strbuf *out)
{
    const struct cluster *c = engine_cluster(s->engine);
    struct list *l = ctx;

    if (!l->collected) {
        collect_some(s, l);
        if (l->collected && l->shape != SHAPE_PRIORITY)
            stream_add(out, make_summary(s, l, &l->wanted));
        if (l->collected && l->shape == SHAPE_TABLE)
            render_job_heading(l->members, out);
        l->told = l->window.offset;
        return true;
    }
    size_t step = l->shape == SHAPE_TABLE ? ROWS : BRIEFS;
    size_t first = l->order->first, n = first + l->order->jobs.n;
    size_t last = l->window.offset < n && l->window.limit < n - l->window.offset
                      ? l->window.offset + l->window.limit
                      : n;
    size_t end = l->told < last && last - l->told > step ? l->told + step : last;
    for (; l->told < end; l->told++) {
        const struct listed *e = &l->order->jobs.v[l->told - first];
        const struct job *j = e->index < c->jobs.n ? c->jobs.v[e->index] : NULL;
        if (j && j->submit_at == e->submit_at)
            tell_one(s, l, j, out);
    }
    return l->told < last;
}

/* ---- asking for one ---- */

/* By whose rights the list is made: all with the same may share it. */
static const char *rights_of(const struct list *l)
{
    bool alike = l->shape == SHAPE_TABLE && !render_job_hides(l->members)
                 && !l->who.hidden && !l->wanted.filter && !l->wanted.deadline;

    return alike && !identity_is(&l->who, WHO_ADMIN3) ? "(all)"
                                                      : sharing_rights(&l->who);
}

/* All who ask for this see the same. */
static char *key_for(struct request *r, const struct list *l)
{
    struct strbuf key = {0};

    strbuf_printf(&key, "%s %s", request_target(r), rights_of(l));
    return strbuf_take(&key);
}

/* Of the question what tells which jobs are in the list, and in which order. */
static char *order_key_for(struct request *r, const struct list *l)
{
    static const char *const parts[] = {"section", "partition", "reservation", "ids",
        "q", "held", "deadline", "sort", "count"};
    struct strbuf key = {0};

    strbuf_printf(&key, "%s %d %x %d", rights_of(l), (int)l->who.level, l->who.hidden,
        l->shape == SHAPE_PRIORITY);
    for (int kind = 0; kind < CRED_KINDS; kind++)
        strbuf_printf(&key, "\n%s", l->wanted.cred[kind] ? l->wanted.cred[kind] : "");
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const char *said = request_query(r, parts[i]);
        strbuf_printf(&key, "\n%s%s", said ? "=" : "", said ? said : "");
    }
    return strbuf_take(&key);
}

static void answer(struct server *s, struct request *r, struct list *l)
{
    char *key = key_for(r, l);

    l->order_key = order_key_for(r, l);
    if (stream_join(s, r, key, NULL))
        list_free(l);
    else
        stream_make(s, r, key,
            l->shape == SHAPE_TABLE ? "text/tab-separated-values"
                                    : "application/x-ndjson",
            &(struct stream_source){.more = list_more, .done = list_free, .ctx = l});
    free(key);
}

static int shape_of(struct request *r, struct list *l, struct err *err)
{
    const char *fields = request_query(r, "fields");

    l->members = RENDER_ALL;
    if (fields && *fields && render_job_members(fields, &l->members, err) < 0)
        return -1;
    if (request_query(r, "table"))
        l->shape = SHAPE_TABLE;
    if (!request_query(r, "full"))
        return 0;
    l->shape = SHAPE_FULL;
    return identity_is(&l->who, WHO_ADMIN3)
               ? 0
               : identity_deny(
                   &l->who, l->wanted.deadline ? "showdeadline" : "diagnose -j", err);
}

void api_jobs(struct server *s, struct request *r)
{
    struct list *l = xcalloc(1, sizeof *l);
    struct err err = {0};

    l->who = *request_who(r);
    if (wanted_of(s, r, &l->wanted, &err) < 0 || shape_of(r, l, &err) < 0
        || jobwindow_read(r, &l->window, &err) < 0) {
        list_free(l);
        request_refuse(r, &err);
        return;
    }
    l->window.grows = l->wanted.filter != NULL;
    answer(s, r, l);
}

void api_priorities(struct server *s, struct request *r)
{
    struct list *l = xcalloc(1, sizeof *l);
    struct err err = {0};

    l->who = *request_who(r);
    l->shape = SHAPE_PRIORITY;
    l->window.limit = SIZE_MAX;
    if (wanted_of(s, r, &l->wanted, &err) < 0
        || (!l->wanted.ids && !identity_is(&l->who, WHO_ADMIN3)
            && identity_deny(&l->who, "diagnose", &err) < 0)) {
        list_free(l);
        request_refuse(r, &err);
        return;
    }
    if (!l->wanted.ids)
        l->wanted.sections = 1u << SECTION_ELIGIBLE;
    answer(s, r, l);
}

/* ---- one job ---- */

/* Split the comma list in place. NULL-terminated, to be freed. */
static const char **split(char *text)
{
    const char **v = xcalloc(strlen(text) + 2, sizeof *v);
    size_t n = 0;

    for (char *save = NULL, *p = strtok_r(text, ",", &save); p;
         p = strtok_r(NULL, ",", &save))
        v[n++] = p;
    return v;
}

static int check_level(struct request *r, enum check_level *ret, struct err *err)
{
    static const char *const names[] = {"soft", "hard", "off"};
    const char *text = request_query(r, "level");

    *ret = CHECK_SOFT;
    for (size_t i = 0; text && i < sizeof names / sizeof names[0]; i++)
        if (strcasecmp(text, names[i]) == 0) {
            *ret = (enum check_level)i;
            return 0;
        }
    return text ? err_set(
               err, ERR_INVALID, "level: '%.40s' is not one of soft, hard, off", text)
                : 0;
}

/* What checkjob tells besides the job itself. */
static int add_eligibility(struct server *s, struct request *r, const struct job *j,
    json_t *o, struct err *err)
{
    const char *node = request_query(r, "node");
    const char *rsvs = request_query(r, "reservation");
    const char *verbose = request_query(r, "verbose");
    bool nodes = !identity_is_kept_from(request_who(r), RM_HIDES_NODES);
    struct eligibility_options opt = {.who = request_who(r),
        .verdicts = nodes && verbose && strcmp(verbose, "history") != 0};

    if (check_level(r, &opt.level, err) < 0)
        return -1;
    if (node && !nodes)
        return identity_deny_nodes(err);
    if (node && !(opt.node = node_find(engine_cluster(s->engine), node)))
        return node_missing(engine_cluster(s->engine), node, err);
    if (job_is_active(j) && !node && !rsvs)
        return 0;
    char *text = xstrdup(rsvs ? rsvs : "");
    const char **names = split(text);
    opt.reservations = names;
    eligibility_render(s, j, &opt, o);
    free(names);
    free(text);
    return 0;
}

void api_job(struct server *s, struct request *r)
{
    const struct cluster *c = engine_cluster(s->engine);
    const char *id = request_param(r, "id");
    const struct identity *who = request_who(r);
    struct err err;
    const struct job *j = jobname_find(c, id, &err);

    if (!j || !identity_sees_job(who, c, j)) {
        if (j)
            rmname_missing(c, id, &err);
        request_refuse(r, &err);
        return;
    }
    if (!identity_is(who, WHO_ADMIN3) && !identity_has_job(who, c, j)) {
        err_set(&err, ERR_DENIED,
            "user %s is not authorized to check status of job '%s'", who->user, j->id);
        request_refuse(r, &err);
        return;
    }
    json_t *o = render_job(s, j, who);
    if (add_eligibility(s, r, j, o, &err) < 0) {
        json_decref(o);
        request_refuse(r, &err);
        return;
    }
    if (request_query(r, "verbose"))
        json_object_set_new(o, "history", jobevents_list(s, who, j));
    request_reply_json(r, o);
}
