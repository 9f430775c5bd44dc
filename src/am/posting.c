/* SPDX-License-Identifier: Apache-2.0
 * Transactions: put together, weighed, written. */
#include "am/private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define BALANCE_MOST INT64_C(4000000000000000000)

void am_init(struct am *am, struct store *store)
{
    *am = (struct am){.store = store};
}

void posting_add(
    struct posting *p, const char *place, int64_t of, int64_t account, int64_t amount)
{
    struct ledger_leg leg = {.n = (int64_t)p->legs.n,
        .place = place,
        .of = of,
        .account = account,
        .amount = amount};
    struct ledger_leg *last = p->legs.n ? &p->legs.v[p->legs.n - 1] : NULL;

    if (last && last->of == of && strcmp(last->place, place) == 0)
        last->amount += amount;
    else
        vec_push(&p->legs, leg);
}

void posting_take(struct posting *p, const struct piece *piece)
{
    if (piece->deposit)
        posting_add(p, "deposit", piece->deposit, piece->account, -piece->amount);
    else
        posting_add(p, "over", piece->account, piece->account, -piece->amount);
}

/* What can be counted to is far beyond what there is; a sum that is not must not wrap,
 * nor what was moved in a day. */
static int weigh_leg(struct am *am, const struct ledger_leg *leg, struct err *err)
{
    int64_t balance, sum, moved, more = leg->amount < 0 ? -leg->amount : leg->amount;

    if (ledger_balance(am->store, leg->place, leg->of, &balance, err) != 0
        || ledger_day_most(am->store, leg, &moved, err) != 0)
        return -1;
    if (moved > BALANCE_MOST - more)
        return err_set(err, ERR_INVALID,
            "%s credits were moved that day: with %s more it would be beyond what is "
            "counted, %s",
            amount_text(moved).text, amount_text(more).text,
            amount_text(BALANCE_MOST).text);
    if (__builtin_add_overflow(balance, leg->amount, &sum) || sum > BALANCE_MOST
        || sum < -BALANCE_MOST)
        return err_set(err, ERR_INVALID,
            "%s %lld has %s credits: with %s more it would be beyond what is counted, "
            "%s",
            leg->place, (long long)leg->of, amount_text(balance).text,
            amount_text(leg->amount).text, amount_text(BALANCE_MOST).text);
    return 0;
}

int posting_begin(struct am *am, struct posting *p, struct err *err)
{
    return ledger_add_txn(am->store, &p->txn, err);
}

static int write_legs(struct am *am, struct posting *p, struct err *err)
{
    int64_t sum = 0;

    for (size_t i = 0; i < p->legs.n; i++)
        sum += p->legs.v[i].amount;
    assert(sum == 0 && p->legs.n >= 2);
    for (size_t i = 0; i < p->legs.n; i++) {
        p->legs.v[i].txn = p->txn.id;
        p->legs.v[i].booked_at = p->txn.at;
        if (weigh_leg(am, &p->legs.v[i], err) != 0
            || ledger_add_leg(am->store, &p->legs.v[i], err) != 0)
            return -1;
    }
    return 0;
}

int posting_end(struct am *am, struct posting *p, int result, struct err *err)
{
    if (result == AM_DONE)
        result = write_legs(am, p, err);
    vec_fini(&p->legs);
    return result;
}

/* ---- requests ------------------------------------------------------------------- */

struct known {
    const char *asked;
    int64_t txn;
    bool same;
};

static int on_known(void *arg, const struct ledger_txn *row)
{
    struct known *k = arg;

    k->txn = row->id;
    k->same = strcmp(row->asked, k->asked) == 0;
    return 1;
}

int request_known(struct am *am, const struct am_request *req, const char *asked,
    int64_t *ret_txn, struct err *err)
{
    struct ledger_which which = {.request = req->id};
    struct known k = {.asked = asked};
    int found;

    if (!req->id || !*req->id)
        return err_set(err, ERR_INVALID,
            "a request needs an id, by which it is known when it is repeated");
    found = ledger_txns(am->store, &which, on_known, &k, err);
    if (found > 0 && !k.same)
        return err_set(err, ERR_CONFLICT,
            "request '%s' was something else (transaction %lld); each request needs an "
            "id of its own",
            req->id, (long long)k.txn);
    *ret_txn = k.txn;
    return found;
}

struct posting posting_of(
    const struct am_request *req, const char *kind, const char *asked)
{
    return (struct posting){.txn = {.at = req->at,
                                .kind = kind,
                                .request = req->id,
                                .asked = asked,
                                .who = req->who,
                                .text = req->text}};
}

int amount_valid(int64_t amount, int64_t least, struct err *err)
{
    if (amount >= least && amount <= AM_LARGEST)
        return 0;
    return err_set(err, ERR_INVALID, "%s credits: expected from %s to %s",
        amount_text(amount).text, amount_text(least).text,
        amount_text(AM_LARGEST).text);
}

int step_end(struct am *am, int result, struct err *err)
{
    struct err ended = {0};

    if (store_step_end(am->store, result == AM_DONE, &ended) != 0 && result >= 0) {
        if (err)
            *err = ended;
        return -1;
    }
    return result;
}
