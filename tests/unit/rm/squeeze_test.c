/* SPDX-License-Identifier: Apache-2.0
 * Listings without what nobody reads, however they are cut into pieces. */
#include "cmocka_all.h"
#include "rm/adapter/squeeze.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const keep[] = {"id", "name", "tasks", NULL};
static const struct squeeze_kind xml = {.grammar = SQUEEZE_XML,
    .depth = 2,
    .keep = keep,
    .key = "id",
    .free = "tasks",
    .share = 100,
    .most = 1000};
static const char *const drop[] = {"env", NULL};
static const struct squeeze_kind json = {
    .grammar = SQUEEZE_JSON, .depth = 3, .drop = drop, .share = 100, .most = 1000};

/* The same in pieces of any size. */
static void check(const struct squeeze_kind *kind, const char *text, const char *wanted)
{
    size_t n = strlen(text);

    for (size_t piece = 1; piece <= n; piece += 1 + piece / 7) {
        struct squeeze *s = squeeze_new(kind);
        struct strbuf out = {0};

        for (size_t at = 0; at < n; at += piece)
            squeeze_feed(s, text + at, n - at < piece ? n - at : piece, &out);
        assert_string_equal(out.text, wanted);
        free(out.text);
        squeeze_free(s);
    }
}

/* `n` times the text. */
static char *repeat(const char *text, int n)
{
    struct strbuf b = {0};

    for (int i = 0; i < n; i++)
        strbuf_add(&b, text);
    return strbuf_take(&b);
}

static void members_that_nobody_reads_are_left_out_of_xml(void **state)
{
    (void)state;
    check(&xml,
        "<?xml version='1.0'?>\n<all x='a'><job><id>1</id><env><v><id>9</id></v></env>"
        "<args/><name>a</name></job><job><env/><id>2</id></job></all>",
        "<?xml version='1.0'?>\n<all x='a'><job><id>1</id>"
        "<name>a</name></job><job><id>2</id></job></all>");
    check(&xml,
        "<all><job ids><id>1</id><JATASK:   11.>x</JATASK:   11.></job ids></all>",
        "<all><job ids><id>1</id></job ids></all>");
}

static void a_record_of_xml_beyond_its_share_is_cut_to_its_key(void **state)
{
    char *long_text = repeat("0123456789", 20), text[2000];

    (void)state;
    snprintf(text, sizeof text,
        "<all><job><name>%s</name><id>1</id><name>x</name></job><job><id>2</id></job></"
        "all>",
        long_text);
    check(
        &xml, text, "<all><job><id>1</id><maui_cut/></job><job><id>2</id></job></all>");
    snprintf(text, sizeof text, "<all><job><id>1</id><tasks>%s</tasks></job></all>",
        long_text);
    check(&xml, text, text); /* that member does not count */
    free(long_text);
}

static void beyond_the_most_all_records_are_cut(void **state)
{
    char *jobs = repeat("<job><id>1</id><name>0123456789</name></job>", 40), *end;
    struct squeeze *s = squeeze_new(&xml);
    struct strbuf out = {0};

    (void)state;
    squeeze_feed(s, "<all>", 5, &out);
    squeeze_feed(s, jobs, strlen(jobs), &out);
    squeeze_feed(s, "</all>", 6, &out);
    end = strstr(out.text, "<job><id>1</id><maui_cut/></job>");
    assert_non_null(end);
    assert_in_range(end - out.text, 900, 1050);
    assert_null(strstr(end, "<name>"));
    assert_string_equal(out.text + out.len - strlen("</job></all>"), "</job></all>");
    free(out.text);
    squeeze_free(s);
    free(jobs);
}

/* What is left of many jobs of one user and some of another that come after. */
static void check_fair(const struct squeeze_kind *kind, const char *const *parts)
{
    char *many = repeat(parts[1], 40), *few = repeat(parts[2], 5);
    struct squeeze *s = squeeze_new(kind);
    struct strbuf out = {0};
    size_t whole = 0;

    squeeze_feed(s, parts[0], strlen(parts[0]), &out);
    squeeze_feed(s, many, strlen(many), &out);
    squeeze_feed(s, few, strlen(few), &out);
    squeeze_feed(s, parts[3], strlen(parts[3]), &out);
    for (const char *at = out.text; (at = strstr(at, "ann")) != NULL; at += 3)
        whole++;
    assert_in_range(whole, 4, 18); /* half of the room */
    whole = 0;
    for (const char *at = out.text; (at = strstr(at, "bob")) != NULL; at += 3)
        whole++;
    assert_int_equal(whole, 5);
    free(out.text);
    squeeze_free(s);
    free(many);
    free(few);
}

static void one_users_records_do_not_hide_those_of_another(void **state)
{
    static const char *const owners[] = {"id", "owner", NULL};
    static const struct squeeze_kind of_xml = {.grammar = SQUEEZE_XML,
                                         .depth = 2,
                                         .keep = owners,
                                         .key = "id",
                                         .payer = "owner",
                                         .share = 100,
                                         .most = 3000},
                                     of_json = {.grammar = SQUEEZE_JSON,
                                         .depth = 3,
                                         .drop = drop,
                                         .payer = "owner",
                                         .share = 100,
                                         .most = 3000};

    (void)state;
    check_fair(&of_xml,
        (const char *const[]){"<all>",
            "<job><id>0123456789012345678901234567890123456789012345678901234567</id>"
            "<owner>ann</owner></job>",
            "<job><id>2</id><owner>bob</owner></job>", "</all>"});
    check_fair(&of_xml, /* PBS names the host too, from which it came */
        (const char *const[]){"<all>",
            "<job><id>0123456789012345678901234567890123456789012345678901234567</id>"
            "<owner>ann@h1</owner></job>"
            "<job><id>0123456789012345678901234567890123456789012345678901234567</id>"
            "<owner>ann@h2</owner></job>",
            "<job><id>2</id><owner>bob@h1</owner></job>", "</all>"});
    check_fair(&of_json,
        (const char *const[]){"{\"Jobs\": {",
            "\"1\": {\"owner\": \"ann\", \"x\": "
            "\"012345678901234567890123456789012345678901234567890123456789\"}, ",
            "\"2\": {\"x\": [1], \"owner\": \"bob\"}, ", "\"3\": {}}}"});
}

static void members_that_nobody_reads_are_nought_in_json(void **state)
{
    (void)state;
    check(&json,
        "{\"t\": 1, \"Jobs\": {\"1.h\": {\"env\": {\"A\": \"}\\\"{\", \"env\": [1]}, "
        "\"n\": \"env\", \"r\": {\"env\": 2}}, \"2\": {\"n\":1,\"env\":\"x,}\"}}}",
        "{\"t\": 1, \"Jobs\": {\"1.h\": {\"env\":0, "
        "\"n\": \"env\", \"r\": {\"env\": 2}}, \"2\": {\"n\":1,\"env\":0}}}");
}

static void a_record_of_json_beyond_its_share_is_cut_to_its_key(void **state)
{
    char *long_text = repeat("0123456789", 20), text[2000];

    (void)state;
    snprintf(text, sizeof text,
        "{\"Jobs\":{\"1\":{\"a\":1,\"n\":\"%s\",\"env\":{}},\"2\":{\"n\":\"x\"}}}",
        long_text);
    check(&json, text, "{\"Jobs\":{\"1\":{\"maui_cut\":true},\"2\":{\"n\":\"x\"}}}");
    free(long_text);
}

static void any_bytes_are_passed_on_or_not_without_a_crash(void **state)
{
    unsigned seed = 7;
    static const char alphabet[] = "<>/{}[]\":,\\jobidenv ?!\0";

    (void)state;
    for (int round = 0; round < 2000; round++) {
        struct squeeze *s = squeeze_new(round % 2 ? &xml : &json);
        struct strbuf out = {0};

        for (int i = 0; i < 20; i++) {
            char text[17];

            for (size_t k = 0; k < sizeof text; k++) {
                seed = seed * 1103515245u + 12345u;
                text[k] = alphabet[(seed >> 16) % (sizeof alphabet - 1)];
            }
            squeeze_feed(s, text, sizeof text, &out);
        }
        free(out.text);
        squeeze_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_that_nobody_reads_are_left_out_of_xml),
        cmocka_unit_test(a_record_of_xml_beyond_its_share_is_cut_to_its_key),
        cmocka_unit_test(beyond_the_most_all_records_are_cut),
        cmocka_unit_test(one_users_records_do_not_hide_those_of_another),
        cmocka_unit_test(members_that_nobody_reads_are_nought_in_json),
        cmocka_unit_test(a_record_of_json_beyond_its_share_is_cut_to_its_key),
        cmocka_unit_test(any_bytes_are_passed_on_or_not_without_a_crash),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
