/* SPDX-License-Identifier: Apache-2.0
 * Copies of the process, and what they say. */
#define LOG_FACILITY FACILITY_UI
#include "server/whatif/whatif.h"

#include "base/xalloc.h"
#include "server/process/log.h"
#include "server/process/lowly.h"
#include "server/server_private.h"
#include "server/whatif/basis.h"
#include "server/whatif/kept.h"
#include "server/whatif/pace.h"
#include "server/whatif/standby.h"
#include "server/whatif/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOOK_US    (250 * UINT64_C(1000))
#define BLOCK      65536
#define ANSWER_MAX ((size_t)16 << 20)
#define AGAIN_S    1
#define WANTS      99 /* exit status of a copy that had too little memory */
#define LINES      "application/x-ndjson"
#define PROGRESS   "{\"progress\":" /* so such a line begins */
#define TELL_US    (200 * UINT64_C(1000))

/* What the client reads line by line: goes when it has been read, or nobody does. */
struct telling {
    struct question *q; /* NULL = it has said all */
    struct strbuf text;
    size_t sent;
    bool over;
};

/* A question under way. */
struct question {
    TAILQ_ENTRY(question) next;
    struct server *s;
    struct request *request; /* NULL = it has been answered, or is being told */
    struct telling *telling; /* NULL = nothing was told so far, or it is over */
    bool lines;              /* the client takes them */
    bool lives;              /* method run */
    char *key;               /* the answer is kept by it; NULL = it is not */
    int64_t at;
    pid_t pid;
    int fd;
    sd_event_source *output, *child, *look;
    uint64_t until_us;
    struct strbuf text;
    uid_t uid;
    char user[64];
    char changes[200]; /* of what kinds, for the log */
    bool broken;       /* the copy came to an end that none should */
};

struct whatif {
    TAILQ_HEAD(, question) all;
    unsigned n;
    struct pace pace;
    struct standby standby;
    struct basis basis;
    struct kept kept;
    /* In a copy, and gone with it: */
    json_t *notes;
    int progress_fd; /* -1 = nobody is told */
    uint64_t told_us;
};

struct basis *whatif_basis(const struct server *s)
{
    return &s->api.whatif->basis;
}

void whatif_open(struct server *s)
{
    s->api.whatif = xcalloc(1, sizeof *s->api.whatif);
    TAILQ_INIT(&s->api.whatif->all);
}

/* The kernel reaps it when the loop is told of its end. */
static void kill_copy(struct question *q)
{
    if (q->pid > 0)
        (void)kill(q->pid, SIGKILL);
}

/* Of this process, which is what a copy keeps from all else. */
static uint64_t read_used_us(void)
{
    struct timespec t = {0};

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static uint64_t read_now_us(void)
{
    struct timespec t = {0};

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* ---- the copy ---- */

static void write_all(int fd, const char *text, size_t n)
{
    while (n > 0) {
        ssize_t done = write(fd, text, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return;
        text += done;
        n -= (size_t)done;
    }
}

void whatif_note(struct server *s, const char *text)
{
    json_t *note;
    size_t i;

    if (!s->api.whatif->notes)
        s->api.whatif->notes = json_array();
    json_array_foreach(s->api.whatif->notes, i, note)
    {
        if (strcmp(json_string_value(note), text) == 0)
            return;
    }
    json_array_append_new(s->api.whatif->notes, json_string(text));
}

json_t *whatif_notes(const struct server *s)
{
    return s->api.whatif->notes;
}

void whatif_progress(struct server *s, int64_t at, unsigned percent)
{
    struct whatif *w = s->api.whatif;
    uint64_t now = read_now_us();
    char line[120];

    if (w->progress_fd < 0 || now < w->told_us + TELL_US)
        return;
    w->told_us = now;
    int n = snprintf(line, sizeof line, PROGRESS "{\"at\":%lld,\"percent\":%u}}\n",
        (long long)at, percent);
    write_all(w->progress_fd, line, (size_t)n);
}

/* The other process knows by that. */
void whatif_give_up(void)
{
    _exit(WANTS);
}

static bool takes_lines(const struct request *r)
{
    const char *accept = request_header(r, "Accept");

    return accept && strstr(accept, LINES) != NULL;
}

/* What is to be tried, in a copy. */
struct attempt {
    struct server *s;
    const struct identity *who;
    const json_t *body;
    json_t *answer;
};

static void answer_attempt(void *ctx)
{
    struct attempt *a = ctx;

    a->answer = trial_answer(a->s, a->who, a->body);
}

/* The rules of the copy: nothing that is shared with the other process is used. */
static void run_copy(struct server *s, struct request *r, const json_t *body,
    int64_t now, const char *basis, int fd)
{
    struct attempt a = {.s = s, .who = request_who(r), .body = body};

    s->api.whatif->progress_fd = takes_lines(r) ? fd : -1;
    xalloc_at_end(whatif_give_up);
    s->tries = true;
    log_mute(s->log);
    store_leave(s->store);
    clock_stand_at(s->clock, now);
    lowly_call(answer_attempt, &a);
    json_object_set_new(a.answer, "basis", json_string(basis));
    char *text = json_dumps(a.answer, JSON_COMPACT | JSON_PRESERVE_ORDER);
    if (!text)
        whatif_give_up();
    write_all(fd, text, strlen(text));
    write_all(fd, "\n", 1);
    _exit(0);
}

/* ---- lines, while it goes on ---- */

static bool tell_more(void *ctx, struct strbuf *out)
{
    struct telling *t = ctx;
    size_t n = t->text.len - t->sent;

    n = n < BLOCK ? n : BLOCK;
    strbuf_add_n(out, t->text.text + t->sent, n);
    t->sent += n;
    return !t->over || t->sent < t->text.len;
}

/* All was read, or nobody reads any more. */
static void end_telling(void *ctx)
{
    struct telling *t = ctx;

    if (t->q) {
        t->q->telling = NULL;
        kill_copy(t->q);
    }
    free(strbuf_take(&t->text));
    free(t);
}

/* The reply begins with the first line that there is. */
static void begin_telling(struct question *q)
{
    struct telling *t = xcalloc(1, sizeof *t);
    struct request *r = q->request;

    t->q = q;
    q->telling = t;
    q->request = NULL;
    request_reply_stream(r, LINES,
        &(struct request_stream){
            .more = tell_more, .done = end_telling, .ctx = t, .live = true});
}

/* Lines of progress go on to the client; what is left is the answer, or a part. */
static void tell_progress(struct question *q)
{
    const char *end;

    while (q->text.len >= strlen(PROGRESS)
           && memcmp(q->text.text, PROGRESS, strlen(PROGRESS)) == 0
           && (end = memchr(q->text.text, '\n', q->text.len)) != NULL) {
        size_t n = (size_t)(end - q->text.text) + 1;
        if (q->request)
            begin_telling(q);
        if (q->telling)
            strbuf_add_n(&q->telling->text, q->text.text, n);
        q->text.len -= n;
        memmove(q->text.text, q->text.text + n, q->text.len + 1); /* its end, too */
    }
    http_wake(q->s->api.http);
}

static void finish_telling(struct question *q, const char *line, size_t n)
{
    struct telling *t = q->telling;

    strbuf_add_n(&t->text, line, n);
    t->over = true;
    t->q = NULL;
    q->telling = NULL;
    http_wake(q->s->api.http);
}

/* ---- a question ---- */

static bool is_awaited(const struct question *q)
{
    return q->request || q->telling;
}

static void refuse_question(
    struct question *q, int status, const char *code, const char *text)
{
    if (q->request)
        request_refuse_as(q->request, status, code, NULL, text);
    q->request = NULL;
    if (!q->telling)
        return;
    json_t *o = json_pack("{s:{s:s, s:s}}", "error", "code", code, "message", text);
    char *line = json_dumps(o, JSON_COMPACT);
    finish_telling(q, line, strlen(line));
    free(line);
    json_decref(o);
}

static void drop_question(struct question *q)
{
    struct whatif *w = q->s->api.whatif;

    TAILQ_REMOVE(&w->all, q, next);
    w->n--;
    if (q->telling)
        refuse_question(q, 503, "busy", "the scheduler is about to end");
    sd_event_source_disable_unref(q->output);
    sd_event_source_disable_unref(q->child);
    sd_event_source_disable_unref(q->look);
    if (q->pid > 0) {
        kill_copy(q);
        (void)waitpid(q->pid, NULL, 0);
    }
    if (q->fd >= 0)
        close(q->fd);
    free(strbuf_take(&q->text));
    free(q->key);
    free(q);
}

static bool is_whole(const struct question *q)
{
    return q->text.len > 0 && q->text.text[q->text.len - 1] == '\n';
}

/* It has said all that it will. */
static void settle_question(struct question *q)
{
    if (q->key && is_awaited(q) && is_whole(q)) {
        kept_add(&q->s->api.whatif->kept, q->key, q->text.text, q->at);
        q->key = NULL;
    }
    if (q->telling && is_whole(q))
        finish_telling(q, q->text.text, q->text.len);
    else if (q->request && is_whole(q))
        request_reply_text(
            q->request, q->lines ? LINES : "application/json", q->text.text);
    else if (q->broken)
        refuse_question(q, 500, "internal",
            "the copy that tried this came to an end that it should not: the "
            "scheduler's log has more, and the scheduler itself is unharmed");
    else
        refuse_question(q, 503, "busy",
            "the question took more processor time or memory than one may have: ask "
            "about less");
    q->request = NULL;
}

/* As it may: by itself, for want of something, or because it was told to go. */
static bool is_fair(bool exited, int with)
{
    return exited ? with == 0 || with == WANTS
                  : with == SIGKILL || with == SIGXCPU || with == SIGTERM
                        || with == SIGINT || with == SIGHUP;
}

static void note_end(struct question *q, const siginfo_t *info)
{
    bool exited = info->si_code == CLD_EXITED;
    int with = info->si_status;

    if (is_fair(exited, with))
        return;
    q->broken = true;
    log_line(q->s->log, LOG_ALERT,
        "the copy that tried a question of %s (%s) ended by %s %d: this is a fault of "
        "the scheduler's program, please report it",
        q->user, q->changes, exited ? "exit status" : "signal", with);
}

static int on_child(sd_event_source *source, const siginfo_t *info, void *ctx)
{
    struct question *q = ctx;

    (void)source;
    q->pid = 0; /* it has been reaped */
    note_end(q, info);
    if (q->fd >= 0)
        return 0;
    settle_question(q);
    drop_question(q);
    return 0;
}

/* What has said nothing whole is answered for when it is known how it ended. */
static void end_output(struct question *q)
{
    if (is_whole(q) || q->pid == 0)
        settle_question(q);
    q->output = sd_event_source_disable_unref(q->output);
    close(q->fd);
    q->fd = -1;
    if (q->pid == 0)
        drop_question(q);
}

static int on_output(sd_event_source *source, int fd, uint32_t events, void *ctx)
{
    struct question *q = ctx;
    char block[BLOCK];

    (void)source;
    (void)events;
    ssize_t n = read(fd, block, sizeof block);
    if (n > 0 && q->text.len + (size_t)n <= ANSWER_MAX) {
        strbuf_add_n(&q->text, block, (size_t)n);
        if (q->lines)
            tell_progress(q);
        return 0;
    }
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (n > 0) {
        kill_copy(q);
        free(strbuf_take(&q->text));
    }
    end_output(q);
    return 0;
}

/* Does anybody still wait for it? */
static int on_look(sd_event_source *source, uint64_t at, void *ctx)
{
    struct question *q = ctx;

    if (is_awaited(q) && at > q->until_us) {
        refuse_question(q, 503, "busy",
            "the machine had too little time for the question: ask again later, or "
            "about less");
        kill_copy(q);
    } else if (q->request && request_is_abandoned(q->request)) {
        refuse_question(q, 503, "busy", "the connection was closed before the answer");
        kill_copy(q);
    }
    sd_event_source_set_time_relative(source, LOOK_US);
    sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
    return 0;
}

static bool is_own(const struct question *q, const struct identity *who)
{
    return q->uid == who->uid;
}

/* One of a user and method: the newest. */
static void end_older(struct whatif *w, const struct identity *who, bool lives)
{
    struct question *q;

    TAILQ_FOREACH(q, &w->all, next)
    {
        if (!is_awaited(q) || !is_own(q, who) || q->lives != lives)
            continue;
        refuse_question(
            q, 409, "conflict", "a newer question of yours took the place of this one");
        kill_copy(q);
    }
}

static int64_t read_memory(void)
{
    char text[128] = "";
    long long size = 0, resident = 0;
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return 0;
    (void)!read(fd, text, sizeof text - 1);
    close(fd);
    /* NOLINTNEXTLINE(cert-err34-c): the kernel wrote it */
    if (sscanf(text, "%lld %lld", &size, &resident) != 2)
        return 0;
    return resident * sysconf(_SC_PAGESIZE);
}

static int watch_copy(struct question *q)
{
    sd_event *loop = q->s->loop;
    int r = sd_event_add_child(loop, &q->child, q->pid, WEXITED, on_child, q);

    if (r >= 0)
        r = sd_event_add_io(loop, &q->output, q->fd, EPOLLIN, on_output, q);
    if (r >= 0)
        r = sd_event_source_set_priority(q->output, PRIORITY_READERS);
    if (r >= 0)
        r = sd_event_source_set_priority(q->child, PRIORITY_READERS);
    if (r >= 0)
        r = sd_event_add_time_relative(
            loop, &q->look, CLOCK_MONOTONIC, LOOK_US, 0, on_look, q);
    return r;
}

static struct question *add_question(
    struct server *s, struct request *r, const json_t *body, pid_t pid, int fd)
{
    const struct identity *who = request_who(r);
    struct question *q = xcalloc(1, sizeof *q);
    uint64_t now = 0;

    sd_event_now(s->loop, CLOCK_MONOTONIC, &now);
    q->s = s;
    q->request = r;
    q->lines = takes_lines(r);
    q->lives = trial_lives(body);
    q->key = kept_key(s, r, body);
    q->at = world_now(s);
    q->pid = pid;
    q->fd = fd;
    q->until_us = now + WHATIF_PATIENCE_S * UINT64_C(1000000);
    snprintf(q->user, sizeof q->user, "%s", who->user);
    q->uid = who->uid;
    trial_describe(body, q->changes, sizeof q->changes);
    TAILQ_INSERT_TAIL(&s->api.whatif->all, q, next);
    s->api.whatif->n++;
    return q;
}

/* Of others, by that method: those that are answered, or given up, are as good as
 * gone. */
static unsigned count_others(
    const struct whatif *w, const struct identity *who, bool lives)
{
    const struct question *q;
    unsigned n = 0;

    TAILQ_FOREACH(q, &w->all, next)
    n += is_awaited(q) && !is_own(q, who) && q->lives == lives;
    return n;
}

static void begin_copy(struct server *s, struct request *r, const json_t *body)
{
    int64_t now = world_now(s);
    pid_t parent = getpid();
    struct err err;
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) < 0) {
        err_set(&err, ERR_IO, "there is no pipe for the question: %s", strerror(errno));
        request_refuse(r, &err);
        return;
    }
    char basis[BASIS_TEXT_MAX];
    basis_write(s, basis, sizeof basis); /* in the copy what is tried changes it */
    uint64_t before = read_used_us();
    pid_t pid = fork();
    if (pid == 0) {
        lowly_become(parent, WHATIF_CPU_S, WHATIF_MEMORY_MORE, ends[1]);
        run_copy(s, r, body, now, basis, ends[1]);
    }
    pace_spend(&s->api.whatif->pace, read_now_us(), read_used_us() - before);
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        request_refuse_for_now(
            r, AGAIN_S, "there is no process for the question at the moment", NULL);
        return;
    }
    (void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
    struct question *q = add_question(s, r, body, pid, ends[0]);
    if (watch_copy(q) < 0) {
        refuse_question(q, 503, "busy", "the event loop takes no more sources");
        drop_question(q);
    }
}

/* False: all places are taken, or wait for others who were refused before. The one more
 * that administrators have waits for nobody. */
static bool take_turn(
    struct whatif *w, const struct identity *who, bool lives, unsigned places)
{
    uint64_t now_us = read_now_us();
    unsigned before = places > WHATIF_AT_ONCE
                          ? 0
                          : standby_before(&w->standby, who->uid, lives, now_us);

    if (count_others(w, who, lives) + before >= places) {
        standby_wait(&w->standby, who->uid, lives, now_us);
        return false;
    }
    standby_leave(&w->standby, who->uid, lives);
    return true;
}

/* Before anything is ended for it: who is refused loses nothing. True: it was. */
static bool refuse_more(struct server *s, struct request *r, const json_t *body)
{
    struct whatif *w = s->api.whatif;
    const struct identity *who = request_who(r);
    unsigned places = WHATIF_AT_ONCE + (identity_is(who, WHO_ADMIN3) ? 1u : 0u);
    uint64_t wait_us = pace_wait_us(&w->pace, read_now_us());

    if (wait_us > 0) {
        request_refuse_for_now(r, (unsigned)(wait_us / 1000000) + AGAIN_S,
            "questions have held the scheduler up enough for the moment: ask again in "
            "some seconds",
            NULL);
        return true;
    }
    if (w->n >= 4 * places || !take_turn(w, who, trial_lives(body), places)) {
        request_refuse_as(r, 503, "busy", NULL,
            "others ask what would be at the moment: ask again in a second");
        return true;
    }
    if (read_memory() <= WHATIF_MEMORY_MAX)
        return false;
    request_refuse_as(r, 503, "busy", NULL,
        "the scheduler has more memory than is copied for a question");
    return true;
}

/* True: it has the answer that there is. */
static bool answer_again(struct server *s, struct request *r, const json_t *body)
{
    char *key = kept_key(s, r, body);
    const char *text = kept_find(&s->api.whatif->kept, key, world_now(s));

    if (text)
        request_reply_text(r, takes_lines(r) ? LINES : "application/json", text);
    free(key);
    return text != NULL;
}

void whatif_ask(struct server *s, struct request *r, const json_t *body)
{
    if (answer_again(s, r, body))
        return;
    if (refuse_more(s, r, body))
        return;
    end_older(s->api.whatif, request_who(r), trial_lives(body));
    begin_copy(s, r, body);
}

/* Their requests are refused by http_close(). */
void whatif_close(struct server *s)
{
    struct question *q, *next;

    if (!s->api.whatif)
        return;
    for (q = TAILQ_FIRST(&s->api.whatif->all); q; q = next) {
        next = TAILQ_NEXT(q, next);
        drop_question(q);
    }
    kept_fini(&s->api.whatif->kept);
    standby_fini(&s->api.whatif->standby);
    free(s->api.whatif);
    s->api.whatif = NULL;
}
