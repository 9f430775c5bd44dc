/* SPDX-License-Identifier: Apache-2.0
 * Run times in a simulation. */
#include "sim/scaling.h"

#include "cluster/job.h"
#include "config/settings.h"

#include <math.h>

int64_t scaling_time(const struct settings *cfg, int64_t seconds)
{
    double percent = cfg->sim_wc_scaling_percent;

    if (percent <= 0 || percent == 100.0 || seconds >= DURATION_UNLIMITED)
        return seconds;
    return (int64_t)fmax(1.0, floor((double)seconds * percent / 100.0 + 0.5));
}

int64_t scaling_run(const struct settings *cfg, const struct cluster *c,
    const struct trace_job *t, const struct job *j)
{
    double accuracy = cfg->sim_wc_accuracy;
    int64_t run = scaling_time(cfg, t->run_s);

    if (accuracy > 0 && j->wclimit_s < DURATION_UNLIMITED)
        run = (int64_t)fmax(1.0, floor((double)j->wclimit_s * accuracy));
    /* A node of speed 2 halves the limit, and does the work in half the time. */
    if (j->eff_wclimit_s > 0 && j->eff_wclimit_s != j->wclimit_s && j->wclimit_s > 0
        && j->wclimit_s < DURATION_UNLIMITED)
        run = (int64_t)ceil(
            (double)run * (double)j->eff_wclimit_s / (double)j->wclimit_s);
    else if (cfg->sim_scale_run)
        run = (int64_t)fmax(1.0, ceil((double)run / job_slowest_speed(c, j)));
    return run;
}
