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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            a_place_that_is_used_again_tells_nothing_of_the_job_before, set_up,
            tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
