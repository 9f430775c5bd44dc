/* SPDX-License-Identifier: Apache-2.0
 * Is all in force again that was acknowledged? After a restart, and while another
 * engine is told everything (anew.h), jobs come back when the resource manager has told
 * them, reservations after that. Before, an answer would be wrong, and what is taken
 * could be in the way of what was promised: so requests wait. A resource manager that
 * is silent for long cannot be waited for: then they are told to come again. Private to
 * src/server. */
#ifndef MAUI_SERVER_WHOLE_H
#define MAUI_SERVER_WHOLE_H

#include "server/http/request.h"

#include <stdbool.h>

struct server;

int whole_open(struct server *s, struct err *err);
void whole_close(struct server *s); /* requests that wait are http.c's to refuse */

/* The engine knows nothing any more. */
void whole_lost(struct server *s);
/* It knows everything: requests that wait are handled. */
void whole_again(struct server *s);

/* True: the request waits, or has been told to come again. */
bool whole_keep(struct server *s, struct request *r);
bool whole_is(const struct server *s);

/* Reservations are back as well, which come after nodes and jobs, before the first
 * cycle. */
void whole_restored(struct server *s);
bool whole_is_restored(const struct server *s);

/* A request waits all the same: for the next iteration of a simulation. */
void whole_park(struct server *s, struct request *r);
bool whole_has_parked(const struct server *s);
/* Those that wait are handled now. */
void whole_handle_parked(struct server *s);

#endif
