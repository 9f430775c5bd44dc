/* SPDX-License-Identifier: Apache-2.0
 * An order of the queue that is kept, and candidates that are passed over because
 * nothing came free since they were refused, give the schedule that looking at
 * everybody in every cycle gives; and so does a plan of which anything is asked between
 * cycles: two engines are told the same, one of them doubts its queue before each
 * cycle, and they must decide the same. Priorities and reasons that people see are the
 * same too. In every other world reservations come and go. */
#include "cluster/reservation.h"
#include "cmocka_all.h"
#include "config/acltext.h"
#include "config/config.h"
#include "engine/engine_private.h"
#include "engine/keeping.h"
#include "engine/query.h"
#include "plan/plan.h"
#include "quotas.h"
#include "rng.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define WORLDS       300
#define WORLDS_ASKED 100
#define JOBS         80
#define NODES        6
#define TEXT         100

struct end {
    int64_t at;
    uint32_t job;
};

/* One of the two: index 0 looks at everybody in each cycle and is asked nothing; 1
 * looks when it has to, or is asked. */
struct twin {
    struct engine *e;
    struct actions out;
};

struct worlds {
    struct settings *cfg;
    struct twin twin[2];
    struct VEC(struct end) ends;
    struct rng rng, asks, limits, ranks;
    uint32_t seed;
    bool asked;
};

static const char *const policies[] = {
    "BACKFILLPOLICY FIRSTFIT\nBACKFILLTYPE QUEUEORDER\nRESERVATIONDEPTH 1\n",
    "BACKFILLPOLICY FIRSTFIT\nBACKFILLTYPE QUEUEORDER\nRESERVATIONDEPTH 1\n",
    "BACKFILLPOLICY FIRSTFIT\nBACKFILLTYPE QUEUEORDER\nRESERVATIONDEPTH 3\n",
    "BACKFILLPOLICY FIRSTFIT\nBACKFILLTYPE QUEUEORDER\nRESERVATIONDEPTH 1000\n",
    "BACKFILLPOLICY FIRSTFIT\nBACKFILLTYPE QUEUEORDER\nBACKFILLDEPTH 3\n",
    "BACKFILLPOLICY FIRSTFIT\nBACKFILLTYPE WIDESTFIRST\n",
    "BACKFILLPOLICY BESTFIT\n",
    "BACKFILLPOLICY GREEDY\n",
    "BACKFILLPOLICY FIRSTFIT\nBFCHUNKDURATION 00:00:05\nBFCHUNKSIZE 3\n",
    "BACKFILLPOLICY NONE\n",
    "BACKFILLPOLICY PLAN\nPLANEVALUATIONS 20\n",
    "BACKFILLPOLICY PLAN\nPLANDEPTH 5\nPLANWINDOW 3\nPROMISEHORIZON SUBMIT\n",
    "BACKFILLPOLICY FIRSTFIT\nBACKFILLTYPE QUEUEORDER\nRESERVATIONPOLICY HIGHEST\n",
    "BACKFILLPOLICY FIRSTFIT\nBACKFILLTYPE QUEUEORDER\nRESERVATIONPOLICY NEVER\n",
};

static const char *const priorities[] = {
    "QUEUETIMEWEIGHT 1\n",
    "QUEUETIMEWEIGHT 1\n",
    "QUEUETIMEWEIGHT 1\nRESWEIGHT 1\nPROCWEIGHT 10\n",
    "QUEUETIMEWEIGHT 0\n",
    "QUEUETIMEWEIGHT 1\nUSERWEIGHT 1\nUSERCFG[u1] PRIORITY=50\n",
};

static const enum queue_order orders[] = {ORDER_PRIORITY, ORDER_PRIORITY,
    ORDER_PRIORITY, ORDER_PRIORITY, ORDER_FCFS, ORDER_SJF};

#define ANY_OF(table, rng) (table)[rng_below((rng), sizeof(table) / sizeof *(table))]

static void tell(struct worlds *w, const struct event *ev)
{
    struct event_result made[2];
    struct err err;

    for (int i = 0; i < 2; i++)
        if (engine_apply(w->twin[i].e, ev, &made[i], &err) < 0)
            fail_msg("seed %u: %s", w->seed, err.text);
    assert_int_equal(made[0].job ? made[0].job->index : INDEX_NONE,
        made[1].job ? made[1].job->index : INDEX_NONE);
}

/* Reservations of the first minutes of each day: that is all the time there is. */
static const char *const standing[] = {
    "",
    "SRCFG[a] HOSTLIST=n1,n2 STARTTIME=0:00:20 ENDTIME=0:01:00 USERLIST=u1\n",
    ("SRCFG[a] HOSTLIST=n0,n1,n2 STARTTIME=0:00:10 ENDTIME=0:00:50 USERLIST=u1,u2-\n"
     "SRCFG[b] HOSTLIST=n2,n3 STARTTIME=0:00:30 ENDTIME=0:01:30 USERLIST=u2\n"),
    "SRCFG[a] HOSTLIST=n4 PERIOD=INFINITY TIMELIMIT=0:00:05*\n",
    "SRCFG[a] TASKCOUNT=2 ENDTIME=0:02:00 USERLIST=u0 FLAGS=SPACEFLEX\n",
};

static bool has_reservations(const struct worlds *w)
{
    return w->seed % 2 == 0;
}

static bool has_limits(const struct worlds *w)
{
    return w->seed % 3 == 0;
}

static void begin(struct worlds *w, uint32_t seed, bool asked)
{
    char text[2000];

    *w = (struct worlds){.seed = seed,
        .rng = {seed},
        .asks = {seed},
        .limits = {seed},
        .ranks = {seed},
        .asked = asked};
    snprintf(text, sizeof text, "DEFERTIME 0\nNODEACCESSPOLICY SHARED\n%s%s%s",
        ANY_OF(policies, &w->rng), ANY_OF(priorities, &w->rng),
        has_reservations(w) ? ANY_OF(standing, &w->rng) : "");
    struct config *config = config_load_text("maui.cfg", text, strlen(text));
    assert_int_equal(config->findings.n, 0);
    w->cfg = config_take_settings(config);
    config_destroy(config);
    enum queue_order order = ANY_OF(orders, &w->rng);
    enum queue_order backfill = ANY_OF(orders, &w->rng);
    for (int i = 0; i < 2; i++) {
        struct engine_options opt = {
            .order = order, .backfill_order = backfill, .report_reservations = true};
        w->twin[i].e = engine_create(w->cfg, &opt);
    }
    for (int i = 0; i < NODES; i++) {
        struct event ev = {.kind = EVENT_NODE};
        char name[20];
        snprintf(name, sizeof name, "n%d", i);
        ev.u.node = (struct node_desc){
            .name = name, .state = NODE_IDLE, .cfg = {.v = {2, 1000, -1, -1}}};
        tell(w, &ev);
    }
}

static void end(struct worlds *w)
{
    for (int i = 0; i < 2; i++) {
        engine_destroy(w->twin[i].e);
        vec_fini(&w->twin[i].out);
    }
    vec_fini(&w->ends);
    settings_destroy(w->cfg);
}

/* In some worlds jobs have tiers; in some they are content with less than their limit.
 */
static void rank(struct worlds *w, struct job_desc *io)
{
    if (w->seed % 4 == 1)
        io->tier = rng_below(&w->ranks, 3);
    if (w->seed % 7 == 3 && rng_percent(&w->ranks, 40)) {
        io->min_wclimit_s = rng_range(&w->ranks, 1, io->wclimit_s);
        io->wclimit_s += rng_below(&w->ranks, 3) * 60;
    }
}

/* Mostly jobs of single processors; rarely such as make the plan look at nodes. */
static void submit(struct worlds *w, uint32_t number, int64_t now)
{
    struct event ev = {.kind = EVENT_SUBMIT, .at = now};
    struct req_desc req = {.per_task = {.v = {1}}, .tasks = 1 + rng_below(&w->rng, 12)};
    char id[TEXT], user[TEXT];

    if (w->seed % 5 == 0 && rng_percent(&w->rng, 20))
        req.per_task.v[RES_MEM] = rng_range(&w->rng, 1, 900);
    snprintf(id, sizeof id, "%s%u", w->seed % 2 ? "" : "a-longer-id.", number);
    snprintf(user, sizeof user, "u%u", rng_below(&w->rng, 3));
    ev.u.job = (struct job_desc){.id = id,
        .submit_at = now,
        .wclimit_s = rng_range(&w->rng, 1, 12),
        .cred = {[CRED_USER] = user},
        .state = JOB_IDLE,
        .reqs = &req,
        .nreqs = 1};
    if (rng_percent(&w->rng, 5))
        ev.u.job.release_at = now + rng_range(&w->rng, 1, 10);
    rank(w, &ev.u.job);
    tell(w, &ev);
}

/* Of some hosts, for somebody or nobody, soon. */
static struct reservation draft(uint64_t seed, int64_t now)
{
    static const char *const users[] = {NULL, NULL, "u0", "u1", "u0,u2-", "!u1"};
    static const uint32_t flags[] = {0, 0, 0, RSV_TIMEFLEX, RSV_SPACEFLEX, RSV_BYNAME};
    struct reservation r = reservation_draft(RSV_ADMIN);
    struct rng rng = {seed};
    const char *who = ANY_OF(users, &rng);
    uint32_t first = rng_below(&rng, NODES);
    struct err err;

    r.base = xstrdup("work");
    r.start_at = now + rng_below(&rng, 20);
    r.end_at = r.start_at + 1 + rng_below(&rng, 25);
    r.flags = ANY_OF(flags, &rng);
    r.listed = rng_percent(&rng, 80);
    r.tasks = r.listed ? 0 : 1 + rng_below(&rng, 2);
    for (uint32_t i = first; r.listed && i < NODES && i < first + 3; i++)
        vec_push(&r.hosts, i);
    if (who)
        assert_int_equal(acltext_parse(ACL_USER, who, &r.acl, &err), 0);
    return r;
}

static void reserve(struct worlds *w, int64_t now)
{
    uint64_t seed = rng_next(&w->rng);
    int status[2];

    for (int i = 0; i < 2; i++) {
        struct reservation r = draft(seed, now);
        struct event ev = {.kind = EVENT_RESERVE, .at = now};
        struct err err;
        ev.u.reserve.draft = &r;
        status[i] = engine_apply(w->twin[i].e, &ev, NULL, &err);
        if (status[i] < 0)
            reservation_fini(&r);
    }
    assert_int_equal(status[0], status[1]);
}

static void release(struct worlds *w, int64_t now)
{
    const struct cluster *c = engine_cluster(w->twin[0].e);
    struct event ev = {.kind = EVENT_UNRESERVE, .at = now};

    for (size_t i = 0; i < c->reservations.n; i++) {
        const struct reservation *r = c->reservations.v[i];
        char name[TEXT];
        if (!r || !reservation_is_live(r) || rng_percent(&w->rng, 50))
            continue;
        snprintf(name, sizeof name, "%s", r->name);
        ev.u.unreserve.name = name;
        tell(w, &ev);
        return;
    }
}

/* The resource manager's limits are others. */
static void limit(struct worlds *w, int64_t now)
{
    struct event ev = some_quotas(rng_below(&w->limits, QUOTA_LISTS), now);

    tell(w, &ev);
}

/* Most jobs run as long as they may, so that ends are where they were planned. */
static void started(struct worlds *w, const struct action *a, int64_t now)
{
    const struct job *j = engine_cluster(w->twin[0].e)->jobs.v[a->job];
    int64_t run = j->wclimit_s;

    if (rng_percent(&w->rng, 40))
        run = rng_range(&w->rng, 1, run + (rng_percent(&w->rng, 10) ? 3 : 0));
    vec_push(&w->ends, ((struct end){now + run, a->job}));
}

/* It ran into its limit. */
static void cancelled(struct worlds *w, const struct action *a)
{
    for (size_t i = w->ends.n; i-- > 0;)
        if (w->ends.v[i].job == a->job)
            w->ends.v[i] = w->ends.v[--w->ends.n];
}

static void cycle(struct worlds *w, int64_t now)
{
    const struct actions *a = &w->twin[0].out, *b = &w->twin[1].out;

    for (int i = 0; i < 2; i++) {
        w->twin[i].out.n = 0;
        if (i == 0)
            engine_doubt_queue(w->twin[i].e);
        engine_cycle(w->twin[i].e, now, &w->twin[i].out);
    }
    if (a->n != b->n)
        fail_msg("seed %u: %zu decisions at %lld, %zu by the other", w->seed, a->n,
            (long long)now, b->n);
    for (size_t i = 0; i < a->n; i++) {
        if (a->v[i].kind != b->v[i].kind || a->v[i].job != b->v[i].job
            || a->v[i].at != b->v[i].at || a->v[i].backfill != b->v[i].backfill)
            fail_msg(
                "seed %u: decision %zu at %lld differs", w->seed, i, (long long)now);
        if (a->v[i].kind == ACTION_START)
            started(w, &a->v[i], now);
        else if (a->v[i].kind == ACTION_CANCEL)
            cancelled(w, &a->v[i]);
    }
}

/* What a pass finds stays as long as nothing came free: one that looks again may find
 * something else in the way, or come no further than that nothing is free. */
static const bool of_pass[WAIT_CODES] = {[WAIT_RESOURCES] = true,
    [WAIT_NODESET] = true,
    [WAIT_BACKFILL_DEPTH] = true,
    [WAIT_BACKFILL_WINDOW] = true,
    [WAIT_NOBF] = true,
    [WAIT_FEASIBLE] = true};

static void compare_reasons(struct worlds *w, uint32_t job)
{
    struct reason seen[2];

    for (int i = 0; i < 2; i++)
        seen[i] = *engine_why(w->twin[i].e, engine_cluster(w->twin[i].e)->jobs.v[job]);
    if (of_pass[seen[0].code] && of_pass[seen[1].code])
        return;
    if (memcmp(&seen[0], &seen[1], sizeof seen[0]) != 0)
        fail_msg("seed %u: job %u waits for reason %u at %lld %lld %lld %lld, with the "
                 "order kept %u at %lld %lld %lld %lld",
            w->seed, job, seen[0].code, (long long)seen[0].limit,
            (long long)seen[0].used, (long long)seen[0].asked, (long long)seen[0].until,
            seen[1].code, (long long)seen[1].limit, (long long)seen[1].used,
            (long long)seen[1].asked, (long long)seen[1].until);
}

/* What people see of the jobs that wait. */
static void compare_waiting(struct worlds *w)
{
    const struct cluster *a = engine_cluster(w->twin[0].e);
    const struct cluster *b = engine_cluster(w->twin[1].e);
    size_t queued = b->queued.n;

    for (int i = 0; i < 2; i++)
        engine_set_priorities(w->twin[i].e);
    assert_int_equal(b->queued.n, queued); /* whoever walks that list goes on */
    for (size_t i = 0; i < a->queued.n; i++) {
        uint32_t job = a->queued.v[i];
        if (job == INDEX_NONE)
            continue;
        assert_int_equal(a->priorities.v[job], b->priorities.v[job]);
        assert_int_equal(job_bypass(a, a->jobs.v[job]), job_bypass(b, b->jobs.v[job]));
        compare_reasons(w, job);
    }
}

static void end_due(struct worlds *w, int64_t now)
{
    for (size_t i = w->ends.n; i-- > 0;) {
        struct event ev = {.kind = EVENT_END, .at = now};
        if (w->ends.v[i].at > now)
            continue;
        ev.u.end.job = w->ends.v[i].job;
        ev.u.end.how = EV_COMPLETE;
        w->ends.v[i] = w->ends.v[--w->ends.n];
        tell(w, &ev);
    }
}

/* ---- questions ---- */

static struct query_ask question(struct rng *rng)
{
    static const char *const users[] = {NULL, "u0", "u1", "u2"};

    return (struct query_ask){.cred = {[CRED_USER] = ANY_OF(users, rng)},
        .procs = 1 + rng_below(rng, 14),
        .mem_per_proc_mb = rng_percent(rng, 30) ? rng_range(rng, 1, 1000) : 0,
        .duration_s = 1 + rng_below(rng, 30)};
}

static void ask_engine(struct worlds *w, int64_t now)
{
    struct query_ask ask = question(&w->asks);
    struct engine *e = w->twin[1].e;
    struct query_windows windows = {0};
    struct query_nodes nodes = {0};
    struct query_start start;
    struct err err;
    bool found;

    assert_int_equal(query_start(e, &ask, now, &found, &start, &err), 0);
    assert_int_equal(query_nodes(e, &ask, now, &nodes, &err), 0);
    assert_int_equal(query_windows(e, &ask, now, &windows, &err), 0);
    for (size_t i = 0; i < e->c->jobs.n; i++)
        if (e->c->jobs.v[i])
            query_job_start(e, e->c->jobs.v[i], 0, now, &start);
    vec_fini(&windows);
    vec_fini(&nodes);
}

/* On a copy of the plan all that waits is reserved, and what is reserved is not. */
static void try_on_fork(struct worlds *w)
{
    const struct engine *e = w->twin[1].e;
    struct plan *fork = plan_fork(e->plan);
    struct slot slot;

    plan_check(fork);
    for (size_t i = 0; i < e->c->jobs.n; i++) {
        const struct job *j = e->c->jobs.v[i];
        if (!j || j->state != JOB_IDLE)
            continue;
        if (plan_is_reserved(fork, j))
            plan_unreserve(fork, j);
        else if (plan_first_fit(fork, j, e->now + rng_below(&w->asks, 5), &slot))
            plan_reserve(fork, j, &slot);
    }
    plan_windows(fork, 0, PLAN_ACCESS_ANY);
    plan_check(fork);
    plan_destroy(fork);
    fork = rng_percent(&w->asks, 50)
               ? plan_fork_unreserved(e->plan)
               : plan_fork_without(e->plan, e->c->active.v, e->c->active.n, false);
    for (size_t i = 0; i < e->c->jobs.n; i++)
        if (e->c->jobs.v[i] && e->c->jobs.v[i]->state == JOB_IDLE)
            plan_free_now(fork, e->c->jobs.v[i], 0);
    plan_destroy(fork);
}

/* What the plan says of each waiting job. */
struct answer {
    int64_t free_now, reserved_at, first_at;
};

static struct answer answer_of(struct engine *e, const struct job *j)
{
    struct slot slot = {TIME_NEVER, 0};

    plan_first_fit(e->plan, j, e->now, &slot);
    return (struct answer){.free_now = plan_free_now(e->plan, j, 0),
        .reserved_at = plan_reserved_at(e->plan, j),
        .first_at = slot.at};
}

static void ask(struct worlds *w, int64_t now)
{
    struct engine *e = w->twin[1].e;
    struct answer *before = xcalloc(e->c->jobs.n + 1, sizeof *before);
    uint64_t changes = plan_changes(e->plan);

    for (size_t i = 0; i < e->c->jobs.n; i++)
        if (e->c->jobs.v[i] && e->c->jobs.v[i]->state == JOB_IDLE)
            before[i] = answer_of(e, e->c->jobs.v[i]);
    ask_engine(w, now);
    try_on_fork(w);
    plan_check(e->plan);
    assert_true(plan_changes(e->plan) == changes);
    for (size_t i = 0; i < e->c->jobs.n; i++) {
        const struct job *j = e->c->jobs.v[i];
        if (!j || j->state != JOB_IDLE)
            continue;
        struct answer after = answer_of(e, j);
        if (memcmp(&before[i], &after, sizeof after) != 0)
            fail_msg("seed %u: another answer at %lld", w->seed, (long long)now);
    }
    free(before);
}

/* ---- worlds ---- */

static void run_world(uint32_t seed, bool asked)
{
    struct worlds w;
    uint32_t number = 0;

    begin(&w, seed, asked);
    for (int64_t now = 1; number < JOBS || w.ends.n; now++) {
        end_due(&w, now);
        while (number < JOBS && rng_percent(&w.rng, 35))
            submit(&w, number++, now);
        if (has_reservations(&w) && rng_percent(&w.rng, 10))
            reserve(&w, now);
        if (has_reservations(&w) && rng_percent(&w.rng, 2))
            release(&w, now);
        if (has_limits(&w) && rng_percent(&w.limits, 3))
            limit(&w, now);
        cycle(&w, now);
        if (!asked && rng_percent(&w.asks, 30))
            compare_waiting(&w);
        if (asked && rng_percent(&w.asks, 20))
            ask(&w, now);
        assert_true(now < 100000);
    }
    end(&w);
}

static void keeping_the_order_never_changes_a_decision(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= WORLDS; seed++)
        run_world(seed, false);
}

static void questions_between_cycles_change_nothing(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= WORLDS_ASKED; seed++)
        run_world(seed, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeping_the_order_never_changes_a_decision),
        cmocka_unit_test(questions_between_cycles_change_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
