/* SPDX-License-Identifier: Apache-2.0
 * Reservations that are not of jobs and take whole nodes: when nodes under them are
 * closed, and to whom. (Those of waiting jobs, reservations/table.h, close nothing.)
 *
 * Nodes under the same reservations are interchangeable: their *reservation set* has a
 * number (0 = no reservations), and their pool stays counted. For one job a set is
 * closed while a reservation of it lasts that does not let the job in. To a job that
 * may only use reservations it is also closed while none lasts that lets the job in.
 * Jobs that the same reservations let in have the same *access class*.
 *
 *     set 1 = {A}       ----AAAAAAAA----------
 *     set 2 = {A, B}    ----AAAAAAAA---BBBB---
 *     class 0 (nobody lets it in):   closures of set 2: [4, 12) and [15, 19)
 *     class 1 (A lets it in):        closures of set 2: [15, 19); a grant: [4, 12)
 *
 * A job that begins in a reservation that its jobs may outlast (RSV_OUTLASTED) is
 * confined to nothing from then on; one that begins elsewhere is. So what is closed to
 * confined jobs depends on where they begin, too.
 *
 * Pools (pools/pools.h) are divided by sets; searches ask by class. What all classes
 * share, as free intervals, is as ACCESS_NOWHERE sees it. What a grant opens is looked
 * at in addition.
 *
 * All is as it was when closures_forget() was last called; a reservation that changes
 * has to be followed by that. Source: reference reservations 3 and 4. */
#ifndef MAUI_PLAN_CLOSURES_CLOSURES_H
#define MAUI_PLAN_CLOSURES_CLOSURES_H

#include "plan/closures/signatures.h"
#include "plan/plan.h"

/* An interval [start, end) during which nodes are closed to a job. */
struct closure {
    int64_t start, end;
};

/* Some reservation of the set lets the job in, between these instants. */
struct grant {
    uint32_t rsvset;
    int64_t from, to;
};

/* A reservation of a set, as it was when the set was made. */
struct set_member {
    uint32_t rsv, list; /* its access list: equal lists have equal numbers */
    int64_t start_at, end_at;
};

/* Classes of jobs that reservations matter to have numbers from 0 on. ACCESS_OPEN:
 * nothing is closed. While set 0 is the only one, all jobs are of it but those confined
 * to reservations. ACCESS_NOWHERE: no reservation lets in. It is for what all classes
 * share; no job is of it. */
#define ACCESS_OPEN    PLAN_ACCESS_ANY
#define ACCESS_NOWHERE (ACCESS_OPEN - 1)

struct closures;

/* `c` is borrowed. */
struct closures *closures_create(struct cluster *c);
/* The same for another owner, who destroys it too: a fork of the plan. A class that one
 * asks for first is known to all of them; numbers that are known stay. */
struct closures *closures_share(struct closures *cl);
/* The last owner's ends it. NULL is nothing. */
void closures_destroy(struct closures *cl);
struct signatures *closures_signatures(const struct closures *cl);

/* Begin anew: set 0 is all there is, and numbers of sets and classes are void. */
void closures_forget(struct closures *cl);
/* Grows when numbers of classes are void. */
uint64_t closures_epoch(const struct closures *cl);

/* The reservation set of a node. INDEX_NONE: the node is planned node by node
 * (bynode/kept.h). A reservation on it takes some of its processors, or some of
 * another resource, or lets jobs in by how long they stay. All processors and no memory
 * is the whole node. O(reservations on it). */
uint32_t closures_set(struct closures *cl, const struct node *n);
/* What is left of a set when all that end by `after` are over. */
uint32_t closures_set_after(struct closures *cl, uint32_t rsvset, int64_t after);
/* How many sets there are: 1 = no reservations. */
uint32_t closures_sets(const struct closures *cl);
const struct set_member *closures_members(
    const struct closures *cl, uint32_t rsvset, size_t *ret_n);

/* The access class of a job. A new class leaves out reservations over by `now`.
 * O(1), O(lists + sets) for the first job of a kind. */
uint32_t closures_access(struct closures *cl, const struct job *j, int64_t now);
/* How many classes there are; is this one confined to reservations? */
uint32_t closures_classes(const struct closures *cl);
bool closures_is_confined(const struct closures *cl, uint32_t access);

/* Is the set closed to the class at any instant of [start, end)? If so, *ret_until (may
 * be NULL) is the end of the last closure inside, or the begin of a window in which a
 * job may begin that stays: the first instant at which an interval of that length may
 * be open. O(log closures + closures inside). */
bool closures_closed(const struct closures *cl, uint32_t access, uint32_t rsvset,
    int64_t start, int64_t end, int64_t *ret_until);
/* The first instant >= `at` at which it is closed to a job that begins then. O(log
 * closures); O(1) when the same was asked last of the set. */
int64_t closures_next(
    const struct closures *cl, uint32_t access, uint32_t rsvset, int64_t at);

/* By set, at most one: where reservations let the class in. None of ACCESS_OPEN and
 * ACCESS_NOWHERE. */
const struct grant *closures_grants(
    const struct closures *cl, uint32_t access, size_t *ret_n);
/* Does the set have one? Does any? Any at some instant of [start, end)? */
bool closures_has_grant(const struct closures *cl, uint32_t access, uint32_t rsvset);
bool closures_any_grant(const struct closures *cl, uint32_t access);
bool closures_grant_during(
    const struct closures *cl, uint32_t access, int64_t start, int64_t end);

/* The closures of a set as ACCESS_NOWHERE sees them, in order and apart from each
 * other. O(1), O(sets) the first time. */
const struct closure *closures_for_nobody(
    struct closures *cl, uint32_t rsvset, int64_t now, size_t *ret_n);

#endif
