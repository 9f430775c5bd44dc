/* SPDX-License-Identifier: Apache-2.0
 * After a keeper that was killed: nothing of its job may run on, and the job's end is
 * written. */
#include "base/boot.h"
#include "rm/local/folder.h"
#include "rm/local/keeper_private.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define KILLED   (128 + SIGKILL)
#define AGAIN_US 5000

#define GUARD_TRIES 1000

/* Read the lost keeper's record; without one there was no run. */
static int read_run(struct keeper *k)
{
    struct err err;
    size_t len;
    char *text = folder_read(k->folder, "run.json", &len, &err);
    int failed = -1;

    run_fini(&k->run);
    k->run = (struct run){0};
    if (text != NULL)
        failed = run_read(text, len, &k->run, &err);
    free(text);
    return failed;
}

static void read_request(struct keeper *k)
{
    struct err err;
    size_t len;
    char *text = folder_read(k->folder, "request.json", &len, &err);

    if (text != NULL)
        k->request = request_read(text, len, &err);
    free(text);
}

/* The lost keeper's guard kills what descended from it, and ends with that. It takes as
 * long as one of them hangs in the kernel: the job's end does not wait for that. */
static void await_guard(const struct run *run)
{
    for (int i = 0; i < GUARD_TRIES && run->guard_ticks > 0; i++) {
        if (procs_began(run->guard) != run->guard_ticks)
            return;
        usleep(AGAIN_US);
    }
}

static void kill_leftovers(struct keeper *k)
{
    uid_t uid = k->request != NULL ? k->request->uid : 0;

    if (k->request != NULL)
        k->cgroup =
            cgroup_make(k->run.cgroup, k->request->job.desc.id, k->run.cookie, 0);
    cgroup_kill(&k->cgroup);
    for (;;) {
        procs_left_over(&k->run, uid, &k->pids);
        if (k->pids.n == 0)
            break;
        procs_signal(&k->pids, SIGKILL);
        usleep(AGAIN_US);
    }
    await_guard(&k->run);
}

static int64_t booted_at(void)
{
    struct timespec up;

    clock_gettime(CLOCK_BOOTTIME, &up);
    return time(NULL) - up.tv_sec;
}

void keeper_clean(struct keeper *k)
{
    char boot[40];

    if (faccessat(k->folder, "end.json", F_OK, 0) == 0) {
        /* it had written the end, and then was killed */
        keeper_tidy(k);
        return;
    }
    read_request(k);
    boot_name(boot);
    k->end = (struct end){
        .kind = END_LOST, .exit_status = KILLED, .cpu_s = -1, .mem_mb = -1};
    if (read_run(k) == 0 && strcmp(boot, k->run.boot) != 0) {
        k->end.end_at = booted_at();
        if (k->end.end_at < k->run.start_at)
            k->end.end_at = k->run.start_at;
        k->end.why.reason = ENDED_CRASH;
    } else {
        kill_leftovers(k);
        k->end.why.reason = ENDED_KEEPER;
    }
    keeper_finish(k);
}
