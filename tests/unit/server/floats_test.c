/* SPDX-License-Identifier: Apache-2.0
 * Licences that several resource managers tell of. */
#include "cmocka_all.h"
#include "config/texts.h"
#include "server/managers/floats.h"

static void check(const struct gres_cfg *all, const char *name, int64_t count)
{
    while (all->name && strcmp(all->name, name) != 0)
        all++;
    assert_int_equal(all->name ? all->count : -1, count);
}

static void one_that_several_tell_of_is_one(void **state)
{
    const struct gres_cfg slurm[] = {{.name = "matlab", .count = 3},
        {.name = "idl", .count = 1}, {0}},
                          pool[] = {{.name = "matlab", .count = 5}, {0}},
                          none[] = {{0}};
    struct floats *f = floats_new();

    (void)state;
    check(floats_told(f, "slurm", slurm), "matlab", 3);
    check(floats_told(f, "pool", pool), "matlab", 5);
    check(floats_told(f, "pool", pool), "idl", 1);
    check(floats_told(f, "pool", none), "matlab", 3);
    check(floats_told(f, "slurm", NULL), "matlab", -1);
    floats_free(f);
    floats_free(NULL);
}

static void the_node_of_them_is_global(void **state)
{
    (void)state;
    assert_true(floats_are_of("GLOBAL"));
    assert_false(floats_are_of("global"));
    assert_false(floats_are_of("pool.GLOBAL"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_that_several_tell_of_is_one),
        cmocka_unit_test(the_node_of_them_is_global),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
