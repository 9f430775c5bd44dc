/* SPDX-License-Identifier: Apache-2.0
 * What is remembered of jobs that are over. */
#include "cluster/job.h"
#include "server/timeline/past.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A job on nodes 0-3 and 7, of two requests that meet on node 3. */
static void note_job(
    struct past *p, int64_t of_first, int64_t of_second, enum access_policy access)
{
    struct taskdef defs[2] = {
        {.per_task.v[RES_PROCS] = of_first, .access = ACCESS_SHARED},
        {.per_task.v[RES_PROCS] = of_second, .access = access}};
    struct req reqs[2] = {{.def = &defs[0], .tasks = 8}, {.def = &defs[1], .tasks = 4}};
    struct alloc alloc[3] = {{0, 4, 2, 0}, {3, 1, 1, 1}, {7, 1, 3, 1}};
    struct job j = {.id = "1",
        .start_at = 100,
        .procs = 20,
        .reqs = reqs,
        .nreqs = 2,
        .alloc = {.v = alloc, .n = 3, .cap = 3}};

    past_note(p, &j, 200, false);
}

static void check_procs(
    const struct past_job *o, uint32_t first, uint32_t second, uint32_t third)
{
    assert_int_equal(o->on.n, 3);
    assert_int_equal(o->on.v[0].count, 4);
    assert_int_equal(o->on.v[0].procs, first);
    assert_int_equal(o->on.v[1].procs, second);
    assert_int_equal(o->on.v[2].first, 7);
    assert_int_equal(o->on.v[2].procs, third);
}

static void each_piece_has_what_its_request_took(void **state)
{
    struct past *p = past_new();

    (void)state;
    note_job(p, 1, 4, ACCESS_SHARED);
    note_job(p, 1, -1, ACCESS_SHARED);
    note_job(p, 1, 4, ACCESS_SINGLEJOB);
    assert_int_equal(past_count(p), 3);
    check_procs(past_at(p, 0), 2, 4, 12);
    check_procs(past_at(p, 1), 2, PAST_WHOLE, PAST_WHOLE);
    check_procs(past_at(p, 2), PAST_WHOLE, PAST_WHOLE, PAST_WHOLE);
    past_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_piece_has_what_its_request_took),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
