/* SPDX-License-Identifier: Apache-2.0
 * Whether the state is sound, where the machine ended with it open: it is looked at by
 * a process beside (store_checking_fd()), and the daemon works meanwhile. A damaged one
 * ends the daemon. Private to src/server. */
#ifndef MAUI_SERVER_VERDICT_H
#define MAUI_SERVER_VERDICT_H

#include "base/err.h"

struct server;

/* When the store is open. Waits for nothing. */
int verdict_open(struct server *s, struct err *err);
void verdict_close(struct server *s);

#endif
