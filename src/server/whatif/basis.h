/* SPDX-License-Identifier: Apache-2.0
 * What an answer of what would be rests on: settings, reservations that people make,
 * which nodes there are and take jobs, and which resource managers answer. Jobs come
 * and go meanwhile; whoever then orders what was tried says on which basis, and is told
 * when that is another. Private to src/server. */
#ifndef MAUI_SERVER_BASIS_H
#define MAUI_SERVER_BASIS_H

#include "engine/engine.h"

#include <stddef.h>

struct server;

#define BASIS_TEXT_MAX 80
#define BASIS_AGE_S    300 /* older ones count no more */

/* A number that is another when the event has changed what a basis is of: to be taken
 * before it and handed to basis_follow() after it. 0 as long as nobody has asked what
 * would be. O(1). */
uint64_t basis_look(const struct server *s, const struct event *ev);
void basis_follow(struct server *s, const struct event *ev, uint64_t before);

/* From now on it is followed. The text that names it, and this instant. */
void basis_write(struct server *s, char *ret, size_t size);

/* Is it still so? 0, or -1: ERR_INVALID, it is no such text; ERR_CONFLICT, it is
 * another, or too old. */
int basis_check(struct server *s, const char *text, struct err *err);

#endif
