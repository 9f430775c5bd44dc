/* SPDX-License-Identifier: Apache-2.0
 * The page's way in. */
#define LOG_FACILITY FACILITY_UI
#include "server/web/page.h"

#include "base/xalloc.h"
#include "server/api/api.h"
#include "server/events/eventlog.h"
#include "server/server_private.h"
#include "server/web/assets.h"
#include "server/web/place.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define OPEN_S   3600 /* after the last session */
#define AGAIN_S  5    /* when somebody is being served as the listener closes */
#define BODY_LOG 400  /* of a change, so much goes to the log */

struct page {
    struct sessions *sessions; /* NULL until the first login */
    sd_event_source *timer;
    struct page_place place; /* as the parameters say */
    uint16_t port;           /* 0 = not open */
    int64_t used_at;         /* when there was a session or a login last */
    bool moves;       /* to another port, as soon as nobody is served at this one */
    struct err wrong; /* with the parameters: the page stays off */
};

int64_t page_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_BOOTTIME, &t);
    return t.tv_sec;
}

static double read_clock(void)
{
    struct timespec t;

    clock_gettime(CLOCK_BOOTTIME, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- who asks ---- */

static bool is_exchange(const struct request *r)
{
    return strcmp(request_path(r), "/v1/session") == 0
           && strcmp(request_method(r), "POST") == 0;
}

static int admit_request(
    void *ctx, struct request *r, struct identity *ret, struct err *err)
{
    static const char word[] = "Session ";
    struct server *s = ctx;
    const char *header = request_header(r, "Authorization"), *why = NULL;

    *ret = (struct identity){.uid = (uid_t)-1, .gid = (gid_t)-1, .host = "?"};
    if (is_exchange(r))
        return 0;
    if (!header || strncmp(header, word, sizeof word - 1) != 0) {
        err_set(err, ERR_DENIED, "a session is needed here: run `maui dashboard`%s",
            header && strncmp(header, "MUNGE", 5) == 0
                ? " (MUNGE credentials serve at SERVERPORT)"
                : "");
        return 401;
    }
    page_tend(s);
    const struct session *found = s->api.page->sessions
                                      ? sessions_find(s->api.page->sessions,
                                          header + sizeof word - 1, page_now(), &why)
                                      : NULL;
    if (!found) {
        err_set(err, ERR_DENIED, "%s",
            why ? why : "your session is over: run `maui dashboard`");
        return 401;
    }
    *ret = found->who;
    if (!sessions_admit(s->api.page->sessions, found->id, read_clock())) {
        err_set(err, ERR_DENIED, "more than %d requests a second of one session",
            SESSION_RATE);
        return 429;
    }
    return 0;
}

static void handle_request(void *ctx, struct request *r)
{
    const char *path = request_path(r);

    if (strcmp(path, "/") == 0 || strncmp(path, "/ui", 3) == 0)
        assets_answer(r);
    else
        api_handle(ctx, r);
}

static bool has_session(void *ctx, const struct identity *who)
{
    struct server *s = ctx;

    return s->api.page->sessions && sessions_has(s->api.page->sessions, who->session);
}

/* A job's environment and script may hold secrets. */
static bool has_secrets(const struct request *r)
{
    return strcmp(request_path(r), "/v1/jobs") == 0;
}

/* Who changed what, and what came of it; of those who have no session nothing: they
 * would fill the log. An exchange has a secret in it. */
static void tell_change(void *ctx, struct request *r, int status)
{
    struct server *s = ctx;
    const char *method = request_method(r);
    const struct identity *who = request_who(r);
    char peer[64];
    size_t len;

    if (!method || strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0
        || is_exchange(r) || !who->session[0])
        return;
    const char *body = request_body(r, &len);
    request_peer(r, peer, sizeof peer);
    len = has_secrets(r) ? 0 : len < BODY_LOG ? len : BODY_LOG;
    log_line(s->log, LOG_ACTION, "page: %s %.200s by %s, session %s, from %s: %d %.*s",
        method, request_target(r), who->user, who->session, peer, status, (int)len,
        body);
}

/* ---- the listener ---- */

static void tell_end(void *ctx, const struct session *e)
{
    struct server *s = ctx;

    eventlog_add(s, WEBLOGOUT, e->id, false,
        json_pack("{s:s, s:s}", "type", "session", "user", e->who.user),
        "the session %s of user %s is over", e->id, e->who.user);
}

static void set_timer(struct server *s, int64_t seconds)
{
    sd_event_source_set_time_relative(
        s->api.page->timer, (uint64_t)seconds * UINT64_C(1000000));
    sd_event_source_set_enabled(s->api.page->timer, SD_EVENT_ONESHOT);
}

static int open_listener(struct server *s, struct err *err);

/* Secrets that are sent to the old port, which anybody may take, are worth nothing. */
static void move_port(struct server *s)
{
    struct page *p = s->api.page;
    struct err err = {0};

    p->moves = p->port && !http_close_page(s->api.http);
    if (p->moves) {
        set_timer(s, AGAIN_S);
        return;
    }
    p->port = 0;
    if (p->place.port && assets_built(&err) == 0 && open_listener(s, &err) < 0)
        log_line(s->log, LOG_ALERT, "the web page is off: %s", err.text);
}

void page_tend(struct server *s)
{
    struct page *p = s->api.page;
    int64_t now = page_now(), next = 0, last = 0;

    if (p->sessions)
        next = sessions_expire(p->sessions, now, tell_end, s);
    if (s->api.http)
        http_wake(s->api.http);
    if (p->moves) {
        move_port(s);
        return;
    }
    if (next) {
        p->used_at = now;
        set_timer(s, next - now);
        return;
    }
    last = p->used_at + OPEN_S;
    if (!p->port || p->place.port) {
        sd_event_source_set_enabled(p->timer, SD_EVENT_OFF);
    } else if (now < last) {
        set_timer(s, last - now);
    } else if (!http_close_page(s->api.http)) {
        set_timer(s, AGAIN_S);
    } else {
        log_line(s->log, LOG_ACTION, "page: nobody came for an hour, port %u is closed",
            p->port);
        p->port = 0;
    }
}

static int on_time(sd_event_source *source, uint64_t at, void *ctx)
{
    (void)source;
    (void)at;
    page_tend(ctx);
    return 0;
}

/* "https://[::1]:8443" */
static void write_place(const struct page *p, char *ret, size_t size)
{
    bool six = strchr(p->place.address, ':') != NULL;

    snprintf(ret, size, "%s://%s%s%s:%u", p->place.tls.cert ? "https" : "http",
        six ? "[" : "", p->place.address, six ? "]" : "", p->port);
}

static int open_listener(struct server *s, struct err *err)
{
    char place[128];
    struct page *p = s->api.page;
    struct http_page page = {.address = p->place.address,
        .origin = p->place.origin,
        .tls = p->place.tls.cert != NULL,
        .cert = p->place.tls.cert,
        .key = p->place.tls.key,
        .admit = admit_request,
        .handle = handle_request,
        .lives = has_session,
        .answered = tell_change,
        .ctx = s};

    if (p->port)
        return 0;
    if (!p->timer
        && sd_event_add_time_relative(
               s->loop, &p->timer, CLOCK_BOOTTIME, 0, 1000000, on_time, s)
               < 0)
        return err_set(err, ERR_IO, "the event loop takes no more sources");
    sd_event_source_set_enabled(p->timer, SD_EVENT_OFF);
    if (http_open_page(s->api.http, &page, p->place.port, &p->port, err) < 0) {
        p->port = 0;
        return -1;
    }
    write_place(p, place, sizeof place);
    log_line(s->log, LOG_ACTION, "page: it is at %s/ui/", place);
    return 0;
}

int page_listen(struct server *s, char *ret, size_t size, struct err *err)
{
    struct page *p = s->api.page;

    if (p->wrong.code) {
        *err = p->wrong;
        return -1;
    }
    if (assets_built(err) < 0) {
        err->code = ERR_CONFLICT;
        return -1;
    }
    if (open_listener(s, err) < 0)
        return -1;
    p->used_at = page_now();
    if (p->place.origin[0])
        snprintf(ret, size, "%s", p->place.origin);
    else
        write_place(p, ret, size);
    page_tend(s);
    return 0;
}

struct sessions *page_sessions(struct server *s)
{
    if (!s->api.page->sessions)
        s->api.page->sessions = sessions_new();
    return s->api.page->sessions;
}

/* ---- parameters ---- */

/* Nobody goes on with what may not be any more. */
static void go_off(struct server *s)
{
    struct page *p = s->api.page;

    p->place.port = 0;
    p->place.origin[0] = 0;
    log_line(s->log, LOG_ALERT, "the web page is off: %s", p->wrong.text);
    if (p->port && p->sessions)
        sessions_end_all(p->sessions, "the page was closed: its parameters are wrong");
    if (p->port)
        move_port(s);
}

bool page_differs(const struct config *a, const struct config *b)
{
    static const char *const names[] = {
        "WEBPORT", "WEBADDRESS", "WEBORIGIN", "WEBCERT", "WEBKEY"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *was = cfg_get(a, names[i], NULL), *is = cfg_get(b, names[i], NULL);
        if (strcmp(was ? was : "", is ? is : "") != 0)
            return true;
    }
    return false;
}

int page_check(struct server *s, const struct config *c, struct err *err)
{
    struct page_place next;

    if (!s->api.page || s->api.page->wrong.code)
        return 0;
    int result = page_place_read(c, s->paths.home, &next, err);
    page_place_fini(&next);
    return result;
}

const char *page_wrong(const struct server *s)
{
    return s->api.page && s->api.page->wrong.code ? s->api.page->wrong.text : NULL;
}

void page_configure(struct server *s)
{
    struct page *p = s->api.page;
    struct page_place next;

    if (!p)
        return; /* what was changed before a restart is read before the page begins */
    p->wrong = (struct err){0};
    if (page_place_read(s->config, s->paths.home, &next, &p->wrong) < 0) {
        go_off(s);
        return;
    }
    bool moves = !page_place_same(&p->place, &next);
    page_place_fini(&p->place);
    p->place = next;
    if (p->port && moves && p->sessions)
        sessions_end_all(
            p->sessions, "the page is at another port now: run `maui dashboard`");
    if (moves || !p->port)
        move_port(s);
}

void page_open(struct server *s)
{
    s->api.page = xcalloc(1, sizeof *s->api.page);
    page_configure(s);
}

void page_close(struct server *s)
{
    if (!s->api.page)
        return;
    sd_event_source_disable_unref(s->api.page->timer);
    s->api.page->timer = NULL;
    sessions_free(s->api.page->sessions);
    s->api.page->sessions = NULL;
    page_place_fini(&s->api.page->place);
}
