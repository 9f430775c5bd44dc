/* SPDX-License-Identifier: Apache-2.0
 * Bounds of a planning pass: never too high for anybody, and exact among equal
 * durations. */
#include "base/timeval.h"
#include "cmocka_all.h"
#include "plan/counted/lower_bounds.h"

#define SIZES     60
#define DURATIONS 40

struct ctx {
    uint64_t state;
    struct lower_bounds *bounds;
    int64_t at[SIZES + 1][DURATIONS + 1]; /* as learned; 0 = not */
};

static uint32_t below(struct ctx *x, uint32_t n)
{
    x->state = x->state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(x->state >> 33) % n;
}

/* The truth: what begins when. Larger and longer ones begin later. */
static int64_t truth(int q, int d)
{
    return 1000 + (int64_t)q * q + (int64_t)d * 7;
}

/* The latest of what is known of those that are no larger and no longer. */
static int64_t known(const struct ctx *x, int q, int d)
{
    int64_t bound = INT64_MIN;

    for (int k = 1; k <= d; k++)
        for (int i = 1; i <= q; i++)
            if (x->at[i][k] > 0 && x->at[i][k] > bound)
                bound = x->at[i][k];
    return bound;
}

static void bounds_are_true(void **state)
{
    static const enum bounds_grain grains[] = {
        BOUNDS_FINE, BOUNDS_COARSE, BOUNDS_ROUGH};

    (void)state;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        struct ctx x = {.state = seed, .bounds = lower_bounds_create(grains[seed % 3])};
        for (int i = 0; i < 400; i++) {
            int q = 1 + (int)below(&x, SIZES), d = 1 + (int)below(&x, DURATIONS);
            int64_t bound = lower_bounds_find(x.bounds, q, d, TIME_NEVER);
            assert_true(bound <= known(&x, q, d));
            x.at[q][d] = truth(q, d);
            lower_bounds_learn(x.bounds, q, d, truth(q, d));
            assert_int_equal(
                lower_bounds_find(x.bounds, q, d, TIME_NEVER), truth(q, d));
        }
        lower_bounds_destroy(x.bounds);
    }
}

static void sizes_of_one_duration_are_told_apart(void **state)
{
    struct lower_bounds *h = lower_bounds_create(BOUNDS_ROUGH);

    (void)state;
    lower_bounds_learn(h, 1000, 3600, 50);
    assert_int_equal(lower_bounds_find(h, 1001, 3600, TIME_NEVER),
        50); /* on the grid they are one */
    assert_int_equal(lower_bounds_find(h, 999, 3600, TIME_NEVER), INT64_MIN);
    lower_bounds_learn(h, 1003, 3600, 70);
    lower_bounds_learn(h, 1005, 3600, 90);
    assert_int_equal(lower_bounds_find(h, 1002, 3600, TIME_NEVER), 50);
    assert_int_equal(lower_bounds_find(h, 1004, 3600, TIME_NEVER), 70);
    lower_bounds_learn(h, 1001, 3600, 90); /* so those after it begin no earlier */
    assert_int_equal(lower_bounds_find(h, 1003, 3600, TIME_NEVER), 90);
    assert_int_equal(lower_bounds_find(h, 1000, 3600, TIME_NEVER), 50);
    lower_bounds_clear(h);
    assert_int_equal(lower_bounds_find(h, 1005, 3600, TIME_NEVER), INT64_MIN);
    lower_bounds_destroy(h);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_are_true),
        cmocka_unit_test(sizes_of_one_duration_are_told_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
