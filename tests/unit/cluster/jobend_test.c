/* SPDX-License-Identifier: Apache-2.0
 * Tests of cluster/jobend: why a job ended, as a sentence and as a name. */
#include "cluster/jobend.h"
#include "fixture.h"

static void each_reason_is_found_by_its_name(void **state)
{
    (void)state;
    for (int i = 0; i < ENDED_REASONS; i++)
        assert_int_equal(end_reason_find(end_reason_name((enum end_reason)i)), i);
    assert_int_equal(end_reason_find("of a later version"), ENDED_UNKNOWN);
    assert_int_equal(end_reason_find(NULL), ENDED_UNKNOWN);
}

static void sentences_have_numbers_and_names_where_there_are_any(void **state)
{
    static const struct {
        struct job_end end;
        const char *text;
    } rows[] = {
        {{ENDED_UNKNOWN}, ""},
        {{ENDED_UNKNOWN, .said = "the power failed"}, "the power failed"},
        {{ENDED_SIGNAL, .used = 9}, "it was killed by signal 9"},
        {{ENDED_WALLCLOCK}, "wallclock limit exceeded"},
        {{ENDED_WALLCLOCK, .limit = 60, .used = 62},
            "its wallclock limit of 60 s was exceeded: it ran 62 s"},
        {{ENDED_MEMORY, .limit = 50}, "its memory limit of 50 MB was exceeded"},
        {{ENDED_USAGE, .resource = USAGE_PROC, .limit = 1, .used = 2.25},
            "it used 2.2 processors and asked for 1"},
        {{ENDED_CANCELLED}, "it was cancelled"},
        {{ENDED_CANCELLED, .name = "ann", .by_owner = true},
            "its owner ann cancelled it"},
        {{ENDED_CANCELLED, .name = "root", .said = "the rack moves"},
            "administrator root cancelled it: the rack moves"},
        {{ENDED_NODE_DOWN, .name = "n7"}, "node n7, which it was on, is down"},
        {{ENDED_NOQUEUE, .said = "class fast is stopped"}, "class fast is stopped"},
    };
    char text[JOBEND_TEXT];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        jobend_format(&rows[i].end, text, sizeof text);
        assert_string_equal(text, rows[i].text);
    }
}

static void what_was_said_at_length_is_cut(void **state)
{
    char said[1000], text[JOBEND_TEXT];

    (void)state;
    memset(said, 'x', sizeof said - 1);
    said[sizeof said - 1] = '\0';
    jobend_format(&(struct job_end){ENDED_CANCELLED, .name = said, .said = said}, text,
        sizeof text);
    assert_in_range(strlen(text), 100, sizeof text - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_reason_is_found_by_its_name),
        cmocka_unit_test(sentences_have_numbers_and_names_where_there_are_any),
        cmocka_unit_test(what_was_said_at_length_is_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
