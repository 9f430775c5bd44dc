/* SPDX-License-Identifier: Apache-2.0
 * Files that are whole or absent, locks, and removal that follows no links. */
#include "rm_kit.h"

static int begin(void **state)
{
    static char dir[64];

    snprintf(dir, sizeof dir, "/tmp/maui-folder-XXXXXX");
    assert_non_null(mkdtemp(dir));
    *state = dir;
    return 0;
}

static int end(void **state)
{
    assert_int_equal(folder_remove(AT_FDCWD, *state), 0);
    assert_int_not_equal(access(*state, F_OK), 0);
    return 0;
}

static void a_file_is_replaced_as_a_whole(void **state)
{
    int folder = folder_open(AT_FDCWD, *state, NULL);
    size_t len;
    char *text;

    assert_int_equal(folder_write(folder, "a", "first", 5, NULL), 0);
    assert_int_equal(folder_write(folder, "a", "2\0nd", 4, NULL), 0);
    assert_int_equal(folder_sync(folder, "a", NULL), 0);
    text = folder_read(folder, "a", &len, NULL);
    assert_int_equal(len, 4);
    assert_memory_equal(text, "2\0nd", 5);
    free(text);
    assert_int_not_equal(faccessat(folder, "a.new", F_OK, 0), 0);
    close(folder);
}

static void what_is_no_file_is_not_read(void **state)
{
    int folder = folder_open(AT_FDCWD, *state, NULL);
    struct err err;
    size_t len;

    assert_null(folder_read(folder, "none", &len, &err));
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_int_equal(mkfifoat(folder, "fifo", 0600), 0);
    assert_null(folder_read(folder, "fifo", &len, &err)); /* and does not wait */
    assert_int_equal(symlinkat("/etc/passwd", folder, "link"), 0);
    assert_null(folder_read(folder, "link", &len, &err));
    assert_int_equal(folder_create(folder, "link", "x", 1, false, &err), -1);
    close(folder);
}

static void removal_follows_no_links(void **state)
{
    int folder = folder_open(AT_FDCWD, *state, NULL);

    assert_int_equal(mkdirat(folder, "keep", 0700), 0);
    assert_int_equal(mkdirat(folder, "go", 0700), 0);
    assert_int_equal(mkdirat(folder, "go/deep", 0700), 0);
    assert_int_equal(folder_create(folder, "keep/file", "x", 1, false, NULL), 0);
    assert_int_equal(folder_create(folder, "go/deep/file", "x", 1, false, NULL), 0);
    assert_int_equal(symlinkat("../keep", folder, "go/link"), 0);
    assert_int_equal(folder_remove(folder, "go"), 0);
    assert_int_equal(folder_remove(folder, "go"), 0); /* gone already is done */
    assert_int_equal(faccessat(folder, "keep/file", F_OK, 0), 0);
    assert_int_not_equal(faccessat(folder, "go", F_OK, 0), 0);
    close(folder);
}

static void removal_is_done_bit_by_bit_and_at_any_depth(void **state)
{
    int folder = folder_open(AT_FDCWD, *state, NULL), at, turns = 0, left;
    unsigned entries;

    assert_int_equal(mkdirat(folder, "go", 0700), 0);
    at = folder_open(folder, "go", NULL);
    for (int i = 0; i < 3000; i++) {
        int below;

        assert_int_equal(mkdirat(at, "d", 0700), 0);
        assert_int_equal(mkdirat(at, "e", 0700), 0);
        below = folder_open(at, "d", NULL);
        close(at);
        at = below;
    }
    close(at);
    do {
        entries = 500;
        left = folder_remove_some(folder, "go", &entries);
        assert_true(entries <= 500 && left >= 0);
        turns++;
    } while (left > 0 && turns < 1000);
    assert_true(turns > 6000 / 500 && turns < 1000);
    assert_int_not_equal(faccessat(folder, "go", F_OK, 0), 0);
    close(folder);
}

static void a_lock_has_one_holder_and_ends_with_it(void **state)
{
    int folder = folder_open(AT_FDCWD, *state, NULL), ready[2], status;
    struct err err;
    char byte;
    pid_t pid;

    assert_int_equal(folder_lock_holder(folder, "lock"), 0);
    assert_int_equal(pipe(ready), 0);
    pid = fork();
    if (pid == 0) {
        if (folder_lock(folder, "lock", NULL) < 0 || write(ready[1], "", 1) != 1)
            _exit(1);
        pause();
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(folder_lock_holder(folder, "lock"), pid);
    assert_int_equal(folder_lock(folder, "lock", &err), -1);
    assert_int_equal(err.code, ERR_CONFLICT);
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    assert_int_equal(folder_lock_holder(folder, "lock"), 0);
    close(folder);
    close(ready[0]);
    close(ready[1]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_file_is_replaced_as_a_whole),
        TEST(what_is_no_file_is_not_read),
        TEST(removal_follows_no_links),
        TEST(removal_is_done_bit_by_bit_and_at_any_depth),
        TEST(a_lock_has_one_holder_and_ends_with_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
