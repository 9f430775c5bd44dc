/* SPDX-License-Identifier: Apache-2.0
 * The scheduler itself: who the caller is, its state, control, its parameters. */
#include "base/zone.h"
#include "config/settings.h"
#include "config/table.h"
#include "policy/rsvrights.h"
#include "server/api/api.h"
#include "server/api/openapi.h"
#include "server/durable/messages.h"
#include "server/http/stream.h"
#include "server/managers/manager.h"
#include "server/render/render.h"
#include "server/server_private.h"
#include "server/web/assets.h"
#include "server/web/page.h"

#include <unistd.h>

#define STEPS_MAX 1000000000

static const char *mode_name(const struct server *s)
{
    static const char *const modes[] = {
        "NORMAL", "TEST", "SIMULATION", "SINGLESTEP", "PAST"};

    return modes[s->mode];
}

void api_identity(struct server *s, struct request *r)
{
    const struct identity *who = request_who(r);
    struct actor actor = {.name = who->user, .level = who->level};
    char zone[100];
    json_t *o = json_pack("{s:s, s:s, s:i, s:I, s:s, s:b}", "user", who->user, "group",
        who->group, "level", who->level, "at", (json_int_t)world_now(s), "mode",
        mode_name(s), "reserves", rsvrights_makes(engine_cluster(s->engine), &actor));

    if (zone_system_name(zone, sizeof zone))
        render_text(o, "zone", zone);
    render_int(o, "utc_offset_s", zone_system_offset(world_now(s)));
    render_paused(s, o);
    if (who->session[0]) {
        render_text(o, "session", who->session);
        render_bool(o, "read_only", who->read_only);
        render_text(o, "build", assets_build());
    }
    request_reply_json(r, o);
}

void api_description(struct server *s, struct request *r)
{
    (void)s;
    request_reply_text(r, "application/json", openapi_text());
}

void api_scheduler(struct server *s, struct request *r)
{
    json_t *o = json_pack("{s:s, s:i, s:I, s:I, s:s, s:s, s:I, s:f, s:s, s:s}",
        "version", MAUI_VERSION, "pid", (int)getpid(), "at", (json_int_t)world_now(s),
        "started_at", (json_int_t)s->control.started_at, "mode", mode_name(s), "state",
        s->control.paused ? "paused" : "running", "iteration",
        (json_int_t)s->control.iteration, "last_cycle_s", world_last_cycle_s(s),
        "config_file", s->paths.config_path, "home", s->paths.home);

    json_object_set_new(o, "system", api_system_credential(s));
    if (s->control.stop_at_iteration >= 0)
        render_int(o, "stop_at_iteration", s->control.stop_at_iteration);
    if (s->control.stop_at)
        render_instant(o, "stop_at", s->control.stop_at);
    if (s->control.resume_at)
        render_instant(o, "resume_at", s->control.resume_at);
    if (s->control.rm_failure_until)
        render_instant(o, "rm_failure_until", s->control.rm_failure_until);
    json_t *messages = messages_list(s);
    if (messages)
        json_object_set_new(o, "messages", messages);
    if (commit_is_failing(s))
        json_object_set_new(o, "warnings",
            json_pack(
                "[s]", "the state cannot be written to the disk: nothing is started"));
    request_reply_json(r, o);
}

void api_managers(struct server *s, struct request *r)
{
    request_reply_json(r, manager_describe(s));
}

/* ---- control ---- */

static void stop_never(struct server *s)
{
    s->control.stop_at_iteration = -1;
    s->control.stop_at = 0;
    s->control.resume_at = 0;
    s->control.alone = false;
}

/* Until a stop that the caller sets. */
static void run_on(struct server *s, json_t *o)
{
    stop_never(s);
    s->control.alone = json_is_true(json_object_get(o, "alone"));
    s->control.paused = false;
    cycle_want(s);
}

/* After some time; the iteration is what polling alone would make of it. */
static int stop_after(
    struct server *s, json_t *o, char *done, size_t size, struct err *err)
{
    json_int_t seconds = json_integer_value(json_object_get(o, "seconds"));
    int64_t poll = s->config->settings->rm_poll_interval_s;
    char text[DURATION_TEXT_MAX];

    if (seconds < 1 || seconds >= DURATION_UNLIMITED)
        return err_set(
            err, ERR_INVALID, "seconds: expected a time of a second or more");
    run_on(s, o);
    s->control.stop_at = world_now(s) + seconds;
    snprintf(done, size, "scheduling will stop in %s at iteration %lld",
        duration_format(seconds, text, sizeof text),
        (long long)s->control.iteration + (long long)(seconds / (poll > 0 ? poll : 1)));
    return 0;
}

static void stop_at(
    struct server *s, json_t *o, json_int_t iteration, char *done, size_t size)
{
    run_on(s, o);
    s->control.stop_at_iteration = iteration;
    snprintf(
        done, size, "scheduling will stop at iteration %lld", (long long)iteration);
}

/* Now, or later: then what is stopped already runs on to there. */
static int stop(struct server *s, json_t *o, char *done, size_t size, struct err *err)
{
    json_t *n = json_object_get(o, "iteration");
    json_t *seconds = json_object_get(o, "seconds");

    if (seconds)
        return stop_after(s, o, done, size, err);
    if (json_is_integer(n)
        && json_integer_value(n) > (json_int_t)s->control.iteration) {
        stop_at(s, o, json_integer_value(n), done, size);
    } else {
        stop_never(s);
        s->control.paused = true;
        snprintf(done, size, "scheduling will stop immediately at iteration %lld",
            (long long)s->control.iteration);
    }
    return 0;
}

static int resume(struct server *s, json_t *o, char *done, size_t size, struct err *err)
{
    json_t *seconds = json_object_get(o, "seconds");
    json_int_t wait = json_integer_value(seconds);

    if (seconds
        && (!json_is_integer(seconds) || wait < 0 || wait >= DURATION_UNLIMITED))
        return err_set(err, ERR_INVALID, "seconds: expected a time, 0 = immediately");
    if (wait > 0 && s->simulation)
        return err_set(err, ERR_INVALID,
            "the clock of a simulation stands while it waits: no time comes to resume "
            "it at");
    stop_never(s);
    s->control.paused = s->control.paused && wait > 0;
    cycle_want(s);
    if (wait > 0) {
        s->control.resume_at = world_now(s) + wait;
        snprintf(done, size, "scheduling will resume in %lld seconds", (long long)wait);
        return 0;
    }
    if (!s->simulation)
        manager_poll(s);
    snprintf(done, size, "scheduling will resume immediately");
    return 0;
}

static int step(struct server *s, json_t *o, char *done, size_t size, struct err *err)
{
    json_t *n = json_object_get(o, "count"), *seconds = json_object_get(o, "seconds");
    json_int_t count = n ? json_integer_value(n) : 1; /* 0: it is no number */

    if (count < 1 || count > STEPS_MAX)
        return err_set(err, ERR_INVALID, "count: expected 1 to %d", STEPS_MAX);
    if (seconds)
        return stop_after(s, o, done, size, err);
    stop_at(s, o, (json_int_t)s->control.iteration + count, done, size);
    return 0;
}

/* As if the resource manager did not answer: nothing is asked of it and nothing
 * started. */
static int fail(struct server *s, json_t *o, char *done, size_t size, struct err *err)
{
    json_t *seconds = json_object_get(o, "seconds");
    char text[DURATION_TEXT_MAX];

    if (!json_is_integer(seconds) || json_integer_value(seconds) < 0
        || json_integer_value(seconds) >= DURATION_UNLIMITED)
        return err_set(err, ERR_INVALID, "seconds: expected a time, 0 = no failure");
    int64_t n = json_integer_value(seconds);
    s->control.rm_failure_until = n ? world_now(s) + n : 0;
    snprintf(done, size, "RM failure mode %s%s", n ? "enabled for " : "disabled",
        n ? duration_format(n, text, sizeof text) : "");
    cycle_want(s);
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

/* What is to be said of the configuration in force. */
static json_t *findings(const struct server *s)
{
    json_t *all = json_array();

    for (size_t i = 0; i < s->config->findings.n; i++) {
        const struct finding *f = &s->config->findings.v[i];

        json_array_append_new(
            all, json_pack("{s:o, s:i, s:s, s:o}", "file", render_utf8(f->file), "line",
                     (int)f->line, "level", finding_level_name(f->level), "text",
                     render_utf8(f->text)));
    }
    if (page_wrong(s))
        json_array_append_new(
            all, json_pack("{s:s, s:i, s:s, s:o}", "file", s->paths.config_path, "line",
                     0, "level", "warning", "text",
                     json_sprintf("the web page is off: %s", page_wrong(s))));
    return all;
}

/* A message for the other administrators. `user` is put in by api_control(). */
static int annotate(
    struct server *s, json_t *o, char *done, size_t size, struct err *err)
{
    int number;

    if (messages_add(s, json_string_value(json_object_get(o, "text")),
            json_string_value(json_object_get(o, "user")), &number, err)
        < 0)
        return -1;
    snprintf(done, size, "message %d created", number);
    return 0;
}

static int forget(struct server *s, json_t *o, char *done, size_t size, struct err *err)
{
    json_t *n = json_object_get(o, "message");

    if (!json_is_integer(n))
        return err_set(err, ERR_INVALID, "message: expected its number");
    snprintf(done, size, "message %lld removed", (long long)json_integer_value(n));
    return messages_remove(s, json_integer_value(n), err);
}

/* Begin to count anew. */
static int flush(struct server *s, json_t *o, char *done, size_t size, struct err *err)
{
    const char *what = json_string_value(json_object_get(o, "what"));
    bool all = what && strcmp(what, "all") == 0;
    bool usage = what && (all || strcmp(what, "usage") == 0);
    bool fairshare = what && (all || strcmp(what, "fairshare") == 0);

    if (!usage && !fairshare)
        return err_set(err, ERR_INVALID, "what: expected usage, fairshare or all");
    snprintf(done, size, "%s flushed",
        all     ? "usage and fairshare"
        : usage ? "usage"
                : "fairshare");
    if (usage
        && world_apply(s, &(struct event){.kind = EVENT_RESET_STATISTICS}, NULL, err)
               < 0)
        return -1;
    if (!fairshare)
        return 0;
    return world_apply(s, &(struct event){.kind = EVENT_RESET_FAIRSHARE}, NULL, err);
}

static const struct {
    const char *action;
    int (*run)(struct server *s, json_t *o, char *done, size_t size, struct err *err);
} controls[] = {{"stop", stop}, {"resume", resume}, {"step", step},
    {"shutdown", shut_down}, {"reload", reload}, {"fail", fail}, {"annotate", annotate},
    {"forget", forget}, {"flush", flush}};

void api_control(struct server *s, struct request *r)
{
    struct err err = {0};
    json_t *o = request_json(r, &err);
    const char *action = o ? json_string_value(json_object_get(o, "action")) : NULL;
    char done[200] = "";
    int result = -1;

    if (o)
        err_set(&err, ERR_INVALID,
            "action: expected stop, resume, step, reload, shutdown, fail, annotate, "
            "forget or flush");
    json_object_set_new(o, "user", json_string(request_who(r)->user));
    for (size_t i = 0; action && i < sizeof controls / sizeof controls[0]; i++)
        if (strcmp(action, controls[i].action) == 0)
            result = controls[i].run(s, o, done, sizeof done, &err);
    if (result < 0) {
        request_refuse(r, &err);
        return;
    }
    log_line(s->log, LOG_ACTION, "schedctl %s by %s", action, request_who(r)->user);
    json_t *reply = json_pack("{s:s}", "message", done);
    if (strcmp(action, "reload") == 0)
        json_object_set_new(reply, "findings", findings(s));
    commit_then_reply(s, r, reply);
}

/* ---- parameters ---- */

/* What is set, then the defaults of what is not. */
struct parameter_list {
    char *only;  /* canonical name, NULL = all */
    bool begins; /* ... or how names begin */
    struct VEC(const struct cfg_row *) defaults;
};

static bool is_named(const struct parameter_list *l, const char *name)
{
    size_t len = l->only ? strlen(l->only) : 0;

    return !l->only
           || (strncasecmp(name, l->only, len) == 0
               && (l->begins || !name[len] || name[len] == '['));
}

static json_t *default_record(const struct cfg_row *row)
{
    const char *value = row->def ? row->def : "";
    json_t *o = json_pack(
        "{s:s, s:s, s:b}", "name", row->name, "value", value, "is_default", true);

    render_text(o, "default", row->def);
    render_text(o, "help", row->summary);
    return o;
}

static json_t *parameter_record(struct server *s, void *ctx, size_t i)
{
    const struct parameter_list *l = ctx;

    if (i >= s->config->values.n) {
        i -= s->config->values.n;
        return i < l->defaults.n ? default_record(l->defaults.v[i]) : NULL;
    }
    const struct cfg_value *v = &s->config->values.v[i];
    const char *usual = cfg_value_default(v);
    if (!is_named(l, v->name))
        return NULL;
    json_t *o =
        json_pack("{s:s, s:s, s:o}", "name", v->name, "value", v->text ? v->text : "",
            "source", json_sprintf("%s:%u", v->file ? v->file : "", v->line));
    render_text(o, "default", usual);
    render_bool(o, "is_default", usual && v->text && strcmp(usual, v->text) == 0);
    render_text(o, "help", v->row->summary);
    return o;
}

static void parameter_list_free(void *ctx)
{
    struct parameter_list *l = ctx;

    vec_fini(&l->defaults);
    free(l->only);
    free(l);
}

/* A value for one partition leaves the others at the default. */
static bool is_set(const struct config *config, const struct cfg_row *row)
{
    for (size_t i = 0; i < config->values.n; i++)
        if (config->values.v[i].row == row
            && strcmp(config->values.v[i].name, row->name) == 0)
            return true;
    return false;
}

/* Has it a value when nobody sets it, if only an empty one? */
static bool has_default(const struct cfg_row *row)
{
    return row->type != CFG_SECTION && (row->def || row->status == STATUS_IN_FORCE);
}

static void add_defaults(struct server *s, struct parameter_list *l)
{
    const struct cfg_group *group;

    for (size_t i = 0; (group = table_group(i)); i++)
        for (size_t k = 0; k < group->n; k++) {
            const struct cfg_row *row = &group->rows[k];
            if (has_default(row) && is_named(l, row->name) && !is_set(s->config, row))
                vec_push(&l->defaults, row);
        }
}

static bool is_any_set(const struct server *s, const struct parameter_list *l)
{
    for (size_t i = 0; i < s->config->values.n; i++)
        if (is_named(l, s->config->values.v[i].name))
            return true;
    return false;
}

static void refuse_parameter(struct server *s, struct request *r, const char *name)
{
    const char *near = table_nearest(s->config->table, name);
    struct err err;

    if (near)
        err_set(&err, ERR_NOT_FOUND, "there is no parameter '%.60s'; did you mean %s?",
            name, near);
    else
        err_set(&err, ERR_NOT_FOUND, "there is no parameter '%.60s'", name);
    request_refuse(r, &err);
}

void api_parameters(struct server *s, struct request *r)
{
    const char *name = request_query(r, "name");
    struct parameter_list *l = xcalloc(1, sizeof *l);

    if (name && *name) {
        const struct cfg_row *row = table_find(s->config->table, name);
        l->only = xstrdup(row ? row->name : name);
        l->begins = !row;
    }
    if (l->only || request_query(r, "defaults"))
        add_defaults(s, l);
    if (l->begins && !l->defaults.n && !is_any_set(s, l)) {
        parameter_list_free(l);
        refuse_parameter(s, r, name);
        return;
    }
    stream_records(s, r, s->config->values.n + l->defaults.n, parameter_record, l,
        parameter_list_free);
}
