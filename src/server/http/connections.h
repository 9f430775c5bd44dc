/* SPDX-License-Identifier: Apache-2.0
 * Connections, and what each of their owners takes of what all share: files and memory.
 *
 * One that owes us a request has `wait_s` for it, from its beginning or from its last
 * answer, however slowly it sends. When room runs out, by the number of connections or
 * by the files that the process may have open (its limit in force), the user who has
 * most of them gives way: first those that wait, then replies that are not fetched. So
 * nobody shuts others out by connecting and being silent, or slow.
 *
 * A connection is given up by shutdown(2): its owner (the HTTP library) then finds its
 * end and closes it. */
#ifndef MAUI_SERVER_CONNECTIONS_H
#define MAUI_SERVER_CONNECTIONS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <systemd/sd-event.h>

struct connections;
struct connection;

/* Of one whom nobody knows yet: all of them share. */
#define CONNECTION_UNKNOWN ((uid_t)-1)

int connections_open(sd_event *loop, unsigned wait_s, unsigned max,
    struct connections **ret, struct err *err);
/* All must have been removed. NULL is allowed. */
void connections_close(struct connections *c);

/* One was accepted; it waits for a request. O(users), when crowded O(connections). */
struct connection *connections_add(struct connections *c, int fd, uid_t user);
void connections_remove(struct connections *c, struct connection *n);
/* It turned out whose it is. */
void connections_identify(struct connections *c, struct connection *n, uid_t user);

/* Its end is not waited for: whoever is there has not read what it was told last. */
void connections_cut(struct connections *c, struct connection *n);

/* A whole request has come; it has been answered. O(1). */
void connections_serve(struct connections *c, struct connection *n);
void connections_served(struct connections *c, struct connection *n);

/* ---- memory of requests that are not complete, or not answered, yet ---- */

#define BODIES_MAX   ((size_t)64 << 20) /* bytes, of all */
#define BODIES_SPARE ((size_t)16 << 20) /* of those, for small requests only */
#define BODIES_SHARE ((size_t)16 << 20) /* of one user, with all connections */
#define BODY_SMALL   ((size_t)64 << 10)

/* Take `more` bytes for a request that is to have `whole` (or as many as there are by
 * now, when that is not told). -1 with a sentence when the share is used up. */
int connections_hold(struct connections *c, struct connection *n, size_t more,
    size_t whole, struct err *err);
/* Its request is over. */
void connections_let_go(struct connections *c, struct connection *n);

#endif
