/* SPDX-License-Identifier: Apache-2.0
 * What a cycle pays for start priorities: nanoseconds per queued job for settings
 * from nothing to everything in force, and for recording fairshare usage.
 * Usage: prio_bench [JOBS...] */
#include "cluster/cluster.h"
#include "config/config.h"
#include "config/settings.h"
#include "policy/fairshare.h"
#include "policy/priority.h"

#include <stdio.h>
#include <time.h>

#define USERS  500
#define GROUPS 50
#define NOW    100000000

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void set_default(struct settings *s)
{
    (void)s;
}

static void set_qos_weights(struct settings *s)
{
    settings_cred(s, CRED_QOS, "q1")->qt_weight = 10;
    settings_cred(s, CRED_QOS, "q2")->qt_target_s = 86400;
    s->prio.weight[PRIO_TARGETQUEUETIME] = 1;
}

static void set_full(struct settings *s)
{
    set_qos_weights(s);
    for (int sub = 0; sub < PRIO_SUBS; sub++) {
        s->prio.weight[sub] = 3;
        s->prio.cap[sub] = sub % 2 ? 1e6 : 0;
    }
}

static void set_fairshare(struct settings *s)
{
    s->fs.policy = FS_DEDICATEDPS;
    settings_cred(s, CRED_USER, "DEFAULT")->fstarget =
        (struct fs_target){FS_TARGET_PLAIN, 1};
    settings_cred(s, CRED_GROUP, "DEFAULT")->fstarget =
        (struct fs_target){FS_TARGET_PLAIN, 5};
    s->prio.weight[PRIO_FSUSER] = 10;
    s->prio.weight[PRIO_FSGROUP] = 5;
}

static void set_full_and_fairshare(struct settings *s)
{
    set_full(s);
    set_fairshare(s);
}

static void add_job(struct cluster *c, size_t i)
{
    char id[24], user[24], group[24], qos[24];
    struct req_desc req = {.tasks = (uint32_t)(1 + i % 64), .os = NULL};
    struct job_desc d = {.id = id,
        .wclimit_s = (int64_t)(600 + i % 86400),
        .submit_at = (int64_t)(NOW - 2000000 + (int64_t)i),
        .reqs = &req,
        .nreqs = 1};
    struct err err;

    req.per_task.v[RES_PROCS] = 1;
    snprintf(id, sizeof id, "%zu", i);
    snprintf(user, sizeof user, "u%zu", i * 7919 % USERS);
    snprintf(group, sizeof group, "g%zu", i * 7919 % GROUPS);
    snprintf(qos, sizeof qos, "q%zu", i % 5);
    d.cred[CRED_USER] = user;
    d.cred[CRED_GROUP] = group;
    d.cred[CRED_QOS] = qos;
    if (job_add(c, &d, NOW, NULL, &err) < 0)
        fprintf(stderr, "%s\n", err.text);
}

/* Best of several cycles, a minute apart; the first fills the cached parts. */
static void measure(const char *name, void (*set)(struct settings *), size_t jobs)
{
    struct settings *s = settings_create();
    struct cluster *c;
    double first = 0, best = 1e9;
    int rounds = jobs >= 1000000 ? 7 : 30;

    set(s);
    c = cluster_create(s);
    for (size_t i = 0; i < jobs; i++)
        add_job(c, i);
    fs_charge(c, NOW, NOW);
    fs_set_window(c, &c->fs_total, 0, 1e9);
    for (int round = 0; round < rounds; round++) {
        double start = seconds(), took;

        prio_update(c, c->queued.v, c->queued.n, NOW + round * 60);
        took = seconds() - start;
        first = round ? first : took;
        best = round && took < best ? took : best;
    }
    printf("%-22s %8zu jobs  %7.2f ns/job  %9.3f ms  (first cycle %7.2f ns/job)\n",
        name, jobs, best * 1e9 / (double)jobs, best * 1e3, first * 1e9 / (double)jobs);
    cluster_destroy(c);
    settings_destroy(s);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*set)(struct settings *);
    } cases[] = {{"default", set_default}, {"qos weights, target", set_qos_weights},
        {"full weights", set_full}, {"fairshare", set_fairshare},
        {"full and fairshare", set_full_and_fairshare}};
    static const size_t sizes[] = {1000, 10000, 100000, 1000000};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (size_t k = 0; k < (argc > 1 ? (size_t)argc - 1 : 4); k++)
            measure(cases[i].name, cases[i].set,
                argc > 1 ? (size_t)strtoull(argv[k + 1], NULL, 10) : sizes[k]);
    return 0;
}
