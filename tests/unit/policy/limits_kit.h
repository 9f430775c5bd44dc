/* SPDX-License-Identifier: Apache-2.0
 * A cluster with settings written by hand, and jobs by one line each, for the tests
 * of limits and access. */
#ifndef MAUI_TESTS_POLICY_LIMITS_KIT_H
#define MAUI_TESTS_POLICY_LIMITS_KIT_H

#include "config/config.h"
#include "config/settings.h"
#include "policy/access.h"
#include "policy/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define BOTH(n)         ((struct limit){(n), (n)})
#define SOFT_HARD(s, h) ((struct limit){(s), (h)})
#define HOURS(n)        ((int64_t)(n)*3600)

struct kit {
    struct settings *s;
    struct cluster *c;
    struct limits *l;
    uint32_t made;  /* jobs so far, for their ids */
    char text[400]; /* the last sentence */
    struct access_fault fault;
};

/* Settings to fill by cfg(); then kit_ready() makes the cluster. */
static inline struct kit *kit_new(void)
{
    struct kit *k = xcalloc(1, sizeof *k);

    k->s = settings_create();
    return k;
}

static inline struct cred_cfg *cfg(struct kit *k, enum cred_kind kind, const char *name)
{
    return settings_cred(k->s, kind, name);
}

static inline void kit_set_second_example(struct kit *k)
{
    cfg(k, CRED_USER, "steve")->active[LIMIT_JOB] = BOTH(2);
    cfg(k, CRED_USER, "steve")->active[LIMIT_NODE] = BOTH(30);
    cfg(k, CRED_GROUP, "staff")->active[LIMIT_JOB] = BOTH(5);
    cfg(k, CRED_CLASS, "DEFAULT")->active[LIMIT_NODE] = BOTH(16);
    cfg(k, CRED_CLASS, "batch")->active[LIMIT_NODE] = BOTH(32);
}

static inline void kit_ready(struct kit *k)
{
    k->c = cluster_create(k->s);
    k->l = limits_create();
    limits_configure(k->l, k->c);
}

static inline void kit_free(struct kit *k)
{
    if (k->c) {
        for (size_t i = 0; i < k->c->jobs.n; i++)
            if (k->c->jobs.v[i])
                k->c->jobs.v[i]->state = JOB_IDLE;
        k->c->active.n = 0;
        access_cache_destroy(k->c);
        cluster_destroy(k->c);
    }
    limits_destroy(k->l);
    settings_destroy(k->s);
    free(k);
}

static inline void within(struct cred_cfg *owner, enum limit_res r,
    enum cred_kind other, const char *name, struct limit v)
{
    struct limit_within w = {false, r, other, name ? xstrdup(name) : NULL, v};
    vec_push(&owner->within, w);
}

static inline void within_idle(struct cred_cfg *owner, enum limit_res r,
    enum cred_kind other, const char *name, struct limit v)
{
    within(owner, r, other, name, v);
    owner->within.v[owner->within.n - 1].idle = true;
}

/* A job of "user/group/account/class/qos" ("-" or left out: none), `tasks` tasks of
 * one processor on `nodes` nodes (0 = not asked) for `wclimit_s`. */
static inline struct job *job_of(
    struct kit *k, const char *who, uint32_t tasks, uint32_t nodes, int64_t wclimit_s)
{
    struct req_desc req = {.per_task = {{1, 0, 0, 0}}, .tasks = tasks, .nodes = nodes};
    char id[32], text[128], *save = NULL;
    struct job_desc d = {
        .id = id, .wclimit_s = wclimit_s, .state = JOB_IDLE, .reqs = &req, .nreqs = 1};
    struct job *j = NULL;
    struct err err = {0};
    int i = 0;

    snprintf(id, sizeof id, "job.%u", k->made++);
    snprintf(text, sizeof text, "%s", who);
    for (char *w = strtok_r(text, "/", &save); w; w = strtok_r(NULL, "/", &save), i++)
        d.cred[i] = strcmp(w, "-") ? w : NULL;
    if (job_add(k->c, &d, 0, &j, &err) != 0)
        fail_msg("%s", err.text);
    return j;
}

/* Count the job as started at `at`, without nodes: throttling knows none. */
static inline struct job *run_at(struct kit *k, struct job *j, int64_t at)
{
    j->state = JOB_RUNNING;
    j->start_at = at;
    vec_push(&k->c->active, j->index);
    limits_count_active(k->l, k->c, j, 1, at);
    return j;
}

static inline struct job *run(struct kit *k, const char *who, uint32_t tasks)
{
    return run_at(k, job_of(k, who, tasks, tasks, HOURS(1)), 0);
}

static inline bool blocked(struct kit *k, const struct job *j, unsigned what)
{
    return limits_violated(k->l, k->c, j, what, LEVEL_HARD, NULL);
}

static inline bool may_start(struct kit *k, const char *who, uint32_t tasks)
{
    return !blocked(k, job_of(k, who, tasks, tasks, HOURS(1)), CHECK_ACTIVE);
}

/* The violation of a job that is blocked. */
static inline struct reason why(
    struct kit *k, const struct job *j, unsigned what, enum limit_level level)
{
    struct reason r = {0};

    assert_true(limits_violated(k->l, k->c, j, what, level, &r));
    assert_int_equal(r.code, WAIT_LIMIT);
    return r;
}

#endif
