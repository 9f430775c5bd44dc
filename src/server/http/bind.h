/* SPDX-License-Identifier: Apache-2.0
 * Sockets that are listened on: descriptors that do not block and are closed on exec.
 */
#ifndef MAUI_SERVER_BIND_H
#define MAUI_SERVER_BIND_H

#include "base/err.h"

#include <stdint.h>

/* For everybody on this machine. Takes the place of a socket that is there. -1: not. */
int bind_unix(const char *path, struct err *err);

/* `host`: "" = all addresses. `port`: 0 = the kernel's choice. -1: not; the error names
 * the parameter that the host is of. */
int bind_tcp(const char *host, uint16_t port, const char *parameter, struct err *err);

#endif
