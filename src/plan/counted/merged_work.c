/* SPDX-License-Identifier: Apache-2.0
 * The profiles of all merged pools, added up by kind. */
#include "plan/counted/merged_work.h"

#include "plan/counted/counted_private.h"

const struct profile *merged_work(struct counted *ct, uint32_t kind)
{
    struct merged_sum *m = ct->merged_sum;
    uint32_t n = pools_merged_count(ct->pools);

    if (!merged_sum_known(m, pools_stamp(ct->pools))) {
        merged_sum_begin(m, n);
        for (uint32_t i = 0; i < n; i++) {
            struct pool *merged = pools_merged(ct->pools, i);
            merged_sum_add(m, merged->kind, work_of(ct, merged));
        }
        merged_sum_end(m, *ct->now, pools_stamp(ct->pools));
    }
    return merged_sum_of(m, kind);
}
