/* SPDX-License-Identifier: Apache-2.0
 * See bankhealth.h. */
#include "server/durable/bankhealth.h"

#define PAUSE_MIN UINT64_C(1000000)
#define PAUSE_MAX (300 * PAUSE_MIN)

uint64_t bankhealth_longer(uint64_t pause_us)
{
    pause_us = pause_us ? pause_us * 2 : PAUSE_MIN;
    return pause_us < PAUSE_MAX ? pause_us : PAUSE_MAX;
}

bool bankhealth_is_paused(const struct bankhealth *h, uint64_t now)
{
    return h->failing && h->retry_us > now;
}

void bankhealth_fail(struct bankhealth *h, uint64_t now)
{
    if (bankhealth_is_paused(h, now))
        return; /* of others that were asked before */
    h->pause_us = bankhealth_longer(h->pause_us);
    h->retry_us = now + h->pause_us;
    h->failing = true;
}

void bankhealth_mark(struct bankhealth *h)
{
    h->answers_before = h->answers;
}

void bankhealth_miss(struct bankhealth *h, uint64_t answers, uint64_t now)
{
    bool others = h->answers > h->answers_before || h->answers > answers;

    bankhealth_mark(h);
    if (!others)
        bankhealth_fail(h, now);
}

void bankhealth_answer(struct bankhealth *h)
{
    h->failing = false;
    h->pause_us = h->retry_us = 0;
}

void bankhealth_hurry(struct bankhealth *h)
{
    h->pause_us = h->retry_us = 0;
}
