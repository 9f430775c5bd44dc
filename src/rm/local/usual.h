/* SPDX-License-Identifier: Apache-2.0
 * What a process begins with on this machine, in the place of what the daemon was
 * given: limits, niceness, scheduling, what the kernel kills first. */
#ifndef MAUI_RM_LOCAL_USUAL_H
#define MAUI_RM_LOCAL_USUAL_H

/* Take it; as root, before becoming the user. Limits are those of the machine's first
 * process, but 1024 open files (what programs that use select() can have, and what a
 * login gives; up to 524288 if they ask) and no core files. Without the right to raise
 * a limit it stays lower. */
void usual_take(void);

#endif
