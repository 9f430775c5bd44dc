/* SPDX-License-Identifier: Apache-2.0
 * What the desk for a bank elsewhere writes down: how messages and runs are kept, and
 * what is read of them. Private to src/server. */
#ifndef MAUI_SERVER_BANKRECORD_H
#define MAUI_SERVER_BANKRECORD_H

#include "base/err.h"
#include "config/bankcfg.h"
#include "funds/funds.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct server;

/* "FILE", "NATIVE" or "GOLD" of enum bank_type; NULL: it is none of those. */
const char *bankrecord_kind_name(int kind);
/* For which kind of bank it is; 0: of an older release, whichever is there. */
int bankrecord_kind(const json_t *record);
/* Is that for a bank of this kind? What is of an older release is for any. */
bool bankrecord_is_of(int kind, int bank);

/* By number, so that keys come in their order. */
#define BANKRECORD_KEY 24
const char *bankrecord_key(uint64_t number, char ret[BANKRECORD_KEY]);

/* With the next commit, which is asked for. */
void bankrecord_put(struct server *s, const char *kind, const char *key, json_t *o);
void bankrecord_delete(struct server *s, const char *kind, uint64_t number);

/* A number that is kept by itself; 0: there is none. -1: the store cannot be read. */
int bankrecord_number(
    const struct server *s, const char *key, uint64_t *ret, struct err *err);

/* A name; "-" where an older record lacks it. Borrowed. */
const char *bankrecord_name(const json_t *o, const char *key);
/* What the engine is told of a run that is open. Texts are borrowed. */
struct funds_run bankrecord_run(const char *name, const json_t *record);

/* A message, as a record of the API; `said`: what the bank answered last. Owned. */
json_t *bankrecord_show(
    uint64_t number, const json_t *body, const char *state, const char *said);

#endif
