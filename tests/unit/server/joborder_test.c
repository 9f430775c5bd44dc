/* SPDX-License-Identifier: Apache-2.0
 * The order of a list whose jobs go while it is made. */
#include "base/names.h"
#include "base/xalloc.h"
#include "cmocka_all.h"
#include "server/api/joborder.h"
#include "server/events/feed.h"
#include "server/server_private.h"

#include <stdlib.h>

#define JOBS 5000
#define MANY 30000

static struct cluster cluster;
static struct job jobs[MANY];
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

/* Jobs of one priority: the first that came is the first. The step has no factor in
 * common with their number. */
static int set_up_jobs(void **state, uint32_t n, uint32_t step)
{
    struct server *s = xcalloc(1, sizeof *s);

    assert_true(sd_event_new(&s->loop) >= 0);
    for (uint32_t i = 0; i < n; i++) {
        jobs[i].index = i;
        jobs[i].id = "";
        jobs[i].submit_at = i * step % n;
        jobs[i].state = JOB_IDLE;
        vec_push(&cluster.jobs, &jobs[i]);
    }
    vec_push_zeros(&cluster.priorities, n);
    *state = s;
    return 0;
}

static int set_up(void **state)
{
    return set_up_jobs(state, JOBS, 1);
}

static int set_up_many(void **state)
{
    return set_up_jobs(state, MANY, 7919);
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

static void walk_past_all(struct joborder *o, unsigned *times, size_t until)
{
    const struct job *j;

    joborder_begin_turn(o);
    for (size_t n = 0; n < until && joborder_walk(o, &j); n++) {
        times[j->index]++;
        joborder_add(o, j);
    }
}

/* Whatever comes while others are looked at is in it; while those are put in order, it
 * is too late. */
static void who_comes_meanwhile_is_looked_at_or_too_late(void **state)
{
    static const size_t limits[] = {0, 50, SIZE_MAX};

    for (size_t i = 0; i < 3; i++)
        for (size_t when = 0; when < JOBS - 700; when += 531) {
            struct jobwindow window = {.limit = limits[i]};
            struct joborder *o = joborder_new(*state, "key", &window);
            unsigned times[JOBS] = {0};
            const struct job *j;
            cluster.jobs.n = JOBS - 600;
            walk_past_all(o, times, when);
            cluster.jobs.n = JOBS - 300; /* the room of the others stays */
            revision++;
            walk_past_all(o, times, SIZE_MAX);
            bool more = joborder_more(o);
            cluster.jobs.n = JOBS;
            assert_false(joborder_walk(o, &j));
            assert_false(joborder_end_walk(o));
            while (more)
                more = joborder_more(o);
            for (size_t k = 0; k < JOBS; k++)
                assert_int_equal(times[k], k < JOBS - 300);
            assert_int_equal(o->total, JOBS - 300);
            joborder_release(o);
        }
}

static void walk_some(struct joborder *o, size_t looks)
{
    const struct job *j;

    joborder_begin_turn(o);
    for (; looks && joborder_walk(o, &j); looks--)
        if (j)
            joborder_add(o, j);
}

/* Each where it is among all, and few of the others put in order. */
static void a_deep_window_is_a_part_of_the_order(void **state)
{
    static const size_t offsets[] = {2000, 14000, 29000, MANY - 50, MANY + 5000};

    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        struct jobwindow deep = {.offset = offsets[i], .limit = 100}, next = deep,
                         first = {.limit = 100};
        struct joborder *o = joborder_new(*state, "key", &deep);
        walk_some(o, SIZE_MAX);
        make_order(o);
        assert_true(joborder_shows(o, &deep));
        assert_false(joborder_shows(o, &first));
        next.offset += 50;
        assert_true(joborder_shows(o, &next));
        assert_int_equal(o->total, MANY);
        assert_true(o->jobs.n < MANY / 4);
        for (size_t k = 0; k < o->jobs.n; k++)
            assert_int_equal(o->jobs.v[k].submit_at, o->first + k);
        assert_int_equal(o->open_end, o->first + o->jobs.n == MANY);
        joborder_release(o);
    }
}

/* Whoever goes, memory of his is not looked at, and the part is the right one or none:
 * then it is made of all. */
static void a_part_whose_bound_has_gone_is_made_of_all(void **state)
{
    struct jobwindow deep = {.offset = 14000, .limit = 100};
    struct joborder *o = joborder_new(*state, "key", &deep);

    walk_some(o, MANY / 16 + 100);
    assert_non_null(o->low);
    lose_jobs(0, MANY / 2); /* half of those that were looked at, so one bound */
    walk_some(o, SIZE_MAX);
    make_order(o);
    assert_false(joborder_shows(o, &deep));
    o = joborder_widen(o);
    walk_some(o, SIZE_MAX);
    make_order(o);
    assert_true(joborder_shows(o, &deep));
    assert_int_equal(o->jobs.n, MANY - MANY / 2 - 1);
    joborder_release(o);
}

static int compare_jobs(const void *a, const void *b)
{
    const struct job *const *x = a, *const *y = b;

    return name_compare((*x)->id, (*y)->id);
}

/* Equal in all else: by the numbers in their names, or by the names. */
static void equals_are_in_the_order_of_their_names(void **state)
{
    static const char *const names[] = {"0", "1", "9", "10", "010", "01", "10[0]",
        "10[1]", "10[9]", "10[10]", "10[01]", "10[]", "10[1]x", "10_1", "10_10", "10_2",
        "10_", "10.host", "9.host", "999999999", "1000000000", "10[999999999]",
        "10[1000000000]", "99999999999999999999", "a1", "", "10-1", "[1]", "_1"};
    const size_t n = sizeof names / sizeof names[0];
    struct job *kept[sizeof names / sizeof names[0]];
    struct jobwindow all = {.limit = SIZE_MAX};
    struct joborder *o = joborder_new(*state, "key", &all);

    joborder_begin_turn(o);
    for (size_t i = 0; i < n; i++) {
        kept[i] = &jobs[i];
        jobs[i].id = names[i];
        jobs[i].submit_at = 7;
        joborder_add(o, &jobs[i]);
    }
    make_order(o);
    qsort(kept, n, sizeof *kept, compare_jobs);
    assert_int_equal(o->jobs.n, n);
    for (size_t i = 0; i < n; i++)
        assert_string_equal(cluster.jobs.v[o->jobs.v[i].index]->id, kept[i]->id);
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
        cmocka_unit_test_setup_teardown(
            who_comes_meanwhile_is_looked_at_or_too_late, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            equals_are_in_the_order_of_their_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            a_deep_window_is_a_part_of_the_order, set_up_many, tear_down),
        cmocka_unit_test_setup_teardown(
            a_part_whose_bound_has_gone_is_made_of_all, set_up_many, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
