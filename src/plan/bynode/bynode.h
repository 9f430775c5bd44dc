/* SPDX-License-Identifier: Apache-2.0
 * The pools that are planned node by node, as one collaborator of the plan: what the
 * files of the room remember, and what they look at. Where requests differ in shape,
 * what is free of a pool is no number, and each node is asked what it can take.
 *
 *     plan --> pick, multireq, sweep     nodes now or then; of several requests; when
 *              bind, rsvfree             nodes for what was counted; for reservations
 *                |
 *              offers                    all nodes of a set, during one interval
 *                |
 *              single                    one node, during one interval
 *                |
 *              kept, occupants           one node, at one instant
 *
 * Files call downward only. Where a job may use counted pools as well, they ask
 * counted/ for its part; that knows nothing of single nodes' time. */
#ifndef MAUI_PLAN_BYNODE_BYNODE_H
#define MAUI_PLAN_BYNODE_BYNODE_H

#include <stdint.h>

struct closures;
struct cluster;
struct counted;
struct endings;
struct fits;
struct pintable;
struct pools;
struct rsvtable;
struct rsvview;
struct without;

/* What it looks at. All are borrowed. */
struct bynode_uses {
    struct cluster *c;
    const int64_t *now;      /* the plan's */
    const uint64_t *version; /* the plan's: grows with all that changes answers */
    struct closures *closures;
    struct pools *pools;
    struct fits *fits;
    struct counted *counted;       /* the other pools that a job may use */
    struct rsvtable *reserved;     /* of waiting jobs; bind.h changes them, */
    struct pintable *pins;         /* and those on single nodes */
    struct rsvview *view;          /* reservations of other kinds */
    const struct endings *ends;    /* of active jobs */
    const struct without *without; /* what is thought away, in a fork */
};

struct bynode;

/* Nothing is remembered yet: so it is for a fork too. */
struct bynode *bynode_create(const struct bynode_uses *uses);
void bynode_destroy(struct bynode *b);

#endif
