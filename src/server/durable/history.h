/* SPDX-License-Identifier: Apache-2.0
 * What the engine has learned of jobs (engine/prediction/) outlives the daemon. Runs
 * are in accounting already: the latest are told again. How far off expected starts
 * were are records, kind "forecast": "sum", and a part of a bucket as "BUCKET:BLOCK".
 *
 * Nothing here commits. Private to src/server. */
#ifndef MAUI_SERVER_HISTORY_H
#define MAUI_SERVER_HISTORY_H

struct server;

/* Before the resource manager tells anything. */
void history_recall(struct server *s);
/* Put what changed into the batch. */
void history_save(struct server *s);

#endif
