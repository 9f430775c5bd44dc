/* SPDX-License-Identifier: Apache-2.0
 * The PBS driver's table: all work is done in its adapter. */
#include "rm/pbs/driver.h"

#include "rm/remote.h"

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

static const struct rm_driver pbs_driver = {
    .type = "PBS",
    .cannot = 1u << RM_CHECKPOINT,
    .patience_s = PATIENCE_S,
    .open = pbs_driver_open,
    .close = remote_close,
    .command = remote_command,
    .takes_no_jobs = true,
    .submit = remote_submit,
    .poll = remote_poll,
    .note = remote_note,
};

const struct rm_driver *rm_pbs_driver(void)
{
    return &pbs_driver;
}
