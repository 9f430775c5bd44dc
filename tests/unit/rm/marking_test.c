/* SPDX-License-Identifier: Apache-2.0
 * Marks that the gate has left in files: each gets into its record, or is known to be
 * of none, however long nobody looked, and whatever slurmctld has for a gate. */
#include "fake_scontrol.h"
#include "rm/slurm/marking.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
/* after those it needs */
#include <cmocka.h>

#define JOB(number, state, comment)                                                    \
    "JobId=" number                                                                    \
    " JobName=x UserId=root(0) GroupId=root(0) Priority=0 JobState=" state             \
    " Reason=None TimeLimit=01:00:00 SubmitTime=~5 Partition=all NumNodes=1 "          \
    "AdminComment=" comment "\n"
#define SETS(number)  "update jobid=" number " admincomment=maui:mark;set\n"
#define TWICE(number) SETS(number) SETS(number)

struct room {
    char home[40], folder[80];
    struct adapter a;
    struct marking *marks;
};

/* For the gate, which has no other way to know where it is. */
static struct room *the_room(void)
{
    static struct room r;

    return &r;
}

static void ignore(const struct rm_report *r)
{
    (void)r;
}

static char *file_of(const char *number)
{
    static char path[120];

    snprintf(path, sizeof path, "%s/%s", the_room()->folder, number);
    return path;
}

/* Made by the gate a day ago. */
static void leave_mark(const char *number)
{
    const struct timespec day_ago[2] = {
        {.tv_sec = time(NULL) - 86400}, {.tv_sec = time(NULL) - 86400}};
    int fd = open(file_of(number), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(futimens(fd, day_ago), 0);
    close(fd);
}

/* Over it, by another name, as the gate does. */
static void leave_new_mark(const char *number)
{
    char path[120];

    snprintf(path, sizeof path, "%s", file_of(number));
    leave_mark("8");
    assert_int_equal(rename(file_of("8"), path), 0);
}

static bool is_left(const char *number)
{
    return access(file_of(number), F_OK) == 0;
}

static void take_mark(const char *command)
{
    char number[20];

    if (sscanf(command, "update jobid=%19[0-9] admincomment=maui:mark;set", number) == 1
        && !fake_scontrol()->refuses)
        unlink(file_of(number));
}

static enum marking_left settle_for(const char *answer, int64_t most_ms)
{
    fake_scontrol()->text = answer;
    fake_scontrol()->ordered.len = 0;
    strbuf_add(&fake_scontrol()->ordered, "");
    return marking_settle(the_room()->marks, &the_room()->a, most_ms);
}

static enum marking_left settle(const char *answer)
{
    return settle_for(answer, INT64_MAX);
}

static int begin(void **state)
{
    struct room *r = the_room();

    *r = (struct room){.home = "/tmp/maui-marking-XXXXXX"};
    if (mkdtemp(r->home) == NULL)
        return -1;
    snprintf(r->folder, sizeof r->folder, "%s/slurm.marking", r->home);
    r->marks = marking_new(r->home);
    r->a.connected = true;
    *fake_scontrol() = (struct fake_scontrol){.tell = ignore, .hears = take_mark};
    *state = r;
    return marking_make(r->marks, geteuid());
}

static int end(void **state)
{
    struct room *r = *state;
    const char *const numbers[] = {"7", "8", "coordinators"};

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        unlink(file_of(numbers[i]));
    marking_free(r->marks);
    fake_scontrol_end(&r->a);
    return rmdir(r->folder) == 0 && rmdir(r->home) == 0 ? 0 : -1;
}

static void an_old_mark_that_slurm_refuses_is_asked_for_again(void **state)
{
    (void)state;
    leave_mark("7");
    fake_scontrol()->refuses = true;
    settle(JOB("7", "PENDING", "maui:kept"));
    assert_string_equal(fake_scontrol()->ordered.text, SETS("7"));
    assert_true(is_left("7"));
    fake_scontrol()->refuses = false;
    settle(JOB("7", "PENDING", "maui:kept"));
    assert_string_equal(fake_scontrol()->ordered.text, SETS("7"));
    assert_false(is_left("7"));
}

static void a_mark_of_a_job_that_does_not_wait_is_given_up_unasked(void **state)
{
    static const char *const answers[] = {JOB("7", "COMPLETED", "maui:kept"),
        JOB("7", "RUNNING", "maui:kept"), JOB("6", "PENDING", "maui:kept"),
        "slurm_load_jobs error: Invalid job id specified\n"};

    (void)state;
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        leave_mark("7");
        settle(answers[i]);
        assert_string_equal(fake_scontrol()->ordered.text, "");
        assert_false(is_left("7"));
    }
}

static void hear_nothing(const char *command)
{
    (void)command;
}

/* It is no endless turn, and the other has its turn as well. Of what Slurm does not
 * refuse the second request says whether the record has it. */
static void each_mark_is_asked_for_twice_in_a_turn(void **state)
{
    (void)state;
    leave_mark("7");
    leave_mark("8");
    fake_scontrol()->hears = hear_nothing;
    assert_int_equal(
        settle(JOB("7", "PENDING", "maui:kept") JOB("8", "PENDING", "maui:kept")),
        MARKING_DONE);
    assert_non_null(strstr(fake_scontrol()->ordered.text, TWICE("7")));
    assert_non_null(strstr(fake_scontrol()->ordered.text, TWICE("8")));
    assert_int_equal(fake_scontrol()->ordered.len, 2 * strlen(TWICE("7")));
    assert_true(is_left("7") && is_left("8"));
}

/* As the gate does: what it has put into the record it takes away when it is asked once
 * more. */
static void take_mark_the_second_time(const char *command)
{
    static int asked;

    if (strcmp(command, "update jobid=7 admincomment=maui:mark;set") == 0
        && asked++ % 2 == 1)
        unlink(file_of("7"));
}

static void a_mark_that_is_put_into_its_record_is_settled_in_one_turn(void **state)
{
    (void)state;
    leave_mark("7");
    fake_scontrol()->hears = take_mark_the_second_time;
    assert_int_equal(settle(JOB("7", "PENDING", "maui:kept")), MARKING_DONE);
    assert_string_equal(fake_scontrol()->ordered.text, TWICE("7"));
    assert_false(is_left("7"));
}

static void a_new_mark_does_not_wait_for_an_old_one_that_was_refused(void **state)
{
    (void)state;
    leave_mark("7");
    fake_scontrol()->hears = hear_nothing;
    for (int i = 0; i < 5; i++) {
        fake_scontrol()->now_ms += 60000;
        settle(JOB("7", "PENDING", "maui:kept"));
        assert_string_equal(fake_scontrol()->ordered.text, TWICE("7"));
    }
    settle(JOB("7", "PENDING", "maui:kept"));
    assert_string_equal(fake_scontrol()->ordered.text, ""); /* it is not its time */
    leave_new_mark("7");
    settle(JOB("7", "PENDING", "maui:kept"));
    assert_string_equal(fake_scontrol()->ordered.text, TWICE("7"));
}

/* A turn has time for one mark, and each look at the clock takes 10 s. */
static void many_that_are_refused_keep_no_other_waiting(void **state)
{
    const size_t length = strlen(TWICE("100"));
    struct strbuf jobs = {0};
    char number[20];

    (void)state;
    fake_scontrol()->hears = hear_nothing;
    for (int i = 100; i < 160; i++) {
        snprintf(number, sizeof number, "%d", i);
        leave_mark(number);
        strbuf_printf(&jobs, JOB("%d", "PENDING", "maui:kept"), i);
    }
    strbuf_add(&jobs, JOB("7", "PENDING", "maui:kept"));
    for (int i = 0; i < 8; i++) {
        fake_scontrol()->now_ms += 1000000;
        settle(jobs.text);
        assert_int_equal(fake_scontrol()->ordered.len, 60 * length);
    }
    fake_scontrol()->now_ms += 20000;
    settle(jobs.text); /* the last have been asked for less than 64 s ago */
    assert_in_range(fake_scontrol()->ordered.len, length, 59 * length);
    fake_scontrol()->now_ms += 1000000;
    leave_mark("7");
    assert_int_equal(settle_for(jobs.text, 15000), MARKING_MORE);
    assert_string_equal(fake_scontrol()->ordered.text, TWICE("7"));
    for (int i = 100; i < 160; i++) {
        snprintf(number, sizeof number, "%d", i);
        unlink(file_of(number));
    }
    free(strbuf_take(&jobs));
}

/* Slurm alone writes what it is told into the comment. */
static void write_it(const char *command)
{
    if (strstr(command, "maui:mark;set") != NULL)
        fake_scontrol()->text = JOB("7", "PENDING", "maui:mark;set");
}

static void without_a_gate_the_comment_comes_back_and_the_mark_waits(void **state)
{
    (void)state;
    leave_mark("7");
    fake_scontrol()->hears = write_it;
    assert_int_equal(settle(JOB("7", "PENDING", "maui:held")), MARKING_NO_GATE);
    assert_string_equal(fake_scontrol()->ordered.text,
        TWICE("7") "update jobid=7 admincomment=maui:held\n");
    assert_true(is_left("7"));
    fake_scontrol()->hears = take_mark;
    fake_scontrol()->now_ms += 60000; /* it is not asked at every look */
    settle(JOB("7", "PENDING", "maui:held"));
    assert_false(is_left("7"));
}

static void coordinators_are_told_to_the_gate_alone(void **state)
{
    char text[40] = "";
    struct stat st;
    FILE *f;

    (void)state;
    assert_int_equal(
        marking_tell_coordinators(the_room()->marks, "1003:physics 1004:chem"), 0);
    assert_int_equal(marking_tell_coordinators(the_room()->marks, "1004:chem"), 0);
    f = fopen(file_of("coordinators"), "re");
    assert_non_null(f);
    assert_non_null(fgets(text, sizeof text, f));
    assert_int_equal(fstat(fileno(f), &st), 0);
    fclose(f);
    assert_string_equal(text, "1004:chem\n");
    assert_int_equal(st.st_mode & 0777, 0600);
    settle(JOB("7", "PENDING", "maui:kept")); /* it is no mark */
    assert_true(is_left("coordinators"));
}

static const char *last_marks; /* what was said of them */

static void note_health(const struct rm_report *r)
{
    if (r->kind == RM_HEALTH && strcmp(r->u.health.function, "marks") == 0)
        last_marks = r->u.health.text != NULL ? "bad" : "good";
}

static void coordinators_that_could_not_be_told_are_told_later(void **state)
{
    struct room *r = *state;
    char *path = file_of("beat");

    r->a.beat = beat_new(path);
    r->a.marking = r->marks;
    last_marks = "nothing";
    fake_scontrol()->tell = note_health;
    fake_scontrol()->text = "PriorityType = priority/multifactor\n"
                            "SelectType = select/cons_tres\nSlurmUser = root(0)\n";
    assert_int_equal(rmdir(r->folder), 0);
    assert_int_equal(rights_poll(&r->a), 0);
    assert_string_equal(last_marks, "bad");
    assert_int_equal(marking_make(r->marks, geteuid()), 0);
    assert_int_equal(rights_poll(&r->a), 0);
    assert_string_equal(last_marks, "good");
    assert_true(is_left("coordinators"));
    last_marks = "nothing";
    assert_int_equal(rights_poll(&r->a), 0);
    assert_string_equal(last_marks, "nothing");
    beat_destroy(r->a.beat);
    r->a.beat = NULL;
    unlink(file_of("beat"));
}

/* Somebody who may write beside it has put another one in its place. */
static void a_folder_of_somebody_else_is_not_believed(void **state)
{
    struct room *r = *state;
    char elsewhere[100];

    leave_mark("7");
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", r->home);
    assert_int_equal(rename(r->folder, elsewhere), 0);
    assert_int_equal(symlink(elsewhere, r->folder), 0);
    settle(JOB("7", "PENDING", "maui:kept"));
    assert_string_equal(fake_scontrol()->ordered.text, "");
    assert_int_equal(marking_make(r->marks, geteuid()), -1);
    assert_int_equal(marking_tell_coordinators(r->marks, "1003:physics"), -1);
    assert_int_equal(unlink(r->folder), 0);
    assert_int_equal(rename(elsewhere, r->folder), 0);
    if (geteuid() != 0)
        return; /* who else may give it away? */
    assert_int_equal(chown(r->folder, 12345, (gid_t)-1), 0);
    assert_int_equal(marking_make(r->marks, 0), -1);
    assert_int_equal(errno, EPERM);
    assert_int_equal(marking_make(r->marks, 12345), 0);
}

static void the_gate_writes_beside_the_file_of_events(void **state)
{
    static const struct {
        const char *events, *folder;
    } cases[] = {{NULL, "/home"}, {"/run/maui/events", "/run/maui"}, {"/events", "/"},
        {"events", "."}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *folder = marking_home("/home", cases[i].events);

        assert_string_equal(folder, cases[i].folder);
        free(folder);
    }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_old_mark_that_slurm_refuses_is_asked_for_again),
        TEST(a_mark_of_a_job_that_does_not_wait_is_given_up_unasked),
        TEST(each_mark_is_asked_for_twice_in_a_turn),
        TEST(a_mark_that_is_put_into_its_record_is_settled_in_one_turn),
        TEST(a_new_mark_does_not_wait_for_an_old_one_that_was_refused),
        TEST(many_that_are_refused_keep_no_other_waiting),
        TEST(without_a_gate_the_comment_comes_back_and_the_mark_waits),
        TEST(coordinators_are_told_to_the_gate_alone),
        TEST(coordinators_that_could_not_be_told_are_told_later),
        TEST(a_folder_of_somebody_else_is_not_believed),
        TEST(the_gate_writes_beside_the_file_of_events),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
