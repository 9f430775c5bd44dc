/* SPDX-License-Identifier: Apache-2.0
 * The daemon from begin to end: home, lock, configuration, state, resource manager,
 * API; then the loop; then all of it backwards. */
#include "base/home.h"
#include "config/settings.h"
#include "config/value.h"
#include "server/api/api.h"
#include "server/api/joborder.h"
#include "server/api/openapi.h"
#include "server/api/order.h"
#include "server/api/readers.h"
#include "server/durable/bankquestion.h"
#include "server/durable/changes.h"
#include "server/durable/desk.h"
#include "server/durable/history.h"
#include "server/durable/messages.h"
#include "server/durable/promised.h"
#include "server/durable/series.h"
#include "server/durable/statistics.h"
#include "server/durable/teller.h"
#include "server/durable/usage.h"
#include "server/durable/verdict.h"
#include "server/events/eventlog.h"
#include "server/events/feed.h"
#include "server/events/mail.h"
#include "server/events/metrics.h"
#include "server/events/notify.h"
#include "server/events/stalls.h"
#include "server/events/statfile.h"
#include "server/events/triggers.h"
#include "server/events/watch.h"
#include "server/http/schema.h"
#include "server/http/stream.h"
#include "server/journal/journal.h"
#include "server/managers/manager.h"
#include "server/process/openfiles.h"
#include "server/process/supervisor.h"
#include "server/server_private.h"
#include "server/simulation/simulation.h"
#include "server/travel/travel.h"
#include "server/web/page.h"
#include "server/whatif/whatif.h"
#include "server/whole.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#define STOP_US 100000

/* ---- configuration ---- */

static void tell_findings(struct server *s, const struct config *c)
{
    for (size_t i = 0; i < c->findings.n; i++) {
        const struct finding *f = &c->findings.v[i];
        if (f->level == FINDING_NOTE)
            continue;
        log_line(s->log, f->level == FINDING_ERROR ? LOG_ERROR : LOG_WARNING,
            "%s:%u: %s", f->file, f->line, f->text);
    }
}

static bool is_simulation(const struct server *s, const struct config *c)
{
    return s->opt.mode != NULL ? strcasecmp(s->opt.mode, "SIMULATION") == 0
                               : config_simulates(c);
}

/* Missing where nobody named one: defaults are in force. */
static struct config *load(struct server *s, const char *changes, struct err *err)
{
    bool named = s->opt.config_file != NULL;
    struct config_use use = {.nodes = s->opt.nodes, .home = s->paths.home};
    struct config *c;

    if (!named && !config_is_there(s->paths.config_path))
        return config_load_text("changeparam", changes, strlen(changes));
    c = config_load_file_with(
        s->paths.config_path, "changeparam", changes, strlen(changes), err);
    if (c == NULL)
        return NULL;
    use.simulated = is_simulation(s, c);
    if (config_judge(c, &use, err) < 0) {
        config_destroy(c);
        return NULL;
    }
    return c;
}

/* DIR/FILE below the home; an absolute name stays. Owned by the caller. */
static char *below(const char *home, const char *dir, const char *file)
{
    char *folder = *dir == '/' ? xstrdup(dir) : home_file(home, dir);
    char *path = *file == '/' ? xstrdup(file) : home_file(folder, file);

    free(folder);
    return path;
}

/* The path is the caller's to free. */
static struct log_options log_options(struct server *s)
{
    const struct daemon_settings *d = &s->config->settings->daemon;
    unsigned facilities = 0;

    for (size_t i = 0; i < d->log_facilities.n; i++)
        facilities |= log_facilities(d->log_facilities.v[i]);
    return (struct log_options){.path = below(s->paths.home, d->log_dir, d->log_file),
        .level = s->opt.log_level >= 0 ? s->opt.log_level : (int)d->log_level,
        .size_max = d->log_size_max,
        .roll_depth = (int)d->log_roll_depth,
        .also_stderr = s->opt.foreground,
        .facilities = facilities,
        .syslog = d->syslog};
}

/* What -L or a signal set stays until LOGLEVEL itself is changed. */
static void follow_log_parameters(struct server *s)
{
    struct log_options opt = log_options(s);
    struct err err = {0};

    if (log_configure(s->log, &opt, &err) < 0)
        log_line(s->log, LOG_WARNING, "%s", err.text);
    if (s->config->settings->daemon.log_level != s->log_level)
        log_set_level(s->log, (int)s->config->settings->daemon.log_level);
    s->log_level = s->config->settings->daemon.log_level;
    free((char *)opt.path);
}

/* `by_order`: what other files say is read again as well. */
static int take_config(struct server *s, bool by_order, struct err *err)
{
    char *changes = changes_text(s);
    struct config *fresh = load(s, changes, err), *old = s->config;
    struct event ev = {.kind = EVENT_SETTINGS};

    free(changes);
    if (!fresh)
        return -1; /* the old settings stay in force */
    bool page = by_order || page_differs(s->config, fresh);
    if (page && page_check(s, fresh, err) < 0) {
        config_destroy(fresh);
        return -1;
    }
    tell_findings(s, fresh);
    s->config = fresh;
    ev.u.settings = fresh->settings;
    if (world_apply(s, &ev, NULL, err) < 0) {
        s->config = old;
        config_destroy(fresh);
        return -1;
    }
    watch_configured(s, old, fresh);
    config_destroy(old);
    if (s->tries) /* files, programs and connections are the other process's */
        return 0;
    desk_configured(s);
    teller_recall(s);
    follow_log_parameters(s);
    eventlog_configure(s);
    notify_configure(s);
    mail_configure(s);
    manager_configure(s);
    if (page)
        page_configure(s);
    log_line(s->log, LOG_ACTION, "configuration read again: %s", s->paths.config_path);
    return 0;
}

int server_configure(struct server *s, struct err *err)
{
    return take_config(s, false, err);
}

int server_judge(struct server *s, const char *changes, struct err *err)
{
    struct config *c = load(s, changes, err);

    config_destroy(c);
    return c ? 0 : -1;
}

int server_reload(struct server *s, struct err *err)
{
    supervisor_reloading();
    changes_lift(s, true);
    int result = take_config(s, true, err);
    changes_lift(s, false);
    if (result == 0) {
        changes_drop(s);
        changes_offer(s);
    }
    supervisor_ready(s->paths.socket_path);
    return result;
}

static int find_mode(struct server *s, struct err *err)
{
    static const struct {
        const char *word;
        enum server_mode mode;
    } modes[] = {{"NORMAL", MODE_NORMAL}, {"TEST", MODE_TEST},
        {"SINGLESTEP", MODE_SINGLESTEP}, {"SIMULATION", MODE_SIMULATION}};
    const char *word =
        s->opt.mode ? s->opt.mode : cfg_get(s->config, "SERVERMODE", NULL);

    for (size_t i = 0; word && i < sizeof modes / sizeof modes[0]; i++)
        if (strcasecmp(word, modes[i].word) == 0) {
            s->mode = modes[i].mode;
            return 0;
        }
    return err_set(err, ERR_INVALID,
        "mode '%s': expected NORMAL, TEST, SIMULATION or SINGLESTEP", word ? word : "");
}

static int open_config(struct server *s, struct err *err)
{
    s->paths.config_path = s->opt.config_file != NULL
                               ? home_absolute(s->opt.config_file)
                               : home_config(s->paths.home);
    s->config = load(s, "", err);
    return s->config ? find_mode(s, err) : -1;
}

/* ---- the log ---- */

static void open_log(struct server *s)
{
    struct log_options opt = log_options(s);
    struct err err = {0};

    s->log = log_open(&opt, &err);
    s->log_level = s->config->settings->daemon.log_level;
    if (err.code)
        log_line(s->log, LOG_WARNING, "%s", err.text);
    free((char *)opt.path);
    tell_findings(s, s->config);
}

/* ---- signals ---- */

static int on_stop_time(sd_event_source *source, uint64_t at, void *ctx)
{
    (void)at;
    (void)ctx;
    return sd_event_exit(sd_event_source_get_event(source), 0);
}

void server_stop(struct server *s)
{
    sd_event_source *source = NULL;

    /* A moment for the commit, and for the answer to leave. */
    if (sd_event_add_time_relative(
            s->loop, &source, CLOCK_MONOTONIC, STOP_US, 0, on_stop_time, s)
            < 0
        || sd_event_source_set_floating(source, true) < 0)
        sd_event_exit(s->loop, 0);
    sd_event_source_unref(source);
}

static int on_stop(
    sd_event_source *source, const struct signalfd_siginfo *info, void *ctx)
{
    struct server *s = ctx;

    log_line(s->log, LOG_ACTION, "stopped by signal %u", info->ssi_signo);
    return sd_event_exit(sd_event_source_get_event(source), 0);
}

static int on_hangup(
    sd_event_source *source, const struct signalfd_siginfo *info, void *ctx)
{
    struct server *s = ctx;
    struct err err = {0};

    (void)source;
    (void)info;
    if (server_reload(s, &err) < 0)
        log_line(
            s->log, LOG_ALERT, "the old configuration stays in force: %s", err.text);
    return 0;
}

static int on_level(
    sd_event_source *source, const struct signalfd_siginfo *info, void *ctx)
{
    struct server *s = ctx;

    (void)source;
    log_set_level(s->log, log_level(s->log) + (info->ssi_signo == SIGUSR1 ? 1 : -1));
    log_line(s->log, LOG_ACTION, "the log level is %d now", log_level(s->log));
    return 0;
}

static int open_signals(struct server *s, struct err *err)
{
    static const struct {
        int signal;
        sd_event_signal_handler_t handle;
    } all[] = {{SIGTERM, on_stop}, {SIGINT, on_stop}, {SIGHUP, on_hangup},
        {SIGUSR1, on_level}, {SIGUSR2, on_level}};
    sigset_t mask;

    sigemptyset(&mask);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        sigaddset(&mask, all[i].signal);
    sigaddset(&mask, SIGCHLD);
    sigprocmask(SIG_BLOCK, &mask, NULL);
    signal(SIGPIPE, SIG_IGN); /* of programs too: see server/events/programs.h */
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (sd_event_add_signal(s->loop, NULL, all[i].signal, all[i].handle, s) < 0)
            return err_set(err, ERR_IO, "signal %d cannot be handled", all[i].signal);
    return 0;
}

/* ---- the parts ---- */

static int authenticate(void *ctx, const char *authorization, char **ret_payload,
    size_t *ret_len, struct identity *ret, struct err *err)
{
    (void)ctx;
    if (strncmp(authorization, "MUNGE ", 6) != 0)
        return err_set(
            err, ERR_DENIED, "the Authorization header is not a MUNGE credential");
    return identity_by_munge(authorization + 6, ret_payload, ret_len, ret, err);
}

static int open_http(struct server *s, struct err *err)
{
    const char *text = cfg_get(s->config, "SERVERPORT", NULL);
    int64_t port = s->opt.port >= 0 ? s->opt.port : 40559;

    if (s->opt.port < 0 && text != NULL && value_int(text, 1, 64000, &port, err) < 0)
        return err_prefix(err, "SERVERPORT: ");
    struct http_options opt = {.socket_path = s->paths.socket_path,
        .host = s->opt.host,
        .port = (uint16_t)port,
        .priority = PRIORITY_HTTP,
        .authenticate = authenticate,
        .handle = api_handle,
        .ctx = s};

    s->api.schema = schema_open(openapi_text());
    if (http_open(s->loop, &opt, &s->api.http, err) < 0)
        return -1;
    page_open(s);
    return 0;
}

/* A simulation begins with nothing, and leaves what the site has alone. */
static void forget_simulated_state(struct server *s)
{
    static const char *const parts[] = {"", "-wal", "-shm"};

    free(s->paths.state_path);
    s->paths.state_path = home_file(s->paths.home, "simulation.db");
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        struct strbuf path = {0};
        strbuf_printf(&path, "%s%s", s->paths.state_path, parts[i]);
        unlink(path.text);
        free(path.text);
    }
}

struct starting {
    struct log *log;
    const char *doing; /* as it was told last */
};

/* The loop, which they wait for, does not go round yet. */
static bool is_told_to_stop(void)
{
    sigset_t waiting;

    return sigpending(&waiting) == 0
           && (sigismember(&waiting, SIGTERM) || sigismember(&waiting, SIGINT));
}

static bool tell_progress(void *arg, const char *doing)
{
    struct starting *t = arg;

    if (t->doing != doing)
        log_line(t->log, LOG_ACTION, "%s", doing);
    t->doing = doing;
    supervisor_starting(doing);
    return !is_told_to_stop();
}

static int open_store(struct server *s, struct err *err)
{
    /* The loop stands still while a foreign program writes: not for long. */
    struct starting starting = {.log = s->log};
    struct store_options opt = {.busy_timeout_ms = 500,
        .fleeting = s->mode == MODE_SIMULATION,
        .check_beside = true,
        .progress = tell_progress,
        .progress_arg = &starting};

    if (s->mode == MODE_SIMULATION)
        forget_simulated_state(s);
    if (store_open(s->paths.state_path, &opt, &s->store, err) < 0)
        return -1;
    s->unsaved = unsaved_open(s->store);
    return verdict_open(s, err);
}

struct engine *server_engine(struct server *s)
{
    return engine_create(s->config->settings,
        &(struct engine_options){.zone = zone_system(),
            .report_reservations = true,
            .statistics = true,
            .starts_told = s->mode != MODE_SIMULATION,
            .stops_told = s->mode != MODE_SIMULATION,
            .monotonic_ms = s->mode != MODE_SIMULATION ? clock_monotonic_ms : NULL,
            .no_checkpoints = !manager_can_checkpoint(s)});
}

static int open_all(struct server *s, struct err *err)
{
    if (sd_event_default(&s->loop) < 0)
        return err_set(err, ERR_IO, "there is no event loop");
    sd_event_now(s->loop, CLOCK_MONOTONIC, &(uint64_t){0});
    supervisor_watch(s->loop);
    if (open_signals(s, err) < 0 || open_config(s, err) < 0)
        return -1;
    open_log(s);
    s->clock = clock_create(s->loop);
    journal_open(s);
    submit_open(s);
    if (s->mode == MODE_SIMULATION && simulation_load(s, err) < 0)
        return -1;
    feed_open(s);
    world_open(s);
    s->engine = server_engine(s);
    watch_open(s);
    metrics_open(s);
    stalls_open(s);
    if (notify_open(s, err) < 0 || mail_open(s, err) < 0 || eventlog_open(s, err) < 0
        || open_store(s, err) < 0 || commit_open(s, err) < 0 || cycle_open(s, err) < 0
        || whole_open(s, err) < 0 || stream_open(s, err) < 0 || order_open(s, err) < 0)
        return -1;
    if (triggers_open(s, err) < 0)
        return -1;
    journal_begin(s);
    changes_open(s);
    series_open(s);
    promised_open(s);
    messages_open(s);
    record_statistics_load(s);
    usage_recall_fairshare(s);
    history_recall(s);
    s->api.rights = rights_new();
    teller_open(s);
    if (bankquestions_open(s, err) < 0 || desk_open(s, err) < 0)
        return -1;
    teller_recall(s);
    if (manager_open(s, err) < 0)
        return -1;
    whatif_open(s);
    travel_open(s);
    if (s->simulation) /* it begins with nothing */
        whole_again(s);
    return open_http(s, err);
}

static void close_all(struct server *s)
{
    changes_close(s);
    series_close(s);
    promised_close(s);
    messages_close(s);
    triggers_stop(s);
    teller_rest(s);
    commit_finish(s);
    manager_close(s);
    page_close(s);
    whatif_close(s);
    travel_close(s);
    http_close(s->api.http); /* after all who keep requests */
    schema_close(s->api.schema);
    s->api.http = NULL;
    whole_close(s);
    bankquestions_close(s);
    desk_close(s);
    teller_close(s);
    stream_close(s);
    joborders_close(s);
    order_close(s);
    readers_close(s);
    free(s->api.page);
    cycle_close(s);
    verdict_close(s);
    unsaved_close(s->unsaved);
    store_close(s->store);
    simulation_free(s);
    eventlog_close(s);
    feed_close(s);
    notify_close(s);
    mail_close(s);
    triggers_close(s);
    statfile_close(s);
    commit_close(s);
    watch_close(s);
    free(s->events.metrics);
    stalls_close(s);
    submit_close(s);
    journal_close(s);
    world_close(s);
    clock_destroy(s->clock);
    engine_destroy(s->engine);
    rights_free(s->api.rights);
    if (s->config)
        config_destroy(s->config);
    if (s->log)
        log_close(s->log);
    sd_event_unref(s->loop);
    if (s->lock_fd >= 0)
        home_unlock(s->lock_fd);
    free(s->paths.config_path);
    free(s->paths.state_path);
    free(s->paths.socket_path);
    free(s->paths.home);
}

/* An empty line, then what there is to see to: in one piece, as it is read. */
static void write_ready(struct server *s)
{
    size_t warnings = config_count(s->config, FINDING_WARNING);
    char text[READY_MAX] = "\n";

    if (warnings > 0)
        snprintf(text, sizeof text,
            "\n%.1500s has %zu warning%s; `maui check -c %.1500s` prints %s\n",
            s->paths.config_path, warnings, warnings == 1 ? "" : "s",
            s->paths.config_path, warnings == 1 ? "it" : "them");
    (void)!write(s->opt.ready_fd, text, strlen(text));
}

static void tell_ready(struct server *s)
{
    eventlog_add(s, SCHEDULERSTART, MAUI_VERSION, false, NULL,
        "maui %s runs as process %d", MAUI_VERSION, (int)getpid());
    log_line(s->log, LOG_ACTION, "maui %s is running as process %d, socket %s",
        MAUI_VERSION, (int)getpid(), s->paths.socket_path);
    supervisor_ready(s->paths.socket_path);
    if (s->opt.ready_fd >= 0) {
        write_ready(s);
        close(s->opt.ready_fd);
        if (freopen("/dev/null", "r", stdin) && freopen("/dev/null", "w", stdout))
            (void)!freopen("/dev/null", "w", stderr);
    }
}

static int run_loop(struct server *s, struct err *err)
{
    if (stalls_loop(s) >= 0)
        return 0;
    if (s->ended_by.code == 0)
        return err_set(err, ERR_IO, "the event loop failed");
    *err = s->ended_by;
    return -1;
}

int server_run(const struct server_options *opt, struct err *err)
{
    struct server s = {.opt = *opt,
        .lock_fd = -1,
        .control = {.stop_at_iteration = -1, .paused = opt->paused}};
    int result = -1;

    openfiles_raise();
    s.paths.home = home_find(opt->home);
    s.paths.state_path = home_file(s.paths.home, "state.db");
    s.paths.socket_path = home_socket_of_daemon(s.paths.home);
    if (home_make(s.paths.home, err) == 0
        && (s.lock_fd = home_lock(s.paths.home, err)) >= 0 && open_all(&s, err) == 0) {
        s.control.started_at = world_now(&s);
        tell_ready(&s);
        result = run_loop(&s, err);
        const char *jobs = s.simulation ? "" : "; running jobs go on";
        supervisor_stopping(jobs);
        log_line(s.log, LOG_ACTION, "maui stops%s", jobs);
        eventlog_add(&s, SCHEDULERSTOP, MAUI_VERSION, false, NULL, "maui stops");
    }
    close_all(&s);
    return result;
}
