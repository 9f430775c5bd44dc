/* SPDX-License-Identifier: Apache-2.0
 * Looks for a seed that breaks a property, and makes its story short. Runs in child
 * processes, so that a failed assertion is a finding like any other. */
#ifndef MAUI_TESTS_HUNT_H
#define MAUI_TESTS_HUNT_H

#include "world.h"

struct hunt {
    const char *name;
    void (*make)(struct world *w, uint64_t seed);
    bool (*check)(const struct world *w, char *fail, size_t size);
    uint32_t count;        /* seeds of a usual run */
    const uint64_t *known; /* seeds that broke it once: tried first; 0 ends, or NULL */
};

/* Try seeds 1 to count times MAUI_PROPERTY_FACTOR (environment, default 1), or from
 * MAUI_PROPERTY_SEED on. On a failure the seed, the sentence and the shortest story
 * found are printed to standard error, and false is returned. */
bool hunt(const struct hunt *h);

#endif
