/* SPDX-License-Identifier: Apache-2.0
 * Where the commands of a resource manager are. */
#include "base/strbuf.h"
#include "cmocka_all.h"
#include "config/rmplace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/maui-rmplace-XXXXXX";

/* FOLDER/SUB/NAME of that mode, and the folder. */
static void make_file(const char *sub, const char *name, mode_t mode)
{
    struct strbuf path = {0};
    FILE *f;

    strbuf_printf(&path, "%s/%s", folder, sub);
    mkdir(path.text, 0755);
    strbuf_printf(&path, "/%s", name);
    f = fopen(path.text, "we");
    assert_non_null(f);
    fclose(f);
    assert_int_equal(chmod(path.text, mode), 0);
    free(path.text);
}

static int make_folder(void **state)
{
    static const char *const commands[] = {
        "qstat", "qhost", "qconf", "qalter", "qmod", "qdel", "qrstat"};

    (void)state;
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        make_file(i % 2 ? "bin" : "sbin", commands[i], 0755);
    make_file("dull", "qstat", 0644);
    make_file("other", "qstat", 0755);
    return 0;
}

static int remove_folder(void **state)
{
    struct strbuf command = {0};

    (void)state;
    strbuf_printf(&command, "rm -rf %s", folder);
    assert_int_equal(system(command.text), 0); /* NOLINT: a folder of our own */
    free(command.text);
    return 0;
}

/* `format` has @ where the folder stands. */
static char *in_folder(const char *format)
{
    struct strbuf text = {0};

    for (const char *p = format; *p != '\0'; p++)
        if (*p == '@')
            strbuf_add(&text, folder);
        else
            strbuf_printf(&text, "%c", *p);
    return strbuf_take(&text);
}

static void assert_folders(const char *type, const char *format, const char *words)
{
    char *folders = in_folder(format);
    struct err err = {0};
    int result = rmplace_check_folders(type, folders, &err);

    if (result < 0 && (words == NULL || strstr(err.text, words) == NULL))
        fail_msg("%s %s: %s", type, format, err.text);
    assert_int_equal(result, words == NULL ? 0 : -1);
    free(folders);
}

static void what_is_not_there_is_named(void **state)
{
    (void)state;
    assert_folders("SGE", "@/bin:@/sbin", NULL);
    assert_folders("sge", "@/other:@/bin:@/sbin", NULL);
    assert_folders("SGE", "@/bin", "not to be run: qstat, qconf, qmod, qrstat");
    assert_folders("PBS", "@/bin:@/sbin", "pbsnodes, qrun, qhold, qrls, qsig, qrerun");
    assert_folders("SGE", "@/dull:@/bin", "qstat"); /* nobody can run it */
    assert_folders("NATIVE", "@/dull", NULL);
    assert_folders("SGE", "@/bin:@/nix", "nix: No such file");
    assert_folders("SGE", "@/bin/qhost", "is no folder");
    assert_folders("SGE", "bin", "'bin': expected absolute paths");
    assert_folders("SGE", "@/bin::@/sbin", "'': expected absolute paths");
    assert_folders("SGE", "", "expected absolute paths");
}

static void assert_variables(const char *format, const char *words)
{
    char *text = in_folder(format);
    struct err err = {0};
    int result = rmplace_check_variables(text, &err);

    if (result < 0 && (words == NULL || strstr(err.text, words) == NULL))
        fail_msg("%s: %s", format, err.text);
    assert_int_equal(result, words == NULL ? 0 : -1);
    free(text);
}

static void variables_are_pairs_and_say_what_is_there(void **state)
{
    (void)state;
    make_file("main", "x", 0644);
    make_file("main/common", "act_qmaster", 0644);
    assert_variables("SGE_ROOT=@;SGE_CELL=main", NULL);
    assert_variables("SGE_ROOT=@,SGE_CELL=main", NULL);
    assert_variables("A=a,b;B=;C=x=y", NULL);
    assert_variables("SGE_ROOT=@", "/default/common: No such file");
    assert_variables("SGE_ROOT=@;SGE_CELL=side", "/side/common: No such file");
    assert_variables("SGE_ROOT=opt", "SGE_ROOT=opt: expected an absolute path");
    assert_variables("PBS_CONF_FILE=@/pbs.conf", "pbs.conf: No such file");
    assert_variables("PATH=/bin", "BINDIR=");
    assert_variables("A=1;", NULL);
    assert_variables("A=1;;B=2", "'': expected NAME=VALUE");
    assert_variables("1A=2", "'1A=2': expected NAME=VALUE");
    assert_variables("word", "'word': expected NAME=VALUE");
    assert_variables("=x", "'=x': expected NAME=VALUE");
}

static void who_is_there_has_them_first(void **state)
{
    char *folders = in_folder("@/other:@/bin"), *found,
         *want = in_folder("@/other/qstat");

    (void)state;
    setenv("PATH", "/usr/bin:/bin", 1);
    unsetenv("MAUI_TEST_A");
    rmplace_enter(folders, "MAUI_TEST_A=a,b,MAUI_TEST_B=c;bad;MAUI_TEST_C=x=y");
    assert_string_equal(getenv("MAUI_TEST_A"), "a,b");
    assert_string_equal(getenv("MAUI_TEST_B"), "c");
    assert_string_equal(getenv("MAUI_TEST_C"), "x=y");
    found = rmplace_command(NULL, "qstat");
    assert_string_equal(found, want);
    free(found);
    found = rmplace_command(NULL, "sh");
    assert_non_null(found);
    free(found);
    assert_null(rmplace_command(NULL, "maui-no-such-command"));
    free(folders);
    free(want);
    rmplace_enter(NULL, NULL);
    rmplace_enter("", "");
}

static void managers_with_the_same_commands_collide(void **state)
{
    (void)state;
    assert_true(rmplace_collide("PBS", "sge"));
    assert_true(rmplace_collide("SGE", "PBS"));
    assert_false(rmplace_collide("PBS", "SLURM"));
    assert_false(rmplace_collide("NATIVE", "PBS"));
    assert_false(rmplace_collide(NULL, "PBS"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_there_is_named),
        cmocka_unit_test(variables_are_pairs_and_say_what_is_there),
        cmocka_unit_test(who_is_there_has_them_first),
        cmocka_unit_test(managers_with_the_same_commands_collide),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
