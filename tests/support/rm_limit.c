/* SPDX-License-Identifier: Apache-2.0
 * A disk that is full. */
#include "rm_limit.h"

#include <sys/resource.h>

void kit_limit_files(unsigned long bytes)
{
    struct rlimit limit;

    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes != 0 ? bytes : limit.rlim_max;
    setrlimit(RLIMIT_FSIZE, &limit);
}
