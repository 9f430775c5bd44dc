/* SPDX-License-Identifier: Apache-2.0
 * See lengths.h. */
#include "engine/prediction/lengths.h"

#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct lengths {
    uint32_t most;
    uint64_t n; /* ever */
    int64_t run_s[];
};

struct lengths *lengths_create(uint32_t most)
{
    struct lengths *l = xcalloc(1, sizeof *l + most * sizeof l->run_s[0]);

    l->most = most;
    return l;
}

void lengths_destroy(struct lengths *l)
{
    free(l);
}

void lengths_note(struct lengths *l, int64_t run_s)
{
    l->run_s[l->n++ % l->most] = run_s;
}

uint32_t lengths_known(const struct lengths *l)
{
    return l->n < l->most ? (uint32_t)l->n : l->most;
}

static int compare_lengths(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

int64_t lengths_quantile(const struct lengths *l, double share)
{
    uint32_t n = lengths_known(l);

    if (n == 0)
        return 0;
    int64_t *sorted = xcalloc(n, sizeof *sorted);
    memcpy(sorted, l->run_s, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare_lengths);
    double rank = ceil(share * n);
    int64_t run_s = sorted[rank < 1 ? 0 : rank < n ? (uint32_t)rank - 1 : n - 1];
    free(sorted);
    return run_s;
}
