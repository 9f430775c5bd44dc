/* SPDX-License-Identifier: Apache-2.0
 * The accounting of Slurm as a trace: lines that sacct of Slurm 22.05 wrote, then wrong
 * ones. */
#include "kit.h"
#include "sim/sacct.h"

#include <stdlib.h>
#include <time.h>

static const struct workload_rules kill16 = {.overrun = OVERRUN_KILL, .procs = 16};

#define TITLES                                                                         \
    "JobID|User|Group|Account|Partition|QOS|Submit|Start|End|ElapsedRaw|"              \
    "TimelimitRaw|ReqCPUS|AllocCPUS|State\n"
#define RECORDED                                                                       \
    TITLES                                                                             \
    "1|root|root|chem|all|normal|2026-11-29T08:50:35|2026-11-29T08:50:35|"             \
    "2026-11-29T08:50:38|3|5|1|1|COMPLETED\n"                                          \
    "1.batch|||chem|||2026-11-29T08:50:35|2026-11-29T08:50:35|2026-11-29T08:50:38|3||" \
    "1|1|COMPLETED\n"                                                                  \
    "3|root|root|chem|all|normal|2026-11-29T08:50:35|2026-11-29T08:50:38|"             \
    "2026-11-29T08:50:40|2|5|4|4|COMPLETED\n"                                          \
    "7|root|root|chem|all|normal|2026-11-29T08:50:35|2026-11-29T08:50:37|Unknown|24|"  \
    "60|1|1|RUNNING\n"                                                                 \
    "5_1|root|root|chem|all|normal|2026-11-29T08:50:35|2026-11-29T08:50:35|"           \
    "2026-11-29T08:50:37|2|2|1|1|COMPLETED\n"
#define SUBMITTED 1795942235 /* 08:50:35 UTC */

static void read_text(struct workload *w, const char *text, struct heard *h)
{
    struct lines *in = lines_open_memory("t", text, strlen(text));
    struct err err;

    kit_listen(h);
    kit_open(w);
    if (sacct_read(in, w, &kill16, &h->diag, &err) < 0)
        fail_msg("%s", err.text);
    workload_finish(w, &kill16, &h->diag);
    lines_close(in);
}

static void set_zone(const char *tz)
{
    assert_int_equal(setenv("TZ", tz, 1), 0);
    tzset();
}

static void what_was_recorded_becomes_jobs(void **state)
{
    struct workload w;
    struct heard h;

    (void)state;
    set_zone("UTC");
    read_text(&w, RECORDED, &h);
    assert_int_equal(h.diag.count, 0);
    assert_int_equal(w.jobs.n, 3);
    assert_int_equal(w.dropped[DROP_RUN], 1); /* it runs yet */
    const struct trace_job *j = &w.jobs.v[1];
    assert_string_equal(j->id, "3");
    assert_int_equal(j->submit_at, SUBMITTED);
    assert_int_equal(j->run_s, 2);
    assert_int_equal(j->wclimit_s, 300);
    assert_int_equal(j->procs, 4);
    assert_int_equal(j->line, 4);
    assert_true(j->admitted);
    assert_string_equal(workload_cred(&w, j, CRED_USER), "root");
    assert_string_equal(workload_cred(&w, j, CRED_ACCOUNT), "chem");
    assert_string_equal(workload_cred(&w, j, CRED_CLASS), "all");
    assert_string_equal(workload_cred(&w, j, CRED_QOS), "normal");
    assert_string_equal(w.jobs.v[2].id, "5_1");
    workload_fini(&w);
}

/* By any titles, in the zone of the site, with jobs that have no limit. */
static void other_columns_tell_the_same(void **state)
{
    struct workload w;
    struct heard h;

    (void)state;
    set_zone("America/New_York");
    read_text(&w,
        "JobID|JobName|Submit|Start|End|Elapsed|Timelimit|NCPUS|\n"
        "1|a b|2026-11-29T03:50:35|2026-11-29T03:50:35|2026-11-29T03:50:38|00:00:03|"
        "1-02:03:04|2|\n"
        "2|x|1795942236|1795942240|1795942250|05:10|UNLIMITED|1|\n"
        "3|x|1795942237|1795942240|1795942250|00:00:10|Partition_Limit|1|\n"
        "4|x|1795942238|None|1795942250|00:00:00|00:01:00|1|\n",
        &h);
    assert_int_equal(h.diag.count, 0);
    assert_int_equal(w.jobs.n, 3);
    assert_int_equal(w.dropped[DROP_RUN], 1);
    assert_int_equal(w.jobs.v[0].submit_at, SUBMITTED);
    assert_int_equal(w.jobs.v[0].wclimit_s, 93784);
    assert_int_equal(w.jobs.v[0].procs, 2);
    assert_int_equal(w.jobs.v[1].run_s, 310);
    assert_int_equal(w.jobs.v[1].wclimit_s, DURATION_UNLIMITED);
    assert_int_equal(w.no_estimate, 1);
    workload_fini(&w);
}

/* The one record behind a good one is refused, with this complaint. */
static void expect_bad(const char *record, const char *complaint)
{
    struct workload w;
    struct heard h;
    char text[400];

    snprintf(text, sizeof text,
        "JobID|Submit|Start|End|ElapsedRaw|TimelimitRaw|AllocCPUS\n"
        "1|10|20|30|10|5|1\n%s\n",
        record);
    read_text(&w, text, &h);
    assert_int_equal(w.jobs.n, 1);
    assert_int_equal(h.diag.count, 1);
    assert_string_equal(h.last, complaint);
    workload_fini(&w);
}

static void bad_records_are_told_with_line_and_column(void **state)
{
    (void)state;
    expect_bad("2|10|20", "t:3: the record has 3 fields; the line of titles has 7");
    expect_bad("2|10|20|30|10|5|1|", "t:3: the record has 8 fields; the line of titles "
                                     "has 7");
    expect_bad("|10|20|30|10|5|1", "t:3: JobID: \"\" is no job");
    expect_bad("2|Unknown|20|30|10|5|1",
        "t:3: Submit: \"Unknown\" is no instant; each job has one");
    expect_bad("2|2026-13-29T08:50:35|20|30|10|5|1",
        "t:3: Submit: \"2026-13-29T08:50:35\" is no instant, such as "
        "2026-11-29T08:15:30 or seconds since 1970");
    expect_bad(
        "2|10|20|30|ten|5|1", "t:3: ElapsedRaw: \"ten\" is no number of seconds");
    expect_bad(
        "2|10|20|30|10|-5|1", "t:3: TimelimitRaw: \"-5\" is no number of minutes");
    expect_bad("2|10|20|30|10|5|3000000000",
        "t:3: AllocCPUS: \"3000000000\" is no number of processors");
    expect_bad("1|10|20|30|10|5|1",
        "t:3: field 1: job \"1\" is already at t:2; each needs an id of its own");
}

static void expect_missing(const char *titles, const char *complaint)
{
    struct lines *in = lines_open_memory("t", titles, strlen(titles));
    struct workload w;
    struct err err;

    kit_open(&w);
    assert_true(sacct_is_titles(titles));
    assert_int_equal(sacct_read(in, &w, &kill16, NULL, &err), -1);
    assert_string_equal(err.text, complaint);
    lines_close(in);
    workload_fini(&w);
}

static void a_column_that_is_missing_is_named(void **state)
{
    (void)state;
    expect_missing("JobID|Start|End|NCPUS", "t:1: sacct's column Submit is missing");
    expect_missing(
        "Start|JobID|Submit|NCPUS", "t:1: sacct's column ElapsedRaw is missing");
    expect_missing(
        "JobID|Submit|Start|End", "t:1: sacct's column AllocCPUS is missing");
    assert_false(sacct_is_titles("1|alice|2"));
    assert_false(sacct_is_titles("JobID"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_recorded_becomes_jobs),
        cmocka_unit_test(other_columns_tell_the_same),
        cmocka_unit_test(bad_records_are_told_with_line_and_column),
        cmocka_unit_test(a_column_that_is_missing_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
