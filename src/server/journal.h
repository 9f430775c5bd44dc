/* SPDX-License-Identifier: Apache-2.0
 * The journal: what the engine is told, and what it decided, one JSON object a line, in
 * the order of happening: for people who ask what happened when. It is not enough to do
 * it all again: of reservations it has the name, of a changed job which members
 * changed, of other settings that there were some.
 *
 *     {"event":"submit", "at":1764, ...}         as struct event
 *     {"cycle":1764, "decisions":["start 12", "reserve 13 1800"]}  */
#ifndef MAUI_SERVER_JOURNAL_H
#define MAUI_SERVER_JOURNAL_H

#include "engine/engine.h"

#include <jansson.h>

struct server;

/* The event as JSON, a new reference. */
json_t *journal_event(const struct event *ev);

/* Add a line to the batch; takes the reference. */
void journal_add(struct server *s, json_t *line);
void journal_cycle(struct server *s, int64_t now, const struct actions *decided);

#endif
