/* SPDX-License-Identifier: Apache-2.0
 * Starts that a slurmctld has forgotten, as scontrol tells of it. */
#include "fake_scontrol.h"
#include "rm/slurm/looks.h"
#include "rm/wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* after those it needs */
#include <cmocka.h>

#define PART "PartitionName=all DefaultTime=02:00:00 MaxTime=UNLIMITED State=UP\n"
#define AT   " SubmitTime=~5"
#define USER " UserId=root(0) GroupId=root(0) Priority=0"
#define QUEUED                                                                         \
    USER " JobState=PENDING Reason=None TimeLimit=01:00:00" AT " Partition=all"
#define RUNS USER " JobState=RUNNING Reason=None TimeLimit=01:00:00" AT " Partition=all"
#define SIZE " NumNodes=1 NumCPUs=2 NumTasks=2 CPUs/Task=1"

static struct strbuf told;

static void tell(const struct rm_report *r)
{
    char *line = wire_report(r);

    strbuf_add(&told, line);
    free(line);
}

/* All that is told of such a listing, as lines of JSON. */
static const char *look_at(struct adapter *a, const char *text)
{
    told.len = 0;
    strbuf_add(&told, "");
    fake_scontrol()->text = text;
    fake_scontrol()->tell = tell;
    fake_scontrol_look(a);
    return told.text;
}

static int begin(void **state)
{
    static struct adapter a;

    a = (struct adapter){.connected = true, .facts.memory = true};
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

static void assert_told(const char *all, const char *part)
{
    if (strstr(all, part) == NULL)
        fail_msg("not told: %s\nbut: %s", part, all);
}

static void assert_not_told(const char *all, const char *part)
{
    if (strstr(all, part) != NULL)
        fail_msg("told: %s\nin: %s", part, all);
}

/* As slurmctld says that it came up then, with those jobs. */
static const char *look_after_boot(struct adapter *a, time_t boot, const char *jobs)
{
    char text[2000];

    snprintf(text, sizeof text,
        "BOOT_TIME = ~%lld\nPriorityType = x\nSelectType = x\n" PART "%s",
        (long long)boot, jobs);
    return look_at(a, text);
}

#define FORGOTTEN "JobId=3 JobName=x" QUEUED SIZE " AdminComment=maui:kept\n"
#define SENT      "JobId=3 JobName=x" RUNS SIZE " NodeList=n[1-2]\n"

/* Its nodes may have it running yet, or refuse its number. */
static void a_job_whose_start_was_forgotten_rests_and_goes_elsewhere(void **state)
{
    look_after_boot(*state, time(NULL) - 1000, SENT);
    look_after_boot(*state, time(NULL), FORGOTTEN);
    assert_told(told.text, "\"exclude\":[\"n1\",\"n2\"]");
    assert_told(told.text, "\"release_at\":");
    assert_told(told.text, "has forgotten that it was started");
    look_after_boot(*state, time(NULL) - 40, FORGOTTEN);
    assert_not_told(told.text, "exclude");
}

static void a_job_that_was_put_back_does_not_rest(void **state)
{
    look_after_boot(*state, time(NULL) - 1000, SENT);
    look_after_boot(*state, time(NULL),
        "JobId=3 JobName=x" QUEUED SIZE " Restarts=1 AdminComment=maui:kept\n");
    assert_told(told.text, "\"id\":\"3\"");
    assert_not_told(told.text, "exclude");
    assert_not_told(told.text, "release_at");
}

#define REFUSED(n)                                                                     \
    "JobId=3 JobName=x" USER " JobState=PENDING TimeLimit=01:00:00" AT                 \
    " Reason=launch_failed_requeued_held Restarts=" #n " Partition=all" SIZE           \
    " AdminComment=maui:kept\n"

/* By a node that has what slurmctld forgot: of the same again in that life of it, or
 * long after it came up, the reason is another. */
static void a_launch_that_is_refused_after_a_restart_is_no_hold(void **state)
{
    const time_t boot = time(NULL) - 20;
    struct strbuf *ordered = &fake_scontrol()->ordered;

    look_after_boot(*state, boot, REFUSED(1));
    assert_not_told(told.text, "\"state\":\"hold\"");
    assert_told(ordered->text, "maui:kept;restart=1");
    look_after_boot(*state, boot, REFUSED(2));
    assert_told(told.text, "\"state\":\"hold\"");
    assert_told(ordered->text, "maui:held;restart=2");
    jobs_forget(*state);
    look_after_boot(*state, time(NULL) - 1000, REFUSED(3));
    assert_told(ordered->text, "maui:held;restart=3");
}

/* How often one look at these jobs asks when slurmctld came up. */
static int count_asked(struct adapter *a, const char *text)
{
    fake_scontrol()->text = text;
    told.len = 0;
    strbuf_add(&told, "");
    fake_scontrol()->configs = 0;
    looks_poll(a);
    return fake_scontrol()->configs;
}

#define OTHER "JobId=4 JobName=y" QUEUED SIZE " AdminComment=maui:kept\n"

/* It tells its jobs, and not when it came up: each such question may take 10 s. */
static void when_slurmctld_came_up_is_asked_once_in_a_look_until_it_answers(
    void **state)
{
    struct adapter *a = *state;
    char text[2000];

    look_at(a, PART SENT "JobId=4 JobName=y" RUNS SIZE " NodeList=n[1-2]\n");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(count_asked(a, PART FORGOTTEN OTHER), 1);
        assert_not_told(told.text, "exclude");
        assert_string_equal(jobs_find(a, "3")->ran_on, "n[1-2]");
        assert_int_equal(a->jobs_at, 0);
    }
    snprintf(text, sizeof text,
        "BOOT_TIME = ~%lld\nPriorityType = x\nSelectType = x\n" PART FORGOTTEN OTHER,
        (long long)time(NULL));
    assert_int_equal(count_asked(a, text), 1);
    assert_told(told.text, "\"id\":\"3\"");
    assert_told(told.text, "\"id\":\"4\"");
    assert_told(told.text, "\"exclude\":[\"n1\",\"n2\"]");
}

/* Neither marked as held nor taken back without: it stands as Slurm has it. */
static void whether_a_refused_launch_is_a_hold_waits_for_slurmctlds_answer(void **state)
{
    struct strbuf *ordered = &fake_scontrol()->ordered;
    struct adapter *a = *state;

    strbuf_add(ordered, "");
    look_after_boot(a, time(NULL) - 1000, SENT);
    for (int i = 0; i < 2; i++) {
        look_at(a, PART REFUSED(1));
        if (i == 0)
            assert_told(told.text, "\"state\":\"hold\"");
        assert_string_equal(ordered->text, "");
        assert_true(jobs_find(a, "3")->held);
        assert_string_equal(jobs_find(a, "3")->ran_on, "n[1-2]");
    }
    look_after_boot(a, time(NULL) - 5, REFUSED(1));
    assert_not_told(told.text, "\"state\":\"hold\"");
    assert_told(told.text, "\"exclude\":[\"n1\",\"n2\"]");
    assert_told(ordered->text, "maui:kept;restart=1");
    assert_not_told(ordered->text, "maui:held");
    look_at(a, PART REFUSED(2));
    look_after_boot(a, time(NULL) - 1000, REFUSED(2));
    assert_told(ordered->text, "maui:held;restart=2");
}

/* And who releases it meanwhile has it released. */
static void a_hold_that_is_not_marked_yet_is_released(void **state)
{
    look_at(*state, PART REFUSED(1));
    orders_command(
        *state, &(struct rm_command){.action = RM_RELEASE, .token = 1, .job = "3"});
    assert_told(fake_scontrol()->ordered.text, "maui:kept;restart=1");
    assert_not_told(fake_scontrol()->ordered.text, "maui:held");
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(a_job_whose_start_was_forgotten_rests_and_goes_elsewhere),
        TEST(a_job_that_was_put_back_does_not_rest),
        TEST(a_launch_that_is_refused_after_a_restart_is_no_hold),
        TEST(when_slurmctld_came_up_is_asked_once_in_a_look_until_it_answers),
        TEST(whether_a_refused_launch_is_a_hold_waits_for_slurmctlds_answer),
        TEST(a_hold_that_is_not_marked_yet_is_released),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
