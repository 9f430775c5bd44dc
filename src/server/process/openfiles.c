/* SPDX-License-Identifier: Apache-2.0
 * How many files the daemon may have open. */
#include "server/process/openfiles.h"

#include <sys/resource.h>

void openfiles_raise(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max < 65536 ? limit.rlim_max : 65536;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}
