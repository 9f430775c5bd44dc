/* SPDX-License-Identifier: Apache-2.0
 * A look at everything that PBS knows. Which of the two it is shows the first time:
 * only OpenPBS prints JSON. */
#include "base/xalloc.h"
#include "rm/adapter/clock.h"
#include "rm/pbs/pbs.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#define OUTPUT_MAX   (256u << 20)
#define PAST_MOST    1000
#define PAST_TRIES   3      /* looks that ask in vain for what ended */
#define PAST_SLOW_MS 2000   /* so long, and it hangs ... */
#define PAST_REST_MS 600000 /* ... and is not asked for, as each look would hang */
#define LINED_MS     50     /* from look to look over a connection that is kept */
#define ALL_MS       10000  /* what changed and did not say so waits for that */
#define LATELY_S     60     /* changes since then are few, and so are ends */
#define SECOND_MS    2000   /* then a second that was that of a change is over */

static const char *const commands[][ASKS][7] = {
    [PBS_OPENPBS] = {[ASK_JOBS] = {"qstat", "-t", "-f", "-F", "json", NULL},
        [ASK_NODES] = {"pbsnodes", "-av", "-F", "json", NULL},
        [ASK_QUEUES] = {"qstat", "-Q", "-f", NULL}},
    [PBS_TORQUE] = {[ASK_JOBS] = {"qstat", "-t", "-x", NULL},
        [ASK_NODES] = {"pbsnodes", "-x", NULL},
        [ASK_QUEUES] = {"qstat", "-Q", "-f", NULL}},
};

struct question {
    struct pbs_adapter *pbs;
    enum pbs_question kind;
};

static bool is_slow(const char *command)
{
    static const char *const slow[] = {"qdel", "qsig", "qrerun"};

    for (size_t i = 0; i < sizeof slow / sizeof slow[0]; i++)
        if (strcmp(slow[i], command) == 0)
            return true;
    return false;
}

/* Which connection is for it; NULL: none. Only once PBS's own commands have shown that
 * the server is one of OpenPBS. */
static struct line *line_for(const struct pbs_adapter *p, const char *const *argv)
{
    bool jobs = strcmp(argv[0], "qstat") == 0 && strcmp(argv[1], "-Q") != 0;
    enum pbs_lines kind = is_slow(argv[0]) ? LINES_SLOW : LINES_QUICK;
    size_t n = 0;

    if (!p->dialect_known || p->dialect != PBS_OPENPBS
        || p->lines[LINES_LOOKS][0] == NULL)
        return NULL;
    if (jobs)
        return p->lines[LINES_LOOKS][0];
    if (strcmp(argv[0], "pbsnodes") == 0 || strcmp(argv[0], "qstat") == 0)
        return p->lines[LINES_LOOKS][1];
    while (n < PBS_LINES_MOST && p->lines[kind][n] != NULL)
        n++;
    return line_choose(p->lines[kind], n, argv);
}

bool pbs_is_lined(const struct pbs_adapter *p)
{
    const struct line *looks = p->lines[LINES_LOOKS][0];

    return looks != NULL && line_is_ready(looks);
}

/* Of the spec what differs. */
static void run_command(struct pbs_adapter *p, const struct run_spec *differs,
    void (*ended)(void *ctx, const struct run_end *end), void *ctx)
{
    static const char *const extra[] = {"TZ=UTC", "LC_ALL=C", NULL};
    struct run_spec spec = *differs;

    spec.extra = extra;
    spec.timeout_ms = p->timeout_ms;
    spec.most = OUTPUT_MAX;
    struct line *line = line_for(p, spec.argv);

    if (line == NULL || !line_start(line, &spec, ended, ctx))
        runs_start(p->runs, &spec, ended, ctx);
}

/* For a look. */
static void ask_server(struct pbs_adapter *p, const char *const *argv,
    const struct squeeze_kind *squeeze,
    void (*ended)(void *ctx, const struct run_end *end), void *ctx)
{
    run_command(p, &(struct run_spec){.argv = argv, .first = true, .squeeze = squeeze},
        ended, ctx);
}

void pbs_run(struct pbs_adapter *p, bool first, const char *const *argv,
    void (*ended)(void *ctx, const struct run_end *end), void *ctx)
{
    run_command(p, &(struct run_spec){.argv = argv, .first = first}, ended, ctx);
}

void pbs_order(struct pbs_adapter *p, bool first, const char *const *argv,
    void (*ended)(void *ctx, const struct run_end *end), void *ctx)
{
    run_command(
        p, &(struct run_spec){.argv = argv, .first = first, .owed = true}, ended, ctx);
}

/* 255: qstat of OpenPBS; TORQUE gives the number of the error and says it in words. */
bool pbs_is_away(const struct run_end *end)
{
    return end->hung
           || (end->status != 0
               && (end->status == 255 || strcasestr(end->text, "connect") != NULL)
               && strcasestr(end->text, "MOM") == NULL);
}

static void free_texts(struct pbs_adapter *p)
{
    for (int i = 0; i < ASKS; i++) {
        free(p->texts[i]);
        p->texts[i] = NULL;
    }
}

void pbs_look_free(struct pbs_adapter *p)
{
    free_texts(p);
    free(p->queues);
    p->queues = NULL;
    pbs_answer_fini(&p->jobs_answer);
    pbs_answer_fini(&p->nodes_answer);
    pbs_answer_fini(&p->past_answer);
}

/* Looks take a fifth of the server's time at most: it has 30 us of each job of which it
 * says something, 4 us of each other. How long one took says how busy it is, which is
 * no reason to look later. */
static void set_pace(struct pbs_adapter *p)
{
    int64_t least_ms = LINED_MS + (int64_t)p->jobs_answer.fresh * 15 / 100
                       + (int64_t)p->jobs_answer.jobs.n * 2 / 100;

    agent_pace(
        p->agent, pbs_is_lined(p) && least_ms < PBS_LEAST_MS ? least_ms : PBS_LEAST_MS);
}

static void end_look(struct pbs_adapter *p)
{
    pbs_tell_nodes(p);
    pbs_tell_jobs(p);
    pbs_review_orders(p);
    p->dialect_known = true;
    pbs_write_notes(p);
    set_pace(p);
    agent_looked(p->agent, NULL, NULL);
    if (pbs_is_leaving(p) && pbs_is_lined(p))
        agent_look(p->agent); /* its nodes are free in a moment */
}

/* ---- what has vanished ---- */

static bool ask_past(struct pbs_adapter *p);
static void ask_ends(struct pbs_adapter *p);

/* A history that hangs costs each look as long as a command may last. After its rest a
 * single look in vain is enough. */
static void rest_from_past(struct pbs_adapter *p)
{
    int64_t now = clock_ms();
    bool hangs = now - p->past_asked_ms > PAST_SLOW_MS;

    p->past_failed = hangs ? PAST_TRIES - 1 : 0;
    p->past_again_ms = hangs ? now + PAST_REST_MS : 0;
}

/* What ended while nobody looked was not to be had. False: the look has failed, the
 * next asks again, as jobs that are not told would be gone for good. Not for ever: all
 * else was to be had, so the server is within reach, and orders go on. */
static bool skip_past(struct pbs_adapter *p, const char *why)
{
    uint64_t said = 0;
    char text[400];

    if (++p->past_failed < PAST_TRIES) {
        agent_looked(p->agent, "workloadquery", why);
        return false;
    }
    rest_from_past(p);
    snprintf(text, sizeof text,
        "the history cannot be read, jobs that ended before are taken for vanished: "
        "%.250s",
        why);
    agent_remark(p->agent, "workloadquery", text, &said);
    return true;
}

/* No history is kept, or none of these: then they are gone, and nobody knows how. The
 * server's numbers, as exit statuses (modulo 256). */
static bool knows_none(const struct run_end *end)
{
    static const int numbers[] = {15001 & 255, 15140 & 255, 15158 & 255};

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (end->status == numbers[i])
            return true;
    return false;
}

static void finish_past(struct pbs_adapter *p)
{
    p->past_told = true;
    end_look(p);
}

static void on_past(void *ctx, const struct run_end *end)
{
    struct pbs_adapter *p = ctx;
    struct err err;
    bool bad;

    pbs_answer_fini(&p->past_answer);
    bad = pbs_read_jobs(&p->past_answer, p->dialect, end->out, end->out_len, &err) < 0;
    if (bad)
        pbs_answer_fini(&p->past_answer);
    if (knows_none(end) || (!bad && end->status == 0)) {
        p->past_failed = 0;
        p->past_again_ms = 0;
    } else if (!skip_past(p, bad && *end->text == '\0' ? err.text : end->text)) {
        return;
    }
    finish_past(p);
}

/* Jobs that ended while no adapter looked: the daemon may know them. Where there are
 * any the whole history is asked for, once, as no connection is kept yet. */
static void on_ends(void *ctx, const struct run_end *end)
{
    static const char *const all[] = {"qstat", "-x", "-t", "-f", "-F", "json", NULL};
    struct pbs_adapter *p = ctx;

    if (end->status == 0 && end->out_len > 0) {
        ask_server(p, all, pbs_squeeze(p->dialect), on_past, p);
        return;
    }
    if (end->status != 0
        && !skip_past(p, *end->text ? end->text : "qselect has failed"))
        return;
    p->past_told = true; /* there are none, or the server keeps no history: status 0 */
    if (!ask_past(p))
        finish_past(p);
}

static void ask_ends(struct pbs_adapter *p)
{
    char since[40];
    time_t from = time(NULL) - PBS_PAST_S;
    struct tm tm;
    static const char *const extra[] = {"TZ=UTC", "LC_ALL=C", NULL};
    const char *const argv[] = {"qselect", "-x", "-s", "F", since, NULL};

    gmtime_r(&from, &tm);
    strftime(since, sizeof since, "-tm.ge.%Y%m%d%H%M", &tm);
    runs_start(p->runs,
        &(struct run_spec){.argv = argv,
            .extra = extra,
            .first = true,
            .timeout_ms = p->timeout_ms,
            .most = OUTPUT_MAX},
        on_ends, p);
}

/* Ended jobs of OpenPBS are in its history alone. They are asked for by their ids,
 * where there are several only over the connection: of several ids the JSON of qstat
 * has the first. */
static bool ask_past(struct pbs_adapter *p)
{
    const char *argv[6 + PAST_MOST + 1] = {"qstat", "-x", "-t", "-f", "-F", "json"};
    size_t n = p->dialect == PBS_OPENPBS ? pbs_list_missing(p, argv + 6, PAST_MOST) : 0;

    pbs_answer_fini(&p->past_answer);
    p->past_asked_ms = clock_ms();
    if (p->dialect == PBS_OPENPBS && !p->past_told) {
        ask_ends(p);
        return true;
    }
    if (n == 0 && p->past_again_ms == 0)
        p->past_failed = 0;
    if (n == 0 || p->past_asked_ms < p->past_again_ms)
        return false;
    if (n > (pbs_is_lined(p) ? PAST_MOST : 1))
        argv[6] = NULL; /* all that there are */
    ask_server(p, argv, pbs_squeeze(p->dialect), on_past, p);
    return true;
}

/* ---- the answers ---- */

/* From when on the next look asks. */
static void set_since(struct pbs_adapter *p)
{
    const struct pbs_answer *a = &p->jobs_answer;
    struct pbs_since *s = &p->since;

    if (a->unknown > 0) {
        s->at = 0;
    } else if (a->newest > s->at || s->all_ms >= p->began_ms) {
        s->at = a->newest;
        s->seen_ms = clock_ms();
    } else if (a->newest == s->at && p->began_ms - s->seen_ms > SECOND_MS) {
        s->at++;
    }
}

static int read_jobs(struct pbs_adapter *p, struct err *err)
{
    const char *text = p->texts[ASK_JOBS];
    size_t len = p->lens[ASK_JOBS];
    struct pbs_answer jobs;
    int result = p->dialect == PBS_OPENPBS
                     ? pbs_read_changes(&jobs, &p->jobs_answer, text, len, err)
                     : pbs_read_jobs(&jobs, p->dialect, text, len, err);

    if (result < 0) {
        pbs_answer_fini(&jobs);
        p->since.at = 0;
        agent_looked(p->agent, "workloadquery", err->text);
        return -1;
    }
    pbs_answer_fini(&p->jobs_answer);
    p->jobs_answer = jobs;
    set_since(p);
    return 0;
}

static void read_answers(struct pbs_adapter *p)
{
    struct pbs_answer nodes;
    struct err err;

    if (read_jobs(p, &err) < 0)
        return;
    if (pbs_read_nodes(
            &nodes, p->dialect, p->texts[ASK_NODES], p->lens[ASK_NODES], &err)
        < 0) {
        pbs_answer_fini(&nodes);
        agent_looked(p->agent, "clusterquery", err.text);
        return;
    }
    pbs_answer_fini(&p->nodes_answer);
    p->nodes_answer = nodes;
    free(p->queues);
    p->queues = p->texts[ASK_QUEUES];
    p->texts[ASK_QUEUES] = NULL;
    if (!ask_past(p))
        end_look(p);
}

static void ask_all(struct pbs_adapter *p);

static void finish_answers(struct pbs_adapter *p)
{
    if (*p->why == '\0') {
        read_answers(p);
        return;
    }
    p->since.at = 0;
    p->since.ends_ms = clock_ms() + PAST_REST_MS;
    if (!p->away && !p->dialect_known && p->dialect == PBS_OPENPBS) {
        p->dialect = PBS_TORQUE; /* it has no JSON */
        ask_all(p);
    } else {
        if (!p->dialect_known)
            p->dialect = PBS_OPENPBS;
        agent_looked(p->agent, p->away ? "connection" : "workloadquery", p->why);
    }
}

static void on_answer(void *ctx, const struct run_end *end)
{
    struct question *q = ctx;
    struct pbs_adapter *p = q->pbs;
    const char *command = commands[p->dialect][q->kind][0];

    if (end->status != 0 && *p->why == '\0')
        snprintf(p->why, sizeof p->why, "%s: %s", command,
            *end->text ? end->text : "no answer");
    p->away = p->away || pbs_is_away(end);
    free(p->texts[q->kind]);
    p->texts[q->kind] = xstrndup(end->out, end->out_len);
    p->lens[q->kind] = strlen(p->texts[q->kind]);
    free(q);
    if (--p->asked == 0)
        finish_answers(p);
}

/* Does a look at changes ask for those that have ended too? One question less, each of
 * which waits for its turn of the server. Not for a history of many hours, and not
 * where it might be the history that looks have failed for. */
static bool is_with_ends(const struct pbs_adapter *p)
{
    return p->since.at > time(NULL) - LATELY_S && p->began_ms >= p->since.ends_ms;
}

/* All jobs, or over a connection what has changed of them. */
static void ask_jobs(struct pbs_adapter *p, struct question *q)
{
    const char *argv[8] = {0};
    char since[40];

    memcpy(argv, commands[p->dialect][ASK_JOBS], 6 * sizeof argv[0]);
    if (pbs_is_lined(p) && p->since.at > 0 && p->began_ms - p->since.all_ms < ALL_MS) {
        snprintf(since, sizeof since, PBS_SINCE "%" PRId64, p->since.at);
        argv[5] = since;
        argv[6] = is_with_ends(p) ? "-x" : NULL;
    } else {
        p->since.all_ms = p->began_ms;
    }
    ask_server(p, argv, pbs_squeeze(p->dialect), on_answer, q);
}

static void ask_all(struct pbs_adapter *p)
{
    p->why[0] = '\0';
    p->away = false;
    p->asked = ASKS;
    p->began_ms = clock_ms();
    free_texts(p);
    for (int i = 0; i < ASKS; i++) {
        struct question *q = xcalloc(1, sizeof *q);

        *q = (struct question){p, (enum pbs_question)i};
        if (i == ASK_JOBS)
            ask_jobs(p, q);
        else
            ask_server(p, commands[p->dialect][i], NULL, on_answer, q);
    }
}

void pbs_look(struct pbs_adapter *p)
{
    if (runs_settled(p->runs))
        ask_all(p);
    else
        agent_looked(p->agent, "workloadquery",
            "a command of the adapter before this one is still under way");
}
