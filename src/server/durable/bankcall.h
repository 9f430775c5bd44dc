/* SPDX-License-Identifier: Apache-2.0
 * The program that is called for a bank elsewhere, by the configuration: the site's own
 * (NATIVE), or maui-bank (FILE, GOLD). Private to src/server. */
#ifndef MAUI_SERVER_BANKCALL_H
#define MAUI_SERVER_BANKCALL_H

#include "base/err.h"
#include "server/events/programs.h"

#include <jansson.h>

struct server;

/* Call it with the body's verb, and the body on its standard input. `ended` is told how
 * it came out, never from within. -1 with a sentence: it cannot be called. */
int bankcall_run(struct server *s, struct programs *programs, const json_t *body,
    void (*ended)(void *ctx, const struct program_end *end), void *ctx,
    struct err *err);

/* The kind of the bank elsewhere and where it is: "GOLD gold1:7112"; owned. */
char *bankcall_place(const struct server *s);

#endif
