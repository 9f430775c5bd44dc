/* SPDX-License-Identifier: Apache-2.0
 * Statistics of record as the API tells them (schema Statistics), back as sums. */
#ifndef MAUI_CLIENT_FIGURES_H
#define MAUI_CLIENT_FIGURES_H

#include "engine/statistics/statistics.h"

#include <jansson.h>

/* What is not told is 0. */
void figures_sums(const json_t *o, struct stat_sums *ret);
void figures_read(const json_t *o, struct stat_figures *ret);

#endif
