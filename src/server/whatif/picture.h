/* SPDX-License-Identifier: Apache-2.0
 * When all jobs start, as far as can be foreseen; and two of these pictures beside each
 * other. Made in a copy of the process (whatif.h), which has seconds for it. Private to
 * src/server. */
#ifndef MAUI_SERVER_PICTURE_H
#define MAUI_SERVER_PICTURE_H

#include "base/vec.h"
#include "server/api/identity.h"
#include "server/whatif/stand.h"

#include <jansson.h>
#include <stddef.h>

struct server;

/* A job of it, by its index in the cluster, which stays its own (picture_begin()). Of
 * one that was not there, or had ended, the standing is STAND_NONE. */
struct pictured {
    struct standing standing;
    bool seen; /* by who asks: as lists show it */
};

struct picture {
    struct VEC(struct pictured) jobs;
    size_t count[STANDS]; /* of those seen, as all that follows */
    size_t planned, of;   /* of the jobs that wait for nothing but room, so many were
                             planned in the time that there is */
};

/* Before the first: from now on no number of a job is used again. */
void picture_begin(struct server *s);

/* After a cycle, without what only a forecast tells. O(jobs). */
void picture_note(struct server *s, const struct identity *who, struct picture *ret);
/* And with that. O(jobs), and a search in the plan for each that waits for room. */
void picture_take(struct server *s, const struct identity *who, struct picture *ret);
void picture_fini(struct picture *p);

/* How many stand where, as the API's WhatIfTotals. A new reference. */
json_t *picture_totals(const struct picture *p);

/* The job of that name; NONE where it is not there, or not for their eyes. O(1). */
struct standing picture_find(
    const struct server *s, const struct picture *p, const char *id);

/* What is different, put into `o`: lists of who is concerned, as far as that person may
 * know of them and PICTURE_LISTED_MAX of each at most, those by the most first; and how
 * many of each kind there are of those, in all and by whose they are: of each kind of
 * credential PICTURE_SUMS_MAX at most, those by the most first. The engine is the one
 * of `after`. */
#define PICTURE_LISTED_MAX 1000
#define PICTURE_SUMS_MAX   100
void picture_compare(struct server *s, const struct identity *who,
    const struct picture *before, const struct picture *after, json_t *o);

#endif
