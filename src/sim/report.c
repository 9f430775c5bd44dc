/* SPDX-License-Identifier: Apache-2.0
 * Files for programs: jobs, decisions, figures. The summary is in summary.c. */
#include "sim/report.h"

#include "cluster/reservation.h"
#include "funds/amount.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void outcome_fini(struct outcome *o)
{
    run_result_fini(&o->result);
    occupancy_fini(&o->occupancy);
}

/* When it would have started had it run in one piece: the rest of its time it waited.
 */
static int64_t ran_from(const struct run_job *r)
{
    return r->start_at + r->suspended_s - r->saved_s;
}

void outcome_judge(struct outcome *o, const struct workload *w, int64_t procs)
{
    struct metric_job *jobs = xmalloc(w->jobs.n * sizeof *jobs);
    size_t n = 0;

    for (size_t i = 0; i < w->jobs.n; i++) {
        const struct run_job *r = &o->result.jobs[i];

        if (r->state == RUN_COMPLETED)
            jobs[n++] =
                (struct metric_job){r->submit_at, ran_from(r), r->end_at, r->procs};
    }
    metrics_compute(jobs, n, procs, &o->metrics);
    free(jobs);
}

void outcome_compare(struct outcome *o, const struct outcome *first, size_t jobs)
{
    o->later_1h = o->later_1day = 0;
    for (size_t i = 0; i < jobs; i++) {
        int64_t before = first->result.jobs[i].start_at;
        int64_t now = o->result.jobs[i].start_at;

        if (before < 0 || now < 0)
            continue;
        o->later_1h += now - before > 3600;
        o->later_1day += now - before > 86400;
    }
}

/* ---- jobs ----------------------------------------------------------------------- */

/* Ids are compared many times; those of digits only as numbers. */
struct row {
    const char *id;
    uint64_t number; /* UINT64_MAX when it is not one */
    size_t job;
};

static int by_id(const void *pa, const void *pb)
{
    const struct row *a = pa, *b = pb;

    if (a->number != b->number && a->number != UINT64_MAX && b->number != UINT64_MAX)
        return a->number < b->number ? -1 : 1;
    return name_compare(a->id, b->id);
}

static uint64_t id_number(const char *id)
{
    size_t len = strlen(id);

    if (len == 0 || len > 18 || strspn(id, "0123456789") != len)
        return UINT64_MAX;
    return strtoull(id, NULL, 10);
}

static struct row *sorted_rows(
    const struct workload *w, const struct run_result *r, size_t *ret_n)
{
    struct row *rows = xmalloc(w->jobs.n * sizeof *rows);
    bool sorted = true;
    size_t n = 0;

    for (size_t i = 0; i < w->jobs.n; i++) {
        const char *id = w->jobs.v[i].id;

        if (r->jobs[i].start_at < 0)
            continue;
        rows[n] = (struct row){id, id_number(id), i};
        sorted = sorted && (n == 0 || by_id(&rows[n - 1], &rows[n]) < 0);
        n++;
    }
    if (!sorted)
        qsort(rows, n, sizeof *rows, by_id);
    *ret_n = n;
    return rows;
}

int report_jobs(FILE *out, const struct workload *w, const struct run_result *r)
{
    size_t n;
    struct row *rows = sorted_rows(w, r, &n);

    fputs("job_id\tsubmit\tstart\tend\tprocs\tuser\n", out);
    for (size_t i = 0; i < n; i++) {
        const struct trace_job *j = &w->jobs.v[rows[i].job];
        const struct run_job *ran = &r->jobs[rows[i].job];
        const char *user = workload_cred(w, j, CRED_USER);

        fprintf(out, "%s\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%u\t%s\n", j->id,
            ran->submit_at, ran->start_at, ran->end_at, ran->procs,
            user != NULL ? user : "-");
    }
    free(rows);
    return fflush(out) == 0 && !ferror(out) ? 0 : -1;
}

/* ---- decisions ------------------------------------------------------------------ */

/* Runs of nodes: the first one's name and how many follow it in order. */
static json_t *allocation(const struct run_decision *d)
{
    json_t *list = json_array();

    for (size_t i = 0; i < d->now->alloc.n; i++) {
        const struct alloc *a = &d->now->alloc.v[i];

        json_array_append_new(list,
            json_pack("{s:s, s:i, s:i}", "node", node_at(d->cluster, a->first)->name,
                "count", (int)a->count, "tasks", (int)a->tasks));
    }
    return list;
}

/* A trigger of a reservation: what would be run or submitted. */
static void report_trigger(FILE *out, const struct run_decision *d)
{
    const struct action *a = d->action;
    const struct reservation *r = d->cluster->reservations.v[a->rsv];
    const struct trigger *t = &r->triggers.v[a->trigger];
    json_t *o = json_pack("{s:I, s:s, s:s, s:s, s:s, s:s?}", "time", (json_int_t)d->at,
        "event", "trigger", "reservation", r->name, "on", trigger_event_name(t->event),
        "action", trigger_action_name(t->action), "data", t->data);

    json_dumpf(o, out, JSON_COMPACT);
    fputc('\n', out);
    json_decref(o);
}

/* Who took the processors, and how much work that cost. */
static void tell_preemption(json_t *o, const struct run_decision *d)
{
    const struct action *a = d->action;

    if (a->kind != ACTION_SUSPEND && a->kind != ACTION_REQUEUE
        && a->kind != ACTION_CHECKPOINT)
        return;
    if (a->by != INDEX_NONE)
        json_object_set_new(o, "by", json_string(d->cluster->jobs.v[a->by]->id));
    json_object_set_new(o, "preempted", json_integer(d->now->preempt_count));
}

void report_decision(FILE *out, const struct run_decision *d)
{
    const struct action *a = d->action;

    if (a->kind == ACTION_TRIGGER) {
        report_trigger(out, d);
        return;
    }
    json_t *o = json_pack("{s:I, s:s, s:s}", "time", (json_int_t)d->at, "event",
        action_kind_name(a->kind), "job", d->job->id);

    if (o == NULL) /* an id that is not UTF-8 */
        o = json_pack("{s:I, s:s, s:n}", "time", (json_int_t)d->at, "event",
            action_kind_name(a->kind), "job");
    if (a->kind == ACTION_START) {
        json_object_set_new(o, "procs", json_integer(d->job->procs));
        json_object_set_new(o, "backfill", json_boolean(a->backfill));
        json_object_set_new(o, "nodes", allocation(d));
    } else if (a->kind == ACTION_RESERVE) {
        json_object_set_new(o, "procs", json_integer(d->job->procs));
        json_object_set_new(o, "start", json_integer(d->target_at));
    } else if (a->kind == ACTION_DEFER) {
        json_object_set_new(o, "until", json_integer(d->target_at));
    }
    tell_preemption(o, d);
    if (a->text != NULL)
        json_object_set_new(o, "text", json_string(a->text));
    json_dumpf(o, out, JSON_COMPACT);
    fputc('\n', out);
    json_decref(o);
}

void report_told(FILE *out, const struct scenario *scenario, const struct run_told *t)
{
    const struct scenario_event *ev = t->line;
    json_t *o = json_pack("{s:I, s:s}", "time", (json_int_t)t->at, "event",
        ev != NULL ? "scenario" : "lost");
    char line[400];

    if (ev != NULL) {
        snprintf(line, sizeof line, "%s:%u", scenario->files.v[ev->file], ev->line);
        json_object_set_new(o, "line", json_string(line));
        json_object_set_new(o, "command", json_string(ev->text));
        json_object_set_new(o, "done", json_boolean(t->done));
    }
    json_object_set_new(o, "text", json_string(t->text));
    json_dumpf(o, out, JSON_COMPACT);
    fputc('\n', out);
    json_decref(o);
}

/* ---- figures -------------------------------------------------------------------- */

static void put_int(json_t *o, const char *key, uint64_t value)
{
    json_object_set_new(o, key, json_integer((json_int_t)value));
}

static void put_real(json_t *o, const char *key, double value)
{
    json_object_set_new(o, key, json_real(value));
}

static void put_metrics(json_t *o, const struct metrics *m)
{
    put_int(o, "jobs", m->jobs);
    put_real(o, "mean_wait_s", m->mean_wait_s);
    put_int(o, "median_wait_s", (uint64_t)m->median_wait_s);
    put_int(o, "p95_wait_s", (uint64_t)m->p95_wait_s);
    put_int(o, "p99_wait_s", (uint64_t)m->p99_wait_s);
    put_int(o, "max_wait_s", (uint64_t)m->max_wait_s);
    put_real(o, "mean_bsld", m->mean_bsld);
    put_real(o, "median_bsld", m->median_bsld);
    put_real(o, "p95_bsld", m->p95_bsld);
    put_real(o, "p99_bsld", m->p99_bsld);
    put_real(o, "max_bsld", m->max_bsld);
    put_real(o, "mean_pp_bsld", m->mean_pp_bsld);
    put_real(o, "mean_response_s", m->mean_response_s);
    put_real(o, "area_weighted_wait_s", m->area_weighted_wait_s);
    put_real(o, "quadratic_wait_s", m->quadratic_wait_s);
    put_real(o, "utilization", m->utilization);
    put_real(o, "utilization_window", m->utilization_window);
    put_int(o, "makespan_s", (uint64_t)m->makespan_s);
    put_real(o, "proc_hours", m->proc_hours);
}

static json_t *dropped_json(const struct workload *w)
{
    static const char *const keys[DROPS] = {[DROP_SUBMIT] = "before_start",
        [DROP_RUN] = "no_run",
        [DROP_PROCS] = "no_procs",
        [DROP_WIDE] = "too_wide",
        [DROP_STATE] = "not_run_state",
        [DROP_DUPLICATE] = "duplicate",
        [DROP_BAD] = "unreadable"};
    json_t *o = json_object();

    for (int i = 0; i < DROPS; i++)
        put_int(o, keys[i], w->dropped[i]);
    return o;
}

static json_t *reservations_json(const struct occupancy *o)
{
    json_t *list = json_array();

    for (size_t i = 0; i < o->rsvs.n; i++) {
        const struct occupancy_rsv *r = &o->rsvs.v[i];
        json_t *row = json_object();

        json_object_set_new(row, "name", json_string(r->name));
        json_object_set_new(row, "kind", json_string(reservation_kind_name(r->kind)));
        put_int(row, "windows", r->windows);
        put_real(row, "proc_hours", r->held_ps / 3600);
        put_real(row, "used_proc_hours", r->used_ps / 3600);
        json_array_append_new(list, row);
    }
    return list;
}

static json_t *accounts_json(const struct run_result *r)
{
    json_t *list = json_array();

    for (size_t i = 0; i < r->accounts.n; i++) {
        const struct run_account *a = &r->accounts.v[i];
        json_t *row = json_object();

        json_object_set_new(row, "account", json_string(a->name));
        put_real(row, "charged", (double)a->charged / AM_CREDIT);
        put_real(row, "available", (double)a->available / AM_CREDIT);
        put_real(row, "held", (double)a->held / AM_CREDIT);
        json_object_set_new(
            row, "dry_at", a->dry_at >= 0 ? json_integer(a->dry_at) : json_null());
        put_int(row, "waiting", a->waiting);
        json_array_append_new(list, row);
    }
    return list;
}

/* As statistics of the daemon tell them. */
static json_t *forecasts_json(const struct misses_sum *sum)
{
    json_t *o = json_object();

    put_int(o, "started", (uint64_t)sum->n);
    put_int(o, "told", (uint64_t)sum->told);
    put_int(o, "within", (uint64_t)sum->within);
    if (sum->factor > 0)
        put_real(o, "factor", sum->factor);
    return o;
}

json_t *report_json(const struct study *s, const struct outcome *o)
{
    const struct run_result *r = &o->result;
    json_t *out = json_object();

    json_object_set_new(out, "config", json_string(o->config));
    put_metrics(out, &o->metrics);
    put_int(out, "procs", (uint64_t)machine_procs(s->m));
    put_int(out, "cycles", r->cycles);
    put_int(out, "started", r->started);
    put_int(out, "backfilled", r->backfilled);
    put_int(out, "requeued", r->requeued);
    put_int(out, "suspended", r->suspended);
    put_int(out, "preempted", r->preempted);
    put_real(out, "lost_proc_hours", (double)r->preempted_ps / 3600);
    put_int(out, "held", r->held);
    put_int(out, "deferred", r->deferred);
    put_int(out, "broken_promises", r->broken_promises);
    if (r->forecasts.n > 0)
        json_object_set_new(out, "forecasts", forecasts_json(&r->forecasts));
    put_int(out, "jobs_cancelled", r->by_state[RUN_CANCELLED]);
    put_int(out, "jobs_running", r->by_state[RUN_RUNNING]);
    put_int(out, "jobs_waiting", r->by_state[RUN_WAITING]);
    put_int(out, "jobs_refused", r->by_state[RUN_REFUSED]);
    put_int(out, "jobs_lost", r->lost);
    put_int(out, "scenario_lines", r->told);
    put_int(out, "scenario_refused", r->refused);
    put_int(out, "triggers", r->triggers);
    put_int(out, "jobs_not_submitted", r->by_state[RUN_NOT_SUBMITTED]);
    put_int(out, "later_1h", o->later_1h);
    put_int(out, "later_1day", o->later_1day);
    put_int(out, "overran", s->w->overran);
    put_int(out, "no_estimate", s->w->no_estimate);
    if (o->occupancy.procs > 0)
        json_object_set_new(out, "reservations", reservations_json(&o->occupancy));
    if (r->accounts.n > 0)
        json_object_set_new(out, "accounts", accounts_json(r));
    json_object_set_new(out, "dropped", dropped_json(s->w));
    put_real(out, "read_s", s->read_s);
    put_real(out, "wall_s", o->wall_s);
    put_real(out, "cpu_s", o->cpu_s);
    put_int(out, "peak_rss_kb", (uint64_t)s->peak_rss_kb);
    return out;
}
