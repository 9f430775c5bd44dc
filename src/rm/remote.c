/* SPDX-License-Identifier: Apache-2.0
 * Drivers by way of an adapter process. */
#include "rm/remote.h"

#include "base/duration.h"
#include "base/program.h"
#include "base/strbuf.h"
#include "config/settings.h"
#include "rm/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PING_US     1000000
#define ACCURACY    1000 /* of timers, in microseconds */
#define PAUSE_MAX_S 30   /* between attempts to start the adapter */
#define TIMEOUT_S   90   /* an answer later than that means the adapter hangs */
#define UNSENT_MAX  (64u << 20)
#define SOME        32768 /* bytes that do not wait for the end of a turn */
#define READ_SOME   16384 /* bytes of one turn: some tens of jobs */

struct flight {
    uint64_t token;
    int64_t since; /* on the monotonic clock, in seconds */
};

struct remote {
    struct rm rm;
    struct rm_sink sink;
    sd_event *loop;
    char *path;      /* of the adapter */
    char *second;    /* of the one to take when that cannot work here; NULL = none */
    char *hello;     /* its first line */
    char *immediate; /* the line of that name, as last said; owned or NULL */
    int64_t timeout_s;
    pid_t pid;        /* 0 = not running */
    int fd, words_fd; /* words: its standard error */
    char words[300];  /* the last line there */
    sd_event_source *io, *child, *timer, *turn;
    bool more; /* of what it tells is still to be read */
    struct strbuf in, out;
    size_t sent; /* of `out` */
    struct VEC(struct flight) flights;
    int64_t pause_s, begun_at, pings;
};

static int64_t now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

/* ---- reports ---- */

static void report(struct remote *m, struct rm_report *r)
{
    if (r->at == 0)
        r->at = time(NULL);
    m->sink.report(m->sink.ctx, r);
}

static void trouble(struct remote *m, const char *function, const char *text)
{
    struct rm_report r = {.kind = RM_HEALTH};

    r.u.health.function = function;
    r.u.health.text = text;
    report(m, &r);
}

static void land(struct remote *m, uint64_t token)
{
    for (size_t i = 0; i < m->flights.n; i++)
        if (m->flights.v[i].token == token) {
            vec_remove(&m->flights, i);
            return;
        }
}

static void lose_flights(struct remote *m)
{
    while (m->flights.n > 0) {
        struct rm_report r = {.kind = RM_DONE};

        r.u.done.token = m->flights.v[--m->flights.n].token;
        r.u.done.outcome = RM_LOST;
        r.u.done.text = "the resource manager's adapter ended";
        report(m, &r);
    }
}

/* ---- lines ---- */

static int on_io(sd_event_source *source, int fd, uint32_t events, void *ctx);

static void watch(struct remote *m)
{
    bool more = m->sent < m->out.len;

    sd_event_source_set_io_events(m->io, EPOLLIN | (more ? EPOLLOUT : 0u));
}

static void flush(struct remote *m)
{
    while (m->sent < m->out.len) {
        ssize_t n =
            send(m->fd, m->out.text + m->sent, m->out.len - m->sent, MSG_NOSIGNAL);

        if (n <= 0)
            break; /* the end, if it is one, is seen when reading */
        m->sent += (size_t)n;
    }
    if (m->sent == m->out.len)
        m->out.len = m->sent = 0;
    watch(m);
}

static int on_turn(sd_event_source *source, void *ctx)
{
    struct remote *m = ctx;

    (void)source;
    if (m->pid != 0)
        flush(m);
    return 0;
}

/* Takes the line. It goes out at the end of this turn of the loop: what a cycle decides
 * comes together, and may be asked of the resource manager together. */
static void say(struct remote *m, char *line)
{
    if (m->pid != 0) {
        strbuf_add(&m->out, line);
        if (m->out.len - m->sent > SOME)
            flush(m);
        else
            sd_event_source_set_enabled(m->turn, SD_EVENT_ONESHOT);
    }
    free(line);
}

static void take_line(struct remote *m, const char *text, size_t len)
{
    struct reader reader;
    struct rm_report r;
    struct wire_room room;
    struct err err = {0};

    if (reader_open(&reader, "adapter", text, len, &err) < 0
        || wire_read_report(&reader, &r, &room, &err) < 0) {
        trouble(m, "adapter", err.text);
    } else {
        if (r.kind == RM_DONE)
            land(m, r.u.done.token);
        if (r.kind == RM_SYNCED)
            m->pause_s = 0;
        report(m, &r);
    }
    reader_close(&reader);
}

static void take_lines(struct remote *m)
{
    size_t from = 0;
    const char *end;

    while ((end = memchr(m->in.text + from, '\n', m->in.len - from)) != NULL) {
        size_t n = (size_t)(end - (m->in.text + from));

        take_line(m, m->in.text + from, n);
        from += n + 1;
    }
    m->in.len -= from;
    memmove(m->in.text, m->in.text + from, m->in.len);
}

/* ---- the process ---- */

static int on_timer(sd_event_source *source, uint64_t usec, void *ctx);

static void wait_for(struct remote *m, uint64_t usec)
{
    m->timer = sd_event_source_disable_unref(m->timer);
    sd_event_add_time_relative(
        m->loop, &m->timer, CLOCK_MONOTONIC, usec, ACCURACY, on_timer, m);
}

static void let_go(struct remote *m)
{
    m->io = sd_event_source_disable_unref(m->io);
    m->child = sd_event_source_disable_unref(m->child);
    if (m->fd >= 0)
        close(m->fd);
    if (m->words_fd >= 0)
        close(m->words_fd);
    m->fd = m->words_fd = -1;
    m->pid = 0;
    m->in.len = m->out.len = m->sent = 0;
    m->more = false;
}

/* Out of reach: again after a pause, which grows as long as it does not help. */
static void lost(struct remote *m, const char *why)
{
    let_go(m);
    trouble(m, "connection", why);
    lose_flights(m);
    if (now_s() - m->begun_at > 10 * PAUSE_MAX_S)
        m->pause_s = 0;
    m->pause_s = m->pause_s == 0 ? 1 : m->pause_s * 2;
    if (m->pause_s > PAUSE_MAX_S)
        m->pause_s = PAUSE_MAX_S;
    wait_for(m, (uint64_t)m->pause_s * 1000000);
}

/* What it said last on its standard error: libraries that end a process tell why. */
static void read_words(struct remote *m)
{
    char text[4096];
    ssize_t n = read(m->words_fd, text, sizeof text - 1), from;

    if (n <= 0)
        return;
    while (n > 0 && text[n - 1] == '\n')
        n--;
    for (from = n; from > 0 && text[from - 1] != '\n';)
        from--;
    snprintf(m->words, sizeof m->words, "%.*s", (int)(n - from), text + from);
}

static int on_child(sd_event_source *source, const siginfo_t *si, void *ctx)
{
    struct remote *m = ctx;
    char text[700];

    (void)source;
    read_words(m);
    snprintf(text, sizeof text, "the adapter %s %s %d%s%s", m->path,
        si->si_code == CLD_EXITED ? "ended with status" : "was killed by signal",
        si->si_status, *m->words ? ": " : "", m->words);
    if (m->second != NULL && si->si_code == CLD_EXITED
        && (si->si_status == 127 || si->si_status == REMOTE_CANNOT)) {
        free(m->path);
        m->path = m->second;
        m->second = NULL;
    }
    /* what it said last explains its end */
    while (m->io != NULL && on_io(m->io, m->fd, EPOLLIN, m) > 0)
        continue;
    lost(m, text);
    return 0;
}

/* > 0 when something came. */
static int on_io(sd_event_source *source, int fd, uint32_t events, void *ctx)
{
    struct remote *m = ctx;
    char text[READ_SOME];
    ssize_t n;

    (void)source;
    if (events & EPOLLOUT)
        flush(m);
    if (!(events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
        return 0;
    n = recv(fd, text, sizeof text, MSG_DONTWAIT);
    m->more = n == sizeof text;
    sd_event_source_set_priority(
        m->io, m->more ? RM_PRIORITY_MANY : SD_EVENT_PRIORITY_NORMAL);
    if (n > 0) {
        strbuf_add_n(&m->in, text, (size_t)n);
        take_lines(m);
        if (m->in.len > WIRE_LINE_MAX)
            kill(m->pid, SIGKILL);
        return 1;
    }
    if (n == 0) /* its end is told by on_child() */
        m->io = sd_event_source_disable_unref(m->io);
    return 0;
}

static void become_adapter(const struct remote *m, int fd, int words)
{
    char *argv[] = {m->path, (char *)"--adapter", NULL};
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    dup2(fd, STDIN_FILENO);
    dup2(words, STDERR_FILENO);
    execv(m->path, argv);
    _exit(127);
}

static void begin(struct remote *m)
{
    int ends[2], words[2] = {-1, -1};

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) {
        lost(m, strerror(errno));
        return;
    }
    /* never waited for: a full pipe is the adapter's loss */
    if (pipe2(words, O_CLOEXEC | O_NONBLOCK) < 0)
        words[0] = words[1] = -1;
    m->words[0] = '\0';
    m->begun_at = now_s();
    m->pid = fork();
    if (m->pid == 0)
        become_adapter(m, ends[1], words[1]);
    close(ends[1]);
    if (words[1] >= 0)
        close(words[1]);
    m->fd = ends[0];
    m->words_fd = words[0];
    if (m->pid < 0) {
        lost(m, strerror(errno));
        return;
    }
    fcntl(m->fd, F_SETFL, O_NONBLOCK);
    sd_event_add_io(m->loop, &m->io, m->fd, EPOLLIN, on_io, m);
    sd_event_add_child(m->loop, &m->child, m->pid, WEXITED, on_child, m);
    say(m, xstrdup(m->hello));
    if (m->immediate != NULL)
        say(m, xstrdup(m->immediate));
    wait_for(m, PING_US);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *ctx)
{
    struct remote *m = ctx;

    (void)source;
    (void)usec;
    if (m->pid == 0) {
        begin(m);
        return 0;
    }
    /* its answer may stand behind what is not read yet */
    if ((!m->more && m->flights.n > 0 && now_s() - m->flights.v[0].since > m->timeout_s)
        || m->out.len - m->sent > UNSENT_MAX)
        kill(m->pid, SIGKILL);
    else
        say(m, wire_line("ping", json_integer(++m->pings)));
    read_words(m); /* also so that the pipe does not fill */
    wait_for(m, PING_US);
    return 0;
}

/* ---- the driver ---- */

static char *find_adapter(const char *program, struct err *err)
{
    char *path = program_beside(program);

    if (access(path, X_OK) == 0)
        return path;
    err_set(err, ERR_NOT_FOUND,
        "%s: no such program: the scheduler was built without it", path);
    free(path);
    return NULL;
}

/* What the adapter has to know. */
static char *hello(const struct rm_cfg *cfg)
{
    json_t *o = json_object(), *attrs = json_object();

    put_text(o, "name", cfg->name);
    put_text(o, "home", cfg->home);
    for (size_t i = 0; cfg->section != NULL && i < cfg->section->attrs.n; i++)
        put_text(attrs, cfg->section->attrs.v[i].name, cfg->section->attrs.v[i].value);
    json_object_set_new(o, "attributes", attrs);
    return wire_line("open", o);
}

/* NULL when there is none. */
static char *find_second(const char *program)
{
    char *path = program != NULL ? program_beside(program) : NULL;

    if (path == NULL || access(path, X_OK) == 0)
        return path;
    free(path);
    return NULL;
}

struct rm *remote_open(const struct rm_driver *driver, const char *const programs[2],
    const struct rm_cfg *cfg, sd_event *loop, const struct rm_sink *sink,
    struct err *err)
{
    const char *timeout = rm_cfg_attr(cfg, "TIMEOUT");
    char *other = find_second(programs[1]), *path = find_adapter(programs[0], err);
    struct remote *m;
    int64_t timeout_s = TIMEOUT_S;

    if (path == NULL) {
        path = other;
        other = NULL;
    }
    if (path == NULL)
        return NULL;
    if (timeout != NULL && duration_parse(timeout, &timeout_s, err) < 0) {
        err_prefix(err, "RMCFG[%s] TIMEOUT: ", cfg->name);
        free(path);
        free(other);
        return NULL;
    }
    m = xcalloc(1, sizeof *m);
    m->rm.driver = driver;
    m->sink = *sink;
    m->loop = sd_event_ref(loop);
    m->path = path;
    m->second = other;
    m->hello = hello(cfg);
    m->timeout_s = driver->patience_s ? driver->patience_s : timeout_s;
    m->fd = m->words_fd = -1;
    sd_event_add_defer(loop, &m->turn, on_turn, m);
    sd_event_source_set_enabled(m->turn, SD_EVENT_OFF);
    wait_for(m, 0);
    return &m->rm;
}

void remote_close(struct rm *rm)
{
    struct remote *m = (struct remote *)rm;
    pid_t pid = m->pid;

    if (pid > 0)
        flush(m);
    let_go(m); /* the end of its input ends the adapter */
    if (pid > 0 && kill(pid, SIGTERM) == 0) {
        for (int i = 0; i < 250 && waitpid(pid, NULL, WNOHANG) == 0; i++)
            nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, WNOHANG);
    }
    m->timer = sd_event_source_disable_unref(m->timer);
    m->turn = sd_event_source_disable_unref(m->turn);
    free(m->in.text);
    free(m->out.text);
    vec_fini(&m->flights);
    sd_event_unref(m->loop);
    free(m->path);
    free(m->second);
    free(m->hello);
    free(m->immediate);
    free(m);
}

static void fly(struct remote *m, uint64_t token, char *line)
{
    vec_push(&m->flights, ((struct flight){token, now_s()}));
    if (m->pid != 0) {
        say(m, line);
        return;
    }
    free(line);
    lose_flights(m);
}

int remote_command(struct rm *rm, const struct rm_command *cmd, struct err *err)
{
    if (rm->driver->cannot >> cmd->action & 1)
        return err_set(err, ERR_INVALID, "%s cannot do that", rm->driver->type);
    fly((struct remote *)rm, cmd->token, wire_command(cmd));
    return 0;
}

int remote_submit(struct rm *rm, const struct rm_submission *s, struct err *err)
{
    (void)err;
    fly((struct remote *)rm, s->token, wire_submission(s));
    return 0;
}

void remote_immediate(struct rm *rm, const char *word, const char *nodes)
{
    struct remote *m = (struct remote *)rm;
    json_t *o = json_object();

    put_text(o, "word", word);
    put_text(o, "nodes", nodes);
    free(m->immediate);
    m->immediate = wire_line("immediate", o);
    say(m, xstrdup(m->immediate));
}

void remote_poll(struct rm *rm)
{
    say((struct remote *)rm, wire_line("poll", json_true()));
}

void remote_note(struct rm *rm, const struct rm_note *n)
{
    say((struct remote *)rm, wire_note(n));
}
