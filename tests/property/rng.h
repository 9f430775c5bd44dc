/* SPDX-License-Identifier: Apache-2.0
 * Random numbers for properties: splitmix64, the same on every machine. */
#ifndef MAUI_TESTS_RNG_H
#define MAUI_TESTS_RNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rng {
    uint64_t state;
};

static inline uint64_t rng_next(struct rng *r)
{
    uint64_t z = r->state += UINT64_C(0x9E3779B97F4A7C15);

    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* A number in [0, n). */
static inline uint32_t rng_below(struct rng *r, uint32_t n)
{
    return (uint32_t)(rng_next(r) % n);
}

/* A number in [low, high]. */
static inline int64_t rng_range(struct rng *r, int64_t low, int64_t high)
{
    return low + (int64_t)(rng_next(r) % (uint64_t)(high - low + 1));
}

static inline bool rng_percent(struct rng *r, uint32_t percent)
{
    return rng_below(r, 100) < percent;
}

/* One of the elements of an array. */
#define RNG_PICK(r, array) ((array)[rng_below((r), sizeof(array) / sizeof *(array))])

#endif
