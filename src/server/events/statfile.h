/* SPDX-License-Identifier: Apache-2.0
 * Statistics files: workload trace records of the jobs that ended on a day, in
 * STATDIR/stats.YYYY_MM_DD by the clock on the wall, and beside them the nodes there
 * were, in resources.YYYY_MM_DD: `maui sim --trace` and `--resources` read them.
 *
 * A record is appended after the commit of the job's end. A daemon that is killed
 * between the two loses it here, not in the accounting; none is written twice. A file
 * that cannot be written is told and tried again with each commit; records it has not
 * taken when the daemon ends, or beyond ten thousand, go to the log. Private to
 * src/server. */
#ifndef MAUI_SERVER_STATFILE_H
#define MAUI_SERVER_STATFILE_H

#include <stdint.h>

struct server;
struct jobtrace;

/* A simulation has one file, stats/simstat.out, which begins anew with it. */
void statfile_begin(struct server *s);
/* At the next statfile_committed(). Blanks and the like in its texts become "_". */
void statfile_add(struct server *s, const struct jobtrace *record);
void statfile_committed(struct server *s);
void statfile_close(struct server *s);

#endif
