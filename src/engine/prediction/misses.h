/* SPDX-License-Identifier: Apache-2.0
 * By how much expected starts were missed, and the interval in which a start will be,
 * four times of five. By how long the wait was expected to be, in nine buckets of half
 * decades from minutes on, the last 300 of
 *
 *     log((actual wait + 60 s) / (expected wait + 60 s))
 *
 * Source: reference plan-search, section 6. */
#ifndef MAUI_ENGINE_PREDICTION_MISSES_H
#define MAUI_ENGINE_PREDICTION_MISSES_H

#include <stdbool.h>
#include <stdint.h>

#define MISSES_BUCKETS 9
#define MISSES_KEPT    300 /* of a bucket */
#define MISSES_LEAST   50  /* fewer tell nothing */
#define MISSES_BLOCK   60  /* of a record */

struct misses;

struct misses *misses_create(void);
void misses_destroy(struct misses *m);

/* Who was expected to wait so long waited so long. `told`: an interval was told, and
 * `within`: it was right. O(1). */
void misses_note(
    struct misses *m, int64_t expected_wait_s, int64_t wait_s, bool told, bool within);

/* The interval of a wait. False: too little is known. O(MISSES_KEPT log) at the first
 * question after a note, else O(1). */
bool misses_interval(
    struct misses *m, int64_t expected_wait_s, int64_t *ret_from, int64_t *ret_until);

/* How good they were: of how many, the interval held for how many of those who were
 * told one, and half of the waits were off by no more than this factor. */
struct misses_sum {
    int64_t n, told, within;
    double factor; /* 0 = not known */
};
struct misses_sum misses_sum(const struct misses *m);

/* ---- durable state ---- */

/* Values of a bucket, or (bucket MISSES_BUCKETS) the sums. */
struct misses_record {
    uint32_t bucket, block;
    uint64_t of; /* values that the bucket ever had */
    uint32_t n;
    double values[MISSES_BLOCK];
    struct misses_sum sum;
};

bool misses_changed(const struct misses *m);
/* Those that changed since misses_saved(). */
void misses_each(const struct misses *m, void *ctx,
    void (*each)(void *ctx, const struct misses_record *r));
void misses_saved(struct misses *m);
/* One that is none is left out. */
void misses_load(struct misses *m, const struct misses_record *r);

#endif
