/* SPDX-License-Identifier: Apache-2.0
 * What fields say of a node or a job. Names as in the protocol's document, as programs
 * of the field write them, or as A<n>; any case. Unknown fields say nothing. */
#ifndef MAUI_RM_WIKI_RECORD_H
#define MAUI_RM_WIKI_RECORD_H

#include "rm/rm.h"
#include "rm/wiki/grammar.h"

/* Memory of what was read. Zeroed: empty. */
struct wiki_room {
    struct VEC(void *) blocks;
    struct wiki_group *groups; /* of users who were looked up; kept */
    size_t unknown;            /* of them, who have none */
    int64_t unknown_ms;        /* since when those are not asked for again */
    struct req_desc req;
};

/* -1 with an error when it cannot be understood. What is told lives until the next
 * call with that room. */
int wiki_read_node(const struct wiki_record *r, struct wiki_room *room,
    struct node_desc *ret, struct err *err);
int wiki_read_job(const struct wiki_record *r, struct wiki_room *room,
    struct rm_job *ret, struct err *err);
void wiki_room_fini(struct wiki_room *room);

#endif
