/* SPDX-License-Identifier: Apache-2.0
 * A simulation: its traces, its clock and its iterations. */
#define LOG_FACILITY FACILITY_SCHED
#include "base/home.h"
#include "config/settings.h"
#include "config/table.h"
#include "config/value.h"
#include "server/api/api.h"
#include "server/events/stalls.h"
#include "server/events/statfile.h"
#include "server/simulation/private.h"
#include "server/whole.h"

#include <inttypes.h>
#include <strings.h>
#include <unistd.h>

#define SECOND_US 1000000

/* After so long without a submission, a start or an end what still waits never will. */
#define STUCK_S (INT64_C(35) * 86400)

static const char *parameter(const struct simulation *m, const char *name)
{
    const char *text = cfg_get(m->s->config, name, NULL);

    return text ? text : "";
}

static bool yes(const struct simulation *m, const char *name)
{
    struct err err; /* it was checked when the file was read */
    bool on = false;

    return value_bool(parameter(m, name), &on, &err) == 0 && on;
}

/* ---- the traces ---- */

static void tell_bad(void *ctx, const char *file, uint64_t line, const char *text)
{
    const struct simulation *m = ctx;

    log_line(m->s->log, LOG_WARNING, "%s:%" PRIu64 ": %s", file, line, text);
}

/* Of a parameter; the caller's to free. */
static char *trace_path(const struct simulation *m, const char *name)
{
    const char *file = parameter(m, name);

    return *file == '/' ? xstrdup(file) : home_file(m->s->paths.home, file);
}

/* --nodes, else the resource trace if there is one, else as the workload says. */
static int load_machine(struct simulation *m, struct diag *d, struct err *err)
{
    char *path;
    struct lines *in;
    int result;

    if (m->s->opt.nodes)
        return machine_parse(m->s->opt.nodes, &m->machine, err);
    path = trace_path(m, "SIMRESOURCETRACEFILE");
    in = access(path, F_OK) == 0 ? lines_open(path, err) : NULL;
    free(path);
    if (!in)
        return err->code ? -1 : 0;
    result = restrace_read(in, &m->resources, d, err);
    lines_close(in);
    m->machine.trace = &m->resources;
    return result;
}

static void machine_of_workload(struct simulation *m)
{
    int64_t procs = m->w.max_procs > 0 ? m->w.max_procs : m->w.max_nodes;

    for (size_t i = 0; m->w.max_procs <= 0 && m->w.max_nodes <= 0 && i < m->w.jobs.n;
         i++)
        if (m->w.jobs.v[i].procs > procs)
            procs = m->w.jobs.v[i].procs;
    m->machine = (struct machine){.nodes = procs, .procs_per_node = 1};
}

static const struct settings *settings_of(const struct simulation *m)
{
    return m->s->config->settings;
}

static int load_workload(struct simulation *m, struct diag *d, struct err *err)
{
    bool alike = !m->machine.trace;
    struct workload_rules rules = {.overrun = OVERRUN_KILL};
    char *path = trace_path(m, "SIMWORKLOADTRACEFILE");
    int result;

    if (!alike || m->machine.nodes > 0)
        rules.procs = machine_procs(&m->machine);
    m->w.ignore_memory = alike;
    result = workload_read(&m->w, path, &rules, d, err);
    if (result < 0)
        err_prefix(err, "SIMWORKLOADTRACEFILE: ");
    else
        workload_finish(&m->w, &rules, d);
    if (result == 0 && alike && m->machine.nodes == 0) {
        machine_of_workload(m);
        experiment_machine(settings_of(m), &m->machine, &m->resources);
        workload_narrow(&m->w, machine_procs(&m->machine));
    }
    if (result == 0 && !m->w.jobs.n)
        result = err_set(err, ERR_INVALID,
            "%s: no job of it could run on the machine to be simulated", path);
    free(path);
    return result;
}

/* ---- what is configured ---- */

static int set_clock(struct simulation *m, struct err *err)
{
    m->shift = workload_shift(&m->w);
    if (experiment_start(settings_of(m), &m->w, m->shift, &m->happened_at, err) < 0)
        return -1;
    clock_stand_at(m->s->clock, m->happened_at);
    return 0;
}

/* SIMSTOPITERATION: 0 waits before the first one. Not given, or negative: never. */
static void set_stop(struct simulation *m)
{
    int64_t stop = settings_of(m)->sim_stop_iteration;
    const struct config *c = m->s->config;
    const char *text = NULL;

    for (size_t i = 0; i < c->values.n; i++)
        if (strcasecmp(c->values.v[i].row->name, "SIMSTOPITERATION") == 0)
            text = c->values.v[i].text;
    if (text && strcmp(text, "0") == 0)
        m->s->control.paused = true;
    else if (stop > 0)
        m->s->control.stop_at_iteration = stop;
}

int simulation_load(struct server *s, struct err *err)
{
    struct simulation *m = xcalloc(1, sizeof *m);
    struct diag d = {.tell = tell_bad, .ctx = m};

    s->simulation = m;
    m->s = s;
    m->rm.driver = &simulated_driver;
    workload_init(&m->w);
    err->code = ERR_NONE;
    if (load_machine(m, &d, err) < 0)
        return -1;
    experiment_machine(settings_of(m), &m->machine, &m->resources);
    if (load_workload(m, &d, err) < 0
        || submission_of(
               settings_of(m), &m->w, SIM_SUBMIT_CONSTANT_JOBS, &m->submission, err)
               < 0
        || set_clock(m, err) < 0)
        return -1;
    set_stop(m);
    statfile_begin(s);
    m->jobs = xcalloc(m->w.jobs.n, sizeof *m->jobs);
    log_line(s->log, LOG_ACTION, "simulation of %zu jobs", m->w.jobs.n);
    return 0;
}

void simulation_free(struct server *s)
{
    struct simulation *m = s->simulation;

    if (!m)
        return;
    sd_event_source_disable_unref(m->tick);
    sd_event_source_disable_unref(m->timer);
    simulated_free(m);
    restrace_fini(&m->resources);
    workload_fini(&m->w);
    free(m);
    s->simulation = NULL;
}

/* ---- the end ---- */

static void sum_up(struct simulation *m)
{
    struct server *s = m->s;
    const struct statistics *t = engine_statistics(s->engine);
    struct stat_machine machine;
    struct stat_figures f;

    statistics_machine(t, world_now(s), &machine);
    statistics_of(t, CRED_KINDS, 0, world_now(s), &f);
    double jobs = f.sums.jobs ? (double)f.sums.jobs : 1;
    log_line(s->log, LOG_ACTION,
        "SUM: %lu iterations; jobs: %" PRIu64 " completed, %" PRIu64
        " removed, %zu active, %zu waiting, %zu not submitted",
        (unsigned long)s->control.iteration, m->completed, m->removed, m->active,
        m->waiting, m->w.jobs.n - m->next);
    log_line(s->log, LOG_ACTION,
        "SUM: processor hours: %.2f available, %.2f delivered; average XFactor %.3f, "
        "wait %.1f s, accuracy %.3f",
        machine.ps_available / 3600, f.sums.ps_dedicated / 3600, f.sums.xfactor / jobs,
        (double)f.sums.queue_s / jobs, f.sums.accuracy / jobs);
}

static void finish(struct simulation *m, const char *why)
{
    m->over = true;
    log_line(m->s->log, LOG_ACTION, "the simulation ends: %s", why);
    sum_up(m);
    server_stop(m->s);
}

/* Of the jobs that wait: held until a person lets them go, and held for good by the
 * scheduler? */
static void count_held(
    const struct simulation *m, size_t *ret_people, size_t *ret_batch)
{
    const struct cluster *c = engine_cluster(m->s->engine);

    *ret_people = *ret_batch = 0;
    for (size_t i = 0; i < c->queued.n; i++) {
        const struct job *j = queue_at(c, i);
        if (!j)
            continue;
        if ((j->holds | j->rm_hold) & (HOLD_USER | HOLD_SYSTEM))
            ++*ret_people;
        else if (j->holds & HOLD_BATCH)
            ++*ret_batch;
    }
}

/* Nothing more happens by itself. What waits for a person is waited for. */
static void look_for_end(struct simulation *m)
{
    struct server *s = m->s;
    int64_t last = s->config->settings->sim_exit_iteration;
    bool stays = !yes(m, "SIMAUTOSHUTDOWN");
    size_t people, batch;

    if (last > 0 && s->control.iteration == (uint64_t)last && stays) {
        log_line(s->log, LOG_ACTION,
            "SIMEXITITERATION is reached; SIMAUTOSHUTDOWN FALSE: the simulation stays");
        sum_up(m);
        cycle_stop(s);
        return;
    }
    if (last > 0 && s->control.iteration >= (uint64_t)last && !stays) {
        finish(m, "SIMEXITITERATION");
        return;
    }
    if (m->next < m->w.jobs.n || m->active)
        return;
    count_held(m, &people, &batch);
    if (people + batch < m->waiting && world_now(s) - m->happened_at < STUCK_S)
        return;
    if (!people && !stays)
        finish(m, m->waiting ? "what still waits cannot start" : "no job is left");
    else if (!s->control.paused && s->control.stop_at_iteration < 0
             && !s->control.stop_at)
        cycle_stop(s);
}

/* ---- iterations ---- */

static int64_t next_arrival(const struct simulation *m)
{
    return m->submission.policy == SIM_SUBMIT_AT_TIMES && m->next < m->w.jobs.n
               ? m->w.jobs.v[m->next].submit_at + m->shift
               : TIME_NEVER;
}

static int64_t next_end(const struct simulation *m)
{
    return evheap_empty(&m->ends) ? TIME_NEVER : evheap_top(&m->ends)->at;
}

/* Everything up to then, in order of time; of an instant ends first. */
static void advance(struct simulation *m, int64_t to)
{
    for (;;) {
        int64_t end = next_end(m), arrival = next_arrival(m);
        int64_t at = end <= arrival ? end : arrival;

        if (at > to)
            break;
        if (at > world_now(m->s)) /* not so what was submitted before SIMSTARTTIME */
            clock_stand_at(m->s->clock, at);
        if (end <= arrival)
            simulated_end(m);
        else
            simulated_submit(m);
    }
    clock_stand_at(m->s->clock, to);
    while (m->next < m->w.jobs.n
           && submission_wants(&m->submission, m->waiting, m->waiting_ps))
        simulated_submit(m);
}

static int64_t poll_s(const struct simulation *m)
{
    int64_t poll = m->s->config->settings->rm_poll_interval_s;

    return poll > 0 ? poll : 1;
}

/* Behind the commit, so they see what the last iteration led to. */
static void answer_kept(struct simulation *m)
{
    if (!m->s->control.alone)
        whole_handle_parked(m->s);
}

static void iterate(struct simulation *m)
{
    stalls_doing(m->s, "iteration");
    answer_kept(m);
    if (m->over || m->s->control.paused)
        return;
    advance(m, world_now(m->s) + (m->begun ? poll_s(m) : 0));
    m->begun = true;
    cycle_run(m->s);
    look_for_end(m);
    simulation_want(m->s);
}

static int on_tick(sd_event_source *source, void *ctx)
{
    (void)source;
    iterate(ctx);
    return 0;
}

static int on_timer(sd_event_source *source, uint64_t at, void *ctx)
{
    (void)source;
    (void)at;
    iterate(ctx);
    return 0;
}

/* 0 = an iteration as soon as the one before is over. */
static int64_t ratio_of(const struct simulation *m)
{
    int64_t ratio = strtoll(parameter(m, "SIMTIMERATIO"), NULL, 10);

    return ratio > 0 ? ratio : 0;
}

bool simulation_keep(struct server *s, struct request *r)
{
    if (!s->simulation || ratio_of(s->simulation) > 0)
        return false;
    whole_park(s, r);
    return true;
}

void simulation_want(struct server *s)
{
    struct simulation *m = s->simulation;
    int64_t ratio = ratio_of(m);
    int armed = 0;

    if (!m->tick || m->over || (s->control.paused && !whole_has_parked(s)))
        return;
    if (ratio == 0) {
        sd_event_source_set_enabled(m->tick, SD_EVENT_ONESHOT);
        return;
    }
    sd_event_source_get_enabled(m->timer, &armed);
    if (armed != SD_EVENT_OFF)
        return;
    sd_event_source_set_time_relative(
        m->timer, (uint64_t)(poll_s(m) * SECOND_US / ratio));
    sd_event_source_set_enabled(m->timer, SD_EVENT_ONESHOT);
}

/* ---- as a resource manager ---- */

struct rm *simulation_connect(
    struct server *s, const struct rm_sink *sink, const struct rm_driver **ret_driver)
{
    s->simulation->sink = *sink;
    *ret_driver = &simulated_driver;
    return &s->simulation->rm;
}

/* Iterations come behind the commit: what follows from one has been carried out when
 * the next one begins. */
int simulation_begin(struct server *s, struct err *err)
{
    struct simulation *m = s->simulation;

    for (int64_t i = 0; i < machine_nodes(&m->machine); i++) {
        char name[MACHINE_NODE_NAME];
        simulated_report(m, &(struct rm_report){.kind = RM_NODE,
                                .u.node = machine_node(&m->machine, i, name)});
    }
    simulated_report(m, &(struct rm_report){.kind = RM_SYNCED});
    if (sd_event_add_defer(s->loop, &m->tick, on_tick, m) < 0
        || sd_event_source_set_priority(m->tick, PRIORITY_TICK) < 0
        || sd_event_source_set_enabled(m->tick, SD_EVENT_OFF) < 0
        || sd_event_add_time_relative(
               s->loop, &m->timer, CLOCK_MONOTONIC, 0, 0, on_timer, m)
               < 0
        || sd_event_source_set_priority(m->timer, PRIORITY_TICK) < 0
        || sd_event_source_set_enabled(m->timer, SD_EVENT_OFF) < 0)
        return err_set(err, ERR_IO, "the event loop takes no more sources");
    simulation_want(s);
    return 0;
}
