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
        turnsort_free(all);
        turnsort_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_number_is_put_in_order),
        cmocka_unit_test(a_turn_is_bounded),
        cmocka_unit_test(what_goes_meanwhile_is_not_in_it)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
