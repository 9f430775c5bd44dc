/* SPDX-License-Identifier: Apache-2.0
 * What the files of this folder share: their memory from question to question. */
#ifndef MAUI_PLAN_BYNODE_BYNODE_PRIVATE_H
#define MAUI_PLAN_BYNODE_BYNODE_PRIVATE_H

#include "plan/bynode/bynode.h"
#include "plan/bynode/occupants.h"
#include "plan/plan_private.h"

/* An instant at which a node has to be looked at again, or beyond which it has so many
 * tasks less. */
struct watch {
    int64_t at;
    uint32_t node, tasks;
};

/* What is free from now until when, of one set as one kind of asker sees it. */
struct seen_free {
    uint64_t who;
    uint32_t set, own; /* a job that has pins, which it leaves out; else INDEX_NONE */
    struct VEC(struct free_until) v;
};

/* All of one task definition that hold for one version of the plan. */
struct def_free {
    uint64_t version;
    uint32_t n; /* in use; the rest keep their memory */
    struct VEC(struct seen_free) v;
};

/* What is pinned to the node, as far as it counts for the asker; NULL = nothing. */
static inline const struct pins *asker_pins(const struct asker *a, uint32_t node)
{
    return a->without->reservations ? NULL : pins_of(a->p, node);
}

struct bynode {
    struct node_room room; /* scratch */
    struct occupants occupants;
    struct bynode_offers offers;
    struct VEC(struct watch) watches;
    struct cand_list cands;             /* for one choice */
    struct VEC(struct def_free) by_def; /* by taskdef index */
};

#endif
