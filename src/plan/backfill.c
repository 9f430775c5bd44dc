/* SPDX-License-Identifier: Apache-2.0
 * See backfill.h. */
#include "plan/backfill.h"

#include "cluster/job.h"
#include "config/policies.h"

#include <string.h>

double backfill_metric(const struct backfill *b, const struct job *j)
{
    double seconds = (double)j->wclimit_s;

    switch (b->par->bf_metric) {
    case BFMETRIC_PROCS:
        return j->procs;
    case BFMETRIC_PROCSECONDS:
        return j->procs * seconds;
    case BFMETRIC_SECONDS:
        return seconds;
    case BFMETRIC_PE:
        return j->pe;
    case BFMETRIC_PESECONDS:
        return j->pe * seconds;
    case BFMETRIC_NODES:
        return j->reqs[0].nodes;
    }
    return 0;
}

static bool is_waiting(const struct backfill *b, const struct job *j)
{
    return job_waits(j) && !plan_is_reserved(b->plan, j);
}

/* Is the window long enough, if only on the fastest nodes? */
static bool lasts(const struct backfill *b, const struct window *w, int64_t wclimit_s)
{
    return w->duration_s >= wclimit_s
           || (b->speed > 1 && w->duration_s >= plan_scaled(wclimit_s, b->speed));
}

static bool in_window(
    const struct backfill *b, const struct job *j, const struct window *w)
{
    return j->procs <= w->procs && lasts(b, w, job_least_limit(j));
}

static void refuse(struct job *j, enum wait_code code, int64_t limit, int64_t used)
{
    j->why = (struct reason){.code = (uint8_t)code,
        .kind = CRED_KINDS,
        .kind2 = CRED_KINDS,
        .limit = limit,
        .used = used,
        .asked = j->procs};
}

/* ---- FIRSTFIT ---- */

/* In the shortest window of those long enough, which is the widest of them? They bound
 * what any job can get, whatever its tasks look like. */
static bool in_some_window(
    const struct backfill *b, const struct windows *ws, const struct candidate *x)
{
    size_t i = 0;

    if (x->procs > ws->v[0].procs)
        return false;
    while (i < ws->n && !lasts(b, &ws->v[i], x->wclimit_s))
        i++;
    return i < ws->n && x->procs <= ws->v[i].procs;
}

/* One candidate; returns whether it started. */
static bool try_one(struct backfill *b, struct job *j, bool chunking)
{
    if (chunking && j->procs < b->chunk_size) {
        refuse(j, WAIT_CHUNK, b->chunk_size, 0);
        return false;
    }
    return b->placeable(b->ctx, j) && b->start(b->ctx, j);
}

/* With a window, only candidates inside it; without, all of them once, in order. */
static uint32_t first_fit(
    struct backfill *b, const struct candidate *jobs, size_t n, const struct window *w)
{
    struct window one = w ? *w : (struct window){0};
    const struct windows given = {.v = &one, .n = 1}, *ws = NULL;
    uint32_t access = PLAN_ACCESS_ANY, started = 0;
    bool chunking = false;

    for (size_t i = 0; i < n; i++) {
        if (w) {
            ws = &given;
        } else if (!ws || jobs[i].access != access) {
            access = jobs[i].access;
            ws = plan_windows(b->plan, b->partition, access);
        }
        if (jobs[i].procs > ws->v[0].procs && b->chunk_size <= 0) {
            while (i + 1 < n && jobs[i + 1].procs > ws->v[0].procs
                   && (w || jobs[i + 1].access == access))
                i++; /* the next ones too: none of them is looked at */
            continue;
        }
        bool large = b->chunk_size > 0 && jobs[i].procs >= b->chunk_size;
        bool fits = in_some_window(b, ws, &jobs[i]);
        if (!fits && !(large && !chunking))
            continue; /* waits for resources: what it was told before holds */
        struct job *j = b->c->jobs.v[jobs[i].job];
        if (!is_waiting(b, j))
            continue;
        ws = NULL; /* whatever is asked or changed now, ask again */
        if (fits && try_one(b, j, chunking))
            started++;
        else if (large)
            chunking = true;
    }
    return started;
}

/* ---- BESTFIT ---- */

struct ranked {
    double metric;
    uint32_t candidate;
};
struct ranking VEC(struct ranked);

/* Highest metric first; of equal ones in the order of the queue. */
static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (x->metric != y->metric)
        return x->metric < y->metric ? 1 : -1;
    return (x->candidate > y->candidate) - (x->candidate < y->candidate);
}

/* A start leaves less for the others: who could not be placed before cannot be after
 * it, and nobody is asked twice. O(n log n) and n questions. */
static uint32_t best_fit(
    struct backfill *b, const struct candidate *jobs, size_t n, const struct window *w)
{
    struct ranking best = {0};
    uint32_t started = 0;

    for (uint32_t i = 0; i < n; i++) {
        struct job *j = b->c->jobs.v[jobs[i].job];
        if (is_waiting(b, j) && in_window(b, j, w))
            vec_push(&best, ((struct ranked){backfill_metric(b, j), i}));
    }
    if (best.n)
        qsort(best.v, best.n, sizeof *best.v, compare_ranked);
    for (size_t i = 0; i < best.n; i++) {
        struct job *j = b->c->jobs.v[jobs[best.v[i].candidate].job];
        if (is_waiting(b, j) && b->placeable(b->ctx, j) && b->start(b->ctx, j))
            started++;
    }
    vec_fini(&best);
    return started;
}

/* ---- GREEDY ---- */

/* Depth-first search for the set of candidates with the highest sum of metric
 * within the window; a later set replaces the best only if strictly better. */
struct greedy {
    struct backfill *b;
    struct VEC(struct job *) fits; /* candidates of the window */
    struct VEC(uint32_t) set, best;
    int64_t procs_left;
    double value, best_value;
    int64_t tries_left;
    bool perfect;
};

static void greedy_search(struct greedy *g)
{
    size_t next = 0;

    /* an explicit stack (the set itself): take the next candidate that fits, and on
     * reaching the end give the last one back and go on behind it */
    for (;;) {
        while (next < g->fits.n && g->fits.v[next]->procs > g->procs_left)
            next++;
        if (next < g->fits.n) {
            const struct job *j = g->fits.v[next];
            vec_push(&g->set, (uint32_t)next);
            g->procs_left -= j->procs;
            g->value += backfill_metric(g->b, j);
            if (g->value > g->best_value) {
                g->best_value = g->value;
                g->best.n = 0;
                for (size_t i = 0; i < g->set.n; i++)
                    vec_push(&g->best, g->set.v[i]);
            }
            if (--g->tries_left <= 0
                || (g->procs_left == 0 && g->b->par->bf_metric == BFMETRIC_PROCS))
                return;
            next++;
            continue;
        }
        if (g->set.n == 0)
            return;
        uint32_t last = g->set.v[--g->set.n];
        g->procs_left += g->fits.v[last]->procs;
        g->value -= backfill_metric(g->b, g->fits.v[last]);
        next = last + 1;
    }
}

static uint32_t greedy(
    struct backfill *b, const struct candidate *jobs, size_t n, const struct window *w)
{
    struct greedy g = {.b = b,
        .procs_left = w->procs,
        .tries_left = b->par->bf_max_schedules > 0 ? b->par->bf_max_schedules : 10000};
    uint32_t started = 0;
    bool failed = false;

    for (size_t i = 0; i < n; i++) {
        struct job *j = b->c->jobs.v[jobs[i].job];
        if (is_waiting(b, j) && in_window(b, j, w) && b->placeable(b->ctx, j))
            vec_push(&g.fits, j);
    }
    greedy_search(&g);
    for (size_t i = 0; i < g.best.n; i++) {
        struct job *j = g.fits.v[g.best.v[i]];
        if (b->placeable(b->ctx, j) && b->start(b->ctx, j))
            started++;
        else
            failed = true;
    }
    vec_fini(&g.fits);
    vec_fini(&g.set);
    vec_fini(&g.best);
    return failed ? started + best_fit(b, jobs, n, w) : started;
}

/* ---- windows ---- */

static uint32_t run_window(
    struct backfill *b, const struct candidate *jobs, size_t n, const struct window *w)
{
    switch (b->par->bf_policy) {
    case BACKFILL_BESTFIT:
        return best_fit(b, jobs, n, w);
    case BACKFILL_GREEDY:
        return greedy(b, jobs, n, w);
    case BACKFILL_FIRSTFIT:
    case BACKFILL_PREEMPT:
    case BACKFILL_PLAN:
        return first_fit(b, jobs, n, w);
    case BACKFILL_NONE:
        break;
    }
    return 0;
}

/* Widest first: each window is the next longer one of what is left by then. */
static uint32_t widest_first(struct backfill *b, const struct candidate *jobs, size_t n)
{
    uint32_t started = 0;
    struct window w = {0};

    while (plan_window(b->plan, b->partition, PLAN_ACCESS_ANY, w.duration_s, &w)
           && w.procs > 0)
        started += run_window(b, jobs, n, &w);
    return started;
}

/* Longest first: windows from the unlimited one down to the shortest. */
static uint32_t longest_first(
    struct backfill *b, const struct candidate *jobs, size_t n)
{
    int64_t below = DURATION_UNLIMITED;
    uint32_t started = 0;

    for (;;) {
        struct window w = {0}, last = {0};
        while (plan_window(b->plan, b->partition, PLAN_ACCESS_ANY, w.duration_s, &w)
               && w.duration_s <= below)
            last = w;
        if (last.duration_s <= 0)
            return started;
        if (last.procs > 0)
            started += run_window(b, jobs, n, &last);
        below = last.duration_s - 1;
    }
}

uint32_t backfill_run(struct backfill *b, const struct candidate *jobs, size_t n)
{
    if (b->par->bf_policy == BACKFILL_PLAN)
        return first_fit(b, jobs, n, NULL);
    switch (b->par->bf_order) {
    case BFORDER_QUEUEORDER:
        if (b->par->bf_policy == BACKFILL_FIRSTFIT
            || b->par->bf_policy == BACKFILL_PREEMPT)
            return first_fit(b, jobs, n, NULL);
        return widest_first(b, jobs, n);
    case BFORDER_WIDESTFIRST:
        return widest_first(b, jobs, n);
    case BFORDER_LONGESTFIRST:
        return longest_first(b, jobs, n);
    }
    return 0;
}
