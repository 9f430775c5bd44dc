/* SPDX-License-Identifier: Apache-2.0
 * The page of figures. */
#include "server/events/metrics.h"

#include "cluster/partition.h"
#include "server/api/joborder.h"
#include "server/events/eventlog.h"
#include "server/events/notify.h"
#include "server/events/programs.h"
#include "server/events/stalls.h"
#include "server/http/stream.h"
#include "server/managers/manager.h"
#include "server/render/render.h"
#include "server/server_private.h"
#include "server/timeline/timeline.h"

#include <inttypes.h>

#define WALK_S    5
#define CREDS_MAX 100 /* classes, and QOS, told by name */

static const double fast[] = {
    0.00001, 0.0001, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 0};
static const double slow[] = {
    1, 10, 60, 300, 900, 3600, 14400, 43200, 86400, 259200, 604800, 0};

/* ---- histograms ---- */

void histogram_add(struct histogram *h, double seconds)
{
    int i = 0;

    while (h->bounds[i] > 0 && seconds > h->bounds[i])
        i++;
    h->counts[i]++;
    h->sum += seconds;
}

void histogram_print(
    const struct histogram *h, const char *name, const char *labels, struct strbuf *out)
{
    const char *comma = *labels ? "," : "", *open = *labels ? "{" : "",
               *close = *labels ? "}" : "";
    uint64_t sum = 0;
    int i = 0;

    for (; h->bounds[i] > 0; i++) {
        sum += h->counts[i];
        strbuf_printf(out, "%s_bucket{%s%sle=\"%.12g\"} %" PRIu64 "\n", name, labels,
            comma, h->bounds[i], sum);
    }
    sum += h->counts[i];
    strbuf_printf(
        out, "%s_bucket{%s%sle=\"+Inf\"} %" PRIu64 "\n", name, labels, comma, sum);
    strbuf_printf(out, "%s_sum%s%s%s %.9g\n", name, open, labels, close, h->sum);
    strbuf_printf(out, "%s_count%s%s%s %" PRIu64 "\n", name, open, labels, close, sum);
}

void metrics_open(struct server *s)
{
    struct metrics *m = s->events.metrics = xcalloc(1, sizeof *m);

    m->cycle.bounds = m->commit.bounds = fast;
    m->wait.bounds = slow;
    for (int i = 0; i <= RM_MODIFY; i++)
        m->rm[i].bounds = fast;
}

/* ---- single figures ---- */

static void head(
    struct strbuf *out, const char *name, const char *type, const char *help)
{
    strbuf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void gauge(struct strbuf *out, const char *name, const char *help, double value)
{
    head(out, name, "gauge", help);
    strbuf_printf(out, "%s %.15g\n", name, value);
}

static void counter(
    struct strbuf *out, const char *name, const char *help, uint64_t value)
{
    head(out, name, "counter", help);
    strbuf_printf(out, "%s %" PRIu64 "\n", name, value);
}

/* A label's value: users name classes. */
static void label(struct strbuf *out, const char *text)
{
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            strbuf_printf(out, "\\%c", *text);
        else
            strbuf_printf(out, "%c", (unsigned char)*text < ' ' ? '_' : *text);
}

/* ---- jobs ---- */

enum doing { RUNNING, STARTING, SUSPENDED, ELIGIBLE, BLOCKED, HELD, DOINGS };
static const char *const doings[DOINGS] = {[RUNNING] = "running",
    [STARTING] = "starting",
    [SUSPENDED] = "suspended",
    [ELIGIBLE] = "eligible",
    [BLOCKED] = "blocked",
    [HELD] = "held"};

static int doing_of(const struct job *j)
{
    switch ((int)j->state) {
    case JOB_RUNNING:
        return RUNNING;
    case JOB_STARTING:
        return STARTING;
    case JOB_SUSPENDED:
        return SUSPENDED;
    default:
        if (j->state >= JOB_COMPLETED)
            return -1;
        if (j->holds || j->rm_hold)
            return HELD;
        return render_section(j) == SECTION_ELIGIBLE ? ELIGIBLE : BLOCKED;
    }
}

static void walk(struct server *s)
{
    const struct cluster *c = engine_cluster(s->engine);
    struct metrics *m = s->events.metrics;
    int64_t now = world_now(s);

    if (m->walked_at && now < m->walked_at + WALK_S)
        return;
    memset(m->jobs, 0, sizeof m->jobs);
    for (size_t i = 0; i < c->jobs.n; i++) {
        int doing = c->jobs.v[i] ? doing_of(c->jobs.v[i]) : -1;
        if (doing >= 0)
            m->jobs[doing]++;
    }
    m->walked_at = now;
}

static void print_jobs(struct server *s, struct strbuf *out)
{
    walk(s);
    head(out, "maui_jobs", "gauge", "Jobs in the system, by what they do.");
    for (int i = 0; i < DOINGS; i++)
        strbuf_printf(out, "maui_jobs{state=\"%s\"} %" PRIu64 "\n", doings[i],
            s->events.metrics->jobs[i]);
    head(out, "maui_job_queue_wait_seconds", "histogram",
        "Time from eligibility to the start, of jobs that started.");
    histogram_print(&s->events.metrics->wait, "maui_job_queue_wait_seconds", "", out);
}

/* ---- the machine ---- */

static void print_machine(struct server *s, struct strbuf *out)
{
    const struct cluster *c = engine_cluster(s->engine);
    int64_t cfg = 0, up = 0, used = 0;
    uint32_t nodes = 0, nodes_up = 0;

    for (size_t i = 0; i < c->partitions.n; i++) {
        cfg += c->partitions.v[i]->cfg.v[RES_PROCS];
        up += c->partitions.v[i]->up.v[RES_PROCS];
        nodes += c->partitions.v[i]->node_count;
        nodes_up += c->partitions.v[i]->up_nodes;
    }
    for (size_t i = 0; i < c->active.n; i++)
        if (job_is_active(c->jobs.v[c->active.v[i]]))
            used += c->jobs.v[c->active.v[i]]->procs;
    head(out, "maui_processors", "gauge", "Processors, by state.");
    strbuf_printf(out,
        "maui_processors{state=\"busy\"} %" PRId64
        "\nmaui_processors{state=\"idle\"} %" PRId64
        "\nmaui_processors{state=\"down\"} %" PRId64 "\n",
        used, up > used ? up - used : 0, cfg - up);
    head(out, "maui_nodes", "gauge", "Nodes, by state.");
    strbuf_printf(out,
        "maui_nodes{state=\"up\"} %" PRIu32 "\nmaui_nodes{state=\"down\"} %" PRIu32
        "\n",
        nodes_up, nodes - nodes_up);
    uint64_t live = 0;
    for (size_t i = 0; i < c->reservations.n; i++)
        live += c->reservations.v[i] && reservation_is_live(c->reservations.v[i]);
    gauge(
        out, "maui_reservations", "Reservations that are not of a job.", (double)live);
}

/* ---- credentials ---- */

struct cred_column {
    const char *name, *type, *help;
    double (*of)(const struct stat_figures *f);
};

static double jobs_ended(const struct stat_figures *f)
{
    return (double)f->sums.jobs;
}

static double ps_dedicated(const struct stat_figures *f)
{
    return f->sums.ps_dedicated;
}

static double queue_seconds(const struct stat_figures *f)
{
    return (double)f->sums.queue_s;
}

static double active_jobs(const struct stat_figures *f)
{
    return (double)f->active_jobs;
}

static double active_procs(const struct stat_figures *f)
{
    return (double)f->active_procs;
}

static const struct cred_column cred_columns[] = {
    {"jobs_ended_total", "counter",
        "Jobs that ran and ended (resetstats sets it to 0).", jobs_ended},
    {"processor_seconds_total", "counter", "Processor time dedicated.", ps_dedicated},
    {"queue_seconds_total", "counter", "Time jobs that ended had waited.",
        queue_seconds},
    {"active_jobs", "gauge", "Jobs on nodes.", active_jobs},
    {"active_processors", "gauge", "Processors of jobs on nodes.", active_procs},
};

/* Those beyond the first are told together: a site may have very many. */
static void print_column(struct server *s, enum cred_kind kind,
    const struct cred_column *column, struct strbuf *out)
{
    const struct cluster *c = engine_cluster(s->engine);
    const char *word = render_cred_key(kind);
    struct stat_figures f;
    char name[80];
    double rest = 0;

    snprintf(name, sizeof name, "maui_%s_%s", word, column->name);
    head(out, name, column->type, column->help);
    for (uint32_t i = 1; i < c->creds[kind].n; i++) { /* 0: none was named */
        statistics_of(engine_statistics(s->engine), kind, i, world_now(s), &f);
        if (i > CREDS_MAX) {
            rest += column->of(&f);
            continue;
        }
        strbuf_printf(out, "%s{%s=\"", name, word);
        label(out, c->creds[kind].v[i]->name);
        strbuf_printf(out, "\"} %.15g\n", column->of(&f));
    }
    if (c->creds[kind].n > CREDS_MAX + 1)
        strbuf_printf(out, "%s{%s=\"(others)\"} %.15g\n", name, word, rest);
}

static void print_credentials(struct server *s, struct strbuf *out)
{
    for (size_t i = 0; i < sizeof cred_columns / sizeof cred_columns[0]; i++) {
        print_column(s, CRED_CLASS, &cred_columns[i], out);
        print_column(s, CRED_QOS, &cred_columns[i], out);
    }
}

/* ---- the daemon ---- */

static void print_cycles(struct server *s, struct strbuf *out)
{
    struct store_stats store = store_stats(s->store);

    head(out, "maui_cycle_duration_seconds", "histogram", "Scheduling cycles.");
    histogram_print(&s->events.metrics->cycle, "maui_cycle_duration_seconds", "", out);
    head(out, "maui_commit_duration_seconds", "histogram",
        "Commits of the state, failed ones included.");
    histogram_print(
        &s->events.metrics->commit, "maui_commit_duration_seconds", "", out);
    counter(out, "maui_commits_total", "Commits of the state.", store.commits);
    counter(
        out, "maui_commits_failed_total", "Commits that failed.", store.failed_commits);
    counter(
        out, "maui_state_changes_total", "Rows of the state written.", store.changes);
    gauge(out, "maui_state_writable", "1 while the state can be written.",
        !commit_is_failing(s));
    gauge(out, "maui_paused", "1 while scheduling is stopped.", s->control.paused);
    counter(
        out, "maui_requests_total", "Requests of the API.", http_requests(s->api.http));
    counter(out, "maui_timeline_looks_total",
        "Nodes that were looked at for pictures of them over time.", timeline_looks(s));
    counter(out, "maui_list_looks_total",
        "Jobs that were looked at for the order of lists.", joborder_looks(s));
    counter(out, "maui_lists_made_total",
        "Lists and pictures that were made; several readers may have had one.",
        stream_begun(s));
    gauge(out, "maui_requests_open", "Requests under way.",
        http_open_requests(s->api.http));
}

/* Of several each by its name. */
static void print_managers_up(struct server *s, struct strbuf *out)
{
    static const char help[] = "1 while the resource manager answers.";
    const char *name;
    bool up;

    if (!managers_several(s)) {
        gauge(out, "maui_rm_up", help, manager_at(s, 0, &up) && up);
        return;
    }
    head(out, "maui_rm_up", "gauge", help);
    for (size_t i = 0; (name = manager_at(s, i, &up)) != NULL; i++)
        strbuf_printf(out, "maui_rm_up{name=\"%s\"} %d\n", name, up);
}

static void print_manager(struct server *s, struct strbuf *out)
{
    const char *name = "maui_rm_duration_seconds";
    char labels[40];

    print_managers_up(s, out);
    head(out, name, "histogram",
        "From an order to the resource manager's answer, by action.");
    for (int i = 0; i <= RM_MODIFY; i++) {
        if (s->events.metrics->rm[i].sum <= 0)
            continue;
        snprintf(
            labels, sizeof labels, "action=\"%s\"", rm_action_name((enum rm_action)i));
        histogram_print(&s->events.metrics->rm[i], name, labels, out);
    }
}

static void print_programs(struct server *s, struct strbuf *out)
{
    struct programs_count n = programs_count(notify_programs(s));

    head(out, "maui_programs_total", "counter",
        "Notification and feedback programs, by what became of them.");
    strbuf_printf(out,
        "maui_programs_total{outcome=\"begun\"} %" PRIu64
        "\nmaui_programs_total{outcome=\"failed\"} %" PRIu64
        "\nmaui_programs_total{outcome=\"timed_out\"} %" PRIu64
        "\nmaui_programs_total{outcome=\"dropped\"} %" PRIu64 "\n",
        n.begun, n.failed, n.timed_out, n.dropped);
}

void metrics_print(struct server *s, struct strbuf *out)
{
    head(out, "maui_info", "gauge", "The version that runs.");
    strbuf_add(out, "maui_info{version=\"" MAUI_VERSION "\"} 1\n");
    gauge(out, "maui_start_time_seconds", "When the daemon started.",
        (double)s->control.started_at);
    print_jobs(s, out);
    print_machine(s, out);
    print_cycles(s, out);
    stalls_print(s, out);
    print_manager(s, out);
    head(out, "maui_events_total", "counter", "Events since the start, by name.");
    for (int i = 0; i < EVENT_NAMES; i++)
        strbuf_printf(out, "maui_events_total{event=\"%s\"} %" PRIu64 "\n",
            event_name_text((enum event_name)i), eventlog_count(s, (enum event_name)i));
    print_programs(s, out);
    print_credentials(s, out);
}
