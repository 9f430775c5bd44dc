/* SPDX-License-Identifier: Apache-2.0
 * Tests of cluster/attribute: the table of a job's attributes. */
#include "cluster/attribute.h"
#include "fixture.h"

static void each_attribute_has_a_name_and_a_place_of_its_own(void **state)
{
    const struct attribute *a, *b;

    (void)state;
    for (size_t i = 0; (a = attribute_at(i)) != NULL; i++) {
        assert_non_null(a->wire);
        assert_true(
            !a->extra_at || a->type == ATTRIBUTE_TEXT || a->type == ATTRIBUTE_NUMBER);
        assert_true(!a->job_at || a->type == ATTRIBUTE_NUMBER);
        assert_true(!(a->hidden || a->label) || a->shown);
        assert_true(!a->check || a->type == ATTRIBUTE_TEXT);
        assert_true(!a->change || attribute_changed(a->change) == a);
        for (size_t k = 0; k < i; k++) {
            b = attribute_at(k);
            assert_string_not_equal(a->wire, b->wire);
            assert_int_not_equal(a->desc_at, b->desc_at);
            assert_true(!a->job_at || a->job_at != b->job_at);
            assert_true(!a->extra_at || a->extra_at != b->extra_at);
        }
    }
    assert_null(attribute_changed(0));
    assert_null(attribute_changed(CHANGE_TASKS));
    assert_int_equal(attribute_cred(attribute_changed(CHANGE_QOS)), CRED_QOS);
    assert_int_equal(attribute_cred(attribute_changed(CHANGE_GROUP)), CRED_GROUP);
}

static void each_member_of_a_request_has_a_name_and_a_place_of_its_own(void **state)
{
    const struct req_attribute *a, *b;
    unsigned changes = 0;

    (void)state;
    for (size_t i = 0; (a = req_attribute_at(i)) != NULL; i++) {
        assert_non_null(a->wire);
        assert_int_equal(a->type == ATTRIBUTE_WORD, a->words != NULL);
        assert_true(!a->change || req_attribute_changed(a->change) == a);
        assert_true(!(a->change & ~CHANGES_OF_REQUEST) && !(a->change & changes));
        changes |= a->change;
        for (size_t k = 0; k < i; k++) {
            b = req_attribute_at(k);
            assert_string_not_equal(a->wire, b->wire);
            assert_true(a->desc_at != b->desc_at);
            assert_true(!a->def_at || a->def_at != b->def_at);
        }
    }
    assert_int_equal(changes, CHANGES_OF_REQUEST);
    assert_null(req_attribute_changed(0));
    assert_null(req_attribute_changed(CHANGE_FLAGS));
}

static void a_change_is_put_into_a_description(void **state)
{
    const char *const parts[] = {"a", NULL}, *const hosts[] = {"n1", NULL};
    struct job_change ch = {.what = CHANGE_COMMENT | CHANGE_WCLIMIT | CHANGE_FLAGS
                                    | CHANGE_TASKS | CHANGE_HOSTS | CHANGE_MEM,
        .job.wclimit_s = 60,
        .job.cred[CRED_CLASS] = "batch",
        .job.user_priority = -3,
        .job.partitions = parts,
        .job.flags = JOB_RESTARTABLE,
        .job.comment = "x",
        .to = {.tasks = 3, .nodes = 2, .hosts = hosts, .per_task = {{4, 512}}}};
    struct job_desc changed = {
        .user_priority = 7, .cred = {"u"}, .flags = JOB_PREEMPTEE};
    struct req_desc req = {.tasks = 1, .nodes = 1, .per_task = {{1, 1}}};

    (void)state;
    attributes_apply(&ch, &changed);
    assert_true(changed.wclimit_s == 60 && changed.user_priority == 7);
    assert_string_equal(changed.comment, "x");
    assert_null(changed.cred[CRED_CLASS]);
    assert_null(changed.partitions);
    assert_int_equal(changed.flags, JOB_RESTARTABLE);
    req_attributes_apply(&ch, &req);
    assert_true(req.tasks == 3 && req.nodes == 1 && req.hosts == hosts);
    assert_true(req.per_task.v[RES_PROCS] == 1 && req.per_task.v[RES_MEM] == 512);
}

static void a_comment_is_kept_changed_and_taken_away(void **state)
{
    struct fixture *f = *state;
    struct req_desc req = {.tasks = 1};
    struct job_desc d = {
        .id = "c", .reqs = &req, .nreqs = 1, .wclimit_s = 60, .comment = "first"};
    struct job_change ch = {.what = CHANGE_COMMENT, .job.comment = "second"};
    struct job *j;
    struct err err;

    configure(f);
    assert_int_equal(job_add(f->c, &d, 0, &j, &err), 0);
    assert_string_equal(j->extra->comment, "first");
    job_change_apply(f->c, j, &ch);
    assert_string_equal(j->extra->comment, "second");
    ch.job.comment = "";
    job_change_apply(f->c, j, &ch);
    assert_null(j->extra->comment);
}

static void a_job_that_asks_anew_asks_for_that_alone(void **state)
{
    struct fixture *f = *state;
    const char *const parts[] = {"DEFAULT", NULL};
    static char other[] = "o";
    const struct dep deps[] = {{DEP_SUCCESS, other}, {0}};
    struct req_desc before[] = {{.tasks = 1}, {.tasks = 2}},
                    after = {.tasks = 4, .per_task = {{2}}};
    struct job_desc d = {.id = "c",
        .submit_at = 10,
        .reqs = before,
        .nreqs = 2,
        .wclimit_s = 60,
        .cred = {"u"},
        .comment = "first",
        .partitions = parts,
        .deps = deps};
    struct job_change ch = {.what = CHANGE_WHOLE,
        .job = {.id = "c",
            .submit_at = 5,
            .reqs = &after,
            .nreqs = 1,
            .wclimit_s = 90,
            .cred = {"u"},
            .deps = deps}};
    struct job *j, *earlier;
    struct err err;

    configure(f);
    assert_int_equal(job_add(f->c, &d, 0, &j, &err), 0);
    j->sys_priority = 7;
    j->qos_forced = true;
    j->start_count = 3;
    j->extra->given_up = true;
    d.id = "b";
    d.submit_at = 8;
    assert_int_equal(job_add(f->c, &d, 0, &earlier, &err), 0);
    assert_int_equal(job_change_check(f->c, j, &ch, &err), 0);
    job_change_apply(f->c, j, &ch);
    assert_true(j->nreqs == 1 && j->tasks == 4 && j->procs == 8);
    assert_true(j->wclimit_s == 90 && j->wclimit_asked_s == 90);
    assert_null(j->extra->comment);
    assert_true(!j->extra->partitions_asked.n && j->extra->deps.n == 1);
    assert_true(j->sys_priority == 7 && j->qos_forced && j->start_count == 3);
    assert_true(j->extra->given_up && j->queue_at == 10); /* of the same dependency */
    assert_true(j->submit_at == 5 && job_compare(j, earlier) < 0);
    ch.job.deps = NULL;
    ch.job.cred[CRED_QOS] = "other";
    job_change_apply(f->c, j, &ch);
    assert_true(!j->extra->given_up && !j->qos_forced && !j->extra->deps.n);
    ch.job.nreqs = 0;
    assert_int_equal(job_change_check(f->c, j, &ch, &err), -1);
    cluster_check(f->c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_attribute_has_a_name_and_a_place_of_its_own),
        cmocka_unit_test(each_member_of_a_request_has_a_name_and_a_place_of_its_own),
        cmocka_unit_test(a_change_is_put_into_a_description),
        cmocka_unit_test_setup_teardown(
            a_comment_is_kept_changed_and_taken_away, setup, teardown),
        T(a_job_that_asks_anew_asks_for_that_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
