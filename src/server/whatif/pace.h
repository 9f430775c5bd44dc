/* SPDX-License-Identifier: Apache-2.0
 * How often the process may be copied: the loop stands still for each copy, whoever
 * asks. A rule of nothing but its arguments. Private to src/server. */
#ifndef MAUI_SERVER_PACE_H
#define MAUI_SERVER_PACE_H

#include <stdint.h>

/* For each microsecond of copying so many pass until the next; and copies whose pauses
 * come to PACE_BURST_US may follow each other at once, so of a small process hardly
 * anybody is made to wait. */
#define PACE_PAUSE    20
#define PACE_BURST_US (UINT64_C(1000) * 1000)

struct pace {
    uint64_t paid_us; /* when all copies so far are made up for; starts as 0 */
};

/* Microseconds until another copy may be made; 0 = now. */
uint64_t pace_wait_us(const struct pace *p, uint64_t now_us);
/* One was made, which took so long. */
void pace_spend(struct pace *p, uint64_t now_us, uint64_t took_us);

#endif
