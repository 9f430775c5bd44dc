/* SPDX-License-Identifier: Apache-2.0
 * What the scheduler decides but starts, carried out by Grid Engine's commands, one for
 * each order. */
#include "base/strbuf.h"
#include "base/timeval.h"
#include "base/xalloc.h"
#include "rm/adapter/clock.h"
#include "rm/gridengine/gridengine.h"

#include <stdio.h>

struct order {
    struct ge_adapter *g;
    uint64_t token;
    char *job, *name; /* owned; name: as Grid Engine calls it */
    enum rm_action action;
    bool requeue; /* then: it is held, and goes back to wait */
};

char *ge_name(const char *id)
{
    struct strbuf name = {0};
    size_t n = strcspn(id, "[");

    strbuf_printf(&name, "%.*s", (int)n, id);
    if (id[n] == '[')
        strbuf_printf(&name, ".%.*s", (int)strcspn(id + n + 1, "]"), id + n + 1);
    return strbuf_take(&name);
}

static struct order *order_new(struct ge_adapter *g, const struct rm_command *c)
{
    struct order *o = xcalloc(1, sizeof *o);

    *o = (struct order){.g = g,
        .token = c->token,
        .job = xstrdup(c->job),
        .name = ge_name(c->job),
        .action = c->action};
    return o;
}

static void order_free(struct order *o)
{
    free(o->job);
    free(o->name);
    free(o);
}

static void on_done(void *ctx, const struct run_end *end)
{
    struct order *o = ctx;
    struct ge_adapter *g = o->g;
    const char *const requeue[] = {"qmod", "-rj", o->name, NULL};
    struct ge_told *t = listing_find(g->jobs, o->job);

    if (t != NULL)
        t->changed_ms = clock_ms();
    if (end->status == 0 && o->requeue) {
        o->requeue = false;
        ge_order(g, true, requeue, on_done, o);
        return;
    }
    if (t != NULL && end->status == 0 && o->action == RM_CANCEL)
        t->deleted = true;
    if (end->status == 0 || (o->action == RM_CANCEL && ge_is_gone(end)))
        agent_done(g->agent, o->token, RM_OK, o->job, NULL);
    else if (ge_is_away(end))
        agent_done(g->agent, o->token, RM_LOST, o->job, end->text);
    else
        agent_done(g->agent, o->token, o->action == RM_CANCEL ? RM_RETRY : RM_REFUSED,
            o->job, end->text);
    if (o->action == RM_MODIFY /* somebody else may have changed it meanwhile */
        || (o->action == RM_CANCEL && end->status != 0)) /* it passes for gone */
        listing_forget_one(g->jobs, o->job);
    agent_look(g->agent);
    order_free(o);
}

static void run_order(
    struct ge_adapter *g, const struct rm_command *c, const char *const *words)
{
    struct order *o = order_new(g, c);
    const char *argv[8];
    size_t n = 0;

    for (; words[n] != NULL && n < 6; n++)
        argv[n] = words[n];
    argv[n++] = o->name;
    argv[n] = NULL;
    ge_order(g, false, argv, on_done, o);
}

/* The hold comes first: what is rescheduled runs again at once. */
static void requeue_job(struct ge_adapter *g, const struct rm_command *c)
{
    struct order *o = order_new(g, c);
    const char *const argv[] = {"qalter", "-h", "s", o->name, NULL};

    o->requeue = true;
    ge_order(g, false, argv, on_done, o);
}

/* System holds are ours: those of administrators are an operator's. */
static void change_hold(struct ge_adapter *g, const struct rm_command *c)
{
    bool lift = c->action == RM_RELEASE;
    bool user = c->kinds & HOLD_USER, others = c->kinds & ~(unsigned)HOLD_USER;
    char letters[4];

    snprintf(letters, sizeof letters, "%s%s", user ? lift ? "U" : "u" : "",
        others ? lift ? "O" : "o" : "");
    run_order(g, c, (const char *const[]){"qalter", "-h", letters, NULL});
}

/* -l takes the place of the whole list, so that all of it is given. */
static void modify_job(struct ge_adapter *g, const struct rm_command *c)
{
    const struct ge_told *t = listing_find(g->jobs, c->job);
    const struct ge_job *j = t != NULL ? ge_answer_of(g, t) : NULL;
    struct strbuf list = {0};

    if (t != NULL && (t->tidying || t->step != STEP_NONE)) {
        agent_done(g->agent, c->token, RM_RETRY, c->job,
            "another command that changes the job is under way");
        return;
    }
    if (j == NULL) {
        agent_done(
            g->agent, c->token, RM_RETRY, c->job, "the last look did not show the job");
        return;
    }
    if (!ge_is_waiting(j)) {
        agent_done(g->agent, c->token, RM_REFUSED, c->job,
            "Grid Engine does not change the limit of a job that runs");
        return;
    }
    if (c->wclimit_s >= DURATION_UNLIMITED)
        strbuf_add(&list, "h_rt=INFINITY");
    else
        strbuf_printf(&list, "h_rt=%lld", (long long)c->wclimit_s);
    for (const struct ge_value *r = j->requests; r->name != NULL; r++)
        if (strcmp(r->name, "h_rt") != 0)
            strbuf_printf(&list, ",%s=%s", r->name, r->text);
    run_order(g, c, (const char *const[]){"qalter", "-l", list.text, NULL});
    free(list.text);
}

void ge_command(struct ge_adapter *g, const struct rm_command *c)
{
    switch (c->action) {
    case RM_START:
        ge_start(g, c);
        break;
    case RM_CANCEL:
        run_order(g, c, (const char *const[]){"qdel", NULL});
        break;
    case RM_SUSPEND:
        run_order(g, c, (const char *const[]){"qmod", "-sj", NULL});
        break;
    case RM_RESUME:
        run_order(g, c, (const char *const[]){"qmod", "-usj", NULL});
        break;
    case RM_REQUEUE:
        requeue_job(g, c);
        break;
    case RM_HOLD:
    case RM_RELEASE:
        change_hold(g, c);
        break;
    case RM_MODIFY:
        modify_job(g, c);
        break;
    case RM_SIGNAL:
    case RM_CHECKPOINT:
    case RM_ACTIONS:
        agent_done(g->agent, c->token, RM_REFUSED, c->job,
            "Grid Engine neither sends signals nor checkpoints jobs by order");
        break;
    }
}
