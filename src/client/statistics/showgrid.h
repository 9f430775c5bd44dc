/* SPDX-License-Identifier: Apache-2.0
 * The grid of a type of statistics, for showstats as well. */
#ifndef MAUI_CLIENT_SHOWGRID_H
#define MAUI_CLIENT_SHOWGRID_H

#include "client/kit/request.h"

/* Ask for it and print it; the exit status. */
int showgrid_show(const struct command_line *l, const char *type);

#endif
