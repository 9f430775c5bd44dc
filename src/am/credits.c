/* SPDX-License-Identifier: Apache-2.0
 * Credits come in, move and go: deposits, withdrawals, transfers, expiry. */
#include "am/private.h"
#include "base/duration.h"
#include "funds/price.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MOST 1000
#define DATE_MOST  INT64_C(1000000000000) /* later ones are slips, and not shown */
#define CLOCK_JUMP 3600 /* a clock that goes on by more may be wrong */

/* ---- deposits ------------------------------------------------------------------- */

static int dates_valid(int64_t at, int64_t from_at, int64_t to_at, struct err *err)
{
    char ago[64];

    if (from_at > DATE_MOST || (to_at > DATE_MOST && to_at != AM_EVER))
        return err_set(err, ERR_INVALID,
            "a deposit from %lld to %lld (seconds since 1970): expected dates up to "
            "%lld, or no end",
            (long long)from_at, (long long)to_at, (long long)DATE_MOST);
    if (from_at >= 0 && from_at < to_at && at < to_at)
        return 0;
    if (from_at < 0 || from_at >= to_at)
        return err_set(err, ERR_INVALID,
            "a deposit has to end after its beginning, which is not before 1970");
    return err_set(err, ERR_INVALID,
        "a deposit that ended %s (days:hours:minutes:seconds) ago: expected an end "
        "after now",
        duration_format_exact(at - to_at, ago, sizeof ago));
}

/* A new deposit with what comes by `p`. */
static int add_deposit(
    struct am *am, struct posting *p, struct ledger_deposit *row, struct err *err)
{
    row->id = 0;
    row->txn = p->txn.id;
    if (ledger_add_deposit(am->store, row, err) != 0)
        return -1;
    posting_add(p, "deposit", row->id, row->account, row->amount);
    return 0;
}

struct child {
    int64_t id, part;
};

struct children {
    struct VEC(struct child) list;
    int64_t amount, rest; /* that the parent gets, and keeps */
};

static int on_child(void *arg, const struct ledger_account *row)
{
    struct children *c = arg;
    int64_t part = (int64_t)((__int128)c->amount * row->share / PRICE_ONE);

    if (!row->active || part == 0)
        return 0;
    vec_push(&c->list, ((struct child){row->id, part}));
    c->rest -= part;
    return 0;
}

/* The account of the row and those below it get their shares of its amount; what cannot
 * be divided is the parent's. */
static int share_out(struct am *am, struct posting *p, struct ledger_deposit *row,
    int depth, struct err *err)
{
    const struct ledger_which below = {.parent = row->account};
    struct children c = {.amount = row->amount, .rest = row->amount};
    int result = ledger_accounts(am->store, &below, on_child, &c, err);

    if (depth > DEPTH_MOST)
        result = err_set(err, ERR_IO, "accounts lie in a circle");
    row->amount = c.rest;
    if (result == 0)
        result = add_deposit(am, p, row, err);
    for (size_t i = 0; result == 0 && i < c.list.n; i++) {
        struct ledger_deposit part = *row;

        part.account = c.list.v[i].id;
        part.amount = c.list.v[i].part;
        part.credit_limit = 0;
        result = share_out(am, p, &part, depth + 1, err);
    }
    vec_fini(&c.list);
    return result;
}

/* ---- debts ---------------------------------------------------------------------- */

static int on_debt(void *arg, const struct ledger_deposit *row)
{
    struct pieces *debts = arg;

    if (row->ended && row->balance < 0)
        vec_push(debts, ((struct piece){row->id, row->account, -row->balance}));
    return 0;
}

/* What the account owes: deposits that have ended below 0, then without a deposit. */
static int load_debts(
    struct am *am, int64_t account, struct pieces *debts, struct err *err)
{
    const struct ledger_which which = {.account = account};
    int64_t over = 0;

    if (ledger_deposits(am->store, &which, on_debt, debts, err) != 0
        || ledger_balance(am->store, "over", account, &over, err) != 0)
        return -1;
    if (over < 0)
        vec_push(debts, ((struct piece){0, account, -over}));
    return 0;
}

/* The new deposit pays debts of its account, as far as it goes. */
static int pay_debts(struct am *am, const struct am_request *req,
    const struct ledger_deposit *row, struct err *err)
{
    struct posting p = {.txn = {.at = req->at,
                            .kind = "adjust",
                            .who = req->who,
                            .text = "debt paid from a new deposit"}};
    int64_t rest = row->amount;
    struct pieces debts = {0};
    int result = load_debts(am, row->account, &debts, err);

    if (result == 0 && debts.n && rest)
        result = posting_begin(am, &p, err);
    for (size_t i = 0; result == 0 && i < debts.n && rest > 0; i++) {
        struct piece paid = debts.v[i];

        paid.amount = rest < paid.amount ? rest : paid.amount;
        rest -= paid.amount;
        posting_add(&p, "deposit", row->id, row->account, -paid.amount);
        paid.amount = -paid.amount;
        posting_take(&p, &paid);
    }
    if (p.txn.id)
        result = posting_end(am, &p, result, err);
    vec_fini(&debts);
    return result;
}

/* ---- the calls ------------------------------------------------------------------ */

static int on_number(void *arg, const struct ledger_deposit *row)
{
    *(int64_t *)arg = row->id;
    return 1;
}

static int make_deposit(struct am *am, const struct am_request *req,
    const struct am_deposit *d, const char *asked, struct ledger_deposit *row,
    struct err *err)
{
    struct posting p = posting_of(req, "deposit", asked);
    int result;

    if (amount_valid(d->amount, 1, err) != 0
        || amount_valid(d->credit_limit, 0, err) != 0
        || dates_valid(req->at, d->from_at, d->to_at, err) != 0
        || only_valid(row->only, err) != 0 || posting_begin(am, &p, err) != 0)
        return -1;
    posting_add(&p, "grant", 0, 0, -d->amount);
    result = share_out(am, &p, row, 0, err);
    result = posting_end(am, &p, result, err);
    if (result == 0 && d->carry_debt)
        result = pay_debts(am, req, row, err);
    return result;
}

static int book_deposit(struct am *am, const struct am_request *req,
    const struct am_deposit *d, const char *asked, int64_t *ret_number, struct err *err)
{
    struct ledger_deposit row = {.amount = d->amount,
        .credit_limit = d->credit_limit,
        .from_at = d->from_at,
        .to_at = d->to_at,
        .label = d->label,
        .only = d->only ? d->only : ""};
    struct ledger_which made = {0};
    struct found_account a;
    int known = request_known(am, req, asked, &made.txn, err);

    if (known > 0) { /* the number that it answered */
        known = ledger_deposits(am->store, &made, on_number, ret_number, err);
        return known < 0 ? -1 : AM_DONE;
    }
    if (known < 0 || account_find(am, d->account, NULL, &a, err) != 0
        || account_usable(&a, d->account, NULL, err) != 0)
        return -1;
    row.account = a.id;
    if (make_deposit(am, req, d, asked, &row, err) != 0)
        return -1;
    *ret_number = row.id;
    return 0;
}

int am_deposit(struct am *am, const struct am_request *req, const struct am_deposit *d,
    int64_t *ret_number, struct err *err)
{
    struct strbuf asked = {0};
    int64_t number = 0;
    int result;

    if (store_step_begin(am->store, err) != 0)
        return -1;
    strbuf_printf(&asked,
        "deposit %" PRId64 " in %s, limit %" PRId64 ", from %" PRId64 " to %" PRId64
        "%s, '%s', only '%s'",
        d->amount, d->account, d->credit_limit, d->from_at, d->to_at,
        d->carry_debt ? ", debts paid" : "", d->label ? d->label : "",
        d->only ? d->only : "");
    result = book_deposit(am, req, d, asked.text, &number, err);
    free(asked.text);
    result = step_end(am, result, err);
    if (result == AM_DONE && ret_number)
        *ret_number = number;
    return result;
}

struct taking {
    const char *account;
    int64_t deposit; /* of it alone; 0 = of all */
    int64_t amount, at;
};

/* Where it comes from, of what is available in the account itself. AM_REFUSED = it is
 * not there. */
static int find_own(
    struct am *am, const struct taking *t, struct pieces *ret, struct err *err)
{
    const struct purse_ask ask = {.at = t->at, .own = true};
    struct found_account a;
    struct purse purse;
    int result;

    if (amount_valid(t->amount, 1, err) != 0
        || account_find(am, t->account, NULL, &a, err) != 0)
        return -1;
    a.active = true; /* what is in a closed account can be taken out of it */
    result = purse_load(am, &a, &ask, &purse, err);
    for (size_t i = purse.n; t->deposit && i-- > 0;)
        if (purse.v[i].id != t->deposit)
            vec_remove(&purse, i);
    if (result == 0 && t->deposit && purse.n == 0)
        result = err_set(err, ERR_NOT_FOUND,
            "account %s has no deposit %lld that can be used now", t->account,
            (long long)t->deposit);
    else if (result == 0 && purse_available(&purse) < t->amount)
        result = refuse_funds(am, t->account, &purse, t->amount, err);
    else if (result == 0)
        purse_spread(&purse, t->amount, ret);
    vec_fini(&purse);
    return result;
}

static int book_withdrawal(struct am *am, struct posting *p,
    const struct pieces *pieces, int64_t amount, struct err *err)
{
    if (posting_begin(am, p, err) != 0)
        return -1;
    for (size_t i = 0; i < pieces->n; i++)
        posting_take(p, &pieces->v[i]);
    posting_add(p, "grant", 0, 0, amount);
    return posting_end(am, p, AM_DONE, err);
}

int am_withdraw(struct am *am, const struct am_request *req, const char *account,
    int64_t number, int64_t amount, struct err *err)
{
    const struct taking taking = {account, number, amount, req->at};
    struct strbuf asked = {0};
    struct pieces pieces = {0};
    struct posting p;
    int64_t txn;
    int result;

    if (store_step_begin(am->store, err) != 0)
        return -1;
    strbuf_printf(&asked, "withdraw %" PRId64 " of %s, deposit %" PRId64, amount,
        account, number);
    result = request_known(am, req, asked.text, &txn, err);
    if (result == 0) {
        p = posting_of(req, "withdraw", asked.text);
        result = find_own(am, &taking, &pieces, err);
        if (result == 0)
            result = book_withdrawal(am, &p, &pieces, amount, err);
    } else if (result > 0) {
        result = AM_DONE;
    }
    vec_fini(&pieces);
    free(asked.text);
    return step_end(am, result, err);
}

static int sum_own(struct am *am, const struct am_request *req, const char *account,
    int64_t *ret_id, int64_t *ret, struct err *err)
{
    const struct purse_ask ask = {.at = req->at, .own = true};
    struct found_account a;
    struct purse purse;
    int result;

    *ret = 0;
    if (account_find(am, account, NULL, &a, err) != 0
        || account_usable(&a, account, NULL, err) != 0)
        return -1;
    *ret_id = a.id;
    result = purse_load(am, &a, &ask, &purse, err);
    for (size_t i = 0; result == 0 && i < purse.n; i++)
        *ret += purse.v[i].balance;
    vec_fini(&purse);
    return result;
}

/* Nothing moves, but the request is known from now on. */
static int book_nothing(
    struct am *am, struct posting *p, int64_t account, struct err *err)
{
    if (posting_begin(am, p, err) != 0)
        return -1;
    posting_add(p, "grant", 0, 0, 0);
    posting_add(p, "over", account, account, 0);
    return posting_end(am, p, AM_DONE, err);
}

static int reach_limit(struct am *am, const struct am_request *req,
    const struct taking *to, const char *asked, int64_t *ret_number, struct err *err)
{
    struct taking less = *to;
    struct pieces pieces = {0};
    struct posting p;
    int64_t has, account;
    int result = sum_own(am, req, to->account, &account, &has, err);

    if (result == 0 && to->amount > has) {
        const struct am_deposit d = {
            .account = to->account, .amount = to->amount - has, .to_at = AM_EVER};
        struct ledger_deposit row = {
            .account = account, .amount = d.amount, .to_at = AM_EVER, .only = ""};
        p = posting_of(req, "deposit", asked);
        if (posting_begin(am, &p, err) != 0)
            return -1;
        posting_add(&p, "grant", 0, 0, -d.amount);
        result = add_deposit(am, &p, &row, err);
        *ret_number = row.id;
        return posting_end(am, &p, result, err);
    }
    p = posting_of(req, to->amount < has ? "withdraw" : "adjust", asked);
    if (result == 0 && to->amount == has)
        return book_nothing(am, &p, account, err);
    less.amount = has - to->amount;
    if (result == 0)
        result = find_own(am, &less, &pieces, err);
    if (result == 0)
        result = book_withdrawal(am, &p, &pieces, less.amount, err);
    vec_fini(&pieces);
    return result;
}

int am_set_limit(struct am *am, const struct am_request *req, const char *account,
    int64_t amount, int64_t *ret_number, struct err *err)
{
    const struct taking to = {account, 0, amount, req->at};
    struct strbuf asked = {0};
    struct ledger_which made = {0};
    int64_t number = 0;
    int result;

    if (store_step_begin(am->store, err) != 0)
        return -1;
    strbuf_printf(&asked, "limit of %s is %" PRId64, account, amount);
    result = amount_valid(amount, 0, err) != 0
                 ? -1
                 : request_known(am, req, asked.text, &made.txn, err);
    if (result == 0)
        result = reach_limit(am, req, &to, asked.text, &number, err);
    else if (result > 0) /* the number that it answered */
        result = ledger_deposits(am->store, &made, on_number, &number, err) < 0
                     ? -1
                     : AM_DONE;
    free(asked.text);
    result = step_end(am, result, err);
    if (result == AM_DONE && ret_number)
        *ret_number = number;
    return result;
}

struct origin {
    int64_t from_at, to_at;
    char *only; /* owned */
};

static int on_origin(void *arg, const struct ledger_deposit *row)
{
    struct origin *o = arg;

    *o = (struct origin){row->from_at, row->to_at, xstrdup(row->only)};
    return 1;
}

/* What one deposit gives becomes one of the other account: for the same people, and
 * with the same dates unless others were asked for. */
static int pass_on(struct am *am, struct posting *p, const struct am_transfer *t,
    int64_t to_account, const struct piece *piece, struct err *err)
{
    const struct ledger_which from = {.id = piece->deposit};
    struct origin o = {0};
    struct ledger_deposit row = {.account = to_account,
        .amount = piece->amount,
        .from_at = t->from_at,
        .to_at = t->to_at,
        .label = p->txn.text};
    int result;

    if (ledger_deposits(am->store, &from, on_origin, &o, err) < 0)
        return -1;
    posting_take(p, piece);
    row.only = o.only;
    if (!t->dated) {
        row.from_at = o.from_at;
        row.to_at = o.to_at;
    }
    result = add_deposit(am, p, &row, err);
    free(o.only);
    return result;
}

/* Each deposit that gives some becomes one of the other account. */
static int book_transfer(struct am *am, struct posting *p, const struct am_transfer *t,
    int64_t to_account, const struct pieces *pieces, struct err *err)
{
    int result = posting_begin(am, p, err);

    for (size_t i = 0; result == 0 && i < pieces->n; i++)
        result = pass_on(am, p, t, to_account, &pieces->v[i], err);
    return posting_end(am, p, result, err);
}

static int check_transfer(struct am *am, const struct am_request *req,
    const struct am_transfer *t, struct found_account *to, struct err *err)
{
    if (t->dated && dates_valid(req->at, t->from_at, t->to_at, err) != 0)
        return -1;
    if (strcmp(t->from, t->to) == 0)
        return err_set(err, ERR_INVALID, "from %s to itself nothing moves", t->from);
    return account_find(am, t->to, NULL, to, err) != 0
                   || account_usable(to, t->to, NULL, err) != 0
               ? -1
               : 0;
}

int am_transfer(struct am *am, const struct am_request *req,
    const struct am_transfer *t, struct err *err)
{
    const struct taking taking = {t->from, 0, t->amount, req->at};
    struct strbuf asked = {0};
    struct pieces pieces = {0};
    struct found_account to = {0};
    struct posting p;
    int64_t txn;
    int result;

    if (!t->from || !t->to)
        return err_set(err, ERR_INVALID, "a transfer needs two accounts");
    if (store_step_begin(am->store, err) != 0)
        return -1;
    strbuf_printf(
        &asked, "transfer %" PRId64 " from %s to %s, ", t->amount, t->from, t->to);
    if (t->dated)
        strbuf_printf(&asked, "from %" PRId64 " to %" PRId64, t->from_at, t->to_at);
    else
        strbuf_add(&asked, "dates as they are");
    result = request_known(am, req, asked.text, &txn, err);
    if (result == 0) {
        p = posting_of(req, "transfer", asked.text);
        result = check_transfer(am, req, t, &to, err);
        if (result == 0)
            result = find_own(am, &taking, &pieces, err);
        if (result == 0)
            result = book_transfer(am, &p, t, to.id, &pieces, err);
    } else if (result > 0) {
        result = AM_DONE;
    }
    vec_fini(&pieces);
    free(asked.text);
    return step_end(am, result, err);
}

/* ---- the end of deposits -------------------------------------------------------- */

int expire_rest(struct am *am, int64_t number, int64_t at, struct err *err)
{
    struct posting p = {.txn = {.at = at, .kind = "expire"}};
    struct found_deposit d;
    int64_t rest;

    if (deposit_find(am, number, &d, err) != 0)
        return -1;
    rest = d.balance - d.held;
    if (!d.ended || rest <= 0)
        return 0;
    if (posting_begin(am, &p, err) != 0)
        return -1;
    posting_add(&p, "deposit", d.id, d.account, -rest);
    posting_add(&p, "expired", d.account, d.account, rest);
    return posting_end(am, &p, AM_DONE, err);
}

struct due {
    int64_t id, to_at;
};
struct dues VEC(struct due);

static int on_due(void *arg, const struct ledger_deposit *row)
{
    struct dues *dues = arg;

    vec_push(dues, ((struct due){row->id, row->to_at}));
    return 0;
}

static int end_due(struct am *am, int64_t now, struct err *err)
{
    const struct ledger_which which = {.due_at = now};
    struct dues dues = {0};
    int result = ledger_deposits(am->store, &which, on_due, &dues, err);

    if (result == 0 && dues.n) {
        result = store_step_begin(am->store, err);
        for (size_t i = 0; result == 0 && i < dues.n; i++)
            result = ledger_end_deposit(am->store, dues.v[i].id, err) != 0
                             || expire_rest(am, dues.v[i].id, dues.v[i].to_at, err) != 0
                         ? -1
                         : 0;
        result = step_end(am, result, err);
    }
    vec_fini(&dues);
    return result;
}

int am_tick(struct am *am, int64_t now, struct err *err)
{
    int64_t before = am->ticked_at;

    am->ticked_at = now;
    if (before == 0 || now < before || now - before > CLOCK_JUMP)
        am->sane_at = now;
    return now - am->sane_at >= CLOCK_JUMP ? end_due(am, now, err) : 0;
}
