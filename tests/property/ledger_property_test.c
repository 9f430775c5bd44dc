/* SPDX-License-Identifier: Apache-2.0
 * The ledger against one that moves coins by hand (ledger_model.h), step by step: what
 * it answers, every balance, every lien, quotes and who has used them, who used how
 * much in any time. The daemon ends on the way, by itself (all is as before) or killed
 * (all is as with the last commit, and is done anew); jobs go back to the queue and
 * begin another run. Its invariants are asked on the way. */
#include "../unit/am/kit.h"
#include "funds/funds.h"
#include "ledger_model.h"
#include "rng.h"
#include "seeds.h"

#include <stdlib.h>

#define WORLDS 12
#define STEPS  420

static const char *const names[LM_ACCOUNTS] = {"", "inst", "chem", "bio", "lab"};
static const struct am_use uses[2] = {{.user = "u0"}, {.user = "u1"}};

struct world {
    struct bank *b;
    struct lm *m, *kept; /* kept: as with the last commit */
    struct rng rng;
    bool strict; /* no credit, no overruns, nothing forced: nothing is ever below 0 */
    uint64_t seed;
    int step, runs, kept_runs;
};

/* ---- the same on both sides -------------------------------------------------------
 */

static int compare_deposit(void *arg, const struct ledger_deposit *row)
{
    const struct world *w = arg;
    const struct lm_deposit *d = &w->m->d[row->id];

    if (row->balance != d->coins || row->held != d->held || row->ended != d->ended
        || row->to_at != d->to_at)
        fail_msg("seed %llu, step %d: deposit %lld has %lld, keeps %lld, ended %d; the "
                 "model: %lld, %lld, %d",
            (unsigned long long)w->seed, w->step, (long long)row->id,
            (long long)row->balance, (long long)row->held, row->ended,
            (long long)d->coins, (long long)d->held, d->ended);
    if (w->strict && row->balance < row->held)
        fail_msg("seed %llu, step %d: deposit %lld is below 0",
            (unsigned long long)w->seed, w->step, (long long)row->id);
    return 0;
}

static void compare_place(
    struct world *w, const char *place, int account, int64_t model)
{
    int64_t balance = 0;

    assert_int_equal(
        ledger_balance(w->b->kit->store, place, account, &balance, NULL), 0);
    if (balance != model)
        fail_msg("seed %llu, step %d: %s of %s is %lld, the model says %lld",
            (unsigned long long)w->seed, w->step, place, names[account],
            (long long)balance, (long long)model);
}

static int compare_quote(void *arg, const struct ledger_quote *row)
{
    const struct world *w = arg;
    const struct lm_quote *q = &w->m->q[row->id];
    char job[16];

    if (row->uses != q->uses)
        fail_msg("seed %llu, step %d: quote %lld has %lld uses, the model says %lld",
            (unsigned long long)w->seed, w->step, (long long)row->id,
            (long long)row->uses, (long long)q->uses);
    for (int i = 0; i < LM_JOBS; i++) {
        snprintf(job, sizeof job, "j%d", i);
        if (funds_has_user(row->users, job) != q->used[i])
            fail_msg("seed %llu, step %d: quote %lld is used by '%s', not as the model "
                     "says",
                (unsigned long long)w->seed, w->step, (long long)row->id, row->users);
    }
    return 0;
}

struct usage_of {
    struct world *w;
    int account, told;
    int64_t from, to;
};

static int compare_use(void *arg, const struct ledger_usage *row)
{
    struct usage_of *of = arg;
    int runs;
    struct lm_use sum = lm_used(
        of->w->m, of->account, strcmp(row->user, "u1") == 0, of->from, of->to, &runs);

    of->told++;
    if (row->charged != sum.charged || row->refunded != sum.refunded
        || row->runs != runs)
        fail_msg("seed %llu, step %d: %s used %lld - %lld in %lld runs of %s from %lld "
                 "to %lld; the model: %lld - %lld in %d",
            (unsigned long long)of->w->seed, of->w->step, row->user,
            (long long)row->charged, (long long)row->refunded, (long long)row->runs,
            names[of->account], (long long)of->from, (long long)of->to,
            (long long)sum.charged, (long long)sum.refunded, runs);
    return 0;
}

/* Of a time that begins and ends anywhere: whole days and parts of them. */
static void compare_usage(struct world *w)
{
    struct usage_of of = {w, (int)rng_range(&w->rng, 1, LM_ACCOUNTS - 1), 0,
        rng_range(&w->rng, 0, w->m->now + 500), 0};
    struct ledger_which which = {.account = of.account, .from_at = of.from};
    int users = 0;

    of.to = of.from + rng_range(&w->rng, 1, w->m->now);
    which.to_at = of.to;
    bank_usage_in_turns(w->b, &which, rng_range(&w->rng, 1, 9), NULL, compare_use, &of);
    for (int u = 0; u < 2; u++)
        for (int i = 0; i < w->m->nuses; i++) {
            const struct lm_use *use = &w->m->uses[i];
            if (use->account == of.account && use->of_u1 == u && use->at >= of.from
                && use->at < of.to) {
                users++;
                break;
            }
        }
    assert_int_equal(of.told, users);
}

static void compare(struct world *w)
{
    const struct ledger_which all = {0};
    struct ledger_size size;

    assert_int_equal(
        ledger_quotes(w->b->kit->store, &all, compare_quote, w, &w->b->err), 0);
    compare_usage(w);
    assert_int_equal(
        ledger_deposits(w->b->kit->store, &all, compare_deposit, w, &w->b->err), 0);
    assert_int_equal(ledger_size(w->b->kit->store, &size, NULL), 0);
    assert_int_equal(size.deposits, w->m->ndeposits);
    for (int a = 1; a < LM_ACCOUNTS; a++) {
        struct am_balance balance;
        bool u1 = w->step % 2;

        compare_place(w, "usage", a, w->m->usage[a]);
        compare_place(w, "expired", a, w->m->expired[a]);
        compare_place(w, "over", a, w->m->over[a]);
        assert_int_equal(
            am_balance(&w->b->am, names[a], &uses[u1], w->m->now, &balance, NULL), 0);
        if (balance.available != lm_available(w->m, a, u1))
            fail_msg("seed %llu, step %d: %lld available in %s, the model says %lld",
                (unsigned long long)w->seed, w->step, (long long)balance.available,
                names[a], (long long)lm_available(w->m, a, u1));
    }
}

static struct am_statement statement(struct world *w, int a, int64_t from, int64_t to)
{
    struct am_statement s;

    assert_int_equal(am_statement(&w->b->am, &(struct am_period){names[a], from, to},
                         &s, NULL, NULL, NULL),
        0);
    assert_int_equal(s.opening + s.credits - s.debits, s.closing);
    return s;
}

/* One statement opens as the one before closes; the last closes with what there is. */
static void compare_statements(struct world *w)
{
    int a = (int)rng_range(&w->rng, 1, LM_ACCOUNTS - 1);
    int64_t middle = rng_range(&w->rng, 0, w->m->now), sum = w->m->over[a];

    for (int i = 1; i <= w->m->ndeposits; i++)
        sum += w->m->d[i].account == a ? w->m->d[i].coins : 0;
    assert_int_equal(
        statement(w, a, 0, middle).closing, statement(w, a, middle, AM_EVER).opening);
    assert_int_equal(statement(w, a, middle, AM_EVER).closing, sum);
}

/* ---- steps ------------------------------------------------------------------------
 */

static int some_account(struct world *w)
{
    return (int)rng_range(&w->rng, 1, LM_ACCOUNTS - 1);
}

/* The same answer again, and nothing else, when it is told again; sometimes. */
static void expect(struct world *w, int result, bool done, const char *what)
{
    if (result != (done ? AM_DONE : AM_REFUSED))
        fail_msg("seed %llu, step %d: %s: %d (%s), the model says %s",
            (unsigned long long)w->seed, w->step, what, result, w->b->err.text,
            done ? "done" : "refused");
}

#define TWICE(w, call, done, what)                                                     \
    do {                                                                               \
        expect((w), (call), (done), (what));                                           \
        if (rng_percent(&(w)->rng, 12))                                                \
            expect((w), (call), (done), (what));                                       \
    } while (0)

static void step_account(struct world *w)
{
    static const int parents[] = {0, 0, 1, 1, 2};
    int a = some_account(w);

    w->m->overflow[a] = parents[a] && rng_percent(&w->rng, 60);
    w->m->closed[a] = rng_percent(&w->rng, 10);
    w->m->parent[a] = parents[a];
    w->m->share[a] = a == 3 ? (int64_t)rng_below(&w->rng, 400000) : 0;
    open_account(w->b, (struct am_account){.name = names[a],
                           .parent = parents[a] ? names[parents[a]] : NULL,
                           .overflow = w->m->overflow[a],
                           .closed = w->m->closed[a],
                           .share = w->m->share[a]});
}

static void step_deposit(struct world *w)
{
    struct rng *r = &w->rng;
    int a = some_account(w);
    struct am_request req = bank_request(w->b);
    struct am_deposit d = {.account = names[a],
        .amount = rng_range(r, 1, 300),
        .credit_limit = !w->strict && rng_percent(r, 20) ? rng_range(r, 1, 60) : 0,
        .from_at = w->m->now + (rng_percent(r, 15) ? rng_range(r, 0, 900) : 0),
        .carry_debt = rng_percent(r, 30),
        .only = rng_percent(r, 25) ? "user=u1" : NULL};

    d.to_at = rng_percent(r, 20) ? AM_EVER : d.from_at + rng_range(r, 1, 6000);
    if (w->m->closed[a] || w->m->ndeposits > LM_DEPOSITS - 40)
        return;
    lm_deposit(w->m,
        (struct lm_deposit){.account = a,
            .from_at = d.from_at,
            .to_at = d.to_at,
            .credit_limit = d.credit_limit,
            .of_u1 = d.only != NULL},
        d.amount, d.carry_debt);
    TWICE(w, am_deposit(&w->b->am, &req, &d, NULL, &w->b->err), true, "deposit");
}

static void step_withdraw(struct world *w)
{
    int a = some_account(w);
    int64_t amount = rng_range(&w->rng, 1, 60);
    int deposit = w->m->ndeposits && rng_percent(&w->rng, 30)
                      ? (int)rng_range(&w->rng, 1, w->m->ndeposits)
                      : 0;
    struct am_request req = bank_request(w->b);
    bool done = lm_withdraw(w->m, a, deposit, amount);

    if (!done && deposit) { /* it may as well be somebody else's, or of another time */
        if (am_withdraw(&w->b->am, &req, names[a], deposit, amount, &w->b->err)
            == AM_DONE)
            expect(w, AM_DONE, false, "withdraw from a deposit");
        return;
    }
    TWICE(w, am_withdraw(&w->b->am, &req, names[a], deposit, amount, &w->b->err), done,
        "withdraw");
}

static void step_transfer(struct world *w)
{
    int from = some_account(w), to = some_account(w);
    struct am_transfer t = {
        .from = names[from], .to = names[to], .amount = rng_range(&w->rng, 1, 60)};
    struct am_request req = bank_request(w->b);
    bool done;

    if (from == to || w->m->closed[to] || w->m->ndeposits > LM_DEPOSITS - 40)
        return;
    done = lm_transfer(w->m, from, to, t.amount);
    TWICE(w, am_transfer(&w->b->am, &req, &t, &w->b->err), done, "transfer");
}

static const char *run_name(int run)
{
    static _Thread_local char name[16];

    snprintf(name, sizeof name, "%d.0", run);
    return name;
}

/* One that is known, in whatever state. */
static int some_run(struct world *w)
{
    return w->runs ? (int)rng_range(&w->rng, w->runs > 12 ? w->runs - 12 : 1, w->runs)
                   : 0;
}

static int see_rates(void *arg, const struct ledger_run *row)
{
    snprintf(arg, 20, "%s", row->rates);
    return 1;
}

/* A run that has just begun has the rates of its quote, if that holds. */
static void compare_rates(struct world *w, int run, int quote, bool told_void)
{
    const struct ledger_which which = {.run = run_name(run)};
    bool holds = quote && lm_use_quote(w->m, run, quote);
    char rates[20] = "";

    assert_int_equal(
        ledger_runs(w->b->kit->store, &which, see_rates, rates, &w->b->err), 1);
    assert_string_equal(rates, holds ? "PROCS:0.5" : "PROCS:1");
    assert_int_equal(told_void, quote && !holds);
}

static void step_quote(struct world *w)
{
    struct rng *r = &w->rng;
    bool u1 = rng_percent(r, 50), done;
    struct lm_quote made = {.account = some_account(w),
        .pinned = rng_percent(r, 30) ? (int)rng_below(r, LM_JOBS) : -1,
        .until = w->m->now + rng_range(r, 1, 4000),
        .uses = rng_range(r, 1, 3)};
    struct am_request req = bank_request(w->b);
    char job[16];
    struct am_quote q = {.account = names[made.account],
        .use = uses[u1],
        .rates = "PROCS:0.5",
        .amount = rng_range(r, 0, 120),
        .until_at = made.until,
        .uses = made.uses,
        .job = made.pinned >= 0 ? job : NULL};

    if (w->m->closed[made.account] || w->m->nquotes == LM_QUOTES - 1)
        return;
    snprintf(job, sizeof job, "j%d", made.pinned);
    done = lm_quote(w->m, made, u1, q.amount);
    TWICE(w, am_quote(&w->b->am, &req, &q, NULL, &w->b->err), done, "quote");
}

/* A new run, or another limit of one. */
static void step_lien(struct world *w)
{
    bool is_new = w->runs < LM_RUNS - 1 && rng_percent(&w->rng, 60);
    int run = is_new ? w->runs + 1 : some_run(w);
    struct lm_run *r = &w->m->r[run];
    int a = r->known ? r->account : some_account(w);
    bool u1 = r->known ? r->of_u1 : rng_percent(&w->rng, 50), done;
    char job[16];
    struct am_lien l = {.run = run_name(run),
        .account = names[a],
        .use = uses[u1],
        .most = rng_range(&w->rng, 0, 200),
        .at = w->m->now,
        .until_at = w->m->now + 600,
        .rates = "PROCS:1",
        .quote = w->m->nquotes && rng_percent(&w->rng, 50) ? rng_range(
                     &w->rng, w->m->nquotes > 4 ? w->m->nquotes - 4 : 1, w->m->nquotes)
                                                           : 0,
        .job = job,
        .force = !w->strict && rng_percent(&w->rng, 10)};
    struct am_lien_answer answer = {0};
    bool begins = !r->known;

    snprintf(job, sizeof job, "j%d", lm_job(run));
    if (run == 0 || (w->m->closed[a] && !l.force))
        return;
    done = lm_lien(w->m, run, a, u1, l.most, l.force);
    expect(w, am_lien(&w->b->am, &l, &answer, &w->b->err), done, "lien");
    if (begins && done)
        compare_rates(w, run, (int)l.quote, answer.quote_void);
    if (rng_percent(&w->rng, 12))
        expect(w, am_lien(&w->b->am, &l, NULL, &w->b->err), done, "lien again");
    if (is_new && done)
        w->runs++;
}

/* Of a run that has a lien or, where that is allowed, of one that has none. */
static void step_charge(struct world *w)
{
    bool is_new = !w->strict && w->runs < LM_RUNS - 1 && rng_percent(&w->rng, 10);
    int run = is_new ? w->runs + 1 : some_run(w), a = some_account(w);
    struct lm_run *r = &w->m->r[run];
    struct am_charge c = {.run = run_name(run), .account = names[a], .at = w->m->now};

    if (run == 0)
        return;
    c.use = uses[r->of_u1];
    c.total = rng_percent(&w->rng, 80) ? r->charged + rng_range(&w->rng, 0, 60)
                                       : rng_range(&w->rng, 0, 200);
    if (w->strict && c.total > r->most)
        c.total = r->most;
    c.over = rng_percent(&w->rng, 40);
    lm_charge(w->m, run, a, r->of_u1, c.total, c.over);
    TWICE(w, am_charge(&w->b->am, &c, &w->b->err), true, "charge");
    w->runs += is_new;
}

static void step_release(struct world *w)
{
    int run = some_run(w);

    if (run == 0)
        return;
    lm_release(w->m, run);
    TWICE(w, am_release(&w->b->am, run_name(run), w->m->now, &w->b->err), true,
        "release");
}

static void step_refund(struct world *w)
{
    int run = some_run(w), to = 0;
    struct lm_run *r = &w->m->r[run];
    struct am_request req = bank_request(w->b);
    int64_t amount = rng_range(&w->rng, 1, 1 + (r->charged - r->refunded) * 5 / 4);
    bool done;

    if (run == 0 || (w->strict && r->open))
        return;
    if (w->m->ndeposits && rng_percent(&w->rng, 25))
        to = (int)rng_range(&w->rng, 1, w->m->ndeposits);
    done = lm_refund(w->m, run, amount, to);
    TWICE(w, am_refund(&w->b->am, &req, run_name(run), amount, to, &w->b->err), done,
        "refund");
}

/* The run is over, its job waits again and gets another one at once. Of one that made
 * room (REFUNDONREQUEUE) what it paid on the way comes back. */
static void step_requeue(struct world *w)
{
    int run = some_run(w), next = w->runs + 1;
    struct lm_run *r = &w->m->r[run];
    bool given = rng_percent(&w->rng, 40);
    struct am_charge c = {.account = names[r->account], .at = w->m->now, .over = true};
    struct am_lien l = {.account = names[r->account],
        .at = w->m->now,
        .until_at = w->m->now + 600,
        .rates = "PROCS:1",
        .most = r->most};
    char over[16], begun[16], job[16];
    bool done;

    if (run == 0 || !r->open || next >= LM_RUNS || w->m->closed[r->account])
        return;
    snprintf(over, sizeof over, "%s", run_name(run));
    snprintf(begun, sizeof begun, "%s", run_name(next));
    snprintf(job, sizeof job, "j%d", lm_job(next));
    c.use = l.use = uses[r->of_u1];
    c.run = over;
    c.total = given ? 0 : r->charged + rng_range(&w->rng, 0, 40);
    if (w->strict && c.total > r->most)
        c.total = r->most;
    lm_charge(w->m, run, r->account, r->of_u1, c.total, true);
    TWICE(w, am_charge(&w->b->am, &c, &w->b->err), true, "requeue");
    l.run = begun;
    l.job = job;
    done = lm_lien(w->m, next, r->account, r->of_u1, l.most, false);
    TWICE(w, am_lien(&w->b->am, &l, NULL, &w->b->err), done, "the next run");
    w->runs += done;
}

static void step_commit(struct world *w)
{
    assert_int_equal(store_commit(w->b->kit->store, &w->b->err), 0);
    *w->kept = *w->m;
    w->kept_runs = w->runs;
}

/* Killed: nothing of what came after the last commit is there. The time goes on, and
 * the clock has to be trusted anew. */
static void step_restart(struct world *w)
{
    const struct store_options fleeting = {.fleeting = true};

    if (rng_percent(&w->rng, 50))
        step_commit(w);
    store_close(w->b->kit->store);
    if (store_open(w->b->kit->path, &fleeting, &w->b->kit->store, &w->b->err) != 0)
        fail_msg("%s", w->b->err.text);
    am_init(&w->b->am, w->b->kit->store);
    *w->m = *w->kept;
    w->runs = w->kept_runs;
    w->m->now = w->b->now;
    w->m->ticked_at = w->m->sane_at = 0;
}

static void step_clock(struct world *w)
{
    int64_t now = w->m->now + rng_range(&w->rng, 0, 400);

    if (rng_percent(&w->rng, 3))
        now += rng_range(&w->rng, 3000, 5000);
    lm_tick(w->m, now);
    w->b->now = now;
    expect(w, am_tick(&w->b->am, now, &w->b->err), true, "tick");
}

/* ---- worlds -----------------------------------------------------------------------
 */

static const struct {
    void (*step)(struct world *w);
    uint32_t weight;
} steps[] = {{step_clock, 15}, {step_account, 2}, {step_deposit, 14},
    {step_withdraw, 5}, {step_transfer, 6}, {step_lien, 24}, {step_charge, 24},
    {step_release, 5}, {step_refund, 8}, {step_quote, 6}, {step_requeue, 6},
    {step_commit, 10}, {step_restart, 2}};
#define KINDS (sizeof steps / sizeof *steps)

static void one_step(struct world *w)
{
    uint32_t all = 0, drawn;
    size_t i = 0;

    for (size_t k = 0; k < KINDS; k++)
        all += steps[k].weight;
    for (drawn = rng_below(&w->rng, all); drawn >= steps[i].weight; i++)
        drawn -= steps[i].weight;
    steps[i].step(w);
}

static void begin_world(struct world *w)
{
    static const int parents[] = {0, 0, 1, 1, 2};

    w->m->now = w->b->now = 80000; /* a day ends on the way */
    for (int a = 1; a < LM_ACCOUNTS; a++) {
        w->m->parent[a] = parents[a];
        w->m->overflow[a] = a == 2 || a == 4;
        open_account(w->b, (struct am_account){.name = names[a],
                               .parent = parents[a] ? names[parents[a]] : NULL,
                               .overflow = w->m->overflow[a]});
    }
}

static void run_world(uint64_t seed)
{
    struct world w = {.seed = seed, .rng = {seed}, .strict = seed % 3 == 0};
    void *bank = NULL;

    assert_int_equal(bank_setup(&bank), 0);
    w.b = bank;
    w.m = calloc(1, sizeof *w.m);
    w.kept = calloc(1, sizeof *w.kept);
    begin_world(&w);
    step_commit(&w);
    for (w.step = 1; w.step <= STEPS; w.step++) {
        one_step(&w);
        compare(&w);
        if (w.step % 60 == 0) {
            bank_check(w.b);
            compare_statements(&w);
        }
    }
    free(w.kept);
    free(w.m);
    bank_teardown(&bank);
}

static void a_ledger_is_what_moving_every_coin_by_hand_gives(void **state)
{
    uint64_t first = seed_first();
    uint64_t n = seed_count(WORLDS);

    (void)state;
    for (uint64_t seed = first; seed < first + n; seed++)
        run_world(seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ledger_is_what_moving_every_coin_by_hand_gives),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
