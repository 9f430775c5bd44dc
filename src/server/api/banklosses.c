/* SPDX-License-Identifier: Apache-2.0
 * What runs cost that ended as a node was lost: told, and given back. */
#include "server/api/api.h"
#include "server/api/bankorder.h"
#include "server/durable/lostruns.h"
#include "server/render/render.h"
#include "server/server_private.h"

#include <stdio.h>

struct describing {
    struct am *am;
    json_t *o;
    struct err *err;
    int64_t rest;
};

static int on_account(void *arg, const struct ledger_account *row)
{
    render_text((json_t *)arg, "account", row->name);
    return 1;
}

static int on_run(void *arg, const struct ledger_run *row)
{
    struct describing *d = arg;
    const struct ledger_which payer = {.id = row->account};

    if (ledger_accounts(d->am->store, &payer, on_account, d->o, d->err) < 0)
        return 2;
    render_text(d->o, "user", row->user);
    render_credits(d->o, "charged", row->charged);
    render_credits(d->o, "refunded", row->refunded);
    d->rest = row->open ? 0 : row->charged - row->refunded;
    render_credits(d->o, "rest", d->rest);
    return 1;
}

/* NULL: the store cannot be read. */
static json_t *describe_run(
    struct am *am, const struct lost_run *run, int64_t *io_rest, struct err *err)
{
    const struct ledger_which which = {.run = run->run};
    struct describing d = {.am = am, .o = json_object(), .err = err};
    int found;

    render_text(d.o, "run", run->run);
    render_instant(d.o, "end_at", run->at);
    found = ledger_runs(am->store, &which, on_run, &d, err);
    if (found < 0 || found == 2) {
        json_decref(d.o);
        return NULL;
    }
    *io_rest += d.rest;
    return d.o;
}

static json_t *describe_runs(
    struct am *am, const struct lost_runs *runs, int64_t *ret_rest, struct err *err)
{
    json_t *list = json_array(), *o;

    *ret_rest = 0;
    for (size_t i = 0; i < runs->n; i++) {
        o = describe_run(am, &runs->v[i], ret_rest, err);
        if (!o) {
            json_decref(list);
            return NULL;
        }
        json_array_append_new(list, o);
    }
    return list;
}

void api_bank_losses(struct server *s, struct request *r)
{
    struct am *am = bankorder_ledger(s, r);
    struct lost_runs runs = {0};
    struct err err;
    int64_t since, rest, next = 0;
    json_t *list = NULL;

    if (!am)
        return;
    if (request_query_int(r, "since", 0, &since, &err) == 0
        && lostruns_find(s, since, &runs, &next, &err) == 0)
        list = describe_runs(am, &runs, &rest, &err);
    lostruns_fini(&runs);
    if (!list) {
        request_refuse(r, &err);
        return;
    }
    if (next)
        json_array_append_new(list, json_pack("{s:I}", "next", (json_int_t)next));
    bankorder_list(s, r, list);
}

/* The runs were found before, and are named in the body. What each got back is what it
 * had left before. */
static int refund_losses(struct bank_order *b, struct err *err)
{
    const struct am_request req = bankorder_request(b);
    const json_t *runs = json_object_get(b->body, "runs"), *run;
    struct VEC(const char *) names = {0};
    size_t i;
    int result;

    json_array_foreach(runs, i, run)
        vec_push(&names, json_string_value(json_object_get(run, "run")));
    result = am_refund_rest(
        b->am, &req, &(struct am_runs){names.v, names.n}, &b->amount, err);
    vec_fini(&names);
    return result;
}

void api_bank_refund_losses(struct server *s, struct request *r)
{
    struct am *am = bankorder_ledger(s, r);
    struct lost_runs runs = {0};
    struct err err = {0};
    int64_t since, rest, next = 0;
    json_t *list = NULL, *body;
    char done[120];

    if (!am)
        return;
    body = request_json(r, &err);
    since = json_integer_value(json_object_get(body, "since"));
    if (body && lostruns_find(s, since, &runs, &next, &err) == 0)
        list = describe_runs(am, &runs, &rest, &err);
    lostruns_fini(&runs);
    if (!list) {
        request_refuse(r, &err);
        return;
    }
    snprintf(done, sizeof done, "%s credits given back, of %zu run%s that lost a node",
        amount_text(rest).text, json_array_size(list),
        json_array_size(list) == 1 ? "" : "s");
    body = json_pack("{s:o}", "runs", list);
    if (next)
        json_object_set_new(body, "next", json_integer(next));
    bankorder_do(s, r, refund_losses, done, body);
}
