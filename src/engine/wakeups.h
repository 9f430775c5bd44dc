/* SPDX-License-Identifier: Apache-2.0
 * When the engine is to be woken: the next instant at which something changes by
 * itself. What is noted holds until the next cycle notes anew.
 *
 *     a cycle begins: nothing -> earliest of all that is noted -> wakeups_next()
 *
 * Deferrals are many and may end one after the other, so those that follow one that
 * has just ended are waited for together, a poll interval long. */
#ifndef MAUI_ENGINE_WAKEUPS_H
#define MAUI_ENGINE_WAKEUPS_H

#include <stdint.h>

struct engine;
struct wakeups;

struct wakeups *wakeups_create(void);
void wakeups_destroy(struct wakeups *w);

void wakeups_begin_cycle(struct wakeups *w);
/* At that instant, if it is after `now`. */
void wakeups_add(struct wakeups *w, int64_t now, int64_t at);
/* The same, of the engine and its time. */
void wake_at(struct engine *e, int64_t at);
/* A deferral ends at `at`. */
void wakeups_add_deferral(struct wakeups *w, int64_t at);
/* One ended by itself in this cycle. */
void wakeups_deferral_ended(struct wakeups *w, int64_t now);
/* All deferrals are noted. Source: reference holds, section 4. */
void wakeups_end_cycle(struct wakeups *w, int64_t now, int64_t poll_interval_s);
/* TIME_NEVER: nothing changes by itself. */
int64_t wakeups_next(const struct wakeups *w);

#endif
