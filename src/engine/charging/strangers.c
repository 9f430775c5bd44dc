/* SPDX-License-Identifier: Apache-2.0
 * Runs of a former life of the daemon: see charging.h. */
#include "config/settings.h"
#include "engine/charging/charging_private.h"

#include <string.h>

static const struct job nobody = {.id = ""};

/* Nobody had been told to start it: that was no run. */
static void let_stranger_go(struct engine *e, uint32_t run)
{
    struct funds *f = e->c->funds;
    struct money_move *m = charging_add_move(e, &nobody, MONEY_RELEASE, run);

    m->job = charging_keep_text(e->money.charging, funds_run_job(f, run));
    funds_close(f, run);
}

void charging_release_unsent(struct engine *e, const struct job *j)
{
    uint32_t run = funds_unsent_run_of(e->c->funds, j->id);

    if (run != FUNDS_NONE && j->start_at >= e->now)
        let_stranger_go(e, run);
}

static const struct funds_end *find_end(
    const struct funds_facts *facts, const char *run)
{
    for (size_t i = 0; i < facts->nends; i++)
        if (strcmp(facts->ends[i].run, run) == 0)
            return &facts->ends[i];
    return NULL;
}

/* What it has come to by the accounting of jobs, or by when it was seen last; where it
 * pays nothing for that, what it has paid on its way stays paid. */
static int64_t price_unseen(const struct engine *e, uint32_t run,
    const struct funds_end *end, const struct funds_facts *facts, int64_t *ret_seconds)
{
    const struct funds *f = e->c->funds;
    bool free = charging_only_successful(e) && !(end && end->success);
    int64_t since = funds_run_since(f, run);
    int64_t at = end ? end->at : facts->seen_at;
    int64_t paid = funds_run_charged(f, run), total;

    at = end && at <= since ? since + 1 : at; /* a run of a second */
    *ret_seconds = at > since ? at - since : 0;
    total = funds_run_come_to(f, run, at);
    return !free && total > paid ? total : paid;
}

/* Over since it was decided that it leaves: as charging_confirm() would. */
static void charge_leaver(const struct engine *e, uint32_t run, struct money_move *m)
{
    const struct funds_leave *leave = funds_run_leave(e->c->funds, run);

    m->total = charging_only_successful(e) ? 0 : leave->cost;
    m->seconds = leave->seconds;
    m->lost = leave->lost;
    m->text = charging_keep_text(e->money.charging, leave->text);
}

static void close_stranger(
    struct engine *e, uint32_t run, const struct funds_facts *facts)
{
    const struct am_use use = {0};
    const struct funds_use by = {&use, e->now};
    struct funds *f = e->c->funds;
    const struct funds_end *end = find_end(facts, funds_run_name(f, run));
    const struct funds_leave *leave = funds_run_leave(f, run);
    bool gives = leave->displaced && e->cfg->bank.refund_on_requeue;
    struct money_move *m;

    if (!end && funds_run_is_unsent(f, run)) {
        let_stranger_go(e, run);
        return;
    }
    m = charging_add_move_by(e, MONEY_CHARGE, run, &use);
    m->total = price_unseen(e, run, end, facts, &m->seconds);
    m->text = charging_keep_text(e->money.charging,
        end ? "its end was not seen: until then by the accounting of jobs"
            : "its end was not seen: up to when it was seen last");
    if (leave->at && !end)
        charge_leaver(e, run, m);
    m->noted = leave->at != 0;
    m->unseen = !leave->at;
    if (gives && !(end && end->success)) {
        m->total = 0;
        m->text = charging_keep_text(e->money.charging, CHARGING_GIVEN);
    }
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
