/* SPDX-License-Identifier: Apache-2.0
 * What pictures of nodes over time are made of, shared by all who look:
 *
 *     rows        the nodes in an order for people, made when nodes change
 *     foresight   where jobs that wait will be: made when the plan changes, and only
 *                 when somebody asks
 *
 * Private to src/server. */
#ifndef MAUI_SERVER_TIMELINE_H
#define MAUI_SERVER_TIMELINE_H

#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct server;

void timeline_open(struct server *s);
void timeline_close(struct server *s);
/* Before the engine is told or decides anything: a forecast that is being worked out
 * ends, as it is made on a copy of what is now. O(1). */
void timeline_interrupt(struct server *s);

/* A job that ran is over; those that failed are drawn as such. O(its pieces). */
struct job;
void timeline_note_end(
    struct server *s, const struct job *j, int64_t end_at, bool failed);

/* What pictures have cost so far: nodes that were looked at for them. */
uint64_t timeline_looks(const struct server *s);

/* ---- rows ---- */

enum rows_by {
    ROWS_BY_PARTITION,
    ROWS_BY_STATE,
    ROWS_BY_CLASS,
    ROWS_BY_FEATURE,
    ROWS_BY_FRAME,
    ROWS_BYS
};
/* "partition", "state", "class", "feature", "frame"; NULL beyond. */
const char *rows_by_name(size_t by);

#define ROWS_TAG 17

/* Rows in order, without GLOBAL: by group, then by frame and slot where they are known,
 * then by name as people count. A row is a node, or a group that is folded. */
struct rows {
    uint32_t *node;  /* indexes; those of row r are from `first[r]` to `first[r + 1]` */
    uint32_t *first; /* n + 1 of them */
    uint32_t n;
    bool *folded; /* by row */
    enum rows_by by;
    char *fold;            /* as rows_hold() was asked; owned */
    char *text[2];         /* as JSON: for users; with what nodes have, for others */
    char tag[2][ROWS_TAG]; /* of another text it is another one */
    uint64_t epoch;        /* of the nodes */
    uint64_t config_epoch;
    unsigned holders;
};

/* As of now. To be released. `fold` names the groups that are one row each, with '|'
 * between them; "*" are all of them, "" is none; names of no group are let go. O(1);
 * O(nodes x log nodes) after nodes have changed, and where the same was not asked of
 * late. */
struct rows *rows_hold(struct server *s, enum rows_by by, const char *fold);
/* The same ones for another holder. O(1). */
struct rows *rows_share(struct rows *r);
void rows_release(struct rows *r); /* NULL is allowed */

/* It takes jobs: idle, with jobs or busy. */
struct node;
bool rows_node_serves(const struct node *n);

/* ---- foresight ---- */

/* Work on it for about a millisecond; false: it is complete, as of the plan in force.
 * With `forecast` that of jobs that were promised nothing as well. */
bool foresight_more(struct server *s, bool forecast);

/* A job that waits, where it will be. */
struct foreseen {
    char *id; /* owned by the foresight */
    uint32_t job;
    int64_t start_at, end_at;
    bool promised; /* else a forecast */
};
struct foreseen_on {
    uint32_t node, tasks;
    uint32_t who; /* index of struct foreseen */
};

/* All that is known; those on a node are from `first[node]` to `first[node + 1]`.
 * Borrowed until foresight_more() is called. */
struct foresight {
    uint64_t plan; /* feed_plan() of which it is; UINT64_MAX: not all is placed */
    struct VEC(struct foreseen) who; /* promised ones first */
    struct VEC(struct foreseen_on) on;
    uint32_t *first;
    uint32_t nodes;
    uint32_t waiting;  /* eligible jobs that were promised nothing, */
    uint32_t forecast; /* and of how many it was worked out */
};
const struct foresight *foresight_get(struct server *s);
/* Is it all that there will be of the plan in force? Asked again, it would be the same.
 */
bool foresight_is_whole(struct server *s, bool forecast);

#endif
