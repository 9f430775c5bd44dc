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

/* The arguments, each of which may be several names with commas between. A new
 * reference; NULL when one has no name or there are none, after complaining that
 * `missing`. */
json_t *orders_names(const struct command_line *l, const char *missing);

/* Release these reservations by one order, takes the reference, and print what became
 * of each: refusals on stderr, of others what `say` says, NULL = the scheduler's
 * sentence. The exit status: 0, or 1 when one was refused. */
int orders_release(
    const struct command_line *l, json_t *names, void (*say)(const char *name));

#endif
