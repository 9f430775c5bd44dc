/* SPDX-License-Identifier: Apache-2.0
 * What the daemon makes of what happens, without waiting for it: jobs on nodes that are
 * down, jobs that use more than they asked for. The clock is set. */
#include "server/api/rights.h"
#include "server/events/eventlog.h"
#include "server/events/metrics.h"
#include "server/events/statfile.h"
#include "server/events/watch.h"
#include "server/journal/journal.h"
#include "server/managers/manager.h"
#include "server/managers/private.h"
#include "server/managers/reservation.h"
#include "server/server_private.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

static char *home_of(void)
{
    char path[] = "/tmp/maui-happenings-XXXXXX";

    assert_non_null(mkdtemp(path));
    return xstrdup(path);
}

/* A daemon with two nodes of four processors, whose loop does not turn. */
static struct server *open_server(const char *parameters)
{
    struct server *s = xcalloc(1, sizeof *s);
    struct err err = {0};
    sigset_t mask;

    sigemptyset(&mask);
    sigaddset(&mask, SIGCHLD);
    sigprocmask(SIG_BLOCK, &mask, NULL);
    s->paths.home = home_of();
    s->opt.nodes = "1";
    assert_true(sd_event_new(&s->loop) >= 0);
    s->log = log_open(&(struct log_options){.path = "/dev/null"}, &err);
    s->config = config_load_text("test", parameters, strlen(parameters));
    s->engine = engine_create(
        s->config->settings, &(struct engine_options){.statistics = true});
    char path[200];
    snprintf(path, sizeof path, "%s/state.db", s->paths.home);
    assert_int_equal(store_open(path, NULL, &s->store, &err), 0);
    s->unsaved = unsaved_open(s->store);
    s->clock = clock_create(s->loop);
    s->api.rights = rights_new();
    journal_open(s);
    world_open(s);
    watch_open(s);
    metrics_open(s);
    assert_int_equal(eventlog_open(s, &err), 0);
    assert_int_equal(commit_open(s, &err), 0);
    assert_int_equal(cycle_open(s, &err), 0);
    assert_int_equal(manager_open(s, &err), 0);
    err_set(&err, ERR_IO, "so orders go nowhere");
    commit_failed(s, &err);
    for (int i = 1; i <= 2; i++) {
        struct event ev = {.kind = EVENT_NODE,
            .u.node = {.name = i == 1 ? "n1" : "n2",
                .state = NODE_IDLE,
                .cfg = {.v = {[RES_PROCS] = 4, [RES_MEM] = 1000}}}};
        assert_int_equal(world_apply(s, &ev, NULL, &err), 0);
    }
    return s;
}

static void close_server(struct server *s)
{
    char command[100];

    manager_close(s);
    cycle_close(s);
    unsaved_close(s->unsaved);
    store_close(s->store);
    eventlog_close(s);
    statfile_close(s);
    commit_close(s);
    watch_close(s);
    free(s->events.metrics);
    world_close(s);
    journal_close(s);
    clock_destroy(s->clock);
    engine_destroy(s->engine);
    rights_free(s->api.rights);
    config_destroy(s->config);
    log_close(s->log);
    sd_event_unref(s->loop);
    snprintf(command, sizeof command, "rm -rf %s", s->paths.home);
    assert_int_equal(system(command), 0);
    free(s->paths.home);
    free(s);
}

/* On n1, all of it, for an hour. */
static const struct job *start_job(struct server *s, const char *id, int64_t mem_mb)
{
    struct req_desc req = {
        .per_task = {.v = {[RES_PROCS] = 2, [RES_MEM] = mem_mb}}, .tasks = 2, .tpn = 2};
    struct event ev = {.kind = EVENT_SUBMIT,
        .u.job = {.id = id,
            .cred = {[CRED_USER] = "ann", [CRED_GROUP] = "staff"},
            .submit_at = world_now(s),
            .wclimit_s = 3600,
            .reqs = &req,
            .nreqs = 1}};
    struct err err = {0};

    assert_int_equal(world_apply(s, &ev, NULL, &err), 0);
    world_cycle(s);
    const struct job *j = job_find(engine_cluster(s->engine), id);
    if (!job_is_active(j))
        fail_msg("it waits: %s", j->extra ? j->extra->hold_text : "");
    ev = (struct event){.kind = EVENT_JOB_STATE,
        .u.job_state = {.id = id,
            .state = JOB_RUNNING,
            .places = (struct job_place[]){{.node = "n1", .tasks = 2}},
            .nplaces = 1}};
    assert_int_equal(world_apply(s, &ev, NULL, &err), 0);
    return j;
}

static void node_is(struct server *s, const char *name, enum node_state state)
{
    struct event ev = {.kind = EVENT_NODE_STATE, .u.node_state = {name, state}};
    struct err err;

    assert_int_equal(world_apply(s, &ev, NULL, &err), 0);
}

/* How many of these were told; the text of the last has these words. */
static void expect(
    struct server *s, enum event_name what, unsigned n, const char *words)
{
    enum event_name found;
    const char *last = "";
    unsigned count = 0;

    eventlog_committed(s);
    for (int64_t i = eventlog_first(s); i < eventlog_next(s); i++) {
        const char *line = eventlog_line(s, i, &found);
        if (found == what) {
            count++;
            last = line;
        }
    }
    if (count != n || (words && !strstr(last, words)))
        fail_msg("%s: %u times, at last %s", event_name_text(what), count, last);
}

static void a_job_on_a_node_that_stays_down_is_told_once(void **state)
{
    struct server *s = open_server("");

    (void)state;
    start_job(s, "1", 0);
    node_is(s, "n1", NODE_DOWN);
    expect(s, NODEDOWN, 1, "node 'n1' is Down");
    clock_told(s->clock, world_now(s) + 299);
    world_cycle(s);
    expect(s, JOBCORRUPTION, 0, NULL);
    clock_told(s->clock, world_now(s) + 1);
    world_cycle(s);
    world_cycle(s);
    expect(s, JOBCORRUPTION, 1, "job '1' is on node 'n1'");
    close_server(s);
}

static void a_node_that_comes_back_leaves_no_corruption(void **state)
{
    struct server *s = open_server("");

    (void)state;
    start_job(s, "1", 0);
    node_is(s, "n1", NODE_DOWN);
    node_is(s, "n1", NODE_IDLE);
    expect(s, NODEUP, 1, "node 'n1' is");
    clock_told(s->clock, world_now(s) + 1000);
    world_cycle(s);
    expect(s, JOBCORRUPTION, 0, NULL);
    close_server(s);
}

static void a_reservation_that_begins_with_nothing_is_told(void **state)
{
    struct server *s = open_server("SRCFG[good] HOSTLIST=n1 PERIOD=INFINITY\n"
                                   "SRCFG[typo] HOSTLIST=nod1 PERIOD=INFINITY\n");

    (void)state;
    world_cycle(s);
    clock_told(s->clock, world_now(s) + 1000);
    world_cycle(s);
    expect(s, RESERVATIONCORRUPTION, 1, "its host list names no node there is");
    close_server(s);
    s = open_server("SRCFG[wide] RESOURCES=PROCS:5 TASKCOUNT=1 PERIOD=INFINITY\n");
    world_cycle(s);
    expect(s, RESERVATIONCORRUPTION, 1, "no node is large enough for its tasks");
    close_server(s);
}

static void what_the_resource_manager_does_by_itself_is_told(void **state)
{
    struct server *s = open_server("");
    struct event ev = {
        .kind = EVENT_JOB_STATE, .u.job_state = {.id = "1", .state = JOB_IDLE}};
    struct err err;

    (void)state;
    start_job(s, "1", 0);
    expect(s, JOBSTART, 1, "is started"); /* once: the report of it is no news */
    assert_int_equal(world_apply(s, &ev, NULL, &err), 0);
    expect(s, JOBREQUEUE, 1, "put back by the resource manager");
    ev.u.job_state.state = JOB_RUNNING;
    ev.u.job_state.places = (struct job_place[]){{.node = "n2", .tasks = 2}};
    ev.u.job_state.nplaces = 1;
    assert_int_equal(world_apply(s, &ev, NULL, &err), 0);
    expect(s, JOBSTART, 2, "started by the resource manager");
    close_server(s);
}

/* A report: so much processor time, and memory, ten seconds later. */
static void report(struct server *s, const struct job *j, double cpu_s, int64_t mem_mb)
{
    struct job_notes *n = world_notes(s, j);

    clock_told(s->clock, world_now(s) + 10);
    n->cpu_s = cpu_s;
    n->mem_mb = mem_mb;
    reslimit_measure(&n->usage, cpu_s, world_now(s));
    reslimit_check(s);
}

static void too_many_processors_are_acted_on_at_once(void **state)
{
    struct server *s = open_server("RESOURCELIMITPOLICY PROC:ALWAYS:SUSPEND\n");
    const struct job *j = start_job(s, "1", 0); /* of four */

    (void)state;
    report(s, j, 0, 0);
    report(s, j, 40, 0); /* four of them: as asked */
    expect(s, JOBRESVIOLATION, 0, NULL);
    assert_int_equal(j->state, JOB_RUNNING);
    report(s, j, 90, 0);
    expect(s, JOBRESVIOLATION, 1,
        "job '1' uses 5.0 processors and asked for 4: it is suspended");
    assert_int_equal(j->state, JOB_SUSPENDED);
    close_server(s);
}

static void memory_is_limited_for_who_asked_for_some(void **state)
{
    struct server *s = open_server("RESOURCELIMITPOLICY MEM:ALWAYS:REQUEUE\n");
    const struct job *j = start_job(s, "1", 100); /* each task */

    (void)state;
    report(s, j, 0, 200);
    assert_int_equal(j->state, JOB_RUNNING);
    report(s, j, 0, 201);
    expect(s, JOBRESVIOLATION, 1,
        "uses 201.0 MB of memory and asked for 200: it is requeued");
    assert_int_equal(j->state, JOB_IDLE);
    close_server(s);
    s = open_server("RESOURCELIMITPOLICY MEM:ALWAYS:REQUEUE\n");
    j = start_job(s, "2", 0);
    report(s, j, 0, 100000);
    assert_int_equal(j->state, JOB_RUNNING);
    expect(s, JOBRESVIOLATION, 0, NULL);
    close_server(s);
}

static void an_extended_violation_has_to_last(void **state)
{
    struct server *s =
        open_server("RESOURCELIMITPOLICY MEM:EXTENDEDVIOLATION:CANCEL:0:00:25\n");
    const struct job *j = start_job(s, "1", 100);

    (void)state;
    report(s, j, 0, 300);
    expect(s, JOBRESVIOLATION, 1, "asked for 200\"");
    report(s, j, 0, 150); /* it is over */
    report(s, j, 0, 300);
    report(s, j, 0, 300);
    report(s, j, 0, 300);
    expect(s, JOBRESVIOLATION, 2, NULL);
    assert_int_equal(j->state, JOB_RUNNING);
    report(s, j, 0, 300); /* for 30 s */
    expect(s, JOBRESVIOLATION, 3, "it is cancelled");
    assert_int_equal(j->state, JOB_REMOVED);
    close_server(s);
}

static void measuring_bears_restarts_and_short_spans(void **state)
{
    struct job_usage u = {0};

    (void)state;
    reslimit_measure(&u, -1, 100);
    assert_int_equal(u.at, 0);
    reslimit_measure(&u, 50, 100);
    reslimit_measure(&u, 60, 101); /* too soon to tell */
    assert_true(u.procs <= 0);
    reslimit_measure(&u, 90, 110);
    assert_true(u.procs > 3.99 && u.procs < 4.01);
    reslimit_measure(&u, 1, 120); /* it runs anew */
    assert_true(u.procs <= 0);
    assert_false(reslimit_exceeded(USAGE_PROC, 4.19, 4));
    assert_true(reslimit_exceeded(USAGE_PROC, 4.21, 4));
    assert_false(reslimit_exceeded(USAGE_MEM, 5, 0));
}

/* ---- reservations of the resource manager ---- */

static const struct reservation *first_live(const struct server *s)
{
    const struct cluster *c = engine_cluster(s->engine);

    for (size_t i = 0; i < c->reservations.n; i++)
        if (c->reservations.v[i] && reservation_is_live(c->reservations.v[i]))
            return c->reservations.v[i];
    return NULL;
}

static void a_reservation_of_the_resource_manager_is_one_of_ours(void **state)
{
    struct server *s = open_server("");
    struct manager m = {.s = s};
    const char *const nodes[] = {"n1", "n2", NULL}, *const users[] = {
                                                        "ann", "bob", NULL};
    struct rm_reservation told = {.name = "maint",
        .start_at = world_now(s) + 1000,
        .end_at = world_now(s) + 2000,
        .nodes = nodes,
        .users = users};

    (void)state;
    rmreservation_told(&m, &told);
    const struct reservation *r = first_live(s);
    assert_non_null(r);
    assert_string_equal(r->base, "maint");
    assert_true(r->flags & RSV_BYNAME);
    assert_int_equal(r->acl.entries.n, 2);
    assert_string_equal(r->acl.entries.v[1].name, "bob");
    assert_true(r->start_at == told.start_at && r->end_at == told.end_at);
    assert_int_equal(r->held_nodes, 2);
    told.nodes = nodes + 1; /* told again: in place of the former one */
    rmreservation_told(&m, &told);
    assert_int_equal(first_live(s)->held_nodes, 1);
    rmreservation_gone(&m, "maint");
    assert_null(first_live(s));
    rmreservation_close(&m);
    close_server(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reservation_of_the_resource_manager_is_one_of_ours),
        cmocka_unit_test(a_job_on_a_node_that_stays_down_is_told_once),
        cmocka_unit_test(a_node_that_comes_back_leaves_no_corruption),
        cmocka_unit_test(a_reservation_that_begins_with_nothing_is_told),
        cmocka_unit_test(what_the_resource_manager_does_by_itself_is_told),
        cmocka_unit_test(too_many_processors_are_acted_on_at_once),
        cmocka_unit_test(memory_is_limited_for_who_asked_for_some),
        cmocka_unit_test(an_extended_violation_has_to_last),
        cmocka_unit_test(measuring_bears_restarts_and_short_spans),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
