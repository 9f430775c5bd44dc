/* SPDX-License-Identifier: Apache-2.0
 * What is submitted, and what the job finds of it. */
#include "rm_kit.h"

#include <pwd.h>

/* Submit, run to the end, and return what it wrote to this file. */
static char *outcome(struct kit *k, struct kit_submission *d, const char *file)
{
    char id[80];

    snprintf(id, sizeof id, "%s", kit_submit_it(k, d));
    if (kit_start(k, id, 0) != RM_OK)
        fail_msg("start: %s", k->done_text);
    kit_until_state(k, id, JOB_COMPLETED);
    return kit_read(k, file);
}

static void check(struct kit *k, const char *script, const char *expected)
{
    struct kit_submission d;
    char *text;

    kit_draft(k, &d, script);
    text = outcome(k, &d, "job.o1");
    assert_string_equal(text, expected);
    free(text);
}

static void output_goes_to_files_named_after_the_job(void **state)
{
    struct kit *k = *state;
    char *text;

    check(k, "echo to out\necho to err >&2\n", "to out\n");
    text = kit_read(k, "job.e1");
    assert_string_equal(text, "to err\n");
    free(text);
}

static void joined_output_is_one_file(void **state)
{
    struct kit *k = *state;
    struct kit_submission d;
    char *text;

    kit_draft(k, &d, "echo a; echo b >&2; echo c");
    d.s.join = true;
    text = outcome(k, &d, "job.o1");
    assert_string_equal(text, "a\nb\nc\n");
    free(text);
    text = kit_read(k, "job.e1");
    assert_string_equal(text, "");
    free(text);
}

static void output_goes_where_it_is_asked_to(void **state)
{
    struct kit *k = *state;
    struct kit_submission d;
    char path[100], *text;

    kit_draft(k, &d, "echo a; echo b >&2");
    snprintf(path, sizeof path, "%s/sub", k->work);
    assert_int_equal(mkdir(path, 0777), 0);
    d.s.job.output = "host:named";
    d.s.job.error = "sub";
    d.s.job.name = "x/y";
    text = outcome(k, &d, "named");
    assert_string_equal(text, "a\n");
    free(text);
    text = kit_read(k, "sub/x_y.e1");
    assert_string_equal(text, "b\n");
    free(text);
}

static void a_job_finds_what_batch_scripts_look_for(void **state)
{
    struct kit *k = *state;
    char expected[300];

    snprintf(expected, sizeof expected, "1 1 job batch PBS_BATCH %s\nnode01\n600\n%s\n",
        k->work, k->work);
    check(k,
        "#!/bin/sh\necho $PBS_JOBID $MAUI_JOBID $PBS_JOBNAME $PBS_QUEUE "
        "$PBS_ENVIRONMENT $PBS_O_WORKDIR\ncat $PBS_NODEFILE\necho $PBS_WALLTIME\npwd\n",
        expected);
}

static void a_job_has_the_environment_it_was_submitted_with(void **state)
{
    struct kit *k = *state;
    static const char *const environment[] = {
        "COLOUR=dark blue", "EMPTY=", "LOGNAME=liar", "no variable", NULL};
    struct kit_submission d;
    struct passwd *me = getpwuid(geteuid());
    char expected[200], *text;

    kit_draft(k, &d, "#!/bin/sh\necho \"$COLOUR,${EMPTY-unset},$LOGNAME,$HOME\"\n");
    d.s.environment = environment;
    snprintf(expected, sizeof expected, "dark blue,,%s,%s\n", me->pw_name, me->pw_dir);
    text = outcome(k, &d, "job.o1");
    assert_string_equal(text, expected);
    free(text);
}

static void a_job_has_a_place_for_temporary_files_that_goes_with_it(void **state)
{
    struct kit *k = *state;
    struct kit_submission d;
    char *text, *end;

    kit_draft(k, &d, "#!/bin/sh\necho x >$TMPDIR/file && echo $TMPDIR\n");
    text = outcome(k, &d, "job.o1");
    end = strchr(text, '\n');
    assert_non_null(end);
    *end = '\0';
    assert_non_null(strstr(text, "/jobs/1/tmp"));
    for (int i = 0; i < 500 && access(text, F_OK) == 0; i++)
        usleep(10000); /* it goes after the end is told */
    assert_int_not_equal(access(text, F_OK), 0);
    free(text);
}

static void arguments_reach_the_script(void **state)
{
    struct kit *k = *state;
    static const char *const argv[] = {"one", "two words", NULL};
    struct kit_submission d;
    char *text;

    kit_draft(k, &d, "echo \"$#:$2\"\n");
    d.s.argv = argv;
    text = outcome(k, &d, "job.o1");
    assert_string_equal(text, "2:two words\n");
    free(text);
}

static void a_command_needs_no_script(void **state)
{
    struct kit *k = *state;
    static const char *const argv[] = {"echo", "hello", NULL};
    struct kit_submission d;
    char *text;

    kit_draft(k, &d, NULL);
    d.s.argv = argv;
    text = outcome(k, &d, "job.o1");
    assert_string_equal(text, "hello\n");
    free(text);
}

static void the_umask_is_the_jobs(void **state)
{
    struct kit *k = *state;
    struct kit_submission d;
    char *text;

    kit_draft(k, &d, "#!/bin/sh\numask\n");
    d.s.umask = 027;
    text = outcome(k, &d, "job.o1");
    assert_string_equal(text, "0027\n");
    free(text);
}

static void a_job_gets_no_new_privileges(void **state)
{
    check(*state, "#!/bin/sh\ngrep NoNewPrivs /proc/self/status\n", "NoNewPrivs:\t1\n");
}

static void tasks_are_lines_in_the_file_of_nodes(void **state)
{
    struct kit *k = *state;
    struct job_place places[] = {{"node02", 2}, {"node01", 1}};
    struct kit_submission d;
    char id[80], *text;

    kit_draft(k, &d, "#!/bin/sh\ncat $PBS_NODEFILE; echo $PBS_NP $PBS_NUM_NODES\n");
    d.req.tasks = 3;
    d.req.per_task.v[RES_PROCS] = 2;
    snprintf(id, sizeof id, "%s", kit_submit_it(k, &d));
    assert_int_equal(
        kit_command(k,
            (struct rm_command){
                .action = RM_START, .job = id, .places = places, .nplaces = 2}),
        RM_OK);
    kit_until_state(k, id, JOB_COMPLETED);
    text = kit_read(k, "job.o1");
    assert_string_equal(text, "node02\nnode02\nnode01\n6 2\n");
    free(text);
}

/* Places are in the order of requests. */
static void a_node_with_tasks_of_two_requests_is_one(void **state)
{
    struct kit *k = *state;
    struct job_place places[] = {
        {"node02", 1, 0}, {"node01", 1, 0}, {"node02", 2, 0}, {"node01", 2, 0}};
    struct kit_submission d;
    char id[80], *text;

    kit_draft(k, &d, "#!/bin/sh\necho $PBS_NP $PBS_NUM_NODES $PBS_NUM_PPN\n");
    d.req.tasks = 6;
    snprintf(id, sizeof id, "%s", kit_submit_it(k, &d));
    assert_int_equal(
        kit_command(k,
            (struct rm_command){
                .action = RM_START, .job = id, .places = places, .nplaces = 4}),
        RM_OK);
    kit_until_state(k, id, JOB_COMPLETED);
    text = kit_read(k, "job.o1");
    assert_string_equal(text, "6 2 3\n");
    free(text);
}

static void a_directory_that_is_not_there_refuses_the_start(void **state)
{
    struct kit *k = *state;
    struct kit_submission d;
    char id[80];

    kit_draft(k, &d, "true");
    d.s.job.directory = "/nowhere/at/all";
    snprintf(id, sizeof id, "%s", kit_submit_it(k, &d));
    assert_int_equal(kit_start(k, id, 0), RM_REFUSED);
    assert_string_equal(k->done_text,
        "cannot enter the directory '/nowhere/at/all': No such file or directory");
    assert_int_equal(kit_job(k, id)->state, JOB_IDLE);
}

static void a_program_that_is_not_there_refuses_the_start(void **state)
{
    struct kit *k = *state;
    char id[80];

    kit_submit(k, "#!/no/such/interpreter\n", id);
    assert_int_equal(kit_start(k, id, 0), RM_REFUSED);
    assert_int_equal(kit_job(k, id)->state, JOB_IDLE);
    assert_int_equal(kit_start(k, id, 0), RM_REFUSED); /* and is not taken for run */
    assert_non_null(strstr(k->done_text, "cannot run the script by its #! line"));
}

static void ids_of_job_arrays_are_possible(void **state)
{
    struct kit *k = *state;
    struct kit_submission d;
    char number[40], id[80], *text;

    assert_int_equal(k->rm->driver->take_id(k->rm, number, sizeof number, NULL), 0);
    assert_string_equal(number, "1");
    kit_draft(k, &d, "#!/bin/sh\necho $PBS_ARRAYID\n");
    d.s.job.desc.id = "1[7]";
    text = outcome(k, &d, "job.o1[7]");
    assert_string_equal(text, "7\n");
    free(text);
    assert_string_equal(kit_submit_it(k, &d), ""); /* taken */
    assert_string_equal(k->done_text, "there is a job '1[7]' already");
    kit_submit(k, "true", id);
    assert_string_equal(id, "2");
}

static void impossible_submissions_are_refused_with_a_reason(void **state)
{
    struct kit *k = *state;
    struct kit_submission d;

    kit_draft(k, &d, "true");
    d.s.job.desc.id = "../../etc";
    assert_string_equal(kit_submit_it(k, &d), "");
    assert_non_null(strstr(k->done_text, "'../../etc' is not a job id"));
    kit_draft(k, &d, NULL);
    assert_string_equal(kit_submit_it(k, &d), "");
    assert_string_equal(k->done_text, "neither a script nor a command was given");
    assert_int_equal(k->outcome, RM_REFUSED);
}

static void a_job_of_another_user_runs_as_that_user(void **state)
{
    struct kit *k = *state;
    struct kit_submission d;
    char *text;

    kit_draft(
        k, &d, "#!/bin/sh\nid -u; id -g; id -G\ntouch $TMPDIR/mine && echo yes\n");
    d.s.uid = d.s.gid = 65534;
    if (geteuid() != 0) {
        d.s.uid = geteuid() + 1;
        assert_string_equal(kit_submit_it(k, &d), "");
        assert_non_null(strstr(k->done_text, "cannot become another user"));
        return;
    }
    text = outcome(k, &d, "job.o1");
    assert_string_equal(text, "65534\n65534\n65534\nyes\n");
    free(text);
}

static bool has_children(void)
{
    char path[64];
    FILE *in;
    int child = 0;

    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    in = fopen(path, "re");
    if (in != NULL && fscanf(in, "%d", &child) != 1)
        child = 0;
    if (in != NULL)
        fclose(in);
    return child != 0;
}

static void hundreds_of_jobs_come_and_go(void **state)
{
    struct kit *k = *state;
    enum { JOBS = 120 };
    struct job_place place = {"node01", 1};
    struct kit_submission d;
    unsigned before = k->done_count, ended = 0;
    char id[16];

    while (waitpid(-1, NULL, 0) > 0)
        continue; /* keepers of tests before this one */
    kit_draft(k, &d, NULL);
    d.s.argv = (const char *const[]){"true", NULL};
    d.s.job.output = d.s.job.error = "/dev/null";
    d.s.job.desc.reqs = &d.req;
    d.s.job.desc.nreqs = 1;
    for (int i = 0; i < JOBS; i++) {
        d.s.token = ++k->token;
        assert_int_equal(k->rm->driver->submit(k->rm, &d.s, NULL), 0);
    }
    kit_until(k, k->done_count - before == JOBS);
    for (int i = 1; i <= JOBS; i++) {
        struct rm_command start = {
            .action = RM_START, .places = &place, .nplaces = 1, .token = ++k->token};

        snprintf(id, sizeof id, "%d", i);
        start.job = id;
        assert_int_equal(k->rm->driver->command(k->rm, &start, NULL), 0);
        while (k->done_token + 8 < k->token) /* some at a time */
            sd_event_run(k->loop, 50000);
    }
    for (int i = 1; i <= JOBS; i++, ended++) {
        snprintf(id, sizeof id, "%d", i);
        kit_until_state(k, id, JOB_COMPLETED);
        assert_int_equal(kit_job(k, id)->exit_status, 0);
    }
    assert_int_equal(ended, JOBS);
    assert_int_equal(kit_node(k, "node01")->util.v[RES_PROCS], 0);
    kit_until(k, !has_children()); /* keepers are taken off the process table */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, kit_setup, kit_teardown)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(output_goes_to_files_named_after_the_job),
        TEST(joined_output_is_one_file),
        TEST(output_goes_where_it_is_asked_to),
        TEST(a_job_finds_what_batch_scripts_look_for),
        TEST(a_job_has_the_environment_it_was_submitted_with),
        TEST(a_job_has_a_place_for_temporary_files_that_goes_with_it),
        TEST(arguments_reach_the_script),
        TEST(a_command_needs_no_script),
        TEST(the_umask_is_the_jobs),
        TEST(a_job_gets_no_new_privileges),
        TEST(tasks_are_lines_in_the_file_of_nodes),
        TEST(a_node_with_tasks_of_two_requests_is_one),
        TEST(a_directory_that_is_not_there_refuses_the_start),
        TEST(a_program_that_is_not_there_refuses_the_start),
        TEST(ids_of_job_arrays_are_possible),
        TEST(impossible_submissions_are_refused_with_a_reason),
        TEST(a_job_of_another_user_runs_as_that_user),
        TEST(hundreds_of_jobs_come_and_go),
    };

    RM_KIT_KEEPER;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
