/* SPDX-License-Identifier: Apache-2.0
 * What is used of reservations, and what lies idle in them: processor seconds of each,
 * and the fairshare usage of those who answer for the idle ones. Kept by rates: a
 * reservation is looked at when it changes and when a job on its nodes starts or
 * stops; time passing costs nothing. Source: reference reservations 3, 9. */
#ifndef MAUI_POLICY_RSVUSE_H
#define MAUI_POLICY_RSVUSE_H

#include "cluster/reservation.h"

/* The job holds its nodes since `now` (+1), or is about to leave them (-1). O(nodes of
 * the job), and for nodes under active reservations O(jobs x reservations there). */
void rsvuse_job(struct cluster *c, const struct job *j, int sign, int64_t now);

/* Take notice of reservations that began, ended or changed. O(reservations) when there
 * are such, and O(nodes held, now and before, x jobs there) for each. */
void rsvuse_sync(struct cluster *c, int64_t now);

/* The node offers other than before. O(jobs x reservations there). */
void rsvuse_node(struct cluster *c, uint32_t node, int64_t now);

/* Assert that what is used of each equals what is counted from nothing. For tests.
 * O(all). */
void rsvuse_check(struct cluster *c);

struct rsv_use {
    double idle_ps, active_ps;        /* processor seconds until `now` */
    int64_t idle_procs, active_procs; /* at present */
};
/* As of `now`, which is not before the last change. O(1). */
struct rsv_use rsvuse_of(const struct reservation *r, int64_t now);

#endif
