/* SPDX-License-Identifier: Apache-2.0
 * Do the reservations of waiting jobs still hold, or are they to be planned anew?
 *
 *     since the last cycle began          in this one
 *     nothing but time has passed         all stand, none need be looked at: quiet
 *     jobs ended at their limits          they stand, up to a change in the queue
 *     something came free earlier         distrusted: they are planned anew
 *     nodes, settings or moves changed    the pools are made anew as well
 *
 * A cycle confirms them one by one in the order of their making. */
#ifndef MAUI_PLAN_RESERVATIONS_VALIDITY_H
#define MAUI_PLAN_RESERVATIONS_VALIDITY_H

#include <stdbool.h>
#include <stdint.h>

struct cluster;

struct validity {
    uint64_t nodes, config, rsv_moves, rsv, relief; /* epochs of the cluster, as seen */
    uint64_t layout;    /* of the pools (pools_layout()) that they have units of */
    uint64_t changes;   /* how often what is planned changed: plan_changes() */
    uint32_t confirmed; /* so many of them stand in this cycle */
    bool distrusted;    /* something came free earlier than planned */
    bool released;      /* something came free since this cycle began */
    bool quiet;         /* when it began nothing had */
};

/* Have the nodes, the settings or what reservations hold changed since the last
 * validity_begin()? Then the pools are to be made anew. */
bool validity_world_changed(const struct validity *v, const struct cluster *c);
/* A cycle begins: see the cluster as it is; none are confirmed. */
void validity_begin(struct validity *v, const struct cluster *c);

#endif
