/* SPDX-License-Identifier: Apache-2.0
 * Do the reservations of waiting jobs still hold, or are they to be planned anew?
 *
 *     since the last cycle began          in this one
 *     nothing but time has passed         quiet: all stand at once, plan_confirm_all()
 *     jobs ended at their limits          they stand as far as plan_confirm() goes
 *     something came free earlier         distrusted: not to be relied on
 *     nodes, settings or reservations     the world has changed: the pools are made
 *       of other kinds changed            anew as well
 *
 * plan_begin() says what becomes of them in the last two cases. */
#ifndef MAUI_PLAN_RESERVATIONS_VALIDITY_H
#define MAUI_PLAN_RESERVATIONS_VALIDITY_H

#include <stdbool.h>
#include <stdint.h>

struct cluster;

struct validity {
    uint64_t nodes, config, rsv_moves; /* epochs of the cluster, as seen: its world */
    uint64_t rsv;       /* the same as rsv_moves, with begins and ends in due time */
    uint64_t relief;    /* of nodes that are less busy than before */
    uint64_t layout;    /* of the pools (pools_layout()) that they have units of */
    uint64_t changes;   /* how often what is planned changed: plan_changes() */
    uint32_t confirmed; /* so many of them stand in this cycle */
    bool distrusted;    /* something came free earlier than planned */
    bool released;      /* something came free since this cycle began */
    bool quiet;         /* when it began nothing had */
    bool same;          /* when it began, nothing came free other than planned */
};

/* Have the nodes, the settings or reservations of other kinds changed since the last
 * validity_begin(), other than by beginning and ending as planned? Then the pools are
 * to be made anew. */
bool validity_world_changed(const struct validity *v, const struct cluster *c);
/* The same of nodes and settings alone. */
bool validity_machine_changed(const struct validity *v, const struct cluster *c);
/* A cycle begins: see the cluster as it is; none are confirmed. */
void validity_begin(struct validity *v, const struct cluster *c);

#endif
