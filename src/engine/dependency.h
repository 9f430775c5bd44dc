/* SPDX-License-Identifier: Apache-2.0
 * Jobs that depend on other jobs. A dependency on a job that nobody knows is met. One
 * that can be met no more is told apart from one that is not met yet. */
#ifndef MAUI_ENGINE_DEPENDENCY_H
#define MAUI_ENGINE_DEPENDENCY_H

#include "cluster/cluster.h"

struct engine;

bool dependency_has(const struct job *j);
/* The first dependency of the job that is not met; NULL = all are. *ret_job is the
 * other job, INDEX_NONE where the dependency can be met no more. O(dependencies). */
const struct dep *dependency_unmet(
    const struct cluster *c, const struct job *j, uint32_t *ret_job);

/* Jobs ended since the last cycle: what depends on them is met for good, or never will
 * be. O(waiting jobs). */
void dependency_settle_all(struct engine *e);

#endif
