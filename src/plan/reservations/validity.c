/* SPDX-License-Identifier: Apache-2.0
 * Epochs of the cluster, compared with those seen when the last cycle began. */
#include "plan/reservations/validity.h"

#include "cluster/cluster.h"

bool validity_machine_changed(const struct validity *v, const struct cluster *c)
{
    return v->nodes != c->node_epoch || v->config != c->config_epoch;
}

bool validity_world_changed(const struct validity *v, const struct cluster *c)
{
    return validity_machine_changed(v, c) || v->rsv_moves != c->rsv_moves;
}

void validity_begin(struct validity *v, const struct cluster *c)
{
    v->distrusted |= v->relief != c->relief_epoch;
    v->quiet = !v->released && v->rsv == c->rsv_epoch; /* what one kept comes free when
                                                          it ends */
    v->released = false;
    v->confirmed = 0;
    v->nodes = c->node_epoch;
    v->config = c->config_epoch;
    v->rsv_moves = c->rsv_moves;
    v->rsv = c->rsv_epoch;
    v->relief = c->relief_epoch;
}
