/* SPDX-License-Identifier: Apache-2.0
 * Occupancy drawn as text: a bar for each stretch of time, one for each hour of an
 * average day, and a line for each reservation. */
#ifndef MAUI_SIM_CHART_H
#define MAUI_SIM_CHART_H

#include "sim/occupancy.h"

#include <stdio.h>

#define CHART_WIDTH_MIN 60
#define CHART_WIDTH_MAX 400

struct chart_options {
    int width;      /* of a line, in characters; 0 = 80 */
    int64_t step_s; /* of a bar, a multiple of OCCUPANCY_SLOT_S; 0 = at most 32 bars */
    int64_t shift;  /* engine time = trace time + shift */
    bool dates; /* the engine's clock is UTC; else days count from the trace's begin */
};

/* Pure ASCII. */
void chart_print(FILE *out, const struct occupancy *o, const struct chart_options *how);

#endif
