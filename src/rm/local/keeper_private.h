/* SPDX-License-Identifier: Apache-2.0
 * What the files of the keeper share. */
#ifndef MAUI_RM_LOCAL_KEEPER_PRIVATE_H
#define MAUI_RM_LOCAL_KEEPER_PRIVATE_H

#include "rm/local/cgroup.h"
#include "rm/local/keeper_message.h"
#include "rm/local/procs.h"
#include "rm/local/record.h"
#include "rm/local/request.h"
#include "rm/local/session.h"

#include <limits.h>
#include <sys/socket.h>
#include <sys/un.h>

struct keeper {
    char path[PATH_MAX]; /* of the job's folder: also the working directory */
    int folder, lock, answer, control, signals; /* descriptors */
    struct request *request;
    struct run run;
    struct end end;
    struct cgroup cgroup;
    struct pids pids;                      /* scratch */
    const struct session_driver *sessions; /* NULL: this keeper opens none */
    pid_t session; /* the process that has the job's session; 0 = there is none */
    int stay;      /* pipe: when closed, that one ends */
    bool in_vain;  /* its first process was begun, and did not get there */
    bool starting, given_up; /* its first process is not the job yet; shall not be */
    bool leader_ended, ending;
    /* instants and durations in ms since the boot; 0 = not */
    int64_t began_ms, stopped_ms, stopped_since_ms;
    int64_t kill_at_ms, memory_at_ms, sync_at_ms, session_at_ms;
    int64_t mem_seen_mb, swap_seen_mb, disk_seen_mb; /* most so far */
    int64_t script_bytes; /* of the script before the job had it; 0 = not known */
};

int64_t keeper_now_ms(void);

/* Begin the job: 0, it runs and its folder says so, or -1, nothing of it is left, or
 * ever will run. Takes at most run.start_ms, and obeys meanwhile. keeper_start.c */
int keeper_start(struct keeper *k, struct err *err);

/* Watch over the running job until all its processes are gone. keeper_run.c */
void keeper_watch(struct keeper *k);
/* Tell all processes to end; the first reason counts. */
void keeper_terminate(struct keeper *k, enum end_kind kind, const struct job_end *why);
/* Stop or continue all of them. 0, or -1 when they are so already. */
int keeper_suspend(struct keeper *k);
int keeper_resume(struct keeper *k);
/* Write end.json, until it succeeds, then keeper_tidy(). */
void keeper_finish(struct keeper *k);
/* Tell the daemon of the end, bring it to the disk, remove what the job needed. */
void keeper_tidy(struct keeper *k);

void keeper_remove_group(struct keeper *k);

/* Kill what another keeper left behind, write the end. keeper_clean.c */
void keeper_clean(struct keeper *k);

/* Make FOLDER/control. keeper_control.c */
int keeper_listen(struct keeper *k, struct err *err);
/* Carry out what has arrived. */
void keeper_obey(struct keeper *k);
int64_t keeper_memory_mb(struct keeper *k); /* most used so far */
double keeper_cpu_s(struct keeper *k);      /* so far */

#endif
