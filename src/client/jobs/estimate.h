/* SPDX-License-Identifier: Apache-2.0
 * showstart -e: other ways to foresee a start than reservations and what is free. */
#ifndef MAUI_CLIENT_ESTIMATE_H
#define MAUI_CLIENT_ESTIMATE_H

#include "client/kit/command.h"

#include <jansson.h>

/* What is to start: a waiting job (`job` its id), or only so many processors. */
struct estimate_ask {
    const char *job; /* or NULL */
    json_int_t procs, duration_s, now;
};

/* When everything before it in the queue, by the limits, has been worked off by all
 * processors; -1 after complaining. */
json_int_t estimate_by_priority(
    const struct command_line *l, const struct estimate_ask *want);

/* When it has waited as long as ended jobs of its size and length did on average (all
 * ended jobs where there was none of them); 0 when none has ended, -1 after
 * complaining. */
json_int_t estimate_by_history(
    const struct command_line *l, const struct estimate_ask *want);

#endif
