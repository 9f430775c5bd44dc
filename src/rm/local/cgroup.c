/* SPDX-License-Identifier: Apache-2.0
 * Control groups, version 2, by their files. */
#include "rm/local/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REMOVE_TRIES   100
#define REMOVE_WAIT_US 10000

static int put(const struct cgroup *g, const char *file, const char *text)
{
    int fd, failed;

    if (g->fd < 0)
        return -1;
    fd = openat(g->fd, file, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    failed = write(fd, text, strlen(text)) < 0;
    close(fd);
    return failed ? -1 : 0;
}

static int get(const struct cgroup *g, const char *file, char *buf, size_t size)
{
    ssize_t n;
    int fd;

    if (g->fd < 0)
        return -1;
    fd = openat(g->fd, file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    n = read(fd, buf, size - 1);
    close(fd);
    buf[n > 0 ? n : 0] = '\0';
    return n > 0 ? 0 : -1;
}

/* Where the cgroup2 file system is mounted; false when it is not. */
static bool find_mount(char *ret, size_t size)
{
    FILE *in = fopen("/proc/self/mounts", "re");
    char line[1024], where[512], type[64];
    bool found = false;

    while (!found && in != NULL && fgets(line, sizeof line, in) != NULL)
        if (sscanf(line, "%*s %511s %63s", where, type) == 2
            && strcmp(type, "cgroup2") == 0)
            found = (size_t)snprintf(ret, size, "%s", where) < size;
    if (in != NULL)
        fclose(in);
    return found;
}

void cgroup_own(char *ret, size_t size)
{
    char mount[512], line[1024], path[1600];
    FILE *in;

    *ret = '\0';
    if (!find_mount(mount, sizeof mount))
        return;
    in = fopen("/proc/self/cgroup", "re");
    while (in != NULL && fgets(line, sizeof line, in) != NULL) {
        if (strncmp(line, "0::", 3) != 0)
            continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(path, sizeof path, "%s%s", mount, line + 3);
        if (access(path, W_OK) == 0 && strlen(path) < size)
            memcpy(ret, path, strlen(path) + 1);
    }
    if (in != NULL)
        fclose(in);
}

static void group_path(
    char path[PATH_MAX], const char *base, const char *id, const char *cookie)
{
    snprintf(path, PATH_MAX, "%s/maui.%s.%.8s", base, id, cookie);
}

struct cgroup cgroup_make(
    const char *base, const char *id, const char *cookie, int64_t mem_mb)
{
    struct cgroup g = {.fd = -1};
    char path[PATH_MAX], amount[32];

    if (base == NULL)
        return g;
    group_path(path, base, id, cookie);
    mkdir(path, 0755); /* it may be there from a run before */
    g.fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (mem_mb > 0) {
        snprintf(amount, sizeof amount, "%lld", (long long)mem_mb * 1024 * 1024);
        g.limits_memory = put(&g, "memory.max", amount) == 0;
        put(&g, "memory.oom.group", "1");
    }
    return g;
}

void cgroup_remove(
    struct cgroup *g, const char *base, const char *id, const char *cookie)
{
    char path[PATH_MAX];

    if (g->fd < 0)
        return;
    close(g->fd);
    g->fd = -1;
    group_path(path, base, id, cookie);
    /* the kernel may still be at work on those that have just been waited for */
    for (int i = 0; i < REMOVE_TRIES && rmdir(path) != 0 && errno == EBUSY; i++)
        usleep(REMOVE_WAIT_US);
}

int cgroup_add(const struct cgroup *g, pid_t pid)
{
    char text[16];

    snprintf(text, sizeof text, "%d", (int)pid);
    return put(g, "cgroup.procs", text);
}

int cgroup_freeze(const struct cgroup *g, bool frozen)
{
    return put(g, "cgroup.freeze", frozen ? "1" : "0");
}

int cgroup_kill(const struct cgroup *g)
{
    return put(g, "cgroup.kill", "1");
}

int64_t cgroup_memory_peak_mb(const struct cgroup *g)
{
    char text[64];

    if (get(g, "memory.peak", text, sizeof text) != 0)
        return -1;
    return strtoll(text, NULL, 10) / (1024 * 1024);
}

bool cgroup_was_out_of_memory(const struct cgroup *g)
{
    char text[512];
    const char *at;

    if (!g->limits_memory || get(g, "memory.events", text, sizeof text) != 0)
        return false;
    at = strstr(text, "oom_kill ");
    return at != NULL && strtol(at + strlen("oom_kill "), NULL, 10) > 0;
}
