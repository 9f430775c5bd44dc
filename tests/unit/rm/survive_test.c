/* SPDX-License-Identifier: Apache-2.0
 * Jobs outlive the daemon and are found again; nothing is lost, nothing runs twice,
 * whoever is killed. */
#include "rm_kit.h"

static int begin(void **state)
{
    static struct kit kit;

    kit_begin(&kit, "4x2");
    *state = &kit;
    return 0;
}

/* In a daemon of its own, which is killed without a word: open, and submit this script;
 * start it unless told not to. */
static void doomed_daemon(struct kit *k, const char *script, bool start)
{
    pid_t pid;
    int status;

    kit_shut(k);
    pid = fork();
    if (pid == 0) {
        struct kit mine = *k;
        char id[80];

        mine.jobs.n = mine.nodes.n = 0;
        mine.jobs.v = NULL;
        mine.nodes.v = NULL;
        mine.jobs.cap = mine.nodes.cap = 0;
        kit_open(&mine);
        kit_submit(&mine, script, id);
        if (start)
            kit_start(&mine, id, 0);
        kill(getpid(), SIGKILL);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    k->jobs.n = k->nodes.n = 0;
}

static void an_acknowledged_submission_survives_the_daemon(void **state)
{
    struct kit *k = *state;

    doomed_daemon(k, "echo found >out", false);
    kit_open(k);
    assert_int_equal(k->jobs.n, 1);
    assert_int_equal(kit_job(k, "1")->state, JOB_IDLE);
    assert_int_equal(kit_start(k, "1", 0), RM_OK);
    kit_until_state(k, "1", JOB_COMPLETED);
    assert_int_equal(kit_job(k, "1")->exit_status, 0);
}

static void a_running_job_survives_the_daemon_and_is_adopted(void **state)
{
    struct kit *k = *state;
    int64_t start_at;
    long pid;

    doomed_daemon(k,
        "#!/bin/sh\necho $$ >pid\nwhile [ ! -e go ]; do sleep 0.02; done\nexit 5\n",
        true);
    pid = kit_number(k, "pid");
    assert_true(kit_alive(pid));
    kit_open(k);
    assert_int_equal(kit_job(k, "1")->state, JOB_RUNNING);
    assert_string_equal(kit_job(k, "1")->place, "node01");
    assert_int_equal(kit_node(k, "node01")->util.v[RES_PROCS], 1);
    start_at = kit_job(k, "1")->start_at;
    int folder = folder_open(AT_FDCWD, k->work, NULL);
    assert_int_equal(folder_write(folder, "go", "", 0, NULL), 0);
    close(folder);
    kit_until_state(k, "1", JOB_COMPLETED);
    assert_int_equal(kit_job(k, "1")->exit_status, 5);
    assert_int_equal(kit_job(k, "1")->start_at, start_at);
}

static void an_adopted_job_obeys(void **state)
{
    struct kit *k = *state;
    char id[80];

    kit_run(k, "sleep 30", id);
    kit_reopen(k);
    assert_int_equal(kit_do(k, RM_SUSPEND, id), RM_OK);
    kit_reopen(k);
    assert_int_equal(kit_job(k, id)->state, JOB_SUSPENDED);
    assert_int_equal(kit_do(k, RM_RESUME, id), RM_OK);
    assert_int_equal(kit_job(k, id)->state, JOB_RUNNING);
    assert_int_equal(kit_do(k, RM_CANCEL, id), RM_OK);
    kit_until_state(k, id, JOB_REMOVED);
}

static void an_end_during_the_daemons_absence_is_told_with_its_true_time(void **state)
{
    struct kit *k = *state;
    int64_t ended;
    char id[80];
    long pid;

    kit_run(k, "#!/bin/sh\necho $$ >pid\nsleep 0.2\nexit 4\n", id);
    pid = kit_number(k, "pid");
    kit_shut(k);
    while (kit_alive(pid))
        usleep(10000);
    ended = time(NULL);
    usleep(1200000);
    k->jobs.n = 0;
    kit_open(k);
    kit_until_state(k, id, JOB_COMPLETED);
    assert_int_equal(kit_job(k, id)->exit_status, 4);
    assert_in_range(kit_job(k, id)->end_at, ended - 1, ended);
}

static void holds_and_changed_limits_survive(void **state)
{
    struct kit *k = *state;
    char id[80];

    kit_submit(k, "true", id);
    kit_command(k, (struct rm_command){
                       .action = RM_HOLD, .job = id, .kinds = HOLD_USER | HOLD_SYSTEM});
    kit_command(
        k, (struct rm_command){.action = RM_MODIFY, .job = id, .wclimit_s = 77});
    kit_reopen(k);
    assert_int_equal(kit_job(k, id)->holds, HOLD_USER | HOLD_SYSTEM);
    assert_int_equal(kit_job(k, id)->state, JOB_HOLD);
    assert_int_equal(kit_job(k, id)->wclimit_s, 77);
}

/* The keeper of the one job there is, from the job's own words. */
static long keeper_of(struct kit *k)
{
    return kit_number(k, "keeper");
}

#define TELLS_KEEPER "#!/bin/sh\necho $PPID >keeper\n"

static void a_job_whose_keeper_is_killed_ends_and_is_told_so(void **state)
{
    struct kit *k = *state;
    char id[80];
    long stray;

    kit_run(k,
        TELLS_KEEPER "(setsid sh -c 'echo $$ >pid; exec sleep 30' &)\nsleep 30\n", id);
    stray = kit_number(k, "pid");
    kill((pid_t)keeper_of(k), SIGKILL);
    kit_until_state(k, id, JOB_COMPLETED);
    assert_int_equal(kit_job(k, id)->exit_status, 128 + SIGKILL);
    assert_string_equal(
        kit_job(k, id)->notes, "its keeper was killed, and then its processes");
    assert_false(kit_alive(stray));
    assert_int_equal(kit_start(k, id, 0), RM_REFUSED);
    kit_until(k, kit_node(k, "node01")->util.v[RES_PROCS] == 0);
}

static void a_keeper_killed_in_the_daemons_absence_is_noticed(void **state)
{
    struct kit *k = *state;
    long keeper, stray;
    char id[80];

    kit_run(k,
        TELLS_KEEPER "(setsid sh -c 'echo $$ >pid; exec sleep 30' &)\nsleep 30\n", id);
    stray = kit_number(k, "pid");
    keeper = keeper_of(k);
    kit_shut(k);
    kill((pid_t)keeper, SIGKILL);
    while (kit_alive(keeper))
        usleep(1000);
    k->jobs.n = 0;
    kit_open(k);
    kit_until_state(k, id, JOB_COMPLETED);
    assert_int_equal(kit_job(k, id)->exit_status, 128 + SIGKILL);
    assert_false(kit_alive(stray));
}

static void a_machine_that_went_down_ends_its_jobs(void **state)
{
    struct kit *k = *state;
    char path[200], id[80], *text, *boot;
    struct err err;
    long keeper;
    size_t len;
    int folder;

    kit_run(k, TELLS_KEEPER "sleep 30\n", id);
    keeper = keeper_of(k);
    kit_shut(k);
    kill((pid_t)keeper, SIGKILL);
    while (kit_alive(keeper))
        usleep(1000);
    snprintf(path, sizeof path, "%s/jobs/%s", k->spool, id);
    folder = folder_open(AT_FDCWD, path, &err);
    text = folder_read(folder, "run.json", &len, &err);
    boot = strstr(text, "\"boot\":\"");
    assert_non_null(boot);
    boot[9] = boot[9] == '0' ? '1' : '0';
    assert_int_equal(folder_write(folder, "run.json", text, len, &err), 0);
    free(text);
    close(folder);
    k->jobs.n = 0;
    kit_open(k);
    kit_until_state(k, id, JOB_COMPLETED);
    assert_string_equal(kit_job(k, id)->notes, "the machine went down while it ran");
}

static void numbers_are_not_given_twice_though_old_jobs_are_purged(void **state)
{
    struct kit *k = *state;
    char id[80];

    kit_attr(k, "KEEPTIME", "0");
    kit_reopen(k);
    kit_run(k, "true", id);
    kit_until_state(k, id, JOB_COMPLETED);
    kit_until(k, kit_job(k, id)->gone);
    kit_submit(k, "true", id);
    assert_string_equal(id, "2");
    kit_do(k, RM_CANCEL, id);
    kit_until(k, kit_job(k, id)->gone);
    kit_reopen(k);
    assert_int_equal(k->jobs.n, 0);
    kit_submit(k, "true", id);
    assert_string_equal(id, "3");
}

static void ended_jobs_are_told_until_they_are_purged(void **state)
{
    struct kit *k = *state;
    char id[80];

    kit_run(k, "exit 2", id);
    kit_until_state(k, id, JOB_COMPLETED);
    kit_reopen(k);
    assert_int_equal(kit_job(k, id)->state, JOB_COMPLETED);
    assert_int_equal(kit_job(k, id)->exit_status, 2);
}

static void only_one_daemon_has_the_spool(void **state)
{
    struct kit *k = *state;
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        const struct rm_driver *driver = rm_driver_find("LOCAL", NULL);
        struct rm_cfg cfg = {.name = "b", .section = &k->section, .spool = k->spool};
        struct rm_sink sink = {kit_report, k};
        struct err err = {0};
        sd_event *loop;

        if (sd_event_new(&loop) < 0 || driver->open(&cfg, loop, &sink, &err) != NULL)
            _exit(1);
        _exit(strstr(err.text, "has a daemon already") != NULL ? 0 : 2);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void a_damaged_folder_is_named_and_kept_and_the_others_are_read(void **state)
{
    struct kit *k = *state;
    char path[200], a[80], b[80];
    int folder;

    kit_submit(k, "true", a);
    kit_submit(k, "true", b);
    kit_shut(k);
    snprintf(path, sizeof path, "%s/jobs/%s", k->spool, a);
    folder = folder_open(AT_FDCWD, path, NULL);
    assert_int_equal(folder_write(folder, "request.json", "{\"id\":", 6, NULL), 0);
    k->jobs.n = 0;
    kit_open(k);
    assert_false(k->healthy);
    assert_non_null(strstr(k->sick, path));
    assert_null(kit_job(k, a));
    assert_int_equal(kit_job(k, b)->state, JOB_IDLE);
    assert_int_equal(faccessat(folder, "script", F_OK, 0), 0);
    close(folder);
    kit_submit(k, "true", b);
    assert_string_equal(b, "3"); /* its number stays taken */
}

static void a_submission_cut_short_leaves_nothing(void **state)
{
    struct kit *k = *state;
    char path[200];

    kit_shut(k);
    snprintf(path, sizeof path, "%s/new/17", k->spool);
    assert_int_equal(mkdir(path, 0700), 0);
    kit_open(k);
    assert_int_equal(k->jobs.n, 0);
    assert_int_not_equal(access(path, F_OK), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, kit_teardown)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(an_acknowledged_submission_survives_the_daemon),
        TEST(a_running_job_survives_the_daemon_and_is_adopted),
        TEST(an_adopted_job_obeys),
        TEST(an_end_during_the_daemons_absence_is_told_with_its_true_time),
        TEST(holds_and_changed_limits_survive),
        TEST(a_job_whose_keeper_is_killed_ends_and_is_told_so),
        TEST(a_keeper_killed_in_the_daemons_absence_is_noticed),
        TEST(a_machine_that_went_down_ends_its_jobs),
        TEST(numbers_are_not_given_twice_though_old_jobs_are_purged),
        TEST(ended_jobs_are_told_until_they_are_purged),
        TEST(only_one_daemon_has_the_spool),
        TEST(a_damaged_folder_is_named_and_kept_and_the_others_are_read),
        TEST(a_submission_cut_short_leaves_nothing),
    };

    RM_KIT_KEEPER;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
