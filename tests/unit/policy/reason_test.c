/* SPDX-License-Identifier: Apache-2.0
 * The sentence of every wait code. */
#include "base/xalloc.h"
#include "cluster/partition.h"
#include "limits_kit.h"
#include "policy/reason.h"

static struct kit *small_kit(void)
{
    struct kit *k = kit_new();

    kit_ready(k);
    cred_get(k->c, CRED_USER, "steve");
    cred_get(k->c, CRED_CLASS, "fast");
    cred_get(k->c, CRED_QOS, "wide");
    partition_get(k->c, "gpu");
    names_intern(k->c->gres, "lic");
    job_of(k, "steve", 1, 0, 60);
    return k;
}

/* Every code, and the variants of those that have some. Indexes of small_kit(): user,
 * class and QOS 1, partition 1, job 0. */
static const struct {
    struct reason r;
    const char *text;
} rows[] = {
    {{.code = WAIT_NONE}, "nothing keeps this job from starting"},
    {{.code = WAIT_STATE}, "its state at the resource manager is not Idle"},
    {{.code = WAIT_HOLD}, "a hold is in place on this job"},
    {{.code = WAIT_HOLD, .until = 86399},
        "a hold is in place on this job until Thu Jan  1 23:59:59 UTC"},
    {{.code = WAIT_CLASS_DISABLED}, "its class is disabled or stopped"},
    {{.code = WAIT_CLASS_DISABLED, .kind = CRED_CLASS, .object = 1},
        "class fast is disabled or stopped"},
    {{.code = WAIT_NEGATIVE_PRIORITY}, "its priority is negative (REJECTNEGPRIOJOBS)"},
    {{.code = WAIT_RELEASE_TIME, .until = 1709251199},
        "this job may not start before Thu Feb 29 23:59:59 UTC"},
    {{.code = WAIT_RELEASE_TIME}, "its release time has not come"},
    {{.code = WAIT_RELEASE_TIME, .until = TIME_NEVER}, "its release time has not come"},
    {{.code = WAIT_DEPENDENCY}, "this job depends on job job.0 and waits for it"},
    {{.code = WAIT_DEPENDENCY, .object = INDEX_NONE},
        "this job depends on another one and waits for it"},
    {{.code = WAIT_LIMIT,
         .level = LEVEL_HARD,
         .res = LIMIT_PROC,
         .object = 1,
         .kind2 = CRED_KINDS,
         .limit = 32,
         .used = 30,
         .asked = 4},
        "user steve has 30 of MAXPROC 32 (hard) processors active and this job asks "
        "for 4"},
    {{.code = WAIT_LIMIT,
         .level = LEVEL_SOFT,
         .res = LIMIT_JOB,
         .object = 1,
         .kind2 = CRED_KINDS,
         .limit = 2,
         .used = 2,
         .asked = 1},
        "user steve has 2 of MAXJOB 2 (soft) jobs active and this job would be one "
        "more"},
    {{.code = WAIT_LIMIT,
         .level = LEVEL_HARD,
         .dim = DIM_IDLE,
         .res = LIMIT_MEM,
         .kind = CRED_KINDS,
         .kind2 = CRED_KINDS,
         .limit = 100,
         .asked = 200},
        "the system may have MAXIMEM 100 (hard) MB of memory idle and this job alone "
        "asks for 200"},
    {{.code = WAIT_LIMIT,
         .level = LEVEL_HARD,
         .res = LIMIT_PROC,
         .kind = CRED_CLASS,
         .object = 1,
         .kind2 = CRED_USER,
         .object2 = 1,
         .limit = 50,
         .used = 48,
         .asked = 4},
        "user steve within class fast has 48 of MAXPROC[USER] 50 (hard) processors "
        "active and this job asks for 4"},
    {{.code = WAIT_LIMIT,
         .level = LEVEL_HARD,
         .dim = DIM_SYSTEM,
         .res = LIMIT_PROC,
         .kind = CRED_KINDS,
         .kind2 = CRED_KINDS,
         .object = INDEX_NONE,
         .limit = 512,
         .asked = 600},
        "this job asks for 600 processors and SYSTEMMAXPROCPERJOB allows 512"},
    {{.code = WAIT_LIMIT,
         .level = LEVEL_HARD,
         .dim = DIM_SYSTEM,
         .res = LIMIT_WC,
         .kind = CRED_KINDS,
         .kind2 = CRED_KINDS,
         .object = 1,
         .limit = 3600,
         .asked = 7200},
        "this job asks for 7200 seconds of wallclock time and SYSTEMMAXJOBWALLTIME in "
        "partition gpu allows 3600"},
    {{.code = WAIT_LIMIT,
         .level = LEVEL_HARD,
         .dim = DIM_SYSTEM,
         .res = LIMIT_PROC,
         .kind = CRED_QOS,
         .kind2 = CRED_KINDS,
         .object = 1,
         .limit = 8,
         .asked = 9},
        "this job asks for 9 processors and OMAXJPROC of QOS wide allows 8"},
    {{.code = WAIT_LIMIT,
         .kind = CRED_GROUP,
         .object = 99,
         .kind2 = CRED_KINDS,
         .level = LEVEL_HARD,
         .limit = 1,
         .used = 1,
         .asked = 1},
        "a group has 1 of MAXJOB 1 (hard) jobs active and this job would be one more"},
    {{.code = WAIT_LIMIT, .res = 99}, "this job breaks a limit"},
    {{.code = WAIT_FS_CAP, .object = 1, .limit = 100, .used = 90, .asked = 20},
        "user steve has used 90 of the fairshare cap of 100 and this job would add 20"},
    {{.code = WAIT_PARTITION}, "no partition is accessible to this job (PLIST)"},
    {{.code = WAIT_TOO_LARGE, .limit = 256, .asked = 512},
        "this job asks for 512 processors and no partition has more than 256 on nodes "
        "that can run it"},
    {{.code = WAIT_TOO_LARGE, .object = 1, .limit = 8, .asked = 9},
        "request 2 of this job asks for 9 processors and no partition has more than 8 "
        "on nodes that can run it"},
    {{.code = WAIT_TOO_LARGE, .res = LIMIT_NODE, .limit = 2, .asked = 3},
        "this job asks for 3 nodes and no partition has more than 2 that can run it"},
    {{.code = WAIT_FEASIBLE},
        "no set of nodes can ever satisfy what this job asks for"},
    {{.code = WAIT_RESOURCES, .used = 12, .asked = 64},
        "this job asks for 64 processors and 12 are free for it now"},
    {{.code = WAIT_RESERVATION, .until = 946684800},
        "this job has a reservation that begins at Sat Jan  1 00:00:00 UTC"},
    {{.code = WAIT_RESERVATION}, "this job has a reservation in the future"},
    {{.code = WAIT_DEADLINE}, "nothing is free in time for its deadline"},
    {{.code = WAIT_DEADLINE, .limit = 1709251199},
        "nothing is free in time for it to end by its deadline, Thu Feb 29 23:59:59 "
        "UTC; it waits by priority"},
    {{.code = WAIT_DEADLINE, .limit = 1709251199, .until = 946684800},
        "nothing is free in time for it to end by its deadline, Thu Feb 29 23:59:59 "
        "UTC; it has a reservation that begins at Sat Jan  1 00:00:00 UTC"},
    {{.code = WAIT_GRES, .limit = 3, .asked = 4},
        "this job asks for 4 of generic resource 'lic' in all its tasks together and "
        "the cluster has 3"},
    {{.code = WAIT_RM_LIMIT, .object = UINT32_MAX},
        "the resource manager refused to start a job like it"},
    {{.code = WAIT_MANAGER}, "its resource manager does not answer"},
    {{.code = WAIT_ARRAY, .limit = 8, .used = 8, .asked = 2},
        "of its array 8 may be on nodes at once, and 8 are"},
    {{.code = WAIT_ARRAY, .limit = 3, .used = 1, .asked = 2},
        "of its array 3 may be on nodes at once: 1 is, and 2 go before it"},
    {{.code = WAIT_ARRAY, .limit = 1, .asked = 1},
        "of its array 1 may be on nodes at once: 0 are, and 1 goes before it"},
    {{.code = WAIT_FUNDS, .asked = 57600000, .limit = 40000000, .used = 12000000},
        "needs 57,600 credits, 40,000 left in DEFAULT, 12,000 of them kept for 0 "
        "running jobs"},
    {{.code = WAIT_FUNDS, .lack = LACK_DEPOSIT, .asked = 500},
        "needs 0.5 credits, and account DEFAULT has no deposit that can be used now"},
    {{.code = WAIT_FUNDS, .lack = LACK_KNOWN, .asked = 1000},
        "needs 1 credits, and the bank knows no account DEFAULT"},
    {{.code = WAIT_FUNDS, .lack = LACK_OPEN}, "account DEFAULT is closed"},
    {{.code = WAIT_FUNDS, .lack = LACK_PERMISSION},
        "account DEFAULT is not for the user of this job"},
    {{.code = WAIT_NODESET}, "no node set has enough free nodes for this job"},
    {{.code = WAIT_PRIORITY},
        "a job of higher priority waits and BACKFILLPOLICY is NONE"},
    {{.code = WAIT_BACKFILL_DEPTH}, "BACKFILLDEPTH was reached before this job"},
    {{.code = WAIT_BACKFILL_WINDOW, .limit = 5400},
        "what is free for it now is free for 01:30:00 only, and this job asks for "
        "longer"},
    {{.code = WAIT_BACKFILL_WINDOW},
        "starting it now would delay a job with a reservation"},
    {{.code = WAIT_NOBF}, "its QOS forbids backfill (NOBF) and it is not its turn"},
    {{.code = WAIT_CHUNK},
        "backfill of so small a job is put off in favour of wider ones (BFCHUNKSIZE, "
        "BFCHUNKDURATION)"},
    {{.code = WAIT_SUSPENDED, .until = 946684800},
        "this job is suspended, at least until Sat Jan  1 00:00:00 UTC"},
    {{.code = WAIT_SUSPENDED},
        "this job is suspended until its own nodes can carry it again"},
    {{.code = WAIT_PREEMPTED, .limit = 1, .asked = 4, .used = 3},
        "this job was preempted (1 time); it asks for 4 processors and 3 are free for "
        "it now"},
    {{.code = WAIT_PREEMPTED, .limit = 2, .asked = 4, .used = 3},
        "this job was preempted (2 times); it asks for 4 processors and 3 are free for "
        "it now"},
    {{.code = WAIT_CODES}, "for an unknown reason"},
};

static void every_wait_code_has_its_sentence(void **state)
{
    struct kit *k = small_kit();
    char text[400];
    int told = 0;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int n = reason_format(k->c, &rows[i].r, text, sizeof text);
        assert_string_equal(text, rows[i].text);
        assert_int_equal(n, strlen(text));
        told |= 1 << rows[i].r.code;
    }
    assert_int_equal(told, (1 << (WAIT_CODES + 1)) - 1);
    kit_free(k);
}

static void a_small_buffer_is_filled_and_the_full_length_returned(void **state)
{
    struct kit *k = small_kit();
    const struct reason r = {.code = WAIT_PARTITION};
    char text[12];

    (void)state;
    assert_int_equal(reason_format(k->c, &r, text, sizeof text), 46);
    assert_string_equal(text, "no partitio");
    kit_free(k);
}

/* As the API tells them apart from the words between them. */
static void instants_of_a_sentence_are_found_one_after_another(void **state)
{
    struct kit *k = small_kit();
    struct reason r = {.code = WAIT_DEADLINE, .until = 1800000000, .limit = 1800003600};
    char text[400];
    const char *rest = text;
    int64_t at = 0;
    size_t len = 0;

    (void)state;
    reason_format(k->c, &r, text, sizeof text);
    rest = reason_find_instant(&r, rest, &at, &len);
    assert_non_null(rest);
    assert_int_equal(at, r.limit); /* the deadline is said first */
    assert_memory_equal(rest, "Fri Jan 15 09:00:00 UTC;", len + 1);
    rest = reason_find_instant(&r, rest + len, &at, &len);
    assert_non_null(rest);
    assert_int_equal(at, r.until);
    assert_string_equal(rest, "Fri Jan 15 08:00:00 UTC");
    assert_null(reason_find_instant(&r, rest + len, &at, &len));
    r.code = WAIT_LIMIT; /* whose limit is no instant */
    assert_null(reason_find_instant(&r, "until Fri Jan 15 09:00:00 UTC", &at, &len));
    kit_free(k);
}

static void a_real_violation_reads_as_a_sentence_throttling_9(void **state)
{
    struct kit *k = kit_new();
    struct reason r;
    char text[400];

    (void)state;
    cfg(k, CRED_USER, "steve")->active[LIMIT_PROC] = BOTH(32);
    kit_ready(k);
    run(k, "steve", 30);
    r = why(k, job_of(k, "steve", 4, 0, 60), CHECK_ACTIVE, LEVEL_HARD);
    reason_format(k->c, &r, text, sizeof text);
    assert_string_equal(text,
        "user steve has 30 of MAXPROC 32 (hard) processors active and this job asks "
        "for 4");
    kit_free(k);
}

static void a_note_says_what_does_not_change_from_cycle_to_cycle(void **state)
{
    struct kit *k = kit_new();
    struct reason r = {.code = WAIT_RESOURCES, .used = 3, .asked = 4};
    char text[400];

    (void)state;
    cfg(k, CRED_USER, "steve")->active[LIMIT_PROC] = BOTH(32);
    kit_ready(k);
    run(k, "steve", 30);
    struct job *j = job_of(k, "steve", 4, 0, 60);
    reason_format_note(k->c, j, &r, NULL, text, sizeof text);
    assert_string_equal(text, "waits for 4 processors");
    job_extra(j)->advres = xstrdup("later");
    reason_format_note(k->c, j, &r, NULL, text, sizeof text);
    assert_string_equal(text, "waits for 4 processors in reservation later");
    r.code = WAIT_BACKFILL_WINDOW;
    reason_format_note(k->c, j, &r, NULL, text, sizeof text);
    assert_string_equal(text, "waits for its turn: jobs before it wait");
    r = (struct reason){.code = WAIT_RELEASE_TIME, .until = 86400};
    reason_format_note(k->c, j, &r, NULL, text, sizeof text);
    assert_string_equal(text, "may not start before Fri Jan  2 00:00:00 UTC");
    r = (struct reason){.code = WAIT_LIMIT,
        .res = LIMIT_PROC,
        .kind = CRED_USER,
        .kind2 = CRED_KINDS,
        .object = j->cred[CRED_USER],
        .limit = 32,
        .used = 30,
        .asked = 4};
    reason_format_note(k->c, j, &r, NULL, text, sizeof text);
    assert_string_equal(text, "waits for limit MAXPROC of user steve: 32 processors");
    r = (struct reason){.code = WAIT_FUNDS, .asked = 60000, .limit = 7000, .used = 1};
    reason_format_note(k->c, j, &r, NULL, text, sizeof text);
    assert_string_equal(text, "needs 60 credits, more than DEFAULT has left");
    r = (struct reason){.code = WAIT_HOLD, .until = 86400};
    j->holds = HOLD_DEFER;
    reason_format_note(k->c, j, &r, "its nodes are down", text, sizeof text);
    assert_string_equal(
        text, "is deferred until Fri Jan  2 00:00:00 UTC: its nodes are down");
    reason_format_note(
        k->c, j, &r, "the bank refuses: chem owes 12 to bio", text, sizeof text);
    assert_string_equal(
        text, "is deferred until Fri Jan  2 00:00:00 UTC: the bank refuses");
    kit_free(k);
}

/* Names may have 255 bytes each, and nobody counts how many are asked for. */
static void a_note_of_long_names_is_cut_off(void **state)
{
    enum { LONG = 250 };
    struct kit *k = kit_new();
    struct reason r = {.code = WAIT_RESOURCES};
    char names[3][LONG + 1], text[400];
    struct gres_cfg asked[] = {{names[0], INT64_C(1) << 40},
        {names[1], INT64_C(1) << 40}, {names[2], 1}, {NULL, 0}};
    struct req_desc req = {.per_task = {{1, 0, 0, 0}}, .tasks = 4, .job_gres = asked};
    struct job_desc d = {
        .id = "long", .wclimit_s = 60, .state = JOB_IDLE, .reqs = &req, .nreqs = 1};
    struct job *j = NULL;
    struct err err;

    (void)state;
    for (int i = 0; i < 3; i++) {
        memset(names[i], 'a' + i, LONG);
        names[i][LONG] = '\0';
    }
    kit_ready(k);
    if (job_add(k->c, &d, 0, &j, &err) != 0)
        fail_msg("%s", err.text);
    job_extra(j)->advres = xstrdup("later");
    assert_int_equal(reason_format_note(k->c, j, &r, NULL, text, sizeof text), 399);
    assert_memory_equal(text, "waits for ", 10);
    kit_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_wait_code_has_its_sentence),
        cmocka_unit_test(a_small_buffer_is_filled_and_the_full_length_returned),
        cmocka_unit_test(instants_of_a_sentence_are_found_one_after_another),
        cmocka_unit_test(a_real_violation_reads_as_a_sentence_throttling_9),
        cmocka_unit_test(a_note_says_what_does_not_change_from_cycle_to_cycle),
        cmocka_unit_test(a_note_of_long_names_is_cut_off),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
