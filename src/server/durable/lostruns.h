/* SPDX-License-Identifier: Apache-2.0
 * Runs of jobs that ended as a node was lost: for those who give back what they cost
 * (mam-refund --node-failures). A run whose job waits again has no row in the
 * accounting of jobs, and is noted when it is charged; of others the row says why they
 * ended. Private to src/server. */
#ifndef MAUI_SERVER_LOSTRUNS_H
#define MAUI_SERVER_LOSTRUNS_H

#include "base/err.h"
#include "base/vec.h"
#include "engine/charging/charging.h"

#include <stdint.h>

struct server;

/* A charge of such a run, of the scheduler's own bank: with the next commit. */
void lostruns_note(struct server *s, const struct money_move *m);

struct lost_run {
    char *run;  /* owned */
    int64_t at; /* it ended then */
};
struct lost_runs VEC(struct lost_run);

/* The first of those that ended at `since` or later, by their ends, each once; freed
 * with lostruns_fini() in any case. *ret_next: the next are those from that instant on;
 * 0 = these are all. -1: the store cannot be read. Time in proportion to some thousand
 * jobs that ended since, to those that ended in one second, and to all runs whose jobs
 * were requeued as a node was lost. */
int lostruns_find(struct server *s, int64_t since, struct lost_runs *ret,
    int64_t *ret_next, struct err *err);
void lostruns_fini(struct lost_runs *runs);

#endif
