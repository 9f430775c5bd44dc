/* SPDX-License-Identifier: Apache-2.0
 * Statistics of the jobs that ended in a span of time, added up from their records:
 * showstats -t, -d and -j. */
#ifndef MAUI_CLIENT_ENDEDSTATS_H
#define MAUI_CLIENT_ENDEDSTATS_H

#include "client/kit/request.h"

struct endedstats {
    const char *key; /* member of a record to group by: "user", "id"; NULL = no table */
    const char *label; /* over the names */
    const char *only;  /* one name; NULL = all */
    bool total;
};

/* The span is -t START[,END], -d N intervals of fairshare, or everything. Returns the
 * exit status. */
int endedstats_show(const struct command_line *l, const struct endedstats *what);

#endif
