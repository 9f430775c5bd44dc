/* SPDX-License-Identifier: Apache-2.0
 * Which depth group a QOS belongs to: engine/groups. */
#include "cluster/cred.h"
#include "cmocka_all.h"
#include "engine/groups.h"
#include "scenario.h"

struct world {
    struct scenario *s;
    struct cluster *c;
    struct depth_groups *g;
};

static struct world begin(const char *lines)
{
    struct scenario *s = sc_create_with(lines);

    return (struct world){s, engine_cluster(sc_engine(s)), groups_create()};
}

static void end(struct world *w)
{
    groups_destroy(w->g);
    sc_destroy(w->s);
}

static int group_of(struct world *w, const char *qos)
{
    uint32_t index = cred_get(w->c, CRED_QOS, qos)->index;

    groups_refresh(w->g, w->c, sc_settings(w->s));
    return groups_of(w->g, index);
}

static void a_qos_is_of_the_first_group_that_lists_it(void **state)
{
    (void)state;
    struct world w = begin("RESERVATIONDEPTH[0] 2\nRESERVATIONQOSLIST[0] hi\n"
                           "RESERVATIONDEPTH[1] 1\nRESERVATIONQOSLIST[1] hi,lo\n");

    assert_int_equal(group_of(&w, "hi"), 0);
    assert_int_equal(group_of(&w, "lo"), 1);
    assert_int_equal(group_of(&w, "other"), -1); /* it came after the refresh before */
    assert_true(groups_any(w.g));
    assert_true(groups_differ(w.g));
    end(&w);
}

static void one_group_speaks_for_all_unless_a_qos_reserves_always(void **state)
{
    (void)state;
    struct world one = begin("RESERVATIONDEPTH[0] 2\n");
    struct world always =
        begin("RESERVATIONDEPTH[0] 2\nQOSCFG[q] QFLAGS=RESERVEALWAYS\n");

    assert_int_equal(group_of(&one, "q"), 0);
    assert_false(groups_differ(one.g));
    assert_int_equal(group_of(&always, "q"), 0);
    assert_true(groups_differ(always.g));
    end(&one);
    end(&always);
}

static void without_a_depth_there_is_no_group(void **state)
{
    (void)state;
    struct world w = begin("RESERVATIONDEPTH[0] 0\n");

    assert_int_equal(group_of(&w, "q"), -1);
    assert_false(groups_any(w.g));
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_qos_is_of_the_first_group_that_lists_it),
        cmocka_unit_test(one_group_speaks_for_all_unless_a_qos_reserves_always),
        cmocka_unit_test(without_a_depth_there_is_no_group),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
