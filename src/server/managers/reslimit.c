/* SPDX-License-Identifier: Apache-2.0
 * Jobs that use more than they asked for. */
#define LOG_FACILITY FACILITY_SCHED
#include "server/managers/reslimit.h"

#include "cluster/partition.h"
#include "config/settings.h"
#include "server/events/eventlog.h"
#include "server/managers/manager.h"
#include "server/server_private.h"

#define MEASURE_S 3 /* shorter spans tell nothing */
#define TOLERANCE 1.05

void reslimit_measure(struct job_usage *u, double cpu_s, int64_t now)
{
    if (cpu_s < 0)
        return;
    if (!u->at || cpu_s < u->cpu_s) { /* the first, or it runs anew */
        *u = (struct job_usage){.cpu_s = cpu_s, .at = now};
        return;
    }
    if (now - u->at < MEASURE_S)
        return;
    u->procs = (cpu_s - u->cpu_s) / (double)(now - u->at);
    u->cpu_s = cpu_s;
    u->at = now;
}

bool reslimit_exceeded(enum usage_res res, double used, double asked)
{
    return asked > 0 && used > asked * (res == USAGE_PROC ? TOLERANCE : 1);
}

static const char *const actions[] = {[USAGE_CANCEL] = "cancelled",
    [USAGE_REQUEUE] = "requeued",
    [USAGE_SUSPEND] = "suspended"};

static void act_on_overuse(struct server *s, const struct job *j,
    const struct usage_limit *l, const struct job_end *why)
{
    struct event ev = {.kind = EVENT_PREEMPT,
        .u.preempt = {.id = j->id,
            .how = l->action == USAGE_SUSPEND ? PREEMPT_SUSPEND : PREEMPT_REQUEUE,
            .rests_s = s->config->settings->min_admin_suspend_s}};
    struct err err;
    int result = l->action == USAGE_CANCEL ? manager_cancel(s, j, why, &err)
                                           : world_apply(s, &ev, NULL, &err);

    if (result < 0)
        log_line(s->log, LOG_WARNING,
            "job '%s' uses more %s than it asked for and cannot be %s: %s", j->id,
            usage_res_unit(why->resource), actions[l->action], err.text);
}

static double used_of(const struct job_notes *n, enum usage_res res)
{
    switch (res) {
    case USAGE_PROC:
        return n->usage.procs;
    case USAGE_MEM:
        return (double)n->mem_mb;
    case USAGE_SWAP:
        return (double)n->swap_mb;
    case USAGE_DISK:
    case USAGE_RESOURCES:
        break;
    }
    return (double)n->disk_mb;
}

/* 0 = nothing, or whole nodes. */
static double asked_per_task(const struct job *j, enum res_dim dim)
{
    double sum = 0;

    for (uint32_t i = 0; i < j->nreqs; i++) {
        int64_t each = j->reqs[i].def->per_task.v[dim];
        sum += each > 0 ? (double)each * (double)j->reqs[i].tasks : 0;
    }
    return sum;
}

/* Memory that it has by node, on those it is on: totals know of one each, or of those
 * that it named. */
static double more_by_node(const struct job *j)
{
    double sum = 0;

    for (size_t i = 0; i < j->alloc.n; i++)
        sum += (double)req_def(&j->reqs[j->alloc.v[i].req])->mem_per_node_mb
               * j->alloc.v[i].count;
    for (uint32_t i = 0; i < j->nreqs; i++)
        sum -= (double)j->reqs[i].def->mem_per_node_mb
               * (j->reqs[i].nodes > 0 ? j->reqs[i].nodes : 1);
    return sum;
}

static double asked_of(const struct job *j, enum usage_res res)
{
    return res == USAGE_PROC   ? (double)j->procs
           : res == USAGE_MEM  ? (double)j->mem_mb + more_by_node(j)
           : res == USAGE_SWAP ? asked_per_task(j, RES_SWAP)
                               : asked_per_task(j, RES_DISK);
}

/* True: something was done to the job. */
static bool check_one(struct server *s, const struct job *j, enum usage_res res,
    const struct usage_limit *l)
{
    struct job_notes *n = world_notes(s, j);
    int64_t now = world_now(s), *since = &n->usage.since[res];
    double used = used_of(n, res), asked = asked_of(j, res);
    char why[120];

    if (!reslimit_exceeded(res, used, asked)) {
        *since = 0;
        return false;
    }
    bool fresh = *since == 0, due = l->policy == USAGE_ALWAYS;
    if (fresh)
        *since = now;
    due |= l->policy == USAGE_EXTENDED && now - *since >= l->lasting_s;
    if (!fresh && !due)
        return false;
    snprintf(why, sizeof why, "uses %.1f %s and asked for %.0f", used,
        usage_res_unit(res), asked);
    eventlog_add(s, JOBRESVIOLATION, j->id, true,
        json_pack("{s:s, s:s, s:f, s:f}", "type", "job", "resource",
            usage_res_name(res), "used", used, "asked", asked),
        "job '%s' %s%s%s", j->id, why, due ? ": it is " : "",
        due ? actions[l->action] : "");
    if (due) {
        n->usage = (struct job_usage){0};
        act_on_overuse(s, j, l,
            &(struct job_end){
                .reason = ENDED_USAGE, .resource = res, .limit = asked, .used = used});
    }
    return due;
}

/* Of the nodes it is on. */
static const struct usage_limit *limits_of(const struct cluster *c, const struct job *j)
{
    return c->partitions.v[node_at(c, j->alloc.v[0].first)->partition]->par->usage;
}

bool reslimit_decides_memory(const struct server *s, const struct job *j)
{
    const struct usage_limit *l;

    if (!j->alloc.n)
        return false;
    l = &limits_of(engine_cluster(s->engine), j)[USAGE_MEM];
    return l->policy == USAGE_EXTENDED
           || (l->policy == USAGE_ALWAYS && l->action != USAGE_CANCEL);
}

static bool any_limit(const struct settings *cfg)
{
    for (size_t i = 0; i < cfg->par.n; i++)
        for (int r = 0; r < USAGE_RESOURCES; r++)
            if (cfg->par.v[i].usage[r].policy != USAGE_IGNORED)
                return true;
    return false;
}

void reslimit_check(struct server *s)
{
    const struct cluster *c = engine_cluster(s->engine);
    struct VEC(uint32_t) jobs = {0};

    if (s->mode == MODE_TEST || !any_limit(s->config->settings))
        return;
    for (size_t i = 0; i < c->active.n; i++) /* acting changes the list */
        vec_push(&jobs, c->active.v[i]);
    for (size_t i = 0; i < jobs.n; i++) {
        const struct job *j = c->jobs.v[jobs.v[i]];
        if (j->state != JOB_RUNNING || !j->alloc.n || j->cancelled)
            continue;
        const struct usage_limit *limits = limits_of(c, j);
        for (int r = 0; r < USAGE_RESOURCES; r++)
            if (limits[r].policy != USAGE_IGNORED
                && check_one(s, j, (enum usage_res)r, &limits[r]))
                break;
    }
    vec_fini(&jobs);
}
