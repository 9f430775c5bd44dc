/* SPDX-License-Identifier: Apache-2.0
 * Queue time: the reset table of reference priority, section 4. */
#include "cluster/job.h"
#include "config/priocfg.h"
#include "policy/accrual.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct prio_settings queue_policy = {.accrual = ACCRUE_QUEUEPOLICY};
static const struct prio_settings full_policy = {.accrual = ACCRUE_FULLPOLICY};
static const struct prio_settings always = {.accrual = ACCRUE_ALWAYS};

/* Submitted at 1000, accruing since then. */
static struct job eligible(void)
{
    return (struct job){.submit_at = 1000, .queue_at = 1000, .accruing = true};
}

static void queue_time_grows_from_queue_at_while_accruing(void **state)
{
    struct job j = eligible();

    (void)state;
    j.queue_at = 1200;
    assert_int_equal(accrual_queue_s(&queue_policy, &j, 1500), 300);
}

static void queue_time_is_never_negative(void **state)
{
    struct job j = eligible();

    (void)state;
    assert_int_equal(accrual_queue_s(&queue_policy, &j, 900), 0);
    assert_int_equal(accrual_queue_s(&always, &j, 900), 0);
}

static void a_frozen_job_keeps_its_queue_time(void **state)
{
    struct job j = eligible();

    (void)state;
    accrual_stop(&queue_policy, &j, ACCRUAL_DEPENDENCY, 1100);
    assert_int_equal(accrual_queue_s(&queue_policy, &j, 5000), 100);
}

static void after_a_freeze_the_blocked_interval_counts_in_full(void **state)
{
    struct job j = eligible();

    (void)state;
    accrual_stop(&queue_policy, &j, ACCRUAL_NOT_QUEUED, 1100);
    accrual_stop(&queue_policy, &j, ACCRUAL_NOT_QUEUED, 1300);
    accrual_resume(&queue_policy, &j, 2000);
    assert_int_equal(accrual_queue_s(&queue_policy, &j, 2000), 1000);
    assert_int_equal(accrual_queue_s(&queue_policy, &j, 2050), 1050);
}

static void time_on_hold_never_counts(void **state)
{
    struct job j = eligible();

    (void)state;
    accrual_stop(&queue_policy, &j, ACCRUAL_HOLD, 1100);
    accrual_stop(&queue_policy, &j, ACCRUAL_HOLD, 1500); /* idempotent */
    assert_int_equal(accrual_queue_s(&queue_policy, &j, 1900), 100);
    accrual_resume(&queue_policy, &j, 2000);
    assert_int_equal(accrual_queue_s(&queue_policy, &j, 2000), 100);
    assert_int_equal(accrual_queue_s(&queue_policy, &j, 2060), 160);
}

static void a_job_submitted_on_hold_earns_nothing(void **state)
{
    struct job j = {.submit_at = 1000, .queue_at = 1000, .eff_queue_s = -1};

    (void)state;
    accrual_stop(&queue_policy, &j, ACCRUAL_HOLD, 1000);
    assert_int_equal(accrual_queue_s(&queue_policy, &j, 90000), 0);
    accrual_resume(&queue_policy, &j, 90000);
    assert_int_equal(accrual_queue_s(&queue_policy, &j, 90060), 60);
}

static void a_hold_at_the_beginning_of_time_is_a_hold(void **state)
{
    struct job j = {.accruing = true};

    (void)state;
    accrual_stop(&queue_policy, &j, ACCRUAL_HOLD, 0);
    accrual_stop(&queue_policy, &j, ACCRUAL_HOLD, 500);
    accrual_resume(&queue_policy, &j, 600);
    assert_int_equal(accrual_queue_s(&queue_policy, &j, 650), 50);
}

static void hold_and_freeze_may_follow_each_other(void **state)
{
    struct job j = eligible();

    (void)state;
    accrual_stop(&queue_policy, &j, ACCRUAL_DEPENDENCY, 1010);
    accrual_stop(&queue_policy, &j, ACCRUAL_HOLD, 1020);
    accrual_stop(&queue_policy, &j, ACCRUAL_DEPENDENCY, 1050);
    assert_int_equal(accrual_queue_s(&queue_policy, &j, 1055), 10);
    accrual_resume(&queue_policy, &j, 1060);
    assert_int_equal(accrual_queue_s(&queue_policy, &j, 1060), 30); /* 20 + 10 */
}

static void a_hard_idle_limit_resets(void **state)
{
    struct job j = eligible();

    (void)state;
    accrual_stop(&queue_policy, &j, ACCRUAL_IDLE_LIMIT, 1500);
    assert_int_equal(accrual_queue_s(&queue_policy, &j, 1600), 0);
    accrual_stop(&queue_policy, &j, ACCRUAL_IDLE_LIMIT, 1600);
    accrual_resume(&queue_policy, &j, 1660); /* cycles may be far apart */
    assert_int_equal(accrual_queue_s(&queue_policy, &j, 1660), 0);
    assert_int_equal(accrual_queue_s(&queue_policy, &j, 1720), 60);
}

static void full_policy_resets_on_every_cause(void **state)
{
    (void)state;
    for (int e = 0; e < ACCRUAL_EVENTS; e++) {
        struct job j = eligible();
        int64_t since = e < ACCRUAL_RM_RELEASED ? 2060 : 2000; /* those end a cause */

        accrual_stop(&full_policy, &j, (enum accrual_event)e, 2000);
        assert_int_equal(accrual_queue_s(&full_policy, &j, 2000), 0);
        accrual_resume(&full_policy, &j, 2060);
        assert_int_equal(accrual_queue_s(&full_policy, &j, 2100), 2100 - since);
    }
}

static void release_expiry_and_requeue_restart_at_once(void **state)
{
    static const enum accrual_event restarts[] = {
        ACCRUAL_RM_RELEASED, ACCRUAL_DEFER_EXPIRED, ACCRUAL_REQUEUED};

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct job j = eligible();

        accrual_stop(&queue_policy, &j, ACCRUAL_HOLD, 1500);
        accrual_stop(&queue_policy, &j, restarts[i], 2000);
        assert_true(j.accruing);
        assert_int_equal(accrual_queue_s(&queue_policy, &j, 2090), 90);
        accrual_resume(&queue_policy, &j, 2090);
        assert_int_equal(accrual_queue_s(&queue_policy, &j, 2090), 90);
    }
}

static void always_counts_from_submission_whatever_happens(void **state)
{
    (void)state;
    for (int e = 0; e < ACCRUAL_EVENTS; e++) {
        struct job j = eligible();

        j.queue_at = 1300; /* eligible later than submitted */
        if (e == ACCRUAL_REQUEUED)
            continue;
        accrual_stop(&always, &j, (enum accrual_event)e, 2000);
        assert_int_equal(accrual_queue_s(&always, &j, 3000), 2000);
    }
}

static void always_restarts_when_a_job_is_requeued(void **state)
{
    struct job j = eligible();

    (void)state;
    j.preempt_count = 1;
    accrual_stop(&always, &j, ACCRUAL_REQUEUED, 2000);
    assert_int_equal(accrual_queue_s(&always, &j, 2500), 500);
}

static void a_job_never_selected_counts_by_usesystemqueuetime(void **state)
{
    struct prio_settings system = queue_policy;
    struct job j = {.submit_at = 1000, .queue_at = 1400, .eff_queue_s = -1};

    (void)state;
    assert_int_equal(accrual_queue_s(&queue_policy, &j, 2000), 1000);
    system.use_system_queue_time = true;
    assert_int_equal(accrual_queue_s(&system, &j, 2000), 600);
    accrual_resume(&system, &j, 2000);
    assert_int_equal(accrual_queue_s(&queue_policy, &j, 2000), 600);
}

static void a_restored_queue_time_goes_on_growing(void **state)
{
    struct job j = {.submit_at = 1000, .queue_at = 5000 - 700, .eff_queue_s = 700};

    (void)state;
    assert_int_equal(accrual_queue_s(&queue_policy, &j, 5000), 700);
    accrual_resume(&queue_policy, &j, 5000);
    assert_int_equal(accrual_queue_s(&queue_policy, &j, 5100), 800);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queue_time_grows_from_queue_at_while_accruing),
        cmocka_unit_test(queue_time_is_never_negative),
        cmocka_unit_test(a_frozen_job_keeps_its_queue_time),
        cmocka_unit_test(after_a_freeze_the_blocked_interval_counts_in_full),
        cmocka_unit_test(time_on_hold_never_counts),
        cmocka_unit_test(a_job_submitted_on_hold_earns_nothing),
        cmocka_unit_test(a_hold_at_the_beginning_of_time_is_a_hold),
        cmocka_unit_test(hold_and_freeze_may_follow_each_other),
        cmocka_unit_test(a_hard_idle_limit_resets),
        cmocka_unit_test(full_policy_resets_on_every_cause),
        cmocka_unit_test(release_expiry_and_requeue_restart_at_once),
        cmocka_unit_test(always_counts_from_submission_whatever_happens),
        cmocka_unit_test(always_restarts_when_a_job_is_requeued),
        cmocka_unit_test(a_job_never_selected_counts_by_usesystemqueuetime),
        cmocka_unit_test(a_restored_queue_time_goes_on_growing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
