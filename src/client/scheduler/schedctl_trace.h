/* SPDX-License-Identifier: Apache-2.0
 * schedctl -n and -j: the machine as a resource trace, and jobs of a workload trace
 * submitted. Both return the exit status. */
#ifndef MAUI_CLIENT_SCHEDCTL_TRACE_H
#define MAUI_CLIENT_SCHEDCTL_TRACE_H

#include "client/kit/request.h"

/* Print the nodes as records of version 230, which `maui sim` reads. */
int schedctl_nodes(const struct command_line *l);

/* Submit each record of a file, or the one record that `text` is, as a job that sleeps
 * as long as the record's job ran (its limit, if it never did). */
int schedctl_submit(const struct command_line *l, const char *text);

#endif
