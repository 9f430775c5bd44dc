/* SPDX-License-Identifier: Apache-2.0
 * The workload generator. */
#include "sim/generate.h"

#include "sim/prng.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOBS_MAX 10000000
#define DAYS_MAX 36500
#define HOUR     3600
#define DAY      86400

/* Sizes */
#define SERIAL_SHARE  0.244
#define POWER2_SHARE  0.576
#define LOG_SIZE_LOW  0.8
#define LOG_SIZE_KNEE 2.5 /* below the machine's */
#define LOW_SHARE     0.86

/* Run times */
#define RUN_SHAPE_SHORT 4.2
#define RUN_SCALE_SHORT 0.94
#define RUN_SHAPE_LONG  312.0
#define RUN_SCALE_LONG  0.03
#define SHORT_SLOPE     -0.0054
#define SHORT_SHARE     0.78
#define LOG_RUN_MAX     12.0

/* Arrivals */
#define GAP_SHAPE   10.2303
#define GAP_SCALE   0.4871
#define CYCLE_SHAPE 8.1737
#define CYCLE_SCALE 3.9631
#define CYCLE_SLOTS 48 /* half hours */
#define CYCLE_BEGIN 11 /* 5:30 is where the day begins */
#define SLOT_S      1800

/* Ours */
#define ZIPF_EXPONENT   1.1
#define ASK_MAX_SHARE   0.15 /* of the jobs ask for the limit of their class */
#define USERS_PER_GROUP 8
#define ACCOUNTS        5

struct class_limit {
    const char *name;
    int64_t limit_s;
};
static const struct class_limit classes[] = {
    {"short", HOUR}, {"batch", 12 * HOUR}, {"long", 48 * HOUR}};

/* Estimates people use. */
static const int64_t round_estimates[] = {300, 600, 900, 1200, 1800, 2700, HOUR,
    2 * HOUR, 3 * HOUR, 4 * HOUR, 6 * HOUR, 8 * HOUR, 10 * HOUR, 12 * HOUR, 18 * HOUR,
    24 * HOUR, 36 * HOUR, 48 * HOUR};
#define ESTIMATES (sizeof round_estimates / sizeof round_estimates[0])

static const uint32_t memory_mb[] = {0, 256, 512, 1024, 2048, 4096};

struct generator {
    const struct generate_options *o;
    struct workload *w;
    struct prng rng;
    double log_size_high;
    double *activity; /* owned; cumulative share of the users, the busiest first */
    double day[CYCLE_SLOTS + 1]; /* share of the day's arrivals before each half hour
                                    from midnight */
};

int generate_parse(const char *text, struct generate_options *ret, struct err *err)
{
    char *end;
    long long n;

    errno = 0;
    n = isdigit((unsigned char)*text) ? strtoll(text, &end, 10) : 0;
    if (n > 0 && errno == 0 && *end == '\0' && n <= JOBS_MAX) {
        ret->jobs = (uint64_t)n;
        ret->span_s = 0;
        return 0;
    }
    if (n > 0 && errno == 0 && (*end == 'd' || *end == 'D') && end[1] == '\0'
        && n <= DAYS_MAX) {
        ret->jobs = 0;
        ret->span_s = n * DAY;
        return 0;
    }
    return err_set(err, ERR_INVALID,
        "\"%s\" is not an amount of work; a number of jobs (1 to %d) or of days is "
        "expected, as 5000 or 30d (1d to %dd)",
        text, JOBS_MAX, DAYS_MAX);
}

/* ---- one job -------------------------------------------------------------------- */

static uint32_t draw_size(struct generator *g)
{
    double low = LOG_SIZE_LOW, high = g->log_size_high, knee = high - LOG_SIZE_KNEE, x;
    int64_t size;

    if (prng_unit(&g->rng) < SERIAL_SHARE || high <= low)
        return 1;
    if (knee < low)
        knee = low;
    x = prng_unit(&g->rng) < LOW_SHARE ? prng_uniform(&g->rng, low, knee)
                                       : prng_uniform(&g->rng, knee, high);
    if (prng_unit(&g->rng) < POWER2_SHARE)
        x = floor(x + 0.5);
    size = (int64_t)floor(exact_exp(x * exact_log(2)) + 0.5);
    if (size < 1)
        size = 1;
    return (uint32_t)(size < g->o->procs ? size : g->o->procs);
}

static int64_t draw_run(struct generator *g, uint32_t size)
{
    double share = SHORT_SLOPE * size + SHORT_SHARE, x;
    bool brief = prng_unit(&g->rng) < share;
    int64_t run;

    do {
        x = brief ? prng_gamma(&g->rng, RUN_SHAPE_SHORT, RUN_SCALE_SHORT)
                  : prng_gamma(&g->rng, RUN_SHAPE_LONG, RUN_SCALE_LONG);
    } while (x > LOG_RUN_MAX);
    run = (int64_t)exact_exp(x);
    return run < 1 ? 1 : run;
}

static size_t class_of(int64_t estimate_s)
{
    size_t i = 0;

    while (
        i + 1 < sizeof classes / sizeof classes[0] && estimate_s > classes[i].limit_s)
        i++;
    return i;
}

/* The run time over a uniform share of it, rounded up to what people write. */
static int64_t draw_estimate(struct generator *g, int64_t run)
{
    double wanted = (double)run / prng_uniform(&g->rng, 0.1, 1.0);
    int64_t estimate = round_estimates[ESTIMATES - 1];

    for (size_t i = ESTIMATES; i-- > 0;)
        if ((double)round_estimates[i] >= wanted)
            estimate = round_estimates[i];
    if (prng_unit(&g->rng) < ASK_MAX_SHARE)
        estimate = classes[class_of(estimate)].limit_s;
    return estimate;
}

static uint32_t draw_user(struct generator *g)
{
    double x = prng_unit(&g->rng);
    uint32_t low = 0, high = g->o->users - 1;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (g->activity[middle] > x)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static uint32_t numbered(struct generator *g, const char *prefix, uint32_t number)
{
    char text[32];

    snprintf(text, sizeof text, "%s%u", prefix, number);
    return names_intern(g->w->names, text);
}

static struct trace_job draw_job(struct generator *g)
{
    uint32_t user = draw_user(g), procs = draw_size(g);
    int64_t run = draw_run(g, procs), estimate = draw_estimate(g, run);
    size_t memory = prng_below(&g->rng, sizeof memory_mb / sizeof memory_mb[0]);
    uint32_t groups = (g->o->users + USERS_PER_GROUP - 1) / USERS_PER_GROUP;

    if (run > estimate) /* beyond the longest class: cut, as its limit would */
        run = estimate;
    return (struct trace_job){
        .run_s = run,
        .wclimit_s = estimate,
        .procs = procs,
        .mem_mb = memory_mb[memory],
        .cred = {[CRED_USER] = numbered(g, "user", user + 1),
            [CRED_GROUP] = numbered(g, "group", user % groups + 1),
            [CRED_ACCOUNT] = numbered(g, "account", user % ACCOUNTS + 1),
            [CRED_CLASS] = names_intern(g->w->names, classes[class_of(estimate)].name),
            [CRED_QOS] = NAME_NONE},
    };
}

/* ---- arrivals ------------------------------------------------------------------- */

/* Density of the daily cycle at a half hour from midnight: the day of the model begins
 * at CYCLE_BEGIN and ends where it began. */
static double cycle_weight(int slot)
{
    double x = (slot < CYCLE_BEGIN ? slot + CYCLE_SLOTS : slot) + 0.5;

    return exact_exp((CYCLE_SHAPE - 1) * exact_log(x) - x / CYCLE_SCALE);
}

static void prepare_cycle(struct generator *g)
{
    double sum = 0;

    g->day[0] = 0;
    for (int i = 0; i < CYCLE_SLOTS; i++)
        g->day[i + 1] = sum += cycle_weight(i);
    for (int i = 1; i <= CYCLE_SLOTS; i++)
        g->day[i] /= sum;
}

/* Bend a time that passes evenly to the daily cycle. */
static double bend(const struct generator *g, double even_s)
{
    double days = floor(even_s / DAY), share = even_s / DAY - days;
    int i = 0;

    while (i + 1 < CYCLE_SLOTS && g->day[i + 1] <= share)
        i++;
    return days * DAY + i * SLOT_S
           + (share - g->day[i]) / (g->day[i + 1] - g->day[i]) * SLOT_S;
}

/* Submit times: gaps as drawn, stretched to `span_s`, bent to the daily cycle. */
static void place_arrivals(struct generator *g, double span_s)
{
    size_t n = g->w->jobs.n;
    double *at = xmalloc((n + 1) * sizeof *at);
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        at[i] = sum;
        sum += exact_exp(prng_gamma(&g->rng, GAP_SHAPE, GAP_SCALE));
    }
    for (size_t i = 0; i < n; i++)
        g->w->jobs.v[i].submit_at = (int64_t)bend(g, at[i] / sum * span_s);
    free(at);
}

/* ---- all of it ------------------------------------------------------------------ */

static void prepare_users(struct generator *g)
{
    double sum = 0;

    g->activity = xmalloc(g->o->users * sizeof *g->activity);
    for (uint32_t i = 0; i < g->o->users; i++) {
        sum += exact_exp(-ZIPF_EXPONENT * exact_log(i + 1.0));
        g->activity[i] = sum;
    }
    for (uint32_t i = 0; i < g->o->users; i++)
        g->activity[i] /= sum;
}

void generate_workload(struct workload *w, const struct generate_options *o)
{
    struct generator g = {.o = o, .w = w};
    double wanted = o->load * (double)o->procs * (double)o->span_s, work = 0, span;

    prng_init(&g.rng, o->seed);
    g.log_size_high = exact_log((double)o->procs) / exact_log(2);
    prepare_users(&g);
    prepare_cycle(&g);
    while (o->jobs > 0 ? w->jobs.n < o->jobs : work < wanted && w->jobs.n < JOBS_MAX) {
        struct trace_job j = draw_job(&g);
        char id[24];

        snprintf(id, sizeof id, "%zu", w->jobs.n + 1);
        j.id = arena_text(&w->texts, id, strlen(id));
        work += (double)j.run_s * j.procs;
        vec_push(&w->jobs, j);
    }
    span = o->span_s > 0 ? (double)o->span_s : work / (o->load * (double)o->procs);
    place_arrivals(&g, span);
    w->max_procs = o->procs;
    free(g.activity);
}
