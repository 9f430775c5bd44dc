/* SPDX-License-Identifier: Apache-2.0
 * The log, the files it rolls, and the system's log. */
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "server/process/log.h"
#include "server/process/rollfile.h"
#include "server/process/systemlog.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

struct folder {
    char path[40];
};

static int make_folder(void **state)
{
    struct folder *f = xcalloc(1, sizeof *f);

    strcpy(f->path, "/tmp/maui-log-XXXXXX");
    *state = f;
    return mkdtemp(f->path) ? 0 : -1;
}

static int remove_folder(void **state)
{
    struct folder *f = *state;
    char command[80];

    snprintf(command, sizeof command, "rm -rf %s", f->path);
    free(f);
    return system(command);
}

static const char *in(void **state, const char *name)
{
    static char paths[4][100];
    static unsigned next;
    struct folder *f = *state;
    char *path = paths[next++ % 4];

    snprintf(path, sizeof paths[0], "%s/%s", f->path, name);
    return path;
}

static char *text_of(const char *path)
{
    struct strbuf b = {0};
    char bytes[4096];
    size_t n;
    FILE *f = fopen(path, "r");

    while (f && (n = fread(bytes, 1, sizeof bytes, f)) > 0)
        strbuf_add_n(&b, bytes, n);
    if (f)
        fclose(f);
    return strbuf_take(&b);
}

static bool has(const char *path, const char *words)
{
    char *text = text_of(path);
    bool found = strstr(text, words) != NULL;

    free(text);
    return found;
}

static void the_level_decides_what_is_written_and_warnings_always_are(void **state)
{
    const char *path = in(state, "maui.log");
    struct log *l = log_open(&(struct log_options){.path = path, .level = 0}, NULL);

    log_line(l, LOG_ACTION, "an action");
    log_line(l, LOG_DETAIL, "a detail");
    log_set_level(l, 3);
    log_line(l, LOG_DETAIL, "another detail");
    log_line(l, LOG_TRACE, "a trace");
    log_set_level(l, 50);
    assert_int_equal(log_level(l), 9);
    log_line(l, LOG_TRACE, "another trace");
    log_set_level(l, -3);
    assert_int_equal(log_level(l), 0);
    log_line(l, LOG_WARNING, "odd");
    log_close(l);
    assert_true(has(path, "INFO:     an action\n") && !has(path, " a detail"));
    assert_true(has(path, "another detail") && !has(path, " a trace"));
    assert_true(has(path, "another trace") && has(path, "WARNING:  odd\n"));
}

static void facilities_choose_among_what_is_no_warning(void **state)
{
    const char *path = in(state, "maui.log");
    struct log *l = log_open(
        &(struct log_options){.path = path, .facilities = log_facilities("fRM:fSCHED")},
        NULL);

    log_write(l, LOG_ACTION, FACILITY_RM, "from the manager");
    log_write(l, LOG_ACTION, FACILITY_UI, "from a user");
    log_write(l, LOG_ALERT, FACILITY_UI, "from the fire brigade");
    log_close(l);
    assert_true(has(path, "manager") && !has(path, "user") && has(path, "brigade"));
    assert_int_equal(log_facilities("fall"), FACILITIES_ALL);
    assert_int_equal(log_facilities("fWIKI"), 0);
}

static void a_users_text_makes_no_lines_of_its_own(void **state)
{
    const char *path = in(state, "maui.log");
    struct log *l = log_open(&(struct log_options){.path = path}, NULL);

    log_line(l, LOG_ACTION, "%s", "job\n01/01 00:00:00 ALERT:    forged\033[2J");
    log_close(l);
    char *text = text_of(path);
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
    assert_null(strchr(text, '\033'));
    free(text);
}

static void the_log_rolls_by_size_and_keeps_so_many(void **state)
{
    const char *path = in(state, "maui.log");
    struct log *l = log_open(
        &(struct log_options){.path = path, .size_max = 200, .roll_depth = 2}, NULL);

    for (int i = 0; i < 20; i++)
        log_line(
            l, LOG_ACTION, "line %02d ........................................", i);
    log_close(l);
    assert_true(
        has(in(state, "maui.log.1"), "line") && has(in(state, "maui.log.2"), "line"));
    assert_int_equal(access(in(state, "maui.log.3"), F_OK), -1);
    char *newer = text_of(in(state, "maui.log.1")),
         *older = text_of(in(state, "maui.log.2"));
    assert_true(strcmp(strstr(newer, "line"), strstr(older, "line")) > 0);
    assert_true(strlen(newer) < 300);
    free(newer);
    free(older);
}

static void a_depth_of_none_begins_anew(void **state)
{
    const char *path = in(state, "file");
    struct rollfile f;

    assert_int_equal(rollfile_open(&f, path, 10, 0, NULL), 0);
    assert_true(rollfile_write(&f, "0123456789ab\n", 13));
    assert_true(rollfile_write(&f, "new\n", 4));
    rollfile_close(&f);
    char *text = text_of(path);
    assert_string_equal(text, "new\n");
    free(text);
    assert_int_equal(access(in(state, "file.1"), F_OK), -1);
}

static void another_file_is_taken_and_one_that_cannot_be_written_is_not(void **state)
{
    const char *first = in(state, "one.log"), *second = in(state, "logs/two.log");
    struct log *l = log_open(&(struct log_options){.path = first}, NULL);
    struct err err = {0};

    log_line(l, LOG_ACTION, "to the first");
    assert_int_equal(log_configure(l, &(struct log_options){.path = second}, &err), 0);
    log_line(l, LOG_ACTION, "to the second");
    assert_int_equal(
        log_configure(l, &(struct log_options){.path = "/no/such/folder/x"}, &err), -1);
    assert_non_null(strstr(err.text, "/no/such/folder/x"));
    assert_non_null(strstr(err.text, "two.log"));
    log_line(l, LOG_ACTION, "still to the second");
    log_close(l);
    assert_true(has(first, "to the first") && !has(first, "second"));
    assert_true(has(second, "to the second") && has(second, "still to"));
}

static void the_systems_log_gets_whole_lines_and_nobody_waits_for_it(void **state)
{
    const char *path = in(state, "socket");
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    struct systemlog l;
    char line[300] = "";
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

    strcpy(at.sun_path, path);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    systemlog_open(&l, 3 << 3);
    systemlog_send(&l, path, 4, "WARNING:  odd");
    assert_true(recv(fd, line, sizeof line - 1, 0) > 0);
    assert_int_equal(strncmp(line, "<28>", 4), 0);
    assert_non_null(strstr(line, "]: WARNING:  odd"));
    for (int i = 0; i < 5000; i++) /* nobody takes them */
        systemlog_send(&l, path, 6, "again and again");
    assert_true(l.lost > 0);
    systemlog_close(&l);
    close(fd);
}

static void usesyslog_is_a_bool_with_a_facility(void **state)
{
    struct err err;
    int facility;

    (void)state;
    assert_int_equal(systemlog_parse("TRUE", &facility, &err), 1);
    assert_int_equal(facility, 3 << 3);
    assert_int_equal(systemlog_parse("on:local3", &facility, &err), 1);
    assert_int_equal(facility, 19 << 3);
    assert_int_equal(systemlog_parse("FALSE:daemon", &facility, &err), 0);
    assert_int_equal(systemlog_parse("TRUE:lcoal3", &facility, &err), -1);
}

#define WITH_FOLDER(test)                                                              \
    cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_FOLDER(the_level_decides_what_is_written_and_warnings_always_are),
        WITH_FOLDER(facilities_choose_among_what_is_no_warning),
        WITH_FOLDER(a_users_text_makes_no_lines_of_its_own),
        WITH_FOLDER(the_log_rolls_by_size_and_keeps_so_many),
        WITH_FOLDER(a_depth_of_none_begins_anew),
        WITH_FOLDER(another_file_is_taken_and_one_that_cannot_be_written_is_not),
        WITH_FOLDER(the_systems_log_gets_whole_lines_and_nobody_waits_for_it),
        cmocka_unit_test(usesyslog_is_a_bool_with_a_facility),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
