/* SPDX-License-Identifier: Apache-2.0
 * Sums recounted: after every step of random histories (submitted, started, start
 * refused, ended, cancelled, changed in every attribute, held, preempted, resumed,
 * taken over, ended unseen, reported in another state; reservations made, changed and
 * released; nodes lost and found; other settings; in some worlds with two resource
 * managers, which go away and come back) limits, fairshare, use of
 * reservations, statistics, what a bank keeps and charges, priorities and the queue are
 * as counted from nothing (engine_check()), and what was used over time is the sum of
 * what was used in each interval, also where the daemon was started anew in the middle
 * (histories of jobs and nodes alone). The same history gives the same in the kinds of
 * engine that the simulator and the daemon have. MAUI_PROPERTY_FACTOR and
 * MAUI_PROPERTY_SEED as in the other properties. */
#include "base/strbuf.h"
#include "cluster/memory.h"
#include "cmocka_all.h"
#include "engine/check.h"
#include "engine/engine_private.h"
#include "engine/events/events.h"
#include "funds/amount.h"
#include "policy/fairshare.h"
#include "quotas.h"
#include "rng.h"
#include "scenario.h"
#include "seeds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEEDS 120
#define STEPS 60
#define NODES 6
#define FAR   3 /* of the other resource manager */
#define USERS 4

enum kind { AS_SCENARIO, AS_SIMULATOR, AS_DAEMON, KINDS };

struct debit {
    char run[120];
    int64_t total;
};

/* Of one job: processors it has, processor seconds it had, and what it paid for. */
struct job_use {
    uint32_t procs, most_procs;
    double used;
    int64_t charged, runs;
};

struct world {
    struct rng rng;
    uint64_t seed;
    enum kind kind;
    bool plain; /* what lets the simulator's engine keep the order of the queue */
    struct strbuf log; /* what became of the jobs */
    int jobs, foreign, settings;
    int64_t at;               /* counted until then */
    double used[USERS], owed; /* processor seconds; owed: of idle reservations */
    uint32_t procs[USERS];    /* in use since then */
    double idle;              /* charged a second since then */
    struct VEC(uint32_t) on;  /* jobs on nodes, suspended ones too, when last looked */
    int64_t ended;            /* jobs that ended after having run */
    struct rng money, managers;
    bool stops_told;                 /* who is sent back to the queue may stay */
    bool several;                    /* nodes and jobs of another resource manager */
    int64_t deposited, charged;      /* in 1/1000 credit; with a bank */
    struct VEC(struct debit) debits; /* of runs that go on, told so far */
    struct job_use uses[STEPS * 2];  /* of those submitted here */
};

static const char *const users[USERS] = {"u0", "u1", "u2", "u3"};
static const char *const accounts[] = {"a0", "a1", NULL};
static const char *const classes[] = {"short", "long", NULL};
static const char *const qoses[] = {"high", "low", NULL};
static const char *const either[] = {"short", "long", NULL};

/* ---- what was used, interval by interval ---- */

/* Whoever was on nodes and is no more, nor waits again. */
static void count_ended(struct world *w, const struct cluster *c)
{
    for (size_t i = 0; i < w->on.n; i++) {
        const struct job *j = c->jobs.v[w->on.v[i]];
        w->ended += !j || j->state >= JOB_COMPLETED;
    }
    w->on.n = 0;
    for (size_t i = 0; i < c->active.n; i++)
        vec_push(&w->on, c->active.v[i]);
}

/* NULL: it is not one of those. */
static struct job_use *use_of(struct world *w, const char *job)
{
    return *job == 'j' ? &w->uses[atoi(job + 1)] : NULL;
}

static void note_use(struct world *w, const struct job *j)
{
    struct job_use *u = use_of(w, j->id);

    if (!u)
        return;
    u->procs = j->procs;
    u->most_procs = u->most_procs > j->procs ? u->most_procs : j->procs;
}

static void look(struct world *w, struct scenario *s)
{
    const struct cluster *c = engine_cluster(sc_engine(s));

    count_ended(w, c);
    for (int i = 0; i < w->jobs; i++)
        w->uses[i].procs = 0;
    memset(w->procs, 0, sizeof w->procs);
    w->idle = 0;
    for (size_t i = 0; i < c->active.n; i++) {
        const struct job *j = c->jobs.v[c->active.v[i]];
        const char *name = job_cred(c, j, CRED_USER)->name;
        if (!job_is_active(j))
            continue;
        w->procs[name[1] - '0'] += j->procs;
        note_use(w, j);
    }
    for (size_t i = 0; i < c->reservations.n; i++)
        if (c->reservations.v[i])
            w->idle += c->reservations.v[i]->fs_rate;
}

static void after_cycle(void *ctx, struct scenario *s)
{
    struct world *w = ctx;
    double passed = (double)(sc_now(s) - w->at);

    for (int i = 0; i < USERS; i++)
        w->used[i] += w->procs[i] * passed;
    for (int i = 0; i < w->jobs; i++)
        w->uses[i].used += w->uses[i].procs * passed;
    w->owed += w->idle * passed;
    w->at = sc_now(s);
    look(w, s);
    if (w->kind == AS_SCENARIO) /* looks at everybody in each cycle */
        engine_doubt_queue(sc_engine(s));
}

static void check_equal(
    const struct world *w, const char *what, const char *who, double is, double want)
{
    if (fabs(is - want) > 1e-6 * (1 + fabs(want)))
        fail_msg("seed %llu: %s of %s is %.3f, expected %.3f",
            (unsigned long long)w->seed, what, who, is, want);
}

static void check_used(struct world *w, struct scenario *s)
{
    struct cluster *c = engine_cluster(sc_engine(s));
    double all = w->owed, fairshare[FS_DEPTH_MAX], sum = 0;
    struct stat_figures system = {0};

    for (int i = 0; i < USERS; i++) {
        const struct cred *k = cred_find(c, CRED_USER, users[i]);
        struct stat_figures f = {0};
        if (k && sc_engine(s)->learned.statistics)
            statistics_of(
                sc_engine(s)->learned.statistics, CRED_USER, k->index, w->at, &f);
        if (sc_engine(s)->learned.statistics)
            check_equal(
                w, "processor seconds", users[i], f.sums.ps_dedicated, w->used[i]);
        all += w->used[i];
    }
    if (sc_engine(s)->learned.statistics) {
        statistics_of(sc_engine(s)->learned.statistics, CRED_KINDS, 0, w->at, &system);
        assert_int_equal(system.sums.jobs, w->ended);
    }
    fs_windows_at(c, &c->fs_total, w->at, fairshare);
    for (int i = 0; i < FS_DEPTH_MAX; i++)
        sum += fairshare[i];
    check_equal(w, "fairshare usage", "all", sum, all);
}

/* ---- what happens ---- */

static const char *settings_text(struct world *w)
{
    static const char *const plain[] = {"BACKFILLTYPE QUEUEORDER\n",
        "USERCFG[u1] PRIORITY=50\n", "RESERVATIONPOLICY NEVER\n",
        "RESERVATIONPOLICY HIGHEST\n"};
    static const char *const texts[] = {
        "PREEMPTPOLICY SUSPEND\nQOSCFG[high] PRIORITY=100\nUSERCFG[DEFAULT] "
        "MAXPROC=6,10 MAXJOB[CLASS]=3\nCLASSCFG[short] MAXPS=9000\n",
        "USERCFG[DEFAULT] MAXWC=4000,9000\nACCOUNTCFG[a0] MAXPE=7\nQOSCFG[high] "
        "OMAXPROC=12 PRIORITY=100 QFLAGS=PREEMPTOR\n",
        "CLASSCFG[long] MAXPROC[USER]=4 MAXNODE=5\nPREEMPTPOLICY CHECKPOINT\n"
        "NODEACCESSPOLICY SINGLEUSER\n",
        "PREEMPTPOLICY REQUEUE\nDEFERTIME 0\nQOSCFG[low] MAXJOB=3 QFLAGS=PREEMPTEE\n"
        "RESERVATIONPOLICY HIGHEST\n"};

    w->settings = (int)rng_below(&w->rng, 4);
    return w->plain ? plain[w->settings] : texts[w->settings];
}

#define LINES                                                                          \
    "FSPOLICY DEDICATEDPS\nFSINTERVAL 4000\nFSDEPTH 24\n"                              \
    "USERCFG[DEFAULT] QLIST=high,low FSTARGET=20\nRESERVATIONDEPTH 3\n"                \
    "NODEAVAILABILITYPOLICY DEDICATED\nRESERVATIONRETRYTIME 300\n"                     \
    "CLASSCFG[short] DEFAULT.WCLIMIT=500\n"                                            \
    "SRCFG[own] HOSTLIST=n1 PERIOD=INFINITY USERLIST=u0 CHARGEACCOUNT=a0 "             \
    "RESOURCES=PROCS:2\n"

/* ---- money ---- */

#define BANK "AMCFG[bank] TYPE=BUILTIN CHARGEPOLICY=DEBITALLWC\n"

static bool has_bank(const struct world *w)
{
    return w->seed % 4 == 1;
}

static void deposit(struct world *w, struct scenario *s)
{
    const struct funds *f = sc_engine(s)->c->funds;
    uint32_t which = rng_below(&w->money, 2);
    uint32_t known = f ? funds_account(f, accounts[which]) : FUNDS_NONE;
    struct funds_deposit d = {.id = which + 1, .to_at = INT64_MAX};
    struct funds_account a = {.name = accounts[which], .deposits = &d, .n = 1};
    int64_t amount = rng_range(&w->money, 0, 4000) * 1000;

    if (known != FUNDS_NONE)
        d = funds_account_now(f, known).deposits[0];
    d.balance += amount;
    w->deposited += amount;
    sc_apply(s,
        (struct event){.kind = EVENT_FUNDS, .u.funds = {.accounts = &a, .n = 1}}, NULL);
}

/* A run that goes on, as of an idle reservation, is told with all that it has cost. */
static void add_charge(struct world *w, const struct money_move *m)
{
    if (m->kind != MONEY_CHARGE) /* liens, and what is noted of those that leave */
        return;
    size_t i = 0;
    while (i < w->debits.n && strcmp(w->debits.v[i].run, m->run) != 0)
        i++;
    if (i == w->debits.n) {
        vec_push(&w->debits, ((struct debit){.total = 0}));
        snprintf(w->debits.v[i].run, sizeof w->debits.v[i].run, "%s", m->run);
    }
    struct job_use *use = use_of(w, m->job);
    if (use)
        use->charged += m->total - w->debits.v[i].total, use->runs += !m->goes_on;
    w->charged += m->total - w->debits.v[i].total;
    w->debits.v[i].total = m->goes_on ? m->total : 0;
}

/* No job pays for a second twice. One run of less than a second is one of a second. */
static void check_paid(const struct world *w)
{
    for (int i = 0; i < w->jobs; i++) {
        const struct job_use *u = &w->uses[i];
        double most = u->used + (double)(u->runs * u->most_procs);
        if ((double)u->charged / AM_CREDIT > most)
            fail_msg("seed %llu: job j%d was charged %.3f in %lld runs, and used %.0f",
                (unsigned long long)w->seed, i, (double)u->charged / AM_CREDIT,
                (long long)u->runs, u->used);
    }
}

/* What was deposited is there, or was charged. */
static void check_money(struct world *w, struct scenario *s)
{
    const struct funds *f = sc_engine(s)->c->funds;
    int64_t left = 0;
    size_t n;
    const struct money_move *moves = engine_money(sc_engine(s), &n);

    for (size_t i = 0; i < n; i++)
        add_charge(w, &moves[i]);
    engine_money_told(sc_engine(s));
    check_paid(w);
    for (uint32_t i = 0; f && i < funds_accounts(f); i++)
        left += funds_account_now(f, i).deposits[0].balance;
    if (left + w->charged != w->deposited)
        fail_msg("seed %llu: %lld deposited, %lld left, %lld charged",
            (unsigned long long)w->seed, (long long)w->deposited, (long long)left,
            (long long)w->charged);
}

static void reconfigure(struct world *w, struct scenario *s)
{
    char text[2000];

    snprintf(
        text, sizeof text, LINES "%s%s", has_bank(w) ? BANK : "", settings_text(w));
    sc_configure(s, text);
    if (!w->plain)
        sc_apply(s, some_quotas(rng_below(&w->rng, QUOTA_LISTS), sc_now(s)),
            &(struct err){0});
    sc_cycle(s); /* which finds out what limits there are */
}

static void submit(struct world *w, struct scenario *s)
{
    static char ids[STEPS * 2][8];
    static struct req_desc reqs[STEPS * 2][2];
    struct rng *r = &w->rng;
    int n = w->jobs++;
    int64_t limit = rng_range(r, 10, 3000);
    struct sc_job job = {.id = ids[n],
        .submit_at = sc_now(s),
        .limit_s = limit,
        .run_s = rng_range(r, 1, limit),
        .user = RNG_PICK(r, users),
        .account = RNG_PICK(r, accounts),
        .cls = RNG_PICK(r, classes),
        .qos = RNG_PICK(r, qoses),
        .req = reqs[n],
        .nreqs = rng_percent(r, 20) ? 2 : 1};

    if (w->several && rng_percent(&w->managers, 40))
        job.rm = "far";
    snprintf(ids[n], sizeof ids[n], "j%d", n);
    for (uint32_t i = 0; i < job.nreqs; i++)
        reqs[n][i] = (struct req_desc){.tasks = 1 + rng_below(r, 5),
            .per_task = {{1 + rng_below(r, 2), rng_percent(r, 30) ? 300 : 0, 0, 0}}};
    if (!w->plain) {
        job.flags |= rng_percent(r, 50) ? JOB_PREEMPTEE : 0;
        job.flags |= rng_percent(r, 20) ? JOB_PREEMPTOR : 0;
        job.flags |= !job.flags && rng_percent(r, 15) ? JOB_NOQUEUE : 0;
        job.holds = !(job.flags & JOB_NOQUEUE) && rng_percent(r, 10) ? HOLD_USER : 0;
        job.classes = rng_percent(r, 15) ? either : NULL;
        if (rng_percent(r, 20))
            job.limit_s = 0, job.run_s = rng_range(r, 1, 400); /* its class's */
    }
    sc_job(s, job);
    if (rng_percent(r, 10))
        sc_refuse_starts(s, ids[n], 1 + rng_below(r, 2));
}

/* A job that nobody here has submitted: it runs, is suspended, or is over. */
static struct job_desc describe_foreign(
    struct world *w, struct scenario *s, struct job_place *place, struct req_desc *req)
{
    static char id[8], node[8];
    struct rng *r = &w->rng;

    snprintf(id, sizeof id, "t%d", w->foreign++);
    snprintf(node, sizeof node, "n%u", 1 + rng_below(r, NODES));
    *place = (struct job_place){.node = node, .tasks = 1 + rng_below(r, 2)};
    *req = (struct req_desc){.tasks = place->tasks};
    return (struct job_desc){.id = id,
        .submit_at = 0,
        .start_at = rng_range(r, 1, sc_now(s) > 1 ? sc_now(s) : 1),
        .wclimit_s = rng_range(r, 10, 3000),
        .cred = {[CRED_USER] = RNG_PICK(r, users), [CRED_CLASS] = RNG_PICK(r, classes)},
        .places = place,
        .nplaces = 1,
        .reqs = req,
        .nreqs = 1};
}

/* Statistics count it from its start, fairshare only if somebody remembers it. */
static void add_used(struct world *w, const struct job_desc *d, int64_t until)
{
    double used = (double)d->reqs->tasks * (double)(until - d->start_at);

    w->used[d->cred[CRED_USER][1] - '0'] += used;
    w->owed -= d->memory ? 0 : used;
}

static void take_over(struct world *w, struct scenario *s)
{
    struct job_place place;
    struct req_desc req;
    struct job_memory memory = {.queue_at = 1, .accruing = true};
    struct event ev = {
        .kind = EVENT_SUBMIT, .u.job = describe_foreign(w, s, &place, &req)};
    struct job_desc *d = &ev.u.job;
    bool suspended = rng_percent(&w->rng, 40);
    if (d->start_at > sc_now(s))
        return;
    int64_t until = suspended ? rng_range(&w->rng, d->start_at, sc_now(s)) : sc_now(s);
    d->state = suspended ? JOB_SUSPENDED : JOB_RUNNING;
    memory.start_at = d->start_at;
    memory.wclimit_s = d->wclimit_s;
    memory.suspend_at = suspended ? until : 0;
    if (rng_percent(&w->rng, 50) && (!suspended || until > 0))
        d->memory = &memory;
    until = d->memory ? until : sc_now(s);
    if (sc_apply(s, ev, &(struct err){0}) < 0)
        return;
    if (job_find(engine_cluster(sc_engine(s)), d->id)->state == d->state)
        add_used(w, d, until);
}

static void miss(struct world *w, struct scenario *s)
{
    struct job_place place;
    struct req_desc req;
    struct job_memory memory = {.queue_at = 1};
    struct event ev = {.kind = EVENT_MISSED};
    struct job_desc *d = &ev.u.missed.job;

    *d = describe_foreign(w, s, &place, &req);
    if (d->start_at > sc_now(s))
        return;
    memory.wclimit_s = d->wclimit_s;
    d->memory = &memory;
    int64_t until = rng_range(&w->rng, d->start_at, sc_now(s));
    memory.suspend_at = rng_percent(&w->rng, 30) ? until : 0; /* it never went on */
    ev.u.missed.end_at =
        memory.suspend_at ? rng_range(&w->rng, until, sc_now(s)) : until;
    ev.u.missed.how = rng_percent(&w->rng, 50) ? EV_COMPLETE : EV_CANCEL;
    ev.u.missed.cpu_s = rng_percent(&w->rng, 30) ? (double)rng_below(&w->rng, 900) : 0;
    ev.u.missed.failed = rng_percent(&w->rng, 30);
    if (sc_apply(s, ev, &(struct err){0}) == 0) {
        add_used(w, d, until);
        w->ended++;
    }
}

/* What the resource manager says of a job, true or not. */
static void report(struct world *w, struct scenario *s, const char *id)
{
    static const enum job_state states[] = {
        JOB_IDLE, JOB_HOLD, JOB_SUSPENDED, JOB_RUNNING, JOB_RUNNING};
    struct rng *r = &w->rng;
    const struct job *j = sc_find(s, id);
    char node[8];
    struct job_place place = {.node = node, .tasks = j ? j->tasks : 1};
    enum job_state state = RNG_PICK(r, states);
    bool moves = rng_percent(r, 50);

    snprintf(node, sizeof node, "n%u", 1 + rng_below(r, NODES));
    if (j && job_rm(j) != 0) /* its manager tells of its own nodes */
        snprintf(node, sizeof node, "f%u", 1 + rng_below(&w->managers, FAR));
    if (j && j->state != JOB_COMPLETED
        && (state != JOB_RUNNING || moves || job_has_begun(j->state)))
        sc_report(s, id, state, state == JOB_RUNNING && moves ? &place : NULL,
            &(struct err){0});
}

/* One that was taken over goes on, is suspended, or goes. */
static void report_foreign(struct world *w, struct scenario *s)
{
    static const enum job_event ends[] = {EV_COMPLETE, EV_COMPLETE, EV_VANISH};
    struct rng *r = &w->rng;
    struct event ev = {.kind = rng_percent(r, 50) ? EVENT_END : EVENT_CANCEL};
    char id[8];

    snprintf(id, sizeof id, "t%u", rng_below(r, (uint32_t)w->foreign + 1));
    const struct job *j = sc_find(s, id);
    if (j && job_has_begun((enum job_state)j->state) && rng_percent(r, 60)) {
        ev = (struct event){.kind = EVENT_JOB_STATE};
        ev.u.job_state.id = id;
        ev.u.job_state.state = rng_percent(r, 50) ? JOB_SUSPENDED : JOB_RUNNING;
    } else {
        ev.u.end.id = id;
        ev.u.end.how = RNG_PICK(r, ends);
        ev.u.end.cpu_s = rng_percent(r, 30) ? (double)rng_below(r, 900) : 0;
        ev.u.end.failed = rng_percent(r, 30);
    }
    sc_apply(s, ev, &(struct err){0});
}

static const char *pick_job(struct world *w)
{
    static char id[8];

    snprintf(id, sizeof id, "j%u", rng_below(&w->rng, (uint32_t)w->jobs + 1));
    return id;
}

/* All that it asks for, as its resource manager tells it. */
static void ask_anew(struct world *w, struct scenario *s, const char *id)
{
    static const char *const features[] = {"fast", NULL};
    static char first[] = "j0";
    const struct dep deps[] = {{DEP_COMPLETED, first}, {0}};
    struct rng *r = &w->rng;
    const struct job *j = sc_find(s, id);
    struct req_desc reqs[2] = {{.tasks = 1 + rng_below(r, 5),
                                   .features = rng_percent(r, 30) ? features : NULL,
                                   .per_task = {{1 + rng_below(r, 2), 0, 0, 0}}},
        {.tasks = 1 + rng_below(r, 2), .per_task = {{1, rng_below(r, 400), 0, 0}}}};
    struct event ev = {.kind = EVENT_MODIFY};
    struct job_desc *d = &ev.u.modify.change.job;

    if (!j)
        return;
    ev.u.modify.id = id;
    ev.u.modify.change.what = CHANGE_WHOLE;
    *d = (struct job_desc){.id = id,
        .submit_at = j->submit_at + rng_below(r, 3),
        .wclimit_s = rng_range(r, 1, 4000),
        .user_priority = (int64_t)rng_below(r, 100),
        .deadline_at = rng_percent(r, 50) ? sc_now(s) + rng_range(r, 1, 5000) : 0,
        .flags = rng_percent(r, 50) ? JOB_PREEMPTEE : JOB_RESTARTABLE,
        .deps = rng_percent(r, 20) && strcmp(id, first) != 0 ? deps : NULL,
        .reqs = reqs,
        .nreqs = 1 + rng_percent(r, 20)};
    d->cred[CRED_USER] = job_cred(engine_cluster(sc_engine(s)), j, CRED_USER)->name;
    d->cred[CRED_CLASS] = RNG_PICK(r, classes);
    d->cred[CRED_ACCOUNT] = RNG_PICK(r, accounts);
    d->cred[CRED_QOS] = RNG_PICK(r, qoses);
    sc_apply(s, ev, &(struct err){0});
}

static void modify(struct world *w, struct scenario *s, const char *id)
{
    static const char *const parts[] = {"DEFAULT", NULL};
    static const char *const hosts[] = {"n1", "n2", "n3", NULL};
    static const char *const features[] = {"fast", NULL};
    static const struct gres_cfg gres[] = {{.name = "gpu", .count = 1}, {.name = NULL}};
    static char first[] = "j0";
    const struct dep deps[] = {{DEP_COMPLETED, first}, {0}};
    struct rng *r = &w->rng;
    struct event ev = {.kind = EVENT_MODIFY};
    struct job_change *ch = &ev.u.modify.change;

    if (rng_percent(r, 20)) {
        ask_anew(w, s, id);
        return;
    }
    ev.u.modify.id = id;
    *ch = (struct job_change){.what = 1u << rng_below(r, 25),
        .job.wclimit_s = rng_range(r, 1, 4000),
        .job.cred[CRED_CLASS] = RNG_PICK(r, classes),
        .job.cred[CRED_ACCOUNT] = RNG_PICK(r, accounts),
        .job.cred[CRED_QOS] = RNG_PICK(r, qoses),
        .job.cred[CRED_GROUP] = "g0",
        .job.comment = "again",
        .job.mail = "somebody@site",
        .job.mail_when = "be",
        .job.flags = rng_percent(r, 50) ? JOB_PREEMPTEE : JOB_RESTARTABLE,
        .job.user_priority = (int64_t)rng_below(r, 100),
        .job.release_at = sc_now(s) + rng_range(r, -10, 500),
        .job.deadline_at = sc_now(s) + rng_range(r, 1, 5000),
        .job.partitions = parts,
        .job.deps = rng_percent(r, 50) ? deps : NULL,
        .job.advres = rng_percent(r, 50) ? "own" : NULL,
        .to = {.tasks = 1 + rng_below(r, 5),
            .nodes = rng_below(r, 3),
            .tpn = rng_below(r, 2),
            .hosts = rng_percent(r, 50) ? hosts : NULL,
            .features = rng_percent(r, 50) ? features : NULL,
            .gres = rng_percent(r, 50) ? gres : NULL,
            .per_task = {{1 + rng_below(r, 2), rng_below(r, 400), 0, 0}}}};
    sc_apply(s, ev, &(struct err){0});
}

static void apply_to_job(struct world *w, struct scenario *s, const char *id)
{
    struct rng *r = &w->rng;
    struct event ev = {.kind = EVENT_PREEMPT};
    struct err err;

    switch (rng_below(r, w->plain ? 1 : 7)) {
    case 0:
        ev.u.preempt.id = id;
        ev.u.preempt.how = (enum preempt_policy)rng_below(r, 3);
        ev.u.preempt.rests_s = rng_percent(r, 50) ? 200 : 0;
        break;
    case 1:
        ev.kind = EVENT_RESUME;
        ev.u.preempt.id = id;
        break;
    case 2:
        ev.kind = EVENT_RUN;
        ev.u.run.id = id;
        ev.u.run.flags = RUN_ANY_POLICY | RUN_ANY_RESERVATION;
        break;
    case 3:
        ev.kind = EVENT_QOS;
        ev.u.qos.id = id;
        ev.u.qos.qos = rng_percent(r, 50) ? "high" : "low";
        ev.u.qos.admin = rng_percent(r, 50);
        break;
    case 4:
        ev.kind = EVENT_PRIORITY;
        ev.u.priority.id = id;
        ev.u.priority.n = rng_range(r, 0, 1000);
        break;
    case 5:
        ev.kind = EVENT_USER_PRIORITY;
        ev.u.user_priority.id = id;
        ev.u.user_priority.n = rng_range(r, 0, 100);
        break;
    default:
        ev.kind = EVENT_DEADLINE;
        ev.u.deadline.id = id;
        ev.u.deadline.at = rng_percent(r, 30) ? 0 : sc_now(s) + rng_range(r, 1, 3000);
        break;
    }
    sc_apply(s, ev, &err);
}

static void reserve(struct world *w, struct scenario *s)
{
    struct rng *r = &w->rng;
    int64_t start = sc_now(s) + rng_range(r, 0, 600);
    char hosts[16];
    struct sc_rsv x = {.base = "adm",
        .start_at = start,
        .end_at = start + rng_range(r, 50, 4000),
        .lists = {[ACL_USER] = RNG_PICK(r, users)},
        .account = rng_percent(r, 50) ? "a1" : NULL,
        .resources = rng_percent(r, 60) ? "PROCS=1" : NULL};

    snprintf(hosts, sizeof hosts, "n%u,n%u", 1 + rng_below(r, NODES),
        1 + rng_below(r, NODES));
    if (rng_percent(r, 60))
        x.hosts = hosts;
    else
        x.tasks = 1 + rng_below(r, 5);
    sc_setres(s, &x, &(struct err){0});
}

static struct reservation *pick_reservation(struct world *w, struct scenario *s)
{
    const struct cluster *c = engine_cluster(sc_engine(s));
    struct reservation *r =
        c->reservations.n
            ? c->reservations.v[rng_below(&w->rng, (uint32_t)c->reservations.n)]
            : NULL;

    return r && reservation_is_live(r) ? r : NULL;
}

static void describe_change(
    struct world *w, struct scenario *s, struct reservation *io_draft)
{
    const struct cluster *c = engine_cluster(sc_engine(s));
    struct rng *r = &w->rng;
    const struct cred *account = cred_find(c, CRED_ACCOUNT, "a1");
    const struct cred *owner = cred_find(c, CRED_USER, RNG_PICK(r, users));

    io_draft->end_at = sc_now(s) + rng_range(r, 1, 3000);
    io_draft->tasks = 1 + rng_below(r, 4);
    io_draft->def.per_task.v[RES_PROCS] = 1 + rng_below(r, 2);
    if (rng_percent(r, 50)) {
        io_draft->listed = true;
        vec_push(&io_draft->hosts, rng_below(r, NODES));
    }
    acltext_parse(ACL_USER, RNG_PICK(r, users), &io_draft->acl, &(struct err){0});
    if (rng_percent(r, 50))
        io_draft->flags = RSV_BYNAME;
    if (account && rng_percent(r, 50))
        io_draft->charge[CRED_ACCOUNT] = account->index;
    if (owner && rng_percent(r, 50)) {
        io_draft->owner_kind = CRED_USER;
        io_draft->owner = owner->index;
    }
}

static void reshape(struct world *w, struct scenario *s)
{
    static const unsigned what[] = {RSV_CHANGE_WINDOW, RSV_CHANGE_WINDOW,
        RSV_CHANGE_TASKS, RSV_CHANGE_TASKS, RSV_CHANGE_PLACES, RSV_CHANGE_ACL,
        RSV_CHANGE_FLAGS, RSV_CHANGE_OWNER, RSV_CHANGE_CHARGE};
    struct reservation *r = pick_reservation(w, s);
    struct reservation draft = reservation_draft(RSV_ADMIN);
    struct event ev = {.kind = EVENT_CHANGE_RESERVATION};

    if (r) {
        draft.start_at = r->start_at;
        describe_change(w, s, &draft);
        ev.u.change_reservation.name = r->name;
        ev.u.change_reservation.what = RNG_PICK(&w->rng, what);
        ev.u.change_reservation.draft = &draft;
        ev.u.change_reservation.who = (struct actor){"root", 1};
        sc_apply(s, ev, &(struct err){0});
    }
    reservation_fini(&draft);
}

static void change_node(struct world *w, struct scenario *s)
{
    static const enum node_state states[] = {NODE_IDLE, NODE_DOWN, NODE_DRAINED};
    struct event ev = {.kind = EVENT_NODE};
    char name[8];

    snprintf(name, sizeof name, "n%u", 1 + rng_below(&w->rng, NODES));
    if (rng_percent(&w->rng, 15)) { /* until it is reported again */
        ev.kind = EVENT_NODE_GONE;
        ev.u.node_state.name = name;
        sc_apply(s, ev, &(struct err){0});
        return;
    }
    if (!node_find(engine_cluster(sc_engine(s)), name)->gone
        && rng_percent(&w->rng, 80)) {
        sc_node_state(s, name, RNG_PICK(&w->rng, states));
        return;
    }
    ev.u.node = (struct node_desc){.name = name, /* one processor more */
        .cfg = node_find(engine_cluster(sc_engine(s)), name)->cfg};
    ev.u.node.cfg.v[RES_PROCS]++;
    sc_apply(s, ev, &(struct err){0});
}

/* One thing of all that may happen. */
static void happen(struct world *w, struct scenario *s)
{
    struct rng *r = &w->rng;
    const char *id = pick_job(w);
    struct reservation *rsv;

    switch (rng_below(r, 22)) {
    case 16:
    case 17:
        take_over(w, s);
        break;
    case 18:
        miss(w, s);
        break;
    case 19:
        report_foreign(w, s);
        break;
    case 20:
    case 21:
        report(w, s, id);
        break;
    case 0:
    case 1:
    case 2:
        modify(w, s, id);
        break;
    case 3:
        if (sc_find(s, id))
            sc_cancel(s, id);
        break;
    case 4:
        sc_hold(s, id, HOLD_USER | HOLD_SYSTEM, "root");
        break;
    case 5:
        sc_release(s, id, HOLD_USER | HOLD_SYSTEM | HOLD_BATCH | HOLD_DEFER, "root");
        break;
    case 6:
    case 7:
        reserve(w, s);
        break;
    case 8:
        if ((rsv = pick_reservation(w, s)))
            sc_releaseres(s, rsv->name, &(struct err){0});
        break;
    case 9:
        reshape(w, s);
        break;
    case 10:
        change_node(w, s);
        break;
    case 11:
        reconfigure(w, s);
        break;
    default:
        apply_to_job(w, s, id);
        break;
    }
}

/* Somebody who runs is sent back to the queue; not all of them leave. */
static void send_back(struct world *w, struct scenario *s)
{
    const struct cluster *c = engine_cluster(sc_engine(s));
    struct event ev = {.kind = EVENT_PREEMPT, .u.preempt = {.how = PREEMPT_REQUEUE}};

    if (!c->active.n || !rng_percent(&w->money, 60))
        return;
    const struct job *j =
        c->jobs.v[c->active.v[rng_below(&w->money, (uint32_t)c->active.n)]];
    if (*j->id != 'j' || j->nreqs > 1)
        return;
    if (rng_percent(&w->money, 60))
        sc_refuse_stop(s, j->id);
    ev.u.preempt.id = j->id;
    sc_apply(s, ev, &(struct err){0});
}

/* Whose jobs are on which nodes; and one of the two goes away or comes back. */
static void look_at_managers(struct world *w, struct scenario *s)
{
    const struct cluster *c = engine_cluster(sc_engine(s));
    struct event ev = {.kind = EVENT_MANAGER};

    for (size_t i = 0; i < c->active.n; i++) {
        const struct job *j = c->jobs.v[c->active.v[i]];
        for (size_t k = 0; k < j->alloc.n; k++)
            for (uint32_t n = 0; n < j->alloc.v[k].count; n++)
                if (node_at(c, j->alloc.v[k].first + n)->rm != job_rm(j))
                    fail_msg("seed %llu: job %s is on a node of another manager",
                        (unsigned long long)w->seed, j->id);
    }
    ev.u.manager.name = rng_percent(&w->managers, 60) ? "far" : NULL;
    ev.u.manager.away = rng_percent(&w->managers, 40);
    if (rng_percent(&w->managers, 30))
        sc_apply(s, ev, &(struct err){0});
}

/* What is to come out the same. */
static void write_down(struct world *w, struct scenario *s)
{
    const struct cluster *c = engine_cluster(sc_engine(s));

    strbuf_printf(&w->log, "%lld:", (long long)sc_now(s));
    for (size_t i = 0; i < c->jobs.n; i++) {
        const struct job *j = c->jobs.v[i];
        if (j && j->state < JOB_COMPLETED)
            strbuf_printf(&w->log, " %s %s %u %lld %u %u", j->id,
                job_state_name((enum job_state)j->state), j->start_count,
                (long long)j->start_at, j->alloc.n ? j->alloc.v[0].first : 0, j->holds);
    }
    strbuf_add(&w->log, "\n");
}

static struct scenario *create(struct world *w)
{
    char text[2000];
    snprintf(text, sizeof text, LINES "%s%s", has_bank(w) ? BANK : "",
        w->plain ? "RESERVATIONPOLICY NEVER\n" : "PREEMPTPOLICY SUSPEND\n");
    struct scenario *s = sc_create_with(text);
    struct engine_options *opt = sc_options(s);

    opt->report_reservations = opt->statistics = w->kind != AS_SIMULATOR;
    opt->starts_told = w->kind == AS_DAEMON;
    opt->stops_told = w->stops_told = has_bank(w) && w->seed % 8 == 1;
    opt->down_grace_s = w->seed % 2 ? ENGINE_DOWN_GRACE_S : 0; /* jobs are lost */
    if (rng_percent(&w->rng, 40))
        sc_force_by_node(s);
    sc_nodes(s, NODES, 3);
    for (int i = 0; w->several && i < FAR; i++)
        sc_node(
            s, &(struct node_desc){.name = ((const char *const[]){"f1", "f2", "f3"})[i],
                   .rm = "far",
                   .cfg = {{3, 1000, 0, 0}}});
    for (int i = 0; i < 4 && has_bank(w); i++)
        deposit(w, s);
    return s;
}

/* Returns what became of the jobs: the caller frees it. */
static char *run_history(uint64_t seed, enum kind kind)
{
    struct world w = {.rng = {seed},
        .seed = seed,
        .kind = kind,
        .plain = seed % 3 == 0,
        .several = seed % 4 == 1,
        .managers = {seed + 2000},
        .money = {seed + 1000}};
    struct scenario *s = create(&w);

    sc_watch(s, after_cycle, &w);
    for (int step = 0; step < STEPS; step++) {
        sc_at(s, sc_now(s) + rng_range(&w.rng, 0, 300));
        for (int i = (int)rng_below(&w.rng, 3); i > 0; i--)
            submit(&w, s);
        sc_cycle(s);
        for (int i = (int)rng_below(&w.rng, w.plain ? 2 : 4); i > 0; i--) {
            happen(&w, s);
            engine_check(sc_engine(s));
            look(&w, s);
            sc_cycle(s);
        }
        if (w.stops_told) {
            send_back(&w, s);
            engine_check(sc_engine(s));
            look(&w, s);
            sc_cycle(s);
        }
        check_used(&w, s);
        if (w.several)
            look_at_managers(&w, s);
        if (has_bank(&w)) {
            check_money(&w, s);
            if (rng_percent(&w.money, 30))
                deposit(&w, s);
        }
        write_down(&w, s);
    }
    sc_destroy(s);
    vec_fini(&w.on);
    vec_fini(&w.debits);
    return strbuf_take(&w.log);
}

static void check_same(uint64_t seed, const char *one, const char *other, int kind)
{
    size_t i = 0, line = 0;

    if (strcmp(one, other) == 0)
        return;
    for (; one[i] == other[i]; i++)
        line = one[i] == '\n' ? i + 1 : line;
    fail_msg("seed %llu, kind %d:\n%.*s\nexpected\n%.*s", (unsigned long long)seed,
        kind, (int)strcspn(other + line, "\n"), other + line,
        (int)strcspn(one + line, "\n"), one + line);
}

static void check_history(uint64_t seed)
{
    char *log = run_history(seed, AS_SCENARIO);

    for (int kind = AS_SIMULATOR; kind < KINDS; kind++) {
        char *other = run_history(seed, (enum kind)kind);
        check_same(seed, log, other, kind);
        free(other);
    }
    free(log);
}

/* ---- with restarts ---- */

static void start_anew(struct world *w, struct scenario *s)
{
    size_t active = engine_cluster(sc_engine(s))->active.n;

    w->on.n = 0; /* numbers of jobs are others in another life */
    sc_restart(s);
    if (engine_cluster(sc_engine(s))->active.n != active)
        fail_msg("seed %llu: of %zu jobs on nodes %zu are taken over",
            (unsigned long long)w->seed, active,
            engine_cluster(sc_engine(s))->active.n);
    engine_check(sc_engine(s));
    look(w, s);
    check_used(w, s);
}

/* What comes back by the jobs' memories. */
static void happen_to_one(struct world *w, struct scenario *s)
{
    const char *id = pick_job(w);
    struct event ev = {.kind = EVENT_PRIORITY, .u.priority = {.id = id, .n = 50}};

    switch (rng_below(&w->rng, 4)) {
    case 0:
        sc_hold(s, id, HOLD_USER | HOLD_SYSTEM, "root");
        break;
    case 1:
        sc_release(s, id, HOLD_USER | HOLD_SYSTEM | HOLD_BATCH | HOLD_DEFER, "root");
        break;
    case 2:
        sc_apply(s, ev, &(struct err){0});
        break;
    default:
        if (sc_find(s, id))
            sc_cancel(s, id);
        break;
    }
    engine_check(sc_engine(s));
    look(w, s);
}

static void run_with_restarts(uint64_t seed)
{
    struct world w = {.rng = {seed + 7000}, .seed = seed, .plain = seed % 2 == 0};
    struct scenario *s = sc_create_with(
        "FSPOLICY DEDICATEDPS\nFSINTERVAL 4000\nFSDEPTH 24\nRESERVATIONDEPTH 3\n"
        "USERCFG[DEFAULT] QLIST=high,low FSTARGET=20 MAXPROC=9,14\n"
        "NODEAVAILABILITYPOLICY DEDICATED\nRESERVATIONRETRYTIME 300\n"
        "CLASSCFG[short] MAXPS=9000\nACCOUNTCFG[a0] MAXJOB=3\n");

    sc_options(s)->statistics = true;
    sc_begin_at(s, 1); /* a start at 0 is one that is not known */
    sc_nodes(s, NODES, 3);
    w.at = 1;
    sc_watch(s, after_cycle, &w);
    for (int step = 0; step < STEPS; step++) {
        sc_at(s, sc_now(s) + rng_range(&w.rng, 0, 300));
        for (int i = (int)rng_below(&w.rng, 3); i > 0; i--)
            submit(&w, s);
        sc_cycle(s);
        if (rng_percent(&w.rng, 60))
            happen_to_one(&w, s);
        sc_cycle(s);
        if (rng_percent(&w.rng, 30)) {
            apply_to_job(&w, s, pick_job(&w));
            engine_check(sc_engine(s));
            look(&w, s);
            sc_cycle(s);
        }
        if (rng_percent(&w.rng, 30))
            start_anew(&w, s);
        sc_cycle(s);
        check_used(&w, s);
    }
    sc_destroy(s);
    vec_fini(&w.on);
}

static void sums_come_back_after_a_restart(void **state)
{
    uint64_t from = seed_first();
    uint64_t n = seed_count(SEEDS);

    (void)state;
    for (uint64_t i = 0; i < n; i++)
        run_with_restarts(from + i);
}

static void sums_are_as_counted_from_nothing(void **state)
{
    uint64_t from = seed_first();
    uint64_t n = seed_count(SEEDS);

    (void)state;
    /* a deadline's time came, it could not start, and those behind it stood twice */
    check_history(500233);
    for (uint64_t i = 0; i < n; i++)
        check_history(from + i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_as_counted_from_nothing),
        cmocka_unit_test(sums_come_back_after_a_restart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
