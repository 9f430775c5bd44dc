/* SPDX-License-Identifier: Apache-2.0
 * When a cycle runs: soon after a change, when the engine wants to be woken, and every
 * RMPOLLINTERVAL in any case; and what administrators order about that (schedctl).
 * Private to src/server. */
#ifndef MAUI_SERVER_CYCLE_H
#define MAUI_SERVER_CYCLE_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct server;

/* Instants are seconds since 1970; 0 = none. Who changes it wants a cycle. */
struct control {
    uint64_t iteration;                            /* cycles so far */
    int64_t started_at;                            /* the daemon */
    bool paused;                                   /* scheduling is stopped ... */
    int64_t stop_at_iteration, stop_at, resume_at; /* ... will be; < 0 = none */
    bool alone;               /* nobody is answered until scheduling stops */
    int64_t rm_failure_until; /* the resource manager is taken to be away */
};

int cycle_open(struct server *s, struct err *err);
void cycle_close(struct server *s);
void cycle_want(struct server *s); /* soon: after JOBAGGREGATIONTIME */
void cycle_run(struct server *s);  /* now: what an iteration is */
void cycle_stop(struct server *s); /* until told to go on */

#endif
