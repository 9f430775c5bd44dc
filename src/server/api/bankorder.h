/* SPDX-License-Identifier: Apache-2.0
 * What the handlers of /v1/bank share: is there a bank, may the caller see the account,
 * and orders to the ledger. Private to src/server/api. */
#ifndef MAUI_SERVER_BANKORDER_H
#define MAUI_SERVER_BANKORDER_H

#include "am/am.h"
#include "server/http/request.h"

#include <stdbool.h>

struct server;

/* The ledger. NULL: there is no bank, and the request is refused. */
struct am *bankorder_ledger(struct server *s, struct request *r);

/* The account that the query names, if the caller may see it. False: the request is
 * refused; others' are not there. */
bool bankorder_sees(struct server *s, struct request *r, uint32_t *ret);

/* The command is not for the caller. */
void bankorder_deny(struct request *r, const char *command);

void bankorder_list(struct server *s, struct request *r, json_t *list);

/* A request, and what the ledger is called with; called again where a commit failed. */
struct bank_order {
    struct am *am;
    json_t *body; /* owned; texts are borrowed from it */
    char *who;    /* owned */
    char *id;     /* of the request, as the ledger knows it; owned or NULL */
    int64_t at;
    int (*make)(struct bank_order *b, struct err *err);
    int64_t amount, credit_limit;
    int64_t number; /* of what was made */
};

const char *bankorder_text(const struct bank_order *b, const char *key);
int64_t bankorder_int(const struct bank_order *b, const char *key, int64_t otherwise);
struct am_request bankorder_request(const struct bank_order *b);

/* Do it and answer with `done` and the number, once it is on the disk. `more` (NULL =
 * nothing) is put into the body before, and is the callee's; what it says counts, and
 * `runs` and `next` in it are a part of the answer. */
void bankorder_do(struct server *s, struct request *r,
    int (*make)(struct bank_order *b, struct err *err), const char *done, json_t *more);

#endif
