/* SPDX-License-Identifier: Apache-2.0
 * The changes of all merged pools of a kind, sorted by time and summed. */
#include "plan/counted/merged_sum.h"

#include "plan/counted/profile.h"
#include "plan/pools/pools.h"

#include <stdlib.h>

/* So many more are free from then on. */
struct change {
    int64_t at, units;
};

struct kind_sum {
    struct profile sum;
    int64_t free;                      /* at first */
    struct VEC(struct change) changes; /* while it is being made */
};

struct merged_sum {
    bool known;                        /* as of: */
    uint64_t stamp;                    /* of the pools */
    struct VEC(struct kind_sum) kinds; /* those of no pool are empty */
};

struct merged_sum *merged_sum_create(void)
{
    return xcalloc(1, sizeof(struct merged_sum));
}

void merged_sum_destroy(struct merged_sum *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->kinds.n; i++) {
        profile_fini(&m->kinds.v[i].sum);
        vec_fini(&m->kinds.v[i].changes);
    }
    vec_fini(&m->kinds);
    free(m);
}

void merged_sum_forget(struct merged_sum *m)
{
    m->known = false;
}

static int compare_changes(const void *a, const void *b)
{
    const struct change *x = a, *y = b;

    return (x->at > y->at) - (x->at < y->at);
}

bool merged_sum_known(const struct merged_sum *m, uint64_t stamp)
{
    return m->known && m->stamp == stamp;
}

void merged_sum_begin(struct merged_sum *m, uint32_t kinds)
{
    while (m->kinds.n < kinds) {
        vec_push(&m->kinds, (struct kind_sum){0});
        profile_init(&m->kinds.v[m->kinds.n - 1].sum);
    }
    for (uint32_t i = 0; i < m->kinds.n; i++) {
        m->kinds.v[i].free = 0;
        m->kinds.v[i].changes.n = 0;
    }
}

void merged_sum_add(struct merged_sum *m, uint32_t kind, const struct profile *work)
{
    struct kind_sum *k = &m->kinds.v[kind];

    k->free += work->free[0];
    for (uint32_t i = 1; i < work->n; i++)
        vec_push(&k->changes,
            ((struct change){work->at[i], work->free[i] - work->free[i - 1]}));
}

void merged_sum_end(struct merged_sum *m, int64_t now, uint64_t stamp)
{
    for (uint32_t i = 0; i < m->kinds.n; i++) {
        struct kind_sum *k = &m->kinds.v[i];
        int64_t free = k->free;
        if (k->changes.n)
            qsort(k->changes.v, k->changes.n, sizeof *k->changes.v, compare_changes);
        profile_reset(&k->sum, now, (int32_t)free);
        for (size_t n = 0; n < k->changes.n; n++) {
            free += k->changes.v[n].units;
            profile_append(&k->sum, k->changes.v[n].at, (int32_t)free);
        }
    }
    m->known = true;
    m->stamp = stamp;
}

const struct profile *merged_sum_of(const struct merged_sum *m, uint32_t kind)
{
    return &m->kinds.v[kind].sum;
}

void merged_sum_take(struct merged_sum *m, const struct pool *pool, int64_t start,
    int64_t end, int32_t units)
{
    if (m->known && pool->from > INT64_MIN)
        profile_claim(&m->kinds.v[pool->kind].sum, start, end, units);
}

void merged_sum_advance(struct merged_sum *m, int64_t now)
{
    for (size_t i = 0; m->known && i < m->kinds.n; i++)
        profile_advance(&m->kinds.v[i].sum, now);
}
