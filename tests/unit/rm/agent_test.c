/* SPDX-License-Identifier: Apache-2.0
 * The loop of an adapter, in a process of its own with a daemon's lines before it: what
 * comes of an order that is lost while looks go well. */
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "cmocka_all.h"
#include "rm/adapter/agent.h"
#include "rm/adapter/clock.h"
#include "rm/wire.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_MS 60000

/* ---- a driver: looks end when a signal is "sent", a cancel is lost ---- */

struct toy {
    struct agent *agent;
    struct listing *jobs;
    int begun, ends; /* looks; of those that may end */
    bool looking;
    char cut[8]; /* a job that is there, and cannot be read */
};

static void tell(struct toy *t, const char *id, const char *name)
{
    struct req_desc one = {.tasks = 1, .access = ACCESS_UNSET};
    struct rm_job j = {
        .desc = {.id = id, .state = JOB_IDLE, .reqs = &one, .nreqs = 1}, .name = name};
    struct rm_report r = {.kind = RM_JOB, .at = 1, .u.job = &j};

    listing_tell(t->jobs, id, &r, agent_sink(t->agent));
}

static void end_look(struct toy *t)
{
    char name[20];

    if (!t->looking || t->ends == 0)
        return;
    t->ends--;
    t->looking = false;
    snprintf(name, sizeof name, "look%d", t->begun);
    listing_begin(t->jobs);
    tell(t, "1", name);
    if (*t->cut)
        agent_keep_job(t->agent, t->jobs, t->cut);
    else
        tell(t, "2", "ever");
    listing_end(t->jobs, true, agent_sink(t->agent));
    agent_looked(t->agent, NULL, NULL);
}

static void *open_toy(struct agent *a, const struct link_opening *o, struct err *err)
{
    struct toy *t = xcalloc(1, sizeof *t);

    (void)o;
    (void)err;
    t->agent = a;
    t->jobs = listing_new(&(struct listing_kind){.gone = RM_JOB_GONE});
    return t;
}

static void close_toy(void *ctx)
{
    struct toy *t = ctx;

    listing_destroy(t->jobs);
    free(t);
}

static void begin_look(void *ctx)
{
    struct toy *t = ctx;

    t->looking = true;
    t->begun++;
    agent_health(t->agent, "look", "begun");
    end_look(t);
}

static void retell(void *ctx)
{
    listing_forget(((struct toy *)ctx)->jobs);
}

static void take_order(void *ctx, const struct rm_command *c)
{
    struct toy *t = ctx;

    if (c->action == RM_CANCEL)
        agent_done(t->agent, c->token, RM_LOST, c->job, "nobody knows");
    else if (c->action == RM_START)
        agent_pending(t->agent, c, PATIENCE_MS);
    else if (c->action == RM_HOLD)
        snprintf(t->cut, sizeof t->cut, "%s", c->job);
    else
        t->ends++;
    end_look(t);
}

static const struct agent_driver driver = {.program = "toy",
    .poll_ms = PATIENCE_MS,
    .open = open_toy,
    .close = close_toy,
    .look = begin_look,
    .retell = retell,
    .command = take_order};

/* What was ordered has come about whenever somebody looks. */
static void land_all(void *ctx)
{
    struct toy *t = ctx;

    while (pending_count(agent_orders(t->agent)) > 0)
        pending_land(agent_orders(t->agent), 0, RM_OK, NULL);
}

static const struct agent_driver checking = {.program = "toy",
    .poll_ms = PATIENCE_MS,
    .open = open_toy,
    .close = close_toy,
    .look = begin_look,
    .check = land_all,
    .command = take_order};

static void start_at_once(void *ctx, const struct rm_command *c)
{
    struct toy *t = ctx;

    if (c->action == RM_START)
        agent_done(t->agent, c->token, RM_OK, c->job, NULL);
    else
        take_order(ctx, c);
}

static const struct agent_driver prompt = {.program = "toy",
    .poll_ms = PATIENCE_MS,
    .open = open_toy,
    .close = close_toy,
    .look = begin_look,
    .retell = retell,
    .command = start_at_once};

/* ---- the daemon's side ---- */

struct daemon {
    pid_t pid;
    int fd;
    struct strbuf in, told; /* told: reports as words */
    int looks, syncs, dones;
};

/* A line, with its end. Takes it. */
static void say(struct daemon *d, char *line)
{
    assert_int_equal(send(d->fd, line, strlen(line), MSG_NOSIGNAL), strlen(line));
    free(line);
}

static void order(struct daemon *d, enum rm_action action, const char *job)
{
    say(d,
        wire_command(&(struct rm_command){
            .action = action, .token = 7, .job = job, .signal = 1, .wclimit_s = 60}));
}

static int begin_with(const struct agent_driver *toy, void **state)
{
    struct daemon *d = xcalloc(1, sizeof *d);
    int ends[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    d->pid = fork();
    if (d->pid == 0) {
        dup2(ends[1], STDIN_FILENO);
        close(ends[0]);
        close(ends[1]);
        _exit(agent_main(toy));
    }
    close(ends[1]);
    d->fd = ends[0];
    say(d, xstrdup("{\"open\": {\"name\": \"toy\", \"home\": \".\", \"attributes\": "
                   "{}}}\n"));
    *state = d;
    return 0;
}

static int begin(void **state)
{
    return begin_with(&driver, state);
}

static int begin_checking(void **state)
{
    return begin_with(&checking, state);
}

static int begin_prompt(void **state)
{
    return begin_with(&prompt, state);
}

static int end(void **state)
{
    struct daemon *d = *state;
    int status;

    close(d->fd);
    assert_int_equal(waitpid(d->pid, &status, 0), d->pid);
    assert_int_equal(status, 0);
    free(d->in.text);
    free(d->told.text);
    free(d);
    return 0;
}

static void note_line(struct daemon *d, const char *text, size_t len)
{
    struct reader reader;
    struct wire_room room;
    struct rm_report r;
    struct err err;

    assert_int_equal(reader_open(&reader, "line", text, len, &err), 0);
    if (wire_read_report(&reader, &r, &room, &err) < 0)
        fail_msg("%.*s: %s", (int)len, text, err.text);
    if (r.kind == RM_JOB)
        strbuf_printf(&d->told, "%s:%s ", r.u.job->desc.id, r.u.job->name);
    else if (r.kind == RM_JOB_KEPT)
        strbuf_printf(&d->told, "%s:kept ", r.u.name);
    else if (r.kind == RM_DONE)
        strbuf_printf(&d->told, "%s ", r.u.done.outcome == RM_LOST ? "lost" : "done");
    else if (r.kind == RM_SYNCED)
        strbuf_add(&d->told, "synced");
    d->syncs += r.kind == RM_SYNCED;
    d->dones += r.kind == RM_DONE;
    d->looks += r.kind == RM_HEALTH && strcmp(r.u.health.function, "look") == 0;
    reader_close(&reader);
}

/* Until so much has been told. */
static void hear(struct daemon *d, const int *counter, int until)
{
    while (*counter < until) {
        char *eol = d->in.len > 0 ? memchr(d->in.text, '\n', d->in.len) : NULL,
             room[4096];

        if (eol != NULL) {
            note_line(d, d->in.text, (size_t)(eol - d->in.text));
            d->in.len -= (size_t)(eol + 1 - d->in.text);
            memmove(d->in.text, eol + 1, d->in.len);
            continue;
        }
        struct pollfd in = {.fd = d->fd, .events = POLLIN};
        if (poll(&in, 1, PATIENCE_MS) == 0)
            fail_msg(
                "after \"%s\" nothing more comes", d->told.len ? d->told.text : "");
        ssize_t n = recv(d->fd, room, sizeof room, 0);
        assert_true(n > 0);
        strbuf_add_n(&d->in, room, (size_t)n);
    }
}

/* All that is told up to RM_SYNCED. */
static void expect(struct daemon *d, const char *text)
{
    hear(d, &d->syncs, d->syncs + 1);
    assert_string_equal(d->told.text, text);
    d->told.len = 0;
}

static void an_order_lost_while_looks_go_well_is_settled_by_the_next(void **state)
{
    struct daemon *d = *state;

    order(d, RM_SIGNAL, "1");
    expect(d, "1:look1 2:ever synced");
    order(d, RM_CANCEL, "1");
    order(d, RM_SIGNAL, "1");
    expect(d, "lost 1:look2 2:ever synced");
}

/* What it tells may be of before the order. */
static void a_look_that_was_under_way_does_not_settle_it(void **state)
{
    struct daemon *d = *state;

    hear(d, &d->looks, 1);
    order(d, RM_SIGNAL, "1");
    expect(d, "1:look1 2:ever synced");
    say(d, xstrdup("{\"poll\": true}\n"));
    hear(d, &d->looks, 2);
    order(d, RM_CANCEL, "1");
    order(d, RM_SIGNAL, "1");
    order(d, RM_SIGNAL, "1");
    expect(d, "lost 1:look2 1:look3 2:ever synced");
}

static void other_orders_stay_pending(void **state)
{
    struct daemon *d = *state;

    order(d, RM_SIGNAL, "1");
    expect(d, "1:look1 2:ever synced");
    order(d, RM_START, "2");
    order(d, RM_CANCEL, "1");
    order(d, RM_SIGNAL, "1");
    expect(d, "lost 1:look2 2:ever synced"); /* once: the start is not */
}

static void what_cannot_be_read_is_not_missed_when_all_is_told_anew(void **state)
{
    struct daemon *d = *state;

    order(d, RM_SIGNAL, "1");
    expect(d, "1:look1 2:ever synced");
    order(d, RM_HOLD, "2");
    order(d, RM_CANCEL, "1");
    order(d, RM_SIGNAL, "1");
    expect(d, "lost 1:look2 2:kept synced");
}

/* The daemon orders again what was lost: without a pause that would turn at full speed.
 */
static void orders_that_are_lost_again_and_again_are_settled_later(void **state)
{
    struct daemon *d = *state;
    int64_t began_ms;

    order(d, RM_SIGNAL, "1");
    expect(d, "1:look1 2:ever synced");
    order(d, RM_CANCEL, "1");
    order(d, RM_SIGNAL, "1");
    expect(d, "lost 1:look2 2:ever synced");
    began_ms = clock_ms();
    order(d, RM_CANCEL, "1");
    order(d, RM_SIGNAL, "1");
    expect(d, "lost 1:look3 2:ever synced");
    assert_true(clock_ms() - began_ms >= 1000);
}

/* A look may take as long as it likes, and one at all is not made for them. */
static void orders_are_checked_beside_looks(void **state)
{
    struct daemon *d = *state;

    order(d, RM_SIGNAL, "1");
    expect(d, "1:look1 2:ever synced");
    order(d, RM_START, "2");
    hear(d, &d->dones, 1);
    say(d, xstrdup("{\"poll\": true}\n"));
    hear(d, &d->looks, 2);
    for (int i = 0; i < 30; i++)
        order(d, RM_START, "1");
    hear(d, &d->dones, 31);
    order(d, RM_SIGNAL, "1");
    order(d, RM_SIGNAL, "1");
    assert_int_equal(d->looks, 2);
}

/* The daemon that ordered it is being ended, or was killed: nobody was told of it. */
static void no_start_is_made_by_who_is_told_to_end(void **state)
{
    struct daemon *d = *state;

    order(d, RM_SIGNAL, "1");
    expect(d, "1:look1 2:ever synced");
    assert_int_equal(kill(d->pid, SIGTERM), 0);
    order(d, RM_START, "2");
    order(d, RM_CANCEL, "1");
    order(d, RM_SIGNAL, "1");
    expect(d, "lost 1:look2 2:ever synced"); /* else "done lost" */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            an_order_lost_while_looks_go_well_is_settled_by_the_next, begin, end),
        cmocka_unit_test_setup_teardown(
            a_look_that_was_under_way_does_not_settle_it, begin, end),
        cmocka_unit_test_setup_teardown(other_orders_stay_pending, begin, end),
        cmocka_unit_test_setup_teardown(
            what_cannot_be_read_is_not_missed_when_all_is_told_anew, begin, end),
        cmocka_unit_test_setup_teardown(
            orders_that_are_lost_again_and_again_are_settled_later, begin, end),
        cmocka_unit_test_setup_teardown(
            orders_are_checked_beside_looks, begin_checking, end),
        cmocka_unit_test_setup_teardown(
            no_start_is_made_by_who_is_told_to_end, begin_prompt, end),
    };

    return cmocka_run_group_tests_name("agent", tests, NULL, NULL);
}
