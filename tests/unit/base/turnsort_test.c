/* SPDX-License-Identifier: Apache-2.0
 * Sorting in turns: the order, what a turn costs, and what goes meanwhile. */
#include "base/turnsort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

struct item {
    unsigned key, came;
};

static size_t comparisons;

static int compare(const void *a, const void *b, void *ctx)
{
    const struct item *x = a, *y = b;

    (void)ctx;
    comparisons++;
    return x->key < y->key ? -1 : x->key > y->key;
}

static bool is_odd(const void *item, void *ctx)
{
    (void)ctx;
    return ((const struct item *)item)->key % 2;
}

static struct turnsort *sort_of(unsigned n, unsigned seed)
{
    struct turnsort *t = turnsort_new(sizeof(struct item), compare, NULL);

    srand(seed);
    for (unsigned i = 0; i < n; i++)
        turnsort_add(t, &(struct item){(unsigned)rand() % 1000, i});
    return t;
}

static void assert_ordered(const struct turnsort *t, size_t expected)
{
    size_t n;
    const struct item *v = turnsort_items(t, &n);

    assert_int_equal(n, expected);
    for (size_t i = 1; i < n; i++) {
        assert_true(v[i - 1].key <= v[i].key);
        assert_true(v[i - 1].key < v[i].key || v[i - 1].came < v[i].came);
    }
}

static void any_number_is_put_in_order(void **state)
{
    static const unsigned numbers[] = {0, 1, 2, 2047, 2048, 2049, 4096, 10000, 33333};

    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct turnsort *t = sort_of(numbers[i], 7);
        while (turnsort_more(t, 777))
            ;
        assert_ordered(t, numbers[i]);
        turnsort_free(t);
    }
    turnsort_free(NULL);
}

/* Counted, not measured: however many there are, a turn compares so many at most. */
static void a_turn_is_bounded(void **state)
{
    struct turnsort *t = turnsort_new(sizeof(struct item), compare, NULL);
    size_t turns = 0;

    (void)state;
    srand(1);
    for (unsigned i = 0; i < 100000; i++) {
        comparisons = 0;
        turnsort_add(t, &(struct item){(unsigned)rand(), i});
        assert_true(comparisons <= TURNSORT_RUN * 11);
    }
    comparisons = 0;
    while (turnsort_more(t, 5000)) {
        assert_true(comparisons <= (turns ? 5000 : 5000 + TURNSORT_RUN * 11));
        comparisons = 0;
        turns++;
    }
    assert_true(turns >= 20 && turns <= 6 * 20 + 1);
    assert_ordered(t, 100000);
    turnsort_free(t);
}

static void what_goes_meanwhile_is_not_in_it(void **state)
{
    (void)state;
    for (size_t at = 0; at < 60; at++) {
        struct turnsort *t = sort_of(20000, 3);
        bool more = true;
        for (size_t i = 0; i < at; i++)
            more = more && turnsort_more(t, 1009);
        turnsort_drop(t, is_odd);
        while (turnsort_more(t, 1009))
            ;
        size_t n;
        const struct item *v = turnsort_items(t, &n);
        for (size_t i = 0; i < n; i++)
            assert_true(v[i].key % 2 == 0);
        struct turnsort *all = sort_of(20000, 3);
        turnsort_drop(all, is_odd);
        while (turnsort_more(all, 20000))
            ;
        size_t expected;
        turnsort_items(all, &expected);
        assert_ordered(t, expected);
        assert_true(turnsort_is_whole(t)); /* what has gone is not missing */
        turnsort_free(all);
        turnsort_free(t);
    }
}

/* However they come: of many items the first are those that a whole sort has first, and
 * one that is none of them costs a comparison. */
static void the_first_are_those_of_all(void **state)
{
    static const size_t wanted[] = {1, 7, 356, TURNSORT_FIRST_MAX};

    (void)state;
    for (int way = -1; way <= 1; way++)
        for (size_t w = 0; w < sizeof wanted / sizeof wanted[0]; w++) {
            struct turnsort *t = turnsort_new(sizeof(struct item), compare, NULL);
            struct turnsort *all = turnsort_new(sizeof(struct item), compare, NULL);
            size_t n, every;
            turnsort_first(t, wanted[w]);
            srand(5);
            for (unsigned i = 0; i < 20000; i++) {
                unsigned key = way < 0 ? 20000 - i / 3 : way ? i / 3 : (unsigned)rand();
                turnsort_add(all, &(struct item){key, i});
                comparisons = 0;
                turnsort_add(t, &(struct item){key, i});
                assert_true(way <= 0 || i < TURNSORT_RUN || comparisons <= 1);
            }
            while (turnsort_more(t, 100) || turnsort_more(all, 100000))
                ;
            const struct item *some = turnsort_items(t, &n);
            const struct item *whole = turnsort_items(all, &every);
            assert_true(every == 20000 && n >= wanted[w] && n < TURNSORT_RUN);
            assert_true(turnsort_is_whole(all) && !turnsort_is_whole(t));
            for (size_t i = 0; i < n; i++)
                assert_int_equal(some[i].came, whole[i].came);
            turnsort_free(t);
            turnsort_free(all);
        }
}

/* Where some go while others come, what is left is still the first there are: it may be
 * fewer than were wanted, and none is passed over. */
static void what_goes_leaves_the_first_of_the_others(void **state)
{
    (void)state;
    for (unsigned when = 1000; when < 20000; when += 1777) {
        struct turnsort *t = turnsort_new(sizeof(struct item), compare, NULL);
        struct turnsort *all = turnsort_new(sizeof(struct item), compare, NULL);
        size_t n, every;
        turnsort_first(t, 300);
        srand(when);
        for (unsigned i = 0; i < 20000; i++) {
            struct item x = {(unsigned)rand(), i};
            turnsort_add(t, &x);
            turnsort_add(all, &x);
            if (i == when)
                turnsort_drop(t, is_odd);
            if (i == when)
                turnsort_drop(all, is_odd);
        }
        while (turnsort_more(t, 100) || turnsort_more(all, 100000))
            ;
        const struct item *some = turnsort_items(t, &n);
        const struct item *whole = turnsort_items(all, &every);
        assert_true(n >= 50 && n < every);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(some[i].came, whole[i].came);
        turnsort_free(t);
        turnsort_free(all);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_number_is_put_in_order),
        cmocka_unit_test(a_turn_is_bounded),
        cmocka_unit_test(what_goes_meanwhile_is_not_in_it),
        cmocka_unit_test(the_first_are_those_of_all),
        cmocka_unit_test(what_goes_leaves_the_first_of_the_others)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
