/* SPDX-License-Identifier: Apache-2.0
 * Durations and clock times as text. Pure: what the wall clock and the
 * calendar say is handed in by the caller. */
#ifndef MAUI_BASE_DURATION_H
#define MAUI_BASE_DURATION_H

#include "base/err.h"
#include "base/timeval.h"

#include <stddef.h>
#include <stdint.h>

#define DURATION_TEXT_MAX 40
/* From here on a duration is shown as INFINITY: 100 days. */
#define DURATION_SHOW_MAX 8640000

/* Seconds of `[[[DD:]HH:]MM:]SS`, of plain seconds, or of INFINITY (any case,
 * DURATION_UNLIMITED). Two fields are minutes and seconds. Fields may exceed
 * their usual range (68:00:00). No sign, no blanks. ERR_INVALID otherwise. */
int duration_parse(const char *text, int64_t *ret_seconds, struct err *err);

/* `[DD:]HH:MM:SS` into `buf` (DURATION_TEXT_MAX bytes suffice), which is
 * returned; INFINITY from 100 days on, "-" in front of a negative one. */
const char *duration_format(int64_t seconds, char *buf, size_t size);

/* The same without the 100 day rule: what duration_parse() reads back. */
const char *duration_format_exact(int64_t seconds, char *buf, size_t size);

/* A broken-down local time: month 1..12, day 1..31. */
struct civil {
    int year, month, day, hour, minute, second;
};

/* The clock of the caller: the present, whole and broken down, and the calendar
 * that turns a local time into an instant (mktime in the shell, a fixed one in
 * tests). to_instant returns -1 when there is no such local time. */
struct calendar {
    int64_t now;
    struct civil today;
    int (*to_instant)(void *ctx, const struct civil *when, int64_t *ret_at);
    void *ctx;
};

/* The instant meant by `[HH[:MM[:SS]]][_MO[/DD[/YY]]]`, by `+DURATION` (from
 * now), by NOW or by INFINITY (TIME_NEVER). Left out fields: hour, minute and
 * second 0, day 1 when a month is given, else today; the present year. Two-digit
 * years below 97 are 20YY, the others 19YY. ERR_INVALID otherwise. */
int clock_parse(
    const char *text, const struct calendar *cal, int64_t *ret_at, struct err *err);

#endif
