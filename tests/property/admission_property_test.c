/* SPDX-License-Identifier: Apache-2.0
 * What a check of admission depends on is what its row says: in random histories each
 * row is asked about each waiting job after everything that happens, and an answer may
 * differ from the last one only if something that the row names changed in between.
 * What changed is found out here, from the records. */
#include "cluster/reservation.h"
#include "cmocka_all.h"
#include "config/config.h"
#include "config/settings.h"
#include "engine/admission.h"
#include "engine/engine_private.h"
#include "engine/promises.h"
#include "policy/fairshare.h"
#include "quotas.h"
#include "rng.h"
#include "seeds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORLDS 400 /* MAUI_PROPERTY_FACTOR=n: so many times as many */
#define STEPS  120
#define JOBS   40
#define CHECKS 32

/* Of a job: what its record says, what follows from its class, its priority. */
struct seen {
    uint64_t record, cls;
    int64_t priority;
    bool known, refused[CHECKS];
};

/* Of everything else. */
struct surroundings {
    struct admission_world world;
    int64_t now;
    uint64_t jobs[JOBS]; /* by index: what it does */
    bool promised[JOBS]; /* the same: was it promised a start? Arrays go by it */
    uint64_t usage;
};

struct history {
    struct settings *cfg[2];
    struct engine *e;
    struct actions out;
    struct rng rng, managers;
    uint32_t seed;
    int64_t now;
    bool divided; /* some nodes serve one class alone */
    struct seen seen[JOBS];
    struct surroundings last;
    unsigned flips[CHECKS]; /* answers that became others */
};

static uint64_t add_hash(uint64_t h, uint64_t x)
{
    return (h ^ x) * UINT64_C(0x9E3779B97F4A7C15) + (h >> 29);
}

static uint64_t hash_text(uint64_t h, const char *text)
{
    for (; *text; text++)
        h = add_hash(h, (uint8_t)*text);
    return h;
}

/* ---- what is looked at ---- */

static uint64_t hash_record(const struct job *j)
{
    uint64_t h = add_hash(add_hash(add_hash(1, j->holds), j->state), j->rm_hold);

    h = add_hash(h, (uint64_t)j->defer_until);
    h = add_hash(h, (uint64_t)j->release_at);
    h = add_hash(add_hash(h, (uint64_t)j->sys_priority), (uint64_t)j->user_priority);
    h = add_hash(h, j->extra ? (uint64_t)j->extra->array_limit : 0);
    h = add_hash(h, j->extra ? j->extra->deferred_in : 0);
    h = add_hash(h, (uint64_t)j->wclimit_s);
    for (uint32_t i = 0; i < j->nreqs; i++)
        for (int k = 0; k < RES_DIMS; k++)
            h = add_hash(
                add_hash(h, j->reqs[i].tasks), (uint64_t)j->reqs[i].def->per_task.v[k]);
    for (int k = 0; k < CRED_KINDS; k++)
        if (k != CRED_CLASS && k != CRED_QOS)
            h = add_hash(h, j->cred[k]);
    for (size_t i = 0; j->extra && i < j->extra->deps.n; i++)
        h = hash_text(
            add_hash(h, j->extra->deps.v[i].type), j->extra->deps.v[i].job_id);
    return h;
}

static uint64_t hash_class(const struct job *j)
{
    uint64_t h = add_hash(1, j->cred[CRED_CLASS]);

    return add_hash(add_hash(h, j->cred[CRED_QOS]), j->partitions);
}

/* Of an array others are before it: what keeps them, and what they were promised. */
static uint64_t hash_doing(const struct engine *e, const struct job *j)
{
    uint64_t h = add_hash(add_hash(hash_record(j), hash_class(j)), j->failed);

    h = add_hash(h, promises_has_any(e->promises, j));

    h = add_hash(add_hash(h, (uint64_t)j->start_at), j->holds);
    return add_hash(add_hash(h, (uint64_t)j->end_at), (uint64_t)j->wclimit_s);
}

static uint64_t hash_usage(const struct cluster *c)
{
    uint64_t h = 1;

    for (int k = 0; k < CRED_KINDS; k++)
        for (size_t i = 0; i < c->creds[k].n; i++) {
            double use = fs_use(c, &c->creds[k].v[i]->fs);
            uint64_t bits;
            memcpy(&bits, &use, sizeof bits);
            h = add_hash(h, bits);
        }
    for (uint32_t i = 0; c->funds && i < funds_accounts(c->funds); i++) {
        struct funds_account a = funds_account_now(c->funds, i);
        for (size_t k = 0; k < a.n; k++) {
            h = add_hash(h, (uint64_t)a.deposits[k].balance);
            h = add_hash(h, (uint64_t)a.deposits[k].held);
            h = add_hash(h, (uint64_t)a.deposits[k].to_at);
        }
    }
    return h;
}

static struct surroundings look_around(const struct history *h)
{
    const struct cluster *c = h->e->c;
    struct surroundings s = {
        .world = admission_world_of(h->e), .now = h->e->now, .usage = hash_usage(c)};

    for (size_t i = 0; i < c->jobs.n; i++) {
        s.jobs[i] = c->jobs.v[i] ? hash_doing(h->e, c->jobs.v[i]) : 0;
        s.promised[i] = c->jobs.v[i] && promises_has_any(h->e->promises, c->jobs.v[i]);
    }
    return s;
}

/* A deferral that is due, or for want of nodes in a world that changed, ends when the
 * job is looked at. */
static bool is_over(const struct engine *e, const struct job *j)
{
    return (j->holds & HOLD_DEFER) && (j->defer_until <= e->now || world_invites(e, j));
}

static bool is_refused(
    const struct engine *e, const struct job *j, const struct admission_check *row)
{
    struct reason why = {0};

    if ((row->is_used && !row->is_used(e)) || (row->concerns && !row->concerns(j))
        || !row->refuses(e, j, &why))
        return false;
    return strcmp(row->name ? row->name : "", "DEFERRAL") != 0 || !is_over(e, j);
}

/* What a row spares a plain job, it would not have been refused for. */
static void check_spared(const struct engine *e, const struct job *j)
{
    struct reason why = {0};
    bool plain = j->state == JOB_IDLE && !j->holds && j->release_at <= e->now
                 && !(j->extra && j->extra->deps.n);
    size_t n;
    const struct admission_check *rows = admission_checks(&n);

    for (size_t i = 0; plain && i < n; i++)
        if (rows[i].spares_plain)
            assert_false(rows[i].refuses(e, j, &why));
}

static unsigned find_changes(
    const struct history *h, const struct surroundings *s, const struct job *j)
{
    const struct seen *seen = &h->seen[j->index];
    unsigned on = 0;

    on |= seen->record != hash_record(j) ? ON_JOB : 0;
    on |= seen->cls != hash_class(j) ? ON_CLASS : 0;
    on |= seen->priority != job_priority(h->e->c, j) ? ON_PRIORITY : 0;
    on |= s->now != h->last.now ? ON_CLOCK : 0;
    on |= s->world.settings != h->last.world.settings ? ON_SETTINGS : 0;
    on |= s->world.nodes != h->last.world.nodes ? ON_NODES : 0;
    on |= s->world.reservations != h->last.world.reservations ? ON_RESERVATIONS : 0;
    on |= s->usage != h->last.usage ? ON_USAGE : 0;
    for (uint32_t i = 0; i < JOBS; i++)
        if (i != j->index && s->jobs[i] != h->last.jobs[i])
            on |= ON_JOBS;
    if (memcmp(s->promised, h->last.promised, sizeof s->promised) != 0)
        on |= ON_JOBS;
    return on;
}

static void ask_rows(struct history *h, const struct surroundings *s, struct job *j)
{
    struct seen *seen = &h->seen[j->index];
    size_t n;
    const struct admission_check *rows = admission_checks(&n);
    unsigned changed = find_changes(h, s, j);

    assert_true(n <= CHECKS);
    check_spared(h->e, j);
    for (size_t i = 0; i < n; i++) {
        bool refused = is_refused(h->e, j, &rows[i]);
        if (seen->known && refused != seen->refused[i]) {
            h->flips[i]++;
            if (!(changed & rows[i].on))
                fail_msg("seed %u, job %s at %lld: row %zu (%s) %s it, which depends "
                         "on %#x, and %#x changed",
                    h->seed, j->id, (long long)h->now, i,
                    rows[i].name ? rows[i].name : "a limit",
                    refused ? "refuses" : "does not refuse", rows[i].on, changed);
        }
        seen->refused[i] = refused;
    }
    seen->known = true;
    seen->record = hash_record(j);
    seen->cls = hash_class(j);
    seen->priority = job_priority(h->e->c, j);
}

/* After anything that happened. */
static void look(struct history *h)
{
    const struct cluster *c = h->e->c;

    refresh_limits(h->e); /* else the next cycle does these */
    limits_begin_cycle(h->e->limits, h->e->c, h->e->now);
    struct surroundings now = look_around(h);
    for (size_t i = 0; i < c->jobs.n; i++) {
        struct job *j = c->jobs.v[i];
        if (j && !job_is_active(j) && j->state < JOB_COMPLETED)
            ask_rows(h, &now, j);
        else
            h->seen[i].known = false;
    }
    h->last = now;
}

/* ---- what happens ---- */

static void tell(struct history *h, const struct event *ev)
{
    struct err err;

    engine_apply(h->e, ev, NULL, &err);
    look(h);
}

/* Time goes by, and nothing else. */
static void tick(struct history *h)
{
    struct event ev = {.kind = EVENT_CANCEL, .at = ++h->now};

    ev.u.end.id = "nobody";
    tell(h, &ev);
}

static const char *any_job(struct history *h)
{
    const struct cluster *c = h->e->c;
    uint32_t i = c->jobs.n ? rng_below(&h->rng, (uint32_t)c->jobs.n) : 0;

    return c->jobs.n && c->jobs.v[i] ? c->jobs.v[i]->id : "nobody";
}

static void submit(struct history *h)
{
    static const enum dep_type types[] = {DEP_STARTED, DEP_COMPLETED, DEP_SUCCESS};
    static const char *const classes[] = {"short", "long"};
    struct event ev = {.kind = EVENT_SUBMIT, .at = h->now};
    struct req_desc req = {.per_task = {.v = {1}}, .tasks = 1 + rng_below(&h->rng, 9)};
    const char *other = any_job(h);
    char id[20], user[20], copy[40];
    struct dep deps[2] = {{0}};

    if (h->e->c->jobs.n >= JOBS)
        return;
    snprintf(id, sizeof id, "j[%u]", rng_below(&h->rng, 1000000));
    snprintf(user, sizeof user, "u%u", rng_below(&h->rng, 3));
    snprintf(copy, sizeof copy, "%s", other);
    if (rng_percent(&h->rng, 10))
        req.per_task.v[RES_MEM] = rng_range(&h->rng, 500, 1500);
    deps[0] = (struct dep){types[rng_below(&h->rng, 3)], copy};
    ev.u.job = (struct job_desc){.id = id,
        .rm = rng_percent(&h->managers, 20) ? "far" : NULL,
        .submit_at = h->now,
        .wclimit_s = rng_range(&h->rng, 1, 20),
        .cred = {[CRED_USER] = user, [CRED_CLASS] = classes[rng_below(&h->rng, 2)]},
        .state = rng_percent(&h->rng, 5) ? JOB_HOLD : JOB_IDLE,
        .array_limit =
            rng_percent(&h->managers, 30) ? rng_range(&h->managers, 1, 3) : 0,
        .reqs = &req,
        .nreqs = 1};
    if (rng_percent(&h->rng, 20))
        ev.u.job.release_at = h->now + rng_range(&h->rng, 1, 10);
    if (rng_percent(&h->rng, 20))
        ev.u.job.deps = deps;
    tell(h, &ev);
}

static void end_some(struct history *h)
{
    const struct cluster *c = h->e->c;

    for (size_t i = 0; i < c->jobs.n; i++) {
        struct event ev = {.kind = EVENT_END, .at = h->now};
        if (!c->jobs.v[i] || !job_is_active(c->jobs.v[i]) || rng_percent(&h->rng, 70))
            continue;
        ev.u.end.job = (uint32_t)i;
        ev.u.end.how = EV_COMPLETE;
        ev.u.end.failed = rng_percent(&h->rng, 30);
        if (rng_percent(&h->rng, 10)) { /* the resource manager did not start it */
            ev = (struct event){.kind = EVENT_START_FAILED, .at = h->now};
            ev.u.failed.id = c->jobs.v[i]->id;
            ev.u.failed.reason = REASON_RMFAILURE;
            ev.u.failed.limit = true;
        }
        tell(h, &ev);
    }
}

static void change_job(struct history *h)
{
    struct event ev = {.kind = EVENT_MODIFY, .at = h->now};
    struct job_change *ch = &ev.u.modify.change;

    ev.u.modify.id = any_job(h);
    switch (rng_below(&h->rng, 5)) {
    case 0:
        *ch = (struct job_change){
            .what = CHANGE_WCLIMIT, .job.wclimit_s = rng_range(&h->rng, 1, 40)};
        break;
    case 1:
        *ch = (struct job_change){.what = CHANGE_CLASS,
            .job.cred[CRED_CLASS] = rng_percent(&h->rng, 50) ? "short" : "long"};
        break;
    case 2:
        *ch = (struct job_change){.what = CHANGE_RELEASE,
            .job.release_at = h->now + rng_range(&h->rng, -3, 8)};
        break;
    case 3:
        *ch = (struct job_change){
            .what = CHANGE_TASKS, .to = {.tasks = 1 + rng_below(&h->rng, 14)}};
        break;
    default:
        *ch = (struct job_change){.what = CHANGE_DEPS};
        break;
    }
    tell(h, &ev);
}

static void set_priority(struct history *h)
{
    struct event ev = {.kind = EVENT_PRIORITY, .at = h->now};

    ev.u.priority.id = any_job(h);
    ev.u.priority.relative = true;
    ev.u.priority.n = rng_range(&h->rng, -30, 10);
    tell(h, &ev);
}

static void hold_job(struct history *h)
{
    bool sets = rng_percent(&h->rng, 50);
    struct event ev = {.kind = sets ? EVENT_HOLD : EVENT_RELEASE_HOLD, .at = h->now};

    ev.u.hold.id = any_job(h);
    ev.u.hold.kinds = sets ? HOLD_SYSTEM : HOLD_SYSTEM | HOLD_BATCH | HOLD_DEFER;
    ev.u.hold.who = (struct actor){.name = "root", .level = 1};
    tell(h, &ev);
}

/* Where nodes serve one class alone, so do all of even numbers. */
static void report_node(struct history *h, unsigned number, int64_t mem_mb)
{
    static const struct gres_cfg one[] = {{(char *)"long", 2}, {NULL, 0}};
    struct event ev = {.kind = EVENT_NODE, .at = h->now};
    char name[20];

    snprintf(name, sizeof name, "n%u", number);
    ev.u.node = (struct node_desc){.name = name,
        .rm = number == 3 ? "far" : NULL,
        .state = NODE_IDLE,
        .cfg = {.v = {2, mem_mb, -1, -1}},
        .classes = h->divided && number % 2 == 0 ? one : NULL};
    tell(h, &ev);
}

static void change_node(struct history *h)
{
    struct event ev = {.kind = EVENT_NODE_STATE, .at = h->now};
    char name[20];

    if (rng_percent(&h->rng, 20)) { /* one more, or one that has more */
        uint32_t number = rng_below(&h->rng, 6);
        report_node(h, number, rng_range(&h->rng, 500, 2000));
        return;
    }
    snprintf(name, sizeof name, "n%u", rng_below(&h->rng, 4));
    ev.u.node_state.name = name;
    ev.u.node_state.state = rng_percent(&h->rng, 50) ? NODE_DOWN : NODE_IDLE;
    tell(h, &ev);
}

static void report_job(struct history *h)
{
    struct event ev = {.kind = EVENT_JOB_STATE, .at = h->now};

    ev.u.job_state.id = any_job(h);
    ev.u.job_state.state = rng_percent(&h->rng, 50) ? JOB_HOLD : JOB_IDLE;
    ev.u.job_state.rm_hold = HOLD_USER;
    tell(h, &ev);
}

static void change_world(struct history *h)
{
    struct event ev = {.kind = EVENT_SETTINGS, .at = h->now};
    uint32_t n = rng_below(&h->rng, 4);

    if (n == 3) {
        ev = some_quotas(rng_below(&h->rng, QUOTA_LISTS), h->now);
        tell(h, &ev);
    } else if (n == 0) {
        ev.u.settings = h->cfg[rng_below(&h->rng, 2)];
        tell(h, &ev);
    } else if (n == 1) {
        ev.kind = EVENT_RESET_FAIRSHARE;
        tell(h, &ev);
    } else {
        struct cred *cls =
            cred_get(h->e->c, CRED_CLASS, rng_percent(&h->rng, 50) ? "short" : "long");
        class_enable(h->e->c, cls, !cls->enabled);
        look(h);
    }
}

/* Somebody deposits, or takes credits away. */
static void tell_funds(struct history *h, struct rng *rng)
{
    struct funds_deposit d = {.id = 1,
        .to_at = h->now + rng_below(rng, 100),
        .balance = rng_below(rng, 200) * 1000};
    struct funds_account a = {
        .name = rng_percent(rng, 50) ? "chem" : "bio", .deposits = &d, .n = 1};
    struct event ev = {
        .kind = EVENT_FUNDS, .at = h->now, .u.funds = {.accounts = &a, .n = 1}};

    tell(h, &ev);
}

/* One of two resource managers goes away or comes back. */
static void change_manager(struct history *h)
{
    struct event ev = {.kind = EVENT_MANAGER, .at = h->now};

    ev.u.manager.name = rng_percent(&h->managers, 70) ? "far" : NULL;
    ev.u.manager.away = rng_percent(&h->managers, 40);
    tell(h, &ev);
}

/* For nobody, on one node. */
static void reserve_node(struct history *h)
{
    struct reservation r = reservation_draft(RSV_ADMIN);
    struct event ev = {.kind = EVENT_RESERVE, .at = h->now};
    struct err err;

    r.base = xstrdup("work");
    r.start_at = h->now + rng_below(&h->rng, 5);
    r.end_at = r.start_at + 1 + rng_below(&h->rng, 9);
    r.listed = true;
    vec_push(&r.hosts, rng_below(&h->rng, 4));
    ev.u.reserve.draft = &r;
    if (engine_apply(h->e, &ev, NULL, &err) < 0)
        reservation_fini(&r);
    look(h);
}

static void schedule(struct history *h)
{
    h->out.n = 0;
    engine_cycle(h->e, h->now, &h->out);
    look(h);
}

/* ---- histories ---- */

#define COMMON                                                                         \
    "NODEACCESSPOLICY SHARED\nDEFERTIME 0:00:07\nQUEUETIMEWEIGHT 1\n"                  \
    "ENABLENEGJOBPRIORITY TRUE\nFSPOLICY DEDICATEDPS\n"                                \
    "FSINTERVAL 0:00:15\nFSDEPTH 3\nFSDECAY 0.5\n"

static const char *const variants[] = {
    COMMON "USERCFG[u0] MAXJOB=1 FSTARGET=60^\nUSERCFG[u1] MAXPS=40\n"
           "CLASSCFG[short] MAXPROC=4 MAXJOB=2,3\nCLASSCFG[long] FSTARGET=200^\n",
    COMMON "SYSTEMMAXPROCPERJOB 5\nREJECTNEGPRIOJOBS FALSE\n"
           "USERCFG[u0] MAXJOB=3\nUSERCFG[u1] FSTARGET=50^\nCLASSCFG[long] MAXPS=60\n",
    COMMON "CLASSCFG[short] MAXPROC=6\nCLASSCFG[long] MAXWC=0:00:30\n"
           "AMCFG[bank] TYPE=BUILTIN\nUSERCFG[u0] ADEF=chem\nUSERCFG[u1] ADEF=bio\n",
    COMMON
    "USERCFG[u2] MAXJOB=1\nREJECTNEGPRIOJOBS TRUE\nSYSTEMMAXJOBWALLTIME 0:00:25\n"
    "CLASSCFG[short] FSTARGET=80^\n",
    /* the QOS of a class has system limits of its own */
    COMMON "SYSTEMMAXPROCPERJOB 4\nQOSCFG[big] OMAXJPROC=9\n"
           "CLASSCFG[long] QDEF=big QLIST=big\nUSERCFG[u1] MAXJOB=2\n",
};

#define VARIANTS (sizeof variants / sizeof *variants)

static struct settings *load_settings(const char *text)
{
    struct config *config = config_load_text("maui.cfg", text, strlen(text));

    for (size_t i = 0; i < config->findings.n; i++)
        assert_int_equal(config->findings.v[i].level, FINDING_NOTE);
    struct settings *cfg = config_take_settings(config);
    config_destroy(config);
    return cfg;
}

static void begin_history(struct history *h, uint32_t seed)
{
    struct engine_options opt = {0};

    *h =
        (struct history){.seed = seed, .rng = {seed}, .managers = {seed + 2}, .now = 1};
    for (int i = 0; i < 2; i++)
        h->cfg[i] = load_settings(variants[rng_below(&h->rng, VARIANTS)]);
    h->divided = rng_percent(&h->rng, 40);
    h->e = engine_create(h->cfg[0], &opt);
    for (unsigned i = 0; i < 4; i++)
        report_node(h, i, 1000);
}

static void end_history(struct history *h)
{
    engine_destroy(h->e);
    vec_fini(&h->out);
    settings_destroy(h->cfg[0]);
    settings_destroy(h->cfg[1]);
}

static void run_history(uint32_t seed, unsigned flips[CHECKS])
{
    static void (*const any[])(struct history *) = {submit, submit, submit, end_some,
        change_job, change_job, set_priority, hold_job, change_node, report_job,
        change_world, reserve_node};
    struct rng funds = {seed + 1};
    struct history h;

    begin_history(&h, seed);
    for (int i = 0; i < STEPS; i++) {
        if (rng_percent(&h.rng, 40))
            tick(&h);
        any[rng_below(&h.rng, sizeof any / sizeof *any)](&h);
        if (h.e->cfg->bank.type == BANK_BUILTIN && rng_percent(&funds, 10))
            tell_funds(&h, &funds);
        if (rng_percent(&h.managers, 10))
            change_manager(&h);
        if (rng_percent(&h.rng, 50))
            schedule(&h);
    }
    for (int i = 0; i < CHECKS; i++)
        flips[i] += h.flips[i];
    end_history(&h);
}

static void an_answer_changes_with_what_its_row_depends_on_alone(void **state)
{
    (void)state;
    unsigned flips[CHECKS] = {0};
    size_t n;
    const struct admission_check *rows = admission_checks(&n);

    uint32_t first = seed_first();
    uint32_t worlds = seed_count(WORLDS);

    for (uint32_t seed = first; seed < first + worlds; seed++)
        run_history(seed, flips);
    for (size_t i = 0; i < n; i++)
        if (!flips[i])
            fail_msg("row %zu (%s) never changed its answer", i,
                rows[i].name ? rows[i].name : "a limit");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_changes_with_what_its_row_depends_on_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
