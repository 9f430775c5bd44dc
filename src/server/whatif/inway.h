/* SPDX-License-Identifier: Apache-2.0
 * What is in the way of a reservation that cannot be made, or moved, by name. Private
 * to src/server. */
#ifndef MAUI_SERVER_INWAY_H
#define MAUI_SERVER_INWAY_H

#include "server/api/identity.h"

#include <jansson.h>

struct server;

/* On the nodes that the ReservationDraft means, in its window: nodes that take no jobs,
 * jobs that run or are promised them, reservations that conflict. Records of
 * WhatIfObstacle, INWAY_MAX at most; of all jobs, and of all reservations, that the
 * caller may not see one more, of which nothing is told but that there are some. NULL:
 * the draft cannot be read. O(nodes + what jobs and reservations have). */
#define INWAY_MAX 200
json_t *inway_of_draft(struct server *s, const struct identity *who, json_t *draft);

/* The same of one that is there: on its nodes, in the window that the change wants.
 * NULL: there is none of that name. */
json_t *inway_of_change(struct server *s, const struct identity *who, const char *name,
    const json_t *change);

#endif
