/* SPDX-License-Identifier: Apache-2.0
 * Whose turn it is where all places are taken: who is refused stands in line, and until
 * he has asked again a place that comes free is his. So users that ask one question
 * after the other keep nobody out. A rule of nothing but its arguments. Private to
 * src/server. */
#ifndef MAUI_SERVER_STANDBY_H
#define MAUI_SERVER_STANDBY_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* So long somebody is waited for who does not ask again. */
#define STANDBY_PATIENCE_US (UINT64_C(15) * 1000 * 1000)
/* More do not stand in line. */
#define STANDBY_MOST 64

struct in_line {
    uid_t uid;
    bool lives; /* each method has places, and a line, of its own */
    uint64_t asked_us;
};

struct standby {
    struct VEC(struct in_line) v; /* in the order in which they came; starts as 0 */
};

void standby_fini(struct standby *t);
/* How many stand in line before this one, who may not. */
unsigned standby_before(struct standby *t, uid_t uid, bool lives, uint64_t now_us);
/* Was refused: stands in line, where he did before. */
void standby_wait(struct standby *t, uid_t uid, bool lives, uint64_t now_us);
/* Has a place. */
void standby_leave(struct standby *t, uid_t uid, bool lives);

#endif
