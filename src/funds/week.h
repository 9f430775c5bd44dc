/* SPDX-License-Identifier: Apache-2.0
 * Rates by time of day: windows of the week, each with a factor of what is charged in
 * it. Where windows lie on one another the first in the list counts; outside of all of
 * them the factor is 1.
 *
 *     Mon-Fri@08:00-18:00*2,Sat|Sun*0.5,22:00-06:00*0.25
 *
 * Hours are those of the clock on the wall; a window that ends before it begins goes on
 * into the next day. Whole numbers only: factors are 1/1,000,000 (funds/price.h). */
#ifndef MAUI_FUNDS_WEEK_H
#define MAUI_FUNDS_WEEK_H

#include "base/err.h"
#include "base/vec.h"
#include "base/zone.h"

#include <stdint.h>

struct week_window {
    uint8_t days;         /* bit 0 = Sunday: those on which it begins */
    int32_t from_s, to_s; /* of the day; to_s up to 24 hours after from_s */
    int64_t factor;
};
struct week_windows VEC(struct week_window);

/* Both are inverses, but for the way in which days are written. 64 windows at most,
 * with factors up to 1000: what they weigh can be counted for centuries. */
int week_parse(const char *text, struct week_windows *ret, struct err *err);
char *week_text(const struct week_windows *windows); /* owned */
void week_fini(struct week_windows *windows);

/* Windows laid out over time. It remembers what it has laid out, so that asking for the
 * price of many jobs costs O(log days) each; days are laid out once, O(windows^2) each.
 */
struct week;

/* Both are borrowed. */
struct week *week_create(const struct week_windows *windows, struct zone zone);
void week_destroy(struct week *w); /* NULL is allowed */

/* The factor that counts at that instant. */
int64_t week_factor(struct week *w, int64_t at);

/* The next instant after `at` at which another may count; INT64_MAX = never. */
int64_t week_next(struct week *w, int64_t at);

/* Seconds of [from, to) times the factor of each: 1/1,000,000 s. The first 60 days are
 * exact; what is beyond goes by the mean of the last week of those. */
int64_t week_weigh(struct week *w, int64_t from, int64_t to);

#endif
