/* SPDX-License-Identifier: Apache-2.0
 * kill -9 while it books: no credit is lost and none is there twice. Whoever asks sends
 * a request again that was not acknowledged, so each is booked once or sent twice; in
 * the end the ledger is, byte by byte, the one of a program that nobody killed. */
#include "kit.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#define ROUNDS  120
#define SECONDS 600 /* from request to request */

static int64_t instant(int64_t n)
{
    return 1000 + n * SECONDS;
}

/* Three jobs of ten requests are on their way at a time. */
static const char *run_name(int64_t n, char to[32])
{
    snprintf(to, 32, "%lld.0", (long long)(n / 10));
    return to;
}

static void set_accounts(struct am *am)
{
    const struct am_account accounts[] = {{.name = "inst"},
        {.name = "chem", .parent = "inst", .overflow = true, .share = 200000},
        {.name = "bio"}};

    for (size_t i = 0; i < sizeof accounts / sizeof *accounts; i++)
        am_account_set(am, &accounts[i], NULL);
}

/* Request number `n`: what it asks for follows from that number alone. */
static void ask(struct am *am, int64_t n)
{
    static const char *const names[] = {"inst", "chem", "bio"};
    char id[32], job[32];
    const struct am_request req = {.id = id, .at = instant(n), .who = "root"};
    const char *run = run_name(n, job), *name = names[n / 10 % 3];
    const struct am_deposit d = {.account = name,
        .amount = CREDITS(100 + n % 7),
        .to_at = instant(n + 35 + n % 40),
        .carry_debt = n % 20 == 0};
    const struct am_transfer t = {.from = name, .to = names[n / 10 % 2], .amount = n};
    const struct am_quote q = {
        .account = name, .amount = 1, .until_at = instant(n + 5), .uses = 1};
    const struct am_lien l = {
        .run = run, .account = name, .most = CREDITS(90 + n % 11), .at = req.at};
    const struct am_charge c = {.run = run,
        .account = name,
        .total = CREDITS(n % 10 * 15),
        .at = req.at,
        .over = n % 10 == 7};

    snprintf(id, sizeof id, "request %lld", (long long)n);
    am->ticked_at = req.at; /* as of one that has run for an hour */
    am->sane_at = req.at - 3600;
    am_tick(am, req.at, NULL);
    switch (n % 10) {
    case 0:
        am_deposit(am, &req, &d, NULL, NULL);
        break;
    case 1:
        am_quote(am, &req, &q, NULL, NULL);
        break;
    case 2:
    case 4:
        am_lien(am, &l, NULL, NULL);
        break;
    case 3:
    case 5:
    case 7:
        am_charge(am, &c, NULL);
        break;
    case 6:
        am_transfer(am, &req, &t, NULL);
        break;
    case 8:
        am_refund(am, &req, run, CREDITS(n % 50), 0, NULL);
        break;
    default:
        am_withdraw(am, &req, name, 0, n, NULL);
    }
}

/* The child: from request `n` on, each acknowledged when it is committed. */
static void work(const char *path, int64_t n, int acknowledge)
{
    struct store *store;
    struct am am;

    if (store_open(path, NULL, &store, NULL) != 0)
        _exit(1);
    am_init(&am, store);
    set_accounts(&am);
    for (;; n++) {
        ask(&am, n);
        if (store_commit(store, NULL) != 0
            || write(acknowledge, &n, sizeof n) != (ssize_t)sizeof n)
            _exit(2);
        if (n % 5 == 0)
            store_idle(store, NULL);
    }
}

static uint64_t rng(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

static void wait_ns(int64_t ns)
{
    const struct timespec t = {.tv_nsec = (long)ns};

    nanosleep(&t, NULL);
}

/* A child asks from `last` on and is killed. Returns what was acknowledged last. */
static int64_t killed_round(const char *path, int64_t last, uint64_t *seed)
{
    int64_t next = last < 0 ? 0 : last, wanted = last + (int64_t)(rng(seed) % 12);
    int acknowledged[2], status;
    pid_t child;

    assert_int_equal(pipe(acknowledged), 0);
    child = fork();
    if (child == 0) {
        close(acknowledged[0]);
        work(path, next, acknowledged[1]);
    }
    close(acknowledged[1]);
    while (last < wanted
           && read(acknowledged[0], &last, sizeof last) == (ssize_t)sizeof last)
        ;
    wait_ns((int64_t)(rng(seed) % 6000) * 1000);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status));
    while (read(acknowledged[0], &last, sizeof last) == (ssize_t)sizeof last)
        ;
    close(acknowledged[0]);
    return last;
}

static int on_request(void *arg, const struct ledger_txn *row)
{
    long long n;

    if (sscanf(row->request, "request %lld", &n) == 1 && n > *(int64_t *)arg)
        *(int64_t *)arg = n;
    return 0;
}

/* Whole, and not further than one request beyond what was acknowledged. */
static void expect_whole(struct kit *kit, int64_t acknowledged)
{
    const struct ledger_which all = {0};
    int64_t last = -1;

    kit_open(kit);
    assert_int_equal(ledger_check(kit->store, print_problem, NULL, &kit->err), 0);
    assert_int_equal(ledger_txns(kit->store, &all, on_request, &last, &kit->err), 0);
    assert_true(last <= acknowledged + 1);
    kit_close(kit);
}

/* What was not acknowledged is asked for once more; then it is the ledger that nobody
 * disturbed. */
static void expect_same(struct kit *kit, int64_t last)
{
    char *killed, *quiet;
    struct am am;

    kit_open(kit);
    am_init(&am, kit->store);
    ask(&am, last + 1);
    killed = dump_ledger(kit->store);
    kit_close(kit);
    snprintf(kit->path, sizeof kit->path, "%s", kit_path(kit, "quiet.db"));
    kit_open(kit);
    am_init(&am, kit->store);
    set_accounts(&am);
    for (int64_t n = 0; n <= last + 1; n++)
        ask(&am, n);
    quiet = dump_ledger(kit->store);
    assert_string_equal(killed, quiet);
    assert_true(strlen(quiet) > 1000);
    free(killed);
    free(quiet);
}

static void no_credit_is_lost_or_doubled_by_kill_9(void **state)
{
    struct kit *kit = *state;
    uint64_t seed = 20261124;
    int64_t last = -1;

    for (int round = 1; round <= ROUNDS; round++) {
        last = killed_round(kit->path, last, &seed);
        if (round % 4 == 0)
            expect_whole(kit, last);
    }
    assert_true(last > ROUNDS);
    expect_same(kit, last);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            no_credit_is_lost_or_doubled_by_kill_9, kit_setup_fast, kit_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
