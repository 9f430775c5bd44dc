/* SPDX-License-Identifier: Apache-2.0
 * SERVERMODE SIMULATION: the daemon on a trace, with a clock of its own. Everything
 * else is as ever: commands ask and order, the engine decides.
 *
 * An iteration adds RMPOLLINTERVAL to the clock, at once when the one before is over
 * and committed, or SIMTIMERATIO times as fast as the real clock. While scheduling is
 * stopped the clock stands. Of an iteration, what ended and was submitted since the
 * last one is told in order of time, each at its own instant, ends first; then the
 * cycle runs. */
#ifndef MAUI_SERVER_SIMULATION_H
#define MAUI_SERVER_SIMULATION_H

#include "rm/rm.h"

struct request;
struct server;

/* Read the traces, make the machine and set the clock. Before anything asks for the
 * time. -1 with a sentence when there is nothing to simulate. */
int simulation_load(struct server *s, struct err *err);
void simulation_free(struct server *s);

/* The machine and the jobs of the trace, as a resource manager. */
struct rm *simulation_connect(
    struct server *s, const struct rm_sink *sink, const struct rm_driver **ret_driver);
/* Tell the nodes; from then on iterations may run. */
int simulation_begin(struct server *s, struct err *err);

/* The part of its dedicated processor seconds that the job used by the trace's record;
 * 1 when that is not known. */
double simulation_efficiency(const struct server *s, const char *job);

/* While somebody wants to be alone: true = the request is kept until scheduling stops,
 * which is soon where the clock runs as fast as it can. */
bool simulation_keep(struct server *s, struct request *r);

/* Go on, unless scheduling is stopped. */
void simulation_want(struct server *s);

#endif
