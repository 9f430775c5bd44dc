/* SPDX-License-Identifier: Apache-2.0
 * Amounts as text. */
#include "funds/amount.h"

#include <inttypes.h>
#include <stdio.h>

int amount_parse(const char *text, int64_t *ret)
{
    const char *p = text;
    int64_t n = 0, part = AM_CREDIT;

    for (; *p >= '0' && *p <= '9' && n <= AM_LARGEST / 10; p++)
        n = n * 10 + (*p - '0') * AM_CREDIT;
    if (p > text && *p == '.')
        for (p++; *p >= '0' && *p <= '9' && part > 1; p++)
            n += (*p - '0') * (part /= 10);
    if (p > text && *p == 'h' && n <= AM_LARGEST / 3600) {
        n *= 3600;
        p++;
    }
    if (p == text || *p || n > AM_LARGEST)
        return -1;
    *ret = n;
    return 0;
}

/* The digits of `n` with a comma before every third from the end. */
static void group_digits(uint64_t n, char *to, size_t size)
{
    char digits[24];
    size_t length = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, n), at = 0;

    for (size_t i = 0; i < length && at + 2 < size; i++) {
        to[at++] = digits[i];
        if ((length - i - 1) % 3 == 0 && i + 1 < length)
            to[at++] = ',';
    }
    to[at] = '\0';
}

struct amount_text amount_text(int64_t amount)
{
    uint64_t size = amount < 0 ? -(uint64_t)amount : (uint64_t)amount;
    unsigned part = (unsigned)(size % AM_CREDIT);
    char whole[32], places[16] = "";
    struct amount_text t;

    group_digits(size / AM_CREDIT, whole, sizeof whole);
    if (part % 10)
        snprintf(places, sizeof places, ".%03u", part);
    else if (part % 100)
        snprintf(places, sizeof places, ".%02u", part / 10);
    else if (part)
        snprintf(places, sizeof places, ".%u", part / 100);
    snprintf(t.text, sizeof t.text, "%s%s%s", amount < 0 ? "-" : "", whole, places);
    return t;
}
