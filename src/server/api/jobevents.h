/* SPDX-License-Identifier: Apache-2.0
 * What happened to a job, as far as events of it are kept. Private to src/server. */
#ifndef MAUI_SERVER_JOBEVENTS_H
#define MAUI_SERVER_JOBEVENTS_H

#include "server/api/identity.h"

#include <jansson.h>

struct job;
struct server;

/* Its events since it was submitted, the oldest first, the last JOBEVENTS_MAX of them;
 * by whose order they came about is for administrators. A new reference; an empty list
 * where no events are kept, as in a view of the past. O(events kept). */
#define JOBEVENTS_MAX 200
json_t *jobevents_list(
    const struct server *s, const struct identity *who, const struct job *j);

#endif
