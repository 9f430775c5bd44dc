/* SPDX-License-Identifier: Apache-2.0
 * The program that has the connection, and what waits for it. */
#include "rm/pbs/line.h"

#include "base/program.h"
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "rm/pbs/pbs.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define AWAY       255     /* as qstat without a server */
#define ROOM       1048576 /* bytes of a command: where a wide job is to run */
#define DEATHS_MAX 3  /* by itself, in a row: then its commands are run, for good */
#define HEAD_MAX   40 /* "0 1234567\n" */

struct asked {
    TAILQ_ENTRY(asked) link;
    char *text;  /* owned: the command as a line */
    char *last;  /* owned: its last word, of an order the job ... */
    char *array; /* owned: ... and the array that it is of, or the job */
    int64_t timeout_ms;
    size_t most;
    bool owed;
    const struct squeeze_kind *squeeze;
    void (*ended)(void *ctx, const struct run_end *end);
    void *ctx;
};

struct line {
    sd_event *loop;
    pid_t pid;  /* 0 = it does not run */
    int fd;     /* -1 then */
    bool ready; /* it has the library */
    unsigned deaths;
    sd_event_source *io, *timer;
    struct strbuf in;
    bool sent;  /* the first of the queue */
    bool ended; /* what is not owed is not done any more */
    TAILQ_HEAD(, asked) queue;
};

static void send_next(struct line *l);

/* ---- ends ---- */

static void free_asked(struct asked *q)
{
    free(q->text);
    free(q->last);
    free(q->array);
    free(q);
}

static void finish_first(struct line *l, const struct run_end *end)
{
    struct asked *q = TAILQ_FIRST(&l->queue);

    TAILQ_REMOVE(&l->queue, q, link);
    l->timer = sd_event_source_disable_unref(l->timer);
    l->sent = false;
    q->ended(q->ctx, end);
    free_asked(q);
}

static void kill_program(struct line *l)
{
    l->io = sd_event_source_disable_unref(l->io);
    l->timer = sd_event_source_disable_unref(l->timer);
    if (l->fd >= 0)
        close(l->fd);
    l->fd = -1;
    if (l->pid > 0) {
        kill(l->pid, SIGKILL);
        waitpid(l->pid, NULL, 0);
    }
    l->pid = 0;
    l->ready = false;
    l->in.len = 0;
}

/* What it was asked is of unknown outcome, and what waits is not asked: as if the
 * server had gone away. */
static void lose_program(struct line *l, bool hung)
{
    static const char lost[] = "cannot connect to the PBS server: the program of its "
                               "library has ended";
    char late[100];

    kill_program(l);
    if (!hung) /* a server or a node that does not answer says nothing of the library */
        l->deaths++;
    while (!TAILQ_EMPTY(&l->queue)) {
        struct asked *q = TAILQ_FIRST(&l->queue);

        snprintf(late, sizeof late, "it did not end within %.0f s and was killed",
            (double)q->timeout_ms / 1000);
        finish_first(l,
            &(struct run_end){
                .status = AWAY, .hung = hung, .out = "", .text = hung ? late : lost});
    }
}

/* ---- answers ---- */

/* The first line, of what it prints where it fails. Owned. */
static char *take_reason(const char *out, size_t len)
{
    struct strbuf text = {0};

    strbuf_add(&text, "");
    for (size_t i = 0; i < len && i < 250 && out[i] != '\n'; i++)
        strbuf_add_n(&text, (unsigned char)out[i] < ' ' ? " " : out + i, 1);
    return strbuf_take(&text);
}

/* Without what is not read, and without what is too long. Owned. */
static char *squeeze_answer(
    const struct squeeze_kind *kind, const char *out, size_t *io)
{
    struct strbuf text = {0};
    struct squeeze *s;

    if (kind == NULL)
        return xstrndup(out, *io);
    s = squeeze_new(kind);
    strbuf_add(&text, "");
    squeeze_feed(s, out, *io, &text);
    squeeze_free(s);
    *io = text.len;
    return strbuf_take(&text);
}

static void take_answer(struct line *l, int status, const char *out, size_t len)
{
    const struct asked *q = l->sent && status == 0 ? TAILQ_FIRST(&l->queue) : NULL;
    char *copy = squeeze_answer(q != NULL ? q->squeeze : NULL, out, &len), *reason;

    if (!l->ready) { /* has it the library? */
        l->ready = status == 0;
        if (status != 0) {
            fprintf(stderr, "maui-pbs: without PBS's library: %s\n", copy);
            kill_program(l);
            l->deaths = DEATHS_MAX;
        }
    } else if (l->sent) {
        reason = status != 0 ? take_reason(out, len) : xstrdup("");
        l->deaths = 0;
        finish_first(l, &(struct run_end){.status = status,
                            .out = status == 0 ? copy : "",
                            .out_len = status == 0 ? len : 0,
                            .text = reason});
        free(reason);
    }
    free(copy);
}

/* "0 1234567\n": how long it is; 0: it has not come, or (false) is none. Only these
 * bytes are looked at: the answer behind them comes in many parts. */
static bool read_head(
    const struct line *l, int *ret_status, size_t *ret_len, size_t *ret_head)
{
    size_t n = l->in.len < HEAD_MAX ? l->in.len : HEAD_MAX;
    const char *eol = memchr(l->in.text, '\n', n);
    char head[HEAD_MAX + 1], *end;

    *ret_head = 0;
    if (eol == NULL)
        return n < HEAD_MAX;
    snprintf(head, sizeof head, "%.*s", (int)(eol - l->in.text), l->in.text);
    *ret_status = (int)strtol(head, &end, 10);
    if (end == head || end[0] != ' ' || !isdigit((unsigned char)end[1]))
        return false;
    *ret_len = strtoul(end + 1, &end, 10);
    *ret_head = (size_t)(end - head) + 1;
    return *end == '\0' && (!l->sent || *ret_len <= TAILQ_FIRST(&l->queue)->most);
}

/* False: that is no answer. */
static bool read_answers(struct line *l)
{
    while (l->in.len > 0 && l->fd >= 0) {
        int status;
        size_t len, head;

        if (!read_head(l, &status, &len, &head))
            return false;
        if (head == 0 || l->in.len - head < len)
            return true;
        take_answer(l, status, l->in.text + head, len);
        if (l->fd < 0)
            return true;
        l->in.len -= head + len;
        memmove(l->in.text, l->in.text + head + len, l->in.len + 1);
        send_next(l);
    }
    return true;
}

static int on_words(sd_event_source *source, int fd, uint32_t events, void *ctx)
{
    struct line *l = ctx;
    char text[65536];
    ssize_t n = recv(fd, text, sizeof text, MSG_DONTWAIT);

    (void)source;
    (void)events;
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (n > 0)
        strbuf_add_n(&l->in, text, (size_t)n);
    if (n <= 0 || !read_answers(l))
        lose_program(l, false);
    return 0;
}

/* ---- the program ---- */

static void become_program(const char *path, int fd)
{
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    dup2(fd, STDIN_FILENO);
    dup2(fd, STDOUT_FILENO);
    close_range(STDERR_FILENO + 1, UINT_MAX, 0);
    execl(path, path, (char *)NULL);
    _exit(127);
}

static void begin_program(struct line *l)
{
    char *path = program_beside("maui-pbs-line");
    int pair[2], room = ROOM;

    if (path == NULL || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) {
        free(path);
        return;
    }
    setsockopt(pair[0], SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof room);
    setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    l->pid = fork();
    if (l->pid == 0)
        become_program(path, pair[1]);
    close(pair[1]);
    l->fd = pair[0];
    free(path);
    if (l->pid < 0
        || sd_event_add_io(l->loop, &l->io, l->fd, EPOLLIN, on_words, l) < 0) {
        kill_program(l);
        l->deaths++;
    }
}

/* ---- commands ---- */

static int on_late(sd_event_source *source, uint64_t usec, void *ctx)
{
    (void)source;
    (void)usec;
    lose_program(ctx, true);
    return 0;
}

/* One that cannot be sent, as it is too long, is answered from the loop as late. */
static void send_next(struct line *l)
{
    struct asked *q = TAILQ_FIRST(&l->queue);
    size_t n;

    if (q == NULL || l->sent || !l->ready)
        return;
    l->sent = true;
    n = strlen(q->text);
    bool whole = send(l->fd, q->text, n, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)n;
    sd_event_add_time_relative(l->loop, &l->timer, CLOCK_MONOTONIC,
        whole ? (uint64_t)q->timeout_ms * 1000 : 0, 1000, on_late, l);
}

/* Owned. */
static char *write_command(const char *const *argv)
{
    json_t *words = json_array();
    struct strbuf line = {0};
    char *text;

    for (; *argv != NULL; argv++) {
        json_t *word = json_string(*argv);

        json_array_append_new(words, word != NULL ? word : json_string("?"));
    }
    text = json_dumps(words, JSON_COMPACT);
    strbuf_printf(&line, "%s\n", text);
    free(text);
    json_decref(words);
    return strbuf_take(&line);
}

static const char *last_word(const char *const *argv)
{
    while (argv[0] != NULL && argv[1] != NULL)
        argv++;
    return argv[0] != NULL ? argv[0] : "";
}

/* Is it of the same job? What is ordered of an array is of each of its members. */
static bool is_about(const struct asked *q, const char *last, const char *array)
{
    return strcmp(q->last, last) == 0 || strcmp(q->last, array) == 0
           || strcmp(q->array, last) == 0;
}

/* How many commands wait there; *ret_about: one of them is about that job. */
static size_t count_waiting(
    const struct line *l, const char *last, const char *array, bool *ret_about)
{
    const struct asked *q;
    size_t waiting = 0;

    *ret_about = false;
    TAILQ_FOREACH(q, &l->queue, link)
    {
        *ret_about = *ret_about || is_about(q, last, array);
        waiting++;
    }
    return waiting;
}

static bool is_dead(const struct line *l)
{
    return !l->ready && l->deaths >= DEATHS_MAX;
}

static void begin_if_cold(struct line *l)
{
    if (!l->ready && l->pid == 0 && !is_dead(l))
        begin_program(l);
}

struct line *line_choose(struct line *const *lines, size_t n, const char *const *argv)
{
    const char *last = last_word(argv);
    char *array = pbs_array_name(last);
    struct line *best = NULL, *cold = NULL;
    size_t least = SIZE_MAX;
    bool about = false;

    for (size_t i = 0; i < n && !about; i++) {
        size_t waiting = count_waiting(lines[i], last, array, &about);

        if (!lines[i]->ready)
            cold = cold == NULL && !is_dead(lines[i]) ? lines[i] : cold;
        else if (about || waiting < least) {
            best = lines[i];
            least = waiting;
        }
    }
    free(array);
    if (best == NULL)
        return cold;
    if (!about && least > 0 && cold != NULL)
        begin_if_cold(cold); /* for the next */
    return best;
}

bool line_start(struct line *l, const struct run_spec *spec,
    void (*ended)(void *ctx, const struct run_end *end), void *ctx)
{
    struct asked *q, *sent = l->sent ? TAILQ_FIRST(&l->queue) : NULL;

    if (!l->ready) {
        begin_if_cold(l);
        return false;
    }
    if (l->ended && !spec->owed)
        return true;
    q = xcalloc(1, sizeof *q);
    q->text = write_command(spec->argv);
    q->last = xstrdup(last_word(spec->argv));
    q->array = pbs_array_name(q->last);
    q->timeout_ms = spec->timeout_ms;
    q->most = spec->most;
    q->owed = spec->owed;
    q->squeeze = spec->squeeze;
    q->ended = ended;
    q->ctx = ctx;
    if (!spec->first)
        TAILQ_INSERT_TAIL(&l->queue, q, link);
    else if (sent != NULL)
        TAILQ_INSERT_AFTER(&l->queue, sent, q, link);
    else
        TAILQ_INSERT_HEAD(&l->queue, q, link);
    send_next(l);
    return true;
}

bool line_is_ready(const struct line *l)
{
    return l->ready;
}

void line_end(struct line *l)
{
    struct asked *q, *next;

    l->ended = true;
    for (q = TAILQ_FIRST(&l->queue); q != NULL; q = next) {
        next = TAILQ_NEXT(q, link);
        if (q->owed || (l->sent && q == TAILQ_FIRST(&l->queue)))
            continue;
        TAILQ_REMOVE(&l->queue, q, link);
        free_asked(q);
    }
}

size_t line_owed(const struct line *l)
{
    const struct asked *q;
    size_t n = 0;

    TAILQ_FOREACH(q, &l->queue, link)
    n += q->owed;
    return n;
}

struct line *line_new(sd_event *loop)
{
    struct line *l = xcalloc(1, sizeof *l);

    l->loop = sd_event_ref(loop);
    l->fd = -1;
    TAILQ_INIT(&l->queue);
    return l;
}

void line_destroy(struct line *l)
{
    struct asked *q;

    if (l == NULL)
        return;
    kill_program(l);
    while ((q = TAILQ_FIRST(&l->queue)) != NULL) {
        TAILQ_REMOVE(&l->queue, q, link);
        free_asked(q);
    }
    free(l->in.text);
    sd_event_unref(l->loop);
    free(l);
}
