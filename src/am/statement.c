/* SPDX-License-Identifier: Apache-2.0
 * What there is, and where it went. */
#include "am/private.h"

#include <string.h>

/* ---- balances ------------------------------------------------------------------- */

static void sum_purse(
    const struct purse *p, int64_t own_account, struct am_balance *ret)
{
    for (size_t i = 0; i < p->n; i++) {
        ret->balance += p->v[i].balance;
        ret->credit_limit += p->v[i].credit_limit;
        ret->held += p->v[i].held;
        if (p->v[i].account == own_account)
            ret->own_available += purse_free(&p->v[i]);
    }
    ret->available = purse_available(p);
}

static int on_owed(void *arg, const struct ledger_deposit *row)
{
    if (row->ended && row->balance < 0)
        *(int64_t *)arg += row->balance;
    return 0;
}

int am_balance(struct am *am, const char *account, const struct am_use *use, int64_t at,
    struct am_balance *ret, struct err *err)
{
    struct am_balance b = {0};
    const struct purse_ask ask = {.use = use, .at = at};
    struct ledger_which which = {0};
    struct found_account a;
    struct purse purse;
    int result;

    if (account_find(am, account, use, &a, err) != 0)
        return -1;
    which.account = a.id;
    if (ledger_balance(am->store, "over", a.id, &b.owed, err) != 0
        || ledger_deposits(am->store, &which, on_owed, &b.owed, err) != 0)
        return -1;
    result = purse_load(am, &a, &ask, &purse, err);
    if (result == 0) {
        sum_purse(&purse, a.id, &b);
        *ret = b;
    }
    vec_fini(&purse);
    return result;
}

/* ---- statements ----------------------------------------------------------------- */

struct statement_reader {
    int64_t from_at;
    struct am_statement sum;
    ledger_leg_fn *each;
    void *arg;
};

static int on_leg(void *arg, const struct ledger_leg *leg, const struct ledger_txn *of)
{
    struct statement_reader *r = arg;

    if (strcmp(leg->place, "deposit") != 0 && strcmp(leg->place, "over") != 0)
        return 0;
    r->sum.closing += leg->amount;
    if (of->at < r->from_at) {
        r->sum.opening += leg->amount;
        return 0;
    }
    if (leg->amount > 0)
        r->sum.credits += leg->amount;
    else
        r->sum.debits -= leg->amount;
    return r->each ? r->each(r->arg, leg, of) : 0;
}

int am_statement(struct am *am, const struct am_period *of, struct am_statement *ret,
    ledger_leg_fn *each, void *arg, struct err *err)
{
    struct statement_reader r = {.from_at = of->from_at, .each = each, .arg = arg};
    struct ledger_which which = {.to_at = of->to_at};
    struct found_account a;
    int result;

    if (of->from_at > of->to_at)
        return err_set(err, ERR_INVALID, "a statement ends before it begins");
    if (account_find(am, of->account, NULL, &a, err) != 0)
        return -1;
    which.account = a.id;
    result = of->to_at == 0 ? 0 : ledger_legs(am->store, &which, on_leg, &r, err);
    *ret = r.sum;
    return result;
}
