/* SPDX-License-Identifier: Apache-2.0
 * What squeue is told of jobs that wait: written where it is not the user's, once, and
 * without taking our begin time for the user's. */
#include "fake_scontrol.h"
#include "rm/wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* after those it needs */
#include <cmocka.h>

#define PART "PartitionName=all DefaultTime=02:00:00 MaxTime=UNLIMITED State=UP\n"
#define WAITS                                                                          \
    " JobName=x UserId=root(0) GroupId=root(0) Priority=0 JobState=PENDING "           \
    "Reason=None"                                                                      \
    " TimeLimit=01:00:00 SubmitTime=~5 Partition=all NumNodes=1 NumCPUs=2 NumTasks=2 " \
    "CPUs/Task=1"

static struct strbuf told;

static void tell(const struct rm_report *r)
{
    char *line = wire_report(r);

    strbuf_add(&told, line);
    free(line);
}

/* The adapter looks at such a listing; what it runs. */
static const char *look_at(struct adapter *a, const char *jobs)
{
    char text[4000];

    snprintf(text, sizeof text, PART "%s", jobs);
    told.len = fake_scontrol()->ran.len = 0;
    strbuf_add(&told, "");
    strbuf_add(&fake_scontrol()->ran, "");
    fake_scontrol()->text = text;
    fake_scontrol()->tell = tell;
    fake_scontrol_look(a);
    return fake_scontrol()->ran.text;
}

static void note(struct adapter *a, const char *job, const char *text, int64_t start_at)
{
    adapter_take_note(a, &(struct rm_note){job, text, start_at});
}

static int begin(void **state)
{
    static struct adapter a;

    a = (struct adapter){.connected = true, .facts.memory = true};
    adapter_open_notes(&a, NULL);
    *fake_scontrol() = (struct fake_scontrol){0};
    *state = &a;
    return 0;
}

static int end(void **state)
{
    fake_scontrol_end(*state);
    free(told.text);
    told = (struct strbuf){0};
    return 0;
}

#define IS_NEW                                                                         \
    " JobName=x UserId=root(0) GroupId=root(0) Priority=4 JobState=PENDING "           \
    "Reason=BeginTime TimeLimit=01:00:00 SubmitTime=~5 EligibleTime=~%lld "            \
    "Partition=all NumNodes=1 NumCPUs=2 NumTasks=2 CPUs/Task=1%s "                     \
    "AdminComment=maui: is new #%lld\n"

/* What the adapter makes of a job that the gate has just let in. */
static const char *look_at_new(struct adapter *a, const char *more)
{
    long long at = (long long)time(NULL) + 60;
    char text[800];

    snprintf(text, sizeof text, "JobId=7" IS_NEW, at, more, at);
    return look_at(a, text);
}

/* Its begin time keeps it until it is held: in the end it goes. */
static void a_new_job_is_taken_by_its_hold_and_then_loses_the_gates_begin_time(
    void **state)
{
    look_at_new(*state, "");
    assert_string_equal(fake_scontrol()->ordered.text,
        "update jobid=7 reqnodelist= admincomment=maui:keep;new\n"
        "uhold 7\n"
        "update jobid=7 reqnodelist= admincomment=maui:kept starttime=now\n");
    assert_null(strstr(told.text, "Hold"));
    assert_non_null(strstr(told.text, "\"id\":\"7\""));
    assert_null(strstr(told.text, "release_at"));
}

static void a_job_that_depends_on_others_is_left_to_slurm_to_judge(void **state)
{
    const char *ran = look_at_new(*state, " Dependency=afterok:5(unfulfilled)");
    char text[800];

    assert_non_null(strstr(ran, "#4000000000|starttime=2096-10-02T"));
    assert_null(strstr(fake_scontrol()->ordered.text, "hold"));
    snprintf(text, sizeof text, "JobId=7" IS_NEW, 4000000000LL,
        " Dependency=afterok:5(unfulfilled)", 4000000000LL);
    assert_string_equal(look_at(*state, text), ""); /* so it stays, ... */
    snprintf(text, sizeof text, "JobId=7" IS_NEW, 4000000000LL, "", 4000000000LL);
    look_at(*state, text); /* ... until it is */
    assert_non_null(strstr(fake_scontrol()->ordered.text, "uhold 7\n"));
}

static void a_note_is_written_once(void **state)
{
    look_at(*state, "JobId=7" WAITS " AdminComment=maui:kept\n");
    note(*state, "7", "waits for 2 processors", 0);
    assert_string_equal(look_at(*state, "JobId=7" WAITS " AdminComment=maui:kept\n"),
        "scontrol|update|jobid=7|admincomment=maui: waits for 2 processors\n");
    assert_string_equal(
        look_at(*state, "JobId=7" WAITS " AdminComment=maui: waits for 2 processors\n"),
        "");
}

static void a_note_is_what_scontrol_can_print(void **state)
{
    look_at(*state, "JobId=7" WAITS " AdminComment=maui:kept\n");
    note(*state, "7", "Slurm's limit GrpTRES=cpu of \"x'", 0);
    assert_string_equal(look_at(*state, "JobId=7" WAITS " AdminComment=maui:kept\n"),
        "scontrol|update|jobid=7|admincomment=maui: Slurm limit GrpTRES cpu of  x \n");
}

static void what_a_start_or_an_administrator_left_there_stays(void **state)
{
    static const char *const comments[] = {"maui:asked;count=1-0", "go", "maui:keep"};
    /* the gate is asked behind it; where nobody answers it is put back, and for a while
     * not asked again */
    static const char remark[] =
        "JobId=7" WAITS " AdminComment=the boss asked for it\n",
                      asked[] = "scontrol|update|jobid=7|"
                                "admincomment=the boss asked for it maui:mark\n"
                                "scontrol|update|jobid=7|"
                                "admincomment=the boss asked for it\n";
    char text[400];

    look_at(*state, "JobId=7" WAITS " AdminComment=maui:kept\n");
    note(*state, "7", "waits for 2 processors", 0);
    for (size_t i = 0; i < sizeof comments / sizeof comments[0]; i++) {
        snprintf(text, sizeof text, "JobId=7" WAITS " AdminComment=%s\n", comments[i]);
        assert_string_equal(look_at(*state, text), "");
    }
    assert_string_equal(look_at(*state, remark), asked);
    assert_string_equal(look_at(*state, remark), "");
}

static void an_expected_start_is_a_begin_time_that_is_not_the_owners(void **state)
{
    int64_t at = time(NULL) + 7200;
    char text[600];
    const char *ran;

    look_at(*state, "JobId=7" WAITS " AdminComment=maui:kept\n");
    note(*state, "7", "waits", at);
    ran = look_at(*state, "JobId=7" WAITS " AdminComment=maui:kept\n");
    snprintf(
        text, sizeof text, "admincomment=maui: waits #%lld|starttime=2", (long long)at);
    assert_non_null(strstr(ran, text));
    snprintf(text, sizeof text,
        "JobId=7" WAITS " EligibleTime=~%lld AdminComment=maui: waits #%lld\n",
        (long long)at, (long long)at);
    assert_string_equal(look_at(*state, text), "");
    assert_null(strstr(told.text, "release_at"));
    assert_string_equal(told.text, ""); /* it is as it was */
}

static void a_begin_time_of_the_owner_is_told_and_left_alone(void **state)
{
    int64_t at = time(NULL) + 7200;
    char text[600];

    snprintf(text, sizeof text,
        "JobId=7" WAITS " EligibleTime=~%lld AdminComment=maui: waits #%lld\n",
        (long long)at, (long long)at - 60);
    look_at(*state, text);
    assert_non_null(strstr(told.text, "release_at"));
    note(*state, "7", "waits", at + 600);
    assert_string_equal(
        look_at(*state, text), "scontrol|update|jobid=7|admincomment=maui: waits\n");
}

static void a_start_that_is_not_expected_any_more_is_taken_away(void **state)
{
    int64_t at = time(NULL) + 7200;
    char text[600];

    snprintf(text, sizeof text,
        "JobId=7" WAITS " EligibleTime=~%lld AdminComment=maui: waits #%lld\n",
        (long long)at, (long long)at);
    look_at(*state, text);
    note(*state, "7", "is deferred", 0);
    assert_string_equal(look_at(*state, text),
        "scontrol|update|jobid=7|admincomment=maui: is deferred|starttime=now\n");
}

static void an_array_is_written_to_as_one_record(void **state)
{
    static const char array[] =
        "JobId=9 ArrayJobId=9 ArrayTaskId=3-6" WAITS " AdminComment=maui:kept\n";

    look_at(*state, array);
    for (int i = 3; i <= 6; i++) {
        char id[8], text[20];
        snprintf(id, sizeof id, "9_%d", i);
        snprintf(text, sizeof text, "task %d waits", i);
        note(*state, id, text, 0);
    }
    assert_string_equal(look_at(*state, array),
        "scontrol|update|jobid=9|admincomment=maui: task 3 waits\n");
}

static void the_first_to_start_are_written_first_and_no_more_than_the_rate(void **state)
{
    struct adapter *a = *state;
    struct strbuf jobs = {0};
    int lines = 0;
    char id[8];

    for (int i = 1; i <= 9; i++)
        strbuf_printf(&jobs, "JobId=%d" WAITS " AdminComment=maui:kept\n", i);
    adapter_open_notes(a, "2"); /* in 2.5 s: 5 */
    look_at(a, jobs.text);
    for (int i = 1; i <= 9; i++) {
        snprintf(id, sizeof id, "%d", i);
        note(a, id, "waits", i == 1 ? 0 : time(NULL) + 1000 - i * 10);
    }
    const char *ran = look_at(a, jobs.text);
    assert_non_null(strstr(ran, "jobid=9|"));
    assert_non_null(strstr(ran, "jobid=5|"));
    assert_null(strstr(ran, "jobid=1|"));
    for (const char *p = ran; (p = strchr(p, '\n')) != NULL; p++)
        lines++;
    assert_int_equal(lines, 5);
    assert_true(a->notes_due);
    free(jobs.text);
}

static void texts_do_not_look_like_fields(void **state)
{
    look_at(*state, "JobId=7" WAITS " AdminComment=maui:kept\n");
    note(*state, "7", "user a=b\n'waits'", 0);
    assert_string_equal(look_at(*state, "JobId=7" WAITS " AdminComment=maui:kept\n"),
        "scontrol|update|jobid=7|admincomment=maui: user a b  waits \n");
}

static void none_are_written_where_notes_are_off(void **state)
{
    adapter_open_notes(*state, "0");
    look_at(*state, "JobId=7" WAITS " AdminComment=maui:kept\n");
    note(*state, "7", "waits", 0);
    assert_string_equal(
        look_at(*state, "JobId=7" WAITS " AdminComment=maui:kept\n"), "");
}

static void a_note_crosses_the_wire(void **state)
{
    char *line = wire_note(&(struct rm_note){"7_1", "waits for 2 processors", 12345});
    struct reader r;
    struct err err = {0};
    struct rm_note n;

    (void)state;
    assert_int_equal(reader_open(&r, "line", line, strlen(line), &err), 0);
    wire_read_note(&r, json_object_get(r.document, "note"), &n);
    assert_false(r.failed);
    assert_string_equal(n.job, "7_1");
    assert_string_equal(n.text, "waits for 2 processors");
    assert_int_equal(n.start_at, 12345);
    reader_close(&r);
    free(line);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_new_job_is_taken_by_its_hold_and_then_loses_the_gates_begin_time),
        TEST(a_job_that_depends_on_others_is_left_to_slurm_to_judge),
        TEST(a_note_is_written_once),
        TEST(a_note_is_what_scontrol_can_print),
        TEST(what_a_start_or_an_administrator_left_there_stays),
        TEST(an_expected_start_is_a_begin_time_that_is_not_the_owners),
        TEST(a_begin_time_of_the_owner_is_told_and_left_alone),
        TEST(a_start_that_is_not_expected_any_more_is_taken_away),
        TEST(an_array_is_written_to_as_one_record),
        TEST(the_first_to_start_are_written_first_and_no_more_than_the_rate),
        TEST(texts_do_not_look_like_fields),
        TEST(none_are_written_where_notes_are_off),
        TEST(a_note_crosses_the_wire),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
