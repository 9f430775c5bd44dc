/* SPDX-License-Identifier: Apache-2.0
 * The two passes over candidates: by priority without those that need no look; then
 * backfill, which leaves them out where it goes by the order of the queue. */
#ifndef MAUI_ENGINE_PASSES_H
#define MAUI_ENGINE_PASSES_H

#include "engine/queue/queue.h"

struct engine;

void pass_priority(
    struct engine *e, const struct queue_view *jobs, enum limit_level level);
void pass_backfill(
    struct engine *e, const struct queue_view *jobs, enum limit_level level);

#endif
