/* SPDX-License-Identifier: Apache-2.0
 * A submitted request as JSON, out and in: the file request.json of a job's folder. */
#ifndef MAUI_RM_LOCAL_REQUEST_H
#define MAUI_RM_LOCAL_REQUEST_H

#include "config/arraytext.h"
#include "rm/rm.h"

#include <stddef.h>

struct request {
    struct rm_job job; /* borrowed from the memory below, as is argv */
    const char *const *argv;
    unsigned uid, gid, umask;
    bool script, rerunnable, join;
    struct array_spec array; /* of an array: its indexes */
    struct reader *reader;
};

/* The text of request.json for a submission, with the id it got. Owned by the caller.
 */
char *request_write(const struct rm_submission *s, const char *id, int64_t submit_at);

/* The same of one job of an array, that it may be read alone. */
char *request_write_member(const struct request *array, const char *id);

/* Read it back. NULL with a sentence when it is not such a text: hostile texts are met
 * with an error, never with more memory than a small multiple of their size. Freed with
 * request_free(). */
struct request *request_read(const char *text, size_t len, struct err *err);
void request_free(struct request *r);

/* Memory a job may use in all on these places, in MB; 0 = no limit asked. */
int64_t request_mem_mb(
    const struct request *r, const struct job_place *places, size_t n);

/* Processors of one task of its request of that number; 0 = all of the node. */
int64_t request_procs_per_task(const struct request *r, uint32_t req);

#endif
