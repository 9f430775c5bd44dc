/* SPDX-License-Identifier: Apache-2.0
 * Messages that administrators leave for each other (mschedctl -A), shown by diagnose
 * -S until they are taken away; kept over restarts. Private to src/server. */
#ifndef MAUI_SERVER_MESSAGES_H
#define MAUI_SERVER_MESSAGES_H

#include "base/err.h"

#include <jansson.h>
#include <stdint.h>

struct server;

/* Those of former lives. */
void messages_open(struct server *s);
void messages_close(struct server *s);

/* Its number, or -1 with a sentence: no text, too long, too many of them. */
int messages_add(
    struct server *s, const char *text, const char *user, int *ret, struct err *err);
int messages_remove(struct server *s, int64_t number, struct err *err);

/* ["[1] disks are swapped at noon (ann)", ...]; NULL = there are none. */
json_t *messages_list(const struct server *s);

#endif
