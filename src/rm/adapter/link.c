/* SPDX-License-Identifier: Apache-2.0
 * Lines between an adapter and the daemon. */
#include "rm/adapter/link.h"

#include "base/duration.h"
#include "base/strbuf.h"
#include "config/rmplace.h"
#include "rm/adapter/clock.h"
#include "rm/wire.h"

#include <errno.h>
#include <signal.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define SILENT_MS 5000 /* the daemon pings every second */
#define END_S     2    /* until the end, when told or left */

struct link {
    sd_event *loop;
    sd_event_source *input;
    int fd;
    struct link_calls calls;
    void *ctx;
    struct rm_sink sink;
    struct strbuf in;
    bool opened;
    bool gone;        /* the daemon is; what it had said before is carried out */
    int64_t heard_ms; /* a word of the daemon */
};

static volatile sig_atomic_t ends; /* the daemon does, or we are to */

/* Nobody was told of a start or a submission: it is not made for nobody. */
static bool is_left(const struct link *l)
{
    return l->gone || ends;
}

/* ---- telling ---- */

/* Whoever is gone is told nothing; the end of the input ends us, behind the orders that
 * stand in it. */
static void say_line(struct link *l, char *line)
{
    size_t n = strlen(line), sent = 0;

    while (sent < n && !l->gone) {
        ssize_t k = send(l->fd, line + sent, n - sent, MSG_NOSIGNAL);

        if (k < 0 && errno == EINTR)
            continue;
        l->gone = k <= 0;
        sent += k > 0 ? (size_t)k : 0;
    }
    free(line);
}

static void tell_report(void *ctx, const struct rm_report *r)
{
    say_line(ctx, wire_report(r));
}

const struct rm_sink *link_sink(const struct link *l)
{
    return &l->sink;
}

void link_done(struct link *l, uint64_t token, enum rm_outcome outcome, const char *job,
    const char *text)
{
    struct rm_report r = {.kind = RM_DONE, .u.done = {token, outcome, job, text}};

    tell_report(l, &r);
}

void link_health(struct link *l, const char *function, const char *text)
{
    struct rm_report r = {.kind = RM_HEALTH};

    r.u.health.up = text == NULL;
    r.u.health.function = function;
    r.u.health.text = text;
    tell_report(l, &r);
}

bool link_is_led(const struct link *l)
{
    return clock_ms() - l->heard_ms < SILENT_MS;
}

/* ---- what RMCFG says ---- */

const char *link_attr(const struct link_opening *o, const char *name)
{
    const char *key, *found = NULL;
    json_t *value;

    json_object_foreach((json_t *)o->attributes, key, value)
    {
        if (strcasecmp(key, name) == 0)
            found = json_string_value(value);
    }
    return found;
}

int64_t link_attr_ms(const struct link_opening *o, const char *name, int64_t usual_ms)
{
    const char *text = link_attr(o, name);
    int64_t s;

    if (text == NULL || duration_parse(text, &s, NULL) < 0 || s <= 0)
        return usual_ms;
    return s * 1000;
}

/* ---- what comes ---- */

static void take_open(struct link *l, struct reader *r, const json_t *o)
{
    const char *home = reader_text(r, o, "home"), *name = reader_text(r, o, "name");

    if (l->opened || r->failed)
        return;
    struct link_opening opening = {.name = name ? name : "",
        .home = home ? home : ".",
        .attributes = json_object_get(o, "attributes")};

    l->opened = true;
    rmplace_enter(link_attr(&opening, "BINDIR"), link_attr(&opening, "ENV"));
    if (l->calls.open != NULL)
        l->calls.open(l->ctx, &opening);
}

static void take_ping(struct link *l, struct reader *r, const json_t *o)
{
    (void)r;
    if (l->calls.ping != NULL)
        l->calls.ping(l->ctx, json_integer_value(o));
}

static void take_immediate(struct link *l, struct reader *r, const json_t *o)
{
    const char *word = reader_text(r, o, "word"), *nodes = reader_text(r, o, "nodes");

    if (!r->failed && l->calls.immediate != NULL)
        l->calls.immediate(l->ctx, word ? word : "busy", nodes ? nodes : "");
}

static void take_poll(struct link *l, struct reader *r, const json_t *o)
{
    (void)r;
    (void)o;
    if (l->calls.poll != NULL)
        l->calls.poll(l->ctx);
}

static void take_command(struct link *l, struct reader *r, const json_t *o)
{
    struct rm_command c;

    wire_read_command(r, o, &c);
    if (r->failed || (is_left(l) && c.action == RM_START))
        return;
    if (l->calls.command != NULL)
        l->calls.command(l->ctx, &c);
    else
        link_done(l, c.token, RM_REFUSED, c.job, "it takes no orders");
}

static void take_note(struct link *l, struct reader *r, const json_t *o)
{
    struct rm_note n;

    wire_read_note(r, o, &n);
    if (!r->failed && l->calls.note != NULL)
        l->calls.note(l->ctx, &n);
}

static void take_submission(struct link *l, struct reader *r, const json_t *o)
{
    struct rm_submission s;

    wire_read_submission(r, o, &s);
    if (r->failed || is_left(l))
        return;
    if (l->calls.submit != NULL)
        l->calls.submit(l->ctx, &s);
    else
        link_done(l, s.token, RM_REFUSED, NULL, RM_TAKES_NO_JOBS);
}

static const struct {
    const char *key;
    void (*take)(struct link *l, struct reader *r, const json_t *o);
} kinds[] = {
    {"open", take_open},
    {"ping", take_ping},
    {"immediate", take_immediate},
    {"poll", take_poll},
    {"command", take_command},
    {"note", take_note},
    {"submit", take_submission},
};

static void take_line(struct link *l, const char *text, size_t len)
{
    struct reader r;
    struct err err = {0};
    bool was_led = link_is_led(l);

    l->heard_ms = clock_ms();
    if (!was_led && l->opened && l->calls.revived != NULL)
        l->calls.revived(l->ctx);
    if (reader_open(&r, "line", text, len, &err) < 0) {
        link_health(l, "adapter", err.text);
        reader_close(&r);
        return;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const json_t *o = json_object_get(r.document, kinds[i].key);

        if (o != NULL && (l->opened || kinds[i].take == take_open))
            kinds[i].take(l, &r, o);
    }
    if (r.failed)
        link_health(l, "adapter", err.text);
    reader_close(&r);
}

static int on_input(sd_event_source *source, int fd, uint32_t events, void *ctx)
{
    struct link *l = ctx;
    char text[65536];
    size_t from = 0;
    const char *end;
    ssize_t n = recv(fd, text, sizeof text, 0);

    (void)events;
    if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) {
        l->gone = true;
        sd_event_source_set_enabled(source, SD_EVENT_OFF);
        if (!ends)
            alarm(END_S);
        if (l->opened && l->calls.gone != NULL && l->calls.gone(l->ctx))
            return 0;
        return sd_event_exit(l->loop, 0);
    }
    if (n < 0)
        return 0;
    strbuf_add_n(&l->in, text, (size_t)n);
    while ((end = memchr(l->in.text + from, '\n', l->in.len - from)) != NULL) {
        size_t k = (size_t)(end - (l->in.text + from));

        take_line(l, l->in.text + from, k);
        from += k + 1;
    }
    l->in.len -= from;
    memmove(l->in.text, l->in.text + from, l->in.len);
    if (l->opened && l->calls.heard != NULL)
        l->calls.heard(l->ctx);
    return 0;
}

/* A daemon that ends, or is killed, has us told so at once: what it has acknowledged is
 * carried out before, if that can be. */
static void end_soon(int number)
{
    (void)number;
    ends = 1;
    alarm(END_S);
}

struct link *link_new(sd_event *loop, int fd, const struct link_calls *calls, void *ctx)
{
    const struct sigaction term = {.sa_handler = end_soon, .sa_flags = SA_RESTART};
    struct link *l = xcalloc(1, sizeof *l);

    l->loop = sd_event_ref(loop);
    l->fd = fd;
    l->calls = *calls;
    l->ctx = ctx;
    l->sink = (struct rm_sink){tell_report, l};
    l->heard_ms = clock_ms();
    sigaction(SIGTERM, &term, NULL);
    if (sd_event_add_io(loop, &l->input, fd, EPOLLIN, on_input, l) < 0) {
        link_destroy(l);
        return NULL;
    }
    return l;
}

void link_destroy(struct link *l)
{
    if (l == NULL)
        return;
    sd_event_source_disable_unref(l->input);
    sd_event_unref(l->loop);
    free(l->in.text);
    free(l);
}
