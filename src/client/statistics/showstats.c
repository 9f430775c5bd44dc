/* SPDX-License-Identifier: Apache-2.0
 * showstats, which mstat is another name of: statistics of the scheduler and of
 * credentials. */
#include "base/strbuf.h"
#include "client/client.h"
#include "client/kit/figures.h"
#include "client/kit/layout.h"
#include "client/kit/request.h"
#include "client/kit/xml.h"
#include "client/statistics/endedstats.h"
#include "client/statistics/nodestats.h"
#include "client/statistics/showgrid.h"
#include "client/statistics/statstable.h"
#include "client/statistics/statsxml.h"

#include <stdio.h>
#include <string.h>

static const struct option_row options[] = {
    {'s', NULL, NULL, "of the scheduler (what is shown without options)"},
    {'u', NULL, NULL, "of users, or of one"},
    {'g', NULL, NULL, "of groups"},
    {'a', NULL, NULL, "of accounts"},
    {'c', NULL, NULL, "of classes"},
    {'q', NULL, NULL, "of QOS"},
    {'n', NULL, NULL, "of nodes, by memory"},
    {'j', NULL, NULL, "of ended jobs one by one, or of one"},
    {'t', NULL, "START[,END]", "of jobs that ended then; -1:00:00 is an hour ago"},
    {'d', NULL, "N", "of jobs that ended in the last N intervals of fairshare"},
    {'T', NULL, NULL, "with credentials, -j: also a line of the sums"},
    {'p', "partition", "PARTITION", "with -n: only nodes of PARTITION"},
    {'S', NULL, NULL, "with -n: without a line for each node"},
    {'f', NULL, "TYPE", "the grid of TYPE, as showgrid"},
    {'v', NULL, NULL, "with -s: more; with credentials: also those that used nothing"},
    {0, "format", "text|json|xml",
        "how to print the answer; xml of -s and credentials"},
    {0, NULL, NULL, NULL},
};

static const struct command_spec spec = {
    .name = "showstats",
    .usage = "[-s | -u [USER] | -g [GROUP] | -a [ACCOUNT] | -c [CLASS] | -q [QOS]"
             " | -j [JOB] | -n [-S]] [-t START[,END] | -d N] [-T] [-v]",
    .summary = "Show statistics of the scheduler, or of credentials.",
    .options = options,
    .more =
        "Counted since the last resetstats. PHReq is what ended jobs asked for, PHDed\n"
        "what jobs were given, in processor hours; FSTgt the fairshare target; Effic "
        "the\n"
        "CPU used, WCAcc the time used of the limit, both in percent. Of nodes: "
        "InitialNH\n"
        "are the processor hours of queued and running jobs that need so much memory "
        "at\n"
        "least, ProcHours the same when they spread over all nodes that have enough.\n"
        "-v: Min System Utilization is the smallest share of processors in use after "
        "an\n"
        "iteration that left a job waiting.\n"
        "\n"
        "-t, -d and -j add up what is recorded of ended jobs, also of those before\n"
        "the last resetstats. Times are those of setres: 14:30_11/20, or seconds "
        "since\n"
        "1970. For administrators of level 1 to 3.\n",
    .examples = "  showstats              waiting times, use and accuracy at a glance\n"
                "  showstats -u           what each user asked for and got\n"
                "  showstats -u ann       only ann\n"
                "  showstats -u -t 0:00_11/01,0:00_12/01   each user's November\n"
                "  showstats -d 2 -T -a   accounts, in this interval and the last\n"
                "  showstats -n -S        how much nodes of each size were used\n",
};

/* ---- of the scheduler ---- */

static void print_counts(const char *label, json_int_t a, json_int_t b)
{
    printf("%-31s%9lld/%-9lld (%.3f%%)\n", label, (long long)a, (long long)b,
        layout_percent((double)a, (double)b));
}

static void print_pair(const char *label, double a, double b)
{
    printf("%-31s%9.2f/%-9.2f\n", label, a, b);
}

static void print_hours(const char *label, double a_s, double b_s)
{
    printf("%-31s%9.2f/%-9.2f (%.3f%%)\n", label, a_s / 3600, b_s / 3600,
        layout_percent(a_s, b_s));
}

static void print_percent(const char *label, bool known, double percent)
{
    if (known)
        printf("%-31s%8.3f%%\n", label, percent);
    else
        printf("%-31s%9s\n", label, "<N/A>");
}

static void print_times(const json_t *o, bool verbose)
{
    json_int_t now = get_int(o, "at", 0), up = get_int(o, "up_since", 0);
    char rel[LAYOUT_REL_MAX], date[LAYOUT_DATE_MAX];

    puts("");
    if (verbose)
        printf("current scheduler time: %s (%lld)\n", layout_date(now, date),
            (long long)now);
    printf("maui active for   %11s  stats initialized on %s\n",
        layout_span(now - up, rel), layout_date(get_int(o, "since", 0), date));
    if (verbose)
        printf("statistics for iteration %5lld  scheduler started on %s\n",
            (long long)get_int(o, "iteration", 0), layout_date(up, date));
    puts("");
}

static void print_jobs(const json_t *o, const struct stat_sums *t, bool verbose)
{
    double jobs = t->jobs > 0 ? (double)t->jobs : 1;

    print_counts("Eligible/Idle Jobs:", get_int(o, "eligible_jobs", 0),
        get_int(o, "idle_jobs", 0));
    printf("%-31s%9lld\n", "Active Jobs:", (long long)get_int(o, "active_jobs", 0));
    print_counts("Successful/Completed Jobs:", t->successful, t->jobs);
    if (verbose)
        printf("%-31s%9lld\n", "Preempt Jobs:", (long long)t->preempted);
    print_pair("Avg/Max QTime (Hours):", (double)t->queue_s / jobs / 3600,
        (double)t->max_queue_s / 3600);
    print_pair("Avg/Max XFactor:", t->xfactor / jobs, t->max_xfactor);
    if (verbose)
        print_pair("Avg/Max Bypass:", (double)t->bypass / jobs, (double)t->max_bypass);
    puts("");
}

static void print_use(const json_t *o, const struct stat_sums *t, bool verbose)
{
    print_hours(
        "Dedicated/Total ProcHours:", t->ps_dedicated, get_real(o, "ps_available", 0));
    if (verbose)
        print_hours("Preempt/Dedicated ProcHours:", t->ps_preempted, t->ps_dedicated);
    puts("");
    print_counts("Current Active/Total Procs:", get_int(o, "procs_active", 0),
        get_int(o, "procs", 0));
    if (verbose)
        print_counts("Current Active/Total Nodes:", get_int(o, "nodes_active", 0),
            get_int(o, "nodes", 0));
    puts("");
}

/* The estimate takes jobs to be as accurate about their limits as those that ended. */
static void print_rest(const json_t *o, const struct stat_sums *t, bool verbose)
{
    double accuracy = t->jobs > 0 ? t->accuracy / (double)t->jobs : 1;

    print_percent("Avg WallClock Accuracy:", t->jobs > 0, 100 * accuracy);
    print_percent("Avg Job Proc Efficiency:", t->ps_measured > 0,
        layout_percent(t->ps_utilized, t->ps_measured));
    if (verbose && json_object_get(o, "least_use"))
        printf("%-31s%8.3f%% (on iteration %lld)\n",
            "Min System Utilization:", get_real(o, "least_use", 0),
            (long long)get_int(o, "least_use_iteration", 0));
    printf("%-32s%8.2f/%-8.2f\n",
        "Est/Avg Backlog (Hours):", get_real(o, "backlog_s", 0) * accuracy / 3600,
        get_real(o, "backlog_average_s", 0) / 3600);
}

/* Of latest starts that were promised: what became of them, and what broke some. */
static void print_promises(const json_t *o)
{
    const json_t *p = json_object_get(o, "promises"), *count;
    json_int_t kept = get_int(p, "kept", 0), broken = get_int(p, "broken", 0);
    const char *cause, *before = " (";

    if (!p)
        return;
    puts("");
    print_counts("Promises Kept/Due:", kept, kept + broken);
    printf("%-31s%9lld", "Promises Broken:", (long long)broken);
    json_object_foreach((json_t *)json_object_get(p, "broken_by"), cause, count)
    {
        printf("%s%s %lld", before, cause, (long long)json_integer_value(count));
        before = ", ";
    }
    printf("%s\n%-31s%9lld\n", *before == ',' ? ")" : "",
        "Promises Lapsed:", (long long)get_int(p, "lapsed", 0));
}

/* How good expected starts were. */
static void print_forecasts(const json_t *o)
{
    const json_t *f = json_object_get(o, "forecasts");

    if (!f)
        return;
    puts("");
    printf("%-31s%9lld\n", "Starts Expected:", (long long)get_int(f, "started", 0));
    print_counts(
        "Within The Interval Told:", get_int(f, "within", 0), get_int(f, "told", 0));
    if (json_object_get(f, "factor"))
        printf("%-31s%9.2f (half of the waits were off by no more)\n",
            "Median Error Factor:", get_real(f, "factor", 1));
}

static int show_system(const struct command_line *l)
{
    struct query *q = query_new("/v1/statistics");
    json_t *o = ask(l, q);
    bool verbose = command_has(l, 'v');
    struct stat_sums total;

    query_free(q);
    if (l->format == FORMAT_JSON)
        return print_json(o);
    if (!o)
        return 1;
    if (l->format == FORMAT_XML) {
        xml_begin("Data");
        statsxml_print_system(o);
        xml_end("Data");
        json_decref(o);
        return 0;
    }
    figures_sums(json_object_get(o, "total"), &total);
    print_times(o, verbose);
    print_jobs(o, &total, verbose);
    print_use(o, &total, verbose);
    print_rest(o, &total, verbose);
    print_promises(o);
    print_forecasts(o);
    json_decref(o);
    return 0;
}

/* ---- of credentials ---- */

struct reading {
    struct stats_table table;
    struct strbuf funds; /* of accounts, behind the table */
    bool all;            /* also those that used nothing */
};

static void on_record(void *ctx, json_t *o)
{
    struct reading *t = ctx;
    struct stat_figures f = {0};
    const json_t *funds = json_object_get(o, "funds");
    char available[LAYOUT_CREDITS_MAX], held[LAYOUT_CREDITS_MAX];

    figures_read(o, &f);
    if (funds)
        strbuf_printf(&t->funds, "%-16s %18s %18s\n", get_text(o, "name", ""),
            layout_credits(get_real(funds, "available", 0), available),
            layout_credits(get_real(funds, "held", 0), held));
    if (t->all || f.active_jobs > 0 || f.sums.jobs > 0 || f.sums.ps_dedicated > 0)
        statstable_add(
            &t->table, get_text(o, "name", ""), json_object_get(o, "fs_target"))
            ->f = f;
}

static void print_table(struct reading *t, const json_t *system)
{
    struct stat_sums all;
    char date[LAYOUT_DATE_MAX];

    figures_sums(json_object_get(system, "total"), &all);
    printf("statistics initialized %s\n\n",
        layout_date(get_int(system, "since", 0), date));
    statstable_print(&t->table, &all);
    if (t->funds.len)
        printf("\n%-16s %18s %18s\n%s", "Funds", "Available", "Held", t->funds.text);
}

static const struct kind {
    char letter;
    const char *path, *label;
} kinds[] = {{'u', "user", "user"}, {'g', "group", "group"}, {'a', "account", "acct"},
    {'q', "qos", "qos"}, {'c', "class", "class"}};
#define KINDS (sizeof kinds / sizeof kinds[0])

static void on_xml(void *ctx, json_t *o)
{
    const struct kind *k = ctx;

    statsxml_print_cred(k->path, o);
}

static int print_creds_xml(
    const struct command_line *l, const struct query *q, const struct kind *k)
{
    xml_begin("Data");
    int status = ask_list(l, q, on_xml, (void *)k) < 0;
    xml_end("Data");
    return status;
}

static int show_creds(const struct command_line *l, const struct kind *k)
{
    struct reading t = {.table = {.label = k->label, .total = command_has(l, 'T')},
        .all = command_has(l, 'v') || l->nargs};
    struct query *q = query_new("/v1/statistics"), *all = query_new("/v1/statistics");
    json_t *system = NULL;
    int status;

    query_part(q, k->path);
    query_add(q, "name", l->nargs ? l->args[0] : NULL);
    if (l->format == FORMAT_JSON) {
        status = print_json_list(l, q);
    } else if (l->format == FORMAT_XML) {
        status = print_creds_xml(l, q, k);
    } else {
        system = ask(l, all);
        status = !system || ask_list(l, q, on_record, &t) < 0;
        if (status == 0)
            print_table(&t, system);
    }
    statstable_fini(&t.table);
    free(strbuf_take(&t.funds));
    json_decref(system);
    query_free(all);
    query_free(q);
    return status;
}

/* ---- the command ---- */

static int run_ended(const struct command_line *l, const struct kind *kind, bool jobs)
{
    struct endedstats what = {.key = jobs   ? "id"
                                     : kind ? kind->path
                                            : NULL,
        .label = jobs   ? "job"
                 : kind ? kind->label
                        : NULL,
        .only = l->nargs ? l->args[0] : NULL,
        .total = command_has(l, 'T')};

    if (command_has(l, 't') && command_has(l, 'd'))
        return command_wrong(l, "-t and -d do not go together");
    return endedstats_show(l, &what);
}

static int run(const struct command_line *l)
{
    bool ended = command_has(l, 't') || command_has(l, 'd');
    const struct kind *kind = NULL;
    char chosen;

    if (command_one_of(l, "sugacqjnf", &chosen))
        return 1;
    for (size_t i = 0; i < KINDS; i++)
        if (kinds[i].letter == chosen)
            kind = &kinds[i];
    if (l->nargs > (kind || chosen == 'j' ? 1 : 0))
        return command_wrong(l, "'%s' is not expected here", l->args[l->nargs - 1]);
    if (l->format == FORMAT_XML && (ended || (!kind && chosen && chosen != 's')))
        return command_wrong(
            l, "--format xml is of the scheduler, -s, and of -u -g -a -q -c");
    if (ended && (chosen == 'n' || chosen == 'f'))
        return command_wrong(l, "-t and -d do not go with -%c", chosen);
    if (ended || chosen == 'j')
        return run_ended(l, kind, chosen == 'j');
    if (kind)
        return show_creds(l, kind);
    if (chosen == 'n')
        return nodestats_show(l, command_value(l, 'p'), command_has(l, 'S'));
    return chosen == 'f' ? showgrid_show(l, command_value(l, 'f')) : show_system(l);
}

int showstats_main(int argc, char **argv)
{
    return command_run(&spec, argc, argv, run);
}
