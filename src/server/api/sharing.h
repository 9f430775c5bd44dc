/* SPDX-License-Identifier: Apache-2.0
 * Answers that several readers share: who may have the same, and of which state it is.
 * Private to src/server. */
#ifndef MAUI_SERVER_SHARING_H
#define MAUI_SERVER_SHARING_H

#include "server/http/request.h"

struct server;

/* Who sees the same as this caller: all administrators, or nobody but the same user.
 * Borrowed. */
const char *sharing_rights(const struct identity *who);

/* A key of all who see the same in answer to this question (to be freed), and the state
 * of the answer: `of` names what it is made of (revisions), to which the caller's
 * rights and the minute are added, as some of what is told grows with time. */
char *sharing_key(struct server *s, const struct request *r, const char *of,
    char *ret_state, size_t size);

#endif
