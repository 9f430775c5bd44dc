/* SPDX-License-Identifier: Apache-2.0
 * The daemon: the scheduler on one machine's event loop, with its resource managers,
 * its durable state and its API. */
#ifndef MAUI_SERVER_SERVER_H
#define MAUI_SERVER_SERVER_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

#define READY_MAX 4000 /* a pipe takes that in one piece */
struct server_options {
    const char *config_file; /* maui.cfg */
    const char *home;        /* folder of state, socket, spool, logs */
    const char *nodes;       /* N[xP] for the local resource manager, or NULL */
    const char *mode;        /* NORMAL, TEST ..., or NULL: as configured */
    bool paused;             /* begin with scheduling stopped */
    int log_level;           /* -1 = as configured */
    const char *host;        /* TCP address, NULL = as configured */
    int port;                /* -1 = as configured */
    bool foreground;         /* log to stderr as well */
    int ready_fd; /* when requests are answered it gets "\n" and perhaps a remark, at
                     most READY_MAX bytes; then it is closed; -1 = none */
};

/* Run until told to stop. 0 after a clean stop; -1 with the reason when it cannot start
 * or cannot go on. */
int server_run(const struct server_options *opt, struct err *err);

/* The `maui serve` command, and `maui check`. */
int serve_main(int argc, char **argv);
int check_main(int argc, char **argv);

#endif
