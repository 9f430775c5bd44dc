/* SPDX-License-Identifier: Apache-2.0
 * Use and limits of processes. */
#include "rm/local/rusage.h"

#include <sys/resource.h>

#define OPEN_FILES 1024 /* programs that use select() break above */

void rusage_children(double *ret_cpu_s, int64_t *ret_mem_mb)
{
    struct rusage all = {0};

    getrusage(RUSAGE_CHILDREN, &all);
    *ret_cpu_s = (double)(all.ru_utime.tv_sec + all.ru_stime.tv_sec)
                 + (double)(all.ru_utime.tv_usec + all.ru_stime.tv_usec) * 1e-6;
    *ret_mem_mb = all.ru_maxrss / 1024;
}

void rusage_set_limits(void)
{
    struct rlimit core, files;

    if (getrlimit(RLIMIT_CORE, &core) == 0) {
        core.rlim_cur = 0;
        setrlimit(RLIMIT_CORE, &core);
    }
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur > OPEN_FILES) {
        files.rlim_cur = OPEN_FILES;
        setrlimit(RLIMIT_NOFILE, &files);
    }
}
