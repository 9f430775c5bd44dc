/* SPDX-License-Identifier: Apache-2.0
 * The log: one line an entry, levels that can change at run time, rolled by size. */
#ifndef MAUI_SERVER_LOG_H
#define MAUI_SERVER_LOG_H

#include "base/err.h"

struct log;

/* Alerts, errors and warnings are always written; others from their level on. */
enum log_level {
    LOG_ALERT,                    /* somebody has to do something */
    LOG_ERROR,                    /* something was not done */
    LOG_WARNING,                  /* something is odd */
    LOG_ACTION = 1 + LOG_WARNING, /* starts, holds, reservations, orders of users */
    LOG_DETAIL,                   /* cycles, reports of resource managers */
    LOG_TRACE                     /* everything */
};

struct log_options {
    const char *path; /* NULL = stderr alone */
    int level;        /* LOGLEVEL, 0 to 9: 0 = actions, 3 = details, 5 = all */
    long size_max;    /* bytes; LOGFILEMAXSIZE */
    int roll_depth;   /* files kept; LOGFILEROLLDEPTH */
    int also_stderr;  /* in the foreground */
};

/* Opens for appending. When the file cannot be opened stderr is used and *err tells. */
struct log *log_open(const struct log_options *opt, struct err *err);
void log_close(struct log *l);

void log_set_level(struct log *l, int level); /* clamped to 0..9 */
int log_level(const struct log *l);

/* Write a line; never fails for the caller, never blocks on anything but the disk. */
void log_line(struct log *l, enum log_level level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
