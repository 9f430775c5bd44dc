/* SPDX-License-Identifier: Apache-2.0
 * Processor seconds of reservations: used, idle, and charged to those who answer for
 * the idle ones (reference reservations 3, 9). */
#include "policy/fairshare.h"
#include "policy/rsvuse.h"
#include "rsv_scene.h"

static struct scenario *begin(const char *lines, uint32_t nodes, int64_t procs)
{
    struct scenario *s = sc_create_with(lines);

    sc_nodes(s, nodes, procs);
    sc_at(s, 0);
    return s;
}

static void job(
    struct scenario *s, const char *id, const char *user, uint32_t procs, int64_t run_s)
{
    sc_job(s, (struct sc_job){.id = id,
                  .user = user,
                  .procs = procs,
                  .limit_s = 500,
                  .run_s = run_s,
                  .submit_at = sc_now(s)});
    sc_at(s, sc_now(s));
}

/* Used and idle until now, in processor seconds. */
static void expect_use(
    struct scenario *s, const struct reservation *r, double active, double idle)
{
    struct rsv_use use = rsvuse_of(r, sc_now(s));

    if (use.active_ps < active || use.active_ps > active || use.idle_ps < idle
        || use.idle_ps > idle)
        fail_msg("%s at %lld: active %.0f idle %.0f, expected %.0f and %.0f", r->name,
            (long long)sc_now(s), use.active_ps, use.idle_ps, active, idle);
}

static double used_by(struct scenario *s, enum cred_kind kind, const char *name)
{
    struct cluster *c = engine_cluster(sc_engine(s));

    sc_cycle(s);
    const struct cred *k = cred_find(c, kind, name);
    return k ? fs_use(c, &k->fs) : 0;
}

static void expect_charged(
    struct scenario *s, enum cred_kind kind, const char *name, double usage)
{
    double used = used_by(s, kind, name);

    if (used < usage || used > usage)
        fail_msg("%s is charged %.0f at %lld, expected %.0f", name, used,
            (long long)sc_now(s), usage);
}

/* ---- counted ---- */

#define JOHNS "SRCFG[x] PERIOD=INFINITY USERLIST=john HOSTLIST=n1,n2 "

static void jobs_inside_use_what_would_lie_idle(void **state)
{
    (void)state;
    struct scenario *s = begin(JOHNS, 3, 4);
    const struct reservation *r = sc_standing(s, "x", 0);

    sc_at(s, 100);
    expect_use(s, r, 0, 800);
    job(s, "j", "john", 2, 50);
    job(s, "e", "eve", 4, 50);
    assert_string_equal(sc_where(s, "j"), "n1:2");
    sc_at(s, 130);
    expect_use(s, r, 60, 800 + 180);
    sc_at(s, 200);
    expect_use(s, r, 100, 800 + 300 + 400);
    sc_destroy(s);
}

static void a_job_that_was_there_before_is_no_use_without_access(void **state)
{
    (void)state;
    struct scenario *s = begin("", 2, 4);
    struct sc_rsv r = {
        .base = "r", .hosts = "n1", .lists = {[ACL_USER] = "john"}, .end_at = 1000};

    job(s, "e", "eve", 2, 50);
    job(s, "j", "john", 1, 30);
    scene_setres(s, &r);
    sc_at(s, 100);
    /* what the stranger uses is blocked all the same: nobody else may have it */
    expect_use(s, sc_rsv(s, "r.0"), 30, 370);
    sc_destroy(s);
}

static void a_window_counts_from_its_start_to_its_end(void **state)
{
    (void)state;
    struct scenario *s = begin("", 1, 4);
    struct sc_rsv r = {.base = "r",
        .hosts = "n1",
        .lists = {[ACL_USER] = "john"},
        .start_at = 100,
        .end_at = 200};

    scene_setres(s, &r);
    struct reservation *rec = sc_rsv(s, "r.0");
    sc_at(s, 90);
    expect_use(s, rec, 0, 0);
    job(s, "j", "john", 2, 60);
    sc_at(s, 120);
    expect_use(s, rec, 40, 40);
    sc_at(s, 199);
    expect_use(s, rec, 100, 296);
    sc_destroy(s);
}

static void side_by_side_a_job_counts_once_and_stacked_in_each(void **state)
{
    (void)state;
    for (int stacked = 0; stacked < 2; stacked++) {
        struct scenario *s = begin("", 1, 4);
        struct sc_rsv r = {.base = "r",
            .hosts = "n1",
            .resources = stacked ? "PROCS=3" : "PROCS=2",
            .lists = {[ACL_USER] = "john"}};

        scene_setres(s, &r);
        scene_setres(s, &r);
        job(s, "j", "john", 3, 100);
        sc_at(s, 100);
        expect_use(s, sc_rsv(s, "r.0"), stacked ? 300 : 200, 0);
        expect_use(s, sc_rsv(s, "r.1"), stacked ? 300 : 100, stacked ? 0 : 100);
        sc_destroy(s);
    }
}

/* Nodes of today have hundreds of processors. */
static void hundreds_of_jobs_on_a_node_all_count(void **state)
{
    (void)state;
    for (int by_node = 0; by_node < 2; by_node++) {
        struct scenario *s = begin("", 1, 400);
        struct sc_rsv r = {.base = "r",
            .hosts = "n1",
            .resources = "PROCS=300",
            .lists = {[ACL_USER] = "john"}};
        char ids[300][8];

        if (by_node)
            sc_force_by_node(s);
        scene_setres(s, &r);
        for (int i = 0; i < 300; i++) {
            snprintf(ids[i], sizeof ids[i], "j%d", i);
            sc_job(s, (struct sc_job){
                          .id = ids[i], .user = "john", .procs = 1, .limit_s = 500});
        }
        sc_at(s, 0);
        job(s, "e", "eve", 100, 100);
        assert_int_equal(sc_start(s, "j299"), 0);
        assert_int_equal(sc_start(s, "e"), 0);
        sc_at(s, 10);
        expect_use(s, sc_rsv(s, "r.0"), 3000, 0);
        sc_destroy(s);
    }
}

static void another_limit_leaves_the_use_as_it_is(void **state)
{
    (void)state;
    struct scenario *s = begin("", 1, 8);
    struct sc_rsv r = {.base = "r", .hosts = "n1", .lists = {[ACL_USER] = "john"}};
    struct job_change longer = {.what = CHANGE_WCLIMIT, .job.wclimit_s = 600};
    struct event ev = {.kind = EVENT_MODIFY, .at = 10, .u.modify = {"j", longer}};
    struct err err;

    scene_setres(s, &r);
    job(s, "j", "john", 8, 100);
    sc_at(s, 10);
    expect_use(s, sc_rsv(s, "r.0"), 80, 0);
    assert_int_equal(sc_apply(s, ev, &err), 0);
    sc_at(s, 150);
    expect_use(s, sc_rsv(s, "r.0"), 800, 400);
    sc_destroy(s);
}

/* ---- charged ---- */

#define FAIR "FSPOLICY DEDICATEDPS\nFSINTERVAL 24:00:00\nFSDEPTH 2\n"

static void idle_cycles_are_charged_to_the_account(void **state)
{
    (void)state;
    struct scenario *s = begin(FAIR JOHNS "CHARGEACCOUNT=bio", 3, 4);

    sc_at(s, 100);
    expect_charged(s, CRED_ACCOUNT, "bio", 800);
    job(s, "j", "john", 2, 50);
    sc_at(s, 200);
    expect_charged(s, CRED_ACCOUNT, "bio", 800 + 300 + 400);
    expect_charged(s, CRED_USER, "john", 100);
    assert_true(
        fs_use(engine_cluster(sc_engine(s)), &engine_cluster(sc_engine(s))->fs_total)
        >= 1600);
    sc_destroy(s);
}

static void the_owner_answers_where_nobody_is_named(void **state)
{
    (void)state;
    struct scenario *s = begin(FAIR JOHNS "OWNER=GROUP:staff", 2, 4);

    sc_at(s, 100);
    expect_charged(s, CRED_GROUP, "staff", 800);
    sc_destroy(s);
}

static void nobody_is_charged_where_nobody_answers(void **state)
{
    (void)state;
    struct scenario *s = begin(FAIR JOHNS, 2, 4);

    sc_at(s, 100);
    expect_charged(s, CRED_USER, "john", 0);
    assert_true(
        fs_use(engine_cluster(sc_engine(s)), &engine_cluster(sc_engine(s))->fs_total)
        <= 0);
    sc_destroy(s);
}

static void a_released_reservation_is_charged_no_more(void **state)
{
    (void)state;
    struct scenario *s = begin(FAIR "RESCTLPOLICY ANY\n", 2, 4);
    struct sc_rsv r = {.base = "r",
        .hosts = "n1",
        .lists = {[ACL_USER] = "john"},
        .who = "john",
        .group = "staff"};

    scene_setres(s, &r);
    sc_at(s, 100);
    expect_charged(s, CRED_USER, "john", 400);
    assert_int_equal(sc_releaseres(s, "r.0", NULL), 0);
    sc_at(s, 200);
    expect_charged(s, CRED_USER, "john", 400);
    expect_charged(s, CRED_GROUP, "staff", 400);
    sc_destroy(s);
}

static void windows_of_fairshare_go_by_with_the_idle_ones(void **state)
{
    (void)state;
    struct scenario *s = begin("FSPOLICY DEDICATEDPS\nFSINTERVAL 100\nFSDEPTH 2\n"
                               "FSDECAY 0.5\n" JOHNS "CHARGEACCOUNT=bio",
        2, 4);

    sc_at(s, 150);
    expect_charged(s, CRED_ACCOUNT, "bio", 8 * 50 + 0.5 * 800);
    sc_at(s, 250);
    expect_charged(s, CRED_ACCOUNT, "bio", 8 * 50 + 0.5 * 800);
    sc_destroy(s);
}

static void another_account_is_charged_from_the_change_on(void **state)
{
    (void)state;
    struct scenario *s = begin(FAIR JOHNS "CHARGEACCOUNT=bio", 2, 4);

    sc_at(s, 100);
    sc_configure(s, FAIR JOHNS "CHARGEACCOUNT=chem");
    sc_cycle(s);
    sc_at(s, 150);
    expect_charged(s, CRED_ACCOUNT, "bio", 800);
    expect_charged(s, CRED_ACCOUNT, "chem", 400);
    sc_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_inside_use_what_would_lie_idle),
        cmocka_unit_test(a_job_that_was_there_before_is_no_use_without_access),
        cmocka_unit_test(a_window_counts_from_its_start_to_its_end),
        cmocka_unit_test(side_by_side_a_job_counts_once_and_stacked_in_each),
        cmocka_unit_test(hundreds_of_jobs_on_a_node_all_count),
        cmocka_unit_test(another_limit_leaves_the_use_as_it_is),
        cmocka_unit_test(idle_cycles_are_charged_to_the_account),
        cmocka_unit_test(the_owner_answers_where_nobody_is_named),
        cmocka_unit_test(nobody_is_charged_where_nobody_answers),
        cmocka_unit_test(a_released_reservation_is_charged_no_more),
        cmocka_unit_test(windows_of_fairshare_go_by_with_the_idle_ones),
        cmocka_unit_test(another_account_is_charged_from_the_change_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
