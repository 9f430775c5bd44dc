/* SPDX-License-Identifier: Apache-2.0
 * The desk for a bank that is elsewhere: AMCFG[] TYPE=FILE, NATIVE or GOLD. A program
 * is called for each thing that is asked of it, with a verb and a JSON object on its
 * standard input (docs/bank.md); it ends with 0: done, 1: refused, 2: try later.
 *
 *     start decided --lien--> asking: the nodes are kept, the start is not sent;
 *                             0 it is; 1 it is taken back; else, or after TIMEOUT, as
 *                             JFACTION and DEFERJOBONFAILURE say
 *     it ended --charge-->    the queue, in the same commit as the event; sent one
 *     start failed --release->    after the other, again with growing pauses until the
 *     limit changed --lien-->     bank has taken it
 *
 * What is in the queue outlives the daemon. A message that may have been taken before
 * says so ("again"), and names its run, so that nothing is charged twice. One that the
 * bank refuses for good is kept apart, and told.
 *
 * Runs that are open are records too: after a restart the engine is told of them as of
 * those of the scheduler's own bank (teller.h). Private to src/server. */
#ifndef MAUI_SERVER_DESK_H
#define MAUI_SERVER_DESK_H

#include "base/err.h"
#include "engine/charging.h"

#include <stdbool.h>
#include <stddef.h>

struct server;

int desk_open(struct server *s, struct err *err);
void desk_close(struct server *s);

/* Is the bank elsewhere? Not in a simulation. */
bool desk_is_open(const struct server *s);

/* The move is the desk's to tell. False: it is about the scheduler's own bank. */
bool desk_take(struct server *s, const struct money_move *m);

/* Does the start of the job wait for an answer? O(1). */
bool desk_holds(const struct server *s, const char *job);

/* All that was taken is on the disk: now it is told. */
void desk_committed(struct server *s);

/* Each run that is open. Its texts are borrowed from the desk. */
void desk_each_run(const struct server *s,
    void (*each)(void *arg, const struct funds_run *run), void *arg);

#endif
