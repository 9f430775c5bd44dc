/* SPDX-License-Identifier: Apache-2.0
 * The past: asked of helpers, each of which is the daemon as it was at an instant
 * (guide.h).
 *
 *     POST /v1/past {at}    --> a process, which does a life again up to there
 *     GET /v1/jobs?past=H   --> handed on to it; its answer is handed back
 *     PATCH /v1/past/H      --> it goes on from where it is, or begins anew
 *
 * The loop waits for none of that. A helper has a lower priority and bounds on memory
 * and processor time, holds nothing of the daemon's, and goes with it. Each is of one
 * caller, and sees what lists showed that caller then: administrators of any level have
 * TRIPS_MAX in all, and all others as many among them, so that neither keep out the
 * other. None lives that was not asked for TRIP_IDLE_S. Private to src/server. */
#ifndef MAUI_SERVER_TRAVEL_H
#define MAUI_SERVER_TRAVEL_H

#include "server/http/request.h"

#define TRIPS_MAX   2 /* of administrators, and of all others */
#define TRIP_IDLE_S 600
#define TRIP_CPU_S  3600
#define TRIP_MEMORY ((size_t)2 << 30)
#define TRIP_ASKED  64 /* questions that wait for their answers */
/* Bytes of answers that a user's clients have not fetched: no more is asked then. */
#define TRIP_UNFETCHED ((size_t)64 << 20)

struct server;

void travel_open(struct server *s);
/* Helpers are ended; before http_close(), which refuses what they were asked. */
void travel_close(struct server *s);

/* Since when the journal is kept, 0 = it is not, and the caller's trips. */
void travel_tell(struct server *s, struct request *r);
/* Another one, to the last cycle then or before. It takes the place of the caller's
 * that was asked least lately, where there are as many as there may be (one of a user
 * without a level), or of one of somebody who has two. */
void travel_begin(struct server *s, struct request *r, int64_t at);
/* The caller's trip of that name goes on as the PastMove says. */
void travel_move(struct server *s, struct request *r, const char *id, json_t *how);
void travel_end(struct server *s, struct request *r, const char *id);
/* A GET is answered there. */
void travel_ask(struct server *s, struct request *r, const char *id);
/* The instant where that trip is, which is used by that; -1 with a sentence: the caller
 * has none of that name.
 */
int travel_instant(struct server *s, const struct identity *who, const char *id,
    int64_t *ret, struct err *err);

#endif
