/* SPDX-License-Identifier: Apache-2.0
 * The allocation manager's ledger as tables: rows in, rows out. What the rows mean and
 * when they are written is the allocation manager's (am/am.h); that they hold together
 * is asked by ledger_check().
 *
 *     account chem     deposit 1 of chem     run 7.0 --lien--> 100 on deposit 1
 *        |                  |
 *     txn 12 "charge" --- leg 0  deposit 1     -100
 *                    `--- leg 1  usage chem    +100     the legs of a txn come to 0
 *
 * Transactions and legs are only ever added: the file itself refuses to change or
 * remove them. Amounts are 1/1000 credit. Changes are part of the batch as all others.
 * Texts of rows: NULL is stored as ""; those given to a callback live until it returns.
 * Instants: seconds since 1970, INT64_MAX = for ever. */
#ifndef MAUI_STORE_LEDGER_H
#define MAUI_STORE_LEDGER_H

#include "store/store.h"

#include <stddef.h>

struct ledger_account {
    int64_t id; /* 0 = a new one */
    const char *name;
    int64_t parent;   /* 0 = none */
    bool overflow;    /* may draw on its parent */
    bool active;      /* removed otherwise: names are never used again */
    int64_t share;    /* of what is deposited with the parent, in millionths */
    const char *only; /* who may charge it (funds/only.h); "" = all */
};

struct ledger_deposit {
    int64_t id, account, txn; /* txn: by which it was made */
    int64_t amount;           /* at first */
    int64_t credit_limit;
    int64_t from_at, to_at;
    int64_t held; /* by liens */
    bool ended;   /* its end has come: never to be used by others than its liens */
    const char *label, *only;
    int64_t balance; /* read only: the sum of its legs */
};

struct ledger_txn {
    int64_t id, at;
    const char *kind;    /* "deposit", "charge", .. */
    const char *run;     /* of which job, if any */
    const char *request; /* by which it is known again; "" = by itself */
    const char *asked;   /* what that request was, in canonical words */
    const char *who, *text;
    const char *whose; /* read only, of legs: user of its run; "" = none */
};

struct ledger_leg {
    int64_t txn, n;
    const char *place; /* "grant", "deposit", "usage", "expired", "over" */
    int64_t of;        /* number of the deposit or account; 0 */
    int64_t account;   /* that it concerns; 0 = none */
    int64_t amount;
    int64_t booked_at; /* `at` of its transaction */
};

/* A place in the order of a statement. */
struct ledger_spot {
    int64_t at, txn, n;
};

struct ledger_run {
    const char *run;
    int64_t account;
    int64_t since_at, until_at; /* start; latest end as planned, then the end */
    bool open;
    int64_t most;      /* that it can come to: what its lien is for */
    const char *rates; /* at its start */
    int64_t charged, refunded;
    const char *text; /* what the charge is made of */
    const char *user; /* whose it is; the same as long as it has usage */
};

struct ledger_lien {
    const char *run;
    int64_t n; /* order of placing */
    int64_t deposit, amount;
    int64_t account; /* read only: of the deposit */
};

struct ledger_quote {
    int64_t id;
    const char *request, *asked;
    int64_t account;
    const char *rates;
    int64_t amount, until_at, uses; /* uses: that are left */
    const char *job;                /* "" = whoever names it */
    const char *users; /* read only: jobs that have used it, as "7 9"; "" = none */
};

/* ---- writing -------------------------------------------------------------------- */

/* New with id 0, which is filled in; else in place of the old one. */
int ledger_put_account(struct store *s, struct ledger_account *row, struct err *err);
int ledger_put_quote(struct store *s, struct ledger_quote *row, struct err *err);
int ledger_put_run(struct store *s, const struct ledger_run *row, struct err *err);
/* id is filled in. */
int ledger_add_deposit(struct store *s, struct ledger_deposit *row, struct err *err);
int ledger_add_txn(struct store *s, struct ledger_txn *row, struct err *err);
/* The balance of its place follows. */
int ledger_add_leg(struct store *s, const struct ledger_leg *row, struct err *err);
/* So much more (less: < 0) of the deposit is kept for the run; a lien of 0 is gone.
 * `n`: its place in the order if it is new. */
int ledger_hold(struct store *s, const struct ledger_lien *more, struct err *err);
int ledger_end_deposit(struct store *s, int64_t deposit, struct err *err);
/* The run is the first of its job to use the quote: one use less is left. Has it no job
 * (NULL), nobody will be known by it again. */
int ledger_use_quote(
    struct store *s, int64_t quote, const char *job, const char *run, struct err *err);
/* The run came to nothing: the use that it took is left again. */
int ledger_give_quote_back(struct store *s, const char *run, struct err *err);

/* ---- reading -------------------------------------------------------------------- */

/* Callbacks as store_account_fn. A zeroed filter lets everything pass; rows come by
 * their numbers unless told otherwise. */
struct ledger_which {
    const char *name, *run, *request; /* NULL = any */
    const char *job;                  /* runs whose names begin with that: "7.r3" */
    int64_t id, account, parent, txn; /* 0 = any */
    int64_t due_at;         /* deposits that have ended by then, and not yet */
    int64_t good_at;        /* quotes that can be used at that instant */
    int64_t kept_at;        /* quotes that have not expired by then, used up or not */
    bool open;              /* runs that go on */
    bool live;              /* deposits that have not ended, or have liens */
    int64_t from_at, to_at; /* transactions at or after, before; 0 = all */
    /* Of a list in pages: accounts by their numbers, deposits by accounts, quotes by
     * their ends; those behind that one, 0 = from the first on. Time in proportion to
     * the rows that are told: `each` returns 1 to stop. */
    bool paged;
    int64_t behind;
    struct ledger_spot after; /* legs behind that one; txn 0 = all */
};

typedef int ledger_account_fn(void *arg, const struct ledger_account *row);
typedef int ledger_deposit_fn(void *arg, const struct ledger_deposit *row);
typedef int ledger_txn_fn(void *arg, const struct ledger_txn *row);
typedef int ledger_leg_fn(
    void *arg, const struct ledger_leg *row, const struct ledger_txn *of);
typedef int ledger_run_fn(void *arg, const struct ledger_run *row);
typedef int ledger_lien_fn(void *arg, const struct ledger_lien *row);
typedef int ledger_quote_fn(void *arg, const struct ledger_quote *row);

int ledger_accounts(struct store *s,
    const struct ledger_which *which, /* name id parent paged */
    ledger_account_fn *each, void *arg, struct err *err);
int ledger_deposits(struct store *s,
    const struct ledger_which *which,                     /* id account txn paged */
    ledger_deposit_fn *each, void *arg, struct err *err); /* due_at: by their end */
int ledger_txns(struct store *s, const struct ledger_which *which, /* request run */
    ledger_txn_fn *each, void *arg, struct err *err);
/* With their transactions: of a run (run), as they were booked. */
int ledger_legs(struct store *s, const struct ledger_which *which, ledger_leg_fn *each,
    void *arg, struct err *err);
/* What went in and out of an account's deposits, debts without one included, by instant
 * (account from_at to_at after). Time in proportion to the rows that are told. */
int ledger_moves(struct store *s, const struct ledger_which *which, ledger_leg_fn *each,
    void *arg, struct err *err);
/* The same legs of all accounts, of transactions behind that number, as they were
 * booked; `request` of the transaction is the account's name. Time in proportion to the
 * rows that are told: `each` returns 1 to stop. */
int ledger_since(
    struct store *s, int64_t txn, ledger_leg_fn *each, void *arg, struct err *err);
/* What a user used. */
struct ledger_usage {
    const char *account; /* its name, in ledger_usage_since(); else "" */
    const char *user;    /* whose runs; "" = not known */
    int64_t charged, refunded;
    int64_t runs; /* that were charged for the first time */
    int64_t last; /* transaction */
};
/* Of an account (account, from_at, to_at 0 = all), of all users or of this one (NULL),
 * in turns, between which anything may be booked: the whole is as of the last turn in
 * which there were charges to be read. Time of a turn in proportion to `rows` and to
 * what was booked since the one before, of all of them to days times users, and to the
 * charges of two days. */
struct ledger_usage_walk;
struct ledger_usage_walk *ledger_usage_begin(
    const struct ledger_which *which, const char *user);
/* One turn. 1: there is more to do, 0: it is done, -1: it failed. */
int ledger_usage_some(
    struct store *s, struct ledger_usage_walk *w, int64_t rows, struct err *err);
/* Once it is done: the users in order; they live as long as the walk. O(1). */
const struct ledger_usage *ledger_usage_rows(
    const struct ledger_usage_walk *w, size_t *ret_n);
void ledger_usage_end(struct ledger_usage_walk *w); /* NULL is allowed */
typedef int ledger_usage_fn(void *arg, const struct ledger_usage *row);
/* What was used of all accounts by transactions behind that one (txn, from_at, to_at 0
 * = all), by account and user. Of `most` legs, those of the last transaction whole:
 * *ret_next is where to go on, 0 = that was all. Time in proportion to those. */
int ledger_usage_since(struct store *s, const struct ledger_which *which, int64_t most,
    int64_t *ret_next, ledger_usage_fn *each, void *arg, struct err *err);
/* Those sums (account from_at to_at; to_at 0 = nothing). Time in proportion to the
 * days, and to the moves of two of them. */
struct ledger_sums {
    int64_t credits, debits;
};
int ledger_sum_moves(struct store *s, const struct ledger_which *which,
    struct ledger_sums *ret, struct err *err);
/* Below 0: what deposits of the account lack that have ended. */
int ledger_debts(struct store *s, int64_t account, int64_t *ret, struct err *err);
int ledger_runs(struct store *s, const struct ledger_which *which, /* run job open */
    ledger_run_fn *each, void *arg, struct err *err);
/* Of a run, in the order of placing. */
int ledger_liens(
    struct store *s, const char *run, ledger_lien_fn *each, void *arg, struct err *err);
int ledger_quotes(struct store *s,
    const struct ledger_which *which, /* id request good_at kept_at paged */
    ledger_quote_fn *each, void *arg, struct err *err);

/* What lies at a place; 0 if nothing ever did. */
int ledger_balance(
    struct store *s, const char *place, int64_t of, int64_t *balance, struct err *err);
/* What the day of a leg that is to be added has come to, as it is written down: the
 * greater of what came in and went out, or was charged and given back; 0 of others. */
int ledger_day_most(
    struct store *s, const struct ledger_leg *leg, int64_t *ret, struct err *err);
/* How many runs have liens on one of these deposits. */
int ledger_runs_on(
    struct store *s, const int64_t *deposits, size_t n, int64_t *runs, struct err *err);

/* ---- care ----------------------------------------------------------------------- */

struct ledger_size {
    int64_t accounts, deposits, transactions, open_runs;
};
int ledger_size(struct store *s, struct ledger_size *size, struct err *err);

/* The invariants, asked of all that was ever booked: each transaction and all places
 * come to 0, balances and what liens keep are the sums of their rows, a run's charges
 * less its refunds are what its account used, days are the sums of theirs, deposits
 * that have ended are empty but for liens. Each problem is told in a sentence; returns
 * their number, or -1. */
int ledger_check(struct store *s, void (*tell)(void *arg, const char *problem),
    void *arg, struct err *err);

#endif
