/* SPDX-License-Identifier: Apache-2.0
 * Statistics of record: of the system, of credentials, by size and length. */
#include "engine/promises.h"
#include "policy/fairshare.h"
#include "server/api/api.h"
#include "server/http/stream.h"
#include "server/render/render.h"
#include "server/server_private.h"

/* What ended jobs add up to. Averages are left out where nothing ended. */
static void add_sums(json_t *o, const struct stat_sums *sums)
{
    render_int(o, "jobs", sums->jobs);
    render_int(o, "successful", sums->successful);
    render_int(o, "procs", sums->procs);
    render_real(o, "ps_requested", sums->ps_requested);
    render_real(o, "ps_run", sums->ps_run);
    render_real(o, "ps_utilized", sums->ps_utilized);
    render_int(o, "queue_s", sums->queue_s);
    render_int(o, "max_queue_s", sums->max_queue_s);
    render_real(o, "max_xfactor", sums->max_xfactor);
    render_int(o, "bypass", sums->bypass);
    render_int(o, "max_bypass", sums->max_bypass);
    render_int(o, "qos_met", sums->qos_met);
    render_int(o, "backfilled", sums->backfilled);
    render_real(o, "backfilled_ps", sums->ps_backfilled);
    if (sums->jobs) {
        render_real(o, "xfactor", sums->xfactor / (double)sums->jobs);
        render_real(o, "accuracy", 100 * sums->accuracy / (double)sums->jobs);
    }
    if (sums->procs)
        render_real(o, "xfactor_by_procs", sums->xfactor_procs / (double)sums->procs);
    if (sums->ps_run > 0) {
        render_real(o, "xfactor_by_ps", sums->xfactor_ps / sums->ps_run);
        render_real(o, "accuracy_by_ps", 100 * sums->accuracy_ps / sums->ps_run);
    }
    render_real(o, "ps_measured", sums->ps_measured);
    if (sums->ps_measured > 0)
        render_real(o, "efficiency", 100 * sums->ps_utilized / sums->ps_measured);
}

static json_t *render_figures(const struct stat_figures *f)
{
    json_t *o = json_pack("{s:I, s:I, s:f, s:f, s:I, s:f}", "active_jobs",
        (json_int_t)f->active_jobs, "active_procs", (json_int_t)f->active_procs,
        "active_ps", f->active_ps, "ps_dedicated", f->sums.ps_dedicated, "preempted",
        (json_int_t)f->sums.preempted, "preempted_ps", f->sums.ps_preempted);

    add_sums(o, &f->sums);
    return o;
}

/* ---- the system ---- */

static void add_queue(json_t *o, const struct cluster *c)
{
    int64_t eligible = 0, idle = 0;

    for (size_t i = 0; i < c->queued.n; i++) {
        const struct job *j = queue_at(c, i);
        idle += j != NULL;
        eligible += j && render_section(j) == SECTION_ELIGIBLE;
    }
    render_int(o, "eligible_jobs", eligible);
    render_int(o, "idle_jobs", idle);
}

static void add_nodes(json_t *o, const struct cluster *c)
{
    int64_t up = 0, active = 0;

    for (size_t i = 0; i < c->nodes.n; i++) {
        const struct node *n = node_at(c, i);
        if (n->global || !node_is_up(n))
            continue;
        up++;
        active += !node_is_free(c, n);
    }
    render_int(o, "nodes", up);
    render_int(o, "nodes_active", active);
}

/* Nothing where none was ever made. */
static void add_promises(json_t *o, const struct stat_promises *p)
{
    json_t *by = json_object();
    int64_t broken = 0;

    if (!p->made && !p->lapsed) {
        json_decref(by);
        return;
    }
    for (int c = CAUSE_NONE + 1; c < PROMISE_CAUSES; c++) {
        broken += p->broken[c];
        if (p->broken[c])
            render_int(by, promise_cause_name((enum promise_cause)c), p->broken[c]);
    }
    json_t *promises = json_object();
    render_int(promises, "made", p->made);
    render_int(promises, "kept", p->kept);
    render_int(promises, "broken", broken);
    render_int(promises, "lapsed", p->lapsed);
    json_object_set_new(promises, "broken_by", by);
    json_object_set_new(o, "promises", promises);
}

/* How good expected starts were; nothing where none was. */
static void add_forecasts(json_t *o, struct engine *e)
{
    struct misses_sum sum = misses_sum(engine_misses(e));

    if (!sum.n)
        return;
    json_t *forecasts = json_pack("{s:I, s:I, s:I}", "started", (json_int_t)sum.n,
        "told", (json_int_t)sum.told, "within", (json_int_t)sum.within);
    if (sum.factor > 0)
        render_real(forecasts, "factor", sum.factor);
    json_object_set_new(o, "forecasts", forecasts);
}

void api_statistics(struct server *s, struct request *r)
{
    const struct statistics *t = engine_statistics(s->engine);
    const struct cluster *c = engine_cluster(s->engine);
    struct stat_machine m;
    struct stat_figures f;

    statistics_machine(t, world_now(s), &m);
    statistics_of(t, CRED_KINDS, 0, world_now(s), &f);
    json_t *o = json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "at",
        (json_int_t)world_now(s), "since", (json_int_t)m.since, "up_since",
        (json_int_t)s->control.started_at, "iteration",
        (json_int_t)s->control.iteration, "active_jobs", (json_int_t)f.active_jobs,
        "completed_jobs", (json_int_t)f.sums.jobs, "successful_jobs",
        (json_int_t)f.sums.successful, "preempted_jobs", (json_int_t)f.sums.preempted,
        "total", render_figures(&f));
    render_real(o, "ps_available", m.ps_available);
    render_int(o, "procs", m.procs_up);
    render_int(o, "procs_active", f.active_procs);
    render_real(o, "backlog_s", m.backlog_s);
    render_real(o, "backlog_average_s", m.backlog_average_s);
    if (m.least_use_cycle) {
        render_real(o, "least_use", 100 * m.least_use);
        render_int(o, "least_use_iteration", m.least_use_cycle);
    }
    add_promises(o, &m.promises);
    add_forecasts(o, s->engine);
    add_queue(o, c);
    add_nodes(o, c);
    request_reply_json(r, o);
}

/* ---- credentials ---- */

struct cred_list {
    enum cred_kind kind;
    uint32_t only; /* index, 0 = all */
};

static json_t *cred_record(struct server *s, void *ctx, size_t i)
{
    const struct cred_list *l = ctx;
    const struct cred *k =
        engine_cluster(s->engine)->creds[l->kind].v[l->only ? l->only : i + 1];
    struct fs_target target = fs_target_of(k);
    struct stat_figures f;

    statistics_of(engine_statistics(s->engine), l->kind, k->index, world_now(s), &f);
    json_t *o = render_figures(&f);
    render_text(o, "kind", render_cred_key(l->kind));
    render_text(o, "name", k->name);
    if (target.type != FS_TARGET_NONE && target.type != FS_TARGET_ABS_CAP)
        render_real(o, "fs_target", target.value);
    if (l->kind == CRED_ACCOUNT)
        render_account_funds(s, k->name, o);
    return o;
}

static int kind_of(const char *text, enum cred_kind *ret, struct err *err)
{
    for (int k = 0; k < CRED_KINDS; k++)
        if (strcmp(text, render_cred_key((enum cred_kind)k)) == 0) {
            *ret = (enum cred_kind)k;
            return 0;
        }
    return err_set(err, ERR_NOT_FOUND,
        "there are no statistics of '%.40s': expected user, group, account, class or "
        "qos",
        text);
}

void api_statistics_of(struct server *s, struct request *r)
{
    const struct cluster *c = engine_cluster(s->engine);
    const char *name = request_query(r, "name");
    struct cred_list l = {0};
    const struct cred *only = NULL;
    struct err err;

    if (kind_of(request_param(r, "kind"), &l.kind, &err) < 0) {
        request_refuse(r, &err);
        return;
    }
    if (name && *name) {
        only = cred_find(c, l.kind, name);
        if (!only || !only->index) {
            cred_missing(c, l.kind, name, &err);
            request_refuse(r, &err);
            return;
        }
        l.only = only->index;
    }
    struct cred_list *ctx = xmalloc(sizeof *ctx);
    *ctx = l;
    stream_records(s, r, only ? 1 : c->creds[l.kind].n - 1, cred_record, ctx, free);
}

/* ---- the grid ---- */

static const char *const grid_types[] = {"AVGXFACTOR", "MAXXFACTOR", "AVGQTIME",
    "AVGBYPASS", "MAXBYPASS", "JOBCOUNT", "PHREQUEST", "PHRUN", "WCACCURACY", "BFCOUNT",
    "BFPHRUN", "JOBEFFICIENCY", "QOSDELIVERED"};
#define GRID_TYPES (sizeof grid_types / sizeof grid_types[0])

static const char *grid_type(const char *text, struct err *err)
{
    struct strbuf list = {0};

    for (size_t i = 0; i < GRID_TYPES; i++)
        if (strcasecmp(text, grid_types[i]) == 0)
            return grid_types[i];
    for (size_t i = 0; i < GRID_TYPES; i++)
        strbuf_printf(&list, "%s%s", i ? ", " : "", grid_types[i]);
    char *all = strbuf_take(&list);
    err_set(
        err, ERR_INVALID, "invalid statistics type requested: expected one of %s", all);
    free(all);
    return NULL;
}

static json_t *bounds(const int64_t *v, uint32_t n)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < n; i++)
        json_array_append_new(list, json_integer(v[i]));
    return list;
}

static json_t *cells(const struct stat_grid *g)
{
    json_t *rows = json_array();

    for (uint32_t row = 0; row < g->rows; row++) {
        json_t *list = json_array();
        for (uint32_t col = 0; col < g->columns; col++) {
            json_t *o = json_object();
            const struct stat_sums *sums = &g->cells[row * g->columns + col];
            if (sums->jobs)
                add_sums(o, sums);
            json_array_append_new(list, o);
        }
        json_array_append_new(rows, list);
    }
    return rows;
}

void api_grid(struct server *s, struct request *r)
{
    const struct statistics *t = engine_statistics(s->engine);
    const struct stat_grid *g = statistics_grid(t);
    struct stat_machine m;
    struct stat_figures f;
    struct err err;
    const char *type = grid_type(request_param(r, "type"), &err);

    if (!type) {
        request_refuse(r, &err);
        return;
    }
    statistics_machine(t, world_now(s), &m);
    statistics_of(t, CRED_KINDS, 0, world_now(s), &f);
    json_t *total = json_object();
    add_sums(total, &f.sums);
    request_reply_json(
        r, json_pack("{s:s, s:I, s:o, s:o, s:o, s:o}", "type", type, "since",
               (json_int_t)m.since, "times_s", bounds(g->times_s, g->columns), "procs",
               bounds(g->procs, g->rows), "cells", cells(g), "total", total));
}

/* ---- reset ---- */

void api_reset_statistics(struct server *s, struct request *r)
{
    struct event ev = {.kind = EVENT_RESET_STATISTICS};
    struct err err;

    if (world_apply(s, &ev, NULL, &err) < 0) {
        request_refuse(r, &err);
        return;
    }
    log_line(s->log, LOG_ACTION, "statistics reset by %s", request_who(r)->user);
    commit_then_reply(s, r,
        json_pack("{s:s, s:I}", "message", "statistics reset", "at",
            (json_int_t)world_now(s)));
}
