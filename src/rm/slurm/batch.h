/* SPDX-License-Identifier: Apache-2.0
 * Starts that are ordered at the same time. Tasks of an array that ask Slurm for the
 * same (the same node, limit, partition ...) are one request: each costs slurmctld and
 * who asks a connection, a thread and two credentials, whatever is in it. */
#ifndef MAUI_RM_SLURM_BATCH_H
#define MAUI_RM_SLURM_BATCH_H

#include "rm/slurm/slurm_names.h"

#include <stdbool.h>
#include <stdint.h>

struct batch;

struct batch_calls {
    /* Is Slurm there? Asked before each request: else that is as one that found nobody,
     * and is not sent. */
    bool (*may_ask)(void *ctx);
    /* How a start went: `error` is 0 or Slurm's number. `id` lives until it returns. */
    void (*done)(void *ctx, uint64_t token, const char *id, int error);
    void *ctx;
};

/* Never NULL; for batch_free(). */
struct batch *batch_new(void);
/* What is in it is not sent. NULL is fine. */
void batch_free(struct batch *b);
/* One more: the update of the job of that Slurm id that starts it. The texts in it that
 * a start writes (req_nodes, exc_nodes, features, partition, admin_comment) are copied.
 */
void batch_add(
    struct batch *b, uint64_t token, const char *id, const job_desc_msg_t *update);
/* Ask for all, in the order of the first of each request, and empty it. `done` is
 * called for each after its request, before the next; it may add others. One request of
 * Slurm's for tasks alike, else one for each; the caller waits for their answers. */
void batch_send(struct batch *b, const struct batch_calls *calls);
/* slurm_update_job2(). Without slurmdbd Slurm answers who names another partition with
 * what some system call has left in errno, which in 26.05 mostly is an error: it is
 * asked again, at last for a start without a partition, when Slurm takes that of the
 * job's partitions which has the nodes. */
int batch_update(job_desc_msg_t *m, job_array_resp_msg_t **ret);
/* Is the task in a list of tasks as Slurm writes them in answers, "63_1,4-9"? */
bool batch_lists(const char *list, unsigned long task);

#endif
