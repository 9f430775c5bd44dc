/* SPDX-License-Identifier: Apache-2.0
 * The journal turned into decisions again: an engine is told line by line what the one
 * of then was told, and each decision is compared with the recorded one. Needs no
 * daemon, clock or resource manager. */
#ifndef MAUI_SERVER_REPLAY_H
#define MAUI_SERVER_REPLAY_H

#include "base/err.h"
#include "config/config.h"
#include "engine/engine.h"

#include <jansson.h>
#include <stdint.h>

struct replay;

struct replay_count {
    uint64_t lines, lives, events, cycles;
    uint64_t decisions;   /* as replayed */
    uint64_t differences; /* lines whose decisions differ, or that cannot be done */
    uint64_t skipped;     /* lines before the first begin of a life */
    int64_t first, last;  /* numbers of the lines replayed */
};

/* Of a life that is looked at, besides compared: statistics are kept, and `before` is
 * called before each event is told, and after each cycle with what that decided. Set
 * before the first line. Either may be NULL. */
struct replay_look {
    void (*before)(void *ctx, const struct event *ev);
    void (*decided)(void *ctx, int64_t now, const struct actions *all);
    void *ctx;
};

struct replay *replay_create(void);
void replay_destroy(struct replay *r);
void replay_look(struct replay *r, const struct replay_look *look);

/* Of the life that has begun: borrowed, and others with the next line. */
struct engine *replay_engine(const struct replay *r);
struct config *replay_config(const struct replay *r);

/* The next line. What it decides now becomes *ret_decided (a new reference; may be
 * NULL). 1 = the same as recorded, or nothing to compare. 0 = it differs, and `why`
 * says how: recorded and replayed. -1 = the line cannot be read, with a sentence; the
 * next one can be tried. */
int replay_line(
    struct replay *r, int64_t seq, json_t *line, json_t **ret_decided, struct err *why);

const struct replay_count *replay_count(const struct replay *r);

/* The `maui replay` command. */
int replay_main(int argc, char **argv);

#endif
