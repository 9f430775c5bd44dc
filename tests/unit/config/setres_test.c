/* SPDX-License-Identifier: Apache-2.0
 * The words of setres. The clock shows Wednesday 2024-01-10 12:00:00. */
#include "base/zone.h"
#include "cmocka_all.h"
#include "config/setres.h"
#include "config/settings.h"

#include <stdlib.h>
#include <string.h>

#define NOON INT64_C(1704888000)
#define H    INT64_C(3600)

static int instant(void *ctx, const struct civil *when, int64_t *ret_at)
{
    (void)ctx;
    *ret_at = zone_day_number(when->year, when->month, when->day) * 24 * H
              + when->hour * H + when->minute * 60 + when->second;
    return 0;
}

static const struct calendar calendar = {
    .now = NOON, .today = {2024, 1, 10, 12, 0, 0}, .to_instant = instant};
static const struct setres_clock here = {.cal = &calendar};

/* The words of a text, separated by single blanks. */
static int read_words(const char *text, struct setres *ret, struct err *err)
{
    const char *words[30];
    char *copy = strdup(text), *at = copy;
    size_t n = 0;
    int status;

    for (char *word; (word = strsep(&at, " ")) != NULL;)
        words[n++] = word;
    status = setres_parse(words, n, &here, ret, err);
    free(copy);
    return status;
}

static struct setres taken(const char *text)
{
    struct setres s;
    struct err err;

    if (read_words(text, &s, &err) < 0)
        fail_msg("'%s': %s", text, err.text);
    return s;
}

static void assert_refused(const char *text, const char *words)
{
    struct setres s;
    struct err err = {0};

    if (read_words(text, &s, &err) == 0)
        fail_msg("'%s' was taken", text);
    if (strstr(err.text, words) == NULL)
        fail_msg("'%s': %s", text, err.text);
}

static void all_alone_is_from_now_without_an_end_for_nobody(void **state)
{
    struct setres s = taken("ALL");

    (void)state;
    assert_int_equal(s.start_at, NOON);
    assert_int_equal(s.end_at, TIME_NEVER);
    assert_string_equal(s.hosts, "ALL");
    assert_int_equal(s.tasks, 0);
    assert_int_equal(s.per_task.procs, -1);
    assert_int_equal(s.acl.entries.n, 0);
    assert_string_equal(setres_base(&s), "SYSTEM");
    setres_fini(&s);
}

static void the_name_is_the_given_one_else_the_first_with_access(void **state)
{
    struct setres s = taken("-g staff -u ann:bob -n course ALL");

    (void)state;
    assert_string_equal(setres_base(&s), "course");
    assert_int_equal(s.acl.entries.n, 3);
    setres_fini(&s);
    s = taken("-g staff:ops -u ann ALL");
    assert_string_equal(setres_base(&s), "staff");
    setres_fini(&s);
}

static void values_are_attached_or_the_next_word_and_options_stand_anywhere(
    void **state)
{
    struct setres s = taken("TASKS==4 -ujohn -d 50 -E -xBYNAME,SINGLEUSE");

    (void)state;
    assert_null(s.hosts);
    assert_int_equal(s.tasks, 4);
    assert_string_equal(s.acl.entries.v[0].name, "john");
    assert_int_equal(s.end_at, NOON + 50);
    assert_true(s.exclusive);
    assert_int_equal(s.flags, RSV_BYNAME | RSV_SINGLEUSE);
    setres_fini(&s);
    s = taken("-t 6 -r PROCS=2;MEM=512 -f fast:ib node[1-4]");
    assert_int_equal(s.tasks, 6);
    assert_string_equal(s.hosts, "node[1-4]");
    assert_int_equal(s.per_task.procs, 2);
    assert_int_equal(s.per_task.mem_mb, 512);
    assert_int_equal(s.features.n, 2);
    setres_fini(&s);
    s = taken("TASKS>=3");
    assert_int_equal(s.tasks, 3);
    setres_fini(&s);
}

static void features_node_sets_subtypes_and_profiles_are_words(void **state)
{
    struct setres s = taken("-f fast|big -N FIRSTOF:FEATURE:ib,opa -b maint TASKS==2");

    (void)state;
    assert_true(s.any_feature);
    assert_int_equal(s.features.n, 2);
    assert_int_equal(s.nodeset.policy, NODESET_FIRSTOF);
    assert_int_equal(s.nodeset.list.n, 2);
    assert_string_equal(s.subtype, "maint");
    assert_string_equal(setres_base(&s), "SYSTEM");
    setres_fini(&s);
    s = taken("-R night -c ops,,mira ALL");
    assert_string_equal(setres_base(&s), "night");
    assert_string_equal(s.charge[0], "ops");
    assert_null(s.charge[1]);
    assert_string_equal(s.charge[2], "mira");
    assert_false(s.any_feature);
    setres_fini(&s);
}

static void times_are_of_the_day_relative_or_seconds(void **state)
{
    struct setres_clock trace = {.cal = &calendar, .plain_offset = 1000};
    int64_t at;
    struct setres s = taken("-s 14:30 -e 18_01/11 ALL");

    (void)state;
    assert_int_equal(s.start_at, NOON + 2 * H + H / 2);
    assert_int_equal(s.end_at, NOON + 30 * H);
    setres_fini(&s);
    s = taken("-s +1:00:00 -d 2:00:00 -e +5 ALL"); /* the duration wins */
    assert_int_equal(s.start_at, NOON + H);
    assert_int_equal(s.end_at, NOON + 3 * H);
    setres_fini(&s);
    s = taken("-s 1704900000 -d INFINITY ALL");
    assert_int_equal(s.start_at, 1704900000);
    assert_int_equal(s.end_at, TIME_NEVER);
    setres_fini(&s);
    assert_int_equal(setres_time("500", &trace, &at, NULL), 0);
    assert_int_equal(at, 1500);
    assert_int_equal(setres_time("14", &trace, &at, NULL), 0); /* o'clock */
    assert_int_equal(at, NOON + 2 * H);
}

static void owner_triggers_partition_and_payers_are_taken(void **state)
{
    struct setres s = taken("-o GROUP:staff -c physics,staff,ann -T start+60;cancel -p "
                            "batch -Qhi -qa,b ALL");

    (void)state;
    assert_int_equal(s.owner_kind, CRED_GROUP);
    assert_string_equal(s.owner, "staff");
    assert_string_equal(s.charge[0], "physics");
    assert_string_equal(s.charge[1], "staff");
    assert_string_equal(s.charge[2], "ann");
    assert_int_equal(s.triggers.n, 1);
    assert_string_equal(s.partition, "batch");
    assert_int_equal(s.acl.entries.n, 3);
    assert_int_equal(s.acl.entries.v[0].type, ACL_QOS);
    assert_int_equal(s.acl.entries.v[2].type, ACL_CLASS);
    setres_fini(&s);
}

static void what_cannot_be_read_is_told(void **state)
{
    (void)state;
    assert_refused("", "empty word");
    assert_refused("-E", "is missing");
    assert_refused("-u ann", "is missing");
    assert_refused("ALL ALL", "given already");
    assert_refused("-y ann ALL", "unknown option");
    assert_refused("ALL -u", "-u: its value is missing");
    assert_refused("-Ex ALL", "no value");
    assert_refused("-d 0 ALL", "reserves nothing");
    assert_refused("-d soon ALL", "-d:");
    assert_refused("-s 25:00 ALL", "-s:");
    assert_refused("-s 14:00 -e 13:00 ALL", "before it starts");
    assert_refused("TASKS==0", "");
    assert_refused("TASKS==x", "");
    assert_refused("-x BYNAM ALL", "BYNAME");
    assert_refused("-r PROCS=0 ALL", "reserves nothing");
    assert_refused("-r PORCS=1 ALL", "PROCS");
    assert_refused("-o staff ALL", "-o:");
    assert_refused("-c a,b,c,d ALL", "ACCOUNT");
    assert_refused("-T never;cancel ALL", "-T:");
    assert_refused("-f a|b:c ALL", "either");
    assert_refused("-N x ALL", "-N:");
    assert_refused("-N ONEOF:MEMORY TASKS==2", "of FEATURE only");
    assert_refused("node[1", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_alone_is_from_now_without_an_end_for_nobody),
        cmocka_unit_test(the_name_is_the_given_one_else_the_first_with_access),
        cmocka_unit_test(
            values_are_attached_or_the_next_word_and_options_stand_anywhere),
        cmocka_unit_test(features_node_sets_subtypes_and_profiles_are_words),
        cmocka_unit_test(times_are_of_the_day_relative_or_seconds),
        cmocka_unit_test(owner_triggers_partition_and_payers_are_taken),
        cmocka_unit_test(what_cannot_be_read_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
