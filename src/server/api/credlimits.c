/* SPDX-License-Identifier: Apache-2.0
 * Limits of credentials: own ones, those of DEFAULT, and within another credential. */
#include "server/api/credlimits.h"

#include "base/duration.h"
#include "cluster/cluster.h"
#include "config/settings.h"
#include "config/table.h"
#include "policy/limits.h"
#include "policy/limits_rules.h"
#include "policy/limits_use.h"
#include "server/render/render.h"
#include "server/server_private.h"

#include <ctype.h>
#include <string.h>

/* ---- whom they keep waiting ---- */

/* By dimension and resource, of limits of the credential alone and within others. */
struct held_row {
    uint32_t all, of[DIM_SYSTEM][LIMIT_RES_COUNT], within[DIM_SYSTEM][LIMIT_RES_COUNT];
};

struct credlimits_held {
    struct VEC(struct held_row) rows; /* by index of the credential */
};

struct credlimits_held *credlimits_held_new(
    const struct cluster *c, enum cred_kind kind)
{
    struct credlimits_held *h = xcalloc(1, sizeof *h);

    vec_push_zeros(&h->rows, c->creds[kind].n);
    for (size_t i = 0; i < c->queued.n; i++) {
        const struct job *j = queue_at(c, i);
        if (!j || j->why.code != WAIT_LIMIT || j->why.quota || j->why.kind != kind
            || j->why.dim >= DIM_SYSTEM || j->why.object >= h->rows.n)
            continue;
        struct held_row *row = &h->rows.v[j->why.object];
        row->all++;
        if (j->why.kind2 == CRED_KINDS)
            row->of[j->why.dim][j->why.res]++;
        else
            row->within[j->why.dim][j->why.res]++;
    }
    return h;
}

void credlimits_held_free(struct credlimits_held *h)
{
    if (h)
        vec_fini(&h->rows);
    free(h);
}

/* ---- one after the other ---- */

struct lister {
    struct server *s;
    const struct cred *k;
    const struct held_row *held;
    json_t *texts, *records;
};

struct entry {
    const char *name, *bracket; /* MAXJOB, and [user:ann] or "" */
    struct limit limit;
    bool is_time;
    int64_t used;  /* -1: not counted by itself */
    uint32_t held; /* jobs that wait for it */
};

/* Kinds within brackets are written in any case: in one of the two usually. */
static const struct cfg_value *find_line(const struct config *config,
    const char *section, const char *name, const struct entry *e)
{
    char key[400], upper[160];
    size_t kind = strcspn(e->bracket, ":");

    snprintf(upper, sizeof upper, "%s", e->bracket);
    for (size_t i = 0; i < kind && upper[i]; i++)
        upper[i] = (char)toupper((unsigned char)upper[i]);
    snprintf(key, sizeof key, "%s[%s].%s%s", section, name, e->name, upper);
    const struct cfg_value *v = config_value(config, key);
    snprintf(key, sizeof key, "%s[%s].%s%s", section, name, e->name, e->bracket);
    return v ? v : config_value(config, key);
}

/* The line that sets it: of the credential itself, else of DEFAULT. */
static void add_source(const struct lister *l, const struct entry *e, json_t *o)
{
    const char *section = cfg_object_name((enum cfg_object)l->k->kind);
    const char *const names[] = {l->k->name, "DEFAULT"};
    const struct cfg_value *v = NULL;
    size_t i;

    for (i = 0; !v && i < sizeof names / sizeof names[0]; i++)
        v = find_line(l->s->config, section, names[i], e);
    if (!v)
        return; /* told by the resource manager */
    render_bool(o, "by_default", i == 2 && l->k->index > 0);
    json_object_set_new(
        o, "source", json_sprintf("%s:%u", v->file ? v->file : "", v->line));
}

/* "MAXPROC=16,32": soft and hard, one number when they are the same. */
static json_t *text_of(const struct entry *e)
{
    int64_t soft = e->limit.soft, hard = e->limit.hard;
    char text[DURATION_TEXT_MAX];

    if (e->is_time)
        return json_sprintf("%s=%s", e->name, duration_format(hard, text, sizeof text));
    if (hard <= 0 || soft <= 0 || hard == soft)
        return json_sprintf(
            "%s%s=%lld", e->name, e->bracket, (long long)(hard ? hard : soft));
    return json_sprintf(
        "%s%s=%lld,%lld", e->name, e->bracket, (long long)soft, (long long)hard);
}

static void tell_limit(struct lister *l, struct entry e)
{
    if (!e.limit.hard && e.limit.soft <= 0)
        return;
    json_array_append_new(l->texts, text_of(&e));
    json_t *o = json_pack("{s:o}", "limit", json_sprintf("%s%s", e.name, e.bracket));
    int64_t hard = e.limit.hard ? e.limit.hard : e.limit.soft;
    render_int(o, "hard", hard);
    if (e.limit.soft > 0 && e.limit.soft < hard)
        render_int(o, "soft", e.limit.soft);
    if (e.used >= 0)
        render_int(o, "used", e.used);
    if (e.held)
        render_int(o, "held", e.held);
    render_text(o, "unit", e.is_time ? "s" : NULL);
    add_source(l, &e, o);
    json_array_append_new(l->records, o);
}

/* OMAXJOB and OMAXIJOB are in the place of a QOS's own. */
static const char *name_usage_limit(
    const struct cred *k, enum limit_dim dim, enum limit_res res)
{
    bool idle = dim == DIM_IDLE;
    const struct limit *own = idle ? k->cfg->over_idle : k->cfg->over_active;
    const struct limit *def = idle ? k->def->over_idle : k->def->over_active;

    if (k->kind != CRED_QOS || res != LIMIT_JOB
        || !(limits_rules_set(&own[res]) || limits_rules_set(&def[res])))
        return limit_name(dim, res);
    return idle ? "OMAXIJOB" : "OMAXJOB";
}

/* -1 is told as well: without it that of DEFAULT held. */
static bool is_off(const struct cred *k, enum limit_dim dim, enum limit_res res)
{
    const struct limit *v = dim == DIM_IDLE ? k->cfg->idle : k->cfg->active;

    return v[res].hard < 0;
}

static void tell_usage_limit(struct lister *l, enum limit_dim dim, enum limit_res res)
{
    const struct usage *u = dim == DIM_IDLE ? &l->k->idle : &l->k->active;
    struct entry e = {.name = name_usage_limit(l->k, dim, res),
        .bracket = "",
        .limit = limits_value(engine_cluster(l->s->engine), l->k, NULL, dim, res),
        .used = u->v[res] / limits_use_parts(res),
        .held = l->held ? l->held->of[dim][res] : 0};

    if (!e.limit.hard && !e.limit.soft && is_off(l->k, dim, res))
        e.limit.hard = e.used = -1;
    tell_limit(l, e);
}

static void tell_usage_limits(struct lister *l)
{
    for (int r = 0; r < LIMIT_RES_COUNT; r++)
        for (int dim = DIM_ACTIVE; dim < DIM_SYSTEM; dim++)
            tell_usage_limit(l, (enum limit_dim)dim, (enum limit_res)r);
}

static void tell_within(struct lister *l, const struct limit_within *w)
{
    enum limit_dim dim = w->idle ? DIM_IDLE : DIM_ACTIVE;
    char bracket[160];

    snprintf(bracket, sizeof bracket, "[%s%s%.100s]", render_cred_key(w->other),
        w->name ? ":" : "", w->name ? w->name : "");
    tell_limit(l, (struct entry){.name = limit_name(dim, w->res),
                      .bracket = bracket,
                      .limit = w->limit,
                      .used = -1,
                      .held = l->held ? l->held->within[dim][w->res] : 0});
}

/* Does it say something else of this itself? */
static bool has_within(const struct cred_cfg *cfg, const struct limit_within *other)
{
    for (size_t i = 0; i < cfg->within.n; i++) {
        const struct limit_within *w = &cfg->within.v[i];
        if (w->other == other->other && w->idle == other->idle && w->res == other->res
            && strcmp(w->name ? w->name : "", other->name ? other->name : "") == 0)
            return true;
    }
    return false;
}

static void tell_all_within(struct lister *l)
{
    const struct cred_cfg *own = l->k->cfg, *def = l->k->def;

    for (size_t i = 0; i < own->within.n; i++)
        tell_within(l, &own->within.v[i]);
    for (size_t i = 0; own != def && i < def->within.n; i++)
        if (!has_within(own, &def->within.v[i]))
            tell_within(l, &def->within.v[i]);
}

/* OMAX<R>, OMAXI<R> and OMAXJ<R> of a QOS: what they replace is in other rows. Those of
 * its own jobs are told with what is in use. */
static void tell_overrides(struct lister *l)
{
    const struct cred_cfg *cfg = l->k->cfg;

    for (int r = 0; r < LIMIT_RES_COUNT; r++) {
        const char *name = limit_name(DIM_ACTIVE, (enum limit_res)r);
        const struct limit job = {0, cfg->over_job[r]};
        const struct limit *const over[] = {
            &cfg->over_active[r], &cfg->over_idle[r], &job};
        static const char *const form[] = {"OMAX", "OMAXI", "OMAXJ"};
        for (size_t i = r == LIMIT_JOB ? 2 : 0; i < sizeof over / sizeof over[0]; i++) {
            char text[24];
            snprintf(text, sizeof text, "%s%s", form[i], name + strlen("MAX"));
            tell_limit(
                l, (struct entry){
                       .name = text, .bracket = "", .limit = *over[i], .used = -1});
        }
    }
}

/* What a single job may ask for. */
static void tell_job_limits(struct lister *l)
{
    const struct cred_cfg *own = l->k->cfg, *def = l->k->def;
    const struct {
        const char *name;
        int64_t own, general;
    } limits[] = {{"MIN.PROC", own->min_proc, def->min_proc},
        {"MAXPROCPERJOB", own->max_proc_per_job, def->max_proc_per_job},
        {"MAXNODEPERJOB", own->max_node_per_job, def->max_node_per_job},
        {"MAXPROCPERNODE", own->max_proc_per_node, def->max_proc_per_node}};
    int64_t longest = own->max_wclimit_s ? own->max_wclimit_s : def->max_wclimit_s;

    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        tell_limit(
            l, (struct entry){.name = limits[i].name,
                   .bracket = "",
                   .limit = {0, limits[i].own ? limits[i].own : limits[i].general},
                   .used = -1});
    if (longest > 0 && longest < DURATION_UNLIMITED)
        tell_limit(l, (struct entry){.name = "MAX.WCLIMIT",
                          .bracket = "",
                          .limit = {0, longest},
                          .is_time = true,
                          .used = -1});
}

/* In use, of the limits on what is active. */
static json_t *usage_of(const struct lister *l)
{
    const struct cluster *c = engine_cluster(l->s->engine);
    json_t *usage = json_object();

    for (int r = 0; r < LIMIT_RES_COUNT; r++) {
        enum limit_res res = (enum limit_res)r;
        struct limit active = limits_value(c, l->k, NULL, DIM_ACTIVE, res);
        if (active.hard > 0 || active.soft > 0)
            render_int(usage, limit_name(DIM_ACTIVE, res),
                l->k->active.v[r] / limits_use_parts(res));
    }
    return usage;
}

void credlimits_add(struct server *s, const struct cred *k,
    const struct credlimits_held *held, json_t *o)
{
    struct lister l = {.s = s,
        .k = k,
        .held = held && k->index < held->rows.n ? &held->rows.v[k->index] : NULL,
        .texts = json_array(),
        .records = json_array()};

    tell_usage_limits(&l);
    tell_all_within(&l);
    tell_overrides(&l);
    tell_job_limits(&l);
    json_object_set_new(o, "limits", l.texts);
    json_object_set_new(o, "usage", usage_of(&l));
    json_object_set_new(o, "limits_in_force", l.records);
    if (l.held && l.held->all)
        render_int(o, "held", l.held->all);
}
