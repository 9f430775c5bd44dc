/* SPDX-License-Identifier: Apache-2.0
 * The life of what files that plan by count share. */
#include "plan/counted/counted.h"

#include "plan/counted/counted_private.h"
#include "plan/counted/search.h"
#include "plan/counted/small_pools.h"

struct counted *counted_create(const struct counted_uses *uses)
{
    struct counted *ct = xcalloc(1, sizeof *ct);

    ct->c = uses->c;
    ct->now = uses->now;
    ct->version = uses->version;
    ct->closures = uses->closures;
    ct->pools = uses->pools;
    ct->fits = uses->fits;
    ct->reserved = uses->reserved;
    ct->view = uses->view;
    ct->small = small_pools_create();
    ct->merged_sum = merged_sum_create();
    ct->search = search_memory_create();
    unsettled_all(&ct->unsettled);
    return ct;
}

void counted_destroy(struct counted *ct)
{
    if (!ct)
        return;
    search_memory_destroy(ct->search);
    merged_sum_destroy(ct->merged_sum);
    small_pools_destroy(ct->small);
    unsettled_fini(&ct->unsettled);
    free(ct);
}

void counted_forget(struct counted *ct)
{
    unsettled_all(&ct->unsettled);
    merged_sum_forget(ct->merged_sum);
}
