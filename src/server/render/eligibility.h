/* SPDX-License-Identifier: Apache-2.0
 * Can this job start now, and what does each node say to it? What checkjob shows of a
 * job that waits, worked out when it is asked for. */
#ifndef MAUI_SERVER_ELIGIBILITY_H
#define MAUI_SERVER_ELIGIBILITY_H

#include "cluster/cred.h"

#include <jansson.h>
#include <stdbool.h>

struct job;
struct node;
struct reservation;
struct server;

enum check_level { CHECK_SOFT, CHECK_HARD, CHECK_OFF }; /* which limits count */

struct identity;

struct eligibility_options {
    const struct identity *who; /* asks */
    enum check_level level;
    bool verdicts;                   /* one a node */
    const struct node *node;         /* the verdict of this one; NULL */
    const char *const *reservations; /* may the job use these? NULL-terminated; NULL */
};

/* Add `eligibility` (of a job that waits), `node_verdicts` and `reservation_verdicts`
 * to the record of the job. O(nodes * what is on them). */
void eligibility_render(struct server *s, const struct job *j,
    const struct eligibility_options *opt, json_t *o);

/* "user", "group", ...: may jobs with these credentials, NULL where it is not said, use
 * the reservation? {granted, text, by}: `by` is the entry that lets them, or others of
 * them, in. Names need not be known. O(entries). */
json_t *eligibility_of_names(
    struct server *s, const char *const names[CRED_KINDS], struct reservation *r);

#endif
