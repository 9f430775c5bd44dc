/* SPDX-License-Identifier: Apache-2.0
 * Use of resources by processes. */
#include "rm/local/rusage.h"

#include <sys/resource.h>

void rusage_children(double *ret_cpu_s, int64_t *ret_mem_mb)
{
    struct rusage all = {0};

    getrusage(RUSAGE_CHILDREN, &all);
    *ret_cpu_s = (double)(all.ru_utime.tv_sec + all.ru_stime.tv_sec)
                 + (double)(all.ru_utime.tv_usec + all.ru_stime.tv_usec) * 1e-6;
    *ret_mem_mb = all.ru_maxrss / 1024;
}
