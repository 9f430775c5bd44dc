/* SPDX-License-Identifier: Apache-2.0
 * Tests of cluster/job_state: the whole table, by hand. */
#include "fixture.h"

/* What each event makes of each state; "" = refused. */
static const char *const table[JOB_STATES][JOB_EVENTS] = {
    [JOB_IDLE] = {[EV_START] = "Starting",
        [EV_COMPLETE] = "Completed",
        [EV_CANCEL] = "Removed",
        [EV_RM_HOLD] = "Hold",
        [EV_VANISH] = "Lost"},
    [JOB_HOLD] = {[EV_COMPLETE] = "Completed",
        [EV_CANCEL] = "Removed",
        [EV_RM_HOLD] = "Hold",
        [EV_RM_RELEASE] = "Idle",
        [EV_VANISH] = "Lost"},
    [JOB_STARTING] = {[EV_STARTED] = "Running",
        [EV_START_LOST] = "Idle",
        [EV_COMPLETE] = "Completed",
        [EV_CANCEL] = "Removed",
        [EV_REQUEUE] = "Idle",
        [EV_VANISH] = "Lost"},
    [JOB_RUNNING] = {[EV_START_LOST] = "Idle",
        [EV_COMPLETE] = "Completed",
        [EV_CANCEL] = "Removed",
        [EV_REQUEUE] = "Idle",
        [EV_SUSPEND] = "Suspended",
        [EV_VANISH] = "Lost"},
    [JOB_SUSPENDED] = {[EV_RESUME] = "Running",
        [EV_COMPLETE] = "Completed",
        [EV_CANCEL] = "Removed",
        [EV_REQUEUE] = "Idle",
        [EV_VANISH] = "Lost"},
    [JOB_NOTQUEUED] = {[EV_COMPLETE] = "Completed",
        [EV_CANCEL] = "Removed",
        [EV_RM_HOLD] = "Hold",
        [EV_RM_RELEASE] = "Idle",
        [EV_VANISH] = "Lost"},
    [JOB_STAGING] = {[EV_COMPLETE] = "Completed",
        [EV_CANCEL] = "Removed",
        [EV_RM_HOLD] = "Hold",
        [EV_RM_RELEASE] = "Idle",
        [EV_VANISH] = "Lost"},
    [JOB_UNKNOWN] = {[EV_COMPLETE] = "Completed",
        [EV_CANCEL] = "Removed",
        [EV_RM_HOLD] = "Hold",
        [EV_RM_RELEASE] = "Idle",
        [EV_VANISH] = "Lost"},
};

static void make(struct fixture *f, struct job *j, enum job_state s)
{
    give(j, 0, 1, 1);
    start(f, j, 0);
    if (s == JOB_STARTING)
        return;
    assert_int_equal(job_move(f->c, j, EV_STARTED, &f->err), 0);
    if (s == JOB_SUSPENDED)
        stop(f, j, EV_SUSPEND, 1);
    else if (s == JOB_COMPLETED)
        stop(f, j, EV_COMPLETE, 1);
    else if (s == JOB_REMOVED)
        stop(f, j, EV_CANCEL, 1);
    else if (s == JOB_LOST)
        stop(f, j, EV_VANISH, 1);
    else
        assert_int_equal(s, JOB_RUNNING);
}

static struct job *in_state(struct fixture *f, enum job_state s)
{
    struct req_desc r = {.tasks = 1};
    struct job_desc d = {.id = "a", .state = s, .reqs = &r, .nreqs = 1};
    bool waits = s == JOB_IDLE || s == JOB_HOLD || s == JOB_NOTQUEUED
                 || s == JOB_STAGING || s == JOB_UNKNOWN;

    d.state = waits ? s : JOB_IDLE;
    struct job *j = add(f, &d);
    if (!waits)
        make(f, j, s);
    assert_int_equal(j->state, s);
    return j;
}

static int take(struct fixture *f, struct job *j, enum job_event e)
{
    /* job_start() takes the one of these two that the state calls for */
    bool starts = e == (j->state == JOB_SUSPENDED ? EV_RESUME : EV_START);
    bool moves = e == EV_START || e == EV_RESUME || e == EV_STARTED || e == EV_RM_HOLD
                 || e == EV_RM_RELEASE;

    if (starts) {
        j->alloc.n = 0;
        give(j, 0, 1, 1);
        return job_start(f->c, j, 5, &f->err);
    }
    return moves ? job_move(f->c, j, e, &f->err) : job_stop(f->c, j, e, 5, &f->err);
}

static void every_pair_of_state_and_event_is_as_listed(void **state)
{
    struct fixture *f = *state;

    node(f, "n1", 1);
    for (int s = 0; s < JOB_STATES; s++) {
        for (int e = 0; s != JOB_VACATED && e < JOB_EVENTS; e++) {
            struct job *j = in_state(f, s);
            const char *to = table[s][e];
            assert_int_equal(take(f, j, e), to ? 0 : -1);
            assert_string_equal(job_state_name(j->state), to ? to : job_state_name(s));
            cluster_check(f->c);
            if (j->active_slot != INDEX_NONE)
                stop(f, j, EV_CANCEL, 6);
            job_remove(f->c, j);
        }
    }
}

static void a_refusal_names_job_state_and_event(void **state)
{
    struct fixture *f = *state;
    struct job *j = job(f, "a", 1);

    assert_int_equal(job_move(f->c, j, EV_RESUME, &f->err), -1);
    assert_string_equal(f->err.text, "job 'a' is Idle and cannot take 'resume'");
}

static void moves_that_take_or_free_nodes_need_start_or_stop(void **state)
{
    struct fixture *f = *state;
    struct job *j = job(f, "a", 1);

    node(f, "n1", 1);
    assert_int_equal(job_move(f->c, j, EV_START, &f->err), -1);
    give(j, 0, 1, 1);
    start(f, j, 0);
    assert_int_equal(job_move(f->c, j, EV_COMPLETE, &f->err), -1);
    assert_int_equal(j->state, JOB_STARTING);
    stop(f, j, EV_CANCEL, 0);
}

static void waiting_jobs_can_be_stopped_too(void **state)
{
    struct fixture *f = *state;
    struct job *j = job(f, "a", 1);

    stop(f, j, EV_CANCEL, 7);
    assert_int_equal(j->state, JOB_REMOVED);
    assert_int_equal(f->c->active.n, 0);
}

static void reasons_have_the_names_that_are_shown(void **state)
{
    (void)state;
    assert_string_equal(hold_reason_name(REASON_NORESOURCES), "NoResources");
    assert_string_equal(hold_reason_name(REASON_NOALLOCATION), "CannotDebitAccount");
    assert_string_equal(hold_reason_name(REASON_ADMIN), "Admin");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(every_pair_of_state_and_event_is_as_listed),
        T(a_refusal_names_job_state_and_event),
        T(moves_that_take_or_free_nodes_need_start_or_stop),
        T(waiting_jobs_can_be_stopped_too),
        T(reasons_have_the_names_that_are_shown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
