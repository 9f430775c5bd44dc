/* SPDX-License-Identifier: Apache-2.0
 * Generic resources on nodes, floating ones (licences) of the pseudo node GLOBAL, and
 * start dates (reference node-allocation, section 8; users-ask, 83 and 85). */
#include "cmocka_all.h"
#include "scenario.h"

#define JOBS_MAX 8

/* Requests live as long as the scenario that is told of them. */
struct kit {
    struct scenario *s;
    struct gres_cfg gres[JOBS_MAX][2];
    struct req_desc req[JOBS_MAX];
    int n;
};

static struct kit begin(const char *lines, uint32_t nodes, bool by_node)
{
    return (struct kit){.s = sc_begin(lines, nodes, 4, by_node)};
}

#define BOTH(s, lines, nodes)                                                          \
    for (int by_node_ = 0; by_node_ < 2; by_node_++)                                   \
        for (struct kit k = begin(lines, nodes, by_node_), *once_ = &k; once_;         \
             sc_destroy(k.s), once_ = NULL)                                            \
            for (struct scenario *s = k.s; s; (s) = NULL)

struct want {
    const char *id;
    uint32_t tasks;
    int64_t limit, priority;
    const char *gres; /* NULL = none */
    int64_t count;    /* of it, each task */
    int64_t submit, release, run;
    uint32_t flags;
};

static void job(struct kit *k, const struct want *w)
{
    struct req_desc *req = &k->req[k->n];
    struct gres_cfg *gres = k->gres[k->n++];

    assert_true(k->n <= JOBS_MAX);
    gres[0] = (struct gres_cfg){(char *)w->gres, w->count};
    *req = (struct req_desc){
        .tasks = w->tasks, .per_task = {{1}}, .gres = w->gres ? gres : NULL};
    sc_job(k->s, (struct sc_job){.id = w->id,
                     .limit_s = w->limit,
                     .run_s = w->run,
                     .priority = w->priority,
                     .submit_at = w->submit,
                     .release_at = w->release,
                     .flags = w->flags,
                     .req = req});
}

#define JOB(...) job(&k, &(struct want){__VA_ARGS__})

#define LIC "NODECFG[GLOBAL] GRES=lic:10\n"

static void two_jobs_share_the_licences_and_the_third_waits_for_them(void **state)
{
    (void)state;
    BOTH(s, LIC, 4)
    {
        JOB("a", 2, 100, 90, "lic", 2); /* 4 */
        JOB("b", 6, 200, 80, "lic", 1); /* 6 */
        JOB("c", 1, 50, 70, "lic", 5);
        JOB("none", 1, 50, 60);
        sc_run_until(s, 0);
        assert_int_equal(sc_start(s, "a"), 0);
        assert_int_equal(sc_start(s, "b"), 0);
        assert_int_equal(sc_start(s, "none"), 0); /* processors are free */
        assert_int_equal(sc_reserved(s, "c"), 200);
        sc_run(s);
        assert_int_equal(sc_start(s, "c"), 200);
    }
}

static void an_order_takes_no_licences_that_are_not_there(void **state)
{
    (void)state;
    BOTH(s, LIC, 4)
    {
        JOB("a", 1, 100, 90, "lic", 8);
        JOB("b", 1, 100, 80, "lic", 3);
        sc_run_until(s, 0);
        struct event ev = {
            .kind = EVENT_RUN, .u.run = {.id = "b", .flags = RUN_ANY_RESERVATION}};
        struct err err;
        const struct reason why = sc_find(s, "b")->why;
        assert_int_equal(sc_apply(s, ev, &err), -1);
        assert_string_equal(
            err.text, "job cannot run  (insufficient 'lic':  3 needed  2 available)");
        assert_memory_equal(&why, &sc_find(s, "b")->why, sizeof why);
        assert_int_equal(sc_reserved(s, "b"), 100);
    }
}

static void licences_come_back_with_an_early_end(void **state)
{
    (void)state;
    BOTH(s, LIC, 1)
    {
        JOB("a", 1, 100, 90, "lic", 8, .run = 30);
        JOB("b", 1, 100, 80, "lic", 3);
        sc_run_until(s, 0);
        assert_int_equal(sc_reserved(s, "b"), 100);
        sc_run(s);
        assert_int_equal(sc_start(s, "b"), 30);
    }
}

/* A reservation holds its licences: a job that would still have them then waits. */
static void licences_are_reserved_for_the_job_that_waits(void **state)
{
    (void)state;
    BOTH(s, LIC, 4)
    {
        JOB("a", 1, 100, 90, "lic", 8);
        JOB("top", 1, 100, 80, "lic", 10);
        JOB("long", 1, 101, 70, "lic", 1);
        JOB("short", 1, 100, 60, "lic", 1);
        JOB("plain", 1, 500, 50);
        sc_run(s);
        assert_int_equal(sc_start(s, "short"), 0);
        assert_int_equal(sc_start(s, "plain"), 0);
        assert_int_equal(sc_start(s, "top"), 100);
        assert_int_equal(sc_start(s, "long"), 200);
    }
}

/* Jobs that start on approval give processors back, and cannot give licences back. */
static void backfill_on_approval_passes_no_reservation_of_licences(void **state)
{
    (void)state;
    BOTH(s, LIC "BACKFILLPOLICY PREEMPT\n", 4)
    {
        JOB("a", 1, 100, 90, "lic", 8);
        JOB("top", 1, 100, 80, "lic", 10);
        JOB("long", 1, 101, 70, "lic", 1);
        JOB("short", 1, 100, 60, "lic", 1);
        JOB("plain", 1, 500, 50);
        sc_run(s);
        assert_int_equal(sc_start(s, "short"), 0);
        assert_int_equal(sc_start(s, "plain"), 0);
        assert_int_equal(sc_start(s, "top"), 100);
        assert_int_equal(sc_start(s, "long"), 200);
    }
}

static void nobody_is_preempted_for_licences(void **state)
{
    (void)state;
    BOTH(s, LIC, 4)
    {
        JOB("low", 1, 100, 10, "lic", 8, .flags = JOB_PREEMPTEE);
        JOB("full", 15, 100, 10, .flags = JOB_PREEMPTEE);
        JOB("high", 1, 100, 90, "lic", 3, .submit = 10, .flags = JOB_PREEMPTOR);
        JOB("wide", 1, 50, 80, .submit = 20, .flags = JOB_PREEMPTOR);
        sc_run(s);
        assert_string_equal(sc_log(s, "low"), "start@0");
        assert_int_equal(sc_start(s, "high"), 100);
        assert_int_equal(sc_start(s, "wide"), 20); /* for processors they are */
    }
}

static void more_licences_than_there_are_can_never_be_had(void **state)
{
    (void)state;
    BOTH(s, LIC, 4)
    {
        JOB("eleven", 11, 100, 90, "lic", 1);
        JOB("ten", 10, 100, 80, "lic", 1);
        JOB("unknown", 1, 100, 70, "nosuch", 1);
        sc_run_until(s, 0);
        assert_string_equal(sc_log(s, "eleven"), "defer(3600)@0");
        assert_string_equal(sc_log(s, "unknown"), "defer(3600)@0");
        assert_int_equal(sc_start(s, "ten"), 0);
    }
}

/* What a real node has is taken there, however much GLOBAL has of it. */
static void what_nodes_have_is_not_taken_from_global(void **state)
{
    (void)state;
    BOTH(s, "NODECFG[GLOBAL] GRES=tape:10\nNODECFG[n2] GRES=tape:2\n", 2)
    {
        JOB("a", 2, 100, 90, "tape", 1);
        JOB("b", 1, 100, 80, "tape", 1);
        sc_run_until(s, 0);
        assert_string_equal(sc_where(s, "a"), "n2:2");
        assert_int_equal(sc_reserved(s, "b"), 100);
    }
}

/* Each task takes its own: n1 has room for two, n2 for one, n3 for none. */
static void resources_of_nodes_are_counted_by_task(void **state)
{
    (void)state;
    BOTH(s, "NODECFG[n1] GRES=gpu:4\nNODECFG[n2] GRES=gpu:3\n", 3)
    {
        JOB("three", 3, 100, 90, "gpu", 2);
        JOB("rest", 1, 50, 80, "gpu", 1);
        JOB("next", 1, 50, 70, "gpu", 1);
        JOB("four", 4, 50, 60, "gpu", 2);
        sc_run_until(s, 0);
        assert_string_equal(sc_where(s, "three"), "n1:2 n2:1");
        assert_string_equal(sc_where(s, "rest"), "n2:1");
        assert_int_equal(sc_reserved(s, "next"), 50);
        assert_string_equal(sc_log(s, "four"), "defer(3600)@0");
    }
}

/* Both at once: a job waits for the later of the two. */
static void licences_and_processors_are_had_together(void **state)
{
    (void)state;
    BOTH(s, LIC, 1)
    {
        JOB("procs", 4, 100, 90);
        JOB("wide", 4, 300, 80, "lic", 1, .submit = 10);
        JOB("high", 1, 50, 95, "lic", 10, .submit = 20);
        sc_run(s);
        assert_int_equal(sc_start(s, "high"), 100);
        assert_int_equal(sc_start(s, "wide"), 150);
    }
}

/* A job with a start date has no reservation and is in nobody's way until then. */
static void a_job_with_a_start_date_waits_without_a_reservation(void **state)
{
    (void)state;
    BOTH(s, LIC, 1)
    {
        JOB("dated", 4, 100, 90, .release = 70);
        JOB("other", 4, 100, 10, .submit = 5);
        sc_run_until(s, 0);
        assert_int_equal(sc_reserved(s, "dated"), -1);
        assert_int_equal(sc_why_code(s, "dated"), WAIT_RELEASE_TIME);
        sc_run_until(s, 70);
        assert_int_equal(sc_start(s, "other"), 5);
        assert_int_equal(sc_reserved(s, "dated"), 105);
        sc_run(s);
        assert_int_equal(sc_start(s, "dated"), 105);
    }
}

/* Licences of a job that never runs, for what it depends on failed, stay free. */
static void a_dependent_job_holds_no_licences(void **state)
{
    (void)state;
    struct dep deps[] = {{DEP_FAILED, (char *)"a"}, {0}};
    const struct gres_cfg all[] = {{(char *)"lic", 10}, {0}};
    const struct req_desc req = {.tasks = 1, .per_task = {{1}}, .gres = all};

    BOTH(s, LIC, 1)
    {
        JOB("a", 1, 100, 50);
        sc_job(s, (struct sc_job){.id = "waits",
                      .limit_s = 100,
                      .priority = 90,
                      .req = &req,
                      .deps = deps});
        JOB("b", 1, 300, 10, "lic", 10, .submit = 10);
        sc_run(s);
        assert_int_equal(sc_start(s, "b"), 10);
        assert_int_equal(sc_start(s, "waits"), -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_jobs_share_the_licences_and_the_third_waits_for_them),
        cmocka_unit_test(an_order_takes_no_licences_that_are_not_there),
        cmocka_unit_test(licences_come_back_with_an_early_end),
        cmocka_unit_test(licences_are_reserved_for_the_job_that_waits),
        cmocka_unit_test(backfill_on_approval_passes_no_reservation_of_licences),
        cmocka_unit_test(nobody_is_preempted_for_licences),
        cmocka_unit_test(more_licences_than_there_are_can_never_be_had),
        cmocka_unit_test(what_nodes_have_is_not_taken_from_global),
        cmocka_unit_test(resources_of_nodes_are_counted_by_task),
        cmocka_unit_test(licences_and_processors_are_had_together),
        cmocka_unit_test(a_job_with_a_start_date_waits_without_a_reservation),
        cmocka_unit_test(a_dependent_job_holds_no_licences),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
