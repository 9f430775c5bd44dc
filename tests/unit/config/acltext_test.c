/* SPDX-License-Identifier: Apache-2.0
 * Access lists as text. */
#include "base/timeval.h"
#include "cmocka_all.h"
#include "config/acltext.h"
#include "config/settings.h"

#include <string.h>

static void assert_list(enum acl_type type, const char *text, const char *want)
{
    struct acl acl = {0};
    struct err err;
    char *got;

    if (acltext_parse(type, text, &acl, &err) < 0)
        fail_msg("%s: %s", text, err.text);
    got = acltext_format(&acl);
    assert_string_equal(got, want);
    free(got);
    acltext_fini(&acl);
}

static void assert_refused(enum acl_type type, const char *text, const char *words)
{
    struct acl acl = {0};
    struct err err = {0};

    if (acltext_parse(type, text, &acl, &err) == 0)
        fail_msg("'%s' was taken", text);
    assert_int_equal(err.code, ERR_INVALID);
    if (!strstr(err.text, words))
        fail_msg("'%s': %s", text, err.text);
    assert_int_equal(acl.entries.n, 0);
    acltext_fini(&acl);
}

static void names_are_separated_by_commas_bars_colons_and_blanks(void **state)
{
    (void)state;
    assert_list(
        ACL_USER, "ann,bob|carl:dora eve", "USER==ann+:==bob+:==carl+:==dora+:==eve+");
    assert_list(ACL_GROUP, "", "");
    assert_list(ACL_GROUP, ",,staff,", "GROUP==staff+");
}

static void marks_are_read_and_shown(void **state)
{
    (void)state;
    assert_list(ACL_CLASS, "batch,long+", "CLASS==batch+:==long+");
    assert_list(ACL_QOS, "low-", "QOS==low-");
    assert_list(ACL_QOS, "mid=", "QOS==mid=");
    assert_list(ACL_ACCOUNT, "!projectX,projectY!", "ACCOUNT!=projectX:!=projectY");
    assert_list(ACL_USER, "ann*,*bob,carl-*", "USER==ann+*:==bob+*:==carl-*");
    assert_list(ACL_USER, "ALL", "USER==ALL+");
    assert_list(ACL_USER, "[ALL]-", "USER==ALL-");
    assert_list(ACL_USER, "[NONE]", "");
}

static void numbers_take_a_comparison_less_or_equal_without(void **state)
{
    (void)state;
    assert_list(ACL_DURATION, "1:00:00", "DURATION<=01:00:00+");
    assert_list(ACL_DURATION, "1:00:00*", "DURATION<=01:00:00+*");
    assert_list(ACL_DURATION, "*<30", "DURATION<00:00:30+*");
    assert_list(ACL_DURATION, ">=1:00:00,10:00", "DURATION>=01:00:00+:<=00:10:00+");
    assert_list(ACL_DURATION, "-1", "");
    assert_list(ACL_DURATION, "INFINITY", "DURATION<=INFINITY+");
    assert_list(ACL_PROCS, ">=4", "PROC>=4+");
    assert_list(ACL_PROCS, "==8*", "PROC==8+*");
    assert_list(ACL_TASKS, "!>16", "TASK!>16");
    assert_list(ACL_TASKS, "2:<3", "TASK<=2+:<3+");
}

static void attributes_are_those_of_jobs(void **state)
{
    struct acl acl = {0};

    (void)state;
    assert_int_equal(acltext_parse(ACL_JOBATTR, "PREEMPTEE,grid-", &acl, NULL), 0);
    assert_int_equal(acl.entries.v[0].flags, JOB_PREEMPTEE);
    assert_int_equal(acl.entries.v[1].flags, 0);
    acltext_fini(&acl);
    assert_refused(ACL_JOBATTR, "PREMPTEE", "PREEMPTEE");
}

static void nonsense_is_refused_and_adds_nothing(void **state)
{
    (void)state;
    assert_refused(ACL_USER, "ann,^bob", "^");
    assert_refused(ACL_USER, "ann^", "^");
    assert_refused(ACL_USER, "ann,!", "nothing to mark");
    assert_refused(ACL_ACCOUNT, "!ACCT==x", "is not a name");
    assert_refused(ACL_QOS, "high=low", "is not a name");
    assert_refused(ACL_DURATION, "*", "nothing to mark");
    assert_refused(ACL_DURATION, "soon", "soon");
    assert_refused(ACL_DURATION, "<=", "duration");
    assert_refused(ACL_PROCS, "many", "many");
    assert_refused(ACL_PROCS, "-5", "");
    assert_refused(ACL_TASKS, "99999999999999999999", "");
}

static void lists_add_up_and_types_can_be_dropped(void **state)
{
    struct acl acl = {0}, copy;
    char *text;

    (void)state;
    acltext_parse(ACL_CLASS, "batch:long", &acl, NULL);
    acltext_parse(ACL_DURATION, "1:00", &acl, NULL);
    acltext_parse(ACL_QOS, "low-", &acl, NULL);
    acltext_parse(ACL_CLASS, "debug", &acl, NULL);
    copy = acltext_copy(&acl);
    acltext_drop(&acl, ACL_CLASS);
    text = acltext_format(&acl);
    assert_string_equal(text, "DURATION<=00:01:00+ QOS==low-");
    free(text);
    text = acltext_format(&copy);
    assert_string_equal(
        text, "CLASS==batch+:==long+ DURATION<=00:01:00+ QOS==low- CLASS==debug+");
    free(text);
    acltext_fini(&acl);
    acltext_fini(&copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_separated_by_commas_bars_colons_and_blanks),
        cmocka_unit_test(marks_are_read_and_shown),
        cmocka_unit_test(numbers_take_a_comparison_less_or_equal_without),
        cmocka_unit_test(attributes_are_those_of_jobs),
        cmocka_unit_test(nonsense_is_refused_and_adds_nothing),
        cmocka_unit_test(lists_add_up_and_types_can_be_dropped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
