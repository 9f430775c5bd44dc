/* SPDX-License-Identifier: Apache-2.0
 * Sets of ranges, against a bitset that is told the same. */
#include "base/rangeset.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define SPAN 10000

static uint32_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

static void assert_same(
    const struct rangeset *s, const struct bitset *b, uint64_t *seed)
{
    assert_int_equal(rangeset_count(s), bitset_count(b));
    for (uint32_t k = 0; k <= SPAN / 64 + 1; k++)
        assert_true(rangeset_word(s, k) == bitset_word(b, k));
    for (int i = 0; i < 200; i++) {
        uint32_t at = next_random(seed) % SPAN, end = next_random(seed) % SPAN;
        assert_int_equal(rangeset_test(s, at), bitset_test(b, at));
        assert_int_equal(
            rangeset_next_within(s, at, end), bitset_next_within(b, at, end));
        assert_int_equal(
            rangeset_gap_within(s, at, end), bitset_gap_within(b, at, end));
        assert_int_equal(rangeset_prev(s, at), bitset_prev(b, at));
        if (end <= at && bitset_test(b, at))
            assert_int_equal(
                rangeset_run_down(s, at, end), bitset_run_down(b, at, end));
    }
}

static void an_empty_set_holds_nothing(void **state)
{
    struct rangeset s = {0};

    (void)state;
    assert_false(rangeset_test(&s, 1000000));
    assert_int_equal(rangeset_count(&s), 0);
    assert_int_equal(rangeset_prev(&s, UINT32_MAX), BITSET_NONE);
    assert_int_equal(rangeset_next_within(&s, 3, 700), 700);
    assert_int_equal(rangeset_next_within(&s, 0, 0), 0);
    assert_int_equal(rangeset_gap_within(&s, 3, 700), 3);
    rangeset_clear_range(&s, 5, 5000);
    rangeset_reserve(&s, 64);
    rangeset_set_range(&s, 9, 9);
    assert_int_equal(rangeset_count(&s), 0);
    rangeset_fini(&s);
}

static void it_is_a_bitset_under_random_changes(void **state)
{
    static const uint32_t longest[] = {3, 70, 500, SPAN};
    struct rangeset s = {0};
    struct bitset b = {0};
    uint64_t seed = 20260202;

    (void)state;
    rangeset_reserve(&s, SPAN);
    for (int round = 0; round < 2000; round++) {
        uint32_t from = next_random(&seed) % SPAN;
        uint32_t to = from + next_random(&seed) % longest[round % 4];
        to = to < SPAN ? to : SPAN;
        switch (next_random(&seed) % 3) {
        case 0:
            rangeset_set_range(&s, from, to);
            bitset_set_range(&b, from, to);
            break;
        case 1:
            rangeset_clear_range(&s, from, to);
            bitset_clear_range(&b, from, to);
            break;
        default:
            rangeset_turn(&s, from);
            if (bitset_test(&b, from))
                bitset_clear(&b, from);
            else
                bitset_set(&b, from);
        }
        if (round % 10 == 0)
            assert_same(&s, &b, &seed);
    }
    rangeset_fini(&s);
    bitset_fini(&b);
}

static void words_fill_and_empty_bit_by_bit(void **state)
{
    struct rangeset s = {0};

    (void)state;
    rangeset_reserve(&s, 256);
    for (uint32_t i = 0; i < 256; i++)
        rangeset_turn(&s, i);
    assert_int_equal(rangeset_gap_within(&s, 0, 300), 256);
    assert_int_equal(rangeset_run_down(&s, 255, 0), 0);
    for (uint32_t i = 64; i < 128; i++)
        rangeset_turn(&s, i);
    assert_int_equal(rangeset_gap_within(&s, 0, 300), 64);
    assert_int_equal(rangeset_next_within(&s, 64, 300), 128);
    assert_int_equal(rangeset_prev(&s, 127), 63);
    assert_int_equal(rangeset_run_down(&s, 255, 10), 128);
    assert_int_equal(rangeset_count(&s), 192);
    rangeset_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_set_holds_nothing),
        cmocka_unit_test(it_is_a_bitset_under_random_changes),
        cmocka_unit_test(words_fill_and_empty_bit_by_bit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
