/* SPDX-License-Identifier: Apache-2.0
 * What a user asked for, while a start has overwritten it: kept beside the job, and as
 * a text in the job's own record, where users do not write. It outlives us and the
 * resource manager's restarts. */
#ifndef MAUI_RM_ADAPTER_ASKED_H
#define MAUI_RM_ADAPTER_ASKED_H

#include <stdbool.h>
#include <stdint.h>

/* Zeroed: nothing is known. */
struct asked {
    bool known, overwritten;       /* by a start: what the record says is not this */
    uint32_t priority;             /* that an administrator gave it; 0 = none */
    bool cleared;                  /* it took the features away */
    bool fenced;                   /* it named other nodes to be left out than these: */
    char *exclude;                 /* owned; NULL = none */
    bool timed;                    /* it said for how long, in place of these: */
    uint32_t limit, least;         /* minutes, or as the manager says; least 0 = none */
    char *nodes, *partition;       /* owned; NULL = none. partition: or queues, "a,b" */
    char *features;                /* owned; NULL = none */
    uint32_t min_nodes, max_nodes; /* max 0 = none */
    uint32_t tasks;                /* to be said with these; 0 = need not be */
    char *remark; /* owned; the site's own, in the same place; or NULL */
    char *sent,
        *sent_out; /* owned; what the start named, and left out; NULL = not known */
};

/* What it owns; it is zeroed. */
void asked_free(struct asked *k);
/* As a text for the job's record, without a blank but those of the remark, which stands
 * before all else. Owned by the caller. */
char *asked_text(const struct asked *k);
bool asked_is_text(const char *text);
/* What the site wrote in such a text, or in another that is not ours; owned, or NULL.
 */
char *asked_remark(const char *text);
/* Takes the text apart, which anybody may have edited: what is wrong in it is not
 * known. */
void asked_parse(struct asked *ret, const char *text);

#endif
