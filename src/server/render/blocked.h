/* SPDX-License-Identifier: Apache-2.0
 * What keeps a node out of the windows that showbf tells. */
#ifndef MAUI_SERVER_BLOCKED_H
#define MAUI_SERVER_BLOCKED_H

#include "engine/query.h"
#include "server/api/identity.h"

#include <jansson.h>

struct server;

/* A list of {name, state | reservation, in_s | reason}, in the order of the nodes:
 * those which the asker could not use from now on without end. Names of reservations
 * that `who` may not see are left out. NULL with a sentence when the question makes no
 * sense. O(nodes + queue), more where many reservations are on a node. */
json_t *blocked_nodes(struct server *s, const struct query_ask *ask,
    const struct identity *who, struct err *err);

#endif
