/* SPDX-License-Identifier: Apache-2.0
 * A thousand seeded corruptions of each kind of trace: nothing crashes, whatever is
 * complained about has a file and a line, and whatever is taken is sane. */
#include "cluster/job.h"
#include "kit.h"
#include "sim/prng.h"
#include "trace/restrace.h"

#include <stdlib.h>

#define ROUNDS 1000

static const char swf[] =
    "; Version: 2.2\n; MaxProcs: 128\n; UnixStartTime: 893466664\n;\n"
    "   11   566129      5  28826    1  27758    -1    1  28800    -1  5 153  75 18180 "
    " "
    "3 -1 -1 -1\n"
    "   12   566290    532  26171    1  24666    -1    1  28800    -1  1 153  75 18184 "
    " "
    "3 -1 -1 -1\n"
    "   13   567314  15757   8071    8   7334    -1    8  64800    -1  1 150   6 13592 "
    " "
    "4 -1 -1 -1\n"
    "   14   567400      1     71   16     70.5  -1   16    600  2048  1 150   6    12 "
    " "
    "4 -1 -1 -1\n";

static const char maui[] =
    "VERSION 230\n# a comment\n"
    "oak.301 4 8 mira bio 7200 Completed [batch:1] 1000 1600 1600 5200 [NONE] [NONE] "
    "linux >= 256 >= 0 [fast] 1100 8 2 base:base [RESTARTABLE] genome go.sh [NONE] 1 "
    "27300.5 DEFAULT 1 512 0 0 0 0 n001:n002:n003:n004 pbs [NONE] [NONE] [NONE] [NONE] "
    "[NONE]\n"
    "1018 0 PBS=2:ppn=8 alice physics 3600,1800 Completed [short:1][long:2] 1700881740 "
    "1700881800 1700881800 1700881860 [NONE] [NONE] [NONE] >= 0M >= 0M [NONE] "
    "1700881740 16 0 [NONE]:normal 1024 proj-a md.sh [NONE] 0 0.00 DEFAULT 1 0M 0M 0M "
    "0 "
    "0 node62:node61 base a:b ALL ONEOF:FEATURE:a:b mod:cfg [NONE] # end\n";

static const char resources[] =
    "VERSION 230\n"
    "COMPUTENODE AVAILABLE 0 node01 base 16384 8192M 40G 4 1 1 1 linux x86_64 "
    "[compute][ib] [batch:4][short:4] [ethernet] 1.0 [NONE] [NONE] [NONE]\n"
    "COMPUTENODE DRAINED 0 node02 base 16384 8192 40000 4 -1 -1 -1 linux x86_64 [NONE] "
    "[NONE] [NONE] gpu:2,lic:1 [NONE] [NONE] [NONE]\n";

/* One to eight changes: a byte replaced, removed or doubled, a cut, a swap. */
static char *corrupt(struct prng *rng, const char *text, size_t *ret_size)
{
    static const char bytes[] = " \t\n\r-+.,:[]#;0123456789MGxE\0\xff=/";
    size_t n = strlen(text);
    char *s = malloc(n + 16);

    memcpy(s, text, n);
    for (uint64_t k = prng_below(rng, 8) + 1; k > 0 && n > 1; k--) {
        size_t at = prng_below(rng, n), other = prng_below(rng, n);
        char c = bytes[prng_below(rng, sizeof bytes - 1)], swap = s[at];

        switch (prng_below(rng, 6)) {
        case 0:
        case 1:
            s[at] = c;
            break;
        case 2:
            memmove(s + at, s + at + 1, n - at - 1);
            n--;
            break;
        case 3:
            memmove(s + at + 1, s + at, n - at);
            s[at] = c;
            n++;
            break;
        case 4:
            s[at] = s[other];
            s[other] = swap;
            break;
        default:
            if (prng_below(rng, 8) == 0)
                n = at;
            break;
        }
    }
    *ret_size = n;
    return s;
}

static void check_jobs(const struct workload *w, const struct heard *h)
{
    /* Each record left out is told; so are headers, which are no records. */
    assert_in_range(h->diag.count, w->dropped[DROP_BAD] + w->dropped[DROP_DUPLICATE],
        w->dropped[DROP_BAD] + w->dropped[DROP_DUPLICATE] + 3);
    for (size_t i = 0; i < w->jobs.n; i++) {
        const struct trace_job *j = &w->jobs.v[i];
        struct job_desc d;
        struct req_desc req;

        assert_true(j->id[0] != '\0');
        assert_true(j->submit_at >= 0);
        assert_true(j->run_s > 0);
        assert_true(j->run_s <= j->wclimit_s);
        assert_true(j->procs > 0 && j->procs <= 1000);
        workload_job_desc(w, j, 5, &d, &req);
        assert_true(d.submit_at >= 5);
    }
}

static void check_error(const struct err *err)
{
    unsigned long line;

    if (sscanf(err->text, "t:%lu: ", &line) != 1)
        fail_msg("no file and line: %s", err->text);
}

typedef int reader(struct lines *in, struct workload *w, const struct workload_rules *r,
    struct diag *d, struct err *err);

static void corrupt_workloads(const char *text, reader *read)
{
    static const struct workload_rules rules[] = {{.procs = 1000},
        {.overrun = OVERRUN_EXTEND, .procs = 1000, .use_memory = true}};
    struct prng rng;

    prng_init(&rng, 2026);
    for (int round = 0; round < ROUNDS; round++) {
        size_t size;
        char *bad = corrupt(&rng, text, &size);
        struct lines *in = lines_open_memory("t", bad, size);
        struct workload w;
        struct heard h;
        struct err err;

        kit_listen(&h);
        kit_open(&w);
        if (read(in, &w, &rules[round % 2], &h.diag, &err) < 0)
            check_error(&err);
        workload_finish(&w, &rules[round % 2], &h.diag);
        check_jobs(&w, &h);
        workload_fini(&w);
        lines_close(in);
        free(bad);
    }
}

static void corrupt_swf_is_survived(void **state)
{
    (void)state;
    corrupt_workloads(swf, swf_read);
}

static void corrupt_maui_traces_are_survived(void **state)
{
    (void)state;
    corrupt_workloads(maui, mauitrace_read);
}

static void corrupt_resource_traces_are_survived(void **state)
{
    struct prng rng;

    (void)state;
    prng_init(&rng, 2026);
    for (int round = 0; round < ROUNDS; round++) {
        size_t size;
        char *bad = corrupt(&rng, resources, &size);
        struct lines *in = lines_open_memory("t", bad, size);
        struct restrace t = {0};
        struct heard h;
        struct err err;

        kit_listen(&h);
        if (restrace_read(in, &t, &h.diag, &err) < 0)
            check_error(&err);
        for (size_t i = 0; i < t.nodes.n; i++)
            assert_non_null(restrace_node_desc(&t.nodes.v[i]).name);
        restrace_fini(&t);
        lines_close(in);
        free(bad);
    }
}

/* ---- one field ------------------------------------------------------------------- */

#define LINE_MAX_LEN 1000

/* The line with field `number`, from 1, replaced. Returns whether it has that many. */
static bool replace_field(
    char *to, const char *line, unsigned number, const char *value)
{
    const char *p = line + strspn(line, " ");

    for (unsigned i = 1; i < number && *p != '\0'; i++) {
        p += strcspn(p, " ");
        p += strspn(p, " ");
    }
    snprintf(to, LINE_MAX_LEN, "%.*s%s%s\n", (int)(p - line), line, value,
        p + strcspn(p, " \n"));
    return *p != '\0';
}

static void read_workload(
    const char *text, reader *read, struct heard *h, size_t *ret_jobs)
{
    static const struct workload_rules rules = {.procs = 1000};
    struct lines *in = lines_open_memory("t", text, strlen(text));
    struct workload w;
    struct err err;

    kit_listen(h);
    kit_open(&w);
    assert_int_equal(read(in, &w, &rules, &h->diag, &err), 0);
    workload_finish(&w, &rules, &h->diag);
    *ret_jobs = w.jobs.n;
    workload_fini(&w);
    lines_close(in);
}

static const char *const garbage[] = {"x", "1x", "0x10", "--1", "1,", "%", "1e3.",
    "9999999999999999999999", "-", "+", "nan", "inf", "-inf", "1-2", "\xff"};

/* Nothing but a number is one, and no field is guessed. */
static void no_field_of_swf_takes_garbage(void **state)
{
    static const char line[] =
        "11 566129 5 28826 1 27758 -1 1 28800 -1 5 153 75 18180 3 -1 -1 -1";

    (void)state;
    for (unsigned f = 1; f <= 18; f++) {
        for (size_t g = 0; g < sizeof garbage / sizeof *garbage; g++) {
            char text[LINE_MAX_LEN], begin[40];
            struct heard h;
            size_t jobs;

            assert_true(replace_field(text, line, f, garbage[g]));
            read_workload(text, swf_read, &h, &jobs);
            snprintf(begin, sizeof begin, "t:1: field %u (", f);
            if (jobs != 0 || h.diag.count != 1
                || strncmp(h.last, begin, strlen(begin)) != 0)
                fail_msg("field %u, '%s': %s", f, garbage[g], h.last);
        }
    }
}

/* Fields that hold what they like: names, commands, what is reserved. */
static bool is_free(const unsigned *fields, unsigned number)
{
    for (; *fields != 0; fields++)
        if (*fields == number)
            return true;
    return false;
}

static void no_number_of_a_maui_trace_takes_garbage(void **state)
{
    static const unsigned free_fields[] = {
        1, 4, 5, 13, 14, 15, 24, 26, 27, 28, 31, 38, 39, 40, 41, 42, 43, 44, 0};
    const char *line = strstr(maui, "oak");

    (void)state;
    for (unsigned f = 1; f <= 44; f++) {
        for (size_t g = 0; g < sizeof garbage / sizeof *garbage; g++) {
            char one[LINE_MAX_LEN], text[LINE_MAX_LEN], begin[40];
            struct heard h;
            size_t jobs;

            snprintf(one, sizeof one, "%.*s", (int)strcspn(line, "\n"), line);
            if (is_free(free_fields, f))
                continue;
            if (f == 30 && strspn(garbage[g], "0123456789") == strlen(garbage[g]))
                continue; /* a decimal fraction has no bounds */
            assert_true(replace_field(text, one, f, garbage[g]));
            read_workload(text, mauitrace_read, &h, &jobs);
            snprintf(begin, sizeof begin, "t:1: field %u (", f);
            if (jobs != 0 || h.diag.count != 1
                || strncmp(h.last, begin, strlen(begin)) != 0)
                fail_msg("field %u, '%s': %s", f, garbage[g], h.last);
        }
    }
}

static void no_number_of_a_resource_trace_takes_garbage(void **state)
{
    static const unsigned free_fields[] = {4, 5, 13, 14, 18, 19, 20, 21, 0};
    const char *line = strstr(resources, "COMPUTENODE");

    (void)state;
    for (unsigned f = 1; f <= 21; f++) {
        for (size_t g = 0; g < sizeof garbage / sizeof *garbage; g++) {
            char one[LINE_MAX_LEN], text[LINE_MAX_LEN];
            struct restrace t = {0};
            struct lines *in;
            struct heard h;
            struct err err;

            snprintf(one, sizeof one, "%.*s", (int)strcspn(line, "\n"), line);
            if (is_free(free_fields, f))
                continue;
            assert_true(replace_field(text, one, f, garbage[g]));
            in = lines_open_memory("t", text, strlen(text));
            kit_listen(&h);
            assert_int_equal(restrace_read(in, &t, &h.diag, &err), 0);
            if (t.nodes.n != 0 || h.diag.count != 1)
                fail_msg("field %u, '%s' was taken", f, garbage[g]);
            assert_memory_equal(h.last, "t:1: ", 5);
            restrace_fini(&t);
            lines_close(in);
        }
    }
}

/* ---- one record of many ---- */

#define RECORDS 20

/* A trace of RECORDS lines that differ in their first field; one of them, from 1, has
 * garbage in a field that holds a number. */
static void write_trace(char *to, size_t size, const char *line, unsigned field,
    unsigned bad, const char *value)
{
    size_t len = 0;

    for (unsigned i = 1; i <= RECORDS; i++) {
        char one[LINE_MAX_LEN], two[LINE_MAX_LEN], id[20];

        snprintf(id, sizeof id, "%u", i);
        assert_true(replace_field(one, line, 1, id));
        one[strcspn(one, "\n")] = '\0';
        assert_true(
            replace_field(two, one, i == bad ? field : 1, i == bad ? value : id));
        len += (size_t)snprintf(to + len, size - len, "%s", two);
        assert_true(len < size);
    }
}

/* The bad record is told by its line, all others are taken. */
static void check_one_of_many(const char *line, unsigned fields,
    const unsigned *free_fields, reader *read, uint64_t seed)
{
    static char text[RECORDS * LINE_MAX_LEN];
    struct prng rng;

    prng_init(&rng, seed);
    for (int round = 0; round < ROUNDS; round++) {
        unsigned bad = 1 + (unsigned)prng_below(&rng, RECORDS),
                 field = 2 + (unsigned)prng_below(&rng, fields - 1);
        const char *value = garbage[prng_below(&rng, 7)]; /* never a number */
        char begin[40];
        struct heard h;
        size_t jobs;

        if (is_free(free_fields, field))
            continue;
        write_trace(text, sizeof text, line, field, bad, value);
        read_workload(text, read, &h, &jobs);
        snprintf(begin, sizeof begin, "t:%u: field %u (", bad, field);
        if (jobs != RECORDS - 1 || h.diag.count != 1
            || strncmp(h.last, begin, strlen(begin)) != 0)
            fail_msg("seed %llu, record %u, field %u, '%s': %zu taken, told '%s'",
                (unsigned long long)seed, bad, field, value, jobs, h.last);
    }
}

static void a_bad_record_of_swf_is_told_by_its_line_and_costs_no_other(void **state)
{
    static const unsigned free_fields[] = {0};

    (void)state;
    check_one_of_many(
        "11 566129 5 28826 1 27758 -1 1 28800 -1 5 153 75 18180 3 -1 -1 -1", 18,
        free_fields, swf_read, 11);
}

static void a_bad_record_of_a_maui_trace_costs_no_other(void **state)
{
    static const unsigned free_fields[] = {
        1, 4, 5, 13, 14, 15, 24, 26, 27, 28, 31, 38, 39, 40, 41, 42, 43, 44, 0};
    const char *line = strstr(maui, "oak");
    char one[LINE_MAX_LEN];

    (void)state;
    snprintf(one, sizeof one, "%.*s", (int)strcspn(line, "\n"), line);
    check_one_of_many(one, 44, free_fields, mauitrace_read, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corrupt_swf_is_survived),
        cmocka_unit_test(corrupt_maui_traces_are_survived),
        cmocka_unit_test(corrupt_resource_traces_are_survived),
        cmocka_unit_test(no_field_of_swf_takes_garbage),
        cmocka_unit_test(no_number_of_a_maui_trace_takes_garbage),
        cmocka_unit_test(no_number_of_a_resource_trace_takes_garbage),
        cmocka_unit_test(a_bad_record_of_swf_is_told_by_its_line_and_costs_no_other),
        cmocka_unit_test(a_bad_record_of_a_maui_trace_costs_no_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
