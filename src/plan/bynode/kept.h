/* SPDX-License-Identifier: Apache-2.0
 * What reservations of other kinds on a node keep from a job at one instant, and what
 * they offer to it alone. Nodes that they take wholly are closed instead
 * (closures/closures.h); those of waiting jobs are pins. Source: reference reservations
 * 3 and 4.
 *
 *     node 4, 8 processors          to john            to mary
 *     A: 4 for john, 2 of them      lets him in        keeps 2 from her
 *        in use by his job
 *     B: 2 for mary                 keeps 2 from him   lets her in */
#ifndef MAUI_PLAN_BYNODE_KEPT_H
#define MAUI_PLAN_BYNODE_KEPT_H

#include "plan/bynode/asker.h"

/* Take off *io_have what they keep from the asker at one instant of its span. One that
 * is confined to reservations is left what lies in them. O(reservations x jobs and pins
 * on the node). */
void kept_take_off(const struct asker *a, const struct node *n, const struct span *span,
    int64_t at, struct res *io_have);

#endif
