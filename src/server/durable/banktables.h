/* SPDX-License-Identifier: Apache-2.0
 * What the desk for a bank elsewhere has in memory: runs that are open, by name, and
 * messages that were put aside, by number. Private to src/server. */
#ifndef MAUI_SERVER_BANKTABLES_H
#define MAUI_SERVER_BANKTABLES_H

#include "base/hash.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* A run that is open. */
struct open_run {
    UT_hash_handle hh;
    char *name; /* owned */
    json_t *record;
    bool placed; /* a lien may lie there */
};

/* Takes the record. */
struct open_run *bankrun_add(struct open_run **runs, const char *name, json_t *record);
struct open_run *bankrun_find(struct open_run *runs, const char *name); /* or NULL */
/* May its bank know of it? One that no bank was asked about yet may go to another. */
bool bankrun_is_told(const struct open_run *r);
void bankrun_free(struct open_run **runs, struct open_run *r);

/* What was put aside, as it is in the store. */
struct aside {
    UT_hash_handle hh;
    uint64_t number;
    json_t *body;
    bool again; /* somebody wants it told, when its turn comes */
};

/* Takes the body. */
struct aside *bankaside_add(struct aside **asides, uint64_t number, json_t *body);
struct aside *bankaside_find(struct aside *asides, uint64_t number); /* or NULL */
void bankaside_sort(struct aside **asides);
void bankaside_free(struct aside **asides, struct aside *a);

#endif
