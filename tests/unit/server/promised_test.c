/* SPDX-License-Identifier: Apache-2.0
 * What is kept of promises, whoever has a job's place in the tables after it. */
#include "base/xalloc.h"
#include "cmocka_all.h"
#include "scenario.h"
#include "server/clock.h"
#include "server/durable/promised.h"
#include "server/durable/unsaved.h"
#include "server/server_private.h"
#include "server/whole.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of a daemon no more than what promises are made of: a node, which job "long" has. */
struct scene {
    char folder[40];
    struct scenario *sc;
    struct server *s;
};

static void submit(struct scene *t, const char *id)
{
    sc_job(t->sc, (struct sc_job){.id = id, .limit_s = 1000000, .procs = 1});
    sc_at(t->sc, sc_now(t->sc));
}

static int set_up(void **state)
{
    struct scene *t = xcalloc(1, sizeof *t);
    struct server *s = t->s = xcalloc(1, sizeof *s);
    struct store_options opt = {.busy_timeout_ms = 1};
    char path[60];
    struct err err;

    strcpy(t->folder, "/tmp/maui-promised-XXXXXX");
    assert_non_null(mkdtemp(t->folder));
    snprintf(path, sizeof path, "%s/state.db", t->folder);
    assert_int_equal(store_open(path, &opt, &s->store, &err), 0);
    s->unsaved = unsaved_open(s->store);
    t->sc = sc_create_with("RESERVATIONDEPTH 4\n");
    sc_begin_at(t->sc, 1000);
    sc_options(t->sc)->starts_told = true;
    sc_nodes(t->sc, 1, 1);
    s->engine = sc_engine(t->sc);
    s->clock = clock_create(NULL);
    clock_stand_at(s->clock, 1000);
    assert_true(sd_event_new(&s->loop) >= 0);
    assert_int_equal(whole_open(s, &err), 0);
    whole_restored(s);
    promised_open(s);
    submit(t, "long");
    *state = t;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *t = *state;
    char command[100];

    promised_close(t->s);
    whole_close(t->s);
    sd_event_unref(t->s->loop);
    clock_destroy(t->s->clock);
    sc_destroy(t->sc);
    unsaved_close(t->s->unsaved);
    store_close(t->s->store);
    free(t->s);
    snprintf(command, sizeof command, "rm -rf %s", t->folder);
    assert_int_equal(system(command), 0);
    free(t);
    return 0;
}

/* It is promised a start behind those that are there. */
static uint32_t promise(struct scene *t, const char *id)
{
    submit(t, id);
    const struct job *j = sc_find(t->sc, id);
    promised_decided(
        t->s, &(struct action){.kind = ACTION_RESERVE, .job = j->index}, j);
    return j->index;
}

static void cancel(struct scene *t, const char *id)
{
    sc_cancel(t->sc, id);
    sc_cycle(t->sc);
    promised_look(t->s);
}

static void a_place_that_is_used_again_tells_nothing_of_the_job_before(void **state)
{
    struct scene *t = *state;
    static char ids[PROMISED_MAX + 1][12];

    uint32_t place = promise(t, "first");
    cancel(t, "first");
    submit(t, "between"); /* has its place, and no promise is noted of it */
    assert_int_equal(sc_find(t->sc, "between")->index, place);
    for (size_t i = 0; i <= PROMISED_MAX; i++) { /* nobody remembers the first */
        snprintf(ids[i], sizeof ids[i], "j%zu", i);
        promise(t, ids[i]);
        cancel(t, ids[i]);
    }
    cancel(t, "between");
    assert_int_equal(promise(t, "last"), place);
    assert_string_equal(promised_at(t->s, 0)->id, "last");
    assert_null(promised_at(t->s, PROMISED_MAX + 1));
}

static void happens(struct scene *t, struct event ev)
{
    struct err err;

    assert_int_equal(sc_apply(t->sc, ev, &err), 0);
    promised_happened(t->s, &ev, NULL);
}

/* It is decided that the job starts; nothing is told of it yet. */
static void begin_start(struct scene *t, const char *id)
{
    struct actions decided = {0};

    engine_cycle(t->s->engine, sc_now(t->sc), &decided);
    vec_fini(&decided);
    assert_int_equal(sc_find(t->sc, id)->state, JOB_STARTING);
    promised_look(t->s);
    assert_int_equal(promised_at(t->s, 0)->over_at, 0);
}

static void a_start_that_fails_is_none(void **state)
{
    struct scene *t = *state;
    struct event failed = {
        .kind = EVENT_START_FAILED, .u.failed = {.id = "a", .reason = REASON_RMREJECT}};

    promise(t, "a");
    sc_cancel(t->sc, "long");
    begin_start(t, "a");
    happens(t, failed);
    promised_look(t->s);
    assert_int_equal(promised_at(t->s, 0)->over_at, 0);
    sc_cancel(t->sc, "a");
    promised_look(t->s);
    assert_true(promised_at(t->s, 0)->over_at);
    assert_int_equal(promised_at(t->s, 0)->start_at, 0);
}

static void a_start_that_was_not_told_before_the_job_ended_is_one(void **state)
{
    struct scene *t = *state;

    promise(t, "a");
    sc_cancel(t->sc, "long");
    begin_start(t, "a");
    int64_t at = sc_find(t->sc, "a")->start_at;
    sc_cancel(t->sc, "a");
    promised_look(t->s);
    assert_true(promised_at(t->s, 0)->over_at);
    assert_int_equal(promised_at(t->s, 0)->start_at, at);
}

/* What runs may run for longer. */
static void prolong(struct scene *t, int64_t limit_s)
{
    happens(t, (struct event){.kind = EVENT_MODIFY,
                   .u.modify = {.id = "long",
                       .change = {.what = CHANGE_WCLIMIT, .job.wclimit_s = limit_s}}});
    sc_cycle(t->sc);
    promised_look(t->s);
}

static void how_often_it_was_put_off_outlives_a_restart(void **state)
{
    struct scene *t = *state;
    struct err err;

    promise(t, "a");
    prolong(t, 1000100);
    prolong(t, 1000200);
    assert_int_equal(promised_at(t->s, 0)->moves, 2);
    assert_int_equal(unsaved_commit(t->s->unsaved, &err), 0);
    promised_close(t->s);
    promised_open(t->s);
    assert_int_equal(promised_at(t->s, 0)->moves, 2);
    assert_int_equal(promised_at(t->s, 0)->last_at, 1000 + 1000200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            a_place_that_is_used_again_tells_nothing_of_the_job_before, set_up,
            tear_down),
        cmocka_unit_test_setup_teardown(
            how_often_it_was_put_off_outlives_a_restart, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_start_that_fails_is_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            a_start_that_was_not_told_before_the_job_ended_is_one, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
