/* SPDX-License-Identifier: Apache-2.0
 * The scheduler itself: who the caller is, its state, control, its parameters. */
#include "server/api.h"
#include "server/openapi.h"
#include "server/render.h"
#include "server/server_private.h"
#include "server/stream.h"

#include <unistd.h>

void api_identity(struct server *s, struct request *r)
{
    const struct identity *who = request_who(r);

    (void)s;
    request_reply_json(r, json_pack("{s:s, s:s, s:i}", "user", who->user, "group",
                              who->group, "level", who->level));
}

void api_description(struct server *s, struct request *r)
{
    (void)s;
    request_reply_text(r, "application/json", openapi_text());
}

void api_scheduler(struct server *s, struct request *r)
{
    static const char *const modes[] = {"NORMAL", "TEST", "SIMULATION", "SINGLESTEP"};
    json_t *o = json_pack("{s:s, s:i, s:I, s:I, s:s, s:s, s:I, s:f, s:s, s:s}",
        "version", MAUI_VERSION, "pid", (int)getpid(), "at", (json_int_t)world_now(s),
        "started_at", (json_int_t)s->started_at, "mode", modes[s->mode], "state",
        s->paused ? "paused" : "running", "iteration", (json_int_t)s->iteration,
        "last_cycle_s", s->last_cycle_s, "config_file", s->config_path, "home",
        s->home);

    if (s->stop_at_iteration >= 0)
        render_int(o, "stop_at_iteration", s->stop_at_iteration);
    if (s->resume_at)
        render_instant(o, "resume_at", s->resume_at);
    if (s->commit_failing)
        json_object_set_new(o, "warnings",
            json_pack(
                "[s]", "the state cannot be written to the disk: nothing is started"));
    request_reply_json(r, o);
}

/* ---- control ---- */

static int stop(struct server *s, json_t *o, char *done, size_t size, struct err *err)
{
    json_t *n = json_object_get(o, "iteration");

    (void)err;
    if (json_is_integer(n) && json_integer_value(n) > (json_int_t)s->iteration) {
        s->stop_at_iteration = json_integer_value(n);
        snprintf(done, size, "scheduling will stop at iteration %lld",
            (long long)s->stop_at_iteration);
    } else {
        s->paused = true;
        snprintf(done, size, "scheduling will stop immediately at iteration %lld",
            (long long)s->iteration);
    }
    return 0;
}

static int resume(struct server *s, json_t *o, char *done, size_t size, struct err *err)
{
    json_int_t wait = json_integer_value(json_object_get(o, "seconds"));

    (void)err;
    s->stop_at_iteration = -1;
    if (wait > 0) {
        s->resume_at = world_now(s) + wait;
        snprintf(done, size, "scheduling will resume in %lld seconds", (long long)wait);
        return 0;
    }
    s->paused = false;
    cycle_want(s);
    snprintf(done, size, "scheduling will resume immediately");
    return 0;
}

static int step(struct server *s, json_t *o, char *done, size_t size, struct err *err)
{
    json_t *n = json_object_get(o, "count");
    json_int_t count = json_is_integer(n) ? json_integer_value(n) : 1;

    if (count < 1)
        return err_set(err, ERR_INVALID, "count: expected 1 or more");
    s->paused = false;
    s->stop_at_iteration = (int64_t)s->iteration + count;
    cycle_want(s);
    snprintf(done, size, "scheduling will stop at iteration %lld",
        (long long)s->stop_at_iteration);
    return 0;
}

static int shut_down(
    struct server *s, json_t *o, char *done, size_t size, struct err *err)
{
    (void)o;
    (void)err;
    snprintf(done, size, "scheduler will be shutdown immediately");
    log_line(s->log, LOG_ACTION, "shutdown ordered");
    server_stop(s);
    return 0;
}

static int reload(struct server *s, json_t *o, char *done, size_t size, struct err *err)
{
    (void)o;
    snprintf(done, size, "configuration read again");
    return server_reload(s, err);
}

static const struct control {
    const char *action;
    int (*run)(struct server *s, json_t *o, char *done, size_t size, struct err *err);
} controls[] = {{"stop", stop}, {"resume", resume}, {"step", step},
    {"shutdown", shut_down}, {"reload", reload}};

void api_control(struct server *s, struct request *r)
{
    struct err err = {0};
    json_t *o = request_json(r, &err);
    const char *action = o ? json_string_value(json_object_get(o, "action")) : NULL;
    char done[200] = "";
    int result = -1;

    if (o)
        err_set(&err, ERR_INVALID,
            "action: expected stop, resume, step, reload or shutdown");
    for (size_t i = 0; action && i < sizeof controls / sizeof controls[0]; i++)
        if (strcmp(action, controls[i].action) == 0)
            result = controls[i].run(s, o, done, sizeof done, &err);
    if (result < 0) {
        request_refuse(r, &err);
        return;
    }
    log_line(s->log, LOG_ACTION, "schedctl %s by %s", action, request_who(r)->user);
    commit_then_reply(s, r, json_pack("{s:s}", "message", done));
}

/* ---- parameters ---- */

struct parameter_list {
    const char *only; /* borrowed from the request, NULL = all */
};

static json_t *parameter_record(struct server *s, void *ctx, size_t i)
{
    const struct cfg_value *v = &s->config->values.v[i];
    const char *usual = cfg_value_default(v);
    char *only = ctx;

    if (only && strncasecmp(v->name, only, strlen(only)) != 0)
        return NULL;
    json_t *o =
        json_pack("{s:s, s:s, s:o}", "name", v->name, "value", v->text ? v->text : "",
            "source", json_sprintf("%s:%u", v->file ? v->file : "", v->line));
    render_text(o, "default", usual);
    render_bool(o, "is_default", usual && v->text && strcmp(usual, v->text) == 0);
    return o;
}

void api_parameters(struct server *s, struct request *r)
{
    const char *name = request_query(r, "name");

    stream_records(s, r, s->config->values.n, parameter_record,
        name && *name ? xstrdup(name) : NULL, free);
}
