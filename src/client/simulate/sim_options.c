/* SPDX-License-Identifier: Apache-2.0
 * Options of `maui sim`: one table from which both parsing and help come. To add one,
 * add a row, and a case in set_option(). */
#include "client/simulate/sim_options.h"

#include "base/duration.h"
#include "base/nearest.h"
#include "sim/chart.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPT_TRACE = 256,
    OPT_COMPARE,
    OPT_NODES,
    OPT_NODE_MEMORY,
    OPT_RESOURCES,
    OPT_SCENARIO,
    OPT_JOBS,
    OPT_UNTIL,
    OPT_OVERRUN,
    OPT_USE_MEMORY,
    OPT_CYCLE,
    OPT_POLL,
    OPT_ORDER,
    OPT_BACKFILL_ORDER,
    OPT_GENERATE,
    OPT_SEED,
    OPT_LOAD,
    OPT_USERS,
    OPT_TRACE_OUT,
    OPT_JOBS_OUT,
    OPT_EVENTS_OUT,
    OPT_STATS_JSON,
    OPT_CHART,
    OPT_CHART_WIDTH,
    OPT_CHART_STEP,
    OPT_FORMAT
};

static const struct option_row {
    const char *name;
    int id;               /* the letter, where there is a short form */
    const char *argument; /* NULL = none */
    const char *help;
} options[] = {
    {NULL, 0, NULL, "The workload"},
    {"trace", OPT_TRACE, "FILE",
        "replay this trace: SWF, Maui workload trace or Slurm's sacct; repeatable"},
    {"generate", OPT_GENERATE, "N|Nd", "make up N jobs, or N days of jobs"},
    {"seed", OPT_SEED, "N", "  another seed, another workload (1)"},
    {"load", OPT_LOAD, "F",
        "  work submitted, as a share of the machine (0.9);\n"
        "                                of a trace: submissions are drawn together or "
        "apart"},
    {"users", OPT_USERS, "N", "  how many users submit it (64)"},
    {"jobs", OPT_JOBS, "N", "the first N jobs only"},
    {"until", OPT_UNTIL, "TIME",
        "stop at this time of the trace, or at +[[DD:]HH:]MM:SS from its begin"},
    {"overrun", OPT_OVERRUN, "kill|extend",
        "a run beyond its estimate is cut (kill) or the estimate raised"},
    {"use-memory", OPT_USE_MEMORY, NULL, "take the memory requests of SWF records"},
    {NULL, 0, NULL, "The machine"},
    {"nodes", OPT_NODES, "N[xP]",
        "N nodes of P processors (the trace's MaxProcs; 128 when generating)"},
    {"node-memory", OPT_NODE_MEMORY, "MB", "memory of each of these nodes"},
    {"resources", OPT_RESOURCES, "FILE", "the nodes of a Maui resource trace instead"},
    {"scenario", OPT_SCENARIO, "FILE",
        "what else happens: setres, holds, failing nodes, changes; repeatable"},
    {NULL, 0, NULL, "The scheduler"},
    {"config", 'c', "FILE", "maui.cfg to schedule by (built-in defaults)"},
    {"compare", OPT_COMPARE, "FILE",
        "replay with this one too and show both side by side; repeatable"},
    {"cycle", OPT_CYCLE, "batch|event",
        "schedule after all events of an instant, or after each"},
    {"poll", OPT_POLL, "SECONDS", "schedule at this interval, as the daemon would"},
    {"order", OPT_ORDER, "NAME",
        "queue order instead of priority: FCFS SJF LJF SNF SAF SQF PSQF LXF WFP3 "
        "UNICEP "
        "F1..F4"},
    {"backfill-order", OPT_BACKFILL_ORDER, "NAME", "order of the backfill candidates"},
    {NULL, 0, NULL, "Results"},
    {"format", OPT_FORMAT, "text|json", "how to print the figures"},
    {"chart", OPT_CHART, NULL, "draw who used the processors, and each reservation"},
    {"chart-width", OPT_CHART_WIDTH, "N", "  in so many columns (80)"},
    {"chart-step", OPT_CHART_STEP, "TIME",
        "  a bar for so long, as 6:00:00 (at most 32)"},
    {"jobs-out", OPT_JOBS_OUT, "FILE", "start and end of every job, tab separated"},
    {"events-out", OPT_EVENTS_OUT, "FILE", "every decision, one JSON object a line"},
    {"stats-json", OPT_STATS_JSON, "FILE", "all figures as JSON"},
    {"trace-out", OPT_TRACE_OUT, "FILE",
        "the workload as a trace: SWF if it ends in .swf, else Maui's"},
    {"help", 'h', NULL, "this text"},
};
#define OPTIONS (sizeof options / sizeof options[0])

void sim_options_help(void)
{
    fputs(
        "usage: maui sim --trace FILE [options]\n"
        "       maui sim --generate 30d [options]\n\n"
        "Replay a workload through the scheduler in simulated time and show how long\n"
        "jobs waited and how busy the machine was.\n",
        stdout);
    for (size_t i = 0; i < OPTIONS; i++) {
        const struct option_row *o = &options[i];
        char left[64];

        if (o->name == NULL) {
            printf("\n%s:\n", o->help);
            continue;
        }
        snprintf(left, sizeof left, "%s%c%s--%s %s", o->id < 256 ? "-" : "",
            o->id < 256 ? o->id : ' ', o->id < 256 ? ", " : "   ", o->name,
            o->argument != NULL ? o->argument : "");
        printf("  %-29s %s\n", left, o->help);
    }
    fputs(
        "\nexamples:\n"
        "  maui sim --trace SDSC-SP2.swf.gz -c easy.cfg\n"
        "  maui sim --trace site.trace --resources site.resources -c maui.cfg \\\n"
        "      --compare maui.cfg.new\n"
        "  maui sim --generate 30d --nodes 64x4 --load 0.95 --trace-out month.swf\n"
        "\nA bad record of a trace is reported as FILE:LINE and left out. Exit status: "
        "0,\n1 when the replay is not possible, 2 when the command line is wrong.\n",
        stdout);
}

/* ---- values ---- */

static const struct option_row *row_of(int id)
{
    for (size_t i = 0; i < OPTIONS; i++)
        if (options[i].name != NULL && options[i].id == id)
            return &options[i];
    return NULL;
}

static int bad_value(int id, const char *text, const char *expected, struct err *err)
{
    return err_set(
        err, ERR_INVALID, "--%s: \"%s\" is not %s", row_of(id)->name, text, expected);
}

static int parse_count(
    int id, const char *text, int64_t min, int64_t max, int64_t *ret, struct err *err)
{
    char *end, expected[80];
    long long n;

    errno = 0;
    n = isdigit((unsigned char)*text) ? strtoll(text, &end, 10) : -1;
    if (n >= min && n <= max && errno == 0 && *end == '\0') {
        *ret = n;
        return 0;
    }
    snprintf(expected, sizeof expected, "a number from %lld to %lld", (long long)min,
        (long long)max);
    return bad_value(id, text, expected, err);
}

/* Place of `text` in the words, which end with NULL; -1 with a sentence. */
static int parse_choice(
    int id, const char *text, const char *const *words, struct err *err)
{
    struct nearest near;
    char expected[160] = "one of";
    size_t used = strlen(expected);

    nearest_init(&near, text);
    for (int i = 0; words[i] != NULL; i++) {
        if (strcasecmp(words[i], text) == 0)
            return i;
        nearest_offer(&near, words[i]);
        used +=
            (size_t)snprintf(expected + used, sizeof expected - used, " %s", words[i]);
    }
    if (nearest_best(&near) != NULL)
        return err_set(err, ERR_INVALID, "--%s: \"%s\" is not known; did you mean %s?",
            row_of(id)->name, text, nearest_best(&near));
    return bad_value(id, text, expected, err);
}

static int parse_until(const char *text, struct sim_options *o, struct err *err)
{
    o->until_is_relative = *text == '+';
    if (!o->until_is_relative)
        return parse_count(OPT_UNTIL, text, 0, TIME_NEVER - 1, &o->run.until, err);
    if (duration_parse(text + 1, &o->run.until, err) < 0)
        return err_prefix(err, "--until: ");
    return 0;
}

static int parse_load(const char *text, double *ret, struct err *err)
{
    char *end;
    double load = strtod(text, &end);

    if (end == text || *end != '\0' || !(load >= 0.01 && load <= 10))
        return bad_value(OPT_LOAD, text, "a share from 0.01 to 10, as 0.9", err);
    *ret = load;
    return 0;
}

static int parse_order(int id, const char *text, enum queue_order *ret, struct err *err)
{
    if (order_parse(text, ret, err) < 0)
        return err_prefix(err, "--%s: ", row_of(id)->name);
    return 0;
}

static int set_generate(
    int id, const char *text, struct generate_options *g, struct err *err)
{
    int64_t n = 0;

    switch (id) {
    case OPT_GENERATE:
        return generate_parse(text, g, err) < 0 ? err_prefix(err, "--generate: ") : 0;
    case OPT_SEED:
        if (parse_count(id, text, 0, INT64_MAX, &n, err) < 0)
            return -1;
        g->seed = (uint64_t)n;
        return 0;
    case OPT_LOAD:
        return parse_load(text, &g->load, err);
    default: /* OPT_USERS */
        if (parse_count(id, text, 1, 1000000, &n, err) < 0)
            return -1;
        g->users = (uint32_t)n;
        return 0;
    }
}

static int set_machine(int id, const char *text, struct sim_options *o, struct err *err)
{
    int64_t mem_mb = o->machine.mem_mb;

    if (id == OPT_NODE_MEMORY)
        return parse_count(id, text, 1, INT32_MAX, &o->machine.mem_mb, err);
    if (machine_parse(text, &o->machine, err) < 0)
        return err_prefix(err, "--nodes: ");
    o->machine.mem_mb = mem_mb;
    return 0;
}

static int set_rules(int id, const char *text, struct sim_options *o, struct err *err)
{
    static const char *const overruns[] = {"kill", "extend", NULL};
    int64_t n = 0;
    int choice;

    switch (id) {
    case OPT_JOBS:
        if (parse_count(id, text, 1, INT64_MAX, &n, err) < 0)
            return -1;
        o->rules.max_jobs = (uint64_t)n;
        return 0;
    case OPT_OVERRUN:
        choice = parse_choice(id, text, overruns, err);
        if (choice < 0)
            return -1;
        o->rules.overrun = (enum overrun)choice;
        return 0;
    default: /* OPT_USE_MEMORY */
        o->rules.use_memory = true;
        return 0;
    }
}

static int set_run(int id, const char *text, struct sim_options *o, struct err *err)
{
    static const char *const cycles[] = {"batch", "event", NULL};
    int choice;

    switch (id) {
    case OPT_UNTIL:
        return parse_until(text, o, err);
    case OPT_CYCLE:
        choice = parse_choice(id, text, cycles, err);
        if (choice < 0)
            return -1;
        o->run.cycle = choice == 0 ? CYCLE_BATCH : CYCLE_EVENT;
        return 0;
    case OPT_POLL:
        o->run.cycle = CYCLE_POLL;
        return parse_count(id, text, 1, INT32_MAX, &o->run.poll_s, err);
    case OPT_ORDER:
        return parse_order(id, text, &o->run.order, err);
    default: /* OPT_BACKFILL_ORDER */
        return parse_order(id, text, &o->run.backfill_order, err);
    }
}

static int set_chart(int id, const char *text, struct sim_options *o, struct err *err)
{
    int64_t n = 0;

    o->chart = true;
    if (id == OPT_CHART_WIDTH) {
        if (parse_count(id, text, CHART_WIDTH_MIN, CHART_WIDTH_MAX, &n, err) < 0)
            return -1;
        o->chart_width = (int)n;
    } else if (id == OPT_CHART_STEP) {
        if (duration_parse(text, &n, err) < 0)
            return err_prefix(err, "--chart-step: ");
        if (n <= 0 || n >= DURATION_UNLIMITED || n % OCCUPANCY_SLOT_S != 0)
            return bad_value(id, text, "a multiple of 15 minutes", err);
        o->chart_step_s = n;
    }
    return 0;
}

static int set_option(int id, const char *text, struct sim_options *o, struct err *err)
{
    static const char *const formats[] = {"text", "json", NULL};
    int choice;

    switch (id) {
    case OPT_TRACE:
        vec_push(&o->traces, text);
        return 0;
    case 'c':
        o->configs.v[0] = text;
        return 0;
    case OPT_COMPARE:
        vec_push(&o->configs, text);
        return 0;
    case OPT_RESOURCES:
        o->resources = text;
        return 0;
    case OPT_SCENARIO:
        vec_push(&o->scenarios, text);
        return 0;
    case OPT_JOBS_OUT:
        o->jobs_out = text;
        return 0;
    case OPT_EVENTS_OUT:
        o->events_out = text;
        return 0;
    case OPT_STATS_JSON:
        o->stats_json = text;
        return 0;
    case OPT_TRACE_OUT:
        o->trace_out = text;
        return 0;
    case 'h':
        o->help = true;
        return 0;
    case OPT_FORMAT:
        choice = parse_choice(id, text, formats, err);
        o->json = choice == 1;
        return choice < 0 ? -1 : 0;
    case OPT_CHART:
    case OPT_CHART_WIDTH:
    case OPT_CHART_STEP:
        return set_chart(id, text, o, err);
    case OPT_NODES:
    case OPT_NODE_MEMORY:
        return set_machine(id, text, o, err);
    case OPT_JOBS:
    case OPT_OVERRUN:
    case OPT_USE_MEMORY:
        return set_rules(id, text, o, err);
    case OPT_GENERATE:
        o->generate = true;
        return set_generate(id, text, &o->workload, err);
    case OPT_LOAD:
        o->load_given = true;
        return set_generate(id, text, &o->workload, err);
    case OPT_SEED:
    case OPT_USERS:
        return set_generate(id, text, &o->workload, err);
    default:
        return set_run(id, text, o, err);
    }
}

/* ---- the command line ---- */

static int unknown_option(const char *text, struct err *err)
{
    const char *name = text + strspn(text, "-");
    char word[64];
    struct nearest near;

    snprintf(word, sizeof word, "%.*s", (int)strcspn(name, "="), name);
    nearest_init(&near, word);
    for (size_t i = 0; i < OPTIONS; i++)
        if (options[i].name != NULL)
            nearest_offer(&near, options[i].name);
    if (nearest_best(&near) != NULL)
        return err_set(err, ERR_INVALID, "unknown option '%s'; did you mean --%s?",
            text, nearest_best(&near));
    return err_set(err, ERR_INVALID,
        "unknown option '%s'; `maui sim --help` lists all options", text);
}

static void fill_getopt(struct option longs[OPTIONS + 1])
{
    size_t n = 0;

    for (size_t i = 0; i < OPTIONS; i++)
        if (options[i].name != NULL)
            longs[n++] = (struct option){options[i].name,
                options[i].argument != NULL ? required_argument : no_argument, NULL,
                options[i].id};
    longs[n] = (struct option){0};
}

/* What only the whole command line tells. */
static int check_together(const struct sim_options *o, struct err *err)
{
    if (o->generate && o->traces.n > 0)
        return err_set(
            err, ERR_INVALID, "--generate and --trace: one workload at a time, please");
    if (!o->generate && o->traces.n == 0)
        return err_set(err, ERR_INVALID,
            "no workload: --trace FILE or --generate N is needed (`maui sim --help`)");
    if (o->resources != NULL && o->machine.nodes > 0)
        return err_set(err, ERR_INVALID,
            "--resources and --nodes: both describe the machine; give one");
    if (o->machine.mem_mb > 0 && o->resources != NULL)
        return err_set(
            err, ERR_INVALID, "--node-memory: the nodes of --resources have their own");
    if (o->rules.use_memory && o->machine.mem_mb == 0 && o->resources == NULL)
        return err_set(err, ERR_INVALID,
            "--use-memory: the nodes have no memory; add --node-memory MB");
    return 0;
}

int sim_options_parse(int argc, char **argv, struct sim_options *ret, struct err *err)
{
    struct option longs[OPTIONS + 1];
    int id;

    *ret = (struct sim_options){
        .workload = {.seed = 1, .load = 0.9, .users = 64},
        .run = {.until = TIME_NEVER},
    };
    vec_push(&ret->configs, NULL);
    fill_getopt(longs);
    opterr = optopt = 0;
    optind = 0; /* start over, should this be the second call */
    while ((id = getopt_long(argc, argv, ":c:h", longs, NULL)) != -1) {
        char letter[3] = {'-', (char)optopt, '\0'};
        const char *text = optopt > 0 && optopt < 256 ? letter : argv[optind - 1];

        if (id == ':')
            return err_set(err, ERR_INVALID, "%s: a value is missing after it", text);
        if (id == '?')
            return unknown_option(text, err);
        if (set_option(id, optarg, ret, err) < 0)
            return -1;
    }
    if (ret->help)
        return 0;
    if (optind < argc)
        return err_set(err, ERR_INVALID,
            "unexpected argument '%s'; a trace is given with --trace FILE",
            argv[optind]);
    return check_together(ret, err);
}

void sim_options_fini(struct sim_options *o)
{
    vec_fini(&o->traces);
    vec_fini(&o->configs);
    vec_fini(&o->scenarios);
}
