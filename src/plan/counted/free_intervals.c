/* SPDX-License-Identifier: Apache-2.0
 * See free_intervals.h. Cells are as long as a power of two, so that finding one is a
 * shift. Free intervals that begin with the horizon have a cell of their own, and so
 * have those that end beyond it, or never. Most do either: they stand in trees of one
 * dimension, or, if they do both, in a single number. */
#include "plan/counted/free_intervals.h"

#include "base/timeval.h"
#include "base/vec.h"
#include "base/xalloc.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define CELLS  384
#define BEYOND (CELLS - 1) /* ends behind the horizon */
#define NEVER  CELLS
#define ROW    (CELLS + 2) /* of the tree, which counts from 1 */

/* Lengths by powers of two and quarters of them, up to a hundred years. */
#define LENGTHS 128

struct free_interval {
    int64_t start, end;
    int64_t units;
};
struct interval_list VEC(struct free_interval);

struct free_intervals {
    int64_t from, to;
    uint32_t shift;
    int32_t always;          /* from the beginning for ever */
    int32_t from_begin[ROW]; /* those from the beginning, by end, the last first */
    int32_t for_ever[ROW];   /* those that never end, by start */
    int32_t *tree;           /* others: by start; then by end, the last first */
    int32_t *begun; /* by length, the longest first (a tree too); then by start: others
                       than from the beginning */
    /* By cell, but for those that begin with the horizon, or never end: these are in no
     * cell that a question meets. And by pool. */
    struct interval_list starts[CELLS + 1], ends[CELLS];
    struct VEC(struct interval_list) pools;
};

struct free_intervals *free_intervals_create(void)
{
    struct free_intervals *g = xcalloc(1, sizeof *g);

    g->tree = xcalloc((size_t)ROW * ROW, sizeof *g->tree);
    g->begun = xcalloc((size_t)LENGTHS * ROW, sizeof *g->begun);
    return g;
}

void free_intervals_destroy(struct free_intervals *g)
{
    if (!g)
        return;
    for (uint32_t i = 0; i < CELLS; i++) {
        vec_fini(&g->starts[i + 1]);
        vec_fini(&g->ends[i]);
    }
    for (size_t i = 0; i < g->pools.n; i++)
        vec_fini(&g->pools.v[i]);
    vec_fini(&g->pools);
    free(g->tree);
    free(g->begun);
    free(g);
}

void free_intervals_reset(struct free_intervals *g, int64_t from, int64_t to)
{
    assert(from < to);
    g->from = from;
    g->to = to;
    g->shift = 0;
    while ((to - from) >> g->shift >= BEYOND)
        g->shift++;
    g->always = 0;
    memset(g->from_begin, 0, sizeof g->from_begin);
    memset(g->for_ever, 0, sizeof g->for_ever);
    memset(g->tree, 0, (size_t)ROW * ROW * sizeof *g->tree);
    memset(g->begun, 0, (size_t)LENGTHS * ROW * sizeof *g->begun);
    for (uint32_t i = 0; i < CELLS; i++)
        g->starts[i + 1].n = g->ends[i].n = 0;
    for (size_t i = 0; i < g->pools.n; i++)
        g->pools.v[i].n = 0;
}

/* ---- cells ---- */

static uint32_t cell_of(const struct free_intervals *g, int64_t at)
{
    return at > g->from ? (uint32_t)((at - g->from) >> g->shift) : 0;
}

static uint32_t cell_of_start(const struct free_intervals *g, int64_t start)
{
    return start <= g->from ? 0 : 1 + cell_of(g, start);
}

static uint32_t cell_of_end(const struct free_intervals *g, int64_t end)
{
    if (end >= g->to)
        return end < TIME_NEVER ? BEYOND : NEVER;
    return cell_of(g, end);
}

int64_t free_intervals_cell_end(const struct free_intervals *g, int64_t at)
{
    return g->from + ((int64_t)(cell_of(g, at) + 1) << g->shift) - 1;
}

int64_t free_intervals_cell_length(const struct free_intervals *g)
{
    return INT64_C(1) << g->shift;
}

/* ---- the tree ---- */

/* Counted from the longest one, and from 1. */
static uint32_t class_of(int64_t length)
{
    uint64_t x = (uint64_t)length;
    uint32_t octave = 63 - (uint32_t)__builtin_clzll(x | 4);
    uint32_t class =
        x < 4 ? (uint32_t)x : 4 * (octave - 1) + (uint32_t)(x >> (octave - 2) & 3);

    return LENGTHS - 1 - (class < LENGTHS - 2 ? class : LENGTHS - 2);
}

/* In a tree of one dimension. */
static void count_in(int32_t *tree, uint32_t i, int32_t units)
{
    for (; i < ROW; i += i & -i)
        tree[i] += units;
}

static int64_t sum_in(const int32_t *tree, uint32_t i)
{
    int64_t units = 0;

    for (; i; i &= i - 1)
        units += tree[i];
    return units;
}

static void count_interval(
    struct free_intervals *g, const struct free_interval *x, int32_t units)
{
    uint32_t start = cell_of_start(g, x->start), end = cell_of_end(g, x->end);
    uint32_t length = class_of(x->end < TIME_NEVER ? x->end - x->start : TIME_NEVER);

    if (start == 0 && end == NEVER) {
        g->always += units;
        return;
    }
    if (start == 0) {
        count_in(g->from_begin, CELLS - end + 1, units);
        return;
    }
    for (uint32_t k = length; k < LENGTHS; k += k & -k)
        g->begun[k * ROW + start] += units;
    if (end == NEVER) {
        count_in(g->for_ever, start + 1, units);
        return;
    }
    for (uint32_t i = start + 1; i < ROW; i += i & -i)
        count_in(g->tree + (size_t)i * ROW, CELLS - end + 1, units);
}

/* Of all that begin in a cell up to `start` and end in one from `end` on. */
static int64_t sum_before(const struct free_intervals *g, uint32_t start, uint32_t end)
{
    uint32_t last = CELLS - end + 1;
    int64_t units = g->always + sum_in(g->for_ever, start + 1);

    if (end >= NEVER)
        return end > NEVER ? 0 : units;
    units += sum_in(g->from_begin, last);
    for (uint32_t i = start + 1; i; i &= i - 1)
        units += sum_in(g->tree + (size_t)i * ROW, last);
    return units;
}

/* ---- lists ---- */

static struct interval_list *list_of(struct free_intervals *g, uint32_t pool)
{
    while (g->pools.n <= pool)
        vec_push(&g->pools, (struct interval_list){0});
    return &g->pools.v[pool];
}

static struct interval_list *same_start(
    struct free_intervals *g, const struct free_interval *x)
{
    uint32_t i = cell_of_start(g, x->start);

    return i > 0 ? &g->starts[i] : NULL;
}

static struct interval_list *same_end(
    struct free_intervals *g, const struct free_interval *x)
{
    uint32_t i = cell_of_end(g, x->end);

    return i < NEVER ? &g->ends[i] : NULL;
}

static void add_to_list(struct interval_list *l, struct free_interval x)
{
    if (l)
        vec_push(l, x);
}

/* Equal ones of other pools are as good. */
static void drop_from_list(struct interval_list *l, const struct free_interval *x)
{
    for (size_t i = l ? l->n : 0; i-- > 0;) {
        const struct free_interval *y = &l->v[i];
        if (y->start == x->start && y->end == x->end && y->units == x->units) {
            l->v[i] = l->v[--l->n];
            return;
        }
    }
    assert(!l); /* what was put is in its lists */
}

void free_intervals_put(
    struct free_intervals *g, uint32_t pool, int64_t start, int64_t end, int32_t units)
{
    const struct free_interval x = {start > g->from ? start : g->from, end, units};

    assert(units > 0 && x.start < end);
    if (x.start >= g->to)
        return;
    vec_push(list_of(g, pool), x);
    add_to_list(same_start(g, &x), x);
    add_to_list(same_end(g, &x), x);
    count_interval(g, &x, units);
}

void free_intervals_cut(
    struct free_intervals *g, uint32_t pool, int64_t *io_start, int64_t *io_end)
{
    struct interval_list *l = list_of(g, pool);
    int64_t from = *io_start, to = *io_end;
    size_t kept = 0;

    for (size_t i = 0; i < l->n; i++) {
        const struct free_interval *x = &l->v[i];
        if (x->start > *io_end || x->end < *io_start)
            continue;
        from = x->start < from ? x->start : from;
        to = x->end > to ? x->end : to;
    }
    for (size_t i = 0; i < l->n; i++) {
        struct free_interval x = l->v[i];
        if (x.start < from || x.end > to) {
            l->v[kept++] = x;
            continue;
        }
        drop_from_list(same_start(g, &x), &x);
        drop_from_list(same_end(g, &x), &x);
        count_interval(g, &x, -(int32_t)x.units);
    }
    l->n = kept;
    *io_start = from;
    *io_end = to;
}

/* ---- questions ---- */

int64_t free_intervals_sum(const struct free_intervals *g, int64_t start, int64_t end)
{
    uint32_t s = cell_of(g, start), e = cell_of_end(g, end);
    const struct interval_list *starts = &g->starts[s + 1];
    const struct interval_list *ends = e < NEVER ? &g->ends[e] : NULL;
    int64_t units = sum_before(g, s, e < NEVER ? e + 1 : NEVER);
    int64_t before = g->from + (s ? (int64_t)s << g->shift : 1); /* the cell of start */

    for (size_t i = 0; i < starts->n; i++) {
        const struct free_interval *x = &starts->v[i];
        units += x->start <= start && x->end >= end ? x->units : 0;
    }
    for (size_t i = 0; ends && i < ends->n; i++) {
        const struct free_interval *x = &ends->v[i];
        units += x->end >= end && x->start < before ? x->units : 0;
    }
    return units;
}

/* Four at a time. */
typedef int32_t four __attribute__((vector_size(16)));

static int64_t sum_of(const int32_t *v, uint32_t n)
{
    four sums = {0}, x;
    int64_t sum = 0;
    uint32_t i = 0;

    for (; i + 4 <= n; i += 4) {
        memcpy(&x, v + i, sizeof x);
        sums += x;
    }
    for (; i < n; i++)
        sum += v[i];
    return sum + sums[0] + sums[1] + sums[2] + sums[3];
}

int64_t free_intervals_most(
    const struct free_intervals *g, int64_t first, int64_t last, int64_t duration)
{
    uint32_t from = 1 + cell_of(g, first), to = cell_of_start(g, last);
    int64_t units = sum_before(g, from - 1, cell_of_end(g, time_add(first, duration)));

    for (uint32_t k = class_of(duration); k && from <= to; k &= k - 1)
        units += sum_of(g->begun + (size_t)k * ROW + from, to - from + 1);
    return units;
}

void free_intervals_each_start(const struct free_intervals *g, int64_t at,
    int64_t duration, void *ctx, void (*each)(void *ctx, int64_t start, int64_t units))
{
    const struct interval_list *starts = &g->starts[1 + cell_of(g, at)];

    for (size_t i = 0; i < starts->n; i++) {
        const struct free_interval *x = &starts->v[i];
        if (x->start > at && x->end >= time_add(x->start, duration))
            each(ctx, x->start, x->units);
    }
}
