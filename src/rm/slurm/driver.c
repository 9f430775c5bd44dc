/* SPDX-License-Identifier: Apache-2.0
 * The Slurm driver's table: all work is done in its adapter. */
#include "rm/slurm/driver.h"

#include "rm/remote.h"

static struct rm *slurm_driver_open(const struct rm_cfg *cfg, sd_event *loop,
    const struct rm_sink *sink, struct err *err)
{
    return remote_open(rm_slurm_driver(), "maui-slurm", cfg, loop, sink, err);
}

static const struct rm_driver slurm_driver = {
    .type = "SLURM",
    .cannot = 1u << RM_CHECKPOINT,
    .open = slurm_driver_open,
    .close = remote_close,
    .command = remote_command,
    .submit = remote_submit,
    .poll = remote_poll,
};

const struct rm_driver *rm_slurm_driver(void)
{
    return &slurm_driver;
}
