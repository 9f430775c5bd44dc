/* SPDX-License-Identifier: Apache-2.0
 * Reading and writing SWF: wrong records first, then the rules. */
#include "kit.h"

#include <stdlib.h>

static const struct workload_rules kill16 = {.overrun = OVERRUN_KILL, .procs = 16};
static const struct workload_rules extend16 = {.overrun = OVERRUN_EXTEND, .procs = 16};

#define GOOD "7 100 -1 50 4 -1 -1 4 60 -1 1 8 2 -1 1 -1 -1 -1\n"

/* The one record is refused, with this complaint. */
static void expect_bad(const char *record, const char *complaint)
{
    struct workload w;
    struct heard h;
    char text[300];

    snprintf(text, sizeof text, "; comment\n%s%s\n", GOOD, record);
    kit_read_swf(&w, text, &kill16, &h);
    assert_int_equal(w.jobs.n, 1);
    assert_int_equal(h.diag.count, 1);
    assert_int_equal(w.dropped[DROP_BAD] + w.dropped[DROP_DUPLICATE], 1);
    assert_string_equal(h.last, complaint);
    workload_fini(&w);
}

static void bad_records_are_told_with_line_and_field(void **state)
{
    (void)state;
    expect_bad("8 100 -1 fifty 4 -1 -1 4 60 -1 1 8 2 -1 1 -1 -1 -1",
        "t:3: field 4 (run time): \"fifty\" is not a number; -1 stands for what is not "
        "known");
    expect_bad("8 100 -1 50 4 -1 -1 4 60 -1 1 8 2 -1 1 -1 -1",
        "t:3: the record has 17 fields; 18 are expected, the last is think time");
    expect_bad("8", "t:3: the record has 1 fields; 18 are expected, the last is think "
                    "time");
    expect_bad("8 100 -1 50 4 -1 -1 4 60 -1 1 8 2 -1 1 -1 -1 -",
        "t:3: field 18 (think time): \"-\" is not a number; -1 stands for what is not "
        "known");
    expect_bad("-8 100 -1 50 4 -1 -1 4 60 -1 1 8 2 -1 1 -1 -1 -1",
        "t:3: field 1 (job number): \"-8\" is below 0; jobs are numbered from 1");
    expect_bad("8 99999999999999999 -1 50 4 -1 -1 4 60 -1 1 8 2 -1 1 -1 -1 -1",
        "t:3: field 2 (submit time): \"99999999999999999\" is out of range");
    expect_bad("8 1 -1 50 4 -1 -1 3000000000 60 -1 1 8 2 -1 1 -1 -1 -1",
        "t:3: field 8 (requested processors): \"3000000000\" is more than any machine "
        "has");
    expect_bad("8 1 -1 50 4 -1 -1 1234567890123456789012 60 -1 1 8 2 -1 1 -1 -1 -1",
        "t:3: field 8 (requested processors): \"1234567890123456789012\" is not a "
        "number; -1 stands for what is not known");
    expect_bad("7 200 -1 50 4 -1 -1 4 60 -1 1 8 2 -1 1 -1 -1 -1",
        "t:3: field 1: job \"7\" is already at t:2; each needs an id of its own");
}

static void columns_behind_the_eighteenth_are_left_out_and_told_once(void **state)
{
    struct workload w;
    struct heard h;

    (void)state;
    kit_read_swf(&w,
        "1 0 -1 50 4 -1 -1 4 60 -1 1 8 2 -1 1 -1 -1 -1\n"
        "2 0 -1 50 4 -1 -1 4 60 -1 1 8 2 -1 1 -1 -1 -1 5 six\n"
        "3 0 -1 50 4 -1 -1 4 60 -1 1 8 2 -1 1 -1 -1 -1 7\n",
        &kill16, &h);
    assert_int_equal(w.jobs.n, 3);
    assert_int_equal(h.diag.count, 0);
    assert_string_equal(h.last,
        "t:2: more than 18 fields; the first 18 are taken, here and from now on");
    workload_fini(&w);
}

static void numbers_of_all_writings_are_taken(void **state)
{
    struct workload w;
    struct heard h;

    (void)state;
    kit_read_swf(&w,
        "  8\t+100.9 -1 50.0 4. .5 -1.25 4 60 -1 1 8 2 -1 1 -1 -1 -1  \r\n"
        "\n   \n ; a note\n",
        &kill16, &h);
    assert_int_equal(h.diag.count, 0);
    assert_int_equal(w.jobs.n, 1);
    assert_string_equal(w.jobs.v[0].id, "8");
    assert_int_equal(w.jobs.v[0].submit_at, 100);
    assert_int_equal(w.jobs.v[0].run_s, 50);
    assert_int_equal(w.jobs.v[0].wclimit_s, 60);
    assert_int_equal(w.jobs.v[0].procs, 4);
    assert_int_equal(w.jobs.v[0].line, 1);
    workload_fini(&w);
}

static void numbers_become_names(void **state)
{
    struct workload w;
    struct heard h;
    const struct trace_job *j;

    (void)state;
    kit_read_swf(&w,
        "1 0 -1 5 4 -1 -1 4 9 -1 1 12 3 -1 1 -1 -1 -1\n"
        "2 0 -1 5 4 -1 -1 4 9 -1 1 1000000 -1 -1 0 -1 -1 -1\n",
        &kill16, &h);
    j = &w.jobs.v[0];
    assert_string_equal(workload_cred(&w, j, CRED_USER), "user12");
    assert_string_equal(workload_cred(&w, j, CRED_GROUP), "group3");
    assert_string_equal(workload_cred(&w, j, CRED_CLASS), "q1");
    assert_null(workload_cred(&w, j, CRED_ACCOUNT));
    assert_null(workload_cred(&w, j, CRED_QOS));
    assert_string_equal(workload_cred(&w, j + 1, CRED_USER), "user1000000");
    assert_null(workload_cred(&w, j + 1, CRED_GROUP));
    assert_string_equal(workload_cred(&w, j + 1, CRED_CLASS), "q0");
    workload_fini(&w);
}

static void the_header_tells_machine_and_epoch(void **state)
{
    struct workload w;
    struct heard h;

    (void)state;
    kit_read_swf(&w,
        "; Version: 2.2\n;MaxNodes:100\n; MaxProcs:  400\n; UnixStartTime: 843480031\n"
        "; Note: the MaxProcs: 7 of another\n; MaxProcs: many\n" GOOD,
        &(struct workload_rules){0}, &h);
    assert_int_equal(h.diag.count, 1);
    assert_string_equal(h.last,
        "t:6: MaxProcs: \"many\" is not a number; -1 stands for what is not known");
    assert_int_equal(w.max_procs, 400);
    assert_int_equal(w.max_nodes, 100);
    assert_int_equal(w.epoch, 843480031);
    assert_int_equal(w.jobs.n, 1);
    workload_fini(&w);
    kit_read_swf(
        &w, "; Synthetic. MaxProcs: 16\n" GOOD, &(struct workload_rules){0}, &h);
    assert_int_equal(w.max_procs, 16);
    workload_fini(&w);
    kit_read_swf(&w, "; MaxProcs: 12x\n; MaxNodes: -1\n; UnixStartTime: 0\n" GOOD,
        &(struct workload_rules){0}, &h);
    assert_int_equal(h.diag.count, 1);
    assert_memory_equal(h.last, "t:1: MaxProcs: \"12x\"", 20);
    assert_int_equal(w.max_nodes, 0);
    workload_fini(&w);
}

/* submit, run, allocated, requested, estimate -> taken? procs, run, estimate */
struct rule_row {
    const char *what;
    long submit, run, allocated, requested, estimate;
    int kill, kill_procs, kill_run, kill_estimate; /* 0: dropped */
    int extend, extend_procs, extend_run, extend_estimate;
};

static const struct rule_row rule_rows[] = {
    {"plain", 5, 50, 4, 4, 60, 1, 4, 50, 60, 1, 4, 50, 60},
    {"before the trace", -5, 50, 4, 4, 60, 0, 0, 0, 0, 0, 0, 0, 0},
    {"no run", 5, 0, 4, 4, 60, 0, 0, 0, 0, 0, 0, 0, 0},
    {"unknown run", 5, -1, 4, 4, 60, 0, 0, 0, 0, 0, 0, 0, 0},
    {"no processors", 5, 50, -1, -1, 60, 0, 0, 0, 0, 0, 0, 0, 0},
    {"allocated only", 5, 50, 3, -1, 60, 1, 3, 50, 60, 1, 3, 50, 60},
    {"requested fewer", 5, 50, 8, 4, 60, 1, 4, 50, 60, 1, 8, 50, 60},
    {"requested more", 5, 50, 4, 8, 60, 1, 8, 50, 60, 1, 8, 50, 60},
    {"too wide", 5, 50, 4, 17, 60, 0, 0, 0, 0, 1, 16, 50, 60},
    {"overrun", 5, 90, 4, 4, 60, 1, 4, 60, 60, 1, 4, 90, 90},
    {"no estimate", 5, 50, 4, 4, -1, 1, 4, 50, 50, 1, 4, 50, 86400},
    {"no estimate, long", 5, 99999, 4, 4, 0, 1, 4, 99999, 99999, 1, 4, 99999, 99999},
    {"endless estimate", 5, 50, 4, 4, 1209601, 1, 4, 50, 1209601, 1, 4, 50, 86400},
    {"14 days", 5, 50, 4, 4, 1209600, 1, 4, 50, 1209600, 1, 4, 50, 1209600},
};

static void check_rule(const struct rule_row *r, const struct workload_rules *rules)
{
    bool kill = rules->overrun == OVERRUN_KILL;
    struct workload w;
    struct heard h;
    char text[300];

    /* a first job with an estimate, so that not all lack one */
    snprintf(text, sizeof text,
        GOOD "8 %ld -1 %ld %ld -1 -1 %ld %ld -1 1 8 2 -1 1 -1 -1 -1\n", r->submit,
        r->run, r->allocated, r->requested, r->estimate);
    kit_read_swf(&w, text, rules, &h);
    assert_int_equal(h.diag.count, 0);
    if (w.jobs.n != 1u + (unsigned)(kill ? r->kill : r->extend))
        fail_msg("%s: %zu jobs taken", r->what, w.jobs.n);
    if (w.jobs.n == 2) { /* it was submitted first */
        const struct trace_job *j = &w.jobs.v[0];

        assert_int_equal(j->procs, kill ? r->kill_procs : r->extend_procs);
        assert_int_equal(j->run_s, kill ? r->kill_run : r->extend_run);
        assert_int_equal(j->wclimit_s, kill ? r->kill_estimate : r->extend_estimate);
    }
    workload_fini(&w);
}

static void records_become_jobs_by_the_rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rule_rows / sizeof rule_rows[0]; i++) {
        check_rule(&rule_rows[i], &kill16);
        check_rule(&rule_rows[i], &extend16);
    }
}

static void what_was_dropped_is_counted_by_reason(void **state)
{
    struct workload w;
    struct heard h;

    (void)state;
    kit_read_swf(&w,
        "1 -1 -1 5 4 -1 -1 4 9 -1 1 1 1 -1 1 -1 -1 -1\n"
        "2 0 -1 0 4 -1 -1 4 9 -1 1 1 1 -1 1 -1 -1 -1\n"
        "3 0 -1 5 0 -1 -1 0 9 -1 1 1 1 -1 1 -1 -1 -1\n"
        "4 0 -1 5 4 -1 -1 17 9 -1 1 1 1 -1 1 -1 -1 -1\n"
        "5 0 -1 50 4 -1 -1 4 9 -1 1 1 1 -1 1 -1 -1 -1\n"
        "6 0 -1 50 4 -1 -1 4 -1 -1 1 1 1 -1 1 -1 -1 -1\n",
        &kill16, &h);
    assert_int_equal(w.jobs.n, 2);
    assert_int_equal(w.dropped[DROP_SUBMIT], 1);
    assert_int_equal(w.dropped[DROP_RUN], 1);
    assert_int_equal(w.dropped[DROP_PROCS], 1);
    assert_int_equal(w.dropped[DROP_WIDE], 1);
    assert_int_equal(w.dropped[DROP_BAD], 0);
    assert_int_equal(w.overran, 1);
    assert_int_equal(w.no_estimate, 1);
    workload_fini(&w);
}

static void where_every_job_lacks_an_estimate_it_is_the_run_time(void **state)
{
    struct workload w;
    struct heard h;

    (void)state;
    kit_read_swf(&w,
        "1 0 -1 5 4 -1 -1 4 -1 -1 1 1 1 -1 1 -1 -1 -1\n"
        "2 0 -1 7 4 -1 -1 4 -1 -1 1 1 1 -1 1 -1 -1 -1\n",
        &extend16, &h);
    assert_int_equal(w.jobs.v[0].wclimit_s, 5);
    assert_int_equal(w.jobs.v[1].wclimit_s, 7);
    workload_fini(&w);
}

static void memory_counts_on_request_only(void **state)
{
    struct workload_rules rules = kill16;
    struct workload w;
    struct heard h;
    static const char text[] = "1 0 -1 5 4 -1 -1 4 9 2049 1 1 1 -1 1 -1 -1 -1\n";

    (void)state;
    kit_read_swf(&w, text, &rules, &h);
    assert_int_equal(w.jobs.v[0].mem_mb, 0);
    workload_fini(&w);
    rules.use_memory = true;
    kit_read_swf(&w, text, &rules, &h);
    assert_int_equal(w.jobs.v[0].mem_mb, 3); /* KB, rounded up to MB */
    workload_fini(&w);
}

static void the_first_jobs_only_are_read_on_request(void **state)
{
    struct workload_rules rules = kill16;
    struct workload w;
    struct heard h;

    (void)state;
    rules.max_jobs = 2;
    kit_read_swf(&w,
        "1 0 -1 5 4 -1 -1 4 9 -1 1 1 1 -1 1 -1 -1 -1\n"
        "2 0 -1 0 4 -1 -1 4 9 -1 1 1 1 -1 1 -1 -1 -1\n"
        "3 0 -1 5 4 -1 -1 4 9 -1 1 1 1 -1 1 -1 -1 -1\n"
        "4 0 -1 5 4 -1 -1 4 9 -1 1 1 1 -1 1 -1 -1 -1\n",
        &rules, &h);
    assert_int_equal(w.jobs.n, 2);
    assert_string_equal(w.jobs.v[1].id, "3");
    workload_fini(&w);
}

static void jobs_are_sorted_by_submission_then_place(void **state)
{
    struct workload w;
    struct heard h;

    (void)state;
    kit_read_swf(&w,
        "3 20 -1 5 4 -1 -1 4 9 -1 1 1 1 -1 1 -1 -1 -1\n"
        "2 10 -1 5 4 -1 -1 4 9 -1 1 1 1 -1 1 -1 -1 -1\n"
        "1 20 -1 5 4 -1 -1 4 9 -1 1 1 1 -1 1 -1 -1 -1\n",
        &kill16, &h);
    assert_int_equal(h.diag.count, 0);
    assert_string_equal(w.jobs.v[0].id, "2");
    assert_string_equal(w.jobs.v[1].id, "3");
    assert_string_equal(w.jobs.v[2].id, "1");
    workload_fini(&w);
}

static char *written(const struct workload *w)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_int_equal(swf_write(out, w, 16, "test"), 0);
    fclose(out);
    return text;
}

static void what_is_written_reads_back_the_same(void **state)
{
    struct workload_rules rules = kill16;
    struct workload w, again;
    struct heard h;
    char *text, *text_again;

    (void)state;
    rules.use_memory = true;
    kit_read_swf(&w,
        "; UnixStartTime: 1000000\n"
        "11 0 -1 5 4 -1 -1 4 9 4096 1 12 3 -1 2 -1 -1 -1\n"
        "12 5 -1 8 2 -1 -1 -1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n",
        &rules, &h);
    text = written(&w);
    kit_read_swf(&again, text, &rules, &h);
    text_again = written(&again);
    assert_string_equal(text, text_again);
    assert_int_equal(again.jobs.n, 2);
    assert_int_equal(again.max_procs, 16);
    assert_int_equal(again.epoch, 1000000);
    assert_string_equal(workload_cred(&again, &again.jobs.v[0], CRED_USER), "user12");
    assert_int_equal(again.jobs.v[0].mem_mb, 4);
    assert_null(workload_cred(&again, &again.jobs.v[1], CRED_USER));
    free(text);
    free(text_again);
    workload_fini(&w);
    workload_fini(&again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_records_are_told_with_line_and_field),
        cmocka_unit_test(columns_behind_the_eighteenth_are_left_out_and_told_once),
        cmocka_unit_test(numbers_of_all_writings_are_taken),
        cmocka_unit_test(numbers_become_names),
        cmocka_unit_test(the_header_tells_machine_and_epoch),
        cmocka_unit_test(records_become_jobs_by_the_rules),
        cmocka_unit_test(what_was_dropped_is_counted_by_reason),
        cmocka_unit_test(where_every_job_lacks_an_estimate_it_is_the_run_time),
        cmocka_unit_test(memory_counts_on_request_only),
        cmocka_unit_test(the_first_jobs_only_are_read_on_request),
        cmocka_unit_test(jobs_are_sorted_by_submission_then_place),
        cmocka_unit_test(what_is_written_reads_back_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
