/* SPDX-License-Identifier: Apache-2.0
 * See hint.h. Two tables: one keyed by the exact pair (queues repeat themselves),
 * and a two-dimensional Fenwick tree of prefix maxima over a geometric grid for
 * true dominance. Queries round down on the grid and stores round up, so that a
 * bound never applies to a smaller request. */
#include "plan/hint.h"

#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

#define Q_OCTAVES 24
#define D_OCTAVES 32

struct exact {
    uint32_t round;
    int32_t q;
    int64_t d, at;
};

struct cell {
    uint32_t round; /* cells of older rounds count as empty */
    int64_t at;
};

/* Sizes by grain: steps of an octave as a power of two, slots of the exact table. */
static const struct grain {
    uint32_t log_steps, slots;
} grains[] = {
    [HINT_FINE] = {4, 8192}, [HINT_COARSE] = {2, 512}, [HINT_ROUGH] = {1, 256}};

struct hint {
    uint32_t round;
    uint32_t log_steps, slots, q_levels, d_levels;
    struct exact *exact;
    struct cell *tree; /* (q_levels + 1) rows of d_levels + 1 */
};

struct hint *hint_create(enum hint_grain grain)
{
    struct hint *h = xcalloc(1, sizeof *h);

    h->round = 1;
    h->log_steps = grains[grain].log_steps;
    h->slots = grains[grain].slots;
    h->q_levels = Q_OCTAVES << h->log_steps;
    h->d_levels = D_OCTAVES << h->log_steps;
    h->exact = xcalloc(h->slots, sizeof *h->exact);
    h->tree = xcalloc((size_t)(h->q_levels + 1) * (h->d_levels + 1), sizeof *h->tree);
    return h;
}

void hint_destroy(struct hint *h)
{
    if (!h)
        return;
    free(h->exact);
    free(h->tree);
    free(h);
}

void hint_clear(struct hint *h)
{
    if (++h->round == 0) {
        memset(h->exact, 0, h->slots * sizeof *h->exact);
        memset(h->tree, 0,
            (size_t)(h->q_levels + 1) * (h->d_levels + 1) * sizeof *h->tree);
        h->round = 1;
    }
}

/* Grid level of x >= 1, rounded down; *ret_exact tells whether x is a grid value. */
static uint32_t level_down(
    const struct hint *h, uint64_t x, uint32_t levels, int *ret_exact)
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

static struct cell *row(const struct hint *h, uint32_t i)
{
    return h->tree + (size_t)i * (h->d_levels + 1);
}

static struct exact *exact_slot(const struct hint *h, int32_t q, int64_t d)
{
    uint64_t key = (uint64_t)d * UINT64_C(0x9E3779B97F4A7C15) ^ (uint64_t)(uint32_t)q;
    key *= UINT64_C(0xBF58476D1CE4E5B9);
    return &h->exact[(key >> 40) % h->slots];
}

int64_t hint_bound(const struct hint *h, int32_t q, int64_t d)
{
    const struct exact *e = exact_slot(h, q, d);
    int64_t bound = INT64_MIN;
    int unused;

    if (e->round == h->round && e->q == q && e->d == d)
        return e->at;
    if (q < 1 || d < 1)
        return bound;
    uint32_t dl = level_down(h, (uint64_t)d, h->d_levels - 1, &unused);
    for (uint32_t i = level_down(h, (uint64_t)q, h->q_levels - 1, &unused); i;
         i &= i - 1)
        for (uint32_t k = dl; k; k &= k - 1) {
            const struct cell *cell = &row(h, i)[k];
            if (cell->round == h->round && cell->at > bound)
                bound = cell->at;
        }
    return bound;
}

void hint_learn(struct hint *h, int32_t q, int64_t d, int64_t at)
{
    struct exact *e = exact_slot(h, q, d);
    int q_exact, d_exact;

    *e = (struct exact){h->round, q, d, at};
    if (q < 1 || d < 1)
        return;
    uint32_t qi = level_down(h, (uint64_t)q, h->q_levels - 1, &q_exact) + !q_exact;
    uint32_t di = level_down(h, (uint64_t)d, h->d_levels - 1, &d_exact) + !d_exact;
    for (uint32_t i = qi; i <= h->q_levels; i += i & -i)
        for (uint32_t k = di; k <= h->d_levels; k += k & -k) {
            struct cell *cell = &row(h, i)[k];
            if (cell->round != h->round)
                *cell = (struct cell){h->round, at};
            else if (cell->at < at)
                cell->at = at;
        }
}
