/* SPDX-License-Identifier: Apache-2.0
 * Quotes that are kept under a number. Private to src/server/api. */
#ifndef MAUI_SERVER_BANKQUOTES_H
#define MAUI_SERVER_BANKQUOTES_H

#include "engine/query.h"

struct request;
struct server;

/* Keep the rates of what was asked about, as the body of the request says, and answer
 * it. */
void bankquotes_keep(struct server *s, struct request *r, const struct query_quote *q);

#endif
