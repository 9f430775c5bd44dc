/* SPDX-License-Identifier: Apache-2.0
 * Node sets: candidates of one feature, resource or speed. Source: reference
 * node-allocation 6. */
#ifndef MAUI_PLAN_NODES_NODESET_H
#define MAUI_PLAN_NODES_NODESET_H

#include "plan/nodes/nodealloc.h"

/* Reduce the candidates (in place, order kept) to those that the node set in force
 * lets the job use; returns how many are left. `mandatory` = NODESETDELAY is not 0: 0
 * means no set suffices. Otherwise the candidates stay as they are when no set
 * suffices. */
size_t nodeset_filter(
    const struct nodealloc *a, struct cand *cands, size_t n, bool mandatory);

/* The node set in force for a request: of the job, else of the partition; NULL =
 * none (also for jobs with a host list). */
const struct nodeset_spec *nodeset_of(const struct nodealloc *a);

#endif
