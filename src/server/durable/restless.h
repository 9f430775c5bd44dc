/* SPDX-License-Identifier: Apache-2.0
 * Whether the world changed and no cycle has seen it: then jobs deferred for want of
 * nodes are to be tried, after a restart too. Private to src/server. */
#ifndef MAUI_SERVER_RESTLESS_H
#define MAUI_SERVER_RESTLESS_H

#include <stdbool.h>

struct server;

void restless_open(struct server *s);
void restless_close(struct server *s);
/* As it was in the last life, until there was a cycle in this one. */
bool restless_before(const struct server *s);

/* Write it if it is other than the record. Nothing here commits. */
void restless_save(struct server *s);

/* Before the first job is told: as it was before the restart. */
void restless_load(struct server *s);

#endif
