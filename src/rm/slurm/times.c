/* SPDX-License-Identifier: Apache-2.0
 * The clock of slurmctld's machine, which need not be right by ours: instants that
 * Slurm tells are of that one, and so is the age of a heartbeat for its gate. */
#include "rm/adapter/clocks.h"
#include "rm/slurm/adapter.h"

#include <stdio.h>

#define MOST_S                                                                         \
    600 /* MUNGE takes no credential of clocks so far apart: no clock's fault */

time_t times_theirs(const struct adapter *a)
{
    return time(NULL) + (time_t)a->ahead_s;
}

time_t times_here(const struct adapter *a, time_t theirs)
{
    return theirs > 0 ? theirs - (time_t)a->ahead_s : theirs;
}

void times_set(struct adapter *a, time_t asked, time_t told)
{
    int64_t ahead_s = clocks_ahead(a->ahead_s, asked, told, time(NULL));
    bool far = llabs(ahead_s) > CLOCKS_FAR_S,
         was_far = llabs(a->ahead_s) > CLOCKS_FAR_S;
    char text[160];

    if (llabs(ahead_s) > MOST_S || ahead_s == a->ahead_s)
        return;
    a->ahead_s = ahead_s;
    if (a->beat != NULL)
        beat_set_clock(a->beat, a->ahead_s);
    snprintf(text, sizeof text,
        "slurmctld's clock is %lld s %s that of this machine: have them set alike",
        (long long)llabs(ahead_s), ahead_s > 0 ? "ahead of" : "behind");
    if ((far || was_far) && a->link != NULL)
        adapter_health(a, "clock", far ? text : NULL);
}
