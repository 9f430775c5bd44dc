/* SPDX-License-Identifier: Apache-2.0
 * A local socket to which a hook of the resource manager sends a datagram when
 * something has happened. What it says is not looked at. The file belongs to us and
 * nobody else may write to it, but root, as which such hooks run: users cannot wake us.
 */
#ifndef MAUI_RM_ADAPTER_WAKE_H
#define MAUI_RM_ADAPTER_WAKE_H

#include "base/err.h"

#include <systemd/sd-event.h>

struct wake;

/* The socket is made at `path`; one of a process before us gives way. `woken` is called
 * once for whatever lies in it. NULL with an error: it cannot be made there. */
struct wake *wake_new(sd_event *loop, const char *path, void (*woken)(void *ctx),
    void *ctx, struct err *err);
/* The file goes too, unless a process after us has put its own there. */
void wake_destroy(struct wake *w);

#endif
