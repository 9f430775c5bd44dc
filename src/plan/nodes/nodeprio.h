/* SPDX-License-Identifier: Apache-2.0
 * Node priority (PRIORITYF). Source: reference node-allocation 4. */
#ifndef MAUI_PLAN_NODES_NODEPRIO_H
#define MAUI_PLAN_NODES_NODEPRIO_H

#include "plan/nodes/nodealloc.h"

/* Node priority of policy PRIORITY (PRIORITYF) for one node; terms of the moment
 * (APROCS, LOAD, ...) count for immediate starts only. */
double nodeprio_value(const struct nodealloc *a, const struct cand *cand);

/* Does the function in force on the node contain RESAFFINITY? Then affinity levels
 * positive to negative are one pool in which the function decides. */
bool nodeprio_weighs_affinity(const struct node *n);

#endif
