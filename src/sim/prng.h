/* SPDX-License-Identifier: Apache-2.0
 * Random numbers that are the same on every machine: xoshiro256** (Blackman and Vigna
 * 2018) seeded by splitmix64, and distributions built on it with no more than
 * IEEE 754 arithmetic and sqrt; the logarithm and the exponential are our own, for
 * those of C libraries differ in the last bit. */
#ifndef MAUI_SIM_PRNG_H
#define MAUI_SIM_PRNG_H

#include <stdint.h>

struct prng {
    uint64_t s[4];
};

void prng_init(struct prng *p, uint64_t seed);

uint64_t prng_next(struct prng *p);

/* The n-th number (from 0) of a sequence of its own: splitmix64 (Steele, Lea, Flood
 * 2014) seeded with 0. */
uint64_t prng_nth(uint64_t n);

/* In [0, 1). */
double prng_unit(struct prng *p);
double prng_uniform(struct prng *p, double low, double high);

/* In [0, n), n > 0. */
uint64_t prng_below(struct prng *p, uint64_t n);

/* Mean 0, deviation 1. Source: Marsaglia's polar method. */
double prng_normal(struct prng *p);

/* Gamma with that shape (> 0) and scale. Source: Marsaglia and Tsang, A simple method
 * for generating gamma variables, 2000. */
double prng_gamma(struct prng *p, double shape, double scale);

/* Natural logarithm of x > 0 and exponential; relative error below 1e-14. */
double exact_log(double x);
double exact_exp(double x);

#endif
