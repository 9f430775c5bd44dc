/* SPDX-License-Identifier: Apache-2.0
 * From a keeper to the job's first process: another session, the user's identity,
 * environment, files and working directory, then the program. */
#ifndef MAUI_RM_LOCAL_LAUNCH_H
#define MAUI_RM_LOCAL_LAUNCH_H

#include "rm/local/record.h"
#include "rm/local/request.h"

#include <sys/types.h>

struct launch {
    const struct request *request;
    const struct run *run;
    const char *folder; /* of the job, absolute; also the working directory */
};

struct launched {
    pid_t pid;
    int go, outcome; /* pipes */
};

/* Fork the job's first process; it waits until launch_go() before it becomes the job,
 * and dies with this process. */
int launch_fork(const struct launch *l, struct launched *ret, struct err *err);

/* Let it go. 0 = the program runs. -1: nothing ran, the process has ended and is to be
 * waited for; ERR_IO = worth trying again, any other code: not. */
int launch_go(struct launched *p, struct err *err);

/* Give up the launch instead. */
void launch_abandon(struct launched *p);

/* Where standard output goes (`error`: standard error): the path given or NAME.oID in
 * the job's directory. Owned by the caller. */
char *launch_output_path(const struct request *r, bool error);

#endif
