/* SPDX-License-Identifier: Apache-2.0
 * A sort of many items that is done in turns, so that nobody waits for all of it:
 *
 *     struct turnsort *t = turnsort_new(sizeof item, compare, ctx);
 *     turnsort_add(t, &item); ...
 *     while (turnsort_more(t, 5000)) ...
 *     items = turnsort_items(t, &n);
 *
 * Items are sorted in runs as they come; then runs are merged two by two. Equal ones
 * stay as they came. */
#ifndef MAUI_BASE_TURNSORT_H
#define MAUI_BASE_TURNSORT_H

#include <stdbool.h>
#include <stddef.h>

#define TURNSORT_RUN 2048 /* items that are sorted at once */

struct turnsort;

typedef int turnsort_compare_fn(const void *a, const void *b, void *ctx);

struct turnsort *turnsort_new(size_t size, turnsort_compare_fn *compare, void *ctx);
void turnsort_free(struct turnsort *t); /* NULL is allowed */

#define TURNSORT_FIRST_MAX (TURNSORT_RUN / 2)
/* Before any is added: only the first `n` in order are wanted (1 to
 * TURNSORT_FIRST_MAX). What is known not to be among them is not kept, so there may be
 * some more; and where some were dropped, fewer. An item then costs a comparison where
 * it is none of them. */
void turnsort_first(struct turnsort *t, size_t n);
/* Would that item be kept, for all that is known? A comparison. */
bool turnsort_wants(const struct turnsort *t, const void *item);

/* Copied; not once turnsort_more() was called. Amortised O(log TURNSORT_RUN). */
void turnsort_add(struct turnsort *t, const void *item);
/* Move up to so many items to their places, with a comparison for each at most, besides
 * the last run that came; false: all are in order. */
bool turnsort_more(struct turnsort *t, size_t items);
/* Has it all that were added, but for those that are gone? Else it is
 * turnsort_first()'s, and some behind the first were not kept. O(1). */
bool turnsort_is_whole(const struct turnsort *t);
/* Drop those that are gone, at any time between turns. O(items). */
void turnsort_drop(struct turnsort *t, bool (*is_gone)(const void *item, void *ctx));
/* Those that are left, in order once turnsort_more() has said so; owned by it. O(1). */
const void *turnsort_items(const struct turnsort *t, size_t *ret_n);

#endif
