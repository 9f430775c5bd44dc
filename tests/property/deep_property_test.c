/* SPDX-License-Identifier: Apache-2.0
 * Deep plans among many small pools under reservations: searched with all free
 * intervals together and pool by pool, the earliest start must be the same.
 * MAUI_PROPERTY_FACTOR and MAUI_PROPERTY_SEED as in the other properties. */
#include "cmocka_all.h"
#include "engine/engine_private.h"
#include "plan/counted/deep.h"
#include "plan/counted/first_fit.h"
#include "plan/counted/search.h"
#include "plan/counted/small_pools.h"
#include "plan/plan_private.h"
#include "rng.h"
#include "scenario.h"
#include "seeds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOUR   INT64_C(3600)
#define JOBS   120
#define USERS  5
#define ROUNDS 3

static void reserve(struct scenario *s, struct rng *r, uint32_t nodes)
{
    static const char *const users[] = {
        NULL, NULL, NULL, NULL, "u0", "u1,u2", "u0,u1-", "!u3", "u2=", "u0,u1,u2,u3"};
    struct sc_rsv rsv = {.base = "r", .lists[ACL_USER] = RNG_PICK(r, users)};
    uint32_t first = 1 + rng_below(r, nodes), count = 1 + rng_below(r, 4);
    char hosts[200] = "";
    struct err err;

    for (uint32_t i = 0; i < count && first + i <= nodes; i++)
        snprintf(hosts + strlen(hosts), sizeof hosts - strlen(hosts), "%s^n%u$",
            i ? "," : "", first + i);
    rsv.hosts = hosts;
    rsv.start_at = rng_range(r, 0, rng_percent(r, 90) ? 40 * HOUR : 400 * HOUR);
    rsv.end_at = rng_percent(r, 3) ? 0 : rsv.start_at + rng_range(r, 1, 20 * HOUR);
    assert_int_equal(sc_setres(s, &rsv, &err), 0);
}

static void submit(struct scenario *s, struct rng *r, int number, uint32_t most)
{
    static const char *const users[USERS] = {"u0", "u1", "u2", "u3", "u4"};
    static char ids[JOBS * ROUNDS][16];
    uint32_t procs = rng_percent(r, 70) ? most / 8 + 1 : most;

    snprintf(ids[number], sizeof ids[number], "job.%d", number);
    sc_job(s, (struct sc_job){.id = ids[number],
                  .submit_at = sc_now(s),
                  .user = RNG_PICK(r, users),
                  .procs = (uint32_t)rng_range(r, 1, procs),
                  .limit_s = rng_range(r, 1, 40) * (rng_percent(r, 60) ? 600 : HOUR)});
}

/* Without what was learned from the search among free intervals. */
static int64_t pool_by_pool(struct plan *p, const struct fitset *s, uint32_t view,
    int32_t need, int64_t from, int64_t duration)
{
    struct set_memory *m = set_memory_of(p->counted, s);
    struct set_offer kept = *set_memory_offer(m, view);
    bool deep = small_pools_of_set(p->counted, s, m)->deep;

    set_memory_offer(m, view)->bounds = NULL;
    m->small.deep = false;
    int64_t found = first_fit_counted(p->counted, s, view, need, from, duration);
    m->small.deep = deep;
    struct set_offer *offers = set_memory_offer(m, view);
    lower_bounds_destroy(offers->bounds);
    offers->bounds = kept.bounds;
    offers->bounds_valid = kept.bounds_valid;
    return found;
}

static bool able(struct plan *p, const struct fitset *s, uint32_t access)
{
    return deep_able(&(struct search){
        .ct = p->counted, .s = s, .m = set_memory_of(p->counted, s), .access = access});
}

/* All kinds of intervals, as all kinds of askers see them. Returns how many were
 * searched among the free intervals. */
static uint32_t compare(struct plan *p, struct rng *r, uint64_t seed)
{
    uint32_t asked = 0;

    for (size_t i = 0; i < fits_sets(p->fits); i++)
        for (uint32_t view = 0; view < closures_classes(p->closures); view++)
            for (int k = 0; k < 40; k++) {
                const struct fitset *s = fits_set(p->fits, i);
                int32_t need = (int32_t)rng_range(r, 1, s->tasks_max);
                int64_t d =
                    rng_percent(r, 3) ? DURATION_UNLIMITED : rng_range(r, 1, 60 * HOUR);
                int64_t from = rng_percent(r, 50)
                                   ? p->now
                                   : rng_range(r, p->now, p->now + 60 * HOUR);
                need = rng_percent(r, 60) ? need / 10 + 1 : need;
                int64_t found = first_fit_counted(p->counted, s, view, need, from, d);
                asked += able(p, s, view);
                int64_t single = pool_by_pool(p, s, view, need, from, d);
                if (found != single)
                    fail_msg("seed %llu: %d units for %lld from %lld as view %u: %lld "
                             "by gaps, %lld pool by pool",
                        (unsigned long long)seed, need, (long long)d, (long long)from,
                        view, (long long)found, (long long)single);
            }
    return asked;
}

static uint32_t try(uint64_t seed)
{
    struct rng r = {seed};
    uint32_t nodes = (uint32_t)rng_range(&r, 30, 120), asked = 0;
    uint32_t reservations = nodes / 2 + rng_below(&r, nodes);
    int64_t procs = rng_range(&r, 1, 4);
    struct scenario *s = sc_create_with("RESERVATIONDEPTH 10000\n"
                                        "BACKFILLTYPE QUEUEORDER\n"
                                        "RESERVATIONPOLICY CURRENTHIGHEST\n");

    sc_nodes(s, nodes, procs);
    for (uint32_t i = 0; i < reservations; i++)
        reserve(s, &r, nodes);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < JOBS; i++)
            submit(s, &r, round * JOBS + i, nodes * (uint32_t)procs / 2);
        sc_cycle(s);
        asked += compare(sc_engine(s)->plan, &r, seed);
        sc_run_until(s, sc_now(s) + rng_range(&r, 1, 10 * HOUR));
    }
    sc_destroy(s);
    return asked;
}

static void free_intervals_together_and_pools_one_by_one_agree(void **state)
{
    (void)state;
    uint64_t first = seed_first();
    uint64_t seeds = seed_count(6);
    uint32_t asked = 0;

    for (uint64_t seed = first; seed < first + seeds; seed++)
        asked += try(seed);
    if (seeds >= 6)
        assert_true(asked > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_intervals_together_and_pools_one_by_one_agree)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
