/* SPDX-License-Identifier: Apache-2.0
 * Which line a command takes, and what becomes of one whose program hangs. The program
 * is a script beside a copy of this test. */
#include "rm/pbs/line.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
/* after those it needs */
#include <cmocka.h>

#define TURNS 600 /* of a tenth of a second */

static const char program[] = "#!/bin/sh\nprintf '0 0\\n'\nwhile read -r command; do\n"
                              "  case $command in *hang*) exec sleep 1000;; esac\n"
                              "  printf '0 2\\nok'\ndone\n";

struct room {
    sd_event *loop;
    struct line *lines[2];
    unsigned ended, hung;
};

static int begin(void **state)
{
    struct room *r = calloc(1, sizeof *r);

    if (r == NULL || sd_event_new(&r->loop) < 0)
        return -1;
    for (size_t i = 0; i < 2; i++)
        r->lines[i] = line_new(r->loop);
    *state = r;
    return 0;
}

static int end(void **state)
{
    struct room *r = *state;

    for (size_t i = 0; i < 2; i++)
        line_destroy(r->lines[i]);
    sd_event_unref(r->loop);
    free(r);
    return 0;
}

static void note_end(void *ctx, const struct run_end *ended)
{
    struct room *r = ctx;

    r->ended++;
    r->hung += ended->hung;
}

static bool start(
    struct room *r, struct line *l, const char *word, const char *job, int64_t most_ms)
{
    const char *const argv[] = {word, job, NULL};
    const struct run_spec spec = {.argv = argv, .timeout_ms = most_ms, .most = 100};

    return line_start(l, &spec, note_end, r);
}

static void await_ready(struct room *r, struct line *l)
{
    for (int i = 0; i < TURNS && !line_is_ready(l); i++)
        sd_event_run(r->loop, 100000);
    assert_true(line_is_ready(l));
}

static void warm(struct room *r, struct line *l)
{
    assert_false(start(r, l, "qstat", "1", 60000));
    await_ready(r, l);
}

static struct line *choose(struct room *r, const char *job)
{
    return line_choose(r->lines, 2, (const char *const[]){"qrun", job, NULL});
}

static void one_that_hangs_again_and_again_is_begun_again(void **state)
{
    struct room *r = *state;

    for (unsigned i = 1; i <= 5; i++) {
        warm(r, r->lines[0]);
        assert_true(start(r, r->lines[0], "hang", "1", 10));
        for (int turn = 0; turn < TURNS && r->ended < i; turn++)
            sd_event_run(r->loop, 100000);
        assert_int_equal(r->hung, i);
    }
    assert_non_null(line_choose(r->lines, 1, (const char *const[]){"qrun", "1", NULL}));
}

static void one_in_use_goes_before_one_that_has_yet_to_begin(void **state)
{
    struct room *r = *state;

    assert_ptr_equal(choose(r, "1"), r->lines[0]); /* none is in use */
    warm(r, r->lines[1]);
    assert_ptr_equal(choose(r, "1"), r->lines[1]);
    assert_true(start(r, r->lines[1], "hang", "1", 60000));
    assert_ptr_equal(choose(r, "2"), r->lines[1]);
    await_ready(r, r->lines[0]); /* as the other has something to do */
    assert_ptr_equal(choose(r, "2"), r->lines[0]);
}

static void orders_of_one_job_or_its_array_stay_in_order(void **state)
{
    struct room *r = *state;

    for (size_t i = 0; i < 2; i++)
        warm(r, r->lines[i]);
    assert_true(start(r, r->lines[1], "hang", "15[].head", 60000));
    assert_true(start(r, r->lines[1], "qrun", "16[2].head", 60000));
    assert_ptr_equal(choose(r, "15[4].head"), r->lines[1]);
    assert_ptr_equal(choose(r, "16[].head"), r->lines[1]);
    assert_ptr_equal(choose(r, "16[2].head"), r->lines[1]);
    assert_ptr_equal(choose(r, "16[3].head"), r->lines[0]);
    assert_ptr_equal(choose(r, "17.head"), r->lines[0]);
}

static int test_all(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(one_that_hangs_again_and_again_is_begun_again),
        TEST(one_in_use_goes_before_one_that_has_yet_to_begin),
        TEST(orders_of_one_job_or_its_array_stay_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

static void write_program(const char *path)
{
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0700);

    if (fd < 0 || write(fd, program, sizeof program - 1) < 0 || close(fd) < 0)
        abort();
}

static void copy_self(const char *path)
{
    int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    int to = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0700);
    struct stat st;

    if (from < 0 || to < 0 || fstat(from, &st) < 0)
        abort();
    for (off_t at = 0; at < st.st_size;)
        if (sendfile(to, from, &at, (size_t)(st.st_size - at)) <= 0)
            abort();
    close(from);
    close(to);
}

/* Runs the copy, beside which the program is found. */
int main(int argc, char **argv)
{
    char folder[] = "/tmp/maui-line-XXXXXX", self[60], beside[60];
    int status = 1;
    pid_t pid;

    (void)argv;
    if (argc > 1)
        return test_all();
    if (mkdtemp(folder) == NULL)
        return 1;
    snprintf(self, sizeof self, "%s/test", folder);
    snprintf(beside, sizeof beside, "%s/maui-pbs-line", folder);
    copy_self(self);
    write_program(beside);
    pid = fork();
    if (pid == 0) {
        execl(self, self, "copy", (char *)NULL);
        _exit(127);
    }
    if (pid > 0)
        waitpid(pid, &status, 0);
    unlink(self);
    unlink(beside);
    rmdir(folder);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
