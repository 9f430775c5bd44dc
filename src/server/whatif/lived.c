/* SPDX-License-Identifier: Apache-2.0
 * What two lives come to for jobs, up to the instant that both got to. */
#include "server/render/render.h"
#include "server/server_private.h"
#include "server/whatif/lives.h"

#include <stdlib.h>

static bool is_known(const struct lived *lived)
{
    return lived->stands.n > 0;
}

int64_t lives_until(const struct lives *l)
{
    int64_t before = l->before.life.until, after = l->after.life.until;

    return is_known(&l->after) && after < before ? after : before;
}

/* ---- how jobs stand ---- */

static bool is_seen(const struct lives *l, const struct identity *who,
    const struct picture *now, uint32_t job)
{
    const struct cluster *c = engine_cluster(l->s->engine);

    return job < now->jobs.n ? now->jobs.v[job].seen
           : c->jobs.v[job]  ? identity_sees_job(who, c, c->jobs.v[job])
                             : false;
}

/* As far as its runs tell: the first that counts. */
static void stand_by_run(const struct lives *l, const struct picture *now,
    const struct life_run *run, int64_t until, struct picture *io)
{
    struct standing *is = &io->jobs.v[run->job].standing;
    bool cut = run->stopped && run->until_at <= until;
    bool ran =
        run->job < now->jobs.n && now->jobs.v[run->job].standing.stand == STAND_RUNNING;

    if (is->stand != STAND_NONE || run->again || run->from_at > until)
        return;
    if (ran && run->began && !cut)
        *is = (struct standing){.stand = STAND_RUNNING, .at = run->from_at};
    else if (!run->began)
        *is = (struct standing){
            .stand = run->from_at == l->now ? STAND_RUNNING : STAND_FORECAST,
            .at = run->from_at};
}

/* Of one that is suspended all along. */
static bool stays_suspended(
    const struct picture *now, const struct lived *lived, uint32_t job)
{
    return job < now->jobs.n && now->jobs.v[job].standing.stand == STAND_RUNNING
           && lived->stands.v[job].stand == STAND_RUNNING;
}

static struct standing stand_at_end(
    const struct picture *now, const struct lived *lived, uint32_t job, int64_t until)
{
    enum stand stand = lived->stands.v[job].stand;

    if (stays_suspended(now, lived, job))
        return now->jobs.v[job].standing;
    if (stand == STAND_HELD || stand == STAND_NEVER || stand == STAND_NONE)
        return (struct standing){.stand = stand};
    return (struct standing){.stand = STAND_BEYOND, .at = until};
}

void lives_picture(const struct lives *l, const struct identity *who,
    const struct picture *now, const struct lived *lived, struct picture *ret)
{
    int64_t until = lives_until(l);
    const struct life_runs *runs = &lived->life.runs;

    *ret = (struct picture){0};
    for (uint32_t i = 0; i < lived->stands.n; i++)
        vec_push(&ret->jobs, ((struct pictured){.seen = is_seen(l, who, now, i)}));
    for (size_t i = 0; i < runs->n; i++)
        stand_by_run(l, now, &runs->v[i], until, ret);
    for (size_t i = 0; i < runs->n; i++) /* it starts after that instant */
        if (!runs->v[i].began && runs->v[i].from_at > until
            && ret->jobs.v[runs->v[i].job].standing.stand == STAND_NONE)
            ret->jobs.v[runs->v[i].job].standing =
                (struct standing){.stand = STAND_BEYOND, .at = until};
    for (uint32_t i = 0; i < ret->jobs.n; i++) {
        struct standing *is = &ret->jobs.v[i].standing;
        if (is->stand == STAND_NONE)
            *is = stand_at_end(now, lived, i, until);
        if (i < now->jobs.n && now->jobs.v[i].standing.stand == STAND_PROMISED)
            is->promised_at = now->jobs.v[i].standing.at;
        ret->count[is->stand] += ret->jobs.v[i].seen;
    }
}

/* ---- what they come to in all ---- */

static int compare_lengths(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

static int64_t count_procs(const struct cluster *c)
{
    int64_t procs = 0;

    for (uint32_t i = 0; i < c->nodes.n; i++)
        procs += node_at(c, i)->global ? 0 : node_at(c, i)->cfg.v[RES_PROCS];
    return procs;
}

/* Waits from submission to start, of those that start. */
static void put_waits(json_t *totals, int64_t *waits, size_t n)
{
    double sum = 0;

    render_int(totals, "starts", (int64_t)n);
    if (!n)
        return;
    qsort(waits, n, sizeof *waits, compare_lengths);
    for (size_t i = 0; i < n; i++)
        sum += (double)waits[i];
    render_int(totals, "wait_average_s", (int64_t)(sum / (double)n));
    render_int(totals, "wait_95_s", waits[(n * 95 + 99) / 100 - 1]);
}

static void put_use(const struct lives *l, const struct picture *p,
    const struct life_runs *runs, json_t *totals)
{
    int64_t until = lives_until(l), procs = count_procs(engine_cluster(l->s->engine));
    double used = 0, all = (double)procs * (double)(until - l->now);

    for (size_t i = 0; i < runs->n; i++) {
        const struct life_run *run = &runs->v[i];
        int64_t from = run->from_at > l->now ? run->from_at : l->now;
        int64_t to = run->until_at < until ? run->until_at : until;
        if (p->jobs.v[run->job].seen && to > from)
            used += (double)run->procs * (double)(to - from);
    }
    if (all > 0)
        json_object_set_new(totals, "use", json_real(used / all));
}

void lives_totals(const struct lives *l, const struct picture *p,
    const struct lived *lived, json_t *totals)
{
    const struct cluster *c = engine_cluster(l->s->engine);
    struct VEC(int64_t) waits = {0};
    int64_t backlog = 0;

    for (uint32_t i = 0; i < p->jobs.n && i < lived->stands.n; i++) {
        const struct pictured *one = &p->jobs.v[i];
        enum stand stand = one->standing.stand;
        if (one->seen
            && (stand == STAND_BEYOND || stand == STAND_HELD || stand == STAND_NEVER))
            backlog += lived->stands.v[i].asks_ps;
    }
    for (size_t i = 0; i < lived->life.runs.n; i++) {
        const struct life_run *run = &lived->life.runs.v[i];
        const struct pictured *one = &p->jobs.v[run->job];
        const struct job *j = run->job < c->jobs.n ? c->jobs.v[run->job] : NULL;
        if (j && one->seen && !run->began && !run->again
            && one->standing.at == run->from_at)
            vec_push(&waits, run->from_at - j->submit_at);
    }
    put_waits(totals, waits.v, waits.n);
    put_use(l, p, &lived->life.runs, totals);
    render_int(totals, "backlog_ps", backlog);
    vec_fini(&waits);
}
