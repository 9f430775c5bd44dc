/* SPDX-License-Identifier: Apache-2.0
 * Why a job ended. */
#include "cluster/jobend.h"

#include <stdio.h>
#include <string.h>

/* Names are in records of the store: they do not change. */
static const struct {
    const char *name, *text; /* of those that have numbers, the text without them */
    bool said_instead;       /* what was said is the whole sentence */
} reasons[ENDED_REASONS] = {
    [ENDED_UNKNOWN] = {"unknown", ""},
    [ENDED_BY_ITSELF] = {"by_itself", "it ended by itself"},
    [ENDED_SIGNAL] = {"signal", "it was killed by a signal"},
    [ENDED_WALLCLOCK] = {"wallclock_limit", "wallclock limit exceeded"},
    [ENDED_MEMORY] = {"memory_limit", "memory limit exceeded"},
    [ENDED_USAGE] = {"usage_limit", "it used more than it asked for"},
    [ENDED_CANCELLED] = {"cancelled", "it was cancelled"},
    [ENDED_NODE_DOWN] = {"node_down", "a node it was on is down"},
    [ENDED_DEPENDENCY] = {"dependency", "a dependency of it can never hold", true},
    [ENDED_FUNDS] = {"funds", "its account has no funds for it", true},
    [ENDED_NOQUEUE] = {"noqueue", "the job asked to start at once or not at all", true},
    [ENDED_ARRAY] = {"array_refused", "another job of its array was refused"},
    [ENDED_PREEMPTED] = {"preempted", "it was preempted"},
    [ENDED_REQUEUED] = {"requeued", "it was requeued"},
    [ENDED_START] = {"start_given_up", "its start was given up"},
    [ENDED_DEADLINE] = {"deadline", "its deadline could not be kept"},
    [ENDED_SHUTDOWN] = {"shutdown", "the machine was shut down"},
    [ENDED_CRASH] = {"machine_down", "the machine went down while it ran"},
    [ENDED_KEEPER] = {"keeper_killed", "its keeper was killed, and then its processes"},
    [ENDED_RECORD_LOST] = {"record_lost", "the record of its end cannot be read"},
    [ENDED_VANISHED] = {"vanished", "the resource manager no longer has it"},
};

static const struct {
    const char *name, *unit;
} usage_words[USAGE_RESOURCES] = {[USAGE_PROC] = {"PROC", "processors"},
    [USAGE_MEM] = {"MEM", "MB of memory"},
    [USAGE_SWAP] = {"SWAP", "MB of memory and swap space"},
    [USAGE_DISK] = {"DISK", "MB of disk"}};

const char *usage_res_name(enum usage_res res)
{
    return usage_words[res].name;
}

const char *usage_res_unit(enum usage_res res)
{
    return usage_words[res].unit;
}

const char *end_reason_name(enum end_reason reason)
{
    return reasons[reason].name;
}

const char *end_reason_text(enum end_reason reason)
{
    return reasons[reason].text;
}

enum end_reason end_reason_find(const char *name)
{
    for (int i = 0; name && i < ENDED_REASONS; i++)
        if (strcmp(reasons[i].name, name) == 0)
            return (enum end_reason)i;
    return ENDED_UNKNOWN;
}

static int write_limit(const struct job_end *e, const char *unit, char *to, size_t size)
{
    const char *what = e->reason == ENDED_WALLCLOCK ? "wallclock" : "memory";
    int n = snprintf(
        to, size, "its %s limit of %.0f %s was exceeded", what, e->limit, unit);

    if (e->used <= 0)
        return n;
    return n
           + snprintf(to + n, size - (size_t)n,
               e->reason == ENDED_WALLCLOCK ? ": it ran %.0f %s" : ": it used %.0f %s",
               e->used, unit);
}

static int write_canceller(const struct job_end *e, char *to, size_t size)
{
    return snprintf(to, size,
        e->by_owner ? "its owner %.80s cancelled it"
                    : "administrator %.80s cancelled it",
        e->name);
}

static int write_reason(const struct job_end *e, char *to, size_t size)
{
    if (e->reason == ENDED_SIGNAL && e->used > 0)
        return snprintf(to, size, "it was killed by signal %.0f", e->used);
    if (e->reason == ENDED_WALLCLOCK && e->limit > 0)
        return write_limit(e, "s", to, size);
    if (e->reason == ENDED_MEMORY && e->limit > 0)
        return write_limit(e, "MB", to, size);
    if (e->reason == ENDED_USAGE && e->limit > 0)
        return snprintf(to, size, "it used %.1f %s and asked for %.0f", e->used,
            usage_res_unit(e->resource), e->limit);
    if (e->reason == ENDED_CANCELLED && e->name)
        return write_canceller(e, to, size);
    if (e->reason == ENDED_NODE_DOWN && e->name)
        return snprintf(to, size, "node %.80s, which it was on, is down", e->name);
    return snprintf(to, size, "%s", reasons[e->reason].text);
}

void jobend_format(const struct job_end *e, char *ret_text, size_t size)
{
    char text[JOBEND_TEXT / 2] = "";
    bool says = e->said && *e->said;

    if (!says || !reasons[e->reason].said_instead)
        write_reason(e, text, sizeof text);
    snprintf(ret_text, size, "%s%s%.*s", text, *text && says ? ": " : "",
        JOBEND_TEXT / 2 - 3, says ? e->said : "");
}
