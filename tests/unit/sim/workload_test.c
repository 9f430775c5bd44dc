/* SPDX-License-Identifier: Apache-2.0
 * Reading workloads from files: which format it is, several files, what is none. */
#include "cluster/job.h"
#include "kit.h"
#include "sim/workload.h"

#include <stdlib.h>
#include <unistd.h>

static const struct workload_rules rules = {.overrun = OVERRUN_KILL, .procs = 1000};

struct file {
    char path[40];
};

static void file_make(struct file *f, const char *text)
{
    int fd;

    strcpy(f->path, "/tmp/maui-workload-XXXXXX");
    fd = mkstemp(f->path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

/* Jobs read from a file of that text, or -1; *ret_err tells why. */
static long jobs_of(const char *text, struct err *ret_err)
{
    struct workload w;
    struct file f;
    long n = -1;

    file_make(&f, text);
    workload_init(&w);
    if (workload_read(&w, f.path, &rules, NULL, ret_err) == 0)
        n = (long)w.jobs.n;
    workload_fini(&w);
    unlink(f.path);
    return n;
}

#define SWF "7 100 -1 50 4 -1 -1 4 60 -1 1 8 2 -1 1 -1 -1 -1\n"
#define MAUI                                                                           \
    "7 0 4 ann bio 60 Completed [batch:1] 100 100 100 150 [NONE] [NONE] [NONE] >= 0 "  \
    ">= 0 [NONE] 100 4 -1 [NONE] [NONE] [NONE] [NONE] [NONE] -1 0 DEFAULT 1 0 0 0 0 "  \
    "0 "                                                                               \
    "[NONE] [NONE] [NONE] [NONE] [NONE] [NONE] [NONE]\n"

static void what_is_no_trace_is_refused(void **state)
{
    struct err err;

    (void)state;
    assert_int_equal(jobs_of("", &err), -1);
    assert_non_null(strstr(err.text, "the file is empty"));
    assert_int_equal(jobs_of("\n \n\n", &err), -1);
    assert_non_null(strstr(err.text, "the file is empty"));
    assert_int_equal(jobs_of("hello, world\n", &err), -1);
    assert_non_null(strstr(err.text, "not a trace"));
    assert_int_equal(jobs_of("QUEUETIMEWEIGHT 1\n", &err), -1);
}

static void the_first_line_tells_the_format(void **state)
{
    struct err err;

    (void)state;
    assert_int_equal(jobs_of("; SWF\n" SWF, &err), 1);
    assert_int_equal(jobs_of("\n  " SWF, &err), 1);
    assert_int_equal(jobs_of("VERSION 230\n" MAUI, &err), 1);
    assert_int_equal(jobs_of("# of Maui\nVERSION 230\n" MAUI, &err), 1);
    assert_int_equal(jobs_of(MAUI, &err), 1);
}

static void several_files_get_their_number_into_the_ids(void **state)
{
    struct workload w;
    struct file a, b;
    struct heard h;
    struct err err;

    (void)state;
    file_make(&a, SWF);
    file_make(&b, "VERSION 230\n" MAUI);
    kit_listen(&h);
    workload_init(&w);
    w.number_ids = true;
    assert_int_equal(workload_read(&w, a.path, &rules, &h.diag, &err), 0);
    assert_int_equal(workload_read(&w, b.path, &rules, &h.diag, &err), 0);
    workload_finish(&w, &rules, &h.diag);
    assert_int_equal(h.diag.count, 0);
    assert_int_equal(w.jobs.n, 2);
    assert_string_equal(w.jobs.v[0].id, "1.7");
    assert_string_equal(w.jobs.v[1].id, "2.7");
    workload_fini(&w);
    unlink(a.path);
    unlink(b.path);
}

static void an_id_seen_before_is_dropped_and_told(void **state)
{
    struct workload w;
    struct heard h;

    (void)state;
    kit_read_maui(&w, MAUI MAUI MAUI, &rules, &h);
    assert_int_equal(w.jobs.n, 1);
    assert_int_equal(w.jobs.v[0].line, 1);
    assert_int_equal(w.dropped[DROP_DUPLICATE], 2);
    assert_int_equal(h.diag.count, 2);
    assert_string_equal(h.last,
        "t:3: field 1: job \"7\" is already at t:1; each needs an id of its own");
    workload_fini(&w);
}

static void memory_is_left_out_where_the_machine_tells_none(void **state)
{
    struct workload_rules with_memory = rules;
    struct workload w;
    struct heard h;
    struct job_desc d;
    struct req_desc req;

    (void)state;
    with_memory.use_memory = true;
    kit_read_swf(
        &w, "7 100 -1 50 4 -1 -1 4 60 2048 1 8 2 -1 1 -1 -1 -1\n", &with_memory, &h);
    workload_job_desc(&w, &w.jobs.v[0], 0, &d, &req);
    assert_int_equal(req.per_task.v[RES_MEM], 2);
    w.ignore_memory = true;
    workload_job_desc(&w, &w.jobs.v[0], 0, &d, &req);
    assert_int_equal(req.per_task.v[RES_MEM], 0);
    workload_fini(&w);
}

static void submissions_are_drawn_together_for_a_load(void **state)
{
    struct workload w;
    struct heard h;

    (void)state;
    kit_read_swf(&w,
        "1 100 -1 60 2 -1 -1 2 60 -1 1 1 1 -1 1 -1 -1 -1\n"
        "2 150 -1 60 4 -1 -1 4 60 -1 1 1 1 -1 1 -1 -1 -1\n"
        "3 300 -1 40 1 -1 -1 1 40 -1 1 1 1 -1 1 -1 -1 -1\n",
        &(struct workload_rules){.procs = 4}, &h);
    /* 120 + 240 + 40 processor seconds in 200 seconds of 4 processors */
    assert_float_equal(workload_load(&w, 4), 0.5, 1e-12);
    assert_float_equal(workload_set_load(&w, 4, 1.0), 0.5, 1e-12);
    assert_float_equal(workload_load(&w, 4), 1.0, 1e-12);
    assert_int_equal(w.jobs.v[0].submit_at, 100);
    assert_int_equal(w.jobs.v[1].submit_at, 125);
    assert_int_equal(w.jobs.v[2].submit_at, 200);
    workload_fini(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_trace_is_refused),
        cmocka_unit_test(the_first_line_tells_the_format),
        cmocka_unit_test(several_files_get_their_number_into_the_ids),
        cmocka_unit_test(an_id_seen_before_is_dropped_and_told),
        cmocka_unit_test(memory_is_left_out_where_the_machine_tells_none),
        cmocka_unit_test(submissions_are_drawn_together_for_a_load),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
