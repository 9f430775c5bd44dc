/* SPDX-License-Identifier: Apache-2.0
 * Orders that were accepted and have not come about: each has a deadline, and is looked
 * at until then after 150 ms, 300, 600 ... Whoever sees the job as it was ordered to be
 * lets the order land; what is still here at its deadline the driver gives up.
 *
 *     order ----> pending ----> landed   RM_OK, RM_WAITS, RM_FAILED ...
 *                         \---> lost     RM_LOST: nobody knows, all is told anew */
#ifndef MAUI_RM_ADAPTER_PENDING_H
#define MAUI_RM_ADAPTER_PENDING_H

#include "rm/rm.h"

/* An order; read only. */
struct pending_order {
    uint64_t token;
    char *job; /* owned by the queue */
    enum rm_action action;
    int64_t since_ms, patience_ms; /* by clock_ms() */
    int64_t look_ms;               /* when to look at it next */
};

struct pending;

/* Answers go to the sink, which is copied. */
struct pending *pending_new(const struct rm_sink *sink);
void pending_destroy(struct pending *p); /* nothing is answered */

void pending_add(
    struct pending *p, const struct rm_command *c, int64_t now_ms, int64_t patience_ms);
size_t pending_count(const struct pending *p);
const struct pending_order *pending_at(const struct pending *p, size_t i);
/* Where the first of that kind for the job stands, or that order; pending_count(): it
 * has landed, or is lost. */
size_t pending_find(const struct pending *p, const char *job, enum rm_action action);
size_t pending_find_token(const struct pending *p, uint64_t token);
/* Is such an order under way for the job? */
bool pending_has(const struct pending *p, const char *job, enum rm_action action);
/* When to look at one of them next; INT64_MAX = nothing is pending. */
int64_t pending_next_ms(const struct pending *p);
/* It is being looked at now: again when as much time has passed as until now. */
void pending_looked(struct pending *p, size_t i, int64_t now_ms);
/* Its time begins anew: what was to be waited for first has ended. Nothing where it has
 * landed, as pending_find() says. */
void pending_renew(struct pending *p, size_t i, int64_t now_ms);

/* It has come about, or has not, and why. Those behind it move up. Nothing where it has
 * landed. */
void pending_land(
    struct pending *p, size_t i, enum rm_outcome outcome, const char *text);
/* All of that kind of that job have come about. */
void pending_land_job(struct pending *p, const char *job, enum rm_action action);
/* Nobody knows what became of any of them. */
void pending_lose(struct pending *p, const char *why);

#endif
