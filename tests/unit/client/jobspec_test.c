/* SPDX-License-Identifier: Apache-2.0
 * What msub asks for. The clock shows Wednesday 2024-01-10 12:00:00. */
#include "base/zone.h"
#include "client/jobs/jobspec.h"
#include "cmocka_all.h"

#include <string.h>

#define NOON INT64_C(1704888000)
#define H    INT64_C(3600)

static int instant(void *ctx, const struct civil *when, int64_t *ret_at)
{
    (void)ctx;
    *ret_at = zone_day_number(when->year, when->month, when->day) * 24 * H
              + when->hour * H + when->minute * 60 + when->second;
    return 0;
}

static const struct calendar calendar = {
    .now = NOON, .today = {2024, 1, 10, 12, 0, 0}, .to_instant = instant};
static const char *const variables[] = {"HOME=/home/mira", "LANG=C", NULL};

/* Options as "-l nodes=2", "-h", after the directives of the script; NULL ends. */
static json_t *request(
    struct jobspec *s, const char *script, const char *const *line, struct err *err)
{
    jobspec_init(s, &calendar, variables);
    if (script && jobspec_script(s, script, NULL, err) < 0)
        return NULL;
    for (; *line; line++)
        if (jobspec_option(s, (*line)[1], (*line)[2] ? *line + 3 : NULL, err) < 0)
            return NULL;
    return jobspec_take(s, err);
}

#define LINE(...)                                                                      \
    (const char *const[])                                                              \
    {                                                                                  \
        __VA_ARGS__, NULL                                                              \
    }

/* The whole request is this JSON. */
static void assert_asks(const char *script, const char *const *line, const char *json)
{
    struct jobspec s;
    struct err err = {0};
    json_t *o = request(&s, script, line, &err), *want = json_loads(json, 0, NULL);

    if (!o)
        fail_msg("%s", err.text);
    assert_non_null(want);
    if (!json_equal(o, want))
        fail_msg("asked: %s", json_dumps(o, JSON_COMPACT));
    json_decref(o);
    json_decref(want);
    jobspec_fini(&s);
}

static void assert_refused(
    const char *script, const char *const *line, const char *words)
{
    struct jobspec s;
    struct err err = {0};
    json_t *o = request(&s, script, line, &err);

    if (o)
        fail_msg("taken: %s", json_dumps(o, JSON_COMPACT));
    if (!strstr(err.text, words))
        fail_msg("%s", err.text);
    jobspec_fini(&s);
}

#define ONE "\"requests\":[{\"tasks\":1,\"per_task\":{\"procs\":1}}]"

static void an_empty_line_asks_for_one_processor(void **state)
{
    (void)state;
    assert_asks(NULL, LINE("-z"), "{" ONE "}");
}

static void nodes_and_ppn_are_tasks_on_nodes(void **state)
{
    (void)state;
    assert_asks(NULL, LINE("-l nodes=2:ppn=4:fast"),
        "{\"requests\":[{\"tasks\":8,\"nodes\":2,\"tasks_per_node\":4,"
        "\"features\":[\"fast\"],\"per_task\":{\"procs\":1}}]}");
    assert_asks(NULL, LINE("-l nodes=n07:ppn=2+3:big"),
        "{\"requests\":["
        "{\"hosts\":[\"n07\"],\"tasks\":2,\"nodes\":1,\"tasks_per_node\":2,"
        "\"per_task\":{\"procs\":1}},"
        "{\"features\":[\"big\"],\"tasks\":3,\"nodes\":3,\"tasks_per_node\":1,"
        "\"per_task\":{\"procs\":1}}]}");
}

static void memory_of_the_job_is_shared_out_to_its_tasks(void **state)
{
    (void)state;
    assert_asks(NULL, LINE("-l procs=3,mem=1gb"),
        "{\"requests\":[{\"tasks\":3,\"per_task\":{\"procs\":1,\"mem_mb\":342}}]}");
    assert_asks(NULL, LINE("-l procs=3,pmem=512mb,vmem=3gb"),
        "{\"requests\":[{\"tasks\":3,\"per_task\":{\"procs\":1,\"mem_mb\":512,"
        "\"swap_mb\":1024}}]}");
}

static void the_line_wins_over_the_script(void **state)
{
    static const char script[] = "#!/bin/sh\n"
                                 "#PBS -N slow -q batch\n"
                                 "#PBS -l nodes=4:ppn=8,walltime=10:00:00,mem=1gb\n"
                                 "echo\n";

    (void)state;
    assert_asks(script, LINE("-l procs=2", "-N fast"),
        "{\"name\":\"fast\",\"class\":\"batch\",\"wclimit_s\":36000,"
        "\"requests\":[{\"tasks\":2,\"per_task\":{\"procs\":1,\"mem_mb\":512}}]}");
}

static void options_of_sbatch_are_understood(void **state)
{
    static const char script[] =
        "#!/bin/bash\n"
        "#SBATCH --job-name=\"two words\" -p batch   # a remark\n"
        "#SBATCH --nodes 2 --ntasks-per-node=4\n"
        "#SBATCH --time=1-02 --mem=4G --gres=gpu:a100:4\n"
        "#SBATCH --begin=2024-01-11T06:00 --requeue\n"
        "srun ./a\n";

    (void)state;
    assert_asks(script, LINE("-z"),
        "{\"name\":\"two words\",\"class\":\"batch\",\"wclimit_s\":93600,"
        "\"release_at\":1704952800,\"rerunnable\":true,"
        "\"requests\":[{\"tasks\":8,\"nodes\":2,\"tasks_per_node\":4,"
        "\"per_task\":{\"procs\":1,\"mem_mb\":1024,\"gres\":{\"gpu\":1}}}]}");
}

static void slurm_times_are_minutes_first(void **state)
{
    static const struct {
        const char *text;
        int64_t seconds;
    } times[] = {{"90", 5400}, {"90:30", 5430}, {"1:30:00", 5400}, {"2-12", 216000},
        {"2-12:30", 217800}, {"2-12:30:15", 217815}, {"UNLIMITED", DURATION_UNLIMITED}};
    struct err err;
    int64_t s;

    (void)state;
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        assert_int_equal(jobspec_slurm_time(times[i].text, &s, &err), 0);
        assert_int_equal(s, times[i].seconds);
    }
    assert_int_equal(jobspec_slurm_time("1:2:3:4", &s, &err), -1);
    assert_int_equal(jobspec_slurm_time("", &s, &err), -1);
    assert_int_equal(jobspec_slurm_time("5-", &s, &err), -1);
}

static void dates_are_the_next_such_time(void **state)
{
    static const struct {
        const char *text;
        int64_t at;
    } dates[] = {{"1300", NOON + H}, {"1100", NOON + 23 * H}, {"121200", NOON + 48 * H},
        {"1100.30", NOON + 23 * H + 30}, {"202401111200", NOON + 24 * H},
        {"+2:00:00", NOON + 2 * H}, {"now+2hours", NOON + 2 * H},
        {"2024-01-10T13:00:05", NOON + H + 5}};
    struct jobspec s;
    struct err err;
    int64_t at;

    (void)state;
    jobspec_init(&s, &calendar, NULL);
    for (size_t i = 0; i < sizeof dates / sizeof dates[0]; i++) {
        if (jobspec_instant(&s, dates[i].text, &at, &err) < 0)
            fail_msg("%s", err.text);
        assert_int_equal(at, dates[i].at);
    }
    assert_int_equal(jobspec_instant(&s, "9999", &at, &err), -1);
    jobspec_fini(&s);
}

static void dates_of_slurm_are_digits_alone(void **state)
{
    static const char *const wrong[] = {"2024-13-01", "2024-+1-10", "2024- 1-10",
        "2024-01", "2024-01-10T13", "2024-01-10T13:00:", "2024-01-10T+3:00",
        "2024-01-10T13:00:05x", "2024-001-10"};
    struct jobspec s;
    struct err err;
    int64_t at;

    (void)state;
    jobspec_init(&s, &calendar, NULL);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        if (jobspec_instant(&s, wrong[i], &at, &err) == 0)
            fail_msg("%s was taken", wrong[i]);
        assert_non_null(strstr(err.text, wrong[i]));
    }
    jobspec_fini(&s);
}

static void extension_attributes_are_resources_by_other_means(void **state)
{
    (void)state;
    assert_asks(NULL,
        LINE("-W x=QOS:high;ADVRES:system.1;DMEM:512;TPN:2;NODESET:ONEOF:FEATURE:a,b;"
             "FLAGS:RESTARTABLE,NOQUEUE;PARTITION:left:right;GRES:tape:2",
            "-l procs=4"),
        "{\"qos\":\"high\",\"reservation\":\"system.1\","
        "\"flags\":[\"NOQUEUE\",\"RESTARTABLE\"],"
        "\"partitions\":[\"left\",\"right\"],"
        "\"requests\":[{\"tasks\":4,\"tasks_per_node\":2,"
        "\"node_set\":\"ONEOF:FEATURE:a,b\","
        "\"per_task\":{\"procs\":1,\"mem_mb\":512,\"gres\":{\"tape\":2}}}]}");
}

static void commas_within_a_value_belong_to_it(void **state)
{
    (void)state;
    assert_asks(NULL, LINE("-l hostlist=n1,n2,procs=2"),
        "{\"requests\":[{\"tasks\":2,\"hosts\":[\"n1\",\"n2\"],"
        "\"per_task\":{\"procs\":1}}]}");
}

static void dependencies_are_listed_one_by_one(void **state)
{
    (void)state;
    assert_asks(NULL, LINE("-W depend=afterok:12:13@head,after:14"),
        "{\"dependencies\":[\"afterok:12\",\"afterok:13\",\"after:14\"]," ONE "}");
    assert_refused(NULL, LINE("-W depend=beforeok:12"), "later job depend");
    assert_refused(NULL, LINE("-W depend=afterko:12"), "did you mean 'afterok'");
    assert_refused(NULL, LINE("-W depend=afterok"), "expected TYPE:JOB");
}

static void variables_come_from_the_line_and_the_environment(void **state)
{
    (void)state;
    assert_asks(NULL, LINE("-v A='x,y',LANG"),
        "{\"environment\":[\"A=x,y\",\"LANG=C\"]," ONE "}");
    assert_asks(NULL, LINE("-V", "-v HOME=/tmp"),
        "{\"environment\":[\"HOME=/home/mira\",\"LANG=C\",\"HOME=/tmp\"]," ONE "}");
}

static void a_named_variable_needs_no_others(void **state)
{
    static const char *const none[] = {NULL};
    struct jobspec s;
    struct err err;

    (void)state;
    jobspec_init(&s, &calendar, none);
    assert_int_equal(jobspec_option(&s, 'V', NULL, &err), 0);
    assert_int_equal(jobspec_option(&s, 'v', "A=1", &err), 0);
    json_t *o = jobspec_take(&s, &err), *list = json_object_get(o, "environment");
    assert_int_equal(json_array_size(list), 1);
    assert_string_equal(json_string_value(json_array_get(list, 0)), "A=1");
    json_decref(o);
    jobspec_fini(&s);
}

static void stdout_goes_where_stderr_goes_when_joined_so(void **state)
{
    (void)state;
    assert_asks(NULL, LINE("-j eo", "-e login:/tmp/all"),
        "{\"error\":\"/tmp/all\",\"output\":\"/tmp/all\",\"join\":true," ONE "}");
}

static void errors_name_the_line_and_the_nearest_name(void **state)
{
    (void)state;
    assert_refused("#!/bin/sh\n\n#PBS -l waltime=10\n", LINE("-z"),
        "line 3: -l: resource 'waltime'");
    assert_refused("#PBS -l waltime=10\n", LINE("-z"), "did you mean 'walltime'");
    assert_refused("#SBATCH --tim=10\n", LINE("-z"), "did you mean --time");
    assert_refused("#PBS -y\n", LINE("-z"), "option -y is not known");
    assert_refused("#PBS -N\n", LINE("-z"), "a value is needed");
    assert_refused("#PBS stray\n", LINE("-z"), "'stray' is not an option");
    assert_refused(NULL, LINE("-l walltime"), "is no NAME=VALUE");
    assert_refused(NULL, LINE("-l nodes=2,procs=3"), "cannot be combined with it");
    assert_refused(NULL, LINE("-l nodes=2:cores=3"), "only ppn=N and features");
    assert_refused(NULL, LINE("-l procs=0"), "procs");
    assert_refused(NULL, LINE("-t 5-1"), "does not rise");
    assert_refused(NULL, LINE("-l naccesspolicy=MINE"), "SINGLEUSER");
    assert_refused(NULL, LINE("-W stagein=a"), "not one of depend");
    assert_refused(NULL, LINE("-l trl=2:4"), "not supported");
    assert_refused("#SBATCH -n 8 --mem=1G\n", LINE("-z"), "--ntasks-per-node");
}

static void what_has_no_effect_is_told(void **state)
{
    struct jobspec s;
    struct err err;

    (void)state;
    jobspec_init(&s, &calendar, variables);
    assert_int_equal(
        jobspec_script(&s,
            "#SBATCH --mail-type=TIME_LIMIT\n#PBS -l cput=10\ndate\n#PBS -N late\n",
            NULL, &err),
        0);
    assert_non_null(strstr(s.warnings.text, "--mail-type=TIME_LIMIT has no effect"));
    assert_non_null(strstr(s.warnings.text, "processor time"));
    assert_non_null(strstr(s.warnings.text, "line 4: a directive behind"));
    assert_null(json_object_get(s.o, "name"));
    jobspec_fini(&s);
}

/* The mail members a script comes to, as "ADDRESSES WHEN". */
static void check_mail(const char *script, const char *expected)
{
    struct jobspec s;
    struct err err;
    char text[200];

    jobspec_init(&s, &calendar, variables);
    if (jobspec_script(&s, script, NULL, &err) < 0) {
        snprintf(text, sizeof text, "%s", err.text);
    } else {
        const char *to = json_string_value(json_object_get(s.o, "mail"));
        const char *when = json_string_value(json_object_get(s.o, "mail_when"));
        snprintf(text, sizeof text, "%s %s", to ? to : "-", when ? when : "-");
    }
    if (!strstr(text, expected))
        fail_msg("%s: expected '%s', got '%s'", script, expected, text);
    jobspec_fini(&s);
}

static void mail_is_asked_for_as_pbs_and_slurm_do(void **state)
{
    (void)state;
    check_mail("#PBS -m abe -M me@site\n", "me@site abe");
    check_mail("#PBS -M me@site,you\n", "me@site,you a");
    check_mail("#PBS -M me@site -m n\n", "me@site n");
    check_mail("#PBS -m e\n", "- e");
    check_mail("#SBATCH --mail-type=END,FAIL --mail-user=me\n", "me ae");
    check_mail("#SBATCH --mail-type=ALL\n", "- abe");
    check_mail("#SBATCH --mail-type=fail\n", "- af");
    check_mail("#SBATCH --mail-type=NONE\n", "- n");
    check_mail("#SBATCH --mail-user=me\n", "me -");
    check_mail("#SBATCH --mail-type=BEGINN\n", "did you mean BEGIN?");
    check_mail("#PBS -m x\n", "expected letters");
    check_mail("#PBS -M me,-oQ\n", "begins with a hyphen");
}

static void a_prefix_of_ones_own_replaces_all_others(void **state)
{
    struct jobspec s;
    struct err err;

    (void)state;
    jobspec_init(&s, &calendar, variables);
    assert_int_equal(jobspec_script(&s, "#PBS -N no\n#X -N yes\n", "#X", &err), 0);
    assert_string_equal(json_string_value(json_object_get(s.o, "name")), "yes");
    jobspec_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_line_asks_for_one_processor),
        cmocka_unit_test(nodes_and_ppn_are_tasks_on_nodes),
        cmocka_unit_test(memory_of_the_job_is_shared_out_to_its_tasks),
        cmocka_unit_test(the_line_wins_over_the_script),
        cmocka_unit_test(options_of_sbatch_are_understood),
        cmocka_unit_test(slurm_times_are_minutes_first),
        cmocka_unit_test(dates_are_the_next_such_time),
        cmocka_unit_test(dates_of_slurm_are_digits_alone),
        cmocka_unit_test(extension_attributes_are_resources_by_other_means),
        cmocka_unit_test(commas_within_a_value_belong_to_it),
        cmocka_unit_test(dependencies_are_listed_one_by_one),
        cmocka_unit_test(variables_come_from_the_line_and_the_environment),
        cmocka_unit_test(a_named_variable_needs_no_others),
        cmocka_unit_test(stdout_goes_where_stderr_goes_when_joined_so),
        cmocka_unit_test(errors_name_the_line_and_the_nearest_name),
        cmocka_unit_test(what_has_no_effect_is_told),
        cmocka_unit_test(mail_is_asked_for_as_pbs_and_slurm_do),
        cmocka_unit_test(a_prefix_of_ones_own_replaces_all_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
