/* SPDX-License-Identifier: Apache-2.0
 * See misses.h. */
#include "engine/prediction/misses.h"

#include "base/xalloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRM_S 60.0 /* waits are no more exact than that */
/* Quantiles: who waits still is missing among those that have started, so it is a
 * little more than from a tenth to nine. */
#define LOW     0.08
#define HIGH    0.92
#define BLOCKS  (MISSES_KEPT / MISSES_BLOCK)
#define LARGEST 50.0 /* of a logarithm: no wait is so wrong */

struct bucket {
    double values[MISSES_KEPT]; /* a ring */
    uint64_t n;                 /* ever */
    double low, high;           /* quantiles, ... */
    uint64_t known_at;          /* ... when there were so many */
    bool changed[BLOCKS];
};

struct misses {
    struct bucket buckets[MISSES_BUCKETS];
    struct misses_sum sum; /* without the factor */
    bool sum_changed;
};

struct misses *misses_create(void)
{
    return xcalloc(1, sizeof(struct misses));
}

void misses_destroy(struct misses *m)
{
    free(m);
}

/* Half decades of minutes: up to 1, 3.2, 10 ... */
static unsigned bucket_of(int64_t wait_s)
{
    double minutes = (double)wait_s / 60;
    int i = minutes <= 1 ? 0 : (int)ceil(2 * log10(minutes));

    return i < MISSES_BUCKETS ? (unsigned)i : MISSES_BUCKETS - 1;
}

static unsigned known_of(const struct bucket *b)
{
    return b->n < MISSES_KEPT ? (unsigned)b->n : MISSES_KEPT;
}

static void add_value(struct bucket *b, double value)
{
    unsigned at = (unsigned)(b->n % MISSES_KEPT);

    b->values[at] = value;
    b->n++;
    b->changed[at / MISSES_BLOCK] = true;
}

void misses_note(
    struct misses *m, int64_t expected_wait_s, int64_t wait_s, bool told, bool within)
{
    double expected = expected_wait_s > 0 ? (double)expected_wait_s : 0,
           actual = wait_s > 0 ? (double)wait_s : 0;

    add_value(&m->buckets[bucket_of(expected_wait_s)],
        log((actual + FIRM_S) / (expected + FIRM_S)));
    m->sum.n++;
    m->sum.told += told;
    m->sum.within += told && within;
    m->sum_changed = true;
}

static int compare_values(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return a < b ? -1 : a > b;
}

static double quantile_of(const double *sorted, unsigned n, double part)
{
    double at = part * (n - 1);
    unsigned i = (unsigned)at;

    return i + 1 < n ? sorted[i] + (at - i) * (sorted[i + 1] - sorted[i]) : sorted[i];
}

static void look_at_bucket(struct bucket *b)
{
    double sorted[MISSES_KEPT];
    unsigned n = known_of(b);

    if (b->known_at == b->n)
        return;
    memcpy(sorted, b->values, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare_values);
    b->low = quantile_of(sorted, n, LOW);
    b->high = quantile_of(sorted, n, HIGH);
    b->known_at = b->n;
}

static int64_t wait_of(double expected, double quantile)
{
    double s = (expected + FIRM_S) * exp(quantile) - FIRM_S;

    return s > 0 ? (int64_t)s : 0;
}

bool misses_interval(
    struct misses *m, int64_t expected_wait_s, int64_t *ret_from, int64_t *ret_until)
{
    struct bucket *b = &m->buckets[bucket_of(expected_wait_s)];
    double expected = expected_wait_s > 0 ? (double)expected_wait_s : 0;

    if (b->n < MISSES_LEAST)
        return false;
    look_at_bucket(b);
    *ret_from = wait_of(expected, b->low);
    *ret_until = wait_of(expected, b->high);
    return true;
}

struct misses_sum misses_sum(const struct misses *m)
{
    struct misses_sum sum = m->sum;
    double *all = xcalloc((size_t)MISSES_BUCKETS * MISSES_KEPT, sizeof *all);
    unsigned n = 0;

    for (unsigned i = 0; i < MISSES_BUCKETS; i++)
        for (unsigned k = 0; k < known_of(&m->buckets[i]); k++)
            all[n++] = fabs(m->buckets[i].values[k]);
    if (n) {
        qsort(all, n, sizeof *all, compare_values);
        sum.factor = exp(quantile_of(all, n, 0.5));
    }
    free(all);
    return sum;
}

/* ---- records ---- */

bool misses_changed(const struct misses *m)
{
    return m->sum_changed; /* with each value */
}

static struct misses_record record_of(
    const struct bucket *b, uint32_t bucket, uint32_t block)
{
    struct misses_record r = {.bucket = bucket, .block = block, .of = b->n};
    unsigned from = block * MISSES_BLOCK, known = known_of(b);

    r.n = known - from < MISSES_BLOCK ? known - from : MISSES_BLOCK;
    memcpy(r.values, b->values + from, r.n * sizeof *r.values);
    return r;
}

void misses_each(const struct misses *m, void *ctx,
    void (*each)(void *ctx, const struct misses_record *r))
{
    for (uint32_t i = 0; i < MISSES_BUCKETS; i++)
        for (uint32_t k = 0; k < BLOCKS; k++)
            if (m->buckets[i].changed[k]) {
                struct misses_record r = record_of(&m->buckets[i], i, k);
                each(ctx, &r);
            }
    if (m->sum_changed)
        each(ctx, &(struct misses_record){.bucket = MISSES_BUCKETS, .sum = m->sum});
}

void misses_saved(struct misses *m)
{
    for (unsigned i = 0; i < MISSES_BUCKETS; i++)
        memset(m->buckets[i].changed, 0, sizeof m->buckets[i].changed);
    m->sum_changed = false;
}

static bool is_record(const struct misses_record *r)
{
    bool good = r->bucket < MISSES_BUCKETS && r->block < BLOCKS && r->n <= MISSES_BLOCK
                && r->of < UINT32_MAX
                && (uint64_t)r->block * MISSES_BLOCK + r->n <= r->of;

    for (uint32_t i = 0; good && i < r->n; i++)
        good = fabs(r->values[i]) <= LARGEST;
    return good;
}

void misses_load(struct misses *m, const struct misses_record *r)
{
    if (r->bucket == MISSES_BUCKETS)
        m->sum = r->sum;
    if (!is_record(r))
        return;
    struct bucket *b = &m->buckets[r->bucket];
    memcpy(b->values + (size_t)r->block * MISSES_BLOCK, r->values,
        r->n * sizeof *r->values);
    if (r->of > b->n)
        b->n = r->of;
}
