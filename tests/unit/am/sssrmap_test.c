/* SPDX-License-Identifier: Apache-2.0
 * What GOLD servers are told and answer, byte by byte. The sums of both documents were
 * made by another program (tests/support/gold_server.py). */
#include "am/bank/sssrmap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define KEY "a key of the site"

static const char request[] =
    "<Body><Request action=\"Query\" actor=\"root\"><Object>Job</Object><Get "
    "name=\"Charge\"></Get><Where name=\"JobId\">7.r1</Where></Request></Body>";

static const char answer[] =
    "<?xml version='1.0' encoding='UTF-8'?><Envelope><Body><Response "
    "actor='root'><Status><Value>Success</Value><Code>000</Code><Message>One job, "
    "&lt;found&gt;</Message></Status><Count>1</Count><Data><Job><Charge>57600.5</"
    "Charge>"
    "</Job></Data></Response></"
    "Body><Signature><DigestValue>ZGmF4ZPd4QrUz4aFTUJnwvq4BF4="
    "</DigestValue><SignatureValue>/OCNyZ9Iqj78fbzNAgaV1ozFmpI=</SignatureValue>"
    "<SecurityToken type='Symmetric'/></Signature></Envelope>";

static void a_request_is_signed_as_others_sign_it(void **state)
{
    char *document = sssrmap_envelope(request, KEY);

    (void)state;
    assert_non_null(strstr(document, request));
    assert_non_null(strstr(document,
        "<Signature><DigestValue>GmGIOuQwgtbBEQkUFm7GfHNm9Kc=</DigestValue>"
        "<SignatureValue>bkIaTp7nlJv5CX6hDc8KtwejmwI=</SignatureValue>"));
    free(document);
}

static void what_xml_has_no_place_for_is_left_out(void **state)
{
    struct strbuf out = {0};

    (void)state;
    sssrmap_escape(&out, "a<\xef\xbf\xbe&\x01\x7f\xef\xbf\xbf\xef\xbf\xbd\xc3\xa4");
    assert_string_equal(out.text, "a&lt;&amp;\xef\xbf\xbd\xc3\xa4");
    free(out.text);
}

static void an_answer_is_read_if_it_is_signed(void **state)
{
    struct sssrmap_response r;
    struct err err;

    (void)state;
    assert_int_equal(sssrmap_read(answer, strlen(answer), KEY, &r, &err), 0);
    assert_int_equal(r.code, 0);
    assert_int_equal(r.count, 1);
    assert_string_equal(r.message, "One job, <found>");
    assert_string_equal(r.charge, "57600.5");
    assert_int_equal(sssrmap_read(answer, strlen(answer), "another", &r, &err), -1);
}

/* No part of it, and none with a byte that is another, but where nothing is said. */
static void no_other_answer_is_believed(void **state)
{
    size_t n = strlen(answer), body = (size_t)(strstr(answer, "<Body>") - answer),
           end = (size_t)(strstr(answer, "<Security") - answer);
    struct sssrmap_response r;
    struct err err;

    (void)state;
    for (size_t i = 0; i < n; i++) {
        char *other =
            malloc(i + 1); /* of that very length: nothing is read behind it */
        memcpy(other, answer, i);
        assert_int_equal(sssrmap_read(other, i, KEY, &r, &err), -1);
        free(other);
    }
    for (size_t i = body; i < end; i++) {
        char *other = strdup(answer);
        other[i] = other[i] == 'x' ? 'y' : 'x';
        assert_int_equal(sssrmap_read(other, n, KEY, &r, &err), -1);
        free(other);
    }
}

/* The code of a body that is signed. */
static int code_of(const char *body)
{
    char *document = sssrmap_envelope(body, KEY);
    struct sssrmap_response r;
    struct err err;

    assert_int_equal(sssrmap_read(document, strlen(document), KEY, &r, &err), 0);
    free(document);
    return r.code;
}

static void only_a_code_of_the_response_itself_says_how_it_came_out(void **state)
{
    static const struct {
        const char *body;
        int code;
    } rows[] = {
        {"<Body><Response><Status><Code>782</Code></Status></Response></Body>", 782},
        {"<Body><Response><Status><Code></Code></Status></Response></Body>", -1},
        {"<Body><Response><Status><Code>none</Code></Status></Response></Body>", -1},
        {"<Body><Response><Status><Code>-7</Code></Status></Response></Body>", -1},
        {"<Body><Response><Status><Code>7827827827827</Code></Status></Response></"
         "Body>",
            -1},
        {"<Body><Response><Status/></Response></Body>", -1},
        {"<Body><Response><Status><Code>784</Code></Status><Data><Job><Status><Code>0"
         "</Code></Status></Job></Data></Response></Body>",
            784},
        {"<Body><Code>000</Code></Body>", -1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(code_of(rows[i].body), rows[i].code);
}

/* A job that was charged once more for nothing has been charged. */
static void the_largest_charge_counts(void **state)
{
    char *document = sssrmap_envelope(
        "<Body><Response><Status><Code>0</Code></Status><Data><Job><Charge>0</Charge>"
        "</Job><Job><Charge>12.5</Charge></Job><Job><Charge>9</Charge></Job></Data>"
        "</Response></Body>",
        KEY);
    struct sssrmap_response r;
    struct err err;

    (void)state;
    assert_int_equal(sssrmap_read(document, strlen(document), KEY, &r, &err), 0);
    assert_string_equal(r.charge, "12.5");
    free(document);
}

static void long_texts_are_cut(void **state)
{
    struct strbuf body = {0};

    (void)state;
    strbuf_add(&body, "<Body><Response><Status><Code>784</Code><Message>");
    for (int i = 0; i < 100000; i++)
        strbuf_add(&body, "no funds ");
    strbuf_add(&body, "</Message></Status></Response></Body>");
    assert_int_equal(code_of(body.text), 784);
    free(body.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_is_signed_as_others_sign_it),
        cmocka_unit_test(what_xml_has_no_place_for_is_left_out),
        cmocka_unit_test(an_answer_is_read_if_it_is_signed),
        cmocka_unit_test(no_other_answer_is_believed),
        cmocka_unit_test(only_a_code_of_the_response_itself_says_how_it_came_out),
        cmocka_unit_test(the_largest_charge_counts),
        cmocka_unit_test(long_texts_are_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
