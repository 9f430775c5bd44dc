/* SPDX-License-Identifier: Apache-2.0
 * The cost of a scheduling cycle on a large machine with a long queue.
 *
 *     cycle_bench easy JOBS NODES [CYCLES]    one event a cycle, EASY backfill
 *     cycle_bench plan JOBS NODES             the first full conservative plan
 *
 * Nodes have 8 processors and 16 GB; jobs belong to 200 users, 20 groups, 30
 * accounts and three classes, ask 1 to 512 processors with up to 2 GB each and one
 * of the limits people use; user limits and fairshare are in force. */
#include "config/config.h"
#include "engine/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t rng_state = 42;

static uint64_t rng(void)
{
    uint64_t z = rng_state += UINT64_C(0x9E3779B97F4A7C15);

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

static struct settings *make_settings(bool conservative, uint32_t jobs)
{
    struct settings *cfg = settings_create();
    struct cred_cfg *user = cfg->creds[CRED_USER].v;

    cfg->par.v[0].nodealloc = NODEALLOC_FIRSTAVAILABLE;
    cfg->par.v[0].bf_order = BFORDER_QUEUEORDER;
    cfg->rsv_groups[0].depth = conservative ? 10 * (int64_t)jobs : 1;
    cfg->fs.policy = FS_DEDICATEDPS;
    cfg->prio.weight[PRIO_FSUSER] = 10;
    cfg->prio.weight[PRIO_FSACCOUNT] = 5;
    cfg->prio.weight[PRIO_XFACTOR] = 10;
    cfg->prio.weight[PRIO_PROC] = 1;
    user->fstarget = (struct fs_target){FS_TARGET_PLAIN, 1.0};
    if (!conservative) {
        user->active[LIMIT_PROC] = (struct limit){20000, 40000};
        user->active[LIMIT_JOB] = (struct limit){500, 1000};
        user->idle[LIMIT_JOB] = (struct limit){2000, 2000};
        settings_cred(cfg, CRED_CLASS, "long")->active[LIMIT_PROC] =
            (struct limit){60000, 60000};
    }
    return cfg;
}

static void add_nodes(struct engine *e, uint32_t nodes)
{
    for (uint32_t i = 0; i < nodes; i++) {
        char name[32];
        struct err err;
        snprintf(name, sizeof name, "n%06u", i);
        struct event ev = {.kind = EVENT_NODE};
        ev.u.node = (struct node_desc){
            .name = name, .state = NODE_IDLE, .cfg = {{8, 16384, 16384, 100000}}};
        if (engine_apply(e, &ev, NULL, &err) < 0)
            exit((fprintf(stderr, "%s\n", err.text), 1));
    }
}

static void submit(struct engine *e, uint32_t i, int64_t at)
{
    static const int64_t limits[] = {900, 1800, 3600, 7200, 14400, 28800, 43200, 64800,
        86400, 172800};
    static const char *const classes[] = {"short", "batch", "long"};
    char id[24], user[24], group[24], account[24];
    struct event ev = {.kind = EVENT_SUBMIT, .at = at};
    struct err err;
    uint32_t u = (uint32_t)(rng() % 200), log2 = (uint32_t)(rng() % 10);
    struct req_desc req = {.tasks = (1u << log2) + (uint32_t)(rng() % (1u << log2)),
        .per_task = {{1, (int64_t)(256 << rng() % 4), 0, 0}}};

    snprintf(id, sizeof id, "%u", i);
    snprintf(user, sizeof user, "u%u", u);
    snprintf(group, sizeof group, "g%u", u % 20);
    snprintf(account, sizeof account, "a%u", u % 30);
    ev.u.job = (struct job_desc){.id = id,
        .submit_at = at,
        .wclimit_s = limits[rng() % 10],
        .reqs = &req,
        .nreqs = 1};
    ev.u.job.cred[CRED_USER] = user;
    ev.u.job.cred[CRED_GROUP] = group;
    ev.u.job.cred[CRED_ACCOUNT] = account;
    ev.u.job.cred[CRED_CLASS] = classes[rng() % 3];
    if (engine_apply(e, &ev, NULL, &err) < 0)
        exit((fprintf(stderr, "%s\n", err.text), 1));
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* End one running job, then one cycle: what it costs. */
static void run_events(struct engine *e, int64_t now, uint32_t cycles)
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
        ev.u.end.job = c->active.v[rng() % c->active.n];
        ev.u.end.how = EV_COMPLETE;
        engine_apply(e, &ev, NULL, &err);
        acts.n = 0;
        double t = seconds();
        engine_cycle(e, now, &acts);
        took[i] = seconds() - t;
    }
    started = engine_stats(e)->started - started;
    qsort(took, cycles, sizeof *took, by_value);
    printf("cycle with one event: median %.3f ms, p99 %.3f ms, max %.3f ms; "
           "%llu starts in %u cycles\n",
        1e3 * took[cycles / 2], 1e3 * took[cycles * 99 / 100], 1e3 * took[cycles - 1],
        (unsigned long long)started, cycles);
    vec_fini(&acts);
    free(took);
}

int main(int argc, char **argv)
{
    bool conservative = argc > 1 && strcmp(argv[1], "plan") == 0;
    uint32_t jobs = argc > 2 ? (uint32_t)atoi(argv[2]) : 100000;
    uint32_t nodes = argc > 3 ? (uint32_t)atoi(argv[3]) : 10000;
    uint32_t cycles = argc > 4 ? (uint32_t)atoi(argv[4]) : 200;
    struct settings *cfg = make_settings(conservative, jobs);
    struct engine_options opt = {0};
    struct engine *e = engine_create(cfg, &opt);
    struct actions acts = {0};
    long before = rss_kb();

    add_nodes(e, nodes);
    long with_nodes = rss_kb();
    double t = seconds();
    for (uint32_t i = 0; i < jobs; i++)
        submit(e, i + 1, 1000000 + i / 10);
    printf("%u jobs, %u nodes: submit %.2f us a job, %.0f bytes a job, %.0f a node\n", jobs,
        nodes, 1e6 * (seconds() - t) / jobs, (double)(rss_kb() - with_nodes) * 1024 / jobs,
        (double)(with_nodes - before) * 1024 / nodes);
    t = seconds();
    engine_cycle(e, 1000000 + jobs / 10, &acts);
    printf("first cycle: %.1f ms, %llu started, %llu reserved\n", 1e3 * (seconds() - t),
        (unsigned long long)engine_stats(e)->started,
        (unsigned long long)engine_stats(e)->reserved);
    if (cycles)
        run_events(e, 1000000 + jobs / 10, cycles);
    printf("memory: %.0f bytes a job in all\n",
        (double)(rss_kb() - with_nodes) * 1024 / jobs);
    vec_fini(&acts);
    engine_destroy(e);
    settings_destroy(cfg);
    return 0;
}
