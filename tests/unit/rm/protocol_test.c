/* SPDX-License-Identifier: Apache-2.0
 * The WIKI protocol: frames, sums, answers. */
#include "cmocka_all.h"
#include "rm/wiki/frame.h"
#include "rm/wiki/reply.h"
#include "rm/wiki/seal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MESSAGE "CMD=GETJOBS ARG=0:ALL"
#define NOW     INT64_C(1000000000)

/* The payload that comes of the bytes, given `step` at a time; NULL with an error. */
static char *read_steps(const char *bytes, size_t n, size_t step, struct err *err)
{
    struct frame f = {0};
    char *text = NULL;
    int whole = 0;

    for (size_t at = 0; whole == 0 && at < n; at += step)
        whole = frame_take(&f, bytes + at, n - at < step ? n - at : step, err);
    if (whole > 0)
        text = strbuf_take(&f.body);
    frame_fini(&f);
    return text;
}

static void a_frame_comes_whole_and_in_bits(void **state)
{
    struct strbuf out = {0};
    struct err err = {0};

    (void)state;
    frame_write(&out, "CMD=GETNODES ARG=0:ALL", 22);
    assert_string_equal(out.text, "00000022\nCMD=GETNODES ARG=0:ALL");
    strbuf_add(&out, "00000003\nbehind it");
    for (size_t step = 1; step < 60; step++) {
        char *text = read_steps(out.text, out.len, step, &err);

        assert_string_equal(text, "CMD=GETNODES ARG=0:ALL");
        free(text);
    }
    assert_null(read_steps(out.text, 30, 7, &err)); /* one byte is missing */
    assert_int_equal(err.code, ERR_NONE);
    free(out.text);
}

static void what_is_no_frame_is_refused(void **state)
{
    static const char *const wrong[] = {"00000000\n", "0000002 \n", "00000022 C",
        "-0000022\n", "HTTP/1.1 400", "99999999\n", "0x000022\n"};

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct err err = {0};

        assert_null(read_steps(wrong[i], strlen(wrong[i]), 1, &err));
        assert_int_equal(err.code, ERR_INVALID);
    }
}

static void check_sum(enum seal_kind kind, const char *key, const char *expected)
{
    struct seal s = {kind, key};
    struct strbuf out = {0};
    struct err err = {0};
    char sum[SEAL_SUM_MAX], text[200];
    const char *message;
    int64_t made_at;
    size_t n;

    assert_int_equal(
        seal_sum(&s, "TS=1000000000 AUTH=mira DT=" MESSAGE, 48, sum, &err), 0);
    assert_string_equal(sum, expected);
    assert_int_equal(seal_write(&s, "mira", NOW, MESSAGE, &out, &err), 0);
    snprintf(text, sizeof text, "CK=%s TS=1000000000 AUTH=mira DT=" MESSAGE, expected);
    assert_string_equal(out.text, text);
    assert_int_equal(
        seal_open(&s, out.text, out.len, NOW + 7, NOW, &message, &n, &made_at, &err),
        0);
    assert_int_equal(n, strlen(MESSAGE));
    assert_memory_equal(message, MESSAGE, n);
    assert_true(made_at == NOW);
    for (size_t i = 0; i < out.len; i++) { /* each byte counts */
        out.text[i] ^= 1;
        assert_int_equal(
            seal_open(&s, out.text, out.len, NOW, 0, &message, &n, &made_at, &err), -1);
        out.text[i] ^= 1;
    }
    free(out.text);
}

/* Of DES the reference has a check value; the others were made by another program. */
static void sums_are_those_of_the_protocol(void **state)
{
    (void)state;
    check_sum(SEAL_DES, "123", "12e577c94d64c521");
    check_sum(SEAL_DES, "0x7b", "12e577c94d64c521");
    check_sum(SEAL_HMAC, "a key", "9961040b8cf67d791ccbb3aee42f6fe3f1bd8ff0");
    check_sum(SEAL_HMAC64, "a key", "slyov7FWoeBjCN+80UksaOU9cdE=");
    check_sum(SEAL_MD5, "a key", "5c99c1cccd08cce7d322785b92082df6");
}

static const char *open_at(int64_t now, int64_t not_before, struct err *err)
{
    struct seal s = {SEAL_HMAC, "a key"};
    struct strbuf out = {0};
    const char *message;
    int64_t made_at;
    size_t n;
    int result;

    *err = (struct err){0};
    assert_int_equal(seal_write(&s, "mira", NOW, "SC=0", &out, err), 0);
    result =
        seal_open(&s, out.text, out.len, now, not_before, &message, &n, &made_at, err);
    free(out.text);
    return result == 0 ? "" : err->text;
}

static void an_answer_has_its_time(void **state)
{
    struct err err;

    (void)state;
    assert_string_equal(open_at(NOW, NOW, &err), "");
    assert_string_equal(open_at(NOW - SEAL_SKEW_S, 0, &err), "");
    assert_string_equal(open_at(NOW + SEAL_SKEW_S, NOW, &err), "");
    assert_non_null(strstr(open_at(NOW - SEAL_SKEW_S - 1, 0, &err), "clocks"));
    assert_non_null(strstr(open_at(NOW + SEAL_SKEW_S + 1, 0, &err), "clocks"));
    assert_non_null(strstr(open_at(NOW, NOW + 1, &err), "played again"));
}

/* A newline behind MD5's sum, the end of a text behind the message. */
static void what_programs_put_around_it_is_left_out(void **state)
{
    static const char text[] =
        "CK=5c99c1cccd08cce7d322785b92082df6\n TS=1000000000 AUTH=mira DT=" MESSAGE
        "\0";
    struct seal md5 = {SEAL_MD5, "a key"}, none = {SEAL_NONE, ""};
    struct err err = {0};
    const char *message;
    int64_t made_at;
    size_t n;

    (void)state;
    assert_int_equal(
        seal_open(&md5, text, sizeof text, NOW, 0, &message, &n, &made_at, &err), 0);
    assert_int_equal(n, strlen(MESSAGE));
    assert_int_equal(
        seal_open(&none, "SC=0", 5, NOW, 0, &message, &n, &made_at, &err), 0);
    assert_int_equal(n, 4);
    assert_int_equal(
        seal_open(&md5, "SC=0 ARG=0#", 11, NOW, 0, &message, &n, &made_at, &err), -1);
}

static int read_reply(const char *text, struct wiki_reply *r, struct err *err)
{
    *err = (struct err){0};
    return wiki_reply_read(text, strlen(text), r, err);
}

static void answers_are_taken_apart(void **state)
{
    static const char *const said[] = {"SC=-1 RESPONSE=unknown job j99",
        "SC=-1;RESPONSE=unknown job j99", "SC=-1 RSP=unknown job j99",
        "SC=-1;RSP=unknown job j99", " sc=-1  response=unknown job j99"};
    struct wiki_reply r;
    struct err err;

    (void)state;
    for (size_t i = 0; i < sizeof said / sizeof said[0]; i++) {
        assert_int_equal(read_reply(said[i], &r, &err), 0);
        assert_int_equal(r.code, -1);
        assert_int_equal(r.text_n, 15);
        assert_memory_equal(r.text, "unknown job j99", 15);
        assert_int_equal(wiki_reply_records(&r, &err), -1);
    }
    assert_int_equal(read_reply("SC=0", &r, &err), 0);
    assert_int_equal(r.code, 0);
    assert_int_equal(r.text_n, 0);
    assert_int_equal(wiki_reply_records(&r, &err), -1); /* it has no list */
    assert_int_equal(read_reply("SC=3 RESPONSE=well", &r, &err), 0);
    assert_int_equal(r.code, 3);
    assert_int_equal(read_reply("", &r, &err), -1);
    assert_int_equal(read_reply("ARG=0#", &r, &err), -1);
    assert_int_equal(read_reply("SC=", &r, &err), -1);
    assert_int_equal(read_reply("SC=-", &r, &err), -1);
    assert_int_equal(read_reply("SC=0 ARG=", &r, &err), -1);
    assert_int_equal(read_reply("SC=0 ARG=-2#n1:STATE=Idle;", &r, &err), -1);
}

static void a_list_is_as_long_as_it_says(void **state)
{
    struct wiki_reply r;
    struct err err;

    (void)state;
    assert_int_equal(read_reply("SC=0 ARG=0", &r, &err), 0);
    assert_int_equal(wiki_reply_records(&r, &err), 0);
    assert_int_equal(read_reply("SC=0 ARG=0#", &r, &err), 0);
    assert_int_equal(wiki_reply_records(&r, &err), 0);
    assert_int_equal(read_reply("SC=0 ARG=2#n1:STATE=Idle;#n2:OS=a\\#b;", &r, &err), 0);
    assert_int_equal(wiki_reply_records(&r, &err), 0);
    assert_int_equal(wiki_reply_form(&r), WIKI_REPLY);
    assert_int_equal(read_reply("SC=0 ARG=3#n1:STATE=Idle;#n2:OS=a\\#b;", &r, &err), 0);
    assert_int_equal(wiki_reply_records(&r, &err), -1);
}

/* One user's quote would join the jobs of others to his. */
static void a_quote_in_a_text_joins_no_records(void **state)
{
    static const char two[] = "SC=0 ARG=2#j1:UNAME=u;COMMENT=5\" disk;STATE=Running;"
                              "#j2:UNAME=v;STATE=Idle;",
                      three[] = "SC=0 ARG=3#j1:UNAME=u;COMMENT=5\" disk;STATE=Running;"
                                "#j2:UNAME=v;STATE=Idle;"
                                "#j3:UNAME=w;COMMENT=\"a;UNAME=root\";",
                      forged[] = "SC=0 ARG=1#j1:COMMENT=5\" #j2:UNAME=root;#j3:X=1;";
    struct wiki_reply r;
    struct err err;

    (void)state;
    assert_int_equal(read_reply(two, &r, &err), 0);
    assert_int_equal(wiki_reply_records(&r, &err), 0);
    assert_int_equal(wiki_reply_form(&r), WIKI_BARE);
    assert_int_equal(read_reply(three, &r, &err), 0);
    assert_int_equal(wiki_reply_records(&r, &err), 0);
    assert_int_equal(wiki_reply_form(&r), WIKI_BARE);
    assert_int_equal(read_reply(forged, &r, &err), 0);
    assert_int_equal(wiki_reply_form(&r), WIKI_REPLY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_comes_whole_and_in_bits),
        cmocka_unit_test(what_is_no_frame_is_refused),
        cmocka_unit_test(sums_are_those_of_the_protocol),
        cmocka_unit_test(an_answer_has_its_time),
        cmocka_unit_test(what_programs_put_around_it_is_left_out),
        cmocka_unit_test(answers_are_taken_apart),
        cmocka_unit_test(a_list_is_as_long_as_it_says),
        cmocka_unit_test(a_quote_in_a_text_joins_no_records),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
