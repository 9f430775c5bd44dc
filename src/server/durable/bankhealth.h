/* SPDX-License-Identifier: Apache-2.0
 * Whether a bank that is elsewhere answers, in all or about one account: pauses that
 * grow while it does not, and one try after each. Instants are microseconds of a clock
 * that only goes on. Private to src/server. */
#ifndef MAUI_SERVER_BANKHEALTH_H
#define MAUI_SERVER_BANKHEALTH_H

#include <stdbool.h>
#include <stdint.h>

/* All 0: nothing is known to be wrong. */
struct bankhealth {
    bool failing;
    bool probing; /* the one try is under way; the owner's to set and to clear */
    uint64_t pause_us, retry_us;
    uint64_t answers;        /* how often something was answered about what was asked */
    uint64_t answers_before; /* ... when something last was not */
};

/* The next of a row of pauses: 1 s, twice as long each time, 5 minutes at most. */
uint64_t bankhealth_longer(uint64_t pause_us);

bool bankhealth_is_paused(const struct bankhealth *h, uint64_t now);

/* It did not answer. Within a pause that is the same silence. */
void bankhealth_fail(struct bankhealth *h, uint64_t now);
/* It did not answer one question, which it got when it had given so many answers. Where
 * it answered others since then, or since it last failed, that says nothing of it. */
void bankhealth_miss(struct bankhealth *h, uint64_t answers, uint64_t now);
/* Something did not get through; how the others are is judged from here on. */
void bankhealth_mark(struct bankhealth *h);
void bankhealth_answer(struct bankhealth *h);
/* Somebody knows that it is there again: it is tried without a pause. */
void bankhealth_hurry(struct bankhealth *h);

#endif
