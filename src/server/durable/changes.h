/* SPDX-License-Identifier: Apache-2.0
 * Parameters changed at run time (changeparam): as lines behind the configuration.
 * All are records of the store, so that a restart changes nothing; those not to be kept
 * are gone when the file is read again by order (schedctl -R, SIGHUP). Private to
 * src/server. */
#ifndef MAUI_SERVER_CHANGES_H
#define MAUI_SERVER_CHANGES_H

#include <stdbool.h>

struct server;

/* Those kept by former lives of the daemon; told in the log and left out if they do not
 * fit the configuration of today. */
void changes_open(struct server *s);
void changes_close(struct server *s);

/* All of them as lines; owned by the caller. */
char *changes_text(struct server *s);

/* Leave out of the lines those that are not kept, or not any more: before it is known
 * whether the configuration serves without them. Then forget them. */
void changes_lift(struct server *s, bool lifted);
void changes_drop(struct server *s);

/* Those left out, when the files were read again by order: in force if they fit now,
 * which is told in the log. */
void changes_offer(struct server *s);

#endif
