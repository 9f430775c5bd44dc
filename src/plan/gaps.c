/* SPDX-License-Identifier: Apache-2.0
 * See gaps.h. Cells are as long as a power of two, so that finding one is a shift. Gaps
 * that begin with the horizon have a cell of their own, and so have those that end
 * beyond it, or never. */
#include "plan/gaps.h"

#include "base/timeval.h"
#include "base/vec.h"
#include "base/xalloc.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define CELLS  256
#define BEYOND (CELLS - 1) /* ends behind the horizon */
#define NEVER  CELLS
#define NONE   UINT32_MAX
#define ROW    (CELLS + 2) /* of the tree, which counts from 1 */

struct gap {
    int64_t start, end;
    int32_t units;
    uint32_t pool;
    uint32_t by_start, by_end, by_pool; /* the next of the same cell, or pool */
    uint32_t before_start, before_end;  /* and the one before */
};

struct gaps {
    int64_t from, to;
    uint32_t shift;
    int32_t *tree; /* by start; then by end, the last first */
    struct VEC(struct gap) v;
    uint32_t unused;            /* first of those that are none, by by_pool */
    uint32_t starts[CELLS + 1]; /* the first by cell; 0 = begins with the horizon */
    uint32_t ends[CELLS + 1];
    struct VEC(uint32_t) by_pool; /* the first by pool */
};

struct gaps *gaps_create(void)
{
    struct gaps *g = xcalloc(1, sizeof *g);

    g->tree = xcalloc((size_t)ROW * ROW, sizeof *g->tree);
    g->unused = NONE;
    return g;
}

void gaps_destroy(struct gaps *g)
{
    if (!g)
        return;
    vec_fini(&g->v);
    vec_fini(&g->by_pool);
    free(g->tree);
    free(g);
}

void gaps_reset(struct gaps *g, int64_t from, int64_t to)
{
    assert(from < to);
    g->from = from;
    g->to = to;
    g->shift = 0;
    while ((to - from) >> g->shift >= BEYOND)
        g->shift++;
    memset(g->tree, 0, (size_t)ROW * ROW * sizeof *g->tree);
    memset(g->starts, 0xff, sizeof g->starts);
    memset(g->ends, 0xff, sizeof g->ends);
    g->v.n = g->by_pool.n = 0;
    g->unused = NONE;
}

/* ---- cells ---- */

static uint32_t cell(const struct gaps *g, int64_t at)
{
    return at > g->from ? (uint32_t)((at - g->from) >> g->shift) : 0;
}

static uint32_t cell_of_start(const struct gaps *g, int64_t start)
{
    return start <= g->from ? 0 : 1 + cell(g, start);
}

static uint32_t cell_of_end(const struct gaps *g, int64_t end)
{
    if (end >= g->to)
        return end < TIME_NEVER ? BEYOND : NEVER;
    return cell(g, end);
}

int64_t gaps_cell_end(const struct gaps *g, int64_t at)
{
    return g->from + ((int64_t)(cell(g, at) + 1) << g->shift) - 1;
}

int64_t gaps_cell_length(const struct gaps *g)
{
    return INT64_C(1) << g->shift;
}

/* ---- the tree ---- */

static void count(struct gaps *g, const struct gap *x, int32_t units)
{
    uint32_t first = CELLS - cell_of_end(g, x->end) + 1;

    for (uint32_t i = cell_of_start(g, x->start) + 1; i < ROW; i += i & -i) {
        int32_t *row = g->tree + (size_t)i * ROW;
        for (uint32_t k = first; k < ROW; k += k & -k)
            row[k] += units;
    }
}

/* Of all that begin in a cell up to `start` and end in one from `end` on. */
static int64_t sum(const struct gaps *g, uint32_t start, uint32_t end)
{
    int64_t units = 0;

    if (end > CELLS)
        return 0;
    for (uint32_t i = start + 1; i; i &= i - 1) {
        const int32_t *row = g->tree + (size_t)i * ROW;
        for (uint32_t k = CELLS - end + 1; k; k &= k - 1)
            units += row[k];
    }
    return units;
}

/* ---- lists ---- */

static uint32_t *head(struct gaps *g, uint32_t pool)
{
    while (g->by_pool.n <= pool)
        vec_push(&g->by_pool, NONE);
    return &g->by_pool.v[pool];
}

static void link_up(struct gaps *g, uint32_t i)
{
    struct gap *x = &g->v.v[i];
    uint32_t *start = &g->starts[cell_of_start(g, x->start)];
    uint32_t *end = &g->ends[cell_of_end(g, x->end)];

    x->before_start = x->before_end = NONE;
    x->by_start = *start;
    x->by_end = *end;
    if (*start != NONE)
        g->v.v[*start].before_start = i;
    if (*end != NONE)
        g->v.v[*end].before_end = i;
    *start = *end = i;
}

static void unlink_from(struct gaps *g, const struct gap *x)
{
    if (x->before_start != NONE)
        g->v.v[x->before_start].by_start = x->by_start;
    else
        g->starts[cell_of_start(g, x->start)] = x->by_start;
    if (x->before_end != NONE)
        g->v.v[x->before_end].by_end = x->by_end;
    else
        g->ends[cell_of_end(g, x->end)] = x->by_end;
    if (x->by_start != NONE)
        g->v.v[x->by_start].before_start = x->before_start;
    if (x->by_end != NONE)
        g->v.v[x->by_end].before_end = x->before_end;
}

void gaps_put(struct gaps *g, uint32_t pool, int64_t start, int64_t end, int32_t units)
{
    uint32_t *first = head(g, pool), i = g->unused;

    start = start > g->from ? start : g->from;
    assert(units > 0 && start < end);
    if (start >= g->to)
        return;
    if (i != NONE) {
        g->unused = g->v.v[i].by_pool;
    } else {
        i = (uint32_t)g->v.n;
        vec_push(&g->v, (struct gap){0});
    }
    g->v.v[i] = (struct gap){
        .start = start, .end = end, .units = units, .pool = pool, .by_pool = *first};
    *first = i;
    link_up(g, i);
    count(g, &g->v.v[i], units);
}

void gaps_cut(struct gaps *g, uint32_t pool, int64_t *io_start, int64_t *io_end)
{
    uint32_t *link = head(g, pool);
    int64_t from = *io_start, to = *io_end;

    for (uint32_t i = *link; i != NONE; i = g->v.v[i].by_pool) {
        const struct gap *x = &g->v.v[i];
        if (x->start > *io_end || x->end < *io_start)
            continue;
        from = x->start < from ? x->start : from;
        to = x->end > to ? x->end : to;
    }
    while (*link != NONE) {
        uint32_t i = *link;
        struct gap *x = &g->v.v[i];
        if (x->start < from || x->end > to) {
            link = &x->by_pool;
            continue;
        }
        unlink_from(g, x);
        count(g, x, -x->units);
        *link = x->by_pool;
        x->by_pool = g->unused;
        g->unused = i;
    }
    *io_start = from;
    *io_end = to;
}

/* ---- questions ---- */

int64_t gaps_sum(const struct gaps *g, int64_t start, int64_t end)
{
    uint32_t s = cell(g, start), e = cell_of_end(g, end);
    int64_t units = sum(g, s, e < NEVER ? e + 1 : NEVER);

    for (uint32_t i = g->starts[s + 1]; i != NONE; i = g->v.v[i].by_start)
        if (g->v.v[i].start <= start && g->v.v[i].end >= end)
            units += g->v.v[i].units;
    for (uint32_t i = e < NEVER ? g->ends[e] : NONE; i != NONE; i = g->v.v[i].by_end) {
        const struct gap *x = &g->v.v[i];
        if (x->end >= end && cell_of_start(g, x->start) <= s)
            units += x->units;
    }
    return units;
}

int64_t gaps_most(const struct gaps *g, int64_t first, int64_t last, int64_t duration)
{
    return sum(g, cell_of_start(g, last), cell_of_end(g, time_add(first, duration)));
}

void gaps_each_start(const struct gaps *g, int64_t at, int64_t duration, void *ctx,
    void (*each)(void *ctx, int64_t start, int64_t units))
{
    for (uint32_t i = g->starts[1 + cell(g, at)]; i != NONE; i = g->v.v[i].by_start) {
        const struct gap *x = &g->v.v[i];
        if (x->start > at && x->end >= time_add(x->start, duration))
            each(ctx, x->start, x->units);
    }
}
