/* SPDX-License-Identifier: Apache-2.0
 * What all merged pools of one kind of nodes have free together, whatever reservations
 * they are under: no job finds more than that, so a search among them needs to look at
 * each of them only where all of them together have enough. Kept in step while a plan
 * is made. */
#include "plan/plan_private.h"

#include <stdlib.h>

/* So many more are free from then on. */
struct change {
    int64_t at, units;
};
struct changes VEC(struct change);

static int compare_changes(const void *a, const void *b)
{
    const struct change *x = a, *y = b;

    return (x->at > y->at) - (x->at < y->at);
}

static void add_changes(const struct profile *work, struct changes *io)
{
    for (uint32_t i = 1; i < work->n; i++)
        vec_push(io, ((struct change){work->at[i], work->free[i] - work->free[i - 1]}));
}

static void build_sum(struct plan *p, struct pool *kind, struct changes *scratch)
{
    int64_t free = 0;

    scratch->n = 0;
    for (size_t i = 0; i < p->merged_pools.n; i++) {
        struct pool *merged = &p->merged_pools.v[i];
        if (merged->kind != kind->index)
            continue;
        const struct profile *work = count_work(p, merged);
        free += work->free[0];
        add_changes(work, scratch);
    }
    if (scratch->n)
        qsort(scratch->v, scratch->n, sizeof *scratch->v, compare_changes);
    profile_reset(&kind->sum_of_kind, p->now, (int32_t)free);
    for (size_t i = 0; i < scratch->n; i++) {
        free += scratch->v[i].units;
        profile_append(&kind->sum_of_kind, scratch->v[i].at, (int32_t)free);
    }
}

const struct profile *merged_sum_of(struct plan *p, uint32_t kind)
{
    struct changes scratch = {0};
    uint64_t stamp = p->admitted + p->layout;

    if (!p->merged_sum_known || p->merged_sum_stamp != stamp)
        for (size_t i = 0; i < p->merged_pools.n; i++)
            if (p->merged_pools.v[i].kind == i)
                build_sum(p, &p->merged_pools.v[i], &scratch);
    p->merged_sum_known = true;
    p->merged_sum_stamp = stamp;
    vec_fini(&scratch);
    return &p->merged_pools.v[kind].sum_of_kind;
}

void merged_sum_take(
    struct plan *p, const struct pool *pool, int64_t start, int64_t end, int32_t units)
{
    if (p->merged_sum_known && pool->from > INT64_MIN)
        profile_claim(&p->merged_pools.v[pool->kind].sum_of_kind, start, end, units);
}

void merged_sum_advance(struct plan *p)
{
    for (size_t i = 0; p->merged_sum_known && i < p->merged_pools.n; i++)
        if (p->merged_pools.v[i].kind == i)
            profile_advance(&p->merged_pools.v[i].sum_of_kind, p->now);
}
