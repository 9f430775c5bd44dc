/* SPDX-License-Identifier: Apache-2.0
 * The Grid Engine driver's table: all work is done in its adapter. */
#include "rm/gridengine/driver.h"

#include "rm/remote.h"

#define PATIENCE_S 7200 /* more than commands in their turns and STARTWAIT take */

static struct rm *gridengine_driver_open(const struct rm_cfg *cfg, sd_event *loop,
    const struct rm_sink *sink, struct err *err)
{
    static const char *const programs[2] = {"maui-gridengine", NULL};

    return remote_open(rm_gridengine_driver(), programs, cfg, loop, sink, err);
}

static const struct rm_driver gridengine_driver = {
    .type = "SGE",
    .cannot = 1u << RM_CHECKPOINT | 1u << RM_SIGNAL,
    .patience_s = PATIENCE_S,
    .open = gridengine_driver_open,
    .close = remote_close,
    .command = remote_command,
    .takes_no_jobs = true,
    .submit = remote_submit,
    .poll = remote_poll,
    .note = remote_note,
};

const struct rm_driver *rm_gridengine_driver(void)
{
    return &gridengine_driver;
}
