/* SPDX-License-Identifier: Apache-2.0
 * Statistics of record as records of the store, kind "statistics": "system", a
 * credential as "user:ann", a cell of the grid as "cell:PROCS:SECONDS", a block of
 * nodes as "nodes:0".
 *
 * Nothing here commits. Private to src/server. */
#ifndef MAUI_SERVER_RECORD_STATISTICS_H
#define MAUI_SERVER_RECORD_STATISTICS_H

struct server;

/* What was kept by a former life; before anything happens. */
void record_statistics_load(struct server *s);
/* Put what changed into the batch. */
void record_statistics(struct server *s);

#endif
