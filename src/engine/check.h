/* SPDX-License-Identifier: Apache-2.0
 * For tests. */
#ifndef MAUI_ENGINE_CHECK_H
#define MAUI_ENGINE_CHECK_H

struct engine;

/* Assert that all running sums (limits, fairshare, use of reservations, statistics,
 * what is dedicated, the queue) equal those counted from nothing, between events.
 * O(all). */
void engine_check(struct engine *e);

#endif
