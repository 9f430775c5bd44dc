/* SPDX-License-Identifier: Apache-2.0
 * Quotes: rates that were promised, under a number. */
#include "am/private.h"
#include "funds/funds.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- made ----------------------------------------------------------------------- */

struct known_quote {
    const char *asked;
    int64_t id;
    bool same;
};

static int on_known(void *arg, const struct ledger_quote *row)
{
    struct known_quote *k = arg;

    k->id = row->id;
    k->same = strcmp(row->asked, k->asked) == 0;
    return 1;
}

static int make_quote(struct am *am, const struct am_request *req,
    const struct am_quote *q, struct ledger_quote *row, struct err *err)
{
    const struct purse_ask now = {.use = &q->use, .at = req->at};
    struct found_account a;
    struct purse purse;
    int result;

    if (amount_valid(q->amount, 0, err) != 0)
        return -1;
    if (q->until_at <= req->at)
        return err_set(err, ERR_INVALID, "until: expected an instant after now");
    if (q->uses < 1)
        return err_set(err, ERR_INVALID, "uses: expected 1 at least");
    if (account_find(am, q->account, &q->use, &a, err) != 0
        || account_usable(&a, q->account, &q->use, err) != 0)
        return -1;
    result = purse_load(am, &a, &now, &purse, err);
    if (result == 0 && purse_available(&purse) < q->amount)
        result = refuse_funds(am, q->account, &purse, q->amount, err);
    vec_fini(&purse);
    row->account = a.id;
    return result == 0 ? ledger_put_quote(am->store, row, err) : result;
}

static int quote(struct am *am, const struct am_request *req, const struct am_quote *q,
    const char *asked, int64_t *ret_number, struct err *err)
{
    const struct ledger_which which = {.request = req->id};
    struct known_quote k = {.asked = asked};
    struct ledger_quote row = {.request = req->id,
        .asked = asked,
        .rates = q->rates,
        .amount = q->amount,
        .until_at = q->until_at,
        .uses = q->uses,
        .job = q->job};
    int result;

    if (!req->id || !*req->id)
        return err_set(err, ERR_INVALID,
            "a request needs an id, by which it is known when it is repeated");
    result = ledger_quotes(am->store, &which, on_known, &k, err);
    if (result == 1 && !k.same)
        return err_set(err, ERR_CONFLICT,
            "request '%s' was another quote (%" PRId64 "); each request needs an id of "
            "its own",
            req->id, k.id);
    *ret_number = k.id;
    if (result != 0)
        return result == 1 ? AM_DONE : -1;
    result = make_quote(am, req, q, &row, err);
    *ret_number = row.id;
    return result;
}

int am_quote(struct am *am, const struct am_request *req, const struct am_quote *q,
    int64_t *ret_number, struct err *err)
{
    struct strbuf asked = {0};
    int64_t number = 0;
    int result;

    if (store_step_begin(am->store, err) != 0)
        return -1;
    strbuf_printf(&asked,
        "quote of %" PRId64 " for %s at %s, until %" PRId64 ", %" PRId64 " uses, '%s'",
        q->amount, q->account, q->rates ? q->rates : "", q->until_at, q->uses,
        q->job ? q->job : "");
    result = quote(am, req, q, asked.text, &number, err);
    free(asked.text);
    result = step_end(am, result, err);
    if (result == AM_DONE && ret_number)
        *ret_number = number;
    return result;
}

/* ---- used ----------------------------------------------------------------------- */

struct read_quote {
    struct ledger_quote row;
    char *request, *asked, *rates, *job, *users; /* owned */
};

static int on_quote(void *arg, const struct ledger_quote *row)
{
    struct read_quote *q = arg;

    q->row = *row;
    q->row.request = q->request = xstrdup(row->request);
    q->row.asked = q->asked = xstrdup(row->asked);
    q->row.rates = q->rates = xstrdup(row->rates);
    q->row.job = q->job = xstrdup(row->job);
    q->row.users = q->users = xstrdup(row->users);
    return 1;
}

static bool is_good(
    const struct ledger_quote *q, const struct am_lien *l, int64_t account, bool used)
{
    return q->account == account && l->at < q->until_at && (used || q->uses > 0)
           && (!*q->job || (l->job && strcmp(q->job, l->job) == 0));
}

int quote_use(struct am *am, const struct am_lien *l, int64_t account, char **ret_rates,
    struct err *err)
{
    const struct ledger_which which = {.id = l->quote};
    struct read_quote q = {0};
    int found = ledger_quotes(am->store, &which, on_quote, &q, err), result = 0;

    bool used = found == 1 && funds_has_user(q.users, l->job);

    *ret_rates = NULL;
    if (found == 1 && is_good(&q.row, l, account, used)) {
        q.row.uses--;
        if (!used)
            result =
                ledger_put_quote(am->store, &q.row, err) != 0
                        || ledger_use_quote(am->store, l->quote, l->job, l->run, err)
                               != 0
                    ? -1
                    : 0;
        *ret_rates = xstrdup(q.rates);
    }
    free(q.request);
    free(q.asked);
    free(q.rates);
    free(q.job);
    free(q.users);
    return found < 0 ? -1 : result;
}
