/* SPDX-License-Identifier: Apache-2.0
 * Answers that took long, for who asks the same once more: the same user, with the same
 * rights, while lists and settings are what they were. Private to src/server. */
#ifndef MAUI_SERVER_KEPT_H
#define MAUI_SERVER_KEPT_H

#include "server/http/request.h"

#define KEPT   4
#define KEPT_S 30 /* by then what runs has come nearer to its end */

struct server;

struct kept {
    struct kept_answer {
        char *key, *text; /* owned */
        int64_t at;
    } v[KEPT];
    unsigned next; /* the oldest */
};

/* What the answer depends on. The caller's to free; NULL: it is kept in no case. */
char *kept_key(struct server *s, const struct request *r, const json_t *body);
/* Borrowed; NULL: there is none. */
const char *kept_find(const struct kept *k, const char *key, int64_t now);
/* The one that was asked for at `at`. Takes the key; copies the text. */
void kept_add(struct kept *k, char *key, const char *text, int64_t at);
void kept_fini(struct kept *k);

#endif
