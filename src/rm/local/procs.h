/* SPDX-License-Identifier: Apache-2.0
 * The processes of a job, found in /proc. The keeper is their reaper of last resort, so
 * they all descend from it; when it has died, they are told by the cookie in their
 * environment and by their session. */
#ifndef MAUI_RM_LOCAL_PROCS_H
#define MAUI_RM_LOCAL_PROCS_H

#include "base/vec.h"
#include "rm/local/record.h"

#include <sys/types.h>

struct pids VEC(pid_t);

/* Everything that descends from this process, but for its child `except` (0: none) with
 * what descends from that. Replaces the list. O(descendants). */
void procs_below(struct pids *list, pid_t except);

/* What is left of a run of that user whose keeper has died; its boot must be this one.
 * Replaces the list. O(all processes of the machine). */
void procs_left_over(const struct run *run, uid_t uid, struct pids *list);

/* Send them a signal; those that are gone do not matter. */
void procs_signal(const struct pids *list, int signal);

/* Memory of their own they have in RAM, together, in MB: what is shared among them or
 * read from files does not count. */
int64_t procs_memory_mb(const struct pids *list);

/* What of their memory the kernel has put into swap space, together, in MB. */
int64_t procs_swapped_mb(const struct pids *list);

/* Processor time they and their children that have ended used, together. */
double procs_cpu_s(const struct pids *list);

/* When the process began, in clock ticks since the boot; -1 when there is none. */
int64_t procs_began(pid_t pid);

#endif
