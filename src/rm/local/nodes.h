/* SPDX-License-Identifier: Apache-2.0
 * The virtual nodes: as NODES=N[xP] says, as NODECFG describes them, or one that is the
 * machine; and how many of their processors jobs use. */
#ifndef MAUI_RM_LOCAL_NODES_H
#define MAUI_RM_LOCAL_NODES_H

#include "rm/rm.h"

struct local;
struct local_job;
struct nodes;

int nodes_open(struct local *l, const struct rm_cfg *cfg, struct err *err);
void nodes_close(struct local *l);
void nodes_report(struct local *l);
/* The next ones, `most` at once; false: those were the last, and the first come next.
 * O(most). */
bool nodes_report_some(struct local *l, unsigned most);
void nodes_forget(struct local *l); /* that anything runs on them */
bool nodes_have(const struct local *l, const char *name);
/* The job is on its nodes, or has left them. One that is not configured any more is
 * told of as Draining as long as a job is there. */
void nodes_hold(struct local *l, const struct local_job *j, int sign);
/* The job's processors come into use, or are free again; told, once synced. */
void nodes_take(struct local *l, const struct local_job *j, int sign);

#endif
