/* SPDX-License-Identifier: Apache-2.0
 * The changes of all merged pools of a kind, sorted by time and summed. */
#include "plan/counted/merged_sum.h"

#include "plan/plan_private.h"

#include <stdlib.h>

struct merged_sum {
    bool known;                         /* as of: */
    uint64_t stamp;                     /* of the pools */
    struct VEC(struct profile) of_kind; /* by kind; others are empty */
};

struct merged_sum *merged_sum_create(void)
{
    return xcalloc(1, sizeof(struct merged_sum));
}

void merged_sum_destroy(struct merged_sum *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->of_kind.n; i++)
        profile_fini(&m->of_kind.v[i]);
    vec_fini(&m->of_kind);
    free(m);
}

void merged_sum_forget(struct merged_sum *m)
{
    m->known = false;
}

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

static void build_sum(
    struct plan *p, uint32_t kind, struct profile *ret, struct changes *scratch)
{
    int64_t free = 0;

    scratch->n = 0;
    for (size_t i = 0; i < pools_merged_count(p->pools); i++) {
        struct pool *merged = pools_merged(p->pools, i);
        if (merged->kind != kind)
            continue;
        const struct profile *work = count_work(p, merged);
        free += work->free[0];
        add_changes(work, scratch);
    }
    if (scratch->n)
        qsort(scratch->v, scratch->n, sizeof *scratch->v, compare_changes);
    profile_reset(ret, p->now, (int32_t)free);
    for (size_t i = 0; i < scratch->n; i++) {
        free += scratch->v[i].units;
        profile_append(ret, scratch->v[i].at, (int32_t)free);
    }
}

const struct profile *merged_sum_of(struct plan *p, uint32_t kind)
{
    struct merged_sum *m = p->merged_sum;
    struct changes scratch = {0};
    uint32_t n = pools_merged_count(p->pools);

    while (m->of_kind.n < n) {
        vec_push(&m->of_kind, (struct profile){0});
        profile_init(&m->of_kind.v[m->of_kind.n - 1]);
    }
    if (!m->known || m->stamp != pools_stamp(p->pools))
        for (uint32_t i = 0; i < n; i++)
            if (pools_merged(p->pools, i)->kind == i)
                build_sum(p, i, &m->of_kind.v[i], &scratch);
    m->known = true;
    m->stamp = pools_stamp(p->pools);
    vec_fini(&scratch);
    return &m->of_kind.v[kind];
}

void merged_sum_take(struct merged_sum *m, const struct pool *pool, int64_t start,
    int64_t end, int32_t units)
{
    if (m->known && pool->from > INT64_MIN)
        profile_claim(&m->of_kind.v[pool->kind], start, end, units);
}

void merged_sum_advance(struct merged_sum *m, int64_t now)
{
    for (size_t i = 0; m->known && i < m->of_kind.n; i++)
        if (m->of_kind.v[i].n)
            profile_advance(&m->of_kind.v[i], now);
}
