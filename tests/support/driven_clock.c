/* SPDX-License-Identifier: Apache-2.0
 * Loaded before a daemon under test (LD_PRELOAD), and by its keepers: the time of day
 * is what the file $TEST_CLOCK_FILE says. "N": N seconds besides the right time. "=N":
 * it is N, and stays so, and the time since boot stands with it: time that is driven on
 * has passed, it is no step of the clock. CLOCK_MONOTONIC is left alone, so timers go
 * on. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define BOOT_AT 1800000000 /* when a machine whose clock stands was booted */

static void drive(clockid_t id, struct timespec *t)
{
    char text[40] = "";
    const char *name = getenv("TEST_CLOCK_FILE");
    int fd = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;

    if (fd < 0)
        return;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    if (n > 0 && text[0] == '=')
        *t = (struct timespec){
            .tv_sec = atol(text + 1) - (id == CLOCK_BOOTTIME ? BOOT_AT : 0)};
    else if (id == CLOCK_REALTIME)
        t->tv_sec += atol(text);
}

int clock_gettime(clockid_t id, struct timespec *t)
{
    static int (*real)(clockid_t, struct timespec *);

    if (!real)
        real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(id, t);
    if (result == 0 && (id == CLOCK_REALTIME || id == CLOCK_BOOTTIME))
        drive(id, t);
    return result;
}

time_t time(time_t *ret)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    if (ret)
        *ret = t.tv_sec;
    return t.tv_sec;
}
