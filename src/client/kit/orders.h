/* SPDX-License-Identifier: Apache-2.0
 * Orders about jobs (job expressions on the line, an order to the scheduler, a sentence
 * a job) and releases of reservations. Shared by the commands that give them. */
#ifndef MAUI_CLIENT_ORDERS_H
#define MAUI_CLIENT_ORDERS_H

#include "client/kit/request.h"

/* The arguments from `first` on, as the list of job expressions of a JobOrder. A new
 * reference. */
json_t *orders_jobs(const struct command_line *l, int first);

/* POST the JobOrder, takes the reference, to /v1/orders/VERB and print what became of
 * each job: refusals on stderr, the same sentence once in a row. The exit status: 0, or
 * 1 when one was refused. */
int orders_send(const struct command_line *l, const char *verb, json_t *order);

/* Call `one` for each argument, which may be several names with commas between. The
 * exit status: 1 when it was that of one, or without arguments, after complaining that
 * `missing`. */
int orders_each(const struct command_line *l, const char *missing,
    int (*one)(const struct command_line *l, const char *name));

/* Release the reservation. What the scheduler said, a new reference; NULL after
 * complaining. */
json_t *orders_release(const struct command_line *l, const char *name);

#endif
