/* SPDX-License-Identifier: Apache-2.0
 * BACKFILLPOLICY PLAN on random worlds: what is promised is kept. After each cycle
 * every promised job has a place no later than its promise, which is never put off;
 * nobody starts later; everybody starts. In some worlds jobs ask for memory, some
 * of each node besides, so that they are planned node by node; or there are two
 * partitions, or two kinds of nodes, for which half of the jobs ask, and which the
 * others can use together. */
#include "cmocka_all.h"
#include "config/acltext.h"
#include "config/config.h"
#include "config/settings.h"
#include "engine/engine_private.h"
#include "engine/planning/private.h"
#include "plan/plan.h"
#include "rng.h"
#include "seeds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORLDS 250
#define JOBS   60
#define NODES  6

/* Kinds of worlds, by seed. */
enum { PLAIN, MEMORY, PARTITIONS, FEATURES, MIXED, KINDS };

struct end {
    int64_t at; /* of a suspended job how long it has to run yet, and negative */
    uint32_t job;
};

struct world {
    uint32_t seed;
    struct rng rng;
    struct settings *cfg;
    struct engine *e;
    struct actions out;
    struct VEC(struct end) ends;
    struct VEC(int64_t) latest; /* by job index; 0 = none */
    struct VEC(int64_t) told; /* ... and it was told that last, be it by the promise */
    struct VEC(
        int64_t) first; /* ... and promised that before it was put off; 0 = not */
    uint32_t started, promised, unpromised;
    bool bands;      /* some jobs have a QOS */
    bool loses;      /* nodes, for a while */
    uint32_t lost;   /* that one */
    int64_t until;   /* then it is back; 0 = none is lost */
    uint32_t broken; /* told */
    uint32_t lapsed; /* ... and promised nothing since, times cycles */
    bool orders;     /* an administrator does: starts, and other QOSs */
    bool by_node;    /* counts are not exact: a held job names hosts */
    bool reserves;   /* a user does */
    bool groups;     /* for some users */
    uint32_t reserved, moved, ordered;
    const char *policy;  /* NULL: any */
    bool at_once;        /* it promises on entry */
    bool limited;        /* users may have so much active */
    const char *preempt; /* PREEMPTPOLICY, and some jobs preempt others; or NULL */
    uint32_t preempted, suspended;
    bool asks;     /* after each cycle: when is each job expected to start? */
    uint64_t seen; /* digest of all starts */
};

static const char *const policies[] = {
    "PROMISEHORIZON SUBMIT\n",
    "PROMISEHORIZON SUBMIT\nPROMISESLACK 0:00:10\nPROMISETIGHTEN FALSE\n",
    "PROMISEHORIZON SUBMIT\nPROMISESLACK 0\nPROMISESLACKSHARE 0.5\nPLANEVALUATIONS "
    "30\n",
    "PROMISEHORIZON 0:00:20\nPROMISESLACK 0:00:15\n",
    "PROMISEHORIZON 0\nPROMISESLACK 0:00:05\nPROMISETIGHTEN TRUE\nPREDICTION LASTTWO\n",
    "PROMISEHORIZON 0:00:10\nPROMISESLACK 0:00:20\nPLANDEPTH 8\nPLANWINDOW 4\n",
    "PROMISEHORIZON 0:00:20\nPROMISESLACK 0:00:20\nPLANFILL PROMISED\n",
    "PROMISEHORIZON SUBMIT\nPROMISESLACK 0:00:40\nPLANWINDOW 4\nPLANEVALUATIONS 20\n",
    ("PROMISEHORIZON 0:00:20\nPROMISESLACK 0:00:30\nQOSWEIGHT 1\n"
     "QOSCFG[high] PRIORITY=100000\nQOSCFG[low] PRIORITY=-100000\n"
     "USERCFG[DEFAULT] QLIST=high,low\n"),
    ("PROMISEHORIZON 0:00:20\nPROMISESLACK 0:00:30\nFSPOLICY DEDICATEDPS\nFSINTERVAL "
     "10\n"
     "FSDEPTH 4\nFSUSERWEIGHT 10\nUSERCFG[DEFAULT] FSTARGET=20\n"),
};

#define ANY_OF(table, rng) (table)[rng_below((rng), sizeof(table) / sizeof *(table))]

static void tell_event(struct world *w, const struct event *ev)
{
    struct event_result made;
    struct err err;

    if (engine_apply(w->e, ev, &made, &err) < 0)
        fail_msg("seed %u: %s", w->seed, err.text);
}

static void submit_spoiler(struct world *w)
{
    const char *const hosts[] = {"n0", "n1", "n2", "n3", "n4", "n5", NULL};
    struct req_desc req = {.tasks = 1, .hosts = hosts};
    struct event ev = {.kind = EVENT_SUBMIT};

    ev.u.job = (struct job_desc){.id = "spoiler",
        .wclimit_s = 1,
        .cred = {[CRED_USER] = "spoiler"},
        .state = JOB_HOLD,
        .rm_hold = HOLD_SYSTEM,
        .reqs = &req,
        .nreqs = 1};
    tell_event(w, &ev);
}

static void begin_with(struct world *w, uint32_t seed, struct engine_options opt)
{
    char text[1000];

    const char *given = w->policy, *policy, *preempt = w->preempt;

    *w = (struct world){
        .seed = seed, .rng = {seed}, .by_node = w->by_node, .preempt = preempt};
    policy = ANY_OF(policies, &w->rng);
    policy = given ? given : policy;
    w->at_once = strstr(policy, "HORIZON SUBMIT");
    w->bands = strstr(policy, "QOSCFG");
    snprintf(text, sizeof text,
        "BACKFILLPOLICY PLAN\nDEFERTIME 0\nNODEACCESSPOLICY SHARED\nQUEUETIMEWEIGHT 1\n"
        "PLANEVALUATIONS 40\nRESCTLPOLICY ANY\n%s%s%s",
        policy,
        preempt ? "CREDWEIGHT 1\nUSERWEIGHT 1\nUSERCFG[u0] PRIORITY=9\nPREEMPTPOLICY "
                : "",
        preempt ? preempt : "");
    struct config *config = config_load_text("maui.cfg", text, strlen(text));
    for (size_t i = 0; i < config->findings.n; i++)
        assert_int_equal(config->findings.v[i].level, FINDING_NOTE);
    w->cfg = config_take_settings(config);
    config_destroy(config);
    opt.statistics = true;
    w->e = engine_create(w->cfg, &opt);
    for (int i = 0; i < NODES; i++) {
        struct event ev = {.kind = EVENT_NODE};
        char name[20];
        snprintf(name, sizeof name, "n%d", i);
        const char *const features[] = {i < 2 ? "fast" : "slow", NULL};
        ev.u.node = (struct node_desc){.name = name,
            .state = NODE_IDLE,
            .cfg = {.v = {2, 1000, -1, -1}},
            .partition = seed % KINDS == PARTITIONS && i >= 3 ? "other" : NULL,
            .features = features};
        tell_event(w, &ev);
    }
    if (w->by_node)
        submit_spoiler(w);
}

static void begin(struct world *w, uint32_t seed)
{
    begin_with(w, seed, (struct engine_options){0});
}

static void end(struct world *w)
{
    engine_destroy(w->e);
    vec_fini(&w->out);
    vec_fini(&w->ends);
    vec_fini(&w->latest);
    vec_fini(&w->told);
    vec_fini(&w->first);
    settings_destroy(w->cfg);
}

static void submit(struct world *w, uint32_t number, int64_t now)
{
    static const char *const users[] = {"u0", "u1", "u2"};
    static const char *const qos[] = {NULL, NULL, "high", "low"};
    struct event ev = {.kind = EVENT_SUBMIT, .at = now};
    uint32_t kind = w->seed % KINDS;
    struct req_desc req = {.per_task = {.v = {1}},
        .tasks = 1 + rng_below(&w->rng, kind == PARTITIONS ? 6 : 12)};
    const char *const want[] = {rng_percent(&w->rng, 50) ? "fast" : "slow", NULL};
    char id[20];

    if ((kind == MEMORY || kind == MIXED) && rng_percent(&w->rng, 25))
        req.per_task.v[RES_MEM] = rng_range(&w->rng, 1, 450);
    if ((kind == MEMORY || kind == MIXED) && rng_percent(&w->rng, 15))
        req.mem_per_node_mb =
            rng_range(&w->rng, 1, req.per_task.v[RES_MEM] > 0 ? 100 : 900);
    if ((kind == FEATURES || kind == MIXED) && rng_percent(&w->rng, 50)) {
        req.features = want;
        req.tasks = 1 + rng_below(&w->rng, want[0][0] == 'f' ? 4 : 8);
    }
    snprintf(id, sizeof id, "%u", number);
    ev.u.job = (struct job_desc){.id = id,
        .submit_at = now,
        .wclimit_s = rng_range(&w->rng, 1, 20),
        .cred = {[CRED_USER] = ANY_OF(users, &w->rng),
            [CRED_QOS] = w->bands ? ANY_OF(qos, &w->rng) : NULL},
        .state = JOB_IDLE,
        .reqs = &req,
        .nreqs = 1};
    if (w->preempt)
        ev.u.job.flags = (rng_percent(&w->rng, 50) ? JOB_PREEMPTEE : 0)
                         | (rng_percent(&w->rng, 40) ? JOB_PREEMPTOR : 0);
    tell_event(w, &ev);
}

static int64_t *latest_of(struct world *w, uint32_t job)
{
    while (w->latest.n <= job) {
        vec_push(&w->latest, 0);
        vec_push(&w->told, 0);
        vec_push(&w->first, 0);
    }
    return &w->latest.v[job];
}

static void forget_promise(struct world *w, uint32_t job)
{
    *latest_of(w, job) = w->told.v[job] = w->first.v[job] = 0;
}

/* Is it told in this cycle that what the job was told last cannot be? */
static bool is_put_off(struct world *w, const struct job *j, int64_t latest)
{
    int64_t last = *latest_of(w, j->index), told = w->told.v[j->index];

    for (size_t i = 0; i < w->out.n; i++) {
        const struct action *a = &w->out.v[i];
        if (a->kind == ACTION_PUT_OFF && a->job == j->index
            && (a->was == told || a->was == last) && a->at == latest && a->text)
            return w->loses || w->orders;
    }
    return false;
}

static void note_start(struct world *w, uint32_t job, int64_t now)
{
    const struct job *j = engine_cluster(w->e)->jobs.v[job];
    int64_t run =
        rng_percent(&w->rng, 50) ? j->wclimit_s : rng_range(&w->rng, 1, j->wclimit_s);

    int64_t latest = *latest_of(w, job), first = w->first.v[job];
    if (latest && now > latest && now > w->told.v[job] && !is_put_off(w, j, now))
        fail_msg("seed %u: job %s starts at %lld, promised by %lld", w->seed, j->id,
            (long long)now, (long long)latest);
    w->broken += latest && now > (first ? first : latest);
    w->seen = (w->seen ^ ((uint64_t)now << 16 ^ job)) * UINT64_C(1099511628211);
    forget_promise(w, job);
    vec_push(&w->ends, ((struct end){now + run, job}));
    w->started++;
}

/* Who waits again, or is suspended, or goes on. */
static void note_preempted(struct world *w, const struct action *a, int64_t now)
{
    for (size_t i = w->ends.n; i-- > 0;) {
        struct end *end = &w->ends.v[i];
        if (end->job != a->job)
            continue;
        if (a->kind == ACTION_SUSPEND || a->kind == ACTION_RESUME)
            end->at = now - end->at;
        else
            *end = w->ends.v[--w->ends.n];
    }
    w->preempted += a->kind != ACTION_RESUME;
    w->suspended += a->kind == ACTION_SUSPEND;
    w->started -= a->kind == ACTION_REQUEUE || a->kind == ACTION_CHECKPOINT;
}

/* What it was promised is broken, and nothing is instead. */
static void check_broken(struct world *w, const struct job *j, const struct promise *p)
{
    int64_t *latest = latest_of(w, j->index), *first = &w->first.v[j->index];

    if (*latest < TIME_NEVER && !is_put_off(w, j, 0))
        fail_msg("seed %u: the promise to job %s is broken", w->seed, j->id);
    *first = *first ? *first : *latest;
    *latest = TIME_NEVER;
    w->lapsed++;
    assert_int_equal(p->was, *first);
    assert_true(w->loses && p->cause == CAUSE_NODES);
    if (w->at_once && plan_is_reserved(w->e->plan, j))
        fail_msg("seed %u: job %s has a place, and no promise", w->seed, j->id);
}

static void check_promise(struct world *w, const struct job *j, int64_t now)
{
    struct promise p;
    int64_t *latest = latest_of(w, j->index);

    if (!promises_of(w->e->promises, j, PROMISE_START, &p)) {
        if (*latest && *latest < TIME_NEVER && !is_put_off(w, j, 0))
            fail_msg("seed %u: the promise to job %s is gone", w->seed, j->id);
        w->broken += w->first.v[j->index] && now > w->first.v[j->index];
        forget_promise(w, j->index);
        if (w->at_once && plan_is_reserved(w->e->plan, j))
            fail_msg("seed %u: job %s has a place, and no promise", w->seed, j->id);
        return;
    }
    if (p.latest_start >= TIME_NEVER) {
        check_broken(w, j, &p);
        return;
    }
    int64_t *told = &w->told.v[j->index], *first = &w->first.v[j->index];
    w->promised += *latest == 0;
    if (!*latest || is_put_off(w, j, p.latest_start))
        *told = p.latest_start;
    else if (p.latest_start > *latest
             && !((w->loses || w->orders) && p.was && p.latest_start < *told + 3600))
        fail_msg("seed %u: the promise to job %s was put off from %lld to %lld",
            w->seed, j->id, (long long)*latest, (long long)p.latest_start);
    w->broken += !p.was && *first && now > *first; /* it lapsed, broken */
    *first = !p.was ? 0 : *first ? *first : *latest;
    assert_int_equal(p.was, *first);
    *latest = p.latest_start;
    int64_t at = plan_reserved_at(w->e->plan, j);
    if (!at || at > p.latest_start)
        fail_msg("seed %u: job %s is planned for %lld at %lld, promised by %lld",
            w->seed, j->id, (long long)at, (long long)now, (long long)p.latest_start);
}

/* By counts, who is promised nothing would not start within the horizon if jobs were
 * planned in the order of the queue. */
static void check_horizon(struct world *w, int64_t now)
{
    const struct planning *p = w->e->passes.planning;
    int64_t horizon_s = w->e->cfg->plan.horizon_s;
    struct search_terms terms = {.wait_exponent = 2, .band_factor = 1};
    double cost;

    if (kept_wanted(p) || p->members.n == 0)
        return;
    uint32_t *site = xcalloc(p->members.n, sizeof *site);
    int64_t *starts = xcalloc(p->members.n, sizeof *starts);
    for (uint32_t i = 0; i < p->members.n; i++)
        site[i] = i;
    search_list(&p->wishes, &terms, site, starts, &cost);
    for (size_t i = 0; i < p->members.n; i++) {
        const struct job *j = engine_cluster(w->e)->jobs.v[p->members.v[i].job];
        if (!j || !job_waits(j) || p->members.v[i].start_at >= TIME_NEVER
            || engine_promised_by(w->e, j))
            continue;
        w->unpromised++;
        if (starts[i] < time_add(now, horizon_s))
            fail_msg("seed %u: job %s would start at %lld by priority, and is promised "
                     "nothing at %lld",
                w->seed, j->id, (long long)starts[i], (long long)now);
    }
    free(site);
    free(starts);
}

/* Everybody asks when they are expected to start. Who is promised a start is not
 * expected later. */
static void ask_all(struct world *w, int64_t now)
{
    const struct cluster *c = engine_cluster(w->e);

    for (size_t i = 0; i < c->jobs.n; i++) {
        const struct job *j = c->jobs.v[i];
        if (!j || !job_waits(j))
            continue;
        struct expected_start x = engine_expected(w->e, j);
        int64_t by = engine_promised_by(w->e, j);
        assert_true(!x.at || x.at >= now);
        assert_true(!by || x.at <= by);
        assert_true(!x.until || (x.from <= x.until && x.until >= now));
    }
}

/* What a user has active, and planned, at that instant. */
static void count_use(struct world *w, const struct job *of, int64_t at,
    int64_t *ret_jobs, int64_t *ret_procs)
{
    const struct cluster *c = engine_cluster(w->e);

    *ret_jobs = *ret_procs = 0;
    for (size_t i = 0; i < c->jobs.n; i++) {
        const struct job *j = c->jobs.v[i];
        bool there = j && j->cred[CRED_USER] == of->cred[CRED_USER];
        if (there && job_is_active(j))
            there = j->end_at > at || at == w->e->now;
        else
            there = there && plan_is_reserved(w->e->plan, j)
                    && plan_reserved_at(w->e->plan, j) <= at
                    && plan_reserved_until(w->e->plan, j) > at;
        *ret_jobs += there;
        *ret_procs += there ? j->procs : 0;
    }
}

/* How much of it its user may have when it starts, by what its QOS changes. */
static int64_t most_of(const struct engine *e, const struct job *j, uint32_t res)
{
    struct limits_rules rules = {0};
    int64_t most = INT64_MAX;

    limits_bounds_rules(e->limits, &rules);
    for (size_t i = 0; i < rules.n; i++)
        if (rules.v[i].kind == CRED_USER && rules.v[i].res == res)
            most =
                limits_bounds_most(e->limits, e->c, &rules.v[i], j->cred, LEVEL_HARD);
    vec_fini(&rules);
    return most;
}

/* Nobody is planned for an instant at which its user would have more than the limits
 * allow. */
static void check_limits(struct world *w)
{
    const struct cluster *c = engine_cluster(w->e);
    int64_t jobs, procs;

    for (size_t i = 0; i < c->jobs.n; i++) {
        const struct job *j = c->jobs.v[i];
        if (!j || !job_waits(j) || !plan_is_reserved(w->e->plan, j))
            continue;
        count_use(w, j, plan_reserved_at(w->e->plan, j), &jobs, &procs);
        if (jobs > most_of(w->e, j, LIMIT_JOB) || procs > most_of(w->e, j, LIMIT_PROC))
            fail_msg("seed %u: job %s is planned for %lld at %lld, where its user has "
                     "%lld jobs and %lld processors",
                w->seed, j->id, (long long)plan_reserved_at(w->e->plan, j),
                (long long)w->e->now, (long long)jobs, (long long)procs);
    }
}

/* A place that is told is held. */
static void check_held(const struct world *w, const struct job *j)
{
    if (plan_reserved_at(w->e->plan, j) != 0 && !plan_is_reserved(w->e->plan, j))
        fail_msg("seed %u: job %s is told a place at %lld, which nothing holds",
            w->seed, j->id, (long long)plan_reserved_at(w->e->plan, j));
}

static void cycle(struct world *w, int64_t now)
{
    const struct cluster *c = engine_cluster(w->e);

    w->out.n = 0;
    engine_cycle(w->e, now, &w->out);
    for (size_t i = 0; i < w->out.n; i++) {
        const struct action *a = &w->out.v[i];
        if (a->kind == ACTION_START)
            note_start(w, a->job, now);
        else if (a->kind == ACTION_REQUEUE || a->kind == ACTION_CHECKPOINT
                 || a->kind == ACTION_SUSPEND || a->kind == ACTION_RESUME)
            note_preempted(w, a, now);
    }
    for (size_t i = 0; i < c->jobs.n; i++)
        if (c->jobs.v[i] && job_waits(c->jobs.v[i])) {
            check_promise(w, c->jobs.v[i], now);
            check_held(w, c->jobs.v[i]);
        }
    plan_check(w->e->plan);
    promises_check(w->e->promises, c);
    check_horizon(w, now);
    if (w->limited)
        check_limits(w);
    if (w->asks)
        ask_all(w, now);
}

static void end_due(struct world *w, int64_t now)
{
    for (size_t i = w->ends.n; i-- > 0;) {
        struct event ev = {.kind = EVENT_END, .at = now};
        if (w->ends.v[i].at > now || w->ends.v[i].at < 0)
            continue;
        ev.u.end.job = w->ends.v[i].job;
        ev.u.end.how = EV_COMPLETE;
        w->ends.v[i] = w->ends.v[--w->ends.n];
        tell_event(w, &ev);
    }
}

static void move_node(
    struct world *w, uint32_t node, enum node_state state, int64_t now)
{
    struct event ev = {.kind = EVENT_NODE_STATE, .at = now};
    char name[20];

    snprintf(name, sizeof name, "n%u", node);
    ev.u.node_state.name = name;
    ev.u.node_state.state = state;
    tell_event(w, &ev);
}

/* One node at a time takes no jobs for a while. */
static void lose_node(struct world *w, int64_t now)
{
    if (w->until && now >= w->until) {
        move_node(w, w->lost, NODE_IDLE, now);
        w->until = 0;
    } else if (!w->until && rng_percent(&w->rng, 3)) {
        w->lost = rng_below(&w->rng, NODES);
        w->until = now + rng_range(&w->rng, 1, 30);
        move_node(w, w->lost, NODE_DRAINED, now);
    }
}

/* Some nodes, or parts of some, for a while from soon on; if there is room. */
static void reserve_some(struct world *w, int64_t now)
{
    static const char *const lists[] = {"u0", "u1,u2", "u0,u1-", "!u2", "u1="};
    struct reservation draft = reservation_draft(RSV_ADMIN);
    struct event ev = {.kind = EVENT_RESERVE, .at = now};
    struct event_result made;
    struct err err;

    draft.base = xstrdup("some");
    draft.start_at = now + rng_range(&w->rng, 1, 40);
    draft.end_at = draft.start_at + rng_range(&w->rng, 1, 30);
    if (rng_percent(&w->rng, 30)) { /* these hosts, not so many tasks */
        draft.listed = true;
        for (uint32_t n = rng_below(&w->rng, NODES); n < NODES && draft.hosts.n < 2;
             n++)
            vec_push(&draft.hosts, n);
    } else {
        draft.tasks = 1 + rng_below(&w->rng, 3);
    }
    draft.partition = RSV_PARTITION_ALL;
    draft.def.per_task = (struct res){{rng_percent(&w->rng, 60) ? 2 : 1, 0, 0, 0}};
    if (w->groups && acltext_parse(ACL_USER, ANY_OF(lists, &w->rng), &draft.acl, &err))
        fail_msg("%s", err.text);
    ev.u.reserve.draft = &draft;
    ev.u.reserve.who = (struct actor){"u0", false};
    if (engine_apply(w->e, &ev, &made, &err) < 0)
        reservation_fini(&draft);
    else
        w->reserved++;
}

/* One that has not begun has another window. */
static void move_some(struct world *w, int64_t now)
{
    const struct cluster *c = engine_cluster(w->e);
    struct reservation draft = reservation_draft(RSV_ADMIN);
    struct event ev = {.kind = EVENT_CHANGE_RESERVATION, .at = now};
    struct event_result made;
    struct err err;

    for (size_t i = 0; i < c->reservations.n && !ev.u.change_reservation.name; i++) {
        const struct reservation *r = c->reservations.v[i];
        if (r && r->kind == RSV_USER && r->state == RSV_PLANNED
            && rng_percent(&w->rng, 50))
            ev.u.change_reservation.name = r->name;
    }
    draft.start_at = now + rng_range(&w->rng, 1, 40);
    draft.end_at = draft.start_at + rng_range(&w->rng, 1, 30);
    ev.u.change_reservation.draft = &draft;
    ev.u.change_reservation.what = RSV_CHANGE_WINDOW;
    ev.u.change_reservation.who = (struct actor){"u0", false};
    if (ev.u.change_reservation.name)
        w->moved += engine_apply(w->e, &ev, &made, &err) == 0;
    reservation_fini(&draft);
}

/* A waiting job starts now, if there are nodes for it, whatever limits say; or it has
 * another QOS. */
static void order_some(struct world *w, int64_t now)
{
    static const char *const qos[] = {"high", "low", "DEFAULT"};
    const struct cluster *c = engine_cluster(w->e);
    struct event ev = {.kind = EVENT_RUN, .at = now};
    uint32_t from = rng_below(&w->rng, (uint32_t)c->jobs.n + 1), i = from;
    struct event_result made;
    struct err err;

    for (; i < c->jobs.n && !(c->jobs.v[i] && job_waits(c->jobs.v[i])); i++)
        ;
    if (i >= c->jobs.n)
        return;
    if (rng_percent(&w->rng, 50)) {
        ev.kind = EVENT_QOS;
        ev.u.qos.id = c->jobs.v[i]->id;
        ev.u.qos.qos = ANY_OF(qos, &w->rng);
        ev.u.qos.admin = true;
    } else {
        ev.u.run.id = c->jobs.v[i]->id;
        ev.u.run.flags = RUN_ANY_LIMIT;
    }
    w->ordered += engine_apply(w->e, &ev, &made, &err) == 0;
}

/* Everybody has started: each promise has come to something, once. */
static void check_counts(struct world *w, int64_t now)
{
    struct stat_machine m;
    int64_t broken = 0;

    statistics_machine(engine_statistics(w->e), now, &m);
    for (int i = 0; i < STAT_CAUSES; i++)
        broken += m.promises.broken[i];
    assert_int_equal(broken, engine_stats(w->e)->broken_promises);
    if (m.promises.made != m.promises.kept + m.promises.lapsed + broken)
        fail_msg("seed %u: of %lld promises %lld were kept, %lld lapsed, %lld broken",
            w->seed, (long long)m.promises.made, (long long)m.promises.kept,
            (long long)m.promises.lapsed, (long long)broken);
}

static void run_world(struct world *w)
{
    uint32_t number = 0;

    for (int64_t now = 1;
         number < JOBS || w->started < JOBS || (w->preempt && w->ends.n); now++) {
        end_due(w, now);
        if (w->loses)
            lose_node(w, now);
        if (w->reserves && rng_percent(&w->rng, 4))
            reserve_some(w, now);
        if (w->reserves && rng_percent(&w->rng, 6))
            move_some(w, now);
        while (number < JOBS && rng_percent(&w->rng, 35))
            submit(w, number++, now);
        if (w->orders && rng_percent(&w->rng, 10))
            order_some(w, now);
        cycle(w, now);
        if (now > 10000)
            fail_msg("seed %u: %u of %u jobs have started, %zu have not ended", w->seed,
                w->started, JOBS, w->ends.n);
    }
    check_counts(w, w->e->now);
}

/* The kind is kept where it is too large, too. */
static uint32_t make_plain_seed(uint32_t k)
{
    return k % (UINT32_MAX / KINDS) * KINDS + PLAIN;
}

/* Where nodes are lost a promise may be broken: it is told, with what it was, and
 * counted. */
static void what_is_broken_is_told(void **state)
{
    uint32_t first = seed_first(), broken = 0, lapsed = 0;

    (void)state;
    for (uint32_t k = 0; k < seed_count(WORLDS / 5); k++) {
        struct world w = {0};
        begin(&w, first + k);
        w.loses = true;
        run_world(&w);
        assert_int_equal(engine_stats(w.e)->broken_promises, w.broken);
        broken += w.broken;
        lapsed += w.lapsed;
        end(&w);
    }
    assert_true(broken > 0 && lapsed > 0);
}

/* Reservations of users, for nobody or for some, take what jobs were not promised,
 * where nodes are alike; those jobs are planned by count. */
static void reservations_break_none(void **state)
{
    uint32_t first = seed_first(), reserved = 0, moved = 0, bettered = 0;

    (void)state;
    for (uint32_t k = 0; k < seed_count(WORLDS / 5); k++) {
        struct world w = {0};
        begin(&w, make_plain_seed(first + k));
        w.reserves = true;
        w.groups = k % 2;
        run_world(&w);
        assert_int_equal(engine_stats(w.e)->broken_promises, 0);
        reserved += w.reserved;
        moved += w.moved;
        bettered += engine_stats(w.e)->plans_adopted;
        end(&w);
    }
    assert_true(reserved > 50);
    assert_true(moved > 20);
    assert_true(bettered > 20);
}

static const char *const limits[] = {
    "PROMISEHORIZON SUBMIT\nUSERCFG[DEFAULT] MAXJOB=2\n",
    "PROMISEHORIZON SUBMIT\nPROMISESLACK 0:00:10\nUSERCFG[DEFAULT] MAXPROC=12\n",
    "PROMISEHORIZON 0:00:20\nPROMISESLACK 0:00:20\nUSERCFG[DEFAULT] MAXPS=300\n",
    ("PROMISEHORIZON 0:00:20\nPROMISESLACK 0:00:15\nUSERCFG[DEFAULT] MAXPROC=12 "
     "MAXJOB=3\nSYSCFG[base] MAXJOB=5\n"),
    "PROMISEHORIZON 0\nPROMISESLACK 0:00:05\nPLANDEPTH 8\nUSERCFG[DEFAULT] MAXJOB=1\n",
    "PROMISEHORIZON SUBMIT\nPROMISESLACK 0\nPLANWINDOW 4\nUSERCFG[u0] MAXPROC=12\n",
    ("PROMISEHORIZON SUBMIT\nPROMISESLACK 0\nUSERCFG[DEFAULT] MAXPROC=12 QLIST=high,low"
     "\nQOSCFG[high] OMAXPROC=18\nQOSCFG[low] OMAXPROC=15\n"),
    ("PROMISEHORIZON SUBMIT\nPROMISESLACK 0:00:05\nPLANDEPTH 6\nUSERCFG[DEFAULT] "
     "MAXJOB=1 QLIST=high,low\nQOSCFG[high] OMAXJOB=3\nQOSCFG[low] QFLAGS=IGNUSER\n"),
    ("PROMISEHORIZON 0:00:20\nPROMISESLACK 0\nUSERCFG[DEFAULT] MAXJOB=2 "
     "QLIST=high,low\nSYSCFG[base] MAXJOB=5\nQOSCFG[high] OMAXJOB=4\n"),
};

/* Promises assume the limits, and are kept within them. */
static void limits_are_planned_ahead(void **state)
{
    uint32_t first = seed_first(), promised = 0;
    uint32_t worlds = seed_count(WORLDS / 2);

    (void)state;
    for (uint32_t k = 0; k < worlds; k++) {
        struct world w = {.policy = limits[k % (sizeof limits / sizeof *limits)]};
        begin(&w, first + k);
        w.limited = true;
        run_world(&w);
        assert_int_equal(engine_stats(w.e)->broken_promises, 0);
        promised += w.promised;
        end(&w);
    }
    assert_true(promised > 500);
}

/* How many are broken, each of them counted. */
static uint32_t break_by_orders(
    uint32_t seed, const char *policy, bool by_node, uint32_t *io_ordered)
{
    struct world w = {.policy = policy, .by_node = by_node};

    begin(&w, seed);
    w.orders = w.limited = true;
    run_world(&w);
    assert_int_equal(engine_stats(w.e)->broken_promises, w.broken);
    *io_ordered += w.ordered;
    end(&w);
    return w.broken;
}

/* Orders take what is under limits. No more promises are broken by that where nodes are
 * planned than where counts are. */
static void orders_break_no_more_node_by_node(void **state)
{
    uint32_t first = seed_first(), broken[2] = {0}, ordered = 0;
    uint32_t worlds = seed_count(WORLDS / 2);

    (void)state;
    for (uint32_t k = 0; k < worlds; k++)
        for (int by_node = 0; by_node < 2; by_node++)
            broken[by_node] += break_by_orders(make_plain_seed(first + k),
                limits[k % (sizeof limits / sizeof *limits)], by_node, &ordered);
    assert_true(broken[1] <= broken[0] + worlds / 25); /* worlds differ */
    assert_true(ordered > 500);
}

/* A job that was put off has another QOS after what it was promised first, and starts
 * in the same cycle: that was broken. */
static void an_order_mends_no_broken_promise(void **state)
{
    uint32_t ordered = 0;

    (void)state;
    assert_int_equal(break_by_orders(1240218592, limits[7], false, &ordered), 1);
}

static int64_t pass_time(void)
{
    static int64_t ms;

    return ms += 2;
}

/* PLANTIME is over before anything could be tried, in each cycle. */
static void promises_are_kept_in_no_time(void **state)
{
    uint32_t first = seed_first();

    (void)state;
    for (uint32_t k = 0; k < seed_count(WORLDS / 5); k++) {
        struct world w = {0};
        begin_with(&w, first + k, (struct engine_options){.monotonic_ms = pass_time});
        run_world(&w);
        assert_int_equal(engine_stats(w.e)->broken_promises, 0);
        end(&w);
    }
}

/* Fairshare that favours nobody gives the plan that there is without it. */
static void fairshare_of_factor_one_changes_nothing(void **state)
{
    static const char *const equal[] = {
        "PROMISEHORIZON 0:00:20\nPROMISESLACK 0:00:30\n",
        ("PROMISEHORIZON 0:00:20\nPROMISESLACK 0:00:30\nFSPOLICY DEDICATEDPS\n"
         "FSINTERVAL 10\nFSDEPTH 4\nUSERCFG[DEFAULT] FSTARGET=20\n"),
    };
    uint32_t first = seed_first();

    (void)state;
    for (uint32_t k = 0; k < seed_count(WORLDS / 5); k++) {
        uint64_t seen[2];
        for (int i = 0; i < 2; i++) {
            struct world w = {.policy = equal[i]};
            begin(&w, first + k);
            run_world(&w);
            seen[i] = w.seen;
            end(&w);
        }
        assert_true(seen[0] == seen[1]);
    }
}

/* Nonsense about the users: runs of nothing, and beyond all limits. */
static void mislead(struct world *w)
{
    static const char *const users[] = {"u0", "u1", "u2"};
    struct past_run rows[90];
    struct event ev = {.kind = EVENT_HISTORY, .u.history = {.rows = rows, .n = 90}};

    for (size_t i = 0; i < 90; i++)
        rows[i] = (struct past_run){ANY_OF(users, &w->rng),
            {.run_s = rng_percent(&w->rng, 50) ? rng_below(&w->rng, 3)
                                               : rng_range(&w->rng, 1, 100000),
                .limit_s = rng_below(&w->rng, 30),
                .procs = rng_below(&w->rng, 13)}};
    tell_event(w, &ev);
}

/* Promises are kept whatever is predicted, and who asks for forecasts changes nothing:
 * the same jobs start at the same instants. */
static void predictions_break_nothing(void **state)
{
    uint32_t first = seed_first();

    (void)state;
    for (uint32_t k = 0; k < seed_count(WORLDS / 5); k++) {
        uint64_t seen[2];
        for (int asks = 0; asks < 2; asks++) {
            struct world w = {0};
            begin(&w, first + k);
            mislead(&w);
            w.asks = asks;
            run_world(&w);
            assert_int_equal(engine_stats(w.e)->broken_promises, 0);
            seen[asks] = w.seen;
            end(&w);
        }
        assert_true(seen[0] == seen[1]);
    }
}

/* Returns how many were preempted; some of them were suspended. */
static uint32_t preempt_some(uint32_t seed, uint32_t *io_suspended)
{
    static const char *const how[] = {"SUSPEND\n", "REQUEUE\n", "CHECKPOINT\n"};
    struct world w = {.preempt = how[seed % 3],
        .policy =
            seed % 2 ? limits[seed / 3 % (sizeof limits / sizeof *limits)] : NULL};

    begin(&w, seed);
    w.limited = seed % 2;
    w.reserves = seed % KINDS == PLAIN && seed % 4 < 2;
    w.loses = seed % 7 == 0; /* then some may be broken */
    run_world(&w);
    assert_int_equal(engine_stats(w.e)->broken_promises, w.broken);
    assert_true(w.loses || w.broken == 0);
    *io_suspended += w.suspended;
    end(&w);
    return w.preempted;
}

/* Who tries to go at once at the cost of others gives up its place for that, and has it
 * again when it could not. Who was suspended comes back, and puts off nobody. */
static void preemptors_keep_what_they_were_promised(void **state)
{
    uint32_t first = seed_first(), preempted = 0, suspended = 0;

    (void)state;
    for (uint32_t k = 0; k < seed_count(WORLDS / 5); k++)
        preempted += preempt_some(first + k, &suspended);
    assert_true(preempted > 50 && suspended > 10);
    /* One is to come back between two jobs of its user: there is time for its rest. */
    preempt_some(353429901, &suspended);
}

static void promises_are_kept(void **state)
{
    uint32_t first = seed_first(), promised = 0, unpromised = 0;
    uint32_t worlds = seed_count(WORLDS);

    (void)state;
    for (uint32_t k = 0; k < worlds; k++) {
        struct world w = {0};
        begin(&w, first + k);
        run_world(&w);
        assert_int_equal(engine_stats(w.e)->broken_promises, 0);
        promised += w.promised;
        unpromised += w.unpromised;
        end(&w);
    }
    assert_true(promised > 1000);
    assert_true(unpromised > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(promises_are_kept),
        cmocka_unit_test(limits_are_planned_ahead),
        cmocka_unit_test(orders_break_no_more_node_by_node),
        cmocka_unit_test(an_order_mends_no_broken_promise),
        cmocka_unit_test(promises_are_kept_in_no_time),
        cmocka_unit_test(predictions_break_nothing),
        cmocka_unit_test(fairshare_of_factor_one_changes_nothing),
        cmocka_unit_test(what_is_broken_is_told),
        cmocka_unit_test(reservations_break_none),
        cmocka_unit_test(preemptors_keep_what_they_were_promised),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
