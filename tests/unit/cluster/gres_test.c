/* SPDX-License-Identifier: Apache-2.0
 * Tests of cluster/gres: the pseudo node GLOBAL and what floats. */
#include "cluster/partition.h"
#include "config/nodecfg.h"
#include "fixture.h"

static struct gres_cfg lic1[] = {{(char *)"lic", 1}, {NULL, 0}};

static void configure_global(struct fixture *f, int64_t count)
{
    gres_list_fini(&settings_node(f->s, "GLOBAL")->gres);
    vec_push(&settings_node(f->s, "GLOBAL")->gres,
        ((struct gres_cfg){xstrdup("lic"), count}));
    configure(f);
}

static uint32_t lic(const struct fixture *f)
{
    return names_find(f->c->gres, "lic");
}

static struct job *licensed(
    struct fixture *f, const char *id, uint32_t tasks, uint32_t node)
{
    struct job *j = job_of(f, id, 0, &(struct req_desc){.tasks = tasks, .gres = lic1});
    give(j, node, 1, tasks);
    return j;
}

static void without_its_section_there_is_no_global_node(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(f->c->global_node, INDEX_NONE);
    assert_false(gres_is_floating(f->c, 0));
    assert_int_equal(gres_floating_free(f->c, 0), 0);
}

static void a_resource_manager_may_tell_of_the_global_node(void **state)
{
    struct fixture *f = *state;
    struct gres_cfg told[] = {{(char *)"lic", 3}, {NULL, 0}};
    struct node_desc d = {.name = "GLOBAL", .state = NODE_IDLE, .gres = told};

    node(f, "n1", 4);
    assert_int_equal(node_report(f->c, &d, 0, NULL, &f->err), 0);
    assert_true(gres_is_floating(f->c, lic(f)));
    assert_int_equal(gres_floating_free(f->c, lic(f)), 3);
    told[0].count = 5;
    assert_int_equal(node_report(f->c, &d, 0, NULL, &f->err), 0);
    assert_int_equal(gres_floating_free(f->c, lic(f)), 5);
    assert_int_equal(f->c->cfg_total.v[RES_PROCS], 4);
}

static void the_global_node_counts_in_no_total(void **state)
{
    struct fixture *f = *state;

    node(f, "n1", 4);
    configure_global(f, 10);
    const struct node *g = node_find(f->c, "GLOBAL");
    assert_int_equal(f->c->global_node, g->index);
    assert_true(g->global && node_is_up(g));
    assert_int_equal(f->c->partitions.v[0]->node_count, 1);
    assert_int_equal(f->c->cfg_total.v[RES_PROCS], 4);
    assert_int_equal(node_gres(g, lic(f)), 10);
    configure(f);
    assert_int_equal(f->c->nodes.n, 2);
}

static void floating_resources_are_counted_by_the_task(void **state)
{
    struct fixture *f = *state;

    configure_global(f, 5);
    node(f, "n1", 4);
    node(f, "n2", 1);
    struct job *a = licensed(f, "a", 4, 1), *b = licensed(f, "b", 1, 2);
    struct job *c = licensed(f, "c", 1, 1);
    assert_true(gres_is_floating(f->c, lic(f)));
    start(f, a, 0);
    assert_int_equal(gres_floating_free(f->c, lic(f)), 1);
    start(f, b, 0);
    assert_int_equal(gres_floating_free(f->c, lic(f)), 0);
    stop(f, a, EV_COMPLETE, 1);
    assert_int_equal(gres_floating_free(f->c, lic(f)), 4);
    start(f, c, 1);
    assert_int_equal(node_at(f->c, f->c->global_node)->jobs.n, 2);
}

static void a_start_without_enough_of_them_takes_nothing(void **state)
{
    struct fixture *f = *state;

    configure_global(f, 1);
    struct node *n = node(f, "n1", 4);
    start_refused(
        f, licensed(f, "a", 2, 1), "needs 2 of floating resource 'lic', 1 are left");
    assert_true(node_is_free(f->c, n));
    assert_int_equal(gres_floating_free(f->c, lic(f)), 1);
}

static void on_a_real_node_it_floats_no_more(void **state)
{
    struct fixture *f = *state;
    struct gres_cfg some[] = {{"lic", 2}, {NULL, 0}};

    configure_global(f, 5);
    node(f, "n1", 4);
    struct job *a = licensed(f, "a", 2, 1);
    start(f, a, 0);
    struct node *n =
        report(f, &(struct node_desc){.name = "n1", .cfg = {{4, 1024}}, .gres = some});
    assert_false(gres_is_floating(f->c, lic(f)));
    node_unfold(f->c, n);
    assert_int_equal(n->gres_ded.v[0].count, 2);
    assert_int_equal(node_at(f->c, 0)->gres_ded.v[0].count, 0);
    stop(f, a, EV_COMPLETE, 1);
    assert_int_equal(n->gres_ded.v[0].count, 0);
}

static void tasks_never_run_on_the_global_node(void **state)
{
    struct fixture *f = *state;
    struct job *j = job(f, "a", 1);

    configure_global(f, 5);
    give(j, f->c->global_node, 1, 1);
    start_refused(f, j, "GLOBAL");
}

static void nodecfg_and_the_rm_both_give_generic_resources(void **state)
{
    struct fixture *f = *state;
    struct gres_cfg told[] = {{"tape", 3}, {NULL, 0}};

    vec_push(&settings_node(f->s, "n1")->gres, ((struct gres_cfg){xstrdup("tape"), 9}));
    vec_push(&settings_node(f->s, "n1")->gres, ((struct gres_cfg){xstrdup("fax"), 1}));
    configure(f);
    struct node *n =
        report(f, &(struct node_desc){.name = "n1", .cfg = {{1}}, .gres = told});
    assert_int_equal(node_gres(n, names_find(f->c->gres, "tape")), 3);
    assert_int_equal(node_gres(n, names_find(f->c->gres, "fax")), 1);
    assert_int_equal(node_gres(n, NAME_NONE), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(without_its_section_there_is_no_global_node),
        T(a_resource_manager_may_tell_of_the_global_node),
        T(the_global_node_counts_in_no_total),
        T(floating_resources_are_counted_by_the_task),
        T(a_start_without_enough_of_them_takes_nothing),
        T(on_a_real_node_it_floats_no_more),
        T(tasks_never_run_on_the_global_node),
        T(nodecfg_and_the_rm_both_give_generic_resources),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
