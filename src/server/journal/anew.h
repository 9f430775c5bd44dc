/* SPDX-License-Identifier: Apache-2.0
 * A life that has outgrown its part of the journal begins anew without the daemon's
 * doing so: in a quiet moment (nothing unanswered, no list being read) the engine is
 * given up and another one is told everything, as after a restart. So the journal has a
 * begin from which it can be done again, and what was before can be forgotten. The same
 * when the clock was set back by much: an engine's time goes one way. Requests wait for
 * that moment's end (whole.h). Private to src/server. */
#ifndef MAUI_SERVER_ANEW_H
#define MAUI_SERVER_ANEW_H

struct server;

/* After a commit and after a cycle. */
void anew_look(struct server *s);

#endif
