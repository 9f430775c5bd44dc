/* SPDX-License-Identifier: Apache-2.0
 * The order of a list whose jobs go while it is made. */
#include "base/xalloc.h"
#include "cmocka_all.h"
#include "server/api/joborder.h"
#include "server/events/feed.h"
#include "server/server_private.h"

#include <stdlib.h>

#define JOBS 5000

static struct cluster cluster;
static struct job jobs[JOBS];
static uint64_t revision = 1;

struct cluster *__wrap_engine_cluster(struct engine *e);
struct cluster *__wrap_engine_cluster(struct engine *e)
{
    (void)e;
    return &cluster;
}

uint64_t __wrap_world_revision(const struct server *s);
uint64_t __wrap_world_revision(const struct server *s)
{
    (void)s;
    return revision;
}

int64_t __wrap_world_now(struct server *s);
int64_t __wrap_world_now(struct server *s)
{
    (void)s;
    return 1000;
}

uint64_t __wrap_feed_plan(const struct server *s);
uint64_t __wrap_feed_plan(const struct server *s)
{
    (void)s;
    return 1;
}

/* Jobs of one priority: the first that came is the first. */
static int set_up(void **state)
{
    struct server *s = xcalloc(1, sizeof *s);

    assert_true(sd_event_new(&s->loop) >= 0);
    for (uint32_t i = 0; i < JOBS; i++) {
        jobs[i].index = i;
        jobs[i].submit_at = i;
        jobs[i].state = JOB_IDLE;
        vec_push(&cluster.jobs, &jobs[i]);
    }
    vec_push_zeros(&cluster.priorities, JOBS);
    *state = s;
    return 0;
}

static int tear_down(void **state)
{
    struct server *s = *state;

    vec_fini(&cluster.jobs);
    vec_fini(&cluster.priorities);
    joborders_close(s);
    sd_event_unref(s->loop);
    free(s);
    return 0;
}

static void add_jobs(struct joborder *o)
{
    joborder_begin_turn(o);
    for (size_t i = 0; i < JOBS; i++)
        if (cluster.jobs.v[i])
            joborder_add(o, cluster.jobs.v[i]);
}

static void lose_jobs(size_t first, size_t last)
{
    for (size_t i = first; i <= last; i++)
        cluster.jobs.v[i] = NULL;
    revision++;
}

static void make_order(struct joborder *o)
{
    joborder_begin_turn(o);
    while (joborder_more(o))
        ;
}

/* It lacks none but those: it is told, and not begun again, or it might never end. */
static void one_of_all_is_shown_whoever_has_gone(void **state)
{
    struct jobwindow all = {.limit = SIZE_MAX};
    struct joborder *o = joborder_new(*state, "key", &all);

    add_jobs(o);
    lose_jobs(3, 3);
    make_order(o);
    assert_true(joborder_shows(o, &all));
    assert_int_equal(o->jobs.n, JOBS - 1);
    joborder_release(o);
}

/* Of the first that were looked for too few are left. Then it is of all, whatever else
 * goes: it is made once more at most. */
static void a_window_that_lost_its_jobs_is_made_of_all(void **state)
{
    struct jobwindow first = {.limit = 50};
    struct joborder *o = joborder_new(*state, "key", &first);

    add_jobs(o);
    lose_jobs(0, 299);
    make_order(o);
    assert_false(joborder_shows(o, &first));
    o = joborder_widen(o);
    assert_string_equal(o->key, "key");
    add_jobs(o);
    lose_jobs(300, 4979);
    make_order(o);
    assert_true(joborder_shows(o, &first));
    assert_int_equal(o->jobs.n, 20);
    assert_int_equal(o->jobs.v[0].index, 4980);
    joborder_release(o);
}

/* Which has none in order. */
static void a_count_shows_no_other_window(void **state)
{
    struct jobwindow none = {.limit = 0}, first = {.limit = 50};
    struct joborder *o = joborder_new(*state, "key", &none);

    add_jobs(o);
    make_order(o);
    assert_true(joborder_shows(o, &none));
    assert_false(joborder_shows(o, &first));
    joborder_release(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            one_of_all_is_shown_whoever_has_gone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            a_window_that_lost_its_jobs_is_made_of_all, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            a_count_shows_no_other_window, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
