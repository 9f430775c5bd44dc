/* SPDX-License-Identifier: Apache-2.0
 * When what was planned is planned again. */
#include "cmocka_all.h"
#include "scenario.h"

static void reserve(struct scenario *s, const char *hosts, const char *user, int64_t at)
{
    struct sc_rsv r = {
        .hosts = hosts, .lists[ACL_USER] = user, .start_at = at, .end_at = 9000};
    struct err err;

    assert_int_equal(sc_setres(s, &r, &err), 0);
}

/* From 300 on n1 and n2 are for u alone, from 260 on n3 is for nobody. J is reserved on
 * n2, where room will be at 100, and u's M behind it, on both; n1 has room from 150 on.
 * But J starts on n3, which fits better: M can begin at 150. */
static void who_starts_elsewhere_than_planned_lets_others_plan_anew(void **state)
{
    (void)state;
    struct scenario *s = sc_create_with("RESERVATIONDEPTH 10\n"
                                        "NODEALLOCATIONPOLICY LASTAVAILABLE\n");
    sc_nodes(s, 3, 1);
    sc_job(s, (struct sc_job){.id = "R3", .procs = 1, .limit_s = 100, .priority = 9});
    sc_job(s, (struct sc_job){.id = "R2", .procs = 1, .limit_s = 100, .priority = 8});
    sc_job(s, (struct sc_job){.id = "R1", .procs = 1, .limit_s = 150, .priority = 7});
    sc_run_until(s, 0);
    assert_string_equal(sc_where(s, "R1"), "n1:1");
    reserve(s, "^n[12]$", "u", 300);
    reserve(s, "^n3$", NULL, 260);
    sc_job(s, (struct sc_job){.id = "J", .procs = 1, .limit_s = 150, .priority = 6});
    sc_job(s, (struct sc_job){
                  .id = "M", .user = "u", .procs = 2, .limit_s = 1000, .priority = 5});
    sc_at(s, 1);
    assert_int_equal(sc_reserved(s, "J"), 100);
    assert_int_equal(sc_reserved(s, "M"), 250);
    sc_run_until(s, 100);
    assert_string_equal(sc_where(s, "J"), "n3:1");
    sc_at(s, 101);
    assert_int_equal(sc_reserved(s, "M"), 150);
    sc_destroy(s);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_starts_elsewhere_than_planned_lets_others_plan_anew),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
