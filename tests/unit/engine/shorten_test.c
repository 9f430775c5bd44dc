/* SPDX-License-Identifier: Apache-2.0
 * Jobs that are content with less than their limit if they start sooner: two nodes of
 * one processor, which are kept for others from 1000 on. */
#include "cmocka_all.h"
#include "engine/engine_private.h"
#include "scenario.h"

static void keep_from(struct scenario *s, int64_t from)
{
    struct err err;

    if (sc_setres(s,
            &(struct sc_rsv){
                .base = "r", .hosts = "ALL", .start_at = from, .end_at = from + 5000},
            &err)
        < 0)
        fail_msg("%s", err.text);
}

static void job(
    struct scenario *s, const char *id, uint32_t procs, int64_t limit, int64_t least)
{
    sc_job(s, (struct sc_job){.id = id,
                  .procs = procs,
                  .limit_s = limit,
                  .min_limit_s = least,
                  .run_s = 100,
                  .priority = 1000 - (int64_t)(id[0] - 'A')});
}

static void is_shortened(struct scenario *s, const char *id, int64_t start, int64_t to)
{
    const struct job *j = sc_find(s, id);

    assert_int_equal(sc_start(s, id), start);
    assert_non_null(j);
    assert_int_equal(j->wclimit_s, to);
    assert_int_equal(j->eff_wclimit_s, to);
    assert_int_equal(j->end_at, start + to);
}

static void it_starts_with_as_many_minutes_as_fit(void **state)
{
    (void)state;
    SC_BOTH_WAYS(s, "", 2)
    {
        keep_from(s, 1000);
        job(s, "A", 1, 3600, 580);
        job(s, "B", 1, 3600, 615);
        sc_run_until(s, 0);
        is_shortened(s, "A", 0, 580 + 6 * 60);
        is_shortened(s, "B", 0, 615 + 5 * 60); /* 975 would be too close */
        assert_int_equal(sc_find(s, "A")->extra->full_wclimit_s, 3600);
    }
}

static void it_has_its_whole_limit_where_that_fits(void **state)
{
    (void)state;
    SC_BOTH_WAYS(s, "", 2)
    {
        keep_from(s, 1000);
        job(s, "A", 1, 1000, 600);
        sc_run_until(s, 0);
        is_shortened(s, "A", 0, 1000);
        assert_int_equal(sc_find(s, "A")->extra->full_wclimit_s, 0);
    }
}

static void it_never_has_less_than_it_takes(void **state)
{
    (void)state;
    SC_BOTH_WAYS(s, "", 2)
    {
        keep_from(s, 1000);
        job(s, "A", 1, 3600, 1001);
        job(s, "B", 1, 3600, 1000);
        sc_run_until(s, 0);
        assert_int_equal(sc_start(s, "A"), -1);
        assert_int_equal(sc_find(s, "A")->wclimit_s, 3600);
        assert_int_equal(sc_reserved(s, "A"), 6000);
        is_shortened(s, "B", 0, 1000);
    }
}

/* One without an end is shortened like any other. */
static void a_limit_may_have_no_end(void **state)
{
    (void)state;
    SC_BOTH_WAYS(s, "", 2)
    {
        keep_from(s, 1000);
        job(s, "A", 1, DURATION_UNLIMITED, 60);
        sc_run_until(s, 0);
        is_shortened(s, "A", 0, 960);
    }
}

/* R leaves at 200, A is reserved for from then on: B may have what is free till then.
 */
static void in_backfill_it_delays_nobody(void **state)
{
    static const char *const how[] = {"BACKFILLPOLICY FIRSTFIT\n",
        "BACKFILLPOLICY FIRSTFIT\nBACKFILLTYPE QUEUEORDER\n",
        "BACKFILLPOLICY BESTFIT\n", "BACKFILLPOLICY GREEDY\n",
        "RESERVATIONPOLICY HIGHEST\n", "RESERVATIONDEPTH 9\n"};

    (void)state;
    for (size_t i = 0; i < sizeof how / sizeof how[0]; i++) {
        SC_BOTH_WAYS(s, how[i], 2)
        {
            sc_job(s, (struct sc_job){
                          .id = "R", .procs = 1, .limit_s = 200, .priority = 1000});
            job(s, "B", 2, 500, 0);
            job(s, "C", 1, 3600, 300);
            job(s, "D", 1, 3600, 100);
            sc_run_until(s, 0);
            assert_int_equal(sc_start(s, "B"), -1);
            assert_int_equal(sc_start(s, "C"), -1);
            is_shortened(s, "D", 0, 160);
            sc_run_until(s, 200);
            assert_int_equal(sc_start(s, "B"), 200);
        }
    }
}

/* What comes free may suffice for less than it was reserved for. */
static void it_starts_before_its_own_reservation(void **state)
{
    static const char *const how[] = {"", "RESERVATIONPOLICY HIGHEST\n"};

    (void)state;
    for (size_t i = 0; i < sizeof how / sizeof how[0]; i++) {
        SC_BOTH_WAYS(s, how[i], 2)
        {
            keep_from(s, 1000);
            sc_job(s, (struct sc_job){.id = "R",
                          .procs = 2,
                          .limit_s = 900,
                          .run_s = 300,
                          .priority = 1000});
            job(s, "B", 1, 3600, 600);
            job(s, "C", 2, 7200, 0);
            sc_run_until(s, 0);
            assert_int_equal(sc_reserved(s, "B"), 6000);
            sc_run_until(s, 300);
            is_shortened(s, "B", 300, 660);
            assert_int_equal(sc_reserved(s, "C"), 6000);
        }
    }
}

static void a_start_that_fails_gives_its_limit_back(void **state)
{
    (void)state;
    SC_BOTH_WAYS(s, "DEFERTIME 1:00:00\n", 2)
    {
        keep_from(s, 1000);
        job(s, "A", 1, 3600, 600);
        sc_refuse_starts(s, "A", 1);
        sc_run_until(s, 0);
        sc_at(s, 1);
        assert_int_equal(sc_starts(s, "A"), 1);
        assert_int_equal(sc_find(s, "A")->state, JOB_IDLE);
        assert_int_equal(sc_find(s, "A")->wclimit_s, 3600);
    }
}

static void a_requeue_gives_its_limit_back(void **state)
{
    (void)state;
    SC_BOTH_WAYS(s, "", 2)
    {
        struct event ev = {
            .kind = EVENT_PREEMPT, .u.preempt = {.id = "A", .how = PREEMPT_REQUEUE}};

        keep_from(s, 1000);
        sc_job(s, (struct sc_job){.id = "A",
                      .procs = 1,
                      .limit_s = 3600,
                      .min_limit_s = 600,
                      .run_s = 500,
                      .flags = JOB_RESTARTABLE});
        sc_run_until(s, 0);
        sc_at(s, 400);
        assert_int_equal(sc_apply(s, ev, &(struct err){0}), 0);
        assert_int_equal(sc_find(s, "A")->wclimit_s, 3600);
        sc_at(s, 401);
        assert_int_equal(sc_reserved(s, "A"), 6000);
        sc_at(s, 6000);
        is_shortened(s, "A", 6000, 3600);
    }
}

/* Its nodes are told otherwise than they were planned: the limit in force stays. */
static void where_it_is_found_elsewhere_its_limit_stays(void **state)
{
    (void)state;
    SC_BOTH_WAYS(s, "", 2)
    {
        struct job_place place = {.node = "n2", .tasks = 1};
        struct err err = {0};

        keep_from(s, 1000);
        job(s, "A", 1, 3600, 600);
        sc_run_until(s, 0);
        assert_string_equal(sc_where(s, "A"), "n1:1");
        assert_int_equal(sc_report(s, "A", JOB_RUNNING, &place, &err), 0);
        assert_int_equal(sc_find(s, "A")->alloc.v[0].first, 1);
        is_shortened(s, "A", 0, 960);
    }
}

static void of_its_classes_the_first_that_has_room(void **state)
{
    static const char *const classes[] = {"a", "b", NULL};

    (void)state;
    for (int priority = 0; priority < 2; priority++) {
        struct scenario *s = sc_create_with(
            priority ? "" : "RESERVATIONPOLICY NEVER\nBACKFILLPOLICY FIRSTFIT\n");
        const struct gres_cfg both[] = {
            {.name = (char *)"a", .count = 1}, {.name = (char *)"b", .count = 1}, {0}};

        for (int i = 0; i < 2; i++)
            sc_node(s, &(struct node_desc){.name = i ? "n2" : "n1",
                           .state = NODE_IDLE,
                           .cfg = {{1, 1024, 1024, 1024}},
                           .classes = both + i});
        keep_from(s, 1000);
        sc_job(s, (struct sc_job){.id = "A",
                      .procs = 1,
                      .classes = classes,
                      .limit_s = 3600,
                      .run_s = 100,
                      .min_limit_s = 600});
        sc_run_until(s, 0);
        is_shortened(s, "A", 0, 960);
        sc_destroy(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_starts_with_as_many_minutes_as_fit),
        cmocka_unit_test(it_has_its_whole_limit_where_that_fits),
        cmocka_unit_test(it_never_has_less_than_it_takes),
        cmocka_unit_test(a_limit_may_have_no_end),
        cmocka_unit_test(in_backfill_it_delays_nobody),
        cmocka_unit_test(it_starts_before_its_own_reservation),
        cmocka_unit_test(a_start_that_fails_gives_its_limit_back),
        cmocka_unit_test(a_requeue_gives_its_limit_back),
        cmocka_unit_test(where_it_is_found_elsewhere_its_limit_stays),
        cmocka_unit_test(of_its_classes_the_first_that_has_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
