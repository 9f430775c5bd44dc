/* SPDX-License-Identifier: Apache-2.0
 * Changes of jobs as the API has them (attribute, op, value), made events; and kept, so
 * that a restart makes them again. Private to src/server. */
#ifndef MAUI_SERVER_MODIFY_H
#define MAUI_SERVER_MODIFY_H

#include "engine/engine.h"

#include <jansson.h>

struct server;
struct identity;
struct job_notes;

/* Make the changes, a JSON array of {attribute, op, value}: what the job asks for as
 * one event, of which all or nothing is done; then QOS, system priority, holds, name
 * and message, if they are among them. Administrators of level 1 and 2 may assign any
 * QOS, group and system priority, and raise the limit of a running job. Kept until the
 * job ends. */
int modify_apply(struct server *s, const struct job *j, json_t *changes,
    const struct identity *who, struct err *err);

/* After a restart: a resource manager tells a job as it was submitted. Puts what was
 * changed since into the description, which borrows from the result; NULL = nothing. */
struct modified;
struct modified *modify_recall(struct server *s, struct job_desc *d);
/* Keeps the value as that of a change, unless the attribute has been changed (which a
 * job that is not `known` cannot have been) or it is no value of it, which is logged.
 * Has it been kept? A recall then finds it. */
bool modify_keep(struct server *s, const char *id, bool known, const char *attribute,
    const char *value);
/* Has that attribute of the job been changed, by any name of it? */
bool modify_has(struct server *s, const char *id, const char *attribute);
/* These changes, enum change_bit, are not to be made again: they stand elsewhere. */
void modify_forget(struct server *s, const char *id, unsigned what);
/* Its name and message as changed; `m` may be NULL. */
void modified_note(const struct modified *m, struct job_notes *n);
/* The same for these changes, whose reference is taken. += and -= start from the job;
 * NULL: they are not possible. NULL with a sentence. */
struct modified *modify_desc(
    json_t *changes, struct job_desc *d, const struct job *j, struct err *err);
void modified_free(struct modified *m);

#endif
