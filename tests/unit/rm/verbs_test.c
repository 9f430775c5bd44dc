/* SPDX-License-Identifier: Apache-2.0
 * What can be done to a local job, with real processes. */
#include "rm_kit.h"

static void a_job_runs_to_its_end_and_its_exit_status_is_told(void **state)
{
    struct kit *k = *state;
    char id[80];

    kit_submit(k, "#!/bin/sh\necho hello\nexit 7\n", id);
    assert_string_equal(id, "1");
    assert_int_equal(kit_job(k, id)->state, JOB_IDLE);
    assert_int_equal(kit_start(k, id, 0), RM_OK);
    kit_until_state(k, id, JOB_COMPLETED);
    assert_int_equal(kit_job(k, id)->exit_status, 7);
    assert_true(kit_job(k, id)->start_at > 0);
    assert_true(kit_job(k, id)->end_at >= kit_job(k, id)->start_at);
    assert_true(kit_job(k, id)->cpu_s >= 0);
    assert_string_equal(kit_job(k, id)->place, "node01");
}

static void jobs_are_numbered_one_after_another(void **state)
{
    struct kit *k = *state;
    char a[80], b[80];

    kit_submit(k, "true", a);
    kit_submit(k, "true", b);
    assert_string_equal(a, "1");
    assert_string_equal(b, "2");
}

static void a_running_job_is_on_its_node(void **state)
{
    struct kit *k = *state;
    char id[80];

    assert_int_equal(kit_node(k, "node01")->state, NODE_IDLE);
    kit_run(k, "sleep 30", id);
    assert_int_equal(kit_job(k, id)->state, JOB_RUNNING);
    assert_int_equal(kit_node(k, "node01")->state, NODE_RUNNING);
    assert_int_equal(kit_node(k, "node01")->util.v[RES_PROCS], 1);
    assert_int_equal(kit_do(k, RM_CANCEL, id), RM_OK);
    kit_until_state(k, id, JOB_REMOVED);
    kit_until(k, kit_node(k, "node01")->state == NODE_IDLE);
}

static void a_cancelled_job_is_told_to_end_and_then_killed(void **state)
{
    struct kit *k = *state;
    char id[80];
    long pid;

    kit_run(
        k, "#!/bin/sh\ntrap '' TERM\necho $$ >pid\nwhile :; do sleep 0.05; done\n", id);
    pid = kit_number(k, "pid");
    assert_int_equal(kit_command(k,
                         (struct rm_command){
                             .action = RM_CANCEL, .job = id, .text = "enough of it"}),
        RM_OK);
    kit_until_state(k, id, JOB_REMOVED);
    assert_int_equal(kit_job(k, id)->exit_status, 128 + SIGKILL);
    assert_string_equal(kit_job(k, id)->notes, "it was cancelled: enough of it");
    assert_false(kit_alive(pid));
}

static void a_waiting_job_can_be_cancelled(void **state)
{
    struct kit *k = *state;
    char id[80];

    kit_submit(k, "true", id);
    assert_int_equal(kit_do(k, RM_CANCEL, id), RM_OK);
    assert_int_equal(kit_job(k, id)->state, JOB_REMOVED);
    assert_int_equal(kit_job(k, id)->start_at, 0);
    assert_int_equal(kit_start(k, id, 0), RM_REFUSED);
}

static void a_suspended_job_does_nothing_until_it_is_resumed(void **state)
{
    struct kit *k = *state;
    long before, after;
    char id[80];

    kit_run(k,
        "#!/bin/sh\ni=1\nwhile :; do i=$((i+1)); echo $i >n.new; mv n.new n; sleep "
        "0.01; done\n",
        id);
    kit_number(k, "n");
    assert_int_equal(kit_do(k, RM_SUSPEND, id), RM_OK);
    assert_int_equal(kit_job(k, id)->state, JOB_SUSPENDED);
    assert_int_equal(kit_node(k, "node01")->util.v[RES_PROCS], 0);
    before = kit_number(k, "n");
    usleep(100000);
    after = kit_number(k, "n");
    assert_int_equal(before, after);
    assert_int_equal(kit_do(k, RM_RESUME, id), RM_OK);
    assert_int_equal(kit_job(k, id)->state, JOB_RUNNING);
    assert_int_equal(kit_node(k, "node01")->util.v[RES_PROCS], 1);
    kit_until(k, kit_number(k, "n") > after);
    kit_do(k, RM_CANCEL, id);
    kit_until_state(k, id, JOB_REMOVED);
}

static void a_suspended_job_can_be_cancelled(void **state)
{
    struct kit *k = *state;
    char id[80];

    kit_run(k, "sleep 30", id);
    assert_int_equal(kit_do(k, RM_SUSPEND, id), RM_OK);
    assert_int_equal(kit_do(k, RM_CANCEL, id), RM_OK);
    kit_until_state(k, id, JOB_REMOVED);
}

static void a_signal_reaches_the_job(void **state)
{
    struct kit *k = *state;
    char id[80];

    kit_run(k,
        "#!/bin/sh\ntrap 'exit 9' USR1\necho $$ >pid\nwhile :; do sleep 0.02; done\n",
        id);
    kit_number(k, "pid");
    assert_int_equal(
        kit_command(
            k, (struct rm_command){.action = RM_SIGNAL, .job = id, .signal = SIGURG}),
        RM_OK);
    assert_int_equal(
        kit_command(
            k, (struct rm_command){.action = RM_SIGNAL, .job = id, .signal = 9999}),
        RM_REFUSED);
    assert_int_equal(
        kit_command(
            k, (struct rm_command){.action = RM_SIGNAL, .job = id, .signal = SIGUSR1}),
        RM_OK);
    kit_until_state(k, id, JOB_COMPLETED);
    assert_int_equal(kit_job(k, id)->exit_status, 9);
}

static void a_rerunnable_job_goes_back_to_the_queue_and_runs_again(void **state)
{
    struct kit *k = *state;
    struct kit_submission d;
    char id[80], *text;

    kit_draft(
        k, &d, "#!/bin/sh\necho run >>runs\n[ $(wc -l <runs) = 2 ] || sleep 30\n");
    d.s.rerunnable = true;
    snprintf(id, sizeof id, "%s", kit_submit_it(k, &d));
    assert_int_equal(kit_start(k, id, 0), RM_OK);
    for (text = kit_read(k, "runs"); *text == '\0'; text = kit_read(k, "runs")) {
        free(text);
        sd_event_run(k->loop, 5000);
    }
    free(text);
    assert_int_equal(kit_do(k, RM_REQUEUE, id), RM_OK);
    kit_until_state(k, id, JOB_IDLE);
    assert_int_equal(kit_start(k, id, 0), RM_OK);
    kit_until_state(k, id, JOB_COMPLETED);
    assert_int_equal(kit_job(k, id)->exit_status, 0);
    text = kit_read(k, "runs");
    assert_string_equal(text, "run\nrun\n");
    free(text);
}

static void a_job_that_may_run_once_is_not_requeued(void **state)
{
    struct kit *k = *state;
    char id[80];

    kit_run(k, "sleep 30", id);
    assert_int_equal(kit_do(k, RM_REQUEUE, id), RM_REFUSED);
    assert_string_equal(k->done_text, "the job may not be run again");
    kit_do(k, RM_CANCEL, id);
    kit_until_state(k, id, JOB_REMOVED);
}

static void a_held_job_waits_until_it_is_released(void **state)
{
    struct kit *k = *state;
    char id[80];

    kit_submit(k, "true", id);
    assert_int_equal(
        kit_command(
            k, (struct rm_command){.action = RM_HOLD, .job = id, .kinds = HOLD_USER}),
        RM_OK);
    assert_int_equal(kit_job(k, id)->state, JOB_HOLD);
    assert_int_equal(kit_job(k, id)->holds, HOLD_USER);
    assert_int_equal(kit_start(k, id, 0), RM_RETRY);
    assert_int_equal(
        kit_command(k,
            (struct rm_command){.action = RM_RELEASE, .job = id, .kinds = HOLD_USER}),
        RM_OK);
    assert_int_equal(kit_job(k, id)->state, JOB_IDLE);
    assert_int_equal(
        kit_command(
            k, (struct rm_command){.action = RM_HOLD, .job = id, .kinds = HOLD_BATCH}),
        RM_REFUSED);
    assert_int_equal(kit_start(k, id, 0), RM_OK);
    kit_until_state(k, id, JOB_COMPLETED);
}

static void a_job_over_its_wall_limit_is_ended(void **state)
{
    struct kit *k = *state;
    char id[80];

    kit_submit(k, "sleep 30", id);
    assert_int_equal(kit_start(k, id, 1), RM_OK);
    kit_until_state(k, id, JOB_COMPLETED);
    assert_int_equal(kit_job(k, id)->exit_status, 128 + SIGTERM);
    assert_string_equal(
        kit_job(k, id)->notes, "its wallclock limit of 1 s was exceeded: it ran 1 s");
}

static void a_job_may_be_granted_time_beyond_its_wall_limit(void **state)
{
    struct kit *k = *state;
    struct job_place place = {.node = k->nodes.v[0].name, .tasks = 1};
    struct rm_command start = {.action = RM_START,
        .places = &place,
        .nplaces = 1,
        .wclimit_s = 1,
        .overrun_s = 1};
    char granted[80], endless[80];

    kit_submit(k, "sleep 30", granted);
    start.job = granted;
    assert_int_equal(kit_command(k, start), RM_OK);
    start.overrun_s = -1;
    kit_submit(k, "sleep 3", endless);
    start.job = endless;
    assert_int_equal(kit_command(k, start), RM_OK);
    kit_until_state(k, granted, JOB_COMPLETED);
    assert_true(kit_job(k, granted)->end_at - kit_job(k, granted)->start_at >= 1);
    assert_string_equal(kit_job(k, granted)->notes,
        "its wallclock limit of 1 s was exceeded: it ran 2 s");
    kit_until_state(k, endless, JOB_COMPLETED);
    assert_int_equal(kit_job(k, endless)->exit_status, 0);
}

static void the_wall_limit_can_be_changed_while_the_job_runs(void **state)
{
    struct kit *k = *state;
    char id[80];

    kit_run(k, "sleep 30", id);
    assert_int_equal(
        kit_command(
            k, (struct rm_command){.action = RM_MODIFY, .job = id, .wclimit_s = 1}),
        RM_OK);
    assert_int_equal(kit_job(k, id)->wclimit_s, 1);
    kit_until_state(k, id, JOB_COMPLETED);
    assert_string_equal(
        kit_job(k, id)->notes, "its wallclock limit of 1 s was exceeded: it ran 1 s");
}

static void time_in_suspension_does_not_use_up_the_wall_limit(void **state)
{
    struct kit *k = *state;
    char id[80];

    kit_submit(k, "sleep 0.3", id);
    assert_int_equal(kit_start(k, id, 1), RM_OK);
    assert_int_equal(kit_do(k, RM_SUSPEND, id), RM_OK);
    usleep(1100000);
    assert_int_equal(kit_do(k, RM_RESUME, id), RM_OK);
    kit_until_state(k, id, JOB_COMPLETED);
    assert_int_equal(kit_job(k, id)->exit_status, 0);
}

static void a_job_over_its_memory_is_killed(void **state)
{
    struct kit *k = *state;
    struct kit_submission d;
    char id[80];

    kit_draft(
        k, &d, "#!/bin/sh\nx=$(head -c 60000000 /dev/zero | tr '\\0' x)\nsleep 30\n");
    d.req.per_task.v[RES_MEM] = 20;
    snprintf(id, sizeof id, "%s", kit_submit_it(k, &d));
    assert_int_equal(kit_start(k, id, 0), RM_OK);
    kit_until_state(k, id, JOB_COMPLETED);
    assert_int_not_equal(kit_job(k, id)->exit_status, 0);
    assert_non_null(
        strstr(kit_job(k, id)->notes, "its memory limit of 20 MB was exceeded"));
    assert_true(kit_job(k, id)->mem_mb > 20);
}

static void processes_left_in_the_background_end_with_the_job(void **state)
{
    struct kit *k = *state;
    char id[80];
    long pid;

    /* in a session of its own, deaf, and no child of the script any more */
    kit_run(k,
        "#!/bin/sh\n(setsid sh -c 'trap \"\" TERM; echo $$ >pid; exec sleep 30' &)\n"
        "while [ ! -s pid ]; do sleep 0.01; done\nexit 3\n",
        id);
    pid = kit_number(k, "pid");
    kit_until_state(k, id, JOB_COMPLETED);
    assert_int_equal(kit_job(k, id)->exit_status, 3);
    assert_false(kit_alive(pid));
}

static void what_cannot_be_done_is_refused_with_a_reason(void **state)
{
    struct kit *k = *state;
    struct job_place nowhere = {"mars", 1};
    struct rm_command checkpoint = {.action = RM_CHECKPOINT, .job = "1"};
    struct err err;
    char id[80];

    assert_int_equal(kit_do(k, RM_CANCEL, "99"), RM_REFUSED);
    assert_string_equal(k->done_text, "there is no job '99' here");
    kit_submit(k, "true", id);
    assert_int_equal(kit_do(k, RM_SUSPEND, id), RM_REFUSED);
    assert_string_equal(k->done_text, "the job does not run");
    assert_int_equal(kit_do(k, RM_START, id), RM_REFUSED);
    assert_int_equal(
        kit_command(k,
            (struct rm_command){
                .action = RM_START, .job = id, .places = &nowhere, .nplaces = 1}),
        RM_REFUSED);
    assert_string_equal(k->done_text, "there is no node 'mars' here to run tasks on");
    assert_int_equal(kit_do(k, RM_MODIFY, id), RM_REFUSED);
    assert_int_equal(k->rm->driver->command(k->rm, &checkpoint, &err), -1);
    assert_string_equal(err.text, "local jobs cannot be checkpointed");
}

static void a_job_starts_only_once(void **state)
{
    struct kit *k = *state;
    struct job_place place = {"node01", 1};
    struct rm_command start = {
        .action = RM_START, .places = &place, .nplaces = 1, .token = 1001};
    char id[80], *text;

    kit_submit(k, "echo x >>once; sleep 0.2", id);
    start.job = id;
    k->rm->driver->command(k->rm, &start, NULL);
    start.token = 1002;
    k->rm->driver->command(k->rm, &start, NULL);
    kit_until(k, k->done_token == 1002);
    assert_int_equal(k->outcome, RM_REFUSED);
    kit_until_state(k, id, JOB_COMPLETED);
    assert_int_equal(kit_start(k, id, 0), RM_REFUSED);
    text = kit_read(k, "once");
    assert_string_equal(text, "x\n");
    free(text);
}

static void commands_wait_for_a_start_that_is_under_way(void **state)
{
    struct kit *k = *state;
    struct job_place place = {"node01", 1};
    struct rm_command start = {
        .action = RM_START, .places = &place, .nplaces = 1, .token = 1001};
    struct rm_command cancel = {.action = RM_CANCEL, .token = 1002};
    char id[80];

    kit_submit(k, "sleep 30", id);
    start.job = cancel.job = id;
    k->rm->driver->command(k->rm, &start, NULL);
    k->rm->driver->command(k->rm, &cancel, NULL);
    kit_until_state(k, id, JOB_REMOVED);
    assert_int_equal(k->done_token, 1002);
    assert_int_equal(k->outcome, RM_OK);
}

static void usage_is_told_when_asked_for(void **state)
{
    struct kit *k = *state;
    char id[80];

    kit_run(k, "while :; do :; done", id);
    usleep(100000);
    k->rm->driver->poll(k->rm);
    kit_until(k, kit_job(k, id)->cpu_s > 0);
    assert_true(kit_job(k, id)->mem_mb >= 0);
    kit_do(k, RM_CANCEL, id);
    kit_until_state(k, id, JOB_REMOVED);
    assert_true(kit_job(k, id)->cpu_s > 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, kit_setup, kit_teardown)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(a_job_runs_to_its_end_and_its_exit_status_is_told),
        TEST(jobs_are_numbered_one_after_another),
        TEST(a_running_job_is_on_its_node),
        TEST(a_cancelled_job_is_told_to_end_and_then_killed),
        TEST(a_waiting_job_can_be_cancelled),
        TEST(a_suspended_job_does_nothing_until_it_is_resumed),
        TEST(a_suspended_job_can_be_cancelled),
        TEST(a_signal_reaches_the_job),
        TEST(a_rerunnable_job_goes_back_to_the_queue_and_runs_again),
        TEST(a_job_that_may_run_once_is_not_requeued),
        TEST(a_held_job_waits_until_it_is_released),
        TEST(a_job_over_its_wall_limit_is_ended),
        TEST(a_job_may_be_granted_time_beyond_its_wall_limit),
        TEST(the_wall_limit_can_be_changed_while_the_job_runs),
        TEST(time_in_suspension_does_not_use_up_the_wall_limit),
        TEST(a_job_over_its_memory_is_killed),
        TEST(processes_left_in_the_background_end_with_the_job),
        TEST(what_cannot_be_done_is_refused_with_a_reason),
        TEST(a_job_starts_only_once),
        TEST(commands_wait_for_a_start_that_is_under_way),
        TEST(usage_is_told_when_asked_for),
    };

    RM_KIT_KEEPER;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
