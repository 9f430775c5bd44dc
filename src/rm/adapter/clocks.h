/* SPDX-License-Identifier: Apache-2.0
 * How far another machine's clock is ahead of this one's, from what it answers. */
#ifndef MAUI_RM_ADAPTER_CLOCKS_H
#define MAUI_RM_ADAPTER_CLOCKS_H

#include <stdint.h>
#include <time.h>

#define CLOCKS_FAR_S 3 /* further apart somebody is told */

/* Seconds; negative: behind. `ahead_s` is what was believed so far, `told` the other's
 * instant in its answer, `asked` and `answered` ours before and after. It was said at
 * any moment between these, and instants are of whole seconds: what is believed stays
 * as long as it may be so, however late the answer came, and is put right by no more
 * than is certain. A difference of one second is none. Where our clock was set back
 * meanwhile nothing is learnt. */
static inline int64_t clocks_ahead(
    int64_t ahead_s, time_t asked, time_t told, time_t answered)
{
    int64_t least = (int64_t)told - answered - 1, most = (int64_t)told - asked + 1;

    if (answered < asked || (ahead_s >= least && ahead_s <= most))
        return ahead_s;
    ahead_s = ahead_s < least ? least + 1 : most - 1;
    return ahead_s >= -1 && ahead_s <= 1 ? 0 : ahead_s;
}

#endif
