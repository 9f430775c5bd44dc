/* SPDX-License-Identifier: Apache-2.0
 * Random numbers. No library function whose result the C standard leaves open is used
 * (frexp, ldexp, floor and sqrt are exact). */
#include "sim/prng.h"

#include <math.h>

#define LN2 0.693147180559945309417

#define STEP UINT64_C(0x9e3779b97f4a7c15) /* of splitmix64: 2^64 / golden ratio */

static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

void prng_init(struct prng *p, uint64_t seed)
{
    for (int i = 0; i < 4; i++)
        p->s[i] = mix(seed += STEP);
}

uint64_t prng_nth(uint64_t n)
{
    return mix((n + 1) * STEP);
}

static uint64_t rotate(uint64_t x, int k)
{
    return x << k | x >> (64 - k);
}

uint64_t prng_next(struct prng *p)
{
    uint64_t *s = p->s;
    uint64_t result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

double prng_unit(struct prng *p)
{
    return (double)(prng_next(p) >> 11) * 0x1p-53;
}

double prng_uniform(struct prng *p, double low, double high)
{
    return low + (high - low) * prng_unit(p);
}

uint64_t prng_below(struct prng *p, uint64_t n)
{
    uint64_t limit = UINT64_MAX - UINT64_MAX % n, x;

    do {
        x = prng_next(p);
    } while (x >= limit);
    return x % n;
}

double prng_normal(struct prng *p)
{
    double u, v, s;

    do {
        u = prng_uniform(p, -1, 1);
        v = prng_uniform(p, -1, 1);
        s = u * u + v * v;
    } while (s >= 1 || s == 0);
    return u * sqrt(-2 * exact_log(s) / s);
}

double prng_gamma(struct prng *p, double shape, double scale)
{
    double d, c;

    if (shape < 1) { /* by a gamma of shape + 1 and a power of a uniform */
        double u = 1 - prng_unit(p);

        return prng_gamma(p, shape + 1, scale) * exact_exp(exact_log(u) / shape);
    }
    d = shape - 1.0 / 3;
    c = 1 / sqrt(9 * d);
    for (;;) {
        double x = prng_normal(p), v = 1 + c * x, u;

        if (v <= 0)
            continue;
        v = v * v * v;
        u = 1 - prng_unit(p);
        if (exact_log(u) < 0.5 * x * x + d - d * v + d * exact_log(v))
            return d * v * scale;
    }
}

double exact_log(double x)
{
    int exponent;
    double m = frexp(x, &exponent), z, square, power, sum = 0;

    if (m < 0.70710678118654752) { /* m in [sqrt(1/2), sqrt(2)) */
        m *= 2;
        exponent--;
    }
    z = (m - 1) / (m + 1); /* log m = 2 atanh z, |z| < 0.172 */
    square = z * z;
    power = z;
    for (int k = 1; k <= 23; k += 2) {
        sum += power / k;
        power *= square;
    }
    return 2 * sum + exponent * LN2;
}

double exact_exp(double x)
{
    double k = floor(x / LN2 + 0.5), r = x - k * LN2, term = 1, sum = 1;

    if (k < -1000)
        return 0;
    if (k > 1000)
        k = 1000;
    for (int i = 1; i <= 18; i++) {
        term *= r / i;
        sum += term;
    }
    return ldexp(sum, (int)k);
}
