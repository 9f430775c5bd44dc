/* SPDX-License-Identifier: Apache-2.0
 * Settings of an empty maui.cfg, against the BUILD column of reference parameters.md;
 * and the objects they hold. */
#include "base/timeval.h"
#include "config/settings.h"
#include "kit.h"

static void defaults_of_priority_and_fairshare(void **state)
{
    struct settings *s = settings_create();

    (void)state;
    for (int c = 0; c < PRIO_COMPS; c++) {
        assert_true(s->prio.comp_weight[c] == 1);
        assert_true(s->prio.comp_cap[c] == 0);
    }
    for (int i = 0; i < PRIO_SUBS; i++) {
        assert_true(s->prio.weight[i] == (i == PRIO_QUEUETIME ? 1 : 0));
        assert_true(s->prio.cap[i] == 0);
    }
    assert_int_equal(s->prio.xfminwclimit_s, 120);
    assert_int_equal(s->prio.accrual, ACCRUE_QUEUEPOLICY);
    assert_false(s->prio.use_system_queue_time);
    assert_false(s->prio.enable_negative);
    assert_true(s->prio.reject_negative);
    assert_int_equal(s->fs.policy, FS_OFF);
    assert_int_equal(s->fs.interval_s, 43200);
    assert_int_equal(s->fs.depth, 8);
    assert_true(s->fs.decay == 1.0);
    settings_destroy(s);
}

static void defaults_of_the_global_partition(void **state)
{
    struct settings *s = settings_create();
    const struct par_settings *p = &s->par.v[0];

    (void)state;
    assert_int_equal(s->par.n, 1);
    assert_null(p->name);
    assert_int_equal(p->bf_policy, BACKFILL_FIRSTFIT);
    assert_int_equal(p->bf_metric, BFMETRIC_PROCS);
    assert_int_equal(p->bf_order, BFORDER_WIDESTFIRST);
    assert_int_equal(p->bf_depth, 0);
    assert_int_equal(p->bf_max_schedules, 10000);
    assert_int_equal(p->rsv_policy, RSVPOLICY_CURRENTHIGHEST);
    assert_int_equal(p->rsv_threshold, RSVTHRESHOLD_NONE);
    assert_int_equal(p->nodealloc, NODEALLOC_LASTAVAILABLE);
    for (int r = 0; r < AVAIL_RES_COUNT; r++)
        assert_int_equal(p->avail[r], AVAIL_COMBINED);
    assert_int_equal(p->load_policy, LOAD_ADJUSTSTATE);
    assert_int_equal(p->nodeset.policy, NODESET_OFF);
    assert_int_equal(p->nodeset.attr, NODESET_ATTR_UNSET);
    assert_int_equal(p->nodeset_prio, NODESET_MINLOSS);
    assert_int_equal(p->max_proc_per_job, 0);
    assert_int_equal(p->max_wclimit_s, 0);
    assert_false(p->use_machine_speed);
    settings_destroy(s);
}

static void defaults_of_everything_else(void **state)
{
    struct settings *s = settings_create();

    (void)state;
    assert_int_equal(s->default_wclimit_s, 864000);
    assert_int_equal(s->job_max_overrun_s, 0);
    assert_int_equal(s->wc_action, WC_CANCEL);
    assert_int_equal(s->preempt_policy, PREEMPT_REQUEUE);
    assert_true(s->enable_multinode_jobs);
    assert_false(s->enable_multireq_jobs);
    assert_false(s->match_exactnode || s->match_exactproc);
    assert_int_equal(s->node_access, ACCESS_SHARED);
    assert_int_equal(s->node_purge_s, DURATION_UNLIMITED);
    assert_int_equal(s->job_sync_s, 600);
    assert_int_equal(s->defer_time_s, 3600);
    assert_int_equal(s->defer_count, 24);
    assert_int_equal(s->defer_start_count, 1);
    assert_int_equal(s->node_down_delay_s, 0);
    assert_int_equal(s->rm_poll_interval_s, 60);
    assert_int_equal(s->notification_interval_s, 600);
    assert_int_equal(s->sim_initial_queue_depth, 16);
    assert_true(s->sim_wc_scaling_percent == 100);
    assert_int_equal(s->res_depth, 24);
    for (int x = 0; x < RSV_GROUPS_MAX; x++) {
        assert_int_equal(s->rsv_groups[x].depth, x == 0 ? 1 : 0);
        assert_true(s->rsv_groups[x].all);
        assert_int_equal(s->rsv_retry_s[x], 0);
    }
    settings_destroy(s);
    settings_destroy(NULL);
}

static void objects_are_found_or_made(void **state)
{
    struct settings *s = settings_create();

    (void)state;
    for (int k = 0; k < CRED_KINDS; k++)
        assert_string_equal(s->creds[k].v[0].name, "DEFAULT");
    assert_string_equal(s->nodes.v[0].name, "DEFAULT");
    assert_null(settings_find_cred(s, CRED_USER, "ann"));
    settings_cred(s, CRED_USER, "ann")->priority = 7;
    assert_int_equal(settings_find_cred(s, CRED_USER, "ann")->priority, 7);
    assert_int_equal(settings_cred(s, CRED_USER, "ann")->overrun_s, -1);
    assert_null(settings_find_cred(s, CRED_GROUP, "ann"));
    assert_int_equal(s->creds[CRED_USER].n, 2);
    assert_ptr_equal(settings_cred(s, CRED_USER, "DEFAULT"), &s->creds[CRED_USER].v[0]);
    assert_null(settings_find_node(s, "n1"));
    assert_int_equal(settings_node(s, "n1")->maxjob, -1);
    assert_int_equal(s->nodes.n, 2);
    settings_destroy(s);
}

static void a_partition_begins_as_a_copy_of_the_global_set(void **state)
{
    struct settings *s = settings_create();
    struct par_settings *p;

    (void)state;
    s->par.v[0].bf_depth = 5;
    text_list_add(&s->par.v[0].nodeset.list, "via");
    assert_null(settings_find_par(s, "math"));
    p = settings_par(s, "math");
    assert_int_equal(p->bf_depth, 5);
    assert_string_equal(p->nodeset.list.v[0], "via");
    assert_ptr_not_equal(p->nodeset.list.v[0], s->par.v[0].nodeset.list.v[0]);
    assert_ptr_equal(settings_par(s, "math"), &s->par.v[1]);
    assert_ptr_equal(settings_par(s, NULL), &s->par.v[0]);
    settings_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_of_priority_and_fairshare),
        cmocka_unit_test(defaults_of_the_global_partition),
        cmocka_unit_test(defaults_of_everything_else),
        cmocka_unit_test(objects_are_found_or_made),
        cmocka_unit_test(a_partition_begins_as_a_copy_of_the_global_set),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
