/* SPDX-License-Identifier: Apache-2.0
 * Programs with a deadline. */
#include "rm/adapter/run.h"

#include "base/strbuf.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/queue.h>
#include <sys/wait.h>
#include <unistd.h>

#define ERR_MOST  4096 /* bytes of the standard error that are kept */
#define PIPE_MOST (1 << 20)
#define DYING_S   5   /* from KILL to an end; what takes longer is in the kernel */
#define LAST_MOST 100 /* at a time, at the end */

/* What the runner says at the end. */
struct verdict {
    int status;
    bool hung;
};

struct run {
    TAILQ_ENTRY(run) link;
    struct runs *runs;
    char **argv, **extra; /* owned */
    int64_t timeout_ms;
    size_t most;
    void (*ended)(void *ctx, const struct run_end *end);
    void *ctx;
    pid_t runner; /* 0 = it waits for its turn */
    int out_fd, err_fd, end_fd;
    sd_event_source *out_io, *err_io, *end_io;
    struct strbuf out, err;
    struct squeeze *squeeze; /* owned; or NULL */
    bool flooded, owed;
};

struct runs {
    sd_event *loop;
    sd_event_source *turn;
    int lock; /* of the file that runners hold */
    bool settled, ended;
    unsigned at_once, running;
    struct VEC(pid_t) over; /* runners that have said what there is, to be waited for */
    TAILQ_HEAD(, run) queue;
};

/* ---- the runner ---- */

static int status_of(int wait_status)
{
    return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status)
                                    : WEXITSTATUS(wait_status);
}

/* Whoever kills the runner kills the program too: else nobody would know that it still
 * runs, and it might be run again beside itself. */
static void become_program(const struct run *run, pid_t runner, int out, int err)
{
    sigset_t none;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != runner)
        _exit(127);
    setpgid(0, 0);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    for (size_t i = 0; run->extra[i] != NULL; i++)
        putenv(run->extra[i]);
    execvp(run->argv[0], run->argv);
    dprintf(STDERR_FILENO, "cannot run %s: %s\n", run->argv[0], strerror(errno));
    _exit(127);
}

/* Has it ended, before so many seconds have passed? */
static bool wait_for_end(pid_t pid, int seconds, int *ret_status)
{
    struct timespec tick = {.tv_nsec = 10000000};

    for (int i = 0; i < seconds * 100; i++) {
        if (waitpid(pid, ret_status, WNOHANG) != 0)
            return true;
        nanosleep(&tick, NULL);
    }
    return false;
}

/* Until the program ends, or its time is over, or we are told to end it. `*ret_left`:
 * it was killed, and does not end. */
static struct verdict wait_for_program(pid_t pid, int64_t timeout_ms, bool *ret_left)
{
    struct timespec limit = {timeout_ms / 1000, timeout_ms % 1000 * 1000000}, now, end;
    struct verdict v = {0};
    sigset_t signals;
    int status = SIGKILL; /* of one that is left */

    *ret_left = false;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGTERM);
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += limit.tv_sec;
    end.tv_nsec += limit.tv_nsec;
    while (waitpid(pid, &status, WNOHANG) == 0) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        int64_t left =
            (end.tv_sec - now.tv_sec) * 1000000000LL + end.tv_nsec - now.tv_nsec;
        int got = left <= 0
                      ? SIGALRM
                      : sigtimedwait(&signals, NULL,
                          &(struct timespec){left / 1000000000, left % 1000000000});

        if (got == SIGALRM || got == SIGTERM) {
            v.hung = got == SIGALRM;
            kill(-pid, SIGKILL);
            kill(pid, SIGKILL); /* before it had a group of its own */
            *ret_left = !wait_for_end(pid, DYING_S, &status);
            break;
        }
    }
    v.status = status_of(status);
    return v;
}

/* In the fork: the fds that it needs are 3 (the lock) and 4 (where the verdict goes).
 */
static void become_runner(const struct run *run, int out, int err, int verdict)
{
    struct verdict v = {.status = 127};
    sigset_t block;
    int null, lock, to;
    pid_t pid, self;
    bool left = false;

    setsid();
    sigemptyset(&block);
    sigaddset(&block, SIGCHLD);
    sigaddset(&block, SIGTERM);
    sigprocmask(SIG_BLOCK, &block, NULL);
    null = open("/dev/null", O_RDWR);
    dup2(null, STDIN_FILENO);
    self = getpid();
    pid = fork();
    if (pid == 0)
        become_program(run, self, out, err);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    lock = fcntl(run->runs->lock, F_DUPFD_CLOEXEC, 100);
    to = fcntl(verdict, F_DUPFD_CLOEXEC, 100);
    dup2(lock, 3);
    dup2(to, 4);
    close_range(5, UINT_MAX, 0);
    if (pid > 0)
        v = wait_for_program(pid, run->timeout_ms, &left);
    while (write(4, &v, sizeof v) < 0 && errno == EINTR)
        continue;
    if (left) { /* our lock tells that it is still there */
        close(4);
        waitpid(pid, NULL, 0);
    }
    _exit(0);
}

/* ---- one run ---- */

static void close_fd(int *fd, sd_event_source **io)
{
    *io = sd_event_source_disable_unref(*io);
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void free_list(char **list)
{
    for (size_t i = 0; list[i] != NULL; i++)
        free(list[i]);
    free(list);
}

static void free_run(struct run *run)
{
    close_fd(&run->out_fd, &run->out_io);
    close_fd(&run->err_fd, &run->err_io);
    close_fd(&run->end_fd, &run->end_io);
    free_list(run->argv);
    free_list(run->extra);
    free(run->out.text);
    free(run->err.text);
    squeeze_free(run->squeeze);
    free(run);
}

/* What there is to be read just now, and no more than a pipe can hold: a program that
 * writes as fast as we read does not stop all else. False at its end. */
static bool read_some(int fd, struct strbuf *into, size_t most, struct squeeze *squeeze)
{
    char text[65536];
    size_t taken = 0;
    ssize_t n;

    while ((n = read(fd, text, sizeof text)) > 0) {
        taken += (size_t)n;
        size_t room = into->len < most ? most - into->len : 0;

        if (squeeze != NULL) {
            squeeze_feed(squeeze, text, (size_t)n, into);
            if (into->len > most || taken >= PIPE_MOST)
                return true;
            continue;
        }
        strbuf_add_n(into, text, (size_t)n < room ? (size_t)n : room);
        if ((size_t)n > room || taken >= PIPE_MOST)
            return true;
    }
    return n < 0 && (errno == EAGAIN || errno == EINTR);
}

static void check_flood(struct run *run)
{
    if (run->out.len <= run->most || run->flooded)
        return;
    run->flooded = true;
    kill(run->runner, SIGTERM);
    close_fd(&run->out_fd, &run->out_io);
}

static int on_out(sd_event_source *source, int fd, uint32_t events, void *ctx)
{
    struct run *run = ctx;

    (void)source;
    (void)events;
    if (!read_some(fd, &run->out, run->most + 1, run->squeeze))
        close_fd(&run->out_fd, &run->out_io);
    check_flood(run);
    return 0;
}

static int on_err(sd_event_source *source, int fd, uint32_t events, void *ctx)
{
    struct run *run = ctx;
    char text[4096];
    ssize_t n = read(fd, text, sizeof text);

    (void)source;
    (void)events;
    if (n > 0 && run->err.len < ERR_MOST) /* the rest is read, and dropped */
        strbuf_add_n(&run->err, text, (size_t)n);
    if (n == 0)
        close_fd(&run->err_fd, &run->err_io);
    return 0;
}

static const char *skip_blanks(const struct strbuf *b)
{
    return b->text != NULL ? b->text + strspn(b->text, " \t\r\n") : "";
}

/* In one line, printable. Owned. */
static char *name_end(const struct run *run, const struct verdict *v)
{
    const char *said = skip_blanks(&run->err);
    struct strbuf text = {0};

    if (*said == '\0')
        said = skip_blanks(&run->out);
    strbuf_add(&text, "");
    if (v->hung)
        strbuf_printf(&text, "it did not end within %.0f s and was killed",
            (double)run->timeout_ms / 1000);
    else if (run->flooded)
        strbuf_printf(
            &text, "it printed more than %zu bytes and was killed", run->most);
    else if (*said == '\0' && v->status > 128)
        strbuf_printf(&text, "it was killed by signal %d", v->status - 128);
    else if (*said == '\0' && v->status > 0)
        strbuf_printf(&text, "it ended with status %d and said nothing", v->status);
    else
        for (size_t i = 0; i < 250 && said[i] != '\0' && said[i] != '\n'; i++)
            strbuf_add_n(&text, (unsigned char)said[i] < ' ' ? " " : said + i, 1);
    return strbuf_take(&text);
}

static int begin_next(sd_event_source *source, void *ctx);

static void schedule_next(struct runs *r)
{
    if (r->turn == NULL)
        sd_event_add_defer(r->loop, &r->turn, begin_next, r);
    sd_event_source_set_enabled(r->turn, SD_EVENT_ONESHOT);
}

static void finish_run(struct run *run, struct verdict v)
{
    struct runs *r = run->runs;
    char *text;

    if (run->out_fd >= 0)
        read_some(run->out_fd, &run->out, run->most + 1, run->squeeze);
    if (run->err_fd >= 0)
        read_some(run->err_fd, &run->err, ERR_MOST, NULL);
    run->flooded |= run->out.len > run->most;
    strbuf_add(&run->out, ""); /* never NULL */
    text = name_end(run, &v);
    TAILQ_REMOVE(&r->queue, run, link);
    r->running--;
    run->ended(run->ctx, &(struct run_end){.status = v.status,
                             .hung = v.hung,
                             .flooded = run->flooded,
                             .out = run->out.text,
                             .out_len = run->out.len,
                             .text = text});
    free(text);
    free_run(run);
    schedule_next(r);
}

/* Most have ended by now; one whose program does not end stays. */
static void reap_runners(struct runs *r)
{
    for (size_t i = r->over.n; i-- > 0;)
        if (waitpid(r->over.v[i], NULL, WNOHANG) != 0)
            vec_remove(&r->over, i);
}

static int on_end(sd_event_source *source, int fd, uint32_t events, void *ctx)
{
    struct run *run = ctx;
    struct verdict v = {.status = 128 + SIGKILL}; /* of the runner */
    ssize_t n = read(fd, &v, sizeof v);

    (void)source;
    (void)events;
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    vec_push(&run->runs->over, run->runner);
    reap_runners(run->runs);
    finish_run(run, v);
    return 0;
}

static int watch_run(struct run *run)
{
    sd_event *loop = run->runs->loop;
    const int fds[] = {run->out_fd, run->err_fd, run->end_fd};

    for (size_t i = 0; i < 3; i++)
        fcntl(fds[i], F_SETFL, O_NONBLOCK);
    if (sd_event_add_io(loop, &run->out_io, run->out_fd, EPOLLIN, on_out, run) < 0
        || sd_event_add_io(loop, &run->err_io, run->err_fd, EPOLLIN, on_err, run) < 0
        || sd_event_add_io(loop, &run->end_io, run->end_fd, EPOLLIN, on_end, run) < 0)
        return -1;
    /* its last words before its end */
    sd_event_source_set_priority(run->end_io, 1);
    return 0;
}

static void begin_run(struct run *run)
{
    int fds[6] = {-1, -1, -1, -1, -1, -1};
    bool piped = true;

    for (size_t i = 0; i < 6; i += 2)
        piped = piped && pipe2(fds + i, O_CLOEXEC) == 0;
    run->runs->running++;
    run->runner = piped ? fork() : -1;
    if (run->runner == 0)
        become_runner(run, fds[1], fds[3], fds[5]);
    for (size_t i = 1; i < 6; i += 2)
        if (fds[i] >= 0)
            close(fds[i]);
    run->out_fd = fds[0];
    run->err_fd = fds[2];
    run->end_fd = fds[4];
    if (run->runner < 0 || watch_run(run) < 0) {
        strbuf_printf(&run->err, "cannot run %s: %s", run->argv[0], strerror(errno));
        finish_run(run, (struct verdict){.status = 127});
    }
}

/* ---- all ---- */

static int begin_next(sd_event_source *source, void *ctx)
{
    struct runs *r = ctx;
    struct run *run, *next;

    (void)source;
    for (run = TAILQ_FIRST(&r->queue); run != NULL && r->running < r->at_once;
         run = next) {
        next = TAILQ_NEXT(run, link);
        if (run->runner == 0)
            begin_run(run);
    }
    return 0;
}

struct runs *runs_new(sd_event *loop, const char *lock, unsigned at_once)
{
    int fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    struct runs *r;

    if (fd < 0)
        return NULL;
    r = xcalloc(1, sizeof *r);
    r->loop = sd_event_ref(loop);
    r->lock = fd;
    r->at_once = at_once;
    TAILQ_INIT(&r->queue);
    return r;
}

void runs_destroy(struct runs *r)
{
    struct run *run;

    if (r == NULL)
        return;
    while ((run = TAILQ_FIRST(&r->queue)) != NULL) {
        TAILQ_REMOVE(&r->queue, run, link);
        free_run(run);
    }
    sd_event_source_disable_unref(r->turn);
    sd_event_unref(r->loop);
    vec_fini(&r->over);
    close(r->lock);
    free(r);
}

bool runs_settled(struct runs *r)
{
    if (!r->settled)
        r->settled = flock(r->lock, LOCK_EX | LOCK_NB) == 0;
    return r->settled;
}

static char **copy_list(const char *const *list)
{
    size_t n = 0;
    char **copy;

    while (list != NULL && list[n] != NULL)
        n++;
    copy = xcalloc(n + 1, sizeof *copy);
    for (size_t i = 0; i < n; i++)
        copy[i] = xstrdup(list[i]);
    return copy;
}

void runs_start(struct runs *r, const struct run_spec *spec,
    void (*ended)(void *ctx, const struct run_end *end), void *ctx)
{
    struct run *run;

    if (r->ended && !spec->owed)
        return;
    run = xcalloc(1, sizeof *run);
    run->runs = r;
    run->owed = spec->owed;
    run->argv = copy_list(spec->argv);
    run->extra = copy_list(spec->extra);
    run->timeout_ms = spec->timeout_ms;
    run->most = spec->most;
    run->squeeze = spec->squeeze != NULL ? squeeze_new(spec->squeeze) : NULL;
    run->ended = ended;
    run->ctx = ctx;
    run->out_fd = run->err_fd = run->end_fd = -1;
    if (spec->first)
        TAILQ_INSERT_HEAD(&r->queue, run, link);
    else
        TAILQ_INSERT_TAIL(&r->queue, run, link);
    schedule_next(r);
}

size_t runs_count(const struct runs *r)
{
    size_t n = 0;
    const struct run *run;

    TAILQ_FOREACH(run, &r->queue, link)
    n++;
    return n;
}

void runs_end(struct runs *r)
{
    struct run *run, *next;

    if (r->ended)
        return;
    r->ended = true;
    r->at_once = r->running + LAST_MOST;
    for (run = TAILQ_FIRST(&r->queue); run != NULL; run = next) {
        next = TAILQ_NEXT(run, link);
        if (run->runner == 0 && !run->owed) {
            TAILQ_REMOVE(&r->queue, run, link);
            free_run(run);
        }
    }
    schedule_next(r);
}

size_t runs_owed(const struct runs *r)
{
    size_t n = 0;
    const struct run *run;

    TAILQ_FOREACH(run, &r->queue, link)
    n += run->owed;
    return n;
}
