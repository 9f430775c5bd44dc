/* SPDX-License-Identifier: Apache-2.0
 * Orders that differ little are planned as if each were planned alone. */
#include "../../property/rng.h"
#include "base/timeval.h"
#include "cmocka_all.h"
#include "plan/search/lineup.h"
#include "plan/search/search.h"

#include <string.h>

#define CASES 60
#define MOVES 120
#define MOST  40

static void open_part(
    struct wishes *io, int32_t free, int32_t then, int64_t at, int32_t all)
{
    struct profile p;

    profile_init(&p);
    profile_reset(&p, 0, free);
    profile_append(&p, at, then);
    profile_append(&p, at + 40, all);
    vec_push(&io->parts, p);
}

static void limit_wish(struct wishes *io, struct wish *wish, struct rng *rng)
{
    uint32_t limit = rng_below(rng, 3);
    int32_t use = wish->units < 5 ? wish->units : 5;

    wish->first_limit = (uint32_t)io->under.n;
    vec_push(&io->under, ((struct wish_limit){.limit = limit, .take = use}));
    wish->limits++;
    if (rng_percent(rng, 30)) {
        int32_t less = (int32_t)rng_range(rng, 0, 2);
        vec_push(&io->under, ((struct wish_limit){3, true, 1, less}));
        wish->limits++;
    }
}

/* Closed for a while, and for another later on. */
static void add_wall(struct wishes *io, struct rng *rng)
{
    uint32_t wall;
    int64_t at = rng_range(rng, 1, 60), then = at + rng_range(rng, 1, 80);
    struct profile *open = wishes_add_wall(io, io->walls.n, &wall);

    profile_claim(open, at, then, 1);
    profile_claim(open, then + 40, then + 70, 1);
}

/* Two parts, of which some wishes may use both, and which are closed to some for a
 * time; three users may have 5 in use each, and all of them three jobs, some of them
 * one or two. Many ask for the same. */
static struct wishes make_case(struct rng *rng, bool several_parts, bool walls)
{
    struct wishes w = {0};
    uint32_t n = (uint32_t)rng_range(rng, 2, MOST);

    open_part(&w, 3, 6, rng_range(rng, 1, 60), 10);
    open_part(&w, 0, 2, rng_range(rng, 1, 60), 6);
    w.limits_at = (uint32_t)w.parts.n;
    for (uint32_t i = 0; i < 3; i++)
        open_part(&w, (int32_t)rng_range(rng, 0, 5), 4, rng_range(rng, 1, 60), 5);
    int64_t at = rng_range(rng, 1, 60);
    for (int i = 0; i < 2; i++) /* what is left, and what leaves room for starts */
        open_part(&w, 1, 2, at, 3);
    vec_push(&w.sets, ((struct part_set){.n = 1}));
    vec_push(&w.sets, ((struct part_set){.n = 2, .part = {0, 1}}));
    vec_push(&w.sets, ((struct part_set){.n = 1, .part = {1}}));
    for (int i = 0; walls && i < 2; i++)
        add_wall(&w, rng);
    vec_push(&w.sets, ((struct part_set){.n = 1, .wall = {1}}));
    vec_push(&w.sets, ((struct part_set){.n = 2, .part = {0, 1}, .wall = {2, 0}}));
    vec_push(&w.sets, ((struct part_set){.n = 2, .part = {1, 0}, .wall = {1, 2}}));
    for (uint32_t i = 0; i < n; i++) {
        struct wish wish = {.units = (int32_t)rng_range(rng, 1, 8),
            .duration_s = rng_range(rng, 1, 9) * 10,
            .latest = TIME_NEVER};
        if (i && rng_percent(rng, 40)) {
            wish = w.v.v[rng_below(rng, i)];
        } else {
            wish.set = several_parts ? rng_below(rng, 3) : 0;
            wish.set += walls && rng_percent(rng, 50) ? 3 : 0;
            wish.units = wish.set == 2 && wish.units > 6 ? 6 : wish.units;
            if (rng_percent(rng, 60))
                limit_wish(&w, &wish, rng);
        }
        wish.since = -rng_range(rng, 0, 200);
        wish.weight = 1 + rng_below(rng, 3);
        wish.band = rng_below(rng, 2);
        wish.run_s = (double)wish.duration_s / 2;
        wish.short_run = 1 / wish.run_s;
        vec_push(&w.v, wish);
    }
    return w;
}

/* Each looked for from now on. */
static void list_plainly(const struct wishes *w, const uint32_t *order, int64_t *ret)
{
    struct wishes left = {0};

    wishes_begin_as(&left, w);
    for (size_t i = 0; i < w->v.n; i++) {
        const struct wish *wish = &w->v.v[order[i]];
        int64_t at = wishes_fit(w, left.parts.v, wish, w->now);
        if (at < TIME_NEVER)
            wishes_take(w, left.parts.v, wish, at);
        ret[order[i]] = at;
    }
    wishes_fini(&left);
}

static void exchange(uint32_t *order, uint32_t a, uint32_t b)
{
    uint32_t moved = order[a];

    order[a] = order[b];
    order[b] = moved;
}

/* Two of an order are exchanged, and go back now and then, as in a search. */
static void orders_are_planned_as_if_each_were_alone(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= CASES; seed++) {
        struct rng rng = {seed};
        struct wishes w = make_case(&rng, seed % 2, seed % 4 > 1);
        uint32_t n = (uint32_t)w.v.n, order[MOST];
        int64_t known[MOST], want[MOST], at[MOST];
        struct lineup l;
        for (uint32_t i = 0; i < n; i++)
            order[i] = i;
        list_plainly(&w, order, known);
        lineup_begin(&l, &w);
        lineup_learn(&l);
        for (uint32_t move = 0; move < MOVES; move++) {
            uint32_t first = rng_below(&rng, n), last = rng_below(&rng, n);
            first = first < last ? first : last;
            exchange(order, first, last);
            list_plainly(&w, order, want);
            lineup_open(&l, order, first, known);
            memcpy(at, known, n * sizeof *at);
            for (uint32_t i = first; i < n; i++)
                at[order[i]] = lineup_place(&l, order[i]);
            assert_memory_equal(at, want, n * sizeof *at);
            if (rng_percent(&rng, 50)) {
                lineup_changed(&l, first, n);
                memcpy(known, at, n * sizeof *known);
            } else
                exchange(order, first, last);
        }
        lineup_fini(&l);
        wishes_fini(&w);
    }
}

/* What is cheap to try is not tried otherwise: the plans are those that a search found
 * that planned each order from its beginning. */
static void a_search_finds_what_it_would_from_nothing(void **state)
{
    static const struct search_terms terms = {
        .wait_exponent = 2, .band_factor = 10, .evaluations = 200, .seed = 7};
    uint64_t sum = 0;

    (void)state;
    for (uint32_t seed = 1; seed <= CASES; seed++) {
        struct rng rng = {seed};
        struct wishes w = make_case(&rng, seed % 2, false);
        uint32_t order[MOST];
        int64_t at[MOST];
        struct search_result r = {.start_at = at};
        for (uint32_t i = 0; i < w.v.n; i++)
            order[i] = i;
        list_plainly(&w, order, at);
        for (uint32_t i = 0; i < w.v.n; i += 3)
            w.v.v[i].latest = at[i] < TIME_NEVER ? at[i] + 50 : TIME_NEVER;
        search_run(&w, &terms, order, NULL, &r);
        for (uint32_t i = 0; i < w.v.n; i++)
            sum = sum * 1000003 + (uint64_t)at[i];
        wishes_fini(&w);
    }
    assert_int_equal(sum, UINT64_C(6361255071430763913));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_are_planned_as_if_each_were_alone),
        cmocka_unit_test(a_search_finds_what_it_would_from_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
