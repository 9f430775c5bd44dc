/* SPDX-License-Identifier: Apache-2.0
 * Experiments with a trace. */
#include "sim/experiment.h"

#include "base/zone.h"
#include "config/setres.h"
#include "config/settings.h"
#include "sim/prng.h"
#include "sim/scaling.h"
#include "trace/jobtrace.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- nodes ---- */

static bool alike(const struct restrace_node *a, const struct restrace_node *b)
{
    struct node_desc x = restrace_node_desc(a), y = restrace_node_desc(b);

    return memcmp(&x.cfg, &y.cfg, sizeof x.cfg) == 0;
}

static void keep_uniform(struct restrace *nodes)
{
    size_t kept = 0;

    for (size_t i = 0; i < nodes->nodes.n; i++)
        if (alike(&nodes->nodes.v[i], &nodes->nodes.v[0]))
            nodes->nodes.v[kept++] = nodes->nodes.v[i];
    nodes->nodes.n = kept;
}

void experiment_machine(
    const struct settings *cfg, struct machine *m, struct restrace *nodes)
{
    int64_t most = cfg->sim_node_count;

    m->no_frames = (cfg->sim_ignore & SIM_IGN_FRAME) != 0;
    if (m->trace && cfg->sim_uniform)
        keep_uniform(nodes);
    if (most <= 0 || machine_nodes(m) <= most)
        return;
    if (m->trace)
        nodes->nodes.n = (size_t)most;
    else
        m->nodes = most;
}

/* ---- jobs ---- */

/* Does the job ask for processors and nothing that fixes their number? */
static bool resizable(const struct trace_job *t)
{
    const struct jobtrace *m = t->more;

    return !m
           || (m->nodes <= 0 && m->tpn <= 0 && !m->hosts && !m->tasks.text
               && m->procs == 1);
}

uint32_t experiment_procs(
    const struct settings *cfg, const struct workload *w, const struct trace_job *t)
{
    if (!cfg->sim_random_sizes || !resizable(t))
        return t->procs;
    return w->jobs.v[prng_nth((uint64_t)(t - w->jobs.v)) % w->jobs.n].procs;
}

/* SIMWCACCURACYCHANGE */
static int64_t moved_limit(
    const struct settings *cfg, const struct trace_job *t, int64_t limit_s)
{
    double share = cfg->sim_wc_accuracy_change;
    int64_t run_s = scaling_time(cfg, t->run_s);

    if (share == 0 || limit_s <= 0 || limit_s >= DURATION_UNLIMITED)
        return limit_s;
    double moved = floor((double)limit_s + share * (double)(run_s - limit_s) + 0.5);
    return moved >= (double)DURATION_UNLIMITED ? DURATION_UNLIMITED
                                               : (int64_t)fmax(1.0, moved);
}

static void ignore(unsigned what, struct job_desc *job, struct req_desc *req)
{
    if (what & SIM_IGN_HOSTLIST) {
        req->hosts = NULL;
        job->flags &= ~(uint32_t)JOB_HOSTLIST;
    }
    if (what & SIM_IGN_CLASS)
        job->cred[CRED_CLASS] = NULL;
    if (what & SIM_IGN_QOS)
        job->cred[CRED_QOS] = NULL;
    if (what & SIM_IGN_MODE)
        req->access = ACCESS_UNSET;
    if (what & SIM_IGN_FEATURES)
        req->features = NULL;
}

void experiment_job(const struct settings *cfg, const struct workload *w,
    const struct trace_job *t, struct job_desc *job, struct req_desc *req)
{
    job->wclimit_s = moved_limit(cfg, t, scaling_time(cfg, job->wclimit_s));
    if (cfg->sim_random_sizes && resizable(t))
        req->tasks = experiment_procs(cfg, w, t);
    job->flags =
        (job->flags & ~(uint32_t)cfg->sim_drop_job_flags) | cfg->sim_default_job_flags;
    if (cfg->sim_ignore)
        ignore(cfg->sim_ignore, job, req);
}

/* ---- when ---- */

int experiment_start(const struct settings *cfg, const struct workload *w,
    int64_t shift, int64_t *ret_at, struct err *err)
{
    struct calendar cal;

    *ret_at = w->jobs.v[0].submit_at + shift;
    if (!cfg->sim_start_time)
        return 0;
    cal = zone_system_calendar(*ret_at);
    if (setres_time(
            cfg->sim_start_time, &(struct setres_clock){.cal = &cal}, ret_at, err)
        < 0)
        return err_prefix(err, "SIMSTARTTIME: ");
    return 0;
}

int submission_of(const struct settings *cfg, const struct workload *w,
    enum sim_submission otherwise, struct submission *ret, struct err *err)
{
    *ret = (struct submission){
        cfg->sim_submission ? (enum sim_submission)cfg->sim_submission : otherwise,
        cfg->sim_initial_queue_depth, 0};
    if (ret->policy != SIM_SUBMIT_AT_TIMES && ret->jobs < 1)
        return err_set(err, ERR_INVALID,
            "SIMINITIALQUEUEDEPTH %" PRId64 ": with SIMJOBSUBMISSIONPOLICY %s nothing "
            "would ever be submitted; expected 1 or more",
            ret->jobs,
            ret->policy == SIM_SUBMIT_CONSTANT_JOBS ? "CONSTANTJOBDEPTH"
                                                    : "CONSTANTPSDEPTH");
    for (size_t i = 0; i < w->jobs.n && (int64_t)i < ret->jobs; i++)
        ret->ps += (double)w->jobs.v[i].procs * (double)w->jobs.v[i].wclimit_s;
    return 0;
}

bool submission_wants(const struct submission *s, size_t jobs, double ps)
{
    switch (s->policy) {
    case SIM_SUBMIT_CONSTANT_JOBS:
        return (int64_t)jobs < s->jobs;
    case SIM_SUBMIT_CONSTANT_PS:
        return ps < s->ps;
    case SIM_SUBMIT_UNSET:
    case SIM_SUBMIT_AT_TIMES:
        break;
    }
    return false;
}
