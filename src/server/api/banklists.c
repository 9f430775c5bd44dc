/* SPDX-License-Identifier: Apache-2.0
 * Lists of the bank: deposits, transactions, who used how much, rates in force. Users
 * see what of it is theirs (bankrights.h). */
#include "config/settings.h"
#include "funds/amount.h"
#include "funds/week.h"
#include "policy/bank.h"
#include "server/api/api.h"
#include "server/api/bankorder.h"
#include "server/api/bankrights.h"
#include "server/render/render.h"
#include "server/server_private.h"

#include <inttypes.h>
#include <string.h>

#define TXNS_USUAL  1000
#define TXNS_MOST   10000
#define TXNS_LOOKED 20000             /* moves that one request looks at, told or not */
#define LEGS_LOOKED (2 * TXNS_LOOKED) /* a move has another side */

/* What a list is about, and for whom. */
struct asked {
    struct server *s;
    const struct identity *who;
    json_t *list;
    const char *name; /* of the account whose turn it is */
    bool all;         /* the caller may see what everybody used of it */
    int64_t most;
};

/* Call `each` with the number in the ledger of each account that the caller may see;
 * of the one alone that the query names, if it does. -1 with a sentence. */
struct account_walk {
    struct asked *a;
    struct bankview view;
    const char *only;
    int (*each)(struct asked *a, struct am *am, int64_t account, struct err *err);
    struct am *am;
    struct VEC(int64_t) ids;
    struct VEC(char *) names;
};

static int on_account(void *arg, const struct ledger_account *row)
{
    struct account_walk *w = arg;
    const struct funds *f = engine_cluster(w->a->s->engine)->funds;
    uint32_t i = funds_account(f, row->name);
    struct funds_account a;

    if ((w->only && strcmp(w->only, row->name) != 0) || i == FUNDS_NONE)
        return 0;
    a = funds_account_now(f, i);
    if (!bankview_shows(&w->view, &a))
        return 0;
    vec_push(&w->ids, row->id);
    vec_push(&w->names, xstrdup(row->name));
    return 0;
}

static int walk_accounts(struct account_walk *w, struct err *err)
{
    const struct ledger_which which = {.name = w->only};
    int result;

    bankview_open(&w->view, w->a->s, w->a->who);
    result = ledger_accounts(w->am->store, &which, on_account, w, err);
    bankview_close(&w->view);
    for (size_t i = 0; i < w->ids.n; i++) {
        w->a->name = w->names.v[i];
        w->a->all = bankrights_sees_runs(w->a->s, w->a->who, w->a->name);
        if (result == 0)
            result = w->each(w->a, w->am, w->ids.v[i], err);
        free(w->names.v[i]);
    }
    vec_fini(&w->ids);
    vec_fini(&w->names);
    return result < 0 ? -1 : 0;
}

/* A list of all of them, or the request is refused. */
static void reply_walk(struct server *s, struct request *r, struct asked *a,
    int (*each)(struct asked *a, struct am *am, int64_t account, struct err *err))
{
    struct account_walk w = {.a = a, .only = request_query(r, "account"), .each = each};
    struct err err;
    uint32_t one;

    w.am = bankorder_ledger(s, r);
    if (!w.am || (w.only && !bankorder_sees(s, r, &one)))
        return;
    a->s = s;
    a->who = request_who(r);
    a->list = json_array();
    if (walk_accounts(&w, &err) == 0) {
        bankorder_list(s, r, a->list);
        return;
    }
    json_decref(a->list);
    request_refuse(r, &err);
}

/* ---- deposits -------------------------------------------------------------------- */

static int on_deposit(void *arg, const struct ledger_deposit *row)
{
    struct asked *a = arg;
    json_t *o = json_object();

    render_int(o, "deposit", row->id);
    render_text(o, "account", a->name);
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
    json_array_append_new(a->list, o);
    return 0;
}

static int list_deposits(
    struct asked *a, struct am *am, int64_t account, struct err *err)
{
    const struct ledger_which which = {.account = account, .live = a->most == 0};

    return ledger_deposits(am->store, &which, on_deposit, a, err);
}

/* Those that have not ended; all with ended=1. */
void api_bank_deposits(struct server *s, struct request *r)
{
    const char *ended = request_query(r, "ended");
    struct asked a = {.most = ended && strcmp(ended, "1") == 0};

    reply_walk(s, r, &a, list_deposits);
}

/* ---- who used how much ------------------------------------------------------------
 */

struct usage_walk {
    struct asked a;
    struct ledger_which which;
    struct bankview view;
    const char *only; /* account, or NULL */
};

static int on_usage(void *arg, const struct ledger_usage *row)
{
    struct asked *a = arg;
    json_t *o;

    if (!a->all && strcmp(row->user, a->who->user) != 0)
        return 0;
    o = json_object();
    render_text(o, "account", a->name);
    render_text(o, "user", row->user);
    render_credits(o, "charged", row->charged);
    render_credits(o, "refunded", row->refunded);
    render_credits(o, "used", row->charged - row->refunded);
    render_int(o, "runs", row->runs);
    render_int(o, "transaction", row->last);
    json_array_append_new(a->list, o);
    return 0;
}

static int list_usage(struct asked *a, struct am *am, int64_t account, struct err *err)
{
    struct usage_walk *u = (struct usage_walk *)a;

    u->which.account = account;
    return ledger_usage(am->store, &u->which, on_usage, a, err);
}

static int on_usage_since(void *arg, const struct ledger_usage *row)
{
    struct usage_walk *u = arg;
    const struct funds *f = engine_cluster(u->a.s->engine)->funds;
    uint32_t i = funds_account(f, row->account);
    struct funds_account a;

    if (i == FUNDS_NONE || (u->only && strcmp(u->only, row->account) != 0))
        return 0;
    a = funds_account_now(f, i);
    if (!bankview_shows(&u->view, &a))
        return 0;
    u->a.name = a.name;
    u->a.all = bankrights_sees_runs(u->a.s, u->a.who, a.name);
    return on_usage(&u->a, row);
}

/* Little of much is the caller's: where to go on, as the last record. */
static void add_next(json_t *list, int64_t next)
{
    json_t *o = json_object();

    render_int(o, "next", next);
    json_array_append_new(list, o);
}

/* One walk for all accounts, of so many legs. */
static void reply_since(struct server *s, struct request *r, struct usage_walk *u)
{
    struct am *am = bankorder_ledger(s, r);
    struct err err;
    int64_t next = 0;
    uint32_t one;
    int result;

    u->only = request_query(r, "account");
    if (!am || (u->only && !bankorder_sees(s, r, &one)))
        return;
    u->a.who = request_who(r);
    u->a.list = json_array();
    bankview_open(&u->view, s, u->a.who);
    result = ledger_usage_since(
        am->store, &u->which, LEGS_LOOKED, &next, on_usage_since, u, &err);
    bankview_close(&u->view);
    if (result < 0) {
        json_decref(u->a.list);
        request_refuse(r, &err);
        return;
    }
    if (next)
        add_next(u->a.list, next);
    bankorder_list(s, r, u->a.list);
}

void api_bank_usage(struct server *s, struct request *r)
{
    struct usage_walk u = {.a = {.s = s}};
    struct err err;

    if (request_query_int(r, "from", 0, &u.which.from_at, &err) < 0
        || request_query_int(r, "to", 0, &u.which.to_at, &err) < 0
        || request_query_int(r, "since", 0, &u.which.txn, &err) < 0) {
        request_refuse(r, &err);
        return;
    }
    if (u.which.txn)
        reply_since(s, r, &u);
    else
        reply_walk(s, r, &u.a, list_usage);
}

/* ---- transactions ------------------------------------------------------------------
 */

struct txns {
    struct asked a;
    struct bankview view;
    const char *only;
    int64_t since, last; /* behind that transaction; the last one that is looked at */
    int64_t looked;
    bool full, more; /* enough is told; there is more behind `last` */
};

static int on_txn(void *arg, const struct ledger_leg *leg, const struct ledger_txn *of)
{
    struct txns *t = arg;
    const struct funds *f = engine_cluster(t->a.s->engine)->funds;
    uint32_t i = funds_account(f, of->request); /* see ledger_since() */
    struct funds_account a;
    json_t *o;

    if (i == FUNDS_NONE || (t->only && strcmp(t->only, of->request) != 0))
        return 0;
    a = funds_account_now(f, i);
    if (!bankview_shows(&t->view, &a))
        return 0;
    /* of runs one's own, leads and administrators all: as bank_usage tells */
    if (*of->run && strcmp(of->whose, t->a.who->user) != 0
        && !bankrights_sees_runs(t->a.s, t->a.who, a.name))
        return 0;
    o = json_object();
    render_int(o, "transaction", of->id);
    render_instant(o, "at", of->at);
    render_text(o, "kind", of->kind);
    render_text(o, "account", a.name);
    render_text(o, "run", of->run);
    render_text(o, "who", of->who);
    render_text(o, "text", of->text);
    render_credits(o, "amount", leg->amount);
    if (leg->of && strcmp(leg->place, "deposit") == 0)
        render_int(o, "deposit", leg->of);
    json_array_append_new(t->a.list, o);
    t->full = json_array_size(t->a.list) >= (size_t)t->a.most;
    return 0;
}

static int on_txn_until(
    void *arg, const struct ledger_leg *leg, const struct ledger_txn *of)
{
    struct txns *t = arg;

    /* a transaction is told whole: the next page begins behind it */
    if (of->id != t->last && (t->full || t->looked >= TXNS_LOOKED)) {
        t->more = true;
        return 1;
    }
    t->last = of->id;
    t->looked++;
    return on_txn(arg, leg, of);
}

void api_bank_transactions(struct server *s, struct request *r)
{
    struct am *am = bankorder_ledger(s, r);
    struct txns t = {
        .a = {.s = s, .who = request_who(r)}, .only = request_query(r, "account")};
    struct err err;
    uint32_t one;
    int result;

    if (!am || (t.only && !bankorder_sees(s, r, &one)))
        return;
    if (request_query_int(r, "since", 0, &t.since, &err) < 0
        || request_query_int(r, "limit", TXNS_USUAL, &t.a.most, &err) < 0) {
        request_refuse(r, &err);
        return;
    }
    if (t.a.most < 1 || t.a.most > TXNS_MOST) {
        err_set(&err, ERR_INVALID, "limit: expected 1 to %d", TXNS_MOST);
        request_refuse(r, &err);
        return;
    }
    t.a.list = json_array();
    bankview_open(&t.view, s, t.a.who);
    result = ledger_since(am->store, t.since, on_txn_until, &t, &err);
    bankview_close(&t.view);
    if (result >= 0) {
        if (t.more && !t.full)
            add_next(t.a.list, t.last);
        bankorder_list(s, r, t.a.list);
        return;
    }
    json_decref(t.a.list);
    request_refuse(r, &err);
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
