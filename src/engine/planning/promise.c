/* SPDX-License-Identifier: Apache-2.0
 * Latest starts. One that is promised is never put off; it is moved forward where the
 * site wants that. Source: reference plan-search, sections 1 and 3. */
#include "config/settings.h"
#include "engine/calendar.h"
#include "engine/leaving.h"
#include "engine/planning/private.h"
#include "engine/statistics/statistics.h"

#define HIGH_SLACK 0.25 /* of PROMISESLACK, in a band above the normal one */
#define LOW_SLACK  4

static int64_t slack_of(const struct engine *e, const struct job *j, uint32_t band)
{
    const struct cred_cfg *qos = job_cred(e->c, j, CRED_QOS)->cfg;
    double slack = (double)e->cfg->plan.slack_s;

    if (qos->promise_slack_s != SLACK_UNSET)
        return qos->promise_slack_s;
    uint32_t normal = members_band(e, 0);
    if (band != normal)
        slack *= band > normal ? HIGH_SLACK : LOW_SLACK;
    return slack < (double)DURATION_UNLIMITED ? (int64_t)slack : DURATION_UNLIMITED;
}

/* Who is to start then starts by this at the latest. Who has long to wait, by what runs
 * are expected to take, is promised less exactly: what comes in that time needs room,
 * too. Where limits are far too long that comes early by itself. */
static int64_t latest_of(
    const struct engine *e, const struct member *m, uint32_t band, int64_t start)
{
    const struct job *j = e->c->jobs.v[m->job];
    int64_t expected = expected_at(e, m, start);
    double share = e->cfg->plan.slack_share * (double)(expected - e->now);
    int64_t more =
        share < (double)DURATION_UNLIMITED ? (int64_t)share : DURATION_UNLIMITED;

    return time_add(time_add(start, slack_of(e, j, band)), more);
}

static bool may_tighten(const struct engine *e)
{
    const struct plan_settings *s = &e->cfg->plan;

    return s->tighten == TIGHTEN_YES
           || (s->tighten == TIGHTEN_UNSET && s->horizon_s == HORIZON_SUBMIT);
}

/* Where jobs are leaving their nodes yet, what is planned may come so much later. */
static int64_t tighten_to(const struct engine *e, int64_t latest, int64_t start)
{
    int64_t late =
        leaving_any(e->troubles.leaving) ? time_add(start, DUE_WAITS_S) : start;

    return latest > late ? latest : late;
}

static bool all_are_promised(const struct planning *p)
{
    for (size_t i = 0; i < p->wishes.v.n; i++)
        if (p->wishes.v.v[i].latest == TIME_NEVER)
            return false;
    return true;
}

/* What it would be promised by the present plan: some of it is offered. */
static void offer_start(struct engine *e, size_t i, int64_t site_start)
{
    struct planning *p = e->passes.planning;
    const struct plan_settings *s = &e->cfg->plan;
    struct wish *wish = &p->wishes.v.v[i];
    const struct member *m = &p->members.v[i];
    int64_t start = m->start_at;
    bool new = wish->latest == TIME_NEVER, at_once = s->horizon_s == HORIZON_SUBMIT;

    if (start >= TIME_NEVER)
        return;
    if (new &&at_once)
        wish->latest = latest_of(e, m, wish->band, start);
    if (site_start >= TIME_NEVER)
        return;
    int64_t latest = latest_of(e, m, wish->band, site_start);
    latest = latest > start ? latest : start;
    if (new && !at_once && site_start < time_add(e->now, s->horizon_s))
        wish->latest = latest;
    latest = tighten_to(e, latest, start);
    if (wish->latest < TIME_NEVER && may_tighten(e) && latest < wish->latest)
        wish->latest = latest;
}

void promise_put_off(
    struct engine *e, const struct member *m, struct wish *io, bool failed)
{
    struct promise *row =
        promises_row(e->promises, e->c->jobs.v[m->job], PROMISE_START);

    if (!row || m->start_at <= row->latest_start)
        return;
    if (m->start_at >= TIME_NEVER) { /* what is left of the machine cannot hold it */
        promises_lapse(e->promises, e->c->jobs.v[m->job]);
        if (io)
            io->latest = TIME_NEVER;
        return;
    }
    failed |= row->failed;
    if (failed || m->start_at > due_latest(e, row))
        broken_put_off(e, row, m->start_at, failed);
    if (io)
        io->latest = m->start_at;
}

void promise_offer(struct engine *e, const struct search_terms *t)
{
    struct planning *p = e->passes.planning;
    double cost;

    for (size_t i = 0; i < p->members.n; i++)
        promise_put_off(e, &p->members.v[i], &p->wishes.v.v[i], false);
    for (size_t i = 0; i < p->fixed.n; i++)
        promise_put_off(e, &p->fixed.v[i], NULL, false);
    if (!may_tighten(e) && all_are_promised(p))
        return;
    if (e->cfg->plan.slack_share > 0)
        expected_look(e);
    search_list(&p->wishes, t, p->site.v, p->starts.v, &cost);
    for (size_t i = 0; i < p->members.n; i++)
        offer_start(e, i, p->starts.v[i]);
}

/* Are the standing reservations there that it may meet, if it starts then? Who starts
 * now has met all of them. */
static bool is_foreseen(struct engine *e, const struct member *m, int64_t latest)
{
    const struct job *j = e->c->jobs.v[m->job];

    if (m->start_at <= e->now || latest >= TIME_NEVER)
        return true;
    return calendar_reach(
        e, time_add(latest, plan_reserved_until(e->plan, j) - m->start_at));
}

static void promise_member(struct engine *e, const struct member *m, int64_t latest)
{
    const struct job *j = e->c->jobs.v[m->job];
    struct promise *row = promises_row(e->promises, j, PROMISE_START);

    latest = latest > m->start_at ? latest : m->start_at;
    if (!row && !is_foreseen(e, m, latest))
        return;
    if (!row) {
        promises_make(e->promises, j, PROMISE_START)->latest_start = latest;
        statistics_promise(e->learned.statistics, STAT_PROMISED, CAUSE_NONE);
    } else if (latest < row->latest_start)
        broken_tighten(e, row, latest);
}

/* Nothing moves it by itself: where it is, it would be by priority. */
static void promise_fixed(struct engine *e, const struct member *m)
{
    const struct job *j = e->c->jobs.v[m->job];
    bool near = m->start_at < time_add(e->now, e->cfg->plan.horizon_s);

    if (near && !promises_has_start(e->promises, j))
        promise_member(
            e, m, latest_of(e, m, members_band(e, j->cred[CRED_QOS]), m->start_at));
}

void promise_make(struct engine *e)
{
    struct planning *p = e->passes.planning;

    for (size_t i = 0; i < p->fixed.n; i++)
        if (p->fixed.v[i].start_at < TIME_NEVER)
            promise_fixed(e, &p->fixed.v[i]);
    for (size_t i = 0; i < p->members.n; i++)
        if (p->members.v[i].start_at < TIME_NEVER
            && p->wishes.v.v[i].latest < TIME_NEVER)
            promise_member(e, &p->members.v[i], p->wishes.v.v[i].latest);
}
