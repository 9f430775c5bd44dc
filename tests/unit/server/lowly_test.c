/* SPDX-License-Identifier: Apache-2.0
 * A child that may not be in the way. */
#include "base/xalloc.h"
#include "cmocka_all.h"
#include "server/process/lowly.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define MORE  ((size_t)32 << 20)
#define WANTS 7

#if defined(__has_feature) /* of clang; gcc has macros */
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define LIMITED 0 /* terabytes are reserved, and no limit is set */
#else
#define LIMITED 1
#endif

static void end_for_want(void)
{
    _exit(WANTS);
}

/* The exit status of a child that wants so much. */
static int child_that_wants(size_t bytes)
{
    pid_t parent = getpid(), pid = fork();
    int status = 0;

    if (pid == 0) {
        lowly_become(parent, 10, MORE, 1);
        xalloc_at_end(end_for_want);
        volatile char *room = xmalloc(bytes);
        room[bytes - 1] = 1;
        _exit(0);
    }
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void it_has_so_much_more_memory_and_no_more(void **state)
{
    (void)state;
    assert_int_equal(child_that_wants(MORE / 4), 0);
    assert_int_equal(child_that_wants(4 * MORE), LIMITED ? WANTS : 0);
}

#define HOLES 2000

static void *holes[HOLES];

static void take_room(void *ctx)
{
    void **ret = ctx;

    *ret = xmalloc(200);
}

/* Out of the child, by its exit status: is what it is given one of the holes? */
static bool child_fills_a_hole(bool called)
{
    pid_t pid = fork();
    int status = 0;

    if (pid == 0) {
        void *room = NULL;
        if (called)
            lowly_call(take_room, &room);
        else
            take_room(&room);
        for (int i = 0; i < HOLES; i++)
            if (room == holes[i])
                _exit(1);
        _exit(room ? 0 : 2);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_not_equal(WEXITSTATUS(status), 2);
    return WEXITSTATUS(status) == 1;
}

static void what_is_called_fills_no_holes_of_the_parent_s_heap(void **state)
{
    void *between[HOLES];

    (void)state;
    for (int i = 0; i < HOLES; i++) {
        holes[i] = xmalloc(200);
        between[i] = xmalloc(200);
    }
    for (int i = 0; i < HOLES; i++)
        free(holes[i]);
    assert_int_equal(child_fills_a_hole(false), LIMITED); /* a sanitizer keeps them */
    assert_false(child_fills_a_hole(true));
    for (int i = 0; i < HOLES; i++)
        free(between[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_has_so_much_more_memory_and_no_more),
        cmocka_unit_test(what_is_called_fills_no_holes_of_the_parent_s_heap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
