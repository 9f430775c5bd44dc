/* SPDX-License-Identifier: Apache-2.0
 * Where the bank of each kind that is elsewhere was known to be, over restarts: a bank
 * that has moved, or another one, is told apart by that (desk.h). Private to
 * src/server.
 */
#ifndef MAUI_SERVER_BANKPLACE_H
#define MAUI_SERVER_BANKPLACE_H

#include "base/err.h"

struct server;
struct bankplaces;

/* As the store has them. NULL with a sentence: it cannot be read. */
struct bankplaces *bankplaces_open(struct server *s, struct err *err);
void bankplaces_close(struct bankplaces *p); /* NULL is allowed */

/* Borrowed; NULL: of that kind nothing is known. */
const char *bankplace_of(const struct bankplaces *p, int kind);
/* With the next commit. Takes the text. */
void bankplace_set(struct bankplaces *p, int kind, char *place);

#endif
