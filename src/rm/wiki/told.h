/* SPDX-License-Identifier: Apache-2.0
 * What records say of nodes and jobs, on its way to the daemon: for all drivers whose
 * resource manager answers in such records. And what they are told to do.
 *
 *     carrier     how an order gets there: a program (native), a connection (WIKI)
 *     wiki        looks: nodes and jobs of two texts; orders: carried one after the
 *                 other for each job, and believed when the next look shows it
 *
 * A start has come about when the job is seen running, whatever was answered; one that
 * was refused has failed when a look that began later does not show it. So a start that
 * went wrong half-way is neither lost nor done twice. */
#ifndef MAUI_RM_WIKI_TOLD_H
#define MAUI_RM_WIKI_TOLD_H

#include "rm/adapter/agent.h"
#include "rm/wiki/grammar.h"

struct wiki;
struct wiki_trip;

/* How an order ended. */
enum wiki_answer {
    WIKI_DONE,
    WIKI_LATER,    /* not now: worth trying again, and no failed start */
    WIKI_FAILED,   /* with a text */
    WIKI_UNKNOWN,  /* it is over, and nobody knows how: a program that hung */
    WIKI_UNDER_WAY /* it was asked for, and may come about yet: the connection broke */
};

struct wiki_carrier {
    /* Take it there: what comes of it is told by wiki_answered(), later or at once.
     * False: it can do no such thing; `*ret_why` says why, a constant text. */
    bool (*carry)(void *ctx, const struct rm_command *c, struct wiki_trip *trip,
        const char **ret_why);
    void *ctx;
    unsigned at_once;      /* orders under way at a time */
    int64_t start_wait_ms; /* in which a start that was accepted has to be seen */
    bool changes_limits;   /* it carries RM_MODIFY: limits are kept there */
};

struct wiki *wiki_new(struct agent *a, const struct wiki_carrier *carrier);
void wiki_destroy(struct wiki *w);

/* The look begins: what is told of jobs that orders reach from now on is left for the
 * next. Not `whole`: only what changed is asked for, and nobody is missed. */
void wiki_look(struct wiki *w, bool whole);
/* What it brought. Of records that cannot be read the first is told, as said by
 * `function`; what was told of them stands, and nobody is gone then. Rubbish
 * without any record is a look that has failed. */
void wiki_told_nodes(struct wiki *w, const char *text, size_t n, enum wiki_form form,
    const char *function);
void wiki_told_jobs(struct wiki *w, const char *text, size_t n, enum wiki_form form,
    const char *function);
/* It is over: orders land or are given up. Calls agent_looked(). */
void wiki_looked(struct wiki *w);
void wiki_retell(struct wiki *w); /* all, from the next look on */
void wiki_forget(struct wiki *w); /* its orders */

/* The latest UPDATETIME= of all records so far, by the clock of whoever wrote them; 0:
 * none has one. */
int64_t wiki_newest_node(const struct wiki *w);
int64_t wiki_newest_job(const struct wiki *w);
/* Does the job run for longer than it may, as far as its records tell? */
bool wiki_is_over_limit(const struct wiki *w, const char *job);

void wiki_command(struct wiki *w, const struct rm_command *c);
/* The daemon has ended: starts that were not carried yet are not, all others are, at
 * once. How many are not answered? */
size_t wiki_end(struct wiki *w);
void wiki_answered(struct wiki_trip *trip, enum wiki_answer answer, const char *text);

#endif
