/* SPDX-License-Identifier: Apache-2.0
 * What there is, and where it went. */
#include "am/private.h"

/* ---- balances ------------------------------------------------------------------- */

/* Limits of many deposits may come to more than what is counted: as much as fits. */
static void add_limit(int64_t *sum, int64_t more)
{
    if (__builtin_add_overflow(*sum, more, sum))
        *sum = INT64_MAX;
}

static void sum_purse(
    const struct purse *p, int64_t own_account, struct am_balance *ret)
{
    struct purse own = {0};

    for (size_t i = 0; i < p->n; i++) {
        ret->balance += p->v[i].balance;
        add_limit(&ret->credit_limit, p->v[i].credit_limit);
        if (p->v[i].account == own_account)
            vec_push(&own, p->v[i]);
    }
    ret->held = purse_held(p);
    ret->available = purse_available(p);
    ret->own_available = purse_available(&own);
    vec_fini(&own);
}

int am_balance(struct am *am, const char *account, const struct am_use *use, int64_t at,
    struct am_balance *ret, struct err *err)
{
    struct am_balance b = {0};
    const struct purse_ask ask = {.use = use, .at = at};
    struct found_account a;
    struct purse purse;
    int64_t debts;
    int result;

    if (account_find(am, account, use, &a, err) != 0
        || ledger_balance(am->store, "over", a.id, &b.owed, err) != 0
        || ledger_debts(am->store, a.id, &debts, err) != 0)
        return -1;
    b.owed += debts;
    result = purse_load(am, &a, &ask, &purse, err);
    if (result == 0) {
        sum_purse(&purse, a.id, &b);
        *ret = b;
    }
    vec_fini(&purse);
    return result;
}

/* ---- statements ----------------------------------------------------------------- */

static int sum_up(struct am *am, const struct am_period *of, int64_t account,
    struct am_statement *ret, struct err *err)
{
    struct ledger_which before = {.account = account, .to_at = of->from_at};
    struct ledger_which within = {
        .account = account, .from_at = of->from_at, .to_at = of->to_at};
    struct ledger_sums b, w;

    if (ledger_sum_moves(am->store, &before, &b, err) != 0
        || ledger_sum_moves(am->store, &within, &w, err) != 0)
        return -1;
    *ret = (struct am_statement){.opening = b.credits - b.debits,
        .credits = w.credits,
        .debits = w.debits,
        .closing = b.credits - b.debits + w.credits - w.debits};
    return 0;
}

struct page {
    int64_t left; /* moves that may still be told; < 0 = all */
    struct am_statement *ret;
    ledger_leg_fn *each;
    void *arg;
};

static int on_move(void *arg, const struct ledger_leg *leg, const struct ledger_txn *of)
{
    struct page *p = arg;

    if (p->left == 0) {
        p->ret->more = true;
        return 1;
    }
    p->left -= p->left > 0;
    p->ret->last = (struct ledger_spot){of->at, leg->txn, leg->n};
    return p->each(p->arg, leg, of);
}

int am_statement(struct am *am, const struct am_period *of, struct am_statement *ret,
    ledger_leg_fn *each, void *arg, struct err *err)
{
    struct page page = {.left = of->most > 0 ? of->most : -1, ret, each, arg};
    struct ledger_which which = {
        .from_at = of->from_at, .to_at = of->to_at, .after = of->after};
    struct found_account a;

    if (of->from_at > of->to_at)
        return err_set(err, ERR_INVALID, "a statement ends before it begins");
    if (account_find(am, of->account, NULL, &a, err) != 0
        || sum_up(am, of, a.id, ret, err) != 0)
        return -1;
    which.account = a.id;
    if (!each || of->to_at == 0)
        return 0;
    int result = ledger_moves(am->store, &which, on_move, &page, err);
    return ret->more ? 0 : result;
}
