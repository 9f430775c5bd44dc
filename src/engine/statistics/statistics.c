/* SPDX-License-Identifier: Apache-2.0
 * Accounts of credentials and of the whole system, and what is added to them. */
#include "engine/statistics/statistics.h"

#include "base/near.h"
#include "base/xalloc.h"
#include "cluster/job.h"
#include "cluster/partition.h"
#include "config/credcfg.h"
#include "engine/statistics/private.h"

#include <assert.h>
#include <string.h>

struct statistics *statistics_create(const struct settings *cfg)
{
    struct statistics *s = xcalloc(1, sizeof *s);

    s->at = s->since = INT64_MIN;
    s->all.at = s->all.loaded_at = INT64_MIN;
    grid_configure(s, cfg);
    return s;
}

void statistics_destroy(struct statistics *s)
{
    if (!s)
        return;
    for (int k = 0; k < CRED_KINDS; k++)
        vec_fini(&s->creds[k]);
    vec_fini(&s->stays);
    vec_fini(&s->changed);
    vec_fini(&s->cell_changed);
    free(s->grid.cells);
    statnodes_fini(s);
    free(s);
}

void statistics_configure(struct statistics *s, const struct settings *cfg)
{
    if (s)
        grid_configure(s, cfg);
}

/* ---- accounts ---- */

static void note_changed(
    struct statistics *s, struct account *a, enum cred_kind kind, uint32_t index)
{
    if (a->changed)
        return;
    a->changed = true;
    vec_push(&s->changed, ((struct account_key){kind, index}));
}

struct account *account_get(struct statistics *s, enum cred_kind kind, uint32_t index)
{
    if (kind == CRED_KINDS) {
        note_changed(s, &s->all, kind, 0);
        return &s->all;
    }
    while (s->creds[kind].n <= index)
        vec_push(&s->creds[kind],
            ((struct account){.at = INT64_MIN, .loaded_at = INT64_MIN}));
    struct account *a = &s->creds[kind].v[index];
    note_changed(s, a, kind, index);
    return a;
}

/* The accounts that the job belongs to: all, then those of the credentials it has.
 * NULL beyond the last; good until the next call. */
static struct account *account_of_job(
    struct statistics *s, const struct job *j, int *io_next)
{
    for (int k = *io_next; k >= 0; k--) {
        *io_next = k - 1;
        if (k == CRED_KINDS || j->cred[k])
            return account_get(s, (enum cred_kind)k, k == CRED_KINDS ? 0 : j->cred[k]);
    }
    return NULL;
}

#define ACCOUNTS_OF(s, j, a)                                                           \
    int next_ = CRED_KINDS;                                                            \
    for (struct account * a; ((a) = account_of_job(s, j, &next_));)

static void settle(struct account *a, int64_t now)
{
    if (a->at > INT64_MIN && now > a->at) {
        double dt = (double)(now - a->at);
        a->sums.ps_dedicated += (double)a->procs * dt;
        a->sums.mem_dedicated += (double)a->mem_mb * dt;
        a->active_ps += (double)a->procs * dt;
    }
    if (now > a->at)
        a->at = now;
}

/* ---- the machine ---- */

static void advance(struct statistics *s, int64_t now)
{
    if (s->at == INT64_MIN) {
        s->at = now;
        if (s->since == INT64_MIN)
            s->since = now;
    }
    if (now <= s->at)
        return;
    double dt = (double)(now - s->at);
    s->ps_available += (double)s->procs_up * dt;
    s->mem_available += (double)s->mem_up * dt;
    if (s->procs_up > 0) {
        s->backlog_area += s->backlog_ps / (double)s->procs_up * dt;
        s->watched_s += now - s->at;
    }
    s->at = now;
}

void statistics_nodes(struct statistics *s, const struct cluster *c, int64_t now)
{
    int64_t procs = 0, mem = 0;

    if (!s)
        return;
    for (size_t i = 0; i < c->partitions.n; i++) {
        procs += c->partitions.v[i]->up.v[RES_PROCS];
        mem += c->partitions.v[i]->up.v[RES_MEM];
    }
    if (procs == s->procs_up && mem == s->mem_up)
        return;
    advance(s, now);
    s->procs_up = procs;
    s->mem_up = mem;
    note_changed(s, &s->all, CRED_KINDS, 0);
}

void statistics_cycle(struct statistics *s, int64_t cycle)
{
    if (!s || s->procs_up <= 0)
        return;
    double use = (double)s->all.procs / (double)s->procs_up;
    if (s->least_use_cycle && use >= s->least_use)
        return;
    s->least_use = use;
    s->least_use_cycle = cycle;
    note_changed(s, &s->all, CRED_KINDS, 0);
}

static int64_t *promises_counted(
    struct statistics *s, enum stat_promise what, unsigned cause)
{
    struct stat_promises *p = &s->promises;
    int64_t *counts[] = {[STAT_PROMISED] = &p->made,
        [STAT_KEPT] = &p->kept,
        [STAT_LAPSED] = &p->lapsed,
        [STAT_BROKEN] = &p->broken[cause < STAT_CAUSES ? cause : 0]};

    return counts[what];
}

void statistics_promise(struct statistics *s, enum stat_promise what, unsigned cause)
{
    if (!s)
        return;
    ++*promises_counted(s, what, cause);
    note_changed(s, &s->all, CRED_KINDS, 0);
}

void statistics_promise_back(
    struct statistics *s, enum stat_promise what, unsigned cause, int64_t counted_at)
{
    if (!s || counted_at < s->since || *promises_counted(s, what, cause) == 0)
        return;
    --*promises_counted(s, what, cause);
    note_changed(s, &s->all, CRED_KINDS, 0);
}

static bool waits(const struct job *j)
{
    return j->state < JOB_COMPLETED && !job_is_active(j) && j->state != JOB_SUSPENDED;
}

static struct stay *stay_of(struct statistics *s, const struct job *j)
{
    while (s->stays.n <= j->index)
        vec_push(&s->stays, (struct stay){0});
    return &s->stays.v[j->index];
}

void statistics_queued(struct statistics *s, const struct job *j, int64_t now)
{
    if (!s)
        return;
    struct stay *stay = stay_of(s, j);
    bool counts = waits(j) && j->wclimit_s < DURATION_UNLIMITED;
    double work = counts ? (double)j->procs * (double)j->wclimit_s : 0;
    if (work == stay->backlog_ps)
        return;
    advance(s, now);
    s->backlog_ps += work - stay->backlog_ps;
    stay->backlog_ps = work;
    note_changed(s, &s->all, CRED_KINDS, 0);
}

/* ---- jobs ---- */

/* The account tells of time from here on, as far as this stay is concerned. */
static int64_t counts_from(
    const struct statistics *s, const struct account *a, int64_t from)
{
    int64_t since = a->loaded_at > s->since ? a->loaded_at : s->since;

    return from > since ? from : since;
}

static void add_stay(
    struct account *a, const struct stay *stay, int sign, int64_t seconds)
{
    a->sums.ps_dedicated += sign * (double)stay->procs * (double)seconds;
    a->sums.mem_dedicated += sign * (double)stay->mem_mb * (double)seconds;
}

static void begin_stay(
    struct statistics *s, const struct job *j, int64_t from, int64_t now)
{
    struct stay *stay = stay_of(s, j);
    stay->on = true;
    stay->from = from;
    stay->base = j->start_at + j->suspended_s;
    stay->procs = j->procs;
    stay->mem_mb = j->mem_mb;
    ACCOUNTS_OF(s, j, a)
    {
        settle(a, now);
        int64_t begin = counts_from(s, a, from);
        if (begin < now)
            add_stay(a, stay, +1, now - begin);
        a->active_ps += (double)stay->procs * (double)(now - stay->base);
        a->jobs++;
        a->procs += stay->procs;
        a->mem_mb += stay->mem_mb;
    }
}

static void end_stay(struct statistics *s, const struct job *j, int64_t at)
{
    struct stay *stay = stay_of(s, j);
    stay->on = false;
    ACCOUNTS_OF(s, j, a)
    {
        settle(a, at);
        /* It may have stopped before the present. */
        int64_t begin = counts_from(s, a, stay->from);
        begin = begin > at ? begin : at;
        if (begin < a->at)
            add_stay(a, stay, -1, a->at - begin);
        a->active_ps -= (double)stay->procs * (double)(a->at - stay->base);
        a->jobs--;
        a->procs -= stay->procs;
        a->mem_mb -= stay->mem_mb;
    }
}

void statistics_started(struct statistics *s, const struct cluster *c,
    const struct job *j, int64_t from, int64_t now)
{
    if (!s)
        return;
    advance(s, now);
    statnodes_job(s, c, j, +1, from, now);
    begin_stay(s, j, from, now);
    statistics_queued(s, j, now);
}

void statistics_stopped(
    struct statistics *s, const struct cluster *c, const struct job *j, int64_t at)
{
    if (!s || !stay_of(s, j)->on)
        return;
    advance(s, at);
    statnodes_job(s, c, j, -1, at, at);
    end_stay(s, j, at);
}

void statistics_passed(struct statistics *s, const struct cluster *c,
    const struct job *j, int64_t until, int64_t now)
{
    if (!s)
        return;
    advance(s, now);
    statnodes_passed(s, c, j, j->start_at, until, now);
    begin_stay(s, j, j->start_at, now);
    end_stay(s, j, until);
    statistics_queued(s, j, now);
}

/* What one ended job adds. */
struct ended {
    int64_t queue_s, run_s, bypass;
    double limit_s, xfactor, accuracy;
    bool success, met;
};

static struct ended measure(
    const struct cluster *c, const struct job *j, bool success, int64_t at)
{
    const struct cred_cfg *qos = job_cred(c, j, CRED_QOS)->cfg;
    bool limited = j->wclimit_s > 0 && j->wclimit_s < DURATION_UNLIMITED;
    int64_t pause_s = j->suspend_at ? at - j->suspend_at : 0; /* it ended suspended */
    struct ended d = {.success = success, .bypass = job_bypass(c, j)};

    d.queue_s = j->start_at > j->queue_at ? j->start_at - j->queue_at : 0;
    d.run_s = at - j->start_at - j->suspended_s - pause_s;
    if (d.run_s < 0)
        d.run_s = 0;
    if (limited && d.run_s > j->wclimit_s)
        d.run_s = j->wclimit_s;
    d.limit_s = limited ? (double)j->wclimit_s : d.run_s > 0 ? (double)d.run_s : 1;
    d.xfactor = (double)(d.queue_s + d.run_s) / d.limit_s;
    d.accuracy = limited ? (double)d.run_s / d.limit_s : 1;
    d.met = (qos->xf_target <= 0 || d.xfactor <= qos->xf_target)
            && (qos->qt_target_s <= 0 || d.queue_s <= qos->qt_target_s);
    return d;
}

static void most(int64_t *io, int64_t n)
{
    *io = n > *io ? n : *io;
}

static void add_ended(
    struct stat_sums *sums, const struct job *j, const struct ended *d)
{
    double procs = (double)j->procs, ps = procs * (double)d->run_s;

    sums->jobs++;
    sums->successful += d->success;
    sums->procs += j->procs;
    sums->queue_s += d->queue_s;
    most(&sums->max_queue_s, d->queue_s);
    sums->bypass += d->bypass;
    most(&sums->max_bypass, d->bypass);
    sums->qos_met += d->met;
    sums->ps_requested += procs * d->limit_s;
    sums->ps_run += ps;
    if (j->util_known) {
        sums->ps_utilized += j->util_procs * (double)d->run_s;
        sums->ps_measured += ps;
    }
    if (j->flags & JOB_BACKFILL) {
        sums->backfilled++;
        sums->ps_backfilled += ps;
    }
    sums->xfactor += d->xfactor;
    sums->xfactor_procs += d->xfactor * procs;
    sums->xfactor_ps += d->xfactor * ps;
    if (d->xfactor > sums->max_xfactor)
        sums->max_xfactor = d->xfactor;
    sums->accuracy += d->accuracy;
    sums->accuracy_ps += d->accuracy * ps;
}

void statistics_ended(struct statistics *s, const struct cluster *c,
    const struct job *j, bool success, int64_t at)
{
    if (!s)
        return;
    struct ended d = measure(c, j, success, at);
    ACCOUNTS_OF(s, j, a) add_ended(&a->sums, j, &d);
    add_ended(grid_cell(s, j->procs, d.limit_s), j, &d);
}

void statistics_preempted(
    struct statistics *s, const struct cluster *c, const struct job *j, int64_t lost_s)
{
    (void)c;
    if (!s)
        return;
    ACCOUNTS_OF(s, j, a)
    {
        a->sums.preempted++;
        a->sums.ps_preempted += (double)j->procs * (double)(lost_s > 0 ? lost_s : 0);
    }
}

static void reset_account(struct statistics *s, enum cred_kind kind, uint32_t index)
{
    struct account *a = account_get(s, kind, index);

    settle(a, s->at);
    a->sums = (struct stat_sums){0};
    a->loaded_at = INT64_MIN;
}

void statistics_reset(struct statistics *s, int64_t now)
{
    if (!s)
        return;
    advance(s, now);
    s->since = s->at;
    s->ps_available = s->mem_available = s->backlog_area = 0;
    s->watched_s = 0;
    s->least_use_cycle = 0;
    s->promises = (struct stat_promises){0};
    reset_account(s, CRED_KINDS, 0);
    for (int k = 0; k < CRED_KINDS; k++)
        for (uint32_t i = 0; i < s->creds[k].n; i++)
            reset_account(s, (enum cred_kind)k, i);
    grid_reset(s);
    statnodes_reset(s, s->at);
}

/* ---- looking ---- */

void statistics_of(const struct statistics *s, enum cred_kind kind, uint32_t index,
    int64_t now, struct stat_figures *ret)
{
    struct account a = {0};

    if (kind == CRED_KINDS)
        a = s->all;
    else if (index < s->creds[kind].n)
        a = s->creds[kind].v[index];
    settle(&a, now);
    *ret = (struct stat_figures){.sums = a.sums,
        .active_jobs = a.jobs,
        .active_procs = a.procs,
        .active_ps = a.active_ps};
}

void statistics_machine(
    const struct statistics *s, int64_t now, struct stat_machine *ret)
{
    struct statistics then = *s; /* only its own figures are changed */

    advance(&then, now);
    *ret = (struct stat_machine){.since = then.since,
        .procs_up = then.procs_up,
        .mem_up = then.mem_up,
        .ps_available = then.ps_available,
        .mem_available = then.mem_available,
        .least_use = then.least_use,
        .least_use_cycle = then.least_use_cycle,
        .promises = then.promises};
    if (then.procs_up > 0)
        ret->backlog_s = then.backlog_ps / (double)then.procs_up;
    if (then.watched_s > 0)
        ret->backlog_average_s = then.backlog_area / (double)then.watched_s;
}

/* ---- counted again ---- */

/* The jobs on nodes that belong to it; `kind` CRED_KINDS: all of them. */
static void check_account(const struct statistics *s, const struct cluster *c,
    const struct account *a, int kind, uint32_t index)
{
    struct account again = {0};

    for (size_t i = 0; i < c->jobs.n; i++) {
        const struct job *j = c->jobs.v[i];
        if (!j || !job_is_active(j) || (kind < CRED_KINDS && j->cred[kind] != index))
            continue;
        const struct stay *stay = &s->stays.v[j->index];
        again.jobs++;
        again.procs += j->procs;
        again.mem_mb += j->mem_mb;
        again.active_ps += (double)j->procs * (double)(a->at - stay->base);
    }
    assert(a->jobs == again.jobs && a->procs == again.procs);
    assert(a->mem_mb == again.mem_mb && is_near(a->active_ps, again.active_ps));
}

static void check_stays(const struct statistics *s, const struct cluster *c)
{
    double work = 0;

    for (size_t i = 0; i < c->jobs.n; i++) {
        const struct job *j = c->jobs.v[i];
        if (!j)
            continue;
        bool known = i < s->stays.n,
             queued = waits(j) && j->wclimit_s < DURATION_UNLIMITED;
        double its = queued ? (double)j->procs * (double)j->wclimit_s : 0;
        assert((known && s->stays.v[i].on) == job_is_active(j));
        assert(is_near(known ? s->stays.v[i].backlog_ps : 0, its));
        work += its;
    }
    assert(is_near(s->backlog_ps, work));
}

void statistics_check(const struct statistics *s, const struct cluster *c)
{
    if (!s)
        return;
    check_stays(s, c);
    check_account(s, c, &s->all, CRED_KINDS, 0);
    for (int k = 0; k < CRED_KINDS; k++)
        for (uint32_t i = 1; i < s->creds[k].n; i++)
            check_account(s, c, &s->creds[k].v[i], k, i);
    statnodes_check(s, c);
}
