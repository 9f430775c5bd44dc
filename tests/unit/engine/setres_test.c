/* SPDX-License-Identifier: Apache-2.0
 * What people may ask of setres and releaseres: the worked examples R40 and R42 of the
 * reservations reference, limits on personal reservations, exclusive ones. */
#include "rsv_scene.h"

static const struct sc_rsv johns = {
    .base = "john", .lists = {[ACL_USER] = "john"}, .who = "john", .group = "staff"};

static struct sc_rsv of_tasks(uint32_t tasks)
{
    struct sc_rsv r = johns;

    r.tasks = tasks;
    return r;
}

static struct sc_rsv of_hosts(const char *hosts)
{
    struct sc_rsv r = johns;

    r.hosts = hosts;
    return r;
}

static void expect_refusal(
    struct scenario *s, const struct sc_rsv *r, const char *sentence)
{
    struct err err = {0};

    assert_int_equal(sc_setres(s, r, &err), -1);
    if (!strstr(err.text, sentence))
        fail_msg("'%s' does not say '%s'", err.text, sentence);
    assert_string_equal(sc_held(s, "john"), "none");
}

static void expect_account(struct scenario *s, const struct reservation *r,
    enum cred_kind kind, const char *name)
{
    const struct cluster *c = engine_cluster(sc_engine(s));

    assert_string_equal(c->creds[kind].v[r->charge[kind]]->name, name);
}

/* ---- R42 ---- */

static void only_administrators_reserve_by_default_r42(void **state)
{
    (void)state;
    struct scenario *s = sc_create();
    struct sc_rsv r = of_hosts("ALL");

    sc_nodes(s, 4, 1);
    expect_refusal(s, &r, "john may not reserve: only administrators");
    r.who = NULL;
    scene_setres(s, &r);
    assert_string_equal(sc_held(s, "john.0"), "n1:1 n2:1 n3:1 n4:1");
    assert_int_equal(sc_rsv(s, "john.0")->kind, RSV_ADMIN);
    sc_destroy(s);
}

static void a_personal_reservation_answers_to_its_maker_r42(void **state)
{
    (void)state;
    struct scenario *s =
        sc_create_with("RESCTLPOLICY ANY\nUSERCFG[john] ADEF=chemistry");
    struct sc_rsv r = of_hosts("ALL"), charged = of_hosts("ALL");
    struct err err = {0};

    charged.account = "physics";
    sc_nodes(s, 4, 1);
    expect_refusal(s, &charged, "may not name who is charged");
    scene_setres(s, &r);
    assert_string_equal(sc_held(s, "john.0"), "n1:1 n2:1 n3:1 n4:1");
    assert_int_equal(sc_rsv(s, "john.0")->kind, RSV_USER);
    expect_account(s, sc_rsv(s, "john.0"), CRED_USER, "john");
    expect_account(s, sc_rsv(s, "john.0"), CRED_GROUP, "staff");
    expect_account(s, sc_rsv(s, "john.0"), CRED_ACCOUNT, "chemistry");
    assert_int_equal(sc_releaseres_by(s, "john.0", "eve", &err), -1);
    assert_non_null(strstr(err.text, "eve may not release reservation john.0"));
    assert_string_equal(sc_held(s, "john.0"), "n1:1 n2:1 n3:1 n4:1");
    assert_int_equal(sc_releaseres_by(s, "john.0", "john", &err), 0);
    assert_string_equal(sc_held(s, "john.0"), "none");
    sc_destroy(s);
}

static void administrators_charge_and_release_what_they_like(void **state)
{
    (void)state;
    struct scenario *s = sc_create_with("RESCTLPOLICY ANY");
    struct sc_rsv r = of_hosts("ALL"), own = of_hosts("n1");
    struct err err = {0};

    r.who = NULL;
    r.account = "physics";
    sc_nodes(s, 4, 1);
    scene_setres(s, &r);
    expect_account(s, sc_rsv(s, "john.0"), CRED_ACCOUNT, "physics");
    /* john is on its list, but does not answer for it */
    assert_int_equal(sc_releaseres_by(s, "john.0", "john", &err), -1);
    scene_setres(s, &own);
    assert_int_equal(sc_releaseres(s, "john.1", &err), 0);
    assert_int_equal(sc_releaseres(s, "john.0", &err), 0);
    assert_int_equal(sc_releaseres(s, "john.0", &err), -1);
    sc_destroy(s);
}

#define ANY_WITH_LIMITS(policy, limit)                                                 \
    "RESCTLPOLICY ANY\nRESLIMITPOLICY " policy "\nUSERCFG[john] " limit

static void personal_reservations_obey_limits_r42(void **state)
{
    (void)state;
    static const struct {
        const char *lines;
        uint32_t most; /* tasks */
    } rows[] = {{ANY_WITH_LIMITS("HARD", "MAXPROC=2"), 2},
        {ANY_WITH_LIMITS("OFF", "MAXPROC=2"), 4},
        {ANY_WITH_LIMITS("HARD", "MAXPROC=1,3"), 3},
        {ANY_WITH_LIMITS("SOFT", "MAXPROC=1,3"), 1},
        {ANY_WITH_LIMITS("HARD", "MAXNODE=2"), 2}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scenario *s = sc_create_with(rows[i].lines);
        struct sc_rsv more = of_tasks(rows[i].most + 1), most = of_tasks(rows[i].most);

        sc_nodes(s, 5, 1);
        if (strstr(rows[i].lines, "OFF"))
            scene_setres(s, &more);
        else
            expect_refusal(s, &more, "RESLIMITPOLICY");
        if (!strstr(rows[i].lines, "OFF"))
            scene_setres(s, &most);
        sc_destroy(s);
    }
}

static void running_jobs_and_other_reservations_count_at_the_start(void **state)
{
    (void)state;
    struct scenario *s = sc_create_with(ANY_WITH_LIMITS("HARD", "MAXPROC=2"));
    struct sc_rsv now = of_tasks(2), later = of_tasks(2);
    struct err err = {0};

    now.end_at = 100;
    later.start_at = 100;
    later.end_at = 200;
    sc_nodes(s, 8, 1);
    sc_job(s, (struct sc_job){.id = "J", .user = "john", .procs = 1, .limit_s = 100});
    sc_at(s, 0);
    expect_refusal(s, &now, "RESLIMITPOLICY");
    scene_setres(s, &later); /* the job will be over */
    later.tasks = 1;
    later.start_at = 150;
    assert_int_equal(sc_setres(s, &later, &err), -1);
    now.who = NULL; /* not for administrators */
    scene_setres(s, &now);
    sc_destroy(s);
}

/* Who is over a soft limit stays so while somebody asks what will be when he is done.
 */
static void a_question_about_limits_changes_nothing(void **state)
{
    (void)state;
    struct scenario *s = sc_create_with(ANY_WITH_LIMITS("HARD", "MAXPROC=1,2"));
    struct sc_rsv later = of_tasks(3);

    later.start_at = 200;
    later.end_at = 300;
    sc_nodes(s, 8, 1);
    sc_job(s, (struct sc_job){.id = "J", .user = "john", .procs = 2, .limit_s = 100});
    sc_at(s, 0);
    sc_at(s, 10);
    assert_true(sc_find(s, "J")->flags & JOB_SPVIOLATION);
    expect_refusal(s, &later, "RESLIMITPOLICY");
    assert_true(sc_find(s, "J")->flags & JOB_SPVIOLATION);
    sc_destroy(s);
}

/* ---- R40 ---- */

static void a_refusal_names_the_first_possible_start_r40(void **state)
{
    (void)state;
    for (int by_node = 0; by_node < 2; by_node++) {
        struct scene x = {.nodes = 4};
        struct scenario *s = scene_open(&x, by_node);
        struct sc_rsv all = of_tasks(4), five = of_tasks(5);

        all.who = five.who = NULL;
        all.end_at = 50;
        sc_job(s, (struct sc_job){.id = "J", .procs = 2, .limit_s = 100});
        sc_job(
            s, (struct sc_job){.id = "K", .procs = 3, .limit_s = 30, .priority = 90});
        sc_at(s, 0);
        expect_refusal(s, &all, "the first possible start is in 00:02:10");
        expect_refusal(s, &five, "have room for 4 if nothing else is there");
        all.start_at = 140;
        all.end_at = 190;
        scene_setres(s, &all);
        sc_destroy(s);
    }
}

/* ---- the rest ---- */

static void an_exclusive_reservation_suffers_nobody(void **state)
{
    (void)state;
    for (int by_node = 0; by_node < 2; by_node++) {
        struct scene x = {.nodes = 4,
            .rsv = {{.base = "r", .hosts = "n2", .start_at = 100, .end_at = 200}}};
        struct scenario *s = scene_open(&x, by_node);
        struct sc_rsv r = of_hosts("^n[12]$");

        r.who = NULL;
        r.exclusive = true;
        sc_job(
            s, (struct sc_job){.id = "J", .user = "john", .procs = 1, .limit_s = 50});
        sc_at(s, 0);
        assert_string_equal(sc_where(s, "J"), "n1:1");
        r.end_at = 100;
        expect_refusal(s, &r, "node n1");
        r.start_at = 50;
        r.end_at = 110;
        expect_refusal(s, &r, "node n2");
        r.end_at = 100;
        scene_setres(s, &r);
        assert_string_equal(sc_held(s, "john.0"), "n1:1 n2:1");
        sc_destroy(s);
    }
}

static void owners_give_back_the_reservations_of_their_jobs(void **state)
{
    (void)state;
    struct scenario *s = sc_create();
    struct err err = {0};

    sc_nodes(s, 2, 1);
    sc_job(s, (struct sc_job){.id = "R", .procs = 2, .limit_s = 100, .priority = 90});
    sc_job(s, (struct sc_job){.id = "J", .user = "john", .procs = 1, .limit_s = 100});
    sc_at(s, 0);
    assert_int_equal(sc_reserved(s, "J"), 100);
    assert_int_equal(sc_releaseres_by(s, "J", "eve", &err), -1);
    assert_non_null(strstr(err.text, "only the job's owner"));
    assert_int_equal(sc_reserved(s, "J"), 100);
    assert_int_equal(sc_releaseres_by(s, "J", "john", &err), 0);
    assert_int_equal(sc_reserved(s, "J"), -1);
    sc_cycle(s); /* and has one again */
    assert_int_equal(sc_reserved(s, "J"), 100);
    assert_int_equal(sc_releaseres(s, "R", &err), -1);
    assert_int_equal(sc_releaseres(s, "nobody.6", &err), -1);
    sc_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_administrators_reserve_by_default_r42),
        cmocka_unit_test(a_personal_reservation_answers_to_its_maker_r42),
        cmocka_unit_test(administrators_charge_and_release_what_they_like),
        cmocka_unit_test(personal_reservations_obey_limits_r42),
        cmocka_unit_test(running_jobs_and_other_reservations_count_at_the_start),
        cmocka_unit_test(a_question_about_limits_changes_nothing),
        cmocka_unit_test(a_refusal_names_the_first_possible_start_r40),
        cmocka_unit_test(an_exclusive_reservation_suffers_nobody),
        cmocka_unit_test(owners_give_back_the_reservations_of_their_jobs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
