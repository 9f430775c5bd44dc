/* SPDX-License-Identifier: Apache-2.0
 * Whom an account or a deposit is for: words KIND=NAME[,NAME..], as in
 * "user=ann,bob group=chem class=long". One of the users or groups, and one of each
 * other kind that is named. The empty text is for all. */
#ifndef MAUI_AM_ONLY_H
#define MAUI_AM_ONLY_H

#include "base/err.h"

#include <stdbool.h>

/* Who uses credits, and where; NULL = none. */
struct am_use {
    const char *user, *group, *class, *qos, *partition;
};

int only_valid(const char *only, struct err *err);

/* Of a valid text. */
bool only_admits(const char *only, const struct am_use *use);

#endif
