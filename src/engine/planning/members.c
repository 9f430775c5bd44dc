/* SPDX-License-Identifier: Apache-2.0
 * Who takes part, and how much their waits weigh. Source: reference plan-search,
 * section 1. */
#include "config/settings.h"
#include "engine/charging/charging.h"
#include "engine/classes.h"
#include "engine/keeping.h"
#include "engine/planning/private.h"
#include "plan/supply.h"
#include "policy/accrual.h"
#include "policy/bank.h"
#include "policy/fairshare.h"

#include <math.h>

/* ---- bands ---- */

/* What a QOS adds to a priority. */
static double points_of(const struct engine *e, const struct cred_cfg *qos)
{
    const struct prio_settings *prio = &e->cfg->prio;

    return prio->comp_weight[PRIO_CRED] * prio->weight[PRIO_QOS]
           * (double)qos->priority;
}

/* What a day in the queue adds. */
static double day_of(const struct engine *e)
{
    const struct prio_settings *prio = &e->cfg->prio;

    return prio->comp_weight[PRIO_SERV] * prio->weight[PRIO_QUEUETIME] * 24 * 60;
}

/* The highest points below these: of a QOS, or none, as jobs without one have. -inf:
 * there are none. */
static double next_below(const struct engine *e, double points)
{
    double below = points > 0 ? 0 : -INFINITY;

    for (size_t i = 0; i < e->cfg->creds[CRED_QOS].n; i++) {
        double p = points_of(e, &e->cfg->creds[CRED_QOS].v[i]);
        if (p < points && p > below)
            below = p;
    }
    return below;
}

/* Steps of more than a day from there down. */
static uint32_t count_bands_below(const struct engine *e, double points)
{
    double day = day_of(e), below;
    uint32_t bands = 0;

    while ((below = next_below(e, points)) > -INFINITY) {
        bands += points - below > day;
        points = below;
    }
    return bands;
}

static uint32_t count_band(const struct engine *e, uint32_t qos)
{
    const struct cred_cfg *cfg = e->c->creds[CRED_QOS].v[qos]->cfg;

    if (cfg->plan_band > 0)
        return (uint32_t)cfg->plan_band - 1;
    return count_bands_below(e, points_of(e, cfg));
}

static void count_bands(struct engine *e)
{
    struct planning *p = e->passes.planning;

    if (p->bands_epoch != e->c->config_epoch)
        p->bands.n = 0;
    p->bands_epoch = e->c->config_epoch;
    for (uint32_t qos = (uint32_t)p->bands.n; qos < e->c->creds[CRED_QOS].n; qos++)
        vec_push(&p->bands, count_band(e, qos));
}

uint32_t members_band(const struct engine *e, uint32_t qos)
{
    return e->passes.planning->bands.v[qos];
}

/* ---- weights ---- */

/* 2^(d / PLANFSDOUBLE), d = percentage points below the targets of its credentials,
 * each by its weight relative to the strongest. */
static double fairshare_factor(const struct engine *e, const struct job *j)
{
    static const enum prio_sub subs[CRED_KINDS] = {[CRED_USER] = PRIO_FSUSER,
        [CRED_GROUP] = PRIO_FSGROUP,
        [CRED_ACCOUNT] = PRIO_FSACCOUNT,
        [CRED_QOS] = PRIO_FSQOS,
        [CRED_CLASS] = PRIO_FSCLASS};
    const struct plan_settings *plan = &e->cfg->plan;
    double strongest = 0, points = 0;

    if (plan->fs_double <= 0 || e->cfg->fs.policy == FS_OFF
        || e->cfg->prio.comp_weight[PRIO_FS] <= 0)
        return 1;
    for (int kind = 0; kind < CRED_KINDS; kind++)
        if (e->cfg->prio.weight[subs[kind]] > strongest)
            strongest = e->cfg->prio.weight[subs[kind]];
    for (int kind = 0; kind < CRED_KINDS && strongest > 0; kind++)
        points += e->cfg->prio.weight[subs[kind]] / strongest
                  * fs_factor(e->c, job_cred(e->c, j, (enum cred_kind)kind));
    double factor = exp2(points / plan->fs_double);
    if (factor > plan->fs_max)
        return plan->fs_max;
    return factor < 1 / plan->fs_max ? 1 / plan->fs_max : factor;
}

static void weigh_wish(struct engine *e, const struct job *j, struct wish *io)
{
    struct prediction run = predictions_run(e, j);
    struct promise promised;

    io->since = e->now - accrual_queue_s(&e->cfg->prio, j, e->now);
    io->latest = promises_of(e->promises, j, PROMISE_START, &promised)
                     ? promised.latest_start
                     : TIME_NEVER;
    io->band = members_band(e, j->cred[CRED_QOS]);
    io->run_s = run.run_s;
    io->short_run = run.short_run;
    io->weight =
        fairshare_factor(e, j) * pow(io->short_run, e->cfg->plan.short_exponent);
}

/* ---- who ---- */

/* Its place in the plan of the last cycle, promised or not: its partition; INDEX_NONE,
 * it had none. It stays there, or it would be in the way of those planned there. */
static uint32_t last_partition(
    const struct engine *e, const struct job *j, int64_t *ret_start_at)
{
    const struct planning *p = e->passes.planning;
    const struct promise *row = promises_row(e->promises, j, PROMISE_START);
    bool known = j->index < p->known.n && p->known.v[j->index].pass + 1 == p->pass;
    uint32_t partition = INDEX_NONE;

    *ret_start_at = TIME_NEVER;
    if (row) {
        *ret_start_at = row->not_before;
        partition = row->partition;
    } else if (known) {
        *ret_start_at = p->known.v[j->index].start_at;
        partition = p->known.v[j->index].partition;
    }
    return partition != INDEX_NONE && (j->partitions >> partition & 1) ? partition
                                                                       : INDEX_NONE;
}

/* In which it may be planned. */
static uint64_t partitions_of(const struct engine *e, const struct job *j)
{
    int64_t ignored;
    uint32_t last = last_partition(e, j, &ignored);

    return last != INDEX_NONE
               ? UINT64_C(1) << last
               : j->partitions & ((UINT64_C(1) << e->c->partitions.n) - 1);
}

/* False: it is not planned by count. */
static bool add_member(struct engine *e, const struct job *j, uint32_t rank)
{
    struct planning *p = e->passes.planning;
    struct wish wish = {.not_before = e->now};

    for (uint64_t m = partitions_of(e, j); m; m &= m - 1) {
        uint32_t partition = (uint32_t)__builtin_ctzll(m);
        if (!supply_wish(e->plan, j, partition, &p->wishes, &wish))
            continue;
        vec_push(&p->members,
            ((struct member){.job = j->index, .partition = partition, .rank = rank}));
        vec_push(&p->wishes.v, wish);
        bitset_set(&p->jobs, j->index);
        return true;
    }
    return false;
}

/* Another partition may have room sooner. */
static void choose_partition(struct engine *e, const struct job *j, size_t i)
{
    struct planning *p = e->passes.planning;
    struct wishes *w = &p->wishes;
    uint64_t m = partitions_of(e, j);
    int64_t first = wishes_fit(w, w->parts.v, &w->v.v[i], e->now);

    for (m &= m - 1; m && first > e->now; m &= m - 1) {
        uint32_t partition = (uint32_t)__builtin_ctzll(m);
        struct wish wish = w->v.v[i];
        if (!supply_wish(e->plan, j, partition, w, &wish))
            continue;
        int64_t at = wishes_fit(w, w->parts.v, &wish, e->now);
        if (at >= first)
            continue;
        first = at;
        p->members.v[i].partition = partition;
        w->v.v[i] = wish;
    }
}

int64_t members_planned(const struct engine *e, const struct member *m)
{
    int64_t start_at;

    last_partition(e, e->c->jobs.v[m->job], &start_at);
    return start_at;
}

void members_note(struct engine *e, const struct member *m)
{
    struct planning *p = e->passes.planning;
    struct promise *row =
        promises_row(e->promises, e->c->jobs.v[m->job], PROMISE_START);

    if (row) {
        row->not_before = m->start_at;
        row->partition = m->partition;
        return;
    }
    while (p->known.n <= m->job)
        vec_push(&p->known, ((struct known_place){0}));
    p->known.v[m->job] = (struct known_place){p->pass, m->start_at, m->partition};
}

static void add_fixed(struct engine *e, const struct job *j, uint32_t rank)
{
    int64_t ignored;

    vec_push(
        &e->passes.planning->fixed, ((struct member){.job = j->index,
                                        .partition = last_partition(e, j, &ignored),
                                        .rank = rank}));
    bitset_set(&e->passes.planning->fixed_jobs, j->index);
}

/* It is not for the search: it may go to several classes, or has to end by an instant.
 */
static bool stays_apart(const struct job *j)
{
    return classes_several(j) || (j->extra && j->extra->deadline_at);
}

/* Its account could not pay though nothing were kept for others: it has no place among
 * those who wait for nodes, as in the pass by priority. JFACTION says what follows. */
static bool drop_unfunded(struct engine *e, struct job *j)
{
    struct reason why = {.kind = CRED_KINDS, .kind2 = CRED_KINDS, .asked = j->tasks};

    if (!bank_in_force(e->c) || !bank_refuses(e->c, j, e->now, &why)
        || (why.lack == LACK_CREDITS && why.asked <= why.limit))
        return false;
    j->why = why;
    charging_refuse(e, j);
    queue_touch(e->queue, j);
    promises_void(e->promises, j);
    return true;
}

void members_collect(struct engine *e, const struct queue_view *jobs)
{
    struct planning *p = e->passes.planning;
    size_t depth = (size_t)e->cfg->plan.depth, seen = 0;

    p->members.n = p->fixed.n = p->apart.n = 0;
    p->pass++;
    count_bands(e);
    bitset_clear_all(&p->jobs);
    bitset_clear_all(&p->fixed_jobs);
    supply_begin(e->plan, &p->wishes);
    for (size_t i = 0; i < jobs->n; i++) {
        uint32_t job = jobs->v[i].job;
        if (seen >= depth && !promises_has_row(e->promises, job, PROMISE_START))
            continue; /* most of a long queue: none of them is read */
        struct job *j = e->c->jobs.v[job];
        if (!job_waits(j) || keeping_stands(e, j, PROMISE_DEADLINE)
            || keeping_stands(e, j, PROMISE_RETRY) || drop_unfunded(e, j))
            continue;
        seen++;
        if (stays_apart(j))
            vec_push(&p->apart, j->index);
        else if (!add_member(e, j, (uint32_t)i))
            add_fixed(e, j, (uint32_t)i);
    }
}

static void limit_members(struct engine *e)
{
    struct planning *p = e->passes.planning;

    bounds_begin(e, &p->bounds);
    for (uint32_t i = 0; i < p->members.n; i++)
        bounds_add(e, &p->bounds, e->c->jobs.v[p->members.v[i].job], i);
    bounds_settle(e, &p->bounds, &p->wishes);
    bounds_open(e, &p->bounds, &p->jobs, NULL, NULL, &p->wishes);
}

void members_weigh(struct engine *e, bool choose)
{
    struct planning *p = e->passes.planning;

    supply_parts(e->plan, &p->jobs, &p->wishes);
    limit_members(e);
    for (size_t i = 0; i < p->members.n; i++) {
        const struct job *j = e->c->jobs.v[p->members.v[i].job];
        if (choose)
            choose_partition(e, j, i);
        weigh_wish(e, j, &p->wishes.v.v[i]);
    }
}
