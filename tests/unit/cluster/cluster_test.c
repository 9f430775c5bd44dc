/* SPDX-License-Identifier: Apache-2.0
 * Tests of the cluster as a whole: long random histories, checked all the way. */
#include "config/settings.h"
#include "fixture.h"

#define NODES 24
#define JOBS  60

static struct gres_cfg tape[] = {{(char *)"tape", 1}, {NULL, 0}};
static struct gres_cfg lic[] = {{(char *)"lic", 1}, {NULL, 0}};
static struct gres_cfg classes[] = {
    {(char *)"batch", 2}, {(char *)"long", 1}, {NULL, 0}};

static void random_report(struct fixture *f, uint64_t *seed)
{
    static const char *const pars[] = {NULL, NULL, "p1", "p2"};
    char name[16];
    struct node_desc d = {.name = name,
        .state = draw(seed, 4) ? NODE_IDLE : (enum node_state)draw(seed, NODE_NONE + 1),
        .cfg = {{draw(seed, 2) ? 1 : 1 + draw(seed, 6), 1024, 0, draw(seed, 100)}},
        .partition = pars[draw(seed, 4)],
        .gres = draw(seed, 8) ? NULL : tape,
        .classes = draw(seed, 6) ? NULL : classes,
        .measured = draw(seed, 5) == 0,
        .load = draw(seed, 5)};

    snprintf(name, sizeof name, "n%u", draw(seed, NODES));
    assert_int_equal(node_report(f->c, &d, 0, NULL, &f->err), 0);
}

static void random_submit(struct fixture *f, uint64_t *seed)
{
    static struct gres_cfg *const gres[] = {NULL, NULL, NULL, tape, lic, NULL};
    static const char *const cls[] = {NULL, NULL, "batch", "long"};
    char id[16];
    struct req_desc r[2];

    for (int i = 0; i < 2; i++)
        r[i] = (struct req_desc){.per_task = {{(int64_t)draw(seed, 4) - 1,
                                     draw(seed, 3) * 100, 0, draw(seed, 2)}},
            .tasks = 1 + draw(seed, 4),
            .gres = gres[draw(seed, 6)],
            .access = draw(seed, 5) ? ACCESS_UNSET : (enum access_policy)draw(seed, 5)};
    struct job_desc d = {.id = id,
        .cred = {[CRED_CLASS] = cls[draw(seed, 4)]},
        .submit_at = draw(seed, 50),
        .wclimit_s = draw(seed, 100),
        .state = draw(seed, 6) ? JOB_IDLE : JOB_HOLD,
        .reqs = r,
        .nreqs = 1 + draw(seed, 2)};
    snprintf(id, sizeof id, "j%u", draw(seed, JOBS));
    bool taken = job_find(f->c, id);
    assert_int_equal(job_add(f->c, &d, 0, NULL, &f->err), taken ? -1 : 0);
}

/* Any allocation that adds up; the cluster decides whether it can be had. */
static void random_alloc(struct fixture *f, uint64_t *seed, struct job *j)
{
    j->alloc.n = 0;
    for (uint32_t i = 0; i < j->nreqs; i++) {
        uint32_t left = j->reqs[i].tasks, nodes = (uint32_t)f->c->nodes.n;
        while (left) {
            uint32_t tasks = 1 + draw(seed, left < 3 ? left : 3);
            uint32_t first = draw(seed, nodes), most = left / tasks;
            most = most < nodes - first ? most : nodes - first;
            uint32_t count = 1 + draw(seed, most);
            vec_push(&j->alloc, ((struct alloc){first, count, tasks, i}));
            left -= tasks * count;
        }
    }
}

/* Any event on any job; refused ones must change nothing. */
static bool random_event(struct fixture *f, uint64_t *seed)
{
    struct job *j =
        f->c->jobs.n ? f->c->jobs.v[draw(seed, (uint32_t)f->c->jobs.n)] : NULL;
    uint32_t what = draw(seed, 10);

    if (!j)
        return false;
    if (what < 5 && f->c->nodes.n && j->active_slot == INDEX_NONE) {
        random_alloc(f, seed, j);
        return job_start(f->c, j, draw(seed, 100), &f->err) == 0;
    }
    if (what == 5 && j->state == JOB_SUSPENDED)
        job_start(f->c, j, draw(seed, 100), &f->err);
    else if (what < 8)
        job_stop(
            f->c, j, (enum job_event)draw(seed, JOB_EVENTS), draw(seed, 100), &f->err);
    else if (what == 8)
        job_move(f->c, j, (enum job_event)draw(seed, JOB_EVENTS), &f->err);
    else if (j->active_slot == INDEX_NONE)
        job_remove(f->c, j);
    return false;
}

static void random_settings(struct fixture *f, uint64_t *seed)
{
    char name[16];

    snprintf(name, sizeof name, "n%u", draw(seed, NODES));
    settings_node(f->s, name)->maxjob = draw(seed, 2) ? -1 : 3;
    if (draw(seed, 4) == 0 && !settings_node(f->s, "GLOBAL")->gres.n)
        vec_push(&settings_node(f->s, "GLOBAL")->gres,
            ((struct gres_cfg){xstrdup("lic"), 4}));
    f->s->node_access = draw(seed, 3) ? ACCESS_SHARED : ACCESS_SINGLEUSER;
    f->s->node_cpu_overcommit = draw(seed, 4) ? 0 : 2;
    f->s->par.v[0].avail[AVAIL_PROCS] = (enum avail_policy)draw(seed, 3);
    cluster_configure(f->c, f->s);
}

/* Returns how many starts succeeded. */
static unsigned history(struct fixture *f, uint64_t seed, unsigned steps, bool change)
{
    unsigned started = 0;

    for (unsigned i = 0; i < steps; i++) {
        uint32_t what = draw(&seed, 20);
        if (what == 0 && change)
            random_settings(f, &seed);
        else if (what < 3)
            random_report(f, &seed);
        else if (what < 6)
            random_submit(f, &seed);
        else if (what == 6)
            cluster_compact_queue(f->c);
        else
            started += random_event(f, &seed);
        cluster_check(f->c);
    }
    return started;
}

static void random_histories_keep_every_promise(void **state)
{
    struct fixture *f = *state;
    unsigned started = 0;

    for (uint64_t seed = 1; seed <= 40; seed++) {
        started += history(f, seed, 1500, true);
        teardown(state);
        setup(state);
        f = *state;
    }
    assert_true(started > 1000);
}

static void start_and_stop_leave_no_trace(void **state)
{
    struct fixture *f = *state;

    history(f, 99, 2000, false);
    for (size_t i = 0; i < f->c->jobs.n; i++) {
        struct job *j = f->c->jobs.v[i];
        if (j && j->active_slot != INDEX_NONE)
            stop(f, j, EV_CANCEL, 0);
    }
    for (size_t i = 0; i < f->c->nodes.n; i++) {
        const struct node *n = node_at(f->c, i);
        struct res ded = node_dedicated(f->c, n);
        assert_true(node_is_free(f->c, n));
        assert_true(n->load_raised == 0.0);
        for (int k = 0; k < RES_DIMS; k++)
            assert_int_equal(ded.v[k], 0);
        for (size_t k = 0; k < n->gres_ded.n; k++)
            assert_int_equal(n->gres_ded.v[k].count, 0);
        for (size_t k = 0; k < n->classes.n; k++)
            assert_int_equal(n->classes.v[k].dedicated, 0);
    }
}

static void equal_histories_give_equal_clusters(void **state)
{
    struct fixture *f = *state;
    struct fixture *g = NULL;

    setup((void **)&g);
    history(f, 5, 1500, true);
    history(g, 5, 1500, true);
    assert_int_equal(f->c->queued.n, g->c->queued.n);
    assert_int_equal(f->c->active.n, g->c->active.n);
    if (f->c->queued.n)
        assert_memory_equal(
            f->c->queued.v, g->c->queued.v, f->c->queued.n * sizeof(uint32_t));
    if (f->c->active.n)
        assert_memory_equal(
            f->c->active.v, g->c->active.v, f->c->active.n * sizeof(uint32_t));
    for (size_t i = 0; i < f->c->nodes.n; i++) {
        struct node_job a = {0}, b = {0};
        assert_int_equal(node_job_at(f->c, node_at(f->c, i), 0, &a),
            node_job_at(g->c, node_at(g->c, i), 0, &b));
        assert_int_equal(a.job, b.job);
    }
    teardown((void **)&g);
}

static void nothing_is_destroyed_without_harm(void **state)
{
    (void)state;
    cluster_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(random_histories_keep_every_promise),
        T(start_and_stop_leave_no_trace),
        T(equal_histories_give_equal_clusters),
        T(nothing_is_destroyed_without_harm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
