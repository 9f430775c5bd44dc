/* SPDX-License-Identifier: Apache-2.0
 * How often the process may be copied. */
#include "server/whatif/pace.h"

uint64_t pace_wait_us(const struct pace *p, uint64_t now_us)
{
    uint64_t from_us = now_us + PACE_BURST_US;

    return p->paid_us > from_us ? p->paid_us - from_us : 0;
}

void pace_spend(struct pace *p, uint64_t now_us, uint64_t took_us)
{
    if (p->paid_us < now_us)
        p->paid_us = now_us;
    p->paid_us += PACE_PAUSE * took_us;
}
