/* SPDX-License-Identifier: Apache-2.0
 * The PBS driver's table: all work is done in its adapter. */
#include "rm/pbs/driver.h"

#include "base/timeval.h"
#include "cluster/change.h"
#include "rm/remote.h"

#include <string.h>
#include <strings.h>

#define PATIENCE_S 7200 /* more than commands in their turns and STARTWAIT take */

static struct rm *pbs_driver_open(const struct rm_cfg *cfg, sd_event *loop,
    const struct rm_sink *sink, struct err *err)
{
    static const char *const programs[2] = {"maui-pbs", NULL};
    const char *asked = rm_cfg_attr(cfg, "TRANSPORT");

    if (asked != NULL && strcasecmp(asked, "AUTO") != 0
        && strcasecmp(asked, "COMMANDS") != 0) {
        err_set(err, ERR_INVALID, "RMCFG[%s] TRANSPORT=%s: expected AUTO or COMMANDS",
            cfg->name, asked);
        return NULL;
    }
    return remote_open(rm_pbs_driver(), programs, cfg, loop, sink, err);
}

/* A job of an array has what its array has. */
static int check_limit(
    const char *job, enum job_state state, int64_t limit_s, struct err *err)
{
    if (strchr(job, '[') != NULL && !job_has_begun(state))
        return err_set(err, ERR_CONFLICT,
            "job '%s' is one of an array, whose limit PBS keeps for all that wait: "
            "change it there (qalter -l walltime=)",
            job);
    if (limit_s >= DURATION_UNLIMITED)
        return err_set(err, ERR_CONFLICT,
            "PBS takes no limit away from job '%s': change it there (qalter -l "
            "walltime=)",
            job);
    return 0;
}

static const struct rm_keeping keeping = {
    .what = CHANGES_KEPT,
    .command = "qalter ",
    .raise = "PBS looks whether you may where you say qalter -l walltime=",
    .check_limit = check_limit,
};

static const struct rm_driver pbs_driver = {
    .keeps = &keeping,
    .type = "PBS",
    .cannot = 1u << RM_CHECKPOINT,
    .patience_s = PATIENCE_S,
    .open = pbs_driver_open,
    .close = remote_close,
    .command = remote_command,
    .takes_no_jobs = true,
    .dates_jobs = true,
    .submit = remote_submit,
    .poll = remote_poll,
    .note = remote_note,
};

const struct rm_driver *rm_pbs_driver(void)
{
    return &pbs_driver;
}
