/* SPDX-License-Identifier: Apache-2.0
 * maui sim: replay a workload through the scheduler in simulated time. */
#include "client/client.h"
#include "client/kit/usage.h"
#include "client/simulate/sim_options.h"
#include "client/simulate/sim_scenario.h"
#include "config/config.h"
#include "sim/chart.h"
#include "sim/experiment.h"
#include "sim/mauitrace.h"
#include "sim/report.h"
#include "sim/swf.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BAD_SHOWN      20 /* bad records told one by one; the others are counted */
#define NODES_GENERATE 128
#define BAR_WIDTH      40

/* All there is to a call of the command. */
struct session {
    struct sim_options opt;
    struct VEC(struct settings *) settings; /* owned; one for each configuration */
    struct restrace resources;
    struct workload w;
    struct sim_scenario scenario;
    struct VEC(struct outcome) outcomes;
    struct diag diag;
    FILE *events; /* --events-out, of the first configuration */
    bool bar;     /* draw a progress bar */
    double read_s;
};

/* ---- complaints ---- */

static void tell_bad(void *ctx, const char *file, uint64_t line, const char *text)
{
    const struct session *s = ctx;

    if (s->diag.count <= BAD_SHOWN)
        fprintf(stderr, "%s:%" PRIu64 ": %s\n", file, line, text);
}

static void tell_bad_total(const struct session *s)
{
    if (s->diag.count > BAD_SHOWN)
        fprintf(stderr, "maui sim: %" PRIu64 " more bad records, %" PRIu64 " in all\n",
            s->diag.count - BAD_SHOWN, s->diag.count);
}

static int fail(const struct err *err)
{
    fprintf(stderr, "maui sim: %s\n", err->text);
    return -1;
}

/* ---- input ---- */

/* Tell what is wrong with a configuration. -1 if it cannot be used. */
static int tell_findings(const char *path, struct config *c)
{
    struct err err;
    int verdict = config_judge(c, &(struct config_use){.simulated = true}, &err);
    size_t warnings = config_count(c, FINDING_WARNING);

    for (size_t i = 0; i < c->findings.n; i++) {
        const struct finding *f = &c->findings.v[i];

        if (f->level == FINDING_ERROR)
            fprintf(stderr, "%s:%u: %s: %s\n", f->file, f->line,
                finding_level_name(f->level), f->text);
    }
    if (warnings > 0)
        fprintf(stderr, "maui sim: %s: %zu warning%s; `maui check -c %s` lists them\n",
            path, warnings, warnings == 1 ? "" : "s", path);
    return verdict;
}

/* Owned; NULL when it was told why not. */
static struct settings *load_config(const char *path)
{
    struct settings *settings = NULL;
    struct config *c;
    struct err err;

    if (path == NULL)
        return settings_create();
    c = config_load_file(path, &err);
    if (c == NULL) {
        fail(&err);
        return NULL;
    }
    if (tell_findings(path, c) == 0)
        settings = config_take_settings(c);
    config_destroy(c);
    return settings;
}

static int load_configs(struct session *s)
{
    for (size_t i = 0; i < s->opt.configs.n; i++) {
        struct settings *cfg = load_config(s->opt.configs.v[i]);

        if (cfg == NULL)
            return -1;
        vec_push(&s->settings, cfg);
    }
    return 0;
}

static int load_resources(struct session *s)
{
    struct err err;
    struct lines *in;
    int rc;

    if (s->opt.resources == NULL)
        return 0;
    in = lines_open(s->opt.resources, &err);
    if (in == NULL)
        return fail(&err);
    rc = restrace_read(in, &s->resources, &s->diag, &err);
    lines_close(in);
    if (rc < 0)
        return fail(&err);
    s->opt.machine.trace = &s->resources;
    experiment_machine(s->settings.v[0], &s->opt.machine, &s->resources);
    if (machine_procs(&s->opt.machine) > 0)
        return 0;
    fprintf(stderr, "maui sim: %s: no node is available\n", s->opt.resources);
    return -1;
}

static bool machine_given(const struct session *s)
{
    return s->opt.machine.trace != NULL || s->opt.machine.nodes > 0;
}

static int read_traces(struct session *s)
{
    struct err err;

    s->w.number_ids = s->opt.traces.n > 1;
    for (size_t i = 0; i < s->opt.traces.n; i++)
        if (workload_read(&s->w, s->opt.traces.v[i], &s->opt.rules, &s->diag, &err) < 0)
            return fail(&err);
    return 0;
}

/* Without --nodes: what the trace says, else the widest job. */
static void machine_from_trace(struct session *s)
{
    struct machine *m = &s->opt.machine;
    int64_t procs = s->w.max_procs > 0 ? s->w.max_procs : s->w.max_nodes;

    if (procs <= 0) {
        for (size_t i = 0; i < s->w.jobs.n; i++)
            if (s->w.jobs.v[i].procs > procs)
                procs = s->w.jobs.v[i].procs;
        fprintf(stderr,
            "maui sim: the trace does not give the machine's size; %" PRId64
            " processors are assumed, as many as the widest job asks for (--nodes)\n",
            procs);
    }
    m->nodes = procs;
    m->procs_per_node = 1;
}

static int load_workload(struct session *s)
{
    double begin = usage_wall_s();

    workload_init(&s->w);
    s->w.ignore_memory = s->opt.machine.trace == NULL && s->opt.machine.mem_mb == 0;
    if (s->opt.generate && !machine_given(s)) {
        s->opt.machine.nodes = NODES_GENERATE;
        s->opt.machine.procs_per_node = 1;
    }
    experiment_machine(s->settings.v[0], &s->opt.machine, &s->resources);
    if (machine_given(s))
        s->opt.rules.procs = machine_procs(&s->opt.machine);
    if (s->opt.generate) {
        s->opt.workload.procs = s->opt.rules.procs;
        generate_workload(&s->w, &s->opt.workload);
        if (s->opt.rules.max_jobs > 0 && s->opt.rules.max_jobs < s->w.jobs.n)
            s->w.jobs.n = s->opt.rules.max_jobs;
    } else if (read_traces(s) < 0) {
        return -1;
    }
    workload_finish(&s->w, &s->opt.rules, &s->diag);
    tell_bad_total(s);
    s->read_s = usage_wall_s() - begin;
    if (s->w.jobs.n > 0 && !machine_given(s)) {
        machine_from_trace(s);
        experiment_machine(s->settings.v[0], &s->opt.machine, &s->resources);
        workload_narrow(&s->w, machine_procs(&s->opt.machine));
    }
    if (s->w.jobs.n == 0) {
        fputs("maui sim: the workload has no job that could run on this machine\n",
            stderr);
        return -1;
    }
    if (s->opt.load_given && !s->opt.generate)
        workload_set_load(&s->w, machine_procs(&s->opt.machine), s->opt.workload.load);
    return 0;
}

static int load_scenario(struct session *s)
{
    struct sim_scenario_files files = {.paths = s->opt.scenarios.v,
        .n = s->opt.scenarios.n,
        .configs = s->opt.configs.v,
        .configs_n = s->opt.configs.n};

    if (files.n == 0)
        return 0;
    return sim_scenario_load(
        &files, &s->w, &s->opt.machine, s->settings.v[0], &s->scenario);
}

/* ---- the replays ---- */

static void draw_bar(void *ctx, size_t ended, size_t total)
{
    const struct session *s = ctx;
    int full = (int)(ended * BAR_WIDTH / (total > 0 ? total : 1));
    char bar[BAR_WIDTH + 1];

    if (!s->bar)
        return;
    memset(bar, '.', BAR_WIDTH);
    memset(bar, '#', (size_t)full);
    bar[BAR_WIDTH] = '\0';
    fprintf(stderr, "\r%s %3d %%", bar, (int)(ended * 100 / (total > 0 ? total : 1)));
}

static void record_decision(void *ctx, const struct run_decision *d)
{
    struct session *s = ctx;

    report_decision(s->events, d);
}

static void record_told(void *ctx, const struct run_told *t)
{
    struct session *s = ctx;

    report_told(s->events, &s->scenario.lines, t);
}

static int replay(struct session *s, size_t i)
{
    struct run_options how = s->opt.run;
    const char *path = s->opt.configs.v[i];
    struct outcome o = {.config = path != NULL ? path : "defaults"};
    double wall = usage_wall_s(), cpu = usage_cpu_s();
    struct err err;

    if (s->opt.until_is_relative)
        how.until = time_add(how.until, s->w.jobs.v[0].submit_at);
    how.ctx = s;
    how.occupancy = s->opt.chart ? &o.occupancy : NULL;
    how.progress = s->bar ? draw_bar : NULL;
    if (i == 0 && s->events != NULL) {
        how.decided = record_decision;
        how.told = record_told;
    }
    if (s->opt.scenarios.n > 0) {
        how.scenario = &s->scenario.lines;
        how.settings = &s->scenario.settings.v[i];
    }
    how.diag = &s->diag;
    if (run_replay(&s->w, &s->opt.machine, s->settings.v[i], &how, &o.result, &err) < 0)
        return fail(&err);
    o.wall_s = usage_wall_s() - wall;
    o.cpu_s = usage_cpu_s() - cpu;
    outcome_judge(&o, &s->w, machine_procs(&s->opt.machine));
    vec_push(&s->outcomes, o);
    outcome_compare(&s->outcomes.v[i], &s->outcomes.v[0], s->w.jobs.n);
    if (s->bar)
        fprintf(stderr, "\r%*s\r", BAR_WIDTH + 6, "");
    return 0;
}

/* ---- output ---- */

static int write_failed(const char *path)
{
    fprintf(stderr, "maui sim: %s: %s\n", path, strerror(errno));
    return -1;
}

/* "-" is stdout itself, so that all that goes there stands one after the other: opened
 * anew, a file there would be cut off and written over. */
static FILE *open_output(const char *path)
{
    FILE *out = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");

    if (out == NULL)
        write_failed(path);
    return out;
}

static int close_output(FILE *out, const char *path, int rc)
{
    if ((out == stdout ? fflush(out) : fclose(out)) != 0 || rc < 0)
        return write_failed(path);
    return 0;
}

static int write_trace(const struct session *s)
{
    const char *path = s->opt.trace_out;
    size_t len;
    FILE *out;
    int rc;

    if (path == NULL)
        return 0;
    out = open_output(path);
    if (out == NULL)
        return -1;
    len = strlen(path);
    if (len >= 4 && strcmp(path + len - 4, ".swf") == 0)
        rc = swf_write(out, &s->w, machine_procs(&s->opt.machine),
            s->opt.generate ? "made up by maui sim --generate" : "written by maui sim");
    else
        rc = mauitrace_write(out, &s->w, NULL);
    return close_output(out, path, rc);
}

static int write_jobs(const struct session *s)
{
    FILE *out;

    if (s->opt.jobs_out == NULL)
        return 0;
    out = open_output(s->opt.jobs_out);
    if (out == NULL)
        return -1;
    return close_output(
        out, s->opt.jobs_out, report_jobs(out, &s->w, &s->outcomes.v[0].result));
}

static struct study describe(const struct session *s, char *source, size_t size)
{
    static const char *const cycles[] = {
        [CYCLE_BATCH] = "a cycle at each instant at which something changes",
        [CYCLE_EVENT] = "a cycle after each event",
        [CYCLE_POLL] = "a cycle at every polling interval"};
    if (s->opt.generate)
        snprintf(source, size, "made up: seed %" PRIu64 ", load %.2f, %u users",
            s->opt.workload.seed, s->opt.workload.load, s->opt.workload.users);
    else if (s->opt.traces.n == 1)
        snprintf(source, size, "%s", s->opt.traces.v[0]);
    else
        snprintf(
            source, size, "%s and %zu more", s->opt.traces.v[0], s->opt.traces.n - 1);
    return (struct study){
        .w = &s->w,
        .m = &s->opt.machine,
        .source = source,
        .how = cycles[s->opt.run.cycle],
        .read_s = s->read_s,
        .peak_rss_kb = usage_peak_rss_kb(),
    };
}

/* The first configuration's figures; those it was compared with in "compare". */
static json_t *all_figures(const struct session *s, const struct study *study)
{
    json_t *all = report_json(study, &s->outcomes.v[0]), *others;

    if (s->outcomes.n < 2)
        return all;
    others = json_array();
    for (size_t i = 1; i < s->outcomes.n; i++)
        json_array_append_new(others, report_json(study, &s->outcomes.v[i]));
    json_object_set_new(all, "compare", others);
    return all;
}

static int write_figures(const struct session *s, const struct study *study)
{
    json_t *figures = all_figures(s, study);
    const char *path = s->opt.stats_json;
    int rc = 0;

    if (path != NULL) {
        FILE *out = open_output(path);

        rc = out == NULL ? -1 : json_dumpf(figures, out, JSON_INDENT(2));
        if (out != NULL) {
            fputc('\n', out);
            rc = close_output(out, path, rc);
        }
    }
    if (s->opt.json) {
        json_dumpf(figures, stdout, JSON_INDENT(2));
        putchar('\n');
    }
    json_decref(figures);
    return rc;
}

static void draw_charts(const struct session *s)
{
    int64_t shift = workload_shift(&s->w);
    struct chart_options how = {.width = s->opt.chart_width,
        .step_s = s->opt.chart_step_s,
        .shift = shift,
        .dates = s->w.epoch > 0 || shift == 0};

    for (size_t i = 0; s->opt.chart && i < s->outcomes.n; i++) {
        fprintf(stdout, "\n%s%s", s->outcomes.n > 1 ? s->outcomes.v[i].config : "",
            s->outcomes.n > 1 ? ":\n" : "");
        chart_print(stdout, &s->outcomes.v[i].occupancy, &how);
    }
}

static int write_results(struct session *s)
{
    char source[200];
    struct study study = describe(s, source, sizeof source);

    if (write_jobs(s) < 0 || write_figures(s, &study) < 0)
        return -1;
    if (!s->opt.json)
        report_summary(stdout, &study, s->outcomes.v, s->outcomes.n);
    if (!s->opt.json)
        draw_charts(s);
    return 0;
}

/* ---- the command ---- */

static int run_session(struct session *s)
{
    int rc = 0;

    if (load_configs(s) < 0 || load_resources(s) < 0 || load_workload(s) < 0
        || load_scenario(s) < 0 || write_trace(s) < 0)
        return -1;
    if (s->opt.events_out != NULL) {
        s->events = open_output(s->opt.events_out);
        if (s->events == NULL)
            return -1;
    }
    for (size_t i = 0; i < s->opt.configs.n && rc == 0; i++)
        rc = replay(s, i);
    if (s->events != NULL && close_output(s->events, s->opt.events_out, 0) < 0)
        rc = -1;
    return rc < 0 ? -1 : write_results(s);
}

static void session_fini(struct session *s)
{
    for (size_t i = 0; i < s->settings.n; i++)
        settings_destroy(s->settings.v[i]);
    for (size_t i = 0; i < s->outcomes.n; i++)
        outcome_fini(&s->outcomes.v[i]);
    vec_fini(&s->settings);
    vec_fini(&s->outcomes);
    sim_scenario_fini(&s->scenario);
    workload_fini(&s->w);
    restrace_fini(&s->resources);
    sim_options_fini(&s->opt);
}

int sim_main(int argc, char **argv)
{
    struct session s = {.bar = isatty(STDERR_FILENO) != 0};
    struct err err;
    int rc = 0;

    s.diag = (struct diag){.tell = tell_bad, .ctx = &s};
    if (sim_options_parse(argc, argv, &s.opt, &err) < 0) {
        fail(&err);
        rc = 1;
    } else if (s.opt.help) {
        sim_options_help();
    } else if (run_session(&s) < 0) {
        rc = 1;
    }
    session_fini(&s);
    return rc;
}
