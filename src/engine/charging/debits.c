/* SPDX-License-Identifier: Apache-2.0
 * Jobs that are on nodes, or suspended, for long: what they pay on the way, and what is
 * kept for them. See charging.h. */
#include "base/strbuf.h"
#include "cluster/rmset.h"
#include "config/settings.h"
#include "engine/calendar_private.h"
#include "engine/charging/charging_private.h"

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
    const struct bank_run run = charging_run_of(b);
    int64_t total = bank_cost(e->c, j, &run, until, &text);
    int64_t before = funds_run_charged(e->c->funds, b->run - 1);
    struct money_move *m;

    if (total > before) {
        m = charging_add_move(e, j, MONEY_CHARGE, b->run - 1);
        m->total = total;
        m->goes_on = true;
        m->text = charging_keep_text(e->money.charging, text.text);
        charging_life_of(e, funds_run_account(e->c->funds, b->run - 1))->charged +=
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
    m = charging_add_move(e, j, MONEY_LIEN, run);
    m->rates = charging_keep_text(e->money.charging, b->tariff);
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
    bank_say_lack(
        j, answer == FUNDS_SHORT ? LACK_CREDITS : LACK_DEPOSIT, asked, &left, ret);
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
        /* a start that waits for its nodes, or fails yet, has used nothing; who cannot
         * be seen may have ended: it pays when next */
        if (x->bills.v[i].run && !x->bills.v[i].left && j && j->state == JOB_RUNNING
            && j->start_at < until && !e->c->rms.v[job_rm(j)].unseen
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
