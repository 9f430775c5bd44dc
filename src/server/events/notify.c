/* SPDX-License-Identifier: Apache-2.0
 * The notification and the feedback program. */
#include "server/events/notify.h"

#include "base/home.h"
#include "config/settings.h"
#include "server/events/programs.h"
#include "server/server_private.h"

#include <errno.h>
#include <unistd.h>
#include <uthash.h>

#define FACTS    16
#define TOLD_MAX 4096

/* A matter that was told, so as not to tell it again too soon. */
struct told {
    UT_hash_handle hh;
    char *matter; /* owned: "JOBDEFER 17" */
    int64_t at;
};

struct feedback {
    char *facts[FACTS];
};

struct notify {
    struct programs *programs;
    char *notification, *feedback; /* path, NULL = none */
    struct told *told;             /* by matter */
    struct VEC(struct feedback) waiting;
};

struct programs *notify_programs(const struct server *s)
{
    return s->events.notify->programs;
}

char *notify_path(struct server *s, const char *file)
{
    const char *tools = s->config->settings->daemon.tools_dir;

    if (*file == '/')
        return xstrdup(file);
    char *folder = *tools == '/' ? xstrdup(tools) : home_file(s->paths.home, tools);
    char *path = home_file(folder, file);
    free(folder);
    return path;
}

/* ---- parameters ---- */

static void choose(struct server *s, char **to, const char *file, const char *parameter)
{
    char *path = file && *file ? notify_path(s, file) : NULL;

    if (path && access(path, X_OK) < 0) {
        log_line(s->log, LOG_ALERT, "%s '%s' cannot be executed: it is not called (%s)",
            parameter, path, strerror(errno));
        free(path);
        path = NULL;
    }
    free(*to);
    *to = path;
}

void notify_configure(struct server *s)
{
    const struct daemon_settings *d = &s->config->settings->daemon;

    choose(s, &s->events.notify->notification, d->notification_program,
        "NOTIFICATIONPROGRAM");
    choose(s, &s->events.notify->feedback, d->feedback_program, "FEEDBACKPROGRAM");
}

int notify_open(struct server *s, struct err *err)
{
    struct notify *n = s->events.notify = xcalloc(1, sizeof *n);

    n->programs = programs_open(s->loop,
        &(struct programs_options){.log = s->log, .directory = s->paths.home}, err);
    if (!n->programs)
        return -1;
    notify_configure(s);
    return 0;
}

static void feedback_fini(struct feedback *f)
{
    for (int i = 0; i < FACTS; i++)
        free(f->facts[i]);
}

/* What was told until then. */
static void forget_told(struct notify *n, int64_t until)
{
    struct told *t, *next;

    HASH_ITER(hh, n->told, t, next)
    {
        if (t->at > until)
            continue;
        HASH_DEL(n->told, t);
        free(t->matter);
        free(t);
    }
}

void notify_close(struct server *s)
{
    struct notify *n = s->events.notify;

    if (!n)
        return;
    programs_close(n->programs);
    forget_told(n, INT64_MAX);
    for (size_t i = 0; i < n->waiting.n; i++)
        feedback_fini(&n->waiting.v[i]);
    vec_fini(&n->waiting);
    free(n->notification);
    free(n->feedback);
    free(n);
    s->events.notify = NULL;
}

/* ---- notifications ---- */

static bool repeats(enum event_name what)
{
    return what == JOBSTARTFAILURE || what == JOBDEFER || what == JOBRESVIOLATION
           || what == JOBLIMITVIOLATION || what == JOBCORRUPTION
           || what == RESERVATIONCORRUPTION || what == RMFAILURE
           || what == STATEFAILURE;
}

/* Was it told less than the interval ago? Remembers that it is told now. */
static bool told_lately(struct server *s, enum event_name what, const char *object)
{
    struct notify *n = s->events.notify;
    int64_t now = world_now(s),
            since = now - s->config->settings->notification_interval_s;
    struct strbuf matter = {0};
    struct told *t = NULL;

    strbuf_printf(&matter, "%s %s", event_name_text(what), object);
    HASH_FIND_STR(n->told, matter.text, t);
    bool lately = t && t->at > since;
    if (!t) {
        if (HASH_COUNT(n->told) >= TOLD_MAX)
            forget_told(n, since);
        if (HASH_COUNT(n->told) >= TOLD_MAX)
            forget_told(n, INT64_MAX); /* better told twice than a memory that grows */
        t = xcalloc(1, sizeof *t);
        t->matter = strbuf_take(&matter);
        HASH_ADD_KEYPTR(hh, n->told, t->matter, strlen(t->matter), t);
    }
    free(matter.text);
    if (!lately)
        t->at = now;
    return lately;
}

void notify_event(
    struct server *s, enum event_name what, const char *object, const char *text)
{
    struct notify *n = s->events.notify;
    struct strbuf argument = {0};

    if (!n || !n->notification || !server_acts(s)
        || (repeats(what) && told_lately(s, what, object)))
        return;
    strbuf_printf(&argument, "%s:  %s", event_name_text(what), text);
    const char *argv[] = {n->notification, argument.text, NULL};
    /* What is not run is told in the log. */
    (void)programs_run(n->programs,
        &(struct program_call){.what = "notification program", .argv = argv}, NULL);
    free(strbuf_take(&argument));
}

/* ---- feedback ---- */

void notify_feedback(struct server *s, const char *const facts[16])
{
    struct feedback f;

    if (!s->events.notify || !s->events.notify->feedback || !server_acts(s))
        return;
    for (int i = 0; i < FACTS; i++)
        f.facts[i] = xstrdup(facts[i]);
    vec_push(&s->events.notify->waiting, f);
}

void notify_committed(struct server *s)
{
    struct notify *n = s->events.notify;

    for (size_t i = 0; i < n->waiting.n; i++) {
        const char *argv[FACTS + 2] = {n->feedback};
        for (int k = 0; k < FACTS; k++)
            argv[k + 1] = n->waiting.v[i].facts[k];
        if (n->feedback)
            (void)programs_run(n->programs,
                &(struct program_call){.what = "feedback program", .argv = argv}, NULL);
        feedback_fini(&n->waiting.v[i]);
    }
    n->waiting.n = 0;
}
