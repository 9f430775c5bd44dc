/* SPDX-License-Identifier: Apache-2.0
 * When members are expected to start: in the order of the plan, if jobs run as long as
 * is predicted. Worked out when a member is new, for whom it is noted, and when
 * somebody asks; nothing is decided by it. Source: reference plan-search, section 6. */
#include "plan/expected.h"

#include "config/settings.h"
#include "engine/planning/private.h"

/* A member of the last plan that waits still. */
struct expecting {
    uint32_t job, partition;
    int64_t planned;
};

struct queue_of VEC(struct expecting);

static int compare_planned(const void *left, const void *right)
{
    const struct expecting *a = left, *b = right;

    if (a->planned != b->planned)
        return a->planned < b->planned ? -1 : 1;
    return a->job < b->job ? -1 : 1;
}

static void add_member(struct engine *e, const struct member *m, struct queue_of *io)
{
    const struct job *j = m->job < e->c->jobs.n ? e->c->jobs.v[m->job] : NULL;

    if (j && job_waits(j) && m->start_at < TIME_NEVER && m->partition != INDEX_NONE
        && m->partition < e->c->partitions.n)
        vec_push(io, ((struct expecting){m->job, m->partition, m->start_at}));
}

/* In the order of the plan. */
static struct queue_of list_members(struct engine *e)
{
    struct planning *p = e->passes.planning;
    struct queue_of all = {0};

    for (size_t i = 0; i < p->members.n; i++)
        add_member(e, &p->members.v[i], &all);
    for (size_t i = 0; i < p->fixed.n; i++)
        add_member(e, &p->fixed.v[i], &all);
    if (all.n)
        qsort(all.v, all.n, sizeof *all.v, compare_planned);
    return all;
}

static int64_t end_of(void *ctx, const struct job *j)
{
    return predictions_end(ctx, j);
}

/* What is free, and what limits leave; a wish for each of them, which says its limits
 * alone. */
static void open_parts(struct engine *e, const struct queue_of *all)
{
    struct wishes *w = &e->passes.planning->expected.foreseen;
    struct bitset jobs = {0};
    struct bounds b = {0};

    for (size_t i = 0; i < all->n; i++)
        bitset_set(&jobs, all->v[i].job);
    expected_parts(e->plan, &jobs, end_of, e, w);
    bounds_begin(e, &b);
    for (uint32_t i = 0; i < all->n; i++) {
        vec_push(&w->v, ((struct wish){0}));
        bounds_add(e, &b, e->c->jobs.v[all->v[i].job], i);
    }
    bounds_settle(e, &b, w);
    bounds_open(e, &b, &jobs, end_of, e, w);
    bounds_fini(&b);
    bitset_fini(&jobs);
}

/* Who cannot be counted so is expected where it is planned. */
static int64_t expect_member(
    struct engine *e, const struct expecting *x, const struct wish *limited)
{
    struct wishes *w = &e->passes.planning->expected.foreseen;
    const struct job *j = e->c->jobs.v[x->job];
    struct wish wish;
    double run_s = predictions_run(e, j).run_s;
    int64_t duration_s =
        run_s < (double)DURATION_UNLIMITED ? (int64_t)run_s : DURATION_UNLIMITED;

    if (!expected_wish(e->plan, j, x->partition, duration_s, w, &wish))
        return x->planned;
    wish.not_before = w->now;
    wish.first_limit = limited->first_limit;
    wish.limits = limited->limits;
    int64_t at = wishes_fit(w, w->parts.v, &wish, w->now);
    if (at >= TIME_NEVER)
        return x->planned;
    wishes_take(w, w->parts.v, &wish, at);
    return at;
}

/* Not later than it was promised. */
static struct expected_start bound_start(
    struct engine *e, const struct job *j, int64_t at)
{
    struct promise row;
    int64_t latest = promises_of(e->promises, j, PROMISE_START, &row) ? row.latest_start
                                                                      : TIME_NEVER;
    at = at < latest ? at : latest;
    struct expected_start x = predictions_interval(e, at > e->now ? at : e->now);

    if (x.until && x.until > latest)
        x.until = latest > x.at ? latest : x.at;
    if (x.until && x.from > x.until)
        x.from = x.until;
    return x;
}

static void work_out(struct engine *e)
{
    struct planning *p = e->passes.planning;
    struct queue_of all = list_members(e);

    open_parts(e, &all);
    p->expected.look++;
    for (size_t i = 0; i < all.n; i++) {
        const struct expecting *x = &all.v[i];
        if (x->job >= p->expected.of.n)
            vec_push_zeros(&p->expected.of, x->job + 1 - p->expected.of.n);
        p->expected.of.v[x->job] = (struct expected_of){
            expect_member(e, x, &p->expected.foreseen.v.v[i]), p->expected.look};
    }
    p->expected.cycle = e->stats.cycles;
    vec_fini(&all);
}

void expected_look(struct engine *e)
{
    if (e->cfg->plan.prediction == PREDICTION_NONE)
        return;
    work_out(e);
    e->passes.planning->expected.pass = e->passes.planning->pass;
}

int64_t expected_at(const struct engine *e, const struct member *m, int64_t planned)
{
    const struct planning *p = e->passes.planning;
    bool looked = p->expected.pass == p->pass && m->job < p->expected.of.n
                  && p->expected.of.v[m->job].look == p->expected.look;

    return looked && p->expected.of.v[m->job].at < planned ? p->expected.of.v[m->job].at
                                                           : planned;
}

static bool any_new(const struct engine *e)
{
    const struct planning *p = e->passes.planning;

    for (size_t i = 0; i < p->members.n + p->fixed.n; i++) {
        const struct member *m =
            i < p->members.n ? &p->members.v[i] : &p->fixed.v[i - p->members.n];
        const struct job *j = e->c->jobs.v[m->job];
        if (j && job_waits(j) && m->start_at < TIME_NEVER && predictions_is_new(e, j))
            return true;
    }
    return false;
}

static struct expected_start start_of(struct engine *e, const struct job *j)
{
    const struct planning *p = e->passes.planning;

    if (j->index >= p->expected.of.n
        || p->expected.of.v[j->index].look != p->expected.look || !job_waits(j))
        return (struct expected_start){0};
    return bound_start(e, j, p->expected.of.v[j->index].at);
}

void expected_note(struct engine *e)
{
    struct planning *p = e->passes.planning;

    p->expected.cycle = UINT64_MAX;
    if (e->cfg->plan.prediction == PREDICTION_NONE || !any_new(e))
        return;
    work_out(e);
    for (size_t i = 0; i < p->members.n + p->fixed.n; i++) {
        const struct member *m =
            i < p->members.n ? &p->members.v[i] : &p->fixed.v[i - p->members.n];
        const struct job *j = e->c->jobs.v[m->job];
        struct expected_start x = j ? start_of(e, j) : (struct expected_start){0};
        if (x.at && predictions_is_new(e, j))
            predictions_note(e, j, &x);
    }
    p->expected.cycle = UINT64_MAX; /* others may start in this cycle */
}

struct expected_start planning_expected(struct engine *e, const struct job *j)
{
    if (e->cfg->plan.prediction == PREDICTION_NONE || !settings_plan_together(e->cfg)
        || !e->stats.cycles)
        return (struct expected_start){0};
    if (e->passes.planning->expected.cycle != e->stats.cycles)
        work_out(e);
    return start_of(e, j);
}
