/* SPDX-License-Identifier: Apache-2.0
 * Pieces of the classic layouts: times as scripts expect them. Source: reference
 * commands 1.5. */
#ifndef MAUI_CLIENT_LAYOUT_H
#define MAUI_CLIENT_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#define LAYOUT_REL_MAX  40
#define LAYOUT_DATE_MAX 32

/* `[DD:]HH:MM:SS`; "  INFINITY" from 100 days on; `buf` of LAYOUT_REL_MAX bytes. */
const char *layout_rel(int64_t seconds, char *buf);

/* The same of time that has passed: never INFINITY. */
const char *layout_span(int64_t seconds, char *buf);

/* `Tue Mar  3 08:12:20`, local; `buf` of LAYOUT_DATE_MAX bytes. */
const char *layout_date(int64_t at, char *buf);

/* The same for many instants that lie near each other: the zone is looked up once a
 * minute of theirs. A zeroed struct knows none yet; the text stays there. */
struct layout_near {
    int64_t from; /* of the text's minute */
    bool known;
    char text[LAYOUT_DATE_MAX];
};
const char *layout_date_near(int64_t at, struct layout_near *near);

/* Megabytes as "8192M", from ten thousand on as "16G"; 0 as "0". */
#define LAYOUT_MB_MAX 24
const char *layout_mb(int64_t mb, char *buf);

/* For "%*s": `width` characters of a column, whatever bytes those of the text have;
 * less than 0 = to the left. */
int layout_width(const char *text, int width);

/* 100 * a / b; 0 when there is nothing to compare with. */
double layout_percent(double a, double b);

/* Credits of the bank, without zeros behind the point: "129945.6". Returns `ret`. */
#define LAYOUT_CREDITS_MAX 40
const char *layout_credits(double credits, char *ret);

#endif
