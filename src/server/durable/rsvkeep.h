/* SPDX-License-Identifier: Apache-2.0
 * Administrative and personal reservations outlive the daemon: each is a record of the
 * store, what was asked together with what became of it (name, window, who is
 * accountable, triggers that have fired, the nodes). Private to src/server.
 *
 * A reservation of TASKS stays after a restart on the nodes it had: it would otherwise
 * be placed anew among the jobs inside it. */
#ifndef MAUI_SERVER_RSVKEEP_H
#define MAUI_SERVER_RSVKEEP_H

#include "cluster/reservation.h"

#include <jansson.h>

struct server;

/* Write down what was just made; `asked` is the ReservationDraft. */
void rsvkeep_add(struct server *s, const struct reservation *r, json_t *asked);

/* What was asked for when it was made, or changed last; borrowed, NULL when nothing is
 * known. O(kept). */
json_t *rsvkeep_asked(struct server *s, const struct reservation *r);

/* It was changed: this is asked for now. Takes the reference. */
void rsvkeep_change(struct server *s, const struct reservation *r, json_t *asked);

/* Write what has changed since, and forget what is over. O(kept). */
void rsvkeep_look(struct server *s);

/* After a restart, when nodes and jobs are known and before the first cycle. What is
 * over is forgotten; what cannot be made is told in the log, and kept. */
void rsvkeep_restore(struct server *s);

void rsvkeep_open(struct server *s);
void rsvkeep_close(struct server *s);

#endif
