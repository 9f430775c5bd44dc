/* SPDX-License-Identifier: Apache-2.0
 * EPORT: what is not to stop the adapter's loop. */
#include "cmocka_all.h"
#include "rm/adapter/eport.h"

#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* In place of the C library's: a name server that does not answer. */
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
    struct addrinfo **res)
{
    (void)node;
    (void)service;
    (void)hints;
    (void)res;
    for (;;)
        pause();
}

struct scene {
    sd_event *loop;
    struct eport *port;
    int number, woken;
};

static void count_wake(void *ctx)
{
    ((struct scene *)ctx)->woken++;
}

static struct sockaddr_in address(int number)
{
    return (struct sockaddr_in){.sin_family = AF_INET,
        .sin_port = htons((uint16_t)number),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static int find_free_port(void)
{
    struct sockaddr_in a = address(0);
    socklen_t len = sizeof a;
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    assert_int_equal(bind(fd, (struct sockaddr *)&a, len), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &len), 0);
    close(fd);
    return ntohs(a.sin_port);
}

static void open_port(struct scene *s, const char *host)
{
    struct err err = {0};

    assert_int_equal(sd_event_new(&s->loop), 0);
    s->number = find_free_port();
    s->port = eport_new(s->loop,
        &(struct eport_spec){
            .host = host, .port = s->number, .woken = count_wake, .ctx = s},
        &err);
    if (s->port == NULL)
        fail_msg("%s", err.text);
}

static void close_port(struct scene *s)
{
    eport_destroy(s->port);
    sd_event_unref(s->loop);
}

static int call(const struct scene *s)
{
    struct sockaddr_in a = address(s->number);
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof a), 0);
    return fd;
}

static void wait_woken(struct scene *s)
{
    time_t until = time(NULL) + 60;

    while (s->woken == 0 && time(NULL) < until)
        assert_true(sd_event_run(s->loop, 100000) >= 0);
    assert_int_equal(s->woken, 1);
}

static void a_name_server_that_does_not_answer_stops_nothing(void **state)
{
    struct scene s = {0};
    int fd;

    (void)state;
    alarm(100); /* else it is the whole run that hangs */
    open_port(&s, "master.cluster");
    fd = call(&s);
    wait_woken(&s);
    close(fd);
    close_port(&s);
    alarm(0);
}

/* The port stays ready as long as the caller waits: the loop would do nothing else. */
static void a_caller_that_no_file_is_left_for_waits(void **state)
{
    struct scene s = {0};
    struct rlimit was, none;
    struct timespec begin, now;
    int fd, turns = 0;

    (void)state;
    open_port(&s, NULL);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
    fd = call(&s);
    none = (struct rlimit){(rlim_t)fd + 1, was.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        turns += sd_event_run(s.loop, 100000) > 0;
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (
        (now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000
        < 500);
    setrlimit(RLIMIT_NOFILE, &was);
    assert_true(turns <= 2);
    assert_int_equal(s.woken, 0);
    wait_woken(&s);
    close(fd);
    close_port(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_server_that_does_not_answer_stops_nothing),
        cmocka_unit_test(a_caller_that_no_file_is_left_for_waits),
    };

    return cmocka_run_group_tests_name("eport", tests, NULL, NULL);
}
