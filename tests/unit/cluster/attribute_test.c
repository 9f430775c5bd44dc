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
        assert_int_equal(a->change != 0, a->change_at != 0);
        assert_true(!a->extra_at || a->type == ATTRIBUTE_TEXT);
        assert_true(!a->change || attribute_changed(a->change) == a);
        for (size_t k = 0; k < i; k++) {
            b = attribute_at(k);
            assert_string_not_equal(a->wire, b->wire);
            assert_int_not_equal(a->desc_at, b->desc_at);
            assert_true(!a->change || a->change_at != b->change_at);
            assert_true(!a->extra_at || a->extra_at != b->extra_at);
        }
    }
    assert_null(attribute_changed(0));
    assert_null(attribute_changed(CHANGE_TASKS));
}

static void a_change_is_a_description_and_back(void **state)
{
    const char *const parts[] = {"a", NULL};
    struct job_change ch = {.what = CHANGE_COMMENT | CHANGE_WCLIMIT,
        .wclimit_s = 60,
        .cls = "batch",
        .user_priority = -3,
        .partitions = parts,
        .comment = "x"};
    struct job_change back = {0};
    struct job_desc d = {0}, changed = {.user_priority = 7, .cred = {"u"}};

    (void)state;
    attributes_of_change(&ch, &d);
    assert_string_equal(d.cred[CRED_CLASS], "batch");
    assert_true(d.user_priority == -3 && d.partitions == parts);
    attributes_to_change(&d, &back);
    assert_true(back.wclimit_s == 60 && back.cls == ch.cls && back.partitions == parts);
    assert_string_equal(back.comment, "x");
    attributes_apply(&ch, &changed);
    assert_true(changed.wclimit_s == 60 && changed.user_priority == 7);
    assert_string_equal(changed.comment, "x");
    assert_null(changed.cred[CRED_CLASS]);
}

static void a_comment_is_kept_changed_and_taken_away(void **state)
{
    struct fixture *f = *state;
    struct req_desc req = {.tasks = 1};
    struct job_desc d = {
        .id = "c", .reqs = &req, .nreqs = 1, .wclimit_s = 60, .comment = "first"};
    struct job_change ch = {.what = CHANGE_COMMENT, .comment = "second"};
    struct job *j;
    struct err err;

    configure(f);
    assert_int_equal(job_add(f->c, &d, 0, &j, &err), 0);
    assert_string_equal(j->extra->comment, "first");
    job_change_apply(f->c, j, &ch);
    assert_string_equal(j->extra->comment, "second");
    ch.comment = "";
    job_change_apply(f->c, j, &ch);
    assert_null(j->extra->comment);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_attribute_has_a_name_and_a_place_of_its_own),
        cmocka_unit_test(a_change_is_a_description_and_back),
        cmocka_unit_test_setup_teardown(
            a_comment_is_kept_changed_and_taken_away, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
