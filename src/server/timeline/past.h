/* SPDX-License-Identifier: Apache-2.0
 * Jobs that are over, as pictures of the past show them: the last ones of this life of
 * the daemon, as accounting does not tell who had which share of a node. */
#ifndef MAUI_SERVER_PAST_H
#define MAUI_SERVER_PAST_H

#include "cluster/cred.h"
#include "cluster/request.h"
#include "server/timeline/timeline.h"

/* So many are remembered, as long as they had no more nodes than that altogether: 0.7
 * MB at most, and no more pieces than one turn of the loop can look at. */
#define PAST_MAX   1000
#define PAST_NODES 40000

struct job;

struct past_job {
    char *id;                  /* owned */
    uint32_t cred[CRED_KINDS]; /* indexes */
    int64_t submit_at, start_at, end_at;
    uint32_t procs;
    int64_t procs_a_task; /* -1: all of a node */
    bool failed;          /* by itself, by a limit, or its node was lost */
    struct allocs alloc;  /* owned */
};

struct past;
struct past *past_new(void);
void past_free(struct past *p); /* NULL is allowed */

/* It ran, and ended then. O(nodes that it had). */
void past_note(struct past *p, const struct job *j, int64_t end_at, bool failed);

/* How many there are, and the i-th, the oldest first. Borrowed until the next one ends.
 */
size_t past_count(const struct past *p);
const struct past_job *past_at(const struct past *p, size_t i);

#endif
