/* SPDX-License-Identifier: Apache-2.0
 * A ledger for children: every thousandth of a credit is a coin that is moved by hand,
 * one at a time, each time to or from the best place of all there are. No transactions,
 * no sums beside the coins, nothing in common with src/am. */
#ifndef MAUI_TESTS_LEDGER_MODEL_H
#define MAUI_TESTS_LEDGER_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#define LM_ACCOUNTS 5 /* 1..4 are used */
#define LM_DEPOSITS 600
#define LM_RUNS     200
#define LM_COINS    4000 /* that one run may have paid */
#define LM_JOBS     70   /* three runs each */
#define LM_QUOTES   60
#define LM_USES     2000 /* that are noted */

struct lm_deposit {
    int account;
    int64_t from_at, to_at, credit_limit;
    bool of_u1; /* "user=u1" */
    bool ended;
    int64_t coins; /* less than 0: debt */
    int64_t held;
};

struct lm_run {
    bool known, open, of_u1;
    int account;
    int64_t most, charged, refunded;
    int64_t lien[LM_DEPOSITS]; /* coins kept on each deposit */
    int order[LM_DEPOSITS];    /* of placing, of those with coins */
    int paid_from[LM_COINS];   /* the deposit of each coin, 0 = owed; last paid last */
    int npaid;
    bool noted; /* something was used */
    int took;   /* the quote of which this run is the first use by its job; 0 = none */
};

struct lm_quote {
    int account, pinned; /* pinned: the job that it is for; -1 = any */
    int64_t until, uses;
    bool used[LM_JOBS];
};

/* What a run used at an instant, or got back. */
struct lm_use {
    int64_t at, charged, refunded;
    int account;
    bool of_u1, first; /* first: of its run */
};

struct lm {
    int64_t now, ticked_at, sane_at;
    int parent[LM_ACCOUNTS];
    bool overflow[LM_ACCOUNTS], closed[LM_ACCOUNTS];
    int64_t share[LM_ACCOUNTS]; /* millionths of what the parent gets */
    int64_t usage[LM_ACCOUNTS], expired[LM_ACCOUNTS], over[LM_ACCOUNTS];
    struct lm_deposit d[LM_DEPOSITS]; /* 1.. */
    int ndeposits;
    struct lm_run r[LM_RUNS];
    struct lm_quote q[LM_QUOTES]; /* 1.. */
    int nquotes;
    struct lm_use uses[LM_USES];
    int nuses;
};

/* Coins that could be used now, of the account and those it overflows into. */
int64_t lm_available(const struct lm *m, int account, bool of_u1);
/* Of the account itself, whoever they are for; of one deposit alone if not 0. */
int64_t lm_own(const struct lm *m, int account, int deposit);

void lm_tick(struct lm *m, int64_t now);
/* All true: done; false: refused, and nothing happened. */
void lm_deposit(struct lm *m, struct lm_deposit d, int64_t amount, bool carry_debt);
bool lm_withdraw(struct lm *m, int account, int deposit, int64_t amount);
bool lm_transfer(struct lm *m, int from, int to, int64_t amount);
bool lm_lien(struct lm *m, int run, int account, bool of_u1, int64_t most, bool force);
void lm_charge(
    struct lm *m, int run, int account, bool of_u1, int64_t total, bool over);
void lm_release(struct lm *m, int run);
bool lm_refund(struct lm *m, int run, int64_t amount, int to);

/* Three runs after one another are of one job. */
static inline int lm_job(int run)
{
    return (run - 1) / 3;
}

bool lm_quote(struct lm *m, struct lm_quote q, bool of_u1, int64_t amount);
/* Does the quote hold for the run, whose lien has just begun? Then it is used. */
bool lm_use_quote(struct lm *m, int run, int quote);

/* Noted in [from, to), one by one. */
struct lm_use lm_used(const struct lm *m, int account, bool of_u1, int64_t from,
    int64_t to, int *ret_runs);

#endif
