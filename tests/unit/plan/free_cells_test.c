/* SPDX-License-Identifier: Apache-2.0
 * Which pools may have something throughout an interval: none that has is left out, and
 * none is told that has nothing at all in one of its whole cells. */
#include "cmocka_all.h"
#include "plan/counted/free_cells.h"

#include <stdlib.h>
#include <string.h>

#define POOLS   70
#define FROM    INT64_C(1000)
#define HORIZON 2000 /* cells of 4 s */
#define CELL    4

struct ctx {
    uint64_t state;
    struct free_cells *o;
    bool free[POOLS][HORIZON];
};

static int below(struct ctx *x, int n)
{
    x->state = x->state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (int)((x->state >> 33) % (uint64_t)n);
}

typedef void put_fn(struct free_cells *o, uint32_t pool, int64_t from, int64_t to);

static void put_all(struct ctx *x, uint32_t pool, int64_t from, int64_t to, put_fn *put)
{
    for (int64_t t = from, end; t < to; t = end + 1) {
        for (end = t; end < to && x->free[pool][end - FROM]; end++)
            ;
        if (end > t)
            put(x->o, pool, t, end);
    }
}

static void change(struct ctx *x)
{
    uint32_t pool = (uint32_t)below(x, POOLS);
    int64_t from = FROM + below(x, HORIZON - 1);
    int64_t to = from + 1 + below(x, (int)(FROM + HORIZON - from));

    memset(&x->free[pool][from - FROM], below(x, 3) > 0, (size_t)(to - from));
    free_cells_cut(x->o, pool, &from, &to);
    assert_true(from >= FROM && to <= FROM + HORIZON);
    put_all(x, pool, from, to, free_cells_put);
}

static void ask(struct ctx *x)
{
    int64_t start = FROM + below(x, HORIZON), end = start + 1 + below(x, 3000);
    const struct bitset *open = free_cells_during(x->o, start, end);

    end = end < FROM + HORIZON ? end : FROM + HORIZON; /* beyond it nobody is asked */
    for (uint32_t i = 0; i < POOLS; i++) {
        bool throughout = true, none = false;
        for (int64_t t = start; t < end; t++)
            throughout &= x->free[i][t - FROM];
        for (int64_t t = start + CELL; t < end - CELL; t++)
            none |= !x->free[i][t - FROM];
        if (throughout)
            assert_true(bitset_test(open, i));
        if (none)
            assert_false(bitset_test(open, i));
    }
}

static void pools_with_an_opening_are_told(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct ctx *x = calloc(1, sizeof *x);
        x->state = seed;
        x->o = free_cells_create();
        free_cells_reset(x->o, POOLS, FROM, FROM + HORIZON);
        for (int i = 0; i < 200; i++) {
            change(x);
            ask(x);
        }
        free_cells_reset(x->o, POOLS, FROM, FROM + HORIZON);
        assert_false(bitset_any(free_cells_during(x->o, FROM, FROM + 1)));
        for (uint32_t pool = 0; pool < POOLS; pool++)
            put_all(x, pool, FROM, FROM + HORIZON, free_cells_load);
        free_cells_loaded(x->o);
        for (int i = 0; i < 200; i++) {
            ask(x);
            change(x);
        }
        free_cells_destroy(x->o);
        free(x);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(pools_with_an_opening_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
