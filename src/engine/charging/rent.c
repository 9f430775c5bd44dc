/* SPDX-License-Identifier: Apache-2.0
 * See rent.h. */
#include "engine/charging/rent.h"

#include "base/strbuf.h"
#include "engine/charging/charging.h"
#include "engine/engine_private.h"
#include "funds/amount.h"
#include "policy/bank.h"
#include "policy/rsvuse.h"

#include <math.h>
#include <string.h>

#define WORD    "rsv:"
#define EVERY_S 3600 /* between debits */

/* By index of the reservation. */
struct rent {
    uint32_t run; /* of the picture, + 1; 0 = none */
    uint64_t serial;
    uint32_t account; /* credential */
    double seen_ps;   /* idle until then, paid for or noted below */
    double idle_ps;   /* of this run */
    int64_t cost;     /* of all of it */
    bool resumed;     /* it began in a former life: idle_ps is since the restart */
};

struct rents {
    struct VEC(struct rent) v;
    uint32_t open;
    uint64_t epoch; /* 1 + of the reservations that were looked at */
    int64_t due_at; /* the next debit, or another price */
    int64_t debit_at;
    int64_t since_at; /* the bank tells in this life; TIME_NEVER = not yet */
    bool strangers;   /* runs of former lives may have no reservation any more */
};

struct rents *rents_create(void)
{
    struct rents *t = xcalloc(1, sizeof *t);

    t->due_at = t->debit_at = t->since_at = TIME_NEVER;
    return t;
}

void rents_destroy(struct rents *t)
{
    vec_fini(&t->v);
    free(t);
}

static struct rent *rent_at(struct rents *t, uint32_t index)
{
    while (t->v.n <= index)
        vec_push(&t->v, ((struct rent){0}));
    return &t->v.v[index];
}

/* ---- what it costs --------------------------------------------------------------- */

/* Seconds since the last look have one price: windows of the day are looked at as they
 * begin. */
static void note_idle(
    const struct engine *e, const struct reservation *r, struct rent *t, int64_t now)
{
    double idle = rsvuse_of(r, now).idle_ps, more = idle - t->seen_ps;
    int64_t cost;

    t->seen_ps = idle;
    if (more < 1)
        return;
    t->idle_ps += more;
    if (!bank_rent(e->c, r, t->account, llround(more), now - 1, &cost))
        return; /* beyond what can be counted: nobody owes that */
    t->cost += cost;
    t->cost = t->cost < AM_LARGEST ? t->cost : AM_LARGEST;
}

static void name_job(const struct reservation *r, struct strbuf *ret)
{
    strbuf_printf(ret, FUNDS_RENT "%s", r->name);
}

static const char *user_of(const struct engine *e, const struct reservation *r)
{
    uint32_t user = r->charge[CRED_USER];

    return user ? e->c->creds[CRED_USER].v[user]->name : NULL;
}

/* All that it has cost so far. */
static void debit_rent(
    struct engine *e, const struct reservation *r, struct rent *t, bool over)
{
    const struct am_use use = {.user = user_of(e, r)};
    struct strbuf text = {0};

    strbuf_printf(&text, "%.0f processor seconds idle in reservation %s%s", t->idle_ps,
        r->name, t->resumed ? " since a restart, and what was charged before" : "");
    charging_rent(e, t->run - 1, &use, t->cost, over, text.text);
    free(strbuf_take(&text));
}

/* ---- a run begins and ends ------------------------------------------------------- */

/* The run of before a restart, if it was of that account. Those of others are over,
 * with what they were charged: *ret_others. */
static uint32_t resume_rent(
    struct engine *e, const char *job, uint32_t account, bool *ret_others)
{
    const struct am_use nobody = {0};
    struct funds *f = e->c->funds;
    uint32_t found = FUNDS_NONE;

    *ret_others = false;
    if (funds_strange_run_of(f, job, 0) == FUNDS_NONE)
        return FUNDS_NONE;
    for (uint32_t i = funds_next_run(f, 0); i != FUNDS_NONE;
         i = funds_next_run(f, i + 1)) {
        if (!funds_is_strange(f, i) || strcmp(funds_run_job(f, i), job) != 0)
            continue;
        if (found == FUNDS_NONE && funds_run_account(f, i) == account) {
            funds_adopt(f, i);
            found = i;
        } else {
            charging_rent(e, i, &nobody, funds_run_noted(f, i), true,
                "another account answers for its reservation");
            *ret_others = true;
        }
    }
    return found;
}

static void open_rent(struct engine *e, const struct reservation *r, struct rent *t)
{
    const char *name = e->c->creds[CRED_ACCOUNT].v[r->charge[CRED_ACCOUNT]]->name;
    uint32_t account = funds_account(e->c->funds, name), run;
    const struct am_use use = {.user = user_of(e, r)};
    struct strbuf job = {0};
    bool others;

    if (account == FUNDS_NONE)
        return; /* the bank does not know it: nobody can be charged */
    name_job(r, &job);
    run = resume_rent(e, job.text, account, &others);
    if (run == FUNDS_NONE && funds_admits(e->c->funds, account, &use))
        run = funds_open(e->c->funds, job.text, account);
    free(strbuf_take(&job));
    if (run == FUNDS_NONE)
        return; /* closed, or for others: nothing new is charged there */
    *t = (struct rent){.run = run + 1,
        .serial = r->serial,
        .account = r->charge[CRED_ACCOUNT],
        .seen_ps = rsvuse_of(r, e->now).idle_ps,
        .cost = funds_run_noted(e->c->funds, run),
        .resumed = funds_run_noted(e->c->funds, run) > 0};
    /* since it began; one that is charged from now on pays from now. Who answered for
     * it in a former life, and was charged, is not known */
    if (t->cost == 0 && !others && r->start_at >= e->money.rents->since_at
        && e->now - r->start_at <= EVERY_S)
        t->seen_ps = 0;
    e->money.rents->open++;
}

static void close_rent(struct engine *e, const struct reservation *r, struct rent *t)
{
    note_idle(e, r, t, e->now);
    debit_rent(e, r, t, true);
    *t = (struct rent){.seen_ps = t->seen_ps, .serial = t->serial};
    e->money.rents->open--;
}

static bool is_charged(const struct engine *e, const struct reservation *r)
{
    return bank_in_force(e->c) && !bank_is_elsewhere(e->c) && r->state == RSV_ACTIVE
           && r->charge[CRED_ACCOUNT];
}

static void look_at(struct engine *e, const struct reservation *r, bool debits)
{
    struct rent *t = rent_at(e->money.rents, r->index);
    bool charged = is_charged(e, r);
    bool before = t->serial == r->serial; /* somebody else answered, or nobody */

    if (t->run && (!charged || t->account != r->charge[CRED_ACCOUNT]))
        close_rent(e, r, t);
    if (charged && !t->run) {
        open_rent(e, r, t);
        if (t->run && before) /* for what passed until now it does not */
            t->seen_ps = rsvuse_of(r, e->now).idle_ps;
    }
    if (!t->run) {
        t->serial = r->state == RSV_ACTIVE ? r->serial : 0;
        return;
    }
    note_idle(e, r, t, e->now);
    if (debits && t->cost > funds_run_charged(e->c->funds, t->run - 1))
        debit_rent(e, r, t, false);
}

void rents_forget(struct engine *e, const struct reservation *r)
{
    struct rent *t =
        r->index < e->money.rents->v.n ? &e->money.rents->v.v[r->index] : NULL;

    if (!t)
        return;
    if (t->run && e->c->funds)
        close_rent(e, r, t);
    *t = (struct rent){0};
}

/* ---- when ------------------------------------------------------------------------ */

static void find_due(struct engine *e)
{
    struct rents *t = e->money.rents;
    int64_t price_at = bank_next_price(e->c, e->now);

    if (!t->open) {
        t->due_at = t->debit_at = TIME_NEVER;
        return;
    }
    if (t->debit_at == TIME_NEVER || t->debit_at <= e->now)
        t->debit_at = time_add(e->now, EVERY_S);
    t->due_at = price_at < t->debit_at ? price_at : t->debit_at;
}

static void begin_life(struct engine *e)
{
    if (e->c->funds && e->money.rents->since_at == TIME_NEVER)
        e->money.rents->since_at = e->now;
}

void rents_known(struct engine *e)
{
    begin_life(e);
    e->money.rents->strangers = true;
    e->money.rents->epoch = 0;
}

void rents_accounts(struct engine *e)
{
    begin_life(e);
    e->money.rents->epoch = 0;
}

static void close_strangers(struct engine *e)
{
    const struct am_use nobody = {0};
    const struct funds *f = e->c->funds;

    for (uint32_t i = funds_next_run(f, 0); i != FUNDS_NONE;
         i = funds_next_run(f, i + 1))
        if (funds_is_strange(f, i) && funds_is_rent(f, i))
            charging_rent(
                e, i, &nobody, funds_run_noted(f, i), true, "its reservation is gone");
    e->money.rents->strangers = false;
}

void rents_look(struct engine *e)
{
    struct rents *t = e->money.rents;
    bool debits = t->debit_at <= e->now;

    begin_life(e);
    if (!e->c->funds || (t->epoch == 1 + e->c->rsv_epoch && e->now < t->due_at))
        return;
    t->epoch = 1 + e->c->rsv_epoch;
    for (size_t i = 0; i < e->c->reservations.n; i++)
        if (e->c->reservations.v[i])
            look_at(e, e->c->reservations.v[i], debits);
    if (t->strangers)
        close_strangers(e);
    find_due(e);
}

void rents_each(const struct engine *e, int64_t now, rent_fn *each, void *arg)
{
    const struct funds *f = e->c->funds;

    for (uint32_t i = f ? funds_next_run(f, 0) : FUNDS_NONE; i != FUNDS_NONE;
         i = funds_next_run(f, i + 1))
        if (funds_is_strange(f, i) && funds_is_rent(f, i))
            each(arg, funds_run_name(f, i), funds_run_job(f, i),
                funds_account_name(f, funds_run_account(f, i)), funds_run_noted(f, i));
    for (size_t i = 0; f && i < e->money.rents->v.n && i < e->c->reservations.n; i++) {
        const struct reservation *r = e->c->reservations.v[i];
        struct rent t = e->money.rents->v.v[i];
        if (!t.run || !r || t.serial != r->serial)
            continue;
        note_idle(e, r, &t, now);
        each(arg, funds_run_name(f, t.run - 1), funds_run_job(f, t.run - 1),
            funds_account_name(f, funds_run_account(f, t.run - 1)), t.cost);
    }
}

int64_t rents_due(const struct engine *e)
{
    return e->money.rents->due_at;
}
