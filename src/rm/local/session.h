/* SPDX-License-Identifier: Apache-2.0
 * The session of a job: what the machine does when a user comes and goes (limits of the
 * user, for one). A process of its own opens it, and closes it after the job. Opening
 * and closing may hang: only in that process. */
#ifndef MAUI_RM_LOCAL_SESSION_H
#define MAUI_RM_LOCAL_SESSION_H

#include "base/err.h"

#include <sys/types.h>

struct session;

/* Who opens sessions: PAM, in the program that is linked with it. */
struct session_driver {
    /* Called as root. The limits of the calling process become the session's. `service`
     * is its name or an absolute path. NULL with a sentence, ERR_IO: a later try may go
     * better. */
    struct session *(*open)(const char *service, const char *user, struct err *err);
    /* NAME=value, ended by NULL; never freed. */
    char **(*environment)(const struct session *s);
    void (*close)(struct session *s);
};

/* Open one, and return in a new process: a child of `keeper` too, with the limits of
 * the session, which is to become the job. The calling process waits for the end of
 * file of `stay`, closes the session and exits. Descriptors from `low` on are the
 * modules', and not for the job; those from 3 to there are not for who waits. -1:
 * refused, in the process that called. */
struct session_entry {
    const struct session_driver *driver;
    const char *service, *user;
    pid_t keeper;
    int stay, low;
};
int session_enter(
    const struct session_entry *e, char ***ret_environment, struct err *err);

extern const struct session_driver session_pam;

#endif
