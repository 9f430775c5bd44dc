/* SPDX-License-Identifier: Apache-2.0
 * Which jobs an expression means: reference commands, section 1.8. */
#include "base/strbuf.h"
#include "cluster/rmset.h"
#include "cmocka_all.h"
#include "scenario.h"
#include "server/drafts/jobexpr.h"
#include "server/drafts/jobname.h"

/* Jobs m.1, m.2, m.11, 12[3] and 123, none of which has ended. */
static struct scenario *queue(void)
{
    static const char *const ids[] = {"m.1", "m.2", "m.11", "12[3]", "123"};
    struct scenario *s = sc_create();

    sc_nodes(s, 1, 1);
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        sc_job(s, (struct sc_job){.id = ids[i], .procs = 1, .limit_s = 100});
    sc_at(s, 0);
    return s;
}

/* What the expression names: "m.1 m.2*", * behind those chosen by a pattern; or the
 * sentence of the refusal behind what was found all the same. */
static void expect(
    struct scenario *s, const char *expr, bool unanchored, const char *wanted)
{
    const struct cluster *c = engine_cluster(sc_engine(s));
    struct job_choices found = {.unanchored = unanchored};
    struct strbuf text = {0};
    struct err err = {0};

    if (jobexpr_match(c, expr, &found, &err) < 0)
        strbuf_printf(&text, "(%s) ", err.text);
    for (size_t i = 0; i < found.list.n; i++)
        strbuf_printf(&text, "%s%s ", c->jobs.v[found.list.v[i].job]->id,
            found.list.v[i].named ? "" : "*");
    assert_string_equal(text.len ? text.text : "", wanted);
    free(strbuf_take(&text));
    jobexpr_fini(&found);
}

static void an_id_is_that_job_and_a_pattern_matches_whole_ids(void **state)
{
    (void)state;
    struct scenario *s = queue();

    expect(s, "m.1", false, "m.1 ");
    expect(s, "m..", false, "m.1* m.2* ");
    expect(s, "m.1+", false, "m.1* m.11* ");
    expect(s, "12[3]", false, "12[3] ");
    expect(s, "ALL", false, "m.1* m.2* m.11* 12[3]* 123* ");
    expect(s, "77", false, "(cannot locate job '77') ");
    expect(s, "7.*", false, "(invalid job expression received (7.*)) ");
    sc_destroy(s);
}

static void a_name_with_that_of_a_pbs_server_is_its_job(void **state)
{
    struct err err;
    (void)state;
    struct scenario *s = queue();
    const struct cluster *c = engine_cluster(sc_engine(s));

    expect(s, "123.head1", false, "123 ");
    expect(s, "12[3].head-1.site.org,123.h", false, "12[3] 123 ");
    expect(s, "77.head1", false, "(cannot locate job '77') ");
    expect(s, "123.", false, "(invalid job expression received (123.)) ");
    expect(s, "12.", false, "123* "); /* a pattern, as ever */
    assert_string_equal(jobname_find(c, "123.head1", &err)->id, "123");
    assert_string_equal(jobname_find(c, "12[3].head1", &err)->id, "12[3]");
    assert_string_equal(jobname_find(c, "m.1", &err)->id, "m.1");
    assert_null(jobname_find(c, "123.he*d", &err));
    assert_null(jobname_find(c, "123.", &err));
    assert_null(jobname_find(c, "12[", &err));
    assert_null(jobname_find(c, "12[3", &err));
    sc_destroy(s);
}

/* Another manager's job may be the one that PBS calls so. */
static void such_a_name_is_never_another_managers_job(void **state)
{
    struct err err;
    (void)state;
    struct scenario *s = queue();
    struct cluster *c = engine_cluster(sc_engine(s));

    rmset_call_first(c, "slurm");
    rmset_get(c, "pbs");
    sc_job(s, (struct sc_job){.id = "pbs.123", .procs = 1, .limit_s = 100});
    sc_job(s, (struct sc_job){.id = "pbs.77", .procs = 1, .limit_s = 100});
    sc_at(s, 1);
    expect(s, "123.head1", false,
        "(job '123' is of several resource managers: expected slurm.123 or pbs.123) ");
    expect(s, "77.head1", false, "pbs.77 ");
    expect(s, "slurm.123", false, "123 ");
    expect(s, "pbs.99", false, "(cannot locate job 'pbs.99') ");
    rmset_set_away(c, rmset_get(c, "pbs"), true);
    expect(s, "pbs.99", false,
        "(cannot locate job 'pbs.99': pbs does not answer, and has told of no such "
        "job) ");
    rmset_set_away(c, rmset_get(c, "pbs"), false);
    assert_null(jobname_find(c, "123.head1", &err));
    assert_int_equal(err.code, ERR_CONFLICT);
    assert_string_equal(jobname_find(c, "77.head1", &err)->id, "pbs.77");
    sc_destroy(s);
}

static void an_array_is_its_managers(void **state)
{
    static const char *const ids[] = {"pbs.12[1]", "pbs.15[1].head", "pbs.15[2].head",
        "sge.15.4", "sge.16[1]", "pbs.16[1]", "pbs.17[1]", "pbs.17[1].other"};
    (void)state;
    struct scenario *s = queue();
    struct cluster *c = engine_cluster(sc_engine(s));

    rmset_call_first(c, "slurm");
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        sc_job(s, (struct sc_job){.id = ids[i],
                      .rm = i < 3 || i >= 5 ? "pbs" : "sge",
                      .procs = 1,
                      .limit_s = 100});
    sc_at(s, 1);
    expect(s, "12[]", false, "12[3]* ");
    expect(s, "slurm.12[]", false, "12[3]* ");
    expect(s, "pbs.12[]", false, "pbs.12[1]* ");
    expect(s, "15[]", false, "pbs.15[1].head* pbs.15[2].head* ");
    expect(s, "pbs.15[]", false, "pbs.15[1].head* pbs.15[2].head* ");
    expect(s, "15[].head", false, "pbs.15[1].head* pbs.15[2].head* ");
    expect(s, "pbs.15[].head", false, "pbs.15[1].head* pbs.15[2].head* ");
    expect(s, "slurm.15[]", false, "(cannot locate jobs of array 'slurm.15[]') ");
    expect(s, "16[]", false,
        "(array '16[]' is of several resource managers: expected sge.16[] or "
        "pbs.16[]) ");
    expect(s, "12", false, "12[3]* ");
    expect(s, "16", false,
        "(array '16[]' is of several resource managers: expected sge.16[] or "
        "pbs.16[]) ");
    /* of one number two arrays: one was moved here from another server */
    expect(s, "17[]", false, "pbs.17[1]* ");
    expect(s, "17[].other", false, "pbs.17[1].other* ");
    expect(s, "17[].head", false, "pbs.17[1]* ");
    sc_destroy(s);
}

static void lists_name_each_job_once_in_their_order(void **state)
{
    (void)state;
    struct scenario *s = queue();

    expect(s, "m.11,m.1,m.11,,m..", false, "m.11 m.1 m.2* ");
    expect(s, "m.2,77,m.1", false, "(cannot locate job '77') m.2 m.1 ");
    expect(s, "", false, "(an empty job expression) ");
    sc_destroy(s);
}

static void with_usejobregex_parts_of_ids_match(void **state)
{
    (void)state;
    struct scenario *s = queue();

    expect(s, "m.1", true, "m.1 m.11* ");
    expect(s, "2", true, "m.2* 12[3]* 123* ");
    expect(s, "12[3]", true, "12[3] "); /* no class of characters */
    expect(s, "^m.1$", true, "m.1* ");
    sc_destroy(s);
}

/* Whoever names what they look at means that job, or none. */
static void an_id_that_is_meant_as_such_is_no_pattern(void **state)
{
    static const char *const none[] = {
        "12[4]", "12", "m..", "ALL", "m.1,m.2", "123.h", "", "[", "M.1"};
    (void)state;
    struct scenario *s = queue();
    const struct cluster *c = engine_cluster(sc_engine(s));
    struct job_choices found = {.unanchored = true};
    struct job_choices full = {.elements = JOBEXPR_ELEMENTS_MAX};
    struct err err;

    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        assert_int_equal(jobexpr_add_id(c, none[i], &found, &err), -1);
        assert_int_equal(err.code, ERR_NOT_FOUND);
    }
    assert_int_equal(found.list.n, 0);
    assert_int_equal(jobexpr_add_id(c, "12[3]", &found, &err), 0);
    assert_int_equal(jobexpr_add_id(c, "m.1", &found, &err), 0);
    assert_int_equal(jobexpr_add_id(c, "m.1", &found, &err), 0);
    assert_int_equal(found.list.n, 2);
    assert_true(found.list.v[0].named && found.list.v[1].named);
    assert_string_equal(c->jobs.v[found.list.v[0].job]->id, "12[3]");
    assert_int_equal(jobexpr_add_id(c, "m.1", &full, &err), -1);
    assert_int_equal(err.code, ERR_INVALID);
    jobexpr_fini(&found);
    jobexpr_fini(&full);
    sc_destroy(s);
}

static void what_would_take_too_long_is_refused(void **state)
{
    (void)state;
    struct scenario *s = queue();
    const struct cluster *c = engine_cluster(sc_engine(s));
    struct job_choices found = {.elements = JOBEXPR_ELEMENTS_MAX};
    struct job_choices patterns = {.patterns = JOBEXPR_PATTERNS_MAX};
    struct err err;

    assert_int_equal(jobexpr_match(c, "m.1", &found, &err), -1);
    assert_string_equal(
        err.text, "too many job expressions: one order takes at most 10000");
    assert_int_equal(jobexpr_match(c, "m.*", &patterns, &err), -1);
    assert_string_equal(
        err.text, "too many regular expressions: one order takes at most 32");
    expect(s, "[", false,
        "(invalid job expression received ([): missing terminating ] for character "
        "class) ");
    jobexpr_fini(&found);
    jobexpr_fini(&patterns);
    sc_destroy(s);
}

/* canceljob 12, checkjob 12: no job is called so, and array 12 is. */
static void the_number_of_an_array_is_all_of_it(void **state)
{
    static const char *const ids[] = {"12[1]", "12[20]", "120[1]", "13", "13[1]"};
    struct scenario *s = sc_create();
    struct err err;

    (void)state;
    sc_nodes(s, 1, 1);
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        sc_job(s, (struct sc_job){.id = ids[i], .procs = 1, .limit_s = 100});
    sc_at(s, 0);
    expect(s, "12", false, "12[1]* 12[20]* ");
    expect(s, "12,13", false, "12[1]* 12[20]* 13 ");
    expect(s, "1", false, "(cannot locate job '1') ");
    expect(s, "12_[1-20]", false, "(invalid job expression received (12_[1-20])) ");
    assert_string_equal(
        jobname_find(engine_cluster(sc_engine(s)), "12", &err)->id, "12[20]");
    sc_destroy(s);
}

/* Tasks 1 to 6 of array 63, heterogeneous job 70, and 701. */
static void names_as_squeue_prints_them_are_those_jobs(void **state)
{
    static const char *const ids[] = {
        "63_1", "63_2", "63_3", "63_4", "63_5", "63_6", "70", "701", "634_1"};
    struct scenario *s = sc_create();

    (void)state;
    sc_nodes(s, 1, 1);
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        sc_job(s, (struct sc_job){.id = ids[i], .procs = 1, .limit_s = 100});
    sc_at(s, 0);
    expect(s, "63_4", false, "63_4 ");
    expect(s, "63_[2-3]", false, "63_2* 63_3* ");
    expect(s, "63_[1,3,5-6%2],70", false, "63_1* 63_3* 63_5* 63_6* 70 ");
    expect(s, "63_[1-6:3]", false, "63_1* 63_4* ");
    expect(s, "63_[1-2,...]", false, "63_2* 63_3* 63_4* 63_5* 63_6* ");
    expect(s, "63", false, "63_1* 63_2* 63_3* 63_4* 63_5* 63_6* ");
    expect(s, "70+1", false, "70 ");
    expect(s, "70+1,70+0", false, "70 ");
    expect(s, "63_[7-9]", false, "(invalid job expression received (63_[7-9])) ");
    expect(s, "64", false, "(cannot locate job '64') ");
    expect(s, "63_[1-6]+", false,
        "63_1* 63_2* 63_3* 63_4* 63_5* 63_6* "); /* a pattern still */
    expect(s, "63_[x", false,
        "(invalid job expression received (63_[x): missing terminating ] for character "
        "class) ");
    sc_destroy(s);
}

static void the_first_that_waits_is_found_by_a_name_for_several(void **state)
{
    static const char *const ids[] = {"63_10", "63_9", "63_2"};
    struct scenario *s = sc_create();
    struct err err;

    (void)state;
    sc_nodes(s, 1, 1);
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        sc_job(s, (struct sc_job){.id = ids[i], .procs = 1, .limit_s = 100});
    sc_at(s, 0);
    const struct cluster *c = engine_cluster(sc_engine(s));
    assert_string_equal(jobname_find(c, "63_[2-10]", &err)->id, "63_9"); /* 63_2 runs */
    assert_string_equal(jobname_find(c, "63_[2]", &err)->id, "63_2");
    assert_string_equal(jobname_find(c, "63_10", &err)->id, "63_10");
    sc_run(s); /* one runs after the other */
    assert_null(jobname_find(c, "63", &err));
    assert_null(jobname_find(c, "63_[99999999999999999999-1]", &err));
    assert_null(jobname_find(c, "", &err));
    sc_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_id_is_that_job_and_a_pattern_matches_whole_ids),
        cmocka_unit_test(the_number_of_an_array_is_all_of_it),
        cmocka_unit_test(a_name_with_that_of_a_pbs_server_is_its_job),
        cmocka_unit_test(such_a_name_is_never_another_managers_job),
        cmocka_unit_test(an_array_is_its_managers),
        cmocka_unit_test(lists_name_each_job_once_in_their_order),
        cmocka_unit_test(with_usejobregex_parts_of_ids_match),
        cmocka_unit_test(an_id_that_is_meant_as_such_is_no_pattern),
        cmocka_unit_test(what_would_take_too_long_is_refused),
        cmocka_unit_test(names_as_squeue_prints_them_are_those_jobs),
        cmocka_unit_test(the_first_that_waits_is_found_by_a_name_for_several),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
