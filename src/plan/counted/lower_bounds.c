/* SPDX-License-Identifier: Apache-2.0
 * See lower_bounds.h. Queues have few durations and many sizes: for each of the
 * durations last seen a *lane* keeps what is known, by size. As long as there are few,
 * all of them are looked at. Among more a two-dimensional Fenwick tree of prefix maxima
 * over a geometric grid knows who dominates whom: queries round down on the grid and
 * stores round up, so that a bound never applies to a smaller request. */
#include "plan/counted/lower_bounds.h"

#include "base/vec.h"
#include "base/xalloc.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define Q_OCTAVES 24
#define D_OCTAVES 32

/* From that size on not before `at`. */
struct stage {
    int32_t q;
    int64_t at;
};

struct lane {
    uint32_t round;
    int64_t d;
    struct VEC(struct stage) stages; /* both ascending */
};

struct cell {
    uint32_t round; /* cells of older rounds count as empty */
    int64_t at;
};

/* More lanes are too many to look at each. */
#define FEW 16

/* Sizes by grain: steps of an octave and lanes, as powers of two. */
static const struct grain {
    uint32_t log_steps, log_lanes;
} grains[] = {
    [BOUNDS_FINE] = {3, 8}, [BOUNDS_COARSE] = {2, 6}, [BOUNDS_ROUGH] = {1, 6}};

struct lower_bounds {
    uint32_t round;
    uint32_t log_steps, log_lanes, q_levels, d_levels;
    struct lane *lanes;
    uint32_t nused, used[FEW]; /* lanes, as long as they are few */
    bool many;                 /* then the tree knows all of them */
    struct cell *tree; /* (q_levels + 1) rows of d_levels + 1; NULL until needed */
};

struct lower_bounds *lower_bounds_create(enum bounds_grain grain)
{
    struct lower_bounds *h = xcalloc(1, sizeof *h);

    h->round = 1;
    h->log_steps = grains[grain].log_steps;
    h->log_lanes = grains[grain].log_lanes;
    h->q_levels = Q_OCTAVES << h->log_steps;
    h->d_levels = D_OCTAVES << h->log_steps;
    h->lanes = xcalloc((size_t)1 << h->log_lanes, sizeof *h->lanes);
    return h;
}

void lower_bounds_destroy(struct lower_bounds *h)
{
    if (!h)
        return;
    for (uint32_t i = 0; i >> h->log_lanes == 0; i++)
        vec_fini(&h->lanes[i].stages);
    free(h->lanes);
    free(h->tree);
    free(h);
}

static size_t tree_size(const struct lower_bounds *h)
{
    return (size_t)(h->q_levels + 1) * (h->d_levels + 1);
}

void lower_bounds_clear(struct lower_bounds *h)
{
    if (++h->round == 0) {
        for (uint32_t i = 0; i >> h->log_lanes == 0; i++)
            h->lanes[i].round = 0;
        if (h->tree)
            memset(h->tree, 0, tree_size(h) * sizeof *h->tree);
        h->round = 1;
    }
    h->nused = 0;
    h->many = false;
}

/* Grid level of x >= 1, rounded down; *ret_exact tells whether x is a grid value. */
static uint32_t level_down(
    const struct lower_bounds *h, uint64_t x, uint32_t levels, int *ret_exact)
{
    uint32_t octave = 63 - (uint32_t)__builtin_clzll(x), log = h->log_steps;
    uint64_t rest = x - (UINT64_C(1) << octave);
    uint32_t step;
    uint64_t back;

    if (octave >= log) {
        step = (uint32_t)(rest >> (octave - log));
        back = (uint64_t)step << (octave - log);
    } else {
        step = (uint32_t)(rest << (log - octave));
        back = rest;
    }
    *ret_exact = back == rest;
    uint32_t level = (octave << log) + step + 1;
    if (level > levels) { /* off the grid: the store must not bound anything */
        *ret_exact = 0;
        return levels;
    }
    return level;
}

static struct cell *row_of(const struct lower_bounds *h, uint32_t i)
{
    return h->tree + (size_t)i * (h->d_levels + 1);
}

/* ---- lanes ---- */

static struct lane *lane_slot(const struct lower_bounds *h, int64_t d)
{
    uint64_t key = (uint64_t)d * UINT64_C(0x9E3779B97F4A7C15);

    return &h->lanes[key >> (64 - h->log_lanes)];
}

/* How many stages are of a size up to `q`. */
static size_t stages_up_to(const struct lane *l, int32_t q)
{
    size_t lo = 0, hi = l->stages.n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (l->stages.v[mid].q <= q)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static int64_t lane_bound(const struct lane *l, int32_t q)
{
    size_t i = stages_up_to(l, q);

    return i ? l->stages.v[i - 1].at : INT64_MIN;
}

/* Larger requests that are known to begin no later tell nothing any more. */
static void lane_learn(struct lane *l, int32_t q, int64_t at)
{
    size_t i = stages_up_to(l, q), end = i;

    if (i > 0 && l->stages.v[i - 1].at >= at)
        return;
    i -= i > 0 && l->stages.v[i - 1].q == q;
    while (end < l->stages.n && l->stages.v[end].at <= at)
        end++;
    if (i == end) {
        vec_push(&l->stages, ((struct stage){0}));
        end++;
        memmove(l->stages.v + end, l->stages.v + i,
            (l->stages.n - end) * sizeof *l->stages.v);
    } else {
        memmove(l->stages.v + i + 1, l->stages.v + end,
            (l->stages.n - end) * sizeof *l->stages.v);
        l->stages.n -= end - i - 1;
    }
    l->stages.v[i] = (struct stage){q, at};
}

/* ---- the tree ---- */

static int64_t tree_bound(const struct lower_bounds *h, int32_t q, int64_t d)
{
    int64_t bound = INT64_MIN;
    int unused;
    uint32_t dl = level_down(h, (uint64_t)d, h->d_levels - 1, &unused);

    for (uint32_t i = level_down(h, (uint64_t)q, h->q_levels - 1, &unused); i;
         i &= i - 1)
        for (uint32_t k = dl; k; k &= k - 1) {
            const struct cell *cell = &row_of(h, i)[k];
            if (cell->round == h->round && cell->at > bound)
                bound = cell->at;
        }
    return bound;
}

static void tree_learn(struct lower_bounds *h, int32_t q, int64_t d, int64_t at)
{
    int q_exact, d_exact;
    uint32_t qi = level_down(h, (uint64_t)q, h->q_levels - 1, &q_exact) + !q_exact;
    uint32_t di = level_down(h, (uint64_t)d, h->d_levels - 1, &d_exact) + !d_exact;

    for (uint32_t i = qi; i <= h->q_levels; i += i & -i)
        for (uint32_t k = di; k <= h->d_levels; k += k & -k) {
            struct cell *cell = &row_of(h, i)[k];
            if (cell->round != h->round)
                *cell = (struct cell){h->round, at};
            else if (cell->at < at)
                cell->at = at;
        }
}

/* ---- both ---- */

/* From now on the tree is asked: it has to know what the lanes do. */
static void ask_the_tree(struct lower_bounds *h)
{
    if (!h->tree)
        h->tree = xcalloc(tree_size(h), sizeof *h->tree);
    for (uint32_t k = 0; k < h->nused; k++) {
        const struct lane *l = &h->lanes[h->used[k]];
        for (size_t i = 0; i < l->stages.n; i++)
            tree_learn(h, l->stages.v[i].q, l->d, l->stages.v[i].at);
    }
    h->many = true;
}

/* The lane of that duration, which may take that of another. */
static struct lane *lane_take(struct lower_bounds *h, int64_t d)
{
    struct lane *l = lane_slot(h, d);

    if (l->round == h->round && l->d == d)
        return l;
    if (!h->many && (l->round == h->round || h->nused == FEW))
        ask_the_tree(h);
    if (!h->many)
        h->used[h->nused++] = (uint32_t)(l - h->lanes);
    l->round = h->round;
    l->d = d;
    l->stages.n = 0;
    return l;
}

static int64_t best_lane(const struct lower_bounds *h, int32_t q, int64_t d)
{
    int64_t bound = INT64_MIN;

    for (uint32_t k = 0; k < h->nused; k++) {
        const struct lane *l = &h->lanes[h->used[k]];
        int64_t at = l->d <= d ? lane_bound(l, q) : INT64_MIN;
        bound = at > bound ? at : bound;
    }
    return bound;
}

int64_t lower_bounds_find(
    const struct lower_bounds *h, int32_t q, int64_t d, int64_t enough)
{
    const struct lane *l = lane_slot(h, d);
    int64_t bound = INT64_MIN, other;

    if (q < 1 || d < 1)
        return bound;
    if (l->round == h->round && l->d == d) {
        size_t i = stages_up_to(l, q);
        bound = i ? l->stages.v[i - 1].at : bound;
        if (i && (l->stages.v[i - 1].q == q || bound >= enough))
            return bound;
    }
    other = h->many ? tree_bound(h, q, d) : best_lane(h, q, d);
    return other > bound ? other : bound;
}

void lower_bounds_learn(struct lower_bounds *h, int32_t q, int64_t d, int64_t at)
{
    if (q < 1 || d < 1)
        return;
    lane_learn(lane_take(h, d), q, at);
    if (h->many)
        tree_learn(h, q, d, at);
}
