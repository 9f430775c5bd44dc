/* SPDX-License-Identifier: Apache-2.0
 * Sums from what the API tells: averages times what they are averages of. */
#include "client/kit/figures.h"

#include "client/kit/request.h"

void figures_sums(const json_t *o, struct stat_sums *ret)
{
    double jobs = (double)get_int(o, "jobs", 0), procs = (double)get_int(o, "procs", 0);
    double ps_run = get_real(o, "ps_run", 0);

    *ret = (struct stat_sums){.jobs = get_int(o, "jobs", 0),
        .successful = get_int(o, "successful", 0),
        .procs = get_int(o, "procs", 0),
        .queue_s = (int64_t)get_real(o, "queue_s", 0),
        .max_queue_s = get_int(o, "max_queue_s", 0),
        .bypass = get_int(o, "bypass", 0),
        .max_bypass = get_int(o, "max_bypass", 0),
        .qos_met = get_int(o, "qos_met", 0),
        .backfilled = get_int(o, "backfilled", 0),
        .ps_requested = get_real(o, "ps_requested", 0),
        .ps_run = ps_run,
        .ps_utilized = get_real(o, "ps_utilized", 0),
        .ps_measured = get_real(o, "ps_measured", 0),
        .ps_backfilled = get_real(o, "backfilled_ps", 0),
        .xfactor = get_real(o, "xfactor", 0) * jobs,
        .xfactor_procs = get_real(o, "xfactor_by_procs", 0) * procs,
        .xfactor_ps = get_real(o, "xfactor_by_ps", 0) * ps_run,
        .max_xfactor = get_real(o, "max_xfactor", 0),
        .accuracy = get_real(o, "accuracy", 0) / 100 * jobs,
        .accuracy_ps = get_real(o, "accuracy_by_ps", 0) / 100 * ps_run,
        .ps_dedicated = get_real(o, "ps_dedicated", 0),
        .preempted = get_int(o, "preempted", 0),
        .ps_preempted = get_real(o, "preempted_ps", 0)};
}

void figures_read(const json_t *o, struct stat_figures *ret)
{
    figures_sums(o, &ret->sums);
    ret->active_jobs = get_int(o, "active_jobs", 0);
    ret->active_procs = get_int(o, "active_procs", 0);
    ret->active_ps = get_real(o, "active_ps", 0);
}
