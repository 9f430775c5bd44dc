/* SPDX-License-Identifier: Apache-2.0
 * Which reservations of waiting jobs the shell was told of, and which it has saved, so
 * that it hears of those that are new, moved or gone, and of nothing twice.
 *
 *     by job:  told_at (0 = it was not)   saved_at (as the job was when last saved) */
#ifndef MAUI_ENGINE_TOLD_H
#define MAUI_ENGINE_TOLD_H

#include <stdint.h>

struct engine;
struct told;

struct told *told_create(void);
void told_destroy(struct told *t);

/* The job is gone: another may get its index. */
void told_forget(struct told *t, uint32_t job);
/* The shell saves the job, whose reservation begins at `at` (0 = it has none). */
void told_saved(struct told *t, uint32_t job, int64_t at);
/* At the end of a cycle: what changed becomes actions and engine_changed(). First those
 * that are gone. O(reservations). */
void told_report(struct told *t, struct engine *e);

#endif
