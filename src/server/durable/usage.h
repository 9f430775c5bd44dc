/* SPDX-License-Identifier: Apache-2.0
 * What is used up and what has happened to standing reservations outlives the daemon:
 * fairshare windows as records `fairshare`, instances as records `standing`. Private to
 * src/server. */
#ifndef MAUI_SERVER_USAGE_H
#define MAUI_SERVER_USAGE_H

struct server;

/* Before the resource manager tells anything. */
void usage_recall_fairshare(struct server *s);
/* When all nodes and jobs are known, before the first cycle. */
void usage_recall_standing(struct server *s);

/* After a cycle: a commit is wanted when something happened to them. O(reservations).
 */
void usage_look(struct server *s);
/* Put into the batch what has changed. */
void usage_save(struct server *s);
void usage_open(struct server *s);
void usage_close(struct server *s);

#endif
