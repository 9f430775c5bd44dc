/* SPDX-License-Identifier: Apache-2.0
 * The heartbeat: a file by which a gate, a script within the resource manager, sees
 * that the scheduler lives, and what becomes of jobs that do not wait.
 *
 *     1764081000 busy     seconds since 1970; `immediate` of rm.h, and words of the
 * driver's n1,n2               nodes that such jobs must not have 5 1004 users
 * (numbers) whom the resource manager has as operators
 *
 * Written beside and renamed: a reader never finds half of it. */
#ifndef MAUI_RM_ADAPTER_BEAT_H
#define MAUI_RM_ADAPTER_BEAT_H

#include <stdint.h>

struct beat;

/* For the file of that path, which everybody may read. */
struct beat *beat_new(const char *path);
void beat_destroy(struct beat *b);
void beat_set(struct beat *b, const char *word, const char *nodes);
void beat_set_operators(struct beat *b, const char *numbers);
/* The reader's clock is so many seconds ahead of ours, or (negative) behind: what is
 * written is its time. */
void beat_set_clock(struct beat *b, int64_t ahead_s);
/* 0 or -1 with errno. */
int beat_write(struct beat *b);

#endif
