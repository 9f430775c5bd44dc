/* SPDX-License-Identifier: Apache-2.0
 * The table of promises by itself. */
#include "cluster/partition.h"
#include "cmocka_all.h"
#include "config/config.h"
#include "engine/promises.h"

#include <stdio.h>
#include <string.h>

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

struct fixture {
    struct settings *cfg;
    struct cluster *c;
    struct plan *plan;
    struct promises *t;
    struct job *jobs[4];
};

static int set_up(void **state)
{
    struct fixture *f = xcalloc(1, sizeof *f);
    struct config *config = config_load_text("maui.cfg", "", 0);
    struct req_desc one = {.tasks = 1};

    f->cfg = config_take_settings(config);
    config_destroy(config);
    f->c = cluster_create(f->cfg);
    f->plan = plan_create(f->c);
    f->t = promises_create(f->plan);
    for (int i = 0; i < 4; i++) {
        char id[4] = {'j', (char)('0' + i)};
        struct job_desc d = {.id = id, .reqs = &one, .nreqs = 1};
        assert_int_equal(job_add(f->c, &d, 0, &f->jobs[i], NULL), 0);
    }
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    promises_check(f->t, f->c);
    promises_destroy(f->t);
    plan_destroy(f->plan);
    cluster_destroy(f->c);
    settings_destroy(f->cfg);
    free(f);
    return 0;
}

static void rows_are_found_by_job_and_rank(void **state)
{
    struct fixture *f = *state;
    struct promise p;

    for (int i = 0; i < 4; i++)
        promises_make(f->t, f->jobs[i], PROMISE_DEADLINE)->latest_start = 100 + i;
    promises_make(f->t, f->jobs[2], PROMISE_RETRY)->latest_start = 50;
    promises_break(f->t, f->jobs[0], PROMISE_DEADLINE);
    promises_break(f->t, f->jobs[0], PROMISE_DEADLINE);
    assert_int_equal(promises_count(f->t, PROMISE_DEADLINE), 3);
    assert_false(promises_has(f->t, f->jobs[0], PROMISE_DEADLINE));
    for (int i = 1; i < 4; i++) {
        assert_true(promises_of(f->t, f->jobs[i], PROMISE_DEADLINE, &p));
        assert_int_equal(p.latest_start, 100 + i);
        assert_int_equal(p.job, f->jobs[i]->index);
    }
    assert_true(promises_of(f->t, f->jobs[2], PROMISE_RETRY, &p));
    assert_int_equal(p.latest_start, 50);
    assert_int_equal(p.end_by, TIME_NEVER);
    assert_false(promises_has(f->t, f->jobs[1], PROMISE_RETRY));
}

static void the_order_of_making_stays(void **state)
{
    struct fixture *f = *state;

    uint64_t first = promises_make(f->t, f->jobs[1], PROMISE_DEADLINE)->made;
    uint64_t second = promises_make(f->t, f->jobs[0], PROMISE_DEADLINE)->made;
    assert_true(first < second);
    assert_int_equal(promises_make(f->t, f->jobs[1], PROMISE_DEADLINE)->made, first);
}

/* What is owed has the rank that the policy gives it. */
static void a_place_in_the_plan_is_of_highest_or_of_priority(void **state)
{
    struct fixture *f = *state;
    struct promise p;

    plan_owe(f->plan, f->jobs[3], 400);
    assert_true(promises_of(f->t, f->jobs[3], PROMISE_PRIORITY, &p));
    assert_false(promises_has(f->t, f->jobs[3], PROMISE_HIGHEST));
    promises_set_policy(f->t, true);
    assert_true(promises_of(f->t, f->jobs[3], PROMISE_HIGHEST, &p));
    assert_false(promises_has(f->t, f->jobs[3], PROMISE_PRIORITY));
    assert_int_equal(p.latest_start, 400);
    assert_false(p.stands);
    assert_true(promises_has_any(f->t, f->jobs[3]));
    promises_void(f->t, f->jobs[3]);
    assert_false(promises_has_any(f->t, f->jobs[3]));
}

static void what_is_written_down_comes_back(void **state)
{
    struct fixture *f = *state;
    struct job *j = f->jobs[1];
    struct job_memory m = {0};
    struct promise p;

    job_extra(j)->deadline_at = 900;
    struct promise *row = promises_make(f->t, j, PROMISE_DEADLINE);
    row->latest_start = 500;
    row->made = 7;
    row = promises_make(f->t, j, PROMISE_RETRY);
    row->not_before = 30;
    row->latest_start = 70;
    plan_owe(f->plan, j, 450);
    promises_set_policy(f->t, true);
    promises_write(f->t, f->c, j, &m);
    promises_forget(f->t, j);
    assert_false(promises_has_any(f->t, j));
    promises_recall(f->t, f->c, j, &m);
    assert_true(promises_of(f->t, j, PROMISE_DEADLINE, &p));
    assert_true(p.made == 7 && p.latest_start == 500 && p.end_by == 900);
    assert_true(promises_of(f->t, j, PROMISE_RETRY, &p));
    assert_true(p.not_before == 30 && p.latest_start == 70);
    assert_true(promises_of(f->t, j, PROMISE_HIGHEST, &p));
    assert_int_equal(p.latest_start, 450);
    assert_true(promises_make(f->t, f->jobs[2], PROMISE_DEADLINE)->made > 7);
    promises_forget(f->t, j);
    job_extra(j)->deadline_at = 0; /* none any more */
    promises_recall(f->t, f->c, j, &m);
    assert_false(promises_has(f->t, j, PROMISE_DEADLINE));
}

/* Where it was planned, what it was promised before, and why not that any more. */
static void a_promised_start_comes_back_whole(void **state)
{
    struct fixture *f = *state;
    struct job *j = f->jobs[1];
    struct job_memory m = {0};
    struct promise p;

    struct promise *row = promises_make(f->t, j, PROMISE_START);
    row->latest_start = 800;
    row->not_before = 700;
    row->was = 600;
    row->told = 790;
    row->cause = CAUSE_NODES;
    row->partition = partition_get(f->c, "left")->index;
    promises_write(f->t, f->c, j, &m);
    promises_forget(f->t, j);
    promises_recall(f->t, f->c, j, &m);
    assert_true(promises_of(f->t, j, PROMISE_START, &p));
    assert_true(p.latest_start == 800 && p.not_before == 700 && p.was == 600);
    assert_int_equal(p.told, 790);
    assert_int_equal(p.cause, CAUSE_NODES);
    assert_int_equal(p.partition, partition_find(f->c, "left"));
}

static void what_is_voided_is_told_of_those_who_stay(void **state)
{
    struct fixture *f = *state;
    size_t n;

    for (int i = 0; i < 3; i++)
        promises_make(f->t, f->jobs[i], PROMISE_START)->latest_start = 100 + i;
    promises_void(f->t, f->jobs[1]);
    promises_void(f->t, f->jobs[3]);
    promises_forget(f->t, f->jobs[0]);
    const struct promise *lapsed = promises_lapsed(f->t, &n);
    assert_int_equal(n, 1);
    assert_int_equal(lapsed[0].job, f->jobs[1]->index);
    assert_int_equal(lapsed[0].latest_start, 101);
    promises_forget_lapsed(f->t);
    promises_lapsed(f->t, &n);
    assert_int_equal(n, 0);
}

static void who_is_late_is_so_until_it_is_forgotten(void **state)
{
    struct fixture *f = *state;

    assert_false(promises_is_late(f->t, f->jobs[0]));
    promises_note_late(f->t, f->jobs[0], true);
    promises_void(f->t, f->jobs[0]);
    assert_true(promises_is_late(f->t, f->jobs[0]));
    promises_forget(f->t, f->jobs[0]);
    assert_false(promises_is_late(f->t, f->jobs[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(rows_are_found_by_job_and_rank),
        T(the_order_of_making_stays),
        T(a_place_in_the_plan_is_of_highest_or_of_priority),
        T(what_is_written_down_comes_back),
        T(a_promised_start_comes_back_whole),
        T(what_is_voided_is_told_of_those_who_stay),
        T(who_is_late_is_so_until_it_is_forgotten),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
