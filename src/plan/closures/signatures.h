/* SPDX-License-Identifier: Apache-2.0
 * What access lists of reservations look at in a job, as one number: jobs with equal
 * numbers are let in and kept out by the same reservations, so what was found out for
 * one of them holds for all.
 *
 *     lists name users and classes          job          -> number (who)
 *       res.1: USERLIST john                john, batch     0x51...
 *       res.2: CLASSLIST batch              john, batch     0x51...  same entry
 *                                           mary, batch     0x9c...
 *
 * closures.h keeps the access class of a job in its entry; rsvview.h asks for the sum
 * of verdicts. A hash table has an entry per number. Entries outlive changes
 * of reservations unless very many exist. */
#ifndef MAUI_PLAN_CLOSURES_SIGNATURES_H
#define MAUI_PLAN_CLOSURES_SIGNATURES_H

#include "cluster/cluster.h"
#include "cluster/job.h"

struct signatures;

/* What is known of jobs with one number. */
struct signature {
    uint64_t who;            /* 0 = an empty slot */
    uint64_t sum, sum_epoch; /* of all verdicts: signatures_sum() */
    uint64_t access_epoch;   /* of closures_access(), and its answer: */
    uint32_t access;
};

/* `c` is borrowed. */
struct signatures *signatures_create(struct cluster *c);
void signatures_destroy(struct signatures *s);

/* Which kinds of entries the access lists of live reservations have, as a bit mask of
 * enum acl_type. O(1), O(reservations) when one changed. */
uint32_t signatures_types(struct signatures *s);

/* The entry of jobs like this one; valid until the next question. */
struct signature *signatures_of(struct signatures *s, const struct job *j);

/* The verdicts of all reservations on the job as one number. O(1), O(reservations) when
 * one changed. */
uint64_t signatures_sum(struct signatures *s, const struct job *j);

/* May the job only use resources of reservations? */
static inline bool job_is_confined(const struct job *j)
{
    return (j->flags & JOB_ADVRES) || (j->extra && j->extra->advres);
}

#endif
