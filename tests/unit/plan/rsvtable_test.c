/* SPDX-License-Identifier: Apache-2.0
 * The table of reservations: rows, gaps, and what jobs are owed. */
#include "cluster/index.h"
#include "cmocka_all.h"
#include "plan/reservations/table.h"

static struct rsv *add(struct rsvtable *t, uint32_t job, int64_t at)
{
    struct rsv *r = rsvtable_add(t, job, &(struct slot){at, 2});

    r->end_at = at + 10;
    vec_push(&r->parts, ((struct part){0, 1}));
    return r;
}

static void a_row_is_found_by_its_job(void **state)
{
    (void)state;
    struct rsvtable *t = rsvtable_create();

    assert_null(rsvtable_of(t, 7));
    assert_null(rsvtable_planned(t, 7));
    add(t, 7, 400);
    add(t, 3, 500);
    assert_int_equal(rsvtable_count(t), 2);
    assert_int_equal(rsvtable_of(t, 3)->end_at, 510);
    assert_int_equal(rsvtable_planned(t, 3)->start_at, 500);
    assert_int_equal(rsvtable_planned(t, 3)->partition, 2);
    assert_int_equal(rsvtable_planned(t, 3)->row, 1);
    assert_null(rsvtable_of(t, 5));
    rsvtable_destroy(t);
}

static void a_removed_row_leaves_a_gap_until_gaps_are_closed(void **state)
{
    (void)state;
    struct rsvtable *t = rsvtable_create();

    for (uint32_t job = 0; job < 4; job++)
        add(t, job, 100 + job);
    rsvtable_remove(t, 1, RSV_FORGOTTEN);
    assert_int_equal(rsvtable_count(t), 4);
    assert_null(rsvtable_row(t, 1));
    assert_null(rsvtable_planned(t, 1));
    rsvtable_close_gaps(t);
    assert_int_equal(rsvtable_count(t), 3);
    assert_int_equal(rsvtable_row(t, 1)->job, 2);
    assert_int_equal(rsvtable_planned(t, 3)->row, 2);
    assert_int_equal(add(t, 1, 200)->parts.n, 1); /* nothing is left of old rows */
    rsvtable_destroy(t);
}

static void a_job_is_owed_what_it_lost(void **state)
{
    (void)state;
    struct rsvtable *t = rsvtable_create();

    add(t, 0, 100);
    add(t, 1, 200);
    add(t, 2, 300);
    rsvtable_remove(t, 1, RSV_OWED);
    assert_null(rsvtable_of(t, 1));
    assert_int_equal(rsvtable_planned(t, 1)->start_at, 200);
    assert_int_equal(rsvtable_planned(t, 1)->row, INDEX_NONE);
    rsvtable_truncate(t, 2, RSV_OWED);
    assert_int_equal(rsvtable_planned(t, 2)->start_at, 300);
    rsvtable_truncate(t, 0, RSV_FORGOTTEN);
    assert_null(rsvtable_planned(t, 0));
    assert_int_equal(rsvtable_planned(t, 1)->start_at, 200); /* as before */
    rsvtable_owe(t, 1, 0);
    assert_null(rsvtable_planned(t, 1));
    rsvtable_owe(t, 9, 0); /* unknown so far */
    rsvtable_owe(t, 9, 900);
    assert_int_equal(rsvtable_planned(t, 9)->start_at, 900);
    add(t, 9, 50);
    assert_int_equal(rsvtable_planned(t, 9)->start_at, 50);
    rsvtable_destroy(t);
}

static void a_row_made_anew_can_take_its_old_place(void **state)
{
    (void)state;
    struct rsvtable *t = rsvtable_create();

    for (uint32_t job = 0; job < 3; job++)
        add(t, job, 100 + job);
    rsvtable_remove(t, 0, RSV_OWED);
    add(t, 0, 90);
    rsvtable_move_last(t, 0);
    assert_int_equal(rsvtable_count(t), 3);
    assert_int_equal(rsvtable_row(t, 0)->start_at, 90);
    assert_int_equal(rsvtable_planned(t, 0)->row, 0);
    assert_int_equal(rsvtable_planned(t, 2)->row, 2);
    rsvtable_destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_is_found_by_its_job),
        cmocka_unit_test(a_removed_row_leaves_a_gap_until_gaps_are_closed),
        cmocka_unit_test(a_job_is_owed_what_it_lost),
        cmocka_unit_test(a_row_made_anew_can_take_its_old_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
