/* SPDX-License-Identifier: Apache-2.0
 * Quotes that are kept: the rates of a job that names one (msub -l quote=N) hold until
 * then. Whoever names it has to be as the one who asked: user, account, class, QOS. */
#include "server/api/bankquotes.h"

#include "policy/bank.h"
#include "server/api/api.h"
#include "server/api/bankorder.h"
#include "server/api/bankpage.h"
#include "server/api/bankrights.h"
#include "server/durable/teller.h"
#include "server/render/render.h"
#include "server/server_private.h"

#include <inttypes.h>
#include <string.h>

#define LONGEST_S (30 * BANKQUOTES_DAY_S) /* for who is no administrator */
#define GOOD_MOST 100                     /* of a user, that can be used */
#define KEPT_MOST 1000 /* of a user, that have not expired, used up or not */

/* "..;user:ann=1.000000": whose it is. False: it does not say. */
static bool is_of(const char *rates, const char *user)
{
    char word[100];

    snprintf(word, sizeof word, ";user:%.60s=", user);
    return strstr(rates, word) != NULL;
}

/* ---- asked for ------------------------------------------------------------------- */

struct count {
    const char *user;
    int good, kept;
};

static int on_counted(void *arg, const struct ledger_quote *row)
{
    struct count *c = arg;

    if (!is_of(row->rates, c->user))
        return 0;
    c->kept++;
    c->good += row->uses > 0;
    return c->good >= GOOD_MOST || c->kept >= KEPT_MOST;
}

static int refuse_many(struct bank_order *b, struct err *err)
{
    const struct ledger_which kept = {.kept_at = b->at};
    struct count c = {.user = bankorder_text(b, "user")};

    if (ledger_quotes(b->am->store, &kept, on_counted, &c, err) < 0)
        return -1;
    if (c.good >= GOOD_MOST)
        return err_set(err, ERR_CONFLICT,
            "user %s has %d quotes that can be used, which is the most", c.user,
            c.good);
    if (c.kept >= KEPT_MOST)
        return err_set(err, ERR_CONFLICT,
            "user %s has %d quotes that have not expired, which is the most", c.user,
            c.kept);
    return 0;
}

static int on_made(void *arg, const struct ledger_quote *row)
{
    *(int64_t *)arg = row->id;
    return 1;
}

/* A request that is repeated has the number that it had, whatever the price is now. */
int bankquotes_check_terms(int64_t uses, int64_t until_at, int64_t now, struct err *err)
{
    if (uses < 1 || uses > BANKQUOTES_USES_MOST)
        return err_set(
            err, ERR_INVALID, "uses: expected 1 to %d", BANKQUOTES_USES_MOST);
    return until_at > now
               ? 0
               : err_set(err, ERR_INVALID, "until: expected an instant after now");
}

static int keep_quote(struct bank_order *b, struct err *err)
{
    const struct ledger_which made = {.request = b->id};
    const struct am_request req = bankorder_request(b);
    const struct am_quote q = {.account = bankorder_text(b, "account"),
        .use = {.user = bankorder_text(b, "user"),
            .group = bankorder_text(b, "group"),
            .class = bankorder_text(b, "class"),
            .qos = bankorder_text(b, "qos")},
        .rates = bankorder_text(b, "rates"),
        .amount = bankorder_int(b, "price", 0),
        .until_at = bankorder_int(b, "until", b->at + BANKQUOTES_DAY_S),
        .uses = bankorder_int(b, "uses", 1),
        .job = bankorder_text(b, "job")};

    int known =
        b->id ? ledger_quotes(b->am->store, &made, on_made, &b->number, err) : 0;

    if (known != 0)
        return known > 0 ? AM_DONE : -1;
    if (bankquotes_check_terms(q.uses, q.until_at, b->at, err) < 0)
        return -1;
    return refuse_many(b, err) < 0 ? -1 : am_quote(b->am, &req, &q, &b->number, err);
}

static void put_text(json_t *o, const char *key, const char *text)
{
    if (text)
        json_object_set_new(o, key, json_string(text));
}

bool bankquotes_may_keep(
    struct server *s, struct request *r, const struct query_quote *q)
{
    const struct identity *who = request_who(r);
    bool admin = identity_is(who, WHO_ADMIN1);
    struct err err;
    const json_t *until = json_object_get(request_json(r, &err), "until");

    if (!admin && !(q->use.user && identity_owns(who, q->use.user))) {
        bankorder_deny(r, "mam-quote");
        return false;
    }
    if (!q->price.account) {
        request_refuse_as(r, 400, "invalid", "account",
            "the job would have no account that could pay; which one (mam-quote -A)?");
        return false;
    }
    if (!admin && q->use.group && strcmp(q->use.group, who->group) != 0
        && !identity_is_member(who->user, q->use.group, NULL)) {
        err_set(
            &err, ERR_DENIED, "user %s is not in group %s", who->user, q->use.group);
        request_refuse(r, &err);
        return false;
    }
    if (!admin && json_integer_value(until) > world_now(s) + LONGEST_S) {
        request_refuse_as(r, 400, "invalid", "until",
            "a quote holds for 30 days at most; administrators may give longer ones");
        return false;
    }
    return true;
}

void bankquotes_keep(struct server *s, struct request *r, const struct query_quote *q)
{
    const struct identity *who = request_who(r);
    struct err err;
    json_t *more;

    if (!bankquotes_may_keep(s, r, q))
        return;
    if (!identity_is(who, WHO_ADMIN3) && !bankrights_shows(s, who, q->price.account)) {
        err_set(&err, ERR_NOT_FOUND, "the bank has no account '%s' that you may see",
            q->price.account);
        request_refuse(r, &err);
        return;
    }
    more = json_pack("{s:s, s:s, s:I}", "account", q->price.account, "rates", q->tariff,
        "price", (json_int_t)q->price.most);
    put_text(more, "user", q->use.user);
    put_text(more, "group", q->use.group);
    put_text(more, "class", q->use.class);
    put_text(more, "qos", q->use.qos);
    bankorder_do(s, r, keep_quote, "these rates are kept", more);
}

/* ---- told ------------------------------------------------------------------------ */

struct listed {
    struct server *s;
    const struct identity *who;
    struct bankpage page;
};

static int on_listed(void *arg, const struct ledger_quote *row)
{
    struct listed *l = arg;
    const struct funds *f = engine_cluster(l->s->engine)->funds;
    const struct funds_quote *q = funds_quote(f, row->id);
    json_t *o;

    if (!bankpage_has_room(&l->page, row->id))
        return 1;
    if (!q
        || !(identity_is(l->who, WHO_ADMIN3) || is_of(row->rates, l->who->user)
             || bankrights_leads(l->s, l->who, q->account)))
        return 0;
    o = json_object();
    render_int(o, "number", row->id);
    render_text(o, "account", q->account);
    render_credits(o, "price", row->amount);
    render_instant(o, "until", row->until_at);
    render_int(o, "uses", q->uses);
    render_text(o, "job", row->job);
    render_text(o, "rates", row->rates);
    bankpage_add(&l->page, o);
    return 0;
}

void api_bank_quotes(struct server *s, struct request *r)
{
    struct am *am = bankorder_ledger(s, r);
    struct ledger_which good = {.good_at = world_now(s), .paged = true};
    struct listed l = {.s = s, .who = request_who(r)};
    struct err err;

    if (!am || !bankpage_open(r, &l.page))
        return;
    good.behind = l.page.after;
    if (ledger_quotes(am->store, &good, on_listed, &l, &err) < 0)
        bankpage_refuse(r, &l.page, &err);
    else
        bankpage_reply(s, r, &l.page);
}
