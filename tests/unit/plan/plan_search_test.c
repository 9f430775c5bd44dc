/* SPDX-License-Identifier: Apache-2.0
 * The search for a better plan: worked examples of reference plan-search, section 10,
 * and its invariants on random cases. */
#include "../../property/rng.h"
#include "base/timeval.h"
#include "cmocka_all.h"
#include "plan/search/orders.h"
#include "plan/search/search.h"

#include <math.h>
#include <stdlib.h>

struct example {
    int32_t procs;
    int64_t duration, submitted;
    uint32_t band;
};

/* One part: `all` processors, so many busy until then. */
static struct wishes make_wishes(
    int32_t all, int32_t busy, int64_t until, const struct example *jobs, size_t n)
{
    struct wishes w = {0};
    struct profile p;

    profile_init(&p);
    profile_reset(&p, 0, all - busy);
    profile_append(&p, until, all);
    vec_push(&w.parts, p);
    vec_push(&w.sets, (struct part_set){.n = 1});
    for (size_t i = 0; i < n; i++)
        vec_push(&w.v, ((struct wish){.units = jobs[i].procs,
                           .duration_s = jobs[i].duration,
                           .since = jobs[i].submitted,
                           .latest = TIME_NEVER,
                           .weight = 1,
                           .band = jobs[i].band,
                           .run_s = (double)jobs[i].duration,
                           .short_run = 1.0 / (double)jobs[i].duration}));
    return w;
}

static const struct search_terms terms = {
    .wait_exponent = 2, .band_factor = 100, .evaluations = 2000, .seed = 1};

static void promise(struct wishes *w, const uint32_t *site, int64_t slack)
{
    int64_t at[16];
    double cost;

    search_list(w, &terms, site, at, &cost);
    for (size_t i = 0; i < w->v.n; i++)
        w->v.v[i].latest = at[i] + slack;
}

static void check_plan(const struct wishes *w, const struct search_terms *t,
    const uint32_t *order, const int64_t *want, double cost)
{
    int64_t at[16];
    struct search_result r = {.start_at = at};

    search_run(w, t, order, NULL, &r);
    for (size_t i = 0; i < w->v.n; i++)
        assert_int_equal(at[i], want[i]);
    assert_true(fabs(r.cost - cost) < 0.5);
}

static const uint32_t by_letter[] = {0, 1, 2, 3, 4, 5, 6};
static const struct example seven[] = {{8, 100, -300, 0}, {2, 60, -200, 0},
    {2, 40, -150, 0}, {4, 50, -100, 0}, {2, 100, -80, 0}, {6, 30, -40, 0},
    {8, 20, -10, 0}};

static void promises_bound_what_may_change(void **state)
{
    static const struct {
        int64_t slack, at[7];
        double cost;
    } cases[] = {{0, {60, 0, 160, 160, 160, 210, 260}, 526300},
        {30, {80, 0, 180, 180, 180, 230, 60}, 517100},
        {100, {150, 60, 0, 60, 40, 120, 250}, 425800},
        {-1, {170, 60, 0, 60, 40, 120, 150}, 402200}};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct wishes w = make_wishes(8, 6, 60, seven, 7);
        if (cases[i].slack >= 0)
            promise(&w, by_letter, cases[i].slack);
        check_plan(&w, &terms, by_letter, cases[i].at, cases[i].cost);
        wishes_fini(&w);
    }
}

static const uint32_t bands[] = {1, 1, 0, 1, 0, 2, 2};
static const uint32_t by_band[] = {5, 6, 0, 1, 3, 2, 4};

static struct wishes make_bands(void)
{
    struct wishes w = make_wishes(8, 6, 60, seven, 7);

    for (size_t i = 0; i < 7; i++)
        w.v.v[i].band = bands[i];
    return w;
}

static void a_band_goes_before_another(void **state)
{
    struct search_terms weak = terms;
    struct wishes w = make_bands();
    int64_t at[7];
    double cost;

    (void)state;
    weak.band_factor = 4;
    check_plan(
        &w, &weak, by_band, (const int64_t[]){180, 0, 110, 110, 80, 80, 60}, 1660000);
    check_plan(&w, &terms, by_band, (const int64_t[]){160, 0, 80, 110, 260, 80, 60},
        222738500);
    assert_true(search_list(&w, &terms, by_band, at, &cost));
    assert_memory_equal(
        at, ((const int64_t[]){110, 0, 210, 210, 210, 60, 90}), sizeof at);
    wishes_fini(&w);
}

static void a_promise_outranks_a_band(void **state)
{
    struct wishes w = make_bands();

    (void)state;
    w.v.v[5].latest = 75;
    w.v.v[6].latest = 105;
    w.v.v[1].latest = 60;
    check_plan(&w, &terms, by_band, (const int64_t[]){160, 0, 110, 110, 260, 60, 90},
        229753200);
    wishes_fini(&w);
}

static const struct example six[] = {{8, 50, -60, 0}, {4, 100, -50, 0}, {4, 40, -40, 0},
    {2, 200, -30, 0}, {2, 60, -20, 0}, {6, 30, -10, 0}};

static void slack_is_used(void **state)
{
    struct wishes w = make_wishes(10, 6, 100, six, 6);

    (void)state;
    promise(&w, by_letter, 60);
    check_plan(
        &w, &terms, by_letter, (const int64_t[]){140, 40, 0, 130, 190, 100}, 131500);
    promise(&w, by_letter, 200);
    check_plan(
        &w, &terms, by_letter, (const int64_t[]){130, 180, 0, 40, 40, 100}, 111200);
    wishes_fini(&w);
}

static void an_early_end_moves_nobody_later(void **state)
{
    struct wishes w = make_wishes(10, 6, 40, six, 6);
    int64_t at[6];
    double cost;

    (void)state;
    w.now = 40; /* c has run since 0 and ends now; d e f a b by their planned starts */
    w.v.v[2] = w.v.v[5];
    w.v.n = 5;
    assert_true(search_list(&w, &terms, (const uint32_t[]){3, 4, 2, 0, 1}, at, &cost));
    assert_memory_equal(at, ((const int64_t[]){100, 150, 40, 40, 40}), 5 * sizeof *at);
    wishes_fini(&w);
}

/* c, d and e are of a user who may have four processors. */
static struct wishes make_limited(void)
{
    struct wishes w = make_wishes(10, 6, 100, six, 6);
    struct profile left;

    profile_init(&left);
    profile_reset(&left, 0, 4);
    w.limits_at = (uint32_t)w.parts.n;
    vec_push(&w.parts, left);
    for (uint32_t i = 2; i <= 4; i++) {
        w.v.v[i].first_limit = (uint32_t)w.under.n;
        w.v.v[i].limits = 1;
        vec_push(&w.under, ((struct wish_limit){.take = six[i].procs}));
    }
    return w;
}

static void a_limit_is_kept_over_time(void **state)
{
    struct wishes w = make_limited();
    int64_t at[6];
    double cost;

    (void)state;
    assert_true(search_list(&w, &terms, by_letter, at, &cost));
    assert_memory_equal(at, ((const int64_t[]){100, 0, 150, 190, 190, 150}), sizeof at);
    assert_true(
        search_list(&w, &terms, (const uint32_t[]){2, 4, 3, 0, 1, 5}, at, &cost));
    assert_memory_equal(at, ((const int64_t[]){100, 150, 0, 40, 40, 240}), sizeof at);
    wishes_fini(&w);
}

/* Two limits that leave room at other times, and a job that may find less in use than
 * another under the same one: whoever has its place first, the other leaves room. */
static void limits_of_several_kinds_leave_room_together(void **state)
{
    struct wishes w = make_limited();
    struct profile jobs, open = {0};
    int64_t at[6];
    double cost;

    (void)state;
    profile_init(&jobs);
    profile_reset(&jobs, 0, 1);
    profile_append(&jobs, 170, 2);
    vec_push(&w.parts, jobs);
    profile_copy(&open, &jobs);
    vec_push(&w.parts, open);
    for (uint32_t i = 2; i <= 4; i++) {
        w.v.v[i].first_limit = (uint32_t)w.under.n;
        w.v.v[i].limits = 2;
        vec_push(&w.under, ((struct wish_limit){.take = six[i].procs}));
        vec_push(&w.under, ((struct wish_limit){1, true, 1, i == 4 ? 1 : 0}));
    }
    assert_true(
        search_list(&w, &terms, (const uint32_t[]){2, 4, 3, 0, 1, 5}, at, &cost));
    assert_int_equal(at[2], 0);
    assert_int_equal(at[4], 170);
    assert_int_equal(at[3], 171);
    assert_true(
        search_list(&w, &terms, (const uint32_t[]){2, 3, 4, 0, 1, 5}, at, &cost));
    assert_int_equal(at[3], 40);
    assert_int_equal(at[4], 240);
    wishes_fini(&w);
}

/* Two more of their band are without a limit and want all there is: one of them has no
 * place. The others are planned within 3 % of the best all the same. */
static void who_has_no_place_disturbs_nobody(void **state)
{
    struct example nine[9];
    struct search_terms t = terms;
    int64_t at[9];
    struct search_result r = {.start_at = at};

    (void)state;
    t.evaluations = 200;
    memcpy(nine, seven, sizeof seven);
    nine[7] = nine[8] = (struct example){8, TIME_NEVER, 0, 0};
    for (t.seed = 1; t.seed <= 20; t.seed++) {
        struct wishes w = make_wishes(8, 6, 60, nine, 9);
        search_run(&w, &t, (const uint32_t[]){0, 1, 2, 3, 4, 5, 6, 7, 8}, NULL, &r);
        w.v.n = 7;
        assert_true(search_cost(&w, &t, at) < 411100.5);
        w.v.n = 9;
        wishes_fini(&w);
    }
}

/* ---- invariants of section 9, on random cases ---- */

#define CASES 2000
#define MOST  12

/* Three bands of equals in a wrong order: the highest is first, the lowest last. */
static void equals_of_three_bands_are_in_their_order(void **state)
{
    static const struct example jobs[] = {{8, 10, 0, 1}, {8, 10, 0, 0}, {8, 10, 0, 2}};
    static const int64_t present[] = {20, 10, 30};
    struct search_terms t = terms;
    struct wishes w = make_wishes(8, 8, 100, jobs, 3); /* no order is as good */
    int64_t at[3];
    struct search_result r = {.start_at = at, .present = present};

    (void)state;
    t.evaluations = 0;
    search_run(&w, &t, (const uint32_t[]){1, 0, 2}, NULL, &r);
    assert_memory_equal(at, ((const int64_t[]){20, 30, 10}), sizeof at);
    assert_true(r.better && fabs(search_cost(&w, &t, at) - r.cost) < 1e-6 * r.cost);
    wishes_fini(&w);
}

struct random_case {
    struct wishes w;
    struct example jobs[MOST];
    uint32_t site[MOST];
    size_t n;
};

#define LIMITS 2

/* Some of a limit is in use for a while; the jobs of every so many are under it, as far
 * as one is not too large for it. Under some they differ in how much they may find. */
static void limit_some(struct random_case *c, struct rng *rng)
{
    struct wish_limit l = {.limit = (uint32_t)c->w.parts.n - c->w.limits_at,
        .mixed = rng_percent(rng, 40)};
    int32_t most = (int32_t)rng_range(rng, 4, 8);
    uint32_t step = 1 + rng_below(rng, 3);
    struct profile left;

    profile_init(&left);
    profile_reset(&left, 0, (int32_t)rng_range(rng, 0, most));
    profile_append(&left, rng_range(rng, 1, 100), most);
    vec_push(&c->w.parts, left);
    if (l.mixed) {
        struct profile open = {0};
        profile_copy(&open, &left);
        vec_push(&c->w.parts, open);
    }
    for (size_t i = 0; i < c->n; i++) {
        struct wish *wish = &c->w.v.v[i];
        bool last =
            wish->limits == 0 || wish->first_limit + wish->limits == c->w.under.n;
        if (i % step || wish->units > most || !last)
            continue;
        if (!wish->limits)
            wish->first_limit = (uint32_t)c->w.under.n;
        wish->limits++;
        l.take = wish->units;
        l.less = l.mixed ? (int32_t)rng_range(rng, 0, most - wish->units) : 0;
        vec_push(&c->w.under, l);
    }
}

static void begin_case(struct random_case *c, uint32_t seed)
{
    struct rng rng = {seed};

    c->n = 2 + rng_below(&rng, MOST - 1);
    for (uint32_t i = 0; i < c->n; i++) {
        bool same = i && rng_percent(&rng, 30);
        c->jobs[i] = same ? c->jobs[i - 1]
                          : (struct example){(int32_t)rng_range(&rng, 1, 8),
                              rng_range(&rng, 1, 90), rng_range(&rng, -200, 0), 0};
        c->jobs[i].band = rng_below(&rng, 3);
        c->site[i] = i;
    }
    c->w = make_wishes(
        8, (int32_t)rng_range(&rng, 0, 8), rng_range(&rng, 1, 100), c->jobs, c->n);
    c->w.limits_at = (uint32_t)c->w.parts.n;
    for (uint32_t i = 0; i < LIMITS && rng_percent(&rng, 50); i++)
        limit_some(c, &rng);
}

/* No more is in use than there is, of parts and of limits. */
static void check_feasible(const struct random_case *c, const int64_t *at)
{
    struct wishes w = {0};

    wishes_begin_as(&w, &c->w);
    for (size_t i = 0; i < c->n; i++)
        wishes_take(&w, w.parts.v, &c->w.v.v[i], at[i]);
    for (size_t i = 0; i < w.parts.n; i++)
        assert_true(profile_min(&w.parts.v[i], 0, TIME_NEVER) >= 0);
    wishes_fini(&w);
}

/* The plan of some order. */
static double list_case(const struct random_case *c, const uint32_t *order, int64_t *at)
{
    double cost;

    search_list(&c->w, &terms, order, at, &cost);
    return cost;
}

static void by_start(const struct random_case *c, const int64_t *at, uint32_t *ret)
{
    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t k = i;
        for (; k > 0 && at[ret[k - 1]] > at[i]; k--)
            ret[k] = ret[k - 1];
        ret[k] = i;
    }
}

static uint32_t first_seed(void)
{
    const char *from = getenv("MAUI_PROPERTY_SEED");

    return from ? (uint32_t)atol(from) : 1;
}

/* 3: what runs ends early; by planned start, nobody is later than before. */
static void early_ends_move_nobody_later(void **state)
{
    uint32_t first = first_seed();

    (void)state;
    for (uint32_t seed = first; seed < first + CASES; seed++) {
        struct random_case c;
        int64_t was[MOST], at[MOST];
        uint32_t order[MOST];
        begin_case(&c, seed);
        list_case(&c, c.site, was);
        by_start(&c, was, order);
        struct profile *p = &c.w.parts.v[0];
        if (p->n > 1)
            p->at[1] = 1 + p->at[1] / 2;
        list_case(&c, order, at);
        for (size_t i = 0; i < c.n; i++)
            assert_true(at[i] <= was[i]);
        wishes_fini(&c.w);
    }
}

/* 2, 4, 5, 6 and 9. */
static void a_search_keeps_what_it_has_to(void **state)
{
    struct search_terms t = terms;
    uint32_t first = first_seed();

    (void)state;
    t.evaluations = 60;
    for (uint32_t seed = first; seed < first + CASES; seed++) {
        struct random_case c;
        int64_t present[MOST], at[MOST], again[MOST];
        begin_case(&c, seed);
        double cost = list_case(&c, c.site, present);
        for (size_t i = 0; i < c.n; i++)
            if ((seed + i) % 3 == 0)
                c.w.v.v[i].latest = present[i] + (int64_t)(seed % 50);
        struct search_result r = {.start_at = at, .present = present};
        search_run(&c.w, &t, c.site, NULL, &r);
        assert_true(r.cost <= cost && r.better == (r.cost < cost));
        check_feasible(&c, at);
        assert_true(fabs(search_cost(&c.w, &t, at) - r.cost) <= 1e-6 * (cost + 1));
        assert_true(r.evaluated <= t.evaluations + 25);
        struct search_result same = {.start_at = again, .present = present};
        search_run(&c.w, &t, c.site, NULL, &same);
        assert_memory_equal(at, again, c.n * sizeof *at);
        for (size_t i = 0; i < c.n; i++)
            for (size_t k = 0; k < c.n; k++) {
                const struct wish *a = &c.w.v.v[i], *b = &c.w.v.v[k];
                if (a->units == b->units && a->duration_s == b->duration_s
                    && a->since == b->since && a->latest == b->latest
                    && a->latest == TIME_NEVER && a->band > b->band
                    && wishes_limited_alike(&c.w, a, b))
                    assert_true(at[i] <= at[k]);
            }
        wishes_fini(&c.w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(promises_bound_what_may_change),
        cmocka_unit_test(a_band_goes_before_another),
        cmocka_unit_test(a_promise_outranks_a_band),
        cmocka_unit_test(slack_is_used),
        cmocka_unit_test(equals_of_three_bands_are_in_their_order),
        cmocka_unit_test(an_early_end_moves_nobody_later),
        cmocka_unit_test(a_limit_is_kept_over_time),
        cmocka_unit_test(limits_of_several_kinds_leave_room_together),
        cmocka_unit_test(who_has_no_place_disturbs_nobody),
        cmocka_unit_test(early_ends_move_nobody_later),
        cmocka_unit_test(a_search_keeps_what_it_has_to),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
