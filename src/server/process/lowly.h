/* SPDX-License-Identifier: Apache-2.0
 * A child that works for the daemon beside it, and may not be in its way. A file of its
 * own because <sys/resource.h> has names that clash with those of priority components.
 */
#ifndef MAUI_SERVER_LOWLY_H
#define MAUI_SERVER_LOWLY_H

#include <sys/types.h>

/* In the child, right after fork(): it goes when its parent goes, has default signals,
 * lower priority, so many seconds of a processor, leaves no core file, and is the first
 * to go where memory is short. All descriptors but `fd` are closed. Does not return
 * where the parent has gone already. */
void lowly_become(pid_t parent, unsigned cpu_s, int fd);

#endif
