/* SPDX-License-Identifier: Apache-2.0
 * The clock of the machine, for commands that read times of the day. */
#ifndef MAUI_CLIENT_CLOCK_H
#define MAUI_CLIENT_CLOCK_H

#include "base/duration.h"

/* The present, in local time. */
struct calendar clock_calendar(void);

#endif
