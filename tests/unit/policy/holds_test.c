/* SPDX-License-Identifier: Apache-2.0
 * Holds and deferral: authority, counts, expiry, reasons; the scenarios of
 * reference holds, section 9, that need no engine. */
#include "config/settings.h"
#include "policy/accrual.h"
#include "policy/holds.h"
#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define NOW 5000

static const struct actor root = {"root", 1}, operator= {"op", 2}, helper = {"help", 3};
static const struct actor ann = {"ann", 0}, eve = {"eve", 0}, scheduler = {NULL, 0};

/* An idle job of ann. */
static struct job *anns_job(struct world *w)
{
    struct job *j = world_job(w);

    j->cred[CRED_USER] = world_cred(w, CRED_USER, "ann");
    return j;
}

static enum defer_result defer(struct world *w, struct job *j, int64_t now)
{
    return hold_defer(w->s, j, REASON_NORESOURCES, "too big", 0, now);
}

static const char *text_of(const struct job *j)
{
    return j->extra && j->extra->hold_text ? j->extra->hold_text : "";
}

/* ---- authority -------------------------------------------------------------- */

static void authority_is_the_table_of_section_2(void **state)
{
    static const struct {
        const struct actor *who;
        unsigned kinds;
        int result;
    } rows[] = {
        {&root, HOLDS_ALL | HOLD_DEFER, 0},
        {&operator, HOLDS_ALL | HOLD_DEFER, 0},
        {&scheduler, HOLDS_ALL | HOLD_DEFER, 0},
        {NULL, HOLD_BATCH, 0},
        {&ann, HOLD_USER, 0},
        {&ann, HOLD_SYSTEM, -1},
        {&ann, HOLD_BATCH, -1},
        {&ann, HOLD_DEFER, -1},
        {&ann, HOLD_USER | HOLD_SYSTEM, -1},
        {&helper, HOLD_USER, -1},
        {&helper, HOLD_BATCH, -1},
        {&eve, HOLD_USER, -1},
        {&eve, HOLD_SYSTEM, -1},
    };
    struct world *w = *state;
    struct job *j = anns_job(w);

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err err = {0};

        assert_int_equal(
            hold_allowed(w->c, j, rows[i].kinds, rows[i].who, &err), rows[i].result);
        if (rows[i].result)
            assert_int_equal(err.code, ERR_DENIED);
    }
}

static void a_level_3_administrator_may_hold_own_jobs_like_anybody(void **state)
{
    static const struct actor ann3 = {"ann", 3};
    struct world *w = *state;

    assert_int_equal(hold_permitted(w->c, anns_job(w), &ann3), HOLD_USER);
}

static void a_job_of_nobody_has_no_owner(void **state)
{
    static const struct actor nobody = {"DEFAULT", 0};
    struct world *w = *state;

    assert_int_equal(hold_permitted(w->c, world_job(w), &nobody), 0);
}

static void a_refusal_says_who_may(void **state)
{
    struct world *w = *state;
    struct job *j = anns_job(w);
    struct err err;

    hold_allowed(w->c, j, HOLD_USER | HOLD_BATCH, &ann, &err);
    assert_string_equal(err.text, "job j: ann may not set or release a batch hold: "
                                  "only administrators of level 1 "
                                  "or 2 may");
    hold_allowed(w->c, j, HOLD_USER, &eve, &err);
    assert_string_equal(err.text,
        "job j: eve may not set or release a user hold: only the job's owner and "
        "administrators of level 1 or 2 may");
}

/* Scenario 5. */
static void scenario_5_an_owner_may_not_release_a_batch_hold(void **state)
{
    struct world *w = *state;
    struct job *j = anns_job(w);

    hold_set(j, HOLD_BATCH, REASON_POLICY, "class limit", NOW);
    assert_int_equal(hold_allowed(w->c, j, HOLD_BATCH, &ann, NULL), -1);
    assert_int_equal(j->holds, HOLD_BATCH);
}

/* Scenario 6. */
static void scenario_6_an_owner_releases_only_the_user_hold(void **state)
{
    struct world *w = *state;
    struct job *j = anns_job(w);

    hold_set(j, HOLD_USER, REASON_ADMIN, "ann", NOW);
    hold_set(j, HOLD_SYSTEM, REASON_ADMIN, "root", NOW);
    hold_release(j, hold_permitted(w->c, j, &ann), NOW + 1);
    assert_int_equal(j->holds, HOLD_SYSTEM);
    assert_string_equal(hold_shown_state(j), "SystemHold");
}

/* ---- setting and releasing -------------------------------------------------- */

static void a_hold_is_added_to_those_in_place(void **state)
{
    struct world *w = *state;
    struct job *j = anns_job(w);

    hold_set(j, HOLD_BATCH, REASON_ADMIN, NULL, NOW);
    hold_set(j, HOLD_USER, REASON_ADMIN, NULL, NOW);
    assert_int_equal(j->holds, HOLD_BATCH | HOLD_USER);
    hold_set(j, 0, REASON_ADMIN, NULL, NOW);
    assert_int_equal(j->holds, HOLD_BATCH | HOLD_USER);
}

static void all_does_not_include_defer(void **state)
{
    struct world *w = *state;
    struct job *j = anns_job(w);

    hold_set(j, HOLDS_ALL, REASON_ADMIN, NULL, NOW);
    assert_int_equal(j->holds, HOLD_USER | HOLD_SYSTEM | HOLD_BATCH);
}

static void a_release_tells_what_was_really_there(void **state)
{
    struct world *w = *state;
    struct job *j = anns_job(w);

    hold_set(j, HOLD_USER, REASON_ADMIN, NULL, NOW);
    assert_int_equal(hold_release(j, HOLD_SYSTEM | HOLD_BATCH, NOW), 0);
    assert_int_equal(hold_release(j, HOLDS_ALL, NOW), HOLD_USER);
    assert_int_equal(hold_release(j, HOLDS_ALL, NOW), 0);
}

static void reason_text_and_time_are_kept_and_go_with_the_last_hold(void **state)
{
    struct world *w = *state;
    struct job *j = anns_job(w);

    hold_set(j, HOLD_SYSTEM, REASON_ADMIN, "set by root", NOW);
    assert_int_equal(j->hold_reason, REASON_ADMIN);
    assert_string_equal(text_of(j), "set by root");
    assert_int_equal(j->hold_at, NOW);
    hold_release(j, HOLDS_ALL, NOW + 9);
    assert_int_equal(j->hold_reason, REASON_NONE);
    assert_string_equal(text_of(j), "");
    assert_int_equal(j->hold_at, 0);
}

static void a_lesser_hold_does_not_hide_why_a_greater_one_is_there(void **state)
{
    struct world *w = *state;
    struct job *j = anns_job(w);

    hold_set(j, HOLD_BATCH, REASON_RMFAILURE, "cannot connect", NOW);
    hold_set(j, HOLD_USER, REASON_ADMIN, "ann", NOW + 1);
    assert_int_equal(j->hold_reason, REASON_RMFAILURE);
    assert_string_equal(text_of(j), "cannot connect");
    hold_release(j, HOLD_BATCH, NOW + 2);
    assert_int_equal(j->hold_reason, REASON_ADMIN);
    assert_string_equal(text_of(j), "");
}

static void a_text_may_be_the_one_already_kept(void **state)
{
    struct world *w = *state;
    struct job *j = anns_job(w);

    hold_set(j, HOLD_SYSTEM, REASON_ADMIN, "again", NOW);
    hold_set(j, HOLD_SYSTEM, REASON_ADMIN, j->extra->hold_text, NOW);
    assert_string_equal(text_of(j), "again");
}

/* ---- deferral --------------------------------------------------------------- */

/* The part of scenario 1 that needs no engine. */
static void scenario_1_a_deferral_ends_by_itself(void **state)
{
    struct world *w = *state;
    struct job *j = anns_job(w);

    w->s->defer_time_s = 60;
    assert_int_equal(defer(w, j, NOW), DEFER_DEFERRED);
    assert_string_equal(hold_shown_state(j), "Deferred");
    assert_int_equal(j->hold_reason, REASON_NORESOURCES);
    assert_string_equal(text_of(j), "too big");
    assert_false(hold_defer_expired(w->s, j, NOW + 59));
    assert_true(hold_defer_expired(w->s, j, NOW + 60));
    assert_string_equal(hold_shown_state(j), "Idle");
    assert_int_equal(j->hold_reason, REASON_NONE);
    assert_false(hold_defer_expired(w->s, j, NOW + 60));
    assert_int_equal(defer(w, j, NOW + 60), DEFER_DEFERRED);
    assert_int_equal(j->defer_count, 2);
}

static void scenario_2_past_defercount_comes_a_batch_hold(void **state)
{
    struct world *w = *state;
    struct job *j = anns_job(w);

    w->s->defer_count = 2;
    for (int i = 1; i <= 2; i++) {
        assert_int_equal(defer(w, j, NOW), DEFER_DEFERRED);
        assert_true(hold_defer_expired(w->s, j, NOW + 3600));
    }
    assert_int_equal(defer(w, j, NOW), DEFER_BATCH);
    assert_string_equal(hold_shown_state(j), "BatchHold");
    assert_int_equal(j->hold_reason, REASON_NORESOURCES);
    assert_true(hold_defer_expired(w->s, j, NOW + 3600));
    assert_int_equal(j->holds, HOLD_BATCH); /* never by itself */
    assert_int_equal(j->hold_reason, REASON_NORESOURCES);
}

static void defercount_24_means_the_25th_failure(void **state)
{
    struct world *w = *state;
    struct job *j = anns_job(w);

    for (int i = 1; i <= 24; i++) {
        assert_int_equal(defer(w, j, NOW), DEFER_DEFERRED);
        hold_defer_expired(w->s, j, NOW + 3600);
    }
    assert_int_equal(defer(w, j, NOW), DEFER_BATCH);
}

static void defercount_0_never_leads_to_a_batch_hold(void **state)
{
    struct world *w = *state;
    struct job *j = anns_job(w);

    w->s->defer_count = 0;
    j->defer_count = UINT16_MAX;
    assert_int_equal(defer(w, j, NOW), DEFER_DEFERRED);
    assert_int_equal(j->defer_count, UINT16_MAX);
}

static void scenario_3_defertime_0_leaves_the_job_idle(void **state)
{
    struct world *w = *state;
    struct job *j = anns_job(w);

    w->s->defer_time_s = 0;
    assert_int_equal(defer(w, j, NOW), DEFER_SKIPPED);
    assert_int_equal(j->holds, 0);
    assert_int_equal(j->defer_count, 0);
    assert_string_equal(hold_shown_state(j), "Idle");
}

static void scenario_4_deferstartcount_failures_defer(void **state)
{
    struct world *w = *state;
    struct job *j = anns_job(w);

    w->s->defer_start_count = 3;
    j->start_count = 7; /* it ran before: that is nothing against it */
    for (int i = 1; i <= 2; i++) {
        j->failed_starts++;
        assert_int_equal(hold_start_failed(w->s, j, REASON_RMFAILURE, "refused", NOW),
            DEFER_SKIPPED);
        assert_int_equal(j->holds, 0);
    }
    j->failed_starts++;
    assert_int_equal(
        hold_start_failed(w->s, j, REASON_RMFAILURE, "refused", NOW), DEFER_DEFERRED);
    assert_int_equal(j->hold_reason, REASON_RMFAILURE);
}

/* Scenario 7. */
static void scenario_7_an_administrators_release_forgets_deferrals(void **state)
{
    struct world *w = *state;
    struct job *j = anns_job(w);

    defer(w, j, NOW);
    assert_int_equal(hold_release(j, HOLDS_ALL | HOLD_DEFER, NOW + 5), HOLD_DEFER);
    assert_int_equal(j->holds, 0);
    assert_int_equal(j->defer_count, 0);
    assert_int_equal(j->defer_until, 0);
}

static void releasing_a_batch_hold_forgets_deferrals_too(void **state)
{
    struct world *w = *state;
    struct job *j = anns_job(w);

    j->defer_count = 24;
    assert_int_equal(defer(w, j, NOW), DEFER_BATCH);
    hold_release(j, HOLD_BATCH | HOLD_DEFER, NOW);
    assert_int_equal(defer(w, j, NOW), DEFER_DEFERRED);
}

/* Scenario 8, the state itself: everything to be shown is in the job. */
static void scenario_8_all_of_a_hold_is_in_the_job_record(void **state)
{
    struct world *w = *state;
    struct job *j = anns_job(w), *restored = anns_job(w);

    hold_defer(w->s, j, REASON_BANKFAILURE, "bank is closed", 0, NOW);
    restored->holds = j->holds;
    restored->hold_reason = j->hold_reason;
    restored->hold_at = j->hold_at;
    restored->defer_until = j->defer_until;
    restored->defer_count = j->defer_count;
    assert_string_equal(hold_shown_state(restored), "Deferred");
    assert_string_equal(
        hold_reason_name((enum hold_reason)restored->hold_reason), "BankFailure");
    assert_true(hold_defer_expired(w->s, restored, NOW + 3600));
}

static void a_special_duration_replaces_defertime(void **state)
{
    struct world *w = *state;
    struct job *j = anns_job(w);

    hold_defer(w->s, j, REASON_NOALLOCATION, "fallback account", 30, NOW);
    assert_int_equal(j->defer_until, NOW + 30);
}

static void a_job_already_deferred_is_not_counted_again(void **state)
{
    struct world *w = *state;
    struct job *j = anns_job(w);

    defer(w, j, NOW);
    assert_int_equal(defer(w, j, NOW + 10), DEFER_DEFERRED);
    assert_int_equal(j->defer_count, 1);
    assert_int_equal(j->defer_until, NOW + 3600);
}

static void a_job_on_batch_hold_is_not_deferred(void **state)
{
    struct world *w = *state;
    struct job *j = anns_job(w);

    hold_set(j, HOLD_BATCH, REASON_POLICY, NULL, NOW);
    assert_int_equal(defer(w, j, NOW), DEFER_SKIPPED);
    assert_int_equal(j->holds, HOLD_BATCH);
}

static void a_job_bound_to_a_reservation_waits_for_it(void **state)
{
    struct world *w = *state;
    struct job *j = anns_job(w);

    j->flags |= JOB_ADVRES;
    assert_int_equal(defer(w, j, NOW), DEFER_SKIPPED);
    assert_int_equal(
        hold_defer(w->s, j, REASON_RMFAILURE, NULL, 0, NOW), DEFER_DEFERRED);
}

static void a_noqueue_job_is_cancelled_instead(void **state)
{
    struct world *w = *state;
    struct job *j = anns_job(w);

    j->flags |= JOB_NOQUEUE;
    assert_int_equal(defer(w, j, NOW), DEFER_CANCEL);
    assert_int_equal(
        hold_start_failed(w->s, j, REASON_RMFAILURE, NULL, NOW), DEFER_CANCEL);
    w->s->defer_time_s = 0;
    assert_int_equal(defer(w, j, NOW), DEFER_CANCEL);
    assert_int_equal(j->holds, 0);
}

static void queue_time_restarts_when_a_deferral_expires(void **state)
{
    struct world *w = *state;
    struct job *j = anns_job(w);

    defer(w, j, NOW);
    accrual_stop(&w->s->prio, j, ACCRUAL_HOLD, NOW);
    hold_defer_expired(w->s, j, NOW + 4000);
    assert_int_equal(accrual_queue_s(&w->s->prio, j, NOW + 4060), 60);
}

static void a_defer_hold_set_by_a_person_has_no_end(void **state)
{
    struct world *w = *state;
    struct job *j = anns_job(w);

    hold_set(j, HOLD_DEFER, REASON_ADMIN, "root", NOW);
    assert_false(hold_defer_expired(w->s, j, NOW + 1000000000));
}

/* ---- state shown ------------------------------------------------------------ */

static void the_state_shown_follows_the_precedence(void **state)
{
    struct world *w = *state;
    struct job *j = anns_job(w);

    hold_set(j, HOLDS_ALL | HOLD_DEFER, REASON_ADMIN, NULL, NOW);
    assert_string_equal(hold_shown_state(j), "BatchHold");
    hold_release(j, HOLD_BATCH, NOW);
    assert_string_equal(hold_shown_state(j), "SystemHold");
    hold_release(j, HOLD_SYSTEM, NOW);
    assert_string_equal(hold_shown_state(j), "UserHold");
    hold_release(j, HOLD_USER, NOW);
    assert_string_equal(hold_shown_state(j), "Deferred");
    hold_release(j, HOLD_DEFER, NOW);
    assert_string_equal(hold_shown_state(j), "Idle");
}

static void a_hold_of_the_rm_shows_its_kind_and_a_wait_of_its_own_none(void **state)
{
    struct world *w = *state;
    struct job *j = anns_job(w);

    j->state = JOB_HOLD;
    assert_string_equal(hold_shown_state(j), "Idle");
    j->rm_hold = HOLD_USER;
    assert_string_equal(hold_shown_state(j), "UserHold");
    j->rm_hold = HOLD_USER | HOLD_SYSTEM;
    assert_string_equal(hold_shown_state(j), "SystemHold");
}

static void a_running_job_shows_running_whatever_its_holds(void **state)
{
    struct world *w = *state;
    struct job *j = anns_job(w);

    j->state = JOB_RUNNING;
    hold_set(j, HOLD_SYSTEM, REASON_ADMIN, NULL, NOW);
    assert_string_equal(hold_shown_state(j), "Running");
}

#define T(name) cmocka_unit_test_setup_teardown(name, world_setup, world_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(authority_is_the_table_of_section_2),
        T(a_level_3_administrator_may_hold_own_jobs_like_anybody),
        T(a_job_of_nobody_has_no_owner),
        T(a_refusal_says_who_may),
        T(scenario_5_an_owner_may_not_release_a_batch_hold),
        T(scenario_6_an_owner_releases_only_the_user_hold),
        T(a_hold_is_added_to_those_in_place),
        T(all_does_not_include_defer),
        T(a_release_tells_what_was_really_there),
        T(reason_text_and_time_are_kept_and_go_with_the_last_hold),
        T(a_lesser_hold_does_not_hide_why_a_greater_one_is_there),
        T(a_text_may_be_the_one_already_kept),
        T(scenario_1_a_deferral_ends_by_itself),
        T(scenario_2_past_defercount_comes_a_batch_hold),
        T(defercount_24_means_the_25th_failure),
        T(defercount_0_never_leads_to_a_batch_hold),
        T(scenario_3_defertime_0_leaves_the_job_idle),
        T(scenario_4_deferstartcount_failures_defer),
        T(scenario_7_an_administrators_release_forgets_deferrals),
        T(releasing_a_batch_hold_forgets_deferrals_too),
        T(scenario_8_all_of_a_hold_is_in_the_job_record),
        T(a_special_duration_replaces_defertime),
        T(a_job_already_deferred_is_not_counted_again),
        T(a_job_on_batch_hold_is_not_deferred),
        T(a_job_bound_to_a_reservation_waits_for_it),
        T(a_noqueue_job_is_cancelled_instead),
        T(queue_time_restarts_when_a_deferral_expires),
        T(a_defer_hold_set_by_a_person_has_no_end),
        T(the_state_shown_follows_the_precedence),
        T(a_hold_of_the_rm_shows_its_kind_and_a_wait_of_its_own_none),
        T(a_running_job_shows_running_whatever_its_holds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
