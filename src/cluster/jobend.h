/* SPDX-License-Identifier: Apache-2.0
 * Why a job ended: a code with its numbers and names, which decisions, records and
 * programs read, and the sentence for people, which is made here and nowhere else. */
#ifndef MAUI_CLUSTER_JOBEND_H
#define MAUI_CLUSTER_JOBEND_H

#include "config/kinds.h"

#include <stdbool.h>
#include <stddef.h>

/* Behind each: the members of struct job_end that it uses, besides `said`. */
enum end_reason {
    ENDED_UNKNOWN,     /* nobody told */
    ENDED_BY_ITSELF,   /* its exit status tells the rest */
    ENDED_SIGNAL,      /* used: the number of a signal that nobody of us sent */
    ENDED_WALLCLOCK,   /* limit, used: seconds */
    ENDED_MEMORY,      /* limit, used: MB; by the resource manager */
    ENDED_USAGE,       /* resource, limit, used: RESOURCELIMITPOLICY */
    ENDED_CANCELLED,   /* name: who; by_owner */
    ENDED_NODE_DOWN,   /* name: the node */
    ENDED_DEPENDENCY,  /* one of its dependencies can never hold */
    ENDED_NOQUEUE,     /* it asked to start at once or not at all */
    ENDED_FUNDS,       /* its account cannot pay (JFACTION CANCEL) */
    ENDED_ARRAY,       /* another job of its array was refused */
    ENDED_PREEMPTED,   /* by the resource manager: it does not wait again */
    ENDED_REQUEUED,    /* no end of the job, but of this run */
    ENDED_START,       /* its start was given up */
    ENDED_DEADLINE,    /* the resource manager's: it could not be kept */
    ENDED_SHUTDOWN,    /* the machine was shut down ... */
    ENDED_CRASH,       /* ... or went down while it ran */
    ENDED_KEEPER,      /* the process that kept it was killed */
    ENDED_RECORD_LOST, /* the record of its end cannot be read */
    ENDED_VANISHED,    /* the resource manager knows it no more */
    ENDED_REASONS
};

/* Texts are borrowed. A zeroed one is ENDED_UNKNOWN. */
struct job_end {
    enum end_reason reason;
    enum usage_res resource;
    double limit, used; /* 0 = not known */
    const char *name;   /* or NULL */
    bool by_owner;
    const char *said; /* further words, of people or of a resource manager; or NULL */
};

#define JOBEND_TEXT 400 /* bytes that hold any sentence; what was said may be cut */

/* "wallclock_limit" ...: as records have it. */
const char *end_reason_name(enum end_reason reason);
/* "wallclock limit exceeded" ...: the sentence without numbers and names. */
const char *end_reason_text(enum end_reason reason);
/* ENDED_UNKNOWN when there is not one of that name; NULL is none. */
enum end_reason end_reason_find(const char *name);

/* The sentence without a capital and a final period: "its wallclock limit of 60 s was
 * exceeded: it ran 61 s". Empty for ENDED_UNKNOWN with nothing said. */
void jobend_format(const struct job_end *end, char *ret_text, size_t size);

/* "MEM", "MB of memory": as RESOURCELIMITPOLICY and sentences call it. */
const char *usage_res_name(enum usage_res res);
const char *usage_res_unit(enum usage_res res);

#endif
