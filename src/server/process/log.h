/* SPDX-License-Identifier: Apache-2.0
 * The log: one line an entry, levels that can change at run time, rolled by size. */
#ifndef MAUI_SERVER_LOG_H
#define MAUI_SERVER_LOG_H

#include "base/err.h"

#include <stdint.h>

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

/* Parts of the program, as LOGFACILITY names them; those without a part of ours are
 * accepted and stand for nothing. A source file says which one it is with a #define of
 * LOG_FACILITY before it includes anything. */
enum log_facility {
    FACILITY_CORE,
    FACILITY_SCHED,
    FACILITY_SOCK,
    FACILITY_UI,
    FACILITY_CONFIG,
    FACILITY_STAT,
    FACILITY_FS,
    FACILITY_CKPT,
    FACILITY_AM,
    FACILITY_RM,
    FACILITY_NAT
};
#define FACILITIES_ALL (~0u)

#ifndef LOG_FACILITY
#define LOG_FACILITY FACILITY_CORE
#endif

struct log_options {
    const char *path;    /* NULL = stderr alone */
    int level;           /* LOGLEVEL, 0 to 9: 0 = actions, 3 = details, 5 = all */
    int64_t size_max;    /* bytes; LOGFILEMAXSIZE */
    int roll_depth;      /* files kept; LOGFILEROLLDEPTH */
    int also_stderr;     /* in the foreground */
    unsigned facilities; /* bits; LOGFACILITY; 0 = all */
    const char *syslog;  /* USESYSLOG; NULL = not */
};

/* Opens for appending. When the file cannot be opened stderr is used and *err tells. */
struct log *log_open(const struct log_options *opt, struct err *err);
void log_close(struct log *l);

/* Other options but for the level, which log_set_level() sets. When the new file cannot
 * be opened the old one is kept and *err tells. */
int log_configure(struct log *l, const struct log_options *opt, struct err *err);

void log_set_level(struct log *l, int level); /* clamped to 0..9 */
/* Nothing is written from now on: in a copy of the process. */
void log_mute(struct log *l);
int log_level(const struct log *l);

/* Bits of a list of facility names: "fSCHED:fRM,fALL". Unknown words count for
 * nothing. */
unsigned log_facilities(const char *text);

/* Write a line; never fails for the caller, never blocks on anything but the disk. */
#define log_line(l, level, ...) log_write(l, level, LOG_FACILITY, __VA_ARGS__)
void log_write(struct log *l, enum log_level level, enum log_facility facility,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

#endif
