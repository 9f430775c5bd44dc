/* SPDX-License-Identifier: Apache-2.0
 * The life of what files that plan node by node share. */
#include "plan/bynode/bynode.h"

#include "base/xalloc.h"
#include "plan/bynode/bynode_private.h"

struct bynode *bynode_create(const struct bynode_uses *uses)
{
    struct bynode *b = xcalloc(1, sizeof *b);

    b->c = uses->c;
    b->now = uses->now;
    b->version = uses->version;
    b->closures = uses->closures;
    b->pools = uses->pools;
    b->fits = uses->fits;
    b->counted = uses->counted;
    b->reserved = uses->reserved;
    b->pins = uses->pins;
    b->view = uses->view;
    b->ends = uses->ends;
    b->without = uses->without;
    b->sweeps = sweep_memory_create();
    return b;
}

void bynode_destroy(struct bynode *b)
{
    if (!b)
        return;
    sweep_memory_destroy(b->sweeps);
    vec_fini(&b->offers.tasks);
    vec_fini(&b->offers.reserved);
    vec_fini(&b->suspended);
    vec_fini(&b->occupants);
    vec_fini(&b->charged);
    vec_fini(&b->budget);
    vec_fini(&b->cands);
    room_fini(&b->room);
    free(b);
}
