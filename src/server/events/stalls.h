/* SPDX-License-Identifier: Apache-2.0
 * How long turns of the loop take, and what took the longest: while one lasts, nobody
 * is answered. A turn is what the loop does between two looks at who has something for
 * it. Private to src/server. */
#ifndef MAUI_SERVER_STALLS_H
#define MAUI_SERVER_STALLS_H

#include "base/strbuf.h"

struct server;
struct stalls;

void stalls_open(struct server *s);
void stalls_close(struct server *s);

/* Goes round until somebody ends the loop: with what, or negative errno of the loop. */
int stalls_loop(struct server *s);

/* Tells what this turn does, in a word or two that stay where they are for good. The
 * first word of a turn counts: what follows from it is part of it. O(1). */
void stalls_doing(struct server *s, const char *what);

/* Appends maui_turn_duration_seconds, a histogram, and for each of what turns did the
 * longest. */
void stalls_print(const struct server *s, struct strbuf *out);

#endif
