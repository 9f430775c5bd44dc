/* SPDX-License-Identifier: Apache-2.0
 * Statistics by size and length of jobs as a table: showgrid, profiler. Source:
 * reference commands, showgrid. */
#ifndef MAUI_CLIENT_GRIDTEXT_H
#define MAUI_CLIENT_GRIDTEXT_H

#include "engine/statistics/statistics.h"

#include <stdbool.h>
#include <stddef.h>

struct gridtext_type;

/* By name, in any case, older names too; NULL if there is none. */
const struct gridtext_type *gridtext_find(const char *name);
const char *gridtext_type_name(const struct gridtext_type *t);
/* The i-th by its usual name, NULL beyond the last. */
const char *gridtext_name(size_t i);

/* Title, table and summary on stdout. `total` is what the summary is of. `plain`: cells
 * without brackets. */
void gridtext_print(const struct gridtext_type *t, const struct stat_grid *g,
    const struct stat_sums *total, bool plain);

/* What a cell tells; NAN when that is not known. */
double gridtext_value(const struct gridtext_type *t, const struct stat_sums *cell,
    const struct stat_sums *total);

#endif
