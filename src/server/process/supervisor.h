/* SPDX-License-Identifier: Apache-2.0
 * Who started the daemon and wants to know how it is: systemd, or whatever has set
 * NOTIFY_SOCKET (and WATCHDOG_USEC, for signs of life). Without it nothing happens.
 * Private to src/server. */
#ifndef MAUI_SERVER_SUPERVISOR_H
#define MAUI_SERVER_SUPERVISOR_H

#include <systemd/sd-event.h>

/* Signs of life from the loop: a loop that stands still gives none. */
void supervisor_watch(sd_event *loop);

/* Busy before it is ready, "converting the state": some minutes more for that. */
void supervisor_starting(const char *doing);
void supervisor_ready(const char *socket_path);
void supervisor_reloading(void); /* supervisor_ready() follows, also after a failure */
void supervisor_stopping(const char *jobs); /* what becomes of them, or "" */

#endif
