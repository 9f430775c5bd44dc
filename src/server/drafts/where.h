/* SPDX-License-Identifier: Apache-2.0
 * Conditions on jobs, as `mjobctl -w user=mira`: a JSON object of attribute and value,
 * all of which have to hold. Private to src/server. */
#ifndef MAUI_SERVER_WHERE_H
#define MAUI_SERVER_WHERE_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>

struct job;
struct server;

/* Are the conditions usable? Unknown attributes are told with the nearest. */
int where_check(const json_t *where, struct err *err);

/* Does the job meet checked conditions? NULL: it does. */
bool where_matches(const json_t *where, struct server *s, const struct job *j);

#endif
