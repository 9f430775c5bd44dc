/* SPDX-License-Identifier: Apache-2.0
 * Depth groups: RESERVATIONDEPTH[X] and RESERVATIONQOSLIST[X] say how many jobs of
 * which QOS may have a priority reservation. A QOS belongs to the first group with a
 * depth whose list has it.
 *
 *     group 0: depth 2, hi        QOS hi -> 0, lo -> 1, other -> none
 *     group 1: depth 1, lo        */
#ifndef MAUI_ENGINE_GROUPS_H
#define MAUI_ENGINE_GROUPS_H

#include "cluster/cluster.h"

struct depth_groups;

struct depth_groups *groups_create(void);
void groups_destroy(struct depth_groups *g);

/* As settings and QOS now are. O(1) where neither changed, else O(QOS x groups). */
void groups_refresh(
    struct depth_groups *g, const struct cluster *c, const struct settings *cfg);

/* The group of the QOS of that index, -1 = none; 0 for one that came after the last
 * refresh. O(1). */
int groups_of(const struct depth_groups *g, uint32_t qos);
/* Is there any group, and is there more than one or a QOS with RESERVEALWAYS, so that a
 * job without a place does not speak for those behind it? */
bool groups_any(const struct depth_groups *g);
bool groups_differ(const struct depth_groups *g);

#endif
