/* SPDX-License-Identifier: Apache-2.0
 * Who may use reservations, over time: the worked examples R1 to R15 and R44 of the
 * reservations reference, each planned by count and node by node. */
#include "rsv_scene.h"

#define DEBUG                                                                          \
    "SRCFG[debug] HOSTLIST=ALL PERIOD=INFINITY USERLIST=helpdesk "                     \
    "GROUPLIST=operations,sysadmin\n"
#define ALL_QOS "USERCFG[DEFAULT] QLIST=hi,high,low,special\n"

static void one_list_suffices_r1(void **state)
{
    (void)state;
    struct scene x = {.lines = DEBUG};
    struct ask asks[] = {
        {{.id = "a", .user = "helpdesk", .group = "users", .procs = 1, .limit_s = 60},
            0},
        {{.id = "b", .user = "bob", .group = "sysadmin", .procs = 1, .limit_s = 60}, 0},
        {{.id = "c", .user = "bob", .group = "users", .procs = 1, .limit_s = 60},
            NEVER},
        {{.id = NULL}}};
    scene_apart(&x, asks);
    scene_run(&x, asks);
}

#define R2_LINES                                                                       \
    "SRCFG[interactive] HOSTLIST=n1 STARTTIME=10:00:00 ENDTIME=15:00:00 "              \
    "CLASSLIST=interactive\n"                                                          \
    "SRCFG[debug] HOSTLIST=n1 PERIOD=INFINITY USERLIST=helpdesk "                      \
    "GROUPLIST=operations,sysadmin\n"

static void every_reservation_of_a_stack_must_admit_r2(void **state)
{
    (void)state;
    struct scene x = {
        .lines = R2_LINES, .begin = clock_of(0, 11, 0), .down = "n2 n3 n4"};
    struct ask asks[] = {{{.id = "a",
                              .user = "helpdesk",
                              .cls = "interactive",
                              .procs = 1,
                              .limit_s = HOUR_S},
                             clock_of(0, 11, 0)},
        {{.id = "b", .user = "helpdesk", .cls = "batch", .procs = 1, .limit_s = HOUR_S},
            clock_of(0, 15, 0)},
        {{.id = "c",
             .user = "bob",
             .group = "users",
             .cls = "interactive",
             .procs = 1,
             .limit_s = HOUR_S},
            NEVER},
        {{.id = NULL}}};
    scene_apart(&x, asks);
}

static void a_job_may_end_where_a_window_begins_r2(void **state)
{
    (void)state;
    struct scene x = {
        .lines = R2_LINES, .begin = clock_of(0, 9, 0), .down = "n2 n3 n4"};
    struct ask asks[] = {
        {{.id = "d", .user = "helpdesk", .cls = "batch", .procs = 1, .limit_s = HOUR_S},
            clock_of(0, 9, 0)},
        {{.id = "e", .user = "helpdesk", .cls = "batch", .procs = 1, .limit_s = 5400},
            clock_of(0, 15, 0)},
        {{.id = NULL}}};
    scene_apart(&x, asks);
}

static const struct sc_job john_users = {
    .user = "john", .group = "users", .limit_s = 100};
static const struct sc_job john_staff = {
    .user = "john", .group = "staff", .limit_s = 100};
static const struct sc_job amy_staff = {
    .user = "amy", .group = "staff", .limit_s = 100};
static const struct sc_job eve_users = {
    .user = "eve", .group = "users", .limit_s = 100};

static void reservations_side_by_side_add_up_r3(void **state)
{
    (void)state;
    struct scene x = {.nodes = 1,
        .procs = 16,
        .rsv = {{.base = "r1",
                    .hosts = "n1",
                    .resources = "PROCS=8",
                    .lists = {[ACL_USER] = "john"}},
            {.base = "r2",
                .hosts = "n1",
                .resources = "PROCS=8",
                .lists = {[ACL_GROUP] = "staff"}}}};
    scene_sees(&x, john_users, 0, 8);
    scene_sees(&x, amy_staff, 0, 8);
    scene_sees(&x, john_staff, 0, 16);
    scene_sees(&x, eve_users, 0, 0);
}

static void the_rest_of_a_node_is_open_to_all_r4(void **state)
{
    (void)state;
    struct scene x = {.nodes = 1,
        .procs = 16,
        .rsv = {{.base = "r1",
                    .hosts = "n1",
                    .resources = "PROCS=4",
                    .lists = {[ACL_USER] = "john"}},
            {.base = "r2",
                .hosts = "n1",
                .resources = "PROCS=10",
                .lists = {[ACL_GROUP] = "staff"}}}};
    scene_sees(&x, eve_users, 0, 2);
    scene_sees(&x, john_users, 0, 6);
    scene_sees(&x, amy_staff, 0, 12);
    scene_sees(&x, john_staff, 0, 16);
}

static void an_empty_list_keeps_everybody_out_r5(void **state)
{
    (void)state;
    struct scene x = {.rsv = {{.hosts = "ALL", .start_at = 100, .end_at = 200}}};
    struct ask asks[] = {{{.id = "a", .procs = 1, .limit_s = 100}, 0},
        {{.id = "b", .procs = 1, .limit_s = 101}, 200},
        {{.id = "c", .procs = 4, .limit_s = 50, .submit_at = 60}, 200}, {{.id = NULL}}};
    scene_apart(&x, asks);
}

static void a_time_limit_is_one_more_way_in_r6(void **state)
{
    (void)state;
    struct scene x = {.lines = ALL_QOS "SRCFG[x] HOSTLIST=ALL PERIOD=INFINITY "
                                       "QOSLIST=hi TIMELIMIT=1:00:00\n"};
    struct ask asks[] = {{{.id = "a", .procs = 1, .limit_s = 1800}, 0},
        {{.id = "b", .procs = 1, .limit_s = 7200, .qos = "hi"}, 0},
        {{.id = "c", .procs = 1, .limit_s = 7200}, NEVER}, {{.id = NULL}}};
    scene_apart(&x, asks);
    scene_run(&x, asks);
}

static void a_required_time_limit_binds_everybody_r7(void **state)
{
    (void)state;
    struct scene x = {.lines = ALL_QOS "SRCFG[x] HOSTLIST=ALL PERIOD=INFINITY "
                                       "QOSLIST=hi TIMELIMIT=1:00:00*\n"};
    struct ask asks[] = {{{.id = "a", .procs = 1, .limit_s = 1800}, NEVER},
        {{.id = "b", .procs = 1, .limit_s = 1800, .qos = "hi"}, 0},
        {{.id = "c", .procs = 1, .limit_s = 7200, .qos = "hi"}, NEVER},
        {{.id = "d", .procs = 1, .limit_s = 3600, .qos = "hi"}, 0}, {{.id = NULL}}};
    scene_apart(&x, asks);
    scene_run(&x, asks);
}

static void the_overlap_counts_and_not_the_length_r8(void **state)
{
    (void)state;
    static const struct {
        int64_t start, limit_s;
        bool starts;
    } rows[] = {{5 * HOUR_S, 4 * HOUR_S, true}, {5 * HOUR_S + 60, 4 * HOUR_S, false},
        {4 * DAY_S + 16 * HOUR_S, 12 * HOUR_S, true},
        {4 * DAY_S + 16 * HOUR_S - 60, 12 * HOUR_S, false},
        {2 * DAY_S + 12 * HOUR_S, HOUR_S, true}};
    struct scene x = {.begin = MONDAY,
        .rsv = {{.hosts = "ALL",
            .start_at = clock_of(0, 8, 0),
            .end_at = clock_of(4, 17, 0),
            .lists = {[ACL_DURATION] = "1:00:00*"}}}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int by_node = 0; by_node < 2; by_node++) {
            struct scenario *s = scene_open(&x, by_node);
            int64_t at = MONDAY + rows[i].start;

            sc_job(s, (struct sc_job){.id = "a",
                          .procs = 1,
                          .limit_s = rows[i].limit_s,
                          .submit_at = at});
            sc_run_until(s, at);
            if ((sc_start(s, "a") == at) != rows[i].starts)
                fail_msg("row %zu", i);
            sc_destroy(s);
        }
}

/* A reservation is planned for the next event; a cycle in between may start it. */
static void a_short_overlap_at_the_end_suffices_r8(void **state)
{
    (void)state;
    struct scene x = {.begin = MONDAY,
        .rsv = {{.hosts = "ALL",
            .start_at = clock_of(0, 8, 0),
            .end_at = clock_of(4, 17, 0),
            .lists = {[ACL_DURATION] = "1:00:00*"}}}};

    for (int by_node = 0; by_node < 2; by_node++) {
        struct scenario *s = scene_open(&x, by_node);

        sc_job(s, (struct sc_job){.id = "a",
                      .procs = 1,
                      .limit_s = 4 * HOUR_S,
                      .submit_at = clock_of(0, 5, 1)});
        sc_at(s, clock_of(0, 5, 1));
        assert_int_equal(sc_reserved(s, "a"), clock_of(4, 17, 0));
        sc_at(s, clock_of(4, 15, 59));
        assert_int_equal(sc_start(s, "a"), NEVER);
        sc_at(s, clock_of(4, 16, 0));
        assert_int_equal(sc_start(s, "a"), clock_of(4, 16, 0));
        sc_destroy(s);
    }
}

#define R9(name, q, acc, limit)                                                        \
    {                                                                                  \
        .id = name, .procs = 1, .qos = q, .account = acc, .limit_s = limit             \
    }

static void what_is_named_with_not_is_kept_out_r9(void **state)
{
    (void)state;
    struct scene x = {.lines = ALL_QOS
                      "SRCFG[x] HOSTLIST=n1 PERIOD=INFINITY TIMELIMIT=1:00:00* "
                      "QOSLIST=high,low,special- ACCOUNTLIST=!projectX,!projectY\n",
        .down = "n2 n3 n4"};
    struct ask asks[] = {{R9("a", "high", "projectX", 1800), NEVER},
        {R9("b", NULL, "projectZ", 1800), 0},
        {R9("c", "high", "projectZ", 7200), NEVER},
        {R9("d", "special", "projectZ", 1800), 0}, {R9("e", "special", NULL, 1800), 0},
        {R9("f", "low", "projectY", 1800), NEVER}, {R9("g", NULL, NULL, 1800), 0},
        {{.id = NULL}}};
    scene_apart(&x, asks);
}

static void the_affinity_decides_between_inside_and_outside_r9(void **state)
{
    (void)state;
    struct scene x = {.lines = ALL_QOS
                      "SRCFG[x] HOSTLIST=n2 PERIOD=INFINITY TIMELIMIT=1:00:00* "
                      "QOSLIST=high,low,special- ACCOUNTLIST=!projectX,!projectY\n",
        .nodes = 2};
    struct ask asks[] = {{R9("b", NULL, "projectZ", 1800), 0, "n2:1"},
        {R9("d", "special", "projectZ", 1800), 0, "n1:1"},
        {R9("e", "special", NULL, 1800), 0, "n1:1"},
        {R9("g", NULL, NULL, 1800), 0, "n2:1"},
        {R9("a", "high", "projectX", 1800), 0, "n1:1"}, {{.id = NULL}}};
    scene_apart(&x, asks);
}

static const struct scene r10 = {
    .rsv = {{.base = "plus", .hosts = "n1", .lists = {[ACL_USER] = "john"}},
        {.base = "minus", .hosts = "n2", .lists = {[ACL_USER] = "john-"}},
        {.base = "equal", .hosts = "n3", .lists = {[ACL_USER] = "john="}}}};

static void nodes_are_taken_by_affinity_r10(void **state)
{
    (void)state;
    struct ask four[] = {
        {{.id = "a", .user = "john", .procs = 1, .limit_s = 100, .priority = 9}, 0,
            "n1:1"},
        {{.id = "b", .user = "john", .procs = 1, .limit_s = 100, .priority = 8}, 0,
            "n3:1"},
        {{.id = "c", .user = "john", .procs = 1, .limit_s = 100, .priority = 7}, 0,
            "n4:1"},
        {{.id = "d", .user = "john", .procs = 1, .limit_s = 100, .priority = 6}, 0,
            "n2:1"},
        {{.id = NULL}}};
    struct ask wide[] = {
        {{.id = "a", .user = "john", .procs = 3, .limit_s = 100}, 0, "n1:1 n3:1 n4:1"},
        {{.id = NULL}}};
    struct ask eve[] = {
        {{.id = "a", .user = "eve", .procs = 1, .limit_s = 100, .priority = 9}, 0,
            "n4:1"},
        {{.id = "b", .user = "eve", .procs = 1, .limit_s = 100, .priority = 8}, 100,
            "n4:1"},
        {{.id = NULL}}};
    scene_run(&r10, four);
    scene_run(&r10, wide);
    scene_run(&r10, eve);
}

static void positive_affinity_attracts_r11(void **state)
{
    (void)state;
    struct scene x = {
        .rsv = {{.base = "r", .hosts = "n3", .lists = {[ACL_USER] = "john"}}}};
    struct ask asks[] = {
        {{.id = "a", .user = "john", .procs = 1, .limit_s = 100}, 0, "n3:1"},
        {{.id = "b", .user = "eve", .procs = 1, .limit_s = 100}, 0, "n1:1"},
        {{.id = NULL}}};
    scene_apart(&x, asks);
    scene_run(&x, asks);
}

static void byname_admits_those_who_name_it_r12(void **state)
{
    (void)state;
    struct scene x = {.rsv = {{.base = "fast",
                          .hosts = "n1,n2",
                          .flags = RSV_BYNAME,
                          .lists = {[ACL_USER] = "john"}}}};
    struct ask asks[] = {
        {{.id = "a", .user = "john", .procs = 3, .limit_s = 100}, NEVER},
        {{.id = "a2", .user = "john", .procs = 2, .limit_s = 100}, 0, "n3:1 n4:1"},
        {{.id = "b", .user = "john", .procs = 2, .limit_s = 100, .advres = "fast.0"}, 0,
            "n1:1 n2:1"},
        {{.id = "b2", .user = "john", .procs = 2, .limit_s = 100, .advres = "fast"}, 0,
            "n1:1 n2:1"},
        {{.id = "c", .user = "eve", .procs = 1, .limit_s = 100, .advres = "fast.0"},
            NEVER},
        {{.id = NULL}}};
    scene_apart(&x, asks);
}

static void flex_does_not_confine_those_who_name_it(void **state)
{
    (void)state;
    struct scene x = {
        .rsv = {{.base = "bend",
                    .hosts = "n1,n2",
                    .flags = RSV_BYNAME | RSV_FLEX,
                    .lists = {[ACL_USER] = "john"}},
            {.base = "other", .hosts = "n3", .lists = {[ACL_USER] = "john"}}}};
    struct ask asks[] = {
        {{.id = "a", .user = "john", .procs = 3, .limit_s = 100, .advres = "bend"}, 0,
            "n1:1 n2:1 n4:1"},
        {{.id = "b", .user = "john", .procs = 4, .limit_s = 100, .advres = "bend"},
            NEVER},
        {{.id = "c", .user = "john", .procs = 3, .limit_s = 100}, NEVER},
        {{.id = "d", .user = "john", .procs = 2, .limit_s = 100}, 0, "n3:1 n4:1"},
        {{.id = NULL}}};
    scene_apart(&x, asks);
}

static void advres_confines_to_reservations_r13(void **state)
{
    (void)state;
    struct scene x = {
        .rsv = {{.base = "staff", .hosts = "n1,n2", .lists = {[ACL_GROUP] = "staff"}}}};
    struct ask asks[] = {{{.id = "a",
                              .user = "amy",
                              .group = "staff",
                              .procs = 2,
                              .limit_s = 100,
                              .flags = JOB_ADVRES},
                             0, "n1:1 n2:1"},
        {{.id = "b",
             .user = "amy",
             .group = "staff",
             .procs = 3,
             .limit_s = 100,
             .flags = JOB_ADVRES},
            NEVER},
        {{.id = "c", .user = "amy", .group = "staff", .procs = 3, .limit_s = 100}, 0,
            "n1:1 n2:1 n3:1"},
        {{.id = NULL}}};
    scene_apart(&x, asks);
}

static void advres_with_a_name_confines_to_that_one_r14(void **state)
{
    (void)state;
    struct scene x = {
        .rsv = {{.base = "staff", .hosts = "n1,n2", .lists = {[ACL_GROUP] = "staff"}},
            {.base = "john", .hosts = "n3", .lists = {[ACL_USER] = "john"}}}};
    struct ask asks[] = {
        {{.id = "a", .user = "john", .group = "staff", .procs = 1, .limit_s = 100}, 0,
            "n1:1"},
        {{.id = "b",
             .user = "john",
             .group = "staff",
             .procs = 1,
             .limit_s = 100,
             .advres = "john.0"},
            0, "n3:1"},
        {{.id = "c",
             .user = "bob",
             .group = "users",
             .procs = 1,
             .limit_s = 100,
             .advres = "staff.0"},
            NEVER},
        {{.id = NULL}}};
    scene_apart(&x, asks);
    scene_run(&x, asks);
}

static void advres_covers_the_whole_job_r15(void **state)
{
    (void)state;
    struct scene x = {.rsv = {{.base = "r",
                          .hosts = "n1",
                          .end_at = 100,
                          .lists = {[ACL_USER] = "john"}}}};
    struct ask asks[] = {
        {{.id = "a", .user = "john", .procs = 1, .limit_s = 100, .advres = "r.0"}, 0,
            "n1:1"},
        {{.id = "b", .user = "john", .procs = 1, .limit_s = 101, .advres = "r.0"},
            NEVER},
        {{.id = NULL}}};
    scene_apart(&x, asks);
}

/* Of a resource manager: a job has to begin in it, and its nodes to be in no other for
 * as long as it may run. */
static void a_job_outlasts_a_reservation_that_lets_it(void **state)
{
    (void)state;
    struct scene x = {.rsv = {{.base = "r",
                                  .hosts = "n1",
                                  .end_at = 100,
                                  .flags = RSV_BYNAME | RSV_OUTLASTED,
                                  .lists = {[ACL_USER] = "john"}},
                          {.base = "next",
                              .hosts = "n1",
                              .start_at = 500,
                              .end_at = 600,
                              .lists = {[ACL_USER] = "eve"}}}};
    struct sc_job in = {.id = "a", .user = "john", .procs = 1, .advres = "r.0"};
    struct ask asks[] = {{in, 0, "n1:1"}, {in, 0, "n1:1"}, {in, 0, "n1:1"}, {in, NEVER},
        {in, NEVER}, {{.id = NULL}}};
    struct ask late[] = {{in, 0, "n1:1"}, {in, NEVER}, {{.id = NULL}}};

    asks[0].job.limit_s = 100;
    asks[1].job.limit_s = 101;
    asks[2].job.limit_s = 500;
    asks[3].job.limit_s = 501;
    asks[4].job.limit_s = 101;
    asks[4].job.user = "eve";
    scene_apart(&x, asks);
    late[0].job.limit_s = 150; /* then none may begin in it any more */
    late[1].job.limit_s = 10;
    late[1].job.id = "b";
    scene_run(&x, late);
}

#define OF_JOHN(name, from, to, more)                                                  \
    {                                                                                  \
        .base = (name), .hosts = "n1", .start_at = (from), .end_at = (to),             \
        .flags = (more), .lists = {                                                    \
            [ACL_USER] = "john"                                                        \
        }                                                                              \
    }

/* Several on one node: each lets jobs begin as long as it lasts, and only then. */
static void each_of_several_is_outlasted_by_those_that_began_in_it(void **state)
{
    (void)state;
    struct scene x = {.rsv = {OF_JOHN("r", 0, 100, RSV_OUTLASTED),
                          OF_JOHN("s", 500, 600, RSV_OUTLASTED)}};
    struct sc_job in = {.user = "john", .procs = 1, .flags = JOB_ADVRES};
    struct ask asks[] = {{in, 0, "n1:1"}, {in, 500, "n1:1"}, {in, 590, "n1:1"},
        {in, NEVER}, {{.id = NULL}}};

    asks[0].job.id = "a"; /* from r over the gap into what is none's */
    asks[0].job.limit_s = 150;
    asks[1].job.id = "b"; /* r is over by then, and s has not begun */
    asks[1].job.limit_s = 90;
    asks[2].job.id = "c";
    asks[2].job.limit_s = 3000;
    asks[3].job.id = "d"; /* s is over by then */
    asks[3].job.limit_s = 10;
    scene_run(&x, asks);
}

/* Of a resource manager: one over another, of both of which only jobs are that name
 * them.
 */
static void who_names_one_over_others_passes_those_below(void **state)
{
    (void)state;
    struct scene x = {
        .rsv = {OF_JOHN("plain", 0, 100, RSV_OUTLASTED | RSV_BYNAME),
            OF_JOHN("over", 0, 100, RSV_OUTLASTED | RSV_BYNAME | RSV_PASSES_PLAIN)}};
    struct sc_job in = {.user = "john", .procs = 1, .limit_s = 50};
    struct ask asks[] = {{in, 0, "n1:1"}, {in, NEVER}, {{.id = NULL}}};

    asks[0].job.id = "a";
    asks[0].job.advres = "over.0";
    asks[1].job.id = "b";
    asks[1].job.advres = "plain.0";
    scene_apart(&x, asks);
    scene_run(&x, asks);
    x.rsv[0].flags |= RSV_PASSES_ALL; /* maintenance: what lies over it passes it not */
    asks[0].job.advres = "plain.0";
    asks[1].job.advres = "over.0";
    scene_apart(&x, asks);
    scene_run(&x, asks);
    x.rsv[1].flags = 0; /* not the resource manager's: nobody passes it */
    asks[0].start = NEVER;
    asks[0].where = NULL;
    scene_apart(&x, asks);
}

static void who_begins_beside_one_is_confined_as_ever(void **state)
{
    (void)state;
    struct scene x = {
        .rsv = {OF_JOHN("r", 0, 100, 0), OF_JOHN("s", 100, 200, RSV_OUTLASTED),
            OF_JOHN("t", 50, 60, RSV_OUTLASTED),
            {.base = "eve",
                .hosts = "n1",
                .start_at = 400,
                .end_at = 500,
                .lists = {[ACL_USER] = "eve"}}}};
    struct sc_job in = {.id = "a", .user = "john", .procs = 1, .flags = JOB_ADVRES};
    struct ask asks[] = {
        {in, 0, "n1:1"}, {in, 50, "n1:1"}, {in, NEVER}, {in, 150}, {{.id = NULL}}};

    asks[0].job.limit_s = 200; /* in r, then in s */
    asks[1].job.limit_s = 300; /* only one that began in s or t outlasts them, */
    asks[2].job.limit_s = 360; /* and none into that of another */
    asks[3].job.limit_s = 200;
    asks[3].job.submit_at = 150;
    scene_apart(&x, asks);
}

static void job_attributes_admit_r44(void **state)
{
    (void)state;
    struct scene x = {
        .rsv = {{.base = "r",
            .hosts = "ALL",
            .lists = {[ACL_JOBATTR] = "PREEMPTEE", [ACL_USER] = "john"}}}};
    struct ask asks[] = {
        {{.id = "a", .user = "eve", .procs = 1, .limit_s = 100, .flags = JOB_PREEMPTEE},
            0},
        {{.id = "b", .user = "eve", .procs = 1, .limit_s = 100}, NEVER},
        {{.id = "c", .user = "john", .procs = 1, .limit_s = 100}, 0}, {{.id = NULL}}};
    scene_apart(&x, asks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_list_suffices_r1),
        cmocka_unit_test(every_reservation_of_a_stack_must_admit_r2),
        cmocka_unit_test(a_job_may_end_where_a_window_begins_r2),
        cmocka_unit_test(reservations_side_by_side_add_up_r3),
        cmocka_unit_test(the_rest_of_a_node_is_open_to_all_r4),
        cmocka_unit_test(an_empty_list_keeps_everybody_out_r5),
        cmocka_unit_test(a_time_limit_is_one_more_way_in_r6),
        cmocka_unit_test(a_required_time_limit_binds_everybody_r7),
        cmocka_unit_test(the_overlap_counts_and_not_the_length_r8),
        cmocka_unit_test(a_short_overlap_at_the_end_suffices_r8),
        cmocka_unit_test(what_is_named_with_not_is_kept_out_r9),
        cmocka_unit_test(the_affinity_decides_between_inside_and_outside_r9),
        cmocka_unit_test(nodes_are_taken_by_affinity_r10),
        cmocka_unit_test(positive_affinity_attracts_r11),
        cmocka_unit_test(byname_admits_those_who_name_it_r12),
        cmocka_unit_test(flex_does_not_confine_those_who_name_it),
        cmocka_unit_test(advres_confines_to_reservations_r13),
        cmocka_unit_test(advres_with_a_name_confines_to_that_one_r14),
        cmocka_unit_test(advres_covers_the_whole_job_r15),
        cmocka_unit_test(a_job_outlasts_a_reservation_that_lets_it),
        cmocka_unit_test(each_of_several_is_outlasted_by_those_that_began_in_it),
        cmocka_unit_test(who_names_one_over_others_passes_those_below),
        cmocka_unit_test(who_begins_beside_one_is_confined_as_ever),
        cmocka_unit_test(job_attributes_admit_r44),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
