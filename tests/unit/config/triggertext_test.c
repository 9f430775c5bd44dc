/* SPDX-License-Identifier: Apache-2.0
 * Triggers as text. */
#include "cmocka_all.h"
#include "config/triggertext.h"

#include <stdio.h>
#include <string.h>

static void assert_triggers(const char *text, const char *want)
{
    struct trigger_list list = {0};
    char got[400] = "";
    struct err err;

    if (triggertext_parse(text, &list, &err) < 0)
        fail_msg("%s: %s", text, err.text);
    for (size_t i = 0; i < list.n; i++) {
        size_t len = strlen(got);

        snprintf(got + len, sizeof got - len, "%s", i ? " & " : "");
        len = strlen(got);
        triggertext_format(&list.v[i], got + len, sizeof got - len);
    }
    assert_string_equal(got, want);
    triggertext_fini(&list);
}

static void assert_refused(const char *text, const char *words)
{
    struct trigger_list list = {0};
    struct err err = {0};

    if (triggertext_parse(text, &list, &err) == 0)
        fail_msg("'%s' was taken", text);
    if (!strstr(err.text, words))
        fail_msg("'%s': %s", text, err.text);
    assert_int_equal(list.n, 0);
}

static void both_separators_are_understood_r43(void **state)
{
    (void)state;
    assert_triggers("start+5:00:00:exec@/usr/local/domail.pl",
        "start+05:00:00;exec@/usr/local/domail.pl");
    assert_triggers("start+5:00:00;exec@/x.pl", "start+05:00:00;exec@/x.pl");
    assert_triggers("create;exec@/y", "create;exec@/y");
    assert_triggers("start+60;cancel", "start+00:01:00;cancel");
    assert_triggers("end:CANCEL", "end;cancel");
    assert_triggers("End+1:SUBMIT@job.sh", "end+00:00:01;submit@job.sh");
    assert_triggers("minload+10:00@0.25;cancel", "minload+00:10:00@0.25;cancel");
    assert_triggers("minload@.5:exec@/z -v", "minload@0.5;exec@/z -v");
}

static void several_are_separated_by_commas(void **state)
{
    (void)state;
    assert_triggers(
        "create;exec@/y,start+60;cancel", "create;exec@/y & start+00:01:00;cancel");
    assert_triggers("create;exec@/y a,b,end;cancel", "create;exec@/y a,b & end;cancel");
    assert_triggers("create;exec@/y start,end", "create;exec@/y start,end");
    assert_triggers("create;exec@/y a,,", "create;exec@/y a");
    assert_triggers("create;exec@/y a,,end;cancel,", "create;exec@/y a & end;cancel");
    assert_triggers("", "");
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    assert_refused("begin;cancel", "create");
    assert_refused("start", "not a trigger");
    assert_refused("start+;cancel", "duration");
    assert_refused("start+1:2:3:4:5;cancel", "duration");
    assert_refused("start+99999999999999:0:0:0;cancel", "without end");
    assert_refused("start;stop", "cancel");
    assert_refused("start;", "");
    assert_refused("start;exec", "names nothing to run");
    assert_refused("start;submit@", "names nothing to submit");
    assert_refused("minload@x;cancel", "");
    assert_refused("create;cancel,end", "did you mean cancel?");
}

static void a_copy_has_nothing_fired(void **state)
{
    struct trigger_list list = {0}, copy;

    (void)state;
    triggertext_parse("create;exec@/y", &list, NULL);
    list.v[0].fired = true;
    list.v[0].fired_at = 7;
    copy = triggertext_copy(&list);
    assert_false(copy.v[0].fired);
    assert_int_equal(copy.v[0].fired_at, 0);
    assert_string_equal(copy.v[0].data, "/y");
    triggertext_fini(&list);
    triggertext_fini(&copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_separators_are_understood_r43),
        cmocka_unit_test(several_are_separated_by_commas),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(a_copy_has_nothing_fired),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
