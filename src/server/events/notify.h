/* SPDX-License-Identifier: Apache-2.0
 * NOTIFICATIONPROGRAM, called with one argument "EVENT:  text" for what concerns
 * administrators, and FEEDBACKPROGRAM, called when a job that ran has ended. Relative
 * names are looked for in TOOLSDIR. Both are called after the commit of what they tell,
 * once at most: a daemon that is killed in between tells nobody. Source: reference
 * rm-interfaces 11. Private to src/server. */
#ifndef MAUI_SERVER_NOTIFY_H
#define MAUI_SERVER_NOTIFY_H

#include "base/err.h"
#include "server/events/eventlog.h"

struct server;

int notify_open(struct server *s, struct err *err);
void notify_close(struct server *s);

/* Other parameters are in force: a program that is not there, or cannot be executed, is
 * told in the log and not called. */
void notify_configure(struct server *s);

/* The same matter (event and object) is told again after NOTIFICATIONINTERVAL only,
 * where it may repeat itself. */
void notify_event(
    struct server *s, enum event_name what, const char *object, const char *text);

/* The sixteen facts of an ended job, in their order; NULL-terminated. Run at the next
 * notify_committed(). */
void notify_feedback(struct server *s, const char *const facts[16]);
void notify_committed(struct server *s);

/* A program of the site: as it is, or below TOOLSDIR. Owned by the caller. */
char *notify_path(struct server *s, const char *file);

struct programs;
struct programs *notify_programs(const struct server *s);

#endif
