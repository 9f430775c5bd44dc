/* SPDX-License-Identifier: Apache-2.0
 * Fairshare files of a classic Maui. */
#include "cmocka_all.h"
#include "server/durable/oldusage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DAY INT64_C(86400)
#define NOW (20000 * DAY + 100)

static char folder[] = "/tmp/maui-oldusage-XXXXXX";

static void write_window(int64_t begin, const char *text)
{
    char path[100];

    snprintf(path, sizeof path, "%s/FS.%lld", folder, (long long)begin);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void drop_window(int64_t begin)
{
    char path[100];

    snprintf(path, sizeof path, "%s/FS.%lld", folder, (long long)begin);
    unlink(path);
}

static const struct fs_memory *find(
    const struct oldusage *u, enum cred_kind kind, const char *name)
{
    for (size_t i = 0; i < u->rows.n; i++)
        if (u->rows.v[i].kind == kind
            && (!name || strcmp(u->rows.v[i].name, name) == 0))
            return &u->rows.v[i];
    fail_msg("no %s", name ? name : "total");
    return NULL;
}

static void windows_are_found_by_their_begin(void **state)
{
    struct oldusage u;

    (void)state;
    write_window(20000 * DAY,
        "# FS data file (duration: 86400 seconds)  starting: a day\n"
        "USER     ann     150000.000\nGROUP    phys    350000.000\n"
        "ACCT     astro   300000.000\nQOS      gold     50000.000\n"
        "CLASS    batch   600000.000\nTOTAL    [NONE]  600000.000\n");
    write_window(19998 * DAY, "user ann 7\nsched 8\naccount astro 9\n");
    write_window(19998 * DAY + 1, "user ann 70000\n"); /* of another FSINTERVAL */
    write_window(19990 * DAY, "user ann 70000\n");     /* of long ago */
    oldusage_read(&u, folder, DAY, 4, NOW);
    assert_int_equal(u.files, 2);
    assert_int_equal(u.rows.n, 6);
    const struct fs_memory *ann = find(&u, CRED_USER, "ann");
    assert_int_equal(ann->at, NOW);
    assert_int_equal(ann->n, 3);
    assert_true(ann->window[0] == 150000 && ann->window[1] == 0 && ann->window[2] == 7);
    assert_true(find(&u, CRED_ACCOUNT, "astro")->window[2] == 9);
    assert_true(find(&u, CRED_KINDS, NULL)->window[0] == 600000);
    assert_true(find(&u, CRED_KINDS, NULL)->window[2] == 8);
    oldusage_fini(&u);
    drop_window(19998 * DAY + 1);
    drop_window(19990 * DAY);
    drop_window(19998 * DAY);
    drop_window(20000 * DAY);
}

static void lines_that_say_nothing_are_no_usage(void **state)
{
    struct oldusage u;

    (void)state;
    write_window(20000 * DAY,
        "\nUSER\nUSER ann\nUSER ann many\nUSER ann -5\nUSER ann nan\nUSER ann 5x\n"
        "USER ann 1e999\nNODE n1 5\nUSER ann 3 and more\nTOTAL\n");
    oldusage_read(&u, folder, DAY, 4, NOW);
    assert_int_equal(u.rows.n, 1);
    assert_true(u.rows.v[0].window[0] == 3);
    oldusage_fini(&u);
    drop_window(20000 * DAY);
    oldusage_read(&u, folder, DAY, 4, NOW);
    assert_int_equal(u.rows.n + u.files, 0);
    oldusage_fini(&u);
}

static void names_that_nobody_can_have_are_left_out(void **state)
{
    struct oldusage u;
    char text[700] =
        "USER [DEFAULT] 5\nACCT [NONE] 6\nUSER a\033[31mb 7\nUSER a\xff 8\n"
        "USER ann 9\nTOTAL [NONE] 10\nUSER ";

    (void)state;
    memset(text + strlen(text), 'x', 300); /* the rest of the array is empty */
    strcat(text, " 11\n");
    write_window(20000 * DAY, text);
    oldusage_read(&u, folder, DAY, 4, NOW);
    assert_int_equal(u.names_refused, 5);
    assert_int_equal(u.rows.n, 2);
    assert_true(find(&u, CRED_USER, "ann")->window[0] == 9);
    assert_true(find(&u, CRED_KINDS, NULL)->window[0] == 10);
    oldusage_fini(&u);
    drop_window(20000 * DAY);
}

static void what_cannot_be_read_is_a_fault_and_keeps_nobody_waiting(void **state)
{
    struct oldusage u;
    char path[100];

    (void)state;
    write_window(20000 * DAY, "USER ann 9\n");
    snprintf(path, sizeof path, "%s/FS.%lld", folder, (long long)(19999 * DAY));
    assert_int_equal(mkfifo(path, 0600), 0);
    oldusage_read(&u, folder, DAY, 4, NOW);
    assert_int_equal(u.files, 1);
    assert_int_equal(u.faults.n, 1);
    assert_non_null(strstr(u.faults.v[0], "is no file"));
    assert_memory_equal(u.faults.v[0], path, strlen(path));
    oldusage_fini(&u);
    unlink(path);
    assert_int_equal(symlink(path, path), 0); /* to itself: for root as well */
    oldusage_read(&u, folder, DAY, 4, NOW);
    assert_int_equal(u.faults.n, 1);
    oldusage_fini(&u);
    unlink(path);
    drop_window(20000 * DAY);
}

static void files_of_other_instants_are_told(void **state)
{
    struct oldusage u;

    (void)state;
    write_window(20000 * DAY + 1, "USER ann 9\n");
    oldusage_read(&u, folder, DAY, 4, NOW);
    assert_int_equal(u.files, 0);
    assert_true(u.others);
    oldusage_fini(&u);
    drop_window(20000 * DAY + 1);
    oldusage_read(&u, folder, DAY, 4, NOW);
    assert_false(u.others);
    oldusage_fini(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_are_found_by_their_begin),
        cmocka_unit_test(lines_that_say_nothing_are_no_usage),
        cmocka_unit_test(names_that_nobody_can_have_are_left_out),
        cmocka_unit_test(what_cannot_be_read_is_a_fault_and_keeps_nobody_waiting),
        cmocka_unit_test(files_of_other_instants_are_told),
    };

    if (!mkdtemp(folder))
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
