/* SPDX-License-Identifier: Apache-2.0
 * A job that ended is on its nodes yet: a resource manager confirms a stop, and
 * measures what is in use, later than it was told. In random worlds with cancelled jobs
 * nobody who fits the machine is put aside for that, and the first of the queue starts
 * no later than it was promised but for the time that it takes to be seen. */
#include "cmocka_all.h"
#include "rng.h"
#include "scenario.h"

#include <stdio.h>

#define WORLDS 150
#define NODES  4
#define PROCS  2
#define JOBS   16
#define STEP   5                  /* s between two looks at the world */
#define LAG    ((int64_t)3)       /* looks until what is measured is right */
#define LATE   ((LAG + 2) * STEP) /* s */

struct world {
    struct scenario *s;
    struct rng rng;
    uint32_t seed;
    char ids[JOBS][8];
    struct req_desc whole[JOBS]; /* nodes */
    int64_t promised[JOBS];      /* earliest start that was told; -1 = none */
    bool cancelled[JOBS];
    double load[LAG + 1][NODES]; /* as it was, the oldest first */
};

static void submit(struct world *w, uint32_t i)
{
    uint32_t nodes = 1 + rng_below(&w->rng, NODES);
    bool whole = rng_percent(&w->rng, 50);

    w->whole[i] =
        (struct req_desc){.tasks = nodes * PROCS, .nodes = nodes, .tpn = PROCS};
    snprintf(w->ids[i], sizeof w->ids[i], "j%u", i);
    w->promised[i] = -1;
    sc_job(w->s, (struct sc_job){.id = w->ids[i],
                     .submit_at = 15 * i, /* nobody comes before who waits */
                     .limit_s = rng_range(&w->rng, 40, 400),
                     .procs = nodes + rng_below(&w->rng, nodes),
                     .priority = 1000 - i,
                     .req = whole ? &w->whole[i] : NULL});
}

/* What is in use now, and the nodes told as they were some looks ago. */
static void measure(struct world *w)
{
    const struct cluster *c = engine_cluster(sc_engine(w->s));
    struct err err;

    for (int i = 0; i < LAG; i++)
        memcpy(w->load[i], w->load[i + 1], sizeof w->load[i]);
    for (uint32_t i = 0; i < NODES; i++) {
        double load = w->load[0][i];
        struct event ev = {.kind = EVENT_NODE};
        w->load[LAG][i] = (double)node_dedicated(c, node_at(c, i)).v[RES_PROCS];
        ev.u.node = (struct node_desc){.name = node_at(c, i)->name,
            .state = load >= PROCS ? NODE_BUSY
                     : load > 0    ? NODE_RUNNING
                                   : NODE_IDLE,
            .cfg = node_at(c, i)->cfg,
            .measured = true,
            .load = load};
        assert_int_equal(sc_apply(w->s, ev, &err), 0);
    }
}

static void cancel_some(struct world *w)
{
    for (uint32_t i = 0; i < JOBS; i++) {
        const struct job *j = sc_find(w->s, w->ids[i]);
        if (j && job_is_active(j) && rng_percent(&w->rng, 8)) {
            sc_cancel(w->s, w->ids[i]);
            w->cancelled[i] = true;
        }
    }
}

/* The first that waits has been promised something, and gets it. */
static void look(struct world *w)
{
    bool first = true;

    for (uint32_t i = 0; i < JOBS; i++) {
        const struct job *j = sc_find(w->s, w->ids[i]);
        if (!j || j->state != JOB_IDLE)
            continue;
        if (j->holds)
            fail_msg("seed %u: %s is deferred at %lld: %s", w->seed, w->ids[i],
                (long long)sc_now(w->s), sc_log(w->s, w->ids[i]));
        int64_t at = sc_reserved(w->s, w->ids[i]);
        /* the next instant is no promise: it is asked for again while nodes are left */
        if (first && at > sc_now(w->s) + 1
            && (w->promised[i] < 0 || at < w->promised[i]))
            w->promised[i] = at;
        if (first && w->promised[i] >= 0 && sc_now(w->s) > w->promised[i] + LATE)
            fail_msg("seed %u: %s waits at %lld and was promised %lld", w->seed,
                w->ids[i], (long long)sc_now(w->s), (long long)w->promised[i]);
        first = false;
    }
}

static void check_world(uint32_t seed, bool by_node)
{
    struct world w = {.seed = seed, .rng = {seed}};

    w.s = sc_begin("NODEAVAILABILITYPOLICY COMBINED\n", NODES, PROCS, by_node);
    for (uint32_t i = 0; i < JOBS; i++)
        submit(&w, i);
    for (int64_t at = 0; at < 8000; at += STEP) {
        sc_at(w.s, at);
        look(&w);
        measure(&w);
        if (at < 1000)
            cancel_some(&w);
        sc_cycle(w.s);
        look(&w);
    }
    for (uint32_t i = 0; i < JOBS; i++)
        if (!w.cancelled[i] && sc_start(w.s, w.ids[i]) < 0)
            fail_msg("seed %u: %s never starts", seed, w.ids[i]);
    sc_destroy(w.s);
}

static void what_is_not_left_yet_is_waited_for(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= WORLDS; seed++) {
        check_world(seed, false);
        check_world(seed, true);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_left_yet_is_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
