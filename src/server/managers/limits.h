/* SPDX-License-Identifier: Apache-2.0
 * Wallclock limits that stand with a resource manager (struct rm_keeping): what people
 * change here of a job is told there, and what comes of that is told to who asked.
 *
 *     mjobctl -m wclimit=  -->  planned so, recorded, ordered
 *        taken             it is the resource manager's from now on: what it tells
 * counts refused           as it told last; checkjob and the reply say why no answer
 * yet     the reply says so; it is ordered until there is one
 *
 * A start waits behind a limit that is on its way. Private to src/server/managers. */
#ifndef MAUI_SERVER_RMLIMITS_H
#define MAUI_SERVER_RMLIMITS_H

#include "cluster/job.h"
#include "rm/rm.h"

struct limits;
struct manager;
struct managers;

struct limits *limits_open(struct managers *all);
/* Who waits is answered. NULL is allowed. */
void limits_close(struct limits *l);

/* The order to give the job that limit was answered: `why` NULL = it has it. `last`: no
 * later one is on its way. */
void limits_answered(
    struct manager *m, const char *job, int64_t limit_s, const char *why, bool last);
/* That order is over, answered or not. */
void limits_over(struct manager *m, const char *job, int64_t limit_s);

/* What is told of a job that is known. True: it waits, and somebody has given it
 * another limit there. */
bool limits_told(struct manager *m, const struct job *j, const struct rm_job *r);
/* The same of one that has just come; `known`: after a restart, or as another. */
void limits_first_told(
    struct manager *m, const struct job *j, const struct rm_job *r, bool known);

#endif
