/* SPDX-License-Identifier: Apache-2.0
 * Changes of jobs as the API has them (attribute, op, value), made events; and kept, so
 * that a restart makes them again. Private to src/server. */
#ifndef MAUI_SERVER_MODIFY_H
#define MAUI_SERVER_MODIFY_H

#include "engine/engine.h"

#include <jansson.h>

struct server;

/* Make the changes, a JSON array of {attribute, op, value}: what the job asks for as
 * one event, of which all or nothing is done; then QOS and system priority, if they are
 * among them. `admin` may assign any QOS and system priorities, and raise the limit of
 * a running job. Kept until the job ends. */
int modify_apply(struct server *s, const struct job *j, json_t *changes, bool admin,
    struct err *err);

/* After a restart: a resource manager tells a job as it was submitted. Puts what was
 * changed since into the description, which borrows from the result; NULL = nothing. */
struct modified;
struct modified *modify_recall(struct server *s, struct job_desc *d);
void modified_free(struct modified *m);

#endif
