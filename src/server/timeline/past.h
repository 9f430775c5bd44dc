/* SPDX-License-Identifier: Apache-2.0
 * Jobs that are over, as pictures of the past show them: the last ones since the engine
 * began, as accounting does not tell who had which share of a node. */
#ifndef MAUI_SERVER_PAST_H
#define MAUI_SERVER_PAST_H

#include "base/vec.h"
#include "cluster/cred.h"
#include "server/timeline/timeline.h"

/* So many are remembered, as long as they had no more nodes than that altogether: 0.7
 * MB at most, and no more pieces than one turn of the loop can look at. All are
 * forgotten when the engine begins anew: indexes of nodes and owners are its own. */
#define PAST_MAX   1000
#define PAST_NODES 40000

struct job;

/* `procs` processors of each of `count` nodes with consecutive indexes. Those of
 * several requests of a job may be of the same node. */
struct past_piece {
    uint32_t first, count;
    uint32_t procs; /* PAST_WHOLE: all of it */
};
#define PAST_WHOLE UINT32_MAX

struct past_job {
    char *id;                  /* owned */
    uint32_t cred[CRED_KINDS]; /* indexes */
    int64_t submit_at, start_at, end_at;
    uint32_t procs;
    bool failed;                      /* by itself, by a limit, or its node was lost */
    struct VEC(struct past_piece) on; /* owned */
};

struct past;
struct past *past_new(void);
void past_free(struct past *p); /* NULL is allowed */

/* It ran, and ended then; called while it has its nodes. O(its pieces). */
void past_note(struct past *p, const struct job *j, int64_t end_at, bool failed);

/* How many there are, and the i-th, the oldest first. Borrowed until the next one ends.
 */
size_t past_count(const struct past *p);
const struct past_job *past_at(const struct past *p, size_t i);

#endif
