/* SPDX-License-Identifier: Apache-2.0
 * A small cluster for tests of this room: credentials by name, and jobs made by
 * hand so that a test sets just the fields it is about. */
#ifndef MAUI_TEST_POLICY_WORLD_H
#define MAUI_TEST_POLICY_WORLD_H

#include "base/xalloc.h"
#include "cluster/cluster.h"
#include "cluster/job.h"
#include "config/config.h"

#include <stdlib.h>

struct world {
    struct settings *s;
    struct cluster *c;
};

static inline struct world world_create(void)
{
    struct world w = {.s = settings_create()};

    w.c = cluster_create(w.s);
    return w;
}

/* Jobs made by world_job() are the world's, not the cluster's. */
static inline void world_destroy(struct world *w)
{
    for (size_t i = 0; i < w->c->jobs.n; i++) {
        struct job *j = w->c->jobs.v[i];

        if (j && j->extra)
            free(j->extra->hold_text);
        if (j)
            free(j->extra);
        free(j);
    }
    w->c->jobs.n = 0;
    w->c->active.n = 0;
    cluster_destroy(w->c);
    settings_destroy(w->s);
}

/* For cmocka: *state is a world of the test's own. */
static inline int world_setup(void **state)
{
    struct world *w = xmalloc(sizeof *w);

    *w = world_create();
    *state = w;
    return 0;
}

static inline int world_teardown(void **state)
{
    world_destroy(*state);
    free(*state);
    return 0;
}

/* The section USERCFG[name] etc., to be filled before world_configure(). */
static inline struct cred_cfg *world_section(
    struct world *w, enum cred_kind kind, const char *name)
{
    return settings_cred(w->s, kind, name);
}

/* The settings have been changed. */
static inline void world_configure(struct world *w)
{
    cluster_configure(w->c, w->s);
}

static inline uint32_t world_cred(
    struct world *w, enum cred_kind kind, const char *name)
{
    return cred_get(w->c, kind, name)->index;
}

/* An idle job of nobody: one processor, one hour, submitted at 0, accruing. */
static inline struct job *world_job(struct world *w)
{
    static const struct taskdef nothing = {0};
    struct job *j = xcalloc(1, sizeof *j);

    j->index = (uint32_t)w->c->jobs.n;
    j->id = "j";
    j->nreqs = 1;
    j->reqs = &j->req;
    j->req.def = &nothing;
    j->req.tasks = 1;
    j->procs = j->tasks = 1;
    j->wclimit_s = 3600;
    j->accruing = true;
    vec_push(&w->c->jobs, j);
    vec_push(&w->c->priorities, 0);
    vec_push(&w->c->bypasses, 0);
    return j;
}

/* A running one of that user. */
static inline struct job *world_running(
    struct world *w, const char *user, uint32_t procs)
{
    struct job *j = world_job(w);

    j->state = JOB_RUNNING;
    j->procs = procs;
    j->cred[CRED_USER] = world_cred(w, CRED_USER, user);
    return j;
}

/* Equal but for what rounding leaves. */
#define assert_near(a, b)                                                              \
    do {                                                                               \
        double a_ = (a), b_ = (b);                                                     \
        if (fabs(a_ - b_) > 1e-9 * fmax(1, fabs(b_)))                                  \
            fail_msg("%.17g is not %.17g", a_, b_);                                    \
    } while (0)

/* Numbers for property tests, the same for the same seed (splitmix64). */
static inline uint64_t draw(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9E3779B97F4A7C15);

    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static inline int64_t draw_below(uint64_t *seed, int64_t n)
{
    return (int64_t)(draw(seed) % (uint64_t)n);
}

#endif
