/* SPDX-License-Identifier: Apache-2.0
 * The reports of profiler. */
#ifndef MAUI_CLIENT_PROFILETEXT_H
#define MAUI_CLIENT_PROFILETEXT_H

#include "client/statistics/tracestats.h"

#include <stdio.h>

struct profiletext_options {
    const char *only;  /* one report by name, NULL = all */
    int accuracy_rows; /* > 0 */
    bool plain;        /* grids without brackets */
};

/* Name of the i-th report that can be chosen, NULL beyond the last. */
const char *profiletext_name(size_t i);
const char *profiletext_find(const char *name); /* in any case; NULL = none */

/* All reports, or the chosen one, on stdout. */
void profiletext_print(const struct tracestats *p, const struct profiletext_options *o);
/* A record a line. */
void profiletext_json(const struct tracestats *p);
/* The grids as "PROCS SECONDS VALUE JOBS", for plots. */
void profiletext_plot(const struct tracestats *p, FILE *out);

/* profiledist.c: sizes, lengths, accuracy, queue times, expansion factors, hours. */
void profiledist_print(const struct tracestats *p, FILE *out);

#endif
