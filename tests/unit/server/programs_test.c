/* SPDX-License-Identifier: Apache-2.0
 * Programs of the site: what they may do to the daemon, and what it does to them. */
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "server/events/programs.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define TURN_US   100000
#define TURNS_MAX 600

struct scene {
    sd_event *loop;
    struct log *log;
    struct programs *programs;
    char folder[40], log_path[60];
    unsigned ended, begun, timed_out;
    int exit_status;
    char text[200];
};

static struct scene *scene_open(const struct programs_options *more)
{
    struct scene *s = xcalloc(1, sizeof *s);
    struct programs_options opt = *more;
    struct err err = {0};
    sigset_t mask;

    strcpy(s->folder, "/tmp/maui-programs-XXXXXX");
    assert_non_null(mkdtemp(s->folder));
    snprintf(s->log_path, sizeof s->log_path, "%s/log", s->folder);
    sigemptyset(&mask);
    sigaddset(&mask, SIGCHLD);
    sigprocmask(SIG_BLOCK, &mask, NULL);
    signal(SIGPIPE, SIG_IGN);
    assert_true(sd_event_new(&s->loop) >= 0);
    s->log = log_open(&(struct log_options){.path = s->log_path}, &err);
    opt.log = s->log;
    opt.directory = s->folder;
    s->programs = programs_open(s->loop, &opt, &err);
    assert_non_null(s->programs);
    return s;
}

static void scene_close(struct scene *s)
{
    char command[80];

    programs_close(s->programs);
    log_close(s->log);
    sd_event_unref(s->loop);
    snprintf(command, sizeof command, "rm -rf %s", s->folder);
    assert_int_equal(system(command), 0);
    free(s);
}

static void on_ended(void *ctx, const struct program_end *end)
{
    struct scene *s = ctx;

    s->ended++;
    s->begun += end->begun;
    s->timed_out += end->timed_out;
    s->exit_status = end->exit_status;
    snprintf(s->text, sizeof s->text, "%s", end->text);
}

/* A shell script, as the file of the folder; its path is good until the next. */
static const char *script(struct scene *s, const char *text)
{
    static char path[80];
    FILE *f;

    snprintf(path, sizeof path, "%s/script", s->folder);
    f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "#!/bin/sh\n%s\n", text);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(path, 0755), 0);
    return path;
}

static int run(struct scene *s, const char *file, const char *argument, uint64_t ms)
{
    const char *argv[] = {file, argument, NULL};

    return programs_run(s->programs,
        &(struct program_call){.what = "test program",
            .argv = argv,
            .limit_ms = ms,
            .ended = on_ended,
            .ctx = s},
        NULL);
}

/* Until so many have ended. */
static void wait_for(struct scene *s, unsigned ended)
{
    for (int i = 0; s->ended < ended && i < TURNS_MAX * 100; i++)
        if (sd_event_run(s->loop, TURN_US) == 0 && i > TURNS_MAX)
            break;
    assert_int_equal(s->ended, ended);
}

static char *text_of(const char *path)
{
    struct strbuf b = {0};
    char bytes[4096];
    size_t n;
    FILE *f = fopen(path, "r");

    while (f && (n = fread(bytes, 1, sizeof bytes, f)) > 0)
        strbuf_add_n(&b, bytes, n);
    if (f)
        fclose(f);
    return strbuf_take(&b);
}

static bool logged(struct scene *s, const char *words)
{
    char *text = text_of(s->log_path);
    bool found = strstr(text, words) != NULL;

    free(text);
    return found;
}

static void arguments_arrive_as_they_are_and_output_is_logged(void **state)
{
    struct scene *s = scene_open(&(struct programs_options){0});

    (void)state;
    run(s, script(s, "echo \"got <$1>\"; echo bad >&2; pwd; exit 3"),
        "JOBHOLD:  $(touch x); `id` 'a\" b", 0);
    wait_for(s, 1);
    assert_int_equal(s->exit_status, 3);
    assert_true(logged(s, "got <JOBHOLD:  $(touch x); `id` 'a\" b>"));
    assert_true(logged(s, ": bad\n") && logged(s, s->folder));
    assert_true(logged(s, "exit status 3"));
    scene_close(s);
}

/* A shell takes the last of two variables of one name, getenv() the first. */
static void another_user_sees_nothing_of_the_daemons_environment(void **state)
{
    struct scene *s = scene_open(&(struct programs_options){.directory = "/"});
    const struct program_user as = {65534, 65534};
    const char *const environment[] = {"HOME=/theirs", NULL};
    const char *const argv[] = {"/bin/sh", "-c",
        "env | grep -c ^HOME=; echo \"$HOME,$TZ,$MAUI_TEST_SECRET.\"", NULL};
    struct program_call call = {.what = "test program",
        .argv = argv,
        .environment = environment,
        .ended = on_ended,
        .ctx = s};

    (void)state;
    setenv("HOME", "/daemons", 1);
    setenv("TZ", "UTC", 1);
    setenv("MAUI_TEST_SECRET", "told", 1);
    assert_int_equal(programs_run(s->programs, &call, NULL), 0);
    wait_for(s, 1);
    assert_true(logged(s, ": /theirs,UTC,told.\n")); /* the daemon itself */
    assert_false(logged(s, ": 2\n"));
    if (geteuid() == 0) { /* nobody else can be another */
        call.as = &as;
        assert_int_equal(programs_run(s->programs, &call, NULL), 0);
        wait_for(s, 2);
        assert_true(logged(s, ": /theirs,UTC,.\n"));
    }
    scene_close(s);
}

/* Who stops a process of its own delays nobody else. */
static void those_of_one_user_run_one_after_the_other(void **state)
{
    struct scene *s = scene_open(
        &(struct programs_options){.directory = "/", .at_once = 4, .waiting_max = 40});
    static const struct program_user one = {65534, 65534}, other = {65533, 65533};
    const char *const argv[] = {"/bin/sleep", "0.2", NULL};
    struct program_call call = {
        .what = "test program", .argv = argv, .as = &one, .ended = on_ended, .ctx = s};
    struct err err;

    (void)state;
    for (int i = 0; geteuid() == 0 && i < 4; i++) /* nobody else can be another */
        assert_int_equal(programs_run(s->programs, &call, &err), 0);
    if (geteuid() == 0) {
        assert_int_equal(programs_run(s->programs, &call, &err), -1); /* a tenth */
        call.as = &other;
        assert_int_equal(programs_run(s->programs, &call, &err), 0);
        programs_flush(s->programs);
        assert_int_equal(programs_running(s->programs), 2);
        assert_int_equal(programs_waiting(s->programs), 3);
        wait_for(s, 5);
    }
    scene_close(s);
}

static void it_reads_its_input_as_the_user_it_is_to_be(void **state)
{
    struct scene *s = scene_open(&(struct programs_options){.directory = "/"});
    const struct program_user nobody = {65534, 65534};
    size_t n = 1 << 20; /* more than a pipe takes */
    char *input = xmalloc(n + 1);
    const char *const argv[] = {"/bin/sh", "-c",
        "echo \"$(wc -c) bytes, user $(id -u), groups $(id -G), mask $(grep SigBlk "
        "/proc/self/status), files $(ls /proc/self/fd | wc -l)\"; exit 7",
        NULL};
    struct program_call call = {.what = "mail program",
        .argv = argv,
        .input = input,
        .ended = on_ended,
        .ctx = s};

    (void)state;
    memset(input, 'x', n);
    input[n] = 0;
    assert_int_equal(programs_run(s->programs, &call, NULL), 0);
    wait_for(s, 1);
    assert_int_equal(s->exit_status, 7);
    assert_true(logged(s, "1048576 bytes, user "));
    call.as = &nobody;
    assert_int_equal(programs_run(s->programs, &call, NULL), 0);
    wait_for(s, 2);
    if (geteuid() == 0) {
        assert_int_equal(s->exit_status, 7);
        assert_true(logged(s, "1048576 bytes, user 65534, groups 65534, mask SigBlk: "
                              "0000000000000000, files 4"));
    } else {
        assert_int_equal(s->exit_status, 127);
        assert_true(logged(s, "it cannot be run as its user"));
    }
    free(input);
    scene_close(s);
}

static void a_program_that_is_not_there_is_told_and_nothing_waits(void **state)
{
    struct scene *s = scene_open(&(struct programs_options){0});

    (void)state;
    assert_int_equal(run(s, "/no/such/program", "x", 0), 0);
    assert_int_equal(s->ended, 0); /* told later */
    wait_for(s, 1);
    assert_int_equal(s->begun, 0);
    assert_true(logged(s, "No such file"));
    assert_int_equal(programs_running(s->programs), 0);
    scene_close(s);
}

static void the_time_limit_ends_the_whole_process_group(void **state)
{
    struct scene *s = scene_open(&(struct programs_options){.grace_ms = 200});
    char *pids, path[80];

    (void)state;
    run(s,
        script(s, "trap '' TERM; sleep 300 & echo $! > pids; echo $$ >> pids\n"
                  "while :; do sleep 1; done"),
        NULL, 300);
    wait_for(s, 1);
    assert_int_equal(s->timed_out, 1);
    assert_int_equal(s->exit_status, 128 + SIGKILL);
    snprintf(path, sizeof path, "%s/pids", s->folder);
    pids = text_of(path);
    for (char *next = pids; *next;) {
        pid_t pid = (pid_t)strtol(next, &next, 10);
        for (int i = 0; i < 500 && kill(pid, 0) == 0; i++)
            usleep(10000); /* its reaper is somebody else */
        char stat[40], *what;
        snprintf(stat, sizeof stat, "/proc/%ld/stat", (long)pid);
        what = text_of(stat);
        assert_true(!*what || strstr(what, ") Z ") != NULL);
        free(what);
        next += *next == '\n';
    }
    free(pids);
    scene_close(s);
}

static void what_a_program_leaves_behind_keeps_nobody_waiting(void **state)
{
    struct scene *s = scene_open(&(struct programs_options){.at_once = 1});

    (void)state;
    for (int i = 0; i < 3; i++) /* the sleep keeps the pipe open */
        run(s, script(s, "sleep 300 & echo begun; exit 0"), NULL, 0);
    wait_for(s, 3);
    assert_int_equal(s->exit_status, 0);
    scene_close(s);
}

static void a_flood_of_output_is_cut_and_does_not_hold_up_the_loop(void **state)
{
    struct scene *s = scene_open(
        &(struct programs_options){.output_max = 64 * 1024, .grace_ms = 100});
    struct stat st;

    (void)state;
    run(s, script(s, "yes 'a line of it all' 2>/dev/null; echo more; exit 0"), NULL,
        20000);
    run(s, "/bin/true", NULL, 0);
    wait_for(s, 2);
    assert_int_equal(s->timed_out, 0);
    assert_int_equal(stat(s->log_path, &st), 0);
    assert_true(st.st_size < 64 * 1024);
    assert_true(logged(s, "the rest is not logged"));
    scene_close(s);
}

static void a_storm_runs_some_at_a_time_and_what_is_dropped_is_told(void **state)
{
    struct scene *s =
        scene_open(&(struct programs_options){.at_once = 4, .waiting_max = 200});
    unsigned taken = 0, most = 0;

    (void)state;
    for (int i = 0; i < 1000; i++)
        taken += run(s, "/bin/true", "x", 0) == 0;
    assert_int_equal(taken, 200);
    for (int i = 0; i < 20000 && s->ended < taken; i++) {
        sd_event_run(s->loop, TURN_US);
        if (programs_running(s->programs) > most)
            most = programs_running(s->programs);
    }
    assert_int_equal(s->ended, taken);
    assert_int_equal(s->begun, taken);
    assert_true(most <= 4);
    assert_int_equal(programs_count(s->programs).dropped, 800);
    assert_true(logged(s, "is not run, as 200 wait already"));
    assert_int_equal(run(s, "/bin/true", "x", 0), 0);
    assert_true(logged(s, "800 were not run"));
    scene_close(s);
}

static void a_thousand_run_one_after_the_other(void **state)
{
    struct scene *s = scene_open(&(struct programs_options){0});

    (void)state;
    for (int i = 0; i < 1000; i++)
        assert_int_equal(run(s, "/bin/true", "x", 0), 0);
    for (int i = 0; i < 100000 && s->ended < 1000; i++)
        sd_event_run(s->loop, TURN_US);
    assert_int_equal(s->ended, 1000);
    assert_int_equal(programs_count(s->programs).begun, 1000);
    assert_int_equal(programs_count(s->programs).failed, 0);
    scene_close(s);
}

static void open_files_of_the_daemon_are_not_the_programs(void **state)
{
    struct scene *s = scene_open(&(struct programs_options){0});
    int fd = dup(1); /* not closed by exec */

    (void)state;
    run(s, script(s, "ls /proc/self/fd | wc -l"), NULL, 0);
    wait_for(s, 1);
    close(fd);
    assert_true(logged(s, ": 4\n")); /* 0 to 2, and ls's own */
    scene_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_arrive_as_they_are_and_output_is_logged),
        cmocka_unit_test(another_user_sees_nothing_of_the_daemons_environment),
        cmocka_unit_test(those_of_one_user_run_one_after_the_other),
        cmocka_unit_test(it_reads_its_input_as_the_user_it_is_to_be),
        cmocka_unit_test(a_program_that_is_not_there_is_told_and_nothing_waits),
        cmocka_unit_test(the_time_limit_ends_the_whole_process_group),
        cmocka_unit_test(what_a_program_leaves_behind_keeps_nobody_waiting),
        cmocka_unit_test(a_flood_of_output_is_cut_and_does_not_hold_up_the_loop),
        cmocka_unit_test(a_storm_runs_some_at_a_time_and_what_is_dropped_is_told),
        cmocka_unit_test(a_thousand_run_one_after_the_other),
        cmocka_unit_test(open_files_of_the_daemon_are_not_the_programs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
