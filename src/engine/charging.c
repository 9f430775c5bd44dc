/* SPDX-License-Identifier: Apache-2.0
 * See charging.h. */
#include "engine/charging.h"

#include "base/strbuf.h"
#include "cluster/folded.h"
#include "config/settings.h"
#include "engine/calendar_private.h"
#include "engine/engine_private.h"
#include "policy/bank.h"

#include <assert.h>
#include <string.h>

/* By job index. */
struct bill {
    uint32_t run;     /* of the picture, + 1; 0 = none */
    int64_t cost;     /* when it last left its nodes */
    int64_t seconds;  /* on them until then */
    int64_t nodes;    /* so many */
    int64_t start_at; /* then */
    int64_t left_at;  /* it is known to have left them by then; 0 = not */
    bool left;        /* it waits again: see charging_settle() */
    bool awaits;      /* left, as far as was decided: it may be there yet */
    char *text;       /* what the cost is made of; owned */
    char *tariff;     /* of its start; owned, NULL = what is in force */
    int64_t quote;    /* whose rates these are; 0 = none */
    bool first_use;   /* of that quote by this job */
    bool told;        /* the bank knows the run */
    bool displaced;   /* left, to make room for another job */
    bool lost;        /* one of its nodes was down when it last left them */
    bool eased;       /* suspended for long: no more is kept than what it has used */
    bool beside;      /* begun while the former one's lien lay there yet */
    int64_t out_at;   /* it left its nodes then, and may come back; 0 = it has them */
    int64_t slept_s, slept_weight; /* suspended, as far as it was seen */
    struct bill *former;           /* it awaits, and another start was decided; owned */
};

struct charging {
    struct VEC(struct bill) bills;
    struct VEC(struct money_move) moves;
    struct VEC(char *) texts;              /* of the moves, owned */
    struct VEC(struct account_life) lives; /* by account */
    struct VEC(uint32_t) left;             /* jobs whose bills say so */
    struct VEC(uint32_t) refused; /* of this cycle: JFACTION, FALLBACKACCOUNT */
    int64_t flush_at;             /* the next debits of jobs that run on; 0 = not set */
    bool freed;                   /* credit was let go */
    bool refuses;                 /* somebody was refused since all were asked */
};

struct charging *charging_create(void)
{
    return xcalloc(1, sizeof(struct charging));
}

void charging_told(struct engine *e)
{
    struct charging *x = e->money.charging;

    for (size_t i = 0; i < x->texts.n; i++)
        free(x->texts.v[i]);
    x->texts.n = x->moves.n = 0;
}

void charging_destroy(struct charging *x)
{
    for (size_t i = 0; i < x->texts.n; i++)
        free(x->texts.v[i]);
    for (size_t i = 0; i < x->bills.n; i++) {
        free(x->bills.v[i].text);
        free(x->bills.v[i].tariff);
        if (x->bills.v[i].former) {
            free(x->bills.v[i].former->text);
            free(x->bills.v[i].former->tariff);
            free(x->bills.v[i].former);
        }
    }
    vec_fini(&x->bills);
    vec_fini(&x->moves);
    vec_fini(&x->texts);
    vec_fini(&x->left);
    vec_fini(&x->lives);
    vec_fini(&x->refused);
    free(x);
}

/* Runs that were open when the bank went out of force end as they would have. */
static bool has_bills(const struct engine *e)
{
    return e->c->funds != NULL;
}

/* ---- moves ---------------------------------------------------------------------- */

static const char *keep_text(struct charging *x, const char *text)
{
    if (!text)
        return NULL;
    vec_push(&x->texts, xstrdup(text));
    return x->texts.v[x->texts.n - 1];
}

static struct money_move *add_move_by(
    struct engine *e, enum money_kind kind, uint32_t run, const struct am_use *use)
{
    struct charging *x = e->money.charging;
    const struct funds *f = e->c->funds;

    vec_push(&x->moves,
        ((struct money_move){.kind = kind,
            .run = keep_text(x, funds_run_name(f, run)),
            .job = keep_text(x, funds_run_job(f, run)),
            .account = keep_text(x, funds_account_name(f, funds_run_account(f, run))),
            .user = keep_text(x, use->user),
            .group = keep_text(x, use->group),
            .class = keep_text(x, use->class),
            .qos = keep_text(x, use->qos),
            .elsewhere = funds_run_is_elsewhere(f, run),
            .at = e->now}));
    return &x->moves.v[x->moves.n - 1];
}

static struct money_move *add_move(
    struct engine *e, const struct job *j, enum money_kind kind, uint32_t run)
{
    const struct am_use use = bank_use(e->c, j);
    struct money_move *m = add_move_by(e, kind, run, &use);

    m->procs = j->procs;
    m->mem_mb = j->mem_mb;
    return m;
}

/* ---- bills ---------------------------------------------------------------------- */

/* A run that was told of after a restart is its job's by name. */
static struct bill *bill_of(struct engine *e, const struct job *j)
{
    struct charging *x = e->money.charging;

    while (x->bills.n <= j->index)
        vec_push(&x->bills, ((struct bill){0}));
    return &x->bills.v[j->index];
}

/* Of older releases a run has rates without factors: that is no tariff. */
static char *copy_tariff(const char *rates)
{
    return rates && strchr(rates, ';') ? xstrdup(rates) : NULL;
}

static struct bill *find_bill(struct engine *e, const struct job *j)
{
    struct bill *b = bill_of(e, j);
    uint32_t run;

    if (b->run || b->former)
        return b->run ? b : NULL;
    run = funds_strange_run_of(e->c->funds, j->id);
    if (run == FUNDS_NONE)
        return NULL;
    funds_adopt(e->c->funds, run);
    b->run = run + 1;
    b->tariff = copy_tariff(funds_run_rates(e->c->funds, run));
    return b;
}

/* While it waits a run of a former life may be one that nobody saw end. */
static struct bill *find_own_bill(struct engine *e, const struct job *j)
{
    if (!job_has_begun((enum job_state)j->state) && !bill_of(e, j)->run)
        return NULL;
    return find_bill(e, j);
}

static void drop_bill(struct engine *e, struct bill *b)
{
    funds_close(e->c->funds, b->run - 1);
    free(b->text);
    free(b->tariff);
    *b = (struct bill){.former = b->former};
    e->money.charging->freed = true;
}

static struct account_life *life_of(struct engine *e, uint32_t account)
{
    struct charging *x = e->money.charging;

    while (x->lives.n <= account)
        vec_push(&x->lives, ((struct account_life){0}));
    return &x->lives.v[account];
}

struct account_life charging_life(const struct engine *e, uint32_t account)
{
    return account < e->money.charging->lives.n ? e->money.charging->lives.v[account]
                                                : (struct account_life){0};
}

/* What of a run is not in its job's record. */
static struct bank_run run_of(const struct bill *b)
{
    return (struct bank_run){b->tariff, b->slept_s, b->slept_weight};
}

/* Back on its nodes: how long it was not, and at what prices. */
static void wake_bill(const struct engine *e, const struct job *j, struct bill *b)
{
    if (b->out_at && b->out_at < e->now && b->start_at == j->start_at) {
        b->slept_s += e->now - b->out_at;
        if (e->c->week)
            b->slept_weight += week_weigh(e->c->week, b->out_at, e->now);
    }
    b->out_at = 0;
}

static struct bill *open_bill(struct engine *e, const struct job *j)
{
    bool elsewhere = bank_is_elsewhere(e->c);
    uint32_t account = elsewhere ? FUNDS_NONE : bank_account(e->c, j);
    struct bill *b = bill_of(e, j);

    if (!elsewhere && account == FUNDS_NONE)
        return NULL;
    b->run = 1
             + (elsewhere ? funds_open_elsewhere(
                    e->c->funds, j->id, bank_account_name(e->c, j))
                          : funds_open(e->c->funds, j->id, account));
    b->beside = b->former != NULL;
    if (!elsewhere && bank_has_quote(e->c, j, j->start_at))
        b->quote = bank_quote_of(j);
    if (e->cfg->bank.rates_at == RATES_AT_START || b->quote)
        b->tariff = bank_tariff(e->c, j);
    b->first_use = b->quote && funds_use_quote(e->c->funds, b->quote, j->id);
    return b;
}

/* So much is charged in all, and it is over. */
static void close_bill(
    struct engine *e, const struct job *j, struct bill *b, int64_t total)
{
    const struct am_use use = bank_use(e->c, j);
    const struct funds_use by = {&use, e->now};
    struct money_move *m = add_move(e, j, MONEY_CHARGE, b->run - 1);

    m->total = total;
    m->seconds = b->seconds;
    m->nodes = b->nodes;
    m->lost = b->lost;
    m->text = keep_text(e->money.charging, b->text);
    life_of(e, funds_run_account(e->c->funds, b->run - 1))->charged +=
        total - funds_run_charged(e->c->funds, b->run - 1);
    funds_charge(e->c->funds, b->run - 1, &by, total);
    drop_bill(e, b);
}

static bool only_successful(const struct engine *e)
{
    return e->cfg->bank.charge & CHARGE_SUCCESSFUL;
}

/* ---- runs that may go on -------------------------------------------------------- */

static void close_left(struct engine *e, const struct job *j, struct bill *b)
{
    bool given = b->displaced && e->cfg->bank.refund_on_requeue;

    if (given) {
        free(b->text);
        b->text = xstrdup("nothing: it made room for another job (REFUNDONREQUEUE)");
    }
    close_bill(e, j, b, given || only_successful(e) ? 0 : b->cost);
}

/* It was done before anybody stopped it: it has made room for nobody, and is charged up
 * to when that was decided. */
static void close_ended(struct engine *e, const struct job *j, struct bill *b)
{
    b->lost = false;
    close_bill(e, j, b, b->cost);
}

/* Another start was decided: whether the former run is over is told yet. */
static void put_former_aside(struct engine *e, const struct job *j, struct bill *b)
{
    if (!b->awaits || b->former) {
        close_left(e, j, b);
        return;
    }
    struct bill *former = xcalloc(1, sizeof *former);
    *former = *b;
    *b = (struct bill){.former = former};
}

static void close_former(struct engine *e, const struct job *j, struct bill *b)
{
    struct bill *former = b->former;

    b->former = NULL;
    if (former && has_bills(e)) {
        close_left(e, j, former);
        e->money.charging->moves.v[e->money.charging->moves.n - 1].former = true;
    }
    free(former);
}

/* It never left, and what was decided after that has not come about. */
static struct bill *restore_former(struct engine *e, const struct job *j)
{
    struct bill *b = bill_of(e, j), *former = b->former;

    if (!former || b->run)
        return NULL;
    *b = *former;
    b->out_at = 0;
    free(former);
    return b;
}

/* ---- what happens to jobs ------------------------------------------------------- */

static void keep_most(struct engine *e, const struct job *j, struct bill *b)
{
    const struct bank_run run = run_of(b);
    int64_t most = bank_most(e->c, j, &run, e->now);
    const struct am_use use = bank_use(e->c, j);
    const struct funds_use by = {&use, e->now};
    struct money_move *m;
    bool all;

    /* one that costs nothing is told all the same, where it uses a quote */
    if (funds_run_most(e->c->funds, b->run - 1) == most && (b->told || !b->first_use))
        return;
    b->told = true;
    b->nodes = 0;
    for (size_t i = 0; i < j->alloc.n; i++)
        b->nodes += j->alloc.v[i].count;
    funds_keep(e->c->funds, b->run - 1, &by, most, &all);
    m = add_move(e, j, MONEY_LIEN, b->run - 1);
    m->rates = keep_text(e->money.charging, b->tariff);
    m->quote = b->quote;
    m->most = most;
    m->nodes = b->nodes;
    m->until_at = time_add(j->end_at, bank_grace(e->c, j));
    m->seconds = j->eff_wclimit_s > 0 ? j->eff_wclimit_s : j->wclimit_s;
    m->force = !all;
}

static const struct job nobody = {.id = ""};

/* Nobody had been told to start it: that was no run. */
static void let_stranger_go(struct engine *e, uint32_t run)
{
    struct funds *f = e->c->funds;
    struct money_move *m = add_move(e, &nobody, MONEY_RELEASE, run);

    m->job = keep_text(e->money.charging, funds_run_job(f, run));
    funds_close(f, run);
}

/* A start of a former life of which nobody was told: what begins now is another. */
static void release_unsent(struct engine *e, const struct job *j)
{
    uint32_t run = funds_strange_run_of(e->c->funds, j->id);

    if (run != FUNDS_NONE && funds_run_is_unsent(e->c->funds, run)
        && j->start_at >= e->now)
        let_stranger_go(e, run);
}

void charging_begin(struct engine *e, struct job *j, bool told)
{
    bool in_force = bank_in_force(e->c), goes_on;
    struct bill *b;

    if (!has_bills(e))
        return;
    if (in_force)
        release_unsent(e, j);
    b = find_bill(e, j);
    goes_on = b && b->awaits && told; /* it never left */
    if (goes_on)
        b->out_at = 0;
    if (b && b->left && !goes_on && (b->awaits || b->start_at != j->start_at)) {
        put_former_aside(e, j, b);
        b = NULL;
    }
    if (!b && told)
        b = restore_former(e, j);
    if (!b && in_force)
        b = open_bill(e, j);
    if (!b)
        return;
    b->left = b->awaits = b->eased = b->displaced = false;
    wake_bill(e, j, b);
    if (in_force)
        keep_most(e, j, b);
}

/* Nodes that are folded are well. */
static bool lost_node(const struct cluster *c, const struct job *j)
{
    for (size_t i = 0; i < j->alloc.n; i++) {
        uint32_t end = j->alloc.v[i].first + j->alloc.v[i].count;
        for (uint32_t n = j->alloc.v[i].first; n < end;) {
            uint32_t folded = node_folded(c, n, end);
            if (!folded && node_at(c, n)->state == NODE_DOWN)
                return true;
            n += folded ? folded : 1;
        }
    }
    return false;
}

void charging_end(struct engine *e, struct job *j, int64_t until)
{
    struct strbuf text = {0};
    struct bill *b;

    if (!has_bills(e))
        return;
    b = find_bill(e, j);
    if (!b) /* it began without: the bank did not know it, or was not there */
        return;
    free(b->text);
    b->start_at = j->start_at;
    if (b->left_at && b->left_at < until)
        until = b->left_at;
    b->seconds = until - j->start_at - j->suspended_s;
    b->seconds = b->seconds > 0 ? b->seconds : 1;
    const struct bank_run run = run_of(b);
    b->cost = bank_cost(e->c, j, &run, until, &text);
    b->text = strbuf_take(&text);
    b->out_at = until;
    b->lost = lost_node(e->c, j);
}

void charging_left(struct engine *e, struct job *j, int64_t at)
{
    struct bill *b = has_bills(e) ? find_own_bill(e, j) : NULL;

    if (b)
        b->left_at = at;
}

void charging_pass(struct engine *e, struct job *j, int64_t until)
{
    if (bank_in_force(e->c) && !find_bill(e, j))
        open_bill(e, j); /* nobody saw it begin */
    charging_end(e, j, until);
}

void charging_complete(struct engine *e, struct job *j, bool success)
{
    struct bill *b = has_bills(e) ? find_bill(e, j) : NULL;

    if (b) { /* one that was suspended left its nodes long before */
        b->lost = !success && (b->lost || lost_node(e->c, j));
        close_bill(e, j, b, success || !only_successful(e) ? b->cost : 0);
    }
    close_former(e, j, bill_of(e, j));
}

void charging_waits(struct engine *e, struct job *j)
{
    struct bill *b = has_bills(e) && j->index < e->money.charging->bills.n
                         ? &e->money.charging->bills.v[j->index]
                         : NULL;

    if (!b || !b->run || b->left)
        return;
    b->left = true;
    b->lost = b->lost || lost_node(e->c, j); /* it may have left them long before */
    vec_push(&e->money.charging->left, j->index);
}

void charging_over(struct engine *e, struct job *j)
{
    struct bill *b = j->index < e->money.charging->bills.n
                         ? &e->money.charging->bills.v[j->index]
                         : NULL;

    if (b && b->run && b->left && has_bills(e)) {
        if (b->awaits && j->state == JOB_COMPLETED)
            close_ended(e, j, b);
        else
            close_left(e, j, b);
    }
    if (b)
        close_former(e, j, b);
}

void charging_await(struct engine *e, struct job *j)
{
    if (e->opt.stops_told && j->index < e->money.charging->bills.n)
        e->money.charging->bills.v[j->index].awaits =
            e->money.charging->bills.v[j->index].left;
}

void charging_displace(struct engine *e, struct job *j)
{
    if (j->index < e->money.charging->bills.n)
        e->money.charging->bills.v[j->index].displaced =
            e->money.charging->bills.v[j->index].left;
}

void charging_confirm(struct engine *e, struct job *j)
{
    struct bill *b = j->index < e->money.charging->bills.n
                         ? &e->money.charging->bills.v[j->index]
                         : NULL;

    if (!b)
        return;
    close_former(e, j, b);
    if (b->awaits && has_bills(e))
        close_left(e, j, b);
}

bool charging_awaits(const struct engine *e, const struct job *j)
{
    const struct bill *b = j->index < e->money.charging->bills.n
                               ? &e->money.charging->bills.v[j->index]
                               : NULL;

    return b && (b->former || (b->run && (b->awaits || b->beside)));
}

void charging_release(struct engine *e, struct job *j)
{
    struct bill *b = has_bills(e) ? find_own_bill(e, j) : NULL;

    if (!b)
        return;
    add_move(e, j, MONEY_RELEASE, b->run - 1);
    if (b->first_use)
        funds_give_quote_back(e->c->funds, b->quote, j->id);
    drop_bill(e, b);
}

void charging_settle(struct engine *e)
{
    struct charging *x = e->money.charging;

    for (size_t i = 0; i < x->left.n; i++) {
        struct bill *b = &x->bills.v[x->left.v[i]];
        const struct job *j = e->c->jobs.v[x->left.v[i]];
        if (b->run && b->left && !b->awaits && j && has_bills(e))
            close_left(e, j, b);
    }
    x->left.n = 0;
}

void charging_take_over(struct engine *e)
{
    for (size_t i = 0; i < e->c->jobs.n && bank_in_force(e->c); i++) {
        struct job *j = e->c->jobs.v[i];
        if (!j || !job_has_begun((enum job_state)j->state) || find_bill(e, j))
            continue;
        struct bill *b = open_bill(e, j);
        if (b)
            keep_most(e, j, b);
    }
}

void charging_rent(struct engine *e, uint32_t run, const struct am_use *use,
    int64_t total, bool over, const char *text)
{
    const struct funds_use by = {use, e->now};
    struct funds *f = e->c->funds;
    struct money_move *m = add_move_by(e, MONEY_CHARGE, run, use);

    m->total = total;
    m->goes_on = !over;
    m->text = keep_text(e->money.charging, text);
    life_of(e, funds_run_account(f, run))->charged += total - funds_run_charged(f, run);
    funds_charge(f, run, &by, total);
    if (over)
        funds_close(f, run);
}

/* ---- debits on the way ----------------------------------------------------------- */

static bool pays_on_the_way(const struct engine *e)
{
    unsigned charge = (unsigned)e->cfg->bank.charge;

    return bank_in_force(e->c) && !bank_is_elsewhere(e->c) && e->cfg->bank.flush_s > 0
           && !(charge & CHARGE_SUCCESSFUL) && charge != CHARGE_REQUESTED;
}

/* After `now`: aligned to midnight, whatever the length of that day. */
static int64_t next_flush(const struct engine *e, int64_t now)
{
    int64_t every = e->cfg->bank.flush_s;
    int64_t midnight = zone_midnight(&e->calendar->zone, now);
    int64_t at = midnight + ((now - midnight) / every + 1) * every;
    int64_t next = zone_next_midnight(&e->calendar->zone, now);

    return every <= 86400 && at > next ? next : at;
}

/* The one before, or `now`. */
static int64_t last_flush(const struct engine *e, int64_t now)
{
    int64_t every = e->cfg->bank.flush_s;
    int64_t midnight = zone_midnight(&e->calendar->zone, now);

    return midnight + (now - midnight) / every * every;
}

static void charge_until(
    struct engine *e, const struct job *j, struct bill *b, int64_t until)
{
    const struct am_use use = bank_use(e->c, j);
    const struct funds_use by = {&use, e->now};
    struct strbuf text = {0};
    const struct bank_run run = run_of(b);
    int64_t total = bank_cost(e->c, j, &run, until, &text);
    int64_t before = funds_run_charged(e->c->funds, b->run - 1);
    struct money_move *m;

    if (total > before) {
        m = add_move(e, j, MONEY_CHARGE, b->run - 1);
        m->total = total;
        m->goes_on = true;
        m->text = keep_text(e->money.charging, text.text);
        life_of(e, funds_run_account(e->c->funds, b->run - 1))->charged +=
            total - before;
        funds_charge(e->c->funds, b->run - 1, &by, total);
    }
    free(text.text);
}

/* ---- suspended for long ---------------------------------------------------------- */

/* What it has used is debited, where that is done on the way, else kept; and no more.
 */
static void ease_lien(struct engine *e, const struct job *j, struct bill *b)
{
    const struct am_use use = bank_use(e->c, j);
    const struct funds_use by = {&use, e->now};
    uint32_t run = b->run - 1;
    unsigned charge = (unsigned)e->cfg->bank.charge;
    struct money_move *m;
    bool all;

    b->eased = true;
    if (charge == CHARGE_REQUESTED || funds_run_is_elsewhere(e->c->funds, run))
        return;
    if (!(charge & CHARGE_SUCCESSFUL))
        charge_until(e, j, b, b->out_at);
    if (funds_run_most(e->c->funds, run) <= b->cost)
        return;
    funds_keep(e->c->funds, run, &by, b->cost, &all);
    m = add_move(e, j, MONEY_LIEN, run);
    m->rates = keep_text(e->money.charging, b->tariff);
    m->quote = b->quote;
    m->most = b->cost;
    m->until_at = j->end_at;
    m->force = true;
    e->money.charging->freed = true;
}

void charging_ease(struct engine *e)
{
    int64_t most_s = e->cfg->bank.suspend_most_s;

    if (most_s <= 0 || !e->c->suspended || !bank_in_force(e->c)
        || bank_is_elsewhere(e->c))
        return;
    for (size_t i = 0; i < e->c->active.n; i++) {
        const struct job *j = e->c->jobs.v[e->c->active.v[i]];
        struct bill *b = j->index < e->money.charging->bills.n
                             ? &e->money.charging->bills.v[j->index]
                             : NULL;
        if (j->state != JOB_SUSPENDED || !b || !b->run || b->eased)
            continue;
        int64_t at = time_add(j->suspend_at, most_s);
        if (at <= e->now)
            ease_lien(e, j, b);
        else
            wake_at(e, at);
    }
}

bool charging_lacks(const struct engine *e, const struct job *j, struct reason *ret)
{
    const struct bill *b = j->index < e->money.charging->bills.n
                               ? &e->money.charging->bills.v[j->index]
                               : NULL;
    const struct am_use use = bank_use(e->c, j);
    const struct funds *f = e->c->funds;
    struct funds_left left = {0};
    int64_t asked;

    if (!b || !b->run || !b->eased || !bank_in_force(e->c) || bank_is_elsewhere(e->c))
        return false;
    asked = charging_most(e, j, e->now) - funds_run_charged(f, b->run - 1)
            - funds_run_kept(f, b->run - 1);
    if (asked <= 0)
        return false;
    enum funds_answer answer =
        funds_ask(f, funds_run_account(f, b->run - 1), &use, e->now, asked, &left);
    if (answer != FUNDS_SHORT && answer != FUNDS_UNUSABLE)
        return false; /* what is open goes on, also of an account that is closed */
    ret->code = WAIT_FUNDS;
    ret->lack = answer == FUNDS_SHORT ? LACK_CREDITS : LACK_DEPOSIT;
    ret->kind = CRED_ACCOUNT;
    ret->object = j->cred[CRED_ACCOUNT];
    ret->asked = asked;
    ret->used = left.held;
    ret->limit = left.available + left.held;
    return true;
}

void charging_flush(struct engine *e)
{
    struct charging *x = e->money.charging;
    bool due = x->flush_at && e->now >= x->flush_at;
    int64_t until;

    if (!pays_on_the_way(e)) {
        x->flush_at = 0;
        return;
    }
    if (x->flush_at && !due)
        return;
    /* the first time too: one may have been missed before a restart */
    x->flush_at = next_flush(e, e->now);
    until = last_flush(e, e->now);
    for (size_t i = 0; i < x->bills.n; i++) {
        const struct job *j = i < e->c->jobs.n ? e->c->jobs.v[i] : NULL;
        if (x->bills.v[i].run && !x->bills.v[i].left && j && job_is_active(j)
            && j->start_at < until
            && !funds_run_is_elsewhere(e->c->funds, x->bills.v[i].run - 1))
            charge_until(e, j, &x->bills.v[i], until);
    }
}

int64_t charging_flush_at(const struct engine *e)
{
    return e->money.charging->flush_at && funds_open_runs(e->c->funds)
               ? e->money.charging->flush_at
               : TIME_NEVER;
}

static const struct funds_end *find_end(
    const struct funds_facts *facts, const char *run)
{
    for (size_t i = 0; i < facts->nends; i++)
        if (strcmp(facts->ends[i].run, run) == 0)
            return &facts->ends[i];
    return NULL;
}

static void close_stranger(
    struct engine *e, uint32_t run, const struct funds_facts *facts)
{
    const struct am_use use = {0};
    const struct funds_use by = {&use, e->now};
    struct funds *f = e->c->funds;
    const struct funds_end *end = find_end(facts, funds_run_name(f, run));
    bool free = only_successful(e) && !(end && end->success);
    int64_t least = end ? funds_run_since(f, run) + 1 : 0; /* a run of a second */
    int64_t at = end ? end->at : facts->seen_at;
    int64_t total = funds_run_come_to(f, run, at > least ? at : least);
    struct money_move *m;

    if (!end && funds_run_is_unsent(f, run)) {
        let_stranger_go(e, run);
        return;
    }
    m = add_move_by(e, MONEY_CHARGE, run, &use);
    m->seconds = (at > least ? at : least) - funds_run_since(f, run);
    m->total = funds_run_charged(f, run);
    m->total = !free && total > m->total ? total : m->total;
    m->unseen = true;
    m->text = keep_text(e->money.charging,
        end ? "its end was not seen: until then by the accounting of jobs"
            : "its end was not seen: up to when it was seen last");
    funds_charge(f, run, &by, m->total);
    funds_close(f, run);
    e->money.charging->freed = true;
}

void charging_forget_strangers(struct engine *e, const struct funds_facts *facts)
{
    struct funds *f = e->c->funds;

    for (uint32_t i = f ? funds_next_run(f, 0) : FUNDS_NONE; i != FUNDS_NONE;
         i = funds_next_run(f, i + 1))
        if (funds_is_strange(f, i) && !funds_is_rent(f, i))
            close_stranger(e, i, facts);
}

int64_t charging_most(const struct engine *e, const struct job *j, int64_t now)
{
    const struct charging *x = e->money.charging;
    const struct bill *b =
        j->index < x->bills.n && x->bills.v[j->index].run && !x->bills.v[j->index].left
            ? &x->bills.v[j->index]
            : NULL;
    const struct bank_run run = b ? run_of(b) : (struct bank_run){0};

    return bank_most(e->c, j, b ? &run : NULL, now);
}

int64_t charging_kept(const struct engine *e, const struct job *j)
{
    const struct charging *x = e->money.charging;
    uint32_t run = j->index < x->bills.n ? x->bills.v[j->index].run : 0;

    return run && e->c->funds ? funds_run_kept(e->c->funds, run - 1) : 0;
}

const struct money_move *charging_moves(const struct engine *e, size_t *ret_n)
{
    *ret_n = e->money.charging->moves.n;
    return e->money.charging->moves.v;
}

void charging_check(const struct engine *e)
{
    const struct charging *x = e->money.charging;
    uint32_t known = 0, open = 0;

    if (!e->c->funds)
        return;
    funds_check(e->c->funds);
    for (size_t i = 0; i < x->bills.n; i++) {
        const struct job *j = i < e->c->jobs.n ? e->c->jobs.v[i] : NULL;
        known += x->bills.v[i].former != NULL;
        assert(!x->bills.v[i].former || (j && j->state < JOB_COMPLETED));
        if (!x->bills.v[i].run)
            continue;
        known++;
        assert(j && j->state < JOB_COMPLETED
               && x->bills.v[i].left == x->bills.v[i].awaits
               && job_has_begun((enum job_state)j->state) == !x->bills.v[i].left);
        assert(strcmp(funds_run_job(e->c->funds, x->bills.v[i].run - 1), j->id) == 0);
    }
    for (uint32_t i = funds_next_run(e->c->funds, 0); i != FUNDS_NONE;
         i = funds_next_run(e->c->funds, i + 1))
        open += !funds_is_strange(e->c->funds, i) && !funds_is_rent(e->c->funds, i);
    assert(open == known);
}

/* ---- who could not pay ---------------------------------------------------------- */

void charging_refuse(struct engine *e, const struct job *j)
{
    const struct bank_settings *b = &e->cfg->bank;
    uint32_t account = bank_account(e->c, j);

    if (account != FUNDS_NONE && !life_of(e, account)->first_refused_at)
        life_of(e, account)->first_refused_at = e->now;
    e->money.charging->refuses = true;
    if (b->jfaction != JF_NONE || b->fallback)
        vec_push(&e->money.charging->refused, j->index);
}

const uint32_t *charging_refused(const struct engine *e, size_t *ret_n)
{
    *ret_n = e->money.charging->refused.n;
    return e->money.charging->refused.v;
}

void charging_forget_refused(struct engine *e)
{
    e->money.charging->refused.n = 0;
}

bool charging_refuses(const struct engine *e)
{
    return e->money.charging->refuses;
}

bool charging_gives_hope(struct engine *e, bool due)
{
    struct charging *x = e->money.charging;
    bool hope = (x->freed || due) && x->refuses;

    x->freed = false;
    if (hope)
        x->refuses = false;
    return hope;
}
