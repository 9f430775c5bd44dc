/* SPDX-License-Identifier: Apache-2.0
 * Maui workload traces: wrong records first, then every field. Reference
 * traces-and-simulation, sections 1, 2 and 9. */
#include "cluster/job.h"
#include "kit.h"

#include <stdlib.h>

static const struct workload_rules kill = {.overrun = OVERRUN_KILL, .procs = 1000};

/* The composed example of the reference. */
#define EXAMPLE                                                                        \
    "oak.301 4 8 mira bio 7200 Completed [batch:1] 1000 1600 1600 5200 [NONE] [NONE] " \
    "linux >= 256 >= 0 [fast] 1100 8 2 base:base [RESTARTABLE] genome go.sh [NONE] 1 " \
    "27300.5 DEFAULT 1 512 0 0 0 0 n001:n002:n003:n004 pbs [NONE] [NONE] [NONE] "      \
    "[NONE] [NONE]"

/* A record with one field changed; number from 1. */
static void with_field(char *line, size_t size, unsigned number, const char *value)
{
    char example[] = EXAMPLE;
    size_t used = 0;
    unsigned i = 0;

    for (char *f = strtok(example, " "); f != NULL; f = strtok(NULL, " ")) {
        i++;
        used += (size_t)snprintf(line + used, size - used, "%s%s", i > 1 ? " " : "",
            i == number ? value : f);
    }
}

static void expect_bad(unsigned number, const char *value, const char *complaint)
{
    struct jobtrace j;
    struct arena a = {0};
    struct err err = {0};
    char line[1000];

    with_field(line, sizeof line, number, value);
    assert_int_equal(jobtrace_parse(line, &j, &a, &err), -1);
    assert_string_equal(err.text, complaint);
    arena_free(&a);
}

static void bad_fields_are_told_by_number_and_name(void **state)
{
    (void)state;
    expect_bad(1, "[NONE]",
        "field 1 (JobID): \"[NONE]\" is not a name; this field is "
        "required");
    expect_bad(2, "-1",
        "field 2 (Nodes requested): \"-1\" is not within 0 to "
        "1000000000");
    expect_bad(3, "many",
        "field 3 (Tasks requested): \"many\" is not a whole number, "
        "or several with commas between them");
    expect_bad(3, "PBS=",
        "field 3 (Tasks requested): \"PBS=\" is not a nodes "
        "specification, as PBS=4:ppn=2+1");
    expect_bad(6, "7200x",
        "field 6 (Wallclock limit): \"7200x\" is not a whole "
        "number, or several with commas between them");
    expect_bad(7, "Complete",
        "field 7 (State): \"Complete\" is not known; did you mean Completed");
    expect_bad(8, "batch:1",
        "field 8 (Class): \"batch:1\" is not names in brackets, as [a][b]");
    expect_bad(8, "[batch:x]",
        "field 8 (Class): \"[batch:x]\" is not classes with a "
        "count, as [batch:1][long:4]");
    expect_bad(9, "soon", "field 9 (Submit time): \"soon\" is not a whole number");
    expect_bad(16, "=>", "field 16 (Memory compare): \"=>\" is not one of > >= = <= <");
    expect_bad(17, "256X",
        "field 17 (Memory): \"256X\" is not an amount in MB, as 256 or 256M");
    expect_bad(20, "[fast",
        "field 20 (Features): \"[fast\" is not names in brackets, as [a][b]");
    expect_bad(24, "a:b:c",
        "field 24 (QOS): \"a:b:c\" is not a name, or two as requested:delivered");
    expect_bad(25, "[RESTARTABEL]",
        "field 25 (Flags): \"RESTARTABEL\" is not a job flag; did you mean "
        "RESTARTABLE?");
    expect_bad(25, "8388608",
        "field 25 (Flags): \"8388608\" is not flags in brackets, "
        "as [RESTARTABLE], or their bit mask");
    expect_bad(30, "-3",
        "field 30 (Proc-seconds utilised): \"-3\" is not a number of 0 or more");
    expect_bad(30, "0x10",
        "field 30 (Proc-seconds utilised): \"0x10\" is not a number of 0 or more");
    expect_bad(30, "nan",
        "field 30 (Proc-seconds utilised): \"nan\" is not a number of 0 or more");
    expect_bad(40, "a::b",
        "field 40 (Required hosts): \"a::b\" is not names with "
        "\":\" between them");
    expect_bad(42, "ONEOF:COLOUR:red",
        "field 42 (Node set): \"ONEOF:COLOUR:red\" is not a node set: FIRSTOF, ONEOF "
        "or ANYOF, then FEATURE, PROCSPEED, NETWORK or MEMORY, then values, as "
        "ONEOF:FEATURE:a:b");
}

static void a_wrong_count_of_fields_is_told(void **state)
{
    struct workload w;
    struct heard h;

    (void)state;
    kit_read_maui(&w, "VERSION 230\na b c\n" EXAMPLE "\n", &kill, &h);
    assert_int_equal(w.jobs.n, 1);
    assert_string_equal(h.last,
        "t:2: 3 of 44 fields read; a workload record has 44, or 43 without the master "
        "host");
    workload_fini(&w);
    kit_read_maui(&w, EXAMPLE " more\n", &kill, &h);
    assert_int_equal(w.jobs.n, 0);
    assert_int_equal(w.dropped[DROP_BAD], 1);
    workload_fini(&w);
}

static void an_unknown_version_stops_reading(void **state)
{
    static const char text[] = "# by hand\nVERSION 99\n" EXAMPLE "\n";
    struct lines *in = lines_open_memory("t", text, strlen(text));
    struct workload w;
    struct err err;

    (void)state;
    kit_open(&w);
    assert_int_equal(mauitrace_read(in, &w, &kill, NULL, &err), -1);
    assert_string_equal(
        err.text, "t:2: trace version 99 is not known; 230 is expected");
    lines_close(in);
    workload_fini(&w);
}

static void bytes_0_are_refused(void **state)
{
    static const char text[] = "VERSION 230\na\0b\n";
    struct lines *in = lines_open_memory("t", text, sizeof text - 1);
    struct workload w;
    struct heard h;
    struct err err;

    (void)state;
    kit_listen(&h);
    kit_open(&w);
    assert_int_equal(mauitrace_read(in, &w, &kill, &h.diag, &err), 0);
    assert_int_equal(h.diag.count, 1);
    lines_close(in);
    workload_fini(&w);
}

static struct jobtrace parsed(const char *text, struct arena *a)
{
    struct jobtrace j;
    struct err err = {0};
    char *line = strdup(text);

    if (jobtrace_parse(line, &j, a, &err) != 1)
        fail_msg("%s", err.text);
    free(line);
    return j;
}

static void the_example_of_the_reference_is_understood(void **state)
{
    struct arena a = {0};
    struct jobtrace j = parsed(EXAMPLE, &a);

    (void)state;
    assert_string_equal(j.id, "oak.301");
    assert_int_equal(j.nodes, 4);
    assert_int_equal(j.tasks.first, 8);
    assert_null(j.tasks.text);
    assert_string_equal(j.user, "mira");
    assert_string_equal(j.group, "bio");
    assert_int_equal(j.wclimit_s.first, 7200);
    assert_int_equal(j.state, JOBTRACE_COMPLETED);
    assert_string_equal(j.classes[0].name, "batch");
    assert_int_equal(j.classes[0].count, 1);
    assert_null(j.classes[1].name);
    assert_int_equal(j.submit_at, 1000);
    assert_int_equal(j.end_at, 5200);
    assert_null(j.network);
    assert_string_equal(j.os, "linux");
    assert_int_equal(j.mem_op, CMP_GE);
    assert_int_equal(j.mem_mb, 256);
    assert_string_equal(j.features[0], "fast");
    assert_null(j.features[1]);
    assert_int_equal(j.queue_at, 1100);
    assert_int_equal(j.tpn, 2);
    assert_string_equal(j.qos.first, "base");
    assert_string_equal(j.qos.second, "base");
    assert_string_equal(j.account, "genome");
    assert_null(j.rm_extension);
    assert_int_equal(j.bypass, 1);
    assert_true(j.procseconds == 27300.5);
    assert_int_equal(j.ded_mem_mb, 512);
    assert_string_equal(j.allocated[3], "n004");
    assert_null(j.allocated[4]);
    assert_string_equal(j.rm, "pbs");
    assert_null(j.nodeset);
    arena_free(&a);
}

static void the_example_becomes_a_job(void **state)
{
    struct workload w;
    struct heard h;
    struct job_desc d;
    struct req_desc req;

    (void)state;
    kit_read_maui(&w, "VERSION 230\n" EXAMPLE "\n", &kill, &h);
    assert_int_equal(w.jobs.n, 1);
    assert_int_equal(w.jobs.v[0].run_s, 3600); /* completion - start */
    workload_job_desc(&w, &w.jobs.v[0], 10, &d, &req);
    assert_string_equal(d.id, "oak.301");
    assert_string_equal(d.cred[CRED_USER], "mira");
    assert_string_equal(d.cred[CRED_ACCOUNT], "genome");
    assert_string_equal(d.cred[CRED_CLASS], "batch");
    assert_string_equal(d.cred[CRED_QOS], "base");
    assert_int_equal(d.submit_at, 1010);
    assert_int_equal(d.wclimit_s, 7200);
    assert_int_equal(d.flags, JOB_RESTARTABLE);
    assert_int_equal(d.nreqs, 1);
    assert_ptr_equal(d.reqs, &req);
    assert_int_equal(req.tasks, 8);
    assert_int_equal(req.nodes, 4);
    assert_int_equal(req.tpn, 2);
    assert_int_equal(req.per_task.v[RES_PROCS], 1);
    assert_int_equal(req.per_task.v[RES_MEM], 512);
    assert_int_equal(req.mem.op, CMP_GE);
    assert_int_equal(req.mem.value, 256);
    assert_int_equal(req.disk.op, CMP_NONE);
    assert_string_equal(req.features[0], "fast");
    assert_string_equal(req.os, "linux");
    workload_fini(&w);
}

/* What a field makes of the job. */
static struct job_desc described(
    unsigned field, const char *value, struct workload *w, struct req_desc *req)
{
    char line[1000];
    struct job_desc d;
    struct heard h;

    with_field(line, sizeof line - 1, field, value);
    strcat(line, "\n");
    kit_read_maui(w, line, &kill, &h);
    if (w->jobs.n != 1)
        fail_msg("%s", h.last);
    workload_job_desc(w, &w->jobs.v[0], 0, &d, req);
    return d;
}

static void fields_restrict_the_job(void **state)
{
    struct workload w;
    struct req_desc req;
    struct job_desc d;

    (void)state;
    d = described(40, "n7:n8", &w, &req);
    assert_string_equal(req.hosts[1], "n8");
    assert_true(d.flags & JOB_HOSTLIST);
    workload_fini(&w);
    d = described(41, "debug.0", &w, &req);
    assert_string_equal(d.advres, "debug.0");
    assert_true(d.flags & JOB_ADVRES);
    workload_fini(&w);
    d = described(41, "ALL", &w, &req);
    assert_null(d.advres);
    assert_true(d.flags & JOB_ADVRES);
    workload_fini(&w);
    d = described(41, "oak.301", &w, &req); /* its own name: none */
    assert_false(d.flags & JOB_ADVRES);
    workload_fini(&w);
    described(42, "ONEOF:PROCSPEED:450:650", &w, &req);
    assert_int_equal(req.nodeset->policy, NODESET_ONEOF);
    assert_int_equal(req.nodeset->attr, NODESET_PROCSPEED);
    assert_string_equal(req.nodeset->list.v[1], "650");
    workload_fini(&w);
    d = described(31, "night", &w, &req);
    assert_string_equal(d.partitions[0], "night");
    assert_null(d.partitions[1]);
    workload_fini(&w);
    d = described(31, "2", &w, &req); /* a number tells no name */
    assert_null(d.partitions);
    workload_fini(&w);
    d = described(36, "5000", &w, &req);
    assert_int_equal(d.release_at, 5000);
    workload_fini(&w);
    d = described(6, "-1", &w, &req);
    assert_true(d.wclimit_s == DURATION_UNLIMITED);
    workload_fini(&w);
    described(25, "[NASINGLETASK]", &w, &req);
    assert_int_equal(req.access, ACCESS_SINGLETASK);
    workload_fini(&w);
    d = described(25, "[BACKFILL][SPVIOLATION][JATTR:x]", &w, &req);
    assert_int_equal(d.flags, 0); /* the scheduler sets those itself */
    workload_fini(&w);
    d = described(25, "5120", &w, &req); /* bits 10 and 12 */
    assert_int_equal(d.flags, JOB_RESTARTABLE | JOB_PREEMPTOR);
    workload_fini(&w);
}

static void tasks_may_be_lists_and_node_specifications(void **state)
{
    struct workload w;
    struct req_desc req;

    (void)state;
    described(3, "8,16", &w, &req);
    assert_int_equal(req.tasks, 8);
    workload_fini(&w);
    described(3, "PBS=4:ppn=2+1:big", &w, &req);
    assert_int_equal(req.tasks, 9);
    assert_int_equal(req.nodes, 5);
    workload_fini(&w);
    described(32, "2", &w, &req); /* procs per task */
    assert_int_equal(w.jobs.v[0].procs, 16);
    assert_int_equal(req.tasks, 8);
    assert_int_equal(req.per_task.v[RES_PROCS], 2);
    workload_fini(&w);
}

static void lists_of_limits_give_the_first(void **state)
{
    struct workload w;
    struct req_desc req;

    (void)state;
    assert_int_equal(described(6, "7200,3600", &w, &req).wclimit_s, 7200);
    workload_fini(&w);
    assert_int_equal(described(6, "5400:3600", &w, &req).wclimit_s, 5400);
    workload_fini(&w);
}

static void amounts_may_have_units(void **state)
{
    static const struct {
        const char *text;
        int64_t mb;
    } rows[] = {{"256", 256}, {"256M", 256}, {"2G", 2048}, {"1T", 1048576},
        {"1025K", 2}, {"0M", 0}, {"[NONE]", 0}, {"12.5", 12}};
    struct arena a = {0};
    char line[1000];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        with_field(line, sizeof line, 17, rows[i].text);
        assert_int_equal(parsed(line, &a).mem_mb, rows[i].mb);
    }
    arena_free(&a);
}

static void comments_stand_anywhere(void **state)
{
    struct workload w;
    struct heard h;

    (void)state;
    kit_read_maui(&w,
        "# head\nVERSION 230 # current\n\n  # note\n" EXAMPLE " # the best job ever\n",
        &kill, &h);
    assert_int_equal(h.diag.count, 0);
    assert_int_equal(w.jobs.n, 1);
    workload_fini(&w);
}

/* As a field of its own it could be written, but at the end of a line not read again.
 */
static void carriage_returns_are_blanks(void **state)
{
    struct workload w;
    struct heard h;

    (void)state;
    kit_read_maui(&w, "VERSION 230\r\n" EXAMPLE " \r \r\n", &kill, &h);
    assert_int_equal(h.diag.count, 0);
    assert_int_equal(w.jobs.n, 1);
    workload_fini(&w);
}

static void a_record_of_43_fields_has_no_master_host(void **state)
{
    char text[] = EXAMPLE;
    char *hosts = strstr(text, "n001:");
    struct arena a = {0};
    struct jobtrace j;

    (void)state;
    memmove(hosts, strchr(hosts, ' ') + 1, strlen(strchr(hosts, ' ') + 1) + 1);
    j = parsed(text, &a);
    assert_null(j.allocated);
    assert_null(j.rm);
    assert_null(j.hosts);
    assert_int_equal(j.ded_mem_mb, 512);
    arena_free(&a);
}

/* Older writers put the application simulator into field 42. */
static void what_is_no_node_set_in_field_42_belongs_into_43(void **state)
{
    struct arena a = {0};
    struct jobtrace j;
    char line[1000];

    (void)state;
    with_field(line, sizeof line, 42, "comm:ring");
    j = parsed(line, &a);
    assert_null(j.nodeset);
    assert_string_equal(j.simulator, "comm:ring");
    arena_free(&a);
}

static void notrun_jobs_are_skipped_and_removed_ones_run(void **state)
{
    struct workload w;
    struct heard h;
    char line[1000];

    (void)state;
    with_field(line, sizeof line, 7, "NotRun");
    kit_read_maui(&w, line, &kill, &h);
    assert_int_equal(w.jobs.n, 0);
    assert_int_equal(w.dropped[DROP_STATE], 1);
    workload_fini(&w);
    with_field(line, sizeof line, 7, "Removed");
    kit_read_maui(&w, line, &kill, &h);
    assert_int_equal(w.jobs.n, 1);
    workload_fini(&w);
}

static void run_time_counts_from_the_later_of_dispatch_and_start(void **state)
{
    struct workload w;
    struct req_desc req;

    (void)state;
    described(10, "2000", &w, &req);
    assert_int_equal(w.jobs.v[0].run_s, 3200);
    workload_fini(&w);
    described(12, "1600", &w, &req); /* ended as it started: 1 s */
    assert_int_equal(w.jobs.v[0].run_s, 1);
    workload_fini(&w);
}

static char *formatted(const struct jobtrace *j)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    jobtrace_format(j, out);
    fclose(out);
    text[strcspn(text, "\n")] = '\0';
    return text;
}

static void what_is_written_reads_back_the_same(void **state)
{
    static const struct {
        unsigned field;
        const char *value;
    } rows[] = {{1, "a"}, {3, "PBS=2:ppn=3"}, {3, "1,2,3"}, {6, "-1"}, {6, "60:30"},
        {7, "Removed"}, {8, "[a:1][b:7]"}, {8, "[NONE]"}, {13, "myrinet"}, {16, "<"},
        {18, "="}, {19, "77M"}, {20, "[a][b][c]"}, {20, "[NONE]"}, {23, "-1"},
        {24, "[NONE]:low"}, {24, "high"}, {24, "[NONE]"},
        {25, "[ADVRES][NOQUEUE][JATTR:quick]"}, {25, "[NONE]"}, {25, "3"}, {26, "0"},
        {28, "x=1;y:2"}, {29, "-1"}, {31, "[NONE]"}, {36, "12345"}, {37, "99999"},
        {38, "[NONE]"}, {40, "x:y"}, {41, "special.1"}, {42, "FIRSTOF:FEATURE:a:b"},
        {42, "ANYOF:NETWORK"}, {43, "mod:cfg"}, {44, "why"}};
    struct arena a = {0};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct jobtrace j;
        char line[1000], *once, *twice;

        with_field(line, sizeof line, rows[i].field, rows[i].value);
        j = parsed(line, &a);
        once = formatted(&j);
        j = parsed(once, &a);
        twice = formatted(&j);
        assert_string_equal(once, twice);
        if (rows[i].field != 26 && strcmp(rows[i].value, "3") != 0
            && strstr(once, rows[i].value) == NULL)
            fail_msg("field %u: %s is lost in %s", rows[i].field, rows[i].value, once);
        free(once);
        free(twice);
    }
    arena_free(&a);
}

static char *written(const struct workload *w, const int64_t *start_at)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_int_equal(mauitrace_write(out, w, start_at), 0);
    fclose(out);
    return text;
}

static void a_simulated_workload_is_written_with_its_starts(void **state)
{
    struct workload w, again;
    struct heard h;
    const int64_t starts[] = {70, -1};
    char *text;

    (void)state;
    kit_read_swf(&w,
        "1 5 -1 50 4 -1 -1 4 60 -1 1 8 2 -1 1 -1 -1 -1\n"
        "2 6 -1 50 4 -1 -1 4 60 -1 1 8 2 -1 1 -1 -1 -1\n",
        &kill, &h);
    w.epoch = 1000000;
    text = written(&w, starts);
    kit_read_maui(&again, text, &kill, &h);
    assert_int_equal(h.diag.count, 0);
    assert_int_equal(again.jobs.n, 1);
    assert_int_equal(again.dropped[DROP_STATE], 1);
    assert_int_equal(again.jobs.v[0].submit_at, 1000005);
    assert_int_equal(again.jobs.v[0].more->start_at, 1000070);
    assert_int_equal(again.jobs.v[0].run_s, 50);
    assert_int_equal(again.jobs.v[0].wclimit_s, 60);
    assert_int_equal(again.jobs.v[0].procs, 4);
    assert_string_equal(workload_cred(&again, &again.jobs.v[0], CRED_CLASS), "q1");
    free(text);
    workload_fini(&again);
    workload_fini(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_fields_are_told_by_number_and_name),
        cmocka_unit_test(a_wrong_count_of_fields_is_told),
        cmocka_unit_test(an_unknown_version_stops_reading),
        cmocka_unit_test(bytes_0_are_refused),
        cmocka_unit_test(the_example_of_the_reference_is_understood),
        cmocka_unit_test(the_example_becomes_a_job),
        cmocka_unit_test(fields_restrict_the_job),
        cmocka_unit_test(tasks_may_be_lists_and_node_specifications),
        cmocka_unit_test(lists_of_limits_give_the_first),
        cmocka_unit_test(amounts_may_have_units),
        cmocka_unit_test(comments_stand_anywhere),
        cmocka_unit_test(carriage_returns_are_blanks),
        cmocka_unit_test(a_record_of_43_fields_has_no_master_host),
        cmocka_unit_test(what_is_no_node_set_in_field_42_belongs_into_43),
        cmocka_unit_test(notrun_jobs_are_skipped_and_removed_ones_run),
        cmocka_unit_test(run_time_counts_from_the_later_of_dispatch_and_start),
        cmocka_unit_test(what_is_written_reads_back_the_same),
        cmocka_unit_test(a_simulated_workload_is_written_with_its_starts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
