/* SPDX-License-Identifier: Apache-2.0
 * A JobRequest of the API as what a resource manager is told of a submission: needs no
 * daemon. Private to src/server. */
#ifndef MAUI_SERVER_SUBMITDRAFT_H
#define MAUI_SERVER_SUBMITDRAFT_H

#include "rm/rm.h"
#include "server/api/identity.h"

#include <jansson.h>

struct submit_draft;

/* The request read; texts are borrowed from `o` and `who`. NULL with a sentence. */
struct submit_draft *submitdraft_read(
    json_t *o, const struct identity *who, struct err *err);
void submitdraft_free(struct submit_draft *d); /* NULL is allowed */

/* What it says; borrowed. */
const struct rm_submission *submitdraft_submission(const struct submit_draft *d);
struct rm_submission *submitdraft_edit(struct submit_draft *d);

/* Jobs that it depends on are called so: `name` says how, or NULL to leave it. */
void submitdraft_name_deps(
    struct submit_draft *d, const char *(*name)(void *ctx, const char *job), void *ctx);

/* Member `key` of the request, when it is a text and not empty; else NULL. */
const char *submitdraft_text(const json_t *o, const char *key);

#endif
