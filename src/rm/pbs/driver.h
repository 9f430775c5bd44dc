/* SPDX-License-Identifier: Apache-2.0
 * The driver of OpenPBS and TORQUE: its adapter is the program maui-pbs. */
#ifndef MAUI_RM_PBS_DRIVER_H
#define MAUI_RM_PBS_DRIVER_H

#include "rm/rm.h"

const struct rm_driver *rm_pbs_driver(void);

#endif
