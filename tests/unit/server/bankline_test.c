/* SPDX-License-Identifier: Apache-2.0
 * Who is next at a bank elsewhere, and what follows from its answers; and a model of
 * all of it, with a daemon that is killed at any moment and a bank that answers late,
 * never, and takes what nobody waits for any more. */
#include "server/durable/bankline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define S UINT64_C(1000000)
#define T (10 * S) /* TIMEOUT */

static const struct bankline_options usual = {.asks_at_once = 2,
    .asks_of_one = 2,
    .tells_at_once = 2,
    .tries = 3,
    .timeout_us = T,
    .kind = 1};

/* Failures of the model are no sign that one is odd. */
static const struct bankline_options patient = {.asks_at_once = 2,
    .asks_of_one = 2,
    .tells_at_once = 2,
    .tries = 1000000,
    .timeout_us = T,
    .kind = 1};

static json_t *body(const char *verb)
{
    return json_pack("{s:s}", "verb", verb);
}

static struct bankline *begin(void)
{
    return bankline_new(&usual, 0);
}

static void ask(struct bankline *l, const char *job, const char *run, uint64_t now)
{
    bankline_ask(l, job, run, body("lien"), now);
    bankline_committed(l);
}

static void tell(struct bankline *l, uint64_t number, const char *run)
{
    bankline_tell(l, number, 1, run, body("charge"));
    bankline_committed(l);
}

/* The next one is of that run. */
static struct line_item *send_next(struct bankline *l, const char *run, uint64_t now)
{
    struct line_item *i = bankline_next(l, now);

    assert_non_null(i);
    assert_string_equal(line_item_run(i), run);
    return i;
}

static void check_none(struct bankline *l, uint64_t now)
{
    assert_null(bankline_next(l, now));
}

/* The bank takes it. */
static void take(struct bankline *l, struct line_item *i, uint64_t now)
{
    enum line_then then = bankline_answered(l, i, LINE_DONE, "", now);

    assert_true(then == LINE_TAKEN || then == LINE_STARTS);
    line_item_free(i);
}

static void leave(struct bankline *l, struct line_item *i, uint64_t now)
{
    assert_int_equal(bankline_answered(l, i, LINE_LATER, "away", now), LINE_AGAIN);
}

static void a_release_does_not_overtake_its_lien(void **state)
{
    struct bankline *l = begin();
    struct line_item *lien;
    bool sent = false;

    (void)state;
    ask(l, "7", "7.r1", 0);
    lien = send_next(l, "7.r1", 0);
    assert_true(bankline_asks(l, "7"));
    assert_true(bankline_forget(l, "7", "7.r1", &sent));
    assert_true(sent && !bankline_asks(l, "7"));
    tell(l, 1, "7.r1");
    check_none(l, S);
    tell(l, 2, "8.r1"); /* nobody else waits for that */
    take(l, send_next(l, "8.r1", S), S);
    assert_int_equal(bankline_answered(l, lien, LINE_DONE, "", 2 * S), LINE_FORGOTTEN);
    take(l, send_next(l, "7.r1", 2 * S), 2 * S);
    bankline_free(l);
}

static void a_lien_that_got_no_answer_may_come_late(void **state)
{
    struct bankline *l = begin();
    struct line_item *lien;

    (void)state;
    ask(l, "7", "7.r1", 0);
    lien = send_next(l, "7.r1", 0);
    assert_int_equal(bankline_answered(l, lien, LINE_LATER, "cut", S), LINE_FAILS);
    line_item_free(lien);
    tell(l, 1, "7.r1");
    check_none(l, 3 * S);
    check_none(l, S + T - 1);
    assert_int_equal(bankline_wake(l, 3 * S), S + T);
    take(l, send_next(l, "7.r1", S + T), S + T);
    bankline_free(l);
}

static void what_is_not_on_the_disk_is_not_sent(void **state)
{
    struct bankline *l = begin();

    (void)state;
    bankline_ask(l, "7", "7.r1", body("lien"), 0);
    bankline_tell(l, 1, 1, "6.r1", body("charge"));
    check_none(l, 0);
    bankline_committed(l);
    take(l, send_next(l, "7.r1", 0), 0);
    take(l, send_next(l, "6.r1", 0), 0);
    bankline_free(l);
}

static void tells_of_a_run_keep_their_order_and_others_go_beside_them(void **state)
{
    struct bankline *l = begin();
    struct line_item *a, *b;

    (void)state;
    tell(l, 1, "a");
    tell(l, 2, "a");
    tell(l, 3, "b");
    tell(l, 4, "c");
    a = send_next(l, "a", 0);
    b = send_next(l, "b", 0);
    check_none(l, 0); /* so many at once */
    take(l, b, 0);
    b = send_next(l, "c", 0);
    take(l, a, 0);
    a = send_next(l, "a", 0);
    assert_int_equal(line_item_number(a), 2);
    take(l, a, 0);
    take(l, b, 0);
    assert_int_equal(bankline_tells(l), 0);
    bankline_free(l);
}

/* A burst: each has all of its time from when it is sent, none waits for its turn
 * longer than that. */
static void a_burst_of_starts_takes_its_turn(void **state)
{
    struct bankline *l = begin();
    struct line_expired x;
    struct line_item *a, *b;
    char job[20];

    (void)state;
    for (int i = 0; i < 2000; i++) {
        snprintf(job, sizeof job, "%d", i);
        ask(l, job, job, 0);
    }
    a = send_next(l, "0", 0);
    b = send_next(l, "1", 0);
    check_none(l, 0);
    take(l, a, T - S);
    a = send_next(l, "2", T - S);            /* its time begins now */
    assert_true(bankline_expired(l, &x, T)); /* that of the second is over */
    assert_true(!x.turn && x.sent);
    assert_string_equal(x.job, "1");
    free(x.job);
    free(x.run);
    assert_false(
        bankline_is_failing(l));     /* it took another: it may be that one alone */
    for (int i = 3; i < 2000; i++) { /* their turn did not come in time */
        assert_true(bankline_expired(l, &x, T));
        assert_true(x.turn && !x.sent);
        free(x.job);
        free(x.run);
    }
    assert_false(bankline_expired(l, &x, T));
    assert_true(bankline_asks(l, "2"));
    take(l, a, T + S);
    assert_int_equal(bankline_answered(l, b, LINE_DONE, "", T + S), LINE_FORGOTTEN);
    ask(l, "x", "x", T + S);
    ask(l, "y", "y", T + S);
    ask(l, "z", "z", T + S);
    a = send_next(l, "x", T + S);
    b = send_next(l, "y", T + S);
    take(l, a, T + 2 * S);
    take(l, b, T + 2 * S);
    assert_false(bankline_expired(l, &x, T + 2 * S));
    assert_true(bankline_expired(l, &x, T + S + T)); /* nobody came for it */
    assert_true(x.turn && !x.sent);
    free(x.job);
    free(x.run);
    bankline_free(l);
}

static void answer_ask(
    struct bankline *l, const char *run, enum line_answer answer, uint64_t now)
{
    struct line_item *i = send_next(l, run, now);

    (void)bankline_answered(l, i, answer, "", now);
    line_item_free(i);
}

/* Nobody gets others' starts through unasked by a job that the bank chokes on. */
static void one_start_that_it_does_not_answer_says_nothing_of_the_bank(void **state)
{
    struct bankline *l = begin();

    (void)state;
    ask(l, "good", "good", 0);
    answer_ask(l, "good", LINE_DONE, 0);
    for (int i = 0; i < 5; i++) {
        ask(l, "odd", "odd", 0);
        answer_ask(l, "odd", LINE_LATER, 0);
        assert_false(bankline_is_failing(l));
        ask(l, "good", "good", 0);
        answer_ask(l, "good", LINE_REFUSED, 0);
    }
    ask(l, "odd", "odd", 0);
    answer_ask(l, "odd", LINE_LATER, 0);
    ask(l, "next", "next", 0);
    answer_ask(l, "next", LINE_LATER, 0);
    assert_true(bankline_is_failing(l)); /* two, and nothing taken between */
    bankline_free(l);
}

/* ---- a bank that is silent about one account --------------------------------------
 */

static const struct bankline_options wide = {.asks_at_once = 4,
    .asks_of_one = 2,
    .tells_at_once = 2,
    .tries = 3,
    .timeout_us = T,
    .kind = 1};

static void ask_for(
    struct bankline *l, const char *account, const char *job, uint64_t now)
{
    bankline_ask(
        l, job, job, json_pack("{s:s, s:s}", "account", account, "job", job), now);
    bankline_committed(l);
}

static unsigned expire_all(struct bankline *l, uint64_t now)
{
    struct line_expired x;
    unsigned n = 0;

    for (; bankline_expired(l, &x, now); n++) {
        assert_false(x.turn);
        free(x.job);
        free(x.run);
    }
    return n;
}

/* The call is killed, a moment after it was given up. */
static void end_hung(struct bankline *l, struct line_item *i, uint64_t now)
{
    assert_int_equal(bankline_answered(l, i, LINE_LATER, "", now), LINE_FORGOTTEN);
}

static void silence_about_one_account_stops_no_other(void **state)
{
    struct bankline *l = bankline_new(&wide, 0);
    struct line_item *a, *b;
    uint64_t now = 0;
    char job[20];

    (void)state;
    for (int i = 0; i < 50; i++) {
        snprintf(job, sizeof job, "slow%d", i);
        ask_for(l, "slow", job, 0);
    }
    a = send_next(l, "slow0", 0);
    b = send_next(l, "slow1", 0);
    check_none(l, 0); /* so many of one */
    ask_for(l, "chem", "chem0", 0);
    take(l, send_next(l, "chem0", 0), 0);
    now = T;
    assert_int_equal(expire_all(l, now), 50); /* their nodes are free at once */
    assert_false(bankline_is_failing(l));
    end_hung(l, a, now + 1);
    end_hung(l, b, now + 1);
    assert_false(bankline_is_failing(l)); /* it was one silence, noted once */
    for (int i = 0; i < 20; i++) {
        now += 2 * T;
        ask_for(l, "slow", "slow60", now); /* they come again, before the others */
        ask_for(l, "slow", "slow61", now);
        expire_all(l, now);
        snprintf(job, sizeof job, "chem%d", i);
        ask_for(l, "chem", job, now);
        take(l, send_next(l, job, now), now);
        assert_false(bankline_is_failing(l));
        a = bankline_next(l, now);
        check_none(l, now); /* one of that account at a time, after its own pauses */
        expire_all(l, now + T);
        if (a)
            end_hung(l, a, now + T + 1);
    }
    now += 400 * S;
    ask_for(l, "slow", "slow70", now);
    ask_for(l, "slow", "slow71", now);
    take(l, send_next(l, "slow70", now), now);
    take(l, send_next(l, "slow71", now), now);
    ask_for(l, "slow", "slow72", now); /* it is well: as many as of others */
    ask_for(l, "slow", "slow73", now);
    a = send_next(l, "slow72", now);
    take(l, send_next(l, "slow73", now), now);
    take(l, a, now);
    bankline_free(l);
}

/* Nobody else asked meanwhile: the bank seems to be away, and one who has not been kept
 * waiting yet is asked about all the same. */
static void in_a_pause_others_are_asked_about_one_at_a_time(void **state)
{
    struct bankline *l = bankline_new(&wide, 0);
    struct line_item *a;
    uint64_t now = S / 2;

    (void)state;
    ask_for(l, "slow", "slow0", 0);
    answer_ask(l, "slow0", LINE_LATER, 0);
    assert_true(bankline_is_failing(l));
    ask_for(l, "slow", "slow1", now);
    assert_int_equal(expire_all(l, now), 1);
    ask_for(l, "chem", "chem0", now);
    ask_for(l, "bio", "bio0", now);
    assert_int_equal(expire_all(l, now), 0);
    a = send_next(l, "chem0", now);
    check_none(l, now);
    assert_int_equal(expire_all(l, now), 0); /* it is not known yet */
    take(l, a, now);
    assert_false(bankline_is_failing(l));
    take(l, send_next(l, "bio0", now), now);
    /* it is silent about many: nobody waits for another try */
    for (int i = 0; i < 3; i++) {
        char name[20];
        snprintf(name, sizeof name, "x%d", i);
        ask_for(l, name, name, now);
        answer_ask(l, name, LINE_LATER, now);
    }
    ask_for(l, "chem", "chem1", now);
    ask_for(l, "bio", "bio1", now);
    a = send_next(l, "chem1", now);
    assert_int_equal(expire_all(l, now), 1);
    take(l, a, now);
    assert_false(bankline_is_failing(l));
    bankline_free(l);
}

/* Of its account others are answered: those go first, and it does not keep its nodes.
 */
static void a_job_that_got_no_answer_comes_after_others(void **state)
{
    struct bankline *l = bankline_new(&wide, 0);
    struct line_item *a, *b;
    struct line_expired x;

    (void)state;
    ask_for(l, "chem", "good", 0);
    answer_ask(l, "good", LINE_DONE, 0);
    for (int i = 0; i < 3; i++) {
        char job[20];
        snprintf(job, sizeof job, "odd%d", i);
        ask_for(l, "chem", job, 0);
        answer_ask(l, job, LINE_LATER, 0);
        ask_for(l, "chem", "good", 0);
        answer_ask(l, "good", LINE_DONE, 0);
    }
    ask_for(l, "chem", "odd0", 0);
    ask_for(l, "chem", "odd1", 0);
    ask_for(l, "chem", "odd2", 0);
    ask_for(l, "chem", "good", 0);
    ask_for(l, "chem", "fair", 0);
    take(l, send_next(l, "good", 0), 0);
    take(l, send_next(l, "fair", 0), 0);
    a = send_next(l, "odd0", 0);
    b = send_next(l, "odd1", 0);
    ask_for(l, "chem", "good", 0);
    take(l, send_next(l, "good", 0), 0);
    assert_true(bankline_expired(l, &x, 0));
    assert_string_equal(x.job, "odd2");
    assert_true(x.turn && x.late && !x.sent);
    free(x.job);
    free(x.run);
    assert_false(bankline_expired(l, &x, 0));
    assert_int_equal(bankline_answered(l, a, LINE_REFUSED, "", 0), LINE_STAYS);
    line_item_free(a);
    take(l, b, 0);
    ask_for(l, "chem", "odd0", 0); /* now as the others */
    ask_for(l, "chem", "fair", 0);
    take(l, send_next(l, "odd0", 0), 0);
    take(l, send_next(l, "fair", 0), 0);
    bankline_free(l);
}

/* Very many accounts, and jobs: what is known of them does not grow without end. */
static void of_very_many_accounts_those_are_known_that_asked_last(void **state)
{
    struct bankline *l = bankline_new(&wide, 0);
    char name[20];
    uint64_t now = 0;

    (void)state;
    for (int i = 0; i < 3000; i++, now += 400 * S) {
        snprintf(name, sizeof name, "n%d", i);
        ask_for(l, name, name, now);
        answer_ask(l, name, i % 2 ? LINE_LATER : LINE_DONE, now);
    }
    ask_for(l, "n1", "n1", now); /* forgotten: as anybody */
    ask_for(l, "n2999", "n2999", now);
    take(l, send_next(l, "n1", now), now);
    take(l, send_next(l, "n2999", now), now);
    bankline_free(l);
}

static void one_that_comes_back_takes_its_place(void **state)
{
    struct bankline *l = begin();
    struct line_item *i;
    json_t *o;

    (void)state;
    tell(l, 1, "a");
    tell(l, 2, "a");
    tell(l, 3, "a");
    o = json_incref(line_item_body(i = bankline_find(l, 2)));
    bankline_take_out(l, i);
    line_item_free(i);
    bankline_tell(l, 2, 1, "a", o);
    bankline_committed(l);
    i = send_next(l, "a", 0);
    assert_int_equal(line_item_number(i), 1);
    bankline_tell(l, 1000, 1, "b", body("charge"));
    take(l, i, 0);
    i = send_next(l, "a", 0);
    assert_int_equal(line_item_number(i), 2);
    take(l, i, 0);
    i = send_next(l, "a", 0); /* never before what is under way */
    tell(l, 1, "a");
    take(l, i, 0);
    take(l, send_next(l, "b", 0), 0);
    i = send_next(l, "a", 0);
    assert_int_equal(line_item_number(i), 1);
    take(l, i, 0);
    /* what is put first, and is not on the disk yet, is waited for */
    tell(l, 6, "c");
    bankline_tell(l, 5, 1, "c", body("lien"));
    check_none(l, 0);
    bankline_committed(l);
    i = send_next(l, "c", 0);
    assert_int_equal(line_item_number(i), 5);
    take(l, i, 0);
    bankline_free(l);
}

static void what_somebody_asks_for_is_tried_at_once(void **state)
{
    struct bankline *l = begin();
    struct line_item *i;
    uint64_t now = 100 * S;

    (void)state;
    tell(l, 1, "a");
    leave(l, send_next(l, "a", 0), 0);
    leave(l, send_next(l, "a", now), now);
    leave(l, send_next(l, "a", 2 * now), 2 * now);
    now = 2 * now + T; /* a call that was given up is not taken any more */
    check_none(l, 2 * 100 * S + 3 * S);
    bankline_hurry(l);
    i = send_next(l, "a", now);
    leave(l, i, now);
    tell(l, 2, "b");
    take(l, send_next(l, "b", now + 2 * S), now + 2 * S);
    bankline_hasten(l, bankline_find(l, 1));
    check_none(l, now + 2 * S); /* it may be taken late: that is waited for */
    take(l, send_next(l, "a", now + T), now + T);
    bankline_free(l);
}

/* The limit of a job is changed while its start is asked about. */
static void another_lien_is_asked_for_instead_or_told_after(void **state)
{
    struct bankline *l = begin();
    struct line_item *i;
    json_t *more = body("more");

    (void)state;
    ask(l, "7", "7.r1", 0);
    assert_true(bankline_ask_instead(l, "7", "7.r1", body("larger")));
    check_none(l, 0); /* not on the disk yet */
    bankline_committed(l);
    i = send_next(l, "7.r1", 0);
    assert_string_equal(
        json_string_value(json_object_get(line_item_body(i), "verb")), "larger");
    assert_false(bankline_ask_instead(l, "7", "7.r1", more));
    assert_false(bankline_ask_instead(l, "8", "8.r1", more));
    bankline_tell(l, 1, 1, "7.r1", more);
    bankline_committed(l);
    check_none(l, 0);
    assert_int_equal(bankline_answered(l, i, LINE_DONE, "", 0), LINE_STARTS);
    line_item_free(i);
    take(l, send_next(l, "7.r1", 0), 0);
    ask(l, "8", "8.r1", 0); /* nor is it told of a run before it was asked */
    ask(l, "9", "9.r1", 0);
    ask(l, "10", "10.r1", 0);
    tell(l, 2, "10.r1");
    take(l, send_next(l, "8.r1", 0), 0);
    take(l, send_next(l, "9.r1", 0), 0);
    take(l, send_next(l, "10.r1", 0), 0);
    assert_int_equal(bankline_tells(l), 1);
    take(l, send_next(l, "10.r1", 0), 0);
    bankline_free(l);
}

/* Of older releases: nobody knows for which bank they were. */
static void what_is_for_whichever_bank_waits_for_none(void **state)
{
    struct bankline *l = begin();
    struct bankline_options other = usual;

    (void)state;
    bankline_tell(l, 1, 0, "a", body("charge"));
    bankline_committed(l);
    other.kind = 0;
    bankline_configure(l, &other);
    check_none(l, 0);
    other.kind = 2;
    bankline_configure(l, &other);
    take(l, send_next(l, "a", 0), 0);
    bankline_free(l);
}

static void a_bank_that_is_away_is_tried_once_after_each_pause(void **state)
{
    struct bankline *l = begin();
    struct line_item *a, *b;
    uint64_t now = 0, pause = S;

    (void)state;
    tell(l, 1, "a");
    tell(l, 2, "b");
    tell(l, 3, "c");
    for (int i = 0; i < 6; i++, pause *= 2) {
        a = bankline_next(l, now);
        assert_non_null(a);
        if (i) /* one alone: the first time nobody knew */
            check_none(l, now);
        else
            leave(l, send_next(l, "b", now), now);
        leave(l, a, now);
        check_none(l, now + pause - 1);
        assert_int_equal(bankline_wake(l, now) > now + pause - 1, 1);
        now += pause > T ? pause : T + S;
    }
    /* it is back: all others go at once */
    now += 400 * S;
    take(l, bankline_next(l, now), now);
    a = bankline_next(l, now + T);
    b = bankline_next(l, now + T);
    take(l, a, now + T);
    take(l, b, now + T);
    bankline_free(l);
}

static void a_message_that_is_never_taken_stops_nobody_and_is_put_aside(void **state)
{
    struct bankline *l = begin();
    uint64_t now = 0, number = 1;
    enum line_then then = LINE_AGAIN;
    struct line_item *odd = NULL;
    int failures = 0;

    (void)state;
    tell(l, number++, "odd");
    for (int n = 0; n < 500 && then == LINE_AGAIN; n++) {
        struct line_item *i = bankline_next(l, now);
        while (i && strcmp(line_item_run(i), "odd") != 0) {
            take(l, i, now);
            i = bankline_next(l, now);
        }
        if (i) {
            odd = i;
            then = bankline_answered(l, i, LINE_LATER, "I do not like it", now);
            failures += bankline_is_failing(l);
        }
        now += 2 * S;
        tell(l, number, "other");
        number++;
    }
    assert_int_equal(then, LINE_ASIDE);
    assert_true(failures <= 2); /* then it does not speak for the bank any more */
    assert_string_equal(line_item_said(odd), "I do not like it");
    assert_true(json_is_true(json_object_get(line_item_body(odd), "again")));
    line_item_free(odd);
    bankline_free(l);
}

static void while_the_bank_is_away_nothing_is_put_aside(void **state)
{
    struct bankline *l = begin();
    uint64_t now = 0;

    (void)state;
    tell(l, 1, "a");
    tell(l, 2, "b");
    for (int day = 0; day < 2000; day++) {
        struct line_item *i;
        now += 400 * S;
        while ((i = bankline_next(l, now)))
            leave(l, i, now);
    }
    assert_int_equal(bankline_tells(l), 2);
    bankline_free(l);
}

static void what_it_cannot_judge_says_nothing_of_the_bank(void **state)
{
    struct bankline *l = begin();
    struct line_item *i;

    (void)state;
    ask(l, "7", "7.r1", 0);
    i = send_next(l, "7.r1", 0);
    assert_int_equal(bankline_answered(l, i, LINE_UNSURE, "who?", 0), LINE_FAILS);
    line_item_free(i);
    tell(l, 1, "a");
    i = send_next(l, "a", 0);
    assert_int_equal(bankline_answered(l, i, LINE_UNSURE, "who?", 0), LINE_AGAIN);
    assert_false(bankline_is_failing(l));
    check_none(l, S);
    bankline_free(l);
}

static void messages_wait_for_the_bank_that_they_are_for(void **state)
{
    struct bankline *l = begin();
    struct bankline_options other = usual;
    struct line_expired x;

    (void)state;
    tell(l, 1, "a");
    ask(l, "7", "7.r1", 0);
    other.kind = 2;
    bankline_configure(l, &other);
    assert_true(bankline_expired(l, &x, 0)); /* it is to be asked for anew */
    assert_true(x.turn);
    free(x.job);
    free(x.run);
    check_none(l, 100 * S);
    assert_true(bankline_wake(l, 0) == UINT64_MAX);
    tell(l, 3, "a"); /* behind it */
    assert_int_equal(line_item_number(bankline_first_of(l, "a")), 1);
    assert_null(bankline_first_of(l, "b"));
    other.kind = 0;
    bankline_configure(l, &other);
    check_none(l, 100 * S);
    bankline_configure(l, &usual);
    take(l, send_next(l, "a", 100 * S), 100 * S);
    take(l, send_next(l, "a", 100 * S), 100 * S);
    assert_null(bankline_first_of(l, "a"));
    bankline_free(l);
}

/* ---- the model --------------------------------------------------------------------
 */

enum { RUNS = 120, STEPS = 4000, CALLS = 40, MESSAGES = 1000 };

enum verb { LIEN, CHARGE, RELEASE };

/* What is in memory, and what of it is on the disk. */
struct fact {
    bool now, kept;
};

struct m_run {
    struct fact begun, unsent, over;
    bool lien, asked_for_nothing;
    unsigned charged; /* by the bank */
    bool paid;        /* a charge was told of */
    enum verb end;
};

struct m_message {
    struct fact there;
    unsigned run;
    enum verb verb;
};

/* Under way: the bank takes it at one instant, its answer comes at another; or never.
 */
struct m_call {
    struct line_item *item; /* NULL: of a daemon that is gone */
    unsigned run;
    enum verb verb;
    bool used, known; /* known: it had been charged when that was asked */
    uint64_t take_at, answer_at;
    enum line_answer answer;
};

struct model {
    struct bankline *l;
    uint64_t now;
    uint64_t number;
    struct m_run runs[RUNS];
    struct m_message messages[MESSAGES];
    struct m_call calls[CALLS];
    unsigned begun;
    bool calm; /* the bank is well, nobody is killed */
    uint64_t random;
};

static unsigned draw(struct model *m, unsigned below)
{
    m->random =
        m->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(m->random >> 33) % below;
}

static const char *run_name(unsigned run)
{
    static char name[20];

    snprintf(name, sizeof name, "%u.r1", run);
    return name;
}

static const char *job_name(unsigned run)
{
    static char name[20];

    snprintf(name, sizeof name, "%u", run);
    return name;
}

static void commit(struct model *m)
{
    for (unsigned i = 0; i < RUNS; i++) {
        m->runs[i].begun.kept = m->runs[i].begun.now;
        m->runs[i].unsent.kept = m->runs[i].unsent.now;
        m->runs[i].over.kept = m->runs[i].over.now;
    }
    for (unsigned i = 1; i <= m->number; i++)
        m->messages[i].there.kept = m->messages[i].there.now;
    bankline_committed(m->l);
}

static void tell_end(struct model *m, unsigned run, enum verb verb)
{
    struct m_message *msg = &m->messages[++m->number];

    assert_true(m->number < MESSAGES);
    *msg = (struct m_message){.there = {.now = true}, .run = run, .verb = verb};
    bankline_tell(m->l, m->number, 1, run_name(run),
        json_pack("{s:i, s:i}", "run", (int)run, "verb", (int)verb));
    m->runs[run].over.now = true;
    m->runs[run].end = verb;
}

/* As the desk does it (desk.c). */
static void begin_run(struct model *m)
{
    unsigned run = m->begun;

    if (run == RUNS)
        return;
    m->begun++;
    m->runs[run].begun.now = m->runs[run].unsent.now = true;
    bankline_ask(m->l, job_name(run), run_name(run),
        json_pack("{s:i, s:i, s:s, s:s}", "run", (int)run, "verb", (int)LIEN, "job",
            job_name(run), "account", run % 3 ? "chem" : "bio"),
        m->now);
}

static void end_run(struct model *m, unsigned run)
{
    struct m_run *r = &m->runs[run];
    bool sent = false, asked;

    if (!r->begun.now || r->over.now)
        return;
    asked = bankline_forget(m->l, job_name(run), run_name(run), &sent);
    if (asked && !sent) {
        r->over.now = r->asked_for_nothing = true;
        return;
    }
    tell_end(m, run, r->unsent.now ? RELEASE : draw(m, 3) ? CHARGE : RELEASE);
}

static void expire(struct model *m)
{
    struct line_expired x;

    while (bankline_expired(m->l, &x, m->now)) {
        unsigned run = (unsigned)atoi(x.job);
        if (x.turn || draw(m, 2)) { /* it waits: its run is over */
            if (x.sent)
                tell_end(m, run, RELEASE);
            else
                m->runs[run].over.now = m->runs[run].asked_for_nothing = true;
        } else {
            m->runs[run].unsent.now = false;
        }
        free(x.job);
        free(x.run);
    }
}

static struct m_call *free_call(struct model *m)
{
    for (unsigned i = 0; i < CALLS; i++)
        if (!m->calls[i].used)
            return &m->calls[i];
    return NULL;
}

static void send_some(struct model *m)
{
    struct m_call *c;
    struct line_item *i;

    expire(m);
    while ((c = free_call(m)) && (i = bankline_next(m->l, m->now))) {
        json_t *o = line_item_body(i);
        unsigned how = m->calm ? 0 : draw(m, 6);
        bool again = json_is_true(json_object_get(o, "again"));
        *c = (struct m_call){.item = i, .used = true};
        c->run = (unsigned)json_integer_value(json_object_get(o, "run"));
        c->verb = (enum verb)json_integer_value(json_object_get(o, "verb"));
        c->known = again && m->runs[c->run].charged;
        c->answer_at = m->now + draw(m, (unsigned)T);
        c->take_at = how == 1 ? UINT64_MAX /* it never gets there */
                     : how == 2
                         ? m->now + draw(m, (unsigned)T) /* when nobody waits */
                         : m->now + draw(m, (unsigned)(c->answer_at - m->now) + 1);
        c->answer = how == 0 || how > 3 ? LINE_DONE : LINE_LATER;
        if (c->answer == LINE_DONE && c->take_at > c->answer_at)
            c->take_at = c->answer_at;
    }
}

static void take_call(struct model *m, struct m_call *c)
{
    struct m_run *r = &m->runs[c->run];

    c->take_at = UINT64_MAX;
    if (c->verb == LIEN)
        r->lien = true;
    else
        r->lien = false;
    if (c->verb == CHARGE && !c->known)
        r->charged++;
}

static void answer_call(struct model *m, struct m_call *c)
{
    struct line_item *i = c->item;
    enum line_then then;

    c->answer_at = UINT64_MAX;
    c->item = NULL;
    if (!i)
        return; /* the daemon that asked is gone */
    uint64_t number = line_item_number(i);
    then = bankline_answered(m->l, i, c->answer, "", m->now);
    if (then == LINE_TAKEN || then == LINE_ASIDE) {
        assert_int_equal(then, LINE_TAKEN);
        m->messages[number].there.now = false;
        line_item_free(i);
    } else if (then == LINE_STARTS || then == LINE_FAILS) {
        m->runs[c->run].unsent.now = false;
        line_item_free(i);
    }
}

static void pass_time(struct model *m, uint64_t by)
{
    uint64_t until = m->now + by;

    for (;;) {
        struct m_call *next = NULL;
        uint64_t at = until;
        for (unsigned i = 0; i < CALLS; i++) {
            struct m_call *c = &m->calls[i];
            if (!c->used)
                continue;
            if (c->take_at <= at || c->answer_at <= at) {
                next = c;
                at = c->take_at < c->answer_at ? c->take_at : c->answer_at;
            }
        }
        if (!next)
            break;
        m->now = at;
        if (next->take_at == at)
            take_call(m, next);
        else
            answer_call(m, next);
        next->used = next->take_at != UINT64_MAX || next->answer_at != UINT64_MAX;
    }
    m->now = until;
}

/* Killed; what is on the disk is all that is left. Calls go on. */
static void kill_daemon(struct model *m)
{
    bankline_free(m->l);
    m->l = bankline_new(&patient, m->now);
    for (unsigned i = 0; i < CALLS; i++)
        m->calls[i].item = NULL;
    for (unsigned i = 1; i <= m->number; i++) {
        struct m_message *msg = &m->messages[i];
        msg->there.now = msg->there.kept;
        if (!msg->there.now)
            continue;
        bankline_tell(m->l, i, 1, run_name(msg->run),
            json_pack("{s:i, s:i, s:b}", "run", (int)msg->run, "verb", (int)msg->verb,
                "again", 1));
    }
    bankline_committed(m->l);
    bankline_hold_tells(m->l, m->now + T);
    for (unsigned i = 0; i < m->begun; i++) {
        struct m_run *r = &m->runs[i];
        r->begun.now = r->begun.kept;
        r->unsent.now = r->unsent.kept;
        r->over.now = r->over.kept;
        if (!r->begun.now)
            r->over.now = r->asked_for_nothing = true; /* it was never sent */
        else if (!r->over.now && r->unsent.now)
            tell_end(m, i, RELEASE);
    }
    commit(m);
}

static void step(struct model *m)
{
    unsigned what = draw(m, 100);

    if (what < 15)
        begin_run(m);
    else if (what < 40)
        end_run(m, draw(m, RUNS));
    else if (what < 70)
        commit(m);
    else if (what < 72 && !m->calm)
        kill_daemon(m);
    else
        pass_time(m, draw(m, 3) ? draw(m, (unsigned)S) : draw(m, (unsigned)(3 * T)));
    send_some(m);
}

static void check_model(const struct model *m, uint64_t seed)
{
    for (unsigned i = 0; i < m->begun; i++) {
        const struct m_run *r = &m->runs[i];
        unsigned due = r->end == CHARGE && !r->asked_for_nothing;
        if (r->charged != due || r->lien)
            fail_msg("seed %lu, run %u: charged %u times, due %u, lien %d",
                (unsigned long)seed, i, r->charged, due, r->lien);
    }
}

static void whatever_happens_each_run_is_charged_once(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct model *m = calloc(1, sizeof *m);
        m->random = seed;
        m->l = bankline_new(&patient, 0);
        for (unsigned i = 0; i < RUNS; i++)
            m->runs[i].end = RELEASE;
        for (int i = 0; i < STEPS; i++)
            step(m);
        m->calm = true;
        for (unsigned i = 0; i < m->begun; i++)
            end_run(m, i);
        for (int i = 0; i < 1000; i++) {
            commit(m);
            send_some(m);
            pass_time(m, 400 * S);
        }
        assert_int_equal(bankline_tells(m->l), 0);
        check_model(m, seed);
        bankline_free(m->l);
        free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_release_does_not_overtake_its_lien),
        cmocka_unit_test(a_lien_that_got_no_answer_may_come_late),
        cmocka_unit_test(what_is_not_on_the_disk_is_not_sent),
        cmocka_unit_test(tells_of_a_run_keep_their_order_and_others_go_beside_them),
        cmocka_unit_test(a_burst_of_starts_takes_its_turn),
        cmocka_unit_test(one_start_that_it_does_not_answer_says_nothing_of_the_bank),
        cmocka_unit_test(silence_about_one_account_stops_no_other),
        cmocka_unit_test(in_a_pause_others_are_asked_about_one_at_a_time),
        cmocka_unit_test(a_job_that_got_no_answer_comes_after_others),
        cmocka_unit_test(of_very_many_accounts_those_are_known_that_asked_last),
        cmocka_unit_test(one_that_comes_back_takes_its_place),
        cmocka_unit_test(what_somebody_asks_for_is_tried_at_once),
        cmocka_unit_test(another_lien_is_asked_for_instead_or_told_after),
        cmocka_unit_test(what_is_for_whichever_bank_waits_for_none),
        cmocka_unit_test(a_bank_that_is_away_is_tried_once_after_each_pause),
        cmocka_unit_test(a_message_that_is_never_taken_stops_nobody_and_is_put_aside),
        cmocka_unit_test(while_the_bank_is_away_nothing_is_put_aside),
        cmocka_unit_test(what_it_cannot_judge_says_nothing_of_the_bank),
        cmocka_unit_test(messages_wait_for_the_bank_that_they_are_for),
        cmocka_unit_test(whatever_happens_each_run_is_charged_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
