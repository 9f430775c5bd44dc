/* SPDX-License-Identifier: Apache-2.0
 * Limits that the resource manager keeps (cluster/quota.h): who is under them, which
 * hold, and what follows when they change while jobs wait. */
#include "cluster/job.h"
#include "cmocka_all.h"
#include "engine/check.h"
#include "engine/engine_private.h"
#include "policy/reason.h"
#include "scenario.h"

#include <string.h>

#define NAMES(...)                                                                     \
    (const char *const[])                                                              \
    {                                                                                  \
        __VA_ARGS__, NULL                                                              \
    }
#define LIMITS(...)                                                                    \
    .limits = (const struct quota_limit[]){__VA_ARGS__},                               \
    .n = sizeof(struct quota_limit[]){__VA_ARGS__} / sizeof(struct quota_limit)

static void tell(struct scenario *s, const struct quota *v, size_t n)
{
    struct event ev = {.kind = EVENT_QUOTAS, .u.quotas = {"Slurm", v, n}};
    struct err err;

    assert_int_equal(sc_apply(s, ev, &err), 0);
}
#define TELL(s, ...)                                                                   \
    tell(s, (const struct quota[]){__VA_ARGS__},                                       \
        sizeof(struct quota[]){__VA_ARGS__} / sizeof(struct quota))

static const char *why(struct scenario *s, const char *id)
{
    static char text[400];

    reason_format(
        sc_engine(s)->c, engine_why(sc_engine(s), sc_find(s, id)), text, sizeof text);
    return text;
}

static void job(struct scenario *s, const char *id, uint32_t procs, const char *user,
    const char *account, const char *qos)
{
    sc_job(s, (struct sc_job){.id = id,
                  .procs = procs,
                  .limit_s = 100,
                  .user = user,
                  .account = account,
                  .qos = qos,
                  .admitted = true});
}

#define CHEM(most)                                                                     \
    {                                                                                  \
        .name = "account chem", .accounts = NAMES("chem", "lab"),                      \
        LIMITS({"GrpTRES=cpu", QUOTA_GROUP, LIMIT_PROC, most})                         \
    }

static void an_account_shares_its_limit_with_those_below_it(void **state)
{
    (void)state;
    struct scenario *s = sc_begin("", 20, 1, false);
    TELL(s, CHEM(4));
    job(s, "a", 3, "ann", "chem", NULL);
    job(s, "b", 2, "bob", "lab", NULL);
    job(s, "c", 9, "eve", "other", NULL);
    sc_at(s, 0);
    assert_int_equal(sc_start(s, "a"), 0);
    assert_int_equal(sc_start(s, "c"), 0);
    assert_int_equal(sc_start(s, "b"), -1);
    assert_string_equal(why(s, "b"),
        "Slurm's limit GrpTRES=cpu of account chem: 3 of 4 processors in use by ann 3 "
        "and this job asks for 2 processors");
    sc_run(s);
    assert_int_equal(sc_start(s, "b"), 100);
    sc_destroy(s);
}

static void a_raised_limit_lets_go_and_a_lower_one_stops_nobody(void **state)
{
    (void)state;
    struct scenario *s = sc_begin("", 20, 1, false);
    TELL(s, CHEM(4));
    job(s, "a", 3, "ann", "chem", NULL);
    job(s, "b", 2, "bob", "lab", NULL);
    job(s, "c", 1, "bob", "lab", NULL);
    sc_at(s, 5);
    assert_int_equal(sc_start(s, "b"), -1);
    assert_int_equal(sc_start(s, "c"), 0);
    TELL(s, CHEM(6));
    sc_cycle(s);
    assert_int_equal(sc_start(s, "b"), 5);
    TELL(s, CHEM(1));
    job(s, "d", 1, "bob", "lab", NULL);
    sc_run(s);
    assert_int_equal(sc_start(s, "d"), 105);
    assert_null(strstr(sc_log(s, "a"), "cancel"));
    sc_destroy(s);
}

static void a_job_over_a_limit_by_itself_waits_until_that_is_raised(void **state)
{
    (void)state;
    struct scenario *s = sc_begin("", 20, 1, false);
    TELL(s, {.name = "QOS fast",
                .qos = "fast",
                LIMITS({"MaxWall", QUOTA_JOB, LIMIT_WC, 60})});
    job(s, "a", 1, "ann", "chem", "fast");
    sc_at(s, 5);
    assert_int_equal(sc_start(s, "a"), -1);
    assert_string_equal(why(s, "a"),
        "Slurm's limit MaxWall of QOS fast allows a job 00:01:00 and this job asks for "
        "00:01:40");
    TELL(s, {.name = "QOS fast",
                .qos = "fast",
                LIMITS({"MaxWall", QUOTA_JOB, LIMIT_WC, 100})});
    sc_cycle(s);
    assert_int_equal(sc_start(s, "a"), 5);
    sc_destroy(s);
}

static void each_user_of_a_qos_has_a_count_of_its_own(void **state)
{
    (void)state;
    struct scenario *s = sc_begin("", 20, 1, false);
    TELL(s, {.name = "QOS fast",
                .qos = "fast",
                .per = QUOTA_PER_USER,
                LIMITS({"MaxJobsPerUser", QUOTA_EACH, LIMIT_JOB, 1})});
    job(s, "a1", 1, "ann", "chem", "fast");
    job(s, "a2", 1, "ann", "lab", "fast");
    job(s, "b1", 1, "bob", "chem", "fast");
    job(s, "a3", 1, "ann", "chem", "slow");
    sc_at(s, 0);
    assert_int_equal(sc_start(s, "a1"), 0);
    assert_int_equal(sc_start(s, "b1"), 0);
    assert_int_equal(sc_start(s, "a3"), 0);
    assert_int_equal(sc_start(s, "a2"), -1);
    assert_string_equal(why(s, "a2"),
        "Slurm's limit MaxJobsPerUser of QOS fast for user ann: 1 of 1 job in use by "
        "ann 1 and this job asks for one more");
    sc_destroy(s);
}

/* Ann may have one job in chem, but two where the QOS says so, and her class says 3. */
static void the_nearest_limit_of_those_that_mean_the_same_holds(void **state)
{
    (void)state;
    for (int first = 0; first < 2; first++) {
        struct scenario *s = sc_begin("", 20, 1, false);
        TELL(s,
            {.name = "user ann in account chem",
                .user = "ann",
                .accounts = NAMES("chem"),
                LIMITS({"MaxJobs", QUOTA_EACH, LIMIT_JOB, 1})},
            {.name = "QOS fast",
                .qos = "fast",
                .first = first,
                .per = QUOTA_PER_USER,
                LIMITS({"MaxJobsPerUser", QUOTA_EACH, LIMIT_JOB, 2})},
            {.name = "QOS debug",
                .qos = "debug",
                .classes = NAMES("debug"),
                .per = QUOTA_PER_USER,
                LIMITS({"MaxJobsPerUser", QUOTA_EACH, LIMIT_JOB, 3})});
        const char *ids[] = {"j1", "j2", "j3", "j4"};
        for (int i = 0; i < 4; i++)
            sc_job(s, (struct sc_job){.id = ids[i],
                          .procs = 1,
                          .limit_s = 100,
                          .user = "ann",
                          .account = "chem",
                          .qos = "fast",
                          .cls = "debug",
                          .admitted = true});
        sc_at(s, 0);
        assert_int_equal(sc_start(s, "j2"), 0);
        assert_int_equal(sc_start(s, "j3"), first ? -1 : 0);
        assert_int_equal(sc_start(s, "j4"), -1);
        sc_destroy(s);
    }
}

static void an_association_of_one_partition_counts_by_itself(void **state)
{
    (void)state;
    struct scenario *s = sc_begin("", 20, 1, false);
    const char *ids[] = {"j1", "j2", "j3", "j4"};
    TELL(s,
        {.name = "ann",
            .user = "ann",
            .accounts = NAMES("chem"),
            .except = NAMES("gpu"),
            LIMITS({"MaxJobs", QUOTA_EACH, LIMIT_JOB, 1})},
        {.name = "ann, gpu",
            .user = "ann",
            .accounts = NAMES("chem"),
            .classes = NAMES("gpu"),
            LIMITS({"MaxJobs", QUOTA_EACH, LIMIT_JOB, 1})});
    for (int i = 0; i < 4; i++)
        sc_job(s, (struct sc_job){.id = ids[i],
                      .procs = 1,
                      .limit_s = 100,
                      .user = "ann",
                      .account = "chem",
                      .cls = i % 2 ? "gpu" : "batch",
                      .admitted = true});
    sc_at(s, 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(sc_start(s, ids[i]), i < 2 ? 0 : -1);
    sc_destroy(s);
}

/* A request of one processor and so many licences; they live as long as the scenario.
 */
struct asked {
    struct gres_cfg list[2];
    struct req_desc req;
};

static void ask_licences(struct scenario *s, struct asked *a, const char *id,
    const char *user, const char *name, int64_t n)
{
    *a = (struct asked){.list = {{(char *)name, n}, {0}}};
    a->req =
        (struct req_desc){.tasks = 1, .per_task = {{1, 0, 0, 0}}, .job_gres = a->list};
    sc_job(s, (struct sc_job){.id = id,
                  .req = &a->req,
                  .limit_s = 100,
                  .user = user,
                  .account = "chem",
                  .admitted = true});
}

static struct scenario *begin_with_licences(const char *lines)
{
    struct scenario *s = sc_begin(lines, 20, 1, true);
    const struct gres_cfg all[] = {{(char *)"lic", 50}, {(char *)"other", 50}, {0}};
    struct event ev = {.kind = EVENT_NODE,
        .u.node = {.name = "GLOBAL", .state = NODE_IDLE, .gres = all}};

    assert_int_equal(sc_apply(s, ev, &(struct err){0}), 0);
    return s;
}

static void generic_resources_count_for_a_limit_on_them(void **state)
{
    (void)state;
    struct asked asked[5];
    struct scenario *s = begin_with_licences("");
    TELL(s, {.name = "account chem",
                .accounts = NAMES("chem"),
                LIMITS({"MaxTRES=license/lic", QUOTA_JOB, LIMIT_PROC, 3, "lic"},
                    {"GrpTRES=license/lic", QUOTA_GROUP, LIMIT_PROC, 4, "lic"})});
    ask_licences(s, &asked[0], "a", "ann", "lic", 3);
    ask_licences(s, &asked[1], "b", "bob", "lic", 2);
    ask_licences(s, &asked[2], "c", "bob", "other", 9);
    ask_licences(s, &asked[3], "d", "bob", "lic", 1);
    ask_licences(s, &asked[4], "e", "bob", "lic", 4);
    job(s, "f", 1, "bob", "chem", NULL);
    sc_at(s, 0);
    assert_int_equal(sc_start(s, "a"), 0);
    assert_int_equal(sc_start(s, "b"), -1);
    assert_int_equal(sc_start(s, "c"), 0);
    assert_int_equal(sc_start(s, "d"), 0); /* b does not stand in its way */
    assert_int_equal(sc_start(s, "f"), 0);
    assert_string_equal(why(s, "b"),
        "Slurm's limit GrpTRES=license/lic of account chem: 4 of 4 lic in use by ann "
        "3, bob 1 and this job asks for 2 lic");
    assert_string_equal(why(s, "e"), "Slurm's limit MaxTRES=license/lic of account "
                                     "chem allows a job 3 lic and this job asks for 4 "
                                     "lic");
    sc_run(s);
    assert_int_equal(sc_start(s, "b"), 100);
    assert_int_equal(sc_start(s, "e"), -1);
    sc_destroy(s);
}

/* 2 x 100 s, of which 2 x 40 are left when 120 more come into the 200. Beside a limit
 * of maui.cfg that makes the comparison one in full. */
static void what_is_limited_by_the_minute_shrinks(void **state)
{
    static const char *const configurations[] = {
        "", "USERCFG[DEFAULT] MAXPROC[CLASS]=99\n"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct asked asked[2];
        struct scenario *s = begin_with_licences(configurations[i]);
        TELL(s, {.name = "account chem",
                    .accounts = NAMES("chem"),
                    LIMITS({"GrpTRESRunMins=license/lic", QUOTA_GROUP, LIMIT_PROC, 200,
                        "lic", true})});
        ask_licences(s, &asked[0], "a", "ann", "lic", 2);
        ask_licences(s, &asked[1], "b", "bob", "lic", 1);
        sc_at(s, 10);
        assert_int_equal(sc_start(s, "a"), 0);
        assert_string_equal(why(s, "b"),
            "Slurm's limit GrpTRESRunMins=license/lic of account chem: 180 of 200 "
            "lic-seconds in use by ann and this job asks for 100 lic-seconds");
        sc_at(s, 49);
        assert_int_equal(sc_start(s, "b"), -1);
        sc_at(s, 50);
        assert_int_equal(sc_start(s, "b"), 50);
        sc_destroy(s);
    }
}

/* No QOS of maui.cfg lifts what Slurm enforces, and its own limits hold beside. */
static void both_limits_hold(void **state)
{
    (void)state;
    struct scenario *s =
        sc_begin("USERCFG[bob] MAXPROC=1\nQOSCFG[free] QFLAGS=IGNALL OMAXPROC=99\n", 20,
            1, false);
    TELL(s, CHEM(4));
    job(s, "a", 3, "ann", "chem", "free");
    job(s, "b", 2, "ann", "chem", "free");
    job(s, "c", 1, "bob", "chem", NULL);
    job(s, "d", 1, "bob", "other", NULL);
    sc_at(s, 0);
    assert_int_equal(sc_start(s, "a"), 0);
    assert_int_equal(sc_start(s, "b"), -1);
    assert_int_equal(sc_start(s, "c"), 0);
    assert_int_equal(sc_start(s, "d"), -1);
    sc_destroy(s);
}

static void a_limit_of_0_lets_nothing_run_and_its_end_lets_all(void **state)
{
    (void)state;
    struct scenario *s = sc_begin("", 20, 1, false);
    TELL(s, CHEM(0));
    job(s, "a", 1, "ann", "chem", NULL);
    sc_at(s, 5);
    assert_int_equal(sc_start(s, "a"), -1);
    tell(s, NULL, 0);
    sc_cycle(s);
    assert_int_equal(sc_start(s, "a"), 5);
    sc_destroy(s);
}

static void what_is_used_up_is_said(void **state)
{
    (void)state;
    struct scenario *s = sc_begin("", 20, 1, false);
    TELL(s, {.name = "account chem",
                .accounts = NAMES("chem"),
                LIMITS({"GrpTRESMins", QUOTA_JOB, LIMIT_JOB, 0})});
    job(s, "a", 1, "ann", "chem", NULL);
    sc_at(s, 5);
    assert_string_equal(
        why(s, "a"), "Slurm's limit GrpTRESMins of account chem is used up");
    sc_destroy(s);
}

static void processor_seconds_left_shrink_as_jobs_run(void **state)
{
    (void)state;
    struct scenario *s = sc_begin("", 20, 1, false);
    TELL(s, {.name = "account chem",
                .accounts = NAMES("chem"),
                LIMITS({"GrpTRESRunMins=cpu", QUOTA_GROUP, LIMIT_PS, 300})});
    job(s, "a", 2, "ann", "chem", NULL);
    job(s, "b", 2, "ann", "chem", NULL);
    sc_at(s, 49);
    assert_int_equal(sc_start(s, "b"), -1);
    sc_at(s, 50);
    assert_int_equal(sc_start(s, "b"), 50);
    sc_destroy(s);
}

/* ---- what is not told as a quota is refused ---- */

static void refuse(struct scenario *s, const char *id)
{
    struct event ev = {.kind = EVENT_START_FAILED};
    struct err err;

    ev.u.failed.id = id;
    ev.u.failed.reason = REASON_RMFAILURE;
    ev.u.failed.text = "Slurm's limit AssocGrpGRES";
    ev.u.failed.limit = true;
    assert_int_equal(sc_apply(s, ev, &err), 0);
    sc_cycle(s);
}

/* The first is tried at 15, 45, 105 ...; those like it wait for that. */
static void a_refused_job_is_tried_again_and_those_like_it_wait_for_it(void **state)
{
    (void)state;
    struct scenario *s = sc_begin("DEFERSTARTCOUNT 1\n", 20, 1, false);
    job(s, "a", 2, "ann", "chem", NULL);
    sc_at(s, 0);
    refuse(s, "a");
    job(s, "like", 2, "ann", "chem", NULL);
    job(s, "small", 1, "ann", "chem", NULL);
    job(s, "other", 2, "bob", "chem", NULL);
    sc_at(s, 1);
    assert_int_equal(sc_start(s, "like"), -1);
    assert_int_equal(sc_start(s, "small"), 0);
    assert_int_equal(sc_start(s, "other"), 0);
    assert_int_equal(sc_find(s, "a")->holds, 0);
    assert_non_null(strstr(why(s, "a"), "Slurm's limit AssocGrpGRES; job a is tried"));
    assert_non_null(
        strstr(why(s, "like"), "Slurm's limit AssocGrpGRES; job a is tried"));
    sc_at(s, 14);
    assert_int_equal(sc_find(s, "a")->state, JOB_IDLE);
    sc_at(s, 15);
    assert_int_equal(sc_find(s, "a")->state, JOB_RUNNING);
    assert_int_equal(sc_find(s, "like")->state, JOB_IDLE);
    refuse(s, "a");
    sc_at(s, 44);
    assert_int_equal(sc_find(s, "a")->state, JOB_IDLE);
    sc_at(s, 45);
    assert_int_equal(sc_start(s, "a"), 45);
    assert_int_equal(sc_find(s, "a")->start_count, 1);
    struct err err;
    sc_report(s, "a", JOB_RUNNING, NULL, &err); /* it really runs: all others too */
    sc_cycle(s);
    assert_int_equal(sc_start(s, "like"), 45);
    sc_destroy(s);
}

static void other_quotas_or_the_end_of_the_refused_job_let_all_be_tried(void **state)
{
    (void)state;
    for (int how = 0; how < 2; how++) {
        struct scenario *s = sc_begin("", 20, 1, false);
        job(s, "a", 2, "ann", "chem", NULL);
        sc_at(s, 0);
        refuse(s, "a");
        job(s, "like", 2, "ann", "chem", NULL);
        sc_at(s, 3);
        assert_int_equal(sc_start(s, "like"), -1);
        if (how == 0)
            sc_cancel(s, "a");
        else
            tell(s, NULL, 0);
        sc_cycle(s);
        assert_int_equal(sc_start(s, "like"), 3);
        sc_destroy(s);
    }
}

/* But not more often than every 5 s. */
static void where_a_job_ended_a_refused_one_is_tried_at_once(void **state)
{
    (void)state;
    struct scenario *s = sc_begin("", 20, 1, false);
    sc_job(
        s, (struct sc_job){.id = "short", .procs = 1, .limit_s = 7, .admitted = true});
    sc_job(
        s, (struct sc_job){.id = "next", .procs = 1, .limit_s = 8, .admitted = true});
    job(s, "a", 2, "ann", "chem", NULL);
    sc_at(s, 0);
    refuse(s, "a");
    sc_at(s, 6);
    assert_int_equal(sc_find(s, "a")->state, JOB_IDLE);
    sc_at(s, 7);
    assert_int_not_equal(sc_find(s, "a")->state, JOB_IDLE);
    refuse(s, "a"); /* its next turn is 30 s later */
    sc_at(s, 11);
    assert_int_equal(sc_find(s, "a")->state, JOB_IDLE);
    sc_at(s, 12); /* 5 s after it was refused, because of the end at 8 */
    assert_int_not_equal(sc_find(s, "a")->state, JOB_IDLE);
    sc_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_account_shares_its_limit_with_those_below_it),
        cmocka_unit_test(a_raised_limit_lets_go_and_a_lower_one_stops_nobody),
        cmocka_unit_test(a_job_over_a_limit_by_itself_waits_until_that_is_raised),
        cmocka_unit_test(each_user_of_a_qos_has_a_count_of_its_own),
        cmocka_unit_test(the_nearest_limit_of_those_that_mean_the_same_holds),
        cmocka_unit_test(an_association_of_one_partition_counts_by_itself),
        cmocka_unit_test(both_limits_hold),
        cmocka_unit_test(a_limit_of_0_lets_nothing_run_and_its_end_lets_all),
        cmocka_unit_test(what_is_used_up_is_said),
        cmocka_unit_test(generic_resources_count_for_a_limit_on_them),
        cmocka_unit_test(what_is_limited_by_the_minute_shrinks),
        cmocka_unit_test(processor_seconds_left_shrink_as_jobs_run),
        cmocka_unit_test(a_refused_job_is_tried_again_and_those_like_it_wait_for_it),
        cmocka_unit_test(other_quotas_or_the_end_of_the_refused_job_let_all_be_tried),
        cmocka_unit_test(where_a_job_ended_a_refused_one_is_tried_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
