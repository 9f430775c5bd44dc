/* SPDX-License-Identifier: Apache-2.0
 * The journal: what the engine is told and what it decided, one JSON object a line, in
 * the order of happening and with all that is needed to do it again (`maui replay`,
 * journal/event.h).
 *
 *     {"begin":{"version":"0.1", "zone":"Europe/Vienna", "config":"..."}}
 *     {"event":"submit", "at":1764, "job":{...}, "decided":["hold 12: ..."]}
 *     {"cycle":1764, "decided":["start 12 on n1*3:2", "reserve 13 at 1800"]}
 *
 * A life begins with an empty engine that is told everything by events: nodes, jobs
 * with what was remembered of them, usage, reservations. So each "begin" is a snapshot,
 * and what came before it can be forgotten. Of lives that are over as many are kept as
 * fit into half of JOURNALMAXSIZE; a life that outgrows the other half begins anew
 * (anew.h). Each life has a record `journal`: its first number, and its size.
 *
 * A cycle that decides nothing is written too, but is no reason for a commit.
 * Private to src/server. */
#ifndef MAUI_SERVER_JOURNAL_H
#define MAUI_SERVER_JOURNAL_H

#include "engine/engine.h"

#include <jansson.h>

struct server;

void journal_open(struct server *s);
void journal_close(struct server *s);

/* A life begins: all that was journalled before is committed. Forgets the oldest. */
void journal_begin(struct server *s);

/* Before and after engine_apply(): some events are moved from. NULL = it has failed. */
json_t *journal_before(struct server *s, const struct event *ev);
void journal_after(struct server *s, json_t *line, const struct actions *decided);

void journal_cycle(struct server *s, int64_t now, const struct actions *decided);

/* This life has been told all that there is, by its resource managers too. The first
 * time counts. */
void journal_pictured(struct server *s);
/* How much of its half this life has taken: 1 = all. Where the picture that it began
 * with has more than half of that itself, twice the picture is its room: another life
 * would be as long at once, and nothing but beginnings would come of it. */
double journal_fullness(const struct server *s);

#endif
