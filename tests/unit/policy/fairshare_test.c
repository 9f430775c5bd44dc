/* SPDX-License-Identifier: Apache-2.0
 * Fairshare: windows, shares, targets and caps; the examples of reference
 * fairshare, and charging by rates against charging every job every second. */
#include "cluster/node.h"
#include "config/settings.h"
#include "policy/fairshare.h"
#include "world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define HOUR 3600

static int setup(void **state)
{
    world_setup(state);
    struct world *w = *state;
    w->s->fs.policy = FS_DEDICATEDPS;
    w->s->fs.interval_s = 12 * HOUR;
    w->s->fs.depth = 4;
    w->s->fs.decay = 0.8;
    return 0;
}

static struct cred *user(struct world *w, const char *name)
{
    return cred_get(w->c, CRED_USER, name);
}

static void set_target(
    struct world *w, const char *name, enum fs_target_type type, double value)
{
    world_section(w, CRED_USER, name)->fstarget = (struct fs_target){type, value};
    world_configure(w);
}

/* ---- charging --------------------------------------------------------------- */

static void a_4_processor_job_of_15_minutes_is_charged_3600(void **state)
{
    struct world *w = *state;
    struct job *j = world_running(w, "ann", 4);

    fs_job_start(w->c, j, 1000);
    fs_charge(w->c, 1000, 1900);
    assert_near(fs_window(w->c, &user(w, "ann")->fs, 0), 3600);
    fs_job_stop(w->c, j, 1900);
    fs_charge(w->c, 1900, 9000);
    assert_near(fs_window(w->c, &user(w, "ann")->fs, 0), 3600);
    assert_near(fs_window(w->c, &w->c->fs_total, 0), 3600);
}

static void a_sleeping_job_measured_idle_is_charged_nothing(void **state)
{
    struct world *w = *state;
    struct job *j = world_running(w, "ann", 4);

    w->s->fs.policy = FS_UTILIZEDPS;
    j->util_known = true;
    j->util_procs = 0;
    fs_job_start(w->c, j, 1000);
    fs_charge(w->c, 1000, 1900);
    assert_near(fs_window(w->c, &user(w, "ann")->fs, 0), 0);
}

static void processors_nobody_measures_count_as_used(void **state)
{
    struct world *w = *state;
    struct job *j = world_running(w, "ann", 4);

    w->s->fs.policy = FS_UTILIZEDPS;
    fs_job_start(w->c, j, 1000);
    fs_charge(w->c, 1000, 1100);
    assert_near(fs_window(w->c, &user(w, "ann")->fs, 0), 400);
}

static void measured_use_may_change_while_running(void **state)
{
    struct world *w = *state;
    struct job *j = world_running(w, "ann", 4);

    w->s->fs.policy = FS_UTILIZEDPS;
    fs_job_start(w->c, j, 1000);
    fs_charge(w->c, 1000, 1100);
    j->util_known = true;
    j->util_procs = 2.5;
    fs_job_start(w->c, j, 1100);
    fs_charge(w->c, 1100, 1200);
    assert_near(fs_window(w->c, &user(w, "ann")->fs, 0), 400 + 250);
}

static void dedicatedpes_charges_processor_equivalents(void **state)
{
    struct world *w = *state;
    struct job *j = world_running(w, "ann", 2);

    struct taskdef def = {.per_task = {{2, 768}}};

    w->s->fs.policy = FS_DEDICATEDPES;
    w->c->cfg_total = (struct res){{400, 102400}};
    j->req.def = &def; /* 3 processor equivalents */
    fs_job_start(w->c, j, 500);
    fs_charge(w->c, 500, 600);
    assert_near(fs_window(w->c, &user(w, "ann")->fs, 0), 300);
}

static void machine_speed_multiplies_usage_when_asked(void **state)
{
    struct world *w = *state;
    struct job *j = world_running(w, "ann", 4);
    struct node nodes[3] = {{.speed = 1}, {.speed = 2}, {.speed = 3}};
    struct node *by_index[3] = {&nodes[0], &nodes[1], &nodes[2]};
    struct alloc runs[] = {{.first = 1, .count = 2, .tasks = 2}};

    w->s->fs.use_machine_speed = true;
    w->c->nodes.v = by_index;
    j->alloc.v = runs;
    j->alloc.n = 1;
    fs_job_start(w->c, j, 0);
    w->c->nodes.v = NULL;
    fs_charge(w->c, 0, 100);
    assert_near(fs_window(w->c, &user(w, "ann")->fs, 0), 1000);
}

static void every_credential_of_the_job_is_charged_and_no_other(void **state)
{
    struct world *w = *state;
    struct job *j = world_running(w, "ann", 1);

    for (int kind = CRED_GROUP; kind < CRED_KINDS; kind++)
        if (kind != CRED_ACCOUNT)
            j->cred[kind] = world_cred(w, (enum cred_kind)kind, "x");
    world_cred(w, CRED_ACCOUNT, "x");
    fs_job_start(w->c, j, 0);
    fs_charge(w->c, 0, 10);
    for (int kind = 0; kind < CRED_KINDS; kind++) {
        const char *name = kind == CRED_USER ? "ann" : "x";
        struct cred *k = cred_get(w->c, (enum cred_kind)kind, name);

        assert_near(fs_use(w->c, &k->fs), kind == CRED_ACCOUNT ? 0 : 10);
        assert_near(fs_use(w->c, &w->c->creds[kind].v[0]->fs), 0);
    }
    assert_near(fs_use(w->c, &w->c->fs_total), 10);
}

static void nothing_is_charged_before_a_jobs_own_start(void **state)
{
    struct world *w = *state;
    struct job *j = world_running(w, "ann", 1);

    fs_charge(w->c, 0, 50);
    fs_job_start(w->c, j, 80);
    fs_charge(w->c, 50, 100);
    assert_near(fs_use(w->c, &user(w, "ann")->fs), 20);
}

static void time_the_scheduler_was_down_is_not_charged(void **state)
{
    struct world *w = *state;
    struct job *j = world_running(w, "ann", 1);

    fs_job_start(w->c, j, 0);
    fs_charge(w->c, 0, 100);
    fs_charge(w->c, 50000, 50010); /* next window: interval 43200 */
    assert_near(fs_window(w->c, &user(w, "ann")->fs, 0), 10);
    assert_near(fs_window(w->c, &user(w, "ann")->fs, 1), 100);
    assert_near(fs_use(w->c, &user(w, "ann")->fs), 90);
}

static void stopping_twice_or_what_never_started_changes_nothing(void **state)
{
    struct world *w = *state;
    struct job *j = world_running(w, "ann", 3);

    fs_job_stop(w->c, j, 10);
    fs_job_start(w->c, j, 10);
    fs_job_start(w->c, j, 20);
    fs_job_stop(w->c, j, 30);
    fs_job_stop(w->c, j, 99);
    fs_charge(w->c, 0, 100);
    assert_near(fs_use(w->c, &user(w, "ann")->fs), 60);
}

static void a_forgotten_stop_is_charged_no_longer_than_a_window(void **state)
{
    struct world *w = *state;
    struct job *j = world_running(w, "ann", 1);

    fs_roll(w->c, 0);
    fs_job_start(w->c, j, 0);
    j->state = JOB_COMPLETED;
    fs_charge(w->c, 0, 43200);
    fs_roll(w->c, 43200);
    fs_charge(w->c, 43200, 50000);
    fs_job_stop(w->c, j, 50000);
    assert_near(fs_window(w->c, &user(w, "ann")->fs, 1), 43200);
    assert_near(fs_window(w->c, &user(w, "ann")->fs, 0), 0);
}

static void without_fspolicy_nothing_happens(void **state)
{
    struct world *w = *state;
    struct job *j = world_running(w, "ann", 3);
    struct reason why;

    set_target(w, "ann", FS_TARGET_ABS_CAP, 1);
    w->s->fs.policy = FS_OFF;
    fs_job_start(w->c, j, 0);
    fs_charge(w->c, 0, 100);
    assert_int_equal(fs_roll(w->c, 1000000), 0);
    assert_near(fs_use(w->c, &w->c->fs_total), 0);
    assert_near(fs_factor(w->c, user(w, "ann")), 0);
    assert_false(fs_blocks(w->c, j, &why));
}

static void fspolicy_switched_on_charges_the_jobs_that_run(void **state)
{
    struct world *w = *state;
    struct job *j = world_running(w, "ann", 3);

    w->s->fs.policy = FS_OFF;
    fs_job_start(w->c, j, 0);
    fs_charge(w->c, 0, 1000);
    w->s->fs.policy = FS_DEDICATEDPS;
    fs_refresh(w->c);
    fs_charge(w->c, 1000, 1010);
    assert_near(fs_use(w->c, &user(w, "ann")->fs), 30);
    w->s->fs.policy = FS_OFF;
    fs_refresh(w->c);
    fs_charge(w->c, 1010, 2000);
    assert_near(fs_use(w->c, &user(w, "ann")->fs), 30);
}

/* ---- windows ---------------------------------------------------------------- */

static void windows_begin_at_multiples_of_fsinterval(void **state)
{
    struct world *w = *state;

    assert_int_equal(fs_roll(w->c, 100000), 0); /* the first call opens, rolls not */
    assert_int_equal(w->c->fs_window_at, 86400);
    assert_int_equal(fs_roll(w->c, 129599), 0);
    assert_int_equal(fs_roll(w->c, 129600), 1);
    assert_int_equal(w->c->fs_window_at, 129600);
    assert_int_equal(fs_roll(w->c, 129600 + 3 * 43200 + 5), 3);
}

static void usage_is_split_at_the_boundary(void **state)
{
    struct world *w = *state;
    struct job *j = world_running(w, "ann", 2);

    fs_roll(w->c, 43200 - 100);
    fs_job_start(w->c, j, 43200 - 100);
    fs_charge(w->c, 43200 - 100, 43200 + 30);
    fs_roll(w->c, 43200 + 30);
    assert_near(fs_window(w->c, &user(w, "ann")->fs, 1), 200);
    assert_near(fs_window(w->c, &user(w, "ann")->fs, 0), 60);
    assert_near(fs_use(w->c, &user(w, "ann")->fs), 60 + 0.8 * 200);
}

static void a_long_silence_fills_every_window_it_spans(void **state)
{
    struct world *w = *state;
    struct job *j = world_running(w, "ann", 1);

    fs_roll(w->c, 0);
    fs_job_start(w->c, j, 43200 - 10);
    fs_charge(w->c, 0, 3 * 43200 + 7);
    assert_int_equal(fs_roll(w->c, 3 * 43200 + 7), 3);
    assert_near(fs_window(w->c, &user(w, "ann")->fs, 0), 7);
    assert_near(fs_window(w->c, &user(w, "ann")->fs, 1), 43200);
    assert_near(fs_window(w->c, &user(w, "ann")->fs, 2), 43200);
    assert_near(fs_window(w->c, &user(w, "ann")->fs, 3), 10);
    fs_job_stop(w->c, j, 3 * 43200 + 7);
    assert_int_equal(fs_roll(w->c, 5000 * INT64_C(43200)), 4997);
    assert_near(fs_use(w->c, &w->c->fs_total), 0);
}

static void a_reset_forgets_what_was_used_and_charges_what_runs_from_there_on(
    void **state)
{
    struct world *w = *state;
    struct job *j = world_running(w, "ann", 2);

    fs_roll(w->c, 43200 - 100);
    fs_job_start(w->c, j, 43200 - 100);
    fs_charge(w->c, 43200 - 100, 43200 + 30);
    fs_roll(w->c, 43200 + 30);
    fs_reset(w->c, 43200 + 50);
    assert_near(fs_use(w->c, &user(w, "ann")->fs), 0);
    assert_near(fs_use(w->c, &w->c->fs_total), 0);
    fs_charge(w->c, 43200 + 50, 43200 + 60);
    assert_near(fs_use(w->c, &user(w, "ann")->fs), 20);
    fs_job_stop(w->c, j, 43200 + 60);
    fs_refresh(w->c);
    assert_near(fs_use(w->c, &user(w, "ann")->fs), 20);
}

static void windows_past_fsdepth_do_not_count(void **state)
{
    struct world *w = *state;
    struct cred *ann = user(w, "ann");

    for (uint32_t i = 0; i < FS_DEPTH_MAX; i++)
        fs_set_window(w->c, &ann->fs, i, 1000);
    w->s->fs.decay = 1;
    fs_refresh(w->c);
    assert_near(fs_use(w->c, &ann->fs), 4000);
    w->s->fs.depth = 1;
    fs_refresh(w->c);
    assert_near(fs_use(w->c, &ann->fs), 1000);
    assert_near(fs_window(w->c, &ann->fs, FS_DEPTH_MAX), 0);
}

static void decay_follows_the_table(void **state)
{
    static const struct {
        double decay;
        int percent[8];
    } rows[] = {
        {1.00, {100, 100, 100, 100, 100, 100, 100, 100}},
        {0.80, {100, 80, 64, 51, 41, 33, 26, 21}},
        {0.75, {100, 75, 56, 42, 32, 24, 18, 13}},
        {0.50, {100, 50, 25, 13, 6, 3, 2, 1}},
    };
    struct world *w = *state;
    struct cred *ann = user(w, "ann");

    w->s->fs.depth = 8;
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        for (uint32_t n = 0; n < 8; n++) {
            for (uint32_t i = 0; i < 8; i++)
                fs_set_window(w->c, &ann->fs, i, i == n ? 100 : 0);
            w->s->fs.decay = rows[r].decay;
            fs_refresh(w->c);
            assert_true(fabs(fs_use(w->c, &ann->fs) - rows[r].percent[n]) <= 0.5);
        }
}

static void another_interval_realigns_and_loses_nothing(void **state)
{
    struct world *w = *state;
    struct job *j = world_running(w, "ann", 1);

    fs_roll(w->c, 100000);
    fs_job_start(w->c, j, 100000);
    fs_charge(w->c, 100000, 100500);
    w->s->fs.interval_s = 24 * HOUR;
    fs_refresh(w->c);
    assert_int_equal(w->c->fs_window_at, 86400);
    w->s->fs.interval_s = 1000;
    fs_refresh(w->c);
    assert_near(fs_use(w->c, &user(w, "ann")->fs), 0); /* aged out: 14 windows on */
    w->s->fs.interval_s = 24 * HOUR;
    fs_refresh(w->c);
    fs_charge(w->c, 100500, 100600);
    assert_near(fs_window(w->c, &user(w, "ann")->fs, 0), 100);
}

/* ---- shares and factors ----------------------------------------------------- */

static void load(struct world *w, struct fs_usage *u, const double *windows)
{
    for (uint32_t i = 0; i < 4; i++)
        fs_set_window(w->c, u, i, windows[i]);
    fs_refresh(w->c);
}

static void guide_usage_example_gives_31_79_percent(void **state)
{
    struct world *w = *state;

    w->s->fs.decay = 0.5;
    load(w, &user(w, "ann")->fs, (double[]){60, 0, 10, 50});
    load(w, &w->c->fs_total, (double[]){110, 125, 100, 150});
    assert_near(fs_use(w->c, &user(w, "ann")->fs), 68.75);
    assert_near(fs_use(w->c, &w->c->fs_total), 216.25);
    assert_true(fabs(fs_share(w->c, user(w, "ann")) - 31.79) < 0.005);
}

/* The own example: usage in processor hours, recorded in seconds. */
static void own_example(struct world *w)
{
    double h = HOUR;

    user(w, "ann");
    load(w, &user(w, "ann")->fs, (double[]){120 * h, 300 * h, 0, 80 * h});
    load(w, &w->c->fs_total, (double[]){400 * h, 500 * h, 300 * h, 600 * h});
}

static void own_example_gives_30_86_percent(void **state)
{
    struct world *w = *state;

    own_example(w);
    assert_near(fs_use(w->c, &user(w, "ann")->fs), 400.96 * HOUR);
    assert_near(fs_use(w->c, &w->c->fs_total), 1299.2 * HOUR);
    assert_true(fabs(fs_share(w->c, user(w, "ann")) - 30.86) < 0.005);
}

static void own_example_factors_in_both_forms(void **state)
{
    static const struct {
        double target;
        enum fs_target_type type;
        double difference, ratio;
    } rows[] = {
        {25, FS_TARGET_PLAIN, -5.86, -0.234}, {40, FS_TARGET_PLAIN, 9.14, 0.228},
        {25, FS_TARGET_FLOOR, 0, 0}, {40, FS_TARGET_FLOOR, 9.14, 0.228},
        {25, FS_TARGET_CEILING, -5.86, -0.234}, {40, FS_TARGET_CEILING, 0, 0},
        {25, FS_TARGET_REL_CAP, 0, 0}, {32, FS_TARGET_REL_CAP, 0, 0},
        {25, FS_TARGET_ABS_CAP, 0, 0},
        {0, FS_TARGET_PLAIN, 0, 0}, /* FSTARGET 0 = none */
    };
    struct world *w = *state;

    own_example(w);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        set_target(w, "ann", rows[i].type, rows[i].target);
        w->s->fs.percent = false;
        assert_true(fabs(fs_factor(w->c, user(w, "ann")) - rows[i].difference) < 0.005);
        w->s->fs.percent = true;
        assert_true(fabs(fs_factor(w->c, user(w, "ann")) - rows[i].ratio) < 0.0005);
    }
}

static void default_target_holds_for_whom_has_none(void **state)
{
    struct world *w = *state;

    set_target(w, "DEFAULT", FS_TARGET_FLOOR, 40);
    set_target(w, "bob", FS_TARGET_CEILING, 10);
    set_target(w, "cleo", FS_TARGET_PLAIN, 0);
    own_example(w);
    assert_int_equal(fs_target_of(user(w, "ann")).type, FS_TARGET_FLOOR);
    assert_int_equal(fs_target_of(user(w, "bob")).type, FS_TARGET_CEILING);
    assert_int_equal(fs_target_of(user(w, "cleo")).type, FS_TARGET_FLOOR);
    assert_true(fabs(fs_factor(w->c, user(w, "ann")) - 9.14) < 0.005);
    assert_near(fs_factor(w->c, user(w, "bob")), 0);
    assert_near(fs_factor(w->c, w->c->creds[CRED_USER].v[0]), 0); /* nobody */
}

static void without_any_usage_there_is_no_factor(void **state)
{
    struct world *w = *state;

    set_target(w, "ann", FS_TARGET_PLAIN, 50);
    assert_near(fs_factor(w->c, user(w, "ann")), 0);
    assert_near(fs_share(w->c, user(w, "ann")), 0);
}

/* ---- caps ------------------------------------------------------------------- */

static bool blocked(struct world *w, uint32_t procs, int64_t wclimit_s)
{
    struct job *j = world_running(w, "ann", procs);
    struct reason why;

    j->state = JOB_IDLE;
    j->wclimit_s = wclimit_s;
    return fs_blocks(w->c, j, &why);
}

static void own_example_relative_cap_blocks(void **state)
{
    struct world *w = *state;

    own_example(w);
    set_target(w, "ann", FS_TARGET_REL_CAP, 25);
    assert_true(blocked(w, 1, HOUR));
    set_target(w, "ann", FS_TARGET_REL_CAP, 32);
    assert_false(blocked(w, 10, HOUR));
    assert_true(blocked(w, 20, HOUR));
}

static void absolute_cap_blocks_above_not_at_its_value(void **state)
{
    struct world *w = *state;

    set_target(w, "ann", FS_TARGET_ABS_CAP, 1000);
    fs_set_window(w->c, &user(w, "ann")->fs, 0, 400);
    assert_false(blocked(w, 1, 600));
    assert_true(blocked(w, 1, 601));
    assert_true(blocked(w, 1, DURATION_UNLIMITED));
}

static void a_relative_cap_never_blocks_while_nothing_is_used(void **state)
{
    struct world *w = *state;

    set_target(w, "ann", FS_TARGET_REL_CAP, 1);
    assert_false(blocked(w, 1000, HOUR));
}

static void a_default_cap_blocks_named_credentials_only(void **state)
{
    struct world *w = *state;
    struct job *nobody = world_job(w);
    struct reason why;

    set_target(w, "DEFAULT", FS_TARGET_ABS_CAP, 100);
    assert_true(blocked(w, 1, 101));
    assert_false(fs_blocks(w->c, nobody, &why));
}

static void under_dedicatedpes_the_request_is_pe_seconds(void **state)
{
    struct world *w = *state;
    struct job *j = world_running(w, "ann", 1);
    struct reason why;

    struct taskdef def = {.per_task = {{1, 200}}};

    w->s->fs.policy = FS_DEDICATEDPES;
    w->c->cfg_total = (struct res){{10, 1000}};
    j->req.def = &def; /* 2 processor equivalents */
    set_target(w, "ann", FS_TARGET_ABS_CAP, 1000);
    j->wclimit_s = 500;
    assert_false(fs_blocks(w->c, j, &why));
    def.per_task.v[RES_MEM] = 210;
    assert_true(fs_blocks(w->c, j, &why));
}

static void the_reason_names_the_credential_and_the_amounts(void **state)
{
    struct world *w = *state;
    struct job *j = world_running(w, "ann", 2);
    struct reason why = {0};

    world_section(w, CRED_QOS, "gold")->fstarget =
        (struct fs_target){FS_TARGET_REL_CAP, 25};
    world_configure(w);
    j->cred[CRED_QOS] = world_cred(w, CRED_QOS, "gold");
    fs_set_window(w->c, &cred_get(w->c, CRED_QOS, "gold")->fs, 0, 2000);
    fs_set_window(w->c, &w->c->fs_total, 0, 10000);
    j->wclimit_s = 500;
    assert_true(fs_blocks(w->c, j, &why));
    assert_int_equal(why.code, WAIT_FS_CAP);
    assert_int_equal(why.kind, CRED_QOS);
    assert_int_equal(why.object, j->cred[CRED_QOS]);
    assert_int_equal(why.limit, 2500);
    assert_int_equal(why.used, 2000);
    assert_int_equal(why.asked, 1000);
}

/* ---- rates against plain charging ------------------------------------------- */

#define JOBS  30
#define STEPS 400

/* What charging every active job at every step would have recorded. */
struct plain {
    double user[4][FS_DEPTH_MAX], total[FS_DEPTH_MAX];
};

static void plain_charge(
    struct plain *p, const struct world *w, int64_t since, int64_t now)
{
    for (int64_t t = since; t < now;) {
        int64_t end = (t / 1000 + 1) * 1000, until = end < now ? end : now;

        for (size_t i = 0; i < w->c->jobs.n; i++) {
            const struct job *j = w->c->jobs.v[i];
            double rate =
                w->s->fs.policy == FS_DEDICATEDPES ? job_pe(w->c, j) : j->procs;

            if (!job_is_active(j))
                continue;
            p->user[j->cred[CRED_USER]][0] += rate * (double)(until - t);
            p->total[0] += rate * (double)(until - t);
        }
        t = until;
        if (t != end)
            continue;
        for (int u = 0; u < 4; u++) {
            memmove(&p->user[u][1], p->user[u], sizeof p->user[u] - sizeof(double));
            p->user[u][0] = 0;
        }
        memmove(&p->total[1], p->total, sizeof p->total - sizeof(double));
        p->total[0] = 0;
    }
}

static void compare(const struct plain *p, struct world *w, bool exact, uint64_t seed)
{
    for (uint32_t u = 1; u < 4; u++)
        for (uint32_t i = 0; i < FS_DEPTH_MAX; i++) {
            double rated = fs_window(w->c, &w->c->creds[CRED_USER].v[u]->fs, i);
            double off = fabs(rated - p->user[u][i]);

            if (exact ? off != 0 : off > 1e-6 * fmax(1, p->total[i]))
                fail_msg("seed %llu user %u window %u: %.17g, plain %.17g",
                    (unsigned long long)seed, u, i, rated, p->user[u][i]);
        }
    if (exact)
        assert_true(fs_window(w->c, &w->c->fs_total, 0) == p->total[0]);
}

static void flip(struct world *w, struct job *j, uint64_t *seed, int64_t now)
{
    if (job_is_active(j)) {
        j->state = JOB_COMPLETED;
        fs_job_stop(w->c, j, now);
        return;
    }
    j->state = JOB_RUNNING;
    j->procs = (uint32_t)draw_below(seed, 500) + 1;
    j->req.tasks = (uint32_t)draw_below(seed, 500) + 1;
    j->cred[CRED_USER] = (uint32_t)draw_below(seed, 3) + 1;
    fs_job_start(w->c, j, now);
}

static void replay(enum fs_policy policy, uint64_t first_seed)
{
    static const struct taskdef odd = {.per_task = {{1, 11}}};

    for (uint64_t seed = first_seed; seed < first_seed + 20; seed++) {
        struct world w = world_create();
        struct plain plain = {0};
        uint64_t s = seed;
        int64_t now = 0;

        w.s->fs = (struct fs_settings){
            .policy = policy, .interval_s = 1000, .depth = 8, .decay = 0.7};
        for (int u = 0; u < 3; u++)
            world_cred(&w, CRED_USER, &"a\0b\0c"[2 * u]);
        w.c->cfg_total = (struct res){{900, 7001}};
        for (int i = 0; i < JOBS; i++)
            world_job(&w)->req.def = &odd;
        for (int step = 0; step < STEPS; step++) {
            int64_t next = now + draw_below(&s, draw_below(&s, 20) ? 60 : 5000);

            plain_charge(&plain, &w, now, next);
            fs_charge(w.c, now, next);
            fs_roll(w.c, next);
            now = next;
            compare(&plain, &w, policy == FS_DEDICATEDPS, seed);
            flip(&w, w.c->jobs.v[draw_below(&s, JOBS)], &s, now);
        }
        world_destroy(&w);
    }
}

static void charging_by_rates_is_exactly_charging_every_job(void **state)
{
    (void)state;
    print_message("# seeds 1 to 20\n");
    replay(FS_DEDICATEDPS, 1);
}

static void fractions_of_processors_lose_nothing_that_counts(void **state)
{
    (void)state;
    print_message("# seeds 101 to 120\n");
    replay(FS_DEDICATEDPES, 101);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, world_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_4_processor_job_of_15_minutes_is_charged_3600),
        T(a_sleeping_job_measured_idle_is_charged_nothing),
        T(processors_nobody_measures_count_as_used),
        T(measured_use_may_change_while_running),
        T(dedicatedpes_charges_processor_equivalents),
        T(machine_speed_multiplies_usage_when_asked),
        T(every_credential_of_the_job_is_charged_and_no_other),
        T(nothing_is_charged_before_a_jobs_own_start),
        T(time_the_scheduler_was_down_is_not_charged),
        T(stopping_twice_or_what_never_started_changes_nothing),
        T(a_forgotten_stop_is_charged_no_longer_than_a_window),
        T(without_fspolicy_nothing_happens),
        T(fspolicy_switched_on_charges_the_jobs_that_run),
        T(windows_begin_at_multiples_of_fsinterval),
        T(usage_is_split_at_the_boundary),
        T(a_long_silence_fills_every_window_it_spans),
        T(a_reset_forgets_what_was_used_and_charges_what_runs_from_there_on),
        T(windows_past_fsdepth_do_not_count),
        T(decay_follows_the_table),
        T(another_interval_realigns_and_loses_nothing),
        T(guide_usage_example_gives_31_79_percent),
        T(own_example_gives_30_86_percent),
        T(own_example_factors_in_both_forms),
        T(default_target_holds_for_whom_has_none),
        T(without_any_usage_there_is_no_factor),
        T(own_example_relative_cap_blocks),
        T(absolute_cap_blocks_above_not_at_its_value),
        T(a_relative_cap_never_blocks_while_nothing_is_used),
        T(a_default_cap_blocks_named_credentials_only),
        T(under_dedicatedpes_the_request_is_pe_seconds),
        T(the_reason_names_the_credential_and_the_amounts),
        cmocka_unit_test(charging_by_rates_is_exactly_charging_every_job),
        cmocka_unit_test(fractions_of_processors_lose_nothing_that_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
