/* SPDX-License-Identifier: Apache-2.0
 * Statistics of nodes by their memory: showstats -n. */
#ifndef MAUI_CLIENT_NODESTATS_H
#define MAUI_CLIENT_NODESTATS_H

#include "client/kit/request.h"

/* Ask for nodes and jobs and print; `summary`: no line for each node. The exit status.
 */
int nodestats_show(const struct command_line *l, const char *partition, bool summary);

#endif
