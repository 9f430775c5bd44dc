/* SPDX-License-Identifier: Apache-2.0
 * The queue of orders that have not come about. */
#include "rm/adapter/pending.h"

#include "base/vec.h"

#define LOOK_MS 150 /* after an order, to see whether it has come about */

struct pending {
    struct rm_sink sink;
    struct VEC(struct pending_order) orders;
};

struct pending *pending_new(const struct rm_sink *sink)
{
    struct pending *p = xcalloc(1, sizeof *p);

    p->sink = *sink;
    return p;
}

void pending_destroy(struct pending *p)
{
    if (p == NULL)
        return;
    for (size_t i = 0; i < p->orders.n; i++)
        free(p->orders.v[i].job);
    vec_fini(&p->orders);
    free(p);
}

void pending_add(
    struct pending *p, const struct rm_command *c, int64_t now_ms, int64_t patience_ms)
{
    vec_push(&p->orders, ((struct pending_order){.token = c->token,
                             .job = xstrdup(c->job),
                             .action = c->action,
                             .since_ms = now_ms,
                             .patience_ms = patience_ms,
                             .look_ms = now_ms + LOOK_MS}));
}

size_t pending_count(const struct pending *p)
{
    return p->orders.n;
}

const struct pending_order *pending_at(const struct pending *p, size_t i)
{
    return &p->orders.v[i];
}

size_t pending_find(const struct pending *p, const char *job, enum rm_action action)
{
    size_t i = 0;

    while (i < p->orders.n
           && (p->orders.v[i].action != action || strcmp(p->orders.v[i].job, job) != 0))
        i++;
    return i;
}

size_t pending_find_token(const struct pending *p, uint64_t token)
{
    size_t i = 0;

    while (i < p->orders.n && p->orders.v[i].token != token)
        i++;
    return i;
}

bool pending_has(const struct pending *p, const char *job, enum rm_action action)
{
    return pending_find(p, job, action) < p->orders.n;
}

int64_t pending_next_ms(const struct pending *p)
{
    int64_t next = INT64_MAX;

    for (size_t i = 0; i < p->orders.n; i++)
        if (p->orders.v[i].look_ms < next)
            next = p->orders.v[i].look_ms;
    return next;
}

void pending_looked(struct pending *p, size_t i, int64_t now_ms)
{
    struct pending_order *o = &p->orders.v[i];
    int64_t age_ms = now_ms - o->since_ms;

    o->look_ms = now_ms + (age_ms > LOOK_MS ? age_ms : LOOK_MS);
}

void pending_renew(struct pending *p, size_t i, int64_t now_ms)
{
    if (i == p->orders.n)
        return;
    p->orders.v[i].since_ms = now_ms;
    p->orders.v[i].look_ms = now_ms + LOOK_MS;
}

void pending_land(
    struct pending *p, size_t i, enum rm_outcome outcome, const char *text)
{
    struct pending_order o =
        i < p->orders.n ? p->orders.v[i] : (struct pending_order){0};
    struct rm_report r = {.kind = RM_DONE, .u.done = {o.token, outcome, o.job, text}};

    if (i == p->orders.n)
        return;
    vec_remove(&p->orders, i);
    p->sink.report(p->sink.ctx, &r);
    free(o.job);
}

void pending_land_job(struct pending *p, const char *job, enum rm_action action)
{
    for (size_t i = p->orders.n; i-- > 0;)
        if (p->orders.v[i].action == action && strcmp(p->orders.v[i].job, job) == 0)
            pending_land(p, i, RM_OK, NULL);
}

void pending_lose(struct pending *p, const char *why)
{
    while (p->orders.n > 0)
        pending_land(p, p->orders.n - 1, RM_LOST, why);
}
