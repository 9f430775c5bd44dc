/* SPDX-License-Identifier: Apache-2.0
 * See unfunded.h. */
#include "engine/charging/unfunded.h"

#include "base/strbuf.h"
#include "config/settings.h"
#include "engine/charging/charging.h"
#include "engine/engine_private.h"
#include "engine/judge.h"
#include "engine/occupancy.h"
#include "engine/stop.h"
#include "policy/bank.h"
#include "policy/reason.h"

#include <string.h>

#define DRIFT_S   300 /* between looks at those whose price goes down by itself */
#define WATCHED_S (8 * 86400)
#define AGAIN_S   60 /* a bank elsewhere does not tell when there are credits again */

struct unfunded {
    int64_t until;    /* deposits begin or end */
    int64_t price_at; /* who waits is looked at again: another price may be in force */
    int64_t watched_until; /* as long as that: prices come again each week */
};

struct unfunded *unfunded_create(void)
{
    struct unfunded *u = xcalloc(1, sizeof *u);

    u->until = u->price_at = TIME_NEVER;
    return u;
}

void unfunded_destroy(struct unfunded *u)
{
    free(u);
}

/* Not before something else happens does another instant matter. */
static void find_until(struct engine *e)
{
    int64_t next = e->c->funds ? funds_next_change(e->c->funds, e->now) : INT64_MAX;

    e->money.unfunded->until = next < TIME_NEVER ? next : TIME_NEVER;
}

void unfunded_changed(struct engine *e)
{
    find_until(e);
}

/* Somebody waits: when is it to be looked at for the price's sake? Never where for more
 * than a week nothing else has happened. */
static void find_price_at(struct engine *e)
{
    struct unfunded *u = e->money.unfunded;
    int64_t next = TIME_NEVER;

    if (charging_refuses(e))
        next = bank_next_price(e->c, e->now);
    if (next < TIME_NEVER && bank_price_drifts(e->c)
        && time_add(e->now, DRIFT_S) < next)
        next = time_add(e->now, DRIFT_S);
    u->price_at = next <= u->watched_until ? next : TIME_NEVER;
}

void unfunded_begin(struct engine *e)
{
    struct unfunded *u = e->money.unfunded;
    bool due = u->until <= e->now, priced = u->price_at <= e->now;

    charging_flush(e);
    rents_look(e);
    if (due)
        find_until(e);
    if (u->price_at != e->now || due)
        u->watched_until = time_add(e->now, WATCHED_S);
    u->price_at = TIME_NEVER;
    if (charging_gives_hope(e, due || priced))
        queue_touch_order(e->queue);
}

/* "+x" is appended to the name of the account. */
static char *fallback_of(const struct engine *e, const struct job *j)
{
    const char *fallback = e->cfg->bank.fallback;
    struct strbuf name = {0};

    if (*fallback == '+' && j->cred[CRED_ACCOUNT])
        strbuf_add(&name, job_cred(e->c, j, CRED_ACCOUNT)->name);
    strbuf_add(&name, fallback + (*fallback == '+'));
    return strbuf_take(&name);
}

/* It is tried there in the next cycle. Only once: what it asked for is that account
 * now. */
static bool falls_back(struct engine *e, struct job *j)
{
    char *name = e->cfg->bank.fallback ? fallback_of(e, j) : NULL;
    const char *own =
        j->cred[CRED_ACCOUNT] ? job_cred(e->c, j, CRED_ACCOUNT)->name : "";
    size_t len = name ? strlen(name) : 0, had = strlen(own);
    const char *end = e->cfg->bank.fallback && *e->cfg->bank.fallback == '+'
                          ? e->cfg->bank.fallback + 1
                          : name;
    struct job_change ch = {.what = CHANGE_ACCOUNT};
    bool tried =
        len == 0 || (had >= strlen(end) && strcmp(own + had - strlen(end), end) == 0);

    ch.job.cred[CRED_ACCOUNT] = name;
    if (!tried
        && (bank_is_elsewhere(e->c)
            || funds_account(e->c->funds, name) != FUNDS_NONE)) {
        job_change_apply(e->c, j, &ch);
        job_changes(e, j, CHANGE_OF_REQUEST);
        judge_job(e, j);
        decisions_changed(e, j->index);
        wake_at(e, time_add(e->now, e->cfg->rm_poll_interval_s));
    } else {
        tried = true;
    }
    free(name);
    return !tried;
}

static void follow_refusal(struct engine *e, struct job *j, const char *text)
{
    if (e->cfg->bank.jfaction == JF_CANCEL)
        cancel_job(e, j, ENDED_FUNDS, text);
    else if (e->cfg->bank.jfaction == JF_DEFER)
        defer_job(e, j, REASON_NOALLOCATION, text);
}

void unfunded_refused(struct engine *e, struct job *j, bool own, const char *text)
{
    if (!own && falls_back(e, j))
        return;
    if (own || e->cfg->bank.jfaction == JF_NONE)
        pause_job(e, j, AGAIN_S, REASON_NOALLOCATION, text);
    else
        follow_refusal(e, j, text);
}

void unfunded_follow(struct engine *e)
{
    struct reason why = {0};
    char text[300];
    size_t n;
    const uint32_t *jobs = charging_refused(e, &n);

    for (size_t i = 0; i < n; i++) {
        struct job *j = e->c->jobs.v[jobs[i]];
        if (!j || !job_waits(j) || charging_awaits(e, j)
            || !bank_refuses(e->c, j, e->now, &why) || falls_back(e, j)
            || e->cfg->bank.jfaction == JF_NONE)
            continue; /* it waits; the text has a price: it counts the account's runs */
        reason_format_need(e->c, &why, text, sizeof text);
        follow_refusal(e, j, text);
    }
    charging_forget_refused(e);
    find_price_at(e);
}

int64_t unfunded_until(const struct engine *e)
{
    int64_t flush_at = charging_flush_at(e);

    int64_t next =
        e->money.unfunded->until < flush_at ? e->money.unfunded->until : flush_at;

    next = e->money.unfunded->price_at < next ? e->money.unfunded->price_at : next;
    return rents_due(e) < next ? rents_due(e) : next;
}
