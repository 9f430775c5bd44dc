/* SPDX-License-Identifier: Apache-2.0
 * The cost of a scheduling cycle on a large machine with a long queue.
 *
 *     cycle_bench MODE JOBS NODES [CYCLES [STANDING ADMIN]]
 *
 *     easy      one event a cycle, EASY backfill: one job has a reservation
 *     plan      the first full conservative plan: every job has a reservation
 *     chunky    as easy, but nodes cannot be counted: every node looks different
 *     chunky10  as chunky with ten reservations
 *     steal     as easy; jobs of ten users of high priority may preempt all others
 *     kept      as easy, but priorities grow alike, and no limit is in force: the order
 * of the queue is kept from cycle to cycle tiers     as kept; one of three jobs is of a
 * higher tier weights   as kept; nodes are taken by priority, of which there are three
 *
 * Nodes have 8 processors and 16 GB; jobs belong to 200 users, 20 groups, 30
 * accounts and three classes, ask 1 to 1,023 tasks of one processor with up to 2 GB
 * and one of the limits people use; fairshare is in force, and but for plan limits on
 * users and a class too. Chunky tasks have 1, 3 or 8 processors and up to 8 GB, so
 * that what a node can take depends on which tasks it has.
 *
 *     search    as easy, under BACKFILLPOLICY PLAN
 *     keptsearch  as kept, under BACKFILLPOLICY PLAN
 *     bank      as easy, and every job is charged
 *     poor      as kept, charged, and a third of the jobs has no funds
 *
 * STANDING reservations (0) are daily, for a shift, on 16 named hosts each of which the
 * next one has six too; most are for two users, every tenth is for a group. ADMIN
 * reservations (0) are once in the coming week for up to 25 hours on one to four hosts,
 * every tenth for a user and the others for nobody.
 *
 * Prints one line of key=value: memory in bytes, times of the processor in
 * milliseconds (submit_us: microseconds a job); cycles are told by their median, 99th
 * percentile and maximum. fork_us is the median of copying the plan to ask it
 * (plan_fork), with so many jobs running and reserved at the end; under
 * BACKFILLPOLICY PLAN, setres_*_ms is that of a user's reservation, made or refused. */
#include "config/config.h"
#include "config/settings.h"
#include "engine/engine_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define START 1000000 /* the first job is submitted */

struct mode {
    const char *name;
    uint32_t depth; /* reservations; 0 = one for each job */
    bool limits, chunky, steal, alike, tiers, weights, bank, search;
};

static const struct mode modes[] = {
    {.name = "easy", .depth = 1, .limits = true},
    {.name = "plan", .depth = 0},
    {.name = "chunky", .depth = 1, .limits = true, .chunky = true},
    {.name = "chunky10", .depth = 10, .limits = true, .chunky = true},
    {.name = "steal", .depth = 1, .limits = true, .steal = true},
    {.name = "kept", .depth = 1, .alike = true},
    {.name = "tiers", .depth = 1, .alike = true, .tiers = true},
    {.name = "weights", .depth = 1, .alike = true, .weights = true},
    {.name = "bank", .depth = 1, .limits = true, .bank = true},
    {.name = "search", .depth = 1, .limits = true, .search = true},
    {.name = "keptsearch", .depth = 1, .alike = true, .search = true},
    {.name = "poor", .depth = 1, .alike = true, .bank = true},
};

static uint64_t rng(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);

    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int64_t monotonic_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static long rss_kb(void)
{
    FILE *f = fopen("/proc/self/status", "r");
    char line[200];
    long kb = 0;

    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, "VmRSS:", 6) == 0)
            kb = strtol(line + 6, NULL, 10);
    if (f)
        fclose(f);
    return kb;
}

static struct settings *make_settings(const struct mode *mode, uint32_t jobs)
{
    struct settings *cfg = settings_create();
    struct cred_cfg *user = cfg->creds[CRED_USER].v;

    cfg->par.v[0].nodealloc =
        mode->weights ? NODEALLOC_TIGHTEST : NODEALLOC_FIRSTAVAILABLE;
    cfg->par.v[0].bf_order = BFORDER_QUEUEORDER;
    if (mode->search)
        cfg->par.v[0].bf_policy = BACKFILL_PLAN;
    cfg->rsv_makers = RSV_BY_ANYBODY;
    cfg->bank.type = mode->bank ? BANK_BUILTIN : BANK_NONE;
    cfg->rsv_groups[0].depth = mode->depth ? mode->depth : 10 * (int64_t)jobs;
    if (mode->alike)
        return cfg;
    cfg->fs.policy = FS_DEDICATEDPS;
    cfg->prio.weight[PRIO_FSUSER] = 10;
    cfg->prio.weight[PRIO_FSACCOUNT] = 5;
    cfg->prio.weight[PRIO_XFACTOR] = 10;
    cfg->prio.weight[PRIO_PROC] = 1;
    user->fstarget = (struct fs_target){FS_TARGET_PLAIN, 1.0};
    for (int i = 0; mode->steal && i < 10; i++) {
        char name[8];
        snprintf(name, sizeof name, "u%d", i);
        settings_cred(cfg, CRED_USER, name)->priority = 1000000;
        cfg->prio.weight[PRIO_USER] = 1;
    }
    if (mode->limits) {
        user->active[LIMIT_PROC] = (struct limit){20000, 40000};
        user->active[LIMIT_JOB] = (struct limit){500, 1000};
        user->idle[LIMIT_JOB] = (struct limit){2000, 2000};
        settings_cred(cfg, CRED_CLASS, "long")->active[LIMIT_PROC] =
            (struct limit){60000, 60000};
    }
    return cfg;
}

static void add_nodes(struct engine *e, const struct mode *mode, uint32_t nodes)
{
    for (uint32_t i = 0; i < nodes; i++) {
        char name[32];
        struct err err;
        snprintf(name, sizeof name, "n%06u", i);
        struct event ev = {.kind = EVENT_NODE};
        ev.u.node = (struct node_desc){
            .name = name, .state = NODE_IDLE, .cfg = {{8, 16384, 16384, 100000}}};
        ev.u.node.weight = mode->weights ? 3 - i * 3 / nodes : 0;
        if (engine_apply(e, &ev, NULL, &err) < 0)
            exit((fprintf(stderr, "%s\n", err.text), 1));
    }
}

/* Every account has enough; of poor every third has nothing. */
static void open_bank(struct engine *e, const struct mode *mode)
{
    for (int i = 0; mode->bank && i < 30; i++) {
        char name[8];
        bool poor = mode->alike && i % 3 == 0;
        struct funds_deposit d = {.id = i + 1,
            .to_at = INT64_MAX,
            .balance = poor ? 0 : INT64_C(1000000000000000)};
        struct funds_account a = {.name = name, .deposits = &d, .n = 1};
        struct event ev = {.kind = EVENT_FUNDS, .u.funds = {.accounts = &a, .n = 1}};
        snprintf(name, sizeof name, "a%d", i);
        if (engine_apply(e, &ev, NULL, &(struct err){0}) < 0)
            exit(1);
    }
}

/* ---- reservations ---- */

#define DAY_S        86400
#define HOSTS        16 /* of a standing reservation */
#define HOSTS_STRIDE 10

static void failed(const struct err *err)
{
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

static void list(struct acl *acl, enum acl_type type, const char *text)
{
    struct err err;

    if (acltext_parse(type, text, acl, &err) < 0)
        failed(&err);
}

static char *host_list(uint32_t first, uint32_t count, uint32_t nodes)
{
    char *text = xcalloc(count, 12), *at = text;

    for (uint32_t i = 0; i < count; i++)
        at += sprintf(at, "%sn%06u", i ? "," : "", (first + i) % nodes);
    return text;
}

static void add_standing(struct settings *cfg, uint32_t count, uint32_t nodes)
{
    for (uint32_t i = 0; i < count; i++) {
        char name[32], who[64];
        struct err err;
        snprintf(name, sizeof name, "shift%u", i);
        struct sr_cfg *sr = srcfg_get(cfg, name);
        sr->hosts = host_list(i * HOSTS_STRIDE, HOSTS, nodes);
        sr->start_s = i % 16 * 3600;
        sr->end_s = sr->start_s + 8 * 3600;
        if (i % 10 == 9)
            snprintf(who, sizeof who, "g%u", i / 10);
        else
            snprintf(who, sizeof who, "u%u,u%u", i * 4 % 200, (i * 4 + 1) % 200);
        list(&sr->acl, i % 10 == 9 ? ACL_GROUP : ACL_USER, who);
        if (srcfg_finish(sr, &err) < 0)
            failed(&err);
    }
}

static void add_admin(
    struct engine *e, int64_t now, uint32_t count, uint32_t nodes, uint64_t *state)
{
    for (uint32_t i = 0; i < count; i++) {
        struct reservation d = reservation_draft(RSV_ADMIN);
        struct event ev = {.kind = EVENT_RESERVE, .at = now};
        uint32_t first = (uint32_t)(rng(state) % nodes);
        uint32_t hosts = 1 + (uint32_t)(rng(state) % 4);
        char who[32];
        struct err err;
        d.base = xstrdup("work");
        d.listed = d.one_per_host = true;
        for (uint32_t k = 0; k < hosts; k++)
            vec_push(&d.hosts, (first + k) % nodes);
        d.start_at = now + DAY_S / 4 + (int64_t)(rng(state) % (7 * DAY_S));
        d.end_at = d.start_at + 3600 + (int64_t)(rng(state) % DAY_S);
        snprintf(who, sizeof who, "u%u", i % 200);
        if (i % 10 == 0)
            list(&d.acl, ACL_USER, who);
        ev.u.reserve.draft = &d;
        if (engine_apply(e, &ev, NULL, &err) < 0)
            failed(&err);
    }
}

/* ---- jobs ---- */

static struct req_desc request(const struct mode *mode, uint64_t *rng_state)
{
    static const int64_t procs[] = {1, 3, 8};
    uint32_t log2 = (uint32_t)(rng(rng_state) % (mode->chunky ? 6 : 10));
    uint32_t rest = (uint32_t)(rng(rng_state) % (1u << log2));
    int64_t mb = (int64_t)256 << rng(rng_state) % (mode->chunky ? 6 : 4);

    return (struct req_desc){.tasks = (1u << log2) + rest,
        .per_task = {{mode->chunky ? procs[rng(rng_state) % 3] : 1, mb, 0, 0}}};
}

static void submit(
    struct engine *e, const struct mode *mode, uint32_t i, uint64_t *state)
{
    static const int64_t limits[] = {
        900, 1800, 3600, 7200, 14400, 28800, 43200, 64800, 86400, 172800};
    static const char *const classes[] = {"short", "batch", "long"};
    char id[24], user[24], group[24], account[24];
    int64_t at = START + i / 10;
    struct event ev = {.kind = EVENT_SUBMIT, .at = at};
    struct err err;
    uint32_t u = (uint32_t)(rng(state) % 200);
    struct req_desc req = request(mode, state);

    snprintf(id, sizeof id, "%u", i + 1);
    snprintf(user, sizeof user, "u%u", u);
    snprintf(group, sizeof group, "g%u", u % 20);
    snprintf(account, sizeof account, "a%u", u % 30);
    ev.u.job = (struct job_desc){.id = id,
        .submit_at = at,
        .wclimit_s = limits[rng(state) % 10],
        .reqs = &req,
        .nreqs = 1};
    if (mode->tiers)
        ev.u.job.tier = u % 3 == 0;
    if (mode->steal)
        ev.u.job.flags = u < 10 ? JOB_PREEMPTOR : JOB_PREEMPTEE;
    ev.u.job.cred[CRED_USER] = user;
    ev.u.job.cred[CRED_GROUP] = group;
    ev.u.job.cred[CRED_ACCOUNT] = account;
    ev.u.job.cred[CRED_CLASS] = classes[rng(state) % 3];
    if (engine_apply(e, &ev, NULL, &err) < 0)
        exit((fprintf(stderr, "%s\n", err.text), 1));
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* End one running job, then one cycle: what it costs. */
static void run_events(struct engine *e, int64_t now, uint32_t cycles, uint64_t *state)
{
    double *took = xcalloc(cycles, sizeof *took);
    struct cluster *c = engine_cluster(e);
    struct actions acts = {0};
    uint64_t started = engine_stats(e)->started;

    for (uint32_t i = 0; i < cycles; i++) {
        struct event ev = {.kind = EVENT_END, .at = now += 7};
        struct err err;
        if (c->active.n == 0)
            break;
        ev.u.end.job = c->active.v[rng(state) % c->active.n];
        ev.u.end.how = EV_COMPLETE;
        engine_apply(e, &ev, NULL, &err);
        acts.n = 0;
        double t = seconds();
        engine_cycle(e, now, &acts);
        took[i] = seconds() - t;
    }
    started = engine_stats(e)->started - started;
    double sum = 0;
    for (uint32_t i = 0; i < cycles; i++)
        sum += took[i];
    qsort(took, cycles, sizeof *took, by_value);
    printf(" cycles=%u mean_ms=%.3f cycle_ms=%.3f p99_ms=%.3f max_ms=%.3f starts=%llu",
        cycles, 1e3 * sum / cycles, 1e3 * took[cycles / 2],
        1e3 * took[cycles * 99 / 100], 1e3 * took[cycles - 1],
        (unsigned long long)started);
    vec_fini(&acts);
    free(took);
}

/* A copy of the plan, as a question asks it. */
#define FORKS 101

static void measure_forks(const struct engine *e)
{
    double took[FORKS];

    for (int i = 0; i < FORKS; i++) {
        double t = seconds();
        struct plan *fork = plan_fork(e->plan);
        plan_destroy(fork);
        took[i] = seconds() - t;
    }
    qsort(took, FORKS, sizeof *took, by_value);
    printf(" running=%zu reserved_now=%u fork_us=%.0f", e->c->active.n,
        plan_reservations(e->plan), 1e6 * took[FORKS / 2]);
}

/* A reservation of a user, in an hour for two hours, on as many tasks or on four hosts
 * by name; whether it is made or refused. Then the cycle behind it. */
#define SETRES 21

static void reserve_as_user(struct engine *e, int64_t now, bool by_name, uint32_t nodes)
{
    struct reservation d = reservation_draft(RSV_USER);
    struct event ev = {.kind = EVENT_RESERVE, .at = now};
    struct err err;

    d.base = xstrdup("mine");
    d.start_at = now + 3600;
    d.end_at = d.start_at + 7200;
    d.tasks = by_name ? 0 : 16;
    d.def.per_task = (struct res){{1, 0, 0, 0}};
    d.listed = by_name;
    for (uint32_t k = 0; by_name && k < 4; k++)
        vec_push(&d.hosts, (uint32_t)(now * 7 + k) % nodes);
    ev.u.reserve.draft = &d;
    ev.u.reserve.who = (struct actor){"u5", false};
    ev.u.reserve.group = "g5";
    if (engine_apply(e, &ev, NULL, &err) < 0)
        reservation_fini(&d);
}

static void measure_setres(struct engine *e, int64_t now, bool by_name, uint32_t nodes)
{
    double took[SETRES], cycle[SETRES];
    struct actions acts = {0};

    for (int i = 0; i < SETRES; i++) {
        double t = seconds();
        reserve_as_user(e, now + i, by_name, nodes);
        took[i] = seconds() - t;
        acts.n = 0;
        t = seconds();
        engine_cycle(e, now + i, &acts);
        cycle[i] = seconds() - t;
    }
    qsort(took, SETRES, sizeof *took, by_value);
    qsort(cycle, SETRES, sizeof *cycle, by_value);
    printf(" setres_%s_ms=%.2f most=%.2f cycle_ms=%.2f most=%.2f",
        by_name ? "hosts" : "tasks", 1e3 * took[SETRES / 2], 1e3 * took[SETRES - 1],
        1e3 * cycle[SETRES / 2], 1e3 * cycle[SETRES - 1]);
    vec_fini(&acts);
}

struct size {
    uint32_t jobs, nodes, cycles, standing, admin;
};

static void measure(const struct mode *mode, const struct size *size)
{
    uint32_t jobs = size->jobs, nodes = size->nodes, cycles = size->cycles;
    struct settings *cfg = make_settings(mode, jobs);
    struct engine_options opt = {.monotonic_ms = monotonic_ms};
    struct engine *e = engine_create(cfg, &opt);
    struct actions acts = {0};
    uint64_t state = 42, rsv_state = 7;
    long empty = rss_kb(), with_nodes;
    double t;

    add_nodes(e, mode, nodes);
    open_bank(e, mode);
    add_standing(cfg, size->standing, nodes);
    with_nodes = rss_kb();
    t = seconds();
    for (uint32_t i = 0; i < jobs; i++)
        submit(e, mode, i, &state);
    printf("mode=%s jobs=%u nodes=%u standing=%u admin=%u submit_us=%.2f "
           "node_bytes=%.0f queued_bytes=%.0f",
        mode->name, jobs, nodes, size->standing, size->admin,
        1e6 * (seconds() - t) / jobs, (double)(with_nodes - empty) * 1024 / nodes,
        (double)(rss_kb() - with_nodes) * 1024 / jobs);
    add_admin(e, START + jobs / 10, size->admin, nodes, &rsv_state);
    t = seconds();
    engine_cycle(e, START + jobs / 10, &acts);
    printf(" first_ms=%.2f started=%llu reserved=%llu", 1e3 * (seconds() - t),
        (unsigned long long)engine_stats(e)->started,
        (unsigned long long)engine_stats(e)->reserved);
    if (cycles)
        run_events(e, START + jobs / 10, cycles, &state);
    measure_forks(e);
    for (int by_name = 0; mode->search && by_name < 2; by_name++)
        measure_setres(
            e, START + jobs / 10 + cycles * 7 + 1 + SETRES * by_name, by_name, nodes);
    printf(" job_bytes=%.0f\n", (double)(rss_kb() - with_nodes) * 1024 / jobs);
    vec_fini(&acts);
    engine_destroy(e);
    settings_destroy(cfg);
}

static uint32_t number(int argc, char **argv, int i, uint32_t otherwise)
{
    return argc > i ? (uint32_t)strtoul(argv[i], NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
    const struct size size = {.jobs = number(argc, argv, 2, 0),
        .nodes = number(argc, argv, 3, 0),
        .cycles = number(argc, argv, 4, 200),
        .standing = number(argc, argv, 5, 0),
        .admin = number(argc, argv, 6, 0)};

    for (size_t i = 0; size.jobs && size.nodes && i < sizeof modes / sizeof modes[0];
         i++)
        if (strcmp(argv[1], modes[i].name) == 0) {
            measure(&modes[i], &size);
            return 0;
        }
    fputs("usage: cycle_bench easy|plan|chunky|chunky10|steal|kept|tiers|weights JOBS "
          "NODES "
          "[CYCLES [STANDING ADMIN]]\n",
        stderr);
    return 2;
}
