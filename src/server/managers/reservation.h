/* SPDX-License-Identifier: Apache-2.0
 * Reservations that a resource manager has made itself: shown as administrative ones of
 * the same name, and respected. They are its own: they come and go with what it tells,
 * and are not kept over a restart. Private to src/server. */
#ifndef MAUI_SERVER_RMRESERVATION_H
#define MAUI_SERVER_RMRESERVATION_H

#include "rm/rm.h"

struct manager;

/* It is new, or something of it changed. */
void rmreservation_told(struct manager *m, const struct rm_reservation *r);
void rmreservation_gone(struct manager *m, const char *name);
/* All is told: what was not since the last call is gone. */
void rmreservation_synced(struct manager *m);
void rmreservation_close(struct manager *m);

#endif
