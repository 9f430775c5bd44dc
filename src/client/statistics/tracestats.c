/* SPDX-License-Identifier: Apache-2.0
 * Trace records as sums: by size and length, by credential, of all. */
#include "client/statistics/tracestats.h"

#include "base/timeval.h"
#include "trace/tracewords.h"

#include <math.h>
#include <string.h>

#define GRACE_S        600 /* an overrun below is none */
#define OUT_OF_ORDER_S (INT64_C(1000) * 3600)

struct tracestats_options tracestats_defaults(void)
{
    return (struct tracestats_options){
        .procs_max = 512, .procs_steps = 9, .time_max_s = 245760, .time_steps = 11};
}

/* Bounds up to `max`. */
static uint32_t make_bounds(
    int64_t min, int64_t max, int64_t steps, int64_t step, int64_t *ret)
{
    uint32_t n = 0;

    if (step > 0)
        for (int64_t at = step; n + 1 < STAT_BOUNDS_MAX && at < max; at += step)
            ret[n++] = at;
    for (int64_t i = 0; step <= 0 && i < steps && n + 1 < STAT_BOUNDS_MAX; i++) {
        double ratio = pow((double)max / (double)min, (double)i / (double)steps);
        int64_t bound = llround((double)min * ratio);
        if (bound < max && (n == 0 || bound > ret[n - 1]))
            ret[n++] = bound;
    }
    ret[n++] = max;
    return n;
}

void tracestats_init(struct tracestats *p, const struct tracestats_options *opt)
{
    struct stat_grid *g = &p->grid;

    *p = (struct tracestats){.opt = *opt};
    g->rows =
        make_bounds(1, opt->procs_max, opt->procs_steps, opt->procs_step, g->procs);
    g->columns = make_bounds(opt->time_max_s < 120 ? 1 : 120, opt->time_max_s,
        opt->time_steps, opt->time_step_s, g->times_s);
    g->cells = xcalloc((size_t)g->rows * g->columns, sizeof *g->cells);
    for (int k = 0; k < TRACESTATS_KINDS; k++)
        p->tables[k].names = names_create();
}

void tracestats_fini(struct tracestats *p)
{
    for (int k = 0; k < TRACESTATS_KINDS; k++) {
        names_destroy(p->tables[k].names);
        vec_fini(&p->tables[k].rows);
    }
    vec_fini(&p->jobs);
    free(p->grid.cells);
}

bool tracestats_full(const struct tracestats *p)
{
    return p->opt.count > 0 && (int64_t)p->jobs.n >= p->opt.count;
}

/* ---- which records ---- */

static bool listed(const char *list, const char *name)
{
    size_t n = name ? strlen(name) : 0;

    for (const char *p = list; p && *p;) {
        size_t len = strcspn(p, ":,");
        if (n && len == n && strncmp(p, name, n) == 0)
            return true;
        p += len + (p[len] != 0);
    }
    return !list;
}

static int64_t start_of(const struct jobtrace *r)
{
    return r->start_at > r->dispatch_at ? r->start_at : r->dispatch_at;
}

static bool is_wanted(const struct tracestats_options *o, const struct jobtrace *r)
{
    const char *qos = r->qos.second ? r->qos.second : r->qos.first;
    const char *master = r->allocated ? r->allocated[0] : NULL;
    int64_t start = start_of(r);

    if (r->state == JOBTRACE_NOTRUN || (r->state == JOBTRACE_REMOVED && !o->removed))
        return false;
    if (start < o->begin_at || (o->end_at && start >= o->end_at))
        return false;
    if (o->master && (!master || strcmp(master, o->master) != 0))
        return false;
    return listed(o->users, r->user) && listed(o->groups, r->group)
           && listed(o->accounts, r->account) && listed(o->qos, qos);
}

/* ---- one job ---- */

/* What is wrong with the record, which is mended. NULL: nothing. */
static const char *mend(struct jobtrace *r, int64_t *start, struct tracestats_job *j)
{
    const char *wrong = NULL;

    if (*start <= 0) {
        wrong = "it has no start";
        *start = r->submit_at;
    }
    if (r->submit_at > *start) {
        wrong = "it was submitted after its start";
        r->submit_at = *start;
    }
    if (r->end_at < *start) {
        wrong = "it ended before its start";
        r->end_at = *start;
    }
    if (r->queue_at <= 0 || r->queue_at > *start)
        r->queue_at = r->submit_at;
    if (j->procs <= 0) {
        wrong = "it had no processors";
        j->procs = 1;
    }
    return wrong;
}

static void measure(const struct tracestats_options *o, const struct jobtrace *r,
    struct tracestats_job *j)
{
    int64_t limit = r->wclimit_s.first,
            begin = o->queue_time ? r->queue_at : r->submit_at;

    j->run_s = j->end_at - j->start_at > 1 ? j->end_at - j->start_at : 1;
    j->limit_s = limit > 0 && limit < DURATION_UNLIMITED ? limit : j->run_s;
    if (j->run_s > j->limit_s && (j->run_s - j->limit_s < GRACE_S || o->fix))
        j->run_s = j->limit_s;
    if (j->run_s > o->time_max_s)
        j->run_s = o->time_max_s;
    j->queue_s = j->start_at > begin ? j->start_at - begin : 0;
    j->xfactor = (double)(j->queue_s + (o->canonical ? j->limit_s : j->run_s))
                 / (double)j->limit_s;
    j->accuracy = (double)j->run_s / (double)j->limit_s;
    j->mem_mb = r->mem_mb > r->ded_mem_mb ? r->mem_mb : r->ded_mem_mb;
    j->util_ps = r->procseconds > 0 ? r->procseconds : -1;
}

/* The QOS that was asked for, if any, was delivered. */
static bool qos_met(const struct jobtrace *r)
{
    return !r->qos.first || !r->qos.second || strcmp(r->qos.first, r->qos.second) == 0;
}

static void add_sums(
    struct stat_sums *s, const struct jobtrace *r, const struct tracestats_job *j)
{
    double procs = (double)j->procs, ps = procs * (double)j->run_s;
    int64_t bypass = r->bypass > 0 ? r->bypass : 0;

    s->jobs++;
    s->successful += r->state == JOBTRACE_COMPLETED;
    s->procs += j->procs;
    s->queue_s += j->queue_s;
    s->max_queue_s = j->queue_s > s->max_queue_s ? j->queue_s : s->max_queue_s;
    s->bypass += bypass;
    s->max_bypass = bypass > s->max_bypass ? bypass : s->max_bypass;
    s->qos_met += qos_met(r);
    if (tf_has_flag(r->flags.mask, "BACKFILL")) {
        s->backfilled++;
        s->ps_backfilled += ps;
    }
    s->ps_requested += procs * (double)j->limit_s;
    s->ps_run += ps;
    if (j->util_ps >= 0) {
        s->ps_utilized += j->util_ps;
        s->ps_measured += ps;
    }
    s->xfactor += j->xfactor;
    s->xfactor_procs += j->xfactor * procs;
    s->xfactor_ps += j->xfactor * ps;
    s->max_xfactor = fmax(s->max_xfactor, j->xfactor);
    s->accuracy += j->accuracy;
    s->accuracy_ps += j->accuracy * ps;
}

static void add_job(
    struct tracestats_sums *s, const struct jobtrace *r, const struct tracestats_job *j)
{
    add_sums(&s->sums, r, j);
    s->accuracy_squares += j->accuracy * j->accuracy;
    s->run_s += (double)j->run_s;
    s->limit_s += (double)j->limit_s;
}

static uint32_t bound_of(const int64_t *bounds, uint32_t n, int64_t value)
{
    uint32_t i = 0;

    while (i + 1 < n && value > bounds[i])
        i++;
    return i;
}

static void count(
    struct tracestats *p, const struct jobtrace *r, const struct tracestats_job *j)
{
    const char *const names[] = {[TRACESTATS_USER] = r->user,
        [TRACESTATS_GROUP] = r->group,
        [TRACESTATS_ACCOUNT] = r->account};
    uint32_t row = bound_of(p->grid.procs, p->grid.rows, j->procs);
    uint32_t column = bound_of(
        p->grid.times_s, p->grid.columns, p->opt.by_run ? j->run_s : j->limit_s);

    add_sums(&p->grid.cells[(size_t)row * p->grid.columns + column], r, j);
    add_job(&p->total, r, j);
    for (int k = 0; k < TRACESTATS_KINDS; k++) {
        struct tracestats_table *t = &p->tables[k];
        if (!names[k] || !*names[k])
            continue;
        uint32_t id = names_intern(t->names, names[k]);
        while (t->rows.n <= id)
            vec_push(&t->rows, (struct tracestats_sums){.run_s = 0});
        add_job(&t->rows.v[id], r, j);
    }
    vec_push(&p->jobs, *j);
}

int tracestats_add(struct tracestats *p, const struct jobtrace *record,
    int64_t *ret_late_s, struct err *err)
{
    struct jobtrace r = *record;
    int64_t start = start_of(&r);
    int64_t tasks = r.tasks_allocated > 0 ? r.tasks_allocated : r.tasks.first;
    struct tracestats_job j = {.procs = tasks * (r.procs > 0 ? r.procs : 1)};

    *ret_late_s = 0;
    if (!is_wanted(&p->opt, &r))
        return 0;
    if (p->last_start_at - start >= OUT_OF_ORDER_S)
        *ret_late_s = p->last_start_at - start;
    p->last_start_at = start;
    const char *wrong = mend(&r, &start, &j);
    j.submit_at = r.submit_at;
    j.start_at = start;
    j.end_at = r.end_at;
    measure(&p->opt, &r, &j);
    if (!wrong || p->opt.fix)
        count(p, &r, &j);
    p->mended += wrong && p->opt.fix;
    p->left_out += wrong && !p->opt.fix;
    return wrong ? err_set(err, ERR_INVALID, "job '%.60s': %s", r.id, wrong) : 0;
}
