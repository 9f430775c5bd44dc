/* SPDX-License-Identifier: Apache-2.0
 * Talking with keepers: datagrams out, datagrams back, each with a number of ours. */
#include "rm/local/control.h"

#include "rm/local/folder.h"
#include "rm/local/keeper_message.h"
#include "rm/local/ljob.h"
#include "rm/local/private.h"
#include "rm/local/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#define PATIENCE_US (10 * 1000000) /* for an answer */
#define CHECK_MS    1000           /* how often it is looked at */

/* A command that a keeper has been told and has not answered. */
struct asked {
    uint64_t serial; /* the token on the wire */
    uint64_t token;  /* 0 = nobody waits: a look at the usage */
    enum rm_action action;
    struct local_job *job;
    int64_t at_us;
};

struct control {
    int socket; /* -1 = not open */
    uint64_t serial;
    struct VEC(struct asked) asked; /* the oldest first */
    sd_event_source *answers, *patience;
};

struct control *control_create(void)
{
    struct control *c = xcalloc(1, sizeof *c);

    c->socket = -1;
    return c;
}

void control_destroy(struct control *c)
{
    free(c);
}

/* Take the one at `i` off the list and answer who waits for it. Of one that was not
 * carried out it is told how its job is, which the scheduler has for cancelled or
 * suspended. */
static void finish(struct local *l, size_t i, enum rm_outcome outcome, const char *text)
{
    struct asked a = l->control->asked.v[i]; /* the sink may command again */

    vec_remove(&l->control->asked, i);
    local_done(l, a.token, outcome, a.job->id, text);
    if (outcome != RM_OK && a.token != 0 && ljob_is_active(a.job))
        ljob_report(a.job);
}

/* What a keeper said. */
struct answer {
    char id[LOCAL_ID_MAX + 1], outcome;
    unsigned long long serial;
    double cpu_s;
    long long mem_mb, swap_mb, disk_mb, suspended_at;
    const char *text;
};

static bool read_answer(const char *message, struct answer *ret)
{
    int mem = 0, others = 0, text = 0;

    ret->swap_mb = ret->disk_mb = -1; /* keepers of old told memory alone */
    /* NOLINTBEGIN(cert-err34-c): our own keeper wrote it */
    if (sscanf(message, "%64s %llu %c %lf %lld%n", ret->id, &ret->serial, &ret->outcome,
            &ret->cpu_s, &ret->mem_mb, &mem)
            != 5
        || mem == 0)
        return false;
    message += mem;
    if (*message == '/'
        && sscanf(message, "/%lld/%lld%n", &ret->swap_mb, &ret->disk_mb, &others) != 2)
        return false;
    message += others;
    if (sscanf(message, " %lld %n", &ret->suspended_at, &text) != 1 || text == 0)
        return false;
    /* NOLINTEND(cert-err34-c) */
    ret->text = message + text;
    return true;
}

/* The state it tells is newer than ours. */
static void update(struct local_job *j, const struct answer *a)
{
    bool changed = j->cpu_s != a->cpu_s || j->mem_mb != a->mem_mb
                   || j->swap_mb != a->swap_mb || j->disk_mb != a->disk_mb
                   || j->run.suspended_at != a->suspended_at;

    if (j->phase != PHASE_RUNNING)
        return;
    j->cpu_s = a->cpu_s;
    j->mem_mb = a->mem_mb;
    j->swap_mb = a->swap_mb;
    j->disk_mb = a->disk_mb;
    j->run.suspended_at = a->suspended_at;
    if (changed && j->told)
        ljob_report(j);
    ljob_account(j);
}

static void take_answer(struct local *l, const char *message)
{
    struct local_job *j;
    struct answer said;

    if (!read_answer(message, &said))
        return;
    j = ljob_find(l, said.id);
    if (j != NULL)
        update(j, &said);
    for (size_t i = 0; i < l->control->asked.n; i++)
        if (l->control->asked.v[i].serial == said.serial) {
            finish(l, i, said.outcome == 'o' ? RM_OK : RM_REFUSED,
                said.outcome == 'o' ? NULL : said.text);
            return;
        }
}

static int on_answers(sd_event_source *source, int fd, uint32_t events, void *ctx)
{
    char message[KEEPER_MESSAGE_MAX];
    ssize_t n;

    (void)source, (void)events;
    while ((n = recv(fd, message, sizeof message - 1, MSG_DONTWAIT)) >= 0) {
        message[n] = '\0';
        take_answer(ctx, message);
    }
    return 0;
}

static int on_patience(sd_event_source *source, uint64_t usec, void *ctx)
{
    struct local *l = ctx;

    (void)source;
    /* the oldest come first */
    while (l->control->asked.n > 0
           && (int64_t)usec - l->control->asked.v[0].at_us > PATIENCE_US) {
        if (l->control->asked.v[0].action == RM_CANCEL)
            control_kill(l->control->asked.v[0].job);
        finish(l, 0, RM_RETRY, "its keeper does not answer");
    }
    if (l->control->asked.n > 0)
        local_timer(l, &l->control->patience, CHECK_MS, on_patience, l);
    return 0;
}

int control_open(struct local *l, struct err *err)
{
    struct sockaddr_un own = {.sun_family = AF_UNIX};

    snprintf(
        own.sun_path, sizeof own.sun_path, "/proc/self/fd/%d/control", spool_folder(l));
    unlinkat(spool_folder(l), "control", 0);
    l->control->socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (l->control->socket < 0
        || bind(l->control->socket, (const struct sockaddr *)&own, sizeof own) != 0
        || fchmodat(spool_folder(l), "control", 0600, 0) != 0)
        return folder_error(err, errno, "make the socket", "control");
    if (sd_event_add_io(
            l->loop, &l->control->answers, l->control->socket, EPOLLIN, on_answers, l)
        < 0)
        return err_set(err, ERR_IO, "cannot watch the keepers' answers");
    /* before the news that the same keeper's job has ended since */
    sd_event_source_set_priority(l->control->answers, SD_EVENT_PRIORITY_NORMAL - 20);
    return 0;
}

void control_close(struct local *l)
{
    vec_fini(&l->control->asked);
    l->control->answers = sd_event_source_disable_unref(l->control->answers);
    l->control->patience = sd_event_source_disable_unref(l->control->patience);
    if (l->control->socket >= 0)
        close(l->control->socket);
    l->control->socket = -1;
}

static int tell(
    const struct local_job *j, uint64_t serial, const char *verb, const char *argument)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    char message[KEEPER_MESSAGE_MAX];
    int len = snprintf(message, sizeof message, "%llu %s %s",
        (unsigned long long)serial, verb, argument);

    if ((size_t)len >= sizeof message)
        len = sizeof message - 1;
    snprintf(to.sun_path, sizeof to.sun_path, "/proc/self/fd/%d/%s/control",
        spool_jobs_folder(j->local), j->id);
    return sendto(j->local->control->socket, message, (size_t)len, MSG_DONTWAIT,
               (const struct sockaddr *)&to, sizeof to)
                   < 0
               ? -1
               : 0;
}

void control_tell(struct local_job *j, enum rm_action action, uint64_t token,
    const char *verb, const char *argument)
{
    struct local *l = j->local;
    struct asked a = {
        .serial = ++l->control->serial, .token = token, .action = action, .job = j};
    uint64_t now = 0;

    /* a cancellation waits for the end, which comes also of a keeper that was killed */
    if (tell(j, a.serial, verb, argument) != 0 && action != RM_CANCEL) {
        local_done(l, token, RM_RETRY, j->id, "its keeper cannot be reached");
        return;
    }
    sd_event_now(l->loop, CLOCK_MONOTONIC, &now);
    a.at_us = (int64_t)now;
    vec_push(&l->control->asked, a);
    if (l->control->asked.n == 1)
        local_timer(l, &l->control->patience, CHECK_MS, on_patience, l);
}

int control_say(struct local_job *j, const char *verb, const char *argument)
{
    return tell(j, ++j->local->control->serial, verb, argument);
}

void control_kill(struct local_job *j)
{
    int folder = ljob_open_folder(j, NULL);
    pid_t keeper = folder >= 0 ? folder_lock_holder(folder, "lock") : -1;
    int process = keeper > 0 ? (int)syscall(SYS_pidfd_open, keeper, 0) : -1;

    /* the number is the keeper's still if it has the lock now */
    if (process >= 0 && folder_lock_holder(folder, "lock") == keeper)
        syscall(SYS_pidfd_send_signal, process, SIGKILL, NULL, 0);
    if (process >= 0)
        close(process);
    if (folder >= 0)
        close(folder);
}

void control_usage(struct local_job *j)
{
    control_tell(j, RM_MODIFY, 0, "usage", "");
}

bool control_is_asked(const struct local *l)
{
    for (size_t i = 0; i < l->control->asked.n; i++)
        if (l->control->asked.v[i].token != 0)
            return true;
    return false;
}

void control_forget(struct local_job *j)
{
    struct local *l = j->local;
    size_t i = 0;

    while (i < l->control->asked.n) {
        bool cancel = l->control->asked.v[i].action == RM_CANCEL;

        if (l->control->asked.v[i].job != j)
            i++;
        else
            finish(
                l, i, cancel ? RM_OK : RM_REFUSED, cancel ? NULL : "the job has ended");
    }
}
