/* SPDX-License-Identifier: Apache-2.0
 * Latest starts. One that is promised is never put off; it is moved forward where the
 * site wants that. Source: reference plan-search, sections 1 and 3. */
#include "config/settings.h"
#include "engine/planning/private.h"

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

static bool tightens(const struct plan_settings *s)
{
    return s->tighten == TIGHTEN_YES
           || (s->tighten == TIGHTEN_UNSET && s->horizon_s == HORIZON_SUBMIT);
}

static bool all_are_promised(const struct planning *p)
{
    for (size_t i = 0; i < p->wishes.v.n; i++)
        if (p->wishes.v.v[i].latest == TIME_NEVER)
            return false;
    return true;
}

static void promise_start(
    struct engine *e, struct job *j, struct wish *io, int64_t latest)
{
    promises_make(e->promises, j, PROMISE_START)->latest_start = latest;
    io->latest = latest;
}

/* Where everybody is promised something at once, that rests on the present plan. */
static void consider(struct engine *e, size_t i, int64_t site_start)
{
    struct planning *p = e->planning;
    const struct plan_settings *s = &e->cfg->plan;
    struct wish *wish = &p->wishes.v.v[i];
    struct job *j = e->c->jobs.v[p->members.v[i].job];
    int64_t start = p->members.v[i].start_at, slack = slack_of(e, j, wish->band);
    bool new = wish->latest == TIME_NEVER, at_once = s->horizon_s == HORIZON_SUBMIT;

    if (start >= TIME_NEVER)
        return;
    if (new &&at_once)
        promise_start(e, j, wish, time_add(start, slack));
    if (site_start >= TIME_NEVER)
        return;
    int64_t latest = time_add(site_start, slack);
    latest = latest > start ? latest : start;
    if (new && !at_once && site_start < time_add(e->now, s->horizon_s))
        promise_start(e, j, wish, latest);
    if (wish->latest < TIME_NEVER && tightens(s) && latest < wish->latest)
        promise_start(e, j, wish, latest);
}

/* By priority alone it would start where it is: nothing moves it. */
void promise_fixed(struct engine *e)
{
    const struct plan_settings *s = &e->cfg->plan;

    for (size_t i = 0; i < e->planning->fixed.n; i++) {
        const struct member *m = &e->planning->fixed.v[i];
        struct job *j = e->c->jobs.v[m->job];
        struct wish wish = {.band = members_band(e, j->cred[CRED_QOS])};
        if (m->start_at < time_add(e->now, s->horizon_s)
            && !promises_has(e->promises, j, PROMISE_START))
            promise_start(
                e, j, &wish, time_add(m->start_at, slack_of(e, j, wish.band)));
    }
}

void promise_members(struct engine *e, const struct search_terms *t)
{
    struct planning *p = e->planning;
    double cost;

    if (!tightens(&e->cfg->plan) && all_are_promised(p))
        return;
    search_list(&p->wishes, t, p->site.v, p->starts.v, &cost);
    for (size_t i = 0; i < p->members.n; i++)
        consider(e, i, p->starts.v[i]);
}
