/* SPDX-License-Identifier: Apache-2.0
 * Connections that owe a request: how long they may, and who gives way. */
#include "server/http/connections.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

struct pair {
    int ours, theirs;
    struct connection *connection;
};

static struct pair come_from(struct connections *c, uid_t user)
{
    int ends[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    return (struct pair){ends[0], ends[1], connections_add(c, ends[0], user)};
}

static struct pair come(struct connections *c)
{
    return come_from(c, 0);
}

/* Has it been given up? Its client reads the end. */
static bool given_up(const struct pair *p)
{
    char c;

    return read(p->theirs, &c, 1) == 0;
}

static void leave(struct connections *c, struct pair *p)
{
    connections_remove(c, p->connection);
    close(p->ours);
    close(p->theirs);
}

static struct connections *make(sd_event **loop, unsigned wait_s, unsigned max)
{
    struct connections *c;
    struct err err;

    assert_true(sd_event_new(loop) >= 0);
    assert_int_equal(connections_open(*loop, wait_s, max, &c, &err), 0);
    return c;
}

static void turn(sd_event *loop)
{
    for (int i = 0; i < 20; i++)
        sd_event_run(loop, 1000);
}

static void one_that_sends_no_whole_request_in_time_is_given_up(void **state)
{
    sd_event *loop;
    struct connections *c = make(&loop, 0, 100);
    struct pair silent = come(c), slow = come(c);

    (void)state;
    assert_int_equal(write(slow.theirs, "G", 1), 1);
    turn(loop);
    assert_true(given_up(&silent));
    assert_true(given_up(&slow));
    leave(c, &silent);
    leave(c, &slow);
    connections_close(c);
    sd_event_unref(loop);
}

static void one_whose_request_is_served_may_take_its_time(void **state)
{
    sd_event *loop;
    struct connections *c = make(&loop, 0, 100);
    struct pair p = come(c);

    (void)state;
    connections_serve(c, p.connection);
    turn(loop);
    assert_false(given_up(&p));
    connections_served(c, p.connection);
    turn(loop);
    assert_true(given_up(&p));
    leave(c, &p);
    connections_close(c);
    sd_event_unref(loop);
}

static void when_room_runs_out_the_longest_silent_give_way(void **state)
{
    enum { N = 14, MAX = 16 }; /* three of the room are kept for newcomers */
    sd_event *loop;
    struct connections *c = make(&loop, 1000, MAX);
    struct pair p[N + 1];

    (void)state;
    for (int i = 0; i < N - 1; i++)
        p[i] = come(c);
    connections_serve(c, p[0].connection);
    connections_serve(c, p[1].connection);
    connections_served(c, p[1].connection); /* waits again, for less time than others */
    for (int i = 0; i < N - 1; i++)
        assert_false(given_up(&p[i]));
    p[N - 1] = come(c);
    assert_false(given_up(&p[0])); /* is being served */
    assert_false(given_up(&p[1]));
    assert_true(given_up(&p[2]));
    assert_false(given_up(&p[3]));
    for (int i = 0; i < N; i++)
        leave(c, &p[i]);
    connections_close(c);
    sd_event_unref(loop);
}

static void the_user_with_most_gives_way(void **state)
{
    sd_event *loop;
    struct connections *c = make(&loop, 30, 5); /* one is spare */
    struct pair one = come_from(c, 1),
                many[3] = {come_from(c, 2), come_from(c, 2), come_from(c, 2)};

    (void)state;
    struct pair late = come_from(c, 3);
    assert_true(given_up(&many[0]));
    assert_false(given_up(&one));
    assert_false(given_up(&late));
    leave(c, &one);
    leave(c, &late);
    for (int i = 0; i < 3; i++)
        leave(c, &many[i]);
    connections_close(c);
    sd_event_unref(loop);
}

static void nobody_holds_more_than_a_share_of_memory(void **state)
{
    sd_event *loop;
    struct connections *c = make(&loop, 30, 100);
    struct pair p[6];
    struct err err;

    (void)state;
    for (uid_t i = 0; i < 6; i++)
        p[i] = come_from(c, i);
    for (int i = 0; i < 3; i++)
        assert_int_equal(
            connections_hold(c, p[i].connection, BODIES_SHARE, BODIES_SHARE, &err), 0);
    assert_int_equal(connections_hold(c, p[0].connection, 1, 1, &err), -1);
    assert_int_equal(/* the last part is for small ones */
        connections_hold(c, p[4].connection, BODIES_SHARE, BODIES_SHARE, &err), -1);
    assert_int_equal(
        connections_hold(c, p[5].connection, BODY_SMALL, BODY_SMALL, &err), 0);
    connections_let_go(c, p[1].connection);
    connections_let_go(c, p[5].connection); /* it counts for large ones as well */
    assert_int_equal(
        connections_hold(c, p[4].connection, BODIES_SHARE, BODIES_SHARE, &err), 0);
    for (int i = 0; i < 6; i++)
        leave(c, &p[i]);
    connections_close(c);
    sd_event_unref(loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_user_with_most_gives_way),
        cmocka_unit_test(nobody_holds_more_than_a_share_of_memory),
        cmocka_unit_test(one_that_sends_no_whole_request_in_time_is_given_up),
        cmocka_unit_test(one_whose_request_is_served_may_take_its_time),
        cmocka_unit_test(when_room_runs_out_the_longest_silent_give_way),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
