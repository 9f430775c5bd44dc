/* SPDX-License-Identifier: Apache-2.0
 * What was: views of the past, each of one caller. */
#include "server/api/api.h"
#include "server/server_private.h"
#include "server/travel/travel.h"

void api_past(struct server *s, struct request *r)
{
    travel_tell(s, r);
}

/* 0, or -1: there is no past of then. */
static int check_instant(struct server *s, const json_t *at, struct err *err)
{
    if (at && json_integer_value(at) > world_now(s))
        return err_set(err, ERR_INVALID,
            "at: expected an instant that is past: it is %lld now",
            (long long)world_now(s));
    return 0;
}

void api_past_begin(struct server *s, struct request *r)
{
    struct err err = {0};
    const json_t *body = request_json(r, &err), *at = json_object_get(body, "at");

    if (!body)
        request_refuse(r, &err);
    else if (s->simulation)
        request_refuse_as(
            r, 409, "conflict", NULL, "a simulation keeps no journal: it has no past");
    else if (check_instant(s, at, &err) < 0)
        request_refuse_as(r, 400, "invalid", "at", err.text);
    else
        travel_begin(s, r, json_integer_value(at));
}

void api_past_move(struct server *s, struct request *r)
{
    struct err err = {0};
    json_t *body = request_json(r, &err);

    if (!body)
        request_refuse(r, &err);
    else if (json_object_size(body) != 1)
        request_refuse_as(
            r, 400, "invalid", NULL, "expected one of at, seconds, cycles and about");
    else if (check_instant(s, json_object_get(body, "at"), &err) < 0)
        request_refuse_as(r, 400, "invalid", "at", err.text);
    else
        travel_move(s, r, request_param(r, "id"), body);
}

void api_past_end(struct server *s, struct request *r)
{
    travel_end(s, r, request_param(r, "id"));
}

int api_until(struct server *s, struct request *r, int64_t *ret)
{
    const char *past = request_query(r, "past");
    struct err err = {0};

    *ret = world_now(s);
    if (!past || !*past)
        return 0;
    if (travel_instant(s, request_who(r), past, ret, &err) == 0)
        return 0;
    request_refuse(r, &err);
    return -1;
}
