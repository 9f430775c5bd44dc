/* SPDX-License-Identifier: Apache-2.0
 * profiler: statistics from workload traces, without a scheduler. */
#include "base/duration.h"
#include "base/strbuf.h"
#include "base/zone.h"
#include "client/client.h"
#include "client/kit/command.h"
#include "client/statistics/profiletext.h"
#include "trace/lines.h"

#include <errno.h>
#include <time.h>

static const struct option_row options[] = {
    {'t', NULL, "TRACEFILE",
        "the trace, plain or gzip'd; others may follow as arguments"},
    {'a', NULL, "N", "rows of the accuracy distribution; default 10"},
    {'A', NULL, "ACCOUNT[:ACCOUNT]", "only jobs of these accounts"},
    {'b', NULL, "TIME", "only jobs that started at TIME or later"},
    {'c', NULL, "N", "only the first N jobs"},
    {'d', NULL, "FILE", "write distributions to FILE: sizes, lengths, waits, by hour"},
    {'e', NULL, "TIME", "only jobs that started before TIME"},
    {'f', NULL, NULL,
        "mend records that contradict themselves instead of leaving them out"},
    {'g', NULL, "GROUP[:GROUP]", "only jobs of these groups"},
    {'H', NULL, "HOST", "only jobs whose first node was HOST"},
    {'m', NULL, NULL, "grids as matrices, without brackets"},
    {'n', NULL, "N", "steps of processors, of one ratio; default 9"},
    {'N', NULL, "N", "largest number of processors; default 512"},
    {'o', NULL, "N", "rows N processors apart instead"},
    {'p', NULL, "FILE", "write the grids to FILE for a plotting program"},
    {'P', NULL, "TYPE", "only this report; TYPES are listed below"},
    {'q', NULL, NULL, "count waiting from the system queue time, not from submission"},
    {'Q', NULL, "QOS[:QOS]", "only jobs of these QOS"},
    {'r', NULL, NULL, "columns by the time a job ran, not by its limit"},
    {'R', NULL, NULL, "also jobs that were removed"},
    {'s', NULL, "N", "steps of time, of one ratio; default 11"},
    {'S', NULL, "TIME", "columns TIME apart instead"},
    {'T', NULL, "TIME",
        "longest time; longer runs count as that long; default 68:16:00"},
    {'u', NULL, "USER[:USER]", "only jobs of these users"},
    {'x', NULL, NULL,
        "expansion factor of waiting and limit instead of waiting and run"},
    {0, "format", "text|json", "how to print the reports"},
    {0, NULL, NULL, NULL},
};

static const struct command_spec spec = {
    .name = "profiler",
    .usage = "-t TRACEFILE [options]",
    .summary = "Analyse a workload trace, such as the daily statistics files.",
    .options = options,
    .asks = ASKS_NOBODY,
    .more = "TYPES: JobCount PSRequest PSRun QueueTime WCAccuracy XFactor MemUsage\n"
            "WCAccuracyD JobEfficiency QOSSuccessRate; without -P all of them, then "
            "tables of\n"
            "users, groups and accounts. TIME is [DD:]HH:MM:SS for durations; for -b "
            "and -e\n"
            "HH:MM:SS_MO/DD/YY or seconds since 1970.\n",
    .examples = "  profiler -t stats/Tue_Mar_03_2026\n"
                "  profiler -t w.trace -P XFactor -u ann:bob\n"
                "  profiler -t w.trace -d dist.txt --format json\n",
};

struct session {
    struct command_line l;
    struct tracestats_options how;
    struct profiletext_options text;
};

/* ---- the line ---- */

static int get_number(
    const struct command_line *l, char letter, int64_t max, int64_t *io)
{
    const char *text = command_value(l, letter);
    char *end;

    if (!text)
        return 0;
    *io = strtoll(text, &end, 10);
    if (end == text || *end || *io < 1 || *io > max)
        return command_wrong(l, "-%c: '%s' is not a number from 1 to %lld", letter,
            text, (long long)max);
    return 0;
}

static int get_duration(const struct command_line *l, char letter, int64_t *io)
{
    const char *text = command_value(l, letter);
    struct err err;

    if (!text)
        return 0;
    if (duration_parse(text, io, &err) < 0)
        return command_wrong(l, "-%c: %s", letter, err.text);
    if (*io < 1 || *io > INT32_MAX)
        return command_wrong(l, "-%c: '%s' is not 1 second to 68 years", letter, text);
    return 0;
}

static int get_instant(const struct command_line *l, char letter, int64_t *io)
{
    const char *text = command_value(l, letter);
    struct calendar cal = zone_system_calendar((int64_t)time(NULL));
    struct err err;

    if (!text)
        return 0;
    if (strlen(text) > 6 && strspn(text, "0123456789") == strlen(text))
        *io = strtoll(text, NULL, 10);
    else if (clock_parse(text, &cal, io, &err) < 0)
        return command_wrong(l, "-%c: %s", letter, err.text);
    return 0;
}

static int get_report(struct session *s)
{
    const char *name = command_value(&s->l, 'P');
    struct strbuf list = {0};
    int status = 0;

    if (!name)
        return 0;
    s->text.only = profiletext_find(name);
    for (size_t i = 0; profiletext_name(i); i++)
        strbuf_printf(&list, "%s%s", i ? ", " : "", profiletext_name(i));
    if (!s->text.only)
        status = command_wrong(
            &s->l, "-P: '%s' is not a profile; expected one of: %s", name, list.text);
    free(strbuf_take(&list));
    return status;
}

static int read_line_options(struct session *s)
{
    const struct command_line *l = &s->l;
    struct tracestats_options *o = &s->how;
    int64_t rows = 10;
    int status = 0;
    const struct {
        char letter;
        int64_t max, *to;
    } numbers[] = {{'a', 1000, &rows}, {'c', INT32_MAX, &o->count},
        {'n', 32, &o->procs_steps}, {'N', INT32_MAX, &o->procs_max},
        {'o', INT32_MAX, &o->procs_step}, {'s', 32, &o->time_steps}};

    for (size_t i = 0; status == 0 && i < sizeof numbers / sizeof numbers[0]; i++)
        status = get_number(l, numbers[i].letter, numbers[i].max, numbers[i].to);
    if (status == 0)
        status = get_duration(l, 'S', &o->time_step_s);
    if (status == 0)
        status = get_duration(l, 'T', &o->time_max_s);
    if (status == 0)
        status = get_instant(l, 'b', &o->begin_at);
    if (status == 0)
        status = get_instant(l, 'e', &o->end_at);
    if (status == 0)
        status = get_report(s);
    s->text.accuracy_rows = (int)rows;
    s->text.plain = command_has(l, 'm');
    o->accounts = command_value(l, 'A');
    o->groups = command_value(l, 'g');
    o->users = command_value(l, 'u');
    o->qos = command_value(l, 'Q');
    o->master = command_value(l, 'H');
    o->fix = command_has(l, 'f');
    o->removed = command_has(l, 'R');
    o->canonical = command_has(l, 'x');
    o->queue_time = command_has(l, 'q');
    o->by_run = command_has(l, 'r');
    return status;
}

/* ---- the traces ---- */

static void alert(const struct lines *in, const char *text)
{
    fprintf(stderr, "ALERT:    %s:%llu: %s\n", lines_name(in),
        (unsigned long long)lines_number(in), text);
}

/* 0, or -1 when the trace cannot be read on. */
static int take_line(
    struct tracestats *p, struct lines *in, char *line, size_t len, struct err *err)
{
    struct jobtrace record = {0};
    struct arena texts = {0};
    int64_t late_s = 0;
    struct err why;
    char text[120];
    int rc = tf_version(in, line, err);

    if (rc != 0)
        return rc < 0 ? -1 : 0;
    if (memchr(line, '\0', len))
        rc = err_set(&why, ERR_INVALID, "the line has bytes 0; text is expected");
    else
        rc = jobtrace_parse(line, &record, &texts, &why);
    p->left_out += rc < 0;
    if (rc > 0)
        rc = tracestats_add(p, &record, &late_s, &why);
    if (rc < 0)
        alert(in, why.text);
    if (late_s) {
        snprintf(text, sizeof text,
            "job '%.60s' started %lld hours before the one in "
            "front of it",
            record.id, (long long)(late_s / 3600));
        alert(in, text);
    }
    arena_free(&texts);
    return 0;
}

static int read_trace(struct tracestats *p, const char *path)
{
    struct err err;
    struct lines *in = lines_open(path, &err);
    char *line;
    size_t len;
    int rc = in ? 1 : -1;

    while (
        rc > 0 && !tracestats_full(p) && (rc = lines_next(in, &line, &len, &err)) > 0)
        if (take_line(p, in, line, len, &err) < 0)
            rc = -1;
    if (in)
        lines_close(in);
    if (rc < 0)
        fprintf(stderr, "ERROR:    %s\n", err.text);
    return rc < 0 ? 1 : 0;
}

static int write_file(const struct tracestats *p, const char *path,
    void (*print)(const struct tracestats *p, FILE *out))
{
    FILE *out = path ? fopen(path, "w") : NULL;

    if (!path)
        return 0;
    if (out)
        print(p, out);
    if (!out || fclose(out) != 0) {
        fprintf(stderr, "ERROR:    %s: %s\n", path, strerror(errno));
        return 1;
    }
    return 0;
}

static void tell_filters(const struct tracestats_options *o)
{
    const struct {
        const char *kind, *names;
    } lists[] = {{"user", o->users}, {"group", o->groups}, {"account", o->accounts},
        {"QOS", o->qos}};

    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        for (const char *p = lists[i].names; p && *p;) {
            size_t n = strcspn(p, ":,");
            printf("profiling %s '%.*s'\n", lists[i].kind, (int)n, p);
            p += n + (p[n] != 0);
        }
}

static int run(struct session *s)
{
    const char *trace = command_value(&s->l, 't');
    struct tracestats p;
    int status = 0;

    tracestats_init(&p, &s->how);
    if (trace)
        status = read_trace(&p, trace);
    for (int i = 0; status == 0 && i < s->l.nargs; i++)
        status = read_trace(&p, s->l.args[i]);
    if (status == 0)
        status = write_file(&p, command_value(&s->l, 'd'), profiledist_print);
    if (status == 0)
        status = write_file(&p, command_value(&s->l, 'p'), profiletext_plot);
    if (status == 0 && s->l.format == FORMAT_JSON) {
        profiletext_json(&p);
    } else if (status == 0) {
        tell_filters(&s->how);
        profiletext_print(&p, &s->text);
    }
    if (p.left_out || p.mended)
        fprintf(stderr, "NOTE:     %llu record%s left out, %llu mended\n",
            (unsigned long long)p.left_out, p.left_out == 1 ? "" : "s",
            (unsigned long long)p.mended);
    tracestats_fini(&p);
    return status;
}

int profiler_main(int argc, char **argv)
{
    struct session s = {.how = tracestats_defaults()};
    int status;

    if (command_parse(&spec, argc, argv, &s.l, &status) < 0)
        return status;
    status = read_line_options(&s);
    if (status == 0 && !command_value(&s.l, 't') && s.l.nargs == 0) {
        fputs("USAGE ERROR:  (tracefile not specified)\n", stderr);
        status = command_wrong(&s.l, "-t TRACEFILE is needed");
    }
    if (status == 0)
        status = run(&s);
    command_fini(&s.l);
    return status;
}
