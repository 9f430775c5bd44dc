/* SPDX-License-Identifier: Apache-2.0
 * msub -K: until jobs have ended. */
#ifndef MAUI_CLIENT_JOBWAIT_H
#define MAUI_CLIENT_JOBWAIT_H

#include "client/kit/command.h"

#include <jansson.h>

/* Wait for the jobs of a list of ids, submitted at `since`. The exit status of the
 * first that did not end with 0, or 0; 1 as well when it ended without one (cancelled)
 * or the scheduler does not answer, after complaining. */
int jobwait(const struct command_line *l, const json_t *ids, json_int_t since);

#endif
