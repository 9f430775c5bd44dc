/* SPDX-License-Identifier: Apache-2.0
 * `maui slurm install`: slurm.conf merged, the scripts beside it, and the way back. */
#ifndef MAUI_RM_SLURM_INSTALL_H
#define MAUI_RM_SLURM_INSTALL_H

#include "rm/slurm/site.h"

#include <stdint.h>

struct install_options {
    struct site site;
    const char *conf_dir; /* where slurm.conf is; NULL = where Slurm looks for it */
    bool age_given;       /* max_age was asked for; else that of an installed gate */
    bool dry, undo;
    int64_t watch_s; /* of watch: silence after which jobs are let go */
};

/* The exit status. What is done and what remains to be done is printed. */
int install_main(const struct install_options *o);

/* The folder of slurm.conf: asked for, that of $SLURM_CONF, or the first usual one that
 * has it. Owned by the caller. */
char *install_conf_dir(const char *asked);

#endif
