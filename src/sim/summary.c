/* SPDX-License-Identifier: Apache-2.0
 * The summary of a replay, for a person who may see one for the first time. */
#include "base/duration.h"
#include "funds/amount.h"
#include "sim/report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#define LABEL_WIDTH 26
#define CELL_WIDTH  22

/* Long times in words of two parts: "6 d 09 h", "5 h 03 min", "2 min 09 s", "8 s". */
static const char *spoken(double seconds, char *buf, size_t size)
{
    int64_t s = (int64_t)(seconds + 0.5);

    if (s >= 86400)
        snprintf(
            buf, size, "%" PRId64 " d %02" PRId64 " h", s / 86400, s % 86400 / 3600);
    else if (s >= 3600)
        snprintf(buf, size, "%" PRId64 " h %02" PRId64 " min", s / 3600, s % 3600 / 60);
    else if (s >= 60)
        snprintf(buf, size, "%" PRId64 " min %02" PRId64 " s", s / 60, s % 60);
    else
        snprintf(buf, size, "%" PRId64 " s", s);
    return buf;
}

/* ---- what was replayed ---- */

static uint64_t total_dropped(const struct workload *w)
{
    uint64_t n = 0;

    for (int i = 0; i < DROPS; i++)
        n += w->dropped[i];
    return n;
}

static void print_left_out(FILE *out, const struct workload *w)
{
    uint64_t n = total_dropped(w);
    const char *between = "";

    if (n == 0)
        return;
    fprintf(out, "  left out   %" PRIu64 " records: ", n);
    for (int i = 0; i < DROPS; i++) {
        if (w->dropped[i] == 0)
            continue;
        fprintf(out, "%s%" PRIu64 " %s", between, w->dropped[i],
            drop_reason_text((enum drop_reason)i));
        between = ", ";
    }
    fputc('\n', out);
}

static void print_head(FILE *out, const struct study *s)
{
    const struct workload *w = s->w;
    char machine[80], span[40];

    fprintf(out, "Workload     %s\n", s->source);
    fprintf(out, "  jobs       %zu", w->jobs.n);
    if (w->jobs.n > 0)
        fprintf(out, ", submitted over %s",
            spoken(
                (double)(w->jobs.v[w->jobs.n - 1].submit_at - w->jobs.v[0].submit_at),
                span, sizeof span));
    fputc('\n', out);
    print_left_out(out, w);
    if (w->stretched > 0)
        fprintf(out,
            "  load       %.2f: times between submissions are %.3f of the log's\n",
            workload_load(w, machine_procs(s->m)), w->stretched);
    if (w->overran > 0)
        fprintf(out, "  overran    %" PRIu64 " jobs ran beyond their estimate\n",
            w->overran);
    fprintf(out, "Machine      %s\n", machine_text(s->m, machine, sizeof machine));
    if (s->how != NULL)
        fprintf(out, "Simulated    %s\n", s->how);
}

/* ---- figures ---- */

enum unit { UNIT_COUNT, UNIT_TIME, UNIT_RATIO, UNIT_PERCENT };

/* A line of figures: where the value is, and how it is said. */
struct figure {
    const char *label;
    enum unit unit;
    bool compared; /* a ratio to the first outcome makes sense */
    double (*value)(const struct outcome *o);
};

#define METRIC(name)                                                                   \
    static double figure_##name(const struct outcome *o)                               \
    {                                                                                  \
        return (double)o->metrics.name;                                                \
    }
METRIC(jobs)
METRIC(mean_wait_s)
METRIC(median_wait_s)
METRIC(p95_wait_s)
METRIC(p99_wait_s)
METRIC(max_wait_s)
METRIC(mean_bsld)
METRIC(p95_bsld)
METRIC(mean_response_s)
METRIC(utilization)
METRIC(utilization_window)
METRIC(makespan_s)

static double figure_unfinished(const struct outcome *o)
{
    const uint64_t *n = o->result.by_state;

    return (
        double)(n[RUN_WAITING] + n[RUN_RUNNING] + n[RUN_CANCELLED] + n[RUN_REFUSED]);
}

static double figure_backfilled(const struct outcome *o)
{
    return (double)o->result.backfilled;
}

static double figure_later_1h(const struct outcome *o)
{
    return (double)o->later_1h;
}

static double figure_later_1day(const struct outcome *o)
{
    return (double)o->later_1day;
}

static const struct figure figures[] = {
    {"jobs completed", UNIT_COUNT, false, figure_jobs},
    {"not completed", UNIT_COUNT, false, figure_unfinished},
    {"started by backfill", UNIT_COUNT, false, figure_backfilled},
    {"wait, mean", UNIT_TIME, true, figure_mean_wait_s},
    {"wait, median", UNIT_TIME, true, figure_median_wait_s},
    {"wait, 95 of 100 below", UNIT_TIME, true, figure_p95_wait_s},
    {"wait, 99 of 100 below", UNIT_TIME, true, figure_p99_wait_s},
    {"wait, longest", UNIT_TIME, true, figure_max_wait_s},
    {"slowdown, mean", UNIT_RATIO, true, figure_mean_bsld},
    {"slowdown, 95 of 100 below", UNIT_RATIO, true, figure_p95_bsld},
    {"wait + run, mean", UNIT_TIME, true, figure_mean_response_s},
    {"busy while jobs came", UNIT_PERCENT, true, figure_utilization_window},
    {"busy until the last end", UNIT_PERCENT, true, figure_utilization},
    {"last end", UNIT_TIME, true, figure_makespan_s},
};

static double figure_preempted(const struct outcome *o)
{
    return (double)o->result.preempted;
}

static double figure_lost_hours(const struct outcome *o)
{
    return (double)o->result.preempted_ps / 3600;
}

/* Only where that happened. */
static const struct figure preemption[] = {
    {"jobs preempted, times", UNIT_COUNT, false, figure_preempted},
    {"processor hours lost by it", UNIT_COUNT, false, figure_lost_hours},
};

static bool any_preempted(const struct outcome *o, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (o[k].result.preempted > 0)
            return true;
    return false;
}

static const struct figure compared_only[] = {
    {"start > 1 h later", UNIT_COUNT, false, figure_later_1h},
    {"start > 1 day later", UNIT_COUNT, false, figure_later_1day},
};

static const char *figure_text(
    const struct figure *f, const struct outcome *o, char *buf, size_t size)
{
    double v = f->value(o);

    switch (f->unit) {
    case UNIT_COUNT:
        snprintf(buf, size, "%.0f", v);
        break;
    case UNIT_TIME:
        return spoken(v, buf, size);
    case UNIT_RATIO:
        snprintf(buf, size, "%.2f", v);
        break;
    case UNIT_PERCENT:
        snprintf(buf, size, "%.1f %%", v * 100.0);
        break;
    }
    return buf;
}

static void print_cell(FILE *out, const struct figure *f, const struct outcome *o,
    const struct outcome *first)
{
    char value[40], cell[64];
    double base = f->value(first);

    figure_text(f, o, value, sizeof value);
    if (f->compared && o != first && base > 0)
        snprintf(cell, sizeof cell, "%s (%.2f)", value, f->value(o) / base);
    else
        snprintf(cell, sizeof cell, "%s", value);
    fprintf(out, "  %*s", CELL_WIDTH, cell);
}

static void print_rows(
    FILE *out, const struct figure *f, size_t count, const struct outcome *o, size_t n)
{
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "  %-*s", LABEL_WIDTH, f[i].label);
        for (size_t k = 0; k < n; k++)
            print_cell(out, &f[i], &o[k], &o[0]);
        fputc('\n', out);
    }
}

/* The end of the file's path, which tells more than its beginning. */
static const char *short_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    size_t len = strlen(name);

    return len > CELL_WIDTH ? name + len - CELL_WIDTH : name;
}

/* What did not complete, and why what waits does. */
static void print_left(FILE *out, const struct workload *w, const struct outcome *o)
{
    const uint64_t *n = o->result.by_state;

    for (int s = RUN_NOT_SUBMITTED; s <= RUN_REFUSED; s++)
        if (s != RUN_COMPLETED && n[s] > 0)
            fprintf(out, "%s: %" PRIu64 " job%s %s at the end\n", short_name(o->config),
                n[s], n[s] == 1 ? "" : "s", run_state_name((enum run_state)s));
    if (o->result.lost > 0)
        fprintf(
            out, "  %" PRIu64 " of them because a node went down\n", o->result.lost);
    for (int code = 0; code < WAIT_CODES; code++) {
        const struct run_stuck *stuck = &o->result.stuck[code];

        if (stuck->jobs > 0)
            fprintf(out, "  %" PRIu64 " as job %s: %s\n", stuck->jobs,
                w->jobs.v[stuck->example].id, stuck->text);
    }
    if (o->result.stuck_unasked > 0)
        fprintf(out, "  %" PRIu64 " others, which were not asked why\n",
            o->result.stuck_unasked);
}

static void print_scenario(FILE *out, const struct outcome *o)
{
    const struct run_result *r = &o->result;

    if (r->told > 0)
        fprintf(out,
            "%s: %" PRIu64 " line%s of the scenario carried out, %" PRIu64 " refused\n",
            short_name(o->config), r->told - r->refused,
            r->told - r->refused == 1 ? "" : "s", r->refused);
    if (r->triggers > 0)
        fprintf(out, "%s: %" PRIu64 " trigger%s fired\n", short_name(o->config),
            r->triggers, r->triggers == 1 ? "" : "s");
}

/* "chem: 86,400 credits charged, 13,600 left; dry since +2:00:00, 3 jobs wait for more"
 */
static void print_account(FILE *out, const struct workload *w, const char *config,
    const struct run_account *a)
{
    char when[DURATION_TEXT_MAX];

    fprintf(out, "%s: account %s: %s credits charged, %s left", config, a->name,
        amount_text(a->charged).text, amount_text(a->available).text);
    if (a->dry_at >= 0) {
        int64_t since = a->dry_at - w->jobs.v[0].submit_at;
        fprintf(out, "; a job first lacked some at +%s",
            duration_format_exact(since > 0 ? since : 0, when, sizeof when));
    }
    if (a->waiting > 0)
        fprintf(out, "; %" PRIu64 " job%s for more", a->waiting,
            a->waiting == 1 ? " waits" : "s wait");
    fputs("\n", out);
}

static void print_accounts(FILE *out, const struct workload *w, const struct outcome *o)
{
    for (size_t i = 0; i < o->result.accounts.n; i++)
        print_account(out, w, short_name(o->config), &o->result.accounts.v[i]);
}

static void print_cost(
    FILE *out, const struct study *s, const struct outcome *o, size_t n)
{
    for (size_t k = 0; k < n; k++)
        fprintf(out, "%s: %" PRIu64 " cycles in %.2f s\n", short_name(o[k].config),
            o[k].result.cycles, o[k].wall_s);
    if (s->read_s >= 0.01)
        fprintf(out, "reading the workload: %.2f s\n", s->read_s);
}

/* Does any of them show a 0 that needs a word? */
static bool none_backfilled(const struct outcome *o, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (o[k].result.backfilled == 0 && o[k].result.started > 0)
            return true;
    return false;
}

void report_summary(FILE *out, const struct study *s, const struct outcome *o, size_t n)
{
    print_head(out, s);
    fprintf(out, "\n  %-*s", LABEL_WIDTH, "");
    for (size_t k = 0; k < n; k++)
        fprintf(out, "  %*s", CELL_WIDTH, short_name(o[k].config));
    fputc('\n', out);
    print_rows(out, figures, sizeof figures / sizeof figures[0], o, n);
    if (any_preempted(o, n))
        print_rows(out, preemption, sizeof preemption / sizeof preemption[0], o, n);
    if (n > 1)
        print_rows(
            out, compared_only, sizeof compared_only / sizeof compared_only[0], o, n);
    fputs("\nSlowdown is (wait + run) / run, runs below 10 s counted as 10 s; at least "
          "1.\n",
        out);
    if (none_backfilled(o, n))
        fputs("By backfill start jobs without a reservation of their own; none where "
              "every\n"
              "waiting job has one (a large RESERVATIONDEPTH).\n",
            out);
    if (n > 1)
        fputs("In brackets: the ratio to the first configuration.\n", out);
    for (size_t k = 0; k < n; k++) {
        print_scenario(out, &o[k]);
        print_accounts(out, s->w, &o[k]);
        print_left(out, s->w, &o[k]);
    }
    print_cost(out, s, o, n);
}
