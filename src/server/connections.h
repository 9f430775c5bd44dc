/* SPDX-License-Identifier: Apache-2.0
 * Connections that owe us a request. Each has `wait_s` for one, from its beginning or
 * from its last answer, however slowly it sends; and when room runs out those that
 * waited longest give way. So nobody shuts others out by connecting and being silent.
 *
 * A connection is given up by shutdown(2): its owner (the HTTP library) then finds its
 * end and closes it. */
#ifndef MAUI_SERVER_CONNECTIONS_H
#define MAUI_SERVER_CONNECTIONS_H

#include "base/err.h"

#include <systemd/sd-event.h>

struct connections;
struct connection;

int connections_open(sd_event *loop, unsigned wait_s, unsigned max,
    struct connections **ret, struct err *err);
/* All must have been removed. NULL is allowed. */
void connections_close(struct connections *c);

/* One was accepted; it waits for a request. O(1). */
struct connection *connections_add(struct connections *c, int fd);
void connections_remove(struct connections *c, struct connection *n);

/* A whole request has come; it has been answered. O(1). */
void connections_serve(struct connections *c, struct connection *n);
void connections_served(struct connections *c, struct connection *n);

#endif
