/* SPDX-License-Identifier: Apache-2.0
 * See hint.h. Two tables: one keyed by the exact pair (queues repeat themselves),
 * and a two-dimensional Fenwick tree of prefix maxima over a geometric grid for
 * true dominance. Queries round down on the grid and stores round up, so that a
 * bound never applies to a smaller request. */
#include "plan/hint.h"

#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

#define STEPS_PER_OCTAVE 16
#define Q_LEVELS         (24 * STEPS_PER_OCTAVE)
#define D_LEVELS         (32 * STEPS_PER_OCTAVE)
#define EXACT_SLOTS      8192

struct exact {
    uint32_t round;
    int32_t q;
    int64_t d, at;
};

struct cell {
    uint32_t round; /* cells of older rounds count as empty */
    int64_t at;
};

struct hint {
    uint32_t round;
    struct exact exact[EXACT_SLOTS];
    struct cell tree[Q_LEVELS + 1][D_LEVELS + 1];
};

struct hint *hint_create(void)
{
    struct hint *h = xcalloc(1, sizeof *h);
    h->round = 1;
    return h;
}

void hint_destroy(struct hint *h)
{
    free(h);
}

void hint_clear(struct hint *h)
{
    if (++h->round == 0) {
        memset(h, 0, sizeof *h);
        h->round = 1;
    }
}

/* Grid level of x >= 1, rounded down; *ret_exact tells whether x is a grid value. */
static uint32_t level_down(uint64_t x, uint32_t levels, int *ret_exact)
{
    uint32_t octave = 63 - (uint32_t)__builtin_clzll(x);
    uint64_t rest = x - (UINT64_C(1) << octave);
    uint32_t step;
    uint64_t back;

    if (octave >= 4) {
        step = (uint32_t)(rest >> (octave - 4));
        back = (uint64_t)step << (octave - 4);
    } else {
        step = (uint32_t)(rest << (4 - octave));
        back = rest;
    }
    *ret_exact = back == rest;
    uint32_t level = octave * STEPS_PER_OCTAVE + step + 1;
    if (level > levels) { /* off the grid: the store must not bound anything */
        *ret_exact = 0;
        return levels;
    }
    return level;
}

static struct exact *exact_slot(const struct hint *h, int32_t q, int64_t d)
{
    uint64_t key = (uint64_t)d * UINT64_C(0x9E3779B97F4A7C15) ^ (uint64_t)(uint32_t)q;
    key *= UINT64_C(0xBF58476D1CE4E5B9);
    return (struct exact *)&h->exact[(key >> 40) % EXACT_SLOTS];
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
    uint32_t dl = level_down((uint64_t)d, D_LEVELS - 1, &unused);
    for (uint32_t i = level_down((uint64_t)q, Q_LEVELS - 1, &unused); i; i &= i - 1)
        for (uint32_t k = dl; k; k &= k - 1) {
            const struct cell *cell = &h->tree[i][k];
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
    uint32_t qi = level_down((uint64_t)q, Q_LEVELS - 1, &q_exact) + !q_exact;
    uint32_t di = level_down((uint64_t)d, D_LEVELS - 1, &d_exact) + !d_exact;
    for (uint32_t i = qi; i <= Q_LEVELS; i += i & -i)
        for (uint32_t k = di; k <= D_LEVELS; k += k & -k) {
            struct cell *cell = &h->tree[i][k];
            if (cell->round != h->round)
                *cell = (struct cell){h->round, at};
            else if (cell->at < at)
                cell->at = at;
        }
}
