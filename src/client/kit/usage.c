/* SPDX-License-Identifier: Apache-2.0
 * Clocks and memory of the process. */
#include "client/kit/usage.h"

#include <sys/resource.h>
#include <time.h>

static double seconds_of(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double usage_wall_s(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

double usage_cpu_s(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

long usage_peak_rss_kb(void)
{
    struct rusage usage = {0};

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}
