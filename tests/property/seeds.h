/* SPDX-License-Identifier: Apache-2.0
 * Which worlds a property tries, as the environment says. */
#ifndef MAUI_TESTS_SEEDS_H
#define MAUI_TESTS_SEEDS_H

#include <stdint.h>
#include <stdlib.h>

/* The first seed: MAUI_PROPERTY_SEED, or 1. */
static inline uint32_t seed_first(void)
{
    const char *text = getenv("MAUI_PROPERTY_SEED");

    return text && *text ? (uint32_t)strtoul(text, NULL, 10) : 1;
}

/* How many seeds: usual times MAUI_PROPERTY_FACTOR, which may be a fraction, and one at
 * least. */
static inline uint32_t seed_count(uint32_t usual)
{
    const char *text = getenv("MAUI_PROPERTY_FACTOR");
    double count = text && *text ? usual * strtod(text, NULL) : usual;

    return count < 1 ? 1 : (uint32_t)count;
}

#endif
