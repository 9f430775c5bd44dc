/* SPDX-License-Identifier: Apache-2.0
 * The first fit among many small pools is the one that a look at all pools finds. */
#include "plan/counted/deep.h"
#include "plan/counted/first_fit.h"
#include "plan/counted/search.h"
#include "planned_fixture.h"

struct deep_world {
    struct world *w;
    struct plan *p;
    const struct fitset *set;
    uint32_t access;
};

/* Small pools, and ten reserved jobs, so that the plan is deep. */
static struct deep_world deep_plan(void)
{
    struct deep_world d = {.w = world_of_small_pools()};
    struct job *j = NULL;

    d.p = world_plan(d.w);
    for (uint32_t i = 0; i < 10; i++) {
        j = plan_tasks(d.w, d.p, 30 + 5 * i, 200 + 30 * i);
        plan_reserve_first(d.p, j);
    }
    d.set = fits_for(d.p->fits, j, 0);
    d.access = closures_access(d.p->closures, j, NOW);
    return d;
}

static void deep_close(struct deep_world *d)
{
    plan_destroy(d->p);
    world_close(d->w);
}

static int64_t look_at_all(struct deep_world *d, int32_t need, int64_t duration)
{
    int64_t at = NOW;

    while (search_free_at(d->p->counted, d->set, d->access, at, at + duration, need)
           < need)
        at++;
    return at;
}

static bool able(struct plan *p, const struct fitset *s, uint32_t access)
{
    return deep_able(&(struct search){
        .ct = p->counted, .s = s, .m = set_memory_of(p->counted, s), .access = access});
}

static void it_is_worth_while_with_small_pools_and_some_reservations(void **state)
{
    struct deep_world d = deep_plan();
    struct world *w = world_of_small_pools();
    struct plan *p = world_plan(w);
    const struct fitset *set = fits_for(p->fits, plan_tasks(w, p, 1, 10), 0);

    (void)state;
    assert_true(able(d.p, d.set, d.access));
    assert_false(able(d.p, d.set, ACCESS_OPEN)); /* free intervals know closures */
    assert_false(able(p, set, d.access));        /* nothing is reserved */
    plan_destroy(p);
    world_close(w);
    deep_close(&d);
}

static void it_finds_what_a_look_at_every_second_finds(void **state)
{
    static const int32_t needs[] = {1, 20, 21, 45, 60, 79, 80};
    static const int64_t durations[] = {1, 50, 300, 900, 1500};
    struct deep_world d = deep_plan();

    (void)state;
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        for (size_t k = 0; k < sizeof durations / sizeof *durations; k++)
            assert_int_equal(first_fit_counted(d.p->counted, d.set, d.access, needs[i],
                                 NOW, durations[k]),
                look_at_all(&d, needs[i], durations[k]));
    deep_close(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_worth_while_with_small_pools_and_some_reservations),
        cmocka_unit_test(it_finds_what_a_look_at_every_second_finds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
