/* SPDX-License-Identifier: Apache-2.0
 * Nodes that jobs left not long ago. What is measured there comes late: a job that
 * hardly ran may be seen after it ended. Whoever is first in the queue keeps its claim
 * to such nodes for that time.
 *
 *     job ends ---------- late ----------> forgotten, unless more is measured there
 *              |<-- LEAVING_S at most ---------------->| than its jobs explain */
#ifndef MAUI_ENGINE_LEAVING_H
#define MAUI_ENGINE_LEAVING_H

#include <stdbool.h>
#include <stdint.h>

struct cluster;
struct job;

struct leaving;

struct leaving *leaving_create(void);
void leaving_destroy(struct leaving *l);

/* Somebody tells what is in use: before that nothing is noted. */
void leaving_measures(struct leaving *l);
/* The job is about to leave its nodes. O(pieces of its allocation). */
void leaving_note(struct leaving *l, const struct job *j, int64_t now);
/* A cycle begins; `late_s`: how long any job is waited for. O(those noted) and their
 * nodes. */
void leaving_look(
    struct leaving *l, const struct cluster *c, int64_t now, int64_t late_s);
/* As of that look: is a job measured yet on nodes that one left? */
bool leaving_any(const struct leaving *l);

#endif
