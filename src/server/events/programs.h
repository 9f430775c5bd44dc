/* SPDX-License-Identifier: Apache-2.0
 * Programs of the site, run by the daemon: notification, feedback, triggers.
 *
 * Each runs under the daemon's own id or, of a daemon that is root, as another user
 * with that one group; in a session of its own, without a shell. On its standard input
 * is nothing or a text that is there whole; what it writes goes to the log, a line
 * each. Nothing here waits for it: children and pipes are sources of the event loop
 * (the kernel alone is waited for until it has found and mapped the file, which should
 * be on a disk that answers). So many run at once, so many wait; what is beyond that is
 * refused. Those of one user run one after the other, and a tenth of those that wait
 * may be of one user: a user can stop a process of its own, and so delays nobody else.
 * A program that takes too long is sent SIGTERM with everything in its process group,
 * and SIGKILL some seconds later; what it leaves behind in the group when it ends is
 * killed.
 *
 * A program goes on when the daemon ends. Its output has no reader any more then, nor
 * when it wrote more than is read: SIGPIPE is ignored in it, such writes fail. */
#ifndef MAUI_SERVER_PROGRAMS_H
#define MAUI_SERVER_PROGRAMS_H

#include "base/err.h"
#include "server/process/log.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <systemd/sd-event.h>

struct programs;

struct programs_options {
    struct log *log;       /* borrowed */
    const char *directory; /* they run in */
    unsigned at_once;      /* 0 = 8 */
    unsigned waiting_max;  /* 0 = 1000 */
    unsigned grace_ms;     /* from SIGTERM to SIGKILL; 0 = 5000 */
    size_t output_max;     /* bytes of each that are read, a sixteenth of them at least
                              logged; 0 = 1 MB */
};

/* How it came out. */
struct program_end {
    bool begun;       /* false: it could not be started; `text` says why */
    bool timed_out;   /* killed for that */
    int exit_status;  /* as a shell tells it: 128 + n = killed by signal n */
    const char *text; /* "exit status 0", "killed by signal 9 ..."; never NULL */
    const char *said; /* the first line that it wrote; "" = none */
};

struct program_user {
    uid_t uid;
    gid_t gid;
};

struct program_call {
    const char *what;               /* for the log: "notification program" */
    const char *const *argv;        /* NULL-terminated; [0] is the file; copied */
    const char *const *environment; /* "NAME=value" before the daemon's; or NULL */
    const char *input;              /* on its standard input, copied; NULL = nothing */
    /* Who it is; NULL = the daemon. Of the daemon's environment another user sees PATH,
     * time zone and language alone. Costs a fork() of the daemon: the kernel's quicker
     * way lets both use one memory, in which a process of another user has no business.
     */
    const struct program_user *as;
    uint64_t limit_ms;                                       /* 0 = 60 s */
    void (*ended)(void *ctx, const struct program_end *end); /* may be NULL */
    void *ctx;
};

/* NULL: the event loop takes no sources. SIGCHLD has to be blocked. */
struct programs *programs_open(
    sd_event *loop, const struct programs_options *opt, struct err *err);
/* Those that wait are forgotten, those that run go on; no `ended` is called. */
void programs_close(struct programs *p);

/* Run it now or when there is room. -1 with a sentence when too many wait already; then
 * nothing is called. `ended` is never called from within. */
int programs_run(struct programs *p, const struct program_call *call, struct err *err);

/* Begin those that wait and for which there is room now, not when the loop turns; calls
 * `ended` of those that cannot be started. */
void programs_flush(struct programs *p);

/* Those that run, and that wait. */
unsigned programs_running(const struct programs *p);
unsigned programs_waiting(const struct programs *p);

/* Since programs_open(). */
struct programs_count {
    uint64_t begun, failed, timed_out, dropped; /* failed: exit status not 0, too */
};
struct programs_count programs_count(const struct programs *p);

#endif
