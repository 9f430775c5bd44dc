/* SPDX-License-Identifier: Apache-2.0
 * An order of the queue that is kept, and candidates that are passed over because
 * nothing came free since they were refused, give the schedule that looking at
 * everybody in every cycle gives: two engines are told the same, and must decide the
 * same. In every other world reservations come and go. */
#include "cluster/reservation.h"
#include "cmocka_all.h"
#include "config/acltext.h"
#include "config/config.h"
#include "engine/engine.h"
#include "rng.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define WORLDS 300
#define JOBS   80
#define NODES  6
#define TEXT   100

struct end {
    int64_t at;
    uint32_t job;
};

/* One of the two: index 0 looks at everybody, 1 keeps the order. */
struct twin {
    struct engine *e;
    struct actions out;
};

struct worlds {
    struct settings *cfg;
    struct twin twin[2];
    struct VEC(struct end) ends;
    struct rng rng;
    uint32_t seed;
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
    uint32_t jobs[2] = {0, 0};
    struct err err;

    for (int i = 0; i < 2; i++)
        if (engine_apply(w->twin[i].e, ev, &jobs[i], &err) < 0)
            fail_msg("seed %u: %s", w->seed, err.text);
    assert_int_equal(jobs[0], jobs[1]);
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

static void begin(struct worlds *w, uint32_t seed)
{
    char text[2000];

    *w = (struct worlds){.seed = seed, .rng = {seed}};
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
            .keep_order = i == 1, .order = order, .backfill_order = backfill};
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
        engine_cycle(w->twin[i].e, now, &w->twin[i].out);
    }
    if (a->n != b->n)
        fail_msg("seed %u: %zu decisions at %lld, %zu with the order kept", w->seed,
            a->n, (long long)now, b->n);
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

static void keeping_the_order_never_changes_a_decision(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= WORLDS; seed++) {
        struct worlds w;
        uint32_t number = 0;

        begin(&w, seed);
        for (int64_t now = 1; number < JOBS || w.ends.n; now++) {
            end_due(&w, now);
            while (number < JOBS && rng_percent(&w.rng, 35))
                submit(&w, number++, now);
            if (has_reservations(&w) && rng_percent(&w.rng, 10))
                reserve(&w, now);
            if (has_reservations(&w) && rng_percent(&w.rng, 2))
                release(&w, now);
            cycle(&w, now);
            assert_true(now < 100000);
        }
        end(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeping_the_order_never_changes_a_decision),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
