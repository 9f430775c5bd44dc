/* SPDX-License-Identifier: Apache-2.0
 * Sizes and times as Grid Engine writes them. */
#include "rm/gridengine/answers.h"

#include <ctype.h>
#include <math.h>
#include <strings.h>

#define AMOUNT_MOST (INT64_C(1) << 50) /* sums do not wrap */

int64_t ge_size_mb(const char *text)
{
    static const struct {
        char letter;
        double bytes;
    } units[] = {{'k', 1000}, {'K', 1024}, {'m', 1e6}, {'M', 1048576}, {'g', 1e9},
        {'G', 1073741824.0}, {'t', 1e12}, {'T', 1099511627776.0}};
    char *end;
    double n;

    if (!isdigit((unsigned char)*text) && *text != '.')
        return -1;
    n = strtod(text, &end);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (*end == units[i].letter) {
            n *= units[i].bytes;
            end++;
            break;
        }
    if (*end != '\0' || !(n >= 0))
        return -1;
    n = ceil(n / 1048576);
    return n < (double)AMOUNT_MOST ? (int64_t)n : AMOUNT_MOST;
}

int64_t ge_seconds(const char *text)
{
    int64_t sum = 0;

    if (strcasecmp(text, "INFINITY") == 0)
        return -1;
    for (int fields = 0; fields < 3; fields++) {
        char *end;
        long long n = *text >= '0' && *text <= '9'    ? strtoll(text, &end, 10)
                      : *text == ':' || *text == '\0' ? (end = (char *)text, 0)
                                                      : -1;

        if (n < 0 || n > INT32_MAX || sum > INT32_MAX)
            return -2;
        sum = sum * 60 + n;
        if (*end == '.') /* 600.000000 */
            end += 1 + strspn(end + 1, "0123456789");
        if (*end == '\0')
            return sum;
        if (*end != ':')
            return -2;
        text = end + 1;
    }
    return -2;
}
