/* SPDX-License-Identifier: Apache-2.0
 * From a keeper to the job's first process: another session, the user's identity,
 * environment, files and working directory, then the program. */
#ifndef MAUI_RM_LOCAL_LAUNCH_H
#define MAUI_RM_LOCAL_LAUNCH_H

#include "rm/local/record.h"
#include "rm/local/request.h"
#include "rm/local/session.h"

#include <sys/types.h>

struct launch {
    const struct request *request;
    const struct run *run;
    const struct session_driver *sessions; /* opens one for the job, or NULL */
    const char *folder; /* of the job, absolute; also the working directory */
    char *doing; /* memory shared with the child, LAUNCH_DOING bytes: its words */
};
#define LAUNCH_DOING 300

struct launched {
    pid_t pid;
    pid_t leader; /* once it is ready: itself, or what it made in its session */
    int go, outcome, stay; /* pipes; the session lasts until `stay` is closed */
    char *doing;           /* what the child is at: "open '/scratch/out'" */
};

/* The launch goes in steps, and none of them waits in this process: the child may hang
 * in anything that is the user's (a file system that is gone, say).
 *
 *   launch_fork    the child waits in its own session, and dies with this process
 *   launch_go      it opens the session, where there is one, and makes a process in it:
 *                  that, or it, becomes the user, enters the directory, opens the files
 *   LAUNCH_READY   told by `outcome`; it waits again
 *   launch_go      it runs the program
 *   LAUNCH_RUNS    `outcome` was closed by that */
int launch_fork(const struct launch *l, struct launched *ret, struct err *err);
void launch_go(const struct launched *p);

enum launch_step { LAUNCH_READY, LAUNCH_RUNS, LAUNCH_FAILED };

/* `outcome` can be read: what came. After LAUNCH_FAILED nothing ran, and the child
 * ends; ERR_IO = worth trying again, any other code: not. `released`: launch_go() was
 * called for the second time. */
enum launch_step launch_read(struct launched *p, bool released, struct err *err);

/* Nothing more is asked of the child; one that has not become the program ends. `stay`
 * remains open. */
void launch_close(struct launched *p);

/* Where standard output goes (`error`: standard error): the path given or NAME.oID in
 * the job's directory. Owned by the caller. */
char *launch_output_path(const struct request *r, bool error);

#endif
