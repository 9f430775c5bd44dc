/* SPDX-License-Identifier: Apache-2.0
 * See planning.h. */
#include "engine/planning.h"

#include "config/settings.h"
#include "engine/admission.h"
#include "engine/engine_private.h"
#include "engine/start.h"
#include "plan/search/orders.h"
#include "plan/search/search.h"
#include "plan/supply.h"
#include "policy/accrual.h"

#include <math.h>

/* Of a job, as long as it is known. 0 = none. */
struct place {
    int64_t latest;  /* promised */
    int64_t planned; /* in the plan of the last cycle */
};

struct planning {
    struct VEC(struct place) places; /* by job index */
    struct wishes all, window;
    struct VEC(uint32_t) jobs;    /* of wishes of `all`, in site order */
    struct VEC(uint32_t) order;   /* of wishes, in order of planned start */
    struct VEC(uint32_t) site;    /* 0, 1, 2 ... */
    struct VEC(int64_t) starts;   /* by wish */
    struct VEC(int64_t) site_starts;
    struct VEC(uint32_t) chosen;  /* wishes of the window */
    struct VEC(int64_t) found;
    struct VEC(uint32_t) sorted;
    struct VEC(bool) taken;
};

struct planning *planning_create(void)
{
    return xcalloc(1, sizeof(struct planning));
}

void planning_destroy(struct planning *p)
{
    wishes_fini(&p->all);
    wishes_fini(&p->window);
    vec_fini(&p->places);
    vec_fini(&p->jobs);
    vec_fini(&p->order);
    vec_fini(&p->site);
    vec_fini(&p->starts);
    vec_fini(&p->site_starts);
    vec_fini(&p->chosen);
    vec_fini(&p->found);
    vec_fini(&p->sorted);
    vec_fini(&p->taken);
    free(p);
}

static struct place *place_of(struct planning *p, uint32_t job)
{
    while (p->places.n <= job)
        vec_push(&p->places, ((struct place){0}));
    return &p->places.v[job];
}

void planning_forget(struct planning *p, const struct job *j)
{
    if (j->index < p->places.n)
        p->places.v[j->index] = (struct place){0};
}

bool planning_is_policy(const struct engine *e)
{
    return e->cfg->par.v[0].bf_policy == BACKFILL_PLAN;
}

/* ---- settings, for now ---- */
#include <stdlib.h>
static double env(const char *name, double other)
{
    const char *v = getenv(name);
    return v ? atof(v) : other;
}
static double P_DEPTH, P_WINDOW, P_EVAL, P_EXP, P_SHORT, P_SLACK, P_TIGHT, P_HORIZON;
static void read_env(void)
{
    static bool done;
    if (done)
        return;
    done = true;
    P_DEPTH = env("PD", 200);
    P_WINDOW = env("PW", 96);
    P_EVAL = env("PE", 200);
    P_EXP = env("PX", 2);
    P_SHORT = env("PS", 0.2);
    P_SLACK = env("PL", 86400);
    P_TIGHT = env("PT", 1);
    P_HORIZON = env("PH", -1);
}

static void make_wish(struct engine *e, struct planning *p, struct job *j)
{
    struct wish w = {0};
    double run = (double)(j->wclimit_s > 0 ? j->wclimit_s : 1);

    if (!supply_wish(e->plan, j, 0, &p->all, &w)) {
        start_if_possible(e, j);
        return;
    }
    struct place *place = place_of(p, j->index);
    w.not_before = e->now;
    w.latest = place->latest ? place->latest : TIME_NEVER;
    w.since = e->now - accrual_queue_s(&e->cfg->prio, j, e->now);
    w.run_s = run;
    w.short_run = 1 / (run > 10 ? run : 10);
    w.weight = pow(w.short_run, P_SHORT);
    vec_push(&p->all.v, w);
    vec_push(&p->jobs, j->index);
}

static struct planning *sorting;
static int compare_planned(const void *a, const void *b)
{
    uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    int64_t x = sorting->places.v[sorting->jobs.v[i]].planned,
            y = sorting->places.v[sorting->jobs.v[k]].planned;

    x = x ? x : TIME_NEVER;
    y = y ? y : TIME_NEVER;
    if (x != y)
        return x < y ? -1 : 1;
    return i < k ? -1 : 1;
}

#define RESIZE(vec, size)                                                              \
    do {                                                                               \
        (vec).n = 0;                                                                   \
        vec_reserve(&(vec), (size) + 1);                                               \
        (vec).n = (size);                                                              \
    } while (0)

static void list_present(struct planning *p, const struct search_terms *t)
{
    size_t n = p->all.v.n;
    double cost;

    RESIZE(p->order, n);
    RESIZE(p->site, n);
    RESIZE(p->starts, n);
    RESIZE(p->site_starts, n);
    for (uint32_t i = 0; i < n; i++)
        p->order.v[i] = p->site.v[i] = i;
    sorting = p;
    qsort(p->order.v, n, sizeof *p->order.v, compare_planned);
    search_list(&p->all, t, p->order.v, p->starts.v, &cost);
}

static void promise_starts(struct engine *e, struct planning *p, const struct search_terms *t)
{
    bool wanted = P_TIGHT > 0 && P_SLACK > 0;
    double cost;

    for (size_t i = 0; i < p->all.v.n && !wanted; i++)
        wanted = p->all.v.v[i].latest == TIME_NEVER;
    if (!wanted)
        return;
    if (P_HORIZON >= 0 || P_TIGHT > 0)
        search_list(&p->all, t, p->site.v, p->site_starts.v, &cost);
    for (size_t i = 0; i < p->all.v.n; i++) {
        struct place *place = place_of(p, p->jobs.v[i]);
        int64_t s = p->starts.v[i], site = p->site_starts.v[i];
        if (!place->latest && P_HORIZON < 0)
            place->latest = s + (int64_t)P_SLACK;
        else if (!place->latest && site < e->now + (int64_t)P_HORIZON)
            place->latest = s > site + (int64_t)P_SLACK ? s : site + (int64_t)P_SLACK;
        if (place->latest && P_TIGHT > 0) {
            int64_t g = s > site + (int64_t)P_SLACK ? s : site + (int64_t)P_SLACK;
            place->latest = place->latest < g ? place->latest : g;
        }
        p->all.v.v[i].latest = place->latest ? place->latest : TIME_NEVER;
    }
}

static bool fits_now(const struct planning *p, uint32_t i)
{
    return wishes_fit(&p->all, p->all.parts.v, &p->all.v.v[i], p->all.now) == p->all.now;
}

static void choose(struct planning *p, uint32_t i)
{
    if (p->taken.v[i])
        return;
    p->taken.v[i] = true;
    vec_push(&p->chosen, i);
}

static bool choose_window(struct planning *p)
{
    size_t n = p->all.v.n, most = (size_t)P_WINDOW;
    bool any = false;

    RESIZE(p->taken, n);
    RESIZE(p->sorted, n);
    p->chosen.n = 0;
    memset(p->taken.v, 0, n * sizeof *p->taken.v);
    for (uint32_t i = 0; i < n && !any; i++)
        any = fits_now(p, i);
    if (!any)
        return false;
    if (n <= most) {
        for (size_t i = 0; i < n; i++)
            choose(p, p->order.v[i]);
        return true;
    }
    for (size_t i = 0; i < most / 2; i++)
        choose(p, p->order.v[i]);
    unsigned kinds = orders_count();
    for (unsigned k = 0; k < kinds; k++) {
        size_t share = (most - most / 2) / kinds + 1;
        orders_sort(&p->all, k, p->order.v, p->site.v, p->sorted.v);
        for (size_t i = 0; i < n && share && p->chosen.n < most; i++) {
            uint32_t w = p->sorted.v[i];
            if (p->taken.v[w] || !fits_now(p, w))
                continue;
            choose(p, w);
            share--;
        }
    }
    return true;
}

/* Window wishes keep their order: of the present plan. */
static int compare_place(const void *a, const void *b)
{
    int64_t x = sorting->starts.v[*(const uint32_t *)a],
            y = sorting->starts.v[*(const uint32_t *)b];

    if (x != y)
        return x < y ? -1 : 1;
    return *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1;
}

static void search_window(struct planning *p, const struct search_terms *t)
{
    struct wishes *w = &p->window;
    struct search_result r;

    qsort(p->chosen.v, p->chosen.n, sizeof *p->chosen.v, compare_place);
    while (w->parts.n < p->all.parts.n) {
        vec_push(&w->parts, ((struct profile){0}));
        profile_init(&w->parts.v[w->parts.n - 1]);
    }
    w->parts.n = p->all.parts.n;
    for (size_t i = 0; i < w->parts.n; i++)
        profile_assign(&w->parts.v[i], &p->all.parts.v[i]);
    w->now = p->all.now;
    w->sets.n = w->v.n = 0;
    for (size_t i = 0; i < p->all.sets.n; i++)
        vec_push(&w->sets, p->all.sets.v[i]);
    for (uint32_t i = 0; i < p->all.v.n; i++)
        if (!p->taken.v[i] && p->starts.v[i] < TIME_NEVER)
            wishes_take(w, w->parts.v, &p->all.v.v[i], p->starts.v[i]);
    RESIZE(p->sorted, p->chosen.n);
    RESIZE(p->found, p->chosen.n);
    for (uint32_t i = 0; i < p->chosen.n; i++) {
        vec_push(&w->v, p->all.v.v[p->chosen.v[i]]);
        p->sorted.v[i] = i;
    }
    RESIZE(p->site_starts, p->chosen.n);
    uint32_t *site = xcalloc(p->chosen.n + 1, sizeof *site);
    for (uint32_t i = 0; i < p->chosen.n; i++)
        site[i] = i;
    /* insertion sort by site place */
    for (uint32_t i = 1; i < p->chosen.n; i++)
        for (uint32_t k = i; k > 0 && p->chosen.v[site[k - 1]] > p->chosen.v[site[k]]; k--) {
            uint32_t x = site[k];
            site[k] = site[k - 1];
            site[k - 1] = x;
        }
    r.start_at = p->found.v;
    search_run(w, t, p->sorted.v, site, &r);
    free(site);
    if (r.better)
        for (uint32_t i = 0; i < p->chosen.n; i++)
            p->starts.v[p->chosen.v[i]] = p->found.v[i];
}

static void start_due(struct engine *e, struct planning *p, const struct queue_view *jobs)
{
    bool recheck = admission_asks(e, ADMIT_SOFT);
    int64_t next = TIME_NEVER;

    for (size_t i = 0; i < p->all.v.n; i++) {
        struct job *j = e->c->jobs.v[p->jobs.v[i]];
        int64_t at = p->starts.v[i];
        place_of(p, j->index)->planned = at;
        if (at > e->now) {
            next = at < next ? at : next;
            continue;
        }
        if (recheck && !allowed_now(e, j, LEVEL_SOFT))
            continue;
        if (!start_job(e, j, 0, false))
            continue;
    }
    if (jobs->n > p->all.v.n) { /* what is still free is offered to the others */
        for (size_t i = 0; i < p->all.v.n; i++)
            if (p->starts.v[i] < TIME_NEVER)
                wishes_take(&p->all, p->all.parts.v, &p->all.v.v[i], p->starts.v[i]);
        for (size_t i = (size_t)P_DEPTH; i < jobs->n; i++) {
            struct job *j = e->c->jobs.v[jobs->v[i].job];
            struct wish w = {0};
            if (!job_waits(j) || place_of(p, j->index)->latest
                || !supply_wish(e->plan, j, 0, &p->all, &w))
                continue;
            if (wishes_fit(&p->all, p->all.parts.v, &w, e->now) != e->now)
                continue;
            if (recheck && !allowed_now(e, j, LEVEL_SOFT))
                continue;
            if (start_job(e, j, 0, false))
                wishes_take(&p->all, p->all.parts.v, &w, e->now);
        }
    }
    if (next < TIME_NEVER)
        wake_at(e, next);
}

void planning_pass(struct engine *e, const struct queue_view *jobs)
{
    struct planning *p = e->planning;
    read_env();
    struct search_terms t = {.wait_exponent = P_EXP,
        .band_factor = 100,
        .evaluations = (uint32_t)P_EVAL,
        .seed = 1 + (uint64_t)e->now};

    supply_begin(e->plan, &p->all);
    p->jobs.n = 0;
    for (size_t i = 0; i < jobs->n; i++) {
        struct job *j = e->c->jobs.v[jobs->v[i].job];
        if (job_waits(j) && (i < (size_t)P_DEPTH || place_of(p, j->index)->latest))
            make_wish(e, p, j);
    }
    if (!p->all.v.n)
        return;
    list_present(p, &t);
    promise_starts(e, p, &t);
    if (choose_window(p))
        search_window(p, &t);
    start_due(e, p, jobs);
}
