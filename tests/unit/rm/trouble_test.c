/* SPDX-License-Identifier: Apache-2.0
 * A full disk, a spool that goes and returns, nodes of every kind, wrong
 * configurations, control groups where there are some. */
#include "config/config.h"
#include "rm/local/cgroup.h"
#include "rm/local/record.h"
#include "rm_kit.h"
#include "rm_limit.h"

static void what_cannot_be_written_is_to_be_tried_again(void **state)
{
    struct kit *k = *state;
    struct kit_submission d;
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    char id[80];

    kit_submit(k, "true", id);
    sigaction(SIGXFSZ, &ignore, &before);
    kit_limit_files(1);
    kit_draft(k, &d, "true");
    assert_string_equal(kit_submit_it(k, &d), "");
    assert_int_equal(k->outcome, RM_RETRY);
    assert_false(k->healthy);
    assert_non_null(strstr(k->sick, "cannot write"));
    assert_int_equal(
        kit_command(
            k, (struct rm_command){.action = RM_HOLD, .job = id, .kinds = HOLD_USER}),
        RM_RETRY);
    assert_int_equal(kit_job(k, id)->holds, 0);
    assert_int_equal(kit_start(k, id, 0), RM_RETRY); /* its keeper writes as little */
    assert_int_equal(kit_job(k, id)->state, JOB_IDLE);
    kit_limit_files(0);
    sigaction(SIGXFSZ, &before, NULL);
    assert_string_not_equal(kit_submit_it(k, &d), "");
    assert_int_equal(kit_start(k, id, 0), RM_OK);
    assert_true(k->healthy);
    kit_until_state(k, id, JOB_COMPLETED);
}

static void a_spool_that_goes_is_told_and_found_again(void **state)
{
    struct kit *k = *state;
    struct kit_submission d;
    char away[100], id[80];

    kit_submit(k, "true", id);
    snprintf(away, sizeof away, "%s/away", k->dir);
    assert_int_equal(rename(k->spool, away), 0);
    k->rm->driver->poll(k->rm);
    kit_until(k, !k->healthy);
    assert_non_null(strstr(k->sick, "has gone"));
    assert_int_equal(kit_start(k, id, 0), RM_RETRY);
    kit_draft(k, &d, "true");
    assert_string_equal(kit_submit_it(k, &d), "");
    assert_int_equal(k->outcome, RM_RETRY);
    assert_int_equal(rename(away, k->spool), 0);
    k->jobs.n = 0;
    k->synced = false;
    k->rm->driver->poll(k->rm);
    kit_until(k, k->synced);
    assert_true(k->healthy);
    assert_int_equal(kit_start(k, id, 0), RM_OK);
    kit_until_state(k, id, JOB_COMPLETED);
}

static void without_a_list_the_machine_is_the_node(void **state)
{
    struct kit *k = *state;

    free(k->section.attrs.v[0].name);
    k->section.attrs.v[0].name = xstrdup("NAME"); /* no NODES */
    kit_reopen(k);
    assert_int_equal(k->nodes.n, 1);
    assert_int_equal(k->nodes.v[0].cfg.v[RES_PROCS], sysconf(_SC_NPROCESSORS_ONLN));
    assert_true(k->nodes.v[0].cfg.v[RES_MEM] > 0);
    assert_true(k->nodes.v[0].load >= 0);
}

static void nodes_are_as_nodecfg_describes_them(void **state)
{
    struct kit *k = *state;
    static const char text[] = "NODECFG[DEFAULT] CFGPROCS=9\nNODECFG[left] CFGPROCS=3\n"
                               "NODECFG[right] CFGPROCS=5 CFGMEM=100\n"
                               "NODECFG[remark] SPEED=2\n";
    struct config *c = config_load_text("maui.cfg", text, sizeof text - 1);

    free(k->section.attrs.v[0].name);
    k->section.attrs.v[0].name = xstrdup("NAME");
    k->settings = c->settings;
    kit_reopen(k);
    assert_int_equal(k->nodes.n, 2);
    assert_int_equal(kit_node(k, "left")->cfg.v[RES_PROCS], 3);
    assert_int_equal(kit_node(k, "right")->cfg.v[RES_PROCS], 5);
    assert_int_equal(kit_node(k, "right")->cfg.v[RES_MEM], 100);
    k->settings = NULL;
    config_destroy(c);
}

static void memory_is_shared_out_among_listed_nodes(void **state)
{
    struct kit *k = *state;
    int64_t each = kit_node(k, "node01")->cfg.v[RES_MEM];

    assert_int_equal(k->nodes.n, 2);
    assert_int_equal(kit_node(k, "node02")->cfg.v[RES_PROCS], 4);
    assert_in_range(
        each * 2, sysconf(_SC_PHYS_PAGES) / 256 - 2, sysconf(_SC_PHYS_PAGES) / 256 + 2);
}

static void wrong_configurations_are_refused(void **state)
{
    static const char *const wrong[][3] = {{"NODES", "many", "expected N or NxP"},
        {"NODES", "0", "expected N or NxP"}, {"NODES", "3x", "expected N or NxP"},
        {"NODES", "3x4x5", "expected N or NxP"},
        {"SPOOLDIR", "spool", "not an absolute path"}, {"KEEPTIME", "soon", "KEEPTIME"},
        {"SPOOLDIR", "/proc/no/such", "cannot make the spool"}};
    struct kit *k = *state;
    const struct rm_driver *driver = rm_driver_find("LOCAL", NULL);
    struct rm_sink sink = {kit_report, k};
    sd_event *loop;

    assert_int_equal(sd_event_new(&loop), 0);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct raw_attr attr = {
            .name = (char *)wrong[i][0], .value = (char *)wrong[i][1]};
        struct raw_object section = {.attrs = {&attr, 1, 1}};
        struct rm_cfg cfg = {.name = "w", .section = &section, .spool = "/tmp/no/such"};
        struct err err = {0};

        assert_null(driver->open(&cfg, loop, &sink, &err));
        if (strstr(err.text, wrong[i][2]) == NULL)
            fail_msg("%s=%s: %s", wrong[i][0], wrong[i][1], err.text);
    }
    sd_event_unref(loop);
}

/* The table of parameters says which kinds there are drivers for. */
static void a_configuration_is_usable_when_there_is_a_driver(void **state)
{
    static const char *const types[] = {"LOCAL", "SLURM", "LL", "PBS", "WIKI", "SGE",
        "SSS", "LSF", "RMS", "NATIVE", "OTHER"};
    struct err err;
    char text[60];

    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        int len = snprintf(text, sizeof text, "RMCFG[a] TYPE=%s\n", types[i]);
        struct config *c = config_load_text("maui.cfg", text, (size_t)len);
        bool driven = true;

        config_judge(c, &(struct config_use){0}, &err);
        for (size_t k = 0; k < c->findings.n; k++)
            driven = driven
                     && (c->findings.v[k].rule == NULL
                         || strcmp(c->findings.v[k].rule, "no-driver") != 0);
        assert_int_equal(driven, rm_driver_find(types[i], NULL) != NULL);
        config_destroy(c);
    }
}

static void an_unknown_driver_is_told_with_the_nearest(void **state)
{
    struct err err;

    (void)state;
    assert_null(rm_driver_find("LOCALE", &err));
    assert_string_equal(
        err.text, "no resource manager of type 'LOCALE'; did you mean 'LOCAL'?");
    assert_null(rm_driver_find("xyz", &err));
    assert_non_null(rm_driver_find("local", &err));
}

/* Where there is no control group to be had, signals do the same. */
static void control_groups_are_used_where_they_can_be(void **state)
{
    struct kit *k = *state;
    char id[80], own[1024], group[1200], path[200];
    struct run run;
    size_t len;
    char *text;
    long before;

    free(k->section.attrs.v[2].name);
    k->section.attrs.v[2].name = xstrdup("NAME"); /* no CGROUP=NONE */
    kit_reopen(k);
    kit_run(k,
        "#!/bin/sh\ni=1\nwhile :; do i=$((i+1)); echo $i >n.new; mv n.new n; sleep "
        "0.01; done\n",
        id);
    kit_number(k, "n");
    cgroup_own(own, sizeof own);
    snprintf(path, sizeof path, "%s/jobs/%s/run.json", k->spool, id);
    text = folder_read(AT_FDCWD, path, &len, NULL);
    assert_int_equal(run_read(text, len, &run, NULL), 0);
    free(text);
    snprintf(group, sizeof group, "%s/maui.%s.%.8s", own, id, run.cookie);
    run_fini(&run);
    assert_int_equal(kit_do(k, RM_SUSPEND, id), RM_OK);
    usleep(50000);
    before = kit_number(k, "n");
    usleep(50000);
    assert_int_equal(kit_number(k, "n"), before);
    assert_int_equal(kit_do(k, RM_RESUME, id), RM_OK);
    kit_until(k, kit_number(k, "n") > before);
    assert_int_equal(kit_do(k, RM_CANCEL, id), RM_OK);
    kit_until_state(k, id, JOB_REMOVED);
    for (int i = 0; i < 500 && access(group, F_OK) == 0; i++)
        usleep(10000);
    assert_int_not_equal(access(group, F_OK), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, kit_setup, kit_teardown)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(what_cannot_be_written_is_to_be_tried_again),
        TEST(a_spool_that_goes_is_told_and_found_again),
        TEST(without_a_list_the_machine_is_the_node),
        TEST(nodes_are_as_nodecfg_describes_them),
        TEST(memory_is_shared_out_among_listed_nodes),
        TEST(wrong_configurations_are_refused),
        TEST(a_configuration_is_usable_when_there_is_a_driver),
        TEST(an_unknown_driver_is_told_with_the_nearest),
        TEST(control_groups_are_used_where_they_can_be),
    };

    RM_KIT_KEEPER;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
