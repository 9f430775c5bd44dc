/* SPDX-License-Identifier: Apache-2.0
 * Instants and durations: whole seconds, and arithmetic that saturates. */
#ifndef MAUI_BASE_TIMEVAL_H
#define MAUI_BASE_TIMEVAL_H

#include <stdint.h>

/* An instant no clock reaches, and a duration without an end. Far enough from
 * INT64_MAX that adding two of them still fits. */
#define TIME_NEVER         (INT64_MAX / 4)
#define DURATION_UNLIMITED (INT64_MAX / 4)

/* Instant `at` plus `duration`, never beyond TIME_NEVER. */
static inline int64_t time_add(int64_t at, int64_t duration)
{
    return at >= TIME_NEVER - duration ? TIME_NEVER : at + duration;
}

#endif
