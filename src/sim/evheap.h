/* SPDX-License-Identifier: Apache-2.0
 * Job ends to come, the earliest first; of one instant, in order of their starts. */
#ifndef MAUI_SIM_EVHEAP_H
#define MAUI_SIM_EVHEAP_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct ev {
    int64_t at;
    uint32_t seq; /* rises with every push: breaks ties */
    uint32_t job;
};

/* A zeroed struct is an empty heap. */
struct evheap {
    struct VEC(struct ev) heap; /* 4-ary: children of i are 4i+1 .. 4i+4 */
};

void evheap_fini(struct evheap *h);

/* O(log n). */
void evheap_push(struct evheap *h, struct ev e);
struct ev evheap_pop(struct evheap *h); /* of a heap that is not empty */

static inline bool evheap_empty(const struct evheap *h)
{
    return h->heap.n == 0;
}

static inline const struct ev *evheap_top(const struct evheap *h)
{
    return &h->heap.v[0];
}

#endif
