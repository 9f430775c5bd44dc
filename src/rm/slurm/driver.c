/* SPDX-License-Identifier: Apache-2.0
 * The Slurm driver's table: all work is done in its adapter. */
#include "rm/slurm/driver.h"

#include "cluster/change.h"
#include "rm/remote.h"

#include <strings.h>

static struct rm *slurm_driver_open(const struct rm_cfg *cfg, sd_event *loop,
    const struct rm_sink *sink, struct err *err)
{
    /* the library's; where that is not built or does not start, scontrol */
    static const struct {
        const char *word, *programs[2];
    } transports[] = {{"AUTO", {"maui-slurm", "maui-scontrol"}},
        {"LIBSLURM", {"maui-slurm"}}, {"SCONTROL", {"maui-scontrol"}}};
    const char *asked = rm_cfg_attr(cfg, "TRANSPORT");

    for (size_t i = 0; i < sizeof transports / sizeof transports[0]; i++)
        if (strcasecmp(asked ? asked : "AUTO", transports[i].word) == 0)
            return remote_open(
                rm_slurm_driver(), transports[i].programs, cfg, loop, sink, err);
    err_set(err, ERR_INVALID,
        "RMCFG[%s] TRANSPORT=%s: expected AUTO, LIBSLURM or SCONTROL", cfg->name,
        asked);
    return NULL;
}

static const struct rm_keeping keeping = {
    .what = CHANGES_KEPT | CHANGE_ACCOUNT,
    .command = "scontrol update JobId=",
    /* what an operator raises no association's or QOS's MaxWall holds down */
    .raise = "Slurm looks whether you may where you say scontrol update TimeLimit=",
    .unit_s = 60,
};

static const struct rm_driver slurm_driver = {
    .keeps = &keeping,
    .type = "SLURM",
    .cannot = 1u << RM_CHECKPOINT,
    .takes_holds = true,
    .tells_rights = true,
    .open = slurm_driver_open,
    .close = remote_close,
    .command = remote_command,
    .submit = remote_submit,
    .poll = remote_poll,
    .immediate = remote_immediate,
    .note = remote_note,
};

const struct rm_driver *rm_slurm_driver(void)
{
    return &slurm_driver;
}
