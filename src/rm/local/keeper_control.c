/* SPDX-License-Identifier: Apache-2.0
 * Commands to a keeper, and its answers. */
#include "rm/local/folder.h"
#include "rm/local/keeper_private.h"
#include "rm/local/rusage.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const struct sockaddr_un own = {.sun_family = AF_UNIX, .sun_path = "control"};
static const struct sockaddr_un daemon_socket = {
    .sun_family = AF_UNIX, .sun_path = "../../control"};

int keeper_listen(struct keeper *k, struct err *err)
{
    struct timeval patience = {.tv_sec = 1};

    unlinkat(k->folder, "control", 0);
    k->control = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (k->control < 0
        || bind(k->control, (const struct sockaddr *)&own, sizeof own) != 0)
        return folder_error(err, errno, "make the socket", "control");
    setsockopt(k->control, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    return 0;
}

int64_t keeper_memory_mb(struct keeper *k)
{
    int64_t peak = cgroup_memory_peak_mb(&k->cgroup), one;
    double cpu;

    rusage_children(&cpu, &one);
    if (one > k->mem_seen_mb)
        k->mem_seen_mb = one;
    return peak > k->mem_seen_mb ? peak : k->mem_seen_mb;
}

double keeper_cpu_s(struct keeper *k)
{
    double ended;
    int64_t mem;

    procs_below(&k->pids, k->session);
    rusage_children(&ended, &mem);
    return ended + procs_cpu_s(&k->pids);
}

static int save_run(struct keeper *k)
{
    char *text = run_write(&k->run);
    int failed = folder_write(k->folder, "run.json", text, strlen(text), NULL);

    free(text);
    return failed;
}

/* The verbs: NULL = done, else why not. */
static const char *do_cancel(struct keeper *k, const char *text)
{
    keeper_terminate(
        k, END_CANCELLED, &(struct job_end){ENDED_CANCELLED, .said = text});
    return NULL;
}

static const char *do_requeue(struct keeper *k, const char *text)
{
    (void)text;
    if (!k->request->rerunnable)
        return "the job may not be run again";
    if (k->ending && k->end.kind == END_REQUEUED)
        return NULL; /* a later life of the daemon says so once more */
    if (k->ending)
        return "the job is ending";
    keeper_terminate(k, END_REQUEUED, &(struct job_end){ENDED_REQUEUED});
    return NULL;
}

static const char *do_suspend(struct keeper *k, const char *text)
{
    (void)text;
    if (k->ending)
        return "the job is ending";
    if (keeper_suspend(k) == 0) {
        k->run.suspended_at = time(NULL);
        save_run(k);
    }
    return NULL;
}

static const char *do_resume(struct keeper *k, const char *text)
{
    (void)text;
    if (keeper_resume(k) == 0) {
        k->run.suspended_at = 0;
        save_run(k);
    }
    return NULL;
}

static const char *do_signal(struct keeper *k, const char *text)
{
    long number = strtol(text, NULL, 10);

    if (number < 1 || number >= NSIG)
        return "no such signal";
    procs_below(&k->pids, k->session);
    procs_signal(&k->pids, (int)number);
    return NULL;
}

static const char *do_wclimit(struct keeper *k, const char *text)
{
    long long limit = strtoll(text, NULL, 10);

    if (limit < 1)
        return "a wall clock limit is more than 0 seconds";
    k->run.wclimit_s = limit;
    save_run(k);
    return NULL;
}

static void keep_most(int64_t *most, int64_t now)
{
    if (now > *most)
        *most = now;
}

/* Disk is what lies in TMPDIR: where else the job writes to nobody can tell. */
static const char *do_usage(struct keeper *k, const char *text)
{
    (void)text;
    procs_below(&k->pids, k->session);
    int64_t used = procs_memory_mb(&k->pids);
    if (!k->cgroup.limits_memory)
        keep_most(&k->mem_seen_mb, used);
    keep_most(&k->swap_seen_mb, used + procs_swapped_mb(&k->pids));
    keep_most(&k->disk_seen_mb, folder_size_mb("tmp"));
    return NULL;
}

static const struct verb {
    const char *name;
    const char *(*run)(struct keeper *k, const char *text);
    bool ends; /* also a job that has not begun */
} verbs[] = {
    {"cancel", do_cancel, true},
    {"requeue", do_requeue, true},
    {"resume", do_resume, false},
    {"signal", do_signal, false},
    {"suspend", do_suspend, false},
    {"usage", do_usage, false},
    {"wclimit", do_wclimit, false},
};

static const char *carry_out(struct keeper *k, const struct verb *v, const char *text)
{
    if (!k->starting)
        return v->run(k, text);
    k->given_up |= v->ends;
    return v->ends ? NULL : "the job has not begun";
}

static void reply(struct keeper *k, const char *token, const char *why_not)
{
    char text[KEEPER_MESSAGE_MAX];
    int len = snprintf(text, sizeof text, "%s %s %c %.3f %lld/%lld/%lld %lld %s",
        k->request->job.desc.id, token, why_not == NULL ? 'o' : 'r', keeper_cpu_s(k),
        (long long)keeper_memory_mb(k), (long long)k->swap_seen_mb,
        (long long)k->disk_seen_mb, (long long)k->run.suspended_at,
        why_not != NULL ? why_not : "");

    /* without a daemon nobody waits for it */
    sendto(k->control, text, (size_t)len, 0, (const struct sockaddr *)&daemon_socket,
        sizeof daemon_socket);
}

static void obey(struct keeper *k, char *message)
{
    char *rest = message, *token = strsep(&rest, " "), *verb = strsep(&rest, " ");
    const char *why_not = "unknown command";

    if (verb == NULL)
        return;
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        if (strcmp(verbs[i].name, verb) == 0)
            why_not = carry_out(k, &verbs[i], rest != NULL ? rest : "");
    reply(k, token, why_not);
}

void keeper_obey(struct keeper *k)
{
    char message[KEEPER_MESSAGE_MAX];
    ssize_t n;

    while ((n = recv(k->control, message, sizeof message - 1, MSG_DONTWAIT)) >= 0) {
        message[n] = '\0';
        obey(k, message);
    }
}
