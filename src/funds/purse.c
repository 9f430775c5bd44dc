/* SPDX-License-Identifier: Apache-2.0
 * The order of use. */
#include "funds/purse.h"

#include <stdlib.h>

#define BEFORE(a, b)                                                                   \
    do {                                                                               \
        if ((a) != (b))                                                                \
            return (a) < (b) ? -1 : 1;                                                 \
    } while (0)

static int compare_use(const void *x, const void *y)
{
    const struct purse_deposit *a = x, *b = y;

    BEFORE(a->depth, b->depth);
    BEFORE(a->to_at, b->to_at);
    BEFORE(!a->restricted, !b->restricted);
    BEFORE(a->id, b->id);
    return 0;
}

void purse_sort(struct purse *p)
{
    if (p->n)
        qsort(p->v, p->n, sizeof *p->v, compare_use);
}

int64_t purse_free(const struct purse_deposit *d)
{
    return d->balance + d->credit_limit - d->held;
}

static int64_t fit(__int128 sum)
{
    return sum > INT64_MAX ? INT64_MAX : sum < INT64_MIN ? INT64_MIN : (int64_t)sum;
}

int64_t purse_available(const struct purse *p)
{
    __int128 sum = 0;

    for (size_t i = 0; i < p->n; i++)
        sum += purse_free(&p->v[i]);
    return fit(sum);
}

int64_t purse_held(const struct purse *p)
{
    __int128 sum = 0;

    for (size_t i = 0; i < p->n; i++)
        sum += p->v[i].held;
    return fit(sum);
}

int64_t purse_spread(const struct purse *p, int64_t amount, struct pieces *ret)
{
    for (size_t i = 0; i < p->n && amount > 0; i++) {
        const struct purse_deposit *d = &p->v[i];
        int64_t free = purse_free(d);

        if (free <= 0)
            continue;
        free = free < amount ? free : amount;
        vec_push(ret, ((struct piece){d->id, d->account, free}));
        amount -= free;
    }
    return amount;
}
