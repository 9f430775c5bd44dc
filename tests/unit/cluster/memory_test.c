/* SPDX-License-Identifier: Apache-2.0
 * Tests of cluster/memory. */
#include "cluster/memory.h"
#include "fixture.h"

static const struct req_desc one_task = {.tasks = 1};

static const struct job_memory everything = {
    .holds = HOLD_BATCH | HOLD_DEFER,
    .hold_reason = REASON_RMREJECT,
    .hold_text = "node lost",
    .hold_at = 10,
    .defer_until = 3610,
    .defer_count = 3,
    .start_count = 4,
    .preempt_count = 2,
    .retries = true,
    .failed_starts = 5,
    .put_off = 6,
    .bypass = 7,
    .user_priority = 5,
    .sys_priority = 900,
    .flags = JOB_SYSPRIO_SET | JOB_BACKFILL,
    .qos = "high",
    .qos_forced = true,
    .queue_at = 20,
    .eff_queue_s = 30,
    .paused_at = 40,
    .accruing = false,
    .paused = true,
    .release_at = 50,
    .deadline_at = 60,
    .suspended_s = 70,
    .suspend_at = 80,
    .saved_s = 85,
    .start_at = 0,
    .eff_wclimit_s = 90,
    .wclimit_s = 100,
};

static void same_text(const char *a, const char *b)
{
    assert_string_equal(a ? a : "", b ? b : "");
}

static void equal(const struct job_memory *a, const struct job_memory *b)
{
#define SAME(field) assert_int_equal(a->field, b->field)
    SAME(holds);
    SAME(hold_reason);
    SAME(hold_at);
    SAME(defer_until);
    SAME(defer_count);
    SAME(start_count);
    SAME(preempt_count);
    SAME(retries);
    SAME(failed_starts);
    SAME(put_off);
    SAME(bypass);
    SAME(user_priority);
    SAME(sys_priority);
    SAME(flags);
    SAME(qos_forced);
    SAME(queue_at);
    SAME(eff_queue_s);
    SAME(paused_at);
    SAME(accruing);
    SAME(paused);
    SAME(release_at);
    SAME(deadline_at);
    SAME(suspended_s);
    SAME(suspend_at);
    SAME(saved_s);
    SAME(start_at);
    SAME(eff_wclimit_s);
    SAME(wclimit_s);
#undef SAME
    same_text(a->hold_text, b->hold_text);
    same_text(a->qos, b->qos);
}

static void what_is_remembered_comes_back_whole(void **state)
{
    struct fixture *f = *state;
    struct job *j =
        add(f, &(struct job_desc){.id = "a", .reqs = &one_task, .nreqs = 1});

    job_recall(f->c, j, &everything);
    struct job_memory m = job_memory_of(f->c, j);
    equal(&m, &everything);
    assert_int_equal(j->cred[CRED_QOS], j->qos_asked);
}

static void a_new_job_gives_what_it_gets_back(void **state)
{
    struct fixture *f = *state;
    struct job_desc d = {
        .id = "a", .reqs = &one_task, .nreqs = 1, .submit_at = 5, .wclimit_s = 60};
    struct job_memory before, after;

    before = job_memory_of(f->c, add(f, &d));
    d.id = "b";
    struct job *b = add(f, &d);
    job_recall(f->c, b, &before);
    after = job_memory_of(f->c, b);
    equal(&before, &after);
}

static void other_flags_are_left_alone(void **state)
{
    struct fixture *f = *state;
    struct job *j =
        add(f, &(struct job_desc){
                   .id = "a", .reqs = &one_task, .nreqs = 1, .flags = JOB_RESTARTABLE});

    job_recall(f->c, j, &everything);
    assert_true(j->flags & JOB_RESTARTABLE);
    assert_false(job_memory_of(f->c, j).flags & JOB_RESTARTABLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(what_is_remembered_comes_back_whole),
        T(a_new_job_gives_what_it_gets_back),
        T(other_flags_are_left_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
