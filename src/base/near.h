/* SPDX-License-Identifier: Apache-2.0
 * Sums of floating-point numbers, added in another order. */
#ifndef MAUI_BASE_NEAR_H
#define MAUI_BASE_NEAR_H

#include <math.h>
#include <stdbool.h>

/* Equal but for what rounding may make of many additions. */
static inline bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-6 * (1 + fabs(a) + fabs(b));
}

#endif
