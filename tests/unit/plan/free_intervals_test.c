/* SPDX-License-Identifier: Apache-2.0
 * Free intervals of many pools together, against pools looked at second by second. */
#include "base/timeval.h"
#include "cmocka_all.h"
#include "plan/counted/free_intervals.h"

#include <stdlib.h>
#include <string.h>

#define POOLS   12
#define FROM    1000
#define HORIZON 700 /* seconds of which questions are asked */
#define SECONDS 900 /* that are looked at; then nothing changes */

struct ctx {
    struct free_intervals *free_intervals;
    uint64_t state;
    int free[POOLS][SECONDS];
};

static uint32_t below(struct ctx *x, uint32_t n)
{
    x->state = x->state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(x->state >> 33) % n;
}

/* All free intervals of one pool within [from, to), level by level. */
static void put(struct ctx *x, int pool, int64_t from, int64_t to)
{
    int64_t end = to < FROM + SECONDS ? to : FROM + SECONDS;

    for (int level = 1; level <= 9; level++)
        for (int64_t s = from; s < end;) {
            int64_t e = s;
            while (e < end && x->free[pool][e - FROM] >= level)
                e++;
            if (e > s)
                free_intervals_put(x->free_intervals, (uint32_t)pool, s,
                    e == FROM + SECONDS ? TIME_NEVER : e, 1);
            s = e > s ? e : s + 1;
        }
}

static int64_t throughout(const struct ctx *x, int64_t start, int64_t end)
{
    int64_t sum = 0;

    for (int p = 0; p < POOLS; p++) {
        int least = x->free[p][start - FROM];
        for (int64_t t = start; t < end && t < FROM + SECONDS; t++)
            least = x->free[p][t - FROM] < least ? x->free[p][t - FROM] : least;
        sum += least;
    }
    return sum;
}

static void ask(struct ctx *x)
{
    for (int i = 0; i < 60; i++) {
        int64_t start = FROM + below(x, HORIZON), d = 1 + below(x, 300);
        int64_t last = start + below(x, 40);
        if (below(x, 10) == 0)
            d = DURATION_UNLIMITED;
        int64_t end = time_add(start, d);
        assert_int_equal(free_intervals_sum(x->free_intervals, start, end),
            throughout(x, start, end));
        last = last < FROM + HORIZON ? last : FROM + HORIZON - 1;
        int64_t most = free_intervals_most(x->free_intervals, start, last, d);
        for (int64_t t = start; t <= last; t++)
            assert_true(throughout(x, t, time_add(t, d)) <= most);
    }
}

static void change(struct ctx *x)
{
    int pool = (int)below(x, POOLS);
    int64_t from = FROM + below(x, SECONDS), to = from + 1 + below(x, 200);
    int units = (int)below(x, 10);

    to = to < FROM + SECONDS ? to : FROM + SECONDS;
    for (int64_t t = from; t < to; t++)
        x->free[pool][t - FROM] = units;
    if (to > FROM + HORIZON) /* what begins there is not kept */
        to = TIME_NEVER;
    free_intervals_cut(x->free_intervals, (uint32_t)pool, &from, &to);
    put(x, pool, from, to);
}

static void sums_of_gaps_are_sums_of_pools(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct ctx *x = calloc(1, sizeof *x);
        x->state = seed;
        x->free_intervals = free_intervals_create();
        free_intervals_reset(x->free_intervals, FROM, FROM + HORIZON);
        for (int i = 0; i < 60; i++) {
            change(x);
            ask(x);
        }
        free_intervals_destroy(x->free_intervals);
        free(x);
    }
}

struct told {
    int64_t units, first;
};

static void tell(void *ctx, int64_t start, int64_t units)
{
    struct told *t = ctx;

    t->units += units;
    t->first = start < t->first ? start : t->first;
}

static void free_intervals_that_begin_later_in_the_cell_are_told(void **state)
{
    (void)state;
    struct free_intervals *g = free_intervals_create();
    struct told t = {0, TIME_NEVER};

    free_intervals_reset(g, 0, 383 * 100); /* cells of 128 */
    free_intervals_put(g, 0, 0, 1000, 1);
    free_intervals_put(g, 1, 130, 1000, 2);
    free_intervals_put(g, 2, 140, 150, 4); /* too short */
    free_intervals_put(g, 3, 150, TIME_NEVER, 8);
    free_intervals_put(g, 4, 300, 1000, 16); /* in another cell */
    free_intervals_each_start(g, 130, 100, &t, tell);
    assert_int_equal(free_intervals_cell_length(g), 128);
    assert_int_equal(free_intervals_cell_end(g, 130), 255);
    assert_int_equal(t.units, 8);
    assert_int_equal(t.first, 150);
    free_intervals_destroy(g);
}

static void what_was_before_the_horizon_counts_from_its_begin_on(void **state)
{
    (void)state;
    struct free_intervals *g = free_intervals_create();

    free_intervals_reset(g, 1000, 2000);
    free_intervals_put(g, 0, 10, 1500, 3);
    free_intervals_put(g, 1, 2000, 2500, 5); /* never asked for */
    assert_int_equal(free_intervals_sum(g, 1000, 1500), 3);
    assert_int_equal(free_intervals_sum(g, 1000, 1501), 0);
    assert_int_equal(free_intervals_sum(g, 1999, 2100), 0);
    free_intervals_destroy(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_gaps_are_sums_of_pools),
        cmocka_unit_test(free_intervals_that_begin_later_in_the_cell_are_told),
        cmocka_unit_test(what_was_before_the_horizon_counts_from_its_begin_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
