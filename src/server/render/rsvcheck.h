/* SPDX-License-Identifier: Apache-2.0
 * What is odd about a reservation: what an administrator should look at; and what may
 * be meant by a name that none has. Private to src/server. */
#ifndef MAUI_SERVER_RSVCHECK_H
#define MAUI_SERVER_RSVCHECK_H

#include "server/api/identity.h"

#include <jansson.h>

/* An array of sentences, the gravest first; NULL when there is nothing to tell. */
json_t *rsvcheck_warnings(const struct cluster *c, const struct reservation *r);

/* ERR_NOT_FOUND: "cannot locate reservation 'maint'; did you mean 'maint.0'?", of those
 * that `who` may see. Returns -1. O(reservations). */
int rsvcheck_missing(const struct cluster *c, const struct identity *who,
    const char *name, struct err *err);

#endif
