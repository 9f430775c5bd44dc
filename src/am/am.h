/* SPDX-License-Identifier: Apache-2.0
 * The allocation manager: what accounts may use, in credits. Double entry, in the
 * store, as part of its batch: what belongs to one event of a job is one commit with
 * it.
 *
 *     grant --deposit--> deposit 1 of chem --charge--> usage chem
 *                            |    ^------refund------------'
 *                            |--expire--> expired chem     at its end
 *                            `~~lien~~ run 7.0: kept aside, nothing has moved
 *
 * INVARIANTS (asked of the whole ledger by ledger_check(), store/ledger.h)
 *   1. Legs of a transaction come to 0, and so do all places together.
 *   2. A balance is the sum of its legs. Liens never change one.
 *   3. What a run was charged is what was told last, however often it was told.
 *   4. A lien is on deposits that have it: without overruns, available is never below
 * 0.
 *   5. The same calls give the same ledger: instants are arguments.
 *   6. A call that is repeated changes nothing and answers the same. A run is known by
 * its name (job id and start count), what people ask for by the id of the request.
 *
 * Amounts are 1/1000 credit (funds/amount.h), instants seconds since 1970. Calls return
 * AM_DONE, AM_REFUSED (the credits are not there: `err` has the numbers) or -1 with a
 * sentence: ERR_NOT_FOUND, ERR_DENIED, ERR_INVALID, ERR_CONFLICT are about the request,
 * ERR_IO is the store's. What did not end with AM_DONE changed nothing. */
#ifndef MAUI_AM_AM_H
#define MAUI_AM_AM_H

#include "base/err.h"
#include "funds/amount.h"
#include "funds/only.h"
#include "store/ledger.h"

#include <stdbool.h>
#include <stdint.h>

#define AM_EVER INT64_MAX /* the end of what has no end */

enum { AM_DONE, AM_REFUSED };

struct am {
    struct store *store; /* borrowed */
    int64_t ticked_at;   /* the clock last time; 0 = not yet */
    int64_t sane_at;     /* since then it has gone on evenly */
};

void am_init(struct am *am, struct store *store);

/* What people ask for. The id is theirs and of this request alone: a second request
 * with it that asks for something else is ERR_CONFLICT. */
struct am_request {
    const char *id; /* not empty */
    int64_t at;
    const char *who, *text; /* for the record */
};

/* ---- accounts ------------------------------------------------------------------- */

struct am_account {
    const char *name;
    const char *parent; /* NULL = none */
    bool overflow;      /* draws on its parent when its own deposits are used up */
    bool closed;        /* nothing new is kept or deposited; what is open goes on */
    int64_t share;      /* of what its parent gets, in millionths */
    const char *only;   /* funds/only.h; NULL = for all */
};

/* The account is as described from now on, and made if it is new. Names are never given
 * again: a closed account may be opened, not made anew. Shares of the children of one
 * account come to 1 at most. */
int am_account_set(struct am *am, const struct am_account *a, struct err *err);

/* ---- credits -------------------------------------------------------------------- */

struct am_deposit {
    const char *account;
    int64_t amount;
    int64_t credit_limit;     /* so far below 0 may it go */
    int64_t from_at, to_at;   /* used in [from, to); AM_EVER */
    const char *label, *only; /* NULL = none; for all */
    bool
        carry_debt; /* first pays what the account owes from deposits that have ended */
};

/* Children with a share of this account get it as a deposit of their own, with the same
 * dates, for the same people and without a credit limit. *ret_number (NULL = not
 * wanted): the account's deposit. */
int am_deposit(struct am *am, const struct am_request *req, const struct am_deposit *d,
    int64_t *ret_number, struct err *err);

/* Take credits away that are available (up to its credit limit) in the account itself:
 * of one deposit, or (0) in the order of use. */
int am_withdraw(struct am *am, const struct am_request *req, const char *account,
    int64_t deposit, int64_t amount, struct err *err);

/* Until the account's own deposits that can be used now have so much, kept or not: the
 * difference is deposited (*ret_number, without an end; else 0) or withdrawn, of which
 * what is kept for jobs cannot be. */
int am_set_limit(struct am *am, const struct am_request *req, const char *account,
    int64_t amount, int64_t *ret_number, struct err *err);

struct am_transfer {
    const char *from, *to;
    int64_t amount;
    bool dated; /* with these dates instead of those of the deposits they come from */
    int64_t from_at, to_at;
};

/* The other account gets a deposit for each one that gave some. */
int am_transfer(struct am *am, const struct am_request *req,
    const struct am_transfer *t, struct err *err);

/* Called now and then, each iteration: the rest of deposits whose end has come expires,
 * dated by that end. A deposit that has ended stays so. Not until the clock has gone on
 * evenly for an hour: after a start, or when it was set by more than an hour or back,
 * it may be wrong, and credits would burn. Until then they are not to be used, but
 * there. */
int am_tick(struct am *am, int64_t now, struct err *err);

/* ---- runs of jobs --------------------------------------------------------------- */

struct am_lien {
    const char *run; /* "7.0": never of another start, nor of another try of it */
    const char *account;
    struct am_use use;
    int64_t most;         /* that the whole run can come to */
    int64_t at, until_at; /* its start, its latest end */
    const char *rates;    /* in force (funds/price.h) */
    int64_t quote;        /* 0 = none: its rates hold instead */
    const char *job;      /* that the quote may be for; its runs use one once in all */
    bool force;           /* it runs already: keep what there is, however little */
};

struct am_lien_answer {
    int64_t kept;    /* of `most` */
    bool quote_void; /* unknown, over, used up or another's: of no effect */
};

/* Keep the most that a run can come to, all or nothing, on deposits that are valid at
 * `at`. Told again with another amount the lien grows (all or nothing) or shrinks. A
 * run that is over stays over. `ret` may be NULL. */
int am_lien(struct am *am, const struct am_lien *l, struct am_lien_answer *ret,
    struct err *err);

struct am_charge {
    const char *run, *account; /* account: of a run without a lien */
    struct am_use use;
    int64_t total; /* all that the run has cost so far */
    int64_t at;
    bool over;        /* it has ended: what its lien still keeps is free */
    const char *text; /* what the total is made of */
};

/* The difference to what was charged before. From its lien; then from what is available
 * in the order of use; then the first of those goes below its limit; with none that is
 * valid, the lien's last; else it is owed without a deposit. Never refused. A total
 * that is less than before is given back as by a refund. */
int am_charge(struct am *am, const struct am_charge *c, struct err *err);

/* The start failed: as if it had not been asked for, but that the run is over. A use of
 * a quote that it took is left again. */
int am_release(struct am *am, const char *run, int64_t at, struct err *err);

/* So much of what the run was charged goes back to where it came from, what was taken
 * last first; or to `deposit` (0 = none). Into a deposit that has ended it expires at
 * once. More than charged less refunded: AM_REFUSED. */
int am_refund(struct am *am, const struct am_request *req, const char *run,
    int64_t amount, int64_t deposit, struct err *err);

/* What these runs were charged and have not got back, of those that are over. `req` is
 * the request of all; each is one by its id and its run. *ret_amount: in all. Repeated
 * nothing is left to give back: 0. All of them or none. */
struct am_runs {
    const char *const *v;
    size_t n;
};
int am_refund_rest(struct am *am, const struct am_request *req,
    const struct am_runs *runs, int64_t *ret_amount, struct err *err);

/* ---- quotes --------------------------------------------------------------------- */

struct am_quote {
    const char *account;
    struct am_use use;
    const char *rates; /* that are to hold */
    int64_t amount;
    int64_t until_at, uses;
    const char *job; /* NULL = of whoever names it */
};

/* Would the account have enough now? Then its rates are kept under a number. */
int am_quote(struct am *am, const struct am_request *req, const struct am_quote *q,
    int64_t *ret_number, struct err *err);

/* ---- questions ------------------------------------------------------------------ */

struct am_balance {
    int64_t balance, credit_limit, held; /* of deposits that may be used */
    int64_t available;                   /* balance + credit_limit - held */
    int64_t own_available;               /* of it, without the accounts above */
    int64_t owed; /* below 0: of deposits that have ended, and without a deposit */
};

/* What `use` (NULL = anybody: restricted deposits count as well) could use at `at`. */
int am_balance(struct am *am, const char *account, const struct am_use *use, int64_t at,
    struct am_balance *ret, struct err *err);

struct am_statement {
    int64_t opening, credits, debits, closing; /* opening + credits - debits */
    bool more;                                 /* moves that were not told */
    struct ledger_spot last;                   /* the last that was; txn 0 = none */
};

struct am_period {
    const char *account;
    int64_t from_at, to_at; /* [from, to) */
    struct ledger_spot
        after;    /* tell moves behind this one; txn 0 = from the first on */
    int64_t most; /* so many of them; 0 = all */
};

/* What went in and out of the account's deposits in the period, debts without a deposit
 * included: sums of the whole period, whatever part of it is told. `each` (NULL = sums
 * only) gets these legs with their transactions; what it returns to stop is returned.
 * Time in proportion to the days of the account and to what is told. */
int am_statement(struct am *am, const struct am_period *of, struct am_statement *ret,
    ledger_leg_fn *each, void *arg, struct err *err);

/* `maui am`: 0, 1 = a problem was found, or called wrongly. */
int am_main(int argc, char **argv);

#endif
