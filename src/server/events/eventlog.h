/* SPDX-License-Identifier: Apache-2.0
 * The event log: what happened, numbered in order, each a JSON object on a line.
 *
 *     {"number":12,"at":1764,"event":"JOBSTART","object":"7","text":"...","user":...}
 *
 * An event is published when what it tells is on the disk: appended to HOME/LOGDIR/
 * events.log (rolled as the log is), kept in memory for readers, and handed to the
 * notification program if it concerns administrators. Numbers go on over restarts, as
 * long as the file is there. What is decided but not on the disk yet waits; an event
 * that tells of trouble does not. Private to src/server. */
#ifndef MAUI_SERVER_EVENTLOG_H
#define MAUI_SERVER_EVENTLOG_H

#include "base/err.h"
#include "base/strbuf.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct server;
struct eventlog;

enum event_name {
    JOBSUBMIT,
    JOBSTART,
    JOBSTARTFAILURE,
    JOBEND,
    JOBCANCEL,
    JOBHOLD,
    JOBRELEASE,
    JOBDEFER,
    JOBPUTOFF,
    JOBREQUEUE,
    JOBSUSPEND,
    JOBRESUME,
    JOBCHECKPOINT,
    JOBWCVIOLATION,
    JOBRESVIOLATION,
    JOBLIMITVIOLATION,
    JOBCORRUPTION,
    RESERVATIONCREATED,
    RESERVATIONSTARTED,
    RESERVATIONDESTROYED,
    RESERVATIONCORRUPTION,
    TRIGGERFIRED,
    TRIGGERENDED,
    NODEDOWN,
    NODEUP,
    RMFAILURE,
    AMFAILURE,
    AMRECOVERED,
    RMRECOVERED,
    STATEFAILURE,
    STATERECOVERED,
    SCHEDULERSTART,
    SCHEDULERSTOP,
    CONFIGURATION,
    WEBLOGIN,
    WEBLOGOUT,
    WEBREFUSED,
    EVENT_NAMES
};

const char *event_name_text(enum event_name e);

int eventlog_open(struct server *s, struct err *err);
void eventlog_close(struct server *s);
/* Other parameters are in force. */
void eventlog_configure(struct server *s);

/* `more` (may be NULL): further members; the reference is taken. `notice`: it concerns
 * administrators. */
void eventlog_add(struct server *s, enum event_name what, const char *object,
    bool notice, json_t *more, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));

/* Publish what waits: a commit succeeded. */
void eventlog_committed(struct server *s);

/* ---- readers ---- */

/* Numbers kept in memory: first..next-1. */
int64_t eventlog_first(const struct server *s);
int64_t eventlog_next(const struct server *s);
/* The line of that number, without the line's end; NULL when it is not kept. Its name
 * goes to *ret_name. Borrowed until the loop turns. */
const char *eventlog_line(
    const struct server *s, int64_t number, enum event_name *ret_name);

/* The number of the first that is kept and later than that instant; else the next
 * one's. O(log n). */
int64_t eventlog_after(const struct server *s, int64_t at);

/* How many of each there were since the start. */
uint64_t eventlog_count(const struct server *s, enum event_name what);

#endif
