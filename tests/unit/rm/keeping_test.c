/* SPDX-License-Identifier: Apache-2.0
 * What resource managers keep of waiting jobs, and which limits they take. */
#include "base/timeval.h"
#include "cluster/change.h"
#include "rm/rm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct rm_keeping *keeping_of(const char *type)
{
    struct err err = {0};
    const struct rm_driver *driver = rm_driver_find(type, &err);

    assert_non_null(driver);
    return driver->keeps;
}

static void who_keeps_requests_says_how_they_are_changed_there(void **state)
{
    (void)state;
    static const char *const types[] = {"SLURM", "PBS", "SGE"};

    for (size_t i = 0; i < 3; i++) {
        const struct rm_keeping *keeps = keeping_of(types[i]);
        assert_int_equal(keeps->what & CHANGES_KEPT, CHANGES_KEPT);
        assert_non_null(keeps->command);
        assert_null(keeps->needs);
        assert_false(keeps->what & CHANGE_WCLIMIT); /* which is told */
    }
}

static void who_is_told_all_with_the_start_keeps_nothing(void **state)
{
    (void)state;
    assert_null(keeping_of("LOCAL"));
    assert_int_equal(keeping_of("WIKI")->what, 0);
    assert_string_equal(keeping_of("NATIVE")->needs, "JOBMODIFYURL");
}

static void check(const char *type, const char *job, enum job_state job_state,
    int64_t limit_s, const char *says)
{
    struct err err = {0};
    int result = keeping_of(type)->check_limit(job, job_state, limit_s, &err);

    assert_int_equal(result, says ? -1 : 0);
    if (says) {
        assert_non_null(strstr(err.text, says));
        assert_non_null(strstr(err.text, job));
    }
}

static void pbs_takes_limits_of_jobs_but_not_of_members_that_wait(void **state)
{
    (void)state;
    check("PBS", "63", JOB_IDLE, 600, NULL);
    check("PBS", "63", JOB_RUNNING, 600, NULL);
    check("PBS", "15[4]", JOB_RUNNING, 600, NULL);
    check("PBS", "15[4]", JOB_HOLD, 600, "qalter -l walltime=");
    check("PBS", "63", JOB_IDLE, DURATION_UNLIMITED, "takes no limit away");
}

static void grid_engine_takes_limits_of_jobs_that_wait(void **state)
{
    (void)state;
    check("SGE", "63", JOB_IDLE, 600, NULL);
    check("SGE", "63", JOB_HOLD, DURATION_UNLIMITED, NULL);
    check("SGE", "63", JOB_STARTING, 600, "has begun");
    check("SGE", "63", JOB_SUSPENDED, 600, "has begun");
    check("SGE", "15[4]", JOB_IDLE, 600, "qalter -l h_rt=");
}

static void users_lower_limits_where_the_manager_would_not_ask_whose_wish_it_is(
    void **state)
{
    (void)state;
    assert_non_null(keeping_of("SLURM")->raise);
    assert_non_null(keeping_of("PBS")->raise);
    assert_null(keeping_of("SGE")->raise); /* which limits nobody's */
    assert_null(keeping_of("NATIVE")->raise);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_keeps_requests_says_how_they_are_changed_there),
        cmocka_unit_test(who_is_told_all_with_the_start_keeps_nothing),
        cmocka_unit_test(pbs_takes_limits_of_jobs_but_not_of_members_that_wait),
        cmocka_unit_test(grid_engine_takes_limits_of_jobs_that_wait),
        cmocka_unit_test(
            users_lower_limits_where_the_manager_would_not_ask_whose_wish_it_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
