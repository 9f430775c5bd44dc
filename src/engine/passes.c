/* SPDX-License-Identifier: Apache-2.0
 * The two passes over eligible jobs: in priority order, and backfill. Source:
 * reference concepts, section 9 (steps 7 to 9); backfill, section 3. */
#include "engine/passes.h"

#include "config/settings.h"
#include "engine/classes.h"
#include "engine/engine_private.h"
#include "engine/keeping.h"
#include "engine/preempt.h"
#include "engine/reserve.h"
#include "engine/shorten.h"
#include "engine/start.h"
#include "plan/backfill.h"

void passes_fini(struct passes *p)
{
    vec_fini(&p->candidates);
    vec_fini(&p->out_of_order);
}

static uint64_t partitions_of(const struct engine *e, const struct job *j)
{
    return j->partitions & ((UINT64_C(1) << e->c->partitions.n) - 1);
}

static bool all_blocked(const struct engine *e, uint64_t partitions)
{
    for (; partitions; partitions &= partitions - 1)
        if (!e->passes.par[__builtin_ctzll(partitions)].blocked)
            return false;
    return true;
}

static void block(struct engine *e, uint64_t partitions)
{
    for (; partitions; partitions &= partitions - 1)
        e->passes.par[__builtin_ctzll(partitions)].blocked = true;
}

/* A job that nothing is ever reserved for waits: those behind it go on as if it were
 * not there, but they pass it. */
static void pass_over(struct engine *e, uint64_t partitions)
{
    for (; partitions; partitions &= partitions - 1)
        e->passes.par[__builtin_ctzll(partitions)].passed = true;
}

static bool any_passed(const struct engine *e, uint64_t partitions)
{
    for (; partitions; partitions &= partitions - 1)
        if (e->passes.par[__builtin_ctzll(partitions)].passed)
            return true;
    return false;
}

static void note_waiting(struct engine *e, struct job *j)
{
    uint32_t p =
        partitions_of(e, j) ? (uint32_t)__builtin_ctzll(partitions_of(e, j)) : 0;

    j->why = (struct reason){.code = WAIT_RESOURCES,
        .kind = CRED_KINDS,
        .kind2 = CRED_KINDS,
        .used = plan_free_now(e->plan, j, p),
        .asked = j->tasks};
}

/* The same for one that may run in several classes. */
static bool place_in_a_class(
    struct engine *e, struct job *j, enum limit_level level, uint64_t parts)
{
    bool preempts = preempt_may_suffice(e, j) && !all_blocked(e, parts);

    if (!e->uses.keeps) /* what lower jobs have reserved is not in its way */
        plan_confirm_rest(e->plan);
    return classes_start(e, j, level) || (preempts && preempt_start(e, j, false))
           || classes_shorten(e, j, level)
           || (level == LEVEL_SOFT && reserve_may(e, j)
               && classes_reserve(e, j, level));
}

/* Start the job or give it a reservation. */
static bool place(
    struct engine *e, struct job *j, enum limit_level level, uint64_t parts)
{
    if (classes_several(j))
        return place_in_a_class(e, j, level, parts);
    bool preempts = preempt_may_suffice(e, j) && !all_blocked(e, parts);

    if (!e->uses.keeps
        && preempts) /* what lower jobs have reserved is not in its way */
        plan_confirm_rest(e->plan);
    else if (!e->uses.keeps
             && (shorten_start_reserved(e, j, level) || keeping_in_order(e, j)))
        return true;
    bool offered = level == LEVEL_SOFT && reserve_may(e, j);
    /* with reservations about, the search for one also answers "now?" */
    bool search_first = offered && plan_reservations(e->plan) > 0
                        && (parts & (parts - 1)) == 0 && !preempts && !shorten_may(j);
    if (!search_first && !all_blocked(e, parts) && start_if_possible(e, j))
        return true;
    if (preempts && preempt_start(e, j, false))
        return true;
    return shorten_start_anywhere(e, j) || (offered && reserve_job(e, j));
}

void pass_place(struct engine *e, struct job *j, enum limit_level level)
{
    if (job_waits(j) && allowed_now(e, j, level))
        place(e, j, level, partitions_of(e, j));
}

void pass_priority(
    struct engine *e, const struct queue_view *jobs, enum limit_level level)
{
    uint64_t every = (UINT64_C(1) << e->c->partitions.n) - 1;
    bool differ = groups_differ(e->groups.depth);
    bool recheck = admission_asks(e, level == LEVEL_SOFT ? ADMIT_SOFT : ADMIT_HARD);

    for (size_t i = jobs->skip; i < jobs->n; i++) {
        struct job *j = e->c->jobs.v[jobs->v[i].job];
        if (!job_waits(j))
            continue;
        if (keeping_stands(e, j, PROMISE_DEADLINE)
            || keeping_stands(e, j, PROMISE_RETRY))
            continue;
        if (e->uses.keeps && plan_is_reserved(e->plan, j)) {
            if (!shorten_start_reserved(e, j, level))
                reserve_count(e, j);
            continue;
        }
        if (!differ && all_blocked(e, every))
            return;
        if (recheck && !allowed_now(e, j, level))
            continue;
        uint64_t parts = partitions_of(e, j);
        if (place(e, j, level, parts)) {
            if (job_is_active(j) && any_passed(e, parts))
                vec_push(&e->passes.out_of_order, j->index);
            /* with an order of its own, backfill looks at everybody from here on */
            if (plan_is_reserved(e->plan, j) && e->opt.backfill_order != ORDER_PRIORITY
                && !reserve_may(e, j))
                block(e, parts);
            continue;
        }
        if (!reserve_test(e, j))
            continue;
        if (!all_blocked(e, parts))
            note_waiting(e, j);
        if (reserve_never(e, j))
            pass_over(e, parts);
        else
            block(e, parts);
    }
}

/* ---- backfill ---- */

struct pass {
    struct engine *e;
    struct plan *plan; /* that is asked: the engine's, or a copy */
    enum limit_level level;
    uint32_t partition;
    bool recheck;
};

static bool placeable(void *ctx, struct job *j)
{
    struct pass *pass = ctx;
    struct engine *e = pass->e;

    if (!in_partition(e, j, pass->partition))
        return false;
    if (!plan_fits_now(pass->plan, j, pass->partition)
        && !shorten_fits(pass->plan, j, pass->partition)) {
        j->why = (struct reason){.code = WAIT_RESOURCES,
            .kind = CRED_KINDS,
            .kind2 = CRED_KINDS,
            .used = plan_free_now(pass->plan, j, pass->partition),
            .asked = j->tasks};
        return false;
    }
    if (job_cred(e->c, j, CRED_QOS)->cfg->qos_flags & QOS_NOBF) {
        j->why =
            (struct reason){.code = WAIT_NOBF, .kind = CRED_KINDS, .kind2 = CRED_KINDS};
        queue_touch(e->queue, j);
        return false;
    }
    return !pass->recheck || allowed_now(e, j, pass->level);
}

/* With its limit, or what fits of it. */
static bool start_in(const struct pass *pass, struct job *j)
{
    return shorten_may(j) ? shorten_start(pass->e, pass->plan, j, pass->partition, true)
                          : start_job_by(pass->e, pass->plan, j, pass->partition, true);
}

static bool start_backfilled(void *ctx, struct job *j)
{
    struct pass *pass = ctx;

    if (!start_in(pass, j))
        return false;
    vec_push(&pass->e->passes.out_of_order, j->index);
    return true;
}

/* Jobs that preempt need no idle processors: they go first. */
static uint32_t preempt_out_of_order(
    struct pass *pass, const struct queue_view *jobs, int64_t depth)
{
    struct engine *e = pass->e;
    uint32_t started = 0;
    int64_t seen = 0;

    for (size_t i = 0; i < jobs->n; i++) {
        struct job *j = e->c->jobs.v[jobs->v[i].job];
        if (depth <= 0 && !preempt_may_job(e, jobs->v[i].job))
            continue;
        if (!job_waits(j) || plan_is_reserved(e->plan, j)
            || !in_partition(e, j, pass->partition))
            continue;
        if (depth > 0 && ++seen > depth)
            break;
        if (!preempt_may_suffice(e, j) || plan_fits_now(e->plan, j, pass->partition)
            || (job_cred(e->c, j, CRED_QOS)->cfg->qos_flags & QOS_NOBF)
            || (pass->recheck && !allowed_now(e, j, pass->level))
            || !preempt_in(e, j, pass->partition, true))
            continue;
        vec_push(&e->passes.out_of_order, j->index);
        started++;
    }
    return started;
}

/* On approval: where it is, something may be reserved. */
static bool start_optimistic(void *ctx, struct job *j)
{
    struct pass *pass = ctx;

    if (!start_in(pass, j))
        return false;
    if (pass->plan != pass->e->plan)
        plan_follow(pass->plan, j);
    j->flags |= JOB_OPTIMISTIC;
    vec_push(&pass->e->passes.out_of_order, j->index);
    return true;
}

/* Is any candidate so small that idle processors suffice? No window has more. */
static bool any_small_enough(
    const struct backfill *b, const struct candidate *jobs, size_t n)
{
    int64_t idle = plan_free_procs(b->plan, b->partition);

    for (size_t i = 0; i < n; i++) {
        const struct job *j = jobs[i].procs <= idle ? b->c->jobs.v[jobs[i].job] : NULL;
        if (j && job_waits(j) && !plan_is_reserved(b->plan, j))
            return true;
    }
    return false;
}

/* Under BACKFILLPOLICY PREEMPT reservations of jobs are in nobody's way: a copy of the
 * plan in which nothing is reserved is asked, and told what starts. */
static uint32_t run_backfill(
    struct engine *e, struct backfill *b, const struct candidate *jobs, size_t n)
{
    struct pass *pass = b->ctx;
    bool optimistic = b->par->bf_policy == BACKFILL_PREEMPT;
    struct plan *fork = NULL;

    if (optimistic && b->chunk_size <= 0 && !any_small_enough(b, jobs, n))
        return 0;
    if (optimistic && plan_reservations(e->plan))
        b->plan = pass->plan = fork = plan_fork_unreserved(e->plan);
    if (optimistic)
        b->start = start_optimistic;
    uint32_t started = backfill_run(b, jobs, n);
    plan_destroy(fork);
    return started;
}

/* Candidates of the partition: waiting, without a reservation, at most
 * BACKFILLDEPTH of them from the top. */
static void top_candidates(
    struct engine *e, const struct queue_view *jobs, uint32_t partition, int64_t depth)
{
    e->passes.candidates.n = 0;
    vec_reserve(&e->passes.candidates, jobs->n);
    for (size_t i = 0; i < jobs->n; i++) {
        struct job *j = e->c->jobs.v[jobs->v[i].job];
        if (!job_waits(j) || plan_is_reserved(e->plan, j)
            || !in_partition(e, j, partition))
            continue;
        if (depth > 0 && (int64_t)e->passes.candidates.n >= depth) {
            j->why = (struct reason){.code = WAIT_BACKFILL_DEPTH,
                .kind = CRED_KINDS,
                .kind2 = CRED_KINDS,
                .limit = depth};
            queue_touch(e->queue, j);
            continue;
        }
        e->passes.candidates.v[e->passes.candidates.n++] = jobs->v[i];
    }
}

static bool passed_others(const struct engine *e, uint32_t job)
{
    for (size_t i = 0; i < e->passes.out_of_order.n; i++)
        if (e->passes.out_of_order.v[i] == job)
            return true;
    return false;
}

/* What a job that started in this cycle was bypassed before. */
struct counted {
    uint32_t job, bypass;
};

/* Each waiting job that a lower one passed was bypassed once for each of those. */
static void count_bypasses(struct engine *e, const struct queue_view *jobs)
{
    size_t left = e->passes.out_of_order.n;
    uint32_t *bypasses = e->c->bypasses.v, started = 0;
    struct VEC(struct counted) gone = {0};
    size_t n;
    const struct action *decided = decisions_of_cycle(e, &n);

    e->c->bypass_epoch++;
    for (size_t i = 0; i < n; i++) {
        uint32_t job = decided[i].job;
        if (decided[i].kind == ACTION_START)
            vec_push(&gone, ((struct counted){job, bypasses[job]}));
    }
    for (size_t i = jobs->n; i-- > 0;) {
        uint32_t job = jobs->v[i].job;
        if (left && passed_others(e, job)) {
            started++;
            left--;
        } else if (started) {
            bypasses[job] += started;
        }
    }
    for (size_t i = 0; i < gone.n; i++)
        bypasses[gone.v[i].job] = gone.v[i].bypass;
    vec_fini(&gone);
}

/* Is each candidate looked at once, in the order of the queue? */
static bool in_queue_order(const struct engine *e, const struct par_settings *par)
{
    return par->bf_policy == BACKFILL_FIRSTFIT && par->bf_order == BFORDER_QUEUEORDER
           && e->opt.backfill_order == ORDER_PRIORITY
           && e->cfg->bf_priority != BFPRIO_RANDOM;
}

/* What starts in another class than that in which it waits. */
static uint32_t backfill_classes(
    struct engine *e, const struct queue_view *jobs, enum limit_level level)
{
    uint32_t started = 0;

    for (size_t i = 0; i < jobs->n; i++) {
        struct job *j = e->c->jobs.v[jobs->v[i].job];
        if (!classes_several(j) || !job_waits(j) || plan_is_reserved(e->plan, j)
            || !classes_backfill(e, j, level))
            continue;
        vec_push(&e->passes.out_of_order, j->index);
        started++;
    }
    return started;
}

void pass_backfill(
    struct engine *e, const struct queue_view *jobs, enum limit_level level)
{
    uint32_t started = (uint32_t)e->passes.out_of_order.n; /* in the pass by priority */

    for (uint32_t p = 0; p < e->c->partitions.n; p++) {
        const struct par_settings *par = e->c->partitions.v[p]->par;
        struct pass pass = {.e = e,
            .plan = e->plan,
            .level = level,
            .partition = p,
            .recheck =
                admission_asks(e, level == LEVEL_SOFT ? ADMIT_SOFT : ADMIT_HARD)};
        if (par->bf_policy != BACKFILL_NONE && preempt_any(e))
            started += preempt_out_of_order(&pass, jobs, par->bf_depth);
        if (par->bf_policy == BACKFILL_NONE || plan_free_procs(e->plan, p) <= 0)
            continue;
        struct backfill b = {.plan = e->plan,
            .c = e->c,
            .par = par,
            .partition = p,
            .now = e->now,
            .speed = plan_fastest(e->plan, p),
            .chunk_size = e->now < e->passes.chunk_until ? e->cfg->bf_chunk_size : 0,
            .placeable = placeable,
            .start = start_backfilled,
            .ctx = &pass};
        if (b.chunk_size > 0) {
            wake_at(e, e->passes.chunk_until);
            queue_touch_jobs(e->queue); /* whom it keeps back is told by the plan */
        }
        if (par->bf_depth > 0) {
            top_candidates(e, jobs, p, par->bf_depth);
            started +=
                run_backfill(e, &b, e->passes.candidates.v, e->passes.candidates.n);
        } else {
            size_t first = in_queue_order(e, par) ? jobs->skip : 0;
            if (first < jobs->n)
                started += run_backfill(e, &b, jobs->v + first, jobs->n - first);
        }
    }
    if (e->uses.classes)
        started += backfill_classes(e, jobs, level);
    if (started)
        count_bypasses(e, jobs);
    e->passes.out_of_order.n = 0;
}
