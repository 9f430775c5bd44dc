/* SPDX-License-Identifier: Apache-2.0
 * A copy of a plan is asked as long as its original stays what it was, and no longer.
 */
#include "planned_fixture.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Four nodes of a processor; one job runs, one has a reservation, one waits. */
struct trial {
    struct world *w;
    struct plan *p;
    struct job *runs, *reserved, *waits;
};

static struct trial trial_open(void)
{
    struct trial t = {.w = world_open(NODEALLOC_FIRSTAVAILABLE)};

    world_nodes(t.w, 4, 1);
    t.p = world_plan(t.w);
    t.runs = plan_tasks(t.w, t.p, 3, 500);
    t.reserved = plan_tasks(t.w, t.p, 4, 100);
    t.waits = plan_tasks(t.w, t.p, 1, 200);
    assert_true(plan_start(t.w, t.p, t.runs));
    assert_int_equal(plan_reserve_first(t.p, t.reserved), NOW + 500);
    return t;
}

static void trial_close(struct trial *t)
{
    plan_destroy(t->p);
    world_close(t->w);
}

/* Does it end the process? */
static bool aborts(
    void (*act)(struct trial *t, struct plan *copy), struct trial *t, struct plan *copy)
{
    int status;

    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        (void)!freopen("/dev/null", "w", stderr);
        act(t, copy);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void ask_for_a_slot(struct trial *t, struct plan *copy)
{
    struct slot slot;

    plan_first_fit(copy, t->waits, NOW, &slot);
}

static void ask_for_windows(struct trial *t, struct plan *copy)
{
    (void)t;
    plan_windows(copy, 0, PLAN_ACCESS_ANY);
}

static void ask_whether_reserved(struct trial *t, struct plan *copy)
{
    plan_is_reserved(copy, t->reserved);
}

static void reserve(struct trial *t, struct plan *copy)
{
    plan_reserve(copy, t->waits, &(struct slot){NOW + 5000, 0});
}

static void adopt(struct trial *t, struct plan *copy)
{
    plan_adopt(t->p, copy, t->reserved);
}

static void destroy_the_original(struct trial *t, struct plan *copy)
{
    (void)copy;
    plan_destroy(t->p);
}

static void while_its_original_stays_a_fork_answers(void **state)
{
    (void)state;
    struct trial t = trial_open();
    struct plan *copy = plan_fork(t.p);

    assert_false(aborts(ask_for_a_slot, &t, copy));
    assert_false(aborts(ask_for_windows, &t, copy));
    assert_false(aborts(ask_whether_reserved, &t, copy));
    assert_false(aborts(reserve, &t, copy));
    assert_false(aborts(adopt, &t, copy));
    assert_true(aborts(destroy_the_original, &t, copy));
    plan_destroy(copy);
    trial_close(&t);
}

static void start(struct trial *t)
{
    assert_true(plan_start(t->w, t->p, t->waits));
}

static void stop(struct trial *t)
{
    plan_job_stopping(t->p, t->runs, NOW);
}

static void unreserve(struct trial *t)
{
    plan_unreserve(t->p, t->reserved);
}

static void go_on(struct trial *t)
{
    plan_begin(t->p, NOW + 1, RSV_KEEP);
}

static void note_a_change(struct trial *t)
{
    plan_changed(t->p);
}

static void once_its_original_changes_a_fork_must_not_be_asked(void **state)
{
    void (*const changes[])(struct trial *) = {
        start, stop, unreserve, go_on, note_a_change};

    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct trial t = trial_open();
        struct plan *copy = plan_fork(t.p);

        changes[i](&t);
        assert_true(aborts(ask_for_a_slot, &t, copy));
        assert_true(aborts(ask_for_windows, &t, copy));
        assert_true(aborts(ask_whether_reserved, &t, copy));
        assert_true(aborts(reserve, &t, copy));
        assert_true(aborts(adopt, &t, copy));
        plan_destroy(copy);
        trial_close(&t);
    }
}

static void a_fork_that_is_told_what_started_goes_on(void **state)
{
    (void)state;
    struct trial t = trial_open();
    struct plan *copy = plan_fork_unreserved(t.p);
    struct job *more = plan_tasks(t.w, t.p, 1, 200);

    assert_true(plan_fits_now(copy, more, 0));
    start(&t);
    plan_follow(copy, t.waits);
    assert_false(plan_fits_now(copy, more, 0));
    plan_destroy(copy);
    trial_close(&t);
}

static void a_reservation_is_adopted_from_ones_own_fork_with_equal_pools(void **state)
{
    (void)state;
    struct trial t = trial_open();
    struct plan *copy = plan_fork(t.p), *of_fork = plan_fork(copy);

    assert_true(aborts(adopt, &t, of_fork));
    assert_false(aborts(adopt, &t, copy));
    plan_destroy(of_fork);
    plan_destroy(copy);
    trial_close(&t);
}

/* The pool is planned by count, until somebody names one of its nodes. */
static void a_question_sees_what_is_reserved_before_the_next_cycle_binds_it(
    void **state)
{
    static const char *const hosts[] = {"n1", NULL};

    (void)state;
    for (int way = 0; way < 4; way++) {
        bool named = way & 1, of_those_that_wait = way & 2;
        struct trial t = trial_open();
        struct job *asker = plan_tasks(t.w, t.p, 2, 60);
        struct slot slot;

        if (named)
            plan_job_queued(
                t.p, world_job(t.w, "mary", (struct req_desc){.hosts = hosts}));
        struct plan *copy =
            of_those_that_wait ? plan_fork(t.p) : plan_fork_for(t.p, asker);
        assert_true(plan_first_fit(copy, asker, NOW, &slot));
        assert_int_equal(slot.at, NOW + 600);
        plan_destroy(copy);
        trial_close(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(while_its_original_stays_a_fork_answers),
        cmocka_unit_test(once_its_original_changes_a_fork_must_not_be_asked),
        cmocka_unit_test(a_fork_that_is_told_what_started_goes_on),
        cmocka_unit_test(
            a_question_sees_what_is_reserved_before_the_next_cycle_binds_it),
        cmocka_unit_test(a_reservation_is_adopted_from_ones_own_fork_with_equal_pools),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
