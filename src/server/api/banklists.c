/* SPDX-License-Identifier: Apache-2.0
 * Lists of the bank: deposits, transactions, who used how much, rates in force. Users
 * see what of it is theirs (bankrights.h). */
#include "config/settings.h"
#include "funds/amount.h"
#include "funds/week.h"
#include "policy/bank.h"
#include "server/api/api.h"
#include "server/api/bankorder.h"
#include "server/api/bankpage.h"
#include "server/api/bankrights.h"
#include "server/api/bankusage.h"
#include "server/render/render.h"
#include "server/server_private.h"

#include <inttypes.h>
#include <string.h>

#define LEGS_LOOKED 1500 /* of sums: so many of one request, of both sides */

/* What a list is about, and for whom. */
struct asked {
    struct server *s;
    struct am *am;
    const struct identity *who;
    struct bankview view;
    struct bankpage page;
    const char *only; /* account, or NULL */
    const char *name; /* of the account whose turn it is */
    bool all;         /* the caller may see what everybody used of it */
};

/* False: the request is refused. Else asked_reply() ends it. */
static bool asked_open(struct server *s, struct request *r, struct asked *a)
{
    uint32_t one;

    a->s = s;
    a->am = bankorder_ledger(s, r);
    a->who = request_who(r);
    a->only = request_query(r, "account");
    if (!a->am || (a->only && !bankorder_sees(s, r, &one))
        || !bankpage_open(r, &a->page))
        return false;
    bankview_open(&a->view, s, a->who);
    return true;
}

static void asked_reply(
    struct request *r, struct asked *a, int result, const struct err *err)
{
    bankview_close(&a->view);
    if (result < 0)
        bankpage_refuse(r, &a->page, err);
    else
        bankpage_reply(a->s, r, &a->page);
}

/* It is that account's turn. False: it is not for the caller. */
static bool take_turn(struct asked *a, const char *name)
{
    if (a->only && strcmp(a->only, name) != 0)
        return false;
    a->name = bankview_find(&a->view, name);
    a->all = a->name && bankrights_sees_runs(a->s, a->who, a->name);
    return a->name != NULL;
}

/* ---- deposits -------------------------------------------------------------------- */

struct deposits {
    struct asked a;
    int64_t account; /* whose turn it is */
    bool shown;
    struct err err;
};

static json_t *deposit_record(const struct ledger_deposit *row, const char *account)
{
    json_t *o = json_object();

    render_int(o, "deposit", row->id);
    render_text(o, "account", account);
    render_credits(o, "amount", row->amount);
    render_credits(o, "balance", row->balance);
    render_credits(o, "held", row->held);
    render_credits(o, "credit_limit", row->credit_limit);
    if (row->from_at)
        render_instant(o, "from", row->from_at);
    if (row->to_at != AM_EVER)
        render_instant(o, "to", row->to_at);
    render_text(o, "label", row->label);
    render_text(o, "only", row->only);
    render_bool(o, "ended", row->ended);
    return o;
}

static int on_owner(void *arg, const struct ledger_account *row)
{
    struct deposits *d = arg;

    d->shown = take_turn(&d->a, row->name);
    return 1;
}

/* Those of an account come one behind the other. */
static int on_deposit(void *arg, const struct ledger_deposit *row)
{
    struct deposits *d = arg;
    const struct ledger_which owner = {.id = row->account};

    if (!bankpage_has_room(&d->a.page, row->id))
        return 1;
    if (row->account != d->account
        && ledger_accounts(d->a.am->store, &owner, on_owner, d, &d->err) < 0)
        return -1;
    d->account = row->account;
    if (d->shown)
        bankpage_add(&d->a.page, deposit_record(row, d->a.name));
    return 0;
}

static int on_id(void *arg, const struct ledger_account *row)
{
    *(int64_t *)arg = row->id;
    return 1;
}

/* Those that have not ended; all with ended=1. */
void api_bank_deposits(struct server *s, struct request *r)
{
    const char *ended = request_query(r, "ended");
    struct deposits d = {0};
    struct ledger_which which = {
        .paged = true, .live = !(ended && strcmp(ended, "1") == 0)};
    struct err err;
    int result = 0;

    if (!asked_open(s, r, &d.a))
        return;
    which.behind = d.a.page.after;
    if (d.a.only)
        result = ledger_accounts(d.a.am->store,
            &(struct ledger_which){.name = d.a.only}, on_id, &which.account, &err);
    if (result >= 0)
        result = ledger_deposits(d.a.am->store, &which, on_deposit, &d, &err);
    asked_reply(r, &d.a, result, d.err.text[0] ? &d.err : &err);
}

/* ---- who used how much ------------------------------------------------------------
 */

static int on_usage(void *arg, const struct ledger_usage *row)
{
    struct asked *a = arg;

    if (take_turn(a, row->account) && (a->all || strcmp(row->user, a->who->user) == 0))
        bankpage_add(&a->page, bankusage_record(row, a->name));
    return 0;
}

/* One walk for all accounts, of so many legs. */
static void reply_since(
    struct server *s, struct request *r, const struct ledger_which *which)
{
    struct asked a = {0};
    struct err err;
    int64_t next = 0;
    int result;

    if (!asked_open(s, r, &a))
        return;
    result =
        ledger_usage_since(a.am->store, which, LEGS_LOOKED, &next, on_usage, &a, &err);
    a.page.more = next > 0;
    a.page.last = next;
    asked_reply(r, &a, result, &err);
}

void api_bank_usage(struct server *s, struct request *r)
{
    struct ledger_which which = {0};
    struct err err;

    if (request_query_int(r, "from", 0, &which.from_at, &err) < 0
        || request_query_int(r, "to", 0, &which.to_at, &err) < 0
        || request_query_int(r, "since", 0, &which.txn, &err) < 0)
        request_refuse(r, &err);
    else if (which.txn)
        reply_since(s, r, &which);
    else
        bankusage_reply(s, r, &which);
}

/* ---- transactions ------------------------------------------------------------------
 */

struct txns {
    struct asked a;
    int64_t last; /* that is told, or was looked at */
};

static json_t *txn_record(
    const struct ledger_leg *leg, const struct ledger_txn *of, const char *account)
{
    json_t *o = json_object();

    render_int(o, "transaction", of->id);
    render_instant(o, "at", of->at);
    render_text(o, "kind", of->kind);
    render_text(o, "account", account);
    render_text(o, "run", of->run);
    render_text(o, "who", of->who);
    render_text(o, "text", of->text);
    render_credits(o, "amount", leg->amount);
    if (leg->of && strcmp(leg->place, "deposit") == 0)
        render_int(o, "deposit", leg->of);
    return o;
}

/* A transaction is told whole: the next page begins behind it. */
static int on_txn(void *arg, const struct ledger_leg *leg, const struct ledger_txn *of)
{
    struct txns *t = arg;

    if (of->id != t->last && !bankpage_has_room(&t->a.page, of->id))
        return 1;
    t->last = of->id;
    /* the name: see ledger_since(); of runs as bank_usage tells */
    if (take_turn(&t->a, of->request)
        && (!*of->run || t->a.all || strcmp(of->whose, t->a.who->user) == 0))
        bankpage_add(&t->a.page, txn_record(leg, of, t->a.name));
    return 0;
}

void api_bank_transactions(struct server *s, struct request *r)
{
    struct txns t = {0};
    struct err err;
    int64_t since;
    int result;

    if (request_query_int(r, "since", 0, &since, &err) < 0) {
        request_refuse(r, &err);
        return;
    }
    if (!asked_open(s, r, &t.a))
        return;
    result = ledger_since(t.a.am->store, since, on_txn, &t, &err);
    asked_reply(r, &t.a, result, &err);
}

/* ---- rates -------------------------------------------------------------------------
 */

static void add_factor(json_t *list, const char *kind, const char *name, int64_t factor)
{
    json_t *o = json_object();

    render_text(o, "kind", kind);
    render_text(o, "name", name);
    render_real(o, "factor", (double)factor / PRICE_ONE);
    json_array_append_new(list, o);
}

/* What an account of others is charged tells that there is one. */
static bool is_shown(struct bankview *v, enum cred_kind kind, const char *name)
{
    const struct funds *f = engine_cluster(v->s->engine)->funds;
    struct funds_account a;
    uint32_t i;

    if (kind != CRED_ACCOUNT || identity_is(v->who, WHO_ADMIN3))
        return true;
    i = funds_account(f, name);
    if (i == FUNDS_NONE)
        return false;
    a = funds_account_now(f, i);
    return bankview_shows(v, &a);
}

static void add_factors(struct server *s, const struct identity *who, json_t *list)
{
    static const struct {
        enum cred_kind kind;
        const char *word;
    } kinds[] = {{CRED_ACCOUNT, "account"}, {CRED_CLASS, "class"}, {CRED_QOS, "qos"}};
    const struct settings *cfg = s->config->settings;
    struct bankview view;

    bankview_open(&view, s, who);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t i = 0; i < cfg->creds[kinds[k].kind].n; i++) {
            const struct cred_cfg *c = &cfg->creds[kinds[k].kind].v[i];
            if (c->charge_rate.n && is_shown(&view, kinds[k].kind, c->name))
                add_factor(list, kinds[k].word, c->name, c->charge_rate.v[0].rate);
        }
    bankview_close(&view);
    for (size_t i = 0; i < cfg->nodes.n && !identity_is_kept_from(who, RM_HIDES_NODES);
         i++)
        if (cfg->nodes.v[i].charge_rate >= 0)
            add_factor(list, "node", cfg->nodes.v[i].name, cfg->nodes.v[i].charge_rate);
}

void api_bank_rates(struct server *s, struct request *r)
{
    const struct bank_settings *b = &s->config->settings->bank;
    const struct cluster *c = engine_cluster(s->engine);
    char *rates, *times;
    json_t *o, *list;

    if (!bankorder_ledger(s, r))
        return;
    o = json_object();
    list = json_array();
    rates = price_rates_text(&b->rates);
    times = week_text(&b->times);
    render_text(o, "rates", b->rates.n ? rates : "PROCS:1");
    render_text(o, "times", times);
    render_text(o, "rates_at", b->rates_at == RATES_AT_USE ? "USE" : "START");
    if (c->week)
        render_real(
            o, "time_now", (double)week_factor(c->week, world_now(s)) / PRICE_ONE);
    add_factors(s, request_who(r), list);
    json_object_set_new(o, "factors", list);
    free(rates);
    free(times);
    request_reply_json(r, o);
}

/* ---- limits for portals ------------------------------------------------------------
 */

static int set_limit(struct bank_order *b, struct err *err)
{
    const struct am_request req = bankorder_request(b);

    return am_set_limit(
        b->am, &req, bankorder_text(b, "account"), b->amount, &b->number, err);
}

void api_bank_limit(struct server *s, struct request *r)
{
    bankorder_do(s, r, set_limit, "the account has that much", NULL);
}
