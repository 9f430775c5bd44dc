/* SPDX-License-Identifier: Apache-2.0
 * Helpers that know the past, and what they are asked. */
#define LOG_FACILITY FACILITY_UI
#include "server/travel/travel.h"

#include "base/xalloc.h"
#include "records/jsontext.h"
#include "server/process/log.h"
#include "server/process/lowly.h"
#include "server/server_private.h"
#include "server/sessions/secret.h"
#include "server/travel/guide.h"
#include "server/travel/journey.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOK_US    (500 * UINT64_C(1000))
#define BLOCK      65536
#define HEAD_MAX   4096 /* of the line before an answer */
#define ANSWER_MAX ((size_t)256 << 20)
#define NAME_MAX_C 24
#define HEADERS    8
/* A question is answered within, and a move, whose processor time is bounded, too. */
#define ANSWER_MAX_S 600
#define MOVE_MAX_S   (2 * TRIP_CPU_S)

/* Something that a helper is asked, in the order in which it is. */
struct errand {
    TAILQ_ENTRY(errand) next;
    struct request *request; /* NULL = nobody waits for it any more */
    char *line;              /* owned; NULL = where it goes first, which it knows */
    bool goes;               /* a move, whose answer tells where it is */
    uint64_t told_us;
};

/* What a user was answered and has not fetched; it outlives the trips. */
struct debt {
    TAILQ_ENTRY(debt) next;
    uid_t uid;
    size_t bytes;
    unsigned holders; /* trips and answers */
    bool listed;
};

struct trip {
    TAILQ_ENTRY(trip) next;
    struct server *s;
    char id[NAME_MAX_C];
    struct identity who; /* whose it is, as it was begun */
    struct debt *debt;
    pid_t pid; /* 0 = it has been reaped */
    int fd;
    sd_event_source *output, *child, *look;
    TAILQ_HEAD(, errand) errands;
    unsigned nerrands;
    bool asked;         /* the first of them has been told */
    struct strbuf text; /* of the answer, as far as it has come */
    json_t *head;       /* its head, once that is whole */
    int64_t at;         /* where it is; 0 = on the way for the first time */
    uint64_t used_us;   /* it was asked last */
};

struct travel {
    TAILQ_HEAD(, trip) all;
    TAILQ_HEAD(, debt) debts;
    uint64_t begun; /* so many so far: for names */
};

static uint64_t now_us(struct server *s)
{
    uint64_t now = 0;

    sd_event_now(s->loop, CLOCK_MONOTONIC, &now);
    return now;
}

void travel_open(struct server *s)
{
    s->api.travel = xcalloc(1, sizeof *s->api.travel);
    TAILQ_INIT(&s->api.travel->all);
    TAILQ_INIT(&s->api.travel->debts);
}

static bool is_ruler(const struct identity *who)
{
    return identity_is(who, WHO_ADMIN3);
}

/* One's own, with the rights with which it was begun. */
static bool is_of(const struct trip *t, const struct identity *who)
{
    return t->who.uid == who->uid && t->who.level == who->level;
}

/* ---- what has not been fetched ---- */

static void drop_debt(struct travel *all, struct debt *d)
{
    if (--d->holders)
        return;
    if (d->listed)
        TAILQ_REMOVE(&all->debts, d, next);
    free(d);
}

static struct debt *hold_debt(struct travel *all, uid_t uid)
{
    struct debt *d;

    TAILQ_FOREACH(d, &all->debts, next)
    if (d->uid == uid)
        break;
    if (!d) {
        d = xcalloc(1, sizeof *d);
        d->uid = uid;
        d->listed = true;
        TAILQ_INSERT_TAIL(&all->debts, d, next);
    }
    d->holders++;
    return d;
}

/* An answer, until its client has it. */
struct answer {
    struct server *s;
    struct debt *debt;
    char *bytes;
    size_t n;
};

static void free_answer(void *ctx)
{
    struct answer *a = ctx;

    a->debt->bytes -= a->n;
    drop_debt(a->s->api.travel, a->debt);
    free(a->bytes);
    free(a);
}

/* ---- errands ---- */

static void drop_errand(struct trip *t, struct errand *e)
{
    TAILQ_REMOVE(&t->errands, e, next);
    t->nerrands--;
    free(e->line);
    free(e);
}

static void refuse_errand(struct errand *e, const char *text)
{
    if (e->request)
        request_refuse_as(e->request, 503, "busy", NULL, text);
    e->request = NULL;
}

static void drop_trip(struct trip *t)
{
    struct travel *all = t->s->api.travel;
    struct errand *e;

    TAILQ_REMOVE(&all->all, t, next);
    while ((e = TAILQ_FIRST(&t->errands)) != NULL)
        drop_errand(t, e);
    sd_event_source_disable_unref(t->output);
    sd_event_source_disable_unref(t->child);
    sd_event_source_disable_unref(t->look);
    if (t->pid > 0) {
        (void)kill(t->pid, SIGKILL);
        (void)waitpid(t->pid, NULL, 0);
    }
    close(t->fd);
    drop_debt(all, t->debt);
    json_decref(t->head);
    free(strbuf_take(&t->text));
    free(t);
}

static void end_trip(struct trip *t, const char *why)
{
    struct errand *e;

    TAILQ_FOREACH(e, &t->errands, next)
    refuse_errand(e, why);
    drop_trip(t);
}

/* The next of them is told, if there is one. It is small, and nothing else is on its
 * way: a socket that does not take it is a helper that does not live. */
static void tell_next(struct trip *t)
{
    struct errand *e;

    if (t->asked)
        return;
    while (
        (e = TAILQ_FIRST(&t->errands)) && !e->goes && t->debt->bytes > TRIP_UNFETCHED) {
        refuse_errand(e, "you have been answered more of the past than you have "
                         "fetched: read that first");
        drop_errand(t, e);
    }
    if (!e)
        return;
    t->asked = true;
    e->told_us = now_us(t->s);
    if (e->line)
        (void)!send(t->fd, e->line, strlen(e->line), MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void add_errand(struct trip *t, struct request *r, char *line, bool goes)
{
    struct errand *e = xcalloc(1, sizeof *e);

    e->request = r;
    e->goes = goes;
    e->line = line;
    t->used_us = now_us(t->s);
    t->nerrands++;
    TAILQ_INSERT_TAIL(&t->errands, e, next);
    tell_next(t);
}

/* Takes the reference; NULL: bytes of the request were none of JSON's. */
static void ask_helper(struct trip *t, struct request *r, json_t *what, bool goes)
{
    char *text = what ? jsontext(what) : NULL;
    struct strbuf line = {0};

    json_decref(what);
    if (!text) {
        request_refuse_as(r, 400, "invalid", NULL,
            "the path, the query or If-None-Match is not UTF-8");
    } else if (strlen(text) > GUIDE_LINE) {
        request_refuse_as(
            r, 400, "invalid", NULL, "that is too long a question about the past");
    } else {
        strbuf_printf(&line, "%s\n", text);
        add_errand(t, r, strbuf_take(&line), goes);
    }
    free(text);
}

/* Those that nobody waits for any more. One that the helper was told stays for its
 * answer, which nobody gets; the first move names the trip, and every other moves it.
 */
static void drop_abandoned(struct trip *t)
{
    struct errand *e, *next;

    for (e = TAILQ_FIRST(&t->errands); e; e = next) {
        next = TAILQ_NEXT(e, next);
        if (e->goes || !e->request || !request_is_abandoned(e->request))
            continue;
        refuse_errand(e, "the connection was closed before the answer");
        if (!e->told_us)
            drop_errand(t, e);
    }
}

/* Has what the helper was told taken more time than anything may? */
static bool is_overdue(const struct trip *t, uint64_t now)
{
    const struct errand *e = TAILQ_FIRST(&t->errands);

    return t->asked && e
           && now > e->told_us
                        + (e->goes ? MOVE_MAX_S : ANSWER_MAX_S) * UINT64_C(1000000);
}

/* ---- answers ---- */

static size_t read_headers(const json_t *told, struct reply_header ret[HEADERS])
{
    const char *name;
    const json_t *value;
    size_t n = 0;

    json_object_foreach((json_t *)(uintptr_t)told, name, value)
    {
        if (n + 2 < HEADERS)
            ret[n++] = (struct reply_header){name, json_string_value(value)};
    }
    if (!json_object_get(told, "Cache-Control"))
        ret[n++] = (struct reply_header){"Cache-Control", "no-store"};
    ret[n] = (struct reply_header){NULL, NULL};
    return n;
}

/* Takes the bytes. */
static void give_answer(struct trip *t, struct errand *e, char *bytes, size_t n)
{
    struct reply_header headers[HEADERS];
    int status = (int)json_integer_value(json_object_get(t->head, "status"));

    read_headers(json_object_get(t->head, "headers"), headers);
    struct answer *a = xcalloc(1, sizeof *a);
    *a = (struct answer){.s = t->s, .debt = t->debt, .bytes = bytes, .n = n};
    t->debt->holders++;
    t->debt->bytes += n;
    request_reply_lent(e->request, status, bytes, n, headers, free_answer, a);
    e->request = NULL;
}

/* Where it is, and by which name it is asked. Takes the bytes. False: it goes nowhere.
 */
static bool give_stop(struct trip *t, struct errand *e, char *bytes, size_t n)
{
    json_t *o = json_loadb(bytes, n, 0, NULL);
    int status = (int)json_integer_value(json_object_get(t->head, "status"));

    if (status == 200 && o) {
        t->at = json_integer_value(json_object_get(o, "at"));
        json_object_set_new(o, "past", json_string(t->id));
        json_object_set_new(o, "newest_at", json_integer(world_now(t->s)));
    }
    if (e->request && (status != 200 || !o)) {
        give_answer(t, e, bytes, n);
    } else {
        if (e->request)
            request_reply_json(e->request, json_incref(o));
        free(bytes);
    }
    e->request = NULL;
    json_decref(o);
    return t->at != 0;
}

/* One that is whole. Takes the bytes. False: the trip is over. */
static bool take_answer(struct trip *t, char *bytes, size_t n)
{
    struct errand *e = TAILQ_FIRST(&t->errands);
    bool goes_on = true;

    if (e && e->goes)
        goes_on = give_stop(t, e, bytes, n);
    else if (e && e->request)
        give_answer(t, e, bytes, n);
    else
        free(bytes);
    if (e)
        drop_errand(t, e);
    json_decref(t->head);
    t->head = NULL;
    t->asked = false;
    t->used_us = now_us(t->s);
    if (goes_on)
        tell_next(t);
    return goes_on;
}

/* The head is a line. -1: it is none. */
static int read_head(struct trip *t)
{
    char *end = t->text.len ? memchr(t->text.text, '\n', t->text.len) : NULL;

    if (!end)
        return t->text.len > HEAD_MAX ? -1 : 0;
    t->head = json_loadb(t->text.text, (size_t)(end - t->text.text), 0, NULL);
    size_t rest = t->text.len - (size_t)(end + 1 - t->text.text);
    memmove(t->text.text, end + 1, rest);
    t->text.len = rest;
    return t->head ? 0 : -1;
}

/* What has come by now. -1: it is no answer; 1: the trip is over. */
static int look_at_text(struct trip *t)
{
    if (!t->head && read_head(t) < 0)
        return -1;
    if (!t->head)
        return 0;
    json_int_t n = json_integer_value(json_object_get(t->head, "length"));
    if (n < 0 || (size_t)n > ANSWER_MAX)
        return -1;
    if (t->text.len < (size_t)n)
        return 0;
    char *bytes = strbuf_take(&t->text);
    return take_answer(t, bytes ? bytes : xstrdup(""), (size_t)n) ? 0 : 1;
}

static int on_output(sd_event_source *source, int fd, uint32_t events, void *ctx)
{
    struct trip *t = ctx;
    char block[BLOCK];
    ssize_t n = read(fd, block, sizeof block);

    (void)source;
    (void)events;
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (n > 0)
        strbuf_add_n(&t->text, block, (size_t)n);
    int result = n > 0 ? look_at_text(t) : -1;
    if (result < 0) {
        log_line(t->s->log, LOG_WARNING,
            "the helper that showed %s the past came to an end", t->who.user);
        end_trip(t, "the helper that knew the past came to an end: it needed more "
                    "memory or processor time than one may have; begin again");
    } else if (result > 0) {
        drop_trip(t);
    }
    return 0;
}

static int on_child(sd_event_source *source, const siginfo_t *info, void *ctx)
{
    struct trip *t = ctx;
    int with = info->si_status;

    (void)source;
    t->pid = 0; /* what it said last is read from the socket, and then its end */
    if (info->si_code != CLD_EXITED && with != SIGKILL && with != SIGXCPU
        && with != SIGTERM)
        log_line(t->s->log, LOG_ALERT,
            "the helper that showed %s the past ended by signal %d: this is a fault of "
            "the scheduler's program, please report it",
            t->who.user, with);
    return 0;
}

/* Is the first answer waited for by nobody, so that nobody knows its name? */
static bool is_forsaken(struct trip *t)
{
    const struct errand *e = TAILQ_FIRST(&t->errands);

    return t->at == 0 && e && e->request && request_is_abandoned(e->request);
}

static int on_look(sd_event_source *source, uint64_t at, void *ctx)
{
    struct trip *t = ctx;

    if (is_forsaken(t)) {
        end_trip(t, "the connection was closed before the answer");
        return 0;
    }
    drop_abandoned(t);
    if (is_overdue(t, at)) {
        log_line(t->s->log, LOG_WARNING,
            "the helper that shows %s the past did not answer and is ended",
            t->who.user);
        end_trip(t, "the helper that knows the past did not answer: begin again");
        return 0;
    }
    if (!t->nerrands && at > t->used_us + TRIP_IDLE_S * UINT64_C(1000000)) {
        end_trip(t, "");
        return 0;
    }
    sd_event_source_set_time_relative(source, LOOK_US);
    sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
    return 0;
}

/* ---- helpers ---- */

/* The parent stands still until the program is another: no copy of its memory is made.
 */
static pid_t spawn_helper(char *const argv[], pid_t parent, int fd)
{
    pid_t pid = vfork();

    if (pid == 0) {
        lowly_become(parent, TRIP_CPU_S, TRIP_MEMORY, fd);
        execv("/proc/self/exe", argv);
        _exit(127);
    }
    return pid;
}

static json_t *describe_caller(struct server *s, const struct identity *who)
{
    unsigned hidden =
        is_ruler(who) ? 0 : who->hidden | rights_hidden_then(s->api.rights);

    return json_pack("{s:I, s:I, s:i, s:i, s:s, s:s, s:s}", "uid", (json_int_t)who->uid,
        "gid", (json_int_t)who->gid, "level", who->level, "hidden", (int)hidden, "user",
        who->user, "group", who->group, "host", who->host);
}

static pid_t start_helper(
    struct server *s, const struct identity *who, int fd, int64_t at)
{
    json_t *caller = describe_caller(s, who);
    char *text = jsontext(caller);
    char descriptor[12], number[24], word[] = GUIDE_WORD, kind[] = "at";
    char *argv[] = {word, s->paths.home, s->paths.config_path, descriptor, kind, number,
        text, NULL};

    snprintf(descriptor, sizeof descriptor, "%d", fd);
    snprintf(number, sizeof number, "%" PRId64, at);
    pid_t pid = spawn_helper(argv, getpid(), fd);
    free(text);
    json_decref(caller);
    return pid;
}

static int watch_helper(struct trip *t)
{
    sd_event *loop = t->s->loop;
    int r = sd_event_add_child(loop, &t->child, t->pid, WEXITED, on_child, t);

    if (r >= 0)
        r = sd_event_add_io(loop, &t->output, t->fd, EPOLLIN, on_output, t);
    if (r >= 0)
        r = sd_event_source_set_priority(t->output, PRIORITY_READERS);
    if (r >= 0)
        r = sd_event_add_time_relative(
            loop, &t->look, CLOCK_MONOTONIC, LOOK_US, 0, on_look, t);
    return r;
}

static struct trip *add_trip(
    struct server *s, const struct identity *who, pid_t pid, int fd)
{
    struct travel *all = s->api.travel;
    struct trip *t = xcalloc(1, sizeof *t);

    t->s = s;
    t->pid = pid;
    t->fd = fd;
    t->who = *who;
    t->debt = hold_debt(all, who->uid);
    t->used_us = now_us(s);
    snprintf(t->id, sizeof t->id, "%" PRIu64 "-%" PRIx64, ++all->begun,
        t->used_us & 0xffffff);
    TAILQ_INIT(&t->errands);
    TAILQ_INSERT_TAIL(&all->all, t, next);
    return t;
}

static bool has_another(const struct travel *all, const struct trip *t)
{
    const struct trip *other;

    TAILQ_FOREACH(other, &all->all, next)
    if (other != t && is_of(other, &t->who))
        return true;
    return false;
}

/* How many there are of administrators, or of all others; of that caller. */
static unsigned count_trips(
    const struct travel *all, const struct identity *who, unsigned *ret_own)
{
    const struct trip *t;
    unsigned n = 0;

    *ret_own = 0;
    TAILQ_FOREACH(t, &all->all, next)
    {
        n += is_ruler(&t->who) == is_ruler(who);
        *ret_own += t->who.uid == who->uid && is_ruler(&t->who) == is_ruler(who);
    }
    return n;
}

/* One's own that was asked least lately; of others only one of somebody who keeps
 * another, or that nobody asked for half of the time that it may rest. */
static struct trip *choose_old(struct server *s, const struct identity *who)
{
    struct trip *t, *own = NULL, *old = NULL;
    uint64_t late = now_us(s);

    TAILQ_FOREACH(t, &s->api.travel->all, next)
    {
        if (is_ruler(&t->who) != is_ruler(who))
            continue;
        if (t->who.uid == who->uid && (!own || t->used_us < own->used_us))
            own = t;
        bool rests = !t->nerrands && t->used_us + TRIP_IDLE_S * UINT64_C(500000) < late;
        if ((rests || has_another(s->api.travel, t))
            && (!old || t->used_us < old->used_us))
            old = t;
    }
    return own ? own : old;
}

static bool make_room(struct server *s, struct request *r)
{
    struct trip *old;
    unsigned own, all = count_trips(s->api.travel, request_who(r), &own);

    if (all < TRIPS_MAX && (!own || is_ruler(request_who(r))))
        return true;
    old = choose_old(s, request_who(r));
    if (!old) {
        request_refuse_as(r, 503, "busy", NULL,
            "others look at the past at the moment, and no more can: ask again later");
        return false;
    }
    end_trip(old, "a newer one took the place of this view of the past");
    return true;
}

void travel_begin(struct server *s, struct request *r, int64_t at)
{
    int ends[2];

    if (!make_room(s, r))
        return;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) {
        request_refuse_for_now(r, 2, "there is no socket for the helper", NULL);
        return;
    }
    (void)fcntl(ends[1], F_SETFD, 0); /* that one is the helper's */
    pid_t pid = start_helper(s, request_who(r), ends[1], at);
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        request_refuse_for_now(r, 2, "there is no process for the helper", NULL);
        return;
    }
    (void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
    struct trip *t = add_trip(s, request_who(r), pid, ends[0]);
    log_line(s->log, LOG_DETAIL, "past: %s looks at %" PRId64, t->who.user, at);
    add_errand(t, r, NULL, true);
    if (watch_helper(t) < 0)
        end_trip(t, "the event loop takes no more sources");
}

/* ---- who asks ---- */

static struct trip *find_trip(
    struct server *s, const struct identity *who, const char *id, struct err *err)
{
    struct trip *t;

    TAILQ_FOREACH(t, &s->api.travel->all, next)
    if (is_of(t, who) && strcmp(t->id, id) == 0)
        return t;
    err_set(err, ERR_NOT_FOUND,
        "there is no view of the past '%.40s' of yours (any more): POST /v1/past makes "
        "one",
        id);
    return NULL;
}

/* NULL: it has been refused. */
static struct trip *find_free(struct server *s, struct request *r, const char *id)
{
    struct err err;
    struct trip *t = find_trip(s, request_who(r), id, &err);

    if (!t) {
        request_refuse_as(r, 404, "not_found", "past", err.text);
        return NULL;
    }
    if (t->nerrands < TRIP_ASKED)
        return t;
    request_refuse_for_now(r, 1, "it is asked for too much at once", NULL);
    return NULL;
}

#define SAME_ID_MAX 100 /* of the jobs that had that id, so many of the last */

/* Whose they are is looked at, and when they were there. */
struct spans {
    const struct identity *who;
    json_t *list;
};

static void add_span(struct spans *io, int64_t from_at, int64_t until_at)
{
    json_array_append_new(
        io->list, json_pack("[I, I]", (json_int_t)from_at, (json_int_t)until_at));
}

static int look_whose(void *ctx, const struct store_account *row)
{
    struct spans *spans = ctx;

    if (identity_sees_ended(spans->who, row->user))
        add_span(spans, row->submit_at, row->end_at);
    return 0;
}

/* Ids come again: when one of that id was there that is the caller's, now or by
 * accounting. Null: all of it is for the caller to know. */
static json_t *own_spans(struct server *s, const struct identity *who, const char *id)
{
    const struct cluster *c = engine_cluster(s->engine);
    const struct job *j = id ? job_find(c, id) : NULL;
    struct store_account_filter ended = {
        .job = id, .submitted = true, .newest_first = true, .limit = SAME_ID_MAX};
    struct spans spans = {who, json_array()};
    struct err err;

    if (!id || identity_is(who, WHO_ADMIN3)) {
        json_decref(spans.list);
        return json_null();
    }
    if (j && identity_has_job(who, c, j))
        add_span(&spans, j->submit_at, TIME_NEVER);
    unsaved_tell(s->unsaved);
    (void)store_account_each(s->store, &ended, look_whose, &spans, &err);
    return spans.list;
}

void travel_move(struct server *s, struct request *r, const char *id, json_t *how)
{
    struct trip *t = find_free(s, r, id);

    if (t)
        ask_helper(t, r,
            json_pack("{s:O, s:o}", "go", how, "own",
                own_spans(s, request_who(r),
                    json_string_value(json_object_get(how, "about")))),
            true);
}

void travel_end(struct server *s, struct request *r, const char *id)
{
    struct err err;
    struct trip *t = find_trip(s, request_who(r), id, &err);

    if (!t) {
        request_refuse(r, &err);
        return;
    }
    end_trip(t, "this view of the past was ended");
    request_reply_json(r, json_pack("{s:s}", "message", "it is ended"));
}

void travel_ask(struct server *s, struct request *r, const char *id)
{
    struct trip *t = find_free(s, r, id);
    const char *known = request_header(r, "If-None-Match");

    if (!t)
        return;
    json_t *query = request_query_all(r);
    json_object_del(query, "past");
    json_t *caller = describe_caller(s, request_who(r));
    ask_helper(t, r,
        json_pack("{s:s, s:s, s:O, s:{s:s*}, s:O}", "get", request_path(r), "target",
            request_target(r), "query", query, "headers", "If-None-Match", known, "who",
            caller),
        false);
    json_decref(query);
    json_decref(caller);
}

int travel_instant(struct server *s, const struct identity *who, const char *id,
    int64_t *ret, struct err *err)
{
    struct trip *t = find_trip(s, who, id, err);

    if (!t)
        return -1;
    t->used_us = now_us(s);
    *ret = t->at;
    return 0;
}

void travel_tell(struct server *s, struct request *r)
{
    const struct identity *who = request_who(r);
    int64_t oldest = journey_oldest(s->store);
    json_t *o = json_pack("{s:I}", "newest_at", (json_int_t)world_now(s)),
           *list = json_array();
    const struct trip *t;

    if (oldest)
        json_object_set_new(o, "oldest_at", json_integer(oldest));
    TAILQ_FOREACH(t, &s->api.travel->all, next)
    if (is_of(t, who) && t->at)
        json_array_append_new(
            list, json_pack("{s:s, s:I}", "past", t->id, "at", (json_int_t)t->at));
    json_object_set_new(o, "views", list);
    request_reply_json(r, o);
}

void travel_close(struct server *s)
{
    struct trip *t;
    struct debt *d;

    if (!s->api.travel)
        return;
    while ((t = TAILQ_FIRST(&s->api.travel->all)) != NULL)
        drop_trip(t);
    while ((d = TAILQ_FIRST(&s->api.travel->debts)) != NULL) {
        TAILQ_REMOVE(&s->api.travel->debts, d, next); /* http_close() frees answers */
        d->listed = false;
    }
    free(s->api.travel);
    s->api.travel = NULL;
}
