/* SPDX-License-Identifier: Apache-2.0
 * Changes of the durable state on their way to the disk. The store forgets a batch
 * whose commit fails; here its changes are kept, in order, and made again with the next
 * commit, so that a full disk or a foreign lock loses nothing. Private to src/server.
 */
#ifndef MAUI_SERVER_UNSAVED_H
#define MAUI_SERVER_UNSAVED_H

#include "store/account.h"
#include "store/store.h"

#include <stddef.h>

struct unsaved;

/* The store is borrowed. */
struct unsaved *unsaved_open(struct store *store);
void unsaved_close(struct unsaved *u); /* NULL is allowed */

/* `kind` is a constant; other texts and rows are copied. */
void unsaved_put(
    struct unsaved *u, const char *kind, const char *key, const char *value);
void unsaved_delete(struct unsaved *u, const char *kind, const char *key);
void unsaved_journal(struct unsaved *u, int64_t at, const char *text);
void unsaved_trim(struct unsaved *u, int64_t seq); /* store_journal_trim() */
void unsaved_account(struct unsaved *u, const struct store_account *row);

/* A change that is made by a function, which is called again where a commit failed: it
 * has to come to the same. It tells for itself what goes wrong; `payload` is freed by
 * `forget`. */
struct unsaved_step {
    int (*make)(void *payload, struct err *err);
    void (*forget)(void *payload);
    void *payload;
};
void unsaved_later(struct unsaved *u, struct unsaved_step step);
/* The same, made at once behind all else: 0, or what `make` returned; then it is
 * forgotten. */
int unsaved_now(struct unsaved *u, struct unsaved_step step, struct err *err);

/* Tell the store what it has not been told, so that reading it shows all changes. */
void unsaved_tell(struct unsaved *u);

size_t unsaved_count(const struct unsaved *u);

/* 0: all of it is on the disk and forgotten here. -1: all of it is kept. */
int unsaved_commit(struct unsaved *u, struct err *err);

#endif
