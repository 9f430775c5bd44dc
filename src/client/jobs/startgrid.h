/* SPDX-License-Identifier: Apache-2.0
 * showgrid ESTSTARTTIME: when a job of each size and length could start. */
#ifndef MAUI_CLIENT_STARTGRID_H
#define MAUI_CLIENT_STARTGRID_H

#include "client/kit/command.h"

#include <jansson.h>

/* `grid` tells rows and columns: any answer of /v1/statistics/grid. Asks showstart's
 * question for every cell. The exit status. */
int startgrid_show(const struct command_line *l, const json_t *grid);

#endif
