/* SPDX-License-Identifier: Apache-2.0
 * The heap of ends to come. */
#include "sim/evheap.h"
#include "sim/prng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void the_earliest_comes_first(void **state)
{
    struct evheap h = {0};

    (void)state;
    assert_true(evheap_empty(&h));
    evheap_push(&h, (struct ev){30, 1, 7});
    evheap_push(&h, (struct ev){10, 2, 8});
    evheap_push(&h, (struct ev){20, 3, 9});
    assert_int_equal(evheap_top(&h)->at, 10);
    assert_int_equal(evheap_pop(&h).job, 8);
    assert_int_equal(evheap_pop(&h).job, 9);
    assert_int_equal(evheap_pop(&h).job, 7);
    assert_true(evheap_empty(&h));
    evheap_fini(&h);
}

static void of_one_instant_the_first_pushed_comes_first(void **state)
{
    struct evheap h = {0};

    (void)state;
    for (uint32_t i = 0; i < 100; i++)
        evheap_push(&h, (struct ev){5, i, 100 - i});
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(evheap_pop(&h).seq, i);
    evheap_fini(&h);
}

static void any_mix_of_pushes_and_pops_stays_in_order(void **state)
{
    struct evheap h = {0};
    struct prng rng;
    int64_t now = 0;
    size_t n = 0;

    (void)state;
    prng_init(&rng, 42);
    for (uint32_t i = 0; i < 20000; i++) {
        if (n == 0 || prng_below(&rng, 100) < 55) {
            evheap_push(&h, (struct ev){now + (int64_t)prng_below(&rng, 50), i, i});
            n++;
        } else {
            struct ev e = evheap_pop(&h);

            assert_true(e.at >= now);
            now = e.at;
            n--;
        }
    }
    assert_int_equal(h.heap.n, n);
    evheap_fini(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_earliest_comes_first),
        cmocka_unit_test(of_one_instant_the_first_pushed_comes_first),
        cmocka_unit_test(any_mix_of_pushes_and_pops_stays_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
