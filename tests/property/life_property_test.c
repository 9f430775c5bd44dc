/* SPDX-License-Identifier: Apache-2.0
 * What is foretold by living on comes: a change is made in two worlds of one seed; one
 * lives on, in the other it comes about step by step, driven by another clockwork, with
 * jobs that run to their limits. Every start is the same, to the second. With limits,
 * fairshare, reservations of all kinds, preemption, holds, nodes that go down, jobs
 * that depend on others. MAUI_PROPERTY_FACTOR and MAUI_PROPERTY_SEED as elsewhere. */
#include "base/strbuf.h"
#include "cmocka_all.h"
#include "rng.h"
#include "scenario.h"
#include "seeds.h"
#include "sim/life.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEEDS   100
#define JOBS    24
#define NODES   6
#define CHANGED 1500 /* when the change is made */
#define UNTIL   20000

struct world {
    char id[JOBS][8];
    struct req_desc req[JOBS];
    struct dep deps[JOBS][2];
    int starts[JOBS]; /* before the change */
};

static const char *const users[] = {"u0", "u1", "u2", "u3"};

static void write_config(struct rng *r, struct strbuf *text)
{
    static const char *const how[] = {"REQUEUE", "SUSPEND"};
    static const char *const rsv[] = {"NEVER", "CURRENTHIGHEST", "HIGHEST"};
    static const char *const bf[] = {"FIRSTFIT", "BESTFIT", "PLAN", "NONE"};

    strbuf_printf(text,
        "PREEMPTPOLICY %s\nRESERVATIONPOLICY %s\nBACKFILLPOLICY %s\n"
        "QUEUETIMEWEIGHT %d\nCREDWEIGHT 1\nUSERWEIGHT 1\nRESERVATIONDEPTH %d\n",
        RNG_PICK(r, how), RNG_PICK(r, rsv), RNG_PICK(r, bf), rng_percent(r, 50),
        1 + (int)rng_below(r, 3));
    for (int i = 0; i < 4; i++)
        strbuf_printf(text, "USERCFG[u%d] PRIORITY=%d\n", i, (int)rng_below(r, 90));
    if (rng_percent(r, 50))
        strbuf_printf(text, "USERCFG[DEFAULT] MAXJOB=%d MAXPS=%d\n",
            1 + (int)rng_below(r, 3), 4000 + (int)rng_below(r, 9000));
    if (rng_percent(r, 40))
        strbuf_printf(text,
            "FSPOLICY DEDICATEDPS\nFSINTERVAL %d\nFSDEPTH 3\nFSDECAY 0.5\n"
            "FSWEIGHT 100\nFSUSERWEIGHT 10\nUSERCFG[u1] FSTARGET=20%s\n",
            400 + (int)rng_below(r, 2000), rng_percent(r, 30) ? "^" : "");
    if (rng_percent(r, 30))
        strbuf_printf(text,
            "SRCFG[s] HOSTLIST=n1,n2 PERIOD=DAY STARTTIME=1:00:00 "
            "ENDTIME=%d:00:00 USERLIST=u0\n",
            2 + (int)rng_below(r, 3));
}

static void add_job(struct scenario *s, struct rng *r, struct world *w, int i)
{
    int64_t limit = rng_range(r, 20, 2000);
    struct sc_job job = {.id = w->id[i],
        .submit_at = rng_range(r, 1, CHANGED),
        .limit_s = limit,
        .run_s = limit,
        .user = RNG_PICK(r, users)};

    snprintf(w->id[i], sizeof w->id[i], "j%d", i);
    w->req[i] = (struct req_desc){
        .tasks = 1 + rng_below(r, 6), .per_task = {{1 + rng_below(r, 2), 0, 0, 0}}};
    job.req = &w->req[i];
    job.flags |= rng_percent(r, 40) ? JOB_PREEMPTEE : 0;
    job.flags |= rng_percent(r, 20) ? JOB_PREEMPTOR : 0;
    job.release_at = rng_percent(r, 10) ? rng_range(r, CHANGED, 6000) : 0;
    job.holds = rng_percent(r, 10) ? HOLD_USER : 0;
    if (i && rng_percent(r, 15)) {
        w->deps[i][0] = (struct dep){
            .job_id = w->id[rng_below(r, (uint32_t)i)], .type = DEP_COMPLETED};
        job.deps = w->deps[i];
    }
    sc_job(s, job);
}

static void set_priority(struct scenario *s, const char *id, int64_t n)
{
    struct event ev = {.kind = EVENT_PRIORITY};
    struct err err;

    ev.u.priority.id = id;
    ev.u.priority.n = n;
    (void)sc_apply(s, ev, &err); /* of one that is over it is refused */
}

/* What is done in both. */
static void change(struct scenario *s, struct rng *r, const struct world *w)
{
    const char *id = w->id[rng_below(r, JOBS)];
    int64_t from = CHANGED + rng_range(r, 0, 4000);
    struct sc_rsv rsv = {.base = "new",
        .hosts = rng_percent(r, 50) ? "ALL" : "n[2-4]",
        .start_at = from,
        .end_at = from + rng_range(r, 100, 5000)};
    struct err err;
    char node[8];

    snprintf(node, sizeof node, "n%u", 1 + rng_below(r, NODES));
    switch (rng_below(r, 8)) {
    case 0:
    case 1:
    case 2:
        (void)sc_setres(s, &rsv, &err);
        break;
    case 3:
        (void)sc_hold(s, id, HOLD_USER, "root");
        break;
    case 4:
        (void)sc_release(s, id, HOLD_USER, "root");
        break;
    case 5:
        set_priority(s, id, rng_range(r, 1, 1000));
        break;
    case 6:
        sc_node_state(s, node, rng_percent(r, 50) ? NODE_DRAINED : NODE_DOWN);
        break;
    default:
        if (sc_find(s, id))
            sc_cancel(s, id);
        break;
    }
}

/* A world up to the change, and with it. */
static struct scenario *play(uint64_t seed, struct world *w)
{
    struct rng r = {seed};
    struct strbuf text = {0};
    struct err err;

    *w = (struct world){0};
    write_config(&r, &text);
    struct scenario *s = sc_create_with(text.text);
    free(strbuf_take(&text));
    sc_options(s)->starts_told = sc_options(s)->stops_told = rng_percent(&r, 50);
    sc_nodes(s, NODES, 2);
    if (rng_percent(&r, 30))
        sc_force_by_node(s);
    for (int i = 0; i < JOBS; i++)
        add_job(s, &r, w, i);
    sc_at(s, CHANGED / 2);
    int64_t from = rng_range(&r, CHANGED / 2, CHANGED * 2);
    struct sc_rsv rsv = {.base = "old",
        .hosts = "n[1-3]",
        .start_at = from,
        .end_at = from + rng_range(&r, 50, 3000)};
    if (rng_percent(&r, 50))
        (void)sc_setres(s, &rsv, &err);
    sc_at(s, CHANGED);
    for (int i = 0; i < JOBS; i++)
        w->starts[i] = (int)sc_starts(s, w->id[i]);
    change(s, &r, w);
    return s;
}

/* Of a job in the life: how often, and when last. */
static int count_starts(
    const struct cluster *c, const struct life *life, const char *id, int64_t *ret_last)
{
    int n = 0;

    for (size_t i = 0; i < life->runs.n; i++) {
        const struct life_run *run = &life->runs.v[i];
        if (run->began || run->again || strcmp(c->jobs.v[run->job]->id, id) != 0)
            continue;
        n++;
        *ret_last = run->from_at;
    }
    return n;
}

static size_t check_seed(uint64_t seed)
{
    static struct world w, x;
    struct scenario *foretold = play(seed, &w), *comes = play(seed, &x);
    struct life life;
    size_t starts = 0;

    engine_keep_ended(sc_engine(foretold));
    life_on(
        sc_engine(foretold), CHANGED, &(struct life_options){.until = UNTIL}, &life);
    sc_cycle(comes);
    sc_run_until(comes, UNTIL);
    assert_true(life.whole);
    assert_int_equal(life.until, UNTIL);
    for (int i = 0; i < JOBS; i++) {
        int64_t last = -1;
        int n =
            count_starts(engine_cluster(sc_engine(foretold)), &life, w.id[i], &last);
        int came = (int)sc_starts(comes, x.id[i]) - x.starts[i];
        starts += (size_t)n;
        if (n != came || (n && last != sc_start(comes, x.id[i])))
            fail_msg("seed %llu: %s: %d starts were foretold, the last at %lld; %d "
                     "came: %s",
                (unsigned long long)seed, w.id[i], n, (long long)last, came,
                sc_log(comes, x.id[i]));
    }
    life_fini(&life);
    sc_destroy(foretold);
    sc_destroy(comes);
    return starts;
}

static void what_is_foretold_by_living_on_comes(void **state)
{
    uint64_t from = seed_first();
    uint64_t n = seed_count(SEEDS);
    size_t starts = 0;

    (void)state;
    for (uint64_t seed = from; seed < from + n; seed++)
        starts += check_seed(seed);
    print_message("# seeds %llu to %llu: %zu starts\n", (unsigned long long)from,
        (unsigned long long)(from + n - 1), starts);
    assert_true(starts > 2 * n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_foretold_by_living_on_comes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
