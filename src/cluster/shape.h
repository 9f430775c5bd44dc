/* SPDX-License-Identifier: Apache-2.0
 * Is what a resource manager tells of a job that runs what the job has by us? */
#ifndef MAUI_CLUSTER_SHAPE_H
#define MAUI_CLUSTER_SHAPE_H

#include "cluster/cluster.h"
#include "cluster/job.h"

/* As job_has_shape(), and with the same generic resources in each task. O(requests, and
 * of each the square of its generic resources). */
bool shape_is_known(const struct cluster *c, const struct job *j,
    const struct req_desc *reqs, uint32_t n);

#endif
