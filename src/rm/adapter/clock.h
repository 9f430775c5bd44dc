/* SPDX-License-Identifier: Apache-2.0
 * The clock of deadlines: milliseconds that nobody sets. */
#ifndef MAUI_RM_ADAPTER_CLOCK_H
#define MAUI_RM_ADAPTER_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t clock_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

#endif
