/* SPDX-License-Identifier: Apache-2.0
 * Logins and sessions: who gets in, how often, and until when. */
#include "cmocka_all.h"
#include "server/sessions/sessions.h"

#include <stdio.h>
#include <string.h>

static const struct session_wish usual = {.level_most = -1};

static struct identity person(uid_t uid)
{
    return (struct identity){.uid = uid, .user = "ann", .group = "staff"};
}

static void take_login(
    struct sessions *s, uid_t uid, int64_t now, char ret[SECRET_CHARS + 1])
{
    struct identity who = person(uid);
    struct err err;

    assert_int_equal(sessions_login(s, &who, &usual, now, ret, &err), 0);
    assert_int_equal(strlen(ret), SECRET_CHARS);
}

static struct exchanged enter(struct sessions *s, uid_t uid, int64_t now)
{
    char login[SECRET_CHARS + 1];
    struct exchanged e;
    struct err err;

    take_login(s, uid, now, login);
    assert_int_equal(sessions_exchange(s, login, "::1", now, &e, &err), EXCHANGE_DONE);
    return e;
}

static bool is_in(struct sessions *s, const struct exchanged *e, int64_t now)
{
    const char *why;

    return sessions_find(s, e->secret, now, &why) != NULL;
}

static void a_login_serves_for_a_minute(void **state)
{
    struct sessions *s = sessions_new();
    char login[SECRET_CHARS + 1];
    struct exchanged e;
    struct err err;

    (void)state;
    take_login(s, 1, 1000, login);
    assert_int_equal(
        sessions_exchange(s, login, "", 1000 + LOGIN_S, &e, &err), EXCHANGE_UNKNOWN);
    take_login(s, 1, 1000, login);
    assert_int_equal(
        sessions_exchange(s, login, "", 999 + LOGIN_S, &e, &err), EXCHANGE_DONE);
    assert_string_equal(e.session->who.session, e.session->id);
    sessions_free(s);
}

static void a_second_use_ends_the_first(void **state)
{
    struct sessions *s = sessions_new();
    char login[SECRET_CHARS + 1];
    struct exchanged first, second;
    const char *why;
    struct err err;

    (void)state;
    take_login(s, 1, 0, login);
    assert_int_equal(sessions_exchange(s, login, "", 0, &first, &err), EXCHANGE_DONE);
    assert_true(is_in(s, &first, 500));
    assert_int_equal(
        sessions_exchange(s, login, "", 500, &second, &err), EXCHANGE_TWICE);
    assert_string_equal(second.user, "ann");
    assert_null(sessions_find(s, first.secret, 500, &why));
    assert_non_null(why);
    assert_int_equal(
        sessions_exchange(s, login, "", 501, &second, &err), EXCHANGE_UNKNOWN);
    sessions_free(s);
}

static void a_session_ends_when_it_is_left_alone(void **state)
{
    struct sessions *s = sessions_new();
    struct exchanged e = enter(s, 1, 0);

    (void)state;
    assert_true(is_in(s, &e, SESSION_IDLE_S - 1));
    assert_int_equal(
        sessions_expire(s, SESSION_IDLE_S, NULL, NULL), 2 * SESSION_IDLE_S - 1);
    assert_false(is_in(s, &e, 2 * SESSION_IDLE_S - 1));
    assert_int_equal(sessions_expire(s, 2 * SESSION_IDLE_S - 1, NULL, NULL), 0);
    assert_null(sessions_at(s, 0));
    sessions_free(s);
}

static void a_session_ends_after_its_time_however_busy(void **state)
{
    struct sessions *s = sessions_new();
    struct exchanged e = enter(s, 1, 0);

    (void)state;
    for (int64_t now = 0; now < SESSION_S; now += 1000)
        assert_true(is_in(s, &e, now));
    assert_false(is_in(s, &e, SESSION_S));
    sessions_free(s);
}

static void failures_close_the_door_for_a_minute(void **state)
{
    struct sessions *s = sessions_new();
    char login[SECRET_CHARS + 1];
    struct exchanged e;
    struct err err;

    (void)state;
    take_login(s, 1, 100, login);
    for (int i = 0; i < FAILURES_MAX; i++)
        assert_int_equal(
            sessions_exchange(s, "guess", "", 100, &e, &err), EXCHANGE_UNKNOWN);
    assert_int_equal(sessions_exchange(s, "guess", "", 101, &e, &err), EXCHANGE_LATER);
    assert_int_equal(e.again_s, FAILURES_S - 1);
    /* who comes from elsewhere is looked at */
    assert_int_equal(
        sessions_exchange(s, "guess", "10.0.0.2", 101, &e, &err), EXCHANGE_UNKNOWN);
    for (int k = 0; k < 100; k++) { /* many others do not open it again */
        char peer[32];
        snprintf(peer, sizeof peer, "10.1.0.%d", k);
        assert_int_equal(
            sessions_exchange(s, "guess", peer, 102, &e, &err), EXCHANGE_UNKNOWN);
    }
    assert_int_equal(sessions_exchange(s, "guess", "", 103, &e, &err), EXCHANGE_LATER);
    /* an address of IPv6 is one of as many as one likes */
    for (int i = 0; i < FAILURES_MAX; i++) {
        char peer[48];
        snprintf(
            peer, sizeof peer, "2001:db8:1:2:%x::%x%s", i, i + 1, i & 1 ? "%eth0" : "");
        assert_int_equal(
            sessions_exchange(s, "guess", peer, 103, &e, &err), EXCHANGE_UNKNOWN);
    }
    assert_int_equal(sessions_exchange(s, "guess", "2001:db8:1:2::ffff", 103, &e, &err),
        EXCHANGE_LATER);
    assert_int_equal(sessions_exchange(s, "guess", "2001:db8:1:3::1", 103, &e, &err),
        EXCHANGE_UNKNOWN);
    for (int i = 0; i < 2 * FAILURES_MAX; i++) { /* addresses of IPv4 are none */
        char peer[48];
        snprintf(peer, sizeof peer, "::ffff:10.2.0.%d", i);
        assert_int_equal(
            sessions_exchange(s, "guess", peer, 103, &e, &err), EXCHANGE_UNKNOWN);
    }
    /* who has one is never kept out */
    assert_int_equal(sessions_exchange(s, login, "", 101, &e, &err), EXCHANGE_DONE);
    take_login(s, 1, 100 + FAILURES_S, login);
    assert_int_equal(
        sessions_exchange(s, login, "", 100 + FAILURES_S, &e, &err), EXCHANGE_DONE);
    for (int64_t i = 0; i < 3 * FAILURES_MAX; i++) /* seldom enough */
        assert_int_equal(sessions_exchange(s, "guess", "", 1000 + 7 * i, &e, &err),
            EXCHANGE_UNKNOWN);
    for (int i = 0; i < 3 * FAILURES_MAX; i++) { /* nor is there an end of addresses */
        char peer[32];
        for (int k = 0; k < 100; k++) {
            snprintf(peer, sizeof peer, "10.0.%d.%d", i, k);
            assert_int_equal(
                sessions_exchange(s, "guess", peer, 2000, &e, &err), EXCHANGE_UNKNOWN);
        }
    }
    sessions_free(s);
}

static void a_user_has_ten_and_all_have_two_hundred(void **state)
{
    struct sessions *s = sessions_new();
    char login[SECRET_CHARS + 1];
    struct exchanged e;
    struct err err;

    (void)state;
    for (uid_t uid = 0; uid < SESSIONS_MAX / SESSIONS_USER; uid++)
        for (int i = 0; i < SESSIONS_USER; i++)
            enter(s, uid, 0);
    for (uid_t uid = 0; uid < 2; uid++) {
        take_login(s, uid ? 4711 : 0, 0, login);
        assert_int_equal(sessions_exchange(s, login, "", 0, &e, &err), EXCHANGE_FULL);
    }
    assert_non_null(sessions_at(s, SESSIONS_MAX - 1));
    assert_true(sessions_end(s, sessions_at(s, 0)->id, "over"));
    assert_int_equal(sessions_exchange(s, login, "", 0, &e, &err), EXCHANGE_DONE);
    sessions_free(s);
}

static void a_user_takes_no_more_logins_than_a_share(void **state)
{
    struct sessions *s = sessions_new();
    struct identity who = person(1), other = person(2);
    char login[SECRET_CHARS + 1];
    struct err err;
    int n = 0;

    (void)state;
    while (n < 1000 && sessions_login(s, &who, &usual, 0, login, &err) == 0)
        n++;
    assert_int_equal(n, 20);
    assert_int_equal(sessions_login(s, &other, &usual, 0, login, &err), 0);
    assert_int_equal(sessions_login(s, &who, &usual, LOGIN_S, login, &err), 0);
    sessions_free(s);
}

static void requests_are_counted_by_the_second(void **state)
{
    struct sessions *s = sessions_new();
    struct exchanged e = enter(s, 1, 0);
    char id[9];
    int n = 0;

    (void)state;
    memcpy(id, e.session->id, sizeof id);
    while (n < 1000 && sessions_admit(s, id, 0))
        n++;
    assert_int_equal(n, SESSION_BURST);
    for (n = 0; n < 1000 && sessions_admit(s, id, 1); n++)
        ;
    assert_int_equal(n, SESSION_RATE);
    assert_false(sessions_admit(s, "nobody", 1));
    sessions_free(s);
}

static void what_is_no_secret_opens_nothing(void **state)
{
    static const char *const odd[] = {"", "x",
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"};
    struct sessions *s = sessions_new();
    const char *why;

    (void)state;
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        assert_null(sessions_find(s, odd[i], 0, &why));
        assert_null(why);
    }
    sessions_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_login_serves_for_a_minute),
        cmocka_unit_test(a_second_use_ends_the_first),
        cmocka_unit_test(a_session_ends_when_it_is_left_alone),
        cmocka_unit_test(a_session_ends_after_its_time_however_busy),
        cmocka_unit_test(failures_close_the_door_for_a_minute),
        cmocka_unit_test(a_user_has_ten_and_all_have_two_hundred),
        cmocka_unit_test(a_user_takes_no_more_logins_than_a_share),
        cmocka_unit_test(requests_are_counted_by_the_second),
        cmocka_unit_test(what_is_no_secret_opens_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
