/* SPDX-License-Identifier: Apache-2.0
 * Whatever may give a job its nodes, other than what ends: nodes come back,
 * reservations and settings change. A job that was deferred for want of nodes is tried
 * again when that has happened, before its time.
 *
 *     job.deferred_in   5             the stamp of then: other than now, so try it
 *     world_stamp()     5 -> 6        never falls */
#ifndef MAUI_ENGINE_WORLD_H
#define MAUI_ENGINE_WORLD_H

#include <stdbool.h>
#include <stdint.h>

struct engine;
struct job;

/* Of the engine. */
struct world_seen {
    uint64_t applied; /* events so far */
    uint64_t seen;    /* world_stamp() of the last cycle */
    bool reordered;   /* reservations or settings changed by order since */
};

uint64_t world_stamp(const struct engine *e);
#define WORLD_BEFORE UINT64_MAX /* of before a restart: taken to be that of now */

/* It was deferred as it could not have its nodes, and the world has changed since: to
 * be tried before its time. */
bool world_invites(const struct engine *e, const struct job *j);

#endif
