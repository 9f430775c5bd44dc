/* SPDX-License-Identifier: Apache-2.0
 * A child that works for the daemon beside it, and may not be in its way. A file of its
 * own because <sys/resource.h> has names that clash with those of priority components.
 */
#ifndef MAUI_SERVER_LOWLY_H
#define MAUI_SERVER_LOWLY_H

#include <stddef.h>
#include <sys/types.h>

/* In the child, right after fork(): it goes when its parent goes, has default signals,
 * lower priority, so many seconds of a processor and so many bytes of memory more than
 * it has (not where a sanitizer has reserved terabytes), leaves no core file, and is
 * the first to go where memory is short. All descriptors but `fd` are closed. Does not
 * return where the parent has gone already. What the system refuses of these is left.
 */
void lowly_become(pid_t parent, unsigned cpu_s, size_t more_memory, int fd);

/* In a child that goes on with much of its parent's memory: call it, and come back when
 * it has come back. What it allocates is off a heap of its own. The parent's has holes
 * all over, and each that is filled is a page to copy. */
void lowly_call(void (*work)(void *ctx), void *ctx);

#endif
