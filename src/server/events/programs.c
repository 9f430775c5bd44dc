/* SPDX-License-Identifier: Apache-2.0
 * Programs of the site. */
#include "server/events/programs.h"

#include "base/vec.h"
#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/queue.h>
#include <sys/wait.h>
#include <unistd.h>

#define LINE_BYTES 1000
#define READ_BYTES 4096

struct program {
    TAILQ_ENTRY(program) next;
    struct programs *all;
    char *what, **argv, **environment, *input; /* owned */
    bool has_user;
    struct program_user as;
    uint64_t limit_ms;
    void (*ended)(void *ctx, const struct program_end *end);
    void *ctx;
    /* while it runs */
    pid_t pid;
    sd_event_source *child, *output, *timer;
    int output_fd;
    bool terminated;
    char *said; /* its first line; owned or NULL */
    size_t read, line_len;
    char line[LINE_BYTES + 1];
};

TAILQ_HEAD(program_list, program);

struct programs {
    sd_event *loop;
    struct log *log;
    char *directory;
    unsigned at_once, waiting_max, grace_ms;
    size_t output_max;
    struct program_list waiting, running;
    unsigned nwaiting, nrunning;
    sd_event_source *begin_some;
    struct programs_count count;
    uint64_t dropped_in_a_row;
};

/* ---- the record ---- */

static char **copy_texts(const char *const *texts)
{
    size_t n = 0;

    while (texts && texts[n])
        n++;
    char **copy = xcalloc(n + 1, sizeof *copy);
    for (size_t i = 0; i < n; i++)
        copy[i] = xstrdup(texts[i]);
    return copy;
}

static void free_texts(char **texts)
{
    for (size_t i = 0; texts[i]; i++)
        free(texts[i]);
    free(texts);
}

static void program_free(struct program *p)
{
    sd_event_source_disable_unref(p->child);
    sd_event_source_disable_unref(p->output);
    sd_event_source_disable_unref(p->timer);
    if (p->output_fd >= 0)
        close(p->output_fd);
    free(p->what);
    free(p->said);
    free(p->input);
    free_texts(p->argv);
    free_texts(p->environment);
    free(p);
}

/* ---- whose turn it is ---- */

static bool is_of(const struct program *p, const struct program_user *as)
{
    return p->has_user && p->as.uid == as->uid;
}

/* Does one of its user run? Those of the daemon do not wait for each other. */
static bool waits_for_its_own(const struct programs *all, const struct program *p)
{
    const struct program *other;

    if (!p->has_user)
        return false;
    TAILQ_FOREACH(other, &all->running, next)
    if (is_of(other, &p->as))
        return true;
    return false;
}

/* The first for which there is room; NULL = none. */
static struct program *find_next(const struct programs *all)
{
    struct program *p;

    if (all->nrunning >= all->at_once)
        return NULL;
    TAILQ_FOREACH(p, &all->waiting, next)
    if (!waits_for_its_own(all, p))
        return p;
    return NULL;
}

static unsigned count_waiting(const struct programs *all, const struct program_user *as)
{
    const struct program *p;
    unsigned n = 0;

    TAILQ_FOREACH(p, &all->waiting, next)
    n += is_of(p, as);
    return n;
}

static void begin_later(struct programs *all)
{
    if (find_next(all))
        sd_event_source_set_enabled(all->begin_some, SD_EVENT_ONESHOT);
}

/* ---- output ---- */

static void end_line(struct program *p)
{
    p->line[p->line_len] = 0;
    if (p->line_len && !p->said)
        p->said = xstrdup(p->line);
    if (p->line_len)
        log_line(p->all->log, LOG_ACTION, "%s '%s': %s", p->what, p->argv[0], p->line);
    p->line_len = 0;
}

static void take_output(struct program *p, const char *bytes, size_t n)
{
    size_t logged = p->all->output_max / 16;

    for (size_t i = 0; i < n && p->read + i < logged; i++) {
        if (bytes[i] == '\n' || p->line_len == LINE_BYTES)
            end_line(p);
        if (bytes[i] != '\n')
            p->line[p->line_len++] = bytes[i];
    }
    if (p->read < logged && p->read + n >= logged) {
        end_line(p);
        log_line(p->all->log, LOG_WARNING,
            "%s '%s' writes more than %zu bytes; the rest is not logged", p->what,
            p->argv[0], logged);
    }
    p->read += n;
}

static void close_output(struct program *p)
{
    p->output = sd_event_source_disable_unref(p->output);
    if (p->output_fd >= 0)
        close(p->output_fd);
    p->output_fd = -1;
}

/* One block a turn: who floods does not get the loop for himself. */
static ssize_t read_block(struct program *p)
{
    char bytes[READ_BYTES];
    ssize_t n = p->output_fd < 0 ? 0 : read(p->output_fd, bytes, sizeof bytes);

    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? -1 : 0;
    take_output(p, bytes, (size_t)n);
    return n;
}

static int on_output(sd_event_source *source, int fd, uint32_t events, void *ctx)
{
    struct program *p = ctx;

    (void)source;
    (void)fd;
    (void)events;
    if (read_block(p) == 0 || p->read >= p->all->output_max)
        close_output(p);
    return 0;
}

/* ---- its end ---- */

/* Takes the program out and tells. */
static void settle(struct program *p, const struct program_end *end)
{
    struct programs *all = p->all;

    if (!end->begun || end->exit_status != 0) {
        all->count.failed++;
        log_line(all->log, LOG_WARNING, "%s '%s': %s", p->what, p->argv[0], end->text);
    } else {
        log_line(all->log, LOG_ACTION, "%s '%s': %s", p->what, p->argv[0], end->text);
    }
    if (p->ended)
        p->ended(p->ctx, end);
    program_free(p);
}

static int on_child(sd_event_source *source, const siginfo_t *info, void *ctx)
{
    struct program *p = ctx;
    struct programs *all = p->all;
    char text[120];
    struct program_end end = {
        .begun = true, .timed_out = p->terminated, .text = text, .said = ""};

    (void)source;
    /* It is not reaped before this returns, so the number is nobody else's yet. */
    kill(-p->pid, SIGKILL);
    for (size_t turns = 0; read_block(p) > 0 && turns < 16; turns++)
        ; /* what was in the pipe */
    end_line(p);
    if (info->si_code == CLD_EXITED) {
        end.exit_status = info->si_status;
        snprintf(text, sizeof text, "exit status %d%s", info->si_status,
            p->terminated ? ", after its time was up" : "");
    } else {
        end.exit_status = 128 + info->si_status;
        snprintf(text, sizeof text, "killed by signal %d%s", info->si_status,
            p->terminated ? " as its time was up" : "");
    }
    if (p->said)
        end.said = p->said;
    all->count.timed_out += p->terminated;
    TAILQ_REMOVE(&all->running, p, next);
    all->nrunning--;
    settle(p, &end);
    begin_later(all);
    return 0;
}

static int on_time(sd_event_source *source, uint64_t at, void *ctx)
{
    struct program *p = ctx;

    (void)at;
    if (p->terminated) {
        kill(-p->pid, SIGKILL);
        return 0;
    }
    p->terminated = true;
    log_line(p->all->log, LOG_WARNING, "%s '%s' has run for %lu s: it is stopped",
        p->what, p->argv[0], (unsigned long)(p->limit_ms / 1000));
    kill(-p->pid, SIGTERM);
    sd_event_source_set_time_relative(source, p->all->grace_ms * UINT64_C(1000));
    sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
    return 0;
}

/* ---- its begin ---- */

/* What it reads: a file in memory, so that nobody has to wait until it is read. */
static int open_input(const struct program *p)
{
    if (!p->input)
        return open("/dev/null", O_RDONLY | O_CLOEXEC);
    int fd = memfd_create("input", MFD_CLOEXEC);
    size_t n = strlen(p->input);
    if (fd < 0)
        return -1;
    if (write(fd, p->input, n) == (ssize_t)n && lseek(fd, 0, SEEK_SET) == 0)
        return fd;
    close(fd);
    errno = ENOSPC;
    return -1;
}

static int prepare_actions(
    const struct program *p, int input, int output, posix_spawn_file_actions_t *a)
{
    int e = posix_spawn_file_actions_adddup2(a, input, 0);

    if (!e)
        e = posix_spawn_file_actions_adddup2(a, output, 1);
    if (!e)
        e = posix_spawn_file_actions_adddup2(a, output, 2);
    if (!e && p->all->directory)
        e = posix_spawn_file_actions_addchdir_np(a, p->all->directory);
    if (!e)
        e = posix_spawn_file_actions_addclosefrom_np(a, 3);
    return e;
}

static int prepare_attributes(posix_spawnattr_t *attr)
{
    sigset_t none, all;

    sigemptyset(&none);
    sigfillset(&all);
    sigdelset(&all, SIGPIPE); /* see the header */
    int e = posix_spawnattr_setflags(
        attr, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    if (!e)
        e = posix_spawnattr_setsigmask(attr, &none);
    if (!e)
        e = posix_spawnattr_setsigdefault(attr, &all);
    return e;
}

/* "NAME=value": is it one of these names? The array ends with NULL. */
static bool names_one_of(const char *variable, const char *const *names)
{
    size_t n = strcspn(variable, "=");

    for (; *names; names++)
        if (strncmp(variable, *names, n) == 0 && strcspn(*names, "=") == n)
            return true;
    return false;
}

/* What the program finds of the daemon's environment; other users can read that of
 * their processes, and the daemon's is none of their business. */
static bool is_passed_on(const struct program *p, const char *variable)
{
    static const char *const public[] = {
        "PATH", "TZ", "LANG", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "LC_TIME", NULL};

    return (!p->has_user || names_one_of(variable, public))
           && !names_one_of(variable, (const char *const *)p->environment);
}

/* The call's environment, and of the daemon's what it has no word about: of two of one
 * name some shells take the last. Free the array alone. */
static char **environment_of(const struct program *p)
{
    struct VEC(char *) all = {0};

    for (size_t i = 0; p->environment[i]; i++)
        vec_push(&all, p->environment[i]);
    for (size_t i = 0; environ[i]; i++)
        if (is_passed_on(p, environ[i]))
            vec_push(&all, environ[i]);
    vec_push(&all, NULL);
    return all.v;
}

/* In the child: as the user with that one group, or not at all. */
static bool become_user(const struct program_user *as)
{
    return setgroups(1, &as->gid) == 0 && setresgid(as->gid, as->gid, as->gid) == 0
           && setresuid(as->uid, as->uid, as->uid) == 0
           && (as->uid == 0 || (setuid(0) < 0 && geteuid() == as->uid));
}

static _Noreturn void run_child(
    const struct program *p, int input, int output, char **environment)
{
    static const char failed[] = "it cannot be run as its user\n";
    sigset_t none;

    for (int n = 1; n < NSIG; n++)
        if (n != SIGPIPE) /* see the header */
            signal(n, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setsid();
    if (dup2(input, 0) == 0 && dup2(output, 1) == 1 && dup2(output, 2) == 2
        && close_range(3, ~0u, 0) == 0
        && (!p->all->directory || chdir(p->all->directory) == 0) && become_user(&p->as))
        execve(p->argv[0], p->argv, environment);
    (void)!write(2, failed, sizeof failed - 1);
    _exit(127);
}

static int spawn_as_user(struct program *p, int input, int output, char **environment)
{
    p->pid = fork();
    if (p->pid == 0)
        run_child(p, input, output, environment);
    return p->pid < 0 ? errno : 0;
}

/* 0, or an errno. */
static int spawn_as_daemon(struct program *p, int input, int output, char **environment)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;

    if (posix_spawn_file_actions_init(&actions) != 0)
        return ENOMEM;
    if (posix_spawnattr_init(&attr) != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return ENOMEM;
    }
    int e = prepare_actions(p, input, output, &actions);
    if (!e)
        e = prepare_attributes(&attr);
    if (!e)
        e = posix_spawn(&p->pid, p->argv[0], &actions, &attr, p->argv, environment);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&actions);
    return e;
}

static int spawn_program(struct program *p, int output)
{
    int input = open_input(p), e = errno;

    if (input < 0)
        return e;
    char **environment = environment_of(p);
    e = p->has_user ? spawn_as_user(p, input, output, environment)
                    : spawn_as_daemon(p, input, output, environment);
    free(environment);
    close(input);
    return e;
}

static int watch(struct program *p)
{
    struct programs *all = p->all;
    int r = sd_event_add_child(all->loop, &p->child, p->pid, WEXITED, on_child, p);

    if (r >= 0)
        r = sd_event_add_io(all->loop, &p->output, p->output_fd, EPOLLIN, on_output, p);
    if (r >= 0) /* what it wrote last is read before its end is told */
        r = sd_event_source_set_priority(p->child, 1);
    if (r >= 0)
        r = sd_event_add_time_relative(all->loop, &p->timer, CLOCK_MONOTONIC,
            p->limit_ms * 1000, 1000, on_time, p);
    return r < 0 ? -r : 0;
}

static void refuse(struct program *p, const char *doing, int e)
{
    char text[200];

    snprintf(text, sizeof text, "%s: %s", doing, strerror(e));
    settle(p, &(struct program_end){.exit_status = 127, .text = text, .said = ""});
}

static void begin(struct program *p)
{
    struct programs *all = p->all;
    int ends[2];

    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0) {
        refuse(p, "it gets no pipe", errno);
        return;
    }
    /* The program's end blocks, as programs expect. */
    (void)fcntl(ends[1], F_SETFL, fcntl(ends[1], F_GETFL) & ~O_NONBLOCK);
    int e = spawn_program(p, ends[1]);
    close(ends[1]);
    p->output_fd = ends[0];
    if (e) {
        refuse(p, "it cannot be started", e);
        return;
    }
    all->count.begun++;
    e = watch(p);
    if (e) {
        kill(-p->pid, SIGKILL);
        p->child = sd_event_source_disable_unref(p->child);
        (void)waitpid(p->pid, NULL, 0);
        refuse(p, "it cannot be watched", e);
        return;
    }
    TAILQ_INSERT_TAIL(&all->running, p, next);
    all->nrunning++;
    log_line(all->log, LOG_DETAIL, "%s '%s' runs as process %ld", p->what, p->argv[0],
        (long)p->pid);
}

static bool begin_one(struct programs *all)
{
    struct program *p = find_next(all);

    if (!p)
        return false;
    TAILQ_REMOVE(&all->waiting, p, next);
    all->nwaiting--;
    begin(p);
    return true;
}

/* One a turn: the loop has other things to do in between. */
static int on_begin(sd_event_source *source, void *ctx)
{
    struct programs *all = ctx;

    (void)source;
    begin_one(all);
    begin_later(all);
    return 0;
}

void programs_flush(struct programs *all)
{
    while (begin_one(all))
        ;
}

static unsigned share_of_a_user(const struct programs *all)
{
    return all->waiting_max > 10 ? all->waiting_max / 10 : 1;
}

int programs_run(struct programs *all, const struct program_call *call, struct err *err)
{
    if (all->nwaiting >= all->waiting_max) {
        all->count.dropped++;
        if (all->dropped_in_a_row++ == 0)
            log_line(all->log, LOG_ALERT,
                "%s '%s' is not run, as %u wait already; nor is what follows, "
                "until there is room",
                call->what, call->argv[0], all->nwaiting);
        return err_set(err, ERR_CONFLICT, "%u programs wait already", all->nwaiting);
    }
    if (call->as && count_waiting(all, call->as) >= share_of_a_user(all)) {
        all->count.dropped++;
        log_line(all->log, LOG_WARNING,
            "%s '%s' is not run, as %u of user %ld wait already", call->what,
            call->argv[0], share_of_a_user(all), (long)call->as->uid);
        return err_set(err, ERR_CONFLICT, "%u programs of that user wait already",
            share_of_a_user(all));
    }
    if (all->dropped_in_a_row)
        log_line(all->log, LOG_ALERT, "there is room again; %lu were not run",
            (unsigned long)all->dropped_in_a_row);
    all->dropped_in_a_row = 0;
    struct program *p = xcalloc(1, sizeof *p);
    p->all = all;
    p->output_fd = -1;
    p->what = xstrdup(call->what);
    p->argv = copy_texts(call->argv);
    p->environment = copy_texts(call->environment);
    p->input = call->input ? xstrdup(call->input) : NULL;
    p->has_user = call->as != NULL;
    if (call->as)
        p->as = *call->as;
    p->limit_ms = call->limit_ms ? call->limit_ms : 60000;
    p->ended = call->ended;
    p->ctx = call->ctx;
    TAILQ_INSERT_TAIL(&all->waiting, p, next);
    all->nwaiting++;
    begin_later(all);
    return 0;
}

/* ---- all of them ---- */

struct programs *programs_open(
    sd_event *loop, const struct programs_options *opt, struct err *err)
{
    struct programs *all = xcalloc(1, sizeof *all);

    all->loop = sd_event_ref(loop);
    all->log = opt->log;
    all->directory = opt->directory ? xstrdup(opt->directory) : NULL;
    all->at_once = opt->at_once ? opt->at_once : 8;
    all->waiting_max = opt->waiting_max ? opt->waiting_max : 1000;
    all->grace_ms = opt->grace_ms ? opt->grace_ms : 5000;
    all->output_max = opt->output_max ? opt->output_max : 1024 * 1024;
    TAILQ_INIT(&all->waiting);
    TAILQ_INIT(&all->running);
    if (sd_event_add_defer(loop, &all->begin_some, on_begin, all) < 0
        || sd_event_source_set_enabled(all->begin_some, SD_EVENT_OFF) < 0) {
        programs_close(all);
        err_set(err, ERR_IO, "the event loop takes no more sources");
        return NULL;
    }
    return all;
}

static void forget(struct program_list *list)
{
    struct program *p;

    while ((p = TAILQ_FIRST(list)) != NULL) {
        TAILQ_REMOVE(list, p, next);
        program_free(p);
    }
}

void programs_close(struct programs *all)
{
    if (!all)
        return;
    forget(&all->waiting);
    forget(&all->running);
    sd_event_source_disable_unref(all->begin_some);
    sd_event_unref(all->loop);
    free(all->directory);
    free(all);
}

unsigned programs_running(const struct programs *all)
{
    return all->nrunning;
}

unsigned programs_waiting(const struct programs *all)
{
    return all->nwaiting;
}

struct programs_count programs_count(const struct programs *all)
{
    return all->count;
}
