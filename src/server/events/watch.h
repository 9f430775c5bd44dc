/* SPDX-License-Identifier: Apache-2.0
 * What happened, told to the event log: derived from what the engine is told, what it
 * decides, and how reservations and nodes change by it. Private to src/server. */
#ifndef MAUI_SERVER_WATCH_H
#define MAUI_SERVER_WATCH_H

#include "engine/engine.h"

struct config;
struct server;

void watch_open(struct server *s);
void watch_close(struct server *s);

/* Before and after an event is applied; `job` INDEX_NONE when it is about none. O(1),
 * for a node that went down O(jobs on it). */
void watch_before(struct server *s, const struct event *ev);
void watch_applied(struct server *s, const struct event *ev, const struct job *j);

/* Other parameters are in force: which, what they were and are. O(values). */
void watch_configured(
    struct server *s, const struct config *was, const struct config *is);

/* A decision about a job. */
void watch_decided(struct server *s, const struct action *a, const struct job *j);

/* Reservations that came, began, went. O(1) when nothing changed, else
 * O(reservations). */
void watch_reservations(struct server *s);

/* Those of before a restart are coming back: nothing is told of these. */
void watch_restoring(struct server *s, bool restoring);

/* After a cycle: jobs that are on nodes which have been down for long. */
void watch_cycle(struct server *s);

#endif
