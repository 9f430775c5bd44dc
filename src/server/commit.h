/* SPDX-License-Identifier: Apache-2.0
 * Decide, record, commit, then act and reply: one commit at the end of a turn of the
 * loop, for all that was changed in it. While commits fail nothing follows from what
 * was changed. Private to src/server. */
#ifndef MAUI_SERVER_COMMIT_H
#define MAUI_SERVER_COMMIT_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>

struct request;
struct server;

int commit_open(struct server *s, struct err *err);
/* For the last time, while resource managers and clients still hear of it. */
void commit_finish(struct server *s);
void commit_close(struct server *s);
/* -1 with the reason while commits fail: what need not be begun is not. */
int commit_possible(struct server *s, struct err *err);
void commit_want(struct server *s);
/* Send this reply when all that was changed so far is on the disk; at once in a copy
 * that tries, where nothing ever is. */
void commit_then_reply(struct server *s, struct request *r, json_t *body);
bool commit_is_failing(const struct server *s);
/* The state cannot be written: who waits is told, nothing is ordered until it can be.
 */
void commit_failed(struct server *s, const struct err *err);
/* No reply waits for it, and it does not fail. */
bool commit_is_idle(const struct server *s);

#endif
