/* SPDX-License-Identifier: Apache-2.0
 * The table of admission: each row refuses what it is there for and gives its reason;
 * an order to run a job skips what it may skip; and what the queue is told of how long
 * an answer stands. That rows depend on what they say is a property:
 * tests/property/admission_property_test.c. */
#include "cmocka_all.h"
#include "engine/admission.h"
#include "engine/engine_private.h"
#include "scenario.h"

#include <string.h>

#define EVERY (ADMIT_QUEUED | ADMIT_EVER | ADMIT_SOFT | ADMIT_HARD)

static struct scenario *begin(const char *lines)
{
    struct scenario *s = sc_create_with(lines);

    sc_nodes(s, 4, 1);
    return s;
}

/* A job that waits behind another that has the machine, after a cycle. */
static struct job *add_waiting(struct scenario *s, struct sc_job job)
{
    sc_job(s,
        (struct sc_job){.id = "first", .procs = 4, .limit_s = 1000, .priority = 1000});
    job.id = "j";
    job.procs = job.procs ? job.procs : 1;
    job.limit_s = job.limit_s ? job.limit_s : 100;
    sc_job(s, job);
    sc_at(s, 0);
    return sc_find(s, "j");
}

static void check_refusal(
    struct scenario *s, const struct job *j, const char *name, enum wait_code code)
{
    struct reason why;
    const struct admission_check *row = admission_refusal(sc_engine(s), j, EVERY, &why);

    if (!row || !row->name || strcmp(row->name, name) != 0 || why.code != code)
        fail_msg("%s gives reason %d, expected %s and %d",
            row && row->name ? row->name : "no row with a name", row ? why.code : 0,
            name, code);
}

static bool is_run_refused(struct scenario *s, const struct job *j, unsigned flags)
{
    struct reason why;

    return admission_run_refusal(sc_engine(s), j, flags, &why) != NULL;
}

/* ---- the table itself ---- */

static void rows_are_whole(void **state)
{
    (void)state;
    size_t n;
    const struct admission_check *rows = admission_checks(&n);

    for (size_t i = 0; i < n; i++) {
        assert_true(rows[i].codes && rows[i].on && rows[i].refuses);
        assert_true((rows[i].stage == ADMIT_EVER) == (rows[i].text != NULL));
        assert_true((rows[i].stage == ADMIT_EVER) == (rows[i].defers != REASON_NONE));
        /* whoever passes with time has to be woken then */
        if (rows[i].stage == ADMIT_QUEUED && (rows[i].on & ON_CLOCK))
            assert_int_not_equal(rows[i].then, THEN_NOTHING);
        for (int code = 0; code < WAIT_CODES; code++)
            if (rows[i].codes >> code & 1)
                assert_true(admission_gives((enum wait_code)code));
    }
    assert_false(admission_gives(WAIT_RESOURCES));
    assert_false(admission_gives(WAIT_NONE));
}

static void a_job_that_only_lacks_nodes_passes_all(void **state)
{
    (void)state;
    struct scenario *s = begin("");
    struct job *j = add_waiting(s, (struct sc_job){0});
    struct reason why;

    assert_null(admission_refusal(sc_engine(s), j, EVERY, &why));
    assert_true(admission_stands(sc_engine(s), j));
    assert_false(is_run_refused(s, j, 0));
    sc_destroy(s);
}

/* ---- its rows ---- */

static void a_hold_refuses_whatever_the_order(void **state)
{
    (void)state;
    struct scenario *s = begin("");
    struct job *j = add_waiting(s, (struct sc_job){.holds = HOLD_USER});

    check_refusal(s, j, "HOLD", WAIT_HOLD);
    assert_true(is_run_refused(s, j, RUN_ANY_POLICY | RUN_ANY_LIMIT));
    sc_destroy(s);
}

static void a_deferral_refuses_until_it_ends(void **state)
{
    (void)state;
    struct scenario *s = begin("DEFERTIME 0:01:00\n");
    struct job *j = add_waiting(s, (struct sc_job){.procs = 9});

    check_refusal(s, j, "DEFERRAL", WAIT_HOLD);
    struct admission_stop stop = admission_stop_of(sc_engine(s), j);
    assert_int_equal(stop.until, 60);
    assert_true(stop.on & ON_NODES);
    sc_destroy(s);
}

static void a_state_that_is_not_idle_refuses(void **state)
{
    (void)state;
    struct scenario *s = begin("");
    struct job *j = add_waiting(s, (struct sc_job){.state = JOB_NOTQUEUED});

    check_refusal(s, j, "STATE", WAIT_STATE);
    assert_true(is_run_refused(s, j, RUN_ANY_POLICY));
    sc_destroy(s);
}

static void a_closed_class_refuses_unless_policies_are_skipped(void **state)
{
    (void)state;
    struct scenario *s = begin("");
    struct job *j = add_waiting(s, (struct sc_job){.cls = "c"});
    struct reason why;

    class_enable(sc_engine(s)->c, cred_get(sc_engine(s)->c, CRED_CLASS, "c"), false);
    check_refusal(s, j, "CLASS", WAIT_CLASS_DISABLED);
    assert_non_null(admission_class_refusal(sc_engine(s), j, ADMIT_QUEUED, &why));
    assert_int_equal(why.object, j->cred[CRED_CLASS]);
    assert_true(is_run_refused(s, j, RUN_ANY_LIMIT));
    assert_false(is_run_refused(s, j, RUN_ANY_POLICY));
    sc_destroy(s);
}

static void a_negative_priority_refuses_where_the_site_says_so(void **state)
{
    (void)state;
    for (int rejects = 0; rejects < 2; rejects++) {
        struct scenario *s =
            begin(rejects ? "ENABLENEGJOBPRIORITY TRUE\nREJECTNEGPRIOJOBS TRUE\n"
                            "CREDWEIGHT 1\nUSERWEIGHT 1\nUSERCFG[u] PRIORITY=-9\n"
                          : "ENABLENEGJOBPRIORITY TRUE\nREJECTNEGPRIOJOBS FALSE\n"
                            "CREDWEIGHT 1\nUSERWEIGHT 1\nUSERCFG[u] PRIORITY=-9\n");
        struct job *j = add_waiting(s, (struct sc_job){.user = "u"});
        struct reason why;
        if (rejects)
            check_refusal(s, j, "PRIORITY", WAIT_NEGATIVE_PRIORITY);
        else
            assert_null(admission_refusal(sc_engine(s), j, EVERY, &why));
        assert_false(is_run_refused(s, j, 0)); /* an order never asks that */
        sc_destroy(s);
    }
}

static void a_start_date_refuses_until_it_comes(void **state)
{
    (void)state;
    struct scenario *s = begin("");
    struct job *j = add_waiting(s, (struct sc_job){.release_at = 500});
    struct admission_stop stop = admission_stop_of(sc_engine(s), j);

    check_refusal(s, j, "STARTDATE", WAIT_RELEASE_TIME);
    assert_int_equal(stop.until, 500);
    assert_int_equal(stop.on, ON_JOB | ON_CLOCK);
    assert_true(is_run_refused(s, j, RUN_ANY_LIMIT));
    assert_false(is_run_refused(s, j, RUN_ANY_POLICY));
    sc_destroy(s);
}

static void a_dependency_refuses_and_its_pass_does_not_stand(void **state)
{
    (void)state;
    const struct dep after[] = {{DEP_COMPLETED, "first"}, {0}};
    const struct dep started[] = {{DEP_STARTED, "first"}, {0}};
    struct scenario *s = begin("");
    struct job *j = add_waiting(s, (struct sc_job){.deps = after});

    check_refusal(s, j, "DEPENDENCY", WAIT_DEPENDENCY);
    assert_false(is_run_refused(s, j, RUN_ANY_POLICY));
    sc_destroy(s);
    s = begin("");
    j = add_waiting(s, (struct sc_job){.deps = started});
    assert_false(admission_stands(sc_engine(s), j)); /* the other may be requeued */
    sc_destroy(s);
}

static void a_fairshare_cap_refuses_who_used_too_much(void **state)
{
    (void)state;
    struct scenario *s = begin("FSPOLICY DEDICATEDPS\nFSINTERVAL 1:00:00\nFSDEPTH 2\n"
                               "USERCFG[u] FSTARGET=50^\n");
    struct job *j = add_waiting(s, (struct sc_job){.user = "u"});

    check_refusal(s, j, "FSCAP", WAIT_FS_CAP);
    assert_true(admission_depends(sc_engine(s)) & ON_USAGE);
    assert_false(is_run_refused(s, j, RUN_ANY_POLICY));
    sc_destroy(s);
}

static void what_could_never_run_is_deferred_with_its_reason(void **state)
{
    (void)state;
    static const struct {
        const char *lines;
        uint32_t procs;
        enum hold_reason reason;
    } cases[] = {
        {"SYSTEMMAXPROCPERJOB 2\n", 3, REASON_SYSTEMLIMITS},
        {"", 9, REASON_NORESOURCES},
        {"USERCFG[u] MAXPROC=2\n", 3, REASON_POLICY},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scenario *s = begin(cases[i].lines);
        struct job *j =
            add_waiting(s, (struct sc_job){.user = "u", .procs = cases[i].procs});
        struct reason why;
        assert_int_equal(j->hold_reason, cases[i].reason);
        const struct admission_check *row =
            admission_refusal(sc_engine(s), j, ADMIT_EVER, &why);
        assert_non_null(row);
        assert_int_equal(row->defers, cases[i].reason);
        sc_destroy(s);
    }
}

/* A wait is a wait: it goes on with its reason, and starts when that is over. */
static void what_a_resource_manager_admitted_waits_and_is_not_deferred(void **state)
{
    (void)state;
    static const struct {
        const char *lines;
        uint32_t procs;
        enum wait_code code;
    } cases[] = {
        {"SYSTEMMAXPROCPERJOB 2\n", 3, WAIT_LIMIT},
        {"", 9, WAIT_TOO_LARGE},
        {"USERCFG[u] MAXPROC=2\n", 3, WAIT_LIMIT},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scenario *s = begin(cases[i].lines);
        struct job *j = add_waiting(
            s, (struct sc_job){.user = "u", .procs = cases[i].procs, .admitted = true});
        assert_int_equal(j->holds, 0);
        assert_int_equal(j->state, JOB_IDLE);
        sc_cycle(s);
        assert_int_equal(j->why.code, cases[i].code);
        sc_destroy(s);
    }
}

static void limits_refuse_a_start_at_their_level(void **state)
{
    (void)state;
    struct scenario *s = begin("USERCFG[u] MAXJOB=1,2\n");
    sc_job(s, (struct sc_job){.id = "r", .procs = 4, .limit_s = 100, .user = "u"});
    sc_at(s, 0);
    struct job *j = add_waiting(s, (struct sc_job){.user = "u"});
    struct reason why;

    assert_non_null(admission_refusal(sc_engine(s), j, ADMIT_SOFT, &why));
    assert_int_equal(why.code, WAIT_LIMIT);
    assert_int_equal(why.level, LEVEL_SOFT);
    assert_null(admission_refusal(sc_engine(s), j, ADMIT_HARD, &why));
    assert_false(is_run_refused(s, j, 0)); /* the hard one is what counts for that */
    assert_true(admission_asks(sc_engine(s), ADMIT_HARD));
    sc_destroy(s);
}

/* ---- how long answers stand ---- */

static void what_changed_is_told_by_kind(void **state)
{
    (void)state;
    struct scenario *s = begin("");
    struct job *j = add_waiting(s, (struct sc_job){.cls = "c"});
    struct engine *e = sc_engine(s);
    struct admission_world before = admission_world_of(e), now;
    unsigned told = ON_SETTINGS | ON_NODES | ON_RESERVATIONS;

    assert_int_equal(admission_changed(&before, &before) & told, 0);
    class_enable(e->c, cred_get(e->c, CRED_CLASS, "c"), false);
    now = admission_world_of(e);
    assert_int_equal(admission_changed(&before, &now) & told, ON_SETTINGS);
    before = now;
    sc_node_state(s, "n1", NODE_DOWN);
    now = admission_world_of(e);
    assert_int_equal(admission_changed(&before, &now) & told, ON_NODES);
    assert_true(admission_stop_of(e, j).on & ON_SETTINGS); /* its class is closed */
    sc_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_whole),
        cmocka_unit_test(a_job_that_only_lacks_nodes_passes_all),
        cmocka_unit_test(a_hold_refuses_whatever_the_order),
        cmocka_unit_test(a_deferral_refuses_until_it_ends),
        cmocka_unit_test(a_state_that_is_not_idle_refuses),
        cmocka_unit_test(a_closed_class_refuses_unless_policies_are_skipped),
        cmocka_unit_test(a_negative_priority_refuses_where_the_site_says_so),
        cmocka_unit_test(a_start_date_refuses_until_it_comes),
        cmocka_unit_test(a_dependency_refuses_and_its_pass_does_not_stand),
        cmocka_unit_test(a_fairshare_cap_refuses_who_used_too_much),
        cmocka_unit_test(what_could_never_run_is_deferred_with_its_reason),
        cmocka_unit_test(what_a_resource_manager_admitted_waits_and_is_not_deferred),
        cmocka_unit_test(limits_refuse_a_start_at_their_level),
        cmocka_unit_test(what_changed_is_told_by_kind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
