/* SPDX-License-Identifier: Apache-2.0
 * RMCFG EPORT=: a port on which the resource manager says that something has happened.
 * What it says is not looked at (a number, in the field): whoever connects wakes us. So
 * only the resource manager's host and this machine may, and never more often than
 * MINETIME; what comes sooner wakes when that has passed. */
#ifndef MAUI_RM_ADAPTER_EPORT_H
#define MAUI_RM_ADAPTER_EPORT_H

#include "base/err.h"

#include <stdint.h>
#include <systemd/sd-event.h>

struct eport;

struct eport_spec {
    const char
        *host; /* who may; NULL: this machine alone, and nobody else can connect */
    int port;
    int64_t least_ms; /* from one wake to the next */
    void (*woken)(void *ctx);
    void *ctx;
};

/* NULL with an error: the port is in use, or may not be had. */
struct eport *eport_new(sd_event *loop, const struct eport_spec *spec, struct err *err);
void eport_destroy(struct eport *e);

#endif
