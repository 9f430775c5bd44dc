/* SPDX-License-Identifier: Apache-2.0
 * Why a job waits, in a few words: what stands beside it in the resource manager's own
 * list, which others read. Nothing in it that changes from cycle to cycle, as a note is
 * written anew only when it says something else; and nothing of other people's jobs. */
#include "base/strbuf.h"
#include "cluster/cluster.h"
#include "cluster/job.h"
#include "cluster/node.h"
#include "cluster/reason.h"
#include "policy/bank.h"
#include "policy/reason.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SENTENCE 400

/* What else it asks for, by which its wait may be another than that of its neighbours:
 * nodes that it names, licences, a reservation, one switch or set of nodes. */
static void add_wishes(const struct cluster *c, const struct job *j, struct strbuf *io)
{
    const struct taskdef *d = j->nreqs > 0 ? j->reqs[0].def : NULL;

    for (size_t i = 0; d != NULL && i < d->job_gres.n; i++)
        strbuf_printf(io, " and %lld %s", (long long)d->job_gres.v[i].count,
            names_text(c->gres, d->job_gres.v[i].id));
    if (d != NULL && d->hosts.n == 1)
        strbuf_printf(io, " on %s", node_at(c, d->hosts.v[0])->name);
    else if (d != NULL && d->hosts.n > 1)
        strbuf_add(io, " on the nodes that it names");
    else if (d != NULL && d->nodeset != NULL)
        strbuf_add(io, " on nodes of one set");
    if (j->extra != NULL && j->extra->advres != NULL)
        strbuf_printf(io, " in reservation %.60s", j->extra->advres);
}

/* Cut off where all its words do not fit. */
static int say_procs(const struct cluster *c, const struct job *j, const char *before,
    char *ret, size_t size)
{
    struct strbuf text = {0};

    strbuf_printf(&text, "%swaits for %u processor%s", before, j->procs,
        j->procs == 1 ? "" : "s");
    add_wishes(c, j, &text);
    int len = snprintf(ret, size, "%.*s", SENTENCE - 1, text.text);
    free(text.text);
    return len;
}

/* The sentence without the subject that all of them have. */
static int drop_subject(const char *sentence, char *ret, size_t size)
{
    static const char subject[] = "this job ";
    bool has = strncmp(sentence, subject, strlen(subject)) == 0;

    return snprintf(ret, size, "%s", has ? sentence + strlen(subject) : sentence);
}

static int say_hold(const struct cluster *c, const struct job *j,
    const struct reason *r, const char *said, char *ret, size_t size)
{
    char text[SENTENCE], open[SENTENCE];

    if (said)
        bank_hide_words(said, open, sizeof open);
    if (j->holds != HOLD_DEFER
        || reason_format_deferral(j, r, said ? open : NULL, text, sizeof text) == 0)
        reason_format(c, r, text, sizeof text);
    return drop_subject(text, ret, size);
}

int reason_format_note(const struct cluster *c, const struct job *j,
    const struct reason *r, const char *said, char *ret_text, size_t size)
{
    char text[SENTENCE];

    switch (r->code) {
    case WAIT_NONE:
        return snprintf(ret_text, size, "starts soon");
    case WAIT_RESOURCES:
    case WAIT_RESERVATION:
        return say_procs(c, j, "", ret_text, size);
    case WAIT_PREEMPTED:
        return say_procs(c, j, "was preempted and ", ret_text, size);
    case WAIT_PRIORITY:
    case WAIT_BACKFILL_DEPTH:
    case WAIT_BACKFILL_WINDOW:
    case WAIT_NOBF:
    case WAIT_CHUNK:
        return snprintf(ret_text, size, "waits for its turn: jobs before it wait");
    case WAIT_SUSPENDED:
        return snprintf(ret_text, size, "is suspended");
    case WAIT_DEADLINE:
        return snprintf(ret_text, size, "nothing is free in time for its deadline");
    case WAIT_HOLD:
        return say_hold(c, j, r, said, ret_text, size);
    case WAIT_LIMIT:
        reason_format_limit(c, r, text, sizeof text);
        return snprintf(ret_text, size, "waits for %s", text);
    case WAIT_FUNDS: /* all users of the resource manager read it */
        reason_format_need(c, r, text, sizeof text);
        return drop_subject(text, ret_text, size);
    case WAIT_FS_CAP:
        return snprintf(
            ret_text, size, "waits for its fairshare cap of %lld", (long long)r->limit);
    case WAIT_RM_LIMIT:
        return snprintf(ret_text, size, "%s",
            r->object < c->jobs.n && c->jobs.v[r->object] == j && j->extra
                    && j->extra->refused
                ? j->extra->refused
                : "waits for a limit of the resource manager");
    default:
        reason_format(c, r, text, sizeof text);
        return drop_subject(text, ret_text, size);
    }
}
