/* SPDX-License-Identifier: Apache-2.0
 * The adapter of resource managers that speak the WIKI protocol: nodes and jobs are
 * asked for with GETNODES and GETJOBS, orders are messages, a connection each.
 *
 * An order that was sent and not answered may come about later, when the server has
 * time for it: a start is waited for until STARTWAIT has passed. */
#include "base/strbuf.h"
#include "base/timeval.h"
#include "base/xalloc.h"
#include "rm/adapter/agent.h"
#include "rm/adapter/clock.h"
#include "rm/wiki/talk.h"
#include "rm/wiki/told.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POLL_MS       5000
#define TIMEOUT_MS    15000
#define START_WAIT_MS 600000 /* JOBSYNCTIME of old */
#define START_MOST_MS 3600000
#define ORDERS        4 /* at a time */

struct site {
    struct agent *agent;
    struct wiki *wiki;
    struct talks *talks;
    int64_t full_ms;     /* between looks at everything; 0: always at everything */
    int64_t was_full_ms; /* when the last look at everything began that went well; 0:
                            none */
    int64_t began_ms;
    bool full;           /* this look */
    struct strbuf nodes; /* what GETNODES brought */
    enum wiki_form nodes_form;
};

/* ---- looks ---- */

static void fail_look(struct site *s, const char *function, const char *why, bool away)
{
    agent_looked(s->agent, away ? "connection" : function, why);
}

/* The list in an answer, or the look has failed. */
static bool has_list(struct site *s, const char *function, const struct talk_answer *a)
{
    struct err err = {0};

    if (a->how != TALK_ANSWERED)
        fail_look(s, function, a->why, a->away);
    else if (wiki_reply_records(&a->reply, &err) < 0)
        fail_look(s, function, err.text, false);
    else
        return true;
    return false;
}

static void on_jobs(void *ctx, const struct talk_answer *a)
{
    struct site *s = ctx;

    if (!has_list(s, "GETJOBS", a))
        return;
    wiki_told_nodes(s->wiki, s->nodes.text, s->nodes.len, s->nodes_form, "GETNODES");
    wiki_told_jobs(s->wiki, a->reply.records, a->reply.records_n,
        wiki_reply_form(&a->reply), "GETJOBS");
    if (s->full)
        s->was_full_ms = s->began_ms;
    wiki_looked(s->wiki);
}

/* What changed since then, by the clock there; 0: everything. */
static void ask_list(struct site *s, const char *command, int64_t since,
    void (*ended)(void *ctx, const struct talk_answer *a))
{
    char message[80];

    /* that second may not have been over */
    snprintf(message, sizeof message, "CMD=%s ARG=%lld:ALL", command,
        s->full || since == 0 ? 0LL : (long long)since - 1);
    talk_ask(s->talks, message, ended, s);
}

static void on_nodes(void *ctx, const struct talk_answer *a)
{
    struct site *s = ctx;

    if (!has_list(s, "GETNODES", a))
        return;
    s->nodes_form = wiki_reply_form(&a->reply);
    s->nodes.len = 0;
    strbuf_add_n(&s->nodes, a->reply.records, a->reply.records_n);
    ask_list(s, "GETJOBS", wiki_newest_job(s->wiki), on_jobs);
}

static void site_look(void *ctx)
{
    struct site *s = ctx;

    s->began_ms = clock_ms();
    s->full = s->full_ms == 0 || s->was_full_ms == 0
              || s->began_ms - s->was_full_ms >= s->full_ms
              || pending_count(agent_orders(s->agent)) > 0;
    wiki_look(s->wiki, s->full);
    ask_list(s, "GETNODES", wiki_newest_node(s->wiki), on_nodes);
}

/* ---- orders ---- */

static void add_tasks(struct strbuf *message, const struct rm_command *c)
{
    const char *before = "";

    for (size_t i = 0; i < c->nplaces; i++)
        for (uint32_t k = 0; k < c->places[i].tasks; k++) {
            strbuf_printf(message, "%s%s", before, c->places[i].node);
            before = ":";
        }
}

static bool write_order(
    struct site *s, const struct rm_command *c, struct strbuf *message)
{
    static const char *const names[RM_ACTIONS] = {[RM_START] = "STARTJOB",
        [RM_CANCEL] = "CANCELJOB",
        [RM_SUSPEND] = "SUSPENDJOB",
        [RM_RESUME] = "RESUMEJOB",
        [RM_REQUEUE] = "REQUEUEJOB",
        [RM_SIGNAL] = "SIGNALJOB",
        [RM_MODIFY] = "MODIFYJOB"};

    if (names[c->action] == NULL)
        return false;
    strbuf_printf(message, "CMD=%s ARG=%s", names[c->action], c->job);
    if (c->action == RM_START) {
        strbuf_add(message, " TASKLIST=");
        add_tasks(message, c);
    } else if (c->action == RM_CANCEL) {
        strbuf_printf(message, " TYPE=%s",
            wiki_is_over_limit(s->wiki, c->job) ? "WALLCLOCK" : "ADMIN");
    } else if (c->action == RM_SIGNAL) {
        strbuf_printf(message, " VALUE=%d", c->signal);
    } else if (c->action == RM_MODIFY) {
        strbuf_printf(message, " WCLIMIT=%lld",
            c->wclimit_s >= DURATION_UNLIMITED ? -1LL : (long long)c->wclimit_s);
    }
    return true;
}

/* In one line, printable. */
static void copy_words(char *to, size_t size, const char *text, size_t n)
{
    size_t len = n < size - 1 ? n : size - 1;

    for (size_t i = 0; i < len; i++)
        to[i] = (unsigned char)text[i] < ' ' ? ' ' : text[i];
    to[len] = '\0';
}

static void on_order(void *ctx, const struct talk_answer *a)
{
    struct wiki_trip *trip = ctx;
    char words[251];

    if (a->how == TALK_UNSENT) {
        wiki_answered(trip, WIKI_LATER, a->why);
    } else if (a->how == TALK_UNANSWERED) {
        wiki_answered(trip, WIKI_UNDER_WAY, a->why);
    } else {
        copy_words(words, sizeof words, a->reply.text, a->reply.text_n);
        wiki_answered(trip, a->reply.code < 0 ? WIKI_FAILED : WIKI_DONE, words);
    }
}

static bool carry_order(
    void *ctx, const struct rm_command *c, struct wiki_trip *trip, const char **ret_why)
{
    struct site *s = ctx;
    struct strbuf message = {0};
    bool written = write_order(s, c, &message);

    *ret_why = "the WIKI protocol has no message for that";
    if (written)
        talk_ask(s->talks, message.text, on_order, trip);
    free(message.text);
    return written;
}

static void site_command(void *ctx, const struct rm_command *c)
{
    struct site *s = ctx;

    wiki_command(s->wiki, c);
}

/* All is told anew, and so asked for. */
static void site_retell(void *ctx)
{
    struct site *s = ctx;

    s->was_full_ms = 0;
    wiki_retell(s->wiki);
}

static void site_forget(void *ctx)
{
    struct site *s = ctx;

    wiki_forget(s->wiki);
}

static size_t site_end(void *ctx)
{
    struct site *s = ctx;

    return wiki_end(s->wiki);
}

/* ---- the process ---- */

static void site_close(void *ctx)
{
    struct site *s = ctx;

    talks_destroy(s->talks);
    wiki_destroy(s->wiki);
    free(s->nodes.text);
    free(s);
}

static const char *text_of(const struct link_opening *o, const char *name)
{
    const char *text = link_attr(o, name);

    return text != NULL ? text : "";
}

static void *site_open(struct agent *a, const struct link_opening *o, struct err *err)
{
    int64_t wait_ms = link_attr_ms(o, "STARTWAIT", START_WAIT_MS);
    struct talks_spec spec = {.host = text_of(o, "HOST"),
        .port = text_of(o, "PORT"),
        .seal.key = text_of(o, "CSKEY"),
        .timeout_ms = link_attr_ms(o, "TIMEOUT", TIMEOUT_MS),
        .at_once = ORDERS + 1};
    struct site *s;

    if (!seal_find(text_of(o, "CSALGO"), &spec.seal.kind)) {
        err_set(
            err, ERR_INVALID, "CSALGO=%.40s: no such algorithm", text_of(o, "CSALGO"));
        return NULL;
    }
    s = xcalloc(1, sizeof *s);
    s->agent = a;
    s->full_ms = link_attr_ms(o, "FULLINTERVAL", 0);
    s->talks = talks_new(agent_loop(a), &spec);
    s->wiki = wiki_new(
        a, &(struct wiki_carrier){.carry = carry_order,
               .ctx = s,
               .at_once = ORDERS,
               .changes_limits = true,
               .start_wait_ms = wait_ms < START_MOST_MS ? wait_ms : START_MOST_MS});
    return s;
}

static const struct agent_driver site_agent = {
    .program = "maui-wiki",
    .poll_ms = POLL_MS,
    .open = site_open,
    .close = site_close,
    .look = site_look,
    .retell = site_retell,
    .forget = site_forget,
    .command = site_command,
    .ends = site_end,
};

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--adapter") == 0)
        return agent_main(&site_agent);
    fputs("maui-wiki: the scheduler starts it, where RMCFG says TYPE=WIKI; see "
          "docs/wiki.md\n",
        stderr);
    return 2;
}
