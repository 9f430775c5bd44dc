/* SPDX-License-Identifier: Apache-2.0
 * Verbs of the bank where it is a program of the site (TYPE=NATIVE): handlers of
 * /v1/bank that pass them on. Private to src/server/api. */
#ifndef MAUI_SERVER_BANKELSEWHERE_H
#define MAUI_SERVER_BANKELSEWHERE_H

#include "engine/query.h"
#include "server/http/request.h"

struct server;

/* What the account of the query has, or the caller's own; of one of the caller's alone,
 * unless that is an administrator. Answers later. */
void bankelsewhere_balance(struct server *s, struct request *r);

/* What the bank says of the price that RATES come to. Texts are borrowed for the call.
 * Answers later. */
void bankelsewhere_quote(struct server *s, struct request *r,
    const struct query_quote *quote, const struct query_ask *ask);

/* A quote that the bank keeps, as the body of the request says: its number. Answers
 * later. Repeated with the same request it is the bank that knows it. */
void bankelsewhere_keep_quote(struct server *s, struct request *r,
    const struct query_quote *quote, const struct query_ask *ask);

/* A refund for the bank's queue. */
void bankelsewhere_refund(struct server *s, struct request *r);

#endif
