/* SPDX-License-Identifier: Apache-2.0
 * What several pools offer together: at an interval, from now on, and when first. */
#include "plan/counted/first_fit.h"
#include "plan/counted/search.h"
#include "planned_fixture.h"

static void a_search_leaps_to_where_gains_may_suffice(void **state)
{
    struct search q = {.need = 4};

    (void)state;
    search_gain(&q, 50, 2);
    search_gain(&q, 20, 1);
    search_gain(&q, 90, 5);
    assert_int_equal(search_leap(&q, 3), 20);
    assert_int_equal(search_leap(&q, 1), 50);
    assert_int_equal(search_leap(&q, 0), 90);
    q.need = 100;
    assert_int_equal(search_leap(&q, 0), TIME_NEVER);
}

static void a_search_with_more_gains_than_it_notes_leaps_no_further(void **state)
{
    struct search q = {.need = 100};

    (void)state;
    for (int64_t i = 2 * SEARCH_LEAP; i > 0; i--)
        search_gain(&q, 10 * i, 1);
    assert_int_equal(q.n, SEARCH_LEAP);
    assert_int_equal(search_leap(&q, 0), 10 * SEARCH_LEAP);
}

static void nothing_is_gained_without_units_or_never(void **state)
{
    struct search q = {.need = 1};

    (void)state;
    search_gain(&q, 10, 0);
    search_gain(&q, TIME_NEVER, 5);
    assert_int_equal(q.n, 0);
}

/* ---- two kinds of nodes ---- */

struct kinds {
    struct world *w;
    struct plan *p;
    const struct fitset *all; /* a job's of no feature */
};

/* n1 to n4 of one processor; n1 and n2 have the feature ib, which somebody asks for.
 * Jobs of one task stay on n1 for 300 s, on n3 for 700 s; two are reserved from 400 on.
 */
static struct kinds two_kinds(void)
{
    static const char *const ib[] = {"ib", NULL};
    static const char *const names[] = {"n1", "n2", "n3", "n4"};
    struct kinds k = {.w = world_open(NODEALLOC_FIRSTAVAILABLE)};
    struct err err;

    for (int i = 0; i < 4; i++)
        world_node(
            k.w, (struct node_desc){
                     .name = names[i], .cfg = {{1}}, .features = i < 2 ? ib : NULL});
    world_job(
        k.w, "john", (struct req_desc){.tasks = 1, .per_task = {{1}}, .features = ib});
    k.p = world_plan(k.w);
    for (uint32_t i = 0; i < 2; i++) {
        struct job *j = plan_tasks(k.w, k.p, 1, i == 0 ? 300 : 700);
        struct alloc one = {.first = 2 * i, .count = 1, .tasks = 1};
        vec_push(&j->alloc, one);
        assert_int_equal(job_start(k.w->c, j, NOW, &err), 0);
        plan_job_started(k.p, j);
    }
    struct job *reserved = plan_tasks(k.w, k.p, 2, 150);
    struct slot slot = {400, 0};
    plan_reserve(k.p, reserved, &slot);
    k.all = fits_for(k.p->fits, reserved, 0);
    assert_int_equal(k.all->pools.n, 2);
    return k;
}

static void kinds_close(struct kinds *k)
{
    plan_destroy(k->p);
    world_close(k->w);
}

static int64_t free_at(struct kinds *k, int64_t start, int64_t end)
{
    return search_free_at(k->p->counted, k->all, ACCESS_OPEN, start, end, INT64_MAX);
}

static void pools_offer_the_sum_of_their_least(void **state)
{
    struct kinds k = two_kinds();

    (void)state;
    assert_int_equal(free_at(&k, NOW, 400), 2);
    assert_int_equal(free_at(&k, 400, 550), 1);
    assert_int_equal(free_at(&k, 550, 800), 3);
    assert_int_equal(free_at(&k, 800, 9000), 4);
    assert_int_equal(free_at(&k, NOW, 9000), 1);
    kinds_close(&k);
}

static void from_now_on_they_offer_what_they_do_at_that_interval(void **state)
{
    struct kinds k = two_kinds();

    (void)state;
    for (int64_t end = NOW + 1; end < 1000; end++)
        assert_int_equal(from_now_until(k.p->counted, k.all, ACCESS_OPEN, end),
            free_at(&k, NOW, end));
    const struct free_untils *all = from_now_procs(k.p->counted, 0, ACCESS_OPEN);
    for (size_t i = 1; i < all->n; i++) {
        assert_true(all->v[i - 1].until < all->v[i].until);
        assert_true(all->v[i - 1].units > all->v[i].units);
    }
    kinds_close(&k);
}

static void the_first_fit_is_where_a_look_at_every_second_finds_it(void **state)
{
    struct kinds k = two_kinds();

    (void)state;
    for (int32_t need = 1; need <= 4; need++)
        for (int64_t duration = 1; duration < 700; duration += 7) {
            int64_t at = NOW;
            while (free_at(&k, at, at + duration) < need)
                at++;
            assert_int_equal(first_fit_counted(
                                 k.p->counted, k.all, ACCESS_OPEN, need, NOW, duration),
                at);
        }
    assert_int_equal(
        first_fit_counted(k.p->counted, k.all, ACCESS_OPEN, 5, NOW, 1), TIME_NEVER);
    kinds_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_search_leaps_to_where_gains_may_suffice),
        cmocka_unit_test(a_search_with_more_gains_than_it_notes_leaps_no_further),
        cmocka_unit_test(nothing_is_gained_without_units_or_never),
        cmocka_unit_test(pools_offer_the_sum_of_their_least),
        cmocka_unit_test(from_now_on_they_offer_what_they_do_at_that_interval),
        cmocka_unit_test(the_first_fit_is_where_a_look_at_every_second_finds_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
