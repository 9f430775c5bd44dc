/* SPDX-License-Identifier: Apache-2.0
 * The Grid Engine driver's table: all work is done in its adapter. */
#include "rm/gridengine/driver.h"

#include "cluster/change.h"
#include "rm/remote.h"

#include <string.h>

#define PATIENCE_S 7200 /* more than commands in their turns and STARTWAIT take */

static struct rm *gridengine_driver_open(const struct rm_cfg *cfg, sd_event *loop,
    const struct rm_sink *sink, struct err *err)
{
    static const char *const programs[2] = {"maui-gridengine", NULL};

    return remote_open(rm_gridengine_driver(), programs, cfg, loop, sink, err);
}

static int check_limit(
    const char *job, enum job_state state, int64_t limit_s, struct err *err)
{
    (void)limit_s;
    if (job_has_begun(state))
        return err_set(err, ERR_CONFLICT,
            "Grid Engine does not change the limit of a job that has begun, as '%s'",
            job);
    if (strchr(job, '[') != NULL)
        return err_set(err, ERR_CONFLICT,
            "job '%s' is one of an array, whose limit Grid Engine keeps for all of "
            "them: change it there (qalter -l h_rt=)",
            job);
    return 0;
}

static const struct rm_keeping keeping = {
    .what = CHANGES_KEPT,
    .command = "qalter ",
    .check_limit = check_limit,
};

static const struct rm_driver gridengine_driver = {
    .keeps = &keeping,
    .type = "SGE",
    .cannot = 1u << RM_CHECKPOINT | 1u << RM_SIGNAL,
    .patience_s = PATIENCE_S,
    .open = gridengine_driver_open,
    .close = remote_close,
    .command = remote_command,
    .takes_no_jobs = true,
    .dates_jobs = true,
    .submit = remote_submit,
    .poll = remote_poll,
    .note = remote_note,
};

const struct rm_driver *rm_gridengine_driver(void)
{
    return &gridengine_driver;
}
