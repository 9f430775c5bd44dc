/* SPDX-License-Identifier: Apache-2.0
 * Beginning keepers: the order goes in on standard input, one line comes back. */
#include "rm/local/start.h"

#include "rm/local/control.h"
#include "rm/local/ljob.h"
#include "rm/local/private.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ANSWER_MAX 600

/* A process of ours, watched only to take it off the process table when it has ended.
 * Those of a daemon that is gone are somebody else's children. */
struct child {
    struct local *local;
    pid_t pid;
    int pidfd;
    sd_event_source *source;
};

struct start {
    struct local_job *job;
    uint64_t token;
    pid_t keeper;
    int answer; /* pipe */
    sd_event_source *on_answer, *late;
    char text[ANSWER_MAX];
    size_t len;
};

struct children {
    struct VEC(struct child *) v;
};

struct children *children_create(void)
{
    return xcalloc(1, sizeof(struct children));
}

static void child_free(struct child *c)
{
    sd_event_source_disable_unref(c->source);
    if (c->pidfd >= 0)
        close(c->pidfd);
    free(c);
}

static int on_child_ended(sd_event_source *source, int fd, uint32_t events, void *ctx)
{
    struct child *c = ctx;
    struct children *all = c->local->children;

    (void)source, (void)fd, (void)events;
    waitpid(c->pid, NULL, WNOHANG);
    for (size_t i = 0; i < all->v.n; i++)
        if (all->v.v[i] == c) {
            vec_remove(&all->v, i);
            break;
        }
    child_free(c);
    return 0;
}

static void adopt(struct local *l, pid_t pid)
{
    struct child *c = xcalloc(1, sizeof *c);

    c->local = l;
    c->pid = pid;
    c->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (c->pidfd < 0
        || sd_event_add_io(l->loop, &c->source, c->pidfd, EPOLLIN, on_child_ended, c)
               < 0) {
        child_free(c); /* it stays in the table until this daemon ends */
        return;
    }
    /* who watches the job comes first */
    sd_event_source_set_priority(c->source, SD_EVENT_PRIORITY_NORMAL + 20);
    vec_push(&l->children->v, c);
}

void children_destroy(struct children *c)
{
    if (c == NULL)
        return;
    for (size_t i = 0; i < c->v.n; i++)
        child_free(c->v.v[i]);
    vec_fini(&c->v);
    free(c);
}

void start_free(struct start *s)
{
    if (s == NULL)
        return;
    sd_event_source_disable_unref(s->on_answer);
    sd_event_source_disable_unref(s->late);
    if (s->answer >= 0)
        close(s->answer);
    free(s);
}

/* Did the keeper get as far as running the job before it fell silent? */
static void silent(struct local_job *j, uint64_t token)
{
    struct err err;

    j->phase = PHASE_WAITING;
    j->unanswered = token;
    if (ljob_load(j, &err) != 0 || j->phase != PHASE_STARTING)
        start_settle(j);
}

void start_settle(struct local_job *j)
{
    uint64_t token = j->unanswered;

    j->unanswered = 0;
    if (j->phase == PHASE_WAITING)
        local_done(j->local, token, RM_FAILED, j->id, "its keeper died");
    else
        local_done(j->local, token, RM_OK, j->id, NULL);
}

static void refused(struct local_job *j, uint64_t token, char *text)
{
    char *rest = strchr(text, ' ');
    enum rm_outcome outcome = strncmp(text, "retry", 5) == 0    ? RM_RETRY
                              : strncmp(text, "failed", 6) == 0 ? RM_FAILED
                                                                : RM_REFUSED;

    j->phase = PHASE_WAITING;
    ljob_report(j); /* still what it was */
    if (outcome == RM_RETRY)
        local_health(j->local, "jobstart", rest != NULL ? rest + 1 : text);
    local_done(j->local, token, outcome, j->id, rest != NULL ? rest + 1 : text);
}

static void answered(struct local_job *j, uint64_t token, char *text)
{
    int keeper, leader;
    long long at, boot_ms;

    /* NOLINTNEXTLINE(cert-err34-c): our own keeper wrote it */
    if (sscanf(text, "ok %d %d %lld %lld", &keeper, &leader, &at, &boot_ms) == 4) {
        j->run.keeper = keeper;
        if (!j->run.clean) {
            j->run.leader = leader;
            j->run.start_at = at;
            j->run.start_boot_ms = boot_ms;
            snprintf(j->run.boot, sizeof j->run.boot, "%s", j->local->cfg.boot);
        }
        ljob_runs(j, keeper);
        local_health(j->local, "jobstart", NULL);
        local_done(j->local, token, RM_OK, j->id, NULL);
    } else if (j->run.clean) {
        ljob_look(j); /* perhaps there is an end by now */
        ljob_watch_again(j);
    } else if (*text == '\0') {
        silent(j, token);
    } else {
        refused(j, token, text);
    }
    ljob_next(j);
}

/* Neither did the job begin nor did its keeper say why: it is at an end with its guard,
 * which are a session, and who waits for the answer learns of that. A cleaning keeper
 * takes the time it takes. */
static int on_late(sd_event_source *source, uint64_t usec, void *ctx)
{
    struct start *s = ctx;

    (void)source, (void)usec;
    kill(-s->keeper, SIGKILL);
    return 0;
}

void start_give_up(struct local_job *j)
{
    if (control_say(j, "cancel", "") != 0 && j->start != NULL)
        local_timer(j->local, &j->start->late, START_SLACK_MS, on_late, j->start);
}

static int on_answer(sd_event_source *source, int fd, uint32_t events, void *ctx)
{
    struct start *s = ctx;
    struct local_job *j = s->job;
    ssize_t n = read(fd, s->text + s->len, sizeof s->text - 1 - s->len);
    char *end;

    (void)source, (void)events;
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (n > 0)
        s->len += (size_t)n;
    s->text[s->len] = '\0';
    end = strchr(s->text, '\n');
    if (end == NULL && n > 0 && s->len < sizeof s->text - 1)
        return 0;
    if (end != NULL)
        *end = '\0';
    else
        s->text[0] = '\0';
    j->start = NULL;
    answered(j, s->token, s->text);
    start_free(s);
    return 0;
}

/* The order as an open file that reads from its beginning, or -1. */
static int order_file(const struct run *run, struct err *err)
{
    char *text = run_write(run);
    size_t len = strlen(text);
    int fd;

    errno = EFBIG; /* of a write that was cut short */
    fd = memfd_create("order", MFD_CLOEXEC);
    if (fd < 0 || write(fd, text, len) != (ssize_t)len || lseek(fd, 0, SEEK_SET) != 0) {
        err_set(err, ERR_IO, "cannot write the keeper's order: %s", strerror(errno));
        if (fd >= 0)
            close(fd);
        fd = -1;
    }
    free(text);
    return fd;
}

static int spawn(const struct local_job *j, int order, int answer, pid_t *ret_pid)
{
    char **keeper = j->local->cfg.keeper;
    struct VEC(char *) argv = {0};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    sigset_t none, all;
    char folder[4096];
    int failed;

    snprintf(folder, sizeof folder, "%s/jobs/%s", j->local->cfg.path, j->id);
    for (; *keeper != NULL; keeper++)
        vec_push(&argv, *keeper);
    vec_push(&argv, folder);
    vec_push(&argv, NULL);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, order, 0);
    posix_spawn_file_actions_adddup2(&files, answer, 1);
    posix_spawnattr_init(&attr);
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attr, &none);
    posix_spawnattr_setsigdefault(&attr, &all);
    posix_spawnattr_setflags(
        &attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
    failed = posix_spawn(ret_pid, argv.v[0], &files, &attr, argv.v, environ);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&files);
    vec_fini(&argv);
    return failed;
}

/* A pipe for the answer, watched; its other end, or -1. */
static int listen(struct start *s, struct err *err)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0)
        return err_set(err, ERR_IO, "cannot make a pipe: %s", strerror(errno));
    s->answer = ends[0];
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    if (sd_event_add_io(
            s->job->local->loop, &s->on_answer, ends[0], EPOLLIN, on_answer, s)
        >= 0)
        return ends[1];
    close(ends[1]);
    return err_set(err, ERR_IO, "cannot watch for the keeper's answer");
}

int start_keeper(struct local_job *j, uint64_t token, struct err *err)
{
    struct start *s = xcalloc(1, sizeof *s);
    int order = order_file(&j->run, err), answer = -1, failed = -1;
    pid_t pid;

    *s = (struct start){.job = j, .token = token, .answer = -1};
    if (order >= 0)
        answer = listen(s, err);
    if (answer >= 0) {
        failed = spawn(j, order, answer, &pid);
        if (failed)
            err_set(err, ERR_IO, "cannot begin the keeper '%s': %s",
                j->local->cfg.keeper[0], strerror(failed));
        close(answer);
    }
    if (order >= 0)
        close(order);
    if (failed) {
        start_free(s);
        return -1;
    }
    adopt(j->local, pid);
    s->keeper = pid;
    if (!j->run.clean)
        local_timer(j->local, &s->late, j->run.start_ms + START_SLACK_MS, on_late, s);
    j->start = s;
    return 0;
}
