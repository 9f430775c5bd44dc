/* SPDX-License-Identifier: Apache-2.0
 * Orders to begin a search with: by something that often makes a good plan, each within
 * bands. Source: reference plan-search, section 3 (6); scheduling-algorithms, 3 and 6.
 *
 *     which    0 present plan within bands   1 site   2 marginal cost   3 Smith's rule
 *              4 area   5 time   6 expansion   7 WFP3   8 arrival   9 width   10 UNICEP
 *              11 promises that are tight first, then the present plan */
#ifndef MAUI_PLAN_SEARCH_ORDERS_H
#define MAUI_PLAN_SEARCH_ORDERS_H

#include "plan/search/wishes.h"

unsigned orders_count(void);
/* Indexes of wishes into *ret. Ties stay as in `present`. O(n log n). */
void orders_sort(const struct wishes *w, unsigned which, const uint32_t *present,
    const uint32_t *site, uint32_t *ret);

#endif
