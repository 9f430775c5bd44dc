/* SPDX-License-Identifier: Apache-2.0
 * Units free over time. The profile of most tests, worked by hand:
 *
 *     8 units from 0 on    3 taken in [10, 20)    4 taken in [15, 30)
 *     steps                0: 8   10: 5   15: 1   20: 4   30: 8 */
#include "base/timeval.h"
#include "cmocka_all.h"
#include "plan/counted/profile.h"

#include <string.h>

static struct profile worked(void)
{
    struct profile p;

    profile_init(&p);
    profile_reset(&p, 0, 8);
    profile_take(&p, 10, 20, 3);
    profile_take(&p, 15, 30, 4);
    return p;
}

static void check_steps(const struct profile *p, uint32_t n, const int64_t (*want)[2])
{
    assert_int_equal(p->n, n);
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(p->at[i], want[i][0]);
        assert_int_equal(p->free[i], want[i][1]);
    }
}

static void a_new_profile_is_one_step_for_good(void **state)
{
    struct profile p;

    (void)state;
    profile_init(&p);
    profile_reset(&p, 10, 5);
    check_steps(&p, 1, (const int64_t[][2]){{10, 5}});
    assert_int_equal(profile_min(&p, 10, TIME_NEVER), 5);
    assert_int_equal(profile_fit(&p, 10, 5, DURATION_UNLIMITED), 10);
    assert_int_equal(profile_fit(&p, 77, 5, 1), 77);
    assert_int_equal(profile_fit(&p, 10, 6, 1), TIME_NEVER);
    profile_fini(&p);
}

static void what_is_taken_lacks_for_that_time_alone(void **state)
{
    struct profile p = worked();

    (void)state;
    check_steps(
        &p, 5, (const int64_t[][2]){{0, 8}, {10, 5}, {15, 1}, {20, 4}, {30, 8}});
    profile_take(&p, 15, 30, -4);
    profile_take(&p, 10, 20, -3);
    for (int64_t at = 0; at < 40; at++)
        assert_int_equal(profile_min(&p, at, at + 1), 8);
    profile_fini(&p);
}

static void the_least_of_an_interval_excludes_its_end(void **state)
{
    struct profile p = worked();

    (void)state;
    assert_int_equal(profile_min(&p, 0, 10), 8);
    assert_int_equal(profile_min(&p, 0, 11), 5);
    assert_int_equal(profile_min(&p, 10, 15), 5);
    assert_int_equal(profile_min(&p, 14, 16), 1);
    assert_int_equal(profile_min(&p, 20, 1000), 4);
    assert_int_equal(profile_min(&p, 30, TIME_NEVER), 8);
    profile_fini(&p);
}

static void the_first_fit_is_worked_by_hand(void **state)
{
    struct profile p = worked();

    (void)state;
    assert_int_equal(profile_fit(&p, 0, 8, 10), 0);
    assert_int_equal(profile_fit(&p, 0, 8, 11), 30);
    assert_int_equal(profile_fit(&p, 0, 5, 15), 0);
    assert_int_equal(profile_fit(&p, 0, 5, 16), 30);
    assert_int_equal(profile_fit(&p, 1, 5, 15), 30);
    assert_int_equal(profile_fit(&p, 12, 4, 4), 20);
    assert_int_equal(profile_fit(&p, 16, 4, 4), 20);
    assert_int_equal(profile_fit(&p, 0, 1, DURATION_UNLIMITED), 0);
    assert_int_equal(profile_fit(&p, 0, 9, 1), TIME_NEVER);
    profile_fini(&p);
}

static void a_fit_that_is_not_found_before_a_limit_is_at_it_or_later(void **state)
{
    struct profile p = worked();

    (void)state;
    assert_int_equal(profile_fit_before(&p, 12, 21, 4, 4), 20);
    assert_true(profile_fit_before(&p, 12, 20, 4, 4) >= 20);
    assert_true(profile_fit_before(&p, 0, 25, 8, 11) >= 25);
    profile_fini(&p);
}

static void what_is_placed_is_what_fits_and_is_taken(void **state)
{
    struct profile placed = worked(), claimed = worked();

    (void)state;
    for (int64_t k = 0; k < 300; k++) {
        int64_t from = k * 7 % 50, duration = k % 11 ? k * 5 % 17 : DURATION_UNLIMITED;
        int32_t need = (int32_t)(k * 3 % 10);
        int64_t at = profile_fit(&claimed, from, need, duration);
        struct profile_stretch found;
        assert_int_equal(profile_seek(&placed, from, need, duration, &found), at);
        if (at < TIME_NEVER) {
            profile_claim(
                &claimed, at, time_add(at, duration), need - (int32_t)(k % 2));
            profile_occupy(
                &placed, &found, at, time_add(at, duration), need - (int32_t)(k % 2));
        }
        for (int64_t second = 0; second < 400; second++)
            assert_int_equal(profile_min(&placed, second, second + 1),
                profile_min(&claimed, second, second + 1));
        if (k % 5 == 4) {
            profile_advance(&placed, k / 5);
            profile_advance(&claimed, k / 5);
        }
        if (k % 20 == 19) {
            profile_reset(&placed, k / 5, 8);
            profile_reset(&claimed, k / 5, 8);
        }
    }
    profile_fini(&placed);
    profile_fini(&claimed);
}

static void what_is_past_is_forgotten(void **state)
{
    struct profile p = worked();

    (void)state;
    profile_advance(&p, 12);
    check_steps(&p, 4, (const int64_t[][2]){{12, 5}, {15, 1}, {20, 4}, {30, 8}});
    profile_advance(&p, 3); /* the clock does not go back */
    assert_int_equal(p.at[0], 12);
    profile_advance(&p, 20);
    check_steps(&p, 2, (const int64_t[][2]){{20, 4}, {30, 8}});
    profile_take(&p, 0, 25, 1); /* begun before */
    check_steps(&p, 3, (const int64_t[][2]){{20, 3}, {25, 4}, {30, 8}});
    profile_advance(&p, 500);
    check_steps(&p, 1, (const int64_t[][2]){{500, 8}});
    profile_fini(&p);
}

static void nothing_is_taken_in_no_time_or_of_no_units(void **state)
{
    struct profile p = worked();

    (void)state;
    assert_int_equal(profile_claim(&p, 12, 12, 1), 0);
    assert_int_equal(profile_claim(&p, 12, 11, 1), 0);
    assert_int_equal(profile_claim(&p, 12, 17, 0), 0);
    assert_int_equal(p.n, 5);
    profile_advance(&p, 20);
    assert_int_equal(profile_claim(&p, 3, 20, 7), 0); /* over by now */
    assert_int_equal(p.n, 2);
    profile_fini(&p);
}

static void a_claim_may_leave_less_than_nothing(void **state)
{
    struct profile p = worked();

    (void)state;
    assert_int_equal(profile_claim(&p, 12, 40, 3), -2);
    assert_int_equal(profile_min(&p, 0, 40), -2);
    assert_int_equal(profile_claim(&p, 12, 40, -3), 1);
    profile_fini(&p);
}

static void what_is_taken_for_good_lacks_for_good(void **state)
{
    struct profile p = worked();

    (void)state;
    profile_take(&p, 35, TIME_NEVER, 8);
    check_steps(&p, 6,
        (const int64_t[][2]){{0, 8}, {10, 5}, {15, 1}, {20, 4}, {30, 8}, {35, 0}});
    assert_int_equal(profile_fit(&p, 30, 1, 6), TIME_NEVER);
    profile_fini(&p);
}

static void steps_are_appended_in_order_and_the_last_of_an_instant_counts(void **state)
{
    struct profile p;

    (void)state;
    profile_init(&p);
    profile_reset(&p, 0, 1);
    profile_append(&p, 0, 2);
    profile_append(&p, 9, 3);
    profile_append(&p, 9, 4);
    check_steps(&p, 2, (const int64_t[][2]){{0, 2}, {9, 4}});
    assert_int_equal(profile_index(&p, 8), 0);
    assert_int_equal(profile_index(&p, 9), 1);
    assert_int_equal(profile_index(&p, TIME_NEVER), 1);
    profile_fini(&p);
}

static void a_copy_goes_its_own_way(void **state)
{
    struct profile p = worked(), copy;

    (void)state;
    profile_init(&copy);
    profile_copy(&copy, &p);
    profile_take(&copy, 0, 100, 1);
    assert_int_equal(profile_min(&copy, 0, 100), 0);
    assert_int_equal(profile_min(&p, 0, 100), 1);
    profile_copy(&copy, &p); /* over what was there */
    assert_int_equal(profile_min(&copy, 0, 100), 1);
    profile_fini(&copy);
    profile_fini(&p);
}

/* ---- against every second ---- */

#define SECONDS 700

/* Long ones are searched several steps at once. */
struct long_one {
    struct profile p;
    int32_t free[SECONDS];
    uint64_t random;
};

static uint32_t draw(struct long_one *l, uint32_t n)
{
    l->random = l->random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(l->random >> 33) % n;
}

static struct long_one long_one(uint64_t seed)
{
    struct long_one l = {.random = seed};

    profile_init(&l.p);
    profile_reset(&l.p, 0, 40);
    for (int i = 0; i < SECONDS; i++)
        l.free[i] = 40;
    for (int k = 0; k < 60; k++) {
        int64_t start = draw(&l, 500), end = start + 1 + draw(&l, 150);
        int32_t units = 1 + (int32_t)draw(&l, 12);
        if (profile_min(&l.p, start, end) < units)
            continue;
        profile_take(&l.p, start, end, units);
        for (int64_t i = start; i < end; i++)
            l.free[i] -= units;
    }
    return l;
}

static int64_t fit_by_seconds(
    const struct long_one *l, int64_t from, int32_t need, int64_t duration)
{
    for (int64_t at = from;; at++) {
        int64_t i = at;
        while (i < at + duration && (i >= SECONDS || l->free[i] >= need))
            i++;
        if (i == at + duration)
            return at;
    }
}

static void the_first_fit_is_where_a_look_at_every_second_finds_it(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct long_one l = long_one(seed);
        for (int32_t need = 1; need <= 40; need += 3)
            for (int64_t from = 0; from < 600; from += 41)
                for (int64_t duration = 1; duration < 300; duration += 37)
                    assert_int_equal(profile_fit(&l.p, from, need, duration),
                        fit_by_seconds(&l, from, need, duration));
        profile_fini(&l.p);
    }
}

static void steps_say_what_every_second_says(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct long_one l = long_one(seed);
        assert_true(l.p.n > 16);
        for (int64_t at = 0; at < SECONDS; at++)
            assert_int_equal(l.p.free[profile_index(&l.p, at)], l.free[at]);
        for (uint32_t i = 1; i < l.p.n; i++)
            assert_true(l.p.at[i - 1] < l.p.at[i]);
        profile_fini(&l.p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_profile_is_one_step_for_good),
        cmocka_unit_test(what_is_taken_lacks_for_that_time_alone),
        cmocka_unit_test(the_least_of_an_interval_excludes_its_end),
        cmocka_unit_test(the_first_fit_is_worked_by_hand),
        cmocka_unit_test(a_fit_that_is_not_found_before_a_limit_is_at_it_or_later),
        cmocka_unit_test(what_is_placed_is_what_fits_and_is_taken),
        cmocka_unit_test(what_is_past_is_forgotten),
        cmocka_unit_test(nothing_is_taken_in_no_time_or_of_no_units),
        cmocka_unit_test(a_claim_may_leave_less_than_nothing),
        cmocka_unit_test(what_is_taken_for_good_lacks_for_good),
        cmocka_unit_test(steps_are_appended_in_order_and_the_last_of_an_instant_counts),
        cmocka_unit_test(a_copy_goes_its_own_way),
        cmocka_unit_test(the_first_fit_is_where_a_look_at_every_second_finds_it),
        cmocka_unit_test(steps_say_what_every_second_says),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
