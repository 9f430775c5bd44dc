/* SPDX-License-Identifier: Apache-2.0
 * What a node can give to a reservation that is not a job's: configured amounts less
 * jobs that it does not let in, less other reservations, and no more of a counted pool
 * than waiting jobs leave. Two nodes of four processors, at 100. */
#include "plan/bynode/rsvfree.h"
#include "plan/plan_private.h"
#include "rsv_kit.h"

struct trial {
    struct rk k;
    struct plan *p;
};

static struct trial trial_open(void)
{
    struct trial t = {.k = rk_open("")};

    rk_nodes(&t.k, 2, 4, 100);
    t.p = plan_create(t.k.c);
    plan_begin(t.p, 100, RSV_REPLAN);
    return t;
}

static void trial_close(struct trial *t)
{
    plan_check(t->p);
    plan_destroy(t->p);
    rk_close(&t->k);
}

/* A draft that is not in the cluster: for tasks of one processor in [200, 300), which
 * lets john in. */
static struct reservation *draft_of(struct trial *t)
{
    struct reservation *r = rk_setres(&t->k, "draft", ACL_USER, "john", 200, 300);

    r->def.per_task = (struct res){{1}};
    return r;
}

/* Tasks that the nodes n1 and n2 give, asked in this order: "4 4". */
static const char *given(struct trial *t, const struct reservation *r)
{
    struct bynode *b = t->p->bynode;

    rsvfree_begin(b, r);
    uint32_t n1 = rsvfree_tasks(b, r, 0, r->start_at, r->end_at);
    uint32_t n2 = rsvfree_tasks(b, r, 1, r->start_at, r->end_at);
    snprintf(t->k.text, sizeof t->k.text, "%u %u", n1, n2);
    return t->k.text;
}

static struct job *job_of(
    struct trial *t, const char *user, uint32_t tasks, int64_t limit_s)
{
    struct job *j = rk_job(&t->k, user, tasks, limit_s, 0, NULL);

    plan_job_queued(t->p, j);
    return j;
}

static void run_on(struct trial *t, struct job *j, uint32_t node)
{
    struct err err;

    vec_push(&j->alloc, ((struct alloc){node, 1, j->tasks, 0}));
    j->eff_wclimit_s = j->wclimit_s;
    if (job_start(t->k.c, j, 100, &err) < 0)
        fail_msg("%s", err.text);
    plan_job_started(t->p, j);
}

static void an_idle_node_gives_all_it_has(void **state)
{
    struct trial t = trial_open();
    struct reservation *r = draft_of(&t);

    (void)state;
    assert_string_equal(given(&t, r), "4 4");
    r->def.per_task = (struct res){{3}};
    assert_string_equal(given(&t, r), "1 1");
    r->def.per_task = (struct res){{1, 40}}; /* memory is what lacks */
    assert_string_equal(given(&t, r), "2 2");
    trial_close(&t);
}

static void jobs_that_it_lets_in_are_not_in_its_way(void **state)
{
    struct trial t = trial_open();
    struct reservation *r = draft_of(&t);

    (void)state;
    run_on(&t, job_of(&t, "john", 3, 1000), 0);
    run_on(&t, job_of(&t, "mary", 3, 1000), 1);
    assert_string_equal(given(&t, r), "4 1");
    r->exclusive = true;
    assert_string_equal(given(&t, r), "1 1");
    trial_close(&t);
}

static void jobs_that_end_before_are_not_either(void **state)
{
    struct trial t = trial_open();
    struct reservation *r = draft_of(&t);

    (void)state;
    run_on(&t, job_of(&t, "mary", 3, 100), 0); /* until 200 */
    run_on(&t, job_of(&t, "mary", 3, 101), 1);
    assert_string_equal(given(&t, r), "4 1");
    trial_close(&t);
}

static void a_dedicated_node_gives_nothing_while_somebody_is_there(void **state)
{
    struct trial t = trial_open();
    struct reservation *r = draft_of(&t);

    (void)state;
    run_on(&t, job_of(&t, "mary", 1, 1000), 0);
    assert_string_equal(given(&t, r), "3 4");
    r->flags |= RSV_DEDICATEDNODE;
    assert_string_equal(given(&t, r), "0 4");
    trial_close(&t);
}

/* Pinned in [250, 1250), inside the window. */
static void what_is_pinned_counts_from_where_it_begins(void **state)
{
    struct trial t = trial_open();
    struct reservation *r = draft_of(&t);
    struct job *wide = job_of(&t, "mary", 3, 1000);

    (void)state;
    fits_end_counting(t.p->fits, pools_of_node(t.p->pools, 0));
    plan_reserve(t.p, wide, &(struct slot){250, 0});
    assert_int_equal(rsvtable_of(t.p->reserved, wide->index)->alloc.v[0].first, 0);
    assert_string_equal(given(&t, r), "1 4");
    r->end_at = 250;
    assert_string_equal(given(&t, r), "4 4");
    trial_close(&t);
}

static void other_reservations_count_where_it_must_not_lie_on_them(void **state)
{
    struct trial t = trial_open();
    struct reservation *r = draft_of(&t);
    struct reservation *other = rk_setres(&t.k, "other", ACL_USER, "mary", 250, 400);

    (void)state;
    other->def.per_task = (struct res){{1}};
    rk_hold(&t.k, other, "n1", 3);
    plan_begin(t.p, 100, RSV_REPLAN);
    assert_string_equal(given(&t, r), "1 4");
    r->shared = true;
    assert_string_equal(given(&t, r), "4 4");
    r->shared = false;
    r->end_at = 250; /* it ends where the other begins */
    assert_string_equal(given(&t, r), "4 4");
    r->start_at = 400;
    r->end_at = 500;
    assert_string_equal(given(&t, r), "4 4");
    trial_close(&t);
}

/* Four of eight units are reserved in [250, 350): the nodes share the four that are
 * left.
 */
static void nodes_of_a_counted_pool_share_what_waiting_jobs_leave(void **state)
{
    struct trial t = trial_open();
    struct reservation *r = draft_of(&t);
    struct bynode *b = t.p->bynode;

    (void)state;
    plan_reserve(t.p, job_of(&t, "mary", 4, 100), &(struct slot){250, 0});
    assert_string_equal(given(&t, r), "4 0");
    r->def.per_task = (struct res){{2}};
    assert_string_equal(given(&t, r), "2 0");
    assert_int_equal(rsvfree_tasks(b, r, 1, 200, 300), 0); /* all of it is spent */
    rsvfree_begin(b, r);
    assert_int_equal(rsvfree_tasks(b, r, 1, 200, 300), 2);
    r->end_at = 250;
    assert_string_equal(given(&t, r), "2 2");
    trial_close(&t);
}

/* Two reservations between two cycles, and a waiting job that has half of all. */
static void what_got_its_nodes_since_the_last_cycle_counts(void **state)
{
    struct trial t = trial_open();
    struct reservation *r = draft_of(&t);
    struct reservation *other = rk_setres(&t.k, "other", ACL_USER, "mary", 200, 300);

    (void)state;
    plan_reserve(t.p, job_of(&t, "mary", 4, 100), &(struct slot){250, 0});
    assert_string_equal(given(&t, r), "4 0");
    other->def.per_task = (struct res){{1}};
    rk_hold(&t.k, other, "n1", 4);
    assert_string_equal(given(&t, r), "0 0"); /* n2 is the job's now */
    r->shared = true;
    assert_string_equal(given(&t, r), "4 0"); /* it may lie on the other one */
    r->shared = false;
    r->start_at = 300;
    r->end_at = 340;
    assert_string_equal(given(&t, r), "4 0"); /* that is over by then */
    trial_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_idle_node_gives_all_it_has),
        cmocka_unit_test(jobs_that_it_lets_in_are_not_in_its_way),
        cmocka_unit_test(jobs_that_end_before_are_not_either),
        cmocka_unit_test(a_dedicated_node_gives_nothing_while_somebody_is_there),
        cmocka_unit_test(what_is_pinned_counts_from_where_it_begins),
        cmocka_unit_test(other_reservations_count_where_it_must_not_lie_on_them),
        cmocka_unit_test(nodes_of_a_counted_pool_share_what_waiting_jobs_leave),
        cmocka_unit_test(what_got_its_nodes_since_the_last_cycle_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
