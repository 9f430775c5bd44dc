/* SPDX-License-Identifier: Apache-2.0
 * Start and run priority: the formula and the examples of reference priority. */
#include "config/settings.h"
#include "policy/fairshare.h"
#include "policy/priority.h"
#include "world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define NOW 1000000

/* A job that has been eligible for so long at NOW. */
static struct job *waiting(struct world *w, int64_t queue_s)
{
    struct job *j = world_job(w);

    j->submit_at = j->queue_at = NOW - queue_s;
    return j;
}

/* Both forms of the formula, which must agree. */
static int64_t priority_of(struct world *w, struct job *j)
{
    struct prio_parts parts;

    prio_update(w->c, &j->index, 1, NOW);
    prio_explain(w->c, j, NOW, &parts);
    assert_int_equal(parts.priority, job_priority(w->c, j));
    return job_priority(w->c, j);
}

/* ---- worked examples -------------------------------------------------------- */

static void example_8_1_default_is_minutes_queued(void **state)
{
    struct world *w = *state;

    assert_int_equal(priority_of(w, waiting(w, 4 * 3600 + 20 * 60)), 260);
}

/* Settings, credentials and job of example 8.2. */
static struct job *example_8_2(struct world *w)
{
    struct prio_settings *s = &w->s->prio;
    struct job *j;

    s->comp_weight[PRIO_CRED] = 2;
    s->weight[PRIO_USER] = 1;
    s->weight[PRIO_GROUP] = 2;
    s->weight[PRIO_QOS] = 3;
    s->weight[PRIO_CLASS] = 1;
    s->weight[PRIO_XFACTOR] = 10;
    s->weight[PRIO_BYPASS] = 5;
    s->comp_weight[PRIO_RES] = 5;
    s->weight[PRIO_PROC] = 4;
    world_section(w, CRED_USER, "ann")->priority = 100;
    world_section(w, CRED_GROUP, "phys")->priority = 50;
    world_section(w, CRED_QOS, "gold")->priority = 200;
    world_section(w, CRED_CLASS, "batch")->priority = 10;
    world_configure(w);

    j = waiting(w, 5400);
    j->cred[CRED_USER] = world_cred(w, CRED_USER, "ann");
    j->cred[CRED_GROUP] = world_cred(w, CRED_GROUP, "phys");
    j->cred[CRED_QOS] = world_cred(w, CRED_QOS, "gold");
    j->cred[CRED_CLASS] = world_cred(w, CRED_CLASS, "batch");
    j->procs = 16;
    w->c->bypasses.v[j->index] = 2;
    return j;
}

static void example_8_2_several_components(void **state)
{
    struct world *w = *state;
    struct job *j = example_8_2(w);
    struct prio_parts parts;

    assert_int_equal(priority_of(w, j), 2065);
    prio_explain(w->c, j, NOW, &parts);
    assert_near(parts.comp[PRIO_CRED], 810);
    assert_near(parts.weighted[PRIO_CRED], 1620);
    assert_near(parts.value[PRIO_XFACTOR], 2.5);
    assert_near(parts.weighted[PRIO_SERV], 125);
    assert_near(parts.comp[PRIO_RES], 64);
    assert_near(parts.weighted[PRIO_RES], 320);
}

static void example_8_3_component_cap_is_before_its_weight(void **state)
{
    struct world *w = *state;
    struct prio_settings *s = &w->s->prio;
    struct job *j = waiting(w, 0);

    s->comp_weight[PRIO_RES] = 5;
    s->weight[PRIO_PROC] = 10;
    s->weight[PRIO_MEM] = 2;
    j->procs = 16;
    j->mem_mb = 16 * 512;
    assert_int_equal(priority_of(w, j), 5 * 16544);
    s->comp_cap[PRIO_RES] = 1000;
    world_configure(w);
    assert_int_equal(priority_of(w, j), 5000);
}

static void example_8_3_subcomponent_cap_is_before_its_weight(void **state)
{
    struct world *w = *state;
    struct job *j = waiting(w, 90 * 60);

    w->s->prio.weight[PRIO_QUEUETIME] = 10;
    assert_int_equal(priority_of(w, j), 900);
    w->s->prio.cap[PRIO_QUEUETIME] = 60;
    assert_int_equal(priority_of(w, j), 600);
}

static void example_8_4_qos_weight_adds_to_the_global_one(void **state)
{
    struct world *w = *state;
    struct job *special = waiting(w, 600), *other = waiting(w, 600);

    world_section(w, CRED_QOS, "special")->qt_weight = 5000;
    world_configure(w);
    special->cred[CRED_QOS] = world_cred(w, CRED_QOS, "special");
    assert_int_equal(priority_of(w, special), 50010);
    assert_int_equal(priority_of(w, other), 10);
}

static void example_8_5_system_priority(void **state)
{
    struct world *w = *state;
    struct job *j = example_8_2(w);
    struct err err;

    assert_int_equal(prio_set_system(j, false, 5, &err), 0);
    assert_int_equal(priority_of(w, j), 1000000005);
    assert_int_equal(prio_set_system(j, true, 100, &err), 0);
    assert_int_equal(priority_of(w, j), 2165);
    assert_int_equal(prio_set_system(j, false, 0, &err), 0);
    assert_int_equal(priority_of(w, j), 2065);
}

static void a_user_priority_is_added_behind_the_floor(void **state)
{
    struct world *w = *state;
    struct job *j = waiting(w, 3600);

    j->user_priority = -100;
    job_note_priority(w->c, j);
    assert_int_equal(priority_of(w, j), -40);
    j->user_priority = 100; /* nobody lets users raise their own jobs */
    assert_int_equal(priority_of(w, j), 60);
    j->admitted = true; /* the resource manager has seen to it */
    assert_int_equal(priority_of(w, j), 160);
    j->admitted = false;
    w->s->prio.enable_positive_user = true;
    w->s->prio.user_weight = 2;
    assert_int_equal(priority_of(w, j), 260);
    w->s->prio.user_weight = 0;
    assert_int_equal(priority_of(w, j), 60);
}

static void a_fixed_priority_stands_in_place_of_the_formula(void **state)
{
    struct world *w = *state;
    struct job *j = example_8_2(w);
    struct err err;

    j->fixed_priority = 7;
    j->user_priority = -100;
    job_note_priority(w->c, j);
    assert_int_equal(priority_of(w, j), 7);
    assert_int_equal(prio_set_system(j, true, 100, &err), 0);
    assert_int_equal(priority_of(w, j), 107);
    assert_int_equal(prio_set_system(j, false, 5, &err), 0);
    assert_int_equal(priority_of(w, j), 1000000005);
}

static void a_tier_goes_before_all_priorities(void **state)
{
    struct world *w = *state;
    struct job *j = waiting(w, 3600), *low = waiting(w, 3600);
    struct prio_parts parts;
    struct err err;

    j->tier = 1;
    j->user_priority = -100;
    job_note_priority(w->c, j);
    assert_int_equal(priority_of(w, j), PRIORITY_TIER - 40);
    assert_int_equal(prio_set_system(low, false, 1000, &err), 0);
    assert_true(priority_of(w, low) < priority_of(w, j));
    low->fixed_priority = UINT32_MAX; /* as much as Slurm takes */
    assert_int_equal(prio_set_system(low, false, 0, &err), 0);
    job_note_priority(w->c, low);
    assert_true(priority_of(w, low) < priority_of(w, j));
    prio_explain(w->c, j, NOW, &parts);
    assert_int_equal(parts.tier, PRIORITY_TIER);
}

/* It is a part of the formula, so the order of the queue can be kept. */
static void a_tier_alone_is_no_exception(void **state)
{
    struct world *w = *state;
    struct job *j = waiting(w, 3600);
    struct prio_own own;
    struct prio_creds of;
    struct prio_pass pass;

    j->tier = JOB_TIER_MAX;
    job_note_priority(w->c, j);
    assert_false(j->flags & JOB_OWNPRIO);
    prio_begin(w->c, NOW, &pass);
    prio_own_of(&pass, j, &own);
    prio_creds_of(&pass, j->cred, &of);
    assert_int_equal(prio_from(&pass, &own, &of), priority_of(w, j));
    assert_true(priority_of(w, j) > JOB_TIER_MAX * PRIORITY_TIER);
}

/* bob of example 8.6, waiting 30 minutes */
static struct job *bob(struct world *w)
{
    struct job *j;

    w->s->prio.weight[PRIO_USER] = 1;
    world_section(w, CRED_USER, "bob")->priority = -1000;
    world_configure(w);
    j = waiting(w, 1800);
    j->cred[CRED_USER] = world_cred(w, CRED_USER, "bob");
    return j;
}

static void example_8_6_negative_priority_is_clipped_to_1(void **state)
{
    struct world *w = *state;

    assert_int_equal(priority_of(w, bob(w)), 1);
}

static void example_8_6_negative_priority_is_kept_when_enabled(void **state)
{
    struct world *w = *state;
    struct job *j = bob(w);

    w->s->prio.enable_negative = true;
    assert_int_equal(priority_of(w, j), -970);
    j->queue_at = NOW - 1000 * 60;
    assert_int_equal(priority_of(w, j), 0);
}

/* The running job of example 8.7. */
static struct job *running(struct world *w)
{
    struct job *j = world_job(w);

    w->s->prio.weight[PRIO_PERCENT] = 10;
    j->state = JOB_RUNNING;
    j->procs = 8;
    j->wclimit_s = 4 * 3600;
    j->start_at = NOW - 3600;
    w->c->priorities.v[j->index] = 500;
    return j;
}

static void example_8_7_run_priority(void **state)
{
    struct world *w = *state;
    struct job *j = running(w);
    struct prio_parts parts;

    prio_explain(w->c, j, NOW, &parts);
    assert_near(parts.value[PRIO_CONSUMED], 28800);
    assert_near(parts.value[PRIO_REMAINING], 86400);
    assert_near(parts.value[PRIO_PERCENT], 25);
    assert_near(parts.value[PRIO_EXECUTIONTIME], 3600);
    assert_int_equal(prio_run(w->c, j, NOW), 750);
}

/* ---- run priority ----------------------------------------------------------- */

static void usage_caps_bound_the_run_priority(void **state)
{
    struct world *w = *state;
    struct job *j = running(w);

    w->s->prio.cap[PRIO_PERCENT] = 20;
    assert_int_equal(prio_run(w->c, j, NOW), 700);
    w->s->prio.comp_cap[PRIO_USAGE] = 150;
    w->s->prio.comp_weight[PRIO_USAGE] = 2;
    assert_int_equal(prio_run(w->c, j, NOW), 800);
}

static void time_suspended_is_not_time_used(void **state)
{
    struct world *w = *state;
    struct job *j = running(w);

    j->suspended_s = 1800;
    assert_int_equal(prio_run(w->c, j, NOW), 500 + 125);
    j->state = JOB_SUSPENDED;
    j->suspend_at = NOW - 900;
    assert_int_equal(prio_run(w->c, j, NOW), 500 + 62);
}

static void an_overrunning_job_has_nothing_left(void **state)
{
    struct world *w = *state;
    struct job *j = running(w);
    struct prio_parts parts;

    j->start_at = NOW - 5 * 3600;
    prio_explain(w->c, j, NOW, &parts);
    assert_near(parts.value[PRIO_REMAINING], 0);
    assert_near(parts.value[PRIO_PERCENT], 125);
}

static void usage_does_not_enter_the_start_priority(void **state)
{
    struct world *w = *state;
    struct job *j = running(w);

    j->submit_at = j->queue_at = NOW - 600;
    assert_int_equal(priority_of(w, j), 10);
}

static void a_waiting_job_has_no_usage(void **state)
{
    struct world *w = *state;
    struct job *j = running(w);

    j->state = JOB_IDLE;
    assert_int_equal(prio_run(w->c, j, NOW), 500);
}

/* ---- expansion factor and targets ------------------------------------------- */

static void xfactor_is_the_guides(void **state)
{
    static const struct {
        int64_t queue_s, wclimit_s, minimum_s;
        double xfactor;
    } rows[] = {
        {3600, 3600, 120, 2.00}, {3600, 4 * 3600, 120, 1.25}, {600, 120, 120, 6.00},
        {600, 60, 120, 6.00}, {600, 60, 0, 11.00},
        {0, 0, 0, 1.00}, /* no limit at all: nothing is divided by 0 */
    };
    struct world *w = *state;

    w->s->prio.weight[PRIO_XFACTOR] = 100;
    w->s->prio.weight[PRIO_QUEUETIME] = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct job *j = waiting(w, rows[i].queue_s);

        j->wclimit_s = rows[i].wclimit_s;
        w->s->prio.xfminwclimit_s = rows[i].minimum_s;
        assert_int_equal(priority_of(w, j), (int64_t)(100 * rows[i].xfactor));
    }
}

static void target_queue_time_grows_as_the_table_says(void **state)
{
    static const struct {
        int64_t remaining_s;
        double value;
    } rows[] = {{14400, 4.8e-9}, {400, 6.25e-6}, {1, 1}, {0, 1e8}, {-5000, 1e8}};
    struct world *w = *state;
    struct prio_parts parts;

    world_section(w, CRED_QOS, "fast")->qt_target_s = 20000;
    world_configure(w);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct job *j = waiting(w, 20000 - rows[i].remaining_s);

        j->cred[CRED_QOS] = world_cred(w, CRED_QOS, "fast");
        prio_explain(w->c, j, NOW, &parts);
        assert_true(fabs(parts.value[PRIO_TARGETQUEUETIME] - rows[i].value)
                    <= 0.01 * rows[i].value);
    }
}

static void target_xfactor_grows_as_the_table_says(void **state)
{
    static const struct {
        double remaining, value;
    } rows[] = {{4, 0.0625}, {1, 1}, {0.1, 100}, {0.01, 10000}, {0, 1e8}, {-3, 1e8}};
    struct world *w = *state;
    struct cred_cfg *fast = world_section(w, CRED_QOS, "fast");
    struct prio_parts parts;
    struct job *j;

    world_configure(w);
    j = waiting(w, 3600); /* xfactor 2 */
    j->cred[CRED_QOS] = world_cred(w, CRED_QOS, "fast");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fast->xf_target = 2 + rows[i].remaining;
        prio_explain(w->c, j, NOW, &parts);
        if (fast->xf_target > 0)
            assert_near(parts.value[PRIO_TARGETXFACTOR], rows[i].value);
    }
}

static void a_missed_target_is_tamed_by_its_cap(void **state)
{
    struct world *w = *state;
    struct job *j = waiting(w, 9000);

    world_section(w, CRED_QOS, "fast")->qt_target_s = 3600;
    w->s->prio.weight[PRIO_TARGETQUEUETIME] = 2;
    world_configure(w);
    j->cred[CRED_QOS] = world_cred(w, CRED_QOS, "fast");
    assert_int_equal(priority_of(w, j), 200000000 + 150);
    w->s->prio.cap[PRIO_TARGETQUEUETIME] = 1000;
    assert_int_equal(priority_of(w, j), 2000 + 150);
}

static void without_a_target_the_component_is_nothing(void **state)
{
    struct world *w = *state;
    struct job *j = waiting(w, 600);

    w->s->prio.weight[PRIO_TARGETQUEUETIME] = 1000;
    w->s->prio.weight[PRIO_TARGETXFACTOR] = 1000;
    world_configure(w);
    assert_int_equal(priority_of(w, j), 10);
}

/* ---- credentials ------------------------------------------------------------ */

static void priority_0_of_a_user_means_that_of_default(void **state)
{
    struct world *w = *state;
    struct job *named = waiting(w, 0), *nobody = waiting(w, 0);

    world_section(w, CRED_USER, "DEFAULT")->priority = 70;
    world_section(w, CRED_USER, "cleo");
    w->s->prio.weight[PRIO_USER] = 1;
    world_configure(w);
    named->cred[CRED_USER] = world_cred(w, CRED_USER, "cleo");
    assert_int_equal(priority_of(w, named), 70);
    assert_int_equal(priority_of(w, nobody), 70);
}

static void a_class_without_priority_has_that_of_the_rm_queue(void **state)
{
    struct world *w = *state;
    struct job *j = waiting(w, 0);

    w->s->prio.weight[PRIO_CLASS] = 1;
    world_section(w, CRED_CLASS, "DEFAULT")->priority = 5;
    world_configure(w);
    j->cred[CRED_CLASS] = world_cred(w, CRED_CLASS, "long");
    assert_int_equal(priority_of(w, j), 5);
    cred_get(w->c, CRED_CLASS, "long")->rm_priority = 33;
    assert_int_equal(priority_of(w, j), 33); /* noticed without a new configuration */
    world_section(w, CRED_CLASS, "long")->priority = 8;
    world_configure(w);
    assert_int_equal(priority_of(w, j), 8);
}

static void a_qos_has_only_its_own_priority(void **state)
{
    struct world *w = *state;
    struct job *j = waiting(w, 60);

    w->s->prio.weight[PRIO_QOS] = 1;
    world_section(w, CRED_QOS, "DEFAULT")->priority = 500;
    world_section(w, CRED_QOS, "plain");
    world_configure(w);
    j->cred[CRED_QOS] = world_cred(w, CRED_QOS, "plain");
    assert_int_equal(priority_of(w, j), 1);
}

static void a_groups_class_weight_replaces_the_global_one(void **state)
{
    struct world *w = *state;
    struct job *j = waiting(w, 0);

    w->s->prio.weight[PRIO_CLASS] = 1;
    world_section(w, CRED_CLASS, "batch")->priority = 10;
    world_section(w, CRED_GROUP, "phys")->class_weight = 7;
    world_configure(w);
    j->cred[CRED_CLASS] = world_cred(w, CRED_CLASS, "batch");
    assert_int_equal(priority_of(w, j), 10);
    j->cred[CRED_GROUP] = world_cred(w, CRED_GROUP, "phys");
    j->prio_epoch = 0; /* as whoever changes it does */
    assert_int_equal(priority_of(w, j), 70);
}

/* ---- resources -------------------------------------------------------------- */

static void every_resource_has_its_value(void **state)
{
    struct world *w = *state;
    struct taskdef def = {.per_task = {{2, 100, 30, 7}}},
                   odd = {.per_task = {{1, 5, -1, 1}}};
    struct req reqs[2] = {
        {.def = &def, .tasks = 3, .nodes = 2}, {.def = &odd, .tasks = 4, .nodes = 4}};
    struct job *j = waiting(w, 0);
    struct prio_parts parts;

    j->nreqs = 2;
    j->reqs = reqs;
    j->procs = 10;
    j->mem_mb = 320;
    w->c->cfg_total = (struct res){{100, 1600, 0, 0}};
    j->cred[CRED_USER] = world_cred(w, CRED_USER, "ann");
    cred_get(w->c, CRED_USER, "ann")->active.v[LIMIT_PROC] = 64;
    cred_get(w->c, CRED_USER, "ann")->active.v[LIMIT_JOB] = 3;
    prio_explain(w->c, j, NOW, &parts);
    assert_near(parts.value[PRIO_NODE], 6);
    assert_near(parts.value[PRIO_PROC], 10);
    assert_near(parts.value[PRIO_MEM], 320);
    assert_near(parts.value[PRIO_SWAP], 90); /* "all of the node" adds nothing */
    assert_near(parts.value[PRIO_DISK], 25);
    assert_near(parts.value[PRIO_PS], 36000);
    assert_near(parts.value[PRIO_PE], 3 * 6.25 + 4);
    assert_near(parts.value[PRIO_WALLTIME], 3600);
    assert_near(parts.value[PRIO_UPROC], 64);
    assert_near(parts.value[PRIO_UJOB], 3);
}

static void what_the_user_has_active_counts_at_once(void **state)
{
    struct world *w = *state;
    struct job *j = waiting(w, 0);
    struct cred *ann = cred_get(w->c, CRED_USER, "ann");

    w->s->prio.weight[PRIO_UPROC] = -2;
    w->s->prio.weight[PRIO_PROC] = 100;
    world_configure(w);
    j->cred[CRED_USER] = ann->index;
    assert_int_equal(priority_of(w, j), 100);
    ann->active.v[LIMIT_PROC] = 20;
    assert_int_equal(priority_of(w, j), 60);
}

/* ---- caching, bounds -------------------------------------------------------- */

static void a_changed_job_shows_when_marked_dirty(void **state)
{
    struct world *w = *state;
    struct job *j = waiting(w, 0);

    w->s->prio.weight[PRIO_PROC] = 1;
    j->procs = 5;
    assert_int_equal(priority_of(w, j), 5);
    j->procs = 9;
    j->prio_epoch = 0; /* as whoever changes it does */
    assert_int_equal(priority_of(w, j), 9);
}

static void changed_weights_show_at_the_next_cycle(void **state)
{
    struct world *w = *state;
    struct job *j = waiting(w, 0);

    w->s->prio.weight[PRIO_PROC] = 1;
    j->procs = 5;
    assert_int_equal(priority_of(w, j), 5);
    w->s->prio.weight[PRIO_PROC] = 3;
    world_configure(w);
    assert_int_equal(priority_of(w, j), 15);
}

static void other_cluster_totals_change_pe_at_the_next_cycle(void **state)
{
    struct world *w = *state;
    struct taskdef def = {.per_task = {{2, 768}}};
    struct job *j = waiting(w, 0);

    w->s->prio.weight[PRIO_PE] = 100;
    w->c->cfg_total = (struct res){{400, 102400}};
    j->req.def = &def;
    assert_int_equal(priority_of(w, j), 300); /* the example of section 2.1 */
    w->c->cfg_total.v[RES_MEM] = 51200;
    assert_int_equal(priority_of(w, j), 600);
}

static void priority_stops_at_its_ceiling(void **state)
{
    struct world *w = *state;
    struct job *j = waiting(w, 600);

    w->s->prio.weight[PRIO_PS] = 1e300;
    j->wclimit_s = DURATION_UNLIMITED;
    assert_int_equal(priority_of(w, j), PRIORITY_MAX);
    w->s->prio.weight[PRIO_PS] = -1e300;
    w->s->prio.enable_negative = true;
    world_configure(w);
    assert_true(priority_of(w, j) < -PRIORITY_MAX);
}

static void relative_system_priority_is_added_after_floor_and_ceiling(void **state)
{
    struct world *w = *state;
    struct job *j = waiting(w, 0);
    struct err err;

    assert_int_equal(prio_set_system(j, true, -300, &err), 0);
    assert_int_equal(priority_of(w, j), 1 - 300);
    assert_int_equal(prio_set_system(j, true, PRIORITY_MAX, &err), 0);
    assert_int_equal(priority_of(w, j), 1 + PRIORITY_MAX);
    w->s->prio.weight[PRIO_PS] = 1e9;
    world_configure(w);
    assert_int_equal(priority_of(w, j), 2 * PRIORITY_MAX);
}

static void a_system_priority_out_of_range_changes_nothing(void **state)
{
    static const struct {
        bool relative;
        int64_t n;
    } wrong[] = {{false, -1}, {false, 1001}, {false, INT64_MAX},
        {true, PRIORITY_MAX + 1}, {true, -PRIORITY_MAX - 1}, {true, INT64_MIN}};
    struct world *w = *state;
    struct job *j = waiting(w, 0);

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct err err = {0};

        assert_int_equal(prio_set_system(j, false, 7, NULL), 0);
        assert_int_equal(prio_set_system(j, wrong[i].relative, wrong[i].n, &err), -1);
        assert_int_equal(err.code, ERR_INVALID);
        assert_non_null(strstr(err.text, "out of range"));
        assert_int_equal(j->sys_priority, 7);
        assert_true(j->flags & JOB_SYSPRIO_SET);
        assert_false(j->flags & JOB_SYSPRIO_REL);
    }
}

static void every_part_has_a_name_and_a_component(void **state)
{
    (void)state;
    for (int s = 0; s < PRIO_SUBS; s++) {
        assert_non_null(prio_sub_name((enum prio_sub)s));
        assert_non_null(prio_comp_name(prio_comp_of((enum prio_sub)s)));
    }
    assert_int_equal(prio_comp_of(PRIO_QUEUETIME), PRIO_SERV);
    assert_string_equal(prio_sub_name(PRIO_QUEUETIME), "QTime");
    assert_string_equal(prio_comp_name(PRIO_TARG), "Targ");
}

/* ---- fairshare component ---------------------------------------------------- */

/* Give the credential that share of a total of 100 and that target. */
static void give_share(
    struct world *w, struct job *j, enum cred_kind kind, const char *name, double share)
{
    j->cred[kind] = world_cred(w, kind, name);
    fs_set_window(w->c, &cred_get(w->c, kind, name)->fs, 0, share);
}

/* The guide's example of reference fairshare, section 5. */
static void guide_example_of_the_fairshare_component(void **state)
{
    struct world *w = *state;
    struct prio_settings *s = &w->s->prio;
    struct job *j = waiting(w, 0);
    struct prio_parts parts;

    w->s->fs.policy = FS_DEDICATEDPS;
    s->enable_negative = true;
    s->comp_weight[PRIO_FS] = 100;
    s->weight[PRIO_FSUSER] = 10;
    s->weight[PRIO_FSGROUP] = 20;
    s->weight[PRIO_FSACCOUNT] = 30;
    s->weight[PRIO_FSQOS] = 40;
    world_section(w, CRED_USER, "A")->fstarget =
        (struct fs_target){FS_TARGET_PLAIN, 50};
    world_section(w, CRED_ACCOUNT, "C")->fstarget =
        (struct fs_target){FS_TARGET_PLAIN, 25};
    world_section(w, CRED_QOS, "D")->fstarget = (struct fs_target){FS_TARGET_FLOOR, 10};
    world_configure(w);
    give_share(w, j, CRED_USER, "A", 45);
    give_share(w, j, CRED_GROUP, "B", 65);
    give_share(w, j, CRED_ACCOUNT, "C", 35);
    give_share(w, j, CRED_QOS, "D", 25);
    give_share(w, j, CRED_CLASS, "E", 20);
    fs_set_window(w->c, &w->c->fs_total, 0, 100);

    assert_int_equal(priority_of(w, j), -25000);
    prio_explain(w->c, j, NOW, &parts);
    assert_near(parts.value[PRIO_FSUSER], 5);
    assert_near(parts.value[PRIO_FSGROUP], 0);
    assert_near(parts.value[PRIO_FSACCOUNT], -10);
    assert_near(parts.value[PRIO_FSQOS], 0);
    assert_near(parts.comp[PRIO_FS], -250);
    assert_near(parts.weighted[PRIO_FS], -25000);
}

/* Share 30.86 % of the own example, with that target. */
static double own_example(struct world *w, double fs_target)
{
    struct job *j = waiting(w, 0);
    struct prio_parts parts;

    w->s->fs.policy = FS_DEDICATEDPS;
    w->s->prio.comp_weight[PRIO_FS] = 10;
    w->s->prio.weight[PRIO_FSUSER] = 5;
    world_section(w, CRED_USER, "ann")->fstarget =
        (struct fs_target){FS_TARGET_PLAIN, fs_target};
    world_configure(w);
    give_share(w, j, CRED_USER, "ann", 400.96);
    fs_set_window(w->c, &w->c->fs_total, 0, 1299.2);
    priority_of(w, j);
    prio_explain(w->c, j, NOW, &parts);
    return parts.weighted[PRIO_FS];
}

static void own_example_of_the_fairshare_component(void **state)
{
    struct world *w = *state;

    assert_true(fabs(own_example(w, 25) - -293.1) < 0.05);
    w->s->prio.cap[PRIO_FSUSER] = 3;
    assert_near(own_example(w, 40), 150);
    w->s->prio.cap[PRIO_FSUSER] = 0;
    w->s->prio.comp_cap[PRIO_FS] = 20;
    assert_near(own_example(w, 40), 200);
}

/* ---- both forms agree ------------------------------------------------------- */

#define MANY 40

static double draw_weight(uint64_t *seed)
{
    double v = (double)draw_below(seed, 2000) / 7 - 100;

    switch (draw_below(seed, 4)) {
    case 0:
        return v;
    case 1:
        return (double)draw_below(seed, 100);
    default:
        return 0;
    }
}

static double draw_cap(uint64_t *seed)
{
    return draw_below(seed, 3) ? 0 : (double)draw_below(seed, 3000) / 3 - 10;
}

static void draw_settings(struct settings *s, uint64_t *seed)
{
    struct prio_settings *p = &s->prio;

    for (int comp = 0; comp < PRIO_COMPS; comp++) {
        p->comp_weight[comp] = draw_below(seed, 3) ? 1 : draw_weight(seed);
        p->comp_cap[comp] = draw_cap(seed);
    }
    for (int sub = 0; sub < PRIO_SUBS; sub++) {
        p->weight[sub] = draw_weight(seed);
        p->cap[sub] = draw_cap(seed);
    }
    p->weight[PRIO_ATTRATTR] = p->weight[PRIO_ATTRSTATE] = 0;
    p->xfminwclimit_s = draw_below(seed, 300);
    p->accrual = (enum accrual)draw_below(seed, 3);
    p->use_system_queue_time = draw_below(seed, 2);
    p->enable_negative = draw_below(seed, 2);
    s->fs.policy = (enum fs_policy)draw_below(seed, 3);
    s->fs.percent = draw_below(seed, 2);
}

static void draw_section(struct cred_cfg *cfg, uint64_t *seed)
{
    cfg->priority = draw_below(seed, 3) ? draw_below(seed, 2000) - 500 : 0;
    cfg->fstarget = (struct fs_target){
        (enum fs_target_type)draw_below(seed, 6), (double)draw_below(seed, 100)};
    cfg->class_weight = draw_below(seed, 3) ? 0 : draw_below(seed, 50);
    cfg->qt_weight = draw_below(seed, 3) ? 0 : (double)draw_below(seed, 100) / 3;
    cfg->xf_weight = draw_below(seed, 3) ? 0 : (double)draw_below(seed, 100) / 3;
    cfg->qt_target_s = draw_below(seed, 2) ? 0 : draw_below(seed, 20000);
    cfg->xf_target = draw_below(seed, 2) ? 0 : (double)draw_below(seed, 100) / 9;
}

static void draw_creds(struct world *w, uint64_t *seed)
{
    static const char *const names[] = {"DEFAULT", "a", "b", "c", "d"};

    for (int kind = 0; kind < CRED_KINDS; kind++)
        for (int i = 0; i < 5; i++)
            draw_section(world_section(w, (enum cred_kind)kind, names[i]), seed);
    world_configure(w);
    for (int kind = 0; kind < CRED_KINDS; kind++)
        for (size_t i = 1; i < w->c->creds[kind].n; i++) {
            struct cred *k = w->c->creds[kind].v[i];

            fs_set_window(w->c, &k->fs, 0, (double)draw_below(seed, 1000) / 3);
            k->active.v[LIMIT_PROC] = draw_below(seed, 500);
            k->active.v[LIMIT_JOB] = draw_below(seed, 50);
            k->rm_priority = draw_below(seed, 3);
        }
    fs_set_window(w->c, &w->c->fs_total, 0, (double)draw_below(seed, 3000) / 3);
}

static void draw_job(struct world *w, struct job *j, uint64_t *seed)
{
    for (int kind = 0; kind < CRED_KINDS; kind++)
        j->cred[kind] = (uint32_t)draw_below(seed, (int64_t)w->c->creds[kind].n);
    j->submit_at = NOW - draw_below(seed, 100000);
    j->queue_at = NOW - draw_below(seed, 100000);
    j->eff_queue_s = draw_below(seed, 50000) - 1;
    j->accruing = draw_below(seed, 2);
    j->preempt_count = (uint16_t)draw_below(seed, 2);
    j->procs = (uint32_t)draw_below(seed, 1000) + 1;
    j->mem_mb = draw_below(seed, 100000);
    j->wclimit_s = draw_below(seed, 20) ? draw_below(seed, 90000) : DURATION_UNLIMITED;
    w->c->bypasses.v[j->index] = (uint32_t)draw_below(seed, 5);
    j->req.nodes = (uint32_t)draw_below(seed, 9);
    j->req.tasks = (uint32_t)draw_below(seed, 90) + 1;
    j->sys_priority = draw_below(seed, 1000);
    j->flags =
        (uint32_t)draw(seed) & (JOB_SPVIOLATION | JOB_SYSPRIO_SET | JOB_SYSPRIO_REL);
    if (draw_below(seed, 4))
        j->flags &= ~(uint32_t)(JOB_SYSPRIO_SET | JOB_SYSPRIO_REL);
    j->prio_epoch = 0; /* as whoever changes it does */
}

/* The list twice as long as there are credentials, and a list of a few. */
static void check_agreement(struct world *w, const uint32_t *list, uint64_t seed)
{
    for (int pass = 0; pass < 3; pass++) {
        size_t n = pass == 1 ? 3 : MANY;

        prio_update(w->c, list, n, NOW + pass);
        for (size_t i = 0; i < n; i++) {
            struct job *j = w->c->jobs.v[list[i]];
            struct prio_parts parts;

            prio_explain(w->c, j, NOW + pass, &parts);
            if (parts.priority != job_priority(w->c, j))
                fail_msg("seed %llu job %zu pass %d: fast %lld plain %lld",
                    (unsigned long long)seed, i, pass, (long long)job_priority(w->c, j),
                    (long long)parts.priority);
        }
    }
}

static void fast_and_plain_form_agree_to_the_last_bit(void **state)
{
    struct world *w = *state;
    static const struct taskdef def = {.per_task = {{1, 10, 20, 30}}};
    uint32_t list[MANY];

    for (uint32_t i = 0; i < MANY; i++) {
        list[i] = MANY - 1 - i;
        world_job(w)->req.def = &def;
    }
    print_message("# seeds 1 to 500\n");
    for (uint64_t seed = 1; seed <= 500; seed++) {
        uint64_t s = seed;

        draw_settings(w->s, &s);
        w->c->cfg_total = (struct res){{draw_below(&s, 700), draw_below(&s, 9000)}};
        draw_creds(w, &s);
        for (uint32_t i = 0; i < MANY; i++)
            draw_job(w, w->c->jobs.v[i], &s);
        check_agreement(w, list, seed);
    }
}

#define T(name) cmocka_unit_test_setup_teardown(name, world_setup, world_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(example_8_1_default_is_minutes_queued),
        T(example_8_2_several_components),
        T(example_8_3_component_cap_is_before_its_weight),
        T(example_8_3_subcomponent_cap_is_before_its_weight),
        T(example_8_4_qos_weight_adds_to_the_global_one),
        T(example_8_5_system_priority),
        T(a_user_priority_is_added_behind_the_floor),
        T(a_fixed_priority_stands_in_place_of_the_formula),
        T(a_tier_goes_before_all_priorities),
        T(a_tier_alone_is_no_exception),
        T(example_8_6_negative_priority_is_clipped_to_1),
        T(example_8_6_negative_priority_is_kept_when_enabled),
        T(example_8_7_run_priority),
        T(usage_caps_bound_the_run_priority),
        T(time_suspended_is_not_time_used),
        T(an_overrunning_job_has_nothing_left),
        T(usage_does_not_enter_the_start_priority),
        T(a_waiting_job_has_no_usage),
        T(xfactor_is_the_guides),
        T(target_queue_time_grows_as_the_table_says),
        T(target_xfactor_grows_as_the_table_says),
        T(a_missed_target_is_tamed_by_its_cap),
        T(without_a_target_the_component_is_nothing),
        T(priority_0_of_a_user_means_that_of_default),
        T(a_class_without_priority_has_that_of_the_rm_queue),
        T(a_qos_has_only_its_own_priority),
        T(a_groups_class_weight_replaces_the_global_one),
        T(every_resource_has_its_value),
        T(what_the_user_has_active_counts_at_once),
        T(a_changed_job_shows_when_marked_dirty),
        T(changed_weights_show_at_the_next_cycle),
        T(other_cluster_totals_change_pe_at_the_next_cycle),
        T(priority_stops_at_its_ceiling),
        T(relative_system_priority_is_added_after_floor_and_ceiling),
        T(a_system_priority_out_of_range_changes_nothing),
        T(every_part_has_a_name_and_a_component),
        T(guide_example_of_the_fairshare_component),
        T(own_example_of_the_fairshare_component),
        T(fast_and_plain_form_agree_to_the_last_bit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
