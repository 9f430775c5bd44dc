/* SPDX-License-Identifier: Apache-2.0
 * Tests of cluster/job_queue. */
#include "fixture.h"

static struct job *at(struct fixture *f, const char *id, int64_t submit_at)
{
    return job_of(f, id, submit_at, &(struct req_desc){.tasks = 1});
}

/* The queue's ids in order, "-" for a hole. */
static void assert_queue(const struct fixture *f, const char *expected)
{
    char text[256] = "";

    for (size_t i = 0; i < f->c->queued.n; i++) {
        uint32_t j = f->c->queued.v[i];
        strcat(text, i ? " " : "");
        strcat(text, j == INDEX_NONE ? "-" : f->c->jobs.v[j]->id);
    }
    assert_string_equal(text, expected);
    cluster_check(f->c);
}

static void order_is_by_submission_then_by_natural_id(void **state)
{
    struct fixture *f = *state;

    at(f, "j10", 5);
    at(f, "j9", 5);
    at(f, "z", 1);
    at(f, "a", 9);
    assert_queue(f, "z j9 j10 a");
}

static void leaving_makes_holes_that_compaction_closes(void **state)
{
    struct fixture *f = *state;
    struct job *a = at(f, "a", 1), *c;

    at(f, "b", 2);
    c = at(f, "c", 3);
    at(f, "d", 4);
    job_remove(f->c, a);
    job_remove(f->c, c);
    assert_queue(f, "- b - d");
    cluster_compact_queue(f->c);
    assert_queue(f, "b d");
    cluster_compact_queue(f->c);
    assert_queue(f, "b d");
}

static void holes_at_the_end_go_with_the_next_arrival(void **state)
{
    struct fixture *f = *state;

    at(f, "a", 1);
    job_remove(f->c, at(f, "b", 2));
    at(f, "c", 3);
    assert_queue(f, "a c");
}

static void a_requeued_job_goes_back_to_its_place(void **state)
{
    struct fixture *f = *state;
    struct job *a = at(f, "a", 1);

    node(f, "n1", 1);
    at(f, "b", 2);
    at(f, "c", 3);
    give(a, 0, 1, 1);
    start(f, a, 5);
    assert_queue(f, "- b c");
    stop(f, a, EV_REQUEUE, 9);
    assert_queue(f, "a b c");
}

static void a_queue_of_holes_is_empty_after_compaction(void **state)
{
    struct fixture *f = *state;

    job_remove(f->c, at(f, "a", 1));
    cluster_compact_queue(f->c);
    assert_queue(f, "");
    at(f, "b", 1);
    assert_queue(f, "b");
}

static void far_late_arrivals_are_placed_at_compaction(void **state)
{
    struct fixture *f = *state;
    char id[16];

    for (int i = 0; i < 5000; i++) {
        snprintf(id, sizeof id, "j%d", i);
        at(f, id, 100 + i);
    }
    struct job *y = at(f, "y", 2), *x = at(f, "x", 1), *last = at(f, "z", 9999);
    assert_int_equal(f->c->queued.v[5000], y->index);
    cluster_check(f->c);
    cluster_compact_queue(f->c);
    cluster_check(f->c);
    assert_int_equal(f->c->queued.v[0], x->index);
    assert_int_equal(f->c->queued.v[1], y->index);
    assert_int_equal(f->c->queued.v[5002], last->index);
}

static void any_order_of_arrival_gives_the_same_queue(void **state)
{
    struct fixture *f = *state;
    uint64_t seed = 42;
    char id[16];

    for (int i = 0; i < 12000; i++) {
        snprintf(id, sizeof id, "j%u", draw(&seed, 9000));
        struct job *j = job_find(f->c, id);
        if (j)
            job_remove(f->c, j);
        else
            at(f, id, draw(&seed, 500));
        if (i % 1500 == 0) {
            cluster_check(f->c);
            if (draw(&seed, 2))
                cluster_compact_queue(f->c);
        }
    }
    cluster_compact_queue(f->c);
    cluster_check(f->c);
    for (size_t i = 1; i < f->c->queued.n; i++)
        assert_true(job_compare(f->c->jobs.v[f->c->queued.v[i - 1]],
                        f->c->jobs.v[f->c->queued.v[i]])
                    < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(order_is_by_submission_then_by_natural_id),
        T(leaving_makes_holes_that_compaction_closes),
        T(holes_at_the_end_go_with_the_next_arrival),
        T(a_requeued_job_goes_back_to_its_place),
        T(a_queue_of_holes_is_empty_after_compaction),
        T(far_late_arrivals_are_placed_at_compaction),
        T(any_order_of_arrival_gives_the_same_queue),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
