/* SPDX-License-Identifier: Apache-2.0
 * What is in the way of a job by name: reservations that do not let it in, features and
 * generic resources that there are not, or not enough of, nodes whose state is such. */
#ifndef MAUI_SERVER_OBSTACLES_H
#define MAUI_SERVER_OBSTACLES_H

#include "server/api/identity.h"

#include <jansson.h>

struct server;

/* The time that a job would take: instants. */
struct obstacle_time {
    int64_t from_at, until_at;
};

/* In that partition, a record each: kind (reservation, feature, resource, state), name,
 * nodes that it keeps, that have it or that are so, until, asked, free, text;
 * reservations of the time `when`.
 * Reservations that `who` may not see are one record with nothing but how many nodes
 * they keep. O(nodes + what reservations hold). */
json_t *obstacles_list(struct server *s, const struct job *j, uint32_t partition,
    const struct obstacle_time *when, const struct identity *who);

/* "this job asks for reservation 'x', which is not there", or which does not let it in:
 * false when it asks for none, or may use it. O(reservations). */
bool obstacles_say_asked(
    const struct cluster *c, const struct job *j, char *ret_text, size_t size);

#endif
