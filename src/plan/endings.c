/* SPDX-License-Identifier: Apache-2.0
 * A sorted vector: most jobs that start end later than most. */
#include "plan/endings.h"

#include "base/timeval.h"

#include <assert.h>
#include <string.h>

static size_t find_ending(const struct endings *e, int64_t at, uint32_t job)
{
    size_t lo = 0, hi = e->n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (e->v[mid].at < at || (e->v[mid].at == at && e->v[mid].job < job))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

void endings_add(struct endings *e, int64_t at, uint32_t job)
{
    size_t i = find_ending(e, at, job);

    vec_reserve(e, 1);
    memmove(e->v + i + 1, e->v + i, (e->n - i) * sizeof *e->v);
    e->v[i] = (struct ending){at, job};
    e->n++;
}

void endings_remove(struct endings *e, int64_t at, uint32_t job)
{
    size_t i = find_ending(e, at, job);

    assert(i < e->n && e->v[i].job == job);
    vec_remove(e, i);
}

int64_t endings_first(const struct endings *e)
{
    return e->n ? e->v[0].at : TIME_NEVER;
}
