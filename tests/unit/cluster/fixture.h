/* SPDX-License-Identifier: Apache-2.0
 * A cluster for tests of this room, with short ways to fill it. */
#ifndef MAUI_TEST_CLUSTER_FIXTURE_H
#define MAUI_TEST_CLUSTER_FIXTURE_H

#include "cluster/cluster.h"
#include "cluster/job.h"
#include "cluster/node.h"
#include "config/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

struct fixture {
    struct settings *s;
    struct cluster *c;
    struct err err;
};

static inline int setup(void **state)
{
    struct fixture *f = xcalloc(1, sizeof *f);

    f->s = settings_create();
    f->c = cluster_create(f->s);
    *state = f;
    return 0;
}

static inline int teardown(void **state)
{
    struct fixture *f = *state;

    cluster_check(f->c);
    cluster_destroy(f->c);
    settings_destroy(f->s);
    free(f);
    return 0;
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static inline struct node *report(struct fixture *f, const struct node_desc *d)
{
    struct node *n = NULL;

    if (node_report(f->c, d, 0, &n, &f->err))
        fail_msg("%s", f->err.text);
    cluster_check(f->c);
    return n;
}

/* A node of so many processors, 1024 MB of memory. */
static inline struct node *node(struct fixture *f, const char *name, int64_t procs)
{
    struct node_desc d = {.name = name, .cfg = {{procs, 1024, 0, 0}}};
    return report(f, &d);
}

/* Nodes n1..n<count>. */
static inline void nodes(struct fixture *f, int count, int64_t procs)
{
    for (int i = 1; i <= count; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%d", i);
        node(f, name, procs);
    }
}

static inline void node_refused(
    struct fixture *f, const struct node_desc *d, const char *words)
{
    size_t before = f->c->nodes.n;
    uint64_t epoch = f->c->node_epoch;

    assert_int_equal(node_report(f->c, d, 0, NULL, &f->err), -1);
    if (!strstr(f->err.text, words))
        fail_msg("'%s' does not say '%s'", f->err.text, words);
    assert_int_equal(f->c->nodes.n, before);
    assert_int_equal(f->c->node_epoch, epoch);
}

static inline struct job *add(struct fixture *f, const struct job_desc *d)
{
    struct job *j = NULL;

    if (job_add(f->c, d, 0, &j, &f->err))
        fail_msg("%s", f->err.text);
    return j;
}

/* A job of one request. */
static inline struct job *job_of(
    struct fixture *f, const char *id, int64_t submit_at, const struct req_desc *r)
{
    struct job_desc d = {
        .id = id, .submit_at = submit_at, .wclimit_s = 3600, .reqs = r, .nreqs = 1};
    return add(f, &d);
}

/* A job of so many tasks of one processor. */
static inline struct job *job(struct fixture *f, const char *id, uint32_t tasks)
{
    struct req_desc r = {.tasks = tasks, .nodealloc = NODEALLOC_UNSET};
    return job_of(f, id, 0, &r);
}

static inline void job_refused(
    struct fixture *f, const struct job_desc *d, const char *words)
{
    size_t before = f->c->queued.n;

    assert_int_equal(job_add(f->c, d, 0, NULL, &f->err), -1);
    if (!strstr(f->err.text, words))
        fail_msg("'%s' does not say '%s'", f->err.text, words);
    assert_int_equal(f->c->queued.n, before);
    cluster_check(f->c);
}

/* Give the job `tasks` tasks of request 0 on each of `count` nodes from `first`. */
static inline void give(struct job *j, uint32_t first, uint32_t count, uint32_t tasks)
{
    vec_push(&j->alloc, ((struct alloc){first, count, tasks, 0}));
}

static inline void start(struct fixture *f, struct job *j, int64_t now)
{
    if (job_start(f->c, j, now, &f->err))
        fail_msg("%s", f->err.text);
    cluster_check(f->c);
}

static inline void start_refused(struct fixture *f, struct job *j, const char *words)
{
    uint8_t state = j->state;

    assert_int_equal(job_start(f->c, j, 0, &f->err), -1);
    if (!strstr(f->err.text, words))
        fail_msg("'%s' does not say '%s'", f->err.text, words);
    assert_int_equal(j->state, state);
    cluster_check(f->c);
}

static inline void stop(struct fixture *f, struct job *j, enum job_event e, int64_t now)
{
    if (job_stop(f->c, j, e, now, &f->err))
        fail_msg("%s", f->err.text);
    cluster_check(f->c);
}

static inline void configure(struct fixture *f)
{
    cluster_configure(f->c, f->s);
    cluster_check(f->c);
}

/* Numbers for property tests, the same for the same seed (splitmix64). */
static inline uint32_t draw(uint64_t *seed, uint32_t below)
{
    uint64_t z = *seed += UINT64_C(0x9E3779B97F4A7C15);

    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)((z ^ z >> 31) % below);
}

#endif
