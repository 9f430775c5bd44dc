/* SPDX-License-Identifier: Apache-2.0
 * A lock on a file, and who has it. */
#include "base/filelock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#define STEPS_DEAD  500 /* of 20 ms */
#define STEPS_ALIVE 15

void filelock_holder(int fd, char *text, size_t size)
{
    ssize_t n = pread(fd, text, size - 1, 0);

    text[n > 0 ? n : 0] = 0;
    text[strcspn(text, "\n")] = 0;
}

/* Is it gone, or about to go? Its threads may hold files open for a moment longer, as
 * may a program that it was about to start. */
static bool has_died(const char *pid)
{
    char path[60], stat[400] = "";

    if (!*pid)
        return true;
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT;
    (void)!read(fd, stat, sizeof stat - 1);
    close(fd);
    const char *state = strrchr(stat, ')'); /* "12 (name) S ..." */
    return !state || strchr("ZX", state[1] ? state[2] : 'X');
}

int filelock_take(int fd)
{
    const struct timespec step = {.tv_nsec = 20000000};
    char holder[32];

    for (int alive = 0, dead = 0; flock(fd, LOCK_EX | LOCK_NB) < 0;) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return -1;
        filelock_holder(fd, holder, sizeof holder);
        if (has_died(holder) ? ++dead > STEPS_DEAD : ++alive > STEPS_ALIVE) {
            errno = EWOULDBLOCK;
            return -1;
        }
        nanosleep(&step, NULL);
    }
    return 0;
}
