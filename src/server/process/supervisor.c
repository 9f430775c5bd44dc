/* SPDX-License-Identifier: Apache-2.0
 * Telling the service manager. */
#include "server/process/supervisor.h"

#include <stdint.h>
#include <systemd/sd-daemon.h>
#include <time.h>

#define EXTEND_US                                                                      \
    300000000 /* one step of a disk may take as long: no sign of life then */

void supervisor_watch(sd_event *loop)
{
    (void)sd_event_set_watchdog(loop, 1);
}

void supervisor_starting(const char *doing)
{
    (void)sd_notifyf(
        0, "EXTEND_TIMEOUT_USEC=%d\nSTATUS=Starting: %s", EXTEND_US, doing);
}

void supervisor_ready(const char *socket_path)
{
    (void)sd_notifyf(0, "READY=1\nSTATUS=Scheduling; requests at %s", socket_path);
}

void supervisor_reloading(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    (void)sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%llu",
        (unsigned long long)now.tv_sec * 1000000
            + (unsigned long long)now.tv_nsec / 1000);
}

void supervisor_stopping(const char *jobs)
{
    (void)sd_notifyf(0, "STOPPING=1\nSTATUS=Stopping%s", jobs);
}
