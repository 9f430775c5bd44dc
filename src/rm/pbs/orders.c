/* SPDX-License-Identifier: Apache-2.0
 * What the scheduler decides, carried out by PBS's commands, one for each order. A
 * start is `qrun -a -H`: its success says little, so the job is watched until it runs,
 * or is back in the queue with one more try. */
#include "base/xalloc.h"
#include "rm/adapter/clock.h"
#include "rm/pbs/pbs.h"

#include <stdio.h>

#define WORDS_MOST 6

struct order {
    struct pbs_adapter *pbs;
    uint64_t token;
    char *job, *name; /* owned; name: as the server has it */
    enum rm_action action;
    bool resume; /* then: a suspended job of OpenPBS ends when it is resumed */
};

/* As the server has it. Of one that was not told the id is all that there is: without
 * a name behind it the commands take their own default server. Owned. */
static char *full_name(
    const struct pbs_adapter *p, const struct pbs_told *t, const char *id)
{
    const char *server = p->jobs_answer.server;
    struct strbuf name = {0};

    if (t != NULL && t->name != NULL)
        return xstrdup(t->name);
    strbuf_add(&name, id);
    if (strchr(id, '.') == NULL && server != NULL)
        strbuf_printf(&name, ".%.*s", (int)strcspn(server, "@:"), server);
    return strbuf_take(&name);
}

static struct order *order_new(struct pbs_adapter *p, const struct rm_command *c)
{
    struct pbs_told *t = listing_find(p->jobs, c->job);
    struct order *o = xcalloc(1, sizeof *o);

    if (t != NULL && c->action != RM_START)
        t->changing++;
    *o = (struct order){.pbs = p,
        .token = c->token,
        .job = xstrdup(c->job),
        .name = full_name(p, t, c->job),
        .action = c->action};
    return o;
}

static void order_free(struct order *o)
{
    free(o->job);
    free(o->name);
    free(o);
}

/* Exit statuses: the server's error number modulo 256, which the two families number
 * apart. */
static bool is_gone(const struct pbs_adapter *p, int status)
{
    return status == 153 || status == (p->dialect == PBS_TORQUE ? 170 : 35);
}

/* ---- all orders but starts ---- */

static void on_done(void *ctx, const struct run_end *end)
{
    struct order *o = ctx;
    struct pbs_adapter *p = o->pbs;
    const char *const resume[] = {"qsig", "-s", "admin-resume", o->name, NULL};
    struct pbs_told *t = listing_find(p->jobs, o->job);

    if (end->status == 0 && o->resume) {
        o->resume = false;
        pbs_order(p, true, resume, on_done, o);
        return;
    }
    if (t != NULL) {
        t->changed_ms = clock_ms();
        t->changing -= t->changing > 0; /* it may have gone and come back */
    }
    if (end->status == 0 || (o->action == RM_CANCEL && is_gone(p, end->status)))
        agent_done(p->agent, o->token, RM_OK, o->job, NULL);
    else if (pbs_is_away(end))
        agent_done(p->agent, o->token, RM_LOST, o->job, end->text);
    else
        agent_done(p->agent, o->token, o->action == RM_CANCEL ? RM_RETRY : RM_REFUSED,
            o->job, end->text);
    if (o->action == RM_MODIFY /* somebody else may have changed it meanwhile */
        || (o->action == RM_CANCEL && end->status != 0)) /* it passes for gone */
        listing_forget_one(p->jobs, o->job);
    agent_look(p->agent);
    order_free(o);
}

/* The words of the command; the job's name is put behind them. */
static void run_order(
    struct pbs_adapter *p, const struct rm_command *c, const char *const *words)
{
    struct order *o = order_new(p, c);
    const char *argv[WORDS_MOST + 2];
    size_t n = 0;

    for (; words[n] != NULL && n < WORDS_MOST; n++)
        argv[n] = words[n];
    argv[n++] = o->name;
    argv[n] = NULL;
    pbs_order(p, false, argv, on_done, o);
}

static void cancel(struct pbs_adapter *p, const struct rm_command *c)
{
    const struct pbs_told *t = listing_find(p->jobs, c->job);
    struct order *o = order_new(p, c);
    const char *const argv[] = {"qdel", o->name, NULL};

    o->resume = p->dialect == PBS_OPENPBS && t != NULL && t->state == JOB_SUSPENDED;
    pbs_order(p, false, argv, on_done, o);
}

/* Members of an array of OpenPBS are held and released by their array alone. */
static void change_hold(
    struct pbs_adapter *p, const struct rm_command *c, const char *command)
{
    bool user = c->kinds & HOLD_USER, system = c->kinds & ~(unsigned)HOLD_USER;
    bool lift = command[1] == 'r';
    struct order *o = order_new(p, c);
    char *name = p->dialect == PBS_OPENPBS ? pbs_array_name(o->name) : xstrdup(o->name);
    const char *const argv[] = {command, "-h",
        user && system ? lift ? "uos" : "uo"
        : system       ? lift ? "os" : "o"
                       : "u",
        name, NULL};

    pbs_order(p, false, argv, on_done, o);
    free(name);
}

static void modify_job(struct pbs_adapter *p, const struct rm_command *c)
{
    long long s = c->wclimit_s;
    char limit[60];
    const char *const argv[] = {"qalter", "-l", limit, NULL};

    snprintf(limit, sizeof limit, "walltime=%02lld:%02lld:%02lld", s / 3600,
        s / 60 % 60, s % 60);
    run_order(p, c, argv);
}

static void send_signal(struct pbs_adapter *p, const struct rm_command *c)
{
    char number[20];
    const char *const argv[] = {"qsig", "-s", number, NULL};

    snprintf(number, sizeof number, "%d", c->signal);
    run_order(p, c, argv);
}

/* ---- starts ---- */

static void land_start(
    struct pbs_adapter *p, const char *job, enum rm_outcome outcome, const char *text)
{
    struct pending *all = agent_orders(p->agent);
    struct pbs_told *t = listing_find(p->jobs, job);

    if (t != NULL)
        t->ordered = false;
    if (outcome == RM_OK)
        p->notes.started_ms = clock_ms();
    pending_land(all, pending_find(all, job, RM_START), outcome, text);
}

/* It was accepted, or not. The time in which it has to run begins now: many starts
 * wait for each other's commands. */
static void on_started(void *ctx, const struct run_end *end)
{
    struct order *o = ctx;
    struct pbs_adapter *p = o->pbs;
    struct pending *all = agent_orders(p->agent);
    struct pbs_told *t = listing_find(p->jobs, o->job);

    if (t != NULL)
        t->asking = false;
    pending_renew(all, pending_find(all, o->job, RM_START), clock_ms());
    if (end->status != 0 && !pbs_is_away(end))
        land_start(p, o->job, RM_RETRY, end->text);
    agent_look(p->agent);
    order_free(o);
}

static void start_job(struct pbs_adapter *p, const struct rm_command *c)
{
    struct pbs_told *t = listing_find(p->jobs, c->job);
    const struct pbs_job *j = pbs_find_job(&p->jobs_answer, c->job);

    if (t == NULL || j == NULL || !t->waiting || !pbs_is_waiting(j) || t->ordered
        || t->asking) {
        agent_done(
            p->agent, c->token, RM_RETRY, c->job, "PBS does not have it waiting");
        return;
    }
    char *where = pbs_start_spec(&j->shape, c->places, c->nplaces);
    struct order *o = order_new(p, c);
    const char *const argv[] = {"qrun", "-a", "-H", where, o->name, NULL};
    t->ordered = t->asking = true;
    t->runs_before = t->runs;
    agent_pending(p->agent, c, p->start_wait_ms);
    pbs_run(p, false, argv, on_started, o);
    free(where);
}

void pbs_review_orders(struct pbs_adapter *p)
{
    struct pending *all = agent_orders(p->agent);

    for (size_t i = pending_count(all); i-- > 0;) {
        const struct pending_order *o = pending_at(all, i);
        const struct pbs_told *t = listing_find(p->jobs, o->job);
        char *job = xstrdup(o->job);

        if (t == NULL)
            land_start(p, job, RM_RETRY, "PBS does not have it any more");
        else if (!t->waiting)
            land_start(p, job, RM_OK, NULL);
        else if (t->runs > t->runs_before)
            /* a node's daemon was lost, or its prologue failed: as PBS's own scheduler
             * it is tried some times more before that counts */
            land_start(p, job, RM_RETRY, "PBS tried it, and it is back in its queue");
        else if (!t->asking && clock_ms() - o->since_ms > o->patience_ms)
            land_start(p, job, RM_RETRY, "PBS has not started it");
        else
            pending_looked(all, i, clock_ms());
        free(job);
    }
}

void pbs_command(struct pbs_adapter *p, const struct rm_command *c)
{
    bool torque = p->dialect == PBS_TORQUE;
    const char *const suspend[] = {
        "qsig", "-s", torque ? "suspend" : "admin-suspend", NULL};
    const char *const resume[] = {
        "qsig", "-s", torque ? "resume" : "admin-resume", NULL};
    const char *const requeue[] = {"qrerun", NULL};

    switch (c->action) {
    case RM_START:
        start_job(p, c);
        break;
    case RM_CANCEL:
        cancel(p, c);
        break;
    case RM_SUSPEND:
        run_order(p, c, suspend);
        break;
    case RM_RESUME:
        run_order(p, c, resume);
        break;
    case RM_REQUEUE:
        run_order(p, c, requeue);
        break;
    case RM_HOLD:
        change_hold(p, c, "qhold");
        break;
    case RM_RELEASE:
        change_hold(p, c, "qrls");
        break;
    case RM_SIGNAL:
        send_signal(p, c);
        break;
    case RM_MODIFY:
        modify_job(p, c);
        break;
    case RM_CHECKPOINT:
    case RM_ACTIONS:
        agent_done(
            p->agent, c->token, RM_REFUSED, c->job, "PBS cannot checkpoint jobs");
        break;
    }
}
