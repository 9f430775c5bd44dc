/* SPDX-License-Identifier: Apache-2.0
 * What the files about jobs share: the list of waiting ones, states, requests. */
#ifndef MAUI_CLUSTER_JOBS_PRIVATE_H
#define MAUI_CLUSTER_JOBS_PRIVATE_H

#include "cluster/private.h"

void waiting_create(struct cluster *c);
void waiting_destroy(struct cluster *c);
void waiting_insert(struct cluster *c, struct job *j);
void waiting_remove(struct cluster *c, struct job *j); /* moves no other job */
bool job_state_waits(enum job_state s);                /* in cluster.queued */
/* The state an event leads to: 0, or -1 with a sentence for an unlisted pair. */
int job_next_state(
    const struct job *j, enum job_event e, enum job_state *ret_state, struct err *err);
/* Set the state and keep the lists true. */
void job_set_state(struct cluster *c, struct job *j, enum job_state s);
/* Put a job into the list of its state, or take it out of it. */
void job_list(struct cluster *c, struct job *j);
void job_unlist(struct cluster *c, struct job *j);
/* A number or text of the description, into the job: where the row says. */
struct attribute;
void job_keep_member(
    struct job *j, const struct attribute *a, const struct job_desc *d);
/* What a waiting job asks for is what the checked description says, all of it. */
void job_ask_anew(struct cluster *c, struct job *j, const struct job_desc *d);
/* Is the request usable? Changes nothing. *ret_tasks = its task count. */
int req_check(const struct cluster *c, const struct req_desc *d, uint32_t *ret_tasks,
    struct err *err);
/* Put members of a checked request (`what`: enum change_bit; 0 = all) into a draft. */
void req_draft(
    struct cluster *c, const struct req_desc *d, unsigned what, struct taskdef *draft);
/* Make a checked request. `cls` = index of the job's class, 0 = none. */
struct req req_make(
    struct cluster *c, const struct req_desc *d, uint32_t tasks, uint32_t cls);
/* The definition that differs from `asked` in its access policy only: `draft` is that.
 */
const struct taskdef *taskdef_with_access(
    struct cluster *c, const struct taskdef *asked, struct taskdef *draft);

#endif
