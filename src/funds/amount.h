/* SPDX-License-Identifier: Apache-2.0
 * Amounts of credit: whole numbers of 1/1000, everywhere. */
#ifndef MAUI_AM_AMOUNT_H
#define MAUI_AM_AMOUNT_H

#include <stdint.h>

#define AM_CREDIT  1000                        /* one credit */
#define AM_LARGEST INT64_C(100000000000000000) /* of one operation: 10^14 credits */

struct amount_text {
    char text[40];
};

/* "57600", "129945.6", "16h": hours of a processor at rate 1. -1: it is none, or beyond
 * AM_LARGEST. */
int amount_parse(const char *text, int64_t *ret);

/* For people: "57,600", "129,945.6", "-0.001". */
struct amount_text amount_text(int64_t amount);

#endif
