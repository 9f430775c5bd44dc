/* SPDX-License-Identifier: Apache-2.0
 * See orders.h. */
#include "plan/search/orders.h"

#include "base/timeval.h"

#include <math.h>
#include <stdbool.h>

/* Smaller comes first. */
typedef double key_fn(const struct wishes *w, const struct wish *j, double place);

static double wait_of(const struct wishes *w, const struct wish *j)
{
    return w->now > j->since ? (double)(w->now - j->since) : 0;
}

static double expected_run(const struct wish *j)
{
    return j->run_s > 1 ? j->run_s : 1;
}

static double key_present(const struct wishes *w, const struct wish *j, double place)
{
    (void)w;
    (void)j;
    return place;
}

static double key_marginal(const struct wishes *w, const struct wish *j, double place)
{
    (void)place;
    return -(j->weight * (wait_of(w, j) + 1)) / (expected_run(j) * j->units);
}

/* Smith's rule for bounded slowdown. */
static double key_smith(const struct wishes *w, const struct wish *j, double place)
{
    (void)w;
    (void)place;
    return -j->short_run / (expected_run(j) * j->units);
}

static double key_area(const struct wishes *w, const struct wish *j, double place)
{
    (void)w;
    (void)place;
    return expected_run(j) * j->units;
}

static double key_time(const struct wishes *w, const struct wish *j, double place)
{
    (void)w;
    (void)place;
    return expected_run(j);
}

static double key_expansion(const struct wishes *w, const struct wish *j, double place)
{
    (void)place;
    return -(wait_of(w, j) + expected_run(j)) / expected_run(j);
}

static double key_wfp3(const struct wishes *w, const struct wish *j, double place)
{
    (void)place;
    double ratio = wait_of(w, j) / expected_run(j);

    return -ratio * ratio * ratio * j->units;
}

static double key_arrival(const struct wishes *w, const struct wish *j, double place)
{
    (void)w;
    (void)place;
    return (double)j->since;
}

static double key_width(const struct wishes *w, const struct wish *j, double place)
{
    (void)w;
    (void)place;
    return j->units;
}

static double key_unicep(const struct wishes *w, const struct wish *j, double place)
{
    (void)place;
    return -wait_of(w, j) / (expected_run(j) * log2(j->units > 1 ? j->units : 1.01));
}

static double key_promise(const struct wishes *w, const struct wish *j, double place)
{
    (void)w;
    return j->latest < TIME_NEVER ? (double)j->latest : 1e18 + place;
}

static const struct {
    key_fn *key;
    bool by_site; /* `place` is that in the site's order */
    bool across;  /* bands do not count */
} orders[] = {{key_present, false, false}, {key_present, true, true},
    {key_marginal, false, false}, {key_smith, false, false}, {key_area, false, false},
    {key_time, false, false}, {key_expansion, false, false}, {key_wfp3, false, false},
    {key_arrival, false, false}, {key_width, false, false}, {key_unicep, false, false},
    {key_promise, false, true}};

unsigned orders_count(void)
{
    return sizeof orders / sizeof orders[0];
}

struct keyed {
    double key;
    uint32_t band, place, wish;
};

static int compare_keyed(const void *left, const void *right)
{
    const struct keyed *a = left, *b = right;

    if (a->band != b->band)
        return a->band > b->band ? -1 : 1;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

void orders_sort(const struct wishes *w, unsigned which, const uint32_t *present,
    const uint32_t *site, uint32_t *ret)
{
    const uint32_t *by = orders[which].by_site ? site : present;
    size_t n = w->v.n;
    struct keyed *k = xcalloc(n + 1, sizeof *k);

    for (uint32_t i = 0; i < n; i++) {
        const struct wish *j = &w->v.v[by[i]];
        k[i] = (struct keyed){.key = orders[which].key(w, j, i),
            .band = orders[which].across ? 0 : j->band,
            .place = i,
            .wish = by[i]};
    }
    qsort(k, n, sizeof *k, compare_keyed);
    for (size_t i = 0; i < n; i++)
        ret[i] = k[i].wish;
    free(k);
}
