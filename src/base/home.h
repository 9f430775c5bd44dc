/* SPDX-License-Identifier: Apache-2.0
 * The daemon's folder, by the same rules for the daemon and the commands:
 *
 *   HOME/maui.cfg   configuration       HOME/api.sock   where requests are answered
 *   HOME/state.db   durable state       HOME/maui.pid   lock: one daemon a home
 *   HOME/spool/     local jobs          HOME/log/, HOME/stats/, HOME/tools/
 *
 * A package has the configuration of the usual home in /etc/maui and its socket in
 * /run/maui (docs/install.md). */
#ifndef MAUI_BASE_HOME_H
#define MAUI_BASE_HOME_H

#include "base/err.h"

#include <stdbool.h>

#define HOME_USUAL  "/var/lib/maui"
#define HOME_CONFIG "/etc/maui/maui.cfg"
#define HOME_SOCKET "/run/maui/api.sock"

/* `asked`, else $MAUIHOMEDIR, else $SERVERHOMEDIR, else the line of that name in
 * /etc/maui.cfg, else /var/lib/maui for root and ~/.maui for others. Owned by caller.
 */
char *home_find(const char *asked);

/* The first three of these alone, or NULL; and the line of /etc/maui.cfg, or NULL. */
char *home_named(const char *asked);
char *home_of_machine(void);

/* The site's file for commands, $MAUICLIENTCFG or /etc/maui/client.cfg; borrowed. */
const char *home_client_file(void);

/* The configuration: HOME/maui.cfg; of the usual home, where that has none, or for root
 * one that others may write, /etc/maui/maui.cfg if that, or its folder of parts, is
 * there. And where requests are answered: HOME/api.sock; of the usual home in
 * /run/maui, for a daemon when that folder is there, for others when the socket is.
 * Owned by the caller. */
char *home_config(const char *home);
char *home_socket_of_daemon(const char *home);
char *home_socket(const char *home);

/* HOME/NAME; HOME/MANAGER.KIND, which is of one resource manager alone; and an absolute
 * path. Owned by the caller. */
char *home_file(const char *home, const char *name);
char *home_file_of(const char *home, const char *manager, const char *kind);
char *home_absolute(const char *path);

/* The folder and those in it, mode 0755, as far as they are missing. */
int home_make(const char *home, struct err *err);

/* Be the one daemon of this home: the lock's descriptor, or -1 saying who is. Waits for
 * one that is dying (10 s), and a moment (0.3 s) for one that lives. */
int home_lock(const char *home, struct err *err);
void home_unlock(int fd);

/* Wait, at most so long, until the daemon of this home has let go of it, that is, until
 * another one could take it. False: it has not. */
bool home_wait_free(const char *home, int patience_s);

#endif
