/* SPDX-License-Identifier: Apache-2.0
 * See bankelsewhere.h. */
#include "server/api/bankelsewhere.h"

#include "cluster/cred.h"
#include "config/settings.h"
#include "funds/amount.h"
#include "policy/bank.h"
#include "server/api/bankorder.h"
#include "server/api/bankquotes.h"
#include "server/api/bankrights.h"
#include "server/durable/bankbody.h"
#include "server/durable/bankquestion.h"
#include "server/durable/desk.h"
#include "server/render/render.h"
#include "server/server_private.h"

#include <stdio.h>
#include <string.h>

/* A request that waits for the bank. */
struct waiting {
    struct server *s;
    struct request *r;
    json_t *reply; /* owned; what is known without the bank */
};

static void forget_waiting(void *ctx)
{
    struct waiting *w = ctx;

    json_decref(w->reply);
    free(w);
}

/* Does the client still read? */
static bool is_wanted(void *ctx)
{
    return !request_is_abandoned(((struct waiting *)ctx)->r);
}

/* `reply` is taken. A request that cannot be asked about is refused. */
static void ask_bank(struct server *s, struct request *r, json_t *body, json_t *reply,
    bankquestion_fn *answered)
{
    struct waiting *w = xcalloc(1, sizeof *w);
    struct err err;

    *w = (struct waiting){s, r, reply};
    bankbody_text(body, "caller", request_who(r)->user);
    bankbody_number(body, "at", world_now(s));
    struct bankquestion ask = {.uid = request_who(r)->uid,
        .answered = answered,
        .forget = forget_waiting,
        .is_wanted = is_wanted,
        .ctx = w};
    if (bankquestion_ask(s, body, &ask, &err) < 0)
        request_refuse_for_now(r, 5, err.text, NULL);
}

/* It says no, or nothing; else false. */
static bool refuse_failed(
    struct waiting *w, enum bankquestion_outcome how, const char *said)
{
    char text[300];

    if (how == BANKQUESTION_ANSWERED)
        return false;
    snprintf(text, sizeof text, "%s: %.250s",
        how == BANKQUESTION_REFUSED ? BANK_REFUSES : BANK_SILENT, said);
    if (how == BANKQUESTION_REFUSED)
        request_refuse_as(w->r, 409, "conflict", NULL, text);
    else
        request_refuse_for_now(w->r, 60, text, NULL);
    return true;
}

/* "57600.000", or a number. False: it is no amount, or not there. */
static bool put_amount(json_t *to, const char *key, const json_t *answer)
{
    const json_t *v = json_object_get(answer, key);
    const char *text = json_string_value(v);
    bool below = text && *text == '-';
    int64_t amount;

    if (json_is_number(v)) {
        json_object_set_new(to, key, json_real(json_number_value(v)));
        return true;
    }
    if (!text || amount_parse(text + below, &amount) != 0)
        return false;
    render_credits(to, key, below ? -amount : amount);
    return true;
}

/* Is the account one of the caller's? False: the request is refused. */
static bool check_account(struct server *s, struct request *r, const char *account)
{
    if (!account || bankrights_has(s, request_who(r), account))
        return true;
    request_refuse_as(
        r, 404, "not_found", "account", "you have no account of that name");
    return false;
}

/* ---- what an account has --------------------------------------------------------- */

static void on_balance(
    void *ctx, enum bankquestion_outcome how, const json_t *answer, const char *said)
{
    static const char *const more[] = {"credit_limit", "held", "owed"};
    struct waiting *w = ctx;
    json_t *list;

    if (refuse_failed(w, how, said)) {
        forget_waiting(w);
        return;
    }
    if (!put_amount(w->reply, "balance", answer)) {
        request_refuse_as(w->r, 502, "failed", NULL,
            "the bank's answer is no balance: expected {\"balance\":\"57600.000\", "
            "...}");
        forget_waiting(w);
        return;
    }
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        put_amount(w->reply, more[i], answer);
    if (!put_amount(w->reply, "available", answer))
        json_object_set_new(w->reply, "available",
            json_real(json_number_value(json_object_get(w->reply, "balance"))
                      + json_number_value(json_object_get(w->reply, "credit_limit"))
                      - json_number_value(json_object_get(w->reply, "held"))));
    list = json_array();
    json_array_append(list, w->reply);
    bankorder_list(w->s, w->r, list);
    forget_waiting(w);
}

/* The one that is asked for, or the caller's own; NULL: the request is refused. */
static const char *name_account(struct server *s, struct request *r)
{
    const struct identity *who = request_who(r);
    const struct cred *user =
        cred_find(engine_cluster(s->engine), CRED_USER, who->user);
    const char *name = request_query(r, "account");

    if (!name && user)
        name = user->cfg->adef;
    if (!name) {
        request_refuse_as(r, 400, "invalid", "account",
            "accounts are kept by another bank: which one (mam-balance ACCOUNT)?");
        return NULL;
    }
    return check_account(s, r, name) ? name : NULL;
}

void bankelsewhere_balance(struct server *s, struct request *r)
{
    const char *account = name_account(s, r);

    if (account)
        ask_bank(s, r, json_pack("{s:s, s:s}", "verb", "balance", "account", account),
            json_pack("{s:s}", "account", account), on_balance);
}

/* ---- what a job would cost ------------------------------------------------------- */

/* Its own price counts, where it tells one. */
static void on_quote(
    void *ctx, enum bankquestion_outcome how, const json_t *answer, const char *said)
{
    struct waiting *w = ctx;

    if (how == BANKQUESTION_FAILED) {
        refuse_failed(w, how, said);
        forget_waiting(w);
        return;
    }
    if (how == BANKQUESTION_ANSWERED) {
        json_t *told = json_object();
        if (put_amount(told, "amount", answer))
            json_object_set(w->reply, "price", json_object_get(told, "amount"));
        json_decref(told);
    } else {
        bankbody_text(w->reply, "text", said);
    }
    json_object_set_new(w->reply, "enough", json_boolean(how == BANKQUESTION_ANSWERED));
    request_reply_json(w->r, json_incref(w->reply));
    forget_waiting(w);
}

/* Owned. */
static json_t *describe_quote(
    const struct query_quote *quote, const struct query_ask *ask)
{
    int64_t procs = ask->procs > 0 ? ask->procs : 1;
    json_t *body = json_pack("{s:s}", "verb", "quote");

    bankbody_text(body, "account", quote->price.account);
    bankbody_text(body, "user", quote->use.user);
    bankbody_text(body, "group", quote->use.group);
    bankbody_text(body, "class", quote->use.class);
    bankbody_text(body, "qos", quote->use.qos);
    bankbody_number(body, "procs", procs);
    bankbody_number(body, "memory_mb", ask->mem_per_proc_mb * procs);
    bankbody_number(body, "seconds", ask->duration_s);
    bankbody_credits(body, "amount", quote->price.most);
    return body;
}

void bankelsewhere_quote(struct server *s, struct request *r,
    const struct query_quote *quote, const struct query_ask *ask)
{
    const char *account = quote->price.account;
    json_t *reply;

    if (!check_account(s, r, account))
        return;
    reply = json_object();
    render_text(reply, "account", account);
    render_credits(reply, "price", quote->price.most);
    ask_bank(s, r, describe_quote(quote, ask), reply, on_quote);
}

/* ---- quotes that are kept -------------------------------------------------------- */

/* Kept by the bank alone: jobs bring it the number, and it knows what that is worth. */
static void on_kept(
    void *ctx, enum bankquestion_outcome how, const json_t *answer, const char *said)
{
    struct waiting *w = ctx;
    json_int_t number = json_integer_value(json_object_get(answer, "quote"));

    if (refuse_failed(w, how, said)) {
        forget_waiting(w);
        return;
    }
    if (number > 0) {
        json_object_set_new(w->reply, "number", json_integer(number));
        request_reply_json(w->r, json_incref(w->reply));
    } else {
        request_refuse_as(w->r, 502, "failed", NULL,
            "the bank keeps no quotes: its answer has no number, as {\"quote\":17}");
    }
    forget_waiting(w);
}

/* What of the order the bank has to know. */
static int put_order(struct server *s, struct request *r, json_t *to, struct err *err)
{
    const json_t *order = request_json(r, err);
    const json_t *uses = json_object_get(order, "uses"),
                 *until = json_object_get(order, "until");
    int64_t now = world_now(s);
    json_int_t n = uses ? json_integer_value(uses) : 1;
    json_int_t end = until ? json_integer_value(until) : now + BANKQUOTES_DAY_S;
    const char *request = json_string_value(json_object_get(order, "request"));

    if (!order)
        return -1;
    if (!request || !*request)
        return err_set(err, ERR_INVALID, "request: expected a text");
    if (bankquotes_check_terms(n, end, now, err) < 0)
        return -1;
    json_object_set_new(to, "keep", json_true());
    bankbody_text(to, "request", request);
    bankbody_text(to, "job", json_string_value(json_object_get(order, "job")));
    bankbody_number(to, "until", end);
    bankbody_number(to, "uses", n);
    return 0;
}

void bankelsewhere_keep_quote(struct server *s, struct request *r,
    const struct query_quote *quote, const struct query_ask *ask)
{
    json_t *body;
    struct err err = {0};

    if (!bankquotes_may_keep(s, r, quote) || !check_account(s, r, quote->price.account))
        return;
    body = describe_quote(quote, ask);
    if (put_order(s, r, body, &err) == 0) {
        ask_bank(
            s, r, body, json_pack("{s:s}", "message", "this price is kept"), on_kept);
        return;
    }
    json_decref(body);
    request_refuse(r, &err);
}

/* ---- refunds --------------------------------------------------------------------- */

void bankelsewhere_refund(struct server *s, struct request *r)
{
    struct err err = {0};
    const json_t *body = request_json(r, &err);
    const char *text = json_string_value(json_object_get(body, "amount"));
    struct desk_refund refund = {.run = json_string_value(json_object_get(body, "run")),
        .request = json_string_value(json_object_get(body, "request")),
        .text = json_string_value(json_object_get(body, "text")),
        .who = request_who(r)->user};
    uint64_t number = 0;
    int result = body ? 0 : -1;

    if (result == 0 && json_object_get(body, "deposit"))
        result = err_set(&err, ERR_INVALID,
            "deposit: the bank is elsewhere, and gives back to where it came from");
    if (result == 0 && (!text || amount_parse(text, &refund.amount) != 0))
        result = err_set(&err, ERR_INVALID,
            "amount: '%s' is not an amount; expected credits as in 57600, 129945.6 or "
            "16h",
            text ? text : "");
    if (result == 0)
        result = desk_give_back(s, &refund, &number, &err);
    if (result < 0) {
        request_refuse(r, &err);
        return;
    }
    commit_then_reply(s, r,
        json_pack("{s:s, s:I}", "message",
            "the bank is told, and may refuse; mam-queue has it", "number",
            (json_int_t)number)); /* people read: ... as number N */
}
