/* SPDX-License-Identifier: Apache-2.0
 * What a later life of the daemon has to know of runs that are not over, and that no
 * resource manager tells: what one had come to when it was decided that it leaves its
 * nodes, whether it is to make room for another job, and that nobody has been told to
 * start it yet. Records of the store:
 *
 *   bankleaver   run   {"at", "cost", "seconds" ...}; until it is over, or stays
 *   bankwaiter   job   its start waits: for others to leave its nodes, for a bank, for
 *                      its resource manager; until it is sent, or taken back
 *
 * Without a bank nothing is noted. Private to src/server. */
#ifndef MAUI_SERVER_LEAVERS_H
#define MAUI_SERVER_LEAVERS_H

#include "engine/charging/charging.h"
#include "funds/funds.h"

#include <jansson.h>

struct server;

/* It leaves, or stays after all (MONEY_LEAVES). */
void leavers_note(struct server *s, const struct money_move *m);
/* It is over. */
void leavers_forget(struct server *s, const char *run);

void leavers_start_waits(struct server *s, const char *job);
/* Or it is none any more. */
void leavers_start_sent(struct server *s, const char *job);

/* What a former life noted of these runs is written into them, and what it noted of
 * others is forgotten. The result, to be freed by json_decref(), has the texts. NULL:
 * the store cannot be read. */
json_t *leavers_recall(
    struct server *s, struct funds_run *runs, size_t n, struct err *err);
/* All jobs are known: starts of a former life that were waited with are no more. */
void leavers_jobs_are_known(struct server *s);

#endif
