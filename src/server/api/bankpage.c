/* SPDX-License-Identifier: Apache-2.0
 * See bankpage.h. */
#include "server/api/bankpage.h"

#include "server/api/bankorder.h"
#include "server/render/render.h"

#include <time.h>

#define USUAL   1000
#define MOST    10000
#define TURN_US 10000 /* of the processor */

/* Of the processor: a busy machine makes no page shorter. */
static int64_t worked_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int64_t bankpage_turn(void)
{
    return worked_us() + TURN_US;
}

bool bankpage_turn_is_over(int64_t until_us)
{
    return worked_us() >= until_us;
}

static int read_page(struct request *r, struct bankpage *p, struct err *err)
{
    if (request_query_int(r, "after", 0, &p->after, err) < 0
        || request_query_int(r, "limit", USUAL, &p->most, err) < 0)
        return -1;
    if (p->after < 0)
        return err_set(err, ERR_INVALID, "after: expected what next told");
    if (p->most < 1 || p->most > MOST)
        return err_set(err, ERR_INVALID, "limit: expected 1 to %d", MOST);
    return 0;
}

bool bankpage_read(struct request *r, struct bankpage *p)
{
    struct err err;

    *p = (struct bankpage){.until_us = bankpage_turn()};
    if (read_page(r, p, &err) == 0)
        return true;
    request_refuse(r, &err);
    return false;
}

bool bankpage_open(struct request *r, struct bankpage *p)
{
    if (!bankpage_read(r, p))
        return false;
    p->list = json_array();
    return true;
}

bool bankpage_has_room(struct bankpage *p, int64_t number)
{
    bool full = json_array_size(p->list) >= (size_t)p->most;

    p->more = full || (p->last && bankpage_turn_is_over(p->until_us));
    if (!p->more)
        p->last = number;
    return !p->more;
}

void bankpage_add(struct bankpage *p, json_t *record)
{
    json_array_append_new(p->list, record);
}

json_t *bankpage_next(const struct bankpage *p)
{
    json_t *o = json_object();

    render_int(o, "next", p->last);
    return o;
}

void bankpage_reply(struct server *s, struct request *r, struct bankpage *p)
{
    if (p->more)
        bankpage_add(p, bankpage_next(p));
    bankorder_list(s, r, p->list);
}

void bankpage_refuse(struct request *r, struct bankpage *p, const struct err *err)
{
    json_decref(p->list);
    request_refuse(r, err);
}
