/* SPDX-License-Identifier: Apache-2.0
 * What a job used. A file of its own: the system's header has names that the
 * scheduler's settings have too. */
#ifndef MAUI_RM_LOCAL_RUSAGE_H
#define MAUI_RM_LOCAL_RUSAGE_H

#include <stdint.h>

/* Of all children that were waited for, and theirs: processor seconds, and the most
 * memory one of them had in RAM. */
void rusage_children(double *ret_cpu_s, int64_t *ret_mem_mb);

#endif
