/* SPDX-License-Identifier: Apache-2.0
 * Nodes and jobs of several resource managers in one plan (cluster/rmset.h). */
#include "cluster/job.h"
#include "cluster/node.h"
#include "cluster/partition.h"
#include "cluster/rmset.h"
#include "cmocka_all.h"
#include "engine/engine_private.h"
#include "scenario.h"

#include <string.h>

/* n1, n2 of the first, f1, f2 of "far": two processors each. */
static struct scenario *begin(const char *lines)
{
    struct scenario *s = sc_create_with(lines);

    sc_nodes(s, 2, 2);
    for (int i = 1; i <= 2; i++) {
        char name[] = {'f', (char)('0' + i), 0};
        sc_node(s,
            &(struct node_desc){.name = name, .rm = "far", .cfg = {{2, 1000, 0, 0}}});
    }
    return s;
}

static void add_job(struct scenario *s, const char *id, const char *rm, uint32_t procs,
    const char *user)
{
    sc_job(s, (struct sc_job){
                  .id = id, .rm = rm, .procs = procs, .limit_s = 100, .user = user});
}

static void go_away(struct scenario *s, const char *name, bool away)
{
    struct event ev = {.kind = EVENT_MANAGER, .u.manager = {name, away}};
    struct err err;

    assert_int_equal(sc_apply(s, ev, &err), 0);
}

static void each_has_a_partition_of_its_own(void **state)
{
    struct scenario *s = begin("");
    const struct cluster *c = engine_cluster(sc_engine(s));

    (void)state;
    assert_int_equal(node_find(c, "n1")->partition, 0);
    assert_string_equal(c->partitions.v[node_find(c, "f1")->partition]->name, "far");
    sc_destroy(s);
}

static void a_partition_of_that_name_is_another_where_it_is_somebody_elses(void **state)
{
    struct scenario *s =
        begin("NODECFG[n1] PARTITION=fast\nNODECFG[f1] PARTITION=fast\n");
    const struct cluster *c = engine_cluster(sc_engine(s));

    (void)state;
    assert_string_equal(c->partitions.v[node_find(c, "n1")->partition]->name, "fast");
    assert_string_equal(
        c->partitions.v[node_find(c, "f1")->partition]->name, "far.fast");
    sc_destroy(s);
}

static void a_job_starts_on_nodes_of_its_manager_alone(void **state)
{
    (void)state;
    for (int by_node = 0; by_node < 2; by_node++) {
        struct scenario *s = begin("");
        if (by_node)
            sc_force_by_node(s);
        add_job(s, "a", "far", 4, NULL);
        add_job(s, "b", NULL, 3, NULL);
        add_job(s, "c", "far", 1, NULL);
        add_job(s, "d", NULL, 1, NULL);
        add_job(s, "wide", NULL, 5, NULL);
        sc_at(s, 0);
        assert_string_equal(sc_where(s, "a"), "f1:2 f2:2");
        assert_string_equal(sc_where(s, "b"), "n1:2 n2:1");
        assert_string_equal(sc_where(s, "d"), "n2:1");
        assert_int_equal(sc_start(s, "wide"), -1);
        sc_run_until(s, 150);
        assert_int_equal(sc_start(s, "c"), 100);
        assert_string_equal(sc_where(s, "c"), "f1:1");
        sc_destroy(s);
    }
}

static void a_flag_to_span_partitions_does_not_mix_managers(void **state)
{
    struct scenario *s = begin("");

    (void)state;
    sc_job(
        s, (struct sc_job){.id = "j", .procs = 5, .limit_s = 100, .flags = JOB_SPAN});
    sc_at(s, 0);
    assert_int_equal(sc_start(s, "j"), -1);
    sc_destroy(s);
}

static void a_partition_that_comes_later_is_not_for_jobs_of_others(void **state)
{
    struct scenario *s = sc_create_with("");

    (void)state;
    sc_nodes(s, 1, 1);
    add_job(s, "runs", NULL, 1, NULL);
    add_job(s, "waits", NULL, 1, NULL);
    sc_at(s, 0);
    sc_node(
        s, &(struct node_desc){.name = "f1", .rm = "far", .cfg = {{4, 1000, 0, 0}}});
    sc_cycle(s);
    assert_int_equal(sc_start(s, "waits"), -1);
    sc_run(s);
    assert_string_equal(sc_where(s, "waits"), "n1:1");
    sc_destroy(s);
}

static void limits_count_jobs_of_both(void **state)
{
    struct scenario *s = begin("USERCFG[ann] MAXPROC=3\n");

    (void)state;
    add_job(s, "a", "far", 2, "ann");
    add_job(s, "b", NULL, 2, "ann");
    sc_at(s, 0);
    assert_int_equal(sc_start(s, "a"), 0);
    assert_int_equal(sc_why_code(s, "b"), WAIT_LIMIT);
    sc_destroy(s);
}

static void jobs_of_one_that_is_away_wait_and_others_do_not(void **state)
{
    struct scenario *s = begin("");

    (void)state;
    sc_at(s, 0);
    go_away(s, "far", true);
    add_job(s, "a", "far", 1, NULL);
    add_job(s, "b", NULL, 1, NULL);
    sc_at(s, 1);
    assert_int_equal(sc_start(s, "b"), 0);
    assert_int_equal(sc_start(s, "a"), -1);
    assert_int_equal(sc_why_code(s, "a"), WAIT_MANAGER);
    assert_string_equal(sc_why(s, "a"), "its resource manager far does not answer");
    go_away(s, "far", false);
    sc_at(s, 2);
    assert_int_equal(sc_start(s, "a"), 2);
    sc_destroy(s);
}

/* It may be over for long, for all that is known. */
static void nobody_is_cancelled_for_his_limit_while_his_manager_is_away(void **state)
{
    struct scenario *s = begin("");

    (void)state;
    sc_job(s, (struct sc_job){
                  .id = "a", .rm = "far", .procs = 1, .limit_s = 100, .run_s = 500});
    sc_job(s, (struct sc_job){.id = "b", .procs = 1, .limit_s = 100, .run_s = 500});
    sc_at(s, 0);
    go_away(s, "far", true);
    sc_at(s, 150);
    assert_null(sc_find(s, "b"));
    assert_int_equal(sc_find(s, "a")->state, JOB_RUNNING);
    go_away(s, "far", false);
    sc_at(s, 151);
    assert_null(sc_find(s, "a"));
    sc_destroy(s);
}

static void limits_of_a_manager_are_about_its_own_jobs(void **state)
{
    static const struct quota_limit limit = {"GrpTRES=cpu", QUOTA_GROUP, LIMIT_PROC, 1};
    static const char *const chem[] = {"chem", NULL};
    static const struct quota q = {
        .name = "account chem", .accounts = chem, .limits = &limit, .n = 1};
    struct scenario *s = begin("");
    struct event ev = {.kind = EVENT_QUOTAS,
        .u.quotas = {.source = "Slurm", .rm = "far", .v = &q, .n = 1}};
    struct err err;

    (void)state;
    sc_at(s, 0);
    assert_int_equal(sc_apply(s, ev, &err), 0);
    for (int i = 0; i < 4; i++)
        sc_job(s, (struct sc_job){.id = ((const char *const[]){"a", "b", "c", "d"})[i],
                      .rm = i % 2 ? "far" : NULL,
                      .procs = 1,
                      .limit_s = 100,
                      .account = "chem"});
    sc_at(s, 1);
    assert_int_equal(sc_start(s, "a"), 0);
    assert_int_equal(sc_start(s, "b"), 0);
    assert_int_equal(sc_start(s, "c"), 0);
    assert_int_equal(sc_why_code(s, "d"), WAIT_LIMIT);
    sc_destroy(s);
}

static void a_node_of_two_managers_is_refused(void **state)
{
    struct scenario *s = begin("");
    struct event ev = {
        .kind = EVENT_NODE, .u.node = {.name = "f1", .cfg = {{1, 0, 0, 0}}}};
    struct err err;

    (void)state;
    assert_int_equal(sc_apply(s, ev, &err), -1);
    assert_non_null(strstr(err.text, "two resource managers"));
    sc_destroy(s);
}

static void what_cannot_be_asked_is_not_fulfilled(void **state)
{
    static struct dep on_far[] = {{DEP_COMPLETED, "far.9"}, {0}};
    static struct dep on_first[] = {{DEP_SUCCESS, "9.head"}, {0}};
    struct scenario *s = begin("");

    (void)state;
    sc_at(s, 0);
    go_away(s, "far", true);
    sc_job(
        s, (struct sc_job){.id = "waits", .procs = 1, .limit_s = 10, .deps = on_far});
    sc_job(
        s, (struct sc_job){.id = "goes", .procs = 1, .limit_s = 10, .deps = on_first});
    sc_at(s, 1);
    assert_int_equal(sc_why_code(s, "waits"), WAIT_DEPENDENCY);
    assert_int_equal(sc_start(s, "goes"), 0); /* nobody knows it who could be asked */
    go_away(s, "far", false);
    sc_at(s, 2);
    assert_int_equal(sc_start(s, "waits"), 2);
    sc_destroy(s);
}

static void a_partition_that_cannot_be_made_gives_no_node_to_another(void **state)
{
    struct scenario *s = begin("");
    const struct cluster *c = engine_cluster(sc_engine(s));
    uint32_t before = node_find(c, "f1")->partition;

    (void)state;
    sc_configure(s, "NODECFG[f1] PARTITION=[ALL]\n");
    assert_int_equal(node_find(c, "f1")->partition, before);
    assert_int_equal(rmset_of_partition(c, node_find(c, "f1")->partition), 1);
    sc_destroy(s);
}

static void an_id_tells_whose_job_it_is(void **state)
{
    struct scenario *s = begin("");
    const struct cluster *c = engine_cluster(sc_engine(s));

    (void)state;
    assert_int_equal(rmset_of_id(c, "far.12"), 1);
    assert_int_equal(rmset_of_id(c, "far.12[].head"), 1);
    assert_int_equal(rmset_of_id(c, "12"), 0);
    assert_int_equal(rmset_of_id(c, "12.far"), 0);
    assert_int_equal(rmset_of_id(c, "farther.12"), 0);
    assert_int_equal(rmset_of_id(c, "far"), 0);
    sc_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_has_a_partition_of_its_own),
        cmocka_unit_test(
            a_partition_of_that_name_is_another_where_it_is_somebody_elses),
        cmocka_unit_test(a_job_starts_on_nodes_of_its_manager_alone),
        cmocka_unit_test(a_flag_to_span_partitions_does_not_mix_managers),
        cmocka_unit_test(a_partition_that_comes_later_is_not_for_jobs_of_others),
        cmocka_unit_test(limits_count_jobs_of_both),
        cmocka_unit_test(jobs_of_one_that_is_away_wait_and_others_do_not),
        cmocka_unit_test(nobody_is_cancelled_for_his_limit_while_his_manager_is_away),
        cmocka_unit_test(limits_of_a_manager_are_about_its_own_jobs),
        cmocka_unit_test(a_node_of_two_managers_is_refused),
        cmocka_unit_test(what_cannot_be_asked_is_not_fulfilled),
        cmocka_unit_test(a_partition_that_cannot_be_made_gives_no_node_to_another),
        cmocka_unit_test(an_id_tells_whose_job_it_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
