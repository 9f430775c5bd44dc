/* SPDX-License-Identifier: Apache-2.0
 * The order of the queue that is kept from cycle to cycle (engine/kept.c) changes no
 * schedule. A replay whose reservations are reported looks at every job in every
 * cycle; the same one unobserved does not where that is not needed. */
#include "kit.h"
#include "sim/generate.h"
#include "sim/run.h"

#include <stdlib.h>
#include <string.h>

static const struct workload_rules rules = {.overrun = OVERRUN_KILL, .procs = 32};

struct lcg {
    uint64_t x;
};

static uint32_t pick(struct lcg *r, uint32_t below)
{
    r->x = r->x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(r->x >> 33) % below;
}

static struct settings *random_settings(struct lcg *r)
{
    static const enum backfill_policy policies[] = {
        BACKFILL_FIRSTFIT, BACKFILL_NONE, BACKFILL_BESTFIT, BACKFILL_PREEMPT};
    static const double weights[] = {1, 1, 10, 0.1, 0, -1};
    static const double proc_weights[] = {0, 0, 0, 0.3, 7, 500};
    struct settings *s = kit_easy();

    s->par.v[0].bf_policy = policies[pick(r, 4)];
    s->rsv_groups[0].depth = pick(r, 4);
    s->prio.weight[PRIO_QUEUETIME] = weights[pick(r, 6)];
    s->prio.weight[PRIO_PROC] = proc_weights[pick(r, 6)];
    s->prio.comp_weight[PRIO_RES] = 1;
    s->prio.weight[PRIO_XFACTOR] = pick(r, 8) == 0;
    s->prio.weight[PRIO_BYPASS] = pick(r, 8) == 0;
    s->prio.cap[PRIO_QUEUETIME] = pick(r, 8) == 0 ? 600 : 0;
    s->prio.accrual = (enum accrual)pick(r, 3);
    s->defer_time_s = pick(r, 2) ? 3600 : 0;
    return s;
}

static void observe(void *ctx, const struct run_decision *d)
{
    (void)d;
    ++*(uint64_t *)ctx;
}

static void replay(const struct workload *w, const struct settings *cfg,
    enum queue_order order, bool observed, struct run_result *ret)
{
    /* a machine smaller than some jobs */
    const struct machine machine = {.nodes = 28, .procs_per_node = 1};
    struct run_options how = {.until = TIME_NEVER, .order = order};
    struct heard h = {0};
    struct err err;
    uint64_t seen = 0;

    kit_listen(&h);
    how.diag = &h.diag;
    if (observed)
        how.decided = observe;
    how.ctx = &seen;
    if (run_replay(w, &machine, cfg, &how, ret, &err) < 0)
        fail_msg("%s", err.text);
}

static void check(uint64_t seed)
{
    struct lcg r = {seed};
    struct settings *cfg = random_settings(&r);
    struct generate_options o = {
        .jobs = 150, .seed = seed, .load = 0.7 + pick(&r, 10) / 10.0, .users = 5};
    enum queue_order order = pick(&r, 3) ? ORDER_PRIORITY : pick(&r, ORDERS);
    struct run_result usual, kept;
    struct workload w;

    o.procs = rules.procs;
    workload_init(&w);
    generate_workload(&w, &o);
    workload_finish(&w, &rules, NULL);
    replay(&w, cfg, order, true, &usual);
    replay(&w, cfg, order, false, &kept);
    for (size_t i = 0; i < w.jobs.n; i++)
        if (usual.jobs[i].start_at != kept.jobs[i].start_at)
            fail_msg("seed %llu, job %zu: starts at %lld, with the order kept at %lld",
                (unsigned long long)seed, i, (long long)usual.jobs[i].start_at,
                (long long)kept.jobs[i].start_at);
    assert_int_equal(usual.cycles, kept.cycles);
    run_result_fini(&usual);
    run_result_fini(&kept);
    settings_destroy(cfg);
    workload_fini(&w);
}

static void an_order_that_is_kept_gives_the_same_schedule(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++)
        check(seed);
}

/* 11 points of priority are more than 10 and a fraction only while the fractions let
 * them: jobs of one user who is 1 point ahead overtake by whole minutes. */
static void jobs_less_than_a_point_apart_still_change_places(void **state)
{
    struct settings *cfg = kit_easy();
    struct generate_options o = {
        .jobs = 300, .seed = 5, .load = 1.5, .users = 3, .procs = 32};
    struct run_result usual, kept;
    struct workload w;

    (void)state;
    cfg->prio.comp_weight[PRIO_RES] = 1;
    cfg->prio.weight[PRIO_PROC] = 0.37;
    workload_init(&w);
    generate_workload(&w, &o);
    workload_finish(&w, &rules, NULL);
    replay(&w, cfg, ORDER_PRIORITY, true, &usual);
    replay(&w, cfg, ORDER_PRIORITY, false, &kept);
    for (size_t i = 0; i < w.jobs.n; i++)
        assert_int_equal(usual.jobs[i].start_at, kept.jobs[i].start_at);
    run_result_fini(&usual);
    run_result_fini(&kept);
    settings_destroy(cfg);
    workload_fini(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_order_that_is_kept_gives_the_same_schedule),
        cmocka_unit_test(jobs_less_than_a_point_apart_still_change_places),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
