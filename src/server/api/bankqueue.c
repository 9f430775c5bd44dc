/* SPDX-License-Identifier: Apache-2.0
 * What a bank that is elsewhere has to be told still, for administrators: to look at,
 * and by hand. */
#include "server/api/api.h"
#include "server/api/bankpage.h"
#include "server/durable/desk.h"
#include "server/server_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool wants_message(void *arg, uint64_t number)
{
    return bankpage_has_room(arg, (int64_t)number);
}

static void take_message(void *arg, json_t *record)
{
    bankpage_add(arg, record);
}

void api_bank_queue(struct server *s, struct request *r)
{
    struct bankpage page;

    if (!bankpage_open(r, &page))
        return;
    desk_list(s, (uint64_t)page.after,
        &(struct desk_reader){wants_message, take_message, &page});
    bankpage_reply(s, r, &page);
}

void api_bank_queue_order(struct server *s, struct request *r)
{
    struct err err = {0};
    json_t *body = request_json(r, &err), *number = json_object_get(body, "number");
    bool drop = json_is_true(json_object_get(body, "drop"));
    bool moved = json_is_true(json_object_get(body, "moved"));
    uint64_t n = (uint64_t)json_integer_value(number);
    int result = body ? 0 : -1;
    char text[80];

    if (result == 0 && moved && (drop || number))
        result = err_set(&err, ERR_INVALID,
            "moved: the bank, not a message: neither number nor drop go with it");
    else if (result == 0 && moved)
        result = desk_accept_place(s, &err);
    else if (result == 0 && drop && !number)
        result = err_set(&err, ERR_INVALID, "number: which message is to be dropped?");
    else if (result == 0 && !number)
        result = (int)desk_tell_all_again(s);
    else if (result == 0)
        result = drop ? desk_drop(s, n, &err) : desk_tell_again(s, n, &err);
    if (result < 0) {
        request_refuse(r, &err);
        return;
    }
    if (moved)
        snprintf(text, sizeof text, "the bank has moved: all is told where it is now");
    else if (number)
        snprintf(text, sizeof text, "message %" PRIu64 " %s", n,
            drop ? "will never be told" : "is told again");
    else
        snprintf(text, sizeof text, "%d message%s told again", result,
            result == 1 ? " is" : "s are");
    commit_then_reply(s, r, json_pack("{s:s}", "message", text));
}
