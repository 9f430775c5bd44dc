/* SPDX-License-Identifier: Apache-2.0
 * A page of a list of the bank: `limit` records of what lies behind number `after`. It
 * ends before that where it took some milliseconds of the processor, so that nobody
 * waits for a long list. Where there is more the last record is {"next": N} alone, for
 * the next page's `after`. Private to src/server/api. */
#ifndef MAUI_SERVER_BANKPAGE_H
#define MAUI_SERVER_BANKPAGE_H

#include "server/http/request.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct server;

struct bankpage {
    json_t *list;
    int64_t after, most;
    int64_t last; /* that was looked at */
    int64_t until_us;
    bool more; /* there is one behind `last` */
};

/* One turn of a list: until then, and is it over? In what the processor has worked. */
int64_t bankpage_turn(void);
bool bankpage_turn_is_over(int64_t until_us);

/* What the query has of it, without a list. False: the request is refused. */
bool bankpage_read(struct request *r, struct bankpage *p);
/* An empty one, as the query has it. False: the request is refused. */
bool bankpage_open(struct request *r, struct bankpage *p);
/* That number is looked at next, whether it is told or not. False: in another page. */
bool bankpage_has_room(struct bankpage *p, int64_t number);
/* Takes the reference. */
void bankpage_add(struct bankpage *p, json_t *record);
/* The last record of one that is not the last: where the next begins. */
json_t *bankpage_next(const struct bankpage *p);
/* One of these two ends it. */
void bankpage_reply(struct server *s, struct request *r, struct bankpage *p);
void bankpage_refuse(struct request *r, struct bankpage *p, const struct err *err);

#endif
