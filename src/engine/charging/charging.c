/* SPDX-License-Identifier: Apache-2.0
 * See charging.h. */
#include "engine/charging/charging.h"

#include "base/strbuf.h"
#include "cluster/folded.h"
#include "cluster/jobnodes.h"
#include "config/settings.h"
#include "engine/charging/charging_private.h"

#include <assert.h>
#include <string.h>

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

/* ---- bills ---------------------------------------------------------------------- */

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

/* A run that was told of after a restart is its job's by name, and by when it began. */
static struct bill *find_bill(struct engine *e, const struct job *j)
{
    struct bill *b = bill_of(e, j);
    uint32_t run;

    if (b->run || b->former || b->decided)
        return b->run ? b : NULL;
    run = funds_strange_run_of(e->c->funds, j->id, j->start_at);
    if (run == FUNDS_NONE)
        return NULL;
    funds_adopt(e->c->funds, run);
    b->run = run + 1;
    b->noted = funds_run_leave(e->c->funds, run)->at != 0;
    b->tariff = copy_tariff(funds_run_rates(e->c->funds, run));
    return b;
}

/* NULL: none of this life. */
static struct bill *known_bill(struct engine *e, const struct job *j)
{
    struct bill *b = bill_of(e, j);

    return b->run ? b : NULL;
}

/* While it waits a run of a former life may be one that nobody saw end. */
static struct bill *find_own_bill(struct engine *e, const struct job *j)
{
    if (!job_has_begun((enum job_state)j->state))
        return known_bill(e, j);
    return find_bill(e, j);
}

static void drop_bill(struct engine *e, struct bill *b)
{
    funds_close(e->c->funds, b->run - 1);
    free(b->text);
    free(b->tariff);
    *b = (struct bill){.former = b->former, .decided = b->decided};
    e->money.charging->freed = true;
}

struct account_life charging_life(const struct engine *e, uint32_t account)
{
    return account < e->money.charging->lives.n ? e->money.charging->lives.v[account]
                                                : (struct account_life){0};
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
    if (elsewhere || bank_has_quote(e->c, j, j->start_at))
        b->quote = bank_quote_of(j); /* elsewhere that bank knows whether it holds */
    if (e->cfg->bank.rates_at == RATES_AT_START || b->quote)
        b->tariff = bank_tariff(e->c, j);
    b->first_use =
        !elsewhere && b->quote && funds_use_quote(e->c->funds, b->quote, j->id);
    return b;
}

/* So much is charged in all, and it is over. */
static void close_bill(
    struct engine *e, const struct job *j, struct bill *b, int64_t total)
{
    const struct am_use use = bank_use(e->c, j);
    const struct funds_use by = {&use, e->now};
    struct money_move *m = charging_add_move(e, j, MONEY_CHARGE, b->run - 1);

    m->total = total;
    m->seconds = b->seconds;
    m->nodes = b->nodes;
    m->lost = b->lost;
    m->noted = b->noted;
    m->text = charging_keep_text(e->money.charging, b->text);
    charging_life_of(e, funds_run_account(e->c->funds, b->run - 1))->charged +=
        total - funds_run_charged(e->c->funds, b->run - 1);
    funds_charge(e->c->funds, b->run - 1, &by, total);
    drop_bill(e, b);
}

/* ---- runs that may go on -------------------------------------------------------- */

static void close_left(struct engine *e, const struct job *j, struct bill *b)
{
    bool given = b->displaced && e->cfg->bank.refund_on_requeue;

    if (given) {
        free(b->text);
        b->text = xstrdup(CHARGING_GIVEN);
    }
    close_bill(e, j, b, given || charging_only_successful(e) ? 0 : b->cost);
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
    *b = (struct bill){.former = former, .decided = b->decided};
}

static void close_former(struct engine *e, const struct job *j, struct bill *b)
{
    struct bill *former = b->former;

    b->former = NULL;
    if (former && charging_has_bills(e)) {
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
    b->decided = false;
    free(former);
    return b;
}

/* For a later life: what it has come to, or that it goes on after all. */
static void note_leaving(struct engine *e, const struct job *j, struct bill *b)
{
    struct money_move *m = charging_add_move(e, j, MONEY_LEAVES, b->run - 1);

    m->total = b->cost;
    m->seconds = b->seconds;
    m->lost = b->lost;
    m->text = charging_keep_text(e->money.charging, b->text);
    m->goes_on = !b->awaits;
    b->noted = b->awaits;
}

/* ---- what happens to jobs ------------------------------------------------------- */

static void keep_most(struct engine *e, const struct job *j, struct bill *b)
{
    const struct bank_run run = charging_run_of(b);
    int64_t most = bank_most(e->c, j, &run, e->now);
    const struct am_use use = bank_use(e->c, j);
    const struct funds_use by = {&use, e->now};
    struct money_move *m;
    bool all;

    /* one that costs nothing is told all the same, where it uses a quote */
    if (funds_run_most(e->c->funds, b->run - 1) == most && (b->told || !b->first_use))
        return;
    b->told = true;
    b->nodes = job_node_count(j);
    funds_keep(e->c->funds, b->run - 1, &by, most, &all);
    m = charging_add_move(e, j, MONEY_LIEN, b->run - 1);
    m->rates = charging_keep_text(e->money.charging, b->tariff);
    m->quote = b->quote;
    m->most = most;
    m->nodes = b->nodes;
    m->until_at = time_add(j->end_at, bank_grace(e->c, j));
    m->seconds = j->eff_wclimit_s > 0 ? j->eff_wclimit_s : j->wclimit_s;
    m->force = !all;
}

void charging_begin(struct engine *e, struct job *j, bool told)
{
    bool in_force = bank_in_force(e->c), goes_on;
    struct bill *b;

    if (!charging_has_bills(e))
        return;
    if (in_force)
        charging_release_unsent(e, j);
    b = bill_of(e, j);
    b->decided = b->decided || !told;
    b = find_bill(e, j);
    goes_on = b && b->awaits && told; /* it never left */
    if (b && b->left && !goes_on && (b->awaits || b->start_at != j->start_at)) {
        put_former_aside(e, j, b);
        b = NULL;
    }
    if (!b && told) {
        b = restore_former(e, j);
        goes_on = b != NULL;
    }
    if (goes_on)
        b->out_at = 0;
    if (!b && in_force)
        b = open_bill(e, j);
    if (!b)
        return;
    b->left = b->awaits = b->eased = b->displaced = false;
    if (b->noted)
        note_leaving(e, j, b);
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

    if (!charging_has_bills(e))
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
    const struct bank_run run = charging_run_of(b);
    b->cost = bank_cost(e->c, j, &run, until, &text);
    b->text = strbuf_take(&text);
    b->out_at = until;
    b->lost = lost_node(e->c, j);
}

void charging_left(struct engine *e, struct job *j, int64_t at)
{
    struct bill *b = charging_has_bills(e) ? find_own_bill(e, j) : NULL;

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
    struct bill *b = charging_has_bills(e) ? find_bill(e, j) : NULL;

    if (b) { /* one that was suspended left its nodes long before */
        b->lost = !success && (b->lost || lost_node(e->c, j));
        close_bill(e, j, b, success || !charging_only_successful(e) ? b->cost : 0);
    }
    close_former(e, j, bill_of(e, j));
    bill_of(e, j)->decided = false;
}

void charging_waits(struct engine *e, struct job *j)
{
    struct bill *b = charging_has_bills(e) && j->index < e->money.charging->bills.n
                         ? &e->money.charging->bills.v[j->index]
                         : NULL;

    if (b)
        b->decided = false;
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

    if (b && b->run && b->left && charging_has_bills(e)) {
        if (b->awaits && j->state == JOB_COMPLETED)
            close_ended(e, j, b);
        else
            close_left(e, j, b);
    }
    if (!b)
        return;
    close_former(e, j, b);
    b->decided = false;
}

void charging_await(struct engine *e, struct job *j)
{
    struct bill *b = e->opt.stops_told && j->index < e->money.charging->bills.n
                         ? &e->money.charging->bills.v[j->index]
                         : NULL;

    if (!b)
        return;
    b->awaits = b->left;
    if (b->awaits && charging_has_bills(e))
        note_leaving(e, j, b);
}

void charging_displace(struct engine *e, struct job *j)
{
    if (j->index < e->money.charging->bills.n)
        e->money.charging->bills.v[j->index].displaced =
            e->money.charging->bills.v[j->index].left;
}

void charging_confirm(struct engine *e, struct job *j, bool displaced)
{
    struct bill *b = j->index < e->money.charging->bills.n
                         ? &e->money.charging->bills.v[j->index]
                         : NULL;

    if (!b)
        return;
    close_former(e, j, b);
    if (b->awaits && charging_has_bills(e))
        close_left(e, j, b);
    else if (displaced && b->run && !b->left)
        b->displaced = true; /* it leaves now */
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
    struct bill *b = charging_has_bills(e) ? find_own_bill(e, j) : NULL;

    if (!b)
        return;
    charging_add_move(e, j, MONEY_RELEASE, b->run - 1)->noted = b->noted;
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
        if (b->run && b->left && !b->awaits && j && charging_has_bills(e))
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
    struct money_move *m = charging_add_move_by(e, MONEY_CHARGE, run, use);

    m->total = total;
    m->goes_on = !over;
    m->text = charging_keep_text(e->money.charging, text);
    charging_life_of(e, funds_run_account(f, run))->charged +=
        total - funds_run_charged(f, run);
    funds_charge(f, run, &by, total);
    if (over)
        funds_close(f, run);
}

int64_t charging_most(const struct engine *e, const struct job *j, int64_t now)
{
    const struct charging *x = e->money.charging;
    const struct bill *b =
        j->index < x->bills.n && x->bills.v[j->index].run && !x->bills.v[j->index].left
            ? &x->bills.v[j->index]
            : NULL;
    const struct bank_run run = b ? charging_run_of(b) : (struct bank_run){0};

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

    if (account != FUNDS_NONE && !charging_life_of(e, account)->first_refused_at)
        charging_life_of(e, account)->first_refused_at = e->now;
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
