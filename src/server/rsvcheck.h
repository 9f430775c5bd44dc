/* SPDX-License-Identifier: Apache-2.0
 * What is odd about a reservation: what an administrator should look at. Private to
 * src/server. */
#ifndef MAUI_SERVER_RSVCHECK_H
#define MAUI_SERVER_RSVCHECK_H

#include "cluster/cluster.h"
#include "cluster/reservation.h"

#include <jansson.h>

/* An array of sentences, the gravest first; NULL when there is nothing to tell. */
json_t *rsvcheck_warnings(const struct cluster *c, const struct reservation *r);

#endif
