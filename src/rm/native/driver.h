/* SPDX-License-Identifier: Apache-2.0
 * RMCFG[] TYPE=NATIVE: a site's own programs and files are the resource manager, by way
 * of the adapter maui-native. */
#ifndef MAUI_RM_NATIVE_DRIVER_H
#define MAUI_RM_NATIVE_DRIVER_H

#include "rm/rm.h"

const struct rm_driver *rm_native_driver(void);

#endif
