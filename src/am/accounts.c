/* SPDX-License-Identifier: Apache-2.0
 * Accounts, what is above them, and the deposits one may use. */
#include "am/private.h"
#include "base/nearest.h"
#include "funds/price.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MOST 1000 /* a damaged file may have circles */

/* ---- found by name -------------------------------------------------------------- */

struct account_reader {
    const struct am_use *use;
    struct found_account *ret;
};

static int on_account(void *arg, const struct ledger_account *row)
{
    struct account_reader *r = arg;

    *r->ret = (struct found_account){.id = row->id,
        .parent = row->parent,
        .share = row->share,
        .overflow = row->overflow,
        .active = row->active,
        .admits = !r->use || only_admits(row->only, r->use)};
    return 1;
}

struct names VEC(char *);

static int on_name(void *arg, const struct ledger_account *row)
{
    struct names *names = arg;

    vec_push(names, xstrdup(row->name));
    return 0;
}

static int refuse_unknown(struct am *am, const char *name, struct err *err)
{
    const struct ledger_which all = {0};
    struct names names = {0};
    struct nearest near;
    const char *best;
    int result = ledger_accounts(am->store, &all, on_name, &names, err);

    nearest_init(&near, name);
    for (size_t i = 0; i < names.n; i++)
        nearest_offer(&near, names.v[i]);
    best = nearest_best(&near);
    if (result == 0)
        result = best ? err_set(err, ERR_NOT_FOUND,
                     "no account '%s'; did you mean '%s'?", name, best)
                      : err_set(err, ERR_NOT_FOUND, "no account '%s'", name);
    for (size_t i = 0; i < names.n; i++)
        free(names.v[i]);
    vec_fini(&names);
    return result;
}

int account_by_id(struct am *am, int64_t id, struct found_account *ret, struct err *err)
{
    const struct ledger_which which = {.id = id};
    struct account_reader reader = {NULL, ret};
    int found = ledger_accounts(am->store, &which, on_account, &reader, err);

    if (found == 0)
        return err_set(err, ERR_IO, "no account of number %lld", (long long)id);
    return found < 0 ? -1 : 0;
}

int account_find(struct am *am, const char *name, const struct am_use *use,
    struct found_account *ret, struct err *err)
{
    const struct ledger_which which = {.name = name};
    struct account_reader reader = {use, ret};
    int found;

    if (!name) /* no name would be any */
        return err_set(err, ERR_INVALID, "account: which one?");
    found = ledger_accounts(am->store, &which, on_account, &reader, err);
    return found == 0 ? refuse_unknown(am, name, err) : found < 0 ? -1 : 0;
}

int account_usable(const struct found_account *a, const char *name,
    const struct am_use *use, struct err *err)
{
    if (!a->active)
        return err_set(err, ERR_CONFLICT, "account %s is closed", name);
    if (!a->admits)
        return err_set(err, ERR_DENIED, "account %s is not for user %s%s%s", name,
            use->user ? use->user : "(unknown)", use->class ? " in class " : "",
            use->class ? use->class : "");
    return 0;
}

/* ---- made and changed ----------------------------------------------------------- */

static int refuse_circle(
    struct am *am, const char *name, int64_t account, int64_t parent, struct err *err)
{
    struct found_account above = {.parent = parent};

    for (int depth = 0; above.parent != 0; depth++) {
        if (above.parent == account || depth > DEPTH_MOST)
            return err_set(err, ERR_INVALID, "account %s would be above itself", name);
        if (account_by_id(am, above.parent, &above, err) != 0)
            return -1;
    }
    return 0;
}

struct shares {
    int64_t of_others, except; /* the account that is about to have another share */
};

static int on_share(void *arg, const struct ledger_account *row)
{
    struct shares *s = arg;

    if (row->id != s->except)
        s->of_others += row->share;
    return 0;
}

static int refuse_share(struct am *am, const struct am_account *a, int64_t account,
    int64_t parent, struct err *err)
{
    const struct ledger_which children = {.parent = parent};
    struct shares s = {.except = account};

    if (a->share < 0 || a->share > PRICE_ONE || (a->share > 0 && parent == 0))
        return err_set(err, ERR_INVALID,
            "account %s: expected a share from 0 to 1 of what its parent gets",
            a->name);
    if (a->share == 0)
        return 0;
    if (ledger_accounts(am->store, &children, on_share, &s, err) != 0)
        return -1;
    if (s.of_others + a->share > PRICE_ONE)
        return err_set(err, ERR_INVALID,
            "account %s: a share of %.6f is too much, %.6f of what %s gets is left",
            a->name, (double)a->share / PRICE_ONE,
            (double)(PRICE_ONE - s.of_others) / PRICE_ONE, a->parent);
    return 0;
}

static int set_account(struct am *am, const struct am_account *a, struct err *err)
{
    const struct ledger_which which = {.name = a->name};
    struct found_account old = {0}, parent = {0};
    struct account_reader reader = {NULL, &old};
    struct ledger_account row = {.name = a->name,
        .overflow = a->overflow,
        .active = !a->closed,
        .share = a->share,
        .only = a->only};

    if (!a->name || !*a->name || strpbrk(a->name, " \t\n,="))
        return err_set(err, ERR_INVALID,
            "'%s': expected a name without blanks, commas and =",
            a->name ? a->name : "");
    if (only_valid(a->only ? a->only : "", err) != 0
        || ledger_accounts(am->store, &which, on_account, &reader, err) < 0
        || (a->parent && account_find(am, a->parent, NULL, &parent, err) != 0))
        return -1;
    row.id = old.id;
    row.parent = parent.id;
    if ((old.id && refuse_circle(am, a->name, old.id, parent.id, err) != 0)
        || refuse_share(am, a, old.id, parent.id, err) != 0)
        return -1;
    return ledger_put_account(am->store, &row, err);
}

int am_account_set(struct am *am, const struct am_account *a, struct err *err)
{
    if (store_step_begin(am->store, err) != 0)
        return -1;
    return step_end(am, set_account(am, a, err), err);
}

/* ---- deposits ------------------------------------------------------------------- */

struct deposit_reader {
    const struct purse_ask *ask;
    struct purse *purse;
    int depth;
};

static int on_usable(void *arg, const struct ledger_deposit *row)
{
    struct deposit_reader *r = arg;
    int64_t at = r->ask->at;
    struct purse_deposit d = {.id = row->id,
        .account = row->account,
        .depth = r->depth,
        .restricted = *row->only,
        .to_at = row->to_at,
        .balance = row->balance,
        .credit_limit = row->credit_limit,
        .held = row->held};

    if (!row->ended && row->from_at <= at && at < row->to_at
        && (!r->ask->use || only_admits(row->only, r->ask->use)))
        vec_push(r->purse, d);
    return 0;
}

int purse_load(struct am *am, const struct found_account *a,
    const struct purse_ask *ask, struct purse *ret, struct err *err)
{
    struct deposit_reader r = {.ask = ask, .purse = ret};
    struct found_account here = *a;

    *ret = (struct purse){0};
    for (; here.active && r.depth < DEPTH_MOST; r.depth++) {
        const struct ledger_which which = {.account = here.id, .live = true};
        if (ledger_deposits(am->store, &which, on_usable, &r, err) < 0)
            return -1;
        if (ask->own || !here.overflow || here.parent == 0)
            break;
        if (account_by_id(am, here.parent, &here, err) != 0)
            return -1;
    }
    purse_sort(ret);
    return 0;
}

static int on_deposit(void *arg, const struct ledger_deposit *row)
{
    struct found_deposit *ret = arg;

    *ret = (struct found_deposit){.id = row->id,
        .account = row->account,
        .balance = row->balance,
        .held = row->held,
        .to_at = row->to_at,
        .ended = row->ended};
    return 1;
}

int deposit_find(struct am *am, int64_t id, struct found_deposit *ret, struct err *err)
{
    const struct ledger_which which = {.id = id};
    int found = id > 0 ? ledger_deposits(am->store, &which, on_deposit, ret, err) : 0;

    if (found == 0)
        return err_set(err, ERR_NOT_FOUND, "no deposit %lld", (long long)id);
    return found < 0 ? -1 : 0;
}

static int count_runs(
    struct am *am, const struct purse *p, int64_t *ret, struct err *err)
{
    struct VEC(int64_t) ids = {0};
    int result;

    for (size_t i = 0; i < p->n; i++)
        vec_push(&ids, p->v[i].id);
    result = ledger_runs_on(am->store, ids.v, ids.n, ret, err);
    vec_fini(&ids);
    return result;
}

int refuse_funds(struct am *am, const char *name, const struct purse *p, int64_t needed,
    struct err *err)
{
    int64_t held = purse_held(p), left = purse_available(p) + held, runs = 0;

    if (held && count_runs(am, p, &runs, err) != 0)
        return -1;
    if (p->n == 0)
        err_set(err, ERR_CONFLICT,
            "needs %s credits; %s has no deposit that can be used now",
            amount_text(needed).text, name);
    else if (held == 0)
        err_set(err, ERR_CONFLICT, "needs %s credits, %s left in %s",
            amount_text(needed).text, amount_text(left).text, name);
    else
        err_set(err, ERR_CONFLICT,
            "needs %s credits, %s left in %s, %s of them kept for %lld running job%s",
            amount_text(needed).text, amount_text(left).text, name,
            amount_text(held).text, (long long)runs, runs == 1 ? "" : "s");
    return AM_REFUSED;
}
