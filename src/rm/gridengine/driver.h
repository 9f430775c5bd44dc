/* SPDX-License-Identifier: Apache-2.0
 * The driver of Grid Engine: its adapter is the program maui-gridengine. */
#ifndef MAUI_RM_GRIDENGINE_DRIVER_H
#define MAUI_RM_GRIDENGINE_DRIVER_H

#include "rm/rm.h"

const struct rm_driver *rm_gridengine_driver(void);

#endif
