/* SPDX-License-Identifier: Apache-2.0
 * What would be if: asked of a copy of the process, so nothing of the running one is
 * touched, whatever the copy does.
 *
 *     request --> fork --> copy: a cycle, the changes, a cycle, two pictures --> pipe
 *        |                                                                        |
 *        +--- kept; the loop goes on with all else ------------------- reply <----+
 *
 * The loop waits for the fork alone, which is some milliseconds for 100 MB of memory;
 * of a process above WHATIF_MEMORY_MAX none is made. The copy has a lower priority,
 * WHATIF_CPU_S seconds of a processor, WHATIF_MEMORY_MORE of memory beyond the
 * process's, no descriptor but its pipe, no store, no log, no resource manager; it is
 * killed when its client leaves, and goes with the daemon. There are WHATIF_AT_ONCE of
 * a method at a time, one more where an administrator asks, and one of a user: a newer
 * question ends the one before it. Who is refused has the next place (standby.h).
 * Copies are paced (pace.h). Private to src/server. */
#ifndef MAUI_SERVER_WHATIF_H
#define MAUI_SERVER_WHATIF_H

#include "base/err.h"
#include "server/http/request.h"

#define WHATIF_AT_ONCE     2
#define WHATIF_CPU_S       12
#define WHATIF_PATIENCE_S  60 /* by the clock on the wall */
#define WHATIF_MEMORY_MAX  (INT64_C(1) << 30)
#define WHATIF_MEMORY_MORE ((size_t)512 << 20)

struct server;

/* What answers rest on (basis.h): kept here. */
struct basis {
    bool followed;  /* somebody has been told of one */
    uint64_t count; /* of its changes since */
};
struct basis *whatif_basis(const struct server *s);

void whatif_open(struct server *s);
/* Copies are ended; before http_close(), which refuses their requests. */
void whatif_close(struct server *s);

/* Answer the WhatIfRequest, which trial_check() has seen, later. A client that takes
 * lines (Accept) is told meanwhile how far the copy got. */
void whatif_ask(struct server *s, struct request *r, const json_t *body);

/* In the copy: what it would need is not there. The other process knows by that. */
void whatif_give_up(void) __attribute__((noreturn));
/* In the copy: it has got that far of what it was asked for, up to that instant. Told
 * where the client reads lines, some times in a second. */
void whatif_progress(struct server *s, int64_t at, unsigned percent);
/* In the copy (server.tries): a sentence for the answer's notes, each once; and those
 * that there are, an array, borrowed. */
void whatif_note(struct server *s, const char *text);
json_t *whatif_notes(const struct server *s);

#endif
