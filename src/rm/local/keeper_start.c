/* SPDX-License-Identifier: Apache-2.0
 * The job's first process. It may hang in whatever is the user's, for ever perhaps; the
 * keeper hears commands and signals meanwhile, and gives it up when its time is over.
 */
#include "rm/local/folder.h"
#include "rm/local/keeper_private.h"
#include "rm/local/launch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define REAP_TRIES   100 /* for a child that was killed; one that hangs stays */
#define REAP_WAIT_US 10000

static int write_run(struct keeper *k, struct err *err)
{
    char *text = run_write(&k->run);
    int failed = folder_write(k->folder, "run.json", text, strlen(text), err);

    free(text);
    return failed;
}

/* Has somebody ended this start? */
static bool is_given_up(struct keeper *k)
{
    struct signalfd_siginfo info;

    keeper_obey(k);
    while (read(k->signals, &info, sizeof info) == (ssize_t)sizeof info)
        if (info.ssi_signo == SIGTERM)
            k->given_up = true;
    return k->given_up;
}

/* Wait until the child tells something. -1: it shall not be waited for any longer. */
static int await_child(
    struct keeper *k, const struct launched *child, int64_t until_ms, struct err *err)
{
    struct pollfd fds[] = {
        {child->outcome, POLLIN, 0}, {k->signals, POLLIN, 0}, {k->control, POLLIN, 0}};
    int64_t left;
    int ready;

    for (;;) {
        left = until_ms - keeper_now_ms();
        ready = poll(fds, 3, left > 0 ? (int)left : 0);
        if (ready > 0 && fds[0].revents != 0)
            return 0; /* first: it may run by now */
        if (ready > 0 && is_given_up(k))
            return err_set(err, ERR_IO, "its start was given up");
        if (left <= 0)
            return err_set(err, ERR_IO,
                "its first process did not begin in %lld s, it hangs at: %.*s",
                (long long)k->run.start_ms / 1000, LAUNCH_DOING - 1, child->doing);
    }
}

/* The child is ready: the record says that the job runs from now on, before it can. */
static int release_child(
    struct keeper *k, const struct launched *child, struct err *err)
{
    k->run.leader = child->leader;
    k->run.leader_ticks = procs_began(child->leader);
    k->cgroup = cgroup_make(
        k->run.cgroup, k->request->job.desc.id, k->run.cookie, k->run.mem_mb);
    if (k->cgroup.fd >= 0 && cgroup_add(&k->cgroup, child->leader) != 0)
        keeper_remove_group(k);
    k->run.start_at = time(NULL);
    k->began_ms = k->run.start_boot_ms = keeper_now_ms();
    if (write_run(k, err) != 0)
        return -1;
    launch_go(child);
    return 0;
}

static int follow(struct keeper *k, struct launched *child, struct err *err)
{
    int64_t until_ms = keeper_now_ms() + k->run.start_ms;
    bool released = false;

    for (;;) {
        k->in_vain = await_child(k, child, until_ms, err) != 0;
        if (k->in_vain)
            return -1;
        switch (launch_read(child, released, err)) {
        case LAUNCH_READY:
            if (release_child(k, child, err) != 0)
                return -1;
            released = true;
            break;
        case LAUNCH_RUNS:
            return 0;
        case LAUNCH_FAILED:
            k->in_vain = true;
            return -1;
        }
    }
}

/* One that hangs in the kernel ends whenever it comes back from there: without having
 * run anything, and nobody waits for it. A session that was opened is closed. */
static void end_child(struct keeper *k, const struct launched *child, bool in_session)
{
    pid_t ended;

    close(child->stay);
    procs_below(&k->pids, in_session ? child->pid : 0);
    procs_signal(&k->pids, SIGKILL);
    for (int i = 0; i < REAP_TRIES; i++) {
        while ((ended = waitpid(-1, NULL, WNOHANG)) > 0)
            continue;
        if (ended < 0)
            return;
        usleep(REAP_WAIT_US);
    }
    procs_below(&k->pids, 0); /* the session hangs */
    procs_signal(&k->pids, SIGKILL);
}

static void keep_session(
    struct keeper *k, const struct launched *child, bool in_session)
{
    if (in_session) {
        k->session = child->pid;
        k->stay = child->stay;
    } else {
        close(child->stay);
    }
}

int keeper_start(struct keeper *k, struct err *err)
{
    struct launch l = {.request = k->request, .run = &k->run, .folder = k->path};
    struct launched child;
    int failed;

    if (k->run.pam != NULL && k->sessions == NULL)
        return err_set(err, ERR_INVALID, "this keeper was built without PAM");
    if (k->run.pam != NULL)
        l.sessions = k->sessions;
    l.doing = mmap(
        NULL, LAUNCH_DOING, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (l.doing == MAP_FAILED)
        return err_set(err, ERR_IO, "out of memory: %s", strerror(errno));
    if (launch_fork(&l, &child, err) != 0)
        return -1;
    k->starting = true;
    launch_go(&child);
    failed = follow(k, &child, err);
    k->starting = false;
    launch_close(&child);
    if (!failed) {
        keep_session(k, &child, l.sessions != NULL);
    } else {
        end_child(k, &child, l.sessions != NULL);
        unlinkat(k->folder, "run.json", 0);
        keeper_remove_group(k);
    }
    munmap(l.doing, LAUNCH_DOING);
    if (!failed && k->given_up)
        keeper_terminate(k, END_CANCELLED, &(struct job_end){ENDED_START});
    return failed;
}
