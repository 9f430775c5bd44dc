/* SPDX-License-Identifier: Apache-2.0
 * The life of what files that plan by count share. */
#include "plan/counted/counted.h"

#include "base/xalloc.h"
#include "plan/counted/counted_private.h"
#include "plan/counted/from_now.h"
#include "plan/counted/search.h"
#include "plan/counted/small_pools.h"

/* But for what is copied of another, or made anew. */
static struct counted *begin(const struct counted_uses *uses)
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
    ct->merged_sum = merged_sum_create();
    ct->search = search_memory_create();
    ct->wholes = whole_partitions_create();
    unsettled_all(&ct->unsettled);
    return ct;
}

struct counted *counted_create(const struct counted_uses *uses)
{
    struct counted *ct = begin(uses);

    ct->small = small_pools_create();
    count_begin(ct);
    return ct;
}

struct counted *counted_fork(
    const struct counted *from, const struct counted_uses *uses)
{
    struct counted *ct = begin(uses);

    ct->small = small_pools_copy(from->small);
    count_copy(ct, from);
    ct->original = from;
    ct->shared_sets = fits_sets(from->fits);
    return ct;
}

void counted_destroy(struct counted *ct)
{
    if (!ct)
        return;
    whole_partitions_destroy(ct->wholes);
    search_memory_destroy(ct->search);
    merged_sum_destroy(ct->merged_sum);
    small_pools_destroy(ct->small);
    unsettled_fini(&ct->unsettled);
    set_memory_forget(ct);
    vec_fini(&ct->sets);
    count_end(ct);
    free(ct);
}

void counted_forget(struct counted *ct)
{
    unsettled_all(&ct->unsettled);
    merged_sum_forget(ct->merged_sum);
    set_memory_forget(ct);
    ct->original = NULL;
    ct->shared_sets = 0;
    count_begin(ct);
}
