/* SPDX-License-Identifier: Apache-2.0
 * The bank, for people: what accounts have, what moved, and moves by hand. Who may
 * what: bankrights.h. */
#include "policy/bank.h"

#include "funds/amount.h"
#include "funds/price.h"
#include "server/api/api.h"
#include "server/api/bankelsewhere.h"
#include "server/api/bankorder.h"
#include "server/api/bankpage.h"
#include "server/api/bankrights.h"
#include "server/durable/bankquestion.h"
#include "server/durable/desk.h"
#include "server/durable/teller.h"
#include "server/http/stream.h"
#include "server/render/render.h"
#include "server/server_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MOVES_USUAL 1000 /* of a page */
#define MOVES_MOST  10000

/* Is there a bank? Else the request is refused. */
struct am *bankorder_ledger(struct server *s, struct request *r)
{
    struct am *am = teller_ledger(s);

    if (!am && desk_is_open(s)) {
        request_refuse_as(r, 409, "conflict", NULL,
            "accounts are kept by another bank (AMCFG TYPE): ask there");
        return NULL;
    }
    if (!am || !engine_cluster(s->engine)->funds) {
        request_refuse_as(r, 409, "conflict", NULL,
            "there is no bank here: AMCFG[bank] TYPE=BUILTIN in maui.cfg makes one");
        return NULL;
    }
    if (store_is_spoiled(s->store)) {
        request_refuse_as(r, 503, "unavailable", NULL,
            "the state cannot be written now; what moved since is known once it can");
        return NULL;
    }
    return am;
}

void bankorder_deny(struct request *r, const char *command)
{
    struct err err;

    identity_deny(request_who(r), command, &err);
    request_refuse(r, &err);
}

/* The account that the query names, if the caller may see it. Others' are not there. */
bool bankorder_sees(struct server *s, struct request *r, uint32_t *ret)
{
    const struct funds *f = engine_cluster(s->engine)->funds;
    const char *name = request_query(r, "account");
    struct err err;

    *ret = name ? funds_account(f, name) : FUNDS_NONE;
    if (*ret != FUNDS_NONE && bankrights_shows(s, request_who(r), name))
        return true;
    err_set(&err, name ? ERR_NOT_FOUND : ERR_INVALID,
        name ? "the bank has no account '%s' that you may see"
             : "account: which one?%s",
        name ? name : "");
    request_refuse(r, &err);
    return false;
}

/* ---- amounts -------------------------------------------------------------------- */

static int read_amount(const json_t *o, const char *key, int64_t *ret, struct err *err)
{
    const char *text = json_string_value(json_object_get(o, key));

    if (text && amount_parse(text, ret) == 0)
        return 0;
    return err_set(err, ERR_INVALID,
        "%s: '%s' is not an amount; expected credits as in 57600, 129945.6 or 16h", key,
        text ? text : "");
}

/* ---- looking -------------------------------------------------------------------- */

static json_t *account_record(
    struct server *s, struct am *am, uint32_t number, const struct funds_account *a)
{
    const struct funds *f = engine_cluster(s->engine)->funds;
    struct am_balance b = {0};
    struct err err;
    json_t *o = json_object();

    render_text(o, "account", a->name);
    render_text(o, "parent", a->parent);
    render_bool(o, "overflow", a->overflow);
    render_bool(o, "closed", a->closed);
    render_text(o, "only", a->only);
    if (am_balance(am, a->name, NULL, world_now(s), &b, &err) < 0)
        log_line(s->log, LOG_WARNING, "the bank: %s", err.text);
    render_credits(o, "balance", b.balance);
    render_credits(o, "credit_limit", b.credit_limit);
    render_credits(o, "held", b.held);
    render_credits(o, "available", b.available);
    render_credits(o, "own_available", b.own_available);
    render_credits(o, "owed", -b.owed);
    render_int(o, "runs", funds_runs_on(f, number));
    return o;
}

static json_t *take_record(struct server *s, void *ctx, size_t i)
{
    (void)s;
    return json_incref(json_array_get(ctx, i));
}

static void free_records(void *ctx)
{
    json_decref(ctx);
}

void bankorder_list(struct server *s, struct request *r, json_t *list)
{
    stream_records(s, r, json_array_size(list), take_record, list, free_records);
}

static void list_accounts(struct server *s, struct request *r)
{
    const char *only = request_query(r, "account");
    struct am *am = bankorder_ledger(s, r);
    const struct funds *f = engine_cluster(s->engine)->funds;
    struct bankview view;
    struct bankpage page;
    uint32_t one = 0;

    if (!am || (only && !bankorder_sees(s, r, &one)) || !bankpage_open(r, &page))
        return;
    bankview_open(&view, s, request_who(r));
    for (int64_t i = only ? one : page.after;
         i < (only ? one + 1 : funds_accounts(f)) && bankpage_has_room(&page, i + 1);
         i++) {
        struct funds_account a = funds_account_now(f, (uint32_t)i);
        if (funds_account(f, a.name) == i && bankview_shows(&view, &a))
            bankpage_add(&page, account_record(s, am, (uint32_t)i, &a));
    }
    bankview_close(&view);
    bankpage_reply(s, r, &page);
}

void api_bank_accounts(struct server *s, struct request *r)
{
    if (bankquestion_is_possible(s))
        bankelsewhere_balance(s, r);
    else
        list_accounts(s, r);
}

struct moves {
    json_t *list;
    const struct identity *who;
    bool all;         /* the caller may see whose runs they are of */
    int64_t until_us; /* its turn ends; the next page goes on behind it */
};

static int on_leg(void *arg, const struct ledger_leg *leg, const struct ledger_txn *of)
{
    struct moves *m = arg;
    bool kept = *of->run && !m->all && strcmp(of->whose, m->who->user) != 0;
    json_t *o = json_object();

    render_int(o, "transaction", of->id);
    render_instant(o, "at", of->at);
    render_text(o, "kind", of->kind);
    render_text(o, "run", kept ? "" : of->run);
    render_text(o, "who", kept ? "" : of->who);
    render_text(o, "text", kept ? "" : of->text);
    render_credits(o, "amount", leg->amount);
    if (leg->of && strcmp(leg->place, "deposit") == 0)
        render_int(o, "deposit", leg->of);
    json_array_append_new(m->list, o);
    return bankpage_turn_is_over(m->until_us);
}

/* "1767222000.17.0", as `next` told it. */
static int read_spot(const char *text, struct ledger_spot *ret, struct err *err)
{
    char end;

    if (text
        && sscanf(text, "%" SCNd64 ".%" SCNd64 ".%" SCNd64 "%c", &ret->at, &ret->txn,
               &ret->n, &end)
               != 3)
        return err_set(err, ERR_INVALID,
            "after: '%s' is not a place in a statement; expected what `next` told",
            text);
    return 0;
}

static int read_period(
    struct server *s, struct request *r, struct am_period *ret, struct err *err)
{
    *ret = (struct am_period){.account = request_query(r, "account")};
    if (request_query_int(r, "from", 0, &ret->from_at, err) < 0
        || request_query_int(r, "to", world_now(s) + 1, &ret->to_at, err) < 0
        || request_query_int(r, "limit", MOVES_USUAL, &ret->most, err) < 0
        || read_spot(request_query(r, "after"), &ret->after, err) < 0)
        return -1;
    if (ret->most < 1 || ret->most > MOVES_MOST)
        return err_set(
            err, ERR_INVALID, "limit: expected 1 to %d moves at a time", MOVES_MOST);
    return 0;
}

static json_t *statement_record(
    const struct am_period *of, const struct am_statement *sum, json_t *moves)
{
    json_t *o = json_object();
    char next[80];

    render_text(o, "account", of->account);
    render_instant(o, "from", of->from_at);
    render_instant(o, "to", of->to_at);
    render_credits(o, "opening", sum->opening);
    render_credits(o, "credits", sum->credits);
    render_credits(o, "debits", sum->debits);
    render_credits(o, "closing", sum->closing);
    json_object_set(o, "moves", moves);
    snprintf(next, sizeof next, "%" PRId64 ".%" PRId64 ".%" PRId64, sum->last.at,
        sum->last.txn, sum->last.n);
    if (sum->more)
        render_text(o, "next", next);
    return o;
}

/* A page of it: the sums are of the whole period, and amounts of all moves are told, so
 * that they agree; of whose runs they are as bank_usage tells. */
void api_bank_statement(struct server *s, struct request *r)
{
    const struct identity *who = request_who(r);
    struct am *am = bankorder_ledger(s, r);
    struct am_period of;
    struct am_statement sum;
    struct err err;
    uint32_t number;
    struct moves moves = {.who = who, .until_us = bankpage_turn()};
    int result;

    if (!am || !bankorder_sees(s, r, &number))
        return;
    moves.all = bankrights_sees_runs(s, who, request_query(r, "account"));
    moves.list = json_array();
    result = read_period(s, r, &of, &err);
    if (result == 0)
        result = am_statement(am, &of, &sum, on_leg, &moves, &err);
    if (result < 0) {
        request_refuse(r, &err);
    } else {
        sum.more |= result > 0; /* its turn was over */
        request_reply_json(r, statement_record(&of, &sum, moves.list));
    }
    json_decref(moves.list);
}

/* As bank_usage tells: one's own, leads and administrators all. */
static bool may_see_run(
    struct server *s, const struct identity *who, uint32_t run, const char *account)
{
    const struct cluster *c = engine_cluster(s->engine);
    const struct job *j = job_find(c, funds_run_job(c->funds, run));

    return bankrights_sees_runs(s, who, account)
           || (j && identity_owns(who, job_cred(c, j, CRED_USER)->name));
}

static json_t *lien_record(const struct funds *f, uint32_t run, const char *account)
{
    json_t *o = json_object();

    render_text(o, "run", funds_run_name(f, run));
    render_text(o, "job", funds_run_job(f, run));
    render_text(o, "account", account);
    render_credits(o, "amount", funds_run_most(f, run));
    return o;
}

/* Whatever a caller says. */
static uint32_t run_behind(int64_t after)
{
    return after < FUNDS_NONE ? (uint32_t)after : FUNDS_NONE;
}

void api_bank_liens(struct server *s, struct request *r)
{
    const char *only = request_query(r, "account");
    const struct identity *who = request_who(r);
    const struct funds *f;
    struct bankview view;
    struct bankpage page;
    uint32_t one;

    if (!bankorder_ledger(s, r) || (only && !bankorder_sees(s, r, &one))
        || !bankpage_open(r, &page))
        return;
    f = engine_cluster(s->engine)->funds;
    bankview_open(&view, s, who);
    for (uint32_t i = funds_next_run(f, run_behind(page.after));
         i != FUNDS_NONE && bankpage_has_room(&page, (int64_t)i + 1);
         i = funds_next_run(f, i + 1)) {
        struct funds_account a = funds_account_now(f, funds_run_account(f, i));
        if (!funds_run_is_elsewhere(f, i) && (!only || strcmp(only, a.name) == 0)
            && bankview_shows(&view, &a) && may_see_run(s, who, i, a.name))
            bankpage_add(&page, lien_record(f, i, a.name));
    }
    bankview_close(&view);
    bankpage_reply(s, r, &page);
}

/* ---- moving --------------------------------------------------------------------- */

const char *bankorder_text(const struct bank_order *b, const char *key)
{
    return json_string_value(json_object_get(b->body, key));
}

int64_t bankorder_int(const struct bank_order *b, const char *key, int64_t otherwise)
{
    const json_t *n = json_object_get(b->body, key);

    return json_is_integer(n) ? json_integer_value(n) : otherwise;
}

static bool flag_of(const struct bank_order *b, const char *key)
{
    return json_is_true(json_object_get(b->body, key));
}

struct am_request bankorder_request(const struct bank_order *b)
{
    return (struct am_request){
        .id = b->id, .at = b->at, .who = b->who, .text = bankorder_text(b, "text")};
}

static int make_it(void *payload, struct err *err)
{
    struct bank_order *b = payload;
    struct err own;

    return b->make(b, err ? err : &own);
}

static void forget_it(void *payload)
{
    struct bank_order *b = payload;

    json_decref(b->body);
    free(b->who);
    free(b->id);
    free(b);
}

/* Administrators and their programs have one set of ids; each other person has one
 * alone, so that nobody takes an id that somebody else is about to use. */
static char *request_id(const struct identity *who, const json_t *body)
{
    const char *given = json_string_value(json_object_get(body, "request"));
    struct strbuf id = {0};

    if (!given || !*given)
        return NULL;
    if (!identity_is(who, WHO_ADMIN1))
        strbuf_printf(&id, "%s/", who->user);
    strbuf_add(&id, given);
    return strbuf_take(&id);
}

enum member { MEMBER_TEXT, MEMBER_NUMBER, MEMBER_FLAG };

/* Of all orders: what a name is, it is in each. */
static const struct {
    const char *name;
    enum member is;
} members[] = {{"request", MEMBER_TEXT}, {"account", MEMBER_TEXT},
    {"parent", MEMBER_TEXT}, {"only", MEMBER_TEXT}, {"amount", MEMBER_TEXT},
    {"credit_limit", MEMBER_TEXT}, {"label", MEMBER_TEXT}, {"text", MEMBER_TEXT},
    {"into", MEMBER_TEXT}, {"run", MEMBER_TEXT}, {"job", MEMBER_TEXT},
    {"from", MEMBER_NUMBER}, {"to", MEMBER_NUMBER}, {"share", MEMBER_NUMBER},
    {"deposit", MEMBER_NUMBER}, {"since", MEMBER_NUMBER}, {"until", MEMBER_NUMBER},
    {"uses", MEMBER_NUMBER}, {"overflow", MEMBER_FLAG}, {"closed", MEMBER_FLAG},
    {"modify", MEMBER_FLAG}, {"pay_debts", MEMBER_FLAG}};
#define MEMBERS (sizeof members / sizeof *members)

static bool is_of_type(const json_t *value, enum member is)
{
    return json_is_null(value) || (is == MEMBER_TEXT && json_is_string(value))
           || (is == MEMBER_NUMBER && json_is_integer(value))
           || (is == MEMBER_FLAG && json_is_boolean(value));
}

/* A member of another type would be as if it were not there, and the order another one.
 * False: the request is refused, with the name. */
static bool members_valid(struct request *r, const json_t *body)
{
    static const char *const expected[] = {"a text", "a whole number", "true or false"};
    char text[120];

    for (size_t i = 0; i < MEMBERS; i++) {
        const json_t *value = json_object_get(body, members[i].name);
        if (!value || is_of_type(value, members[i].is))
            continue;
        snprintf(text, sizeof text, "%s: expected %s", members[i].name,
            expected[members[i].is]);
        request_refuse_as(r, 400, "invalid", members[i].name, text);
        return false;
    }
    return true;
}

/* A member that is null says nothing. */
static void drop_nulls(json_t *body)
{
    const char *name;
    json_t *value;
    void *next;

    json_object_foreach_safe(body, next, name, value)
    {
        if (json_is_null(value))
            json_object_del(body, name);
    }
}

/* Its amounts are read; the rest is the ledger's to check. */
static struct bank_order *read_order(struct server *s, struct request *r,
    int (*make)(struct bank_order *b, struct err *err), struct err *err)
{
    json_t *body = request_json(r, err);
    struct bank_order *b;

    if (!body)
        return NULL;
    b = xcalloc(1, sizeof *b);
    *b = (struct bank_order){.am = teller_ledger(s),
        .body = json_deep_copy(body),
        .who = xstrdup(request_who(r)->user),
        .id = request_id(request_who(r), body),
        .at = world_now(s),
        .make = make};
    drop_nulls(b->body);
    if ((json_object_get(b->body, "amount")
            && read_amount(b->body, "amount", &b->amount, err) < 0)
        || (json_object_get(b->body, "credit_limit")
            && read_amount(b->body, "credit_limit", &b->credit_limit, err) < 0)) {
        forget_it(b);
        return NULL;
    }
    return b;
}

/* Where to go on, of an order that is done a part at a time. */
static json_t *more_of(const struct bank_order *b)
{
    return json_object_get(b->body, "next");
}

/* AM_REFUSED has its sentence as a conflict. */
void bankorder_do(struct server *s, struct request *r,
    int (*make)(struct bank_order *b, struct err *err), const char *done, json_t *more)
{
    struct err err = {0};
    struct bank_order *b;
    json_t *o;

    if (!bankorder_ledger(s, r) || !members_valid(r, request_json(r, &err))) {
        json_decref(more);
        return;
    }
    b = read_order(s, r, make, &err);
    if (b && more)
        json_object_update(b->body, more);
    json_decref(more);
    if (!b) {
        request_refuse(r, &err);
        return;
    }
    if (teller_do(s, (struct unsaved_step){make_it, forget_it, b}, &err) != AM_DONE) {
        request_refuse(r, &err);
        return;
    }
    o = json_pack("{s:s}", "message", done);
    if (b->number)
        render_int(o, "number", b->number);
    if (json_object_get(b->body, "runs"))
        json_object_set(o, "runs", json_object_get(b->body, "runs"));
    if (more_of(b))
        json_object_set(o, "next", more_of(b));
    commit_then_reply(s, r, o);
}

/* What the account is like now, for what is not to be changed. Texts are kept in the
 * body. */
static int on_old(void *arg, const struct ledger_account *row)
{
    struct bank_order *b = arg;

    if (!json_object_get(b->body, "only"))
        json_object_set_new(b->body, "only", json_string(row->only));
    if (!json_object_get(b->body, "overflow"))
        json_object_set_new(b->body, "overflow", json_boolean(row->overflow));
    if (!json_object_get(b->body, "closed"))
        json_object_set_new(b->body, "closed", json_boolean(!row->active));
    if (!json_object_get(b->body, "share"))
        json_object_set_new(b->body, "millionths", json_integer(row->share));
    if (!json_object_get(b->body, "parent"))
        json_object_set_new(b->body, "above", json_integer(row->parent));
    return 1;
}

static int on_above(void *arg, const struct ledger_account *row)
{
    struct bank_order *b = arg;

    json_object_set_new(b->body, "parent", json_string(row->name));
    return 1;
}

static int keep_the_rest(struct bank_order *b, struct err *err)
{
    struct ledger_which which = {.name = bankorder_text(b, "account")};
    int found = which.name ? ledger_accounts(b->am->store, &which, on_old, b, err) : 0;

    if (!which.name)
        return err_set(err, ERR_INVALID, "account: which one?");
    if (found == 0)
        return err_set(err, ERR_NOT_FOUND,
            "no account '%s'; mam-create-account makes one", which.name);
    which = (struct ledger_which){.id = bankorder_int(b, "above", 0)};
    return found < 0
                   || (which.id
                       && ledger_accounts(b->am->store, &which, on_above, b, err) < 0)
               ? -1
               : 0;
}

static int set_account(struct bank_order *b, struct err *err)
{
    if (flag_of(b, "modify") && keep_the_rest(b, err) < 0)
        return -1;
    int64_t share = bankorder_int(b, "share", 0);
    const char *parent = bankorder_text(b, "parent");
    const struct am_account a = {.name = bankorder_text(b, "account"),
        .parent = parent && *parent ? parent : NULL,
        .overflow = flag_of(b, "overflow"),
        .closed = flag_of(b, "closed"),
        .share = share < 0 || share > 100
                     ? 0
                     : bankorder_int(b, "millionths", share * (PRICE_ONE / 100)),
        .only = bankorder_text(b, "only")};

    if (share < 0 || share > 100)
        return err_set(err, ERR_INVALID, "share: %lld: expected 0 to 100, of a hundred",
            (long long)share);
    return am_account_set(b->am, &a, err);
}

/* INFINITY is no end. */
static int64_t end_of(const struct bank_order *b)
{
    int64_t to = bankorder_int(b, "to", AM_EVER);

    return to == TIME_NEVER ? AM_EVER : to;
}

static int make_deposit(struct bank_order *b, struct err *err)
{
    const struct am_request req = bankorder_request(b);
    const struct am_deposit d = {.account = bankorder_text(b, "account"),
        .amount = b->amount,
        .credit_limit = b->credit_limit,
        .from_at = bankorder_int(b, "from", 0),
        .to_at = end_of(b),
        .label = bankorder_text(b, "label"),
        .only = bankorder_text(b, "only"),
        .carry_debt = flag_of(b, "pay_debts")};

    return am_deposit(b->am, &req, &d, &b->number, err);
}

static int make_withdrawal(struct bank_order *b, struct err *err)
{
    const struct am_request req = bankorder_request(b);

    return am_withdraw(b->am, &req, bankorder_text(b, "account"),
        bankorder_int(b, "deposit", 0), b->amount, err);
}

static int make_transfer(struct bank_order *b, struct err *err)
{
    const struct am_request req = bankorder_request(b);
    const struct am_transfer t = {.from = bankorder_text(b, "account"),
        .to = bankorder_text(b, "into"),
        .amount = b->amount,
        .dated = json_object_get(b->body, "from") || json_object_get(b->body, "to"),
        .from_at = bankorder_int(b, "from", 0),
        .to_at = end_of(b)};

    return am_transfer(b->am, &req, &t, err);
}

static int make_refund(struct bank_order *b, struct err *err)
{
    const struct am_request req = bankorder_request(b);

    return am_refund(b->am, &req, bankorder_text(b, "run"), b->amount,
        bankorder_int(b, "deposit", 0), err);
}

void api_bank_account(struct server *s, struct request *r)
{
    const struct identity *who = request_who(r);
    struct err err;
    const json_t *body = request_json(r, &err);
    const char *parent = json_string_value(json_object_get(body, "parent"));
    const char *name = json_string_value(json_object_get(body, "account"));
    const struct funds *f = engine_cluster(s->engine)->funds;
    uint32_t known = f && name ? funds_account(f, name) : FUNDS_NONE;
    const char *now = known == FUNDS_NONE ? parent : funds_account_now(f, known).parent;

    bool modifies = json_is_true(json_object_get(body, "modify"));

    if (!parent && modifies)
        parent = now;
    /* a lead makes accounts below one that is led, and changes those that lie there */
    bool may = parent && bankrights_leads(s, who, parent) && now
               && bankrights_leads(s, who, now);

    if (!identity_is(who, WHO_ADMIN1) && !may)
        bankorder_deny(r, modifies ? "mam-modify-account" : "mam-create-account");
    else if (!identity_is(who, WHO_ADMIN1) && known == FUNDS_NONE
             && cred_find(engine_cluster(s->engine), CRED_ACCOUNT, name))
        request_refuse_as(r, 409, "conflict", "account",
            "that is the name of an account that jobs or maui.cfg have already: an "
            "administrator makes it");
    else
        bankorder_do(s, r, set_account, "the account is as described", NULL);
}

void api_bank_deposit(struct server *s, struct request *r)
{
    bankorder_do(s, r, make_deposit, "deposited", NULL);
}

void api_bank_withdraw(struct server *s, struct request *r)
{
    bankorder_do(s, r, make_withdrawal, "withdrawn", NULL);
}

void api_bank_transfer(struct server *s, struct request *r)
{
    const struct identity *who = request_who(r);
    struct err err;
    const json_t *body = request_json(r, &err);
    const char *from = json_string_value(json_object_get(body, "account"));
    const char *into = json_string_value(json_object_get(body, "into"));

    /* other dates would be another deposit: that is not a lead's */
    bool dated = json_is_integer(json_object_get(body, "from"))
                 || json_is_integer(json_object_get(body, "to"));

    if (identity_is(who, WHO_ADMIN1)
        || (!dated && bankrights_leads(s, who, from) && bankrights_leads(s, who, into)))
        bankorder_do(s, r, make_transfer, "transferred", NULL);
    else
        bankorder_deny(r, "mam-transfer");
}

void api_bank_refund(struct server *s, struct request *r)
{
    if (bankquestion_is_possible(s))
        bankelsewhere_refund(s, r);
    else
        bankorder_do(s, r, make_refund, "refunded", NULL);
}
