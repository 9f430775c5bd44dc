/* SPDX-License-Identifier: Apache-2.0
 * RMCFG[] TYPE=SLURM: by way of the adapter maui-slurm. Needs nothing of Slurm. */
#ifndef MAUI_RM_SLURM_DRIVER_H
#define MAUI_RM_SLURM_DRIVER_H

#include "rm/rm.h"

const struct rm_driver *rm_slurm_driver(void);

#endif
