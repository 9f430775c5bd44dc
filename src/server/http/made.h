/* SPDX-License-Identifier: Apache-2.0
 * Requests that came by no connection: changes that are tried in a copy of the process
 * (whatif/), questions about the past (travel/). For http_options.handle; they are
 * answered as others are, and the reply stays with them. */
#ifndef MAUI_SERVER_MADE_H
#define MAUI_SERVER_MADE_H

#include "server/http/request.h"

/* As that person would make it; body may be NULL, and is copied. Never NULL. */
struct request *request_make(const char *method, const char *path, const json_t *body,
    const struct identity *who);
/* A question, path and query of which were sent as `target`, with its query and its
 * headers: objects of texts, references that are taken; or NULL. */
struct request *request_make_get(const char *path, const char *target, json_t *query,
    json_t *headers, const struct identity *who);

/* The status it was answered with, and the reply, which is borrowed, where it is a
 * record; 0 = it was not answered. */
int request_reply_of(const struct request *r, json_t **ret_body);
/* The same of any reply: its bytes, and its headers as an object of texts. Borrowed. */
int request_reply_whole(const struct request *r, const char **ret_bytes, size_t *ret_n,
    const json_t **ret_headers);
void request_unmake(struct request *r);

#endif
