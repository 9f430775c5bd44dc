/* SPDX-License-Identifier: Apache-2.0
 * Tests of cluster/job. */
#include "fixture.h"

static const struct req_desc one_task = {.tasks = 1};

/* ---- wrong jobs -------------------------------------------------------------- */

static void unusable_ids_are_refused(void **state)
{
    struct fixture *f = *state;
    struct job_desc d = {.reqs = &one_task, .nreqs = 1};

    job_refused(f, &d, "without a name");
    d.id = "";
    job_refused(f, &d, "without a name");
    d.id = "a b";
    job_refused(f, &d, "blank");
    d.id = "a";
    add(f, &d);
    job_refused(f, &d, "exists already");
}

static void numbers_out_of_range_are_refused(void **state)
{
    struct fixture *f = *state;
    struct job_desc good = {.id = "a", .reqs = &one_task, .nreqs = 1}, d;

#define WITH(field, value, words) d = good, d.field = (value), job_refused(f, &d, words)
    WITH(submit_at, -1, "submit time is -1");
    WITH(submit_at, INT64_MAX, "submit time");
    WITH(wclimit_s, -60, "wallclock limit is -60");
    WITH(min_wclimit_s, -60, "least wallclock limit is -60");
    WITH(tier, -1, "tier is -1");
    WITH(tier, JOB_TIER_MAX + 1, "tier is 65536");
    WITH(tier, INT64_MAX, "tier");
    WITH(fixed_priority, -1, "fixed priority is -1");
    WITH(fixed_priority, INT64_MAX, "fixed priority");
    WITH(release_at, -1, "release time");
    WITH(deadline_at, -1, "deadline");
    WITH(eligible_at, -1, "eligible time");
    WITH(nreqs, 0, "number of requests is 0");
    WITH(nreqs, 256, "number of requests is 256");
    WITH(state, JOB_RUNNING, "Running");
    WITH(state, JOB_COMPLETED, "Completed");
    WITH(state, (enum job_state)99, "out of range");
    WITH(cred[CRED_USER], "no body", "user name");
#undef WITH
}

static void request_refused(struct fixture *f, struct req_desc r, const char *words)
{
    job_refused(f, &(struct job_desc){.id = "a", .reqs = &r, .nreqs = 1}, words);
}

static void wrong_requests_are_refused(void **state)
{
    struct fixture *f = *state;
    struct gres_cfg less[] = {{"tape", -1}, {NULL, 0}};
    const char *const empty[] = {"", NULL};
    int64_t huge = INT64_C(1) << 41;

    request_refused(
        f, (struct req_desc){.per_task = {{-2}}}, "processors per task is -2");
    request_refused(f, (struct req_desc){.per_task = {{huge}}}, "processors per task");
    request_refused(f, (struct req_desc){.per_task = {{1, -5}}}, "memory per task");
    request_refused(f, (struct req_desc){.per_task = {{1, huge}}}, "memory per task");
    request_refused(f, (struct req_desc){.tasks = UINT32_MAX}, "tasks is 4294967295");
    request_refused(f, (struct req_desc){.nodes = 1 << 20, .tpn = 1 << 20}, "tasks is");
    request_refused(f, (struct req_desc){.per_task = {{1 << 20}}, .tasks = 1 << 20},
        "1048576 tasks of 1048576 processors");
    request_refused(
        f, (struct req_desc){.per_task = {{1, INT64_C(1) << 40}}, .tasks = 2}, "MB");
    request_refused(f, (struct req_desc){.tasks = 2, .nodes = 4}, "4 nodes");
    request_refused(f, (struct req_desc){.features = empty}, "feature");
    request_refused(f, (struct req_desc){.gres = less}, "'tape': amount is -1");
}

static void requests_must_not_add_up_to_too_much(void **state)
{
    struct fixture *f = *state;
    struct req_desc r[2] = {{.tasks = 1 << 30}, {.tasks = 1 << 30}};
    job_refused(
        f, &(struct job_desc){.id = "a", .reqs = r, .nreqs = 2}, "total of tasks");
}

static void an_unknown_host_is_named_with_the_nearest(void **state)
{
    struct fixture *f = *state;
    const char *const hosts[] = {"node12", "nodee13", NULL};

    node(f, "node12", 1);
    node(f, "node13", 1);
    request_refused(f, (struct req_desc){.hosts = hosts},
        "'nodee13', the nearest name is 'node13'");
    request_refused(f, (struct req_desc){.exclude = hosts}, "nodee13");
}

static void a_refused_job_leaves_no_credentials(void **state)
{
    struct fixture *f = *state;
    struct job_desc d = {
        .id = "a", .cred = {"new"}, .wclimit_s = -1, .reqs = &one_task, .nreqs = 1};

    job_refused(f, &d, "wallclock");
    assert_null(cred_find(f->c, CRED_USER, "new"));
}

/* ---- jobs -------------------------------------------------------------------- */

static void a_job_has_what_was_asked(void **state)
{
    struct fixture *f = *state;
    struct dep deps[] = {{DEP_SUCCESS, "before"}, {0, NULL}};
    const char *const pars[] = {"p1", "p2", NULL};
    struct job *j = add(f, &(struct job_desc){.id = "a",
                               .cred = {"steve", "staff", "bank", "batch", "hi"},
                               .submit_at = 100,
                               .eligible_at = 150,
                               .wclimit_s = 3600,
                               .release_at = 200,
                               .deadline_at = 900,
                               .flags = JOB_RESTARTABLE,
                               .user_priority = -3,
                               .partitions = pars,
                               .deps = deps,
                               .advres = "srv",
                               .command = "/bin/true",
                               .reqs = &one_task,
                               .nreqs = 1});

    assert_ptr_equal(job_find(f->c, "a"), j);
    assert_string_equal(job_cred(f->c, j, CRED_QOS)->name, "hi");
    assert_int_equal(j->qos_asked, j->cred[CRED_QOS]);
    assert_int_equal(j->account_asked, j->cred[CRED_ACCOUNT]);
    assert_int_equal(j->queue_at, 150);
    assert_int_equal(j->wclimit_asked_s, 3600);
    assert_int_equal(j->release_at, 200);
    assert_int_equal(j->flags_asked, JOB_RESTARTABLE | JOB_ADVRES);
    assert_int_equal(j->flags, j->flags_asked | JOB_OWNPRIO);
    assert_string_equal(j->extra->deps.v[0].job_id, "before");
    assert_ptr_not_equal(j->extra->deps.v[0].job_id, deps[0].job_id);
    assert_string_equal(j->extra->partitions_asked.v[1], "p2");
    assert_string_equal(j->extra->command, "/bin/true");
    assert_int_equal(j->extra->deadline_at, 900);
    assert_true(j->accruing);
}

static void a_plain_job_has_no_rare_parts(void **state)
{
    struct fixture *f = *state;
    struct job *j = job(f, "a", 1);

    assert_null(j->extra);
    struct job_extra *x = job_extra(j);
    assert_ptr_equal(x, j->extra);
    assert_ptr_equal(job_extra(j), x);
    assert_int_equal(j->wclimit_s, 3600);
}

static void a_limit_not_asked_stays_0(void **state)
{
    struct fixture *f = *state;
    struct job *j =
        add(f, &(struct job_desc){.id = "a", .reqs = &one_task, .nreqs = 1});
    assert_int_equal(j->wclimit_s, 0);
}

static void a_held_job_does_not_accrue(void **state)
{
    struct fixture *f = *state;
    struct job_desc d = {.id = "a",
        .state = JOB_HOLD,
        .rm_hold = HOLD_USER,
        .reqs = &one_task,
        .nreqs = 1};
    struct job *j = add(f, &d);
    assert_false(j->accruing);
    assert_int_equal(j->rm_hold, HOLD_USER);
}

static void tasks_follow_from_nodes_and_tasks_per_node(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(job_of(f, "a", 0, &(struct req_desc){0})->tasks, 1);
    assert_int_equal(job_of(f, "b", 0, &(struct req_desc){.nodes = 3})->tasks, 3);
    assert_int_equal(
        job_of(f, "c", 0, &(struct req_desc){.nodes = 3, .tpn = 2})->tasks, 6);
    assert_int_equal(
        job_of(f, "d", 0, &(struct req_desc){.tasks = 5, .nodes = 3})->tasks, 5);
}

static void totals_go_over_all_requests(void **state)
{
    struct fixture *f = *state;
    struct req_desc r[2] = {
        {.per_task = {{2, 100}}, .tasks = 3}, {.per_task = {{0, 50}}, .tasks = 2}};

    nodes(f, 2, 4);
    struct job *j = add(f, &(struct job_desc){.id = "a", .reqs = r, .nreqs = 2});
    assert_int_equal(j->tasks, 5);
    assert_int_equal(j->procs, 8);
    assert_int_equal(j->mem_mb, 400);
    assert_ptr_not_equal(j->reqs, &j->req);
}

static void a_whole_node_counts_as_the_largest(void **state)
{
    struct fixture *f = *state;
    struct req_desc r = {.per_task = {{-1}}, .tasks = 2};

    assert_int_equal(job_of(f, "before", 0, &r)->procs, 2);
    node(f, "n1", 4);
    node(f, "n2", 16);
    struct job *j = job_of(f, "a", 0, &r);
    assert_int_equal(j->procs, 32);
    report(f, &(struct node_desc){.name = "n2", .cfg = {{8, -1, -1, -1}}});
    job_refresh_totals(f->c, j);
    assert_int_equal(j->procs, 16);
}

/* ---- processor equivalents --------------------------------------------------- */

static void pe_example_of_100_nodes(void **state)
{
    struct fixture *f = *state;

    /* priority.md 2.1, concepts.md 2.9 */
    nodes(f, 100, 4);
    struct job *j = job_of(f, "a", 0, &(struct req_desc){.per_task = {{2, 768}}});
    assert_true(j->pe > 2.9999 && j->pe < 3.0001);
}

static void pe_example_of_half_the_memory(void **state)
{
    struct fixture *f = *state;

    /* concepts.md 2.9: a fifth of 128 processors, half of the memory */
    nodes(f, 128, 1);
    struct job *j = job_of(f, "a", 0, &(struct req_desc){.per_task = {{25, 65536}}});
    assert_true(j->pe > 63.9999 && j->pe < 64.0001);
}

static void pe_follows_the_size_of_the_cluster(void **state)
{
    struct fixture *f = *state;
    struct job *j = job_of(f, "a", 0, &(struct req_desc){.per_task = {{2, 768}}});

    assert_true(j->pe == 2);
    node(f, "n1", 4);
    assert_true(job_pe(f->c, j) == 3);
    node(f, "n2", 8);
    assert_true(job_pe(f->c, j) == 4.5);
}

static void pe_adds_up_over_tasks_and_requests(void **state)
{
    struct fixture *f = *state;
    struct req_desc r[2] = {{.per_task = {{2, 768}}, .tasks = 2}, {.tasks = 4}};

    node(f, "n1", 4);
    struct job *j = add(f, &(struct job_desc){.id = "a", .reqs = r, .nreqs = 2});
    assert_true(j->pe == 10);
}

/* ---- removal ----------------------------------------------------------------- */

static void indexes_are_used_again(void **state)
{
    struct fixture *f = *state;
    struct job *a = job(f, "a", 1);
    uint32_t index = a->index;

    job(f, "b", 1);
    job_remove(f->c, a);
    cluster_check(f->c);
    assert_null(f->c->jobs.v[index]);
    assert_null(job_find(f->c, "a"));
    assert_int_equal(job(f, "c", 1)->index, index);
    assert_non_null(job(f, "a", 1));
}

static void an_ended_job_can_be_removed(void **state)
{
    struct fixture *f = *state;

    node(f, "n1", 1);
    struct job *j = job(f, "a", 1);
    give(j, 0, 1, 1);
    start(f, j, 0);
    stop(f, j, EV_COMPLETE, 10);
    job_remove(f->c, j);
}

static void many_jobs_stay_findable(void **state)
{
    struct fixture *f = *state;
    uint64_t seed = 7;
    char id[16];

    for (int i = 0; i < 5000; i++) {
        snprintf(id, sizeof id, "j%u", draw(&seed, 3000));
        struct job *j = job_find(f->c, id);
        if (j)
            job_remove(f->c, j);
        else
            job(f, id, 1);
    }
    cluster_check(f->c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(unusable_ids_are_refused),
        T(numbers_out_of_range_are_refused),
        T(wrong_requests_are_refused),
        T(requests_must_not_add_up_to_too_much),
        T(an_unknown_host_is_named_with_the_nearest),
        T(a_refused_job_leaves_no_credentials),
        T(a_job_has_what_was_asked),
        T(a_plain_job_has_no_rare_parts),
        T(a_limit_not_asked_stays_0),
        T(a_held_job_does_not_accrue),
        T(tasks_follow_from_nodes_and_tasks_per_node),
        T(totals_go_over_all_requests),
        T(a_whole_node_counts_as_the_largest),
        T(pe_example_of_100_nodes),
        T(pe_example_of_half_the_memory),
        T(pe_follows_the_size_of_the_cluster),
        T(pe_adds_up_over_tasks_and_requests),
        T(indexes_are_used_again),
        T(an_ended_job_can_be_removed),
        T(many_jobs_stay_findable),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
