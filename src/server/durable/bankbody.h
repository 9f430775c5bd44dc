/* SPDX-License-Identifier: Apache-2.0
 * What a bank elsewhere reads of a run: one JSON object (docs/bank.md, NATIVE). Private
 * to src/server. */
#ifndef MAUI_SERVER_BANKBODY_H
#define MAUI_SERVER_BANKBODY_H

#include "engine/charging/charging.h"

#include <jansson.h>
#include <stdint.h>

struct server;

/* Who runs, and on what; owned. */
json_t *bankbody_run(struct server *s, const struct money_move *m);

/* The same with the verb and what it is about: seconds, amount. `record` (NULL: there
 * is none) is the run's own when it began, which says what the engine does not know any
 * more of one that it did not see end. Owned. */
json_t *bankbody_move(struct server *s, const json_t *record,
    const struct money_move *m, const char *verb);

/* A member, left out where there is no text. A name from outside may be no UTF-8: it is
 * told and kept all the same. */
void bankbody_text(json_t *o, const char *key, const char *text);
/* "57600.000" or "129945.600": credits as a text, so that nothing rounds them. */
void bankbody_credits(json_t *o, const char *key, int64_t amount);
/* A member, left out where it is not above 0. */
void bankbody_number(json_t *o, const char *key, int64_t n);

#endif
