/* SPDX-License-Identifier: Apache-2.0
 * A life that has outgrown its part of the journal begins anew without the daemon's
 * doing so: in a quiet moment (nothing unanswered, no list being read) the engine is
 * given up and another one is told everything, as after a restart. So the journal has a
 * begin from which it can be done again, and what was before can be forgotten. The same
 * when the clock was set back by much: an engine's time goes one way. Requests wait for
 * that moment's end. Private to src/server. */
#ifndef MAUI_SERVER_ANEW_H
#define MAUI_SERVER_ANEW_H

#include "server/request.h"

struct server;

/* After a commit and after a cycle. */
void anew_look(struct server *s);

/* True: the request is kept, and handled later. */
bool anew_keep(struct server *s, struct request *r);

/* After a cycle, or when none may run: the engine knows everything again. */
void anew_settle(struct server *s);

void anew_close(struct server *s); /* requests that are kept are http.c's to refuse */

#endif
