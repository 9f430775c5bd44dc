/* SPDX-License-Identifier: Apache-2.0
 * A look at everything that PBS knows. Which of the two it is shows the first time:
 * only OpenPBS prints JSON. */
#include "base/xalloc.h"
#include "rm/adapter/clock.h"
#include "rm/pbs/pbs.h"

#include <stdio.h>

#define OUTPUT_MAX (256u << 20)

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

static void run_command(struct pbs_adapter *p, bool first, const char *const *argv,
    const struct squeeze_kind *squeeze,
    void (*ended)(void *ctx, const struct run_end *end), void *ctx)
{
    static const char *const extra[] = {"TZ=UTC", "LC_ALL=C", NULL};

    runs_start(p->runs,
        &(struct run_spec){.argv = argv,
            .extra = extra,
            .first = first,
            .timeout_ms = p->timeout_ms,
            .most = OUTPUT_MAX,
            .squeeze = squeeze},
        ended, ctx);
}

void pbs_run(struct pbs_adapter *p, bool first, const char *const *argv,
    void (*ended)(void *ctx, const struct run_end *end), void *ctx)
{
    run_command(p, first, argv, NULL, ended, ctx);
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

static void end_look(struct pbs_adapter *p)
{
    pbs_tell_nodes(p);
    pbs_tell_jobs(p);
    pbs_review_orders(p);
    p->dialect_known = true;
    agent_looked(p->agent, NULL, NULL);
}

/* ---- what has vanished ---- */

static void on_past(void *ctx, const struct run_end *end)
{
    struct pbs_adapter *p = ctx;
    struct err err;

    pbs_answer_fini(&p->past_answer);
    if (pbs_is_away(end)) {
        agent_looked(p->agent, "connection", end->text);
        return;
    }
    /* without a history it is an error: then they are gone, and nobody knows how */
    if (pbs_read_jobs(&p->past_answer, p->dialect, end->out, end->out_len, &err) < 0)
        pbs_answer_fini(&p->past_answer);
    end_look(p);
}

/* Ended jobs of OpenPBS are in its history alone. One is asked for by its id, several
 * by asking for all: of several ids JSON has the first. */
static bool ask_past(struct pbs_adapter *p)
{
    const char *one = NULL;
    size_t n = p->dialect == PBS_OPENPBS ? pbs_count_missing(p, &one) : 0;
    const char *const argv[] = {
        "qstat", "-x", "-t", "-f", "-F", "json", n == 1 ? one : NULL, NULL};

    pbs_answer_fini(&p->past_answer);
    if (n == 0)
        return false;
    run_command(p, true, argv, pbs_squeeze(p->dialect), on_past, p);
    return true;
}

/* ---- the answers ---- */

static void read_answers(struct pbs_adapter *p)
{
    struct pbs_answer jobs, nodes;
    struct err err;

    if (pbs_read_jobs(&jobs, p->dialect, p->texts[ASK_JOBS], p->lens[ASK_JOBS], &err)
        < 0) {
        pbs_answer_fini(&jobs);
        agent_looked(p->agent, "workloadquery", err.text);
        return;
    }
    pbs_answer_fini(&p->jobs_answer);
    p->jobs_answer = jobs;
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
    } else if (!p->away && !p->dialect_known && p->dialect == PBS_OPENPBS) {
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
        run_command(p, true, commands[p->dialect][i],
            i == ASK_JOBS ? pbs_squeeze(p->dialect) : NULL, on_answer, q);
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
