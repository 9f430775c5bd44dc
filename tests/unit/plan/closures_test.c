/* SPDX-License-Identifier: Apache-2.0
 * When nodes under reservations are closed, and to whom. The example of the header:
 *
 *     A   [400, 1200)     on n2 and n3     john
 *     B   [1500, 1900)    on n3            mary
 *
 * n1 is under set 0, n2 under {A}, n3 under {A, B}. It is 100. */
#include "plan/closures/closures.h"
#include "rsv_kit.h"

struct trial {
    struct rk k;
    struct closures *closures;
    uint32_t a, ab; /* the sets */
};

static uint32_t set_of(struct trial *t, const char *node)
{
    return closures_set(t->closures, node_find(t->k.c, node));
}

static struct trial trial_open(void)
{
    struct trial t = {.k = rk_open("")};

    rk_nodes(&t.k, 4, 2, 100);
    rk_hold(&t.k, rk_setres(&t.k, "A", ACL_USER, "john", 400, 1200), "n2 n3", 1);
    rk_hold(&t.k, rk_setres(&t.k, "B", ACL_USER, "mary", 1500, 1900), "n3", 1);
    t.closures = closures_create(t.k.c);
    closures_forget(t.closures);
    t.a = set_of(&t, "n2");
    t.ab = set_of(&t, "n3");
    return t;
}

static void trial_close(struct trial *t)
{
    closures_destroy(t->closures);
    rk_close(&t->k);
}

static uint32_t access_of(struct trial *t, const char *who)
{
    return closures_access(t->closures, rk_job(&t->k, who, 1, 100, 0, NULL), 100);
}

static uint32_t confined_access_of(struct trial *t, const char *who)
{
    return closures_access(
        t->closures, rk_job(&t->k, who, 1, 100, JOB_ADVRES, NULL), 100);
}

static void nodes_under_the_same_reservations_are_of_one_set(void **state)
{
    (void)state;
    struct trial t = trial_open();
    size_t n;

    assert_int_equal(set_of(&t, "n1"), 0);
    assert_int_equal(set_of(&t, "n4"), 0);
    assert_int_not_equal(t.a, 0);
    assert_int_not_equal(t.ab, t.a);
    assert_int_equal(closures_sets(t.closures), 3);
    const struct set_member *members = closures_members(t.closures, t.ab, &n);
    assert_int_equal(n, 2);
    assert_int_equal(members[0].start_at + members[1].start_at, 400 + 1500);
    closures_members(t.closures, 0, &n);
    assert_int_equal(n, 0);
    trial_close(&t);
}

static void of_a_set_those_are_left_that_end_later(void **state)
{
    (void)state;
    struct trial t = trial_open();
    size_t n;

    assert_int_equal(closures_set_after(t.closures, t.ab, 1199), t.ab);
    uint32_t b = closures_set_after(t.closures, t.ab, 1200);
    const struct set_member *members = closures_members(t.closures, b, &n);
    assert_int_equal(n, 1);
    assert_int_equal(members[0].start_at, 1500);
    assert_int_equal(closures_set_after(t.closures, t.ab, 1900), 0);
    assert_int_equal(closures_set_after(t.closures, t.a, 1200), 0);
    trial_close(&t);
}

static void part_of_a_node_is_no_matter_of_sets(void **state)
{
    (void)state;
    struct trial t = trial_open();
    struct reservation *r = rk_setres(&t.k, "part", ACL_USER, "john", 400, 1200);

    r->def.per_task = (struct res){{1}};
    rk_hold(&t.k, r, "n1", 1);
    r = rk_setres(&t.k, "all", ACL_USER, "john", 400, 1200);
    r->def.per_task = (struct res){{1}}; /* both processors: the whole node */
    rk_hold(&t.k, r, "n4", 2);
    closures_forget(t.closures);
    assert_int_equal(set_of(&t, "n1"), INDEX_NONE);
    assert_int_not_equal(set_of(&t, "n4"), INDEX_NONE);
    assert_int_not_equal(set_of(&t, "n4"), 0);
    trial_close(&t);
}

static void who_is_let_in_by_the_same_is_of_one_class(void **state)
{
    (void)state;
    struct trial t = trial_open();

    uint32_t john = access_of(&t, "john"), mary = access_of(&t, "mary");
    assert_int_equal(access_of(&t, "john/staff"), john);
    assert_int_not_equal(john, mary);
    assert_int_not_equal(john, ACCESS_NOWHERE);
    assert_int_equal(access_of(&t, "ann"), access_of(&t, "bob"));
    assert_int_not_equal(confined_access_of(&t, "john"), john);
    assert_true(closures_is_confined(t.closures, confined_access_of(&t, "john")));
    assert_false(closures_is_confined(t.closures, john));
    trial_close(&t);
}

static bool closed(
    struct trial *t, uint32_t access, uint32_t set, int64_t start, int64_t end)
{
    return closures_closed(t->closures, access, set, start, end, NULL);
}

static void a_set_is_closed_while_one_lasts_that_does_not_let_in(void **state)
{
    (void)state;
    struct trial t = trial_open();
    uint32_t john = access_of(&t, "john"), mary = access_of(&t, "mary");
    uint32_t ann = access_of(&t, "ann");

    assert_false(closed(&t, ann, t.ab, 100, 400));
    assert_true(closed(&t, ann, t.ab, 100, 401));
    assert_true(closed(&t, ann, t.ab, 1199, 1200));
    assert_false(closed(&t, ann, t.ab, 1200, 1500));
    assert_true(closed(&t, ann, t.ab, 1200, 1501));
    assert_false(closed(&t, ann, t.ab, 1900, 99999));
    assert_false(closed(&t, john, t.ab, 100, 1500));
    assert_true(closed(&t, john, t.ab, 100, 1501));
    assert_false(closed(&t, mary, t.ab, 1200, 9999));
    assert_true(closed(&t, mary, t.a, 100, 9999));
    assert_false(closed(&t, ann, 0, 100, 9999));
    assert_false(closed(&t, ACCESS_OPEN, t.ab, 100, 9999));
    trial_close(&t);
}

static void an_interval_may_be_open_after_the_last_closure_in_it(void **state)
{
    (void)state;
    struct trial t = trial_open();
    uint32_t ann = access_of(&t, "ann"), john = access_of(&t, "john");
    int64_t until = 0;

    assert_true(closures_closed(t.closures, ann, t.ab, 300, 600, &until));
    assert_int_equal(until, 1200);
    assert_true(closures_closed(t.closures, ann, t.ab, 300, 1600, &until));
    assert_int_equal(until, 1900);
    assert_int_equal(closures_next(t.closures, ann, t.ab, 100), 400);
    assert_int_equal(closures_next(t.closures, ann, t.ab, 700), 700);
    assert_int_equal(closures_next(t.closures, ann, t.ab, 1200), 1500);
    assert_int_equal(closures_next(t.closures, john, t.ab, 100), 1500);
    assert_int_equal(closures_next(t.closures, ann, t.ab, 1900), TIME_NEVER);
    assert_int_equal(closures_next(t.closures, ann, 0, 100), TIME_NEVER);
    trial_close(&t);
}

/* Closed where nothing is reserved, and where what is reserved is for others. */
static void who_is_confined_is_let_in_by_reservations_alone(void **state)
{
    (void)state;
    struct trial t = trial_open();
    uint32_t john = confined_access_of(&t, "john");

    assert_true(closed(&t, john, 0, 100, 200));
    assert_true(closed(&t, john, t.a, 399, 500));
    assert_false(closed(&t, john, t.a, 400, 1200));
    assert_true(closed(&t, john, t.a, 400, 1201));
    trial_close(&t);
}

static void grants_are_where_somebody_is_let_in(void **state)
{
    (void)state;
    struct trial t = trial_open();
    uint32_t john = access_of(&t, "john"), ann = access_of(&t, "ann");
    size_t n;

    assert_true(closures_has_grant(t.closures, john, t.a));
    assert_true(closures_has_grant(t.closures, john, t.ab));
    assert_false(closures_has_grant(t.closures, john, 0));
    assert_true(closures_any_grant(t.closures, john));
    assert_false(closures_any_grant(t.closures, ann));
    assert_true(closures_grant_during(t.closures, john, 1199, 1300));
    assert_false(closures_grant_during(t.closures, john, 1200, 1300));
    assert_false(closures_grant_during(t.closures, john, 100, 400));
    const struct grant *grants = closures_grants(t.closures, john, &n);
    assert_int_equal(n, 2);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(grants[i].from, 400);
        assert_int_equal(grants[i].to, 1200);
    }
    trial_close(&t);
}

static void for_nobody_all_are_closed_in_order_and_apart(void **state)
{
    (void)state;
    struct trial t = trial_open();
    size_t n;

    rk_hold(&t.k, rk_setres(&t.k, "C", ACL_USER, "ann", 1100, 1300), "n3", 1);
    closures_forget(t.closures);
    const struct closure *all =
        closures_for_nobody(t.closures, set_of(&t, "n3"), 100, &n);
    assert_int_equal(n, 2); /* A and C overlap */
    assert_int_equal(all[0].start, 400);
    assert_int_equal(all[0].end, 1300);
    assert_int_equal(all[1].start, 1500);
    assert_int_equal(all[1].end, 1900);
    trial_close(&t);
}

static void a_change_makes_the_numbers_of_classes_void(void **state)
{
    (void)state;
    struct trial t = trial_open();
    uint64_t epoch = closures_epoch(t.closures);

    assert_true(closed(&t, access_of(&t, "ann"), t.a, 100, 9999));
    struct allocs none = {0};
    reservation_set_nodes(t.k.c, t.k.c->reservations.v[0], &none);
    closures_forget(t.closures);
    assert_true(closures_epoch(t.closures) > epoch);
    assert_int_equal(set_of(&t, "n2"), 0);
    assert_false(closed(&t, access_of(&t, "ann"), set_of(&t, "n3"), 100, 1500));
    trial_close(&t);
}

/* ---- signatures ---- */

static void jobs_that_lists_cannot_tell_apart_have_one_number(void **state)
{
    (void)state;
    struct trial t = trial_open();
    struct signatures *s = closures_signatures(t.closures);
    const struct job *john = rk_job(&t.k, "john/staff", 1, 100, 0, NULL);
    const struct job *same = rk_job(&t.k, "john/other", 3, 900, 0, NULL);
    const struct job *mary = rk_job(&t.k, "mary/staff", 1, 100, 0, NULL);

    assert_int_equal(signatures_types(s), 1u << ACL_USER); /* users alone are named */
    uint64_t who = signatures_of(s, john)->who;
    assert_true(signatures_of(s, same)->who == who);
    assert_true(signatures_of(s, mary)->who != who);
    assert_true(signatures_sum(s, same) == signatures_sum(s, john));
    assert_true(signatures_sum(s, mary) != signatures_sum(s, john));
    rk_hold(&t.k, rk_setres(&t.k, "G", ACL_GROUP, "staff", 400, 500), "n1", 1);
    assert_true(signatures_types(s) & 1u << ACL_GROUP);
    assert_true(signatures_of(s, same)->who != signatures_of(s, john)->who);
    trial_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_under_the_same_reservations_are_of_one_set),
        cmocka_unit_test(of_a_set_those_are_left_that_end_later),
        cmocka_unit_test(part_of_a_node_is_no_matter_of_sets),
        cmocka_unit_test(who_is_let_in_by_the_same_is_of_one_class),
        cmocka_unit_test(a_set_is_closed_while_one_lasts_that_does_not_let_in),
        cmocka_unit_test(an_interval_may_be_open_after_the_last_closure_in_it),
        cmocka_unit_test(who_is_confined_is_let_in_by_reservations_alone),
        cmocka_unit_test(grants_are_where_somebody_is_let_in),
        cmocka_unit_test(for_nobody_all_are_closed_in_order_and_apart),
        cmocka_unit_test(a_change_makes_the_numbers_of_classes_void),
        cmocka_unit_test(jobs_that_lists_cannot_tell_apart_have_one_number),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
