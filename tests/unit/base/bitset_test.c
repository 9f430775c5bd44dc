/* SPDX-License-Identifier: Apache-2.0
 * Sets of numbers, against a plain array of flags. */
#include "base/bitset.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define SPAN 300

static uint32_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

static void assert_same(const struct bitset *b, const bool *plain)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < SPAN; i++) {
        uint32_t next = i, prev = i, clear = i;

        assert_int_equal(bitset_test(b, i), plain[i]);
        count += plain[i];
        while (next < SPAN && !plain[next])
            next++;
        while (prev != UINT32_MAX && !plain[prev])
            prev--;
        while (clear < SPAN && plain[clear])
            clear++;
        assert_int_equal(bitset_next(b, i), next < SPAN ? next : BITSET_NONE);
        assert_int_equal(bitset_prev(b, i), prev);
        assert_int_equal(bitset_next_clear(b, i), clear);
        for (uint32_t end = i; end <= SPAN && end < i + 140; end += 1 + end % 13) {
            assert_int_equal(bitset_next_within(b, i, end), next < end ? next : end);
            assert_int_equal(bitset_gap_within(b, i, end), clear < end ? clear : end);
        }
        for (uint32_t low = i; plain[i]; low -= 1 + low % 29) {
            uint32_t run = i;
            while (run > low && plain[run - 1])
                run--;
            assert_int_equal(bitset_run_down(b, i, low), run);
            if (low < 30 || low + 140 < i)
                break;
        }
    }
    assert_int_equal(bitset_count(b), count);
    assert_int_equal(bitset_any(b), count > 0);
}

static void an_empty_set_holds_nothing(void **state)
{
    struct bitset b = {0}, other = {0};

    (void)state;
    assert_int_equal(bitset_next(&b, 0), BITSET_NONE);
    assert_int_equal(bitset_prev(&b, UINT32_MAX), BITSET_NONE);
    assert_int_equal(bitset_next_clear(&b, 7), 7);
    assert_false(bitset_test(&b, 1000000));
    bitset_clear(&b, 1000000);
    bitset_clear_range(&b, 5, 500);
    bitset_set_range(&b, 9, 9);
    assert_int_equal(bitset_count_range(&b, 0, 100), 0);
    assert_false(bitset_any(&b));
    assert_true(bitset_equal(&b, &other));
    assert_true(bitset_subset(&b, &other));
    assert_false(bitset_intersects(&b, &other));
    bitset_fini(&b);
}

static void sets_agree_with_flags_under_random_changes(void **state)
{
    struct bitset b = {0};
    bool plain[SPAN] = {false};
    uint64_t seed = 20260101;

    (void)state;
    for (int round = 0; round < 400; round++) {
        uint32_t from = next_random(&seed) % SPAN, to = next_random(&seed) % (SPAN + 1);
        uint32_t n = 0;

        switch (next_random(&seed) % 4) {
        case 0:
            bitset_set(&b, from);
            plain[from] = true;
            break;
        case 1:
            bitset_clear(&b, from);
            plain[from] = false;
            break;
        case 2:
            bitset_set_range(&b, from, to);
            for (uint32_t i = from; i < to; i++)
                plain[i] = true;
            break;
        default:
            bitset_clear_range(&b, from, to);
            for (uint32_t i = from; i < to; i++)
                plain[i] = false;
        }
        for (uint32_t i = from; i < to; i++)
            n += plain[i];
        assert_int_equal(bitset_count_range(&b, from, to), n);
        if (round % 10 == 0)
            assert_same(&b, plain);
    }
    bitset_fini(&b);
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* One run and nothing else, then nothing but one gap: searches pass over many words. */
static void long_runs_and_gaps_end_where_they_end(void **state)
{
    static const uint32_t at[] = {
        0, 1, 63, 64, 65, 127, 511, 512, 513, 575, 576, 577, 1024, 1300, 1999, 2000};
    const size_t n = sizeof at / sizeof *at;

    (void)state;
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++) {
            uint32_t from = at[i], to = at[k];
            struct bitset run = {0}, gap = {0};
            bitset_set_range(&run, from, to);
            bitset_set_range(&gap, 0, 2000);
            bitset_clear_range(&gap, from, to);
            assert_int_equal(bitset_count(&run), to - from);
            assert_int_equal(bitset_count(&gap), 2000 - (to - from));
            assert_int_equal(bitset_next(&run, 0), from);
            assert_int_equal(bitset_prev(&run, 2500), to - 1);
            assert_int_equal(
                bitset_prev(&gap, to - 1), from > 0 ? from - 1 : BITSET_NONE);
            for (size_t e = 0; e < n; e++) {
                uint32_t end = at[e];
                assert_int_equal(bitset_next_within(&run, 0, end), smaller(from, end));
                if (end < from)
                    continue;
                assert_int_equal(bitset_gap_within(&run, from, end), smaller(to, end));
                if (to < 2000)
                    assert_int_equal(
                        bitset_next_within(&gap, from, end), smaller(to, end));
            }
            for (size_t e = 0; e < n && at[e] < to; e++)
                assert_int_equal(
                    bitset_run_down(&run, to - 1, at[e]), larger(from, at[e]));
            bitset_fini(&run);
            bitset_fini(&gap);
        }
}

static void sets_of_different_length_combine(void **state)
{
    struct bitset a = {0}, b = {0}, c = {0};

    (void)state;
    bitset_set_range(&a, 0, 70);
    bitset_set_range(&b, 60, 200);
    assert_true(bitset_intersects(&a, &b));
    bitset_copy(&c, &a);
    assert_true(bitset_equal(&c, &a));
    bitset_and(&c, &b);
    assert_int_equal(bitset_count(&c), 10);
    assert_true(bitset_subset(&c, &a));
    assert_true(bitset_subset(&c, &b));
    assert_false(bitset_equal(&c, &b));
    bitset_or(&c, &b);
    assert_true(bitset_equal(&c, &b));
    bitset_andnot(&c, &a);
    assert_int_equal(bitset_next(&c, 0), 70);
    assert_int_equal(bitset_count(&c), 130);
    bitset_copy(&c, &a);
    assert_true(bitset_equal(&c, &a));
    bitset_and(&b, &a);
    assert_int_equal(bitset_prev(&b, UINT32_MAX), 69);
    bitset_clear_all(&b);
    assert_false(bitset_any(&b));
    bitset_fini(&a);
    bitset_fini(&b);
    bitset_fini(&c);
}

static void words_can_be_read_past_the_end(void **state)
{
    struct bitset b = {0};

    (void)state;
    bitset_set(&b, 64);
    assert_int_equal(bitset_word(&b, 0), 0);
    assert_int_equal(bitset_word(&b, 1), 1);
    assert_int_equal(bitset_word(&b, 99), 0);
    bitset_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_set_holds_nothing),
        cmocka_unit_test(sets_agree_with_flags_under_random_changes),
        cmocka_unit_test(long_runs_and_gaps_end_where_they_end),
        cmocka_unit_test(sets_of_different_length_combine),
        cmocka_unit_test(words_can_be_read_past_the_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
