/* SPDX-License-Identifier: Apache-2.0
 * Where the server is and how long to wait for it: as the line says, else the
 * environment, else maui.cfg, else the usual. Source: reference commands 1.3. */
#ifndef MAUI_CLIENT_SITE_H
#define MAUI_CLIENT_SITE_H

#include "client/kit/command.h"

struct site {
    char *host; /* NULL = the socket in the home directory of this machine */
    int port;
    long timeout_s;
};

/* --host, $SERVERHOST, SERVERHOST; --port, $SERVERPORT, SERVERPORT; $CLIENTTIMEOUT,
 * CLIENTTIMEOUT. The file is -C, else $SERVERCONFIGFILE, else HOME/maui.cfg; one that
 * cannot be read counts as empty, and if -C named it that is told on stderr. A
 * SERVERHOST that is this machine means its socket, and the one of the file counts only
 * where there is no socket. Reads the file only when it matters. */
void site_find(const struct command_line *l, struct site *ret);
void site_fini(struct site *s);

#endif
