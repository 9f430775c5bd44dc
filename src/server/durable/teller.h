/* SPDX-License-Identifier: Apache-2.0
 * The bank's counter: between the engine, which decides what is kept and charged, and
 * the ledger (am/am.h), which has it for ever. What an event or a cycle moved is
 * written in the same commit as that event; what people move is told to the engine.
 *
 *     engine --moves--> ledger --commit--> the disk
 *     engine <--facts-- ledger <--requests-- people
 *
 * In force with AMCFG[] TYPE=BUILTIN, not in a simulation. Private to src/server. */
#ifndef MAUI_SERVER_TELLER_H
#define MAUI_SERVER_TELLER_H

#include "am/am.h"
#include "server/durable/unsaved.h"

#include <stdbool.h>

struct server;

void teller_open(struct server *s);
void teller_close(struct server *s);

/* Is there a bank? */
bool teller_is_open(const struct server *s);

/* The engine is told all accounts and open runs, if it knows none and the bank is in
 * force: before jobs are, and when the settings change. */
void teller_recall(struct server *s);
/* All jobs that there are have been told: open runs of others are over. */
void teller_jobs_are_known(struct server *s);

/* When the daemon's life before last looked at its jobs; 0: not known, as without a
 * bank. */
int64_t teller_seen_at(const struct server *s);

/* What the engine moved goes to the ledger: after each event and each cycle. */
void teller_post(struct server *s);

/* Before the last commit: what reservations have cost so far is written down. */
void teller_rest(struct server *s);

/* Now and then: deposits that have ended expire. */
void teller_look(struct server *s);

/* To look at, with all that was moved so far. NULL: there is no bank. */
struct am *teller_ledger(struct server *s);

/* What somebody asked for: `make` calls the ledger, and is called again with the same
 * payload where a commit failed. AM_DONE, AM_REFUSED or -1 with a sentence. Then the
 * engine is told what changed. */
int teller_do(struct server *s, struct unsaved_step step, struct err *err);

#endif
