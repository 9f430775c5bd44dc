/* SPDX-License-Identifier: Apache-2.0
 * The notification and the feedback program. */
#include "server/notify.h"

#include "base/home.h"
#include "server/programs.h"
#include "server/server_private.h"

#include <errno.h>
#include <unistd.h>

#define FACTS    16
#define TOLD_MAX 4096

/* A matter that was told, so as not to tell it again too soon. */
struct told {
    enum event_name what;
    char *object;
    int64_t at;
};

struct feedback {
    char *facts[FACTS];
};

struct notify {
    struct programs *programs;
    char *notification, *feedback; /* path, NULL = none */
    struct VEC(struct told) told;
    struct VEC(struct feedback) waiting;
};

struct programs *notify_programs(const struct server *s)
{
    return s->notify->programs;
}

char *notify_path(struct server *s, const char *file)
{
    const char *tools = s->config->settings->daemon.tools_dir;

    if (*file == '/')
        return xstrdup(file);
    char *folder = *tools == '/' ? xstrdup(tools) : home_file(s->home, tools);
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

    choose(s, &s->notify->notification, d->notification_program, "NOTIFICATIONPROGRAM");
    choose(s, &s->notify->feedback, d->feedback_program, "FEEDBACKPROGRAM");
}

int notify_open(struct server *s, struct err *err)
{
    struct notify *n = s->notify = xcalloc(1, sizeof *n);

    n->programs = programs_open(
        s->loop, &(struct programs_options){.log = s->log, .directory = s->home}, err);
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

void notify_close(struct server *s)
{
    struct notify *n = s->notify;

    if (!n)
        return;
    programs_close(n->programs);
    for (size_t i = 0; i < n->told.n; i++)
        free(n->told.v[i].object);
    vec_fini(&n->told);
    for (size_t i = 0; i < n->waiting.n; i++)
        feedback_fini(&n->waiting.v[i]);
    vec_fini(&n->waiting);
    free(n->notification);
    free(n->feedback);
    free(n);
    s->notify = NULL;
}

/* ---- notifications ---- */

static bool repeats(enum event_name what)
{
    return what == JOBSTARTFAILURE || what == JOBDEFER || what == JOBRESVIOLATION
           || what == JOBLIMITVIOLATION || what == JOBCORRUPTION || what == RMFAILURE
           || what == STATEFAILURE;
}

/* Was it told less than the interval ago? Remembers that it is told now. */
static bool told_lately(struct server *s, enum event_name what, const char *object)
{
    struct notify *n = s->notify;
    int64_t now = world_now(s),
            since = now - s->config->settings->notification_interval_s;
    size_t keep = 0;
    bool found = false;

    for (size_t i = 0; i < n->told.n; i++) { /* what is too old goes */
        struct told *t = &n->told.v[i];
        if (t->at <= since) {
            free(t->object);
            continue;
        }
        found |= t->what == what && strcmp(t->object, object) == 0;
        n->told.v[keep++] = *t;
    }
    n->told.n = keep;
    if (!found && n->told.n < TOLD_MAX)
        vec_push(&n->told, ((struct told){what, xstrdup(object), now}));
    return found;
}

void notify_event(
    struct server *s, enum event_name what, const char *object, const char *text)
{
    struct notify *n = s->notify;
    struct strbuf argument = {0};

    if (!n || !n->notification || s->mode == MODE_TEST
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

    if (!s->notify || !s->notify->feedback || s->mode == MODE_TEST)
        return;
    for (int i = 0; i < FACTS; i++)
        f.facts[i] = xstrdup(facts[i]);
    vec_push(&s->notify->waiting, f);
}

void notify_committed(struct server *s)
{
    struct notify *n = s->notify;

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
