/* SPDX-License-Identifier: Apache-2.0
 * Names at the border of a resource manager: each knows its own alone, here those of
 * several stand beside each other.
 *
 *     told by      of a job      here            of a node    here
 *     slurm        12            12              n1           n1
 *     pbs          12.head       pbs.12.head     n1           pbs.n1, where slurm has
 * n1 pbs                                        n7           n7
 *
 * Jobs of one of them, the plain one, bear their own ids; those of others begin with
 * the manager's name. A node keeps its name unless another manager's has it already;
 * which those are is remembered over a restart (durable/nodekeep.h). Where there is one
 * manager names pass as they are. Private to src/server/managers. */
#ifndef MAUI_SERVER_BORDER_H
#define MAUI_SERVER_BORDER_H

#include "rm/rm.h"

struct border;
struct manager;

struct border *border_new(struct manager *m);
void border_free(struct border *b);

/* What names in the following are made of lives until the matching end. They nest: an
 * order may be answered, with a report, while it is given. */
size_t border_begin(struct border *b);
void border_end(struct border *b, size_t mark);

/* In: a job's id, a node's name (a new one is remembered), a report. */
const char *border_job_in(struct border *b, const char *id);
const char *border_node_in(struct border *b, const char *name);
/* The report as it is here; `room` is for what it points to. */
struct border_room {
    struct rm_job job;
    struct rm_reservation reservation;
};
struct rm_report border_report_in(
    struct border *b, const struct rm_report *r, struct border_room *room);

/* Out. */
const char *border_node_out(struct border *b, const char *name);
const char *border_job_out(struct border *b, const char *id);
struct rm_command border_command_out(struct border *b, const struct rm_command *cmd);
/* Its id, where it has one, is the manager's own already (take_id). */
struct rm_submission border_submission_out(
    struct border *b, const struct rm_submission *sub);
/* Out and in again: as it would be told of, were it submitted under the id that it has.
 */
const struct job_desc *border_submission_told(
    struct border *b, const struct rm_submission *sub, struct border_room *room);
/* "n1,pbs.n2" */
const char *border_nodes_out(struct border *b, const char *list);

#endif
