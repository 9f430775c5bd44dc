/* SPDX-License-Identifier: Apache-2.0
 * The event log. */
#include "server/events/eventlog.h"

#include "base/home.h"
#include "config/settings.h"
#include "engine/promises.h"
#include "server/api/identity.h"
#include "server/events/notify.h"
#include "server/process/rollfile.h"
#include "server/render/render.h"
#include "server/server_private.h"

#include <stdarg.h>
#include <stdio.h>

#define KEPT_MAX    10000
#define WAITING_MAX 100000
#define NAMED_MAX   8                 /* of many that are told of at once */
#define TAIL_BYTES  (2 * 1024 * 1024) /* of each file that is read at the start */

static const struct {
    const char *name;
    bool at_once; /* it does not wait for a commit */
} names[EVENT_NAMES] = {
    [JOBSUBMIT] = {"JOBSUBMIT"},
    [JOBSTART] = {"JOBSTART"},
    [JOBSTARTFAILURE] = {"JOBSTARTFAILURE"},
    [JOBEND] = {"JOBEND"},
    [JOBCANCEL] = {"JOBCANCEL"},
    [JOBHOLD] = {"JOBHOLD"},
    [JOBRELEASE] = {"JOBRELEASE"},
    [JOBDEFER] = {"JOBDEFER"},
    [JOBPUTOFF] = {"JOBPUTOFF"},
    [JOBREQUEUE] = {"JOBREQUEUE"},
    [JOBSUSPEND] = {"JOBSUSPEND"},
    [JOBRESUME] = {"JOBRESUME"},
    [JOBCHECKPOINT] = {"JOBCHECKPOINT"},
    [JOBWCVIOLATION] = {"JOBWCVIOLATION"},
    [JOBRESVIOLATION] = {"JOBRESVIOLATION"},
    [JOBLIMITVIOLATION] = {"JOBLIMITVIOLATION"},
    [JOBCORRUPTION] = {"JOBCORRUPTION"},
    [RESERVATIONCREATED] = {"RESERVATIONCREATED"},
    [RESERVATIONSTARTED] = {"RESERVATIONSTARTED"},
    [RESERVATIONDESTROYED] = {"RESERVATIONDESTROYED"},
    [RESERVATIONCORRUPTION] = {"RESERVATIONCORRUPTION"},
    [TRIGGERFIRED] = {"TRIGGERFIRED"},
    [TRIGGERENDED] = {"TRIGGERENDED"},
    [NODEDOWN] = {"NODEDOWN"},
    [NODEUP] = {"NODEUP"},
    [RMFAILURE] = {"RMFAILURE", true},
    [AMFAILURE] = {"AMFAILURE", true},
    [AMRECOVERED] = {"AMRECOVERED", true},
    [RMRECOVERED] = {"RMRECOVERED", true},
    [STATEFAILURE] = {"STATEFAILURE", true},
    [STATERECOVERED] = {"STATERECOVERED", true},
    [SCHEDULERSTART] = {"SCHEDULERSTART", true},
    [SCHEDULERSTOP] = {"SCHEDULERSTOP", true},
    [CONFIGURATION] = {"CONFIGURATION"},
    [WEBLOGIN] = {"WEBLOGIN", true},
    [WEBLOGOUT] = {"WEBLOGOUT", true},
    [WEBREFUSED] = {"WEBREFUSED", true},
};

struct line {
    enum event_name what;
    char *text; /* owned */
};

struct waiting {
    enum event_name what;
    bool notice;
    json_t *o;
};

struct eventlog {
    struct rollfile file;
    struct line kept[KEPT_MAX]; /* number n at n % KEPT_MAX */
    int64_t first, next;
    int64_t unwritten; /* the first that is not in the file yet */
    struct VEC(struct waiting) waiting;
    uint64_t dropped;
    uint64_t count[EVENT_NAMES];
    bool failing; /* the file cannot be written; told once */
};

const char *event_name_text(enum event_name e)
{
    return names[e].name;
}

/* ---- kept lines ---- */

/* Takes the text. */
static void keep(struct eventlog *l, enum event_name what, char *text)
{
    struct line *at = &l->kept[l->next % KEPT_MAX];

    if (l->next - l->first == KEPT_MAX) {
        free(at->text);
        l->first++;
    }
    *at = (struct line){what, text};
    l->next++;
}

int64_t eventlog_first(const struct server *s)
{
    return s->events.eventlog->first;
}

int64_t eventlog_next(const struct server *s)
{
    return s->events.eventlog->next;
}

const char *eventlog_line(
    const struct server *s, int64_t number, enum event_name *ret_name)
{
    const struct eventlog *l = s->events.eventlog;

    if (number < l->first || number >= l->next)
        return NULL;
    *ret_name = l->kept[number % KEPT_MAX].what;
    return l->kept[number % KEPT_MAX].text;
}

static int64_t read_instant(const struct server *s, int64_t number)
{
    enum event_name what;
    const char *line = eventlog_line(s, number, &what);
    json_t *o = line ? json_loads(line, 0, NULL) : NULL;
    int64_t at = json_integer_value(json_object_get(o, "at"));

    json_decref(o);
    return at;
}

int64_t eventlog_after(const struct server *s, int64_t at)
{
    int64_t low = eventlog_first(s), high = eventlog_next(s);

    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (read_instant(s, middle) > at)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

uint64_t eventlog_count(const struct server *s, enum event_name what)
{
    return s->events.eventlog->count[what];
}

/* ---- what former lives wrote ---- */

/* Lines in the order of their numbers; others are nobody's. */
static void take_line(struct eventlog *l, const char *text, size_t len)
{
    json_t *o = json_loadb(text, len, 0, NULL);
    json_int_t number = json_integer_value(json_object_get(o, "number"));
    const char *name = json_string_value(json_object_get(o, "event"));

    for (int e = 0; number >= l->next && name && e < EVENT_NAMES; e++)
        if (strcmp(name, names[e].name) == 0) {
            if (number > l->next) { /* there is a gap: what comes before is gone */
                while (l->first < l->next)
                    free(l->kept[l->first++ % KEPT_MAX].text);
                l->first = l->next = number;
            }
            keep(l, (enum event_name)e, xstrndup(text, len));
        }
    json_decref(o);
}

/* Did the file end within a line? */
static bool read_tail(struct eventlog *l, const char *path)
{
    FILE *f = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;
    ssize_t n, last = '\n';

    if (!f)
        return false;
    if (fseek(f, 0, SEEK_END) == 0 && ftell(f) > TAIL_BYTES
        && fseek(f, -TAIL_BYTES, SEEK_END) == 0)
        (void)!getline(&line, &room, f); /* the rest of one */
    else
        rewind(f);
    while ((n = getline(&line, &room, f)) > 0) {
        last = (unsigned char)line[n - 1];
        take_line(l, line, (size_t)n - (last == '\n'));
    }
    free(line);
    fclose(f);
    return last != '\n';
}

static char *path_of(struct server *s)
{
    const char *dir = s->config->settings->daemon.log_dir;
    char *folder = *dir == '/' ? xstrdup(dir) : home_file(s->paths.home, dir);
    char *path = home_file(folder, s->simulation ? "simevents.log" : "events.log");

    free(folder);
    return path;
}

int eventlog_open(struct server *s, struct err *err)
{
    struct eventlog *l = s->events.eventlog = xcalloc(1, sizeof *l);
    char *path = path_of(s), older[4096];

    (void)err;
    l->file.fd = -1;
    l->first = l->next = 1;
    snprintf(older, sizeof older, "%s.1", path);
    read_tail(l, older);
    bool torn = read_tail(l, path);
    l->unwritten = l->next;
    free(path);
    eventlog_configure(s);
    if (torn)
        rollfile_write(&l->file, "\n", 1);
    return 0;
}

void eventlog_configure(struct server *s)
{
    const struct daemon_settings *d = &s->config->settings->daemon;
    char *path = path_of(s);
    struct err err = {0};

    if (!s->events.eventlog->file.path)
        rollfile_open(&s->events.eventlog->file, path, d->log_size_max,
            (int)d->log_roll_depth, &err);
    else
        rollfile_configure(&s->events.eventlog->file, path, d->log_size_max,
            (int)d->log_roll_depth, &err);
    if (err.code)
        log_line(s->log, LOG_ALERT, "the event log: %s", err.text);
    free(path);
}

/* ---- publishing ---- */

/* In one write, with those that the file did not take before: it is full for a while,
 * and what a reader saw must not be missing in it. */
static void write_unwritten(struct server *s)
{
    struct eventlog *l = s->events.eventlog;
    struct strbuf lines = {0};

    if (l->unwritten < l->first)
        l->unwritten = l->first;
    for (int64_t n = l->unwritten; n < l->next; n++)
        strbuf_printf(&lines, "%s\n", l->kept[n % KEPT_MAX].text);
    bool good = !lines.len || rollfile_write(&l->file, lines.text, lines.len);
    free(strbuf_take(&lines));
    if (good)
        l->unwritten = l->next;
    if (!good && !l->failing)
        log_line(s->log, LOG_ALERT, "the event log '%s' cannot be written",
            l->file.path ? l->file.path : "");
    l->failing = !good;
}

/* Takes the object. */
static void publish(struct server *s, const struct waiting *w)
{
    struct eventlog *l = s->events.eventlog;

    json_object_set_new(w->o, "number", json_integer(l->next));
    char *text = json_dumps(w->o, JSON_COMPACT | JSON_PRESERVE_ORDER);
    if (text)
        keep(l, w->what, text);
    l->count[w->what]++;
    if (w->notice)
        notify_event(s, w->what, json_string_value(json_object_get(w->o, "object")),
            json_string_value(json_object_get(w->o, "text")));
    json_decref(w->o);
}

/* Does the same break another promise, too? */
static bool is_put_off_by(const struct waiting *w, const char *cause)
{
    const char *own = json_string_value(json_object_get(w->o, "cause"));

    return w->what == JOBPUTOFF && w->notice && own && strcmp(own, cause) == 0;
}

/* What puts off many, lost nodes or a parameter, is one notification. */
static void notify_put_off(struct server *s, enum promise_cause by)
{
    struct eventlog *l = s->events.eventlog;
    const char *cause = promise_cause_name(by);
    struct strbuf text = {0};
    size_t n = 0;

    for (size_t i = 0; i < l->waiting.n; i++)
        n += is_put_off_by(&l->waiting.v[i], cause);
    if (n < 2)
        return;
    strbuf_printf(&text, "%zu jobs: their promised starts cannot be: %s:", n,
        promise_cause_text(by));
    size_t named = 0;
    for (size_t i = 0; i < l->waiting.n; i++) {
        struct waiting *w = &l->waiting.v[i];
        if (!is_put_off_by(w, cause))
            continue;
        w->notice = false;
        if (named < NAMED_MAX)
            strbuf_printf(
                &text, " '%s'", json_string_value(json_object_get(w->o, "object")));
        named++;
    }
    if (n > NAMED_MAX)
        strbuf_printf(&text, " and %zu more", n - NAMED_MAX);
    notify_event(s, JOBPUTOFF, "", text.text);
    free(text.text);
}

void eventlog_committed(struct server *s)
{
    struct eventlog *l = s->events.eventlog;

    if (!l->waiting.n)
        return;
    for (int by = CAUSE_NONE + 1; by < PROMISE_CAUSES; by++)
        notify_put_off(s, by);
    for (size_t i = 0; i < l->waiting.n; i++)
        publish(s, &l->waiting.v[i]);
    l->waiting.n = 0;
    write_unwritten(s);
    if (l->dropped)
        log_line(s->log, LOG_ALERT,
            "%lu events were not written: the disk was away for "
            "too long",
            (unsigned long)l->dropped);
    l->dropped = 0;
    if (s->api.http)
        http_wake(s->api.http);
}

/* By whose order it came about, and which way that came. */
static void add_asker(struct server *s, json_t *o)
{
    const struct identity *who = s->api.asker;

    if (!who || !who->user[0]) /* who logs in is nobody yet */
        return;
    if (!json_object_get(o, "by"))
        json_object_set_new(o, "by", render_utf8(who->user));
    json_object_set_new(o, "via", json_string(who->session[0] ? "page" : "command"));
    if (who->session[0])
        json_object_set_new(o, "session", json_string(who->session));
}

void eventlog_add(struct server *s, enum event_name what, const char *object,
    bool notice, json_t *more, const char *fmt, ...)
{
    struct eventlog *l = s->events.eventlog;
    char text[1000];
    va_list ap;

    if (!l || s->tries) {
        json_decref(more);
        return;
    }
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    json_t *o = json_pack("{s:I, s:I, s:s, s:o, s:o}", "number", (json_int_t)0, "at",
        (json_int_t)world_now(s), "event", names[what].name, "object",
        render_utf8(object ? object : ""), "text", render_utf8(text));
    if (more)
        json_object_update_missing(o, more);
    json_decref(more);
    add_asker(s, o);
    struct waiting w = {what, notice, o};
    if (names[what].at_once) {
        publish(s, &w);
        write_unwritten(s);
        if (s->api.http)
            http_wake(s->api.http);
    } else if (l->waiting.n < WAITING_MAX) {
        vec_push(&l->waiting, w);
        commit_want(s);
    } else {
        l->dropped++;
        json_decref(o);
    }
}

void eventlog_close(struct server *s)
{
    struct eventlog *l = s->events.eventlog;

    if (!l)
        return;
    for (size_t i = 0; i < l->waiting.n; i++)
        json_decref(l->waiting.v[i].o);
    vec_fini(&l->waiting);
    while (l->first < l->next)
        free(l->kept[l->first++ % KEPT_MAX].text);
    rollfile_close(&l->file);
    free(l);
    s->events.eventlog = NULL;
}
