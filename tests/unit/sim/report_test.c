/* SPDX-License-Identifier: Apache-2.0
 * What a replay leaves behind. */
#include "kit.h"
#include "sim/report.h"

#include <stdlib.h>

#define TRACE                                                                          \
    "10 0 -1 50 3 -1 -1 3 60 -1 1 7 1 -1 1 -1 -1 -1\n"                                 \
    "9 10 -1 20 4 -1 -1 4 20 -1 1 -1 1 -1 1 -1 -1 -1\n"                                \
    "11 15 -1 5 9 -1 -1 9 9 -1 1 7 1 -1 1 -1 -1 -1\n"                                  \
    "12 16 -1 5 4 -1 -1 4 9 -1 1 7 1 -1 1 -1 -1 -1\n"                                  \
    "100 20 -1 5 1 -1 -1 1 9 -1 1 7 1 -1 1 -1 -1 -1\n"

struct fixture {
    struct workload w;
    struct outcome o;
    struct machine m;
    struct study study;
    char *decisions;
    FILE *out;
};

static void record(void *ctx, const struct run_decision *d)
{
    report_decision(ctx, d);
}

static int make(void **state)
{
    static const struct workload_rules rules = {.procs = 1000};
    struct fixture *f = calloc(1, sizeof *f);
    struct settings *cfg = kit_easy();
    struct run_options how = {.until = TIME_NEVER, .decided = record};
    struct heard h;
    struct err err;
    size_t size;

    *state = f;
    kit_read_swf(&f->w, TRACE, &rules, &h);
    f->m = (struct machine){.nodes = 4, .procs_per_node = 1};
    how.ctx = f->out = open_memstream(&f->decisions, &size);
    f->o.config = "dir/site.cfg";
    assert_int_equal(run_replay(&f->w, &f->m, cfg, &how, &f->o.result, &err), 0);
    fclose(f->out);
    outcome_judge(&f->o, &f->w, 4);
    f->study = (struct study){.w = &f->w, .m = &f->m, .source = "x.swf"};
    settings_destroy(cfg);
    return 0;
}

static int unmake(void **state)
{
    struct fixture *f = *state;

    run_result_fini(&f->o.result);
    workload_fini(&f->w);
    free(f->decisions);
    free(f);
    return 0;
}

static void jobs_are_listed_by_id_in_natural_order(void **state)
{
    struct fixture *f = *state;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_int_equal(report_jobs(out, &f->w, &f->o.result), 0);
    fclose(out);
    /* job 11 is too wide and never starts */
    assert_string_equal(text, "job_id\tsubmit\tstart\tend\tprocs\tuser\n"
                              "9\t10\t50\t70\t4\t-\n"
                              "10\t0\t0\t50\t3\tuser7\n"
                              "12\t16\t70\t75\t4\tuser7\n"
                              "100\t20\t20\t25\t1\tuser7\n");
    free(text);
}

/* The decision of that kind about the job, or NULL; owned. */
static json_t *find_decision(const char *lines, const char *kind, const char *job)
{
    char *copy = strdup(lines), *save = NULL;
    json_t *found = NULL;

    for (char *l = strtok_r(copy, "\n", &save); l != NULL && found == NULL;
         l = strtok_r(NULL, "\n", &save)) {
        json_t *o = json_loads(l, 0, NULL);

        assert_non_null(o);
        if (strcmp(json_string_value(json_object_get(o, "event")), kind) == 0
            && strcmp(json_string_value(json_object_get(o, "job")), job) == 0)
            found = o;
        else
            json_decref(o);
    }
    free(copy);
    return found;
}

static void decisions_are_one_json_object_a_line(void **state)
{
    struct fixture *f = *state;
    json_t *d = find_decision(f->decisions, "start", "10"), *node;

    assert_non_null(d);
    assert_int_equal(json_integer_value(json_object_get(d, "time")), 0);
    assert_int_equal(json_integer_value(json_object_get(d, "procs")), 3);
    assert_true(json_is_false(json_object_get(d, "backfill")));
    node = json_array_get(json_object_get(d, "nodes"), 0);
    assert_string_equal(json_string_value(json_object_get(node, "node")), "n1");
    assert_int_equal(json_integer_value(json_object_get(node, "count")), 3);
    assert_int_equal(json_integer_value(json_object_get(node, "tasks")), 1);
    json_decref(d);
    d = find_decision(f->decisions, "reserve", "9");
    assert_non_null(d);
    assert_int_equal(json_integer_value(json_object_get(d, "time")), 10);
    assert_int_equal(json_integer_value(json_object_get(d, "start")), 60);
    json_decref(d);
    d = find_decision(f->decisions, "start", "100");
    assert_true(json_is_true(json_object_get(d, "backfill")));
    json_decref(d);
}

static void the_figures_have_the_promised_keys(void **state)
{
    static const char *const keys[] = {"jobs", "mean_wait_s", "median_wait_s",
        "p95_wait_s", "p99_wait_s", "max_wait_s", "mean_bsld", "p95_bsld",
        "mean_response_s", "utilization", "utilization_window", "makespan_s", "cycles",
        "wall_s", "peak_rss_kb", "area_weighted_wait_s", "quadratic_wait_s"};
    struct fixture *f = *state;
    json_t *o = report_json(&f->study, &f->o);

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (!json_is_number(json_object_get(o, keys[i])))
            fail_msg("no number %s", keys[i]);
    assert_int_equal(json_integer_value(json_object_get(o, "jobs")), 4);
    assert_int_equal(json_integer_value(json_object_get(o, "jobs_waiting")), 1);
    assert_int_equal(json_integer_value(json_object_get(o, "max_wait_s")), 54);
    assert_string_equal(
        json_string_value(json_object_get(o, "config")), "dir/site.cfg");
    json_decref(o);
}

static void the_summary_can_be_read(void **state)
{
    static const char *const expected[] = {"Workload     x.swf", "jobs       5",
        "Machine      4 nodes of 1 processor", "site.cfg", "wait, longest",
        "site.cfg: 1 job waiting at the end", "1 as job 11: ", "start > 1 h later",
        "54 s (1.00)"};
    struct fixture *f = *state;
    struct outcome both[2] = {f->o, f->o};
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    report_summary(out, &f->study, both, 2);
    fclose(out);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        if (strstr(text, expected[i]) == NULL)
            fail_msg("no \"%s\" in:\n%s", expected[i], text);
    free(text);
}

static void later_starts_are_counted(void **state)
{
    struct run_job before[] = {{0, 1, RUN_COMPLETED}, {0, 1, RUN_COMPLETED},
        {0, 1, RUN_COMPLETED}, {-1, -1, RUN_WAITING}};
    struct run_job after[] = {{3600, 1, RUN_COMPLETED}, {3601, 1, RUN_COMPLETED},
        {90000, 1, RUN_COMPLETED}, {90000, 1, RUN_COMPLETED}};
    struct outcome first = {.result = {.jobs = before}};
    struct outcome o = {.result = {.jobs = after}};

    (void)state;
    outcome_compare(&o, &first, 4);
    assert_int_equal(o.later_1h, 2);
    assert_int_equal(o.later_1day, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            jobs_are_listed_by_id_in_natural_order, make, unmake),
        cmocka_unit_test_setup_teardown(
            decisions_are_one_json_object_a_line, make, unmake),
        cmocka_unit_test_setup_teardown(
            the_figures_have_the_promised_keys, make, unmake),
        cmocka_unit_test_setup_teardown(the_summary_can_be_read, make, unmake),
        cmocka_unit_test(later_starts_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
