/* SPDX-License-Identifier: Apache-2.0
 * What lists show, by revision: who has a list asks what is different since.
 *
 *     touched ---> last, with the next number ---> committed: told to readers
 *
 *     [job 4711: 17] [node n3: 18] [job 4712: 21] [reservation ann.0: 22]
 *      first kept                                               last
 *
 * An object is there once, at the place of its last change. Where nobody reads no more
 * than numbers are kept. That priorities and waits grow is no change. Private to
 * src/server. */
#ifndef MAUI_SERVER_FEED_H
#define MAUI_SERVER_FEED_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct server;

enum feed_kind { FEED_JOB, FEED_NODE, FEED_RESERVATION, FEED_KINDS };

/* "job", "node", "reservation". */
const char *feed_kind_name(enum feed_kind k);

/* That of an object: it is as it is now, or gone. Borrowed until something is touched.
 */
struct feed_change {
    enum feed_kind kind;
    const char *id;
    uint64_t revision;
};

void feed_open(struct server *s);
void feed_close(struct server *s);

/* It came, is other than before, or went. O(1). */
void feed_touch(struct server *s, enum feed_kind kind, const char *id);
/* The world is another one: so is all that was told of it. */
void feed_moved(struct server *s);
/* The plan, or a forecast, may be another. */
void feed_planned(struct server *s);
/* What was touched is on the disk: it may be told. */
void feed_committed(struct server *s);

/* Of what is committed. */
uint64_t feed_revision(const struct server *s);
/* Of the last change of an object of that kind, committed or not. */
uint64_t feed_last(const struct server *s, enum feed_kind kind);
/* How often the plan may have become another. */
uint64_t feed_plan(const struct server *s);

/* Readers, while there are some: changes are kept from now on, and for a minute after
 * the last of them left. `wake` is called when there is something to read, 4 times a
 * second at most. */
int feed_join(struct server *s, void (*wake)(struct server *s), struct err *err);
void feed_leave(struct server *s);

/* Are all changes after that revision kept? */
bool feed_reaches(const struct server *s, uint64_t since);
/* The first of those that are committed, `max` at most; returns how many. O(later
 * ones). */
size_t feed_since(
    const struct server *s, uint64_t since, struct feed_change *ret, size_t max);

#endif
