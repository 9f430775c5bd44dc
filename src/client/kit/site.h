/* SPDX-License-Identifier: Apache-2.0
 * Where the server is and how long to wait for it. The first of these that is there:
 *
 *   --host; $SERVERHOST                          a host, by TCP and MUNGE
 *   --home; $MAUIHOMEDIR, $SERVERHOMEDIR         a home: its socket, else SERVERHOST of
 *                                                its maui.cfg; nothing else is tried
 *   /etc/maui.cfg (its line SERVERHOMEDIR)       a home, in the same way
 *   ~/.maui, then /var/lib/maui: a socket        a daemon of this user, of this machine
 *                                                (/run/maui/api.sock: base/home.h)
 *   ~/.maui, then /var/lib/maui: a maui.cfg      their SERVERHOST (/etc/maui/maui.cfg)
 *   /etc/maui/client.cfg ($MAUICLIENTCFG)        SERVERHOST, SERVERPORT, CLIENTTIMEOUT
 *   SRV _maui._tcp in the machine's domains      host and port
 *
 * Port and time limit are asked for in the same order: --port; $SERVERPORT and
 * $CLIENTTIMEOUT; the configuration; the site's file. */
#ifndef MAUI_CLIENT_SITE_H
#define MAUI_CLIENT_SITE_H

#include "base/strbuf.h"
#include "client/kit/command.h"

struct site {
    char *host; /* NULL = the socket */
    char *home, *socket;
    const char *by; /* what named it */
    int port;
    long timeout_s;
    struct strbuf looked; /* where it was looked for in vain */
};

/* The configuration is -C, else $SERVERCONFIGFILE, else HOME/maui.cfg; one that cannot
 * be read counts as empty, and if -C named it that is told on stderr. A SERVERHOST that
 * is this machine means its socket. DNS is asked only when all else named nothing. */
void site_find(const struct command_line *l, struct site *ret);
void site_fini(struct site *s);

/* On stderr: it cannot be reached, or its name means nothing; what named it, and where
 * else it was looked for. */
void site_complain(const struct site *s, bool unknown_host);

#endif
