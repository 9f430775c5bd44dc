/* SPDX-License-Identifier: Apache-2.0
 * A folder of the resource manager's, in whose files it writes down what happens. It
 * may come later than we do (a mount, an installation), or be another one tomorrow. */
#ifndef MAUI_RM_ADAPTER_FOLLOW_H
#define MAUI_RM_ADAPTER_FOLLOW_H

#include <systemd/sd-event.h>

struct follow;

/* `written` with the name of the file each time something is written to one; of a
 * folder that is another machine's nothing is told. Whether it is there, and the same,
 * is looked at every few seconds. */
struct follow *follow_new(sd_event *loop, const char *folder,
    void (*written)(void *ctx, const char *file), void *ctx);
void follow_destroy(struct follow *f); /* or NULL */

#endif
