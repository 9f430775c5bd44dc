/* SPDX-License-Identifier: Apache-2.0
 * What a bank with many transactions costs.
 *
 *     bank_bench FOLDER [RUNS [keep]]
 *
 * Makes a ledger in FOLDER of RUNS (1,000,000) charged runs of twenty accounts, three
 * seconds of the ledger's time apart, the last one now, and removes it at the end; with
 * `keep` it stays, as FOLDER/state.db, for a daemon with that folder. Each
 * figure is the middle one of many, in microseconds, first with a thousandth of the
 * runs, then with all: what matters is the ratio of the two, which does not depend on
 * the machine. Prints a line of key=value for each size:
 *
 *     balance      of one account, nothing kept in memory
 *     sums         of a statement of the last thirty days
 *     page         the same with its first 1,000 moves
 *     usage        of one account by fifty users, of all time
 *     since        1,000 moves behind one in the middle
 *     facts        all accounts and deposits, as the daemon reads them when it begins
 *     charge       a run: its lien, its charge, all in one commit of 100 */
#include "am/am.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ACCOUNTS 20
#define TRIES    51
#define AGO      2592000 /* thirty days */

struct bench {
    char path[300];
    struct store *store;
    struct am am;
    struct err err;
    int64_t now;
    long runs;
};

static double microseconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void ok(const struct bench *b, int result)
{
    if (result != AM_DONE) {
        fprintf(stderr, "bank_bench: %s\n", b->err.text);
        exit(1);
    }
}

static void name_account(char *ret, size_t size, long i)
{
    snprintf(ret, size, "account%ld", i % ACCOUNTS);
}

static void open_accounts(struct bench *b)
{
    struct am_account a = {0};
    struct am_deposit d = {.amount = INT64_C(1000000000000000), .to_at = AM_EVER};
    char name[24], id[24];

    for (int i = 0; i < ACCOUNTS; i++) {
        name_account(name, sizeof name, i);
        snprintf(id, sizeof id, "d%d", i);
        a.name = d.account = name;
        ok(b, am_account_set(&b->am, &a, &b->err));
        ok(b, am_deposit(&b->am,
                  &(struct am_request){.id = id, .at = b->now, .who = "me"}, &d, NULL,
                  &b->err));
    }
    ok(b, store_commit(b->store, &b->err));
}

static void charge_run(struct bench *b)
{
    char name[24], run[24], user[24];
    long n = b->runs++;

    b->now += 3;
    name_account(name, sizeof name, n);
    snprintf(run, sizeof run, "%ld.r%ld", n, n);
    snprintf(user, sizeof user, "user%ld", n / ACCOUNTS % 50);
    ok(b, am_lien(&b->am,
              &(struct am_lien){.run = run,
                  .account = name,
                  .use = {.user = user},
                  .most = 57600000,
                  .at = b->now,
                  .until_at = b->now + 3600,
                  .rates = "PROCS:1;"},
              NULL, &b->err));
    ok(b, am_charge(&b->am,
              &(struct am_charge){.run = run,
                  .account = name,
                  .total = 1000 * (n % 57600 + 1),
                  .at = b->now + 1,
                  .over = true,
                  .text = "16 PROCS at 1, 3600 s"},
              &b->err));
    if (b->runs % 100 == 0)
        ok(b, store_commit(b->store, &b->err));
}

static int take_leg(
    void *arg, const struct ledger_leg *leg, const struct ledger_txn *of)
{
    (void)leg;
    (void)of;
    ++*(long *)arg;
    return 0;
}

static void ask_balance(struct bench *b)
{
    struct am_balance balance;

    ok(b, am_balance(&b->am, "account7", NULL, b->now, &balance, &b->err));
}

static struct am_period month(const struct bench *b)
{
    return (struct am_period){.account = "account7",
        .from_at = b->now - AGO,
        .to_at = b->now + 1,
        .most = 1000};
}

static void ask_sums(struct bench *b)
{
    struct am_period of = month(b);
    struct am_statement sum;

    ok(b, am_statement(&b->am, &of, &sum, NULL, NULL, &b->err));
}

static void ask_page(struct bench *b)
{
    struct am_period of = month(b);
    struct am_statement sum;
    long moves = 0;

    ok(b, am_statement(&b->am, &of, &sum, take_leg, &moves, &b->err));
}

#define USAGE_ROWS 400 /* as the daemon takes them in one turn */

static void ask_usage(struct bench *b)
{
    const struct ledger_which which = {.account = 7};
    struct ledger_usage_walk *w = ledger_usage_begin(&which, NULL);
    int more;

    while ((more = ledger_usage_some(b->store, w, USAGE_ROWS, &b->err)) > 0)
        ;
    ok(b, more);
    ledger_usage_end(w);
}

static int take_some(
    void *arg, const struct ledger_leg *leg, const struct ledger_txn *of)
{
    (void)leg;
    (void)of;
    return ++*(long *)arg == 1000;
}

static void ask_since(struct bench *b)
{
    long moves = 0;

    ok(b, ledger_since(b->store, b->runs / 2, take_some, &moves, &b->err) < 0);
}

static int take_account(void *arg, const struct ledger_account *row)
{
    (void)row;
    ++*(long *)arg;
    return 0;
}

static int take_deposit(void *arg, const struct ledger_deposit *row)
{
    (void)row;
    ++*(long *)arg;
    return 0;
}

static int take_run(void *arg, const struct ledger_run *row)
{
    (void)row;
    ++*(long *)arg;
    return 0;
}

static void ask_facts(struct bench *b)
{
    const struct ledger_which all = {0}, live = {.live = true}, open = {.open = true};
    long n = 0;

    ok(b, ledger_accounts(b->store, &all, take_account, &n, &b->err));
    ok(b, ledger_deposits(b->store, &live, take_deposit, &n, &b->err));
    ok(b, ledger_runs(b->store, &open, take_run, &n, &b->err));
}

static int compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static void measure(struct bench *b, const char *what, void (*ask)(struct bench *b))
{
    double took[TRIES];

    for (int i = 0; i < TRIES; i++) {
        double since = microseconds();
        ask(b);
        took[i] = microseconds() - since;
    }
    qsort(took, TRIES, sizeof *took, compare_times);
    printf(" %s_us=%.0f", what, took[TRIES / 2]);
}

static void fill_up(struct bench *b, long runs)
{
    double since = microseconds();
    long before = b->runs;

    while (b->runs < runs)
        charge_run(b);
    ok(b, store_commit(b->store, &b->err));
    printf("runs=%ld charge_us=%.1f", b->runs,
        (microseconds() - since) / (double)(b->runs - before));
    measure(b, "balance", ask_balance);
    measure(b, "sums", ask_sums);
    measure(b, "page", ask_page);
    measure(b, "usage", ask_usage);
    measure(b, "since", ask_since);
    measure(b, "facts", ask_facts);
    printf("\n");
}

int main(int argc, char **argv)
{
    long runs = argc > 2 ? strtol(argv[2], NULL, 10) : 1000000;
    bool keep = argc > 3 && strcmp(argv[3], "keep") == 0;
    struct bench b = {.now = (int64_t)time(NULL) - 3 * runs};
    char lock[310];

    if (argc < 2 || runs < 1000 || (argc > 3 && !keep)) {
        fprintf(stderr, "usage: bank_bench FOLDER [RUNS, 1000 or more, [keep]]\n");
        return 2;
    }
    if (keep)
        snprintf(b.path, sizeof b.path, "%s/state.db", argv[1]);
    else
        snprintf(b.path, sizeof b.path, "%s/bank_bench-%d.db", argv[1], (int)getpid());
    snprintf(lock, sizeof lock, "%s-lock", b.path);
    ok(&b, store_open(b.path, NULL, &b.store, &b.err));
    am_init(&b.am, b.store);
    open_accounts(&b);
    fill_up(&b, runs / 1000);
    fill_up(&b, runs);
    store_close(b.store);
    if (!keep) {
        unlink(b.path);
        unlink(lock);
    }
    return 0;
}
