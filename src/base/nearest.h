/* SPDX-License-Identifier: Apache-2.0
 * "Did you mean ...?": the candidate closest to a mistyped word. */
#ifndef MAUI_BASE_NEAREST_H
#define MAUI_BASE_NEAREST_H

#include <stddef.h>
#include <stdint.h>

/* Lives on the caller's stack; borrows the texts it is given. */
struct nearest {
    const char *text, *best;
    unsigned distance, allowed; /* of the best; that a candidate may have */
    size_t len;
    uint64_t letters; /* that are in the text, a bit each */
};

void nearest_init(struct nearest *n, const char *text);

/* Consider one candidate. Cheap for one that is clearly different, else the product
 * of the two lengths. */
void nearest_offer(struct nearest *n, const char *candidate);

/* The closest candidate so far, the first of equals; NULL when none is close
 * enough to be what was meant (about a third of the letters may differ). */
const char *nearest_best(const struct nearest *n);

/* Letters to change, add, drop or swap with their neighbour to make `b` of
 * `a`, without regard to case. UINT_MAX when either is over 63 bytes. */
unsigned nearest_distance(const char *a, const char *b);

#endif
