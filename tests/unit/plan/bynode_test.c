/* SPDX-License-Identifier: Apache-2.0
 * Nodes asked one by one: what each can take throughout an interval, over time, and on
 * copies of the plan. Jobs whose tasks have an odd shape make the plan ask so. */
#include "plan/bynode/bynode.h"
#include "plan/bynode/multireq.h"
#include "plan/bynode/occupants.h"
#include "plan/bynode/single.h"
#include "plan/bynode/sweep.h"
#include "plan/nodes/rsvview.h"
#include "plan/plan_private.h"
#include "plan/suspended.h"
#include "rsv_kit.h"

/* Nodes of 4 processors and 100 MB, a plan of them at 100. */
struct trial {
    struct rk k;
    struct plan *p;
};

static struct trial trial_open(const char *lines, int nodes)
{
    struct trial t = {.k = rk_open(lines)};

    rk_nodes(&t.k, nodes, 4, 100);
    t.p = plan_create(t.k.c);
    plan_begin(t.p, 100, RSV_REPLAN);
    return t;
}

static void trial_close(struct trial *t)
{
    plan_destroy(t->p);
    rk_close(&t->k);
}

/* Tasks of so many processors and 10 MB, for 1000 s. */
static struct job *sharer_of(struct trial *t, const char *user, uint32_t tasks,
    int64_t procs, enum sharing sharing)
{
    struct req_desc req = {.tasks = tasks,
        .per_task = {{procs, 10}},
        .access = ACCESS_SHARED,
        .sharing = sharing,
        .nodealloc = NODEALLOC_UNSET};
    char id[20];
    struct job_desc d = {
        .id = id, .wclimit_s = 1000, .reqs = &req, .nreqs = 1, .cred[CRED_USER] = user};
    struct job *j;
    struct err err;

    snprintf(id, sizeof id, "odd.%zu", t->k.c->jobs.n);
    if (job_add(t->k.c, &d, 0, &j, &err) < 0)
        fail_msg("%s", err.text);
    plan_job_queued(t->p, j);
    return j;
}

static struct job *job_of(
    struct trial *t, const char *user, uint32_t tasks, int64_t procs)
{
    return sharer_of(t, user, tasks, procs, SHARING_NONE);
}

static void start_on(struct trial *t, struct job *j, const char *node, int64_t limit_s)
{
    struct alloc one = {node_find(t->k.c, node)->index, 1, j->tasks, 0};
    struct err err;

    vec_push(&j->alloc, one);
    j->eff_wclimit_s = limit_s;
    if (job_start(t->k.c, j, 100, &err) < 0)
        fail_msg("%s", err.text);
    plan_job_started(t->p, j);
}

static void end(struct trial *t, struct job *j)
{
    struct err err;

    plan_job_stopping(t->p, j, 150);
    assert_int_equal(job_stop(t->k.c, j, EV_CANCEL, 150, &err), 0);
}

static uint32_t takes(struct trial *t, const struct job *j, const char *node,
    int64_t start, int64_t until)
{
    struct asker a = asker_of(t->p->bynode, j, j->reqs[0].def);

    return single_tasks(&a, node_find(t->k.c, node), start, until);
}

static void a_running_job_counts_until_its_limit(void **state)
{
    (void)state;
    struct trial t = trial_open("", 1);
    struct job *runs = job_of(&t, "john", 1, 3), *j = job_of(&t, "mary", 1, 1);

    start_on(&t, runs, "n1", 400);
    assert_int_equal(takes(&t, j, "n1", 100, 200), 1);
    assert_int_equal(takes(&t, j, "n1", 499, 600), 1);
    assert_int_equal(takes(&t, j, "n1", 500, 600), 4);
    assert_int_equal(takes(&t, runs, "n1", 200, 300), 1); /* not in its own way */
    end(&t, runs);
    trial_close(&t);
}

static void jobs_left_out_leave_their_memory_if_they_would_be_suspended(void **state)
{
    (void)state;
    struct trial t = trial_open("", 1);
    struct job *runs = job_of(&t, "john", 1, 4), *j = job_of(&t, "mary", 1, 1);
    struct without without = {0};
    struct asker a = {t.p->bynode, j, j->reqs[0].def, &without};
    const struct node *n = node_find(t.k.c, "n1");

    start_on(&t, runs, "n1", 400);
    assert_int_equal(single_tasks(&a, n, 100, 200), 0);
    without_add(&without, runs->index);
    assert_int_equal(single_tasks(&a, n, 100, 200), 4);
    struct node_room room = {0};
    single_room(&a, n, &(struct span){100, 200}, &room);
    assert_int_equal(room.res.v[RES_MEM], 100);
    without.keep_memory = true;
    single_room(&a, n, &(struct span){100, 200}, &room);
    assert_int_equal(room.res.v[RES_MEM], 90);
    without_clear(&without);
    assert_int_equal(single_tasks(&a, n, 100, 200), 0);
    room_fini(&room);
    without_fini(&without);
    end(&t, runs);
    trial_close(&t);
}

/* A job of 3 processors is reserved behind another; who comes then sees its pin. */
static void pins_count_for_all_but_those_who_look_through_them(void **state)
{
    (void)state;
    struct trial t = trial_open("", 1);
    struct job *runs = job_of(&t, "john", 1, 3), *waits = job_of(&t, "john", 1, 3);
    struct job *j = job_of(&t, "mary", 1, 1);
    struct without without = {.reservations = true};
    struct asker a = {t.p->bynode, j, j->reqs[0].def, &without};
    const struct node *n = node_find(t.k.c, "n1");
    struct slot slot;

    start_on(&t, runs, "n1", 400);
    assert_true(plan_first_fit(t.p, waits, 100, &slot));
    assert_int_equal(slot.at, 500);
    plan_reserve(t.p, waits, &slot);
    assert_int_equal(takes(&t, j, "n1", 500, 600), 1);
    assert_int_equal(single_tasks(&a, n, 500, 600), 4);
    struct asker sees = asker_of(t.p->bynode, j, j->reqs[0].def);
    assert_int_equal(single_holds_until(&sees, n, 1, 100), TIME_NEVER);
    struct occupants all = {0};
    occupants_at(&sees, n, 200, &all);
    assert_int_equal(all.n, 1);
    assert_ptr_equal(all.v[0].job, runs);
    occupants_at(&sees, n, 500, &all);
    assert_int_equal(all.n, 1);
    assert_ptr_equal(all.v[0].job, waits);
    assert_int_equal(all.v[0].amount.v[RES_PROCS], 3);
    assert_int_equal(occupant_start(t.p->bynode, waits), 500);
    assert_int_equal(occupant_end(t.p->bynode, waits), 1500);
    vec_fini(&all);
    end(&t, runs);
    trial_close(&t);
}

/* A job that shares processors is reserved behind one that does not. Who shares none
 * would go to a node where it is, and it not to one where that is: so that one may be
 * there until it begins, and no longer. It can always be reserved again. */
static void who_may_come_after_a_pinned_job_does_not_come_before_it(void **state)
{
    static const enum sharing pairs[][2] = {/* pinned, newcomer */
        {SHARING_FORCED, SHARING_STAYS}, {SHARING_FORCED, SHARING_NONE},
        {SHARING_JOINS, SHARING_STAYS}, {SHARING_JOINS, SHARING_NONE}};

    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct trial t = trial_open("", 1);
        struct job *runs = sharer_of(&t, "john", 1, 1, SHARING_STAYS);
        struct job *pinned = sharer_of(&t, "john", 1, 1, pairs[i][0]);
        struct job *comes = sharer_of(&t, "mary", 1, 1, pairs[i][1]);
        struct slot slot;

        start_on(&t, runs, "n1", 400);
        assert_true(plan_first_fit(t.p, pinned, 100, &slot));
        assert_int_equal(slot.at, 500);
        plan_reserve(t.p, pinned, &slot);
        assert_int_equal(takes(&t, comes, "n1", 100, 500), 3);
        assert_int_equal(takes(&t, comes, "n1", 100, 501), 0);
        assert_false(plan_fits_now(t.p, comes, 0)); /* for its 1000 s */
        plan_move_forward(t.p, pinned, 1500);
        assert_int_equal(plan_reserved_at(t.p, pinned), 500);
        end(&t, runs);
        trial_close(&t);
    }
}

/* Another job was put where it is reserved, as by an order: it has no place by its
 * deadline, and keeps the one that it had until the plan is made anew. */
static void who_cannot_be_moved_stays_where_it_is_reserved(void **state)
{
    (void)state;
    struct trial t = trial_open("", 1);
    struct job *runs = job_of(&t, "john", 1, 3), *waits = job_of(&t, "john", 1, 2);
    struct job *put = job_of(&t, "mary", 1, 1), *more = job_of(&t, "mary", 1, 2);
    struct slot slot;

    start_on(&t, runs, "n1", 400);
    assert_true(plan_first_fit(t.p, waits, 100, &slot));
    plan_reserve(t.p, waits, &slot);
    assert_true(plan_first_fit(t.p, more, 100, &slot));
    plan_reserve(t.p, more, &slot);
    assert_int_equal(plan_reserved_at(t.p, more), 500);
    start_on(&t, put, "n1", 5000);
    plan_move_forward(t.p, waits, 1500);
    assert_true(plan_is_reserved(t.p, waits));
    assert_int_equal(plan_reserved_at(t.p, waits), 500);
    assert_int_equal(plan_reserved_until(t.p, waits), 1500);
    assert_int_equal(plan_reserved_job(t.p, 0), waits->index);
    plan_check(t.p);
    plan_begin(t.p, 110, RSV_REPLAN); /* now anew */
    assert_false(plan_is_reserved(t.p, waits));
    end(&t, runs);
    end(&t, put);
    trial_close(&t);
}

/* Two jobs of one definition, of which one is reserved from now on: only for itself is
 * that free, whoever is asked about first. */
static void what_is_free_for_a_reserved_job_is_free_for_no_other(void **state)
{
    (void)state;
    for (int round = 0; round < 2; round++) {
        struct trial t = trial_open("", 1);
        struct job *odd = job_of(&t, "john", 1, 3), *has = job_of(&t, "john", 1, 1);
        struct job *other = job_of(&t, "john", 1, 1);
        plan_reserve(t.p, has, &(struct slot){100, 0});
        assert_false(plan_counts(t.p, 0));
        if (round == 0)
            assert_int_equal(plan_free_now(t.p, has, 0), 4);
        assert_int_equal(plan_free_now(t.p, other, 0), 3);
        assert_int_equal(plan_free_now(t.p, has, 0), 4);
        assert_int_equal(plan_free_now(t.p, odd, 0), 1);
        trial_close(&t);
    }
}

static void a_sweep_finds_the_first_instant_with_enough(void **state)
{
    (void)state;
    struct trial t = trial_open("", 2);
    struct job *first = job_of(&t, "john", 1, 4), *second = job_of(&t, "john", 1, 3);
    struct job *j = job_of(&t, "mary", 2, 3);
    struct slot slot;

    start_on(&t, first, "n1", 400);
    start_on(&t, second, "n2", 800);
    assert_false(plan_counts(t.p, 0));
    assert_int_equal(plan_free_now(t.p, j, 0), 0);
    assert_true(plan_first_fit(t.p, j, 100, &slot));
    assert_int_equal(slot.at, 900);
    struct job *one = job_of(&t, "mary", 1, 1);
    assert_int_equal(plan_free_now(t.p, one, 0), 1);
    end(&t, first);
    end(&t, second);
    trial_close(&t);
}

/* The one on n1 is past its limit when the other has ten seconds left. */
static void ends_are_not_passed_over_for_an_overdue_job(void **state)
{
    (void)state;
    struct trial t = trial_open("", 2);
    struct job *overdue = job_of(&t, "john", 1, 4), *runs = job_of(&t, "john", 1, 3);
    struct job *one = job_of(&t, "mary", 1, 3), *two = job_of(&t, "mary", 2, 3);
    int64_t poll = t.k.c->cfg->rm_poll_interval_s;
    struct slot slot;

    start_on(&t, overdue, "n1", 400);
    start_on(&t, runs, "n2", 410);
    plan_begin(t.p, 500, RSV_KEEP);
    assert_false(plan_counts(t.p, 0));
    assert_in_range(poll, 11, 1000);
    assert_true(plan_first_fit(t.p, one, 500, &slot));
    assert_int_equal(slot.at, 510);
    assert_true(plan_first_fit(t.p, two, 500, &slot));
    assert_int_equal(slot.at, 500 + poll);
    assert_true(plan_first_fit(t.p, two, 505 + poll, &slot));
    assert_int_equal(slot.at, 505 + poll);
    end(&t, overdue);
    end(&t, runs);
    trial_close(&t);
}

/* It may use reservations only, of which there are none. */
static void what_a_confined_job_sees_is_not_what_others_see(void **state)
{
    (void)state;
    for (int round = 0; round < 2; round++) {
        struct trial t = trial_open("", 1);
        struct job *odd = job_of(&t, "john", 1, 3),
                   *confined = job_of(&t, "john", 1, 1);
        struct job *other = job_of(&t, "john", 1, 1);
        confined->flags |= JOB_ADVRES;
        assert_int_equal(plan_free_now(t.p, odd, 0), 1);
        if (round == 0)
            assert_int_equal(plan_free_now(t.p, confined, 0), 0);
        assert_int_equal(plan_free_now(t.p, other, 0), 4);
        assert_int_equal(plan_free_now(t.p, confined, 0), 0);
        trial_close(&t);
    }
}

static struct job *listed_of(struct trial *t, const char *const *hosts, uint32_t tasks)
{
    struct req_desc req = {.tasks = tasks,
        .per_task = {{1, 10}},
        .hosts = hosts,
        .access = ACCESS_SHARED,
        .nodealloc = NODEALLOC_UNSET};
    char id[20];
    struct job_desc d = {.id = id, .wclimit_s = 1000, .reqs = &req, .nreqs = 1};
    struct job *j;
    struct err err;

    snprintf(id, sizeof id, "list.%zu", t->k.c->jobs.n);
    if (job_add(t->k.c, &d, 0, &j, &err) < 0)
        fail_msg("%s", err.text);
    plan_job_queued(t->p, j);
    return j;
}

/* Eight tasks fit on the two hosts of the list; nine need a third node. */
static void a_host_list_that_suffices_is_not_seen_as_one_too_short(void **state)
{
    const char *hosts[] = {"n1", "n2", NULL};

    (void)state;
    for (int round = 0; round < 2; round++) {
        struct trial t = trial_open("", 3);
        struct job *odd = job_of(&t, "john", 1, 3);
        struct job *fits = listed_of(&t, hosts, 8), *more = listed_of(&t, hosts, 9);
        assert_int_equal(plan_free_now(t.p, odd, 0), 3);
        if (round == 0)
            assert_int_equal(plan_free_now(t.p, fits, 0), 8);
        assert_int_equal(plan_free_now(t.p, more, 0), 12);
        assert_int_equal(plan_free_now(t.p, fits, 0), 8);
        trial_close(&t);
    }
}

/* A fork without a job reserves where it is; the plan takes that over as it is. */
static void what_a_fork_without_a_job_reserves_is_adopted(void **state)
{
    (void)state;
    for (int procs = 3; procs <= 4; procs++) { /* 4 of 4: by count; 3: node by node */
        struct trial t = trial_open("", 1);
        struct job *runs = job_of(&t, "john", 1, procs),
                   *j = job_of(&t, "mary", 1, procs);
        struct slot slot, own;

        start_on(&t, runs, "n1", 400);
        struct plan *fork = plan_fork_without(t.p, &runs->index, 1, false);
        assert_true(plan_first_fit(t.p, j, 101, &own));
        assert_int_equal(own.at, 500);
        assert_true(plan_first_fit(fork, j, 101, &slot));
        assert_int_equal(slot.at, 101);
        plan_reserve(fork, j, &slot);
        assert_false(plan_is_reserved(t.p, j));
        plan_adopt(t.p, fork, j);
        plan_destroy(fork);
        assert_int_equal(plan_reserved_at(t.p, j), 101);
        assert_int_equal(plan_reserved_until(t.p, j), 1101);
        plan_check(t.p);

        /* and again, later: its row stays */
        struct job *next = job_of(&t, "mary", 1, procs);
        assert_true(plan_first_fit(t.p, next, 101, &own));
        plan_reserve(t.p, next, &own);
        fork = plan_fork(t.p);
        plan_unreserve(fork, j);
        slot.at = 3000;
        plan_reserve(fork, j, &slot);
        plan_adopt(t.p, fork, j);
        plan_destroy(fork);
        assert_int_equal(plan_reserved_at(t.p, j), 3000);
        assert_int_equal(plan_reserved_job(t.p, 0), j->index);
        assert_int_equal(plan_reserved_job(t.p, 1), next->index);
        plan_check(t.p);
        end(&t, runs);
        trial_close(&t);
    }
}

static void in_a_fork_where_nothing_is_reserved_jobs_keep_their_names(void **state)
{
    (void)state;
    for (int procs = 3; procs <= 4; procs++) {
        struct trial t = trial_open("", 1);
        struct job *waits = job_of(&t, "john", 1, procs);
        struct job *j = job_of(&t, "mary", 1, procs);

        plan_reserve(t.p, waits, &(struct slot){200, 0});
        assert_false(plan_fits_now(t.p, j, 0));
        struct plan *fork = plan_fork_unreserved(t.p);
        assert_true(plan_fits_now(fork, j, 0));
        assert_true(plan_is_reserved(fork, waits));
        plan_destroy(fork);
        assert_false(plan_fits_now(t.p, j, 0));
        plan_check(t.p);
        trial_close(&t);
    }
}

static void a_reservation_keeps_its_processors_from_others_alone(void **state)
{
    (void)state;
    struct trial t = trial_open("", 1);
    struct job *owner = job_of(&t, "john", 1, 1), *other = job_of(&t, "mary", 1, 1);
    struct reservation *r = rk_setres(&t.k, "three", ACL_USER, "john", 300, 600);

    r->def.per_task = (struct res){{1}};
    rk_hold(&t.k, r, "n1", 3);
    plan_begin(t.p, 100, RSV_REPLAN);
    assert_int_equal(takes(&t, other, "n1", 100, 200), 4);
    assert_int_equal(takes(&t, other, "n1", 100, 400), 1);
    assert_int_equal(takes(&t, owner, "n1", 100, 400), 4);
    const struct node *n = node_find(t.k.c, "n1");
    assert_int_equal(rsvview_next(t.p->view, other, n, 100), 300);
    assert_int_equal(rsvview_next(t.p->view, other, n, 300), TIME_NEVER);
    assert_int_equal(
        rsvview_affinity(t.p->view, owner, n, 300, 400), AFFINITY_POSITIVE);
    assert_int_equal(rsvview_affinity(t.p->view, other, n, 300, 400), AFFINITY_NONE);
    trial_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_running_job_counts_until_its_limit),
        cmocka_unit_test(jobs_left_out_leave_their_memory_if_they_would_be_suspended),
        cmocka_unit_test(pins_count_for_all_but_those_who_look_through_them),
        cmocka_unit_test(who_may_come_after_a_pinned_job_does_not_come_before_it),
        cmocka_unit_test(who_cannot_be_moved_stays_where_it_is_reserved),
        cmocka_unit_test(what_is_free_for_a_reserved_job_is_free_for_no_other),
        cmocka_unit_test(a_sweep_finds_the_first_instant_with_enough),
        cmocka_unit_test(ends_are_not_passed_over_for_an_overdue_job),
        cmocka_unit_test(what_a_confined_job_sees_is_not_what_others_see),
        cmocka_unit_test(a_host_list_that_suffices_is_not_seen_as_one_too_short),
        cmocka_unit_test(what_a_fork_without_a_job_reserves_is_adopted),
        cmocka_unit_test(in_a_fork_where_nothing_is_reserved_jobs_keep_their_names),
        cmocka_unit_test(a_reservation_keeps_its_processors_from_others_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
