/* SPDX-License-Identifier: Apache-2.0
 * What accounts may use, as facts: a picture of the bank that decisions are made from,
 * without asking anybody. The bank tells it (funds_tell()); what is kept for runs and
 * charged since follows from the same rules as the bank's own, so that the next start
 * of the same cycle finds what is left.
 *
 *     account chem, draws on inst     deposit 1: 100,000 until March, 40,000 kept
 *                                     deposit 2:  50,000 for user ann
 *     run 7.3 of job 7                kept: 40,000 on deposit 1
 *
 * Amounts are 1/1000 credit, instants seconds since 1970. No I/O, no clock: the same
 * calls give the same picture. */
#ifndef MAUI_FUNDS_FUNDS_H
#define MAUI_FUNDS_FUNDS_H

#include "funds/only.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FUNDS_NONE UINT32_MAX

/* ---- as they are told ----------------------------------------------------------- */

struct funds_deposit {
    int64_t id;
    int64_t from_at, to_at; /* used in [from, to) */
    int64_t balance, credit_limit, held;
    const char *only; /* funds/only.h; NULL = for all */
};

/* An account with all its deposits that have not ended. */
struct funds_account {
    const char *name, *parent; /* parent: NULL = none */
    bool overflow;             /* draws on its parent */
    bool closed;               /* nothing new is kept */
    const char *only;          /* NULL = for all */
    const struct funds_deposit *deposits;
    size_t n;
};

/* So much of a deposit is kept for a run. */
struct funds_lien {
    int64_t deposit, amount;
};

/* A run was to leave its nodes, and nobody had said by then that it has. */
struct funds_leave {
    int64_t at; /* that was decided then; 0 = it was not, or nobody noted it */
    int64_t cost, seconds; /* until then */
    bool lost;             /* one of its nodes was down */
    bool displaced;   /* it is to make room for another job, whether noted or not */
    const char *text; /* what the cost is made of; NULL */
};

/* A run that was open when it was told. */
struct funds_run {
    const char *run, *job, *account;
    const char *rates; /* of its start; NULL */
    int64_t most, charged;
    int64_t noted; /* a reservation's: what it had cost by then, charged or not */
    int64_t since_at, until_at; /* its start, its latest end as it was planned */
    bool elsewhere;             /* another bank charges it */
    bool unsent;                /* nobody had been told to start it by then */
    struct funds_leave leave;
    const struct funds_lien *liens;
    size_t n;
};

/* A run is over, nobody saw it end, but the accounting of jobs has it. */
struct funds_end {
    const char *run;
    int64_t at;
    bool success;
};

/* Rates that were promised; such a quote replaces the one of its number. */
struct funds_quote {
    int64_t number;
    const char *account;
    const char *rates; /* and for whom: policy/bank.h */
    int64_t until_at, uses;
    const char *job;   /* NULL = of whoever names it */
    const char *users; /* jobs that have used it, as "7 9"; NULL = none */
};

/* Is the job among those? */
bool funds_has_user(const char *users, const char *job);

struct funds_facts {
    const struct funds_account *accounts; /* in place of those of the same name */
    size_t n;
    const struct funds_run *runs; /* at the begin of a life; later none */
    size_t nruns;
    uint64_t runs_ever; /* with `runs`: names of later ones count on from that */
    bool known;         /* all jobs are: runs of which nobody knows the job are over */
    int64_t seen_at;    /* with `known`: when the scheduler last looked at those, */
    const struct funds_end *ends; /* and how some of them have ended */
    size_t nends;
    const struct funds_quote *quotes;
    size_t nquotes;
};

/* ---- the picture ---------------------------------------------------------------- */

struct funds;

struct funds *funds_create(void);
void funds_destroy(struct funds *f); /* NULL is allowed */

/* All is copied. O(what is told). */
void funds_tell(struct funds *f, const struct funds_facts *facts);
/* Quotes that had expired by then are not known any more. O(quotes). */
void funds_forget_quotes(struct funds *f, int64_t by);

/* FUNDS_NONE: the bank does not know it. O(1). */
uint32_t funds_account(const struct funds *f, const char *name);
const char *funds_account_name(const struct funds *f, uint32_t account);
uint32_t funds_accounts(const struct funds *f); /* how many */
/* As it would be told now; borrowed until the next call that changes something. */
struct funds_account funds_account_now(const struct funds *f, uint32_t account);

enum funds_answer {
    FUNDS_ENOUGH,
    FUNDS_SHORT,     /* `left` says by how much */
    FUNDS_CLOSED,    /* the account is closed */
    FUNDS_FORBIDDEN, /* it is for others */
    FUNDS_UNUSABLE   /* it has no deposit that could be used now */
};

/* What `use` (NULL = anybody: what is for some counts too) may use of the account, and
 * of those that it draws on, at `at`. */
struct funds_left {
    int64_t available; /* balance + credit limit - held */
    int64_t held;      /* by liens */
};
enum funds_answer funds_ask(const struct funds *f, uint32_t account,
    const struct am_use *use, int64_t at, int64_t amount, struct funds_left *ret);

/* May something new be charged to the account by `use`? Whether it has the credits is
 * another question. */
bool funds_admits(const struct funds *f, uint32_t account, const struct am_use *use);

/* How many runs have liens on deposits of the account, or of those above it. O(accounts
 * above it); O(open runs) the first time after something was kept or let go. */
uint32_t funds_runs_on(const struct funds *f, uint32_t account);

/* The next instant after `now` at which a deposit begins or ends; INT64_MAX = never.
 * O(deposits). */
int64_t funds_next_change(const struct funds *f, int64_t now);

/* ---- runs of jobs --------------------------------------------------------------- */

/* Open runs have numbers: those of runs that are over are used again. */

/* Runs that were told are strangers until somebody knows their job. The one of those
 * that the job is on nodes with since `start_at`: a later one had not begun by then,
 * and one that was to leave before has left. FUNDS_NONE. */
uint32_t funds_strange_run_of(const struct funds *f, const char *job, int64_t start_at);
/* The one that nobody had been told to start. FUNDS_NONE. */
uint32_t funds_unsent_run_of(const struct funds *f, const char *job);
bool funds_is_strange(const struct funds *f, uint32_t run);
void funds_adopt(struct funds *f, uint32_t run);
const char *funds_run_name(const struct funds *f, uint32_t run);
uint32_t funds_run_account(const struct funds *f, uint32_t run);
int64_t funds_run_most(const struct funds *f, uint32_t run);
const char *funds_run_rates(const struct funds *f, uint32_t run); /* as told; NULL */
int64_t funds_run_since(const struct funds *f, uint32_t run);     /* 0: opened here */
int64_t funds_run_kept(const struct funds *f, uint32_t run);
int64_t funds_run_charged(const struct funds *f, uint32_t run);
/* As told, or what was charged where that is more. */
int64_t funds_run_noted(const struct funds *f, uint32_t run);
bool funds_run_is_elsewhere(const struct funds *f, uint32_t run);
bool funds_run_is_unsent(const struct funds *f, uint32_t run); /* as told */
/* As told; borrowed until the run is closed. */
const struct funds_leave *funds_run_leave(const struct funds *f, uint32_t run);
/* When it was told, what of `most` it had come to by `at`: its time beside that until
 * its latest end. 0 of one that was opened here. */
int64_t funds_run_come_to(const struct funds *f, uint32_t run, int64_t at);
uint32_t funds_open_runs(const struct funds *f); /* how many */
/* The first open run from number `from` on, or FUNDS_NONE. */
uint32_t funds_next_run(const struct funds *f, uint32_t from);
const char *funds_run_job(const struct funds *f, uint32_t run);

/* Runs of reservations (engine/charging/rent.h) are of a job by this name. */
#define FUNDS_RENT "rsv:"
bool funds_is_rent(const struct funds *f, uint32_t run);

uint64_t funds_runs_ever(const struct funds *f);

/* A new run of the job; nothing is kept for it yet. */
uint32_t funds_open(struct funds *f, const char *job, uint32_t account);
/* The same of an account that a bank elsewhere has, whatever it is called: nothing of
 * the run is kept or charged here, and the account is no better known than before. */
uint32_t funds_open_elsewhere(struct funds *f, const char *job, const char *account);

struct funds_use {
    const struct am_use *use;
    int64_t at;
};

/* Keep up to `most` less what was charged; what lacks is left out. *ret_all: nothing
 * lacks. */
void funds_keep(struct funds *f, uint32_t run, const struct funds_use *by, int64_t most,
    bool *ret_all);

/* The run has cost so much in all: the difference goes from what is kept, then from
 * what is available, then from the first deposit in order. Less than before: it comes
 * back, what was taken last first, and is kept for the run again. */
void funds_charge(
    struct funds *f, uint32_t run, const struct funds_use *by, int64_t total);

/* It is over: nothing is kept for it any more. */
void funds_close(struct funds *f, uint32_t run);

/* NULL: the bank told of none of that number. Borrowed until the next call that changes
 * something. O(log quotes). */
const struct funds_quote *funds_quote(const struct funds *f, int64_t number);
/* A run of the job began with its rates. True: the job had not used it before, and one
 * use less is left. */
bool funds_use_quote(struct funds *f, int64_t number, const char *job);
/* That run, for which it was true, came to nothing. */
void funds_give_quote_back(struct funds *f, int64_t number, const char *job);

/* Assert that what is kept of each deposit is the sum of what runs keep of it, and that
 * counts are right. For tests. O(deposits x runs). */
void funds_check(const struct funds *f);

#endif
