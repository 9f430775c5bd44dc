/* SPDX-License-Identifier: Apache-2.0
 * Nodes of several resource managers, remembered: whose a name is, and what a manager
 * told that is out of reach when the daemon begins. Records of the store, "node"; where
 * there is one manager there are none. Private to src/server. */
#ifndef MAUI_SERVER_NODEKEEP_H
#define MAUI_SERVER_NODEKEEP_H

#include <stdbool.h>

struct node_desc;
struct server;

void nodekeep_open(struct server *s);
void nodekeep_close(struct server *s);

/* The name in RMCFG of the manager whose node it is, or was; NULL = nobody's. Borrowed.
 * O(1). */
const char *nodekeep_whose(const struct server *s, const char *node);

/* Nothing is remembered: they meet for the first time. */
bool nodekeep_is_empty(const struct server *s);

/* It told that, by the name that the node has here; `own` is what it calls the node
 * itself. Written when something changed that lasts: not its state or load. Nothing
 * here commits. */
void nodekeep_told(
    struct server *s, const char *manager, const char *own, const struct node_desc *d);
void nodekeep_gone(struct server *s, const char *node);

/* Its nodes that have another name here than there, by which they are known as long as
 * it has them, whoever has gone meanwhile. */
void nodekeep_each_renamed(const struct server *s, const char *manager,
    void (*each)(void *ctx, const char *own, const char *here), void *ctx);

/* Partitions that its nodes were in, as they are called here, of which two managers may
 * tell by one name; the same may come again. */
void nodekeep_each_partition(const struct server *s, const char *manager,
    void (*each)(void *ctx, const char *partition), void *ctx);

/* It has told all for the first time in this life: those of its nodes that it did not
 * tell are not there any more. Their names, one by one; each is forgotten. */
void nodekeep_drop_untold(struct server *s, const char *manager,
    void (*each)(void *ctx, const char *node), void *ctx);

/* The engine learns of all its nodes that it does not have: they are down. */
void nodekeep_recall(struct server *s, const char *manager);

#endif
