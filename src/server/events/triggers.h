/* SPDX-License-Identifier: Apache-2.0
 * Triggers of reservations, carried out: `exec` runs a program of the site (below
 * TOOLSDIR unless absolute; words parted by blanks, no shell), `submit` submits a
 * script with msub, both as the user the daemon runs as. (`cancel` the engine does
 * itself.)
 *
 * What is promised, over kill -9 and loss of power:
 *   - A trigger that fired is a record of the store in the same commit as its fired
 *     state. As long as the record says `due`, it will be carried out, after a restart
 *     too. So none is lost, and none fires again.
 *   - The record says `begun` before the program is started. From then on it is never
 *     started again. So no program is run twice.
 *   - The daemon cannot know what became of a program that was begun when it died: that
 *     is told in the log and as an event, and an administrator is notified. Only if the
 *     daemon dies between that commit and the start, some microseconds, did it not run.
 * Private to src/server. */
#ifndef MAUI_SERVER_TRIGGERS_H
#define MAUI_SERVER_TRIGGERS_H

#include "engine/engine.h"

struct server;

/* What former lives left to do is taken up. After the store. */
int triggers_open(struct server *s, struct err *err);
/* Before the last commit: what was put down as begun and is not started is due again.
 */
void triggers_stop(struct server *s);
void triggers_close(struct server *s);

/* The engine says that one fired. */
void triggers_fired(struct server *s, const struct action *a);

/* One of a reservation that is not there any more, to be carried out at `due_at`. */
void triggers_left(struct server *s, const char *rsv, size_t index,
    const struct trigger *t, int64_t due_at);

/* A commit succeeded: what may be done now is done. */
void triggers_committed(struct server *s);

#endif
