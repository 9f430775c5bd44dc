/* SPDX-License-Identifier: Apache-2.0
 * Amounts as text. */
#include "funds/amount.h"

#include <inttypes.h>
#include <stdio.h>

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
