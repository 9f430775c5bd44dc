/* SPDX-License-Identifier: Apache-2.0
 * What a process begins with. */
#include "rm/local/usual.h"

#include <fcntl.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define OPEN_FILES      1024
#define OPEN_FILES_MOST 524288

static void lower(rlim_t *value, rlim_t most)
{
    if (*value == RLIM_INFINITY || *value > most)
        *value = most;
}

/* Set the limit, or as much of it as this process may. */
static void set_limit(__rlimit_resource_t which, struct rlimit want)
{
    struct rlimit have;

    if (setrlimit(which, &want) == 0 || getrlimit(which, &have) != 0)
        return;
    lower(&want.rlim_max, have.rlim_max);
    lower(&want.rlim_cur, want.rlim_max);
    setrlimit(which, &want);
}

static void take_limits(void)
{
    for (int i = 0; i < RLIMIT_NLIMITS; i++) {
        __rlimit_resource_t which = (__rlimit_resource_t)i;
        struct rlimit first;

        if (prlimit(1, which, NULL, &first) != 0 && getrlimit(which, &first) != 0)
            continue;
        if (which == RLIMIT_NOFILE) {
            lower(&first.rlim_max, OPEN_FILES_MOST);
            lower(&first.rlim_cur, OPEN_FILES);
        } else if (which == RLIMIT_CORE) {
            first.rlim_cur = 0;
        }
        set_limit(which, first);
    }
}

void usual_take(void)
{
    const struct sched_param plain = {0};
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

    if (fd >= 0) { /* an ordinary user may not always; then it stays */
        (void)!write(fd, "0", 1);
        close(fd);
    }
    sched_setscheduler(0, SCHED_OTHER, &plain);
    setpriority(PRIO_PROCESS, 0, 0);
    prctl(PR_SET_TIMERSLACK, 0);
    take_limits();
}
