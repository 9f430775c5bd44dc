/* SPDX-License-Identifier: Apache-2.0
 * How things are found: by a small index (uint32_t) that never changes and is never
 * used again while the cluster lives; those of jobs and reservations are used again
 * once they are removed. All iteration is by index, so equal input gives equal
 * schedules. */
#ifndef MAUI_CLUSTER_INDEX_H
#define MAUI_CLUSTER_INDEX_H

#include <stdint.h>

#define INDEX_NONE UINT32_MAX

#endif
