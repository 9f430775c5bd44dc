/* SPDX-License-Identifier: Apache-2.0
 * Drafts of reservations from what people wrote: names become indexes of the cluster.
 * Source: reference reservations 5, 11. */
#ifndef MAUI_CLUSTER_RSVDRAFT_H
#define MAUI_CLUSTER_RSVDRAFT_H

#include "cluster/reservation.h"
#include "config/setres.h"

/* The resources of one task. */
void rsvdraft_task(
    struct cluster *c, const struct sr_resources *from, struct taskdef *def);

/* What setres asks for, as a draft of that kind (RSV_ADMIN, RSV_USER), owned by the
 * caller. -1 with a sentence when a partition, a feature, a class of a host expression
 * or a host is unknown. O(nodes) with a host list. */
int rsvdraft_of_setres(struct cluster *c, const struct setres *s, enum rsv_kind kind,
    struct reservation *ret, struct err *err);

#endif
