/* SPDX-License-Identifier: Apache-2.0
 * A control group (v2) of one job: frozen, killed and measured as a whole. Where there
 * is none (containers, no permission) every function does nothing and says so; signals
 * and polling do the work then. */
#ifndef MAUI_RM_LOCAL_CGROUP_H
#define MAUI_RM_LOCAL_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct cgroup {
    int fd; /* -1 = there is none */
    bool limits_memory;
};

/* The folder of the group this process is in, to make others in; "" when there is no
 * control group v2 that this process may change. */
void cgroup_own(char *ret, size_t size);

/* Make the group BASE/maui.ID.COOKIE (daemons may share BASE), with a limit when mem_mb
 * > 0 and the memory controller is at hand. base NULL: none. */
struct cgroup cgroup_make(
    const char *base, const char *id, const char *cookie, int64_t mem_mb);
/* Remove it; what is in it must have ended. */
void cgroup_remove(
    struct cgroup *g, const char *base, const char *id, const char *cookie);

/* 0, or -1 when it cannot be done this way. */
int cgroup_add(const struct cgroup *g, pid_t pid);
int cgroup_freeze(const struct cgroup *g, bool frozen);
int cgroup_kill(const struct cgroup *g);

int64_t cgroup_memory_peak_mb(const struct cgroup *g); /* -1 = unknown */
bool cgroup_was_out_of_memory(const struct cgroup *g);

#endif
