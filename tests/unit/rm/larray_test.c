/* SPDX-License-Identifier: Apache-2.0
 * Job arrays: one folder, jobs that have one of their own once they start, and what
 * the array's log says of the others. */
#include "rm/local/folder.h"
#include "rm_kit.h"

/* An array of these indexes; its number. */
static const char *submit(struct kit *k, const uint32_t *indexes, size_t n)
{
    struct kit_submission d;
    char number[40];

    assert_int_equal(k->rm->driver->take_id(k->rm, number, sizeof number, NULL), 0);
    kit_draft(k, &d, "#!/bin/sh\necho $PBS_ARRAYID\n");
    d.s.job.desc.id = number;
    d.s.job.output = "out.%A.%a";
    d.s.indexes = indexes;
    d.s.nindexes = n;
    return kit_submit_it(k, &d);
}

static bool has_folder(const struct kit *k, const char *name)
{
    char path[300];

    snprintf(path, sizeof path, "%s/%s", k->spool, name);
    return access(path, F_OK) == 0;
}

static enum job_state state_of(struct kit *k, const char *id)
{
    assert_non_null(kit_job(k, id));
    return kit_job(k, id)->state;
}

static void an_array_is_one_folder_and_is_told_whole_before_its_number(void **state)
{
    struct kit *k = *state;
    static const uint32_t indexes[] = {0, 1, 2, 7};

    assert_string_equal(submit(k, indexes, 4), "1");
    assert_int_equal(k->jobs.n, 4);
    assert_int_equal(state_of(k, "1[7]"), JOB_IDLE);
    assert_true(has_folder(k, "arrays/1"));
    assert_false(has_folder(k, "jobs/1[0]"));
    kit_reopen(k);
    assert_int_equal(k->jobs.n, 4);
    assert_int_equal(state_of(k, "1[0]"), JOB_IDLE);
}

static void a_job_of_an_array_runs_in_a_folder_of_its_own(void **state)
{
    struct kit *k = *state;
    static const uint32_t indexes[] = {3, 4};
    char *text;

    submit(k, indexes, 2);
    assert_int_equal(kit_start(k, "1[4]", 0), RM_OK);
    kit_until_state(k, "1[4]", JOB_COMPLETED);
    text = kit_read(k, "out.1.4");
    assert_string_equal(text, "4\n");
    free(text);
    kit_reopen(k);
    assert_int_equal(state_of(k, "1[3]"), JOB_IDLE);
    assert_int_equal(state_of(k, "1[4]"), JOB_COMPLETED);
}

static void what_became_of_those_that_wait_outlives_the_daemon(void **state)
{
    struct kit *k = *state;
    static const uint32_t indexes[] = {1, 2, 3};

    submit(k, indexes, 3);
    assert_int_equal(
        kit_command(k,
            (struct rm_command){.action = RM_HOLD, .job = "1[1]", .kinds = HOLD_USER}),
        RM_OK);
    assert_int_equal(kit_do(k, RM_CANCEL, "1[2]"), RM_OK);
    assert_int_equal(state_of(k, "1[2]"), JOB_REMOVED);
    kit_reopen(k);
    assert_int_equal(state_of(k, "1[1]"), JOB_HOLD);
    assert_int_equal(state_of(k, "1[2]"), JOB_REMOVED);
    assert_int_equal(state_of(k, "1[3]"), JOB_IDLE);
}

static void a_line_without_an_end_counts_for_nothing_and_harms_none(void **state)
{
    struct kit *k = *state;
    static const uint32_t indexes[] = {1, 2, 3};
    char path[300];
    FILE *log;

    submit(k, indexes, 3);
    snprintf(path, sizeof path, "%s/arrays/1/log", k->spool);
    log = fopen(path, "w");
    assert_non_null(log);
    fputs("1-3 left", log);
    fclose(log);
    kit_reopen(k);
    assert_int_equal(state_of(k, "1[1]"), JOB_IDLE);
    assert_int_equal(kit_do(k, RM_CANCEL, "1[2]"), RM_OK);
    kit_reopen(k);
    assert_int_equal(state_of(k, "1[1]"), JOB_IDLE);
    assert_int_equal(state_of(k, "1[2]"), JOB_REMOVED);
}

/* Some of its jobs may have run. */
static void an_array_whose_log_cannot_be_read_is_left_alone(void **state)
{
    struct kit *k = *state;
    static const uint32_t indexes[] = {1, 2};
    char path[300];
    FILE *log;

    submit(k, indexes, 2);
    snprintf(path, sizeof path, "%s/arrays/1/log", k->spool);
    log = fopen(path, "w");
    assert_non_null(log);
    fputs("gibberish\n", log);
    fclose(log);
    kit_reopen(k);
    assert_int_equal(k->jobs.n, 0);
    assert_non_null(strstr(k->sick, "left alone: its log says 'gibberish'"));
    assert_true(has_folder(k, "arrays/1"));
}

/* Longer than any other file that is read. */
static void a_long_log_is_read(void **state)
{
    struct kit *k = *state;
    static const uint32_t indexes[] = {1, 2};
    char path[300];

    submit(k, indexes, 2);
    kit_do(k, RM_CANCEL, "1[1]");
    snprintf(path, sizeof path, "%s/arrays/1/log", k->spool);
    FILE *log = fopen(path, "a");
    assert_non_null(log);
    fseek(log, FOLDER_FILE_MAX, SEEK_END); /* one line that nobody was told of */
    fputc(' ', log);
    fclose(log);
    kit_reopen(k);
    assert_int_equal(state_of(k, "1[1]"), JOB_REMOVED);
    assert_int_equal(state_of(k, "1[2]"), JOB_IDLE);
}

/* The daemon died before the log said that it has one: nothing was begun in it. */
static void an_unused_folder_of_one_that_waits_is_removed(void **state)
{
    struct kit *k = *state;
    static const uint32_t indexes[] = {1};
    char path[300];

    submit(k, indexes, 1);
    snprintf(path, sizeof path, "%s/jobs/1[1]", k->spool);
    assert_int_equal(mkdir(path, 0711), 0);
    kit_reopen(k);
    assert_int_equal(state_of(k, "1[1]"), JOB_IDLE);
    assert_false(has_folder(k, "jobs/1[1]"));
    assert_int_equal(kit_start(k, "1[1]", 0), RM_OK);
    kit_until_state(k, "1[1]", JOB_COMPLETED);
}

static void the_last_job_takes_the_arrays_folder_with_it(void **state)
{
    struct kit *k = *state;
    static const uint32_t indexes[] = {1, 2};

    submit(k, indexes, 2);
    kit_do(k, RM_CANCEL, "1[1]");
    kit_do(k, RM_CANCEL, "1[2]");
    k->rm->driver->settled(k->rm, "1[1]");
    k->rm->driver->settled(k->rm, "1[2]");
    for (int i = 0; i < 2000 && has_folder(k, "arrays/1"); i++)
        sd_event_run(k->loop, 10000);
    assert_true(kit_job(k, "1[1]")->gone);
    assert_false(has_folder(k, "arrays/1"));
    kit_reopen(k);
    assert_int_equal(k->jobs.n, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, kit_setup, kit_teardown)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(an_array_is_one_folder_and_is_told_whole_before_its_number),
        TEST(a_job_of_an_array_runs_in_a_folder_of_its_own),
        TEST(what_became_of_those_that_wait_outlives_the_daemon),
        TEST(a_line_without_an_end_counts_for_nothing_and_harms_none),
        TEST(an_array_whose_log_cannot_be_read_is_left_alone),
        TEST(a_long_log_is_read),
        TEST(an_unused_folder_of_one_that_waits_is_removed),
        TEST(the_last_job_takes_the_arrays_folder_with_it),
    };

    RM_KIT_KEEPER;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
