/* SPDX-License-Identifier: Apache-2.0
 * Quotes that are kept under a number. Private to src/server/api. */
#ifndef MAUI_SERVER_BANKQUOTES_H
#define MAUI_SERVER_BANKQUOTES_H

#include "base/err.h"
#include "engine/query.h"

#include <stdbool.h>

struct request;
struct server;

#define BANKQUOTES_DAY_S     86400 /* so long one holds, if nobody says otherwise */
#define BANKQUOTES_USES_MOST 1000

/* May the caller have a quote for such a job kept, for so long as the body says? False:
 * the request is refused. Whether the account is theirs to see is not asked. */
bool bankquotes_may_keep(
    struct server *s, struct request *r, const struct query_quote *q);

/* So many uses until then? -1 with what was expected. */
int bankquotes_check_terms(
    int64_t uses, int64_t until_at, int64_t now, struct err *err);

/* Keep the rates of what was asked about, as the body of the request says, and answer
 * it. */
void bankquotes_keep(struct server *s, struct request *r, const struct query_quote *q);

#endif
