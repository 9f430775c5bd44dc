/* SPDX-License-Identifier: Apache-2.0
 * One daemon a home: base/home's lock. */
#include "base/home.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char home[] = "/tmp/maui-home-XXXXXX";

static int set_up(void **state)
{
    (void)state;
    strcpy(home, "/tmp/maui-home-XXXXXX");
    return mkdtemp(home) ? 0 : -1;
}

static int tear_down(void **state)
{
    char path[60];

    (void)state;
    snprintf(path, sizeof path, "%s/maui.pid", home);
    (void)unlink(path);
    return rmdir(home);
}

/* A process that has the lock. */
static pid_t holder(void)
{
    int ends[2];
    char byte;

    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct err err;
        if (home_lock(home, &err) < 0 || write(ends[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    assert_int_equal(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    close(ends[1]);
    return pid;
}

static void the_lock_of_a_killed_one_is_taken(void **state)
{
    (void)state;
    struct err err;

    for (int i = 0; i < 20; i++) {
        pid_t pid = holder();
        assert_int_equal(kill(pid, SIGKILL), 0);
        int fd = home_lock(home, &err); /* it may not even be dead yet */
        assert_true(fd >= 0);
        home_unlock(fd);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
    }
}

static void a_living_one_keeps_it_and_is_named(void **state)
{
    (void)state;
    struct err err;
    char expected[100];
    pid_t pid = holder();

    assert_int_equal(home_lock(home, &err), -1);
    snprintf(expected, sizeof expected,
        "a scheduler is running already in '%s' (process %d)", home, (int)pid);
    assert_string_equal(err.text, expected);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            the_lock_of_a_killed_one_is_taken, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            a_living_one_keeps_it_and_is_named, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
