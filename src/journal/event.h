/* SPDX-License-Identifier: Apache-2.0
 * Events and decisions of the engine as JSON, out and in: all that is needed to do the
 * same again. */
#ifndef MAUI_JOURNAL_EVENT_H
#define MAUI_JOURNAL_EVENT_H

#include "cluster/memory.h"
#include "config/config.h"
#include "engine/engine.h"
#include "records/reader.h"

/* {"event":"submit", "at":1764, ...}; a new reference. `c`: what indexes in drafts
 * mean. Of settings the text of `config` is written, which they were made from. */
json_t *journal_event(
    const struct cluster *c, const struct config *config, const struct event *ev);

/* An event read back; everything in `ev` lives as long as this. */
struct journal_read {
    struct event ev;
    struct reader reader;
    struct job_memory memory;
    struct rsv_memory instance;
    struct trigger_list triggers;
    struct reservation draft;
    struct config *config; /* owned: of EVENT_SETTINGS. Taken over by setting NULL */
};

/* Credentials and names that are new in drafts are created in `c`. -1 with the member
 * that is wrong. journal_read_close() in both cases. */
int journal_read(struct journal_read *r, const char *name, json_t *line,
    struct cluster *c, struct err *err);
void journal_read_close(struct journal_read *r);

/* One text each: "start 12 on n1*3:2 backfill", "defer 7 until 1764: no node ...". A
 * piece of an allocation is its first node, how many from there on, tasks on each. A
 * new reference. */
json_t *journal_decisions(
    const struct cluster *c, int64_t now, const struct actions *decided);

/* The configuration's text, as journalled. */
json_t *journal_config(const struct config *config);
struct config *journal_read_config(const json_t *text);

#endif
