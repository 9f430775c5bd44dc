/* SPDX-License-Identifier: Apache-2.0
 * The PBS driver's table: all work is done in its adapter. */
#include "rm/pbs/driver.h"

#include "rm/remote.h"

#define PATIENCE_S 7200 /* more than commands in their turns and STARTWAIT take */

static struct rm *pbs_driver_open(const struct rm_cfg *cfg, sd_event *loop,
    const struct rm_sink *sink, struct err *err)
{
    static const char *const programs[2] = {"maui-pbs", NULL};

    return remote_open(rm_pbs_driver(), programs, cfg, loop, sink, err);
}

static const struct rm_driver pbs_driver = {
    .type = "PBS",
    .cannot = 1u << RM_CHECKPOINT,
    .patience_s = PATIENCE_S,
    .open = pbs_driver_open,
    .close = remote_close,
    .command = remote_command,
    .submit = remote_submit,
    .poll = remote_poll,
};

const struct rm_driver *rm_pbs_driver(void)
{
    return &pbs_driver;
}
