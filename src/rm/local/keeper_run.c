/* SPDX-License-Identifier: Apache-2.0
 * The keeper's long wait: children, limits, commands; and the end. */
#include "base/boot.h"
#include "rm/local/folder.h"
#include "rm/local/keeper_private.h"
#include "rm/local/rusage.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STOP_ROUNDS    50   /* a process may fork while the others are stopped */
#define KILL_AGAIN_MS  100  /* and while the others are killed */
#define LEFTOVER_MS    1000 /* for processes that outlive the job's first */
#define WRITE_AGAIN_US 1000000

static void signal_all(struct keeper *k, int signal)
{
    procs_below(&k->pids, k->session);
    procs_signal(&k->pids, signal);
}

/* Stop them all, those too that are made meanwhile. */
static void stop_all(struct keeper *k)
{
    size_t before = 0;

    for (int i = 0; i < STOP_ROUNDS; i++) {
        signal_all(k, SIGSTOP);
        if (k->pids.n == before)
            break;
        before = k->pids.n;
    }
}

int keeper_suspend(struct keeper *k)
{
    if (k->stopped_since_ms != 0 || k->ending)
        return -1;
    k->stopped_since_ms = keeper_now_ms();
    if (cgroup_freeze(&k->cgroup, true) != 0)
        stop_all(k);
    return 0;
}

int keeper_resume(struct keeper *k)
{
    if (k->stopped_since_ms == 0)
        return -1;
    k->stopped_ms += keeper_now_ms() - k->stopped_since_ms;
    k->stopped_since_ms = 0;
    if (cgroup_freeze(&k->cgroup, false) != 0)
        signal_all(k, SIGCONT);
    return 0;
}

static void note_end(struct keeper *k, const struct job_end *why)
{
    k->end.why = *why;
    k->end.why.said = NULL;
    snprintf(k->end.said, sizeof k->end.said, "%s", why->said ? why->said : "");
}

void keeper_terminate(struct keeper *k, enum end_kind kind, const struct job_end *why)
{
    if (k->ending)
        return;
    k->ending = true;
    k->end.kind = kind;
    note_end(k, why);
    signal_all(k, SIGTERM);
    keeper_resume(k); /* or they would not notice */
    k->kill_at_ms = keeper_now_ms() + k->run.grace_ms;
}

static void leader_ended(struct keeper *k, int status)
{
    k->leader_ended = true;
    k->end.end_at = time(NULL);
    k->end.exit_status =
        WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (!k->ending)
        note_end(k, WIFSIGNALED(status)
                        ? &(struct job_end){ENDED_SIGNAL, .used = WTERMSIG(status)}
                        : &(struct job_end){ENDED_BY_ITSELF});
}

/* When nothing of the job is left: its session is over. */
static void end_session(struct keeper *k)
{
    if (!k->leader_ended || k->session == 0 || k->stay < 0)
        return;
    procs_below(&k->pids, k->session);
    if (k->pids.n > 0)
        return;
    close(k->stay);
    k->stay = -1;
    k->session_at_ms = keeper_now_ms() + k->run.start_ms;
}

/* Wait for what has ended. True when nothing is left. */
static bool reap(struct keeper *k)
{
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        if (pid == k->run.leader)
            leader_ended(k, status);
        else if (pid == k->session)
            k->session = 0;
    if (pid < 0 && errno == ECHILD)
        return true;
    end_session(k);
    if (k->leader_ended && k->kill_at_ms == 0) {
        /* processes in the background: the job is over, they must go */
        int64_t grace = k->run.grace_ms < LEFTOVER_MS ? k->run.grace_ms : LEFTOVER_MS;

        k->ending = true;
        signal_all(k, SIGTERM);
        keeper_resume(k);
        k->kill_at_ms = keeper_now_ms() + grace;
    }
    return false;
}

/* When the wall limit is used up; 0 = it is not counting. */
static int64_t limit_at(const struct keeper *k)
{
    if (k->run.wclimit_s <= 0 || k->run.overrun_s < 0 || k->ending
        || k->stopped_since_ms != 0 || k->run.wclimit_s > DURATION_UNLIMITED / 1000
        || k->run.overrun_s > DURATION_UNLIMITED / 1000)
        return 0;
    return k->began_ms + k->stopped_ms + (k->run.wclimit_s + k->run.overrun_s) * 1000;
}

static void look_at_memory(struct keeper *k)
{
    int64_t used;

    procs_below(&k->pids, k->session);
    used = procs_memory_mb(&k->pids);
    if (used > k->mem_seen_mb)
        k->mem_seen_mb = used;
    if (used <= k->run.mem_mb)
        return;
    keeper_terminate(k, END_DONE,
        &(struct job_end){
            ENDED_MEMORY, .limit = (double)k->run.mem_mb, .used = (double)used});
    k->kill_at_ms = keeper_now_ms(); /* others would feel it meanwhile */
}

static void do_timers(struct keeper *k)
{
    int64_t now = keeper_now_ms(), limit = limit_at(k);

    if (limit != 0 && now >= limit)
        keeper_terminate(k, END_DONE,
            &(struct job_end){ENDED_WALLCLOCK, .limit = (double)k->run.wclimit_s,
                .used = (double)((now - k->began_ms - k->stopped_ms) / 1000)});
    if (k->memory_at_ms != 0 && !k->ending && now >= k->memory_at_ms) {
        look_at_memory(k);
        k->memory_at_ms = now + k->run.poll_ms;
    }
    if (k->kill_at_ms != 0 && now >= k->kill_at_ms) {
        if (cgroup_kill(&k->cgroup) != 0)
            stop_all(k); /* or some could be made faster than they are found */
        signal_all(k, SIGKILL);
        k->kill_at_ms = now + KILL_AGAIN_MS;
    }
    if (k->session_at_ms != 0 && now >= k->session_at_ms) {
        k->session_at_ms = now + KILL_AGAIN_MS;
        procs_below(&k->pids, 0); /* the session's, and what that may have begun */
        procs_signal(&k->pids, SIGKILL);
    }
    if (k->sync_at_ms != 0 && now >= k->sync_at_ms) {
        k->sync_at_ms = 0;
        folder_sync(k->folder, "run.json", NULL);
    }
}

/* The nearest of the instants in ms from now, -1 = none. */
static int time_left(const struct keeper *k)
{
    int64_t at[] = {limit_at(k), k->ending ? 0 : k->memory_at_ms, k->kill_at_ms,
        k->sync_at_ms, k->session_at_ms};
    int64_t now = keeper_now_ms(), least = -1;

    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        int64_t left = at[i] > now ? at[i] - now : 0;

        if (at[i] != 0 && (least < 0 || left < least))
            least = left;
    }
    return least > INT32_MAX / 2 ? INT32_MAX / 2 : (int)least;
}

static void read_signals(struct keeper *k)
{
    struct signalfd_siginfo info;

    while (read(k->signals, &info, sizeof info) == (ssize_t)sizeof info)
        if (info.ssi_signo == SIGTERM)
            keeper_terminate(k, END_DONE, &(struct job_end){ENDED_SHUTDOWN});
}

void keeper_watch(struct keeper *k)
{
    struct pollfd fds[] = {{k->signals, POLLIN, 0}, {k->control, POLLIN, 0}};

    if (k->run.mem_mb > 0 && !k->cgroup.limits_memory)
        k->memory_at_ms = k->began_ms + k->run.poll_ms;
    while (!reap(k)) {
        do_timers(k);
        if (poll(fds, 2, time_left(k)) > 0) {
            read_signals(k);
            if (fds[1].revents != 0)
                keeper_obey(k);
        }
    }
}

static void tell_news(struct keeper *k)
{
    char name[PATH_MAX];
    int fd;

    snprintf(name, sizeof name, "../../news/%s", strrchr(k->path, '/') + 1);
    fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd >= 0)
        close(fd);
}

void keeper_remove_group(struct keeper *k)
{
    if (k->request != NULL && k->run.cgroup != NULL)
        cgroup_remove(
            &k->cgroup, k->run.cgroup, k->request->job.desc.id, k->run.cookie);
}

/* The job may have filled the disk by what is its own in the folder. */
static void make_room(struct keeper *k)
{
    int fd =
        openat(k->folder, "script", O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat now;

    folder_remove(k->folder, "tmp");
    if (fd < 0)
        return;
    if (k->script_bytes > 0 && fstat(fd, &now) == 0 && now.st_size > k->script_bytes)
        (void)!ftruncate(fd, k->script_bytes);
    close(fd);
}

void keeper_finish(struct keeper *k)
{
    struct err err;
    char *text, boot[40];
    int64_t one;

    boot_name(boot);
    k->end.start_at = run_began_at(&k->run, boot);
    if (k->end.end_at == 0)
        k->end.end_at = time(NULL);
    if (k->end.kind != END_LOST) {
        k->end.mem_mb = keeper_memory_mb(k);
        rusage_children(&k->end.cpu_s, &one); /* all have been waited for */
        if (cgroup_was_out_of_memory(&k->cgroup))
            note_end(k, &(struct job_end){ENDED_MEMORY, .limit = (double)k->run.mem_mb,
                            .used = (double)k->end.mem_mb});
    }
    text = end_write(&k->end);
    /* a full disk may have room again; until then the job has not ended for anybody */
    while (folder_write(k->folder, "end.json", text, strlen(text), &err) != 0) {
        if (err.code == ERR_NOT_FOUND)
            break; /* the whole folder is gone */
        make_room(k);
        usleep(WRITE_AGAIN_US);
    }
    free(text);
    keeper_tidy(k);
}

void keeper_tidy(struct keeper *k)
{
    tell_news(k);
    folder_sync(k->folder, "end.json", NULL);
    unlinkat(k->folder, "control", 0);
    folder_remove(k->folder, "tmp");
    keeper_remove_group(k);
}
