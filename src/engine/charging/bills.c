/* SPDX-License-Identifier: Apache-2.0
 * Moves for the bank, and what charging.c, debits.c and strangers.c ask of bills. */
#include "config/settings.h"
#include "engine/charging/charging_private.h"

bool charging_has_bills(const struct engine *e)
{
    return e->c->funds != NULL;
}

/* ---- moves ---------------------------------------------------------------------- */

const char *charging_keep_text(struct charging *x, const char *text)
{
    if (!text)
        return NULL;
    vec_push(&x->texts, xstrdup(text));
    return x->texts.v[x->texts.n - 1];
}

struct money_move *charging_add_move_by(
    struct engine *e, enum money_kind kind, uint32_t run, const struct am_use *use)
{
    struct charging *x = e->money.charging;
    const struct funds *f = e->c->funds;

    vec_push(&x->moves, ((struct money_move){.kind = kind,
                            .run = charging_keep_text(x, funds_run_name(f, run)),
                            .job = charging_keep_text(x, funds_run_job(f, run)),
                            .account = charging_keep_text(
                                x, funds_account_name(f, funds_run_account(f, run))),
                            .user = charging_keep_text(x, use->user),
                            .group = charging_keep_text(x, use->group),
                            .class = charging_keep_text(x, use->class),
                            .qos = charging_keep_text(x, use->qos),
                            .elsewhere = funds_run_is_elsewhere(f, run),
                            .at = e->now}));
    return &x->moves.v[x->moves.n - 1];
}

struct money_move *charging_add_move(
    struct engine *e, const struct job *j, enum money_kind kind, uint32_t run)
{
    const struct am_use use = bank_use(e->c, j);
    struct money_move *m = charging_add_move_by(e, kind, run, &use);

    m->procs = j->procs;
    m->mem_mb = j->mem_mb;
    return m;
}

struct account_life *charging_life_of(struct engine *e, uint32_t account)
{
    struct charging *x = e->money.charging;

    while (x->lives.n <= account)
        vec_push(&x->lives, ((struct account_life){0}));
    return &x->lives.v[account];
}

struct bank_run charging_run_of(const struct bill *b)
{
    return (struct bank_run){b->tariff, b->slept_s, b->slept_weight};
}

bool charging_only_successful(const struct engine *e)
{
    return e->cfg->bank.charge & CHARGE_SUCCESSFUL;
}
