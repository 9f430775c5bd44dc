/* SPDX-License-Identifier: Apache-2.0
 * RESERVATIONRETRYTIME: a job whose start failed keeps its claim for so long. It is
 * planned before all others, from the next second on, and its start is tried again at
 * the pace of the resource manager; when the time is used up it is a failed start like
 * any other. Source: reference reservations, section 8.5; rm-interfaces, section 7. */
#include "engine/engine_private.h"

/* Of the group whose depth its reservation counts against. */
static int64_t time_of(const struct engine *e, const struct job *j)
{
    uint32_t qos = j->cred[CRED_QOS];
    int8_t group = qos < e->group_of_qos.n ? e->group_of_qos.v[qos] : 0;

    return e->cfg->rsv_retry_s[group < 0 ? 0 : group];
}

/* When to try again, not later than the end of the claim. */
static int64_t next_try(const struct engine *e, const struct job *j, int64_t again_s)
{
    int64_t gap = again_s > 0 ? again_s : e->cfg->rm_poll_interval_s;
    int64_t at = time_add(e->now, gap > 0 ? gap : 1);

    return at < j->extra->retry_until ? at : j->extra->retry_until;
}

bool retry_claim(struct engine *e, struct job *j, int64_t again_s)
{
    int64_t keep = time_of(e, j);

    if (keep <= 0 || (j->flags & JOB_NOQUEUE))
        return false;
    struct job_extra *x = job_extra(j);
    if (!x->retry_until)
        x->retry_until = time_add(e->now, keep);
    if (e->now >= x->retry_until) {
        x->retry_until = 0;
        return false;
    }
    x->retry_at = next_try(e, j, again_s);
    e->retries = true;
    wake_at(e, x->retry_at);
    kept_touch(e);
    return true;
}

bool retry_stands(const struct engine *e, const struct job *j)
{
    return e->retries && j->extra && j->extra->retry_until
           && j->extra->retry_cycle == e->stats.cycles + 1;
}

/* Hold nodes from the next second on. */
static void hold(struct engine *e, struct job *j)
{
    struct job_extra *x = j->extra;
    struct slot slot;

    j->rsv_start_at = 0;
    if (!plan_first_fit(e->plan, j, e->now + 1, &slot)) {
        x->retry_until = 0;
        return;
    }
    plan_reserve(e->plan, j, &slot);
    x->retry_cycle = e->stats.cycles + 1;
    reserve_note(e, j);
    j->why.until = x->retry_at > slot.at ? x->retry_at : slot.at;
    wake_at(e, j->why.until);
}

static bool try_now(struct engine *e, struct job *j)
{
    int64_t until = j->extra->retry_until;
    struct slot slot;

    if (limits_any(e->limits, CHECK_ACTIVE) && !allowed_now(e, j, LEVEL_SOFT))
        return false;
    if (!plan_first_fit(e->plan, j, e->now, &slot) || slot.at > e->now
        || !start_job(e, j, slot.partition, false))
        return false;
    j->extra->retry_until = until; /* this start may fail as well */
    return true;
}

static void keep(struct engine *e, struct job *j)
{
    struct job_extra *x = j->extra;

    if (e->now >= x->retry_at) {
        if (try_now(e, j))
            return;
        if (e->now >= x->retry_until) {
            x->retry_until = 0;
            return;
        }
        x->retry_at = next_try(e, j, 0);
    }
    hold(e, j);
}

/* A claim slides on with the time, into what is reserved behind it: that is planned
 * anew after it, also where it would keep its place. */
static void make_way(struct engine *e)
{
    if (!e->keeps)
        plan_confirm_rest(e->plan);
    for (size_t i = e->front; i < e->hard.n; i++)
        plan_unreserve(e->plan, e->c->jobs.v[e->hard.v[i].job]);
}

void retry_keep(struct engine *e)
{
    struct indexes claims = {0};

    if (!e->retries)
        return;
    for (size_t i = e->front; i < e->hard.n; i++) {
        const struct job *j = e->c->jobs.v[e->hard.v[i].job];
        if (j->extra && j->extra->retry_until)
            vec_push(&claims, j->index);
    }
    if (claims.n)
        make_way(e);
    for (size_t i = 0; i < claims.n; i++)
        keep(e, e->c->jobs.v[claims.v[i]]);
    e->retries = claims.n > 0;
    if (e->retries)
        kept_touch(e);
    vec_fini(&claims);
}
