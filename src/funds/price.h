/* SPDX-License-Identifier: Apache-2.0
 * What resources cost for a time. Whole numbers only: amounts of 1/1000 credit, rates
 * and factors of 1/1,000,000.
 *
 *     sum(amount x rate) x seconds x product of the factors
 *     sum(amount x rate) x sum(second x its factor) x product    by time of day
 *
 * The product is rounded to 1e-9 after each factor, all else once, half up. */
#ifndef MAUI_AM_PRICE_H
#define MAUI_AM_PRICE_H

#include "base/err.h"
#include "base/strbuf.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

#define PRICE_ONE 1000000 /* a rate or factor of 1 */

struct price_rate {
    char *name; /* "PROCS"; owned */
    int64_t rate;
};
/* Rates in force, by name: "PROCS:1,MEM:0.001". */
struct price_rates VEC(struct price_rate);

/* Both are inverses. Rates from 0 to 10^9, six places after the point. */
int price_rates_parse(const char *text, struct price_rates *ret, struct err *err);
char *price_rates_text(const struct price_rates *rates); /* owned */
void price_rates_fini(struct price_rates *rates);

struct price_amount {
    const char *name; /* of its rate; one that has no rate costs nothing */
    int64_t amount;   /* processors, MB, .. */
};

struct price_factor {
    const char *name; /* "QOS:Premium": for the text */
    int64_t factor;
};

struct price_ask {
    const struct price_amount *amounts;
    size_t namounts;
    const struct price_factor *factors;
    size_t nfactors;
    int64_t seconds; /* less than 0 = 0 */
    /* instead of the seconds: their sum with the factor of each (funds/week.h), in
     * 1/1,000,000 s */
    bool weighed;
    int64_t weight;
};

/* *ret: what it costs. `text` (NULL = not wanted) gets the items: amounts, rates,
 * seconds, factors. Fails where a number is negative or the price is beyond
 * AM_LARGEST. */
int price_of(const struct price_rates *rates, const struct price_ask *ask, int64_t *ret,
    struct strbuf *text, struct err *err);

/* amount x part / whole, rounded down; none of them below 0, whole not 0. */
int64_t price_share(int64_t amount, int64_t part, int64_t whole);

#endif
