/* SPDX-License-Identifier: Apache-2.0
 * On how many nodes a job is. Apart from job.h, as few ask. */
#ifndef MAUI_CLUSTER_JOBNODES_H
#define MAUI_CLUSTER_JOBNODES_H

#include "cluster/job.h"

/* How many are in j->alloc; one with tasks of several requests is one. O(pieces), of
 * several requests O(pieces x log pieces). */
uint32_t job_node_count(const struct job *j);

/* The same of places, which name nodes in any order. O(places x log places). */
uint32_t places_node_count(const struct job_place *places, size_t n);

#endif
