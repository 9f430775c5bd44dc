/* SPDX-License-Identifier: Apache-2.0
 * Tests of config/mailtext: whom and when a job's mail is sent to. */
#include "cmocka_all.h"
#include "config/mailtext.h"

#include <string.h>

static void addresses_are_users_with_or_without_a_host(void **state)
{
    static const char *const good[] = {"mira", "mira@site", "m.i_r-a+x=1%y@a.b-c.org",
        "mira,bob@site", "a,b,c,d,e,f,g,h,i,j"};
    struct err err;

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (mailtext_check_addresses(good[i], &err) < 0)
            fail_msg("'%s' was refused: %s", good[i], err.text);
}

/* What could be an option, a header, a command or several of them. */
static void hostile_addresses_are_refused(void **state)
{
    static const char *const bad[] = {"", ",", "mira,", ",mira", "-oQ/tmp/x",
        "mira,-X/tmp/log", "--", "mira\nBcc: all@site", "mira\rbob", "mira bob",
        "mira\tbob", "|/bin/sh", "/etc/passwd", "$(id)", "`id`", "a;b", "a&b", "<mira>",
        "\"mira\"", "mi'ra", "mira@", "@site", "a@b@c", "m\xc3\xafra", "mira\x7f",
        "mira\\", "!mira", "#mira", "a,b,c,d,e,f,g,h,i,j,k", "~mira", "mira:file"};
    char longest[MAILTEXT_BYTES + 2];
    struct err err;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (mailtext_check_addresses(bad[i], &err) == 0)
            fail_msg("'%s' was taken", bad[i]);
        assert_null(strpbrk(err.text, "\r\n"));
    }
    memset(longest, 'a', sizeof longest);
    longest[sizeof longest - 1] = 0;
    assert_int_equal(mailtext_check_addresses(longest, &err), -1);
    longest[sizeof longest - 2] = 0;
    assert_int_equal(mailtext_check_addresses(longest, &err), 0);
}

static void when_is_letters_each_once_or_none(void **state)
{
    static const char *const good[] = {"a", "b", "e", "f", "abe", "eba", "abef", "n"};
    static const char *const bad[] = {"", "aa", "an", "nn", "x", "a b", "abee", "A"};
    struct err err;

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_int_equal(mailtext_check_when(good[i], &err), 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(mailtext_check_when(bad[i], &err), -1);
    assert_true(mailtext_wants("abe", "e") && mailtext_wants("e", "aef"));
    assert_false(mailtext_wants("ab", "ef") || mailtext_wants("n", "abef"));
    assert_false(mailtext_wants(NULL, "abef") || mailtext_wants("", "abef"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_users_with_or_without_a_host),
        cmocka_unit_test(hostile_addresses_are_refused),
        cmocka_unit_test(when_is_letters_each_once_or_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
