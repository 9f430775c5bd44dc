/* SPDX-License-Identifier: Apache-2.0
 * The pass: see planning.h. */
#include "engine/planning/planning.h"

#include "config/settings.h"
#include "engine/admission.h"
#include "engine/passes.h"
#include "engine/planning/private.h"
#include "engine/preempt.h"
#include "engine/shorten.h"
#include "engine/start.h"

struct planning *planning_create(void)
{
    return xcalloc(1, sizeof(struct planning));
}

void planning_destroy(struct planning *p)
{
    wishes_fini(&p->wishes);
    bounds_fini(&p->bounds);
    wishes_fini(&p->window);
    wishes_fini(&p->expected.foreseen);
    vec_fini(&p->expected.of);
    vec_fini(&p->fulfilled);
    bitset_fini(&p->jobs);
    bitset_fini(&p->fixed_jobs);
    bitset_fini(&p->unlifted);
    bitset_fini(&p->due);
    vec_fini(&p->members);
    vec_fini(&p->fixed);
    vec_fini(&p->apart);
    vec_fini(&p->bands);
    vec_fini(&p->known);
    vec_fini(&p->order);
    vec_fini(&p->site);
    vec_fini(&p->starts);
    vec_fini(&p->chosen);
    free(p);
}

/* ---- the present plan ---- */

struct placed {
    bool behind;
    int64_t at;
    uint32_t member;
};

static int compare_placed(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;

    if (a->behind != b->behind)
        return a->behind ? 1 : -1;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return a->member < b->member ? -1 : 1;
}

/* By start, and by priority where that is the same, or there is none; if need be those
 * that are promised nothing behind all others. */
static void sort_order(struct planning *p, bool promised_first)
{
    struct placed *placed = xcalloc(p->members.n + 1, sizeof *placed);

    for (uint32_t i = 0; i < p->members.n; i++)
        placed[i] =
            (struct placed){promised_first && p->wishes.v.v[i].latest == TIME_NEVER,
                p->members.v[i].start_at, i};
    qsort(placed, p->members.n, sizeof *placed, compare_placed);
    for (uint32_t i = 0; i < p->members.n; i++)
        p->order.v[i] = placed[i].member;
    free(placed);
}

/* Has it that place already? */
static bool is_reserved(const struct engine *e, const struct member *m)
{
    const struct job *j = e->c->jobs.v[m->job];
    const struct planned *r = plan_reservation_of(e->plan, j);

    return r && plan_is_reserved(e->plan, j) && r->start_at == m->start_at
           && r->partition == m->partition;
}

/* Has nothing come free early since the last cycle? Then all who had a place have it.
 */
static bool places_stand(const struct engine *e)
{
    const struct planning *p = e->passes.planning;

    for (size_t i = 0; i < p->members.n; i++)
        if (p->members.v[i].start_at < TIME_NEVER
            && (!is_reserved(e, &p->members.v[i]) || p->members.v[i].start_at < e->now))
            return false;
    return plan_stands(e->plan);
}

/* Who had places has them, if limits have room for that: by an order or another QOS
 * they may not. */
static bool list_old(struct planning *p)
{
    struct wishes *w = &p->window;

    wishes_begin_as(w, &p->wishes);
    for (size_t i = 0; i < p->members.n; i++) {
        const struct wish *wish = &p->wishes.v.v[i];
        int64_t at = p->members.v[i].start_at;
        if (at >= TIME_NEVER)
            continue;
        if (wish->limits && wishes_fit_limits(w, w->parts.v, wish, at) != at)
            return false;
        wishes_take(w, w->parts.v, wish, at);
    }
    return true;
}

/* Then who is new comes where there is room; holes in the plan are theirs. */
static void list_new(struct planning *p)
{
    struct wishes *w = &p->window;

    for (size_t i = 0; i < p->members.n; i++) {
        struct member *m = &p->members.v[i];
        if (m->start_at < TIME_NEVER)
            continue;
        m->start_at = wishes_fit(w, w->parts.v, &p->wishes.v.v[i], w->now);
        if (m->start_at < TIME_NEVER)
            wishes_take(w, w->parts.v, &p->wishes.v.v[i], m->start_at);
    }
}

static void make_room(struct planning *p)
{
    planning_resize(&p->order, p->members.n);
    planning_resize(&p->site, p->members.n);
    planning_resize(&p->starts, p->members.n);
    for (uint32_t i = 0; i < p->members.n; i++)
        p->site.v[i] = i;
}

/* As in the last cycle, each as early as it can be by now; then who is new. */
static void list_present(
    struct engine *e, const struct search_terms *t, bool promised_first)
{
    struct planning *p = e->passes.planning;
    double cost;

    make_room(p);
    for (uint32_t i = 0; i < p->members.n; i++)
        p->members.v[i].start_at = members_planned(e, &p->members.v[i]);
    if (!promised_first && places_stand(e) && list_old(p)) {
        list_new(p);
        sort_order(p, false);
        return;
    }
    sort_order(p, promised_first);
    if (!search_list(&p->wishes, t, p->order.v, p->starts.v, &cost)) {
        sort_order(p, true);
        search_list(&p->wishes, t, p->order.v, p->starts.v, &cost);
    }
    for (uint32_t i = 0; i < p->members.n; i++)
        p->members.v[i].start_at = p->starts.v[i];
}

/* ---- in the plan of the nodes ---- */

/* Where counts are right: the start that was found. */
static bool reserve_member(struct engine *e, uint32_t i)
{
    struct member *m = &e->passes.planning->members.v[i];
    const struct job *j = e->c->jobs.v[m->job];
    struct slot slot;

    if (!plan_fit_in(e->plan, j, m->partition, m->start_at, &slot)) {
        m->start_at = TIME_NEVER;
        return e->passes.planning->wishes.v.v[i].latest == TIME_NEVER;
    }
    plan_reserve(e->plan, j, &slot);
    e->stats.reserved++;
    m->start_at = slot.at;
    return slot.at <= e->passes.planning->wishes.v.v[i].latest;
}

/* Reservations that would come out the same stand, unless others have been laid behind
 * them since. False: a promise would be broken. */
static bool reserve_members(struct engine *e)
{
    struct planning *p = e->passes.planning;
    bool stand = true, kept = true;

    for (size_t k = 0; k < p->members.n; k++) {
        uint32_t i = p->order.v[k];
        const struct member *m = &p->members.v[i];
        const struct job *j = e->c->jobs.v[m->job];
        if (stand && is_reserved(e, m) && plan_confirm(e->plan, j))
            continue;
        if (stand)
            plan_confirm_rest(e->plan);
        stand = false;
        if (m->start_at < TIME_NEVER)
            kept &= reserve_member(e, i);
    }
    if (stand)
        plan_confirm_rest(e->plan);
    return kept;
}

static void unreserve_members(struct engine *e)
{
    struct planning *p = e->passes.planning;

    for (size_t k = p->members.n; k-- > 0;)
        plan_unreserve(e->plan, e->c->jobs.v[p->members.v[p->order.v[k]].job]);
}

/* ---- starts ---- */

/* It cannot start when it was to, because a start failed or others are there: later,
 * then, and it is promised that if nothing sooner can be. Limits are not asked: those
 * behind it still have the places that it comes before, and the next cycle lists all of
 * them within their limits. */
static void put_later(struct engine *e, struct member *m, struct job *j, bool failed)
{
    struct slot slot;

    plan_unplanned(e->plan);
    plan_unreserve(e->plan, j);
    m->start_at = TIME_NEVER;
    if (plan_first_fit(e->plan, j, e->now + 1, &slot)) {
        plan_reserve(e->plan, j, &slot);
        m->start_at = slot.at;
        m->partition = slot.partition;
        promise_put_off(e, m, NULL, failed);
    }
}

/* Where it was. False: others have some of it now, or one past its limit. */
static bool lay_back(
    struct engine *e, const struct member *m, const struct lifted_rsv *own)
{
    const struct job *j = e->c->jobs.v[m->job];
    struct slot slot;

    if (own)
        return plan_lay_back(e->plan, j, own);
    if (!plan_fit_in(e->plan, j, m->partition, m->start_at, &slot)
        || slot.at > m->start_at)
        return false;
    plan_reserve(e->plan, j, &slot);
    return true;
}

/* Not due: it may preempt, or go with less of its limit, at once. Its place is in
 * nobody's way then. Where it does not go, nobody has started, nor has been planned,
 * since that was lifted; so it is laid back, unless somebody past a limit is there, and
 * that puts off what was promised in any case. */
static void try_sooner(struct engine *e, struct member *m)
{
    struct job *j = e->c->jobs.v[m->job];

    if (shorten_start_reserved(e, j, LEVEL_SOFT) || !preempt_may_suffice(e, j)
        || m->start_at >= TIME_NEVER || !allowed_now(e, j, LEVEL_SOFT))
        return;
    struct lifted_rsv *own = plan_lift(e->plan, j);
    if (!preempt_start(e, j, false) && !lay_back(e, m, own))
        put_later(e, m, j, false);
    lifted_rsv_free(own);
}

static void start_member(struct engine *e, struct member *m)
{
    struct job *j = e->c->jobs.v[m->job];

    if (admission_asks(e, ADMIT_SOFT) && !allowed_now(e, j, LEVEL_SOFT)) {
        plan_unreserve(e->plan, j);
        return;
    }
    plan_make_way(e->plan, j);
    bool started = start_job(e, j, m->partition, false);
    if (!started && due_waits(e, m))
        return;
    due_ends(e, m);
    if (!started)
        put_later(e, m, j, true);
}

/* It starts, or where it is in the plan now. */
static void settle_member(struct engine *e, struct member *m)
{
    struct job *j = e->c->jobs.v[m->job];

    if (m->start_at <= e->now)
        start_member(e, m);
    else
        try_sooner(e, m);
    if (!job_waits(j))
        return;
    due_note(e, m);
    if (e->cfg->plan.fill == FILL_PROMISED && !promises_has_start(e->promises, j))
        plan_unreserve(e->plan, j); /* others may have its place */
    if (m->start_at < TIME_NEVER)
        wake_at(e, m->start_at);
}

static void settle_members(struct engine *e)
{
    struct planning *p = e->passes.planning;

    for (size_t i = 0; i < p->fixed.n; i++)
        settle_member(e, &p->fixed.v[i]);
    for (size_t k = 0; k < p->members.n; k++)
        settle_member(e, &p->members.v[p->order.v[k]]);
    for (size_t i = 0; i < p->apart.n; i++)
        pass_place(e, e->c->jobs.v[p->apart.v[i]], LEVEL_SOFT);
}

/* PLANTIME is used up. */
static bool is_late(void *ctx)
{
    const struct engine *e = ctx;

    return e->opt.monotonic_ms() - e->passes.planning->began_ms >= e->cfg->plan.time_ms;
}

static void begin_time(struct engine *e)
{
    if (e->opt.monotonic_ms)
        e->passes.planning->began_ms = e->opt.monotonic_ms();
}

static struct search_terms terms_of(struct engine *e)
{
    const struct plan_settings *s = &e->cfg->plan;
    bool bounded = s->time_ms > 0 && e->opt.monotonic_ms;

    return (struct search_terms){.wait_exponent = s->wait_exponent,
        .band_factor = s->band_factor,
        .evaluations = (uint32_t)s->evaluations,
        .seed = (uint64_t)s->seed ^ (uint64_t)e->now,
        .late = bounded ? is_late : NULL,
        .ctx = e};
}

/* A job that is held, or over a limit, has a promise no longer. */
static void drop_promises(struct engine *e)
{
    size_t n;
    const struct promise *rows = promises_rows(e->promises, PROMISE_START, &n);

    for (size_t i = n; i-- > 0;) {
        const struct job *j = e->c->jobs.v[rows[i].job];
        if (!keeping_stands(e, j, PROMISE_RETRY)
            && !bitset_test(&e->passes.planning->jobs, j->index)
            && !bitset_test(&e->passes.planning->fixed_jobs, j->index))
            promises_lapse(e->promises, j);
    }
}

/* Where counts say what there is: a plan of them, then one of the nodes. */
static void plan_by_count(struct engine *e, struct search_terms *t)
{
    struct planning *p = e->passes.planning;

    members_weigh(e, true);
    due_weigh(e);
    list_present(e, t, false);
    promise_offer(e, t);
    sort_order(p, false);
    if (window_search(p, t, (size_t)e->cfg->plan.window))
        sort_order(p, false);
    if (!reserve_members(e)) {
        unreserve_members(e);
        list_present(e, t, true);
        reserve_members(e);
    }
}

/* Where they do not: the plan of the nodes, and what betters it. Each has PLANTIME. */
static void plan_by_node(struct engine *e, struct search_terms *t)
{
    struct planning *p = e->passes.planning;

    begin_time(e);
    kept_place(e, t);
    begin_time(e);
    returns_try(e, t);
    begin_time(e);
    members_weigh(e, false);
    make_room(p);
    promise_offer(e, t);
    sort_order(p, false);
    kept_search(e, t);
    sort_order(p, false);
    plan_trust(e->plan);
}

void planning_pass(struct engine *e, const struct queue_view *jobs)
{
    struct planning *p = e->passes.planning;
    struct search_terms t = terms_of(e);

    begin_time(e);
    members_collect(e, jobs);
    drop_promises(e);
    due_begin(e);
    if (kept_wanted(p))
        plan_by_node(e, &t);
    else
        plan_by_count(e, &t);
    promise_make(e);
    settle_members(e);
    plan_owe_none(e->plan);
    expected_note(e);
}

void planning_drop(struct engine *e)
{
    size_t n;
    const struct promise *rows = promises_rows(e->promises, PROMISE_START, &n);

    for (size_t i = n; i-- > 0;) {
        const struct job *j = e->c->jobs.v[rows[i].job];
        promises_lapse(e->promises, j);
        promises_break(e->promises, j, PROMISE_START); /* also one that was broken */
    }
}
